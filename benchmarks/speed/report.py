"""What the page of a study costs, from very few patients to very many.

Stored for each size: the seconds of describing the study (study.json) and of its page from that
document, those of the processor (``cpu``), and the size of the page. The page is made of
counts, so its cost must not grow with the patients: the ratio to the smallest is stored too.

Run: python benchmarks/speed/report.py (it writes benchmarks/results/report_speed.json)
"""

import json
import os
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np

from steadycut import PatientScores, fit
from steadycut.show.pages.kinds import page_of
from steadycut.show.render.html import render_page

RESULT = Path(__file__).parents[1] / "results" / "report_speed.json"
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
    render_page(page_of(fit(cohort(60)).describe()))
    first, rows = None, []
    for n in SIZES:
        study = fit(cohort(n))
        *plain, document = seconds(study.describe)
        *made, page = seconds(lambda document=document: render_page(page_of(document)))
        first = first or made[1]
        figures = {
            "study": plain[0],
            "study_cpu": plain[1],
            "page": made[0],
            "page_cpu": made[1],
            "ratio": made[1] / first,
        }
        rows.append({"patients": n} | {name: round(one, 2) for name, one in figures.items()})
        rows[-1]["kilobytes"] = len(page) // 1000
        print(rows[-1], flush=True)
    load = [round(one, 1) for one in os.getloadavg()]
    text = json.dumps({"repeats": REPEATS, "load": load, "rows": rows}, indent=1)
    RESULT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
