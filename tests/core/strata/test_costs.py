import numpy as np
import pytest

from steadycut.core.checks import LARGEST_COST
from steadycut.core.strata.costs import CostMatrix, check_grades, grade_codes
from steadycut.errors import BadOption, BadPatients
from tests.core.strata_cohorts import GREY, SQUARE


def test_what_a_matrix_says_by_hand():
    assert (SQUARE.n_grades, SQUARE.n_strata, SQUARE.n_boundaries) == (3, 3, 2)
    assert SQUARE.steps.tolist() == [[-1, -2], [2, -1], [3, 2]]
    assert (SQUARE.smallest, SQUARE.largest, SQUARE.spread) == (0, 5, 5)
    assert SQUARE.of_patients([0, 2], [2, 1]).tolist() == [3, 2]
    assert SQUARE.probabilities is None


def test_a_boundary_pays_from_the_probability_at_which_both_sides_cost_the_same():
    for boundary, share in enumerate(GREY.probabilities):
        below, above = np.array([1 - share, share]) @ GREY.values[:, boundary : boundary + 2]
        assert below == pytest.approx(above)


def test_a_boundary_may_make_no_difference_to_a_low_grade():
    """Any error costs 1: to grade 0 the upper two strata are the same."""
    costs = CostMatrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert costs.steps.tolist() == [[-1, 0], [1, -1], [0, 1]]


def test_a_negative_zero_is_zero():
    assert str(CostMatrix([[-0.0, 1], [1, 0]]).values[0, 0]) == "0.0"


def test_the_values_are_kept_from_changes():
    with pytest.raises(ValueError, match="read-only"):
        SQUARE.values[0, 0] = 1


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("text", "costs must be numbers"),
        ([[0, 1], [1]], "costs must be numbers"),
        ([[0, 1j], [1, 0]], "costs must be numbers"),
        ([[0, 1]], "at least two rows"),
        ([[0], [1]], "at least two rows"),
        ([0, 1], "at least two rows"),
        ([[0, -1], [1, 0]], "from 0 to"),
        ([[0, np.nan], [1, 0]], "from 0 to"),
        ([[0, 1], [1, 2]], "never the better one"),
        ([[0, 0], [1, 0]], "never the better one"),
        ([[0, 1], [0, 0]], "never the better one"),
        ([[0, 1, 1], [1, 0, 0]], "between strata 2 and 3"),
        ([[1, 0], [0, 1]], "ascending order"),
        ([[0, 1], [1, 0], [0, 1]], "a lower grade asks"),
    ],
)
def test_a_matrix_without_one_reading_is_refused(values, words):
    with pytest.raises(BadOption, match=words):
        CostMatrix(values)


def test_grades_are_whole_numbers_below_the_number_of_rows():
    assert check_grades(np.array([0, 2, 1]), 3, 3).tolist() == [0, 2, 1]
    with pytest.raises(BadPatients, match=r"from 0 to 1, one per patient.*; 2 are not"):
        check_grades(np.array([0, 2, -1]), 3, 2)
    with pytest.raises(BadPatients, match="one entry per patient"):
        check_grades(np.array([0, 1]), 3, 2)


def test_grades_from_a_table_of_floats_are_whole_numbers():
    assert check_grades(np.array([0.0, 2.0, 1.0]), 3, 3).dtype == np.int64


def test_costs_may_be_as_large_as_is_allowed():
    assert CostMatrix([[0, LARGEST_COST], [1, 0]]).largest == LARGEST_COST
    with pytest.raises(BadOption, match="from 0 to"):
        CostMatrix([[0, 1.001 * LARGEST_COST], [1, 0]])


def test_no_grades_are_whole_numbers_too():
    assert grade_codes([], ["a", "b"]).dtype == np.int64
