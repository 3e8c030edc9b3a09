"""Cell counts drawn at once have the distribution of patients drawn one by one."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from steadycut.core.bootstrap.resampling import draw_cells, draw_indices, replicates, resample
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.registry import ERM
from tests.core.cohorts import positives_first, random_cohort

REPLICATES = 20_000


def tied_cells():
    """Forty patients with few distinct scores."""
    return exact_cuts(random_cohort(2, 40, tied=True)).cells[None, :]


def same_distribution(one, other, least=10):
    """The p-value of a chi-square test that two lists of values have one distribution."""
    counts = [Counter(values) for values in (one, other)]
    table = np.array([[count[key] for key in sorted(counts[0] | counts[1])] for count in counts])
    rare = table.sum(axis=0) < least
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    return chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue


def minimisers(draw, seed):
    """The minimising cut of every replicate, as patients of the replicate below it."""
    drawn = draw(tied_cells(), REPLICATES, np.random.default_rng(seed))[0]
    return ERM(count_errors(drawn), Costs()).tolist()


def cell_counts(draw, seed, cell):
    drawn = draw(tied_cells(), REPLICATES, np.random.default_rng(seed))[0]
    return drawn[:, cell].tolist()


def stratified(cells, n_replicates, rng):
    """A wrong sampler: it keeps the number of patients of each class."""
    half = cells.shape[1] // 2
    parts = [draw_cells(part, n_replicates, rng) for part in (cells[:, :half], cells[:, half:])]
    return np.concatenate(parts, axis=2)


def poisson(cells, n_replicates, rng):
    """A wrong sampler: the number of patients varies between replicates."""
    counts = rng.poisson(cells[:, None, :], size=(1, n_replicates, cells.shape[1]))
    counts[..., 0] += counts.sum(axis=-1) == 0
    return counts


def test_the_minimising_cut_has_the_same_distribution():
    assert same_distribution(minimisers(draw_indices, 1), minimisers(draw_cells, 2)) > 0.01


@pytest.mark.parametrize("wrong", [stratified, poisson])
def test_a_wrong_sampler_is_told_apart_by_its_minimising_cut(wrong):
    assert same_distribution(minimisers(draw_indices, 1), minimisers(wrong, 2)) < 1e-6


def test_every_cell_has_the_same_distribution():
    occupied = np.flatnonzero(tied_cells()[0])
    p_values = [
        same_distribution(cell_counts(draw_indices, 3, c), cell_counts(draw_cells, 4, c))
        for c in occupied
    ]
    assert min(p_values) > 0.01 / occupied.size


def test_a_class_total_that_is_held_fixed_is_told_apart():
    half = tied_cells().shape[1] // 2
    totals = [
        draw(tied_cells(), REPLICATES, np.random.default_rng(5))[0, :, :half].sum(axis=1).tolist()
        for draw in (draw_indices, draw_cells, stratified)
    ]
    assert same_distribution(totals[0], totals[1]) > 0.01
    assert same_distribution(totals[0], totals[2]) < 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_drawn_indices_are_the_patients_with_the_diseased_first(seed):
    """A twin counts the same patients, drawn with the same random numbers, one by one."""
    cohort = random_cohort(seed)
    cells = exact_cuts(cohort).cells[None, :]
    drawn = draw_indices(cells, 6, np.random.default_rng(seed))[0]
    positions = np.random.default_rng(seed).integers(0, 24, size=(1, 6, 24), dtype=np.int32)[0]
    patients = positives_first(cohort)
    groups = [(label, value) for label in (1, 0) for value in sorted(set(cohort.scores.tolist()))]
    for counts, drawn_positions in zip(drawn, positions, strict=True):
        found = Counter((patients[k][1], patients[k][0]) for k in drawn_positions)
        assert counts.tolist() == [found[group] for group in groups]


@pytest.mark.parametrize("draw", [draw_indices, draw_cells])
def test_every_row_is_resampled_from_its_own_cells(draw):
    cells = np.array([[4, 0, 2, 0], [0, 1, 0, 5]])
    drawn = draw(cells, 50, np.random.default_rng(0))
    assert drawn.shape == (2, 50, 4)
    assert (drawn.sum(axis=2) == 6).all()
    assert (drawn[0][:, [1, 3]] == 0).all()
    assert (drawn[1][:, [0, 2]] == 0).all()
    assert drawn[0].std() > 0


@pytest.mark.parametrize(("n_each", "draw"), [(10, draw_indices), (11, draw_cells)])
def test_many_patients_a_cell_are_drawn_as_counts(n_each, draw):
    cells = np.full((1, 4), n_each)
    expected = draw(cells, 3, np.random.default_rng(0))
    assert resample(cells, 3, np.random.default_rng(0)).tolist() == expected.tolist()


@pytest.mark.parametrize("draw", [draw_indices, draw_cells])
def test_each_of_three_rows_is_resampled_from_its_own_cells(draw):
    cells = 5 * np.eye(3, dtype=np.int64)
    assert draw(cells, 4, np.random.default_rng(0)).tolist() == [
        [row] * 4 for row in cells.tolist()
    ]


@pytest.mark.parametrize("n_each", [10, 11])
def test_replicates_are_drawn_as_resample_draws_them(n_each):
    cells = np.full(4, n_each)
    ((_, found),) = replicates(cells, 3, np.random.default_rng(0))
    expected = resample(cells[None, :], 3, np.random.default_rng(0))[0]
    assert found.tolist() == expected.tolist()
