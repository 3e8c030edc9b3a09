"""The whole way in: a table and what is asked of it -> patients."""

import os
import warnings
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, overload

from steadycut.core.aggregate import How
from steadycut.core.records import PatientScores
from steadycut.errors import SteadycutWarning
from steadycut.ingest.engines.memory import MemoryEngine
from steadycut.ingest.from_files import read_files
from steadycut.ingest.from_frame import read_arrays, read_frame
from steadycut.ingest.patients import PatientTable, build_patients
from steadycut.ingest.raw import RawTable
from steadycut.ingest.request import Level, Request, make_request


def read_patients(request: Request, source: Any) -> PatientTable:
    """Read a table and aggregate it to patients.

    Parameters
    ----------
    request
        What is asked of the table.
    source
        A path, several paths or a pattern (CSV, TSV, Parquet); a dict of arrays; or a frame
        of any library that narwhals reads.

    Returns
    -------
    PatientTable
        Patients by (score column, aggregator), with the numbers of rows read and dropped.

    Examples
    --------
    >>> request = Request(patient="id", scores=("s",), missing="drop")
    >>> table = read_patients(request, {"id": ["a", "a", "b"], "s": [0.5, None, 0.25]})
    >>> table.patients["s", "mean"].scores, table.n_dropped
    (array([0.5 , 0.25]), 1)
    """
    engine = MemoryEngine(request, partial(_read_raw, source))
    try:
        return build_patients(engine, request)
    finally:
        engine.close()


@overload
def aggregate(
    source: Any,
    *,
    patient: str,
    score: str,
    label: str | None = ...,
    positive: object = ...,
    site: str | None = ...,
    levels: Iterable[Level] = ...,
    how: How = ...,
    missing: str = ...,
) -> PatientScores: ...


@overload
def aggregate(
    source: Any,
    *,
    patient: str,
    score: str,
    label: str | None = ...,
    positive: object = ...,
    site: str | None = ...,
    levels: Iterable[Level] = ...,
    how: list[How] | tuple[How, ...],
    missing: str = ...,
) -> dict[str, PatientScores]: ...


@overload
def aggregate(
    source: Any,
    *,
    patient: str,
    score: list[str] | tuple[str, ...],
    label: str | None = ...,
    positive: object = ...,
    site: str | None = ...,
    levels: Iterable[Level] = ...,
    how: How | list[How] | tuple[How, ...] = ...,
    missing: str = ...,
) -> dict[tuple[str, str], PatientScores]: ...


def aggregate(
    source: Any,
    *,
    patient: str,
    score: str | Iterable[str],
    label: str | None = None,
    positive: object = None,
    site: str | None = None,
    levels: Iterable[Level] = (),
    how: How | Iterable[How] = "mean",
    missing: str = "refuse",
) -> PatientScores | dict[str, PatientScores] | dict[tuple[str, str], PatientScores]:
    """Return one score a patient, from a table with one row an instance.

    Parameters
    ----------
    source
        A path, several paths or a pattern (CSV, TSV, Parquet); a dict of arrays; or a frame
        of any library that narwhals reads (pandas, polars, Arrow, DuckDB, ...).
    patient
        Column that identifies patients. 7 and 7.0 are read as ``"7"``, texts as they are.
    score
        Column of instance scores, or several.
    label
        Column of labels, the same in every row of a patient.
    positive
        The label that counts as 1; without it labels must be 0 and 1 (or false and true).
    site
        Column of hospitals, the same in every row of a patient.
    levels
        Levels between rows and patients, innermost first: pairs (column, aggregator), or
        texts such as ``"slide:max"``.
    how
        Aggregator over the last level of a patient: ``mean``, ``median``, ``max``, ``min``,
        ``quantile:Q``, ``top-k:K``, ``fraction-above:X``, ``noisy-or``, ``trimmed-mean:X``, or
        a function of the scores in ascending order.
    missing
        ``"refuse"`` or ``"drop"`` rows whose score is missing, NaN or infinite. Dropping warns
        with the number of rows; patients who have no other rows are left out too.

    Returns
    -------
    PatientScores or dict
        A dict by aggregator for a list of ``how`` (a function goes as ``callable:NAME``); a dict
        by (score column, aggregator) for a list of ``score``.

    Notes
    -----
    The result does not depend on the order of rows or on where the table came from.

    Examples
    --------
    >>> table = {"id": ["a", "a", "b"], "slide": [1, 2, 1], "s": [0.25, 0.75, 0.5]}
    >>> aggregate(table, patient="id", score="s", levels=["slide:max"]).scores
    array([0.5, 0.5])
    >>> aggregate(table, patient="id", score="s", how=["max", "min"])["max"].scores
    array([0.75, 0.5 ])
    """
    request = make_request(
        patient=patient,
        score=score,
        label=label,
        positive=positive,
        site=site,
        levels=levels,
        how=how,
        missing=missing,
    )
    table = read_patients(request, source)
    if table.n_dropped:
        warnings.warn(_dropped(table), SteadycutWarning, stacklevel=2)
    if not isinstance(score, str):
        return dict(table.patients)
    if isinstance(how, str) or callable(how):
        return next(iter(table.patients.values()))
    return {name: patients for (_, name), patients in table.patients.items()}


def _read_raw(source: Any, request: Request) -> RawTable:
    if isinstance(source, str | os.PathLike | list | tuple):
        return read_files(source, request)
    if isinstance(source, Mapping):
        return read_arrays(source, request)
    return read_frame(source, request)


def _dropped(table: PatientTable) -> str:
    lost, were = table.n_patients_dropped, "was" if table.n_dropped == 1 else "were"
    who = "1 patient who has" if lost == 1 else f"{lost} patients who have"
    also = f", and with them {who} no other rows" if lost else ""
    return f"{table.n_dropped} of {table.n_rows} rows without a finite score {were} dropped{also}."
