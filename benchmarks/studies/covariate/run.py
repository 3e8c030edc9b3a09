"""What cut-offs by covariate cost where there is no effect, and what they gain where there is one.

Half of n patients choose by the rule `stable`. The excess is the true risk above that of the best
cut-off at every value of the covariate, in thousandths: of the pooled cut-off, of a cut-off for
each group (or window) alone, and of ours, with the standard error of the difference of ours and
each of the two. The distance is the mean share of choosing patients between our cut-off and the
pooled one. First the share of cohorts in which the test rejects at 5 % and at 10 %. Last, how often
certificates are broken by the true risk, of 10 % that are allowed.

Run: python benchmarks/studies/covariate/run.py [--replicates 1000] [--costs 1 3] [--only-test]
"""

import argparse

import numpy as np
from populations import TRENDS, Group, best_cut, effect, no_effect

from steadycut import PatientScores, fit_by_covariate
from steadycut.core.covariate.cuts import choose_by_covariate
from steadycut.core.covariate.design import group_design, smooth_design
from steadycut.core.covariate.one_cut_test import common_cut_test
from steadycut.core.covariate.slices import slice_patients
from steadycut.core.records import Costs
from steadycut.core.rules.registry import parse_rule

SEED = 20
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


def row(name, n, found, best):
    excess = 1000 * (found[:, :3] - best)
    gaps = [excess[:, 2] - excess[:, other] for other in (0, 1)]
    errors = [gap.std() / np.sqrt(gap.size) for gap in gaps]
    cells = [f"{value:.1f}" for value in excess.mean(axis=0)]
    both = [f"{gap.mean():+.1f} ± {error:.1f}" for gap, error in zip(gaps, errors, strict=True)]
    return f"| {name} | {n} | " + " | ".join([*cells, *both, f"{found[:, 3].mean():.3f}"]) + " |"


HEAD = (
    "| population | n | pooled | alone | ours | ours - pooled | ours - alone | distance |"
    "\n|---|---|---|---|---|---|---|---|"
)


def table(title, populations, one, best, sizes, replicates, costs):
    print(f"\n{title}, a miss costs {costs.cost_fn:g} and an alarm 1\n\n{HEAD}")
    for name, population in populations.items():
        for n in sizes:
            rng = np.random.default_rng([SEED, n, len(name)])
            draws = [one(population, n // 2, costs, rng) for _ in range(replicates)]
            print(row(name, n, np.array(draws), best(population, costs)), flush=True)


def rejections(populations, one, sizes, replicates, costs):
    print(f"\nThe test rejects at 5 % and at 10 %, a miss costs {costs.cost_fn:g} and an alarm 1\n")
    print(
        "| population |"
        + "".join(f" n = {n} |" for n in sizes)
        + "\n|---"
        + "|---" * len(sizes)
        + "|"
    )
    for name, population in populations.items():
        cells = []
        for n in sizes:
            rng = np.random.default_rng([SEED + 1, n, len(name)])
            p = np.array([one(population, n // 2, costs, rng)[4] for _ in range(replicates)])
            cells.append(f"{np.mean(p < 0.05):.3f}, {np.mean(p < 0.10):.3f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def best_of_groups(groups, costs):
    return sum(group.share * group.risk(best_cut(group, costs), costs) for group in groups)


def best_of_trend(_, costs):
    group = Group(1.0, 0.4)
    return float(group.risk(best_cut(group, costs), costs))


def broken(groups, n, costs, replicates):
    """Return how often each certificate is below the truth."""
    rng = np.random.default_rng([SEED, n])
    failed = []
    for seed in range(replicates):
        scores, labels, code = draw_groups(groups, n, rng)
        names = code.astype(str)
        study = fit_by_covariate(
            PatientScores(scores=scores, labels=labels),
            covariate=names,
            cost_fn=costs.cost_fn,
            n_bootstrap=2,
            seed=seed,
        )
        present = [groups[int(name)] for name in study.positions]
        shares = np.array([group.share for group in present])
        own = np.array([g.risk(t, costs) for g, t in zip(present, study.thresholds, strict=True)])
        pooled = np.array([group.risk(study.pooled_threshold, costs) for group in present])
        limits = [np.inf if one is None else one.value for one in study.groups]
        failed.append(
            [
                shares @ own > study.certificate.value,
                shares @ pooled > study.pooled_certificate.value,
                np.any(own > np.array(limits)),
                shares @ (own - pooled) > study.difference.upper,
            ]
        )
    return np.mean(failed, axis=0)


def certificates(populations, sizes, replicates, costs):
    print(f"\nCertificates that were broken, a miss costs {costs.cost_fn:g} and an alarm 1\n")
    print("| population | n | by covariate | pooled | any of the groups | difference |")
    print("|---|---|---|---|---|---|")
    for name, groups in populations.items():
        for n in sizes:
            shares = " | ".join(f"{share:.3f}" for share in broken(groups, n, costs, replicates))
            print(f"| {name} | {n} | {shares} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--costs", type=float, nargs="+", default=[1.0, 3.0], help="of a miss")
    parser.add_argument("--sizes", type=int, nargs="+", default=[60, 120, 250, 500, 1000])
    parser.add_argument("--only-test", action="store_true", help="print only how often it rejects")
    asked = parser.parse_args()
    for cost_fn in asked.costs:
        costs = Costs(cost_fn=cost_fn)
        null = no_effect(costs)
        rest = (asked.sizes, asked.replicates, costs)
        rejections(null | effect(), one_of_groups, *rest)
        rejections(TRENDS, one_of_trend, *rest)
        if asked.only_test:
            continue
        table("One cut-off is best", null, one_of_groups, best_of_groups, *rest)
        table("Groups differ", effect(), one_of_groups, best_of_groups, *rest)
        table("Along a number", TRENDS, one_of_trend, best_of_trend, *rest)
        some = {key: (null | effect())[key] for key in ("no effect, 2 groups", "offset 1")}
        certificates(some, asked.sizes[1:3], asked.replicates, costs)


if __name__ == "__main__":
    main()
