"""Numbers of one column, and columns of a terminal: which of them go to the left."""

import math

import pytest

from steadycut.show.render.terminal import columns, wrapped
from steadycut.show.words.numbers import numbers, percents


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.2, 0.0327], ["0.200", "0.033"]),
        ([25.31, 0.5], ["25.3", "0.5"]),
        ([1234.5, 2.0], ["1235", "2"]),
        ([0.00123, None, 0.00001], ["0.00123", "not known", "0.00001"]),
        ([0.0, 0.0], ["0.00", "0.00"]),
        ([-0.0001, 0.5], ["0.000", "0.500"]),
        ([1e-9, 0.0], ["1.00e-09", "0"]),
        ([None], ["not known"]),
        ([], []),
    ],
)
def test_the_largest_number_sets_the_decimals(values, expected):
    assert numbers(values) == expected


def test_changes_have_a_sign():
    assert numbers([0.03, -0.5, 0.0, None], signs=True) == [
        "+0.030",
        "-0.500",
        "0.000",
        "not known",
    ]
    assert numbers([1e-9, -2e-9], signs=True) == ["+1.00e-09", "-2.00e-09"]


def test_shares_have_the_same_decimals():
    assert percents([0.08, 0.1084, None, 0.00001]) == ["8.0 %", "10.8 %", "not known", "< 0.1 %"]
    assert percents([0.08, 1.0]) == ["8 %", "100 %"]


def test_a_last_column_of_texts_is_wrapped():
    long = " ".join(["word"] * 20)
    table = columns([("rule", "what it is"), ("a", long)], "tt", 60)
    assert all(len(line) <= 60 for line in table.splitlines())
    assert " ".join(table.split()) == f"rule what it is a {long}"
    assert columns([("rule", "n"), ("a", "1" * 80)], "tn", 60).splitlines()[1].endswith("1" * 80)


def test_a_number_keeps_its_percent_sign():
    assert wrapped("less than 20 % of all", 13) == ["less than", "20 % of all"]
    assert wrapped("", 10) == [""]


def test_texts_go_to_the_left_and_numbers_to_the_right():
    table = columns([("rule", "cut"), ("a", "-0.5"), ("long", "-10.5")], "tn")
    assert table.splitlines() == ["  rule    cut", "  a      -0.5", "  long  -10.5"]


def test_an_infinite_cut_off_is_named_among_numbers():
    assert numbers([0.25, math.inf, None]) == ["0.250", "above every score", "not known"]
