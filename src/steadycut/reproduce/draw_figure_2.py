"""Figure 2, drawn: the caption's panels, (a) and (b) each in two parts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.show.figures.elements import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (9.6, 5.4)
BINS = 24
TERMS = {
    "risk": ("risk at P", BLUE),
    "prevalence": ("prevalence", ORANGE),
    "shape_positive": ("positives", GREEN),
    "shape_negative": ("negatives", SKY),
    "penalty": ("G_boot", VERMILLION),
}
LOOKS = {
    "algorithm_1": ("Algorithm 1", VERMILLION, "o"),
    "pointwise": ("figure 1's penalty", ORANGE, "^"),
    "stable": ("stable", BLUE, "s"),
}


def draw_figure_2(figure: "Figure", content: Mapping[str, Any]) -> None:
    """Draw all panels on an empty figure."""
    panels, grid = content["panels"], figure.subplots(2, 3)
    for marker in range(2):
        draw_marker(grid[0, marker], panels, marker)
    draw_bound(grid[0, 2], panels, "empirical", "(b) at P: risk, R + gamma + G_boot")
    draw_bound(grid[1, 0], panels, "external", "(b) at Q: true risk, same bound")
    draw_terms(grid[1, 1], panels)
    draw_points(grid[1, 2], panels["points"])


def draw_marker(ax: "Axes", panels: Mapping[str, Any], marker: int) -> None:
    """Draw the scores of one marker at both sites."""
    here, there = panels["scores_internal"][marker], panels["scores_external"][marker]
    edges = np.linspace(min(here + there), max(here + there), BINS).tolist()
    ax.hist(here, edges, density=True, color=BLUE, alpha=0.55, label="P")
    ax.hist(there, edges, density=True, histtype="step", color=PURPLE, linewidth=1.8, label="Q")
    ax.set_title(f"(a) marker {marker + 1}")
    ax.set_xlabel("score")
    ax.legend()


def draw_bound(ax: "Axes", panels: Mapping[str, Any], risk: str, title: str) -> None:
    """Draw a risk along the cut-off beside the bound from P."""
    ax.plot(panels["thresholds"], panels[risk], color=BLUE, label="risk")
    bound = ax.plot(panels["thresholds"], panels["upper_bound"], color=VERMILLION, linestyle="--")
    bound[0].set_label("bound")
    ax.axvline(panels["threshold"], color=GREY, label="ERM")
    ax.axhline(1, color=BLACK, linewidth=0.8, linestyle=":", label="largest risk")
    ax.set_ylim(0, 1.4 * max(panels["upper_bound"]))
    ax.set_xlabel(f"cut-off on marker {panels['marker']}")
    ax.set_title(title)
    ax.legend(loc="upper right", ncols=2)


def draw_terms(ax: "Axes", panels: Mapping[str, Any]) -> None:
    """Draw the terms of the decomposition with their bootstrap errors, their sum and the risk."""
    for place, (name, (_, colour)) in enumerate(TERMS.items()):
        error = panels["part_errors"][name]
        ax.bar(place, panels["parts"][name], yerr=error, color=colour, capsize=3)
    total = sum(panels["parts"].values())
    ax.bar([5, 6], [total, panels["observed"]], color=[GREY, BLACK])
    names = [name for name, _ in TERMS.values()]
    ax.set_xticks(range(7), [*names, "sum", "R_Q"], rotation=40, ha="right")
    ax.set_title("(c) terms at ERM's cut-off")


def draw_points(ax: "Axes", points: Mapping[str, Any]) -> None:
    """Draw the true risk at Q of every replicate against that of ERM."""
    for way, (name, colour, mark) in LOOKS.items():
        ax.scatter(
            points["erm"], points[way], s=12, color=colour, marker=mark, alpha=0.6, label=name
        )
    ends = [min(map(min, points.values())), max(map(max, points.values()))]
    ax.plot(ends, ends, color=BLACK, linewidth=0.8)
    ax.set_xlabel("R_Q of ERM")
    ax.set_ylabel("R_Q of the penalised")
    ax.set_title("(d) replicates; below the line is better")
    ax.legend(loc="upper left")
