"""Which decision an audit ends in, how often it is wrong, and how often the answers are.

The first hospital has n patients with binormal scores: half of them choose a cut-off by the rule
``stable``, the others check it. The second one has n other patients. The risk at any cut is known
there. Decisions are at delta 0.1.

shares   how often each decision comes
wrong    wrong decisions: "use" or "use and watch" where the rule is not useful, or "adapt" or "do
         not use" where it is useful and costs no more than before
right    of the decisions "adapt" and "do not use", those where the rule is not useful or costs more
false    answers that are wrong: a "yes" to a question whose true answer is no ("as good as before":
         the cost rises by the margin or more), or a "no" to one whose true answer is yes

Settings: no shift; scores raised; a sharper, a useless and a weaker score; a rarer disease;
unequal costs; and boundaries, where the rule is made exactly useless, or exactly as costly as the
margin allows, or errors move from one class to the other at the same cost. With looks every 10
patients wrong answers at any look are counted, with limits for one look and those of
``sequential``.

Run as ``python benchmarks/studies/verdict.py [--replicates N] [--jobs N]``; it writes
``benchmarks/results/verdict.json``. The seed is fixed.
"""

import argparse
import json
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from steadycut.core.certify import certificate_of
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import chosen_cut, parse_rule
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.verdict import DECISIONS, MARGIN, QUESTIONS, Comparison

RESULT = Path(__file__).parents[1] / "results" / "verdict.json"
LOOKS = range(10, 201, 10)
DELTA = 0.1
EQUAL = Costs()
GOOD, BAD = ("use", "use and watch"), ("adapt", "do not use")


@dataclass(frozen=True)
class Hospital:
    """Scores N(0, 1) of the healthy and N(apart, 1) of the ill, both raised."""

    auc: float
    prevalence: float = 0.35
    raised: float = 0.0

    @property
    def apart(self):
        return float(np.sqrt(2) * ndtri(self.auc))

    def draw(self, n, rng):
        labels = (rng.random(n) < self.prevalence).astype(int)
        labels[:4] = [0, 0, 1, 1]
        scores = rng.normal(size=n) + self.apart * labels + self.raised
        return PatientScores(scores=scores, labels=labels)

    def rates(self, cut):
        """Return the miss rate and the alarm rate."""
        at = cut - self.raised
        return float(ndtr(at - self.apart)), float(ndtr(-at))


@dataclass(frozen=True)
class Setting:
    """Two hospitals, the costs, and how the rates here are changed to lie on a boundary."""

    home: Hospital
    there: Hospital
    costs: Costs = EQUAL
    boundary: str = ""

    def rates_there(self, cut):
        miss, alarm = self.there.rates(cut)
        p, c1, c0 = self.there.prevalence, self.costs.cost_fn, self.costs.cost_fp
        without = min(c1 * p, c0 * (1 - p))
        if self.boundary == "not useful":
            # So many false alarms that one decision for everybody costs the same.
            alarm = (without - c1 * p * miss) / (c0 * (1 - p))
        if self.boundary == "margin":
            alarm += MARGIN * without / (c0 * (1 - p))
        if self.boundary == "crossed":
            # Half of the false alarms are gone, and more are missed at the same cost.
            miss += c0 * (1 - p) * alarm / 2 / (c1 * p)
            alarm /= 2
        return miss, alarm


def settings():
    """Return each setting with its numbers of patients."""
    good, weak = Hospital(0.90), Hospital(0.80)
    sizes, few = (100, 150, 300, 1000), (150, 300, 1000)
    found = {
        "no shift, AUC 0.80": (Setting(weak, weak), sizes),
        "no shift, AUC 0.90": (Setting(good, good), sizes),
        "scores raised by 0.5": (Setting(good, replace(good, raised=0.5)), few),
        "scores raised by 1.0": (Setting(good, replace(good, raised=1.0)), few),
        "sharper, AUC 0.97": (Setting(good, Hospital(0.97)), few),
        "weaker, AUC 0.75": (Setting(good, Hospital(0.75)), few),
        "useless, AUC 0.50": (Setting(good, Hospital(0.50)), few),
        "rarer, prevalence 0.10": (Setting(good, Hospital(0.90, 0.10)), few),
        "no shift, a miss costs 5": (Setting(good, good, Costs(cost_fn=5.0)), few),
        "no shift, an alarm costs 5": (Setting(good, good, Costs(cost_fp=5.0)), few),
    }
    for name in ("not useful", "margin", "crossed"):
        for costs in (Costs(), Costs(cost_fn=5.0), Costs(cost_fp=5.0)):
            ratio = f"costs {costs.cost_fn:g}:{costs.cost_fp:g}"
            found[f"boundary: {name}, {ratio}"] = Setting(good, good, costs, name), few
    return found


def numbered():
    """Yield the name of each setting, the setting, and each number of patients."""
    for name, (setting, sizes) in settings().items():
        for n in sizes:
            yield (name, setting), n


def truths(setting, cut, promised):
    """Return whether the rule is useful, and how much more it costs than before, in truth."""
    p, costs = setting.there.prevalence, setting.costs
    weights = np.array([costs.cost_fn * p, costs.cost_fp * (1 - p)])
    rates, before = setting.rates_there(cut), setting.home.rates(cut)
    risk, trivial = float(weights @ rates), float(weights.min())
    more = float(weights @ np.subtract(rates, before))
    return {
        "useful": risk < trivial - 1e-12,
        # Between 0 and the margin both answers are right.
        "as_before": None if 1e-12 < more < MARGIN * trivial - 1e-12 else more <= 1e-12,
        "within_certificate": risk <= promised,
    }, more


def counted(setting, cut, n, rng):
    """Return the patients there by class and decision."""
    p, (miss, alarm) = setting.there.prevalence, setting.rates_there(cut)
    cells = [(1 - p) * (1 - alarm), (1 - p) * alarm, p * miss, p * (1 - miss)]
    return rng.multinomial(n, cells).reshape(2, 2)


def compare(setting, n, rng):
    """Choose and check at home; return the comparison there, the cut-off and the true answers."""
    costs = setting.costs
    cut = chosen_cut(exact_cuts(setting.home.draw(n // 2, rng)), parse_rule("stable"), costs)
    before = confusion_at(setting.home.draw(n - n // 2, rng), cut)
    certificate = certificate_of(before, costs, DELTA)
    asked = Comparison(
        here=counted(setting, cut, n, rng),
        before=before.counts,
        matrix=CostMatrix.of_errors(costs.cost_fn, costs.cost_fp),
        costs=costs,
        promised=certificate.value,
        vacuous=certificate.vacuous,
    )
    return asked, cut, *truths(setting, cut, asked.promised)


def is_wrong(answer, truth):
    return truth is not None and answer != "cannot tell" and (answer == "yes") != truth


def one_row(name, setting, n, replicates):
    """Count decisions and answers of one setting."""
    rng = np.random.default_rng([1, n, *name.encode()])
    shares, false, wrong, hits = Counter(), Counter(), Counter(), 0
    for _ in range(replicates):
        asked, _, truth, more = compare(setting, n, rng)
        verdict = asked.verdict(DELTA)
        decision = verdict.decision
        shares[decision] += 1
        fine = truth["useful"] and more <= 1e-12
        wrong["use"] += decision in GOOD and not truth["useful"]
        wrong["reject"] += decision in BAD and fine
        hits += decision in BAD and not fine
        for question in QUESTIONS:
            false[question] += is_wrong(getattr(verdict, question), truth[question])
    rejected = sum(shares[one] for one in BAD)
    row = {
        "setting": name,
        "patients": n,
        "shares": {one: shares[one] / replicates for one in DECISIONS},
        "use_or_watch": sum(shares[one] for one in GOOD) / replicates,
        "wrong_use": wrong["use"] / replicates,
        "wrong_reject": wrong["reject"] / replicates,
        "rejected_rightly": hits / rejected if rejected else None,
        "false": {question: false[question] / replicates for question in QUESTIONS},
    }
    print(json.dumps(row), flush=True)
    return row


def many_looks(replicates):
    """Count audits that are ever wrong: within the certificate, or called worse than before."""
    rng = np.random.default_rng(2)
    setting = Setting(Hospital(0.90), Hospital(0.90))
    found = {(kind, which): 0 for kind in ("within", "reject") for which in (False, True)}
    for _ in range(replicates):
        asked, cut, _, _ = compare(setting, 150, rng)
        p = setting.there.prevalence
        promised = float(np.array([p, 1 - p]) @ setting.rates_there(cut))
        asked = replace(asked, promised=promised, vacuous=False)
        here, said = np.zeros((2, 2), dtype=np.int64), set()
        for _ in LOOKS:
            here = here + counted(setting, cut, 10, rng)
            for sequential in (False, True):
                now = replace(asked, here=here, sequential=sequential)
                if now.highest_cost(DELTA) <= now.promised:
                    said.add(("within", sequential))
                if now.verdict(DELTA).decision in BAD:
                    said.add(("reject", sequential))
        for name in said:
            found[name] += 1
    return {
        "looks": len(LOOKS),
        "wrong_within_certificate_one_look_limits": found["within", False] / replicates,
        "wrong_within_certificate_sequential": found["within", True] / replicates,
        "wrong_reject_one_look_limits": found["reject", False] / replicates,
        "wrong_reject_sequential": found["reject", True] / replicates,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    replicates = given.replicates
    asked = [(*part, n, replicates) for part, n in numbered()]
    with ProcessPoolExecutor(given.jobs) as pool:
        looks = pool.submit(many_looks, max(replicates // 4, 1))
        rows = list(pool.map(one_row, *zip(*asked, strict=True)))
    result = {
        "delta": DELTA,
        "margin": MARGIN,
        "replicates": replicates,
        "wrong_use_highest": max(row["wrong_use"] for row in rows),
        "wrong_reject_highest": max(row["wrong_reject"] for row in rows),
        "rows": rows,
        **looks.result(),
    }
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
