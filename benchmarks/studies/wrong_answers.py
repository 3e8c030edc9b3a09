"""How often "useful" of a fit and "costs less" of a comparison are wrong, where it is hardest.

    python benchmarks/studies/wrong_answers.py [--replicates 1000] [--seed 16]

Writes benchmarks/results/wrong_answers.json. Scores lie in a few bins, each with a known share of
ill patients, so the true cost of every cut-off is known. In most populations the cut-off costs in
truth exactly as much as calling nobody, as calling everybody, or as the other rule. Every answer
is then wrong, and this is where it is hardest to avoid. It may happen with probability 0.1 (delta).

useful          false_yes: fits that say "yes" though the cut-off is not cheaper in truth.
                false_no: fits that say "no" though it is. yes: fits that say "yes" and are right.
                Shares of all fits; refused ones (fewer than two patients of a class) do not count.
against_fixed   wrong: comparisons with any wrong "less" or "more" among all rules.
                answered: comparisons in which all answers are the true ones, if any rule differs.
                A quarter of the replicates.
pairs           shown: how often the first of two rules with different scores is called cheaper;
                wrongly, unless the name says that it is. Their errors are drawn directly.
sites           audits with five sites and three groups that refuse the rule though nothing changed.
"""

import argparse
import json
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from steadycut import PatientScores, compare, fit
from steadycut.core.intervals.paired import is_cheaper
from steadycut.core.records import Costs
from steadycut.core.verdict import REFUSED
from steadycut.errors import SteadycutError
from steadycut.study.judge import Asked, judge
from steadycut.study.useful import comparison_of, useful_answer

RESULT = Path(__file__).parents[1] / "results" / "wrong_answers.json"
DELTA, EVEN = 0.1, 1e-9
SIZES = (40, 120, 400)
EQUAL, UNEQUAL, RARE = Costs(), Costs(cost_fn=4.0), Costs(cost_fn=20.0)
RANGE = Costs(target=(0.3, 0.6))


@dataclass(frozen=True)
class Bins:
    """Patients whose score is the number of a bin; with ``spread`` it has no ties."""

    ill: tuple
    healthy: tuple
    prevalence: float
    spread: bool = False

    @classmethod
    def of(cls, shares, risks, **more):
        """Return bins with the given shares of all patients, and the share of ill ones in each."""
        shares, risks = np.array(shares), np.array(risks)
        prevalence = float(shares @ risks)
        ill, healthy = shares * risks / prevalence, shares * (1 - risks) / (1 - prevalence)
        return cls(tuple(ill), tuple(healthy), prevalence, **more)

    def draw(self, n, rng):
        labels = (rng.random(n) < self.prevalence).astype(np.int8)
        number = len(self.ill)
        bins = np.where(
            labels == 1, rng.choice(number, n, p=self.ill), rng.choice(number, n, p=self.healthy)
        )
        return PatientScores(scores=bins + self.spread * rng.random(n), labels=labels)

    def rates(self, cut):
        """Return the true miss rate and alarm rate of a cut-off."""
        places = np.arange(len(self.ill))
        called = np.clip(places + 1 - cut, 0, 1) if self.spread else 1.0 * (places >= cut)
        return 1 - float(called @ self.ill), float(called @ self.healthy)

    def costs(self, costs, miss, alarm):
        """Return the true cost of these error rates, at each prevalence that counts."""
        ends = costs.class_weights or (
            (costs.cost_fn * self.prevalence, costs.cost_fp * (1 - self.prevalence)),
        )
        return np.array([one * miss + other * alarm for one, other in ends])

    def gain(self, costs, cut):
        """Return what the cut-off saves against calling nobody or everybody, where least."""
        own = self.costs(costs, *self.rates(cut))
        return float(min((self.costs(costs, *way) - own).min() for way in ((1, 0), (0, 1))))


def bins_by_ratio(healthy, ratio, several, **more):
    """Return bins of which several have this ratio of ill to healthy, and the others the rest."""
    healthy, several = np.array(healthy), np.array(several)
    ill = np.where(several, ratio * healthy, 0.0)
    rest = healthy * ~several
    ill += (1 - ill.sum()) * rest / rest.sum()
    return Bins(tuple(ill), tuple(healthy), 0.4, **more)


def even(costs):
    """Return the share of ill patients at which a call costs as much as it saves."""
    return costs.cost_fp / (costs.cost_fn + costs.cost_fp)


def populations():
    """Name -> (costs, bins)."""
    found = {}
    for name, costs in {"1:1": EQUAL, "4:1": UNEQUAL}.items():
        p = even(costs)
        high = p + 0.7 * (1 - p)
        found |= {
            f"AUC 0.5, {name}": Bins.of([0.25] * 4, [p] * 4, spread=True),
            f"AUC 0.5, ties, {name}": Bins.of([0.25] * 4, [p] * 4),
            f"AUC 0.5, few ill, {name}": Bins.of([0.25] * 4, [0.6 * p] * 4, spread=True),
            f"as calling nobody, {name}": Bins.of([0.4, 0.2, 0.2, 0.2], [0.1 * p, p, p, p]),
            f"as calling everybody, {name}": Bins.of([0.2, 0.2, 0.2, 0.4], [p, p, p, high]),
            f"a little useful, {name}": Bins.of([0.5, 0.5], [0.8 * p, p + 0.1 * (1 - p)]),
            f"useful, {name}": Bins.of([0.25] * 4, [0.1 * p, 0.4 * p, high, high], spread=True),
        }
        found = {key: one if isinstance(one, tuple) else (costs, one) for key, one in found.items()}
    p = even(RARE)
    found["rare (1 %), as calling nobody"] = (RARE, Bins.of([0.85, 0.15], [0.1 * p, p]))
    found["rare (3 %), useful"] = (RARE, Bins.of([0.85, 0.15], [0.1 * p, 5 * p]))
    odds = [(1 - end) / end for end in RANGE.target]
    low = bins_by_ratio([0.7, 0.1, 0.1, 0.1], odds[0], [False, True, True, True])
    high = bins_by_ratio([0.3, 0.3, 0.3, 0.1], odds[1], [True, True, True, False])
    good = Bins((0.05, 0.1, 0.25, 0.6), (0.6, 0.25, 0.1, 0.05), 0.4)
    found["range, as nobody at its low end"] = (RANGE, low)
    found["range, as everybody at its high end"] = (RANGE, high)
    found["range, useful at both ends"] = (RANGE, good)
    return found


def options_of(costs):
    return {
        "cost_fn": costs.cost_fn,
        "cost_fp": costs.cost_fp,
        "target_prevalence": costs.target,
        "n_bootstrap": 2,
    }


def one_fit(costs, bins, n, honesty, rng):
    """Return the answer of a fit and whether its cut-off is useful in truth; None if refused."""
    try:
        study = fit(bins.draw(n, rng), rule="erm", honesty=honesty, **options_of(costs))
    except SteadycutError:
        return None
    answer = useful_answer(study, comparison_of(study), DELTA)
    return answer, bins.gain(costs, study.threshold) > EVEN


def fits(costs, bins, n, honesty, replicates, rng):
    """Return how often the answers of fits are right and wrong."""
    runs = [one_fit(costs, bins, n, honesty, rng) for _ in range(replicates)]
    found = [one for one in runs if one is not None]
    number = max(len(found), 1)
    return {
        "false_yes": found.count(("yes", False)) / number,
        "false_no": found.count(("no", True)) / number,
        "yes": found.count(("yes", True)) / number,
        "fits": len(found),
    }


def one_comparison(costs, bins, n, rng):
    """Return whether any answer is wrong, and whether all real differences are found."""
    try:
        table = compare(bins.draw(n, rng), bins.draw(n, rng), cost_table=False, **options_of(costs))
    except SteadycutError:
        return None
    first, *others = [bins.costs(costs, *bins.rates(row.study.threshold)) for row in table.rows]
    answers = table.against_fixed()[1:]
    less = [bool((one < first - EVEN).all()) for one in others]
    more = [bool((one > first + EVEN).all()) for one in others]
    truth = [
        "less" if a else "more" if b else "cannot tell" for a, b in zip(less, more, strict=True)
    ]
    wrong = any(a not in (b, "cannot tell") for a, b in zip(answers, truth, strict=True))
    return wrong, answers == truth and set(truth) != {"cannot tell"}


def comparisons(costs, bins, n, replicates, rng):
    """Return how often any answer of a comparison is wrong, and all are right."""
    runs = [one_comparison(costs, bins, n, rng) for _ in range(replicates)]
    found = np.array([one for one in runs if one is not None]).reshape(-1, 2)
    wrong, answered = found.mean(axis=0) if found.size else (0.0, 0.0)
    return {"wrong": float(wrong), "answered": float(answered), "comparisons": len(found)}


# Costs, prevalence, and the miss and alarm rate of both rules. The first costs as much as the
# second, or with a range as much at one end; in the last of each kind it costs less.
PAIRS = {
    "same errors, 1:1": (EQUAL, 0.4, (0.25, 0.25), (0.25, 0.25)),
    "misses for alarms, 1:1": (EQUAL, 0.4, (0.10, 0.30), (0.40, 0.10)),
    "misses for alarms, 4:1": (UNEQUAL, 0.2, (0.10, 0.40), (0.30, 0.20)),
    "rare (2 %), 20:1": (RARE, 0.02, (0.10, 0.30), (0.345, 0.20)),
    "range, equal at its low end": (RANGE, 0.4, (0.10, 0.30), (0.5667, 0.10)),
    "range, equal at its high end": (RANGE, 0.4, (0.30, 0.10), (0.10, 0.40)),
    "cheaper, 1:1": (EQUAL, 0.4, (0.15, 0.10), (0.30, 0.30)),
    "cheaper, 4:1": (UNEQUAL, 0.2, (0.10, 0.15), (0.35, 0.30)),
    "range, cheaper at both ends": (RANGE, 0.4, (0.10, 0.10), (0.30, 0.30)),
}


def is_shown(pair, n, rng):
    """Whether the first rule is shown to cost less than the second."""
    costs, prevalence, one, other = pair
    labels = (rng.random(n) < prevalence).astype(np.int8)
    wrong = [rng.random(n) < np.where(labels == 1, miss, alarm) for miss, alarm in (one, other)]
    return is_cheaper(labels, *wrong, costs, DELTA, same_score=False)


def one_audit(rng, n_home=300, n_here=400):
    """Whether an audit with five sites and three groups refuses the rule though nothing changed.

    None if the cut-off is not useful: then it may be refused.
    """
    home, here = (normal_cohort(rng, n) for n in (n_home, n_here))
    rule = fit(home, n_bootstrap=2).freeze()
    miss, alarm = ndtr(rule.threshold - 2), ndtr(-rule.threshold)
    columns = {
        name: rng.integers(0, number, n_here).astype(str)
        for name, number in (("site", 5), ("group", 3))
    }
    called = (here.scores >= rule.threshold).astype(np.int64)
    found = judge(rule, here, here.labels.astype(np.int64), called, Asked(columns=columns))
    return found.decision in REFUSED if 0.4 * miss + 0.6 * alarm < 0.4 else None


def normal_cohort(rng, n):
    labels = (rng.random(n) < 0.4).astype(np.int8)
    return PatientScores(scores=rng.normal(size=n) + 2 * labels, labels=labels)


def audits(replicates, rng):
    """Return how often an audit with sites and groups refuses a rule though nothing changed."""
    runs = [one_audit(rng) for _ in range(replicates)]
    found = [one for one in runs if one is not None]
    return {"refused": float(np.mean(found)), "audits": len(found)}


def audit_tables(replicates, seed):
    """Return the two tables about audits."""
    return {"sites": audits(replicates, np.random.default_rng([seed, 5, 3]))}


def rows_of(replicates, seed, sizes=SIZES):
    """Return the three tables."""
    tables = {"useful": [], "against_fixed": [], "pairs": []}
    for name, (costs, bins) in populations().items():
        for n in sizes:
            for honesty in ("split", "uniform"):
                rng = np.random.default_rng([seed, n, *f"{name} {honesty}".encode()])
                row = {"population": name, "patients": n, "honesty": honesty}
                tables["useful"].append(row | fits(costs, bins, n, honesty, replicates, rng))
            rng = np.random.default_rng([seed, n, *name.encode()])
            row = {"population": name, "patients": n}
            few = max(replicates // 4, 1)
            tables["against_fixed"].append(row | comparisons(costs, bins, n, few, rng))
            print(json.dumps([tables["useful"][-2:], tables["against_fixed"][-1]]), flush=True)
    for name, pair in PAIRS.items():
        for n in sizes:
            rng = np.random.default_rng([seed, n, *name.encode()])
            shown = np.mean([is_shown(pair, n, rng) for _ in range(replicates)])
            tables["pairs"].append({"rules": name, "patients": n, "shown": float(shown)})
            print(json.dumps(tables["pairs"][-1]), flush=True)
    return tables


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=16)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    result = {"delta": DELTA, **vars(asked)}
    for tables in (rows_of, audit_tables):
        result |= tables(asked.replicates, asked.seed)
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
