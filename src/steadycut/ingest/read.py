"""From a table to patients: `read_patients` for any request, and `aggregate` for Python users."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from steadycut.core.aggregate.aggregators import How
from steadycut.core.parts import SAID
from steadycut.core.records import PatientScores
from steadycut.errors import (
    BadOption,
    BadTable,
    MissingColumn,
    SteadycutError,
    Warned,
    argument,
    explains_calls,
    no_such_name,
    warn_each,
)
from steadycut.ingest.engines.choose import check_engine, open_engine, parse_memory
from steadycut.ingest.engines.spark_tables import is_spark
from steadycut.ingest.identifiers import alike_warnings
from steadycut.ingest.patients import Keep, PatientTable, Progress, build_patients
from steadycut.ingest.request import ROW, Level, Request, make_request
from steadycut.ingest.sheet import with_steps
from steadycut.ingest.sources.archives import unpacked
from steadycut.ingest.sources.dispatch import is_paths
from steadycut.ingest.sources.find import TableFile, find_files, stem
from steadycut.ingest.sources.frames import collected
from steadycut.io.files import work_folder

# What leaving out only patients who may be healthy does.
HIGHER = Warned(
    "",
    " Patients with a positive row and such gaps were kept, so the prevalence and the PPV here are "
    "too high, unless the patients who were left out are as often ill.",
)
# The order of the patients in longer tables is not looked at.
MANY_ROWS = 1_000_000


def read_patients(
    request: Request,
    source: Any,
    *,
    engine: str = "auto",
    memory: str | int | None = None,
    progress: Progress | None = None,
    keep: Keep | None = None,
    sheet: Any = None,
    on: str | None = None,
) -> PatientTable:
    """Read a table and aggregate it to patients.

    Parameters
    ----------
    request
        What to read from the table.
    source
        A path, several paths, a pattern or a folder (CSV, TSV, Excel, Parquet, Feather, AnnData, a
        zip archive with one of these; Parquet and Feather in S3 too); a dict of arrays or a
        structured array; an AnnData object; or a frame of any library that narwhals reads.
    engine
        ``"memory"`` holds all rows in numpy. ``"duckdb"`` scans them within ``memory``.
        ``"spark"`` reads them on a cluster. ``"auto"`` takes DuckDB for large files and for lazy
        frames, Spark for its own DataFrames, and memory otherwise. The result is the same to the
        last bit.
    memory
        About how much memory to use, such as ``"1GB"``. Default: 2 GiB.
    progress
        Called with a text, the number of rows done and the number of all rows.
    keep
        Opens a place for finished parts, such as a `steadycut.io.checkpoint.Checkpoint`.
    sheet, on
        A second table of any of these kinds, by slide, image or patient, with columns that the
        table does not have; and the column by which both are joined (`ingest.sheet`).

    Returns
    -------
    PatientTable
        Patients by (score column, aggregator), with the numbers of rows read and dropped.

    Examples
    --------
    >>> request = Request(patient="id", scores=("s",), missing="drop")
    >>> table = read_patients(request, {"id": ["a", "a", "b"], "s": [0.5, None, 0.25]})
    >>> table.patients["s", "mean"].scores, table.dropped.rows
    (array([0.5 , 0.25]), 1)
    """
    check_engine(engine)
    allowed = parse_memory(memory)
    source, sheet = collected(source), collected(sheet)
    with work_folder() as work, _naming_the_option(request), _numbering_files(request, source):
        # Spark interprets paths itself.
        given = unpacked(source, work) if is_paths(source) and engine != "spark" else source
        second = unpacked(sheet, work) if is_paths(sheet) else sheet
        asked, lines = with_steps(request, given, second, on, work)
        opened = open_engine(_engine_for(asked, engine, given), asked, given, allowed, work)
        try:
            table = replace(build_patients(opened, asked, progress, keep), joined=lines)
        finally:
            opened.close()
    for patients in table.patients.values():
        patients.once(SAID, asked.parts.__str__)
    return table


def _engine_for(request: Request, engine: str, source: Any) -> str:
    """Only the engine that holds all rows in memory can number them; Spark joins by itself."""
    if request.file_column is not None and not is_paths(source):
        raise BadOption(f"{argument('file_column')} needs files; got a table in memory.")
    if request.file_column is not None:
        _check_stems(find_files(source))
    if (request.steps or request.file_column) and (engine == "spark" or is_spark(source)):
        raise BadOption(
            "the spark engine joins no sheet and knows no names of files. Join the tables in Spark "
            "and give the result, or leave out the engine."
        )
    if not request.rows_are_patients:
        return engine
    if engine not in {"auto", "memory"}:
        raise BadOption(
            f"without {argument('patient')} each row is one patient, and only "
            f"{argument('engine', 'memory')} can read the table; got {engine!r}. Name the column "
            "of patients, or leave out the engine."
        )
    return "memory"


def _check_stems(files: list[TableFile]) -> None:
    """Refuse files of one name: their rows would become those of one slide or patient."""
    same = len(files) - len({stem(file.place) for file in files})
    if same:
        raise BadTable(
            f"with {argument('file_column')} each file needs its own name; {same} of {len(files)} "
            "have that of another, in another folder or with another ending. Rename them."
        )


@contextmanager
def _naming_the_option(request: Request) -> Iterator[None]:
    """Add to an error about a missing column the argument that names another one."""
    try:
        yield
    except MissingColumn as error:
        option = None if error.column is None else request.how_to_name(error.column)
        if option is None:
            raise
        message = f"{error.message} Name it with {option}."
        raise MissingColumn(message, error.column, error.near) from None


@contextmanager
def _numbering_files(request: Request, source: Any) -> Iterator[None]:
    """Call files by their numbers in an error, if their names may be those of patients."""
    try:
        yield
    except SteadycutError as error:
        files = find_files(source) if request.file_column and is_paths(source) else []
        for i, file in enumerate(files):
            error.message = error.message.replace(file.place, f"file {i + 1} of {len(files)}")
        error.args = (error.spelled(),)
        raise


Names = list[str] | tuple[str, ...]
Hows = list[How] | tuple[How, ...]


class Reading(TypedDict, total=False):
    """How `aggregate` brings rows together."""

    engine: str
    memory: str | int | None
    progress: Progress | None
    sheet: Any
    on: str | None


class More(Reading, total=False):
    """The other arguments of `aggregate`; those left out keep the defaults of a `Request`."""

    label: str | None
    positive: object
    label_how: str
    time: str | None
    event: str | None
    horizon: float | None
    site: str | None
    levels: Iterable[Level]
    attributes: str | Iterable[str]
    missing: str
    unscored: str
    delimiter: str | None
    decimal: str
    patient_from: str | None
    file_column: str | None


@overload
def aggregate(
    source: Any, *, patient: str | None, score: str, how: How = ..., **more: Unpack[More]
) -> PatientScores: ...


@overload
def aggregate(
    source: Any, *, patient: str | None, score: str, how: Hows, **more: Unpack[More]
) -> dict[str, PatientScores]: ...


@overload
def aggregate(
    source: Any, *, patient: str | None, score: Names, how: How | Hows = ..., **more: Unpack[More]
) -> dict[tuple[str, str], PatientScores]: ...


@explains_calls
def aggregate(
    source: Any,
    *,
    patient: str | None,
    score: str | Iterable[str],
    how: How | Iterable[How] = "mean",
    **more: Unpack[More],
) -> PatientScores | dict[str, PatientScores] | dict[tuple[str, str], PatientScores]:
    """Return one score per patient, from a table with one row per instance.

    Parameters
    ----------
    source
        A path, several paths, a pattern or a folder (CSV, TSV, Excel, Parquet, Feather, AnnData, or
        a zip archive with one of these; ``"t.xlsx#Sheet2"`` names a sheet); a dict of arrays or a
        structured array; an AnnData object; or a frame of any library that narwhals reads (pandas,
        polars, Arrow, DuckDB, ...).
    patient
        Column that identifies patients. 7 and 7.0 are both read as ``"7"``; texts stay as they
        are. None if each row is one patient; then a warning says so.
    score
        Column of instance scores, or several.
    label
        Column of labels, the same in every row of a patient unless ``label_how`` says otherwise.
    positive
        The label that counts as 1. Without it labels must be 0 and 1, or false and true.
    label_how
        ``"same"``, the default: all rows of a patient must have the same label. ``"any"``, for
        labels of instances: a patient is positive if any row is. Without a positive row, a row
        without a label makes the patient's label unknown; then ``missing`` says what to do.
    time, event, horizon
        For survival, instead of ``label``: columns of the follow-up time and of the event (1, or
        ``positive``, if it happened), and the horizon in the unit of the time. A patient is
        positive if the event happened by then. Patients who were censored before have the label -1.
    site
        Column of hospitals, the same in every row of a patient.
    levels
        Levels between rows and patients, innermost first: pairs (column, aggregator), or
        texts such as ``"slide:max"``.
    how
        Aggregator over the last level of a patient, or over the rows if there are no levels: a
        name such as ``mean``, ``max`` or ``quantile:0.9`` (docs/guide/aggregators.md has all), or a
        function of the scores in ascending order.
    attributes
        Further patient-level columns, such as sex or scanner, the same in every row of a patient.
        The result has them as texts in ``attributes``, by name.
    missing
        ``"refuse"``, the default, or ``"drop"`` rows whose score is missing, NaN or infinite, and
        patients who have no label, or no value of an attribute, in any row. Dropping warns with the
        numbers; patients who have no other rows are left out too.
    unscored
        What is done to patients of whom no row has a score: ``"refuse"``, the default, ``"call"``
        or ``"leave"``. With the latter they are kept, with NaN as their score.
    delimiter, decimal
        Separator of CSV files (``,``, ``;``, ``|`` or ``tab``; by default the header tells it), and
        the decimal sign of scores that are written as text (a point by default).
    sheet, on
        A second table of any of these kinds, by slide, image or patient, for columns that the
        table does not have; and the column that joins them, or ``"TABLE=SHEET"`` if it has two
        names. By default it is guessed, where that is unambiguous; a warning then says so.
    patient_from
        Take the patient from the names in the column ``patient``: ``"tcga"`` or a regular
        expression with one group.
    file_column
        What to call a column that holds the name of the file of each row, without its ending.
    engine, memory, progress
        How the rows are brought together; see `read_patients`. The result does not depend on it.

    Returns
    -------
    PatientScores or dict
        A dict by aggregator for a list of ``how`` (a function is named ``callable:NAME``); a dict
        by (score column, aggregator) for a list of ``score``.

    Notes
    -----
    The result does not depend on the order of rows or on the format of the table.

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
    given: dict[str, Any] = {**more}
    for name in given:
        if name not in More.__annotations__:
            raise no_such_name(name, ("how", *More.__annotations__))
    reading = {name: given.pop(name) for name in Reading.__annotations__ if name in given}
    request = make_request(patient=patient, score=score, how=how, **given)
    table = read_patients(request, source, **reading)
    guessed = [Warned("", line) for line in table.joined if reading.get("on") is None]
    warn_each([*guessed, *dropped_lines(table), *alike_lines(table)], stacklevel=3)
    note_order(table, source, patient)
    if not isinstance(score, str):
        return dict(table.patients)
    if isinstance(how, str) or callable(how):
        return next(iter(table.patients.values()))
    return {name: patients for (_, name), patients in table.patients.items()}


def note_order(table: PatientTable, source: Any, patient: str | None) -> None:
    """Let patients remember if their table has them, or may have them, in another order."""
    if patient not in {None, ROW} and not _is_in_order(source, patient):
        for patients in table.patients.values():
            patients.note_other_order()


def _is_in_order(source: Any, patient: str | None) -> bool:
    """Return whether a table in memory is known to have its patients in order."""
    try:
        column = source[patient]
        rows = np.asarray(column).astype(str) if len(column) <= MANY_ROWS else None
    except Exception:  # noqa: BLE001  (files, lazy tables, types that numpy does not have)
        return False
    return rows is not None and not np.any(rows[1:] < rows[:-1])


def dropped_lines(table: PatientTable) -> list[str]:
    """Say what was left out, one line per reason."""
    lost = table.dropped
    lines: list[str] = []
    if lost.unmatched is not None:
        none, name = lost.unmatched, lost.unmatched.column
        rows = f"{_count(none.rows, 'row')} of {_count(none.keys, 'value')} of {name!r}"
        dropped = f"{_were(none.rows)} dropped"
        more = f"{none.sheet} in the sheet have no row in the table"
        lines.append(Warned("", f"{rows} without a partner {dropped}; {more}."))
    if lost.rows:
        who = "patient who has" if lost.patients == 1 else "patients who have"
        also = f", and with them {lost.patients} {who} no other rows" if lost.patients else ""
        dropped = f"{_were(lost.rows)} dropped{also}"
        lines.append(f"{lost.rows} of {table.n_rows} rows without a finite score {dropped}.")
    recipe = next(iter(table.patients.values())).recipe
    for gaps in lost.gaps:
        what = "a label" if gaps.column == recipe.label else repr(gaps.column)
        lack = f"without {what} in any row"
        if gaps.column == recipe.label and recipe.label_how:
            lack = "without a positive row, but with rows without a label,"
        if gaps.patients:
            dropped = f"{_were(gaps.patients)} dropped, {_count(gaps.rows, 'row')} in all"
            line = f"{_count(gaps.patients, 'patient')} {lack} {dropped}."
            lines.append(line + HIGHER * (gaps.column == recipe.label and bool(recipe.label_how)))
        if gaps.filled:
            rows = _count(gaps.filled, "row")
            lines.append(
                Warned("", f"{rows} without {what} took the one of the same patient's other rows.")
            )
    return lines


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def alike_lines(table: PatientTable) -> list[str]:
    """Warn of odd rows, and if some patients may be in the table twice under two names."""
    return [*table.warnings, *alike_warnings(next(iter(table.patients.values())))]
