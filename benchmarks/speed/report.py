"""What the page of a study costs, from very few patients to very many.

Printed for each size: the seconds of describing the study (study.json) and of its page from that
document, those of the processor in brackets, and the size of the page. The page is made of
counts, so its cost must not grow with the patients: the ratio to the smallest is printed too.

Run: python benchmarks/speed/report.py
"""

from statistics import median
from time import perf_counter, process_time

import numpy as np

from steadycut import PatientScores, fit
from steadycut.show import render_document

SIZES = (30, 1000, 1_000_000)
REPEATS = 3


def cohort(n):
    rng = np.random.default_rng(0)
    labels = (rng.random(n) < 0.4).astype(int)
    return PatientScores(scores=rng.normal(size=n) + 2 * labels, labels=labels)


def seconds(work):
    wall, processor = [], []
    for _ in range(REPEATS):
        start, used = perf_counter(), process_time()
        result = work()
        wall.append(perf_counter() - start)
        processor.append(process_time() - used)
    return median(wall), median(processor), result


def main():
    print("| patients | study.json, s | page, s | ratio | page, kB |")
    print("|---|---|---|---|---|")
    render_document(fit(cohort(60)).describe())
    first = None
    for n in SIZES:
        study = fit(cohort(n))
        *plain, document = seconds(study.describe)
        *made, page = seconds(lambda document=document: render_document(document))
        first = first or made[1]
        times = [f"{wall:.2f} ({processor:.2f})" for wall, processor in (plain, made)]
        print(f"| {n} | {times[0]} | {times[1]} | {made[1] / first:.2f} | {len(page) // 1000} |")


if __name__ == "__main__":
    main()
