"""Certificates where patients have no score, and more of the ill, or of the healthy, have none.

A population has 30 % ill patients, whose scores lie 2 standard deviations above those of the
others. Each study chooses a cut-off on half of its patients and certifies it on the others. Its
certificate is broken if the true average cost is above it. With ``call`` and ``leave`` that is the
cost for everybody under the policy. With ``drop`` patients without a score were left out of the
study; the cost is that of the others, then that for everybody if the rest are left, or called.

    python benchmarks/studies/unscored.py --json benchmarks/results/unscored.json
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.stats import norm

from steadycut import PatientScores
from steadycut.errors import SteadycutError
from steadycut.study.fit import make_study

DELTA, PREVALENCE, APART = 0.1, 0.3, 2.0
# The share of healthy and of ill patients without a score.
MISSING = {"any": (0.15, 0.15), "more of the ill": (0.05, 0.3), "more of the healthy": (0.3, 0.05)}
COSTS = {"1:1": (1.0, 1.0), "5:1": (5.0, 1.0)}
SIZES = (100, 400)


def draw(n: int, missing: tuple[float, float], rng: np.random.Generator) -> PatientScores:
    """Return patients, some of whom have no score."""
    labels = (rng.random(n) < PREVALENCE).astype(int)
    scores = rng.normal(size=n) + APART * labels
    scores[rng.random(n) < np.array(missing)[labels]] = np.nan
    return PatientScores(scores=scores, labels=labels, unscored="call")


def true_costs(
    cut: float, missing: tuple[float, float], costs: tuple[float, float]
) -> dict[str, float]:
    """Return the average cost of patients with a score, and of all if the rest are left, called."""
    share = np.array([1 - PREVALENCE, PREVALENCE])
    called, gone = norm.sf(cut - np.array([0, APART])), np.array(missing)
    by_class = {"left": (1 - gone) * called, "called": (1 - gone) * called + gone}
    cost_fn, cost_fp = costs
    price = {who: share * [cost_fp, cost_fn] * [p[0], 1 - p[1]] for who, p in by_class.items()}
    known = share * (1 - gone)
    scored = known * [cost_fp, cost_fn] * [called[0], 1 - called[1]]
    totals = {who: float(prices.sum()) for who, prices in price.items()}
    return {"scored": float(scored.sum() / known.sum()), **totals}


def study_broken(
    patients: PatientScores, missing: tuple[float, float], costs: tuple[float, float]
) -> dict[str, bool]:
    """Return which certificates of one study are broken."""
    rows = {
        "call": (patients, ("called",)),
        "leave": (patients.under("leave"), ("left",)),
        "drop": (patients.scored, ("scored", "left", "called")),
    }
    found = {}
    for policy, (cohort, whose) in rows.items():
        study = make_study(cohort, cost_fn=costs[0], cost_fp=costs[1], n_bootstrap=2)
        truth = true_costs(study.threshold, missing, costs)
        for who in whose:
            found[f"{policy}, {who}"] = truth[who] > study.certificate.value
    return found


def simulate(n_studies: int, seed: int) -> list[dict[str, object]]:
    """Return one row per setting: the share of broken certificates by policy and population."""
    rows = []
    for place, (name, missing) in enumerate(MISSING.items()):
        for price, costs in COSTS.items():
            for n in SIZES:
                rng = np.random.default_rng([seed, place, n])
                broken: dict[str, list[bool]] = {}
                for _ in range(n_studies):
                    try:
                        found = study_broken(draw(n, missing, rng), missing, costs)
                    except SteadycutError:
                        continue  # a half without a class
                    for key, value in found.items():
                        broken.setdefault(key, []).append(value)
                shares = {key: round(float(np.mean(values)), 3) for key, values in broken.items()}
                studies = len(broken["call, called"])
                rows.append({"missing": name, "costs": price, "n": n, "studies": studies, **shares})
                print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Simulate, and store what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = simulate(given.studies, given.seed)
    checked = {key: [row[key] for row in rows] for key in rows[0] if ", " in key}
    worst = {key: max(values) for key, values in checked.items()}
    content = {"delta": DELTA, "studies": given.studies, "rows": rows, "worst": worst}
    if given.json:
        given.json.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
