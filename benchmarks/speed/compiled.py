"""Would a compiled kernel be faster on every cut? A loop in numba that draws every patient.

    python benchmarks/speed/compiled.py        (needs numba)

The kernel counts the drawn patients, runs along the cuts once and keeps the first cheapest: less
than the rule `erm` does, which also looks for the middle of the widest flat. Indices come from
numpy. Compiling does not count. Rounds are interleaved. Stored in
benchmarks/results/compiled.json: milliseconds per replicate, the median.
"""

import json
import os
import statistics
import time
from pathlib import Path

import numba
import numpy as np
from threshold import cohort

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import parse_rule

RESULT = Path(__file__).parents[1] / "results" / "compiled.json"
NAMES = ("erm", "stable", "numba", "numba_two_threads")
ROUNDS = 3
REPLICATES = {10_000: 1000, 100_000: 500, 1_000_000: 300}


@numba.njit(nogil=True)
def cheapest_cut(positive, drawn, counts):
    """Return the first cut with the fewest errors, relative to calling everybody."""
    counts[:] = 0
    for patient in drawn:
        counts[patient] += 1
    best, errors, fewest = 0, 0, 0
    for patient in range(counts.size):
        errors += counts[patient] if positive[patient] else -counts[patient]
        if errors < fewest:
            best, fewest = patient + 1, errors
    return best


@numba.njit(parallel=True)
def cheapest_cuts(positive, drawn, counts):
    """Two replicates at a time, one a thread."""
    best = np.empty(drawn.shape[0], dtype=np.int64)
    for row in numba.prange(drawn.shape[0]):
        best[row] = cheapest_cut(positive, drawn[row], counts[row])
    return best


def one_thread(positive, n_replicates, rng):
    n = positive.size
    counts = np.empty(n, dtype=np.int32)
    for _ in range(n_replicates):
        cheapest_cut(positive, rng.integers(0, n, n, dtype=np.int32), counts)


def two_threads(positive, n_replicates, rng):
    n = positive.size
    counts = np.empty((2, n), dtype=np.int32)
    for _ in range(n_replicates // 2):
        cheapest_cuts(positive, rng.integers(0, n, (2, n), dtype=np.int32), counts)


def main():
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    rows = []
    for n, replicates in REPLICATES.items():
        scores, labels = cohort(n)
        positive = labels[np.argsort(scores)] == 1
        cuts = exact_cuts(PatientScores(scores=scores, labels=labels))

        def ours(rule, count, rng, cuts=cuts):
            draw_thresholds(cuts, parse_rule(rule), Costs(), count, rng)

        def loop(run, count, rng, positive=positive):
            run(positive, count, rng)

        tools = [(ours, "erm"), (ours, "stable"), (loop, one_thread), (loop, two_threads)]
        for run, what in tools:
            run(what, 2, np.random.default_rng(0))
        seconds = [[] for _ in tools]
        for seed in range(ROUNDS):
            for kept, (run, what) in zip(seconds, tools, strict=True):
                started = time.perf_counter()
                run(what, replicates, np.random.default_rng(seed))
                kept.append((time.perf_counter() - started) / replicates)
        found = [round(1e3 * statistics.median(kept), 2) for kept in seconds]
        rows.append({"patients": n} | dict(zip(NAMES, found, strict=True)))
        print(rows[-1], flush=True)
    load = [round(one, 1) for one in os.getloadavg()]
    text = json.dumps({"rounds": ROUNDS, "load": load, "rows": rows}, indent=1)
    RESULT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
