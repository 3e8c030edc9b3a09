"""Resample patients within groups, so that every replicate has as many of each group as the cohort.

A group is a label, a site or any other set of patients. The patients of each group are counted
between the cuts and resampled on their own. A replicate is the sum over all groups.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bootstrap.resampling import BATCH, is_few, replicates, resample
from steadycut.core.checks import IntArray, read_only
from steadycut.core.cuts.grid import Cuts
from steadycut.core.records import PatientScores, by_patient
from steadycut.errors import BadOption, BadPatients, argument

COLUMNS = ("label", "site")

Stratify = str | Mapping[Any, object] | ArrayLike


def group_codes(patients: PatientScores, stratify: Stratify) -> IntArray:
    """Return the group of each patient, as whole numbers from 0 without gaps.

    Parameters
    ----------
    patients
        The patients.
    stratify
        ``"label"``, ``"site"`` or the name of one of ``patients.attributes``; one entry per
        patient, in the order of ``patients.scores`` (the order of the identifiers); or a mapping
        from identifiers to groups.

    Examples
    --------
    >>> cohort = PatientScores(scores=[0.1, 0.4, 0.9], labels=[0, 1, 1])
    >>> group_codes(cohort, "label"), group_codes(cohort, ["old", "young", "old"])
    (array([0, 1, 1]), array([0, 1, 0]))
    """
    column = by_patient("stratify", patients, _column(patients, stratify))
    groups, codes = np.unique(column.astype(np.str_), return_inverse=True)
    if groups.size == patients.n_patients > 1:
        raise BadPatients(
            f"{argument('stratify')} must put several patients into a group; all {groups.size} "
            "groups hold one patient, so resampling would change nothing. Make larger groups, such "
            "as ages in decades."
        )
    return read_only(codes.astype(np.int64))


def _column(patients: PatientScores, stratify: Stratify) -> Mapping[Any, object] | ArrayLike:
    if not isinstance(stratify, str):
        return stratify
    if stratify == "label":
        return patients.known_labels
    column = patients.sites if stratify == "site" else patients.attributes.get(stratify)
    if column is not None:
        return column
    if stratify == "site":
        msg = f"{argument('stratify', 'site')} needs the site of every patient: give sites."
        raise BadPatients(msg)
    names = ", ".join((*COLUMNS, *patients.attributes))
    raise BadOption(
        f"{argument('stratify')} must be one of {names}, or one entry per patient; got "
        f"{stratify!r}. Read more columns with aggregate(..., attributes=)."
    )


def group_cells(cuts: Cuts, patients: PatientScores, codes: IntArray) -> IntArray:
    """Return the patients of each group counted between the cuts, shape (groups, 2m).

    They add up to ``cuts.cells``, the cells of the same ``patients``.
    """
    groups, dense = np.unique(codes, return_inverse=True)
    shape = groups.size, cuts.cells.size
    counts = np.bincount(dense * shape[1] + cuts.cell_of(patients), minlength=math.prod(shape))
    return read_only(counts.reshape(shape))


def replicates_within(
    groups: IntArray, n_replicates: int, rng: np.random.Generator
) -> Iterator[tuple[slice, IntArray]]:
    """Yield replicates in which every group keeps its number of patients, a few at a time.

    Parameters
    ----------
    groups
        Patients of each group in each cell, shape (groups, cells). A single group is the plain
        bootstrap, with the same random numbers.
    n_replicates
        How often to resample.
    rng
        Source of randomness.

    Yields
    ------
    slice, ndarray of shape (batch, cells)
        Place of the batch among the replicates, and its patients between the cuts.
    """
    if len(groups) == 1:
        yield from replicates(groups[0], n_replicates, rng)
        return
    # The batch size must depend on the data alone: it decides which random numbers are drawn.
    by_index = [int(cells.sum()) for cells in groups if is_few(cells)]
    step = max(1, BATCH // max(groups.shape[1], *by_index, 1))
    for start in range(0, n_replicates, step):
        batch = slice(start, min(start + step, n_replicates))
        yield batch, resample_groups(groups, batch.stop - start, rng)


def resample_groups(groups: IntArray, n_replicates: int, rng: np.random.Generator) -> IntArray:
    """Return the sum of the replicates of all groups, shape (n_replicates, cells)."""
    total = np.zeros((n_replicates, groups.shape[1]), dtype=np.int64)
    for cells in groups:
        total += resample(cells[None, :], n_replicates, rng)[0]
    return total
