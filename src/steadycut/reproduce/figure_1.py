"""Figure 1: penalising instability, and whether it moves the cut-off to a better basin."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from steadycut.core.bounds.concentration import paper as paper_gap
from steadycut.core.checks import FloatArray
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import EvenCuts, even_cuts
from steadycut.core.cuts.risk_curve import TIE, Curve, count_errors, risk_at_cuts, risk_curve
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.pointwise import (
    Pointwise,
    along_thresholds,
    instability_map,
    moving_average,
    tried_thresholds,
)
from steadycut.core.rules.registry import ERM, chosen_cut, cuts_at_rank
from steadycut.core.rules.stable import Stable
from steadycut.core.rules.ties import middle_of_widest_flat
from steadycut.reproduce.claims import SCHEMA, Claim, share_of, spread_of
from steadycut.reproduce.two_basins import SHARP, Setting, draw_external, draw_internal
from steadycut.study.fit import Progress

COSTS = Costs()
N_DRAWS, WINDOW, DELTA = 200, 5, 0.10
PROXY_SIZE = 200_000
PRINTED = {
    "sharp subgroup at P": "share 0.12, means 1.9 and 2.1, deviations 0.15 and 0.13",
    "flat subgroup at P": "means 2.5 and 4.5, deviation 1.0",
    "noise at P": "amplitude 2.0, centre 0.90, width 0.28",
    "sharp subgroup at Q": "means 1.95 and 2.05, deviations 0.16 and 0.14",
    "flat subgroup at Q": "means 2.55 and 4.35, deviation 1.05",
    "noise at Q": "amplitude 1.8, centre 2.00, width 0.32",
    "sizes": "180 patients of 800 cells at P, 6,000 at Q",
    "penalty": "B = 200, moving average 5, 0.58 quantile = 1.15 x risk range",
    "selection": "to the right of ERM, at most 0.90; cost ratio 1",
}
ASSUMED = {
    "prevalence": "0.5 at both sites",
    "share of the sharp subgroup at Q": "0.12, as at P",
    "heteroskedastic noise": "normal, added to a score s with sd amplitude exp(-(s-c)^2/(2w^2))",
    "what has the mixture": "the patients; cells scatter around them with sd 1, and are averaged",
    "unit of the movement cap": "the score",
    "thresholds": "200, evenly spaced over the observed range",
    "bootstrap": "its limit of many replicates, in closed form",
}
# One change at a time: what is not printed, and then one thing that is.
SWEEP: tuple[tuple[str, bool, dict[str, Any]], ...] = (
    ("prevalence 0.3", False, {"prevalence": 0.3}),
    ("prevalence 0.7", False, {"prevalence": 0.7}),
    ("prevalence 0.8", False, {"prevalence": 0.8}),
    ("no sharp subgroup at Q", False, {"sharp_share_external": 0.0}),
    ("sharp share at Q 0.3", False, {"sharp_share_external": 0.3}),
    ("noise widens deviations", False, {"noise": "widened"}),
    ("no noise", False, {"noise": "none"}),
    ("cap in units of the range", False, {"cap_in": "range"}),
    ("200 bootstrap curves drawn", False, {"drawn": True}),
    ("the cells have the mixture, their mean decides", False, {"unit": "cells"}),
    ("cells pooled as if they were patients", False, {"unit": "pooled"}),
    ("800 patients (n_internal = 800)", False, {"n_patients": 800}),
    ("sharp share at P and Q 0.5", True, {"sharp_share": 0.5, "sharp_share_external": 0.5}),
    ("sharp share at P and Q 0.8", True, {"sharp_share": 0.8, "sharp_share_external": 0.8}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One replicate: three cut-offs, their risk at Q, and where the map is high.

    ``map_ratio`` is the mean of the instability map in the sharp region over that elsewhere; None
    where one of the two has no threshold, or the map is 0 elsewhere.
    """

    erm: float
    penalised: float
    stable: float
    external_erm: float
    external_penalised: float
    external_stable: float
    map_ratio: float | None


def figure_1(n_replicates: int, seed: int, progress: Progress | None = None) -> dict[str, Any]:
    """Return the numbers of figure 1: panels of one replicate, and claims over many."""
    steps = 1 + len(SWEEP)
    outcomes, sensitivity = run_setting(Setting(), n_replicates, seed), []
    for done, (name, is_printed, changes) in enumerate(SWEEP, start=1):
        if progress:
            progress(name, done, steps)
        found = run_setting(replace(Setting(), **changes), n_replicates, seed)
        status = "changes a printed value" if is_printed else "not printed"
        sensitivity.append({"changed": name, "status": status, **summary(found)})
    panels = panel_data(Setting(), seed)
    return {
        "schema": SCHEMA,
        "target": "figure-1",
        "seed": seed,
        "replicates": n_replicates,
        "parameters": {"printed": PRINTED, "assumed": ASSUMED, "setting": asdict(Setting())},
        "summary": summary(outcomes),
        "claims": [claim.to_dict() for claim in claims(outcomes, panels)],
        "sensitivity": [{"changed": "as above", "status": "", **summary(outcomes)}, *sensitivity],
        "panels": panels,
    }


def run_setting(setting: Setting, n_replicates: int, seed: int) -> list[Outcome]:
    """Return what came out in each replicate; every setting gets the same random numbers."""
    streams = np.random.default_rng(seed).spawn(n_replicates)
    return [replicate(setting, stream) for stream in streams]


def replicate(setting: Setting, rng: np.random.Generator) -> Outcome:
    """Choose by ERM, by figure 1's penalty and by `stable` at P, and judge all three at Q."""
    here, there = draw_internal(setting, rng), draw_external(setting, rng)
    cuts = even_cuts(here)
    rule = Pointwise(window=WINDOW, cap_in=setting.cap_in).on_cuts(cuts)
    chosen = [
        chosen_cut(cuts, ERM, Costs()),
        penalised_by_draws(cuts, rule, rng) if setting.drawn else chosen_cut(cuts, rule, Costs()),
        chosen_cut(cuts, Stable(), Costs()),
    ]
    external = risk_curve(there, np.array(chosen), COSTS).tolist()
    return Outcome(
        erm=chosen[0],
        penalised=chosen[1],
        stable=chosen[2],
        external_erm=external[0],
        external_penalised=external[1],
        external_stable=external[2],
        map_ratio=ratio_in_sharp(cuts.thresholds, own_map(cuts)),
    )


def at_thresholds(cuts: EvenCuts) -> Curve:
    """Return the errors at every threshold of the grid, shape (1, thresholds)."""
    return along_thresholds(count_errors(cuts.cells[None, :]), tried_thresholds(cuts))


def own_map(cuts: EvenCuts) -> FloatArray:
    """Return the instability map along the thresholds, in closed form."""
    return instability_map(at_thresholds(cuts), COSTS, WINDOW)[0]


def penalised_by_draws(cuts: EvenCuts, rule: Pointwise, rng: np.random.Generator) -> float:
    """Return what the penalty chooses with the map of drawn bootstrap curves, as printed."""
    n, curve, tried = cuts.n_patients, at_thresholds(cuts), tried_thresholds(cuts)
    drawn = count_errors(rng.multinomial(n, cuts.cells / n, size=N_DRAWS))
    risks = risk_at_cuts(drawn, COSTS)[:, tried.cut_of]
    bend = np.abs(np.diff(risks.mean(axis=0), 2))
    bend = np.pad(bend / bend.max(), 1, mode="edge")
    unstable = moving_average((risks.std(axis=0) * bend)[None, :], WINDOW)
    own = risk_at_cuts(curve, COSTS)
    objective = own + rule.weight(unstable, own)[:, None] * unstable
    objective[~rule.within_reach(curve, COSTS, tried.thresholds)] = np.inf
    rank = middle_of_widest_flat(objective, curve.ranks, TIE)
    everyone = count_errors(cuts.cells[None, :])
    return float(cuts.place(*cuts_at_rank(everyone.ranks, rank))[0])


def ratio_in_sharp(thresholds: FloatArray, values: FloatArray) -> float | None:
    """Return the mean of ``values`` in the sharp region over their mean elsewhere."""
    inside = (thresholds >= SHARP[0]) & (thresholds <= SHARP[1])
    if inside.all() or not inside.any() or not values[~inside].any():
        return None
    return float(values[inside].mean() / values[~inside].mean())


def in_sharp(threshold: float) -> bool:
    """Whether a cut-off lies in the sharp region."""
    return SHARP[0] <= threshold <= SHARP[1]


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return cut-offs, risks at Q and how often the paper's story came out."""
    gaps = [one.external_penalised - one.external_erm for one in outcomes]
    return {
        "erm": spread_of([one.erm for one in outcomes]),
        "penalised": spread_of([one.penalised for one in outcomes]),
        "external_erm": spread_of([one.external_erm for one in outcomes]),
        "external_penalised": spread_of([one.external_penalised for one in outcomes]),
        "external_stable": spread_of([one.external_stable for one in outcomes]),
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


def claims(outcomes: Sequence[Outcome], panels: dict[str, Any]) -> list[Claim]:
    """Return the statements of the caption, and what came out."""
    said = summary(outcomes)
    ratios = [one.map_ratio for one in outcomes if one.map_ratio is not None]
    excess = np.abs(np.array(panels["external"]) - np.array(panels["internal"]))
    thresholds = np.array(panels["thresholds"])
    largest = float(thresholds[excess.argmax()])
    low, high = SHARP
    return [
        Claim(
            paper="(a) ERM selects a cut-off in a sharp basin.",
            found=(
                f"ERM lies between {said['erm']['low']:.2f} and {said['erm']['high']:.2f} in 90 % "
                f"of replicates; the sharp subgroup lies between {low:.2f} and {high:.2f}. "
                f"{basin_text(panels)}"
            ),
            share=said["erm_in_sharp"],
        ),
        Claim(
            paper="(a, c) The penalty moves the minimiser to the right.",
            found=f"From {said['erm']['mean']:.2f} to {said['penalised']['mean']:.2f} in the mean.",
            share=said["moved_right"],
        ),
        Claim(
            paper="(b) The instability map is high in the sharp basin.",
            found=f"There it is {np.mean(ratios or [0]):.2f} times as high as elsewhere.",
            share=share_of([ratio > 1 for ratio in ratios] or [False]),
        ),
        Claim(
            paper="(d) The excess risk R_Q - R_P concentrates near the sharp region.",
            found=(
                f"|R_Q - R_P| is largest at {largest:.2f}, {excess.max():.3f}; in the sharp region "
                f"it is {ratio_in_sharp(thresholds, excess) or 0:.1f} times as large as elsewhere."
            ),
            holds=in_sharp(largest),
        ),
        Claim(
            paper="(e, f) The penalised cut-off has a lower external risk than ERM.",
            found=(
                f"{said['external_penalised']['mean']:.4f} against "
                f"{said['external_erm']['mean']:.4f} in the mean, a difference of "
                f"{said['difference']['mean']:+.4f} (90 % of replicates from "
                f"{said['difference']['low']:+.4f} to {said['difference']['high']:+.4f}). "
                f"`stable` has {said['external_stable']['mean']:.4f}."
            ),
            share=said["lower_external"],
        ),
        Claim(
            paper="All of it: ERM in the sharp basin, the penalty leaves it and gains at Q.",
            found=f"In {100 * said['whole_story']:.0f} % of the replicates.",
            share=said["whole_story"],
        ),
    ]


def basin_text(panels: dict[str, Any]) -> str:
    """Return whether the true risk has a minimum in the sharp region at all."""
    thresholds, risk = np.array(panels["thresholds"]), np.array(panels["internal"])
    best = float(thresholds[risk.argmin()])
    inside = np.flatnonzero((thresholds >= SHARP[0]) & (thresholds <= SHARP[1]))
    falls = "falls" if inside.size and risk[inside].argmin() == inside.size - 1 else "does not fall"
    return f"The true risk {falls} all the way through that region; its minimum is at {best:.2f}."


def panel_data(setting: Setting, seed: int) -> dict[str, Any]:
    """Return the curves of the first replicate, and large-sample proxies of the true risks."""
    stream = np.random.default_rng(seed).spawn(1)[0]
    here = draw_internal(setting, stream)
    cuts = even_cuts(here)
    rule = Pointwise(window=WINDOW, cap_in=setting.cap_in).on_cuts(cuts)
    thresholds, empirical = cuts.thresholds, risk_at_cuts(at_thresholds(cuts), COSTS)
    unstable = own_map(cuts)
    internal, external = proxies(setting, thresholds, seed)
    gap = paper_gap(confusion_at(here, float(thresholds[0])), COSTS, DELTA)
    weighted = rule.weight(unstable[None, :], empirical)[0] * unstable
    erm, penalised = chosen_cut(cuts, ERM, Costs()), chosen_cut(cuts, rule, Costs())
    return {
        "thresholds": thresholds.tolist(),
        "empirical": empirical[0].tolist(),
        "internal": internal.tolist(),
        "external": external.tolist(),
        "map": (unstable / unstable.max()).tolist(),
        "objective": (empirical[0] + weighted).tolist(),
        "upper_bound": (empirical[0] + gap).tolist(),
        "erm": erm,
        "penalised": penalised,
        "sharp": list(SHARP),
    }


def proxies(setting: Setting, thresholds: FloatArray, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return the risks at P and Q of very many patients."""
    rng = np.random.default_rng([seed, PROXY_SIZE])
    many = replace(setting, n_patients=PROXY_SIZE, n_external=PROXY_SIZE)
    sites: list[PatientScores] = [draw_internal(many, rng), draw_external(many, rng)]
    internal, external = (risk_curve(site, thresholds, COSTS) for site in sites)
    return internal, external
