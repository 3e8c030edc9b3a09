"""Ask two implementations the same questions about random small cohorts, and count the answers.

    python -m benchmarks.trust.run reference [--quick] [--seed 0]

`tests/slow_reference` has every definition a second time: plain loops and rational numbers, written
from the documentation without a look at the code. Cohorts have 2 to 60 patients, ties, constant
scores, denormal and huge ones, scores a last bit apart, a tiny class, odd costs, target
prevalences and nested instances. Quick comparisons are made on every cohort, slow ones on every
eleventh or thirty-fifth; ``tried`` counts cohorts times comparisons that had
something to compare.
"""

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from benchmarks.trust.row import Row
from tests.slow_reference.comparisons import TOPICS, compare

N_COHORTS, QUICK = 10_000, 200
N_PROCESSES = 2


def stage(*, quick: bool, seed: int, cohorts: int = N_COHORTS) -> list[Row]:
    number = QUICK if quick else cohorts
    seeds = range(seed * 10**7, seed * 10**7 + number)
    counts = Counter()
    with ProcessPoolExecutor(N_PROCESSES) as pool:
        for found, lines in pool.map(compare, seeds, chunksize=20):
            counts.update(found)
            for line in lines:
                print(line, file=sys.stderr)
    return [row_of(topic, counts) for topic in TOPICS]


def row_of(topic, counts):
    failures = {way: counts[topic, way] for way in ("differ", "tracebacks")}
    return Row(f"a second implementation: {topic}", counts[topic, "tried"], failures)
