"""The terminal shows a part of the page: nothing that the page does not say."""

import re

import pytest

from steadycut.show.pages.kinds import page_of
from steadycut.show.render.html import render_page
from steadycut.show.render.terminal import STRAIGHT, WIDTH, terminal
from tests.show.documents import document
from tests.show.figures import samples
from tests.show.other_kinds import OTHERS
from tests.show.render.test_html import text_of

NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?:e[+-]\d+)?(?: %)?(?![\w.]*\d)")
DOCUMENTS = {
    "study": samples.study,
    "unequal costs": lambda: samples.study(cost_fn=5.0),
    "uniform": lambda: samples.study(honesty="uniform"),
    "sites": samples.sites_study,
    "comparison": samples.comparison,
    "audit": samples.labelled_audit,
    "audit, unequal costs": lambda: samples.labelled_audit(cost_fn=5.0),
    "audit without labels": samples.unlabelled_audit,
    **OTHERS,
}


def numbers_in(text):
    return set(NUMBER.findall(text))


@pytest.mark.parametrize("make", DOCUMENTS.values(), ids=DOCUMENTS)
def test_every_word_and_number_of_the_terminal_is_on_the_page(make):
    page = page_of(document(make()))
    said, whole = terminal(page, verbose=True), text_of(render_page(page))
    assert numbers_in(said) - numbers_in(whole) == set()
    words = set(re.findall(r"[a-z]{3,}", said))
    assert words - set(re.findall(r"[a-z]{3,}", whole)) == set()
    assert said.isascii() or set(re.findall(r"[^\x00-\x7f]", said)) == {"\N{PLUS-MINUS SIGN}"}


def test_a_study_shows_its_numbers():
    assert len(numbers_in(terminal(page_of(document(samples.study())), verbose=True))) > 30


def test_sentences_are_wrapped_and_tables_are_not():
    page = page_of(document(samples.study()), document(samples.comparison()))
    lines = terminal(page, verbose=True).splitlines()
    assert all(len(line) <= WIDTH for line in lines if not line.startswith("  "))
    assert any(line.startswith("  rule ") for line in lines)


def test_one_candidate_is_not_listed():
    assert "Candidates" not in terminal(page_of(document(samples.tied_study())), verbose=True)
    assert "Candidates" in terminal(page_of(document(samples.study())), verbose=True)


@pytest.mark.parametrize("make", DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_answer_takes_at_most_twelve_lines_and_is_part_of_everything(make):
    """One more line says which files were written."""
    page = page_of(document(make()))
    short, whole = terminal(page), terminal(page, verbose=True)
    assert len(short.splitlines()) <= 11
    assert set(short.splitlines()) <= set(whole.splitlines())
    assert page.headline[0][:40].translate(STRAIGHT) in " ".join(short.split())
