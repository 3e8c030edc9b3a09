"""What cut-offs by covariate cost where there is no effect, and what they gain where there is one.

Half of n patients choose by the rule `stable`. The excess is the true risk above that of the best
cut-off at every value of the covariate, in thousandths: of the pooled cut-off, of a cut-off for
each group (or window) alone, and of ours, with the standard error of the difference of ours and
each of the two. The distance is the mean share of choosing patients between our cut-off and the
pooled one. ``rejected_5`` and ``rejected_10``: share of cohorts in which the test rejects at 5 and
at 10 %. ``certificates``: how often certificates are broken by the true risk, of 10 % that are
allowed.

Run: python benchmarks/studies/covariate/run.py [--replicates 1000] [--jobs 2]
"""

import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.studies.covariate.populations import TRENDS, Group, best_cut, effect, no_effect
from benchmarks.studies.pieces import OneByOne, means_of, options, store
from steadycut import PatientScores, fit_by_covariate
from steadycut.core.covariate.cuts import choose_by_covariate
from steadycut.core.covariate.design import group_design, slice_patients, smooth_design
from steadycut.core.covariate.one_cut_test import common_cut_test
from steadycut.core.records import Costs
from steadycut.core.rules.registry import parse_rule

SIZES, MISSES = (60, 120, 250, 1000), (1.0, 3.0)
WAYS = ("pooled", "alone", "ours")
POINTS = (np.arange(100) + 0.5) / 100


def draw_groups(groups, n, rng):
    code = rng.choice(len(groups), n, p=[group.share for group in groups])
    scores, labels = np.empty(n), np.empty(n, dtype=int)
    for place, group in enumerate(groups):
        inside = code == place
        scores[inside], labels[inside] = group.draw(int(inside.sum()), rng)
    return scores, labels, code


def draw_trend(trend, n, rng):
    values = rng.random(n)
    scores, labels = Group(1.0, 0.4).draw(n, rng)
    return scores + trend(values), labels, values


def choose(scores, labels, design, codes, costs):
    """Return the scale, the ranks of the cuts in three ways, and the p-value of the test."""
    cohort = PatientScores(scores=scores, labels=labels)
    slices = slice_patients(cohort, codes, design.n_slices, cohort.scores)
    rule, rng = parse_rule("stable"), np.random.default_rng(0)
    cuts = choose_by_covariate(slices, design, rule, costs, 0, rng)
    test = common_cut_test(slices.cells, design.basis, cuts.pooled)
    pooled = np.full(cuts.own.size, cuts.pooled)
    ranks = dict(zip(WAYS, (pooled, cuts.own, cuts.ranks), strict=True))
    return slices.scale, ranks, test.p_value


def one_of_groups(groups, n, costs, rng):
    scores, labels, code = draw_groups(groups, n, rng)
    design = group_design([str(place) for place in range(len(groups))] * 2)
    scale, ranks, p_value = choose(scores, labels, design, code, costs)
    risks = [
        sum(g.share * g.risk(t, costs) for g, t in zip(groups, scale.at(ranks[way]), strict=True))
        for way in WAYS
    ]
    shares = np.array([group.share for group in groups])
    distance = float(shares @ np.abs(ranks["ours"] - ranks["pooled"])) / n
    return [*map(float, risks), distance, p_value]


def one_of_trend(trend, n, costs, rng):
    scores, labels, values = draw_trend(trend, n, rng)
    design, codes = smooth_design(values)
    scale, ranks, p_value = choose(scores, labels, design, codes, costs)
    group = Group(1.0, 0.4)
    at = {way: design.at(ranks[way], POINTS) for way in WAYS}
    cuts = [scale.at(at[way]) - trend(POINTS) for way in WAYS]
    risks = [float(group.risk(cut, costs).mean()) for cut in cuts]
    return [*risks, float(np.abs(at["ours"] - at["pooled"]).mean()) / n, p_value]


def best_of_groups(groups, costs):
    return sum(group.share * group.risk(best_cut(group, costs), costs) for group in groups)


def best_of_trend(_, costs):
    group = Group(1.0, 0.4)
    return float(group.risk(best_cut(group, costs), costs))


def one_cohort(kind, population, n, costs, rng):
    """Return the risk of three ways to choose and what the test says."""
    one = one_of_trend if kind == "number" else one_of_groups
    pooled, alone, ours, distance, p_value = one(population, n // 2, costs, rng)
    return {
        **dict(zip(WAYS, (pooled, alone, ours), strict=True)),
        "ours_to_pooled": ours - pooled,
        "ours_to_alone": ours - alone,
        "distance": distance,
        "rejected_5": p_value < 0.05,
        "rejected_10": p_value < 0.10,
    }


def one_study(groups, n, costs, rng):
    """Return which certificates of one study are below the truth."""
    scores, labels, code = draw_groups(groups, n, rng)
    study = fit_by_covariate(
        PatientScores(scores=scores, labels=labels),
        covariate=code.astype(str),
        cost_fn=costs.cost_fn,
        n_bootstrap=2,
        seed=int(rng.integers(2**31)),
    )
    present = [groups[int(name)] for name in study.positions]
    shares = np.array([group.share for group in present])
    own = np.array([g.risk(t, costs) for g, t in zip(present, study.thresholds, strict=True)])
    pooled = np.array([group.risk(study.pooled_threshold, costs) for group in present])
    limits = [np.inf if one is None else one.value for one in study.groups]
    return {
        "by_covariate": shares @ own > study.certificate.value,
        "pooled": shares @ pooled > study.pooled_certificate.value,
        "any_group": np.any(own > np.array(limits)),
        "difference": shares @ (own - pooled) > study.difference.upper,
    }


def populations(costs):
    """Return the kind and the population of every name."""
    groups = no_effect(costs)
    return (
        {name: ("one best", one) for name, one in groups.items()}
        | {name: ("groups differ", one) for name, one in effect().items()}
        | {f"number: {name}": ("number", one) for name, one in TRENDS.items()}
    )


def rows_of(asked):
    """Return the excess of every population, pair of costs and size."""
    cells = {
        (f"{fn:g}:1", name, n): (kind, population, n, Costs(cost_fn=fn))
        for fn in MISSES
        for name, (kind, population) in populations(Costs(cost_fn=fn)).items()
        for n in SIZES
    }
    named = {", ".join(map(str, key)): setting for key, setting in cells.items()}
    means, rows = means_of(named, OneByOne(one_cohort), asked).values(), []
    for ((costs, name, n), (kind, population, _, value)), found in zip(
        cells.items(), means, strict=True
    ):
        best = (best_of_trend if kind == "number" else best_of_groups)(population, value)
        row = {"kind": kind, "population": name, "costs": costs, "patients": n}
        row |= {way: 1000 * (found[way].mean - best) for way in WAYS}
        for gap in ("ours_to_pooled", "ours_to_alone"):
            row |= {gap: 1000 * found[gap].mean, f"{gap}_error": 1000 * found[gap].error}
        rows.append(row | {one: found[one] for one in ("distance", "rejected_5", "rejected_10")})
    return rows


def certificates(asked):
    """Return how often the certificates of some populations are broken."""
    cells = {
        (f"{fn:g}:1", name, n): (populations(Costs(cost_fn=fn))[name][1], n, Costs(cost_fn=fn))
        for fn in MISSES
        for name in ("no effect, 2 groups", "offset 1")
        for n in (120, 250)
    }
    named = {f"certificates, {c}, {name}, {n}": cells[c, name, n] for c, name, n in cells}
    means = means_of(named, OneByOne(one_study), asked).values()
    return [
        {"population": name, "costs": costs, "patients": n} | found
        for (costs, name, n), found in zip(cells, means, strict=True)
    ]


def main():
    # Small groups and tests that see nothing are warned of by the hundred.
    warnings.simplefilter("ignore")
    asked = options("covariate", __doc__, 1000, 20)
    store(asked, {"rows": rows_of(asked), "certificates": certificates(asked)}, digits=3)


if __name__ == "__main__":
    main()
