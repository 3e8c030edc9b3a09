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
    """Return the lines that look at a page outside `wait_until`, and use what they see.

    The functions in ``OURS`` look: they are called within `wait_until` only.
    """
    lines, nodes = [], [ast.parse(text)]
    while nodes:
        node = nodes.pop()
        if is_waited_for(node):
            continue
        if is_look(node):
            lines.append(node.lineno)
        nodes += ast.iter_child_nodes(node)
    return sorted(set(lines))


def is_waited_for(node):
    """Tell whether what a node sees is waited for, or not used at all."""
    match node:
        case ast.Call(func=ast.Name(id="wait_until")) | ast.Expr(value=ast.Call()):
            # A statement that is a call alone does something to the page, and uses no answer.
            return not isinstance(node, ast.Expr) or is_look(node.value)
        case ast.FunctionDef(name=name):
            return name in OURS
    return False


def is_look(node):
    match node:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in OF_PLAYWRIGHT
        case ast.Call(func=ast.Name(id=name)):
            return name in OURS
    return False


@pytest.mark.parametrize("name", ["test_app.py", "test_report.py"])
def test_nothing_looks_at_a_page_without_waiting(name):
    assert looks_at_once((HERE / name).read_text(encoding="utf-8")) == []


def test_a_look_at_a_page_without_waiting_is_found():
    lines = [
        "def test():",
        "    assert rule.is_checked()",
        "    assert faults(page) == []",
        "    seen = page.inner_text()",
        "    wait_until(lambda: faults(page), [])",
        "    wait_until(table.count, page.locator('p').count)",
        "    page.evaluate('press()')",
        "    if page.locator('p').count():",
        "        wait_until(rule.is_checked, wanted=table.count() > 1)",
        "def faults(page):",
        "    return page.evaluate('look()')",
    ]
    assert looks_at_once("\n".join(lines)) == [2, 3, 4, 8]


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
