"""True risk and reversed decisions of an ensemble, beside one method chosen by risk or by J.

    python benchmarks/studies/ensemble.py [--studies 200] [--seed 0]

Writes benchmarks/results/ensemble.json. The latent value is N(y, 0.6²) at prevalence 0.4. Method m
adds N(0, s_m²); a method of pure noise has no latent value. 120 patients, half of them used to
check; the rule `stable`. Risk and reversed decisions are those of 20,000 new patients.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from steadycut.core.confusion import confusion_at
from steadycut.core.records import Costs, PatientScores, Recipe
from steadycut.study.fit import make_study

OUT = Path(__file__).parents[1] / "results" / "ensemble.json"
SETTINGS = {
    "equally good": (0.8, 0.9, 1.0),
    "one much better": (0.4, 1.0, 1.5),
    "one and two of noise": (0.8, None, None),
}
WAYS = {
    "chosen by risk (default)": {},
    "chosen by J": {"selector": "objective"},
    "quantile": {"ensemble": "quantile"},
    "gls": {"ensemble": "gls"},
}


def cohort(noises, n, rng):
    """Return the same patients by every method."""
    labels = (rng.random(n) < 0.4).astype(np.int64)
    latent = rng.normal(labels, 0.6)
    return [
        PatientScores(
            scores=rng.normal(size=n) if noise is None else latent + rng.normal(0, noise, n),
            labels=labels,
            recipe=Recipe(score=f"m{place}"),
        )
        for place, noise in enumerate(noises)
    ]


def one_study(noises, seed, number):
    """Return for each way its risk, its reversed decisions and whether its certificate held."""
    rng = np.random.default_rng([seed, number])
    here, there = cohort(noises, 120, rng), cohort(noises, 20_000, rng)
    rows = []
    for way in WAYS.values():
        study = make_study(here, seed=number, **way)
        patients = study.scores_among(here, there)
        risk = confusion_at(patients, study.threshold).risk(Costs())
        flips = float(study.flip_probability(patients.scores).mean())
        rows.append((risk, flips, float(risk <= study.certificate.value)))
    return rows


def main():
    """Run the study and store what it found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    result = {"studies": asked.studies, "seed": asked.seed, "settings": {}}
    for name, noises in SETTINGS.items():
        found = np.array([one_study(noises, asked.seed, k) for k in range(asked.studies)])
        error = found[:, :, 0].std(axis=0, ddof=1) / np.sqrt(asked.studies)
        result["settings"][name] = {
            way: {
                "risk": round(float(found[:, place, 0].mean()), 4),
                "standard_error": round(float(error[place]), 4),
                "reversed": round(float(found[:, place, 1].mean()), 4),
                "certificate_held": round(float(found[:, place, 2].mean()), 3),
            }
            for place, way in enumerate(WAYS)
        }
        print(name, json.dumps(result["settings"][name], indent=1), flush=True)
    OUT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
