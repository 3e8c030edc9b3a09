"""Labels as texts: what is a class, and what is none."""

import re

import pytest

from steadycut.core.labels import code_labels, negative_name, same_label
from steadycut.errors import BadTable


@pytest.mark.parametrize(
    "mark", ["NA", "nan", "N/A", "<NA>", "NULL", " na ", "\u00a0NA", "na\u200b"]
)
@pytest.mark.parametrize("positive", [None, "1"])
def test_a_mark_for_a_missing_label_is_no_class(mark, positive):
    with pytest.raises(
        BadTable,
        match=f"in 'status' must be a class; {re.escape(repr(mark))} is there, which stands",
    ):
        code_labels(["1", mark], "status", positive)


@pytest.mark.parametrize(
    ("texts", "positive", "text"),
    [
        (["a", "b", "c"], None, "must be of two classes; 'a', 'b', 'c' are there"),
        (["a", "b", "c"], "a", "must be of two classes; 'a', 'b', 'c' are there"),
        (["1", "2"], None, "must be 0 or 1; '2' is there as well. Name the label"),
        (["x", "y"], None, "must be 0 or 1; 'x', 'y' are there. Name the label"),
        (list("abcdefghijklmnopqrst"), "a", "'a', 'b', 'c', 'd', 'e' and 15 values that are not"),
        (list("abcdefghijklmnopqrstu"), "a", "21 different values, too many to be classes, are"),
        (["x", "y"], "z", "no label in 'status' is 'z'; 'x', 'y' are there. Name one of these"),
        (["x"], "z", "no label in 'status' is 'z'; 'x' is there. Name one of these"),
    ],
)
def test_labels_that_are_not_two_classes_are_refused_with_what_is_there(texts, positive, text):
    with pytest.raises(BadTable) as caught:
        code_labels(texts, "status", positive, sizes=[9] * len(texts))
    assert " in 'status' " in str(caught.value)
    assert text in str(caught.value)


def test_labels_of_few_patients_are_not_shown():
    for sizes in ((), [4, 4]):
        with pytest.raises(BadTable, match="2 values that are not shown are there"):
            code_labels(["Smith", "Jones"], "status", sizes=sizes)


def test_all_labels_may_be_one_other_label_where_the_positive_one_need_not_occur():
    assert code_labels(["MSS"], "status", "MSI", must_occur=False).tolist() == [0]
    with pytest.raises(BadTable, match="no label in 'status' is 'MSI'"):
        code_labels(["MSS", "MSI-H"], "status", "MSI", must_occur=False)


def test_labels_are_the_same_if_they_are_the_same_number():
    assert same_label(" 1.0", "TRUE")
    assert same_label("nan", "nan")
    # Python would read these as numbers.
    assert not same_label("1_0", "10")
    assert not same_label("inf", "infinity")


def test_the_other_label_has_a_name_only_if_both_are_names():
    assert negative_name(["MSI", "MSS"], "MSI") == "MSS"
    for texts, positive in ((["yes", "MSS"], "yes"), (["MSI"], "MSI"), (["a", "b", "c"], "a")):
        assert negative_name(texts, positive) is None


def test_a_positive_label_in_other_letters_counts_if_no_other_value_is_meant():
    assert code_labels(["No", "Yes"], "y", positive="yes").tolist() == [0, 1]
    assert code_labels(["yes", "YES"], "y", positive="yes").tolist() == [1, 0]
    with pytest.raises(BadTable, match="no label in 'y' is 'Yes'"):
        code_labels(["yes", "YES"], "y", positive="Yes")
