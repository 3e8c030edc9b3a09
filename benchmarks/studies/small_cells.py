"""What ``--small-cells N`` costs: how much larger certificates are, and whether they still hold.

Studies of 120, 240 and 600 patients, half of them ill, normal scores 2 standard deviations apart;
half of the patients certify. *Certificates*: the mean bound with and without the option, the errors
that are counted in addition, and how often the true risk of the cut-off is above the bound. *Shape
test*: how often an audit without labels of 120 unchanged patients rejects at 10 %, for rules of 240
patients with N = 10, and how wide the interval of the prevalence is.

Run as ``python benchmarks/studies/small_cells.py [--replicates N] [--seed N]``; it writes
``benchmarks/results/small_cells.json``.
"""

import argparse
import json
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from steadycut import PatientScores, audit, fit
from steadycut.errors import SteadycutWarning

RESULT = Path(__file__).parents[1] / "results" / "small_cells.json"
APART, LEVEL = 2.0, 0.1


def cohort(n, rng):
    labels = np.arange(n) % 2
    return PatientScores(scores=rng.normal(size=n) + APART * labels, labels=labels)


def certificates(n, least, replicates, rng):
    exact, coarse, more, above = [], [], [], 0
    for _ in range(replicates):
        study = fit(cohort(n, rng), n_bootstrap=10)
        rule = study.freeze(small_cells=least)
        held, cut = rule.document.reference, rule.threshold
        exact.append(study.certificate.value)
        coarse.append(rule.document.certificate.value)
        more.append(held.fn + held.fp - study.counts.fn - study.counts.fp)
        above += (ndtr(cut - APART) + ndtr(-cut)) / 2 > coarse[-1]
    return {
        "patients": n,
        "least": least,
        "bound": round(float(np.mean(exact)), 3),
        "bound_of_cells": round(float(np.mean(coarse)), 3),
        "additional_errors": round(float(np.mean(more)), 1),
        "true_risk_above": above / replicates,
    }


def shape_tests(replicates, rng):
    rejected, widths = 0, []
    for _ in range(replicates):
        rule = fit(cohort(240, rng), n_bootstrap=10).freeze(small_cells=10)
        found = audit(rule, cohort(120, rng).scores).to_dict()
        p_value = found["shape_test"]["p_value"]
        rejected += p_value is not None and p_value <= LEVEL
        low, high = found["prevalence_estimate"]["interval"] or (0.0, 1.0)
        widths.append(high - low)
    return {"rejected": rejected / replicates, "prevalence_width": round(float(np.mean(widths)), 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    warnings.simplefilter("ignore", SteadycutWarning)
    found = {
        "seed": options.seed,
        "replicates": options.replicates,
        "certificates": [
            certificates(n, least, options.replicates, rng)
            for n, least in product((120, 240, 600), (5, 10))
        ],
        "shape_test": shape_tests(options.replicates, rng),
    }
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
