"""Is the sentence true: two studies of this size would disagree about k of 100 patients?

For each population and number of patients: two independent studies, half of whose patients choose
a cut-off by `stable`. ``truth``: the mean share of new patients about whom the two cut-offs decide
differently, exact. ``new``: the mean of what the first study prints, as a ratio to the truth.
``old``: the same of the flip rate, the share of draws that reverse the decision of the cut-off.
``within``: how often the truth of the pair is in the printed range, from the 5 % to the 95 %
quantile over pairs of draws.

Run: nice -n 19 python benchmarks/studies/disagreement.py [--replicates 400]
"""

import sys
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.studies.coverage.populations import Hospital, one, pairs
from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut import PatientScores
from steadycut.core.bootstrap.draws import Disagreement, draw_thresholds
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.diagnose import flip_rate
from steadycut.core.records import Costs
from steadycut.core.rules.registry import parse_rule

SIZES = (50, 100, 200, 500)
DRAWS = 200
POPULATIONS = {name: pairs()[name][0] for name in ("P = Q", "heavy tails", "many ties")} | {
    "weak score": Hospital(0.3, one(0.8), one(0.0)),
    "sharp score": Hospital(0.4, one(3.0), one(0.0)),
    "two basins": pairs()["two basins"][0],
}


def choose(hospital, n, rng):
    """Return the draws of one study, and the scores of the patients who check."""
    while True:
        scores, labels = hospital.draw(n, rng)
        half = n // 2
        if 0 < labels[:half].sum() < half:
            break
    cuts = exact_cuts(PatientScores(scores=scores[:half], labels=labels[:half]))
    return draw_thresholds(cuts, parse_rule("stable"), Costs(), DRAWS, rng), scores[half:]


def share_called(hospital, cut):
    prevalence = hospital.prevalence
    below = hospital.positive.below(cut), hospital.negative.below(cut)
    return 1 - prevalence * below[0] - (1 - prevalence) * below[1]


def one_pair(hospital, n, rng):
    """Return what two studies truly disagree about, and what the first one says."""
    (first, checked), (second, _) = (choose(hospital, n, rng) for _ in range(2))
    truth = abs(np.subtract(*(share_called(hospital, d.threshold) for d in (first, second))))
    said = Disagreement.of(checked, first.thresholds)
    return {
        "truth": truth,
        "new": said.mean,
        "old": flip_rate(checked, first.threshold, first.thresholds),
        "within": said.middle[0] - 1e-9 <= truth <= said.middle[1] + 1e-9,
    }


def main():
    asked = options("disagreement", __doc__, 400, 2027)
    settings = {
        f"{name}, {n}": (hospital, n) for (name, hospital), n in product(POPULATIONS.items(), SIZES)
    }
    rows = [
        {
            "setting": name,
            "patients": settings[name][1],
            "truth": mean["truth"].mean,
            "new": mean["new"].mean / mean["truth"].mean,
            "old": mean["old"].mean / mean["truth"].mean,
            "within": mean["within"].mean,
            # The relative standard error of the truth.
            "error": mean["truth"].error / mean["truth"].mean,
        }
        for name, mean in means_of(settings, OneByOne(one_pair), asked).items()
    ]
    ratios = {
        kind: {"lowest": min(row[kind] for row in rows), "highest": max(row[kind] for row in rows)}
        for kind in ("new", "old", "within")
    }
    store(asked, {"draws": DRAWS, "summary": ratios, "rows": rows})


if __name__ == "__main__":
    main()
