"""How good is a cut-off that is adapted at the next hospital, and do its certificates hold?

Run: python benchmarks/studies/adapt/run.py [--part NAME] [--reduced] [--out FOLDER]
"""

import argparse
import json
import os
import platform
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from peers import Logistic, at_prevalence, moved_odds, with_labels
from scipy.special import ndtr
from scipy.stats import binom
from settings import COSTS, N_LABELS, STRONG, TUNED, cases, costs_of, log_ratios

from steadycut.adaptation.before import is_far
from steadycut.core.adapt.menu import (
    exact_limit,
    limited,
    limits_at_every_look,
    make_menu,
    nearest,
)
from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.adapt.refit import Labels, Model, Stated, refitted, refitted_each, refitted_with
from steadycut.core.bounds.anytime import TARGET_BETS
from steadycut.core.planning.power import POWER, most_errors
from steadycut.core.records import Costs

HERE = Path(__file__).resolve().parent
WRONG, DELTA = 1.5, 0.1
ODDS = {"right": 1.0, "odds x 1.5": WRONG, "odds / 1.5": 1 / WRONG}
# Certificates are looked at with these costs.
CERTIFIED = ((1, 1), (3, 1))
LIMITED = (20, 50, 100)


def part_regret(chosen):
    """Regret in cost per patient of adapt and of its peers, and what is certified."""
    rows = [row for case in chosen.cases() for row in rows_of(case)]
    table = pd.DataFrame(rows)
    found = {}
    masks = {"all sets": np.ones(len(table), dtype=bool)}
    masks["chose the method"] = table["part"].isin(TUNED).to_numpy()
    masks["looked at once"] = ~masks["chose the method"]
    for name, mask in masks.items():
        if mask.any():
            found[name] = summary(table[mask])
    return found


def rows_of(case):
    """One row a pair of costs: the regret of every method in every situation."""
    home = Logistic(case.scores, case.labels)
    made = {"erm": case.erm, "frozen": case.stable}
    shifts = {}
    for name, factor in ODDS.items():
        stated = moved_odds(case.prevalence, factor)
        shifts[name] = Stated.of(case.model, case.counts, (stated, stated)).shift
        for peer, cuts in at_prevalence(case, home, stated).items():
            made[f"{peer} | {name}"] = cuts
    ends = tuple(moved_odds(case.prevalence, factor) for factor in (1 / WRONG, WRONG))
    shifts["a range"] = Stated.of(case.model, case.counts, ends).shift
    for m in N_LABELS:
        for peer, cuts in with_labels(case, home, m).items():
            made[f"{peer} | {m} labels"] = cuts
    for place, pair in enumerate(COSTS):
        row = {"part": case.part, "set": case.group, "cost": place, "auc": case.auc}
        row["patients"] = case.there.n_patients
        regrets = {name: case.regret(cuts[place], pair) for name, cuts in made.items()}
        frozen, costs = float(case.stable[place]), costs_of(pair)
        cuts = refitted_each(case.model, costs, np.array(list(shifts.values())))
        for (name, shift), cut in zip(shifts.items(), cuts, strict=True):
            regrets[f"adapt | {name}"] = case.regret(cut if shift else frozen, pair)
        for shift, more in ((0.0, ""), (shifts["right"], ", stated")):
            row |= labelled_row(case, place, frozen, shift, more)
        yield row | regrets


def labelled_row(case, place, frozen, shift, more):
    """With labels: from the menu, and freely; what is certified, and whether that holds."""
    pair = COSTS[place]
    costs, row = costs_of(pair), {}
    menu = make_menu(case.model, case.pool, frozen, costs, shift)
    for m in N_LABELS:
        labels = case.labelled(m)
        free = refitted_with(case.model, costs, shift, labels)
        item = menu[nearest(case.pool, menu, free)]
        row[f"adapt | {m} labels{more}"] = case.regret(item.cut, pair)
        row[f"freely | {m} labels{more}"] = case.regret(free, pair)
        if pair in CERTIFIED and m in LIMITED:
            limit = exact_limit(labels.counts_at(item.cut), costs, DELTA * item.weight)
            row[f"broken | {m} labels{more}"] = float(case.risk(item.cut, pair) > limit)
            trivial = case.there.trivial_risk(costs)
            row[f"certified | {m} labels{more}"] = limit / trivial
            first, second = (
                Labels(scores=labels.scores[half], labels=labels.labels[half])
                for half in (slice(0, m // 2), slice(m // 2, m))
            )
            cut = refitted_with(case.model, costs, shift, first)
            row[f"half | {m} labels{more}"] = (
                exact_limit(second.counts_at(cut), costs, DELTA) / trivial
            )
    return row


def summary(table):
    found = {"sets": int(table["set"].nunique()), "strong": {}, "all scores": {}, "labels": {}}
    methods = [name for name in table if " | " in name and not name.startswith(KINDS)]
    for name in ["frozen", *methods]:
        rows = table[table["patients"] >= least_patients(name)]
        for kind, mine in (("strong", rows[rows["auc"] >= STRONG]), ("all scores", rows)):
            if len(mine):
                found[kind][name] = compared(mine, name)
    for name in (name.split(" | ")[1] for name in table if name.startswith("broken")):
        rows = table[
            (table["patients"] >= least_patients(name)) & table[f"broken | {name}"].notna()
        ]
        broken = rows.groupby("set")[f"broken | {name}"].mean()
        ratio = np.log(rows[f"certified | {name}"] / rows[f"half | {name}"]).groupby(rows["set"])
        found["labels"][name] = {
            "broken": round(float(broken.mean()), 4),
            "broken_most": round(float(broken.max()), 4),
            "certified_to_half": round(float(np.exp(ratio.mean().mean())), 3),
        }
    return found


KINDS = ("broken", "certified", "half |")


def least_patients(name):
    """A hospital with few patients is known by heart from as many labels."""
    words = name.split(" | ")[-1].split(" ")
    return 2 * int(words[0]) if words[0].isdigit() else 0


def compared(rows, name):
    to_erm, to_frozen = (log_ratios(rows, name, reference) for reference in ("erm", "frozen"))
    by_set = np.exp(to_frozen.groupby("set").mean())
    every = {"by_set": by_set.round(3).to_dict()} if name.startswith("adapt") else {}
    return every | {
        "to_erm": round(float(np.exp(to_erm.mean())), 3),
        "to_frozen": round(float(np.exp(to_frozen.mean())), 3),
        "worst": round(float(by_set.max()), 3),
        "worst_in": by_set.idxmax(),
    }


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


FLAT = {"1:1": Costs(), "3:1": Costs(cost_fn=3)}


def part_flat(chosen):
    """The worst boundary: every cut-off in the middle costs the same, and the best limit counts."""
    found = {}
    for name, costs in FLAT.items():
        rng = np.random.default_rng([chosen.seed, len(found)])
        broken = [flat_limits(costs, rng) for _ in range(chosen.simulated)]
        fixed, ever = np.mean(broken, axis=0)
        found[name] = {"all at once": round(float(fixed), 4), "one by one": round(float(ever), 4)}
    return found


def flat_limits(costs, rng):
    """Return whether any limit of a menu is too low after all labels, and at any look."""
    ill = costs.cost_fp / (costs.cost_fn + costs.cost_fp)
    scores, labels = flat_patients(200, ill, rng)
    classes = [np.sort(scores[labels == label]) for label in (1, 0)]
    sizes = {"n_positive": classes[0].size, "n_negative": classes[1].size}
    model = Model.of(HomeScores(positive=classes[0], negative=classes[1], **sizes))
    pool = Pool.of(flat_patients(100, ill, rng)[0])
    menu = make_menu(model, pool, 0.5, costs)
    scores, labels = flat_patients(FLAT_LABELS, ill, rng)
    data = Labels(scores=scores, labels=labels)
    cuts = np.clip([item.cut for item in menu], 0, 1)
    beyond = costs.cost_fn * np.maximum(cuts - 0.8, 0) + costs.cost_fp * np.maximum(0.2 - cuts, 0)
    true = 0.6 * costs.cost_fn * ill + beyond
    limits = np.array([entry.limit for entry in limited(menu, data, costs, DELTA)])
    path = limits_at_every_look(menu, data, costs, DELTA)
    return bool((limits < true).any()), bool((path < true[:, None] - 1e-12).any())


FLAT_LABELS = 100


def flat_patients(n, ill, rng):
    """Healthy below 0.2, ill above 0.8, and a mixture between in which no cut-off is better."""
    scores = rng.random(n)
    risk = np.where(scores < 0.2, 0.0, np.where(scores < 0.8, ill, 1.0))
    return scores, (rng.random(n) < risk).astype(np.int64)


def one_certificate(population, rng):
    """Return whether the limit of the chosen cut-off, and that of any one, is too low."""
    distance, before, here, moved, costs = population
    labels = rng.random(200) < before
    scores = rng.normal(size=200) + distance * labels
    ill, well = np.sort(scores[labels]), np.sort(scores[~labels])
    home = HomeScores(positive=ill, negative=well, n_positive=ill.size, n_negative=well.size)
    model = Model.of(home)
    sick = rng.random(150) < here
    patients = rng.normal(size=150) + distance * sick + moved
    pool = Pool.of(patients[:100])
    menu = make_menu(model, pool, refitted(model, costs, 0.0), costs)
    data = Labels(scores=patients[100:], labels=sick[100:].astype(np.int64))
    found = limited(menu, data, costs, DELTA)
    cuts, values = (
        np.array(one) for one in zip(*((f.item.cut, f.limit) for f in found), strict=True)
    )
    miss, alarm = ndtr(cuts - moved - distance), ndtr(moved - cuts)
    true = costs.cost_fn * here * miss + costs.cost_fp * (1 - here) * alarm
    place = nearest(pool, menu, refitted_with(model, costs, 0.0, data))
    return true[place] > values[place], bool((true > values).any())


CASES = ((0.10, 0.20), (0.10, 0.25), (0.15, 0.25), (0.15, 0.30), (0.20, 0.30), (0.05, 0.10))


def fewest_labels(risk, target, delta):
    """Return the smallest number of labels, fixed beforehand, that certifies with that power."""
    sizes = np.arange(1, 10_001)
    most = most_errors(sizes, target, delta)
    return int(sizes[np.flatnonzero(binom.cdf(most, sizes, risk) >= POWER)[0]])


def part_one_by_one(chosen):
    """Labels one at a time: wrong acceptance at the boundary, and how many labels it takes."""
    rng, found = np.random.default_rng(chosen.seed), {"boundary": {}, "labels": {}}
    for target in (0.1, 0.2, 0.3):
        reached = stops(target, target, 1.0, chosen.streams, 2000, rng)
        found["boundary"][str(target)] = round(float(np.isfinite(reached).mean()), 4)
    for risk, target in CASES:
        for weight in (1.0, 0.3):
            reached = stops(risk, target, weight, min(chosen.streams, 4000), 2000, rng)
            fixed = fewest_labels(risk, target, DELTA * weight)
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
    for case in chosen.cases():
        ends = [np.quantile(case.scores[case.labels == label], [0.05, 0.95]) for label in (0, 1)]
        usual = float(min(x[0] for x in ends)), float(max(x[1] for x in ends))
        warned = not usual[0] <= np.median(case.unlabelled) <= usual[1]
        rows.append((warned, is_far(usual, case.unlabelled)))
    warned, refused = np.sum(rows, axis=0)
    return {"cases": len(rows), "warned": int(warned), "refused": int(refused)}


PARTS = {
    "one_by_one": part_one_by_one,
    "simulated": part_simulated,
    "flat": part_flat,
    "units": part_units,
    "regret": part_regret,
}


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("STEADYCUT_DATA", str(HERE.parents[3] / "shared" / "data"))
    parser.add_argument("--data", default=data)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--simulated", type=int, default=1000)
    parser.add_argument("--streams", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--reduced", action="store_true", help="few draws, simulated sets too")
    parser.add_argument("--out", default=str(HERE.parents[1] / "results"), type=Path)
    chosen = parser.parse_args()
    if chosen.reduced:
        chosen.simulated, chosen.streams = 5, 50
    chosen.cases = lambda: cases(chosen.data, chosen.seed, reduced=chosen.reduced)
    return chosen


def main():
    warnings.simplefilter("ignore", FutureWarning)
    chosen = options()
    chosen.out.mkdir(parents=True, exist_ok=True)
    result = chosen.out / "adapt.json"
    record = json.loads(result.read_text()) if result.exists() else {}
    record = {name: record[name] for name in PARTS if name in record}
    for name in [chosen.part] if chosen.part else PARTS:
        started = time.perf_counter()
        record[name] = PARTS[name](chosen)
        record["made_with"] = {"numpy": np.__version__, "python": platform.python_version()}
        record["seed"] = chosen.seed
        result.write_text(json.dumps(record, indent=1, default=str) + "\n")
        print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
