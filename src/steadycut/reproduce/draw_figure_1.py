"""Figure 1, drawn: six panels as the caption describes them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from steadycut.show.figures.elements import BLACK, BLUE, GREY, ORANGE, PURPLE, SKY, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (9.6, 5.4)


def draw_figure_1(figure: "Figure", content: Mapping[str, Any]) -> None:
    """Draw all panels on an empty figure."""
    panels, grid = content["panels"], figure.subplots(2, 3)
    draw_internal_risk(grid[0, 0], panels)
    draw_map(grid[0, 1], panels)
    draw_objective(grid[0, 2], panels)
    draw_excess(grid[1, 0], panels)
    draw_external_risk(grid[1, 1], panels)
    draw_bars(grid[1, 2], content["summary"])
    for ax in grid.flat[:5]:
        ax.axvspan(*panels["sharp"], color=GREY, alpha=0.18, linewidth=0)
        ax.set_xlim(0, 7)
        ax.set_xlabel("cut-off t")


def draw_internal_risk(ax: "Axes", panels: Mapping[str, Any]) -> None:
    """Draw the true and the empirical risk at P."""
    ax.plot(panels["thresholds"], panels["empirical"], color=SKY, label="empirical, 180 patients")
    ax.plot(panels["thresholds"], panels["internal"], color=BLUE, label="true (200,000 patients)")
    mark_cuts(ax, panels)
    ax.set_title("(a) internal risk; grey: sharp subgroup")
    ax.legend(loc="lower left")


def draw_map(ax: "Axes", panels: Mapping[str, Any]) -> None:
    """Draw the instability map."""
    ax.plot(panels["thresholds"], panels["map"], color=PURPLE)
    ax.set_title("(b) instability map G(t), scaled")


def draw_objective(ax: "Axes", panels: Mapping[str, Any]) -> None:
    """Draw the penalised objective and a bound from P."""
    ax.plot(panels["thresholds"], panels["objective"], color=PURPLE, label="J = R + λG")
    ax.plot(
        panels["thresholds"],
        panels["upper_bound"],
        color=VERMILLION,
        linestyle="--",
        label="R + gamma, bound from P",
    )
    mark_cuts(ax, panels)
    ax.set_title("(c) penalised objective")
    ax.legend(loc="upper right")


def draw_excess(ax: "Axes", panels: Mapping[str, Any]) -> None:
    """Draw what a cut-off costs more at Q than at P."""
    gaps = [q - p for p, q in zip(panels["internal"], panels["external"], strict=True)]
    ax.plot(panels["thresholds"], gaps, color=ORANGE)
    ax.axhline(0, color=BLACK, linewidth=0.8)
    ax.set_title("(d) excess external risk R_Q - R_P")


def draw_external_risk(ax: "Axes", panels: Mapping[str, Any]) -> None:
    """Draw the true risk at Q."""
    ax.plot(panels["thresholds"], panels["external"], color=BLUE)
    mark_cuts(ax, panels)
    ax.set_title("(e) external risk R_Q")
    ax.legend(loc="lower left")


def draw_bars(ax: "Axes", summary: Mapping[str, Any]) -> None:
    """Draw the risk at Q of each rule: the mean, and 90 % of the replicates."""
    names = {"external_erm": "ERM", "external_penalised": "penalised", "external_stable": "stable"}
    colours = (GREY, VERMILLION, BLUE)
    for place, (key, colour) in enumerate(zip(names, colours, strict=True)):
        found = summary[key]
        error = [[found["mean"] - found["low"]], [found["high"] - found["mean"]]]
        ax.bar(place, found["mean"], yerr=error, color=colour, capsize=4, width=0.6)
        ax.annotate(f"{found['mean']:.3f}", (place, 0.02), ha="center", color="white")
    ax.set_xticks(range(3), names.values())
    ax.set_title("(f) R_Q over replicates: mean, 90 %")


def mark_cuts(ax: "Axes", panels: Mapping[str, Any]) -> None:
    """Draw the two cut-offs of the first replicate."""
    ax.axvline(panels["erm"], color=GREY, linestyle="--", label="ERM")
    ax.axvline(panels["penalised"], color=VERMILLION, label="penalised")
