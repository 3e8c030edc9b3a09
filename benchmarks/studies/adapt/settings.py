"""Real pairs of hospitals: cohorts of the first, patients of the next, and the regret there."""

import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.records import Costs

sys.path.insert(0, str(Path(__file__).parents[1] / "transport"))
from cohorts import draw_cohorts, resampler
from held_out_sets import READERS as OTHERS
from judge import COSTS, LEAST_GAIN, is_balanced
from methods import one_by_one
from real_sets import READERS, load

FIVE = ("heart", "parkinson", "sepsis", "breast recurrence", "respiratory")
TEN = (
    "suicide",
    "haemorrhage",
    "diabetes",
    "diabetes, by pregnancies",
    "breast aspirate",
    "aspirate, by symmetry",
    "heart, other scores",
    "sepsis, vital signs",
    "spanish voices, by sex",
    "elastase, by sex",
)
SMALLEST, LARGEST, N_POOL = 40, 400, 200
LEVELS = np.linspace(0, 1, 101)


def kind_of(name):
    return "five" if name in FIVE else "ten" if name in TEN else "more"


@dataclass(frozen=True)
class Case:
    """One cohort of the first hospital and patients of the next one."""

    kind: str
    group: str
    setting: tuple
    costs: Costs
    patients: HomeScores
    home: HomeScores
    frozen: float
    pool: Pool
    labelled: tuple
    there: object

    def risk(self, cuts):
        return self.there.risk(np.atleast_1d(cuts), self.costs)

    def regret(self, cuts):
        best, trivial = self.there.best_risk(self.costs), self.there.trivial_risk(self.costs)
        return (self.risk(cuts) - best) / (trivial - best)

    @property
    def prevalence(self):
        return float(self.there.labels.mean())


def home_of(scores, labels, quantiles):
    classes = [np.sort(scores[labels == y]) for y in (1, 0)]
    values = [np.quantile(x, LEVELS, method="inverted_cdf") if quantiles else x for x in classes]
    return HomeScores(
        positive=values[0],
        negative=values[1],
        n_positive=classes[0].size,
        n_negative=classes[1].size,
    )


def cases(data, n_cohorts, seed, kinds, n_labels=0):
    """Yield every cohort of every setting that counts; see ../transport."""
    for group, scores in load(data, READERS | OTHERS).items():
        if kind_of(group) not in kinds:
            continue
        for score, sites in scores.items():
            for here, there in ((a, b) for a in sites for b in sites if a != b):
                for pair in COSTS:
                    setting = (group, score, here, there, pair)
                    yield from one_setting(setting, sites, n_cohorts, seed, n_labels)


def one_setting(setting, sites, n_cohorts, seed, n_labels):
    group, _, here, there, pair = setting
    first, following, costs = sites[here], sites[there], Costs(cost_fn=pair[0], cost_fp=pair[1])
    useful = following.best_risk(costs) <= (1 - LEAST_GAIN) * following.trivial_risk(costs)
    if not (useful and is_balanced(first, costs) and is_balanced(following, costs)):
        return
    rng = np.random.default_rng([seed, zlib.crc32(repr(setting).encode())])
    size = int(np.clip(first.n_patients, SMALLEST, LARGEST))
    drawn = draw_cohorts(resampler(first), size, n_cohorts, rng)
    frozen = one_by_one("stable", halved=True)(drawn, costs, rng)
    draw = resampler(following)
    for scores, labels, cut in zip(drawn.scores, drawn.labels, frozen, strict=True):
        yield Case(
            kind=kind_of(group),
            group=group,
            setting=setting,
            costs=costs,
            patients=home_of(scores, labels, quantiles=False),
            home=home_of(scores, labels, quantiles=True),
            frozen=float(cut),
            pool=Pool.of(draw(N_POOL, rng)[0]),
            labelled=draw(n_labels, rng),
            there=following,
        )


def by_set(rows, name):
    """Return the mean of a column per set: over settings, of the means over cohorts."""
    found = {}
    for row in rows:
        found.setdefault(row["group"], {}).setdefault(row["setting"], []).append(row[name])
    return {g: float(np.mean([np.mean(v) for v in s.values()])) for g, s in found.items()}


def compared(rows, name, base):
    """Return the geometric mean over sets of the ratio to a base, and the largest ratio."""
    top, bottom = by_set(rows, name), by_set(rows, base)
    ratios = {group: top[group] / bottom[group] for group in top}
    worst = max(ratios, key=ratios.get)
    mean = float(np.exp(np.mean(np.log(list(ratios.values())))))
    return {
        "ratio": round(mean, 3),
        "largest": round(ratios[worst], 3),
        "largest_in": worst,
        "better": round(float(np.mean([r < 1 for r in ratios.values()])), 2),
    }
