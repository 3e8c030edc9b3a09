"""Small graded cohorts and cost matrices, for comparison with brute force."""

import itertools

import numpy as np

from steadycut.core.records import PatientScores
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import grade_cells

SEEDS = range(8)
# Two grades with a grey stratum; three by three; three grades, four strata, one indifferent.
GREY = CostMatrix([[0, 0.5, 1], [4, 1, 0]])
NARROW = CostMatrix([[0, 0.5, 1], [2, 1, 0]])
SQUARE = CostMatrix([[0, 1, 3], [2, 0, 1], [5, 2, 0]])
WIDE = CostMatrix([[0, 1, 2, 4], [1, 0, 0.5, 2], [8, 4, 1, 0]])
ZERO_ONE = CostMatrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
MATRICES = [GREY, NARROW, SQUARE, WIDE]


def graded(seed, n_patients=20, n_grades=3, *, tied=None, distance=1.0):
    """Scores that grow with the grade; even seeds are tied unless ``tied`` says otherwise."""
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, n_grades, n_patients)
    scores = rng.normal(size=n_patients) + distance * grades
    tied = seed % 2 == 0 if tied is None else tied
    return PatientScores(scores=np.round(scores) if tied else scores), grades


def cells_of(seed, costs, n_patients=20, grid="exact", **options):
    """Cuts and cells of a graded cohort."""
    patients, grades = graded(seed, n_patients, costs.n_grades, **options)
    return (*grade_cells(patients, grades, costs.n_grades, grid), patients, grades)


def cost_at(cells, costs, cuts):
    """The mean cost of cuts in order, patient by patient."""
    total = 0.0
    for grade, group in np.ndindex(*cells.shape):
        stratum = sum(group >= cut for cut in cuts)
        total += cells[grade, group] * costs.values[grade, stratum]
    return total / cells.sum()


def every_cost(cells, costs):
    """The mean cost of all cuts in order, by enumeration."""
    places = range(cells.shape[1] + 1)
    ordered = itertools.combinations_with_replacement(places, costs.n_boundaries)
    return {cuts: cost_at(cells, costs, cuts) for cuts in ordered}
