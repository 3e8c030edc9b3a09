"""How good is a cut-off that is adapted at the next hospital, and do its certificates hold?

Run: python benchmarks/studies/adapt/run.py [--part NAME] [--cohorts 20]
"""

import argparse
import json
import os
import warnings
from pathlib import Path

import numpy as np
from scipy.special import expit, logit, ndtr
from settings import by_set, cases, compared

from steadycut.adaptation.before import is_far
from steadycut.core.adapt.labels import Labels, choose, exact_limit, likely_rank, limited
from steadycut.core.adapt.menu import make_menu
from steadycut.core.adapt.mix import DOUBT, mix, told
from steadycut.core.adapt.plan import labels_needed
from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.bounds.anytime import TARGET_BETS
from steadycut.core.records import Costs

HERE = Path(__file__).resolve().parent
RESULT = HERE.parents[1] / "results" / "adapt.json"
KINDS = ("five", "ten", "more")
ODDS = {"right": 1.0, "too high": DOUBT, "too low": 1 / DOUBT}
N_LABELS, DELTA = (20, 50, 100), 0.1


def part_told(chosen):
    """Regret without labels, as ratios to the frozen cut-off."""
    rows = []
    for case in cases(chosen.data, chosen.cohorts, chosen.seed, KINDS):
        row = {"kind": case.kind, "group": case.group, "setting": case.setting}
        row["frozen"] = float(case.regret(case.frozen)[0])
        for name, factor in ODDS.items():
            stated = float(expit(logit(case.prevalence) + np.log(factor)))
            found = mix(case.home, case.pool, case.frozen, (stated, stated), case.costs)
            full = case.pool.at_rank(told(case.home, stated, case.costs).rank)
            row[name] = float(case.regret(found.cut)[0])
            row[f"followed all the way, {name}"] = float(case.regret(full)[0])
        ends = expit(logit(case.prevalence) + np.log([1 / DOUBT, DOUBT]))
        wide = mix(case.home, case.pool, case.frozen, tuple(map(float, ends)), case.costs)
        row["a range"] = float(case.regret(wide.cut)[0])
        exact = mix(case.patients, case.pool, case.frozen, (case.prevalence,) * 2, case.costs)
        row["patients instead of the file"] = float(case.regret(exact.cut)[0])
        rows.append(row)
    names = [name for name in rows[0] if name not in {"kind", "group", "setting", "frozen"}]
    return {
        kind: {
            "settings": len({row["setting"] for row in mine}),
            "mean_regret": {
                name: round(float(np.mean(list(by_set(mine, name).values()))), 3)
                for name in ("frozen", *names)
            },
            "to_frozen": {name: compared(mine, name, "frozen") for name in names},
            "by_set": {name: by_set(mine, name) for name in ("frozen", *ODDS)},
        }
        for kind in KINDS
        if (mine := [row for row in rows if row["kind"] == kind])
    }


def erm(scores, labels, costs):
    """Return the middle of the widest flat of cut-offs with the smallest observed cost."""
    values = np.unique(scores)
    cuts = np.concatenate([[values[0]], (values[1:] + values[:-1]) / 2, [values[-1] + 1e-9]])
    ill, well = np.sort(scores[labels == 1]), np.sort(scores[labels == 0])
    cost = costs.cost_fn * np.searchsorted(ill, cuts)
    cost = cost + costs.cost_fp * (well.size - np.searchsorted(well, cuts))
    best = np.flatnonzero(cost <= cost.min() + 1e-12)
    runs = np.split(best, np.flatnonzero(np.diff(best) > 1) + 1)
    widest = max(runs, key=lambda run: cuts[run[-1]] - cuts[run[0]])
    return float(cuts[widest].mean())


def part_labels(chosen, kinds=("five", "ten")):
    """Regret and certificates with few labels."""
    rows = []
    for case in cases(chosen.data, chosen.cohorts, chosen.seed, kinds, max(N_LABELS)):
        row = {"kind": case.kind, "group": case.group, "setting": case.setting}
        row["frozen"] = float(case.regret(case.frozen)[0])
        for stated in (False, True):
            row |= with_labels(case, stated)
        for m in N_LABELS:
            scores, labels = case.labelled[0][:m], case.labelled[1][:m]
            both = 0 < labels.sum() < m
            cut = erm(scores, labels, case.costs) if both else case.frozen
            row[f"erm, {m}"] = float(case.regret(cut)[0])
        rows.append(row)
    found = {}
    for kind in kinds:
        mine = [row for row in rows if row["kind"] == kind]
        for stated in ("", ", stated prevalence"):
            for m in N_LABELS:
                name = f"{m}{stated}"
                broken = by_set(mine, f"broken, {name}")
                found.setdefault(kind, {})[name] = {
                    "regret_to_frozen": compared(mine, f"regret, {name}", "frozen"),
                    "regret_to_erm": compared(mine, f"regret, {name}", f"erm, {m}"),
                    "free_to_erm": compared(mine, f"free, {name}", f"erm, {m}"),
                    "certified_to_half": compared(mine, f"certified, {name}", f"half, {name}"),
                    "broken": round(float(np.mean(list(broken.values()))), 4),
                    "broken_most": round(max(broken.values()), 4),
                }
    return found


def part_labels_elsewhere(chosen):
    """The same on the ten sets that had no part in settling how labels choose."""
    return part_labels(chosen, ("more",))


def with_labels(case, stated):
    costs, row = case.costs, {}
    prevalence = (case.prevalence, case.prevalence)
    mixed = mix(case.home, case.pool, case.frozen, prevalence, costs) if stated else None
    menu, prior = make_menu(case.home, case.pool, case.frozen, costs, mixed)
    trivial = case.there.trivial_risk(costs)
    for m in N_LABELS:
        name = f"{m}{', stated prevalence' if stated else ''}"
        labels = Labels(scores=case.labelled[0][:m], labels=case.labelled[1][:m])
        likely = likely_rank(case.pool, prior, labels, costs)
        found = limited(case.pool, menu, labels, costs, DELTA, likely)
        values = np.array([one.limit for one in found])
        chosen = found[choose(case.pool, [one.item.cut for one in found], values, likely)]
        row[f"regret, {name}"] = float(case.regret(chosen.item.cut)[0])
        row[f"certified, {name}"] = chosen.limit / trivial
        row[f"broken, {name}"] = float(case.risk(chosen.item.cut)[0] > chosen.limit)
        free = case.pool.at_rank(likely)
        row[f"free, {name}"] = float(case.regret(free)[0])
        first, second = (
            Labels(scores=labels.scores[part], labels=labels.labels[part])
            for part in (slice(0, m // 2), slice(m // 2, m))
        )
        cut = case.pool.at_rank(likely_rank(case.pool, prior, first, costs))
        row[f"half, {name}"] = exact_limit(second.counts_at(cut), costs, DELTA) / trivial
    return row


# Separation, prevalence at home and there, change of the scores there, costs.
POPULATIONS = {
    "same": (1.5, 0.3, 0.3, 0.0, Costs()),
    "rarer": (1.5, 0.4, 0.1, 0.0, Costs()),
    "moved": (1.5, 0.3, 0.3, 0.8, Costs()),
    "weak score": (0.5, 0.4, 0.3, 0.2, Costs()),
    "rarer, misses cost 3": (2.0, 0.4, 0.2, 0.3, Costs(cost_fn=3)),
    "commoner, alarms cost 3": (2.0, 0.2, 0.5, -0.4, Costs(cost_fp=3)),
}


def part_simulated(chosen):
    """How often a certificate from 50 labels is below the true cost."""
    found = {}
    for name, population in POPULATIONS.items():
        rng = np.random.default_rng([chosen.seed, len(name)])
        broken = [one_certificate(population, rng) for _ in range(chosen.simulated)]
        share = np.mean(broken, axis=0)
        found[name] = {"chosen": round(float(share[0]), 4), "any": round(float(share[1]), 4)}
    return found


def one_certificate(population, rng):
    """Return whether the limit of the chosen cut-off, and that of any one, is too low."""
    distance, before, here, moved, costs = population
    labels = rng.random(200) < before
    scores = rng.normal(size=200) + distance * labels
    ill, well = np.sort(scores[labels]), np.sort(scores[~labels])
    home = HomeScores(positive=ill, negative=well, n_positive=ill.size, n_negative=well.size)
    own = told(home, home.prevalence, costs).same_score
    sick = rng.random(150) < here
    patients = rng.normal(size=150) + distance * sick + moved
    pool = Pool.of(patients[:100])
    menu, prior = make_menu(home, pool, own, costs, None)
    data = Labels(scores=patients[100:], labels=sick[100:].astype(np.int64))
    likely = likely_rank(pool, prior, data, costs)
    found = limited(pool, menu, data, costs, DELTA, likely)
    cuts, values = (
        np.array(one) for one in zip(*((f.item.cut, f.limit) for f in found), strict=True)
    )
    miss, alarm = ndtr(cuts - moved - distance), ndtr(moved - cuts)
    true = costs.cost_fn * here * miss + costs.cost_fp * (1 - here) * alarm
    place = choose(pool, cuts.tolist(), values, likely)
    return true[place] > values[place], bool((true > values).any())


CASES = ((0.10, 0.20), (0.10, 0.25), (0.15, 0.25), (0.15, 0.30), (0.20, 0.30), (0.05, 0.10))


def part_one_by_one(chosen):
    """Labels one at a time: wrong acceptance at the boundary, and how many labels it takes."""
    rng, found = np.random.default_rng(chosen.seed), {"boundary": {}, "labels": {}}
    for target in (0.1, 0.2, 0.3):
        reached = stops(target, target, 1.0, chosen.streams, 2000, rng)
        found["boundary"][str(target)] = round(float(np.isfinite(reached).mean()), 4)
    for risk, target in CASES:
        for weight in (1.0, 0.3):
            reached = stops(risk, target, weight, 4000, 2000, rng)
            fixed = labels_needed(risk, target, DELTA * weight)
            median, late = np.quantile(reached, [0.5, 0.8], method="inverted_cdf")
            found["labels"][f"{risk}, {target}, weight {weight:g}"] = {
                "fixed": fixed,
                "median": int(median),
                "80 %": int(late),
                "ratio": round(float(median / fixed), 3),
            }
    return found


def stops(risk, target, weight, n_streams, longest, rng):
    """Return after how many labels the capital is reached, as `limits_at_every_look` has it."""
    wrong = np.cumsum(rng.random((n_streams, longest)) < risk, axis=1)
    right = np.arange(1, longest + 1) - wrong
    total = np.zeros(wrong.shape)
    for bet in TARGET_BETS:
        won = np.log1p(bet * target / (1 - target))
        total += np.exp(np.minimum(wrong * np.log1p(-bet) + right * won, 600))
    reached = total / TARGET_BETS.size >= 1 / (DELTA * weight)
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, np.inf)


def part_units(chosen):
    """How often real pairs of hospitals look like another unit: warned of, and refused."""
    rows = []
    for case in cases(chosen.data, 3, chosen.seed, KINDS):
        ends = [
            np.quantile(x, [0.05, 0.95]) for x in (case.patients.positive, case.patients.negative)
        ]
        usual = float(min(x[0] for x in ends)), float(max(x[1] for x in ends))
        warned = not usual[0] <= np.median(case.pool.scores) <= usual[1]
        rows.append((warned, is_far(usual, case.pool.scores)))
    warned, refused = np.sum(rows, axis=0)
    return {"cohorts": 3, "cases": len(rows), "warned": int(warned), "refused": int(refused)}


PARTS = {
    "told": part_told,
    "units": part_units,
    "labels": part_labels,
    "labels_elsewhere": part_labels_elsewhere,
    "simulated": part_simulated,
    "one_by_one": part_one_by_one,
}


def main():
    warnings.simplefilter("ignore", FutureWarning)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("STEADYCUT_DATA", str(HERE.parents[3] / "shared" / "data"))
    parser.add_argument("--data", default=data)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--cohorts", type=int, default=20)
    parser.add_argument("--simulated", type=int, default=2000)
    parser.add_argument("--streams", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=2026)
    chosen = parser.parse_args()
    record = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    for name in [chosen.part] if chosen.part else PARTS:
        found = {"cohorts": chosen.cohorts, "seed": chosen.seed, **PARTS[name](chosen)}
        record[name] = found
        RESULT.write_text(json.dumps(record, indent=1, default=str) + "\n")
        print(json.dumps({name: found}, indent=1, default=str))


if __name__ == "__main__":
    main()
