"""Characteristics in words and numbers."""

import pytest

from steadycut.documents.parts import EstimatePart, IntervalPart
from steadycut.show.sections.characteristics import fixed, interval_text, prevalence_note
from steadycut.show.words.numbers import cut
from tests.show.documents import document
from tests.show.figures import samples


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
    assert interval_text(IntervalPart(low=low, high=high, known=known, method="score")) == text


def test_a_cut_off_is_written_as_cut_offs_are():
    interval = IntervalPart(low=0.25, high=0.5, known=True, method="score")
    assert interval_text(interval, cut) == "0.2500 to 0.5000"


@pytest.mark.parametrize(
    ("value", "known", "text"),
    [(None, True, "infinite"), (None, False, "not known"), (0.5, True, "0.500")],
)
def test_what_was_seen_may_be_infinite_or_not_known(value, known, text):
    plr = EstimatePart(value=value, known=known, low=None, high=None, method="score")
    assert fixed(point(plr=plr), "plr")[0] == text


def test_the_prevalence_is_named_where_it_is_not_that_of_the_patients():
    assert prevalence_note(point()) == ""
    taken = point().model_copy(update={"target_prevalence": (0.1, 0.1)})
    assert prevalence_note(taken).endswith("at prevalence 10 %.")


def point(**characteristics):
    found = document(samples.study()).operating_point
    made = found.fixed_cut.model_copy(update={"characteristics": characteristics})
    return found.model_copy(update={"fixed_cut": made})
