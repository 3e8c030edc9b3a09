"""What it costs to freeze one cut-off along a number where the test sees no excess over chance.

Decided before looking: smooth cut-offs follow the test at p >= 0.5, where its statistic is at most
its median under chance, unless the mean excess risk over the populations rises by more than 0.5
thousandths at any size. Printed are mean excess risks in thousandths: of the pooled cut-off, of
cut-offs with weights alone (``weights``), and of those that follow the test, too (``gated``); and
how often the test says p >= 0.5 where the cut-offs with weights alone differ (``against_test``).

Run as ``python benchmarks/studies/covariate/follow_test.py [--replicates N]``; it writes
``benchmarks/results/follow_test.json``. The seed is fixed.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.studies.covariate.populations import TRENDS, Group, best_cut
from benchmarks.studies.covariate.run import POINTS, draw_trend
from steadycut import PatientScores
from steadycut.core.covariate.cuts import rank_of, shrink, shrinkage
from steadycut.core.covariate.design import slice_patients, smooth_design
from steadycut.core.covariate.one_cut_test import common_cut_test
from steadycut.core.records import Costs
from steadycut.core.rules.registry import parse_rule

RESULT = Path(__file__).parents[2] / "results" / "follow_test.json"
SIZES, COSTS, RULE = (60, 120, 250, 1000), Costs(), parse_rule("stable")


def one(trend, n, rng):
    """Return the risk of three ways to choose, and whether the weights are against the test."""
    scores, labels, values = draw_trend(trend, n, rng)
    design, codes = smooth_design(values)
    cohort = PatientScores(scores=scores, labels=labels)
    slices = slice_patients(cohort, codes, design.n_slices, cohort.scores)
    pooled = rank_of(slices.cells.sum(axis=0)[None], slices, RULE, COSTS)
    inside = np.array([slices.cells[window > 0].sum(axis=0) for window in design.windows])
    own, weights = rank_of(inside, slices, RULE, COSTS)[None], shrinkage(slices.cells, design)[None]
    fine = common_cut_test(slices.cells, design.basis, float(pooled[0])).p_value >= 1 / 2
    weighted = shrink(pooled, own, weights)[0]
    flat = np.full(weighted.size, pooled[0])
    ways = (flat, weighted, flat if fine else weighted)
    cuts = [slices.scale.at(design.at(ranks, POINTS)) - trend(POINTS) for ranks in ways]
    risks = [float(Group(1.0, 0.4).risk(cut, COSTS).mean()) for cut in cuts]
    return [*risks, float(fine and np.ptp(weighted) > 0)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=300)
    replicates = parser.parse_args().replicates
    group, rows = Group(1.0, 0.4), []
    best = float(group.risk(best_cut(group, COSTS), COSTS))
    for n in SIZES:
        for name, trend in TRENDS.items():
            rng = np.random.default_rng([7, n, len(name)])
            *risks, against = np.mean([one(trend, n // 2, rng) for _ in range(replicates)], axis=0)
            excess = [round(1000 * (risk - best), 2) for risk in risks]
            found = dict(zip(("pooled", "weights", "gated"), excess, strict=True))
            rows.append({"population": name, "n": n, **found, "against_test": round(against, 3)})
            print(json.dumps(rows[-1]), flush=True)
    result = {"replicates": replicates, "rows": rows}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
