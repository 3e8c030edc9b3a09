"""Every look at a page is one that waits."""

import ast
from pathlib import Path

import pytest

from tests.browser import waiting

HERE = Path(__file__).parent
# What looks at a page as it is now. `inner_text` waits for an element, but not for its text.
OF_PLAYWRIGHT = {"all", "all_inner_texts", "count", "evaluate", "get_attribute", "input_value"}
OF_PLAYWRIGHT |= {"inner_text", "is_checked", "is_enabled", "is_hidden", "is_visible"}
OURS = {
    "chosen",
    "faults",
    "faults_of_colour",
    "numbers_shown",
    "open_sections",
    "text_above",
    "visible_texts",
}


def looks_at_once(text):
    """Return the lines of the asserts that look at a page directly."""
    asserts = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert)]
    return [node.lineno for node in asserts if any(map(is_look, ast.walk(node)))]


def is_look(node):
    match node:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in OF_PLAYWRIGHT
        case ast.Call(func=ast.Name(id=name)):
            return name in OURS
    return False


@pytest.mark.parametrize("name", ["test_app.py", "test_report.py"])
def test_no_assert_looks_at_a_page(name):
    assert looks_at_once((HERE / name).read_text(encoding="utf-8")) == []


def test_an_assert_that_looks_at_a_page_is_found():
    text = (
        "def test():\n    assert rule.is_checked()\n    assert faults(page) == []\n    assert a\n"
    )
    assert looks_at_once(text) == [2, 3]


def test_a_late_answer_is_waited_for():
    pytest.importorskip("playwright.sync_api")
    seen = iter([0, 1, 2, 3])
    assert waiting.wait_until(lambda: next(seen), 2) == 2
    assert waiting.wait_until(lambda: next(seen), lambda value: value > 2) == 3


def test_an_answer_that_never_comes_is_told(monkeypatch):
    pytest.importorskip("playwright.sync_api")
    monkeypatch.setattr(waiting, "SECONDS", 0.01)
    with pytest.raises(AssertionError, match="the page shows 1, not 2"):
        waiting.wait_until(lambda: 1, 2)
