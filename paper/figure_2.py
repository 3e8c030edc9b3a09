"""Figure 2: two markers and a shift between sites: bounds, decomposition, ERM and penalties."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paper import figure_2_simulation as sim
from paper.claims import HALF, Claim, share_of, spread_of
from paper.figure import PaperFigure, draw_curves, run_settings
from paper.figure_2_simulation import COSTS, Outcome, Setting, true_risk
from steadycut.core.checks import FloatArray
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.risk_curve import risk_curve
from steadycut.core.records import PatientScores
from steadycut.show.figures import colours as look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_ERRORS, POINTS, BINS = 60, 121, 24
# Each way to read "penalised": its name in the text and in the legend, its colour and its mark.
PENALISED = {
    "algorithm_1": ("Algorithm 1", "Algorithm 1", look.VERMILLION, "o"),
    "pointwise": ("figure 1's penalty", "figure 1's penalty", look.ORANGE, "^"),
    "stable": ("`stable`", "stable", look.BLUE, "s"),
}
WAYS = ("erm", *PENALISED)
# The terms of the decomposition: name and colour.
TERMS = {
    "risk": ("risk at P", look.BLUE),
    "prevalence": ("prevalence", look.ORANGE),
    "shape_positive": ("positives", look.GREEN),
    "shape_negative": ("negatives", look.SKY),
    "penalty": ("G_boot", look.VERMILLION),
}


def external_pairs(outcomes: Sequence[Outcome], way: str) -> list[tuple[float, float]]:
    """Return the true risk at Q of one way and of ERM, for each replicate."""
    return [(one.chosen[way].external, one.chosen["erm"].external) for one in outcomes]


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return risks at Q, and how often each penalised cut-off is better than ERM's."""
    found: dict[str, Any] = {
        f"external_{way}": spread_of([one.chosen[way].external for one in outcomes]) for way in WAYS
    }
    for way in PENALISED:
        pairs = external_pairs(outcomes, way)
        found[f"lower_{way}"] = share_of([ours < erm for ours, erm in pairs])
        found[f"same_{way}"] = share_of([ours == erm for ours, erm in pairs])
    totals = np.array([sum(one.parts.values()) for one in outcomes])
    observed = np.array([one.estimate for one in outcomes])
    return {
        **found,
        "parts": {name: spread_of([one.parts[name] for one in outcomes]) for name in TERMS},
        "total": spread_of(totals.tolist()),
        "total_without_band": spread_of(
            [sum(one.parts.values()) - one.erm.penalty + one.erm.modulus for one in outcomes]
        ),
        "observed": spread_of(observed.tolist()),
        "correlation": correlation(totals, observed),
        "bound": spread_of([one.bound for one in outcomes]),
        "bound_holds_internal": share_of([one.covers_internal for one in outcomes]),
        "bound_holds_external": share_of(
            [one.bound >= one.chosen["erm"].external for one in outcomes]
        ),
        "bound_says_something": share_of([one.bound < one.trivial for one in outcomes]),
    }


def correlation(one: FloatArray, two: FloatArray) -> float | None:
    """Return the correlation over replicates; None where one of the two does not vary."""
    if one.size < 2 or not one.std() or not two.std():  # noqa: PLR2004
        return None
    return float(np.corrcoef(one, two)[0, 1])


def claims(outcomes: Sequence[Outcome], _panels: Mapping[str, Any]) -> list[Claim]:
    """Return the statements of the caption, and what came out."""
    said = summary(outcomes)
    return [
        Claim(
            "(b) An upper bound lies above the internal risk.",
            f"The bound at ERM's cut-off is {said['bound']['mean']:.2f} on average; it is "
            "below the risk of calling everybody or nobody in "
            f"{100 * said['bound_says_something']:.0f} % of replicates.",
            said["bound_holds_internal"],
        ),
        Claim(
            "(b) The bound frozen at P, contrasted with R_Q, stays above it at the cut-off.",
            f"R_Q is {said['external_erm']['mean']:.3f} on average, the bound "
            f"{said['bound']['mean']:.2f}. It holds because it is very large, not because it "
            "accounts for the shift.",
            said["bound_holds_external"],
        ),
        tracking_claim(outcomes, said),
        *(penalty_claim(outcomes, way, said) for way in PENALISED),
    ]


def tracking_claim(outcomes: Sequence[Outcome], said: dict[str, Any]) -> Claim:
    """Return whether the terms of the decomposition sum to the external risk."""
    worst = max(abs(one.identity - one.estimate) for one in outcomes)
    near = [abs(sum(one.parts.values()) - one.estimate) <= one.estimate / 2 for one in outcomes]
    related = said["correlation"]
    return Claim(
        "(c) Internal risk, shifts and G_boot together track the external risk.",
        f"They sum to {said['total']['mean']:.2f} on average, the external risk is "
        f"{said['observed']['mean']:.2f}. Over replicates their correlation is "
        f"{'unknown' if related is None else format(related, '.2f')}. G_boot alone is "
        f"{said['parts']['penalty']['mean']:.2f}; with the empirical modulus instead, the sum "
        f"is {said['total_without_band']['mean']:.2f}. The signed parts alone give the "
        f"external risk to {worst:.0e}. Tracking means here: within half of it.",
        share_of(near),
    )


def penalty_claim(outcomes: Sequence[Outcome], way: str, said: dict[str, Any]) -> Claim:
    """Return how often one penalised cut-off has a lower external risk than ERM's."""
    lower, same = said[f"lower_{way}"], said[f"same_{way}"]
    higher = share_of([ours > erm for ours, erm in external_pairs(outcomes, way)])
    return Claim(
        f"(d) Most points lie below y = x, reading the penalty as {PENALISED[way][0]}.",
        f"{said[f'external_{way}']['mean']:.4f} against {said['external_erm']['mean']:.4f}; "
        f"lower in {100 * lower:.0f} %, the same in {100 * same:.0f} %, higher in "
        f"{100 * higher:.0f} % of replicates.",
        lower,
        needed=HALF,
    )


def panel_data(seed: int, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the histograms, curves and terms of the first replicate, and all points of (d)."""
    setting, stream = Setting(), np.random.default_rng(seed).spawn(1)[0]
    here, there = sim.draw_sites(setting, stream)
    first, marker = outcomes[0], outcomes[0].chosen["erm"].marker
    patients, threshold = here[marker], outcomes[0].erm.threshold
    thresholds = np.linspace(patients.scores.min(), patients.scores.max(), POINTS)
    empirical = risk_curve(patients, thresholds, COSTS)
    external = true_risk(setting.external[marker], setting.prevalence_external, thresholds)
    return {
        "scores_internal": [one.scores.tolist() for one in here],
        "scores_external": [one.scores.tolist() for one in there],
        "marker": marker + 1,
        "threshold": threshold,
        "thresholds": thresholds.tolist(),
        "empirical": empirical.tolist(),
        "external": external.tolist(),
        "upper_bound": (empirical + first.bound - first.parts["risk"]).tolist(),
        "parts": first.parts,
        "part_errors": part_errors(patients, there[marker], threshold, stream),
        "observed": first.estimate,
        "points": {way: [one.chosen[way].external for one in outcomes] for way in WAYS},
    }


def part_errors(
    here: PatientScores, there: PatientScores, threshold: float, rng: np.random.Generator
) -> dict[str, float]:
    """Return bootstrap standard errors of the terms; patients of both sites are drawn again."""
    drawn = []
    for _ in range(N_ERRORS):
        p, q = (
            one.take(rng.integers(one.n_patients, size=one.n_patients)) for one in (here, there)
        )
        internal, external = (confusion_at(one, threshold) for one in (p, q))
        drawn.append(sim.decompose(internal, external, sim.try_marker(p, rng).penalty))
    return {name: float(np.std([one[name] for one in drawn])) for name in TERMS}


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
    ax.hist(here, edges, density=True, color=look.BLUE, alpha=0.55, label="P")
    ax.hist(
        there, edges, density=True, histtype="step", color=look.PURPLE, linewidth=1.8, label="Q"
    )
    ax.set_title(f"(a) marker {marker + 1}")
    ax.set_xlabel("score")
    ax.legend()


def draw_bound(ax: "Axes", panels: Mapping[str, Any], risk: str, title: str) -> None:
    """Draw a risk along the cut-off beside the bound from P."""
    bound = ("upper_bound", look.VERMILLION, "--", "bound")
    draw_curves(ax, panels, (risk, look.BLUE, "-", "risk"), bound)
    ax.axvline(panels["threshold"], color=look.GREY, label="ERM")
    ax.axhline(1, color=look.BLACK, linewidth=0.8, linestyle=":", label="largest risk")
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
    ax.bar([5, 6], [total, panels["observed"]], color=[look.GREY, look.BLACK])
    names = [name for name, _ in TERMS.values()]
    ax.set_xticks(range(7), [*names, "sum", "R_Q"], rotation=40, ha="right")
    ax.set_title("(c) terms at ERM's cut-off")


def draw_points(ax: "Axes", points: Mapping[str, Any]) -> None:
    """Draw the true risk at Q of every replicate against that of ERM."""
    for way, (_, name, colour, mark) in PENALISED.items():
        ax.scatter(
            points["erm"], points[way], s=12, color=colour, marker=mark, alpha=0.6, label=name
        )
    ends = [min(map(min, points.values())), max(map(max, points.values()))]
    ax.plot(ends, ends, color=look.BLACK, linewidth=0.8)
    ax.set_xlabel("R_Q of ERM")
    ax.set_ylabel("R_Q of the penalised")
    ax.set_title("(d) replicates; below the line is better")
    ax.legend(loc="upper left")


FIGURE_2 = PaperFigure(
    name="figure-2",
    title="Figure 2, rerun: framework validation under distribution shift",
    shown=(
        "two markers whose scores differ between P and Q; a bound above the internal risk, and "
        "frozen at P above the external one; a decomposition that tracks the external risk; and "
        "a penalised cut-off that mostly has a lower external risk than ERM."
    ),
    help="""Rebuild figure 2: two markers, two sites.

    Shows a shift between the sites, bounds, the decomposition, ERM and the penalties.
    """,
    replicates=60,
    setting=Setting(),
    assumed=sim.ASSUMED,
    run=partial(run_settings, sim.replicate, sim.SETTINGS),
    summarise=summary,
    panels=panel_data,
    claims=claims,
    draw=draw_figure_2,
    size=(9.6, 5.4),
    columns={
        "external_erm": "ERM R_Q",
        "external_algorithm_1": "Alg. 1",
        "external_pointwise": "fig. 1's",
        "external_stable": "stable",
        "lower_algorithm_1": "Alg. 1 lower",
        "same_algorithm_1": "same",
        "lower_pointwise": "fig. 1's lower",
        "lower_stable": "stable lower",
        "total": "sum of terms",
        "bound": "bound",
        "bound_holds_external": "bound holds at Q",
    },
)
