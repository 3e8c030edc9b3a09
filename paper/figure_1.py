"""Figure 1: whether penalising instability moves the cut-off to a better basin."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paper import figure_1_simulation as sim
from paper.claims import Claim, share_of, spread_of
from paper.figure import PaperFigure, draw_curves, run_settings
from paper.figure_1_simulation import COSTS, SHARP, Outcome, Setting, in_sharp
from paper.pointwise import Pointwise
from steadycut.core.bounds.concentration import paper as paper_gap
from steadycut.core.checks import FloatArray
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import even_cuts
from steadycut.core.cuts.risk_curve import risk_at_cuts, risk_curve
from steadycut.show.figures.colours import BLACK, BLUE, GREY, ORANGE, PURPLE, SKY, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DELTA, PROXY_SIZE = 0.10, 200_000


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return cut-offs, risks at Q and how often each statement of the paper came out."""
    gaps = [one.external_penalised - one.external_erm for one in outcomes]
    names = ("erm", "penalised", "external_erm", "external_penalised", "external_stable")
    return {
        **{name: spread_of([getattr(one, name) for one in outcomes]) for name in names},
        "difference": spread_of(gaps),
        "erm_in_sharp": share_of([in_sharp(one.erm) for one in outcomes]),
        "moved_right": share_of([one.penalised > one.erm for one in outcomes]),
        "lower_external": share_of([gap < 0 for gap in gaps]),
        "whole_story": share_of([whole_story(one) for one in outcomes]),
    }


def whole_story(one: Outcome) -> bool:
    """Whether ERM is in the sharp region, the penalty leaves it, and the risk at Q is lower."""
    left = one.penalised > SHARP[1]
    return in_sharp(one.erm) and left and one.external_penalised < one.external_erm


def claims(outcomes: Sequence[Outcome], panels: Mapping[str, Any]) -> list[Claim]:
    """Return the statements of the caption, and what came out."""
    said = summary(outcomes)
    ratios = [one.map_ratio for one in outcomes if one.map_ratio is not None]
    excess = np.abs(panels["excess"])
    thresholds = np.array(panels["thresholds"])
    largest = float(thresholds[excess.argmax()])
    times = sim.ratio_in_sharp(thresholds, excess) or 0
    low, high = SHARP
    return [
        Claim(
            "(a) ERM selects a cut-off in a sharp basin.",
            f"ERM lies between {said['erm']['low']:.2f} and {said['erm']['high']:.2f} in 90 % "
            f"of replicates; the sharp subgroup lies between {low:.2f} and {high:.2f}. "
            f"{basin_text(panels)}",
            said["erm_in_sharp"],
        ),
        Claim(
            "(a, c) The penalty moves the minimiser to the right.",
            f"From {said['erm']['mean']:.2f} to {said['penalised']['mean']:.2f} on average.",
            said["moved_right"],
        ),
        Claim(
            "(b) The instability map is high in the sharp basin.",
            f"There it is {np.mean(ratios or [0]):.2f} times as high as elsewhere.",
            share_of([ratio > 1 for ratio in ratios] or [False]),
        ),
        Claim(
            "(d) The excess risk R_Q - R_P concentrates near the sharp region.",
            f"|R_Q - R_P| is largest at {largest:.2f}, {excess.max():.3f}; in the sharp region "
            f"it is {times:.1f} times as large as elsewhere.",
            holds=in_sharp(largest),
        ),
        Claim(
            "(e, f) The penalised cut-off has a lower external risk than ERM.",
            f"{said['external_penalised']['mean']:.4f} against {said['external_erm']['mean']:.4f} "
            f"on average, a difference of {said['difference']['mean']:+.4f} (90 % of replicates "
            f"from {said['difference']['low']:+.4f} to {said['difference']['high']:+.4f}). "
            f"`stable` has {said['external_stable']['mean']:.4f}.",
            said["lower_external"],
        ),
        Claim(
            "All of it: ERM in the sharp basin, the penalty leaves it and gains at Q.",
            f"In {100 * said['whole_story']:.0f} % of the replicates.",
            said["whole_story"],
        ),
    ]


def basin_text(panels: Mapping[str, Any]) -> str:
    """Return whether the true risk has a minimum in the sharp region."""
    thresholds, risk = np.array(panels["thresholds"]), np.array(panels["internal"])
    best = float(thresholds[risk.argmin()])
    inside = np.flatnonzero((thresholds >= SHARP[0]) & (thresholds <= SHARP[1]))
    falls = "falls" if inside.size and risk[inside].argmin() == inside.size - 1 else "does not fall"
    return f"The true risk {falls} all the way through that region; its minimum is at {best:.2f}."


def panel_data(seed: int, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the curves of the first replicate, and large-sample proxies of the true risks."""
    setting, first = Setting(), outcomes[0]
    here = sim.draw_internal(setting, np.random.default_rng(seed).spawn(1)[0])
    cuts = even_cuts(here)
    rule = Pointwise(window=sim.WINDOW, cap_in=setting.cap_in).on_cuts(cuts)
    thresholds, empirical = cuts.thresholds, risk_at_cuts(sim.at_thresholds(cuts), COSTS)
    unstable = sim.own_map(cuts)
    internal, external = proxies(setting, thresholds, seed)
    gap = paper_gap(confusion_at(here, float(thresholds[0])), COSTS, DELTA)
    weighted = rule.weight(unstable[None, :], empirical)[0] * unstable
    return {
        "thresholds": thresholds.tolist(),
        "empirical": empirical[0].tolist(),
        "internal": internal.tolist(),
        "external": external.tolist(),
        "map": (unstable / unstable.max()).tolist(),
        "objective": (empirical[0] + weighted).tolist(),
        "upper_bound": (empirical[0] + gap).tolist(),
        "excess": (external - internal).tolist(),
        "erm": first.erm,
        "penalised": first.penalised,
        "sharp": list(SHARP),
    }


def proxies(setting: Setting, thresholds: FloatArray, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return the risks at P and Q of very many patients."""
    rng = np.random.default_rng([seed, PROXY_SIZE])
    many = replace(setting, n_patients=PROXY_SIZE, n_external=PROXY_SIZE)
    here, there = sim.draw_internal(many, rng), sim.draw_external(many, rng)
    return risk_curve(here, thresholds, COSTS), risk_curve(there, thresholds, COSTS)


# Each panel of curves: its title, the place of its legend, and its curves.
CURVES: tuple[tuple[str, str, tuple[tuple[str, str, str, str], ...]], ...] = (
    (
        "(a) internal risk; grey: sharp subgroup",
        "lower left",
        (
            ("empirical", SKY, "-", "empirical, 180 patients"),
            ("internal", BLUE, "-", "true (200,000 patients)"),
        ),
    ),
    ("(b) instability map G(t), scaled", "", (("map", PURPLE, "-", ""),)),
    (
        "(c) penalised objective",
        "upper right",
        (
            ("objective", PURPLE, "-", "J = R + λG"),
            ("upper_bound", VERMILLION, "--", "R + gamma, bound from P"),
        ),
    ),
    ("(d) excess external risk R_Q - R_P", "", (("excess", ORANGE, "-", ""),)),
    ("(e) external risk R_Q", "lower left", (("external", BLUE, "-", "_"),)),
)


def draw_figure_1(figure: "Figure", content: Mapping[str, Any]) -> None:
    """Draw all panels on an empty figure."""
    panels, axes = content["panels"], figure.subplots(2, 3).flat
    for ax, (title, legend, curves) in zip(axes, CURVES, strict=False):
        draw_curves(ax, panels, *curves)
        ax.set_title(title)
        ax.axvspan(*panels["sharp"], color=GREY, alpha=0.18, linewidth=0)
        ax.set_xlim(0, 7)
        ax.set_xlabel("cut-off t")
        if legend:
            ax.axvline(panels["erm"], color=GREY, linestyle="--", label="ERM")
            ax.axvline(panels["penalised"], color=VERMILLION, label="penalised")
            ax.legend(loc=legend)
    axes[3].axhline(0, color=BLACK, linewidth=0.8)
    draw_bars(axes[5], content["summary"])


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


FIGURE_1 = PaperFigure(
    name="figure-1",
    title="Figure 1, rerun: penalising instability shifts the threshold to a stable basin",
    shown=(
        "a sharp subgroup makes a sharp basin of the internal risk. ERM falls into it; the "
        "penalty moves the cut-off to the right, into a flat basin, and lowers the external risk."
    ),
    help="""Rebuild figure 1: the stable basin.

    Shows the two-basin mixture, its instability map and the penalised cut-off.
    """,
    replicates=100,
    setting=Setting(),
    assumed=sim.ASSUMED,
    printed=sim.PRINTED,
    run=partial(run_settings, sim.replicate, sim.SETTINGS),
    summarise=summary,
    panels=panel_data,
    claims=claims,
    statuses=sim.STATUSES,
    draw=draw_figure_1,
    size=(9.6, 5.4),
    columns={
        "erm": "ERM t",
        "penalised": "penalised t",
        "external_erm": "ERM R_Q",
        "external_penalised": "penalised R_Q",
        "external_stable": "stable R_Q",
        "erm_in_sharp": "ERM in sharp",
        "lower_external": "R_Q lower",
        "whole_story": "whole picture",
    },
)
