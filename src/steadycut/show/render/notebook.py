"""What an object shows in a notebook: text, card, figure and report, all made of its page."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from steadycut.core.checks import check_choice
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.parts import Part
from steadycut.documents.shown import Shown
from steadycut.errors import BadOption, BadRuleFile, MissingPackage
from steadycut.io.files import write_atomically
from steadycut.show.figures import displays_of
from steadycut.show.figures.display import Display
from steadycut.show.pages.kinds import page_of
from steadycut.show.pages.page import Page
from steadycut.show.pages.rule import rule_page
from steadycut.show.render.html import render_card, render_page
from steadycut.show.render.markdown import markdown
from steadycut.show.render.terminal import terminal
from steadycut.show.words.next_step import PYTHON

# The figure that says most about each kind of object, the first that it has.
FIRST = ("risk-curve", "comparison", "monitor", "patients", "scores")


class Text(str):
    """A text that a notebook shows as it is printed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def page(source: Shown) -> Page:
    """Return the page of an object, with a next step in Python."""
    made = rule_page(source) if isinstance(source, FrozenFile) else page_of(source.describe())
    return replace(made, spelling=PYTHON)


def summary(source: Shown, *, verbose: bool = False) -> Text:
    """Return the answer as text, with the warnings below."""
    made = page(source)
    warnings = "".join(f"\nWarning: {warning}" for warning in made.warnings)
    return Text(terminal(made, verbose=verbose) + warnings)


def card(source: Shown) -> str | None:
    """Return the headline of the page as HTML, or None without jinja2."""
    try:
        return render_card(page(source))
    except MissingPackage:
        return None


def write_report(source: Shown, path: Path) -> Path:
    """Write the page of an object as HTML or Markdown."""
    check_choice("the ending of a report", path.suffix, (".html", ".md"))
    whole = with_rule(source)
    made = page(source) if whole is None else page_of(whole)
    text = markdown(made) if path.suffix == ".md" else render_page(made)
    write_atomically(path, text.encode())
    return path


def with_rule(source: Shown) -> Part | None:
    """Return the document of a study with its frozen rule, which the page then hands out.

    None for what is no study, or a study whose document does not hold the rule.
    """
    freeze = getattr(source, "freeze", None)
    document = source.describe()
    if freeze is None or "frozen_rule" not in type(document).model_fields:
        return None
    try:
        return document.model_copy(update={"frozen_rule": freeze().document})
    except BadRuleFile:  # an aggregator that is a Python function
        return document


def draw(source: Shown, kind: str | None, ax: Any, **style: Any) -> Display:
    """Draw one of the figures of an object."""
    figures = displays_of(source)
    if not figures:
        raise BadOption(f"{type(source).__name__} has no figure; summary() has its results.")
    if kind is None:
        kind = next((name for name in FIRST if name in figures), next(iter(figures)))
    check_choice("kind", kind, tuple(figures))
    return figures[kind].plot(ax, **style)
