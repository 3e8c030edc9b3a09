"""Real pairs of hospitals: cohorts of the first, patients of the next, and the regret there."""

import sys
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.adapt.refit import Labels, Model
from steadycut.core.records import Costs

sys.path.insert(0, str(Path(__file__).parents[1] / "transport"))
import peers_at_stakes as peers
import ranked
from cohorts import draw_cohorts, resampler
from real_sets import load
from stakes import COSTS, LARGEST_COHORT, PARTS, SIMULATED, SMALLEST_RATIO, auc_of, simulated

# These chose the numbers of the method; the others were looked at when it was fixed.
TUNED = ("real", "held out")
N_HOME, N_POOL, N_LABELS = 200, 200, (10, 20, 50, 100)
# A set has so many draws at least, and so has a pair of its hospitals.
LEAST_OF_SET, LEAST_OF_PAIR = 40, 1
LEVELS = np.linspace(0, 1, 101)
STRONG = 0.7
BEST = {}


@dataclass(frozen=True)
class Case:
    """One cohort of the first hospital and patients of the next one."""

    part: str
    group: str
    auc: float
    scores: np.ndarray
    labels: np.ndarray
    erm: np.ndarray
    stable: np.ndarray
    unlabelled: np.ndarray
    drawn: tuple
    there: object

    @cached_property
    def home(self):
        """What rule.json keeps: quantiles by class."""
        classes = [self.scores[self.labels == label] for label in (1, 0)]
        ill, well = (np.quantile(one, LEVELS, method="inverted_cdf") for one in classes)
        sizes = {"n_positive": classes[0].size, "n_negative": classes[1].size}
        return HomeScores(positive=ill, negative=well, **sizes)

    @cached_property
    def model(self):
        return Model.of(self.home)

    @cached_property
    def pool(self):
        return Pool.of(self.unlabelled)

    @cached_property
    def counts(self):
        return self.model.counts(self.unlabelled)

    def labelled(self, m):
        return Labels(scores=self.drawn[0][:m], labels=self.drawn[1][:m])

    def risk(self, cut, pair):
        return float(self.there.risk(np.array([cut]), costs_of(pair))[0])

    def regret(self, cut, pair):
        key = id(self.there), pair
        if key not in BEST:
            BEST[key] = self.there.best_risk(costs_of(pair))
        return self.risk(cut, pair) - BEST[key]

    @property
    def prevalence(self):
        return float(self.there.labels.mean())


def costs_of(pair):
    return Costs(cost_fn=pair[0], cost_fp=pair[1])


def cases(data, seed, *, reduced=False):
    """Yield every draw of every pair of hospitals of every set and score."""
    parts = PARTS | (
        {"simulated": {name: simulated(name) for name in SIMULATED}} if reduced else {}
    )
    for part, readers in parts.items():
        for group, scores in load(data, readers).items():
            pairs = sum(len(sites) * (len(sites) - 1) for sites in scores.values())
            repeats = 1 if reduced else max(LEAST_OF_PAIR, -(-LEAST_OF_SET // max(pairs, 1)))
            for score, sites in scores.items():
                auc = float(np.mean([auc_of(site) for site in sites.values()]))
                for here, there in ((a, b) for a in sites for b in sites if a != b):
                    key = zlib.crc32(f"{group}/{score}/{here}/{there}".encode())
                    rng = np.random.default_rng([seed, key])
                    about = (part, group, auc)
                    yield from one_pair(about, sites[here], sites[there], repeats, rng)


def one_pair(about, here, there, repeats, rng):
    size = min(N_HOME, int(LARGEST_COHORT * here.n_patients))
    cohorts = draw_cohorts(resampler(here), size, repeats, rng)
    rows = ranked.Ranked(cohorts.scores, cohorts.labels)
    erm, stable = np.array(peers.erm(rows, COSTS)), np.array(ranked.stable()(rows, COSTS))
    draw = resampler(there)
    for row in range(repeats):
        yield Case(
            *about,
            scores=cohorts.scores[row],
            labels=cohorts.labels[row],
            erm=erm[:, row],
            stable=stable[:, row],
            unlabelled=draw(N_POOL, rng)[0],
            drawn=draw(max(N_LABELS), rng),
            there=there,
        )


def log_ratios(table, method, reference):
    """The log ratio of regrets of each set and pair of costs; see ../transport/stakes.py."""
    names = list(dict.fromkeys([method, reference]))
    mean = table.groupby(["set", "cost"])[names].mean()
    mean = mean[mean[reference] > 1e-12]
    return np.log(np.maximum(mean[method] / mean[reference], SMALLEST_RATIO))
