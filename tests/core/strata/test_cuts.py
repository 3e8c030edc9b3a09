import numpy as np
import pytest

from steadycut.core.strata.cuts import boundary_curves
from tests.core.strata_cohorts import MATRICES, SEEDS, cells_of, every_cost


@pytest.mark.parametrize("costs", MATRICES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_sum_over_boundaries_is_the_mean_cost(costs, seed):
    _, cells, _, _ = cells_of(seed, costs, 9)
    curves = boundary_curves(cells[None], costs)
    for cuts, cost in every_cost(cells, costs).items():
        parts = [curves.risk[0, k, cut] for k, cut in enumerate(cuts)]
        assert curves.base[0] + sum(parts) == pytest.approx(cost)


@pytest.mark.parametrize("grid", ["exact", 7])
def test_cells_count_every_patient_once(grid):
    _, cells, patients, grades = cells_of(1, MATRICES[2], 30, grid)
    assert cells.sum() == patients.n_patients
    assert cells.sum(axis=1).tolist() == np.bincount(grades, minlength=3).tolist()


def test_the_cost_of_the_highest_stratum_by_hand():
    """Two patients of grade 0 and one of grade 2."""
    costs = MATRICES[2]
    curves = boundary_curves(np.array([[[2], [0], [1]]]), costs)
    assert curves.n_patients.tolist() == [3]
    assert curves.base.tolist() == [pytest.approx(2 * 3 / 3)]


def test_one_cohort_of_several():
    curves = boundary_curves(np.arange(18).reshape(3, 3, 2) + 1, MATRICES[2])
    for row in range(3):
        alone = boundary_curves(np.arange(18).reshape(3, 3, 2)[row : row + 1] + 1, MATRICES[2])
        for part in ("below", "ranks", "risk", "base"):
            values = getattr(curves.row(row), part)
            assert values.tolist() == getattr(alone, part).tolist()
