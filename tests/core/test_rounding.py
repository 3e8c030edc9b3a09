import math

import numpy as np
import pytest

from steadycut.core.rounding import (
    ROUNDING,
    at_least,
    at_most,
    cut_text,
    of_hundred,
    of_hundred_at_most,
    percent,
    share_at_most,
    significant,
    who_is_called,
)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 of 100"), (0.001, "1 of 100"), (0.29, "29 of 100"), (0.2901, "30 of 100")],
)
def test_an_upper_limit_is_rounded_up(share, text):
    assert of_hundred_at_most(share) == text


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1, 1e3, 1e14])
def test_a_limit_is_never_shown_on_the_wrong_side(scale):
    for value in scale * np.random.default_rng(0).uniform(-1, 1, 500):
        slack = 1e-8 * abs(value)
        assert float(at_least(value)) - slack <= value <= float(at_most(value)) + slack


def test_a_limit_that_needs_no_rounding_is_kept():
    assert (at_most(0.1 + 0.2), at_least(0.3 - 0.1)) == ("0.300", "0.200")
    assert (at_most(9.991), at_most(1.2341), at_most(0.00001231)) == ("10.0", "1.24", "1.24e-05")
    assert (share_at_most(0.58), share_at_most(0.5801)) == ("58 %", "58.1 %")


def test_shares_in_per_cent_are_kept_where_they_need_no_rounding():
    for tenths in range(1001):
        text = f"{tenths / 10:g} %"
        assert share_at_most(tenths / 1000) == text
        assert share_at_most((tenths - 0.4) / 1000) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0"), (0.0049, "fewer than 1"), (0.005, "0"), (0.0051, "1"), (0.5, "50"), (1.0, "100")],
)
def test_a_share_as_patients_of_a_hundred(share, text):
    assert of_hundred(share) == f"{text} of 100"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9.996, "10.0"),
        (-9.996, "-10.0"),
        (99.96, "100"),
        (0.00012345, "0.000123"),
        (0.000012345, "1.23e-05"),
        (1234567890123.4, "1234567890123"),
        (12345678901234.5, "1.23e+13"),
        (1e-15, "1.00e-15"),
        (-0.9e-15, "0"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        (7, "7"),
        (0.125, "0.125"),
    ],
)
def test_three_significant_digits(value, text):
    assert significant(value) == text


def test_as_many_digits_as_asked_for():
    assert [significant(0.56789, digits) for digits in (1, 2, 4)] == ["0.6", "0.57", "0.5679"]
    assert significant(5.6789e-9, 2) == "5.7e-09"


@pytest.mark.parametrize(
    ("share", "decimals", "text"),
    [
        (0.0, 1, "0"),
        (ROUNDING, 1, "0"),
        (2 * ROUNDING, 1, "< 0.1"),
        (0.00049, 1, "< 0.1"),
        (0.0005, 1, "0.1"),
        (0.005, 0, "1"),
        (0.0049, 0, "< 1"),
        (0.99951, 1, "> 99.9"),
        (0.9951, 0, "> 99"),
        (1 - 2 * ROUNDING, 1, "> 99.9"),
        (1 - ROUNDING, 1, "100"),
        (1.0, 1, "100"),
        (0.05, 2, "5.00"),
        (0.12345, 2, "12.35"),
    ],
)
def test_a_share_that_is_not_none_or_all_is_not_written_so(share, decimals, text):
    assert percent(share, decimals) == f"{text} %"


def test_a_share_has_one_decimal_unless_asked_for_others():
    assert (percent(0.12345), percent(0.2), percent(None)) == ("12.3 %", "20 %", "not known")


def test_whom_an_infinite_cut_off_calls():
    ends = [(-math.inf, "ge"), (math.inf, "ge"), (-math.inf, "le"), (math.inf, "le")]
    called = ["everybody", "nobody", "nobody", "everybody"]
    assert [who_is_called(*end) for end in ends] == called
    assert [who_is_called(0.0, direction) for direction in ("ge", "le")] == ["", ""]


def test_a_cut_off_has_six_digits_unless_asked_for_others():
    assert (cut_text(2 / 3), cut_text(2 / 3, 3)) == ("0.666667", "0.667")
    assert (cut_text(math.inf), cut_text(-math.inf)) == ("above every score", "below every score")
