"""Every code block on the site runs, or says by its language that it cannot run here."""

import re

import pytest

import steadycut
from scripts.write_pages import DOCS, PageError, beside, blocks, executed, make_demo, pages

PAGES = [path.relative_to(DOCS).as_posix() for path in pages()]
# Languages that are shown and not run: py, sh and r. A page that has them says here why.
NOT_RUN = {
    "coming_from.md": "R; tests/docs/test_tool_files.py runs the commands on files",
    "guide/cluster.md": "needs a cluster: spark-submit",
    "guide/strata.md": "needs the UCI heart data, which are not ours to ship",
    "guide/rule_file.md": "needs docker and MLflow; tests/docs/test_mlflow.py runs its scripts",
    "guide/ecg.md": "needs ECG records; tests/cli/test_score_ecg.py runs the commands",
    "guide/monitor.md": "the forms of a command; tests/adaptation/test_switch.py runs it",
    "guide/privacy.md": "needs a random key; tests/cli/test_guards.py runs the commands",
    "guide/slides.md": "needs slides and a model; tests/slides run the commands",
    "guide/survival.md": "needs the Rotterdam and GBSG data, which are not ours to ship",
    "guide/tables.md": "the forms of a command; tests/ingest/sources read such files",
    "guide/verdict.md": "the forms of commands; tests/cli/test_columns.py runs them",
    "tutorial_data_scientist.md": "needs the UCI heart data, which are not ours to ship",
}
LOOKS_LIKE_CODE = re.compile(
    r"(\$|>>>|steadycut|python|pip|import|from|spark-submit|make) \S", re.ASCII
)


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """A folder with the demo's output; not to be changed."""
    folder = tmp_path_factory.mktemp("demo")
    make_demo(folder)
    return folder


@pytest.fixture
def beside_demo(demo):
    """Work in a folder that holds the demo's output."""
    with beside(demo):
        yield


def text_of(page):
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [*PAGES, "../README.md"])
def test_the_code_runs_and_prints_what_is_shown(page, beside_demo):
    text = text_of(page)
    assert executed(text) == text, f"run scripts/write_pages.py docs/{page}"


def test_what_is_not_run_has_a_reason():
    shown = {page for page in PAGES for block in blocks(text_of(page)) if is_shown_only(block)}
    assert shown <= set(NOT_RUN)


def is_shown_only(block):
    return block.language in {"py", "sh", "r"}


@pytest.mark.parametrize("page", PAGES)
def test_no_code_hides_in_a_block_without_a_language(page):
    """Code is fenced as python or console, or as py, sh or r if it cannot run here."""
    hidden = [
        line
        for block in blocks(text_of(page))
        if block.language == "text"
        for line in block.text.splitlines()[:1]
        if LOOKS_LIKE_CODE.match(line)
    ]
    assert hidden == []


def test_every_public_name_is_in_the_reference():
    # Figures are taken from the list of their package.
    listed = set(re.findall(r"^   (\w+)$", text_of("api.md"), re.MULTILINE))
    assert listed == set(steadycut.__all__) - {"__version__"}


def test_a_page_that_shows_something_else_is_noticed(beside_demo):
    page = "# A\n\n    $ steadycut --version\n    steadycut 0\n\n```python\nx = 1\n```\n"
    assert f"    steadycut {steadycut.__version__}\n" in executed(page)
    assert executed(executed(page)) == executed(page)
    assert executed("```python\n>>> 1 + 1\n3\n```\n") == "```python\n>>> 1 + 1\n2\n```\n"
    with pytest.raises(PageError, match="ZeroDivisionError"):
        executed("```python\n>>> 1 / 0\n```\n")
    with pytest.raises(PageError, match="ended with 2"):
        executed("```console\n$ steadycut fit nothing.csv\n```\n")
    with pytest.raises(ZeroDivisionError):
        executed("<!-- python\nn = 0\n-->\n\n```python\n1 / n\n```\n")


def test_dots_stand_for_anything(beside_demo):
    page = "```console\n$ steadycut rules\n...\n$ steadycut --version\n```\n"
    assert executed(page) == page
