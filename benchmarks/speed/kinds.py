"""The same cut-off by `fit`, and by `fit_strata` with two grades and one boundary.

    python benchmarks/speed/kinds.py [--patients 200 2000 20000] [--runs 5]

Each run fits both, one after the other. It prints the median time of each, and the median ratio.
"""

import argparse
import statistics
import time
import warnings

import numpy as np

import steadycut
from steadycut.errors import SteadycutWarning


def cohort(n, run):
    """Patients with a continuous score, half of them diseased."""
    rng = np.random.default_rng([run, n])
    labels = rng.integers(0, 2, n)
    return steadycut.PatientScores(scores=rng.normal(size=n) + 1.5 * labels, labels=labels)


def seconds(function, *args, **options):
    """How long one call takes, and what it returns."""
    start = time.perf_counter()
    result = function(*args, **options)
    return time.perf_counter() - start, result


def run_once(n, run):
    """Seconds of both, for the same patients; they keep nothing from the first call."""
    plain, study = seconds(steadycut.fit, cohort(n, run))
    strata, other = seconds(steadycut.fit_strata, cohort(n, run), costs=[[0, 1], [1, 0]])
    same = study.threshold == other.thresholds[0]
    if not (same and study.certificate == other.certificate):
        msg = f"another cut-off or certificate for {n} patients, run {run}"
        raise SystemExit(msg)
    return plain, strata, strata / plain


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--patients", type=int, nargs="+", default=[200, 2_000, 20_000])
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore", SteadycutWarning)
    run_once(200, 0)
    print("patients   fit (s)   fit_strata (s)   ratio")
    for n in given.patients:
        rows = [run_once(n, run) for run in range(given.runs)]
        plain, strata, ratio = (statistics.median(column) for column in zip(*rows, strict=True))
        print(f"{n:8,}  {plain:8.3f}  {strata:15.3f}  {ratio:6.2f}")


if __name__ == "__main__":
    main()
