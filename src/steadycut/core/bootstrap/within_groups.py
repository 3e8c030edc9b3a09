"""Resampling within strata: every replicate has as many patients of each stratum as the cohort.

A stratum is a label, a site or any other group of patients. The patients of each are counted
between the cuts and resampled on their own; a replicate is their sum.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bootstrap.resampling import BATCH, is_few, replicates, resample
from steadycut.core.checks import IntArray, as_array, check_length, read_only
from steadycut.core.cuts.grid import Cuts
from steadycut.core.records import PatientScores
from steadycut.errors import BadOption, BadPatients

STRATA = ("label", "site")

Stratify = str | Mapping[Any, object] | ArrayLike


def stratum_codes(patients: PatientScores, stratify: Stratify) -> IntArray:
    """Return the stratum of each patient, as whole numbers from 0 without gaps.

    Parameters
    ----------
    patients
        The patients.
    stratify
        ``"label"``, ``"site"`` or the name of one of ``patients.attributes``; one entry per
        patient, in the order of ``patients.scores`` (the order of the identifiers); or a mapping
        from identifiers to strata.

    Examples
    --------
    >>> cohort = PatientScores(scores=[0.1, 0.4, 0.9], labels=[0, 1, 1])
    >>> stratum_codes(cohort, "label"), stratum_codes(cohort, ["old", "young", "old"])
    (array([0, 1, 1]), array([0, 1, 0]))
    """
    column = as_array("stratify", _column(patients, stratify))
    if column.ndim != 1:
        msg = f"stratify must have one entry a patient; got shape {column.shape}."
        raise BadPatients(msg)
    check_length("stratify", column, patients.n_patients)
    strata, codes = np.unique(column.astype(np.str_), return_inverse=True)
    if strata.size == patients.n_patients > 1:
        msg = (
            f"strata must hold several patients; all {strata.size} hold one, and resampling would "
            "change nothing. Group them, such as ages into decades."
        )
        raise BadPatients(msg)
    return read_only(codes.astype(np.int64))


def _column(patients: PatientScores, stratify: Stratify) -> ArrayLike:
    if isinstance(stratify, Mapping):
        return _looked_up(patients, stratify)
    if not isinstance(stratify, str):
        return stratify
    if stratify == "label":
        return patients.known_labels
    if stratify != "site":
        return _attribute(patients, stratify)
    if patients.sites is None:
        msg = "stratify='site' needs the site of every patient. Name the column that holds them."
        raise BadPatients(msg)
    return patients.sites


def _attribute(patients: PatientScores, name: str) -> ArrayLike:
    if name not in patients.attributes:
        names = ", ".join((*STRATA, *patients.attributes))
        msg = (
            f"stratify must be one of {names}, or one entry a patient; got {name!r}. Read further "
            "columns with aggregate(..., attributes=)."
        )
        raise BadOption(msg)
    return patients.attributes[name]


def _looked_up(patients: PatientScores, stratum_of: Mapping[Any, object]) -> list[str]:
    if patients.patients is None:
        msg = "a mapping of strata needs patients with identifiers; give one entry a patient."
        raise BadPatients(msg)
    known = {str(name): str(stratum) for name, stratum in stratum_of.items()}
    missing = sum(name not in known for name in patients.patients.tolist())
    if missing:
        msg = f"stratify must name the stratum of every patient; {missing} have none."
        raise BadPatients(msg)
    return [known[name] for name in patients.patients.tolist()]


def stratum_cells(cuts: Cuts, patients: PatientScores, codes: IntArray) -> IntArray:
    """Return the patients of each stratum counted between the cuts, shape (strata, 2m).

    They add up to ``cuts.cells``, the cells of the same ``patients``.
    """
    m = cuts.cells.size // 2
    cell = cuts.group_of(patients.scores) + m * (patients.known_labels == 0)
    _, dense = np.unique(codes, return_inverse=True)
    n_strata = int(dense.max()) + 1
    counts = np.bincount(dense * 2 * m + cell, minlength=n_strata * 2 * m)
    return read_only(counts.reshape(n_strata, 2 * m))


def replicates_within(
    strata: IntArray, n_replicates: int, rng: np.random.Generator
) -> Iterator[tuple[slice, IntArray]]:
    """Yield replicates in which every stratum keeps its number of patients, a few at a time.

    Parameters
    ----------
    strata
        Patients of each cell in each stratum, shape (strata, cells). A single stratum is the
        plain bootstrap, with the same random numbers.
    n_replicates
        How often to resample.
    rng
        Source of randomness.

    Yields
    ------
    slice, ndarray of shape (batch, cells)
        Place of the batch among the replicates, and its patients between the cuts.
    """
    if len(strata) == 1:
        yield from replicates(strata[0], n_replicates, rng)
        return
    # The size of a batch depends on the data alone: it decides which random numbers are drawn.
    by_index = [int(cells.sum()) for cells in strata if is_few(cells)]
    step = max(1, BATCH // max(strata.shape[1], *by_index, 1))
    for start in range(0, n_replicates, step):
        batch = slice(start, min(start + step, n_replicates))
        yield batch, resample_strata(strata, batch.stop - start, rng)


def resample_strata(strata: IntArray, n_replicates: int, rng: np.random.Generator) -> IntArray:
    """Return the sum of the replicates of all strata, shape (n_replicates, cells)."""
    total = np.zeros((n_replicates, strata.shape[1]), dtype=np.int64)
    for cells in strata:
        total += resample(cells[None, :], n_replicates, rng)[0]
    return total
