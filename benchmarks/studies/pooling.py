"""What happens to an exact guarantee if the instances of patients are counted as patients.

60 healthy patients with 50 windows each. A window has a normal score of variance 1, of which a
share, the ICC, is its patient's own. Two promises, each exact for independent units and each made
at 90 % confidence, once from 3,000 windows as if they were independent and once from 60 patients
(mean score of their windows):

- certificate: the cut-off is frozen, at a true alarm rate of 10 %; the Clopper-Pearson bound on
  the alarm rate is broken if the true rate is above it;
- control: the lowest cut-off whose bound, and that of every cut above it, stays within 10 %; the
  promise is broken if the true alarm rate of that cut is above 10 %.

Printed: the share of cohorts in which a promise is broken (10 % are allowed), the mean bound, the
mean cut in the control as its true alarm rate, and the design effect 1 + 49 ICC.

Run: python benchmarks/studies/pooling.py [--cohorts 2000]
"""

import argparse

import numpy as np
from scipy.stats import norm

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


def limits(n):
    """The bound for every number of alarms among n."""
    return np.array([upper_limit(k, n, DELTA) for k in range(n + 1)])


def judge(scores, spread, table):
    """Whether each promise is broken, the bound, and the true alarm rate of the controlled cut."""
    cut = spread * norm.isf(TARGET)
    bound = table[np.count_nonzero(scores >= cut)]
    alarms = np.count_nonzero(scores[:, None] >= spread * CUTS, axis=0)
    too_many = table[alarms] > TARGET
    passed = int(np.argmax(too_many)) if too_many.any() else CUTS.size
    rate = norm.sf(CUTS[passed - 1]) if passed else 0.0
    return bound < TARGET, bound, rate > TARGET, rate


def one_icc(icc, cohorts, tables):
    rng = np.random.default_rng([2026, round(1000 * icc)])
    pooled, by_patient, found = [], [], []
    for _ in range(cohorts):
        windows = cohort(icc, rng)
        pooled.append(judge(windows.ravel(), 1.0, tables[0]))
        by_patient.append(judge(windows.mean(axis=1), spread_of_patients(icc), tables[1]))
        groups = np.repeat(np.arange(PATIENTS), WINDOWS)
        found.append(clusters_from(cluster_sums(sort_segments(groups, windows.ravel())), None).icc)
    return np.mean(pooled, axis=0), np.mean(by_patient, axis=0), float(np.mean(found))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cohorts", type=int, default=2000)
    cohorts = parser.parse_args().cohorts
    tables = limits(PATIENTS * WINDOWS), limits(PATIENTS)
    print("  icc  found  design  worth   units      certificate   bound   control   alarm rate")
    print("              effect  rows               broken        mean    broken    mean")
    for icc in ICCS:
        pooled, by_patient, found = one_icc(icc, cohorts, tables)
        effect = 1 + (WINDOWS - 1) * icc
        for name, row in (("windows", pooled), ("patients", by_patient)):
            worth = PATIENTS * WINDOWS / effect
            start = f"{icc:5.2f}  {found:5.2f}  {effect:6.1f}  {worth:5.0f}"
            print(
                f"{start if name == 'windows' else ' ' * len(start)}   {name:<8}   {row[0]:8.1%}"
                f"      {row[1]:6.3f}  {row[2]:7.1%}   {row[3]:9.3f}"
            )


if __name__ == "__main__":
    main()
