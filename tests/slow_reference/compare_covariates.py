"""Cut-offs by covariate: the test within strata of like scores, and how far groups follow it."""

import random

import numpy as np

from steadycut.core.covariate.cuts import shrink, shrinkage
from steadycut.core.covariate.design import group_design
from steadycut.core.covariate.one_cut_test import covariate_test, score_layers
from tests.slow_reference import covariates
from tests.slow_reference.differences import all_differ, differ


def cells_for(cohort):
    """Return patients of two or three groups by label and bin of the score, shape (groups, 2m)."""
    rng = random.Random(cohort.seed)  # noqa: S311
    groups, bins = rng.choice([2, 3]), rng.choice([1, 3, 8])
    return np.array([[rng.randint(0, 4) for _ in range(2 * bins)] for _ in range(groups)]) + 1


def like_scores(cohort):
    """The product's own strata, of about eight patients; the statistic in rational numbers."""
    cells = cells_for(cohort)
    groups = len(cells)
    design = group_design([str(g) for g in range(groups)] * 2)
    table = score_layers(cells, 0.0, 1.0)
    strata = [(table[:, 0, s].tolist(), table[:, 1, s].tolist()) for s in range(table.shape[2])]
    yield from differ("everybody is in a stratum", table.sum(), cells.sum())
    wanted, df = covariates.mantel_haenszel(strata)
    found = covariate_test(cells, design.basis)
    yield from differ("statistic", found.statistic, wanted, 1e-9, 1e-9)
    yield from differ("df", found.df, df)
    yield from differ("p", found.p_value, covariates.p_value(wanted, df), 1e-7)
    sizes = cells.sum(axis=1).tolist()
    got = np.ravel(shrinkage(cells, design))
    weights = covariates.weights(wanted, df, sizes)
    yield from all_differ("weight", got, weights, 1e-7, 1e-9)
    pooled, own = np.array([10.0]), np.arange(groups, dtype=float)[None]
    wanted = [w * g + (1 - w) * 10 for g, w in enumerate(weights)]
    mixed = shrink(pooled, own, np.array([weights]))
    yield from all_differ("rank", np.ravel(mixed), wanted, 1e-9)
