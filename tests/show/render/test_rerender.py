import re

import pytest

from steadycut.errors import BadOption
from steadycut.show.pages.kinds import page_of
from steadycut.show.render.markdown import markdown
from steadycut.show.render.rerender import page_name, render_again
from tests.show.documents import document
from tests.show.figures import samples
from tests.show.other_kinds import OTHERS
from tests.show.render.test_html import PAGES

SCRIPT = "<script>alert(1)</script>"


def test_html_is_what_the_commands_write():
    audit = samples.labelled_audit()
    assert render_again(audit) == PAGES["audit"]()
    study, comparison = samples.study(), samples.comparison()
    assert render_again(study, comparison=comparison) == PAGES["study with comparison"]()


def test_a_page_to_print_has_no_script_and_all_figures():
    study = samples.study()
    page = render_again(study, "pdf-ready")
    assert not re.search(r"<script|<button|<input|script-src", page)
    whole = page_of(document(study))
    assert page.count("<svg") == sum(len(one.pictures) for one in (whole, *whole.sections))
    assert 'data-theme="light"' in page


@pytest.mark.parametrize(
    "make",
    [samples.study, samples.labelled_audit, samples.unlabelled_audit, *OTHERS.values()],
)
def test_markdown_holds_every_cell(make):
    content = make()
    page = page_of(document(content))
    text = render_again(content, "md").replace("\\", "")
    cells = [
        cell for one in page.sections for table in one.tables for row in table.rows for cell in row
    ]
    assert [cell for cell in cells if " ".join(cell.split()) not in text] == []
    assert [one for one in page.headline if one not in text] == []


def test_a_name_stays_text_in_markdown():
    study = samples.study() | {"score": f"{SCRIPT} a|b\n# c"}
    text = markdown(page_of(document(study)))
    assert "<script>" not in text
    assert not re.search(r"^# c", text, re.MULTILINE)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(line.endswith(" |") for line in rows)


def test_names_of_files():
    study, audit = samples.study(), samples.labelled_audit()
    assert page_name(study, "html") == "report.html"
    assert page_name(audit, "md") == "audit.md"
    assert page_name(study, "pdf-ready") == "report-print.html"
    names = [page_name(make(), "html") for make in OTHERS.values()]
    assert set(names) == {
        *("audit.html", "covariate.html", "monitor.html", "plan.html", "strata.html")
    }


def test_other_contents_and_formats_are_refused():
    with pytest.raises(BadOption, match=r"schemas steadycut.study/1, .*got None"):
        render_again({})
    with pytest.raises(BadOption, match="form must be one of html, md, pdf-ready"):
        render_again(samples.study(), "pdf")
    with pytest.raises(BadOption, match="only the page of a study"):
        render_again(samples.labelled_audit(), comparison=samples.comparison())
