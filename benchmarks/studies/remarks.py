"""Numbers of single remarks in the theory.

- ``buehler_ranking``: mean limit at 1,000 patients, costs 10:1, 5 % ill, 10 % of them missed and
  30 % false alarms, if outcomes are ranked as `buehler` does, and if they are ranked by their cost.
- ``twenty_bins``: 46 patients at P, 1,000 at Q of whom 3 % are ill. The mean error of the estimated
  prevalence and how often its bootstrap interval covers, with 20 bins and with merged bins.
- ``modulus_rungs``: which share of what the multiscale band adds to the count of a window would be
  saved by a union over rungs, for windows of 2 to 60 % of the patients.

Run: python benchmarks/studies/remarks.py [--replicates 1000]
"""

import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
from scipy.special import betainccinv

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.studies.label_free import binormal, draw
from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut.core.bounds import buehler
from steadycut.core.bounds.multiscale import ladder, mass_limits
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.core.shift import label_shift

DELTA, PREVALENCE = 0.1, 0.03


def rankings(n, rng):
    """Return the limit of one outcome under both rankings."""
    fn, fp, _ = rng.multinomial(n, [0.05 * 0.1, 0.95 * 0.3, 1 - 0.05 * 0.1 - 0.95 * 0.3])
    counts = Confusion(tp=0, fn=int(fn), fp=int(fp), tn=int(n - fn - fp))
    costs, found = Costs(cost_fn=10.0), {}
    for name, z in (("ours", buehler.ndtri), ("by_cost", lambda _: 0.0)):
        buehler._limit.cache_clear()  # noqa: SLF001
        with patch.object(buehler, "ndtri", z):
            found[name] = buehler.buehler_limit(counts, costs, DELTA)
    return found


def bins(n, rng):
    """Return the error of the prevalence and whether its interval covers, merged or not."""
    home, found = label_shift.rank_bins(*draw(binormal, n, 0.4, rng)), {}
    counts = home.count(draw(binormal, 1000, PREVALENCE, rng)[0])
    for name, members in (
        ("merged", label_shift._group_members),  # noqa: SLF001
        ("twenty", lambda one: np.eye(one.n_bins)),
    ):
        with patch.object(label_shift, "_group_members", members):
            low, high = label_shift.bootstrap_interval(home, counts, DELTA, rng, 199)
            error = abs(label_shift.estimate_prevalence(home, counts) - PREVALENCE)
        found |= {f"error_{name}": error, f"covered_{name}": low <= PREVALENCE <= high}
    return found


def saved(n):
    """Return the share of the allowance that a union over rungs saves, for several windows."""
    rungs, counts = ladder(n), np.round(n * np.array([0.02, 0.05, 0.1, 0.2, 0.4, 0.6])).astype(int)
    ours, rung = mass_limits(counts, n, DELTA), rungs[np.searchsorted(rungs, counts + 1)]
    union = betainccinv(rung, n + 1 - rung, DELTA / rungs.size)
    return (ours - union) / (ours - counts / n)


def main():
    asked = options("remarks", __doc__, 1000, 2026)
    modulus = {n: saved(n) for n in (46, 100, 200, 500, 1000, 2000)}
    every = np.concatenate(list(modulus.values()))
    limits = means_of({"buehler_ranking": (1000,)}, OneByOne(rankings), asked, fewer=lambda _: 5)
    store(
        asked,
        {
            "buehler_ranking": limits["buehler_ranking"],
            "twenty_bins": means_of({"twenty_bins": (46,)}, OneByOne(bins), asked)["twenty_bins"],
            "modulus_rungs": {"least": every.min(), "most": every.max()},
        },
        digits=3,
    )


if __name__ == "__main__":
    main()
