"""No text of steadycut uses a word that the glossary bans: terminal, pages, help and warnings."""

import ast
import re
from pathlib import Path

import pytest

import steadycut
from scripts.check_words import (
    LONGEST_SENTENCE,
    WORD_LIST,
    banned_in,
    banned_words,
    n_words,
    sentences,
)
from steadycut.cli.main import Commands
from steadycut.show.pages.kinds import page_of
from steadycut.show.pages.page import Page
from steadycut.show.render.html import render_page
from steadycut.show.render.markdown import markdown
from steadycut.show.render.terminal import terminal
from tests.cli.commands import run_command
from tests.show.documents import document
from tests.show.figures import samples
from tests.show.render.test_html import text_of
from tests.show.render.test_terminal_agrees import DOCUMENTS

# Patients are ill or healthy, in the words of the user where there are any.
PATIENTS = dict.fromkeys(("positive", "positives", "negative", "negatives"), "ill, healthy")
BANNED = {**banned_words(WORD_LIST.read_text(encoding="utf-8")), **PATIENTS}
# The paper's names stand in sections that are closed at first, and in --verbose.
PAPER = re.compile(
    r"\b(R_Q|R_P|R_val|G_boot|Base|Augmented|modulus|Shift\(t\))(?!\w)", re.IGNORECASE
)
PAGES = {
    **{name: (lambda make=make: page_of(document(make()))) for name, make in DOCUMENTS.items()},
    "study and comparison": lambda: page_of(
        document(samples.study()), document(samples.comparison())
    ),
    "study with rates": lambda: page_of(
        document(samples.study(certify="sensitivity:0.9,specificity:0.9"))
    ),
}


def faults(text):
    """The banned words of a text, each with what stands around it."""
    plain = " ".join(text.split())
    return [
        (word, plain[max(at.start() - 60, 0) : at.end() + 40])
        for word in banned_in(plain, BANNED)
        for at in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", plain, re.IGNORECASE)
    ]


def at_first(page: Page):
    """What a reader sees of a page before opening anything."""
    opened = tuple(one for one in page.sections if one.opened)
    texts = [terminal(page), page.title, page.subtitle, page.status.text, *page.warnings]
    texts += [text for fact in page.facts for text in fact]
    for section in opened:
        texts += [section.title, *section.sentences]
        texts += [cell for table in section.tables for row in table.rows for cell in row]
    return " \n".join(texts)


def test_a_banned_word_is_found():
    assert [word for word, _ in faults("A vacuous certificate of 3 positives.")] == [
        "vacuous",
        "positives",
    ]
    assert PAPER.search("the modulus")
    assert not PAPER.search("a database")


@pytest.mark.parametrize("name", PAGES)
def test_no_text_of_a_page_uses_a_banned_word(name):
    page = PAGES[name]()
    texts = {
        "short": terminal(page),
        "verbose": terminal(page, verbose=True),
        "markdown": markdown(page).replace("\\", ""),
        "html": text_of(render_page(page)),
        "warnings": " ".join(page.warnings),
    }
    assert {form: found for form, text in texts.items() if (found := faults(text))} == {}


@pytest.mark.parametrize("name", PAGES)
def test_the_names_of_the_paper_are_not_seen_at_first(name):
    assert PAPER.findall(at_first(PAGES[name]())) == []


@pytest.mark.parametrize("name", PAGES)
def test_no_sentence_of_a_page_is_long(name):
    """Lists of counts, one per boundary of strata, are not sentences."""
    page = PAGES[name]()
    texts = [*page.headline, page.next_step, *(one.text for one in page.marks), *page.warnings]
    for section in page.sections:
        texts += [*section.sentences, *(one.caption for one in section.pictures)]
        texts += [one.note for one in section.tables]
    if page.explorer is not None:
        texts += [*page.explorer.texts, page.explorer.at_frozen, page.explorer.elsewhere]
    long = [one for text in texts for one in sentences(text) if n_words(one) > LONGEST_SENTENCE]
    assert [one for one in long if " | " not in one] == []


@pytest.mark.parametrize("command", sorted(Commands.table))
def test_the_help_of_a_command_uses_no_banned_word(command, capsys):
    ran = run_command(capsys, command, "--help")
    # Values of options stand in capitals or between bars; ge and le have their words beside them.
    beside = r"ge\|le|\bge: high scores mean ill, le: low scores mean ill|default: ge"
    text = re.sub(beside, "", " ".join(ran.out.split()))
    text = re.sub(r"--[a-z-]+|no-bias", "", re.sub(r"[│╭╮╰╯─]", " ", text))
    assert (ran.code, faults(text)) == (0, [])


# Errors and warnings -------------------------------------------------------------------------

FOLDERS = ("core", "io", "ingest", "documents", "study", "show", "cli", "estimators", "pipelines")
SOURCES = [
    path
    for folder in FOLDERS
    for path in sorted(Path(steadycut.__file__).parent.joinpath(folder).rglob("*.py"))
]
OF_PATIENTS = re.compile(r"\b(positive|negative)s? (patients?|ones|class)\b", re.IGNORECASE)
# Shorter texts are names and keys.
FEWEST_WORDS = 4


def texts_in(source):
    """Every text in a module that a reader may see: no docstrings, and no names or keys."""
    tree = ast.parse(source)
    hidden = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [one.value if isinstance(one, ast.Constant) else "X" for one in node.values]
            hidden |= {id(one) for one in node.values}
            yield "".join(map(str, parts))
        elif isinstance(getattr(node, "value", None), str) and id(node) not in hidden:
            yield node.value


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "/".join(path.parts[-2:]))
def test_no_error_or_warning_uses_a_banned_word(path):
    texts = [
        re.sub(r"--direction le|direction='le'", "", text)  # something to type
        for text in texts_in(path.read_text(encoding="utf-8"))
        if len(text.split()) >= FEWEST_WORDS and not text.startswith("ge: ")
    ]
    banned = banned_words(WORD_LIST.read_text(encoding="utf-8"))
    found = [(word, text) for text in texts for word in banned_in(text, banned)]
    assert found + [text for text in texts if OF_PATIENTS.search(text)] == []


def test_texts_of_a_module_are_found():
    source = 'def f(x):\n    """It is vacuous."""\n    return "a", f"the {x} is vacuous here"\n'
    assert sorted(texts_in(source)) == ["a", "the X is vacuous here"]
