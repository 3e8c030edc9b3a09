"""Figure S1: the same upper bound for five models, and its terms."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from paper import figure_s1_simulation as sim
from paper.claims import Claim, share_of, spread_of
from paper.figure import PaperFigure, draw_curves
from paper.figure_s1_simulation import COSTS, Outcome
from steadycut.core.cuts.risk_curve import risk_curve
from steadycut.ingest.patients import Progress
from steadycut.show.figures.colours import BLACK, BLUE, GREY, ORANGE, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 101
# In each replicate one outcome per model.
Replicates = Sequence[Mapping[str, Outcome]]
# The terms of the bound: name, colour and hatch.
PARTS = {
    "risk": ("empirical risk", BLUE, ""),
    "gap": ("gamma", ORANGE, "//"),
    "penalty": ("G_boot", VERMILLION, ".."),
}


def run(
    n_replicates: int, seed: int, progress: Progress | None = None
) -> dict[str, list[dict[str, Outcome]]]:
    """Return the bounds of all models for every change and replicate; models are fitted once."""
    found: dict[str, list[dict[str, Outcome]]] = {name: [] for name in sim.CHANGES}
    for place, stream in enumerate(np.random.default_rng(seed).spawn(n_replicates)):
        if progress:
            progress("replicates", place, n_replicates)
        scores = sim.score_patients(stream)
        for name, terms in sim.CHANGES.items():
            found[name].append(sim.outcomes_of(scores, terms, seed))
    return found


def summary(replicates: Replicates) -> dict[str, Any]:
    """Return the terms of the bound, their shares, and whether it holds and says something."""
    outcomes = [one for replicate in replicates for one in replicate.values()]
    return {
        **{name: spread_of([one.parts[name] for one in outcomes]) for name in PARTS},
        **{
            f"share_{name}": float(np.mean([one.parts[name] / one.bound for one in outcomes]))
            for name in PARTS
        },
        "bound": spread_of([one.bound for one in outcomes]),
        "true_risk": spread_of([one.true_risk for one in outcomes]),
        "above_everywhere": share_of([one.above_everywhere for one in outcomes]),
        "same_as_erm": share_of([one.same_as_erm for one in outcomes]),
        "says_something": share_of([one.bound < one.trivial for one in outcomes]),
        "certified": spread_of([one.certified for one in outcomes]),
        "certified_holds": share_of([one.certified_holds for one in outcomes]),
        "certified_says_something": share_of([one.certified < one.trivial for one in outcomes]),
    }


def claims(replicates: Replicates, panels: Mapping[str, Any]) -> list[Claim]:
    """Return the statements of the caption, and what came out."""
    said = summary(replicates)
    above = {name: panel["summary"]["above_everywhere"] for name, panel in panels.items()}
    worst = min(above, key=lambda name: float(above[name]))
    shares = ", ".join(f"{100 * said[f'share_{name}']:.0f} %" for name in PARTS)
    return [
        Claim(
            "(a, c) U_P stays above the true risk R_P at every t, for every model.",
            f"Worst for {worst}: {100 * above[worst]:.0f} %. U_P at its smallest is "
            f"{said['bound']['mean']:.2f}, the true risk there {said['true_risk']['mean']:.2f}.",
            said["above_everywhere"],
        ),
        Claim(
            "(implied) U_P is a certificate: below the risk of calling everybody or nobody.",
            "An exact bound at a cut-off that other patients chose is "
            f"{said['certified']['mean']:.2f} on average, is below that risk in "
            f"{100 * said['certified_says_something']:.0f} % of cases, and holds in "
            f"{100 * said['certified_holds']:.0f} % (promised: 90 %).",
            said["says_something"],
        ),
        Claim(
            "(a) The penalty has a part in the selected threshold, argmin U_P.",
            "gamma and G_boot have no t in them: argmin U_P is the minimiser of the empirical "
            f"risk, in {100 * said['same_as_erm']:.0f} % of cases.",
            1 - said["same_as_erm"],
        ),
        Claim(
            "(b) The bound splits into empirical risk, gamma and G_boot: 100 % in all.",
            f"{shares}: the observed risk is the smallest part.",
            holds=True,
        ),
    ]


def panel_data(seed: int, replicates: Replicates) -> dict[str, Any]:
    """Return the curves and terms of every model in the first replicate, and its summary."""
    scores = sim.score_patients(np.random.default_rng(seed).spawn(1)[0])
    panels = {}
    for name, (pool, population) in scores.items():
        outcome = replicates[0][name]
        validation = pool.take(np.arange(sim.N_VALIDATION))
        thresholds = np.linspace(validation.scores.min(), validation.scores.max(), POINTS)
        empirical = risk_curve(validation, thresholds, COSTS)
        added = outcome.parts["gap"] + outcome.parts["penalty"]
        panels[name] = {
            "thresholds": thresholds.tolist(),
            "empirical": empirical.tolist(),
            "true": risk_curve(population, thresholds, COSTS).tolist(),
            "upper_bound": (empirical + added).tolist(),
            "threshold": float(thresholds[empirical.argmin()]),
            "parts": outcome.parts,
            "true_risk": outcome.true_risk,
            "summary": summary([{name: one[name]} for one in replicates]),
        }
    return panels


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
    draw_curves(
        ax,
        panel,
        ("upper_bound", VERMILLION, "-", "U = R + gamma + G_boot"),
        ("empirical", BLUE, "-", "empirical risk"),
        ("true", BLACK, "--", "true risk"),
    )
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


FIGURE_S1 = PaperFigure(
    name="figure-s1",
    title="Figure S1, rerun: upper bound and its contributions for five models",
    shown=(
        "for each of five models an upper bound R + gamma + G_boot above the empirical and the "
        "true risk at every cut-off, and the share of each term at the selected one."
    ),
    help="""Rebuild figure S1: a bound for 5 models.

    Shows the same bound for each model, and the terms it is made of.
    """,
    replicates=10,
    setting=sim.Setting(),
    assumed=sim.ASSUMED,
    run=run,
    summarise=summary,
    panels=panel_data,
    claims=claims,
    statuses=sim.STATUSES,
    draw=draw_figure_s1,
    size=(10.5, 5.2),
    columns={
        "risk": "R",
        "gap": "gamma",
        "penalty": "G_boot",
        "bound": "U",
        "true_risk": "true risk",
        "above_everywhere": "U above R_P",
        "says_something": "U says something",
        "certified": "exact bound",
        "certified_holds": "exact holds",
        "certified_says_something": "exact says something",
    },
)
