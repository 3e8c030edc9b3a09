"""What happens to an exact guarantee if the instances of patients are counted as patients.

60 healthy patients with 50 windows each. A window has a normal score of variance 1, of which a
share, the ICC, is its patient's own. Two promises, each exact for independent units and each made
at 90 % confidence, once from 3,000 windows as if they were independent and once from 60 patients
(mean score of their windows):

- certificate: the cut-off is frozen, at a true alarm rate of 10 %; the Clopper-Pearson bound on
  the alarm rate is broken if the true rate is above it;
- control: the lowest cut-off whose bound, and that of every cut above it, stays within 10 %; the
  promise is broken if the true alarm rate of that cut is above 10 %.

Stored: the share of cohorts in which a promise is broken (10 % are allowed), the mean bound, the
mean cut in the control as its true alarm rate, and the design effect 1 + 49 ICC.

Run: python benchmarks/studies/pooling.py [--replicates 2000]
"""

import sys
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut.core.aggregate.aggregators import sort_segments
from steadycut.core.aggregate.clusters import cluster_sums, clusters_from
from steadycut.core.bounds.binomial import upper_limit

PATIENTS, WINDOWS = 60, 50
DELTA, TARGET = 0.10, 0.10
ICCS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6)
CUTS = np.linspace(3.0, 0.0, 301)


def cohort(icc, rng):
    """Window scores, one row a patient."""
    own = np.sqrt(icc) * rng.normal(size=(PATIENTS, 1))
    return own + np.sqrt(1 - icc) * rng.normal(size=(PATIENTS, WINDOWS))


def spread_of_patients(icc):
    """Standard deviation of the mean of a patient's windows."""
    return np.sqrt(icc + (1 - icc) / WINDOWS)


@cache
def limits(n):
    """The bound for every number of alarms among n."""
    return np.array([upper_limit(k, n, DELTA) for k in range(n + 1)])


def judge(units, scores, spread):
    """Whether each promise is broken, the bound, and the true alarm rate of the controlled cut."""
    table = limits(scores.size)
    bound = table[np.count_nonzero(scores >= spread * norm.isf(TARGET))]
    alarms = scores.size - np.searchsorted(np.sort(scores), spread * CUTS)
    too_many = table[alarms] > TARGET
    passed = int(np.argmax(too_many)) if too_many.any() else CUTS.size
    rate = norm.sf(CUTS[passed - 1]) if passed else 0.0
    return {
        f"{units} certificate_broken": bound < TARGET,
        f"{units} bound": bound,
        f"{units} control_broken": rate > TARGET,
        f"{units} alarm_rate": rate,
    }


def one_cohort(icc, rng):
    """Judge one cohort by its windows and by its patients."""
    windows = cohort(icc, rng)
    groups = np.repeat(np.arange(PATIENTS), WINDOWS)
    found = clusters_from(cluster_sums(sort_segments(groups, windows.ravel())), None).icc
    pooled = judge("windows", windows.ravel(), 1.0)
    return (
        pooled
        | judge("patients", windows.mean(axis=1), spread_of_patients(icc))
        | {"icc_found": found}
    )


def main():
    asked = options("pooling", __doc__, 2000, 2026)
    means = means_of({f"{icc}": (icc,) for icc in ICCS}, OneByOne(one_cohort), asked)
    rows = []
    for icc in ICCS:
        found, effect = means[f"{icc}"], 1 + (WINDOWS - 1) * icc
        for units in ("windows", "patients"):
            mine = {
                name.partition(" ")[2]: one for name, one in found.items() if name.startswith(units)
            }
            worth = {"design_effect": effect, "worth_rows": PATIENTS * WINDOWS / effect}
            rows.append(
                {"icc": icc, "icc_found": found["icc_found"], **worth, "units": units, **mine}
            )
    store(asked, {"patients": PATIENTS, "windows": WINDOWS, "delta": DELTA, "rows": rows})


if __name__ == "__main__":
    main()
