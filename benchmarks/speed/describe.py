"""What describing and freezing a study costs, against fitting it.

    python benchmarks/speed/describe.py [--patients 1000000] [--runs 5] [--out FILE]

Each run fits a study, describes it (the content of study.json) and freezes it (the bytes of
rule.json), each once, in this order, as ``steadycut fit`` does. CPU time, median over the runs.
"""

import argparse
import json
import platform
import statistics
import time
import warnings
from pathlib import Path

import numpy as np

import steadycut
from steadycut.errors import SteadycutWarning

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "describe.json"
STEPS = ("fit", "describe", "freeze")


def cohort(n):
    """Patients with an identifier and a continuous score, 40 % of them diseased."""
    rng = np.random.default_rng([0, n])
    labels = (rng.random(n) < 0.4).astype(np.int64)
    names = np.char.add("p", np.arange(n).astype(np.str_))
    scores = rng.normal(size=n) + 1.5 * labels
    return steadycut.PatientScores(scores=scores, labels=labels, patients=names)


def run_once(patients):
    """CPU seconds of fitting, of describing and of freezing."""
    moments = [time.process_time()]
    study = steadycut.fit(patients)
    moments.append(time.process_time())
    study.to_dict()
    moments.append(time.process_time())
    study.freeze().to_bytes()
    moments.append(time.process_time())
    return np.diff(moments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--patients", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    warnings.simplefilter("ignore", SteadycutWarning)
    run_once(cohort(1_000))
    # New patients in every run, because patients keep what was computed from them.
    taken = [run_once(cohort(given.patients)) for _ in range(given.runs)]
    medians = [statistics.median(column) for column in zip(*taken, strict=True)]
    found = {
        "python": platform.python_version(),
        "patients": given.patients,
        "runs": given.runs,
        "cpu_seconds": {step: round(s, 3) for step, s in zip(STEPS, medians, strict=True)},
        "describe and freeze / fit": round(sum(medians[1:]) / medians[0], 3),
    }
    given.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
