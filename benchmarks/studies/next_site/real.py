"""Real sets with three or more hospitals: each is left out in turn, and is then the next one."""

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from simulated import rounded, stream

from steadycut import PatientScores, fit
from steadycut.core.bootstrap.within_groups import group_cells
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import TIE, count_errors, risk_at_cuts
from steadycut.core.records import Costs
from steadycut.core.rules.registry import ERM, cuts_at_rank
from steadycut.core.rules.stable import Stable

sys.path.insert(0, str(Path(__file__).parents[1] / "transport"))
from cohorts import Site
from held_out_sets import READERS as OTHERS
from judge import COSTS, LEAST_GAIN, is_balanced
from real_sets import READERS, columns, load

LEAST = 3
# Patients who get another treatment, not another hospital.
NOT_HOSPITALS = ("colon, by arm",)
SEPSIS = "sepsis units"
N_SEEDS = 5


def sepsis_units(folder):
    """Intensive care: the kinds of unit of two hospitals."""
    wanted = ["patient_id", "site", "patient_label", "score_hgb", "news_partial", "Unit1"]
    frame = pd.read_parquet(folder / "physionet2019_sepsis" / "dev.parquet", columns=wanted)
    patients = (
        frame.groupby(["site", "patient_id"])
        .agg(
            label=("patient_label", "max"),
            unit=("Unit1", "max"),
            hgb_mean=("score_hgb", "mean"),
            hgb_max=("score_hgb", "max"),
            news_mean=("news_partial", "mean"),
            news_max=("news_partial", "max"),
        )
        .reset_index()
    )
    unit = patients.unit.map({1.0: "medical", 0.0: "surgical"}).fillna("unknown")
    scores = ["hgb_mean", "hgb_max", "news_mean", "news_max"]
    return columns(patients, patients.label, patients.site + " " + unit, scores)


def several_sites(folder):
    """Set -> score -> sites, where a score has three or more."""
    readers = {**READERS, **OTHERS, SEPSIS: sepsis_units}
    found = {
        group: {score: sites for score, sites in scores.items() if len(sites) >= LEAST}
        for group, scores in load(folder, readers).items()
    }
    return {group: scores for group, scores in found.items() if scores}


def cases(sets):
    """Yield set, score, the hospitals that speak and the one that is left out."""
    for group, scores in sets.items():
        for score, sites in scores.items():
            for name, there in sites.items():
                yield group, score, name, {k: v for k, v in sites.items() if k != name}, there


def together(sites):
    names = np.repeat(list(sites), [site.n_patients for site in sites.values()])
    return PatientScores(
        scores=np.concatenate([site.scores for site in sites.values()]),
        labels=np.concatenate([site.labels for site in sites.values()]),
        sites=names.tolist(),
    )


# What is promised and what holds.


def part_real(chosen):
    rows, sets = [], several_sites(chosen.data)
    for group, score, name, sites, there in cases(sets):
        for seed in range(N_SEEDS):
            row = {"set": group, "score": score, "next": name}
            rows.append(row | one_case(group, sites, there, chosen.seed + seed))
    hospitals = [row for row in rows if row["set"] not in NOT_HOSPITALS]
    tables = {"all hospitals": table(hospitals)}
    tables |= {group: table([row for row in rows if row["set"] == group]) for group in sets}
    summary = tables | {"seeds": N_SEEDS, "cases": len(hospitals) // N_SEEDS}
    kept = [rounded(row) for row in rows[::N_SEEDS]]
    return {"summary": summary, "first_seed": kept}


def one_case(group, sites, there, seed):
    costs = Costs(cost_fn=10.0) if group == SEPSIS else Costs()
    prices = {"cost_fn": costs.cost_fn, "n_bootstrap": 2, "seed": seed}
    patients, prevalence = together(sites), float(there.labels.mean())
    study = fit(patients, **prices)
    told = fit(patients, prevalence_there=prevalence, **prices).next_site
    said, cut = study.next_site, study.threshold
    left_out = there.risk(np.array([row.threshold for row in said.rows]), costs)
    cost = float(there.risk(np.array([cut]), costs)[0])
    misses, alarms = (float(x[0]) for x in there.errors(np.array([cut])))
    normal = said.normal and said.normal.limit
    told_normal = told.normal and told.normal.limit
    return {
        "speak": len(sites),
        "promise": said.worst.promise,
        "cost": cost,
        "trivial": there.trivial_risk(costs),
        "certificate": study.certificate.value,
        "worst": said.worst.limit,
        "left_out_held": bool((left_out <= said.worst.limit).any()),
        "normal": normal,
        "told": told.worst.limit,
        "told_normal": told_normal,
        "miss_held": misses / prevalence <= said.worst.miss_rate,
        "alarm_held": alarms / (1 - prevalence) <= said.worst.alarm_rate,
        "miss_limit": said.worst.miss_rate,
        "alarm_limit": said.worst.alarm_rate,
    }


def table(rows):
    """Promised, held, limit in parts of the trivial cost and vacuous share, limit by limit."""
    found = {"cases": len(rows) // N_SEEDS}
    promised = float(np.mean([row["promise"] for row in rows]))
    for name, least in (
        ("certificate", 0.9),
        ("worst", promised),
        ("normal", 0.9),
        ("told", promised),
        ("told_normal", 0.9),
    ):
        said = [row for row in rows if row[name] is not None]
        found[name] = {
            "promised": least,
            "said": len(said) / len(rows),
            "held": mean(row["cost"] <= row[name] for row in said),
            "median_limit_in_trivial": middle(row[name] / row["trivial"] for row in said),
            "vacuous": mean(row[name] >= row["trivial"] for row in said),
        }
    found["left_out"] = {"promised": promised, "held": mean(row["left_out_held"] for row in rows)}
    for name in ("miss", "alarm"):
        found[f"{name} rate"] = {
            "promised": promised,
            "held": mean(row[f"{name}_held"] for row in rows),
            "limit": mean(row[f"{name}_limit"] for row in rows),
        }
    return {k: rounded(v) if isinstance(v, dict) else v for k, v in found.items()}


def mean(values):
    values = list(values)
    return float(np.mean(values)) if values else None


def middle(values):
    values = list(values)
    return float(np.median(values)) if values else None


# How to choose with several hospitals.

TOTALS, N_COHORTS, FEWEST = (100, 200), 40, 10
WAYS = ("equal weight", "mean of cuts", "worst hospital", "one hospital", "pooled erm")
POOLED = "pooling"
COPIES = 20


def part_choosing(chosen):
    n_cohorts, rows = int(N_COHORTS * chosen.scale), []
    for (group, score, name, sites, there), pair in product(
        cases(several_sites(chosen.data)), COSTS
    ):
        costs = Costs(cost_fn=pair[0], cost_fp=pair[1])
        homes = [site for site in sites.values() if is_balanced(site, costs)]
        if group in NOT_HOSPITALS or not counts(there, costs):
            continue
        for n_sites, total in product(range(2, min(len(homes), 5) + 1), TOTALS):
            rng = stream(chosen.seed, group, score, name, pair, n_sites, total)
            found = [regrets(homes, there, costs, n_sites, total, rng) for _ in range(n_cohorts)]
            means = {way: float(np.mean([one[way] for one in found])) for way in (POOLED, *WAYS)}
            rows.append({"set": group, "hospitals": n_sites, "total": total, **means})
    groups = sorted({row["set"] for row in rows})
    summary = {
        "cohorts": n_cohorts,
        "settings": len(rows),
        "sets": len(groups),
        "all": ratios(rows),
        **{
            f"{k} hospitals": ratios([r for r in rows if r["hospitals"] == k]) for k in (2, 3, 4, 5)
        },
        **{f"{n} patients": ratios([r for r in rows if r["total"] == n]) for n in TOTALS},
        "by_set": {group: ratios([r for r in rows if r["set"] == group]) for group in groups},
    }
    return {"summary": summary}


def counts(there, costs):
    """The conditions of ../transport on the next hospital; neither looks at a chosen cut-off."""
    useful = there.best_risk(costs) <= (1 - LEAST_GAIN) * there.trivial_risk(costs)
    return useful and is_balanced(there, costs)


def ratios(rows):
    """Regret in parts of pooling's: per set the mean over settings, then the geometric mean."""
    by_set = {}
    for row in rows:
        by_set.setdefault(row["set"], []).append(row)
    found = {}
    for way in WAYS:
        parts = [
            np.mean([r[way] for r in mine]) / np.mean([r[POOLED] for r in mine])
            for mine in by_set.values()
        ]
        found[way] = float(np.exp(np.mean(np.log(parts))))
        found[f"{way}, sets better"] = f"{sum(part < 1 for part in parts)} of {len(parts)}"
    found["mean regret of pooling"] = mean(
        np.mean([r[POOLED] for r in mine]) for mine in by_set.values()
    )
    return rounded(found)


def regrets(homes, there, costs, n_sites, total, rng):
    """One cohort of some of the hospitals, in proportion to their sizes, and one of a single."""
    chosen = [homes[place] for place in rng.permutation(len(homes))[:n_sites]]
    sizes = np.array([site.n_patients for site in chosen], dtype=float)
    shares = FEWEST + rng.multinomial(total - FEWEST * n_sites, sizes / sizes.sum())
    drawn, alone = draw(chosen, shares, rng), draw(chosen[:1], [total], rng)[0]
    cuts = ways(drawn, costs) | {"one hospital": stable_cut(alone, costs)}
    best, trivial = there.best_risk(costs), there.trivial_risk(costs)
    return {
        way: float((there.risk(np.array([cut]), costs)[0] - best) / (trivial - best))
        for way, cut in cuts.items()
    }


def draw(sites, sizes, rng):
    """Patients of each hospital, with at least two of each class in all."""
    while True:
        which = [rng.integers(0, site.n_patients, n) for site, n in zip(sites, sizes, strict=True)]
        drawn = [
            Site(site.scores[rows], site.labels[rows])
            for site, rows in zip(sites, which, strict=True)
        ]
        ill = sum(int(site.labels.sum()) for site in drawn)
        if 2 <= ill <= sum(sizes) - 2:
            return drawn


def stable_cut(site, costs):
    cuts = exact_cuts(PatientScores(scores=site.scores, labels=site.labels))
    return place(cuts, Stable(), count_errors(cuts.cells[None, :]), costs)


def place(cuts, rule, curve, costs):
    first, last = cuts_at_rank(curve.ranks, rule(curve, costs))
    return float(cuts.place(first, last)[0])


def ways(drawn, costs):
    """The cut-off of every way to combine the same patients."""
    scores, labels = (
        np.concatenate([getattr(site, name) for site in drawn]) for name in ("scores", "labels")
    )
    sizes = np.array([site.n_patients for site in drawn])
    patients = PatientScores(scores=scores, labels=labels)
    cuts = exact_cuts(patients)
    curve = count_errors(cuts.cells[None, :])
    groups = group_cells(cuts, patients, np.repeat(np.arange(sizes.size), sizes))
    # Whole copies of patients, such that all hospitals count alike; a copy counts for less.
    copies = np.rint(COPIES * sizes.max() / sizes).astype(np.int64)
    equal = count_errors((copies[:, None] * groups).sum(axis=0)[None, :])
    more = float(equal.n_patients[0, 0] / scores.size)
    # All copies together count as the patients do in pooling.
    rule = Stable(weight=Stable().weight / more, height=Stable().height * np.sqrt(more))
    # A hospital with one class alone has no cut-off of its own.
    own = [stable_cut(site, costs) for site in drawn if 0 < site.labels.mean() < 1]
    pooled = place(cuts, Stable(), curve, costs)
    rank = np.mean([np.mean(scores < cut) for cut in own or [pooled]])
    return {
        POOLED: pooled,
        "equal weight": place(cuts, rule, equal, costs),
        "mean of cuts": float(np.quantile(scores, rank, method="hazen")),
        "worst hospital": minimax(cuts, risk_at_cuts(count_errors(groups), costs).max(axis=0)),
        "pooled erm": place(cuts, ERM, curve, costs),
    }


def minimax(cuts, risk):
    """The middle of the cuts with the smallest cost at the worst hospital."""
    best = np.flatnonzero(risk <= risk.min() + TIE)
    middle = best[best.size // 2 : best.size // 2 + 1]
    return float(cuts.place(middle, middle)[0])
