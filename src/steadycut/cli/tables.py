"""Reading tables for a frozen rule, and what to say about the rows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from steadycut.cli.output import note, note_warnings
from steadycut.cli.reading import Reading, read_tables
from steadycut.core.records import PatientScores
from steadycut.documents import guards
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.parts import DataPart, NewPatientsPart
from steadycut.errors import MissingColumn
from steadycut.ingest import PatientTable, Request
from steadycut.ingest.read import alike_lines, dropped_lines

Judged = TypeVar("Judged", bound=NewPatientsPart)


def read_levels(
    request: Request, reading: Reading, *, force: bool
) -> tuple[PatientTable, list[guards.Finding]]:
    """Read patients; where the column of a level is missing, refuse, or leave out this level.

    The findings say what was left out. The recipe of the patients stays as it was asked for.
    """
    try:
        return read_tables(request, reading), []
    except MissingColumn as error:
        column = error.column
        found = guards.missing_level(request.recipe("", ""), column)
        if found is None:
            raise
    guards.pass_or_refuse([found], force=force)
    levels = tuple(level for level in request.levels if level[0] != column)
    table, more = read_levels(replace(request, levels=levels), reading, force=force)
    patients = {
        (score, how): replace(one, recipe=request.recipe(score, how), n_units=None)
        for (score, how), one in table.patients.items()
    }
    return replace(table, patients=patients), [found, *more]


def with_warnings(
    document: Judged, lacking: Sequence[guards.Finding], labels: Sequence[str]
) -> Judged:
    """Add warnings: those about missing columns before the others, those about labels after."""
    forced = dict.fromkeys([*guards.forced_names(lacking), *document.forced])
    warnings = [*guards.texts_of(lacking), *document.warnings, *labels]
    return document.model_copy(update={"warnings": warnings, "forced": list(forced)})


def label_warnings(rule: FrozenFile[Any], patients: PatientScores) -> list[str]:
    """Warn if the label that the rule calls positive does not occur."""
    positive = rule.recipe.positive
    if patients.labels is None or positive is None or patients.n_positive:
        return []
    return [f"labels: none is {positive!r}, so every patient counts as healthy."]


def row_counts(table: PatientTable, *, fewest: int = 0, sha256: str | None = None) -> DataPart:
    """Return how many rows the named sites have, and what was left out of them.

    A count that is not 0 is written as at least ``fewest``. ``sha256`` is the fingerprint of the
    patients.
    """

    def shown(number: int) -> int:
        return max(number, fewest) if number else 0

    return DataPart(
        rows=shown(table.n_rows),
        dropped_rows=shown(table.dropped.rows),
        dropped_patients=shown(table.dropped.patients),
        dropped_incomplete_patients=shown(table.dropped.incomplete),
        sha256=sha256,
    )


def note_dropped(table: PatientTable) -> None:
    """Say what was left out, and whether patients may be there twice."""
    note_left_out(table)
    note_warnings(alike_lines(table))


def note_left_out(table: PatientTable) -> None:
    """Say what was left out."""
    for line in dropped_lines(table):
        note(line)
