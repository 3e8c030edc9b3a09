"""Which columns a second table adds to the first, and by which column they are joined.

Names are guessed only where there is one answer, and what was guessed is said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steadycut.core.parts import PATIENT, SLIDE, names_a_part, words
from steadycut.errors import BadOption, BadTable, MissingColumn, argument
from steadycut.ingest.column_names import check_columns, close_name, meant
from steadycut.ingest.join import patient_step, sheet_step
from steadycut.ingest.request import Request
from steadycut.ingest.sources.dispatch import names_of, read_table

# With fewer values a column called case or person says something else, such as a class.
FEWEST_PATIENTS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysOnly(Request):
    """Columns of a sheet: it has no scores."""

    def __post_init__(self) -> None:
        """Take the names as they are: they are those of the sheet."""


def with_steps(
    request: Request, source: Any, sheet: Any, on: str | None, work: Path
) -> tuple[Request, tuple[str, ...]]:
    """Return the request with the steps that make the columns which the table does not have.

    Parameters
    ----------
    request
        What is asked, of the table and of the sheet.
    source, sheet
        The table and the second table, if there is one.
    on
        The column by which they are joined, or ``TABLE=SHEET`` if it has two names.
    work
        A folder for files that are unpacked.

    Returns
    -------
    Request, tuple
        The request, and lines that say how the tables were joined.
    """
    if sheet is None and on is not None:
        raise BadOption(f"{argument('on')} needs {argument('sheet')}. Give both, or neither.")
    if sheet is None and request.patient_from is None and not request.rows_are_patients:
        return request, ()
    here = names_of(source, request.separator, work)
    if sheet is None and request.patient_from is None:
        return replace(request, parts=_rows_of_parts(here)), ()
    here += () if request.file_column is None else (request.file_column,)
    there = () if sheet is None else names_of(sheet, None, work)
    if request.patient_from is None and request.rows_are_patients:
        request = replace(request, patient=_guessed_patient((*here, *there)))
    lines: list[str] = []
    if request.patient_from is not None and (sheet is None or _source_of(request) in here):
        request = _named_in(request, lines)
        here = (*here, request.patient)
    if sheet is not None:
        request = _joined(request, here, sheet, there, on, lines)
    if request.patient_from is not None and not lines[0].startswith("patients"):
        request = _named_in(request, lines)
    return request, tuple(lines)


def _rows_of_parts(names: Sequence[str]) -> str:
    """Return why rows may be slides or images: the table has a column of them."""
    parts = filter(names_a_part, names)
    return next((f"rows count as patients, and there is a column {name!r}" for name in parts), "")


def _source_of(request: Request) -> str:
    """Return the column whose names hold the name of a patient."""
    if not request.rows_are_patients:
        return request.patient
    if request.file_column is None:
        raise BadOption(
            f"{argument('patient_from')} needs the column of names: give {argument('patient')}, "
            f"or {argument('file_column')} for the names of the files."
        )
    return request.file_column


def _named_in(request: Request, lines: list[str]) -> Request:
    source, pattern = _source_of(request), str(request.patient_from)
    made = f"{source} (patient)"
    lines.append(f"patients are named in {source!r}, by {pattern!r}.")
    # A rule keeps the made name, so that the names of slides are never taken for patients later.
    names = tuple((made if new == source else new, old) for new, old in request.names)
    step = patient_step(source, made, pattern)
    return replace(request, patient=made, names=names, steps=(*request.steps, step))


def _guessed_patient(names: Sequence[str]) -> str:
    several = _of_family(names, PATIENT)
    if len(several) != 1:
        which = "several columns" if several else "no column"
        raise BadOption(
            f"with {argument('sheet')} patients need a column, and {which} may be it. Name it with "
            f"{argument('patient', 'COL')}."
        )
    return several[0]


def _of_family(names: Iterable[str], family: Sequence[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if not {*words(name)}.isdisjoint(family)]


def _joined(
    request: Request,
    here: Sequence[str],
    sheet: Any,
    there: Sequence[str],
    on: str | None,
    lines: list[str],
) -> Request:
    key, other = _pair(request, here, there, on)
    wanted = [name for name in request.roles if name not in here and name != key]
    for name in wanted:
        if name not in there:
            near = close_name(name, [*here, *there])
            where = f"neither the table nor the sheet has a column {name!r}"
            raise MissingColumn(f"{where}{meant(near)}", name, near)
    if not wanted:
        raise BadOption(
            f"the table has every column that is asked for, so {argument('sheet')} adds nothing. "
            "Leave it out."
        )
    owners = [name for name in _of_family(there, PATIENT) if name not in {other, *request.roles}]
    owners = owners if key == request.patient and len(owners) == 1 else []
    needed = KeysOnly(patient=other, scores=(), attributes=(*wanted, *owners))
    columns = dict(read_table(sheet, needed).keys)
    known = columns.pop(other)
    said = [columns.pop(name) for name in owners]
    if any(FEWEST_PATIENTS <= len(column.texts) < len(known.texts) for column in said):
        several = f"the sheet has {len(said[0].texts)} values of {owners[0]!r}"
        request = replace(request, parts=f"{several} for {len(known.texts)} of {key!r}")
    step = sheet_step(key, known, columns)
    called = "" if key == other else f" (in the sheet {other!r})"
    lines.append(f"joined by {key!r}{called}; the sheet gives {', '.join(map(repr, wanted))}.")
    return replace(request, steps=(*request.steps, step))


def _pair(
    request: Request, here: Sequence[str], there: Sequence[str], on: str | None
) -> tuple[str, str]:
    """Return the column of the table and that of the sheet by which they are joined."""
    if on is not None:
        key, _, other = on.partition("=") if on not in here else (on, "", on)
        check_columns([key], here)
        check_columns([other or key], there, "the sheet")
        return key, other or key
    if request.patient in here and request.patient in there:
        return request.patient, request.patient
    # A label, a score or a site in both is no key.
    other_roles = {*request.roles, *request.scores} - {column for column, _ in request.levels}
    shared = [name for name in here if name in there and name not in other_roles]
    if len(shared) == 1:
        return shared[0], shared[0]
    for family in (SLIDE, PATIENT):
        pair = [_of_family(names, family) for names in (shared or here, shared or there)]
        if all(len(names) == 1 for names in pair):
            return pair[0][0], pair[1][0]
    which = "several columns are" if shared else "no column is"
    raise BadTable(
        f"{which} in both the table and the sheet. Say by which to join them: "
        f"{argument('on', 'TABLE_COLUMN=SHEET_COLUMN')}."
    )
