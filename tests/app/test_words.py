"""No page of the app uses a word that the glossary bans, or a name of the command line."""

import re

import pytest

from scripts.check_words import WORD_LIST, banned_in, banned_words
from steadycut.app.pages import refusal
from steadycut.app.works import WORKS
from steadycut.errors import ADVISED, argument
from steadycut.show.words.fields import HINTS, NEEDED, TITLES, VALUES, in_words
from tests.app.client import refused
from tests.app.worked import Words

BANNED = banned_words(WORD_LIST.read_text(encoding="utf-8"))
OF_COMMANDS = re.compile(r"--[a-z]|\bsteadycut (?:fit|audit|apply|monitor|compare|plan)\b")


def faults(page):
    """The banned words of a page, each with its sentence."""
    texts = Words(page).texts
    assert texts
    found = [(word, text) for text in texts for word in banned_in(text, BANNED)]
    return found + [("command line", text) for text in texts if OF_COMMANDS.search(text)]


def test_a_page_with_a_banned_word_is_found():
    page = "<p>the <b>mean cost</b> is vacuous</p><button title='use --delta'>x</button>"
    assert [word for word, _ in faults(page)] == ["mean cost", "vacuous", "command line"]
    assert faults("<p>plain</p><pre>steadycut fit --delta 0.1</pre>") == []


def test_the_first_page(worked):
    assert faults(worked.first) == []
    assert faults(worked.home) == []


@pytest.mark.parametrize("kind", WORKS)
def test_forms_and_results(worked, kind):
    assert faults(worked.forms[kind]) == []
    assert faults(worked.results[kind]) == []
    assert faults(worked.client.get(f"{worked.places[kind]}?edit=1").text) == []


@pytest.mark.parametrize("kind", WORKS)
def test_what_a_form_refuses(worked, kind):
    assert 'id="problem"' in worked.refusals[kind]
    assert faults(worked.refusals[kind]) == []


@pytest.mark.parametrize("kind", WORKS)
def test_what_the_first_page_refuses(worked, kind):
    if kind != "plan":
        answer = worked.client.post(f"/{kind}", files={"tables": ("t.csv", b"")})
        assert (answer.status_code, bool(refused(answer))) == (400, True)
        assert faults(answer.text) == []


def test_pages_that_refuse(worked):
    answers = [worked.client.get("/jobs/none"), worked.client.get("/", headers={"host": "x:1"})]
    answers.append(worked.client.post("/fit", headers={"origin": "http://elsewhere"}))
    for answer in answers:
        assert answer.status_code >= 400
        assert faults(answer.text) == []
    assert faults(refusal(500, "ValueError: this is a fault of steadycut.").body.decode()) == []


def test_every_word_that_a_page_may_show():
    texts = [*TITLES.values(), *HINTS.values()]
    texts += NEEDED.values()
    texts += [text for several in VALUES.values() for text in several.values()]
    assert [(text, banned_in(text, BANNED)) for text in texts if banned_in(text, BANNED)] == []


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"take {argument('bootstrap', 200)}", "take “Number of repeated samples”: 200"),
        (f"give {argument('level', 'COL:AGG')}", "give “Inner level”"),
        (
            f"add {argument('force', value=True)}",
            "add “Continue if the rule refuses these patients”",
        ),
        ("--internal is not an option here", "--internal is not an option here"),
    ],
)
def test_options_that_a_line_marks_get_the_titles_of_fields(said, shown):
    assert in_words(said) == shown


@pytest.mark.parametrize("option", ADVISED)
def test_options_that_warnings_advise_get_the_titles_of_fields(option):
    line = in_words(f"labels: are they swapped ({ADVISED[option]})?")
    assert not OF_COMMANDS.search(line)
    assert "Python" not in line
    assert "“" in line
