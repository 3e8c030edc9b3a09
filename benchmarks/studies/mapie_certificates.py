"""Certified cut-offs of steadycut beside MAPIE's risk control, on the same patients.

Decided before looking: scores are probabilities of a binormal model (AUC 0.85, 40 % ill), one row
per patient, so that MAPIE's assumption holds. Both are asked whether a cut-off is wrong in at most
a target share of the patients, at 90 % confidence: 0.30, which is easy, and 0.25, which is hard
(the best cut-off is wrong in about 0.22). MAPIE tests 100 cut-offs on all patients (accuracy at
least 1 - target; Holm, its default, and Bonferroni) and takes the one that it finds best. steadycut
fits by ``stable``: half of the patients choose and half check, or all do both (``uniform``). It
certifies the target if its certified risk is not above it. Stored per size and target:

* ``certified``: the share of studies that certify a cut-off;
* ``wrong``: the share that certifies one whose true risk is above the target (at most 0.10);
* ``risk``: the mean true risk of the certified cut-offs.

Run: python benchmarks/studies/mapie_certificates.py    # needs mapie 1.6; some minutes
"""

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from mapie.risk_control import BinaryClassificationController
from scipy.stats import norm

import steadycut

RESULT = Path(__file__).resolve().parents[1] / "results" / "mapie_certificates.json"
SEED = 2026
REPLICATES = 1000
SIZES = (60, 120, 250, 500)
TARGETS = (0.30, 0.25)
AUC, ILL, CONFIDENCE = 0.85, 0.4, 0.9
APART = float(np.sqrt(2) * norm.ppf(AUC))


def probability(score):
    """Return the probability of disease at a score."""
    odds = ILL / (1 - ILL) * np.exp(APART * score - APART**2 / 2)
    return odds / (1 + odds)


def true_risk(cut):
    """Return the share of wrong decisions of a cut-off on the probability."""
    if not 0 < cut < 1:
        return 1 - ILL if cut <= 0 else ILL
    place = (np.log(cut / (1 - cut)) - np.log(ILL / (1 - ILL)) + APART**2 / 2) / APART
    return ILL * norm.cdf(place - APART) + (1 - ILL) * norm.sf(place)


def cohort(n, rng):
    """Draw patients: probabilities and labels."""
    ill = (rng.random(n) < ILL).astype(int)
    return probability(rng.normal(size=n) + APART * ill), ill


def by_mapie(scores, labels, target, method):
    """Return the cut-off that MAPIE certifies, or None."""
    controller = BinaryClassificationController(
        lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]]),
        risk="accuracy",
        target_level=1 - target,
        confidence_level=CONFIDENCE,
        fwer_method=method,
    )
    controller.calibrate(scores[:, None], labels)
    best = controller.best_predict_param
    return None if best is None else float(best)


def by_steadycut(scores, labels, target, honesty):
    """Return the cut-off that steadycut certifies, or None."""
    patients = steadycut.PatientScores(scores=scores, labels=labels)
    study = steadycut.fit(patients, honesty=honesty, n_bootstrap=2)
    return study.threshold if study.certificate.value <= target else None


METHODS = {
    "steadycut, split": lambda *task: by_steadycut(*task, "split"),
    "steadycut, uniform": lambda *task: by_steadycut(*task, "uniform"),
    "MAPIE, Holm": lambda *task: by_mapie(*task, "bonferroni_holm"),
    "MAPIE, Bonferroni": lambda *task: by_mapie(*task, "bonferroni"),
}


def row(n, target):
    """Return how often each method certifies, and how often it is wrong."""
    rng = np.random.default_rng((SEED, n))
    risks = {name: [] for name in METHODS}
    for _ in range(REPLICATES):
        scores, labels = cohort(n, rng)
        for name, method in METHODS.items():
            cut = method(scores, labels, target)
            if cut is not None:
                risks[name].append(float(true_risk(cut)))
    return {"patients": n, "target": target} | {
        name: {
            "certified": len(found) / REPLICATES,
            "wrong": sum(risk > target for risk in found) / REPLICATES,
            "risk": round(float(np.mean(found)), 4) if found else None,
        }
        for name, found in risks.items()
    }


def main():
    """Run all rows and store them."""
    warnings.simplefilter("ignore")
    rows = [row(n, target) for target in TARGETS for n in SIZES]
    found = {
        "mapie": version("mapie"),
        "seed": SEED,
        "replicates": REPLICATES,
        "best_risk": round(float(min(true_risk(cut) for cut in np.linspace(0.01, 0.99, 981))), 4),
        "rows": rows,
    }
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
