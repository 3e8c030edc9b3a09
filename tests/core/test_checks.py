import math

import numpy as np
import pandas as pd
import pytest

from steadycut.core.checks import (
    LARGEST_SCORE,
    SMALLEST_FRACTION,
    check_choice,
    check_count,
    check_delta,
    check_finite,
    check_flag,
    check_fraction,
    check_labels,
    check_length,
    check_positive,
    check_range,
    check_same_order,
    check_scores,
    check_size,
    refuse,
    shared_values,
    shown,
    shown_groups,
    store,
)
from steadycut.core.records import Costs
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


def test_a_confidence_is_not_taken_for_the_probability_of_an_error():
    told = "be at most 0.5, the probability of an error: 0.05 if you want 95 % confidence"
    assert text_of(check_delta, 0.95) == f"delta must {told}; got 0.95."
    assert (check_delta(0.5), check_delta(0.05)) == (0.5, 0.05)


@pytest.mark.parametrize("value", [5e-324, 1e-308, 1 - 1e-16])
def test_a_fraction_stays_away_from_the_ends(value):
    told = f"delta must be at least 1e-15 from 0 and from 1; got {value!r}."
    assert text_of(check_fraction, "delta", value) == told
    assert text_of(check_range, "delta", (min(value, 0.5), max(value, 0.5))) == told
    for allowed in (SMALLEST_FRACTION, 1 - SMALLEST_FRACTION):
        assert check_fraction("delta", allowed) == allowed


@pytest.mark.parametrize("value", [math.nan, -math.inf, 1e301, 10**400, 1j, True, "1", None, [1]])
def test_a_cut_off_is_a_finite_number(value):
    told = f"threshold must be a finite number; got {shown(value)}."
    assert text_of(check_finite, "threshold", value) == told
    assert check_finite("threshold", np.float32(0.5)) == 0.5
    assert check_finite("threshold", -LARGEST_SCORE) == -LARGEST_SCORE


def test_a_cost_has_a_size_that_can_be_squared():
    for value in (1e101, 1e-101):
        told = f"cost_fn must lie between 1e-100 and 1e+100; got {value!r}."
        assert text_of(check_positive, "cost_fn", value) == told
    for value in (1e100, 1 / 1e100):
        assert check_positive("cost_fn", value) == value
    assert "above 0; got" in text_of(check_positive, "cost_fn", 10**400)


@pytest.mark.parametrize("value", [1, "yes", None, np.array([])])
def test_a_flag_is_true_or_false(value):
    told = f"stratified must be true or false; got {shown(value)}."
    assert text_of(check_flag, "stratified", value) == told
    assert check_flag("stratified", np.bool_(1)) is True


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        ((1, 2), "(1, 2)"),
        (np.zeros(3), "an object of type 'ndarray'"),
        (["secret"] * 4, "an object of type 'list'"),
        (["mean", "max", "min"], "['mean', 'max', 'min']"),
        ("x" * 98, "'" + "x" * 98 + "'"),
        ("x" * 200, "'" + "x" * 99 + "..."),
    ],
)
def test_what_is_shown_is_short_and_names_nobody(value, text):
    assert shown(value) == text
    assert shown(10**5000) == "a number of thousands of digits"


def test_rows_of_different_lengths_are_no_array():
    ragged = [[1, 2], [3]]
    told = text_of(check_labels, ragged, 2, error=BadPatients)
    assert told.startswith("labels must have one plain entry per patient")
    told = text_of(check_scores, ragged, error=BadPatients)
    assert told.startswith("scores must have one plain entry per patient")


@pytest.mark.parametrize("scores", [[1j], np.array([1j]), ["a"], [10**400], [None, {}]])
def test_scores_are_real_numbers(scores):
    told = text_of(check_scores, scores, error=BadPatients)
    assert told == "scores must be numbers, one per patient."


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, True, "1", None])
def test_a_cost_is_finite_and_above_0(value):
    told = f"cost_fn must be a finite number above 0; got {value!r}."
    assert text_of(check_positive, "cost_fn", value) == told


@pytest.mark.parametrize("value", [1, 1.0, True, "3", None, -3])
def test_a_count_is_whole_and_large_enough(value):
    told = f"grid must be a whole number of at least 2; got {value!r}."
    assert text_of(check_count, "grid", value, at_least=2) == told


def test_a_count_is_not_too_large():
    assert text_of(check_count, "grid", 11, at_most=10) == "grid must be at most 10; got 11."
    assert check_count("grid", 10, at_most=10) == 10
    assert check_count("grid", 1) == 1
    assert "at least 1; got 0" in text_of(check_count, "grid", 0)
    assert check_count("grid", 2, at_least=2) == 2


def test_a_choice_is_one_of_those_named():
    told = text_of(check_choice, "honesty", "both", ("split", "uniform"))
    assert told == "honesty must be one of split, uniform; got 'both'."
    told = text_of(check_choice, "honesty", "unifrom", ("split", "uniform"))
    assert told == "honesty must be one of split, uniform; got 'unifrom'. Did you mean 'uniform'?"
    assert text_of(check_choice, "honesty", 3, ("split", "uniform")).endswith("got 3.")


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
    assert check_scores([LARGEST_SCORE, 1.0]).tolist() == [LARGEST_SCORE, 1.0]


def test_scores_have_one_dimension():
    told = text_of(check_scores, [[1.0], [2.0]], error=BadPatients)
    assert told == "scores must be one-dimensional, one entry per patient; got shape (2, 1)."


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
    assert told.endswith("name the one that means ill: positive='VALUE'.")


@pytest.mark.parametrize("labels", [[0, 1, 1], [0.0, 1.0, 1.0], [False, True, True]])
def test_labels_become_small_whole_numbers(labels):
    checked = check_labels(labels, 3)
    assert checked.dtype == np.int8
    assert checked.tolist() == [0, 1, 1]
    assert not checked.flags.writeable


def test_labels_have_one_entry_a_patient():
    told = text_of(check_labels, [0, 1], 3, error=BadPatients)
    assert told == "labels must have one entry per patient (3); got 2."


def test_labels_have_one_dimension():
    told = text_of(check_labels, [[0, 1]], 2, error=BadPatients)
    assert told == "labels must be one-dimensional, one entry per patient; got shape (1, 2)."


def test_a_column_of_another_length_is_refused_by_name():
    assert "sites must be one-d" in text_of(check_length, "sites", np.eye(2), 2, error=BadPatients)
    told = text_of(check_length, "sites", np.zeros(2), 5, error=BadPatients)
    assert told == "sites must have one entry per patient (5); got 2."


def test_a_range_is_a_number_or_two_in_order():
    assert check_range("x", 0.2) == (0.2, 0.2)
    assert check_range("x", [0.1, 0.3]) == (0.1, 0.3)
    for bad in (0, 1.0, 1.5, (0.5, 1.0), (0, 0.5), True, "much", (0.1, 0.2, 0.3)):
        rule = "be a number, or two, strictly between 0 and 1 (0.3 for 30 %)"
        assert text_of(check_range, "x", bad) == f"x must {rule}; got {bad!r}."
    told = "x must go from low to high; got (0.3, 0.2)."
    assert text_of(check_range, "x", (0.3, 0.2)) == told
    assert "1e-15 from 0 and from 1" in text_of(check_range, "x", (0.5, 1 - 1e-16))


@pytest.mark.parametrize("value", [0, -1, 1.5, 2.5, math.inf, math.nan, True, "2", None])
def test_a_size_is_a_share_or_a_number_of_patients(value):
    rule = "be a share between 0 and 1, or a whole number of patients"
    assert text_of(check_size, "test_size", value) == f"test_size must {rule}; got {value!r}."
    for allowed, kind in ((0.3, float), (1, int), (2, int), (3.0, int)):
        found = check_size("test_size", allowed)
        assert (found, type(found)) == (allowed, kind)


def test_an_error_knows_which_argument_it_is_about():
    for name, arguments in (("delta", ["delta"]), ("the beta of the rule", [])):
        with pytest.raises(BadOption, match=f"^{name} must be small; got 3") as caught:
            refuse(name, "be small", 3)
        assert caught.value.arguments == arguments


def test_values_of_at_least_five_patients_are_named_up_to_five_of_them():
    assert shared_values({"MSI": 5, "Smith": 4}) == "'MSI' and 1 value that is not shown"
    told = shared_values(dict.fromkeys("fedcba", 5))
    assert told == "'a', 'b', 'c', 'd', 'e' and 1 value that is not shown"


def test_a_frozen_record_is_given_the_checked_value():
    costs = Costs()
    store(costs, "cost_fn", 2.0)
    assert (costs.cost_fn, costs.cost_fp) == (2, 1)


def test_patients_of_small_groups_have_a_number_instead_of_a_name():
    groups = np.array(["south"] * 5 + ["Smith", "north"] + ["north"] * 4 + ["Jones"])
    wanted = ["south"] * 5 + ["no. 2 (few patients)"] + ["north"] * 5 + ["no. 1 (few patients)"]
    assert shown_groups(groups).tolist() == wanted
    assert shown_groups(groups[:0]).dtype.kind == "U"


def test_an_infinite_cut_off_is_allowed_where_one_is_asked_for():
    assert check_finite("threshold", math.inf, cut_off=True) == math.inf
    assert check_finite("threshold", -math.inf, cut_off=True) == -math.inf
    assert text_of(check_finite, "value", math.inf) == "value must be a finite number; got inf."


def test_columns_of_pandas_about_other_rows_are_in_no_other_order():
    first, other = pd.Series([0.1, 0.9], index=[1, 0]), pd.Series([1, 0], index=[6, 5])
    check_same_order({"scores": first, "labels": other})
    check_same_order({"scores": first, "labels": other}, np.array(["a", "b"]))
    with pytest.raises(BadPatients, match=r"^labels has its index in another order"):
        check_same_order({"labels": other}, np.array(["5", "6"]))
    check_same_order({"labels": pd.Series([1, 0])}, np.array(["1", "0"]))
