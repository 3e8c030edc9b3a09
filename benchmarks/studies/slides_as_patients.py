"""Are slides that are named as patients refused, and honest patients not? And what if they are not?

Decided before looking: 60 patients, of whom 40 % are ill, with 1, 2 or 4 slides each. The scores of
the slides of a patient have a correlation of 0.8. Each slide counts as a patient, delta is 0.1.

broken      share of studies whose certificate lies below the true risk of the cut-off, with
            ``one_per_patient=True``
refused     how many of the tables are refused without it. What gives slides away is, in turn, the
            name of their column, a shared beginning of their names (four ways to write it), or a
            sheet that names their patients
honest      how many tables of 60 to 300 patients are refused by mistake. Their identifiers share
            the beginnings of sites, years, families or labels, or none

Run as ``python benchmarks/studies/slides_as_patients.py [--replicates N] [--seed N] [--out FILE]``;
it writes ``benchmarks/results/slides_as_patients.json``.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from scipy.special import ndtr

import steadycut
from steadycut.core.records import Recipe
from steadycut.errors import BadPatients

RESULT = Path(__file__).parents[1] / "results" / "slides_as_patients.json"
PATIENTS, ILL, DISTANCE, CORRELATION, DELTA = 60, 0.4, 2.0, 0.8, 0.1
SLIDES = (1, 2, 4)
# How slides are called, by the number of their patient and their own.
WAYS = {
    "TCGA": "TCGA-AB-{p:04}-01Z-00-DX{s}",
    "underscore": "P{p:03}_slide{s}",
    "letter": "{p:05}{letter}",
    "point": "2{p:03}.{s}",
}
SEEN = ("column", *WAYS, "sheet")
# How honest patients are called, by their number, their label and a random number.
HONEST = {
    "id": "{p:05}",
    "patient_id": "site{site}-{p:04}",
    "case_id": "TCGA-{site:02}-{p:04}",
    "subject": "{year}/{p}",
    "medical_record_number": "{random:x}-{p:x}",
    "family member": "F{family:03}-{member}",
    "pid": "{label}-{year}-{p}",
    "Patient": "P{p:03}_slide1",
}


def draw(n_patients, n_slides, rng):
    """Return patient, slide, label and score of every slide, both classes present."""
    labels = np.zeros(n_patients, dtype=int)
    labels[: max(2, rng.binomial(n_patients, ILL))] = 1
    rng.shuffle(labels)
    patient = np.repeat(np.arange(n_patients), n_slides)
    slide = np.tile(np.arange(n_slides), n_patients)
    own = np.sqrt(CORRELATION) * rng.normal(size=n_patients)
    noise = np.sqrt(1 - CORRELATION) * rng.normal(size=patient.size)
    return patient, slide, labels[patient], DISTANCE * labels[patient] + own[patient] + noise


def true_risk(cut):
    """Return the risk of a cut-off in the population."""
    return ILL * ndtr(cut - DISTANCE) + (1 - ILL) * ndtr(-cut)


def is_broken(n_slides, rng, seed):
    """Whether the certificate of a study of slides lies below the true risk."""
    _, _, labels, scores = draw(PATIENTS, n_slides, rng)
    cohort = steadycut.PatientScores(scores=scores, labels=labels)
    study = steadycut.fit(cohort, rule="erm", n_bootstrap=2, delta=DELTA, seed=seed)
    return bool(true_risk(study.threshold) > study.certificate.value)


def is_refused(patients):
    """Whether `fit` refuses these patients for what they are called."""
    try:
        steadycut.fit(patients, rule="erm", n_bootstrap=2)
    except BadPatients as error:
        return "one_per_patient" in str(error)
    return False


def slides(seen, n_slides, rng):
    """Return slides that are named as patients, and that something gives away."""
    patient, slide, labels, scores = draw(PATIENTS, n_slides, rng)
    numbers = rng.permutation(patient.size)
    plain = [f"{number:06}" for number in numbers]
    if seen == "sheet":
        rows = {"specimen no": plain, "key": plain, "score": scores}
        sheet = {"key": plain, "patient": [f"p{p}" for p in patient], "ill": labels}
        asked = {"patient": "key", "score": "score", "label": "ill"}
        return steadycut.aggregate(rows, sheet=sheet, on="key", **asked)
    pairs = zip(patient.tolist(), slide.tolist(), strict=True)
    called = [WAYS.get(seen, "").format(p=p, s=s, letter="ABCD"[s]) for p, s in pairs]
    names = plain if seen == "column" else called
    recipe = Recipe(patient="slide_id" if seen == "column" else "id")
    return steadycut.PatientScores(scores=scores, labels=labels, patients=names, recipe=recipe)


def honest(column, rng):
    """Return patients with identifiers of one kind."""
    n = int(rng.integers(PATIENTS, 5 * PATIENTS))
    _, _, labels, scores = draw(n, 1, rng)
    drawn = rng.integers(0, 10**9, n).tolist()
    each = zip(range(n), labels.tolist(), drawn, strict=True)
    names = [
        HONEST[column].format(
            p=p, label=y, random=r, site=r % 40, year=2015 + r % 3, family=p // 3, member=p % 3
        )
        for p, y, r in each
    ]
    recipe = Recipe(patient=column)
    return steadycut.PatientScores(scores=scores, labels=labels, patients=names, recipe=recipe)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--seed", type=int, default=39)
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--pieces", help="not used; every study has it")
    typed = parser.parse_args()
    n, seed = typed.replicates, typed.seed
    warnings.simplefilter("ignore")
    rngs = [np.random.default_rng([seed, part]) for part in range(5)]
    broken = {
        str(k): float(np.mean([is_broken(k, rng, at) for at in range(n)]))
        for k, rng in zip(SLIDES, rngs, strict=False)
    }
    refused = [is_refused(slides(SEEN[at % len(SEEN)], (2, 4)[at % 2], rngs[3])) for at in range(n)]
    names = list(HONEST)
    mistaken = [is_refused(honest(names[at % len(names)], rngs[4])) for at in range(n)]
    result = {
        "replicates": n,
        "seed": seed,
        "patients": PATIENTS,
        "correlation": CORRELATION,
        "delta": DELTA,
        "broken": broken,
        "refused": sum(refused),
        "honest": sum(mistaken),
    }
    print(json.dumps(result), flush=True)
    typed.out.write_text(json.dumps(result) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
