"""The terminal and the page say the same, to the last digit."""

import re

import pytest

from steadycut.show import render_audit, render_study
from steadycut.show.terminal import audit_text, study_text
from tests.show.documents import document
from tests.show.figures import samples
from tests.show.test_html import text_of

NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?:e[+-]\d+)?(?: %)?(?![\w.]*\d)")


def numbers_in(text):
    return set(NUMBER.findall(text))


@pytest.mark.parametrize("options", [{}, {"cost_fn": 5.0}, {"honesty": "uniform"}])
def test_every_number_of_the_terminal_is_on_the_page(options):
    study = document(samples.study(**options))
    said = study_text(study)
    missing = numbers_in(said) - numbers_in(text_of(render_study(study)))
    assert missing == set()
    assert len(numbers_in(said)) > 30


@pytest.mark.parametrize("options", [{}, {"cost_fn": 5.0}])
def test_every_number_of_an_audit_is_on_the_page(options):
    audit = document(samples.labelled_audit(**options))
    said = audit_text(audit)
    assert numbers_in(said) - numbers_in(text_of(render_audit(audit))) == set()
