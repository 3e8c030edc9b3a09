"""Figure S1, drawn: one model, the parts of its bound, and all models."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from steadycut.show.figures.elements import BLACK, BLUE, GREY, ORANGE, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (10.5, 5.2)
PARTS = {
    "risk": ("empirical risk", BLUE, ""),
    "gap": ("gamma", ORANGE, "//"),
    "penalty": ("G_boot", VERMILLION, ".."),
}


def draw_figure_s1(figure: "Figure", content: Mapping[str, Any]) -> None:
    """Draw all panels on an empty figure."""
    panels = content["panels"]
    first = next(iter(panels))
    rows: Any = figure.subfigures(2, 1, height_ratios=[1.2, 1])
    above, below = rows
    left, right = above.subplots(1, 2)
    draw_model(left, panels[first], f"(a) {first}")
    left.legend(loc="upper right", ncols=2)
    draw_parts(right, panels)
    small = below.subplots(1, len(panels), sharey=True)
    for ax, (name, panel) in zip(small, panels.items(), strict=True):
        draw_model(ax, panel, "")
        ax.set_title(f"(c) {name}", fontsize=7)


def draw_model(ax: "Axes", panel: Mapping[str, Any], title: str) -> None:
    """Draw the empirical and true risk of one model, and its upper bound."""
    at = panel["thresholds"]
    ax.plot(at, panel["upper_bound"], color=VERMILLION, label="U = R + gamma + G_boot")
    ax.plot(at, panel["empirical"], color=BLUE, label="empirical risk")
    ax.plot(at, panel["true"], color=BLACK, linestyle="--", label="true risk")
    ax.axvline(panel["threshold"], color=GREY, label="argmin U = argmin R")
    ax.set_ylim(0, 1.35 * max(panel["upper_bound"]))
    ax.set_xlabel("cut-off")
    ax.set_title(title)


def draw_parts(ax: "Axes", panels: Mapping[str, Any]) -> None:
    """Draw the parts of every bound as shares of it, a tick at the true risk."""
    for place, panel in enumerate(panels.values()):
        total, start = sum(panel["parts"].values()), 0.0
        for key, (name, colour, hatch) in PARTS.items():
            width = 100 * panel["parts"][key] / total
            look: Any = {"color": colour, "hatch": hatch, "edgecolor": "white"}
            ax.barh(place, width, left=start, label=name if place == 0 else None, **look)
            start += width
        ax.plot([100 * panel["true_risk"] / total] * 2, [place - 0.4, place + 0.4], color=BLACK)
        ax.annotate(f"{total:.2f}", (102, place), va="center")
    ax.set_yticks(range(len(panels)), list(panels))
    ax.set_ylim(len(panels) - 0.5, -0.5)
    ax.set_xlim(0, 112)
    ax.set_xlabel("% of the bound; tick: true risk; number: U at the cut-off")
    ax.set_title("(b) its parts")
    ax.legend(loc="lower right", bbox_to_anchor=(1.02, 1), ncols=3, borderaxespad=0)
