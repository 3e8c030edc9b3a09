"""Every number on a page is a stored result or a setting that the page names."""

import json

import pytest

from benchmarks.trust.run import MARKS, NOTES, PAGE, sums, tables
from scripts import write_figures
from scripts.write_figures import (
    REPOSITORY,
    RESULTS,
    SOURCE,
    WRITTEN,
    compared,
    is_evidence,
    notes,
    numbers,
    pages,
    read,
)

PAGES = [
    path.relative_to(REPOSITORY).as_posix()
    for path in [REPOSITORY / "README.md", *pages(), *notes()]
]
MARKED = ("include: ", "end of ", "tables: begin")
SOURCED = [page for page in PAGES if SOURCE.search((REPOSITORY / page).read_text(encoding="utf-8"))]


def checked(page):
    """Return what is wrong with a page."""
    path = REPOSITORY / page
    return compared(path.read_text(encoding="utf-8"), whole=is_evidence(path))[1]


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A folder with stored results of its own."""
    (tmp_path / "study.json").write_text('{"held": 0.913, "rows": [{"n": 40}, {"n": 1200}]}')
    monkeypatch.setattr(write_figures, "RESULTS", tmp_path)
    read.cache_clear()
    yield tmp_path
    read.cache_clear()


def faults(text, *, whole=True):
    return compared(text, whole=whole)[1]


@pytest.mark.parametrize("page", PAGES)
def test_every_number_is_stored_or_a_setting(page):
    assert checked(page) == []


@pytest.mark.parametrize("page", SOURCED)
def test_a_changed_number_of_a_page_is_found(page):
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    whole = is_evidence(REPOSITORY / page)
    found = numbers(text, whole=whole)
    for number in found[:: max(1, len(found) // 8)]:
        changed = text[: number.start] + "81307" + text[number.start :]
        assert compared(changed, whole=whole)[1], number


def test_a_changed_or_deleted_figure_of_a_stored_result_is_found(results):
    page = REPOSITORY / "docs" / "evidence" / "certificates.md"
    section = page.read_text(encoding="utf-8").partition("## Survival at a horizon\n")[2]
    stored = json.loads((RESULTS / "survival.json").read_text(encoding="utf-8"))
    shown = ("exact_holds", "weighted_holds", "weighted_bias")
    for place, key in [(place, key) for place in stored["any"] for key in shown]:
        for change in ({key: stored["any"][place][key] + 0.002}, {}):
            row = {name: value for name, value in stored["any"][place].items() if name != key}
            other = stored | {"any": stored["any"] | {place: row | change}}
            (results / "survival.json").write_text(json.dumps(other), encoding="utf-8")
            read.cache_clear()
            assert compared(section, whole=True)[1]
    (results / "survival.json").write_text(json.dumps(stored), encoding="utf-8")
    read.cache_clear()
    assert compared(section, whole=True)[1] == []


@pytest.mark.usefixtures("results")
def test_a_figure_is_compared_as_it_is_rounded():
    assert faults("It held in 0.91.\n<!-- figures: study.held -->") == []
    assert faults("It held in 91.3 %.\n<!-- figures: study.held -->") == []
    assert faults("It held in 91 per cent.\n<!-- figures: study.held -->") == []
    text, found = compared("It held in 0.92.\n<!-- figures: study.held -->", whole=True)
    assert found == ["line 1: 0.92 should be 0.91"]
    assert text == "It held in 0.91.\n<!-- figures: study.held -->"


@pytest.mark.usefixtures("results")
def test_the_cells_of_a_table_are_compared_in_their_order():
    table = "| n |\n|---|\n| {} |\n| {} |\n\n<!-- figures: cells(study.rows, 'n') -->"
    assert faults(table.format(40, "1,200")) == []
    assert len(faults(table.format("1,200", 40))) == 2
    assert "2 figures are named, 1 are shown" in faults(table.format(40, "-"))[0]


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("", "0.913 has no source"),
        ("<!-- settings: 0.5 -->", "settings that the text does not have: 0.5"),
        ("<!-- figures: study.other -->", "KeyError"),
        ("<!-- figures: nothing.held -->", "names no file of benchmarks/results"),
        ("<!-- figures: 0.4 + 0.513 -->", "names no file of benchmarks/results"),
        ("<!-- figures: study. -->", "SyntaxError"),
    ],
)
def test_a_number_without_a_stored_result_is_found(comment, said):
    assert said in " ".join(faults(f"It held in 0.913.\n\n{comment}"))


@pytest.mark.parametrize(
    "text",
    [
        "It held in 0.937/0.951.",
        "It held in 0.937-0.951.",
        "power=0.937",
        "It is 9.3x faster.",
        "It took 12.7s.",
        "It held in .937.",
        "It held in 93 percent.",
        "## It held in 0.937",
        "## It held in 93 %",
        "<!-- include: study.json --> 0.937 <!-- end -->",
    ],
)
@pytest.mark.parametrize("whole", [True, False])
def test_no_way_of_writing_hides_a_figure(text, whole):
    assert faults(text, whole=whole) != []


def test_blocks_that_are_not_read_stand_only_where_other_tests_compare_them():
    found = {
        (page, next((word for word in MARKED if word in block[0]), "command"))
        for page in PAGES
        for block in WRITTEN.finditer((REPOSITORY / page).read_text(encoding="utf-8"))
    }
    assert {one for one in found if one[1] != "include: "} == {
        ("paper/rerun.md", "end of "),
        ("docs/reliability.md", "tables: begin"),
        ("benchmarks/notes/reliability.md", "tables: begin"),
        ("README.md", "command"),
    }


def test_an_included_text_is_the_stored_one(results):
    (results / "table.md").write_text("| 0.9 |\n")
    assert faults("<!-- include: table.md -->\n\n| 0.9 |\n\n<!-- end -->") == []
    text, found = compared("<!-- include: table.md -->\n\n| 0.8 |\n\n<!-- end -->", whole=True)
    assert found == ["an included text is not the stored one"]
    assert "| 0.9 |" in text
    (results / "parts.md").write_text("# One\n\n0.1\n\n## Two\n\n0.2\n\n# Three\n0.3\n")
    assert faults("<!-- include: parts.md#Two -->\n\n0.2\n\n<!-- end -->") == []
    assert faults("<!-- include: parts.md#Four -->\n\n0.2\n\n<!-- end -->") != []


def test_sentences_about_a_stored_text_have_its_numbers(results):
    (results / "table.md").write_text("| 0.9 | 0.7 |\n")
    text, found = compared("It is 0.9.\n<!-- quoted: table.md -->", whole=True)
    assert len(found) == 1
    assert faults(text) == []
    assert faults(text.replace("0.9", "0.7")) != []
    assert faults("It is 0.8.\n<!-- quoted: table.md -->") != []
    assert faults("It is 0.9.\n<!-- quoted: other.md -->") != []
    (results / "table.md").write_text("| 0.9 | 0.6 |\n")
    assert faults(text) != []


def test_a_guide_may_quote_what_its_code_shows():
    shown = "    $ steadycut fit\n    Cut-off 0.25\n"
    assert faults(f"The cut-off is 0.25.\n\n{shown}", whole=False) == []
    assert faults(f"The cut-off is 0.26.\n\n{shown}", whole=False) != []
    assert faults(f"Missed: 3 of 40, 2 times.\n\n{shown}", whole=False) != []
    assert faults(f"With 40 patients.\n\n{shown}", whole=False) == []


def test_the_tables_of_the_reliability_page_are_those_stored():
    stored = json.loads((RESULTS / "trust.json").read_text(encoding="utf-8"))
    for page, written in ((PAGE, sums(stored)), (NOTES, tables(stored))):
        begin, end = MARKS
        text = page.read_text(encoding="utf-8")
        assert text.partition(begin)[2].partition(end)[0].strip() == written.strip()
