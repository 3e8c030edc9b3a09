"""The pages in a real browser."""

import pytest

from steadycut.report import render_audit, render_study
from tests.displays import samples

PAGES = {
    "study": lambda: render_study(samples.study(), samples.comparison()),
    "audit": lambda: render_audit(samples.labelled_audit()),
}


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_a_page_opens_without_error_or_request(page, tmp_path, make):
    path = tmp_path / "report.html"
    path.write_text(make(), encoding="utf-8")
    page.goto(path.as_uri())
    assert page.locator("h1").inner_text()
