"""Figure S1: the same upper bound for five models, and what it is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from steadycut.core.bounds.concentration import BOUNDS
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.risk_curve import risk_curve
from steadycut.core.records import Costs, PatientScores
from steadycut.core.select import Search, try_candidate
from steadycut.reproduce.claims import SCHEMA, Claim, share_of, spread_of
from steadycut.reproduce.models import NAMES, models, patient_scores
from steadycut.reproduce.patients_of_cells import Setting, draw_cells
from steadycut.study.fit import Progress, fit

COSTS = Costs()
N_TRAINING, N_VALIDATION, N_POOL, N_POPULATION = 120, 200, 1000, 4000
POINTS = 101
PARTS = ("risk", "gap", "penalty")
ASSUMED = {
    "everything about the data": "the paper prints nothing",
    "cells": "8 a patient, 6 features, one of them informative only through its size",
    "patients": "120 train the model, 200 validate, 4,000 others stand for the population",
    "prevalence": "0.4; half of the cells of a sick patient are affected",
    "models": "scikit-learn's, small; a patient's score is the mean probability of his cells",
    "bound": "appendix's gamma, delta 0.10, B = 200, G_boot = DKW band at the bootstrap radius",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How the bound is made, and of how many validation patients."""

    n_validation: int = N_VALIDATION
    delta: float = 0.10
    gap: str = "paper"
    band: str = "dkw"
    form: str = "pairwise"
    centering: str = "none"


SWEEP: tuple[tuple[str, bool, dict[str, Any]], ...] = (
    ("60 validation patients", False, {"n_validation": 60}),
    ("1,000 validation patients", False, {"n_validation": 1000}),
    ("delta 0.30", False, {"delta": 0.30}),
    ("oscillation form, omega(2r)", False, {"form": "oscillation"}),
    ("centred quantile, as in the appendix", False, {"centering": "bias"}),
    ("gamma: one-sided DKW", True, {"gap": "dkw"}),
    ("band: multiscale", True, {"band": "multiscale"}),
    ("both, 1,000 patients", True, {"gap": "dkw", "band": "multiscale", "n_validation": 1000}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The bound of one model in one replicate.

    ``certified`` is the value of an exact bound at a cut-off that other patients chose, and
    ``certified_holds`` whether the true risk is at most that.
    """

    parts: dict[str, float]
    true_risk: float
    above_everywhere: bool
    same_as_erm: bool
    trivial: float
    certified: float
    certified_holds: bool

    @property
    def bound(self) -> float:
        """U_P at its smallest."""
        return sum(self.parts.values())


Scores = Mapping[str, tuple[PatientScores, PatientScores]]


def figure_s1(n_replicates: int, seed: int, progress: Progress | None = None) -> dict[str, Any]:
    """Return the numbers of figure S1: panels of one replicate, and claims over many."""
    ways = {"as above": Terms()} | {name: replace(Terms(), **changes) for name, _, changes in SWEEP}
    found: dict[str, list[dict[str, Outcome]]] = {name: [] for name in ways}
    panels: dict[str, Any] = {}
    for place, stream in enumerate(np.random.default_rng(seed).spawn(n_replicates)):
        if progress:
            progress("replicates", place, n_replicates)
        scores = score_patients(stream)
        panels = panels or panel_data(scores, seed)
        for name, terms in ways.items():
            found[name].append(outcomes_of(scores, terms, seed))
    kinds = {name: "other than printed" if other else "not printed" for name, other, _ in SWEEP}
    by_model = per_model(found["as above"])
    return {
        "schema": SCHEMA,
        "target": "figure-s1",
        "seed": seed,
        "replicates": n_replicates,
        "parameters": {"printed": {}, "assumed": ASSUMED, "setting": asdict(Setting())},
        "models": by_model,
        "claims": [claim.to_dict() for claim in claims(found["as above"], by_model)],
        "sensitivity": [
            {"changed": name, "status": kinds.get(name, ""), **summary(all_of(replicates))}
            for name, replicates in found.items()
        ],
        "panels": panels,
    }


def score_patients(rng: np.random.Generator) -> Scores:
    """Return for each model its validation patients and its population, scored."""
    training, pool, population = (
        draw_cells(n, Setting(), rng) for n in (N_TRAINING, N_POOL, N_POPULATION)
    )
    scored = {}
    for name, model in models().items():
        validation, others = patient_scores(model, training, [pool, population], rng)
        scored[name] = (validation, others)
    return scored


def outcomes_of(scores: Scores, terms: Terms, seed: int) -> dict[str, Outcome]:
    """Return the bound of every model: the same call for each."""
    return {
        name: bound_of(pool.take(np.arange(terms.n_validation)), population, terms, seed)
        for name, (pool, population) in scores.items()
    }


def bound_of(
    validation: PatientScores, population: PatientScores, terms: Terms, seed: int
) -> Outcome:
    """Return the upper bound U_P = R + gamma + G_boot, at the cut-off where it is smallest."""
    search = Search(
        rule="erm",
        costs=COSTS,
        delta=terms.delta,
        band=terms.band,
        form=terms.form,
        centering=terms.centering,
    )
    chosen = try_candidate(validation, validation, search, np.random.default_rng(seed))
    counts = confusion_at(validation, chosen.threshold)
    gap = BOUNDS[terms.gap].compute(counts, COSTS, terms.delta)
    thresholds = np.sort(np.append(validation.scores, chosen.threshold))
    empirical = risk_curve(validation, thresholds, COSTS)
    upper = empirical + gap + chosen.penalty
    study = fit(validation, rule="erm", delta=terms.delta, n_bootstrap=2, seed=seed)
    truly = confusion_at(population, study.threshold).risk(COSTS)
    return Outcome(
        parts={"risk": chosen.risk, "gap": gap, "penalty": chosen.penalty},
        true_risk=confusion_at(population, chosen.threshold).risk(COSTS),
        above_everywhere=bool(np.all(upper >= risk_curve(population, thresholds, COSTS))),
        same_as_erm=bool(upper.argmin() == empirical.argmin()),
        trivial=counts.trivial_risk(COSTS),
        certified=study.certificate.value,
        certified_holds=truly <= study.certificate.value,
    )


def all_of(replicates: Sequence[Mapping[str, Outcome]]) -> list[Outcome]:
    """Return the outcomes of all models and replicates."""
    return [one for replicate in replicates for one in replicate.values()]


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the terms of the bound, their shares, and whether it holds and says something."""
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


def per_model(replicates: Sequence[Mapping[str, Outcome]]) -> dict[str, Any]:
    """Return the summary of each model."""
    return {name: summary([one[name] for one in replicates]) for name in NAMES}


def claims(replicates: Sequence[Mapping[str, Outcome]], by_model: Mapping[str, Any]) -> list[Claim]:
    """Return the statements of the caption, and what came out."""
    said = summary(all_of(replicates))
    worst = min(NAMES, key=lambda name: float(by_model[name]["above_everywhere"]))
    shares = ", ".join(f"{100 * said[f'share_{name}']:.0f} %" for name in PARTS)
    return [
        Claim(
            paper="(a, c) U_P stays above the true risk R_P at every t, for every model.",
            found=(
                f"Worst for {worst}: {100 * by_model[worst]['above_everywhere']:.0f} %. U_P at "
                f"its smallest is {said['bound']['mean']:.2f}, the true risk there "
                f"{said['true_risk']['mean']:.2f}."
            ),
            share=said["above_everywhere"],
        ),
        Claim(
            paper="(implied) U_P is a certificate: below the risk of a rule without any score.",
            found=(
                "An exact bound at a cut-off that other patients chose is "
                f"{said['certified']['mean']:.2f} in the mean, is below that risk in "
                f"{100 * said['certified_says_something']:.0f} % of cases, and holds in "
                f"{100 * said['certified_holds']:.0f} % (promised: 90 %)."
            ),
            share=said["says_something"],
        ),
        Claim(
            paper="(a) The penalty has a part in the selected threshold, argmin U_P.",
            found=(
                "gamma and G_boot have no t in them: argmin U_P is the minimiser of the empirical "
                f"risk, in {100 * said['same_as_erm']:.0f} % of cases."
            ),
            share=1 - said["same_as_erm"],
        ),
        Claim(
            paper="(b) The bound splits into empirical risk, gamma and G_boot: 100 % in all.",
            found=f"{shares}: what was observed is the smallest part.",
            holds=True,
        ),
    ]


def panel_data(scores: Scores, seed: int) -> dict[str, Any]:
    """Return the curves and terms of every model in one replicate."""
    panels = {}
    for name, outcome in outcomes_of(scores, Terms(), seed).items():
        pool, population = scores[name]
        validation = pool.take(np.arange(N_VALIDATION))
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
        }
    return panels
