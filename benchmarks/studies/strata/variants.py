"""Other posteriors that ``stable`` could have taken for several boundaries.

Every variant is the rule ``stable`` of one cut-off where there is one boundary. ``chance`` says
what an error is compared with (K other strata, or one), ``unit`` in which errors are counted (the
dearest error of a patient over all strata, or over single boundaries, or their mean), ``weight``
how much of a patient counts, ``prior`` how boundaries are placed before the data (parted: even
ones of 2K + 1 uniform points; free: independent Beta(2, 2) in order). Stored: the mean over
populations and 60 and 150 patients of the joint flip-rate and of the regret, as in `run.py`.

Run: python benchmarks/studies/strata/variants.py [--cohorts 16] [--draws 25]
"""

import argparse
import json
from dataclasses import dataclass, replace
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from methods import jointly, one_by_one
from populations import POPULATIONS

from steadycut.core.bootstrap.resampling import replicates
from steadycut.core.records import PatientScores
from steadycut.core.rules.registry import cuts_at_rank
from steadycut.core.rules.stable import cell_edges, is_between, one_basin, prior_mass
from steadycut.core.strata.cuts import boundary_curves, grade_cells
from steadycut.core.strata.draws import stratum_flips, stratum_of
from steadycut.core.strata.ordered import ordered_marginals
from steadycut.core.strata.rules import (
    boundary_barriers,
    nearest_ranks,
    smallest_risk,
)

RESULT = Path(__file__).resolve().parents[2] / "results" / "strata_variants.json"
GRID = 100
UNITS = {
    "patient": lambda costs: costs.stakes,
    "boundary": lambda costs: np.abs(costs.steps).max(axis=1),
    "mean": lambda costs: np.abs(costs.steps).mean(axis=1),
}


def parted(likelihood, quantiles):
    """Boundaries kept apart."""
    return ordered_marginals(likelihood, cell_edges(quantiles))


def free(likelihood, quantiles):
    """Two independent Beta(2, 2) boundaries in order; in one cell each order is as likely."""
    with np.errstate(divide="ignore"):
        weights = likelihood + np.log(prior_mass(quantiles))[:, None, :]
    below = _through(weights[:, 0])
    above = _through(weights[:, 1, ::-1])[:, ::-1]
    log_mass = np.stack([weights[:, 0] + above, weights[:, 1] + below], axis=1)
    mass = np.exp(log_mass - log_mass.max(axis=2, keepdims=True))
    return mass / mass.sum(axis=2, keepdims=True)


def _through(weights):
    before = np.full_like(weights, -np.inf)
    before[:, 1:] = np.logaddexp.accumulate(weights, axis=1)[:, :-1]
    return np.logaddexp(before, weights + np.log(0.5))


@dataclass(frozen=True)
class Variant:
    """One posterior."""

    chance: int = 2
    unit: str = "patient"
    weight: float = 0.25
    prior: str = "parted"

    def __call__(self, curves, costs):
        """Choose the ranks, as `StableStrata` does."""
        marginals = {"parted": parted, "free": free}[self.prior]
        n = curves.n_patients
        fewest = n * np.maximum(smallest_risk(curves) - curves.floor, 0) / curves.stake
        log_odds = np.maximum(np.log(self.chance * (n - fewest + 1) / (fewest + 1)), 0.05)
        scale = self.weight * log_odds * n / curves.stake
        likelihood = -scale[:, None, None] * (curves.risk - curves.risk.min(axis=2, keepdims=True))
        quantiles = curves.ranks / n[:, None]
        weights = marginals(likelihood, quantiles)
        for k in range(costs.n_boundaries):
            wall = is_between(weights[:, k], curves.ranks)
            wall &= boundary_barriers(curves, costs, k, 2.0)
            if wall.any():
                kept = one_basin(weights[:, k], wall)
                likelihood[:, k] = np.where(kept > 0, likelihood[:, k], -np.inf)
                weights = marginals(likelihood, quantiles)
        return nearest_ranks(weights, curves.ranks)

    def place(self, cuts, cells, costs):
        """Choose thresholds for each row of cells, (rows, boundaries)."""
        shares = cells.sum(axis=2) / cells.sum(axis=(1, 2))[:, None]
        curves = replace(boundary_curves(cells, costs), stake=shares @ UNITS[self.unit](costs))
        placed = [cuts.place(*cuts_at_rank(curves.ranks, rank)) for rank in self(curves, costs).T]
        return np.stack(placed, axis=1)

    def choose(self, scores, grades, costs, n_draws, seed):
        """Choose, and choose again for resampled patients."""
        cuts, cells = grade_cells(PatientScores(scores=scores), grades, costs.n_grades, GRID)
        drawn = replicates(cells[::-1].ravel(), n_draws, np.random.default_rng(seed))
        draws = [
            self.place(cuts, some.reshape(-1, *cells.shape)[:, ::-1], costs) for _, some in drawn
        ]
        return self.place(cuts, cells[None], costs)[0], np.vstack(draws)


VARIANTS = {
    "as taken": Variant().choose,
    "chance 1": Variant(chance=1).choose,
    "chance 1, unit boundary": Variant(chance=1, unit="boundary").choose,
    "chance 1, unit mean": Variant(chance=1, unit="mean").choose,
    "chance 1, weight 0.5": Variant(chance=1, weight=0.5).choose,
    "chance 1, free": Variant(chance=1, prior="free").choose,
    "chance 1, free, weight 0.5": Variant(chance=1, prior="free", weight=0.5).choose,
    "free": Variant(prior="free").choose,
    "one by one": one_by_one("stable"),
    "joint erm": jointly("erm"),
}


def one_cell(index, size, cohorts, n_draws):
    """Flip-rate and regret of every variant."""
    population, costs = POPULATIONS[index], POPULATIONS[index].costs
    scores, grades = population.draw(4_000, np.random.default_rng(5))
    _, cells = grade_cells(PatientScores(scores=scores), grades, costs.n_grades, "exact")
    best = smallest_risk(boundary_curves(cells[None], costs))[0]
    stake = costs.values[grades].mean(axis=0).min() - best
    found = {name: [] for name in VARIANTS}
    for cohort in range(cohorts):
        rng = np.random.default_rng([9, size, cohort])
        chosen, levels = population.draw(size, rng)
        while np.bincount(levels, minlength=costs.n_grades).min() < 2:
            chosen, levels = population.draw(size, rng)
        for name, choose in VARIANTS.items():
            thresholds, draws = choose(chosen, levels, costs, n_draws, cohort)
            ordered = np.sort(thresholds)
            flips = stratum_flips(scores, ordered, np.sort(draws, axis=1)).mean()
            cost = costs.of_patients(grades, stratum_of(scores, ordered)).mean()
            found[name].append((flips, (cost - best) / stake))
    return {name: np.mean(values, axis=0) for name, values in found.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cohorts", type=int, default=16)
    parser.add_argument("--draws", type=int, default=25)
    arguments = parser.parse_args()
    sizes = [(index, size) for index in range(len(POPULATIONS)) for size in (60, 150)]
    with Pool(2) as pool:
        jobs = [(*cell, arguments.cohorts, arguments.draws) for cell in sizes]
        found = pool.starmap(one_cell, jobs, chunksize=1)
    rows = []
    for name in VARIANTS:
        flips, regret = np.mean([cell[name] for cell in found], axis=0).round(4).tolist()
        rows.append({"variant": name, "reversed": flips, "regret": regret})
        print(rows[-1])
    text = json.dumps({**vars(arguments), "cells": len(sizes), "rows": rows}, indent=1)
    RESULT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
