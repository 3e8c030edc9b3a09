"""The whole way in: a table and what is asked of it -> patients."""

import warnings
from collections.abc import Iterable
from typing import Any, overload

from steadycut.core.aggregate.aggregators import How
from steadycut.core.records import PatientScores
from steadycut.errors import SteadycutWarning
from steadycut.ingest.engines.choose import check_engine, open_engine, parse_memory
from steadycut.ingest.identifiers import alike_warnings
from steadycut.ingest.patients import Keep, PatientTable, Progress, build_patients
from steadycut.ingest.request import Level, Request, make_request
from steadycut.io.files import work_folder


def read_patients(
    request: Request,
    source: Any,
    *,
    engine: str = "auto",
    memory: str | int | None = None,
    progress: Progress | None = None,
    keep: Keep | None = None,
) -> PatientTable:
    """Read a table and aggregate it to patients.

    Parameters
    ----------
    request
        What is asked of the table.
    source
        A path, several paths, a pattern or a folder (CSV, TSV, Parquet, Feather, AnnData; Parquet
        and Feather in S3 too); a dict of arrays or a structured array; an AnnData object; or a
        frame of any library that narwhals reads.
    engine
        ``"memory"`` holds all rows in numpy; ``"duckdb"`` scans them and keeps within ``memory``;
        ``"auto"`` takes the second for large files and for lazy frames. The result is the same to
        the last bit.
    memory
        About how much memory may be used, such as ``"1GB"``. Default: 2 GiB.
    progress
        Called with a text, the number of rows done and that of all rows.
    keep
        Opens a place for finished parts, such as a `steadycut.io.checkpoint.Checkpoint`.

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
    check_engine(engine)
    allowed = parse_memory(memory)
    with work_folder() as work:
        opened = open_engine(engine, request, source, allowed, work)
        try:
            return build_patients(opened, request, progress, keep)
        finally:
            opened.close()


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
    attributes: str | Iterable[str] = ...,
    missing: str = ...,
    engine: str = ...,
    memory: str | int | None = ...,
    progress: Progress | None = ...,
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
    attributes: str | Iterable[str] = ...,
    missing: str = ...,
    engine: str = ...,
    memory: str | int | None = ...,
    progress: Progress | None = ...,
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
    attributes: str | Iterable[str] = ...,
    missing: str = ...,
    engine: str = ...,
    memory: str | int | None = ...,
    progress: Progress | None = ...,
) -> dict[tuple[str, str], PatientScores]: ...


def aggregate(  # noqa: PLR0913
    source: Any,
    *,
    patient: str,
    score: str | Iterable[str],
    label: str | None = None,
    positive: object = None,
    site: str | None = None,
    levels: Iterable[Level] = (),
    how: How | Iterable[How] = "mean",
    attributes: str | Iterable[str] = (),
    missing: str = "refuse",
    engine: str = "auto",
    memory: str | int | None = None,
    progress: Progress | None = None,
) -> PatientScores | dict[str, PatientScores] | dict[tuple[str, str], PatientScores]:
    """Return one score a patient, from a table with one row an instance.

    Parameters
    ----------
    source
        A path, several paths, a pattern or a folder (CSV, TSV, Parquet, Feather, AnnData); a dict
        of arrays or a structured array; an AnnData object; or a frame of any library that narwhals
        reads (pandas, polars, Arrow, DuckDB, ...).
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
        Aggregator over the last level of a patient: a name such as ``mean``, ``max`` or
        ``quantile:0.9`` (docs/guide/aggregators.md has all), or a function of the scores in
        ascending order.
    attributes
        Further patient-level columns, such as sex or scanner, the same in every row of a patient.
        The result has them as texts in ``attributes``, by name.
    missing
        ``"refuse"`` or ``"drop"`` rows whose score is missing, NaN or infinite, and patients who
        have no label, or no value of an attribute, in any row. Dropping warns with the numbers;
        patients who have no other rows are left out too.
    engine, memory, progress
        How the rows are brought together; see `read_patients`. They change nothing in the result.

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
    >>> sexes = {**table, "sex": ["f", "f", "m"]}
    >>> aggregate(sexes, patient="id", score="s", attributes="sex").attributes["sex"]
    array(['f', 'm'], dtype='<U1')
    """
    request = make_request(
        patient=patient,
        score=score,
        label=label,
        positive=positive,
        site=site,
        levels=levels,
        how=how,
        attributes=attributes,
        missing=missing,
    )
    table = read_patients(request, source, engine=engine, memory=memory, progress=progress)
    for line in [*dropped_lines(table), *alike_lines(table)]:
        warnings.warn(line, SteadycutWarning, stacklevel=2)
    if not isinstance(score, str):
        return dict(table.patients)
    if isinstance(how, str) or callable(how):
        return next(iter(table.patients.values()))
    return {name: patients for (_, name), patients in table.patients.items()}


def dropped_lines(table: PatientTable) -> list[str]:
    """Say what was left out, one line a reason."""
    lost, lines = table.dropped, []
    if lost.rows:
        were = "was" if lost.rows == 1 else "were"
        who = "1 patient who has" if lost.patients == 1 else f"{lost.patients} patients who have"
        also = f", and with them {who} no other rows" if lost.patients else ""
        lines = [f"{lost.rows} of {table.n_rows} rows without a finite score {were} dropped{also}."]
    label = next(iter(table.patients.values())).recipe.label
    for gaps in lost.gaps:
        what = "a label" if gaps.column == label else repr(gaps.column)
        if gaps.patients:
            who = "1 patient" if gaps.patients == 1 else f"{gaps.patients} patients"
            were = "was" if gaps.patients == 1 else "were"
            rows = "1 row" if gaps.rows == 1 else f"{gaps.rows} rows"
            lines.append(f"{who} without {what} in any row {were} dropped, {rows} in all.")
        if gaps.filled:
            rows = "1 row" if gaps.filled == 1 else f"{gaps.filled} rows"
            lines.append(f"{rows} without {what} took the one of the same patient's other rows.")
    return lines


def alike_lines(table: PatientTable) -> list[str]:
    """Say that patients may be there twice under two names, if there is a sign of it."""
    return alike_warnings(next(iter(table.patients.values())).patients)
