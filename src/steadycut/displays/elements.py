"""What the figures share: axes, colours and marks. matplotlib is imported when first drawn."""

from typing import TYPE_CHECKING, Any

from steadycut.errors import MissingPackage

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours: told apart by colour-blind readers. Patterns tell them apart in grey.
BLACK = "#000000"
BLUE = "#0072B2"
SKY = "#56B4E9"
ORANGE = "#E69F00"
GREEN = "#009E73"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#999999"

LONGEST_NAME = 36


def axes_or_new(ax: Any | None, width: float, height: float) -> Any:
    """Return the axes given, or those of a new figure that pyplot does not know."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        msg = 'a figure requires matplotlib. Install it with pip install "steadycut[plot]".'
        raise MissingPackage(msg) from error
    if ax is not None:
        return ax
    return Figure(figsize=(width, height), layout="constrained").subplots()


def tidy(ax: "Axes") -> None:
    """Take off the frame where it carries no scale."""
    ax.spines[["top", "right"]].set_visible(False)


def legend_above(ax: "Axes", handles: list[Any] | None = None) -> None:
    """Put the legend over the axes, flush right, where it hides nothing and has most room."""
    ax.legend(
        handles=handles,
        loc="lower right",
        bbox_to_anchor=(1, 1.01),
        ncols=2,
        frameon=False,
        borderaxespad=0,
        borderpad=0.2,
        handlelength=1.6,
        columnspacing=1.2,
        fontsize="small",
    )


def mark_cut_off(ax: "Axes", threshold: float) -> None:
    """Draw the chosen cut-off."""
    ax.axvline(threshold, color=VERMILLION, linewidth=1.6, label="chosen cut-off")


def name_score_axis(ax: "Axes", score: str) -> None:
    """Name the axis of cut-offs after the score, which may hold any character."""
    ax.set_xlabel(f"cut-off on {shorten(score)}", parse_math=False)


def shorten(name: str) -> str:
    """Return a name that fits below an axis, in one line.

    Examples
    --------
    >>> shorten("tumour" + " " * 3 + "share")
    'tumour share'
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1]}…"
