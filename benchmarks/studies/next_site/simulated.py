"""Hospitals whose truth is known: counts or scores are drawn, and the product speaks."""

import zlib
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr

from steadycut import PatientScores, fit
from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.within_groups import group_cells, group_codes
from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.confusion import Confusion
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.next_site import (
    SiteResult,
    logit_limit,
    next_site,
    promise,
    shares,
    site_delta,
    site_row,
)
from steadycut.core.records import Costs
from steadycut.core.rules.registry import parse_rule

LEVEL, COSTS = 0.9, Costs()
row_of = cache(site_row)


def stream(seed, *names):
    return np.random.default_rng([seed, zlib.crc32(repr(names).encode())])


def error_of(share, n):
    return float(np.sqrt(share * (1 - share) / n))


def rounded(row):
    def short(value):
        if isinstance(value, list):
            return [short(one) for one in value]
        return round(value, 4) if isinstance(value, float) else value

    return {name: short(value) for name, value in row.items()}


def hospital(counts):
    return SiteResult(site="", threshold=0.0, counts=counts)


# The worst hospital and the normal limit.

MEDIAN = 0.1
NORMAL = {f"tau {tau:g}": tau for tau in (0.0, 0.3, 0.6, 1.0)}
KINDS = (*NORMAL, "bad", "skewed")
N_SITES, N_PATIENTS = (3, 5, 10, 20), (50, 100, 300)


def rates(kind, shape, rng, median=MEDIAN):
    if kind in NORMAL:
        return expit(logit(median) + NORMAL[kind] * rng.normal(size=shape))
    if kind == "bad":
        return np.where(rng.random(shape) < 0.1, 0.35, 0.1)
    return np.minimum(0.05 + rng.gamma(1.0, 0.05, size=shape), 0.95)


def half_ill(wrong, n):
    """Counts with so many errors among n patients, half of them ill; both errors cost the same."""
    ill, misses = n // 2, (wrong + 1) // 2
    alarms = wrong - misses
    return Confusion(tp=ill - misses, fn=misses, fp=alarms, tn=n - ill - alarms)


def worst_cell(kind, n_sites, n, n_draws, rng, median=MEDIAN):
    """Draw hospitals again and again; every limit is the product's, kept by counts."""
    true = rates(kind, (n_draws, n_sites + 1), rng, median)
    wrong = rng.binomial(n, true[:, :-1])
    delta = site_delta(n_sites, LEVEL, split=True)
    own = np.array([row_of(hospital(half_ill(x, n)), COSTS, delta).limit for x in range(n + 1)])
    worst = own[wrong].max(axis=1)
    normal = np.array(
        [np.nan if one is None else one for one in (limit_of(tuple(row), n) for row in wrong)]
    )
    pooled = np.array([pooled_limit(int(x), n_sites * n) for x in wrong.sum(axis=1)])
    for place in range(3):
        whole = next_site([hospital(half_ill(int(x), n)) for x in wrong[place]], COSTS, level=LEVEL)
        assert whole.worst.limit == worst[place]
        there = whole.normal.limit
        assert np.isnan(normal[place]) if there is None else there == normal[place]
    following, said = true[:, -1], ~np.isnan(normal)
    with_guard = np.where(said, normal, worst)
    covered = (following[said] <= normal[said]).mean() if said.any() else None
    return {
        "kind": kind,
        "hospitals": n_sites,
        "patients": n,
        "median": median,
        "promise": promise(n_sites, delta, split=True),
        "worst": float((following <= worst).mean()),
        "normal_said": float(said.mean()),
        "normal": None if covered is None else float(covered),
        "normal_or_worst": float((following <= with_guard).mean()),
        "pooled": float((following <= pooled).mean()),
        "limit_worst": float(worst.mean()),
        "limit_normal": float(with_guard.mean()),
        "limit_pooled": float(pooled.mean()),
    }


def limit_of(wrong, n):
    return logit_limit([(int(x), n) for x in wrong], LEVEL)


@cache
def pooled_limit(wrong, n):
    return upper_limit(wrong, n, 1 - LEVEL)


def part_worst(chosen):
    n_draws, cells, rare = int(4000 * chosen.scale), [], []
    for kind, n_sites, n in product(KINDS, N_SITES, N_PATIENTS):
        rng = stream(chosen.seed, "worst", kind, n_sites, n)
        cells.append(worst_cell(kind, n_sites, n, n_draws, rng))
    for kind, median, n_sites, n in product(
        ("tau 0", "tau 0.6"), (0.01, 0.02, 0.05), (3, 5, 10), (20, 50, 100)
    ):
        rng = stream(chosen.seed, "rare", kind, median, n_sites, n)
        rare.append(worst_cell(kind, n_sites, n, n_draws, rng, median))
    smallest = min(cells, key=lambda row: row["worst"] - row["promise"])
    lowest = min(cells, key=lambda row: row["normal_or_worst"])
    normal = [row for row in cells if row["kind"] in NORMAL]
    summary = {
        "cells": len(cells),
        "draws": n_draws,
        "worst_below_promise": sum(row["worst"] < row["promise"] for row in cells),
        "smallest_margin": smallest["worst"] - smallest["promise"],
        "its_two_errors": 2 * error_of(smallest["worst"], n_draws),
        "smallest_margin_in": name_of(smallest),
        "normal_lowest": lowest["normal_or_worst"],
        "normal_lowest_in": name_of(lowest),
        "normal_lowest_where_said": min(row["normal"] for row in cells),
        "normal_lowest_normal_logits": min(row["normal_or_worst"] for row in normal),
        "normal_not_said_most": 1 - min(row["normal_said"] for row in cells),
        "pooled": [f(row["pooled"] for row in cells) for f in (min, max)],
        "pooled_tau_0.3_0.6": [
            f(row["pooled"] for row in cells if row["kind"] in {"tau 0.3", "tau 0.6"})
            for f in (min, max)
        ],
        "rare_cells": len(rare),
        "rare_normal_or_worst_lowest": min(row["normal_or_worst"] for row in rare),
        "rare_normal_lowest_where_said": min(row["normal"] for row in rare if row["normal"]),
        "rare_worst_below_promise": sum(row["worst"] < row["promise"] for row in rare),
        "rare_said": [f(row["normal_said"] for row in rare) for f in (min, max)],
    }
    return {
        "summary": rounded(summary),
        "cells": list(map(rounded, cells)),
        "rare": list(map(rounded, rare)),
    }


def name_of(row):
    return f"{row['kind']}, K = {row['hospitals']}, n = {row['patients']}"


# The share of hospitals.

PREVALENCE, FIXED_COST = 0.2, 0.15
# Miss rate and alarm rate of a good hospital, and of one that costs what calling nobody costs.
GOOD, EDGE = (0.1, 0.0), (0.5, 0.125)
SHARES = {"edge 0.5": 0.5, "edge 0.8": 0.8, "edge 0.95": 0.95, "smooth": None}


def share_rates(kind, shape, rng):
    """Miss rate, alarm rate and the fixed cost; the prevalence is 0.2 everywhere."""
    if SHARES[kind] is None:
        miss = expit(logit(0.35) + 0.8 * rng.normal(size=shape))
        alarm = expit(logit(0.08) + 0.8 * rng.normal(size=shape))
        return miss, alarm, FIXED_COST
    good = rng.random(shape) < SHARES[kind]
    miss, alarm = (np.where(good, a, b) for a, b in zip(GOOD, EDGE, strict=True))
    # A hospital at the edge costs just more than the fixed cost, and as much as calling nobody.
    return miss, alarm, PREVALENCE - 1e-9


def true_shares(kind):
    """The share that is useful, and the share that costs little enough."""
    if SHARES[kind] is not None:
        return SHARES[kind], SHARES[kind]
    miss, alarm, fixed = share_rates(kind, 2_000_000, np.random.default_rng(1))
    cost = PREVALENCE * miss + (1 - PREVALENCE) * alarm
    return float((cost < PREVALENCE).mean()), float((cost <= fixed).mean())


def share_cell(kind, n_sites, n, n_draws, rng):
    truth, delta = true_shares(kind), site_delta(n_sites, LEVEL, split=True)
    miss, alarm, fixed = share_rates(kind, (n_draws, n_sites), rng)
    ill = rng.binomial(n, PREVALENCE, size=miss.shape)
    misses, alarms = rng.binomial(ill, miss), rng.binomial(n - ill, alarm)
    held, stated = np.zeros(4), np.zeros(2)
    for place in range(n_draws):
        drawn = np.stack([ill[place], misses[place], alarms[place]], axis=1).tolist()
        rows = [
            row_of(hospital(Confusion(tp=i - x, fn=x, fp=y, tn=n - i - y)), COSTS, delta)
            for i, x, y in drawn
        ]
        alone, both = shares(rows, delta, LEVEL, None), shares(rows, delta, LEVEL, fixed)
        useful, cheap = both.useful.at_least <= truth[0], both.cost.at_least <= truth[1]
        held += alone.useful.at_least <= truth[0], useful, cheap, useful and cheap
        stated += alone.useful.at_least, both.cost.at_least
    held, stated = (held / n_draws).tolist(), (stated / n_draws).tolist()
    return {
        "kind": kind,
        "hospitals": n_sites,
        "patients": n,
        "true_useful": truth[0],
        "true_cost": truth[1],
        "useful_alone": held[0],
        "useful": held[1],
        "cost": held[2],
        "both": held[3],
        "stated_useful": stated[0],
        "stated_cost": stated[1],
    }


def part_shares(chosen):
    n_draws, cells = int(4000 * chosen.scale), []
    for kind, n_sites, n in product(SHARES, N_SITES, (100, 400)):
        rng = stream(chosen.seed, "shares", kind, n_sites, n)
        cells.append(share_cell(kind, n_sites, n, n_draws, rng))
    promised = {"useful_alone": 0.9, "useful": 0.95, "cost": 0.95, "both": 0.9}
    summary = {"cells": len(cells), "draws": n_draws}
    for name, least in promised.items():
        row = min(cells, key=lambda one, name=name: one[name])
        summary[f"{name}, promised {least:g}"] = row[name]
        summary[f"{name}, lowest in"] = name_of(row)
        summary[f"{name}, below by two errors"] = sum(
            one[name] < least - 2 * error_of(least, n_draws) for one in cells
        )
    return {"summary": rounded(summary), "cells": list(map(rounded, cells))}


# Cut-offs that are really chosen.


@dataclass(frozen=True)
class Hospitals:
    """Normal scores: means of the well and of the ill, their spread, and the prevalence."""

    well: np.ndarray
    ill: np.ndarray
    spread: np.ndarray
    prevalence: np.ndarray

    def miss(self, cut):
        return ndtr((cut - self.ill) / self.spread)

    def alarm(self, cut):
        return ndtr((self.well - cut) / self.spread)

    def cost(self, cut):
        return self.prevalence * self.miss(cut) + (1 - self.prevalence) * self.alarm(cut)

    def below(self, cut):
        return self.prevalence * self.miss(cut) + (1 - self.prevalence) * (1 - self.alarm(cut))

    def take(self, place):
        columns = (self.well, self.ill, self.spread, self.prevalence)
        return Hospitals(*(column[place] for column in columns))


# Standard deviations between hospitals: mean score, distance, log of the spread, logit prevalence.
SPREADS = {
    "alike": (0.0, 0.0, 0.0, 0.0),
    "moved scores": (1.0, 0.0, 0.0, 0.0),
    "prevalence": (0.0, 0.0, 0.0, 1.0),
    "everything": (0.5, 0.4, 0.2, 0.8),
}
DISTANCE, USUAL = 1.5, 0.35


def draw_hospitals(kind, n_sites, rng):
    moved, distance, spread, prevalence = (sd * rng.normal(size=n_sites) for sd in SPREADS[kind])
    return Hospitals(
        well=moved,
        ill=moved + np.maximum(DISTANCE + distance, 0.2),
        spread=np.exp(spread),
        prevalence=expit(logit(USUAL) + prevalence),
    )


def patients_of(hospitals, sizes, rng):
    """Patients of all hospitals but the last, which is the next one."""
    sites = np.repeat(np.arange(len(sizes)), sizes)
    labels = rng.random(sites.size) < hospitals.prevalence[sites]
    middle = np.where(labels, hospitals.ill[sites], hospitals.well[sites])
    return PatientScores(
        scores=middle + hospitals.spread[sites] * rng.normal(size=sites.size),
        labels=labels.astype(int),
        sites=[f"h{site:02}" for site in sites],
    )


def left_out_cell(kind, rule, n_sites, n, n_draws, rng):
    found = []
    while len(found) < n_draws:
        hospitals = draw_hospitals(kind, n_sites + 1, rng)
        patients = patients_of(hospitals, [n] * n_sites, rng)
        study = fit(patients, rule=rule, n_bootstrap=2, seed=len(found))
        if study.next_site is None:
            continue
        found.append(left_out_draw(study, hospitals.take(-1)))
    held = np.mean(found, axis=0).tolist()
    said = study.next_site
    return {
        "kind": kind,
        "rule": rule,
        "hospitals": n_sites,
        "patients": n,
        "draws": n_draws,
        "promise": said.worst.promise,
        "own_limit": held[0],
        "left_out": held[1],
        "published": held[2],
        "with_between": held[3],
        "certificate": held[4],
        "limit": held[5],
        "between": held[6],
        "vacuous": held[7],
    }


def left_out_draw(study, there):
    """What holds at the next hospital, with its true cost in closed form."""
    said, cut = study.next_site, study.threshold
    limit = said.worst.limit
    cuts = np.array([row.threshold for row in said.rows])
    costs, own = there.cost(cuts), np.array([row.limit for row in said.rows])
    between = np.abs(there.below(cuts) - there.below(cut)).max()
    cost = there.cost(cut)
    return (
        bool((costs <= own).any()),
        bool((costs <= limit).any()),
        cost <= limit,
        cost <= limit + between,
        cost <= study.certificate.value,
        limit,
        between,
        limit >= min(there.prevalence, 1 - there.prevalence),
    )


def part_left_out(chosen):
    cells, draws = [], {"stable": int(1000 * chosen.scale), "erm": int(500 * chosen.scale)}
    for rule, kind, n_sites, n in product(draws, SPREADS, (3, 5, 10), (40, 120)):
        rng = stream(chosen.seed, "left out", rule, kind, n_sites, n)
        cells.append(left_out_cell(kind, rule, n_sites, n, draws[rule], rng))
    summary = {"cells": len(cells), "draws": draws}
    for name in ("own_limit", "left_out", "published", "with_between", "certificate"):
        least = [0.9 if name == "certificate" else row["promise"] for row in cells]
        row, said = min(zip(cells, least, strict=True), key=lambda one: one[0][name] - one[1])
        summary[name] = [row[name], said]
        summary[f"{name}, in"] = f"{row['rule']}, {name_of(row)}"
        summary[f"{name}, below by two errors"] = sum(
            row[name] < said - 2 * error_of(said, row["draws"])
            for row, said in zip(cells, least, strict=True)
        )
    return {"summary": rounded(summary), "cells": list(map(rounded, cells))}


# A mean sensitivity, or specificity, at the next hospital.

TARGETS = ((3, 0.7), (5, 0.8), (10, 0.85), (20, 0.9))
POPULATIONS = ("alike", "moved scores", "bad", "few of the class", "sizes")


def conformal_hospitals(kind, n_sites, rng):
    """Hospitals and their sizes; `sizes` are related to the hospital, as are the scores."""
    hospitals = draw_hospitals("moved scores" if kind == "moved scores" else "alike", n_sites, rng)
    sizes, moved = np.full(n_sites, 60), np.zeros(n_sites)
    if kind == "bad":
        moved = np.where(rng.random(n_sites) < 0.1, 2.0, 0.0)
    if kind == "few of the class":
        sizes = np.full(n_sites, 15)
    if kind == "sizes":
        large = rng.random(n_sites) < 0.3
        sizes, moved = np.where(large, 300, 30), np.where(large, -1.0, 0.0)
    return hospitals, sizes, moved


def drawn_hospitals(kind, rate, n_sites, rng):
    """The bad and the small hospitals have the harder patients of the class that counts."""
    hospitals, sizes, moved = conformal_hospitals(kind, n_sites, rng)
    ill = rate == "sensitivity"
    moved_ill, moved_well = (-moved, 0 * moved) if ill else (0 * moved, moved)
    return (
        Hospitals(
            hospitals.well + moved_well,
            hospitals.ill + moved_ill,
            hospitals.spread,
            hospitals.prevalence,
        ),
        sizes,
    )


def with_the_class(hospitals, sizes, rate, rng):
    """Patients with at least one of the class at every hospital, as the rule demands."""
    label = int(rate == "sensitivity")
    while True:
        patients = patients_of(hospitals, sizes, rng)
        if np.unique(patients.sites[patients.labels == label]).size == len(sizes):
            return patients


def conformal_cell(kind, rate, n_sites, target, n_draws, rng):
    names = (f"{rate}:{target:g}@next-site", f"{rate}:{target:g}")
    rules, other = [parse_rule(name) for name in names], np.empty((n_draws, 2))
    found = np.empty((n_draws, 2))
    for place in range(n_draws):
        hospitals, sizes = drawn_hospitals(kind, rate, n_sites + 1, rng)
        patients = with_the_class(hospitals, sizes[:-1], rate, rng)
        rules[0].check_sites(patients)
        cuts, there = exact_cuts(patients), hospitals.take(-1)
        groups = group_cells(cuts, patients, group_codes(patients, "site"))
        for which, rule in enumerate(rules):
            by_site = groups if which == 0 else None
            cut = draw_thresholds(cuts, rule, COSTS, 0, rng, by_site).threshold
            right = 1 - there.miss(cut), 1 - there.alarm(cut)
            found[place, which], other[place, which] = right if is_ill(rate) else right[::-1]
    best = ideal(kind, rate, target)
    return {
        "kind": kind,
        "rate": rate,
        "hospitals": n_sites,
        "patients": {"few of the class": 15, "sizes": "30 or 300"}.get(kind, 60),
        "asked": target,
        "mean": float(found[:, 0].mean()),
        "two_errors": float(2 * found[:, 0].std() / np.sqrt(n_draws)),
        "pooled": float(found[:, 1].mean()),
        "other_rate": float(other[:, 0].mean()),
        "given_up": best - float(other[:, 0].mean()),
    }


def is_ill(rate):
    return rate == "sensitivity"


@cache
def ideal(kind, rate, target):
    """The mean other rate of the cut-off whose mean rate over all hospitals is the target."""
    hospitals, _ = drawn_hospitals(kind, rate, 100_000, np.random.default_rng(1))
    wrong, other = (hospitals.miss, hospitals.alarm)[:: 1 if is_ill(rate) else -1]
    cut = brentq(lambda t: 1 - wrong(t).mean() - target, -10, 10)
    return float(1 - other(cut).mean())


def part_conformal(chosen):
    n_draws, cells = int(2000 * chosen.scale), []
    rates_asked = ("sensitivity", "specificity")
    for kind, rate, (n_sites, target) in product(POPULATIONS, rates_asked, TARGETS):
        rng = stream(chosen.seed, "conformal", kind, rate, n_sites)
        cells.append(conformal_cell(kind, rate, n_sites, target, n_draws, rng))
    lowest = min(cells, key=lambda row: row["mean"] - row["asked"])
    pooled = min(cells, key=lambda row: row["pooled"] - row["asked"])
    summary = {
        "cells": len(cells),
        "draws": n_draws,
        "below_by_two_errors": sum(r["mean"] < r["asked"] - r["two_errors"] for r in cells),
        "smallest_margin": lowest["mean"] - lowest["asked"],
        "smallest_margin_in": f"{lowest['rate']}, {name_of(lowest)}",
        "pooled_below_by_two_errors": sum(
            r["pooled"] < r["asked"] - r["two_errors"] for r in cells
        ),
        "pooled_smallest_margin": pooled["pooled"] - pooled["asked"],
        "given_up": [f(r["given_up"] for r in cells) for f in (min, max)],
    }
    return {"summary": rounded(summary), "cells": list(map(rounded, cells))}
