"""Characteristics in words and numbers."""

import pytest

from steadycut.show.numbers import cut
from steadycut.show.sections.characteristics import interval_text, prevalence_note, seen


@pytest.mark.parametrize(
    ("low", "high", "known", "text"),
    [
        (0.25, 0.5, True, "0.250 to 0.500"),
        (2.0, None, True, "2.00 or more"),
        (None, 0.5, True, "0.500 or less"),
        (None, None, True, "any value"),
        (None, None, False, "not known"),
    ],
)
def test_an_interval_may_lack_an_end(low, high, known, text):
    assert interval_text({"low": low, "high": high, "known": known}) == text


def test_a_cut_off_is_written_as_cut_offs_are():
    assert interval_text({"low": 0.25, "high": 0.5, "known": True}, cut) == "0.2500 to 0.5000"


@pytest.mark.parametrize(
    ("value", "known", "text"),
    [(None, True, "infinite"), (None, False, "not known"), (0.5, True, "0.500")],
)
def test_what_was_seen_may_be_infinite_or_not_known(value, known, text):
    point = {"fixed_cut": {"characteristics": {"plr": {"value": value, "known": known}}}}
    assert seen(point, "plr") == text


def test_the_prevalence_is_named_where_it_is_not_that_of_the_patients():
    assert prevalence_note({"target_prevalence": None}) == ""
    assert prevalence_note({"target_prevalence": [0.1, 0.1]}).endswith("at prevalence 10 %")
