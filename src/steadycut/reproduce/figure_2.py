"""Figure 2: two markers under a shift of site: bounds, decomposition, ERM against the penalty."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from steadycut.core.bounds.concentration import paper as paper_gap
from steadycut.core.checks import FloatArray
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts.grid import even_cuts
from steadycut.core.cuts.risk_curve import risk_curve
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.pointwise import Pointwise
from steadycut.core.rules.registry import chosen_cut
from steadycut.core.rules.stable import Stable
from steadycut.core.select import Candidate, Search, best_candidate, try_candidate
from steadycut.core.shift.parts import absolute_shift, signed_shift
from steadycut.reproduce.claims import HALF, SCHEMA, Claim, share_of, spread_of
from steadycut.reproduce.two_markers import Marker, Setting, draw_site, true_risk
from steadycut.study.fit import Progress

COSTS = Costs()
DELTA, N_DRAWS, N_ERRORS, POINTS = 0.10, 200, 60, 121
PENALISED = {"algorithm_1": "Algorithm 1", "pointwise": "figure 1's penalty", "stable": "`stable`"}
WAYS = ("erm", *PENALISED)
PARTS = ("risk", "prevalence", "shape_positive", "shape_negative", "penalty")
ASSUMED = {
    "everything about the data": "the paper prints nothing; the appendix has an empty heading",
    "patients": "200 at P, 200 at Q; prevalence 0.4 at P, 0.3 at Q",
    "marker 1": "normal; means 0 and 2, deviation 1; at Q all scores 0.5 higher",
    "marker 2": "normal; means 0 and 2, deviations 1 and 1.4; at Q positives 0.2 lower",
    "penalised threshold": "three readings: J over markers; figure 1's map along t; `stable`",
    "unit of the movement cap": "the score",
    "upper bound": "R + gamma (appendix) + G_boot (DKW band), delta 0.10, costs 1 and 1",
}
SWEEP: tuple[tuple[str, dict[str, Any]], ...] = (
    ("60 patients at P", {"n_internal": 60}),
    ("1,000 patients at P", {"n_internal": 1000}),
    ("prevalence 0.4 at both sites", {"prevalence_external": 0.4}),
    ("no shift of scores", {"shift": 0.0, "fade": 0.0}),
    ("marker 1 shifts by 1.0", {"shift": 1.0}),
    ("marker 1 shifts by -0.5", {"shift": -0.5}),
    ("marker 2 shifts instead", {"shift": 0.0, "fade": 1.0}),
    ("movement cap in units of the range", {"cap_in": "range"}),
    ("marker 2 like marker 1 at P", {"second": Marker(means=(0.0, 2.0), sds=(1.0, 1.0))}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A marker (0 or 1), its cut-off, and the true risk of both at Q."""

    marker: int
    threshold: float
    external: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outcome:
    """One replicate: what every way chose, and how the bound of ERM's choice fared.

    ``parts`` are the terms of the decomposition at ERM's cut-off in absolute value, as in the
    paper; ``estimate`` is the risk observed at Q; ``identity`` the internal risk plus the signed
    parts.
    """

    chosen: dict[str, Chosen]
    erm: Candidate
    parts: dict[str, float]
    estimate: float
    identity: float
    bound: float
    covers_internal: bool
    trivial: float


def figure_2(n_replicates: int, seed: int, progress: Progress | None = None) -> dict[str, Any]:
    """Return the numbers of figure 2: panels of one replicate, and claims over many."""
    outcomes, sensitivity = run_setting(Setting(), n_replicates, seed), []
    for done, (name, changes) in enumerate(SWEEP, start=1):
        if progress:
            progress(name, done, 1 + len(SWEEP))
        found = run_setting(replace(Setting(), **changes), n_replicates, seed)
        sensitivity.append({"changed": name, "status": "not printed", **summary(found)})
    return {
        "schema": SCHEMA,
        "target": "figure-2",
        "seed": seed,
        "replicates": n_replicates,
        "parameters": {"printed": {}, "assumed": ASSUMED, "setting": asdict(Setting())},
        "summary": summary(outcomes),
        "claims": [claim.to_dict() for claim in claims(outcomes)],
        "sensitivity": [{"changed": "as above", "status": "", **summary(outcomes)}, *sensitivity],
        "panels": panel_data(Setting(), seed, outcomes),
    }


def run_setting(setting: Setting, n_replicates: int, seed: int) -> list[Outcome]:
    """Return what came out in each replicate; every setting gets the same seeds."""
    streams = np.random.default_rng(seed).spawn(n_replicates)
    return [replicate(setting, stream) for stream in streams]


def draw_both(
    setting: Setting, rng: np.random.Generator
) -> tuple[list[PatientScores], list[PatientScores]]:
    """Return the patients of P and of Q, with both markers."""
    here = draw_site(setting.internal, setting.n_internal, setting.prevalence_internal, rng)
    there = draw_site(setting.external, setting.n_external, setting.prevalence_external, rng)
    return here, there


def replicate(setting: Setting, rng: np.random.Generator) -> Outcome:
    """Choose in every way at P, and decompose the risk of ERM's choice at Q."""
    here, there = draw_both(setting, rng)
    tried = [try_marker(one, rng) for one in here]
    chosen, erm = choose(setting, here, tried), best_candidate(tried, COSTS, "risk")
    marker = chosen["erm"].marker
    internal, external = (confusion_at(site[marker], erm.threshold) for site in (here, there))
    added = paper_gap(internal, COSTS, DELTA) + erm.penalty
    return Outcome(
        chosen=chosen,
        erm=erm,
        parts=decompose(internal, external, erm.penalty),
        estimate=external.risk(COSTS),
        identity=internal.risk(COSTS) + signed_shift(internal, external, COSTS).total,
        bound=erm.risk + added,
        covers_internal=covers(setting, here[marker], marker, added),
        trivial=internal.trivial_risk(COSTS),
    )


def try_marker(patients: PatientScores, rng: np.random.Generator) -> Candidate:
    """Return ERM's cut-off with its penalty."""
    search = Search(rule="erm", costs=COSTS, n_bootstrap=N_DRAWS, band="dkw", delta=DELTA)
    return try_candidate(patients, patients, search, rng)


def choose(
    setting: Setting, here: list[PatientScores], tried: list[Candidate]
) -> dict[str, Chosen]:
    """Return the marker and cut-off of every way, with its true risk at Q.

    Algorithm 1 chooses between the markers, the other ways along the marker of smallest risk.
    """
    first, ours = (
        tried.index(best_candidate(tried, COSTS, selector)) for selector in ("risk", "objective")
    )
    cuts = even_cuts(here[first])
    found = {
        "erm": (first, tried[first].threshold),
        "algorithm_1": (ours, tried[ours].threshold),
        "pointwise": (first, chosen_cut(cuts, Pointwise(cap_in=setting.cap_in), Costs())),
        "stable": (first, chosen_cut(cuts, Stable(), Costs())),
    }
    return {way: at_q(setting, marker, threshold) for way, (marker, threshold) in found.items()}


def at_q(setting: Setting, marker: int, threshold: float) -> Chosen:
    """Return a choice with its true risk at Q."""
    truth = true_risk(setting.external[marker], setting.prevalence_external, np.array([threshold]))
    return Chosen(marker=marker, threshold=threshold, external=float(truth[0]))


def decompose(internal: Confusion, external: Confusion, penalty: float) -> dict[str, float]:
    """Return the paper's terms: risk at P, absolute shifts of prevalence and shapes, penalty."""
    shift = absolute_shift(internal, external, COSTS)
    return {
        "risk": internal.risk(COSTS),
        "prevalence": shift.prevalence,
        "shape_positive": shift.shape_positive or 0.0,
        "shape_negative": shift.shape_negative or 0.0,
        "penalty": penalty,
    }


def covers(setting: Setting, patients: PatientScores, marker: int, added: float) -> bool:
    """Whether the empirical risk and what is added to it reach the true risk at P at every cut."""
    thresholds = np.sort(patients.scores)
    truth = true_risk(setting.internal[marker], setting.prevalence_internal, thresholds)
    return bool(np.all(risk_curve(patients, thresholds, COSTS) + added >= truth))


def gaps(outcomes: Sequence[Outcome], way: str) -> FloatArray:
    """Return the true risk at Q of one way minus that of ERM, shape (replicates,)."""
    return np.array([one.chosen[way].external - one.chosen["erm"].external for one in outcomes])


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return risks at Q, and how often each penalised cut-off is better than ERM's."""
    found: dict[str, Any] = {
        f"external_{way}": spread_of([one.chosen[way].external for one in outcomes]) for way in WAYS
    }
    for way in PENALISED:
        difference = gaps(outcomes, way)
        found[f"lower_{way}"] = share_of((difference < 0).tolist())
        found[f"same_{way}"] = share_of((difference == 0).tolist())
    totals = np.array([sum(one.parts.values()) for one in outcomes])
    observed = np.array([one.estimate for one in outcomes])
    return {
        **found,
        "parts": {name: spread_of([one.parts[name] for one in outcomes]) for name in PARTS},
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


def claims(outcomes: Sequence[Outcome]) -> list[Claim]:
    """Return the statements of the caption, and what came out."""
    said = summary(outcomes)
    return [
        bound_claim(said),
        frozen_claim(said),
        tracking_claim(outcomes, said),
        *(penalty_claim(outcomes, way, said) for way in PENALISED),
    ]


def bound_claim(said: dict[str, Any]) -> Claim:
    """Return whether the bound lies above the true risk at P."""
    return Claim(
        paper="(b) An upper bound lies above the internal risk.",
        found=(
            f"The bound at ERM's cut-off is {said['bound']['mean']:.2f} in the mean; it is below "
            "that of a rule without any score in "
            f"{100 * said['bound_says_something']:.0f} % of replicates."
        ),
        share=said["bound_holds_internal"],
    )


def frozen_claim(said: dict[str, Any]) -> Claim:
    """Return whether the bound without a shift term lies above the true risk at Q."""
    return Claim(
        paper="(b) The bound frozen at P, contrasted with R_Q, stays above it at the cut-off.",
        found=(
            f"R_Q is {said['external_erm']['mean']:.3f} in the mean, the bound "
            f"{said['bound']['mean']:.2f}: it holds because it is larger than any risk need be, "
            "not because it knows of the shift."
        ),
        share=said["bound_holds_external"],
    )


def tracking_claim(outcomes: Sequence[Outcome], said: dict[str, Any]) -> Claim:
    """Return whether the terms of the decomposition sum to the external risk."""
    worst = max(abs(one.identity - one.estimate) for one in outcomes)
    near = [abs(sum(one.parts.values()) - one.estimate) <= one.estimate / 2 for one in outcomes]
    related = said["correlation"]
    return Claim(
        paper="(c) Internal risk, shifts and G_boot together track the external risk.",
        found=(
            f"They sum to {said['total']['mean']:.2f} in the mean, the external risk is "
            f"{said['observed']['mean']:.2f}; over replicates they correlate by "
            f"{'nothing that can be told' if related is None else format(related, '.2f')}. G_boot "
            f"alone is {said['parts']['penalty']['mean']:.2f}; with the empirical modulus in "
            f"its place the sum is {said['total_without_band']['mean']:.2f}. The signed parts "
            f"alone give the external risk to {worst:.0e}. (Tracking here: within half of it.)"
        ),
        share=share_of(near),
    )


def penalty_claim(outcomes: Sequence[Outcome], way: str, said: dict[str, Any]) -> Claim:
    """Return how often one penalised cut-off has a lower external risk than ERM's."""
    difference = gaps(outcomes, way)
    return Claim(
        paper=f"(d) Most points lie below y = x, reading the penalty as {PENALISED[way]}.",
        found=(
            f"{said[f'external_{way}']['mean']:.4f} against {said['external_erm']['mean']:.4f}; "
            f"lower in {100 * said[f'lower_{way}']:.0f} %, the same in "
            f"{100 * said[f'same_{way}']:.0f} %, higher in "
            f"{100 * share_of((difference > 0).tolist()):.0f} % of replicates."
        ),
        share=said[f"lower_{way}"],
        needed=HALF,
    )


def panel_data(setting: Setting, seed: int, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the histograms, curves and terms of the first replicate, and all points of (d)."""
    stream = np.random.default_rng(seed).spawn(1)[0]
    here, there = draw_both(setting, stream)
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
        drawn.append(decompose(internal, external, try_marker(p, rng).penalty))
    return {name: float(np.std([one[name] for one in drawn])) for name in PARTS}
