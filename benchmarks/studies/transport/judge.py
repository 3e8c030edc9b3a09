"""What the cut-offs of many cohorts cost at home and abroad."""

import time
import zlib
from dataclasses import dataclass
from itertools import product

import numpy as np
from cohorts import Cohorts, draw_cohorts, resampler
from methods import by_rule
from tables import BEST_AT_HOME

from steadycut.core.records import Costs

SIZES = (60, 150, 400, 1000)
COSTS = ((1, 1), (1, 3), (3, 1), (10, 1))
# Where a score or a pair of costs makes no sense, regret divides by almost nothing. Two rules,
# neither of which looks at a chosen cut-off, say which settings count:
# the positive class carries between 0.2 and 0.8 of the cost at stake, at home and abroad
# (cost_fn p against cost_fp (1 - p): beyond that a trivial rule is obviously right),
BALANCED = (0.2, 0.8)
# and the best cut abroad saves at least this share of the risk of the better trivial rule.
LEAST_GAIN = 0.10
# Cohorts may be a little larger than the site that they are drawn from.
LARGEST_COHORT = 1.25


@dataclass(frozen=True)
class Home:
    """Where cut-offs are chosen, and the sites that they are taken to."""

    group: str
    name: str
    draw: object
    site: object
    abroad: dict
    sizes: tuple


@dataclass(frozen=True)
class Result:
    """One method in one setting; arrays have one entry a cohort."""

    kind: str
    group: str
    home: str
    away: str
    n_patients: int
    costs: tuple
    method: str
    regret: np.ndarray
    home_excess: np.ndarray
    flip_rate: float
    seconds: float

    @property
    def setting(self):
        return (self.kind, self.group, self.home, self.away, self.n_patients, self.costs)


def real_homes(sets):
    """Every site of every score, with the other sites as abroad."""
    for group, scores in sets.items():
        for score, sites in scores.items():
            for name, site in sites.items():
                abroad = {other: sites[other] for other in sites if other != name}
                sizes = tuple(n for n in SIZES if n <= LARGEST_COHORT * site.n_patients)
                if abroad and sizes:
                    yield Home(group, f"{score} at {name}", resampler(site), site, abroad, sizes)


def simulated_homes(pairs):
    """Every pair of populations; abroad is a sample so large that its risks are exact."""
    for number, (name, (home, away)) in enumerate(pairs.items()):
        abroad = {"abroad": away.as_site(2 * number + 1)}
        yield Home(name, "home", home.draw, home.as_site(2 * number), abroad, SIZES)


def judge(homes, methods, kind, n_cohorts, seed=0, sizes=SIZES, costs=COSTS):
    """Run every method on the same cohorts of every setting."""
    for home in homes:
        for n_patients, pair in product(home.sizes, costs):
            useful = useful_sites(home, Costs(cost_fn=pair[0], cost_fp=pair[1]))
            if n_patients not in sizes or not useful:
                continue
            key = f"{home.group}/{home.name}/{n_patients}"
            stream = np.random.SeedSequence([seed, zlib.crc32(key.encode())])
            cohorts = draw_cohorts(home.draw, n_patients, n_cohorts, np.random.default_rng(stream))
            yield from judge_setting(home, useful, cohorts, pair, methods, kind, stream)


def useful_sites(home, costs):
    """Sites abroad where a cut of this score is worth having."""
    if not is_balanced(home.site, costs):
        return {}
    return {
        name: site
        for name, site in home.abroad.items()
        if is_balanced(site, costs)
        and site.best_risk(costs) <= (1 - LEAST_GAIN) * site.trivial_risk(costs)
    }


def is_balanced(site, costs):
    positive = costs.cost_fn * site.labels.mean()
    share = positive / (positive + costs.cost_fp * (1 - site.labels.mean()))
    return BALANCED[0] <= share <= BALANCED[1]


def judge_setting(home, abroad, cohorts, pair, methods, kind, stream):
    costs = Costs(cost_fn=pair[0], cost_fp=pair[1])
    best_home = home.site.best_risk(costs)
    known = best_at_home(home.site, costs, cohorts)
    for method, choose in {**methods, BEST_AT_HOME: known}.items():
        start = time.perf_counter()
        thresholds = choose(cohorts, costs, np.random.default_rng(stream.spawn(1)[0]))
        seconds = (time.perf_counter() - start) / thresholds.size
        home_excess = home.site.risk(thresholds, costs) - best_home
        for name, site in abroad.items():
            best, trivial = site.best_risk(costs), site.trivial_risk(costs)
            yield Result(
                kind=kind,
                group=home.group,
                home=home.name,
                away=name,
                n_patients=cohorts.scores.shape[1],
                costs=pair,
                method=method,
                regret=(site.risk(thresholds, costs) - best) / (trivial - best),
                home_excess=home_excess,
                flip_rate=flip_rate(site, thresholds),
                seconds=seconds,
            )


def best_at_home(site, costs, cohorts):
    """The cut that `erm` takes on the whole home site, once per cohort."""
    order = np.argsort(site.scores, kind="stable")
    everybody = Cohorts(site.scores[order][None, :], site.labels[order][None, :])
    cut = by_rule("erm")(everybody, costs, None)[0]
    return lambda *_: np.full(cohorts.scores.shape[0], cut)


def flip_rate(site, thresholds):
    """How often two cohorts' cut-offs decide differently about a patient of the site."""
    ordered = np.sort(thresholds)
    calls = np.searchsorted(ordered, site.scores, side="right") / ordered.size
    return float((2 * calls * (1 - calls)).mean() * ordered.size / (ordered.size - 1))
