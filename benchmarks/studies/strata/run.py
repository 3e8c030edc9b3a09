"""Boundaries chosen jointly against boundaries chosen one by one, on simulated patients.

For every population, size and method, over cohorts of patients who choose:

- cross: share of bootstrap cohorts in which two boundaries are in the wrong order;
- flips: the joint flip-rate, as a study reports it: share of 4,000 new patients and bootstrap
  cohorts whose stratum is not that of the study;
- between: the same between two independent cohorts of the same size, which is what it stands for;
- regret: mean cost of the new patients above that of the best boundaries for them in hindsight, as
  a part of what the best single stratum for everybody costs above it.

A patient's stratum is the number of boundaries that his score reaches, also where they cross.
``thres3`` are the equations of R's ThresholdROC for normal grades (three by three costs only);
cohorts and draws without a root are left out of its row and counted as ``fails``.

Run: python benchmarks/studies/strata/run.py [--cohorts 60] [--draws 60] [--seed 2026]
"""

import argparse
import json
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from methods import METHODS, normal_roots
from populations import POPULATIONS

from steadycut.core.records import PatientScores
from steadycut.core.strata.cuts import boundary_curves, grade_cells
from steadycut.core.strata.draws import stratum_flips, stratum_of
from steadycut.core.strata.rules import smallest_risk

SIZES = (60, 150, 500)
RESULTS = Path(__file__).resolve().parents[2] / "results" / "strata.json"


def strata_at(scores, thresholds):
    """How many boundaries each score reaches."""
    return stratum_of(scores, np.sort(thresholds))


def judge(population, size, method, arguments, new):
    """The figures of one method in one cell."""
    scores, grades = new
    best, trivial = hindsight(population.costs, scores, grades)
    flips, crossed, regret, strata, fails = [], [], [], [], 0
    for cohort in range(arguments.cohorts):
        rng = np.random.default_rng([arguments.seed, size, cohort])
        while True:
            chosen, levels = population.draw(size, rng)
            if np.bincount(levels, minlength=population.costs.n_grades).min() >= 2:
                break
        found = method(chosen, levels, population.costs, arguments.draws, cohort)
        thresholds, draws = found[0], found[1][~np.isnan(found[1]).any(axis=1)]
        if np.isnan(thresholds).any() or not len(draws):
            fails += 1
            continue
        crossed.append((np.diff(draws, axis=1) < 0).any(axis=1).mean())
        ordered = np.sort(draws, axis=1)
        flips.append(stratum_flips(scores, np.sort(thresholds), ordered).mean())
        strata.append(strata_at(scores, thresholds))
        cost = population.costs.of_patients(grades, strata[-1]).mean()
        regret.append((cost - best) / (trivial - best))
    # Neighbouring cohorts are independent of each other.
    between = [(one != other).mean() for one, other in zip(strata[::2], strata[1::2], strict=False)]
    return {
        "cross": mean(crossed),
        "flips": mean(flips),
        "flips_error": mean((np.array(flips) - mean(flips)) ** 2) ** 0.5 / len(flips) ** 0.5
        if flips
        else None,
        "between": mean(between),
        "regret": mean(regret),
        "fails": fails / arguments.cohorts,
    }


def mean(values):
    """The mean; None of nothing."""
    return float(np.mean(values)) if len(values) else None


def hindsight(costs, scores, grades):
    """The smallest mean cost of any boundaries, and of one stratum for everybody."""
    _, cells = grade_cells(PatientScores(scores=scores), grades, costs.n_grades, "exact")
    best = smallest_risk(boundary_curves(cells[None], costs))[0]
    return best, costs.values[grades].mean(axis=0).min()


def one_population(index, arguments):
    """All sizes and methods."""
    population = POPULATIONS[index]
    new = population.draw(4_000, np.random.default_rng(arguments.seed))
    methods = dict(METHODS)
    if population.costs.values.shape == (3, 3):
        methods["thres3"] = normal_roots
    rows = []
    for size in SIZES:
        for name, method in methods.items():
            found = judge(population, size, method, arguments, new)
            rows.append({"population": population.name, "size": size, "method": name, **found})
    return rows


def show(rows):
    """Print one table a population."""
    for name in dict.fromkeys(row["population"] for row in rows):
        print(f"\n{name}\n  size  method          cross  flips     se  between  regret  fails")
        for row in (row for row in rows if row["population"] == name):
            shown = [
                "      -" if row[key] is None else f"{row[key]:7.1%}"
                for key in ("cross", "flips", "flips_error", "between", "regret", "fails")
            ]
            print(f"  {row['size']:>4}  {row['method']:<14}{''.join(shown)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cohorts", type=int, default=60)
    parser.add_argument("--draws", type=int, default=60)
    parser.add_argument("--seed", type=int, default=2026)
    arguments = parser.parse_args()
    with Pool(2) as pool:
        found = pool.starmap(
            one_population, [(index, arguments) for index in range(len(POPULATIONS))]
        )
    rows = [row for several in found for row in several]
    show(rows)
    RESULTS.write_text(json.dumps({"arguments": vars(arguments), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
