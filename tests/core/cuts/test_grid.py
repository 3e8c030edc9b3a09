import itertools
import math

import numpy as np
import pytest

from steadycut.core.checks import MOST_REPLICATES
from steadycut.core.cuts.grid import (
    check_grid,
    clear_of_scores,
    cut_just_below,
    cuts_of,
    even_cuts,
    exact_cuts,
    operating_value,
)
from steadycut.core.records import PatientScores
from steadycut.errors import BadOption
from tests.core.cohorts import SEEDS, as_lists, random_cohort
from tests.slow_reference.cuts import exact_thresholds, grid_of, rank_of


def every_threshold(cuts):
    """One threshold of every gap, the lowest cut first."""
    position = np.arange(cuts.cells.size // 2 + 1)
    return cuts.place(position, position)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n_thresholds", [2, 7, 200])
def test_even_thresholds_are_spread_over_the_range_with_call_nobody(seed, n_thresholds):
    cohort = random_cohort(seed)
    expected = grid_of(cohort.scores.tolist(), n_thresholds)
    assert even_cuts(cohort, n_thresholds).thresholds == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_even_cuts_hold_every_threshold_in_the_gap_of_its_rank(seed):
    cohort = random_cohort(seed)
    cuts = even_cuts(cohort, 30)
    ranks = [rank_of(cohort.scores.tolist(), t) for t in cuts.thresholds]
    gaps = list(zip(cuts.first_in_gap, cuts.last_in_gap, strict=True))
    covered = [i for first, last in gaps for i in range(first, last + 1)]
    assert covered == list(range(cuts.thresholds.size))
    for first, last in gaps:
        assert len(set(ranks[first : last + 1])) == 1
    assert len({ranks[first] for first, _ in gaps}) == len(gaps)


@pytest.mark.parametrize("seed", SEEDS)
def test_even_cuts_place_the_lower_middle_threshold_of_a_gap(seed):
    cohort = random_cohort(seed)
    cuts = even_cuts(cohort, 50)
    scores = cohort.scores.tolist()
    ranks = [rank_of(scores, t) for t in cuts.thresholds]
    expected = []
    for rank in sorted(set(ranks)):
        same = [t for t, r in zip(cuts.thresholds, ranks, strict=True) if r == rank]
        expected.append(same[(len(same) - 1) // 2])
    assert every_threshold(cuts).tolist() == [-math.inf, *expected[1:-1], math.inf]


@pytest.mark.parametrize("seed", SEEDS)
def test_exact_cuts_are_midpoints_and_two_infinite_ends(seed):
    cohort = random_cohort(seed)
    expected = exact_thresholds(cohort.scores.tolist())
    assert every_threshold(exact_cuts(cohort)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("grid", [9, "exact"])
def test_cells_count_the_patients_between_two_cuts(seed, grid):
    cohort = random_cohort(seed)
    cuts = cuts_of(cohort, grid)
    scores, labels = as_lists(cohort)
    edges = [*every_threshold(cuts).tolist()]
    expected = []
    for label in (1, 0):
        mine = [s for s, y in zip(scores, labels, strict=True) if y == label]
        expected += [sum(low <= s < high for s in mine) for low, high in itertools.pairwise(edges)]
    assert cuts.cells.tolist() == expected
    assert cuts.n_patients == len(scores)


@pytest.mark.parametrize("grid", [200, "exact"])
def test_equal_scores_leave_only_call_everybody_and_call_nobody(grid):
    cuts = cuts_of(PatientScores(scores=[3.0, 3.0], labels=[0, 1]), grid)
    assert every_threshold(cuts).tolist() == [-math.inf, math.inf]
    low, high = cuts.on_scale(every_threshold(cuts))
    assert low <= 3.0 < high < 4.0


@pytest.mark.parametrize(
    ("scores", "margin"),
    [([3.0, 3.0], 0.015), ([-3.0], 0.015), ([0.1, 0.1], 0.005), ([0.1, 0.6], 0.0025)],
)
def test_the_margin_is_a_part_of_the_range_or_of_the_one_score(scores, margin):
    cohort = PatientScores(scores=scores, labels=[1] * len(scores))
    low, high = exact_cuts(cohort).outermost
    assert (min(scores) - low, high - max(scores)) == pytest.approx((margin, margin))


def test_a_grid_is_a_number_of_thresholds_or_all_cuts():
    cohort = random_cohort(1)
    assert cuts_of(cohort, 7).thresholds.tolist() == even_cuts(cohort, 7).thresholds.tolist()
    assert cuts_of(cohort, "exact").values.tolist() == exact_cuts(cohort).values.tolist()
    assert even_cuts(cohort).thresholds.size == 201


def test_groups_of_different_scores_are_marked():
    """Steps of 1 from 0 to 4."""
    cohort = PatientScores(scores=[0.0, 1.2, 1.8, 2.5, 2.5, 4.0], labels=[0, 1, 0, 1, 0, 1])
    assert even_cuts(cohort, 5).mixed.tolist() == [False, True, False, False]


def test_beyond_neighbouring_floats_everybody_and_nobody_is_called():
    """A margin of a two hundredth of the last bit is none."""
    scores = [1.0, np.nextafter(1.0, 2)]
    thresholds = every_threshold(exact_cuts(PatientScores(scores=scores, labels=[0, 1])))
    assert thresholds[0] <= scores[0]
    assert scores[0] < thresholds[1] <= scores[1] < thresholds[2]


def test_exact_cuts_between_neighbouring_floats_still_separate_them():
    low, high = 1.0, np.nextafter(1.0, 2.0)
    cuts = exact_cuts(PatientScores(scores=[low, high], labels=[0, 1]))
    assert every_threshold(cuts)[1] == high


def test_exact_cuts_that_nobody_drawn_separates_are_placed_in_the_middle_of_their_gap():
    cuts = exact_cuts(PatientScores(scores=[0.0, 1.0, 2.0, 6.0], labels=[0, 1, 0, 1]))
    # Cuts 1 to 3 lie between 0 and 6 when neither 1 nor 2 was drawn.
    assert cuts.place(np.array([1]), np.array([3])).tolist() == [3.0]


@pytest.mark.parametrize("grid", [200, "exact"])
def test_call_everybody_and_call_nobody_do_so_for_huge_and_tiny_scores(grid):
    for scale in (1e-300, 1e-9, 1e9, 1e299):
        scores = np.array([-1.0, 0.5, 1.0]) * scale
        cuts = cuts_of(PatientScores(scores=scores, labels=[0, 1, 1]), grid)
        thresholds = every_threshold(cuts)
        assert np.isinf(thresholds[[0, -1]]).all()
        assert np.isfinite(thresholds[1:-1]).all()
        for everybody, nobody in (thresholds[[0, -1]], cuts.on_scale(thresholds)[[0, -1]]):
            assert (scores >= everybody).all()
            assert (scores < nobody).all()


@pytest.mark.parametrize("grid", [7, "exact"])
def test_a_run_with_the_first_or_the_last_cut_is_infinite_and_others_keep_their_place(grid):
    """A bootstrap cohort may lack the outermost patients: all of its patients are called."""
    cuts = cuts_of(random_cohort(2), grid)
    m = cuts.cells.size // 2
    first, last = np.array([0, 0, 1, m - 1, m]), np.array([0, 2, 1, m, m])
    placed = cuts.place(first, last)
    assert placed[[0, 1, 3, 4]].tolist() == [-math.inf, -math.inf, math.inf, math.inf]
    assert math.isfinite(placed[2])
    assert cuts.on_scale(placed).tolist() == [
        *[cuts.outermost[0]] * 2,
        placed[2],
        *[cuts.outermost[1]] * 2,
    ]


@pytest.mark.parametrize(
    ("grid", "told"),
    [
        ("fine", "grid must be 'exact', 'even' or a whole number of at least 2; got 'fine'."),
        (1, "grid must be a whole number of at least 2; got 1."),
        (2.5, "grid must be a whole number of at least 2; got 2.5."),
        (True, "grid must be a whole number of at least 2; got True."),
    ],
)
def test_a_grid_that_is_none_is_refused(grid, told):
    with pytest.raises(BadOption) as caught:
        cuts_of(random_cohort(0), grid)
    assert str(caught.value) == told


def test_a_threshold_clear_of_every_score_stays():
    assert clear_of_scores(1.5, np.array([1.0, 2.0])) == 1.5


@pytest.mark.parametrize("threshold", [1.0, 2.0, 5.0])
def test_a_threshold_at_a_score_moves_and_calls_the_same_patients(threshold):
    scores = np.array([1.0, 2.0, 2.0, 5.0])
    moved = clear_of_scores(threshold, scores)
    assert not np.any(scores == moved)
    assert ((scores >= moved) == (scores >= threshold)).all()
    assert threshold - moved < 1e-5


def test_a_threshold_at_a_score_moves_where_a_millionth_of_the_gap_is_too_small_for_floats():
    """Scores such as dates in seconds: large, with small gaps."""
    low, high = scores = np.array([1e10 - 1e-5, 1e10])
    assert low < clear_of_scores(high, scores) < high
    assert clear_of_scores(low, scores) < low


def test_a_threshold_moves_by_a_millionth_of_the_gap_or_of_the_margin():
    """The margin is a two hundredth of the range: 0.01, then 0.5."""
    assert 2.0 - clear_of_scores(2.0, np.array([1.0, 2.0, 3.0])) == pytest.approx(1e-8, rel=1e-6)
    near = np.array([0.0, 1.9999, 2.0, 100.0])
    assert 2.0 - clear_of_scores(2.0, near) == pytest.approx(1e-10, rel=1e-4)


def test_a_threshold_without_room_below_stays():
    """Between two neighbouring floats there is none to move to."""
    high = float(np.nextafter(1.0, 2.0))
    assert clear_of_scores(high, np.array([1.0, high])) == high


def test_operating_value_is_the_smallest_score_that_is_called():
    scores = np.array([3.0, 1.0, 2.0])
    assert operating_value(1.5, scores) == 2.0
    assert operating_value(2.0, scores) == 2.0
    assert operating_value(3.5, scores) is None


@pytest.mark.parametrize("scores", [[-3.0, 1.0, 2.5, 2.5, 7.0], [1e-9, 2e-9], [-1e12, 0.0, 1e12]])
def test_a_cut_just_below_a_score_is_fixed_by_it_and_calls_the_same_patients(scores):
    scores = np.array(scores)
    for low, high in zip([scores[0] - 1, *scores], [*scores, scores[-1]], strict=True):
        threshold = low + (high - low) / 2 if high > low else high
        moved = cut_just_below(threshold, scores)
        assert ((scores >= moved) == (scores >= threshold)).all()
        assert moved not in scores
        anchor = scores[scores >= threshold].min()
        assert moved == cut_just_below(anchor, np.array([anchor]))


def test_a_cut_that_calls_everybody_or_nobody_depends_on_no_score():
    scores = np.array([1.0, 1e300])
    assert [cut_just_below(end, scores) for end in (-np.inf, np.inf)] == [-np.inf, np.inf]


@pytest.mark.parametrize("base", [0.0, 1e12, 1e14, 1e15, 4e15, -4e15])
def test_a_cut_below_a_whole_number_passes_no_other_whole_number(base):
    scores = base + np.arange(50.0)
    for chosen in (3, 30, 49):
        cut = cut_just_below(float(scores[chosen]), scores)
        assert np.count_nonzero(scores >= cut) == 50 - chosen


def test_a_cut_below_a_number_that_is_not_whole_lies_64_floats_below():
    for score in (0.3, 1e6 + 0.5, 2.0**50 + 0.25):
        assert score - cut_just_below(score, np.array([score])) == 64 * np.spacing(score)


def test_the_grid_by_name_and_its_largest_size():
    assert check_grid("even") == 200
    assert check_grid(MOST_REPLICATES) == MOST_REPLICATES
    with pytest.raises(BadOption, match="grid must"):
        check_grid(MOST_REPLICATES + 1)


def test_nobody_has_no_smallest_called_score():
    assert operating_value(1.0, np.array([])) is None
