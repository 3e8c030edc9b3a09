"""Patients resampled with replacement, as counts between the cuts.

Resampling n patients and recomputing a risk curve depends on how many patients of each class
fall between two cuts, and on nothing else. Those counts are exactly Multinomial(n, counts / n),
so a replicate costs as much as there are cuts, however many patients there are. For few patients
drawing their indices is the faster way to the same distribution.
"""

import numpy as np

from steadycut.core.checks import IntArray

# A cell of a multinomial draw takes about as long as this many drawn indices.
INDICES_PER_CELL = 10

# Numbers that fit into a processor's cache; larger batches are no faster.
BATCH = 500_000


def resample(cells: IntArray, n_replicates: int, rng: np.random.Generator) -> IntArray:
    """Return ``n_replicates`` bootstrap replicates of each row of ``cells``.

    Parameters
    ----------
    cells
        Patients of each cell, shape (rows, cells); every row has the same total n.
    n_replicates
        How often to resample the n patients of each row.
    rng
        Source of randomness.

    Returns
    -------
    ndarray of shape (rows, n_replicates, cells)
    """
    few = cells[0].sum() <= INDICES_PER_CELL * cells.shape[1]
    return (draw_indices if few else draw_cells)(cells, n_replicates, rng)


def draw_indices(cells: IntArray, n_replicates: int, rng: np.random.Generator) -> IntArray:
    """Resample patients one by one and count them."""
    rows, n_cells = cells.shape
    n = int(cells[0].sum())
    patient_cell = np.repeat(np.tile(np.arange(n_cells), rows), cells.ravel())
    patient = rng.integers(0, n, size=(rows, n_replicates, n), dtype=np.int32)
    patient += np.arange(0, rows * n, n, dtype=np.int32)[:, None, None]
    cell = patient_cell[patient].reshape(rows * n_replicates, n)
    cell += np.arange(0, rows * n_replicates * n_cells, n_cells)[:, None]
    counts = np.bincount(cell.ravel(), minlength=rows * n_replicates * n_cells)
    return counts.reshape(rows, n_replicates, n_cells)


def draw_cells(cells: IntArray, n_replicates: int, rng: np.random.Generator) -> IntArray:
    """Draw the counts of the cells at once, from their multinomial distribution."""
    n = int(cells[0].sum())
    return rng.multinomial(n, cells[:, None, :] / n, size=(cells.shape[0], n_replicates))
