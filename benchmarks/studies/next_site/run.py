"""Do the statements about the next hospital hold?

What is measured was written down before any number was looked at.

``worst``      Cut-off fixed, error rates of the hospitals known. 72 cells: K = 3, 5, 10, 20
               hospitals; 50, 100, 300 patients each; six kinds of hospitals. How often the true
               rate of the next hospital is at most the limit: worst hospital, normal limit at 0.90,
               and the pooled Clopper-Pearson limit of all patients at 0.90.
               Bars: worst hospital at or above its promise in all cells; normal limit at least 0.87
               in all cells and 0.90 where logits are normal; the same 0.90 for rare errors, where
               the guard is at work. Two standard errors are allowed.
``shares``     How often the true share of hospitals is at least the share that is stated.
               Bar: the stated confidence, less two standard errors.
``left_out``   Cut-offs are chosen by `fit`. How often (a) at least one of the cut-offs that were
               chosen without a hospital costs at most the limit there, which is promised; (b) the
               published cut-off does, which is not; (c) it does with the added cost of the patients
               between the cut-offs. Bar: (a) and (c) at or above the promise, less two standard
               errors.
``conformal``  The mean true sensitivity, or specificity, at the next hospital of the rule
               `sensitivity:X@next-site`, and what is given up for it.
               Bar: X, less two standard errors.
``real``       Each hospital of each real set with three or more is left out in turn. Promised and
               held for every limit, and how often the limit is not below the cost of calling
               everybody or nobody there (vacuous).
``choosing``   The regret at the hospital left out of four ways to choose with two to five
               hospitals, as ratios to pooling; and of one hospital with as many patients.
               Question: is any way at least 5 % better than pooling?

Run: python benchmarks/studies/next_site/run.py [--part NAME] [--scale 1]
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import real
import simulated

HERE = Path(__file__).resolve().parent
RESULT = HERE.parents[1] / "results" / "next_site.json"
PARTS = {
    "worst": simulated.part_worst,
    "shares": simulated.part_shares,
    "left_out": simulated.part_left_out,
    "conformal": simulated.part_conformal,
    "real": real.part_real,
    "choosing": real.part_choosing,
}


def main():
    # Small simulated cohorts are warned of by the hundred.
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("STEADYCUT_DATA", str(HERE.parents[3] / "shared" / "data"))
    parser.add_argument("--data", default=data)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the draws")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--result", type=Path, default=RESULT)
    chosen = parser.parse_args()
    for name in [chosen.part] if chosen.part else PARTS:
        start = time.process_time()
        found = {"seed": chosen.seed, **PARTS[name](chosen)}
        print(json.dumps({name: found["summary"]}, indent=1))
        print(f"{name}: {time.process_time() - start:.0f} s")
        # Parts may run side by side.
        record = json.loads(chosen.result.read_text()) if chosen.result.exists() else {}
        record[name] = found
        ordered = {one: record[one] for one in PARTS if one in record}
        chosen.result.write_text(json.dumps(ordered, indent=1) + "\n")


if __name__ == "__main__":
    main()
