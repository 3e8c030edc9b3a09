import math

import numpy as np
import pytest

from steadycut.core.checks import (
    check_choice,
    check_count,
    check_fraction,
    check_labels,
    check_length,
    check_positive,
    check_scores,
)
from steadycut.errors import BadOption, BadPatients, MissingScores, SteadycutError


def text_of(check, *arguments, error=BadOption, **keywords):
    with pytest.raises(error) as caught:
        check(*arguments, **keywords)
    assert isinstance(caught.value, SteadycutError)
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.2, math.nan, math.inf, True, "0.5", None])
def test_a_fraction_lies_strictly_between_0_and_1(value):
    told = f"delta must lie strictly between 0 and 1; got {value!r}."
    assert text_of(check_fraction, "delta", value) == told


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, True, "1", None])
def test_a_cost_is_finite_and_above_0(value):
    told = f"cost_fn must be a finite number above 0; got {value!r}."
    assert text_of(check_positive, "cost_fn", value) == told


@pytest.mark.parametrize("value", [1, 1.0, True, "3", None, -3])
def test_a_count_is_whole_and_large_enough(value):
    told = f"grid must be a whole number of at least 2; got {value!r}."
    assert text_of(check_count, "grid", value, at_least=2) == told


def test_a_choice_is_one_of_those_named():
    told = text_of(check_choice, "honesty", "both", ("split", "uniform"))
    assert told == "honesty must be one of split, uniform; got 'both'."


def test_values_that_pass_come_back_as_plain_numbers():
    assert type(check_fraction("delta", np.float32(0.5))) is float
    assert type(check_positive("cost_fn", np.int64(3))) is float
    assert type(check_count("grid", np.int64(3))) is int
    assert check_choice("honesty", "split", ("split", "uniform")) == "split"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
def test_scores_that_are_missing_or_infinite_are_counted(bad):
    told = text_of(check_scores, [0.1, bad, 0.3, bad], error=MissingScores)
    assert told.startswith("scores must be finite numbers; 2 of 4 are missing, NaN or infinite.")


def test_scores_too_large_to_average_are_refused():
    told = text_of(check_scores, [1.0, -2e300], error=BadPatients)
    assert told == "scores must not exceed 1e+300 in size; rescale them."


def test_scores_have_one_dimension():
    told = text_of(check_scores, [[1.0], [2.0]], error=BadPatients)
    assert told == "scores must be one-dimensional, one entry a patient; got shape (2, 1)."


def test_scores_are_copied_and_read_only():
    given = np.array([1.0, 2.0])
    checked = check_scores(given)
    given[0] = 9.0
    assert checked.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        checked[0] = 3.0


def test_no_scores_are_still_scores():
    assert check_scores([]).size == 0


def test_negative_zero_becomes_zero():
    assert math.copysign(1.0, check_scores([-0.0])[0]) == 1.0


@pytest.mark.parametrize("bad", [2, -1, 0.5, math.nan, "yes", None])
def test_labels_other_than_0_and_1_are_refused(bad):
    told = text_of(check_labels, [0, 1, bad], 3, error=BadPatients)
    assert told.startswith("labels must be 0 or 1 for every patient.")


@pytest.mark.parametrize("labels", [[0, 1, 1], [0.0, 1.0, 1.0], [False, True, True]])
def test_labels_become_small_whole_numbers(labels):
    checked = check_labels(labels, 3)
    assert checked.dtype == np.int8
    assert checked.tolist() == [0, 1, 1]
    assert not checked.flags.writeable


def test_labels_have_one_entry_a_patient():
    told = text_of(check_labels, [0, 1], 3, error=BadPatients)
    assert told == "labels must have one entry a patient (3); got 2."


def test_labels_have_one_dimension():
    assert "got shape (1, 2)" in text_of(check_labels, [[0, 1]], 2, error=BadPatients)


def test_a_column_of_another_length_is_refused_by_name():
    told = text_of(check_length, "sites", np.zeros(2), 5, error=BadPatients)
    assert told == "sites must have one entry a patient (5); got 2."
