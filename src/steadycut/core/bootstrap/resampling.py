"""Patients resampled with replacement, as counts between the cuts.

The risk curve of n resampled patients depends only on how many patients of each class lie between
two cuts. These counts are exactly Multinomial(n, counts / n). The cost of a replicate therefore
depends on the number of cuts, not on the number of patients. With few patients it is faster to draw
their indices, which gives the same distribution.
"""

from collections.abc import Iterator

import numpy as np

from steadycut.core.checks import IntArray

# Drawing one multinomial cell takes about as long as drawing this many indices.
INDICES_PER_CELL = 10

# This many numbers fit into a processor's cache. Larger batches are slower.
BATCH = 100_000


def replicates(
    cells: IntArray, n_replicates: int, rng: np.random.Generator
) -> Iterator[tuple[slice, IntArray]]:
    """Yield bootstrap replicates of ``cells``, shape (cells,), a few at a time.

    Each batch comes with its place among the replicates. The size of the batches does not change
    which random numbers are drawn, nor their order.
    """
    few = is_few(cells)
    patient_cell = cell_of_patients(cells[None, :]) if few else None
    step = max(1, BATCH // max(cells.size, int(cells.sum()) if few else 0))
    for start in range(0, n_replicates, step):
        batch = slice(start, min(start + step, n_replicates))
        size = batch.stop - start
        if patient_cell is None:
            yield batch, draw_cells(cells[None, :], size, rng)[0]
        else:
            yield batch, count_drawn(patient_cell, cells.size, size, rng)[0]


def resample(cells: IntArray, n_replicates: int, rng: np.random.Generator) -> IntArray:
    """Return ``n_replicates`` bootstrap replicates of each row of ``cells``.

    Parameters
    ----------
    cells
        Number of patients in each cell, shape (rows, cells). All rows have the same total n.
    n_replicates
        How often the n patients of each row are resampled.
    rng
        Source of randomness.

    Returns
    -------
    ndarray of shape (rows, n_replicates, cells)
    """
    draw = draw_indices if is_few(cells[0]) else draw_cells
    return draw(cells, n_replicates, rng)


def is_few(cells: IntArray) -> bool:
    """Return whether drawing patients one by one is faster than drawing counts."""
    return bool(cells.sum() <= INDICES_PER_CELL * cells.size)


def draw_indices(cells: IntArray, n_replicates: int, rng: np.random.Generator) -> IntArray:
    """Resample patients one by one and count them."""
    return count_drawn(cell_of_patients(cells), cells.shape[1], n_replicates, rng)


def cell_of_patients(cells: IntArray) -> IntArray:
    """Return the cell of each patient, shape (rows, n)."""
    rows, n_cells = cells.shape
    return np.repeat(np.tile(np.arange(n_cells), rows), cells.ravel()).reshape(rows, -1)


def count_drawn(
    patient_cell: IntArray, n_cells: int, n_replicates: int, rng: np.random.Generator
) -> IntArray:
    """Draw patients of each row and count them in their cells."""
    rows, n = patient_cell.shape
    patient = rng.integers(0, n, size=(rows, n_replicates, n))
    if rows > 1:
        patient += np.arange(0, rows * n, n)[:, None, None]
    cell = patient_cell.ravel()[patient].reshape(rows * n_replicates, n)
    if len(cell) > 1:
        cell += np.arange(0, rows * n_replicates * n_cells, n_cells)[:, None]
    counts = np.bincount(cell.ravel(), minlength=rows * n_replicates * n_cells)
    return counts.reshape(rows, n_replicates, n_cells)


def draw_cells(cells: IntArray, n_replicates: int, rng: np.random.Generator) -> IntArray:
    """Draw the counts of all cells at once, from their multinomial distribution."""
    n = int(cells[0].sum())
    return rng.multinomial(n, cells[:, None, :] / n, size=(cells.shape[0], n_replicates))
