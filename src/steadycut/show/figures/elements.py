"""Patterns of lines, marks and labels that the figures share."""

import math
import textwrap
from typing import TYPE_CHECKING, Any

from steadycut.documents.parts import CostsPart
from steadycut.show.figures.colours import SKY, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Patterns of strokes and gaps, so that lines differ in grey print too.
DASHED = (0, (5, 2.5))
DOTTED = (0, (1.2, 1.8))
DASH_DOT = (0, (6, 2, 1.2, 2))

# A figure shows at most this many rows; the tables have the rest.
MOST_ROWS = 25

LONGEST_NAME = 36
LONGEST_ROW = 34
LONGEST_NOTE = 58


def risk_unit(costs: CostsPart | None) -> str:
    """Say what a risk is: with both costs 1 it is a share of patients."""
    if costs is not None and costs.cost_fn == costs.cost_fp == 1:
        return "share of patients decided wrongly"
    return "average cost per patient"


def draw_band(ax: "Axes", x: Any, low: Any, high: Any, label: str, step: Any = None) -> None:
    """Shade what lies between two curves."""
    ax.fill_between(x, low, high, step=step, color=SKY, alpha=0.35, linewidth=0, label=label)


def mark_cut_off(ax: "Axes", threshold: float) -> None:
    """Draw the chosen cut-off; one that calls everybody or nobody lies on no axis."""
    if math.isfinite(threshold):
        ax.axvline(threshold, color=VERMILLION, linewidth=1.6, label="chosen cut-off")


def name_score_axis(ax: "Axes", score: str, what: str = "cut-off on") -> None:
    """Name the axis of cut-offs after the score, which may hold any character, also a dollar."""
    ax.set_xlabel(f"{what} {shorten(score)}", parse_math=False)


def note_below(ax: "Axes", text: str) -> None:
    """Write a sentence below the name of the horizontal axis."""
    lines = [ax.get_xlabel(), *textwrap.wrap(text, LONGEST_NOTE)]
    ax.set_xlabel("\n".join(line for line in lines if line), parse_math=False)


def name_rows(ax: "Axes", names: list[str], n_left_out: int = 0) -> None:
    """Name rows from the top down, and say how many more are not shown."""
    ax.set_yticks(range(len(names)), [shorten_row(name) for name in names], parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    if n_left_out:
        note_below(ax, f"{n_left_out} more are not shown")


def shorten(name: str) -> str:
    """Return a name that fits below an axis, in one line.

    Examples
    --------
    >>> shorten("tumour" + " " * 3 + "share")
    'tumour share'
    """
    line = one_line(name)
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1]}…"


def shorten_row(name: str) -> str:
    """Return a name that fits beside a row: both ends, because the last words matter most.

    Examples
    --------
    >>> shorten_row("score_of_a_very_long_name: slide max, patient mean")
    'score_of_a_…lide max, patient mean'
    """
    line, head = one_line(name), LONGEST_ROW // 3
    if len(line) <= LONGEST_ROW:
        return line
    return f"{line[:head]}…{line[head + 1 - LONGEST_ROW :]}"


def one_line(name: str) -> str:
    """Return a name without line breaks and other characters that cannot be printed."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())
