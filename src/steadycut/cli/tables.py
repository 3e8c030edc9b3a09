"""Reading tables for a frozen rule, what to say about the rows, and lists of patients to label."""

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from steadycut.cli.options import OutputOptions, TableOptions, parse_numbers
from steadycut.cli.output import note, note_warnings, refuse, write_folder
from steadycut.cli.reading import Reading, read_tables
from steadycut.cli.rule_options import ExternalOptions, RuleColumns, RuleOptions
from steadycut.core.labels import code_labels
from steadycut.core.records import PatientScores
from steadycut.documents import guards
from steadycut.documents.frozen import FrozenFile, none_positive
from steadycut.documents.parts import DataPart, NewPatientsPart, Part
from steadycut.errors import BadOption, BadPatients, BadTable, MissingColumn, argument, refusing
from steadycut.ingest import PatientTable, Request
from steadycut.ingest.read import alike_lines, dropped_lines
from steadycut.ingest.request import ROW
from steadycut.io.files import read_small, reserve
from steadycut.io.safe_csv import csv_bytes
from steadycut.rule_reader import safe_cell

ANY_ROW = "a patient is positive if any row is"
ALL_ROWS = "all rows of a patient have the same label"
Judged = TypeVar("Judged", bound=NewPatientsPart)
Told = TypeVar("Told", bound=Part)


def read_levels(
    request: Request, reading: Reading, *, force: bool, expected: guards.Expected
) -> tuple[PatientTable, list[guards.Finding]]:
    """Read patients; where the column of a level is missing, refuse, or leave out this level.

    Where the column of patients is missing, and none of a similar name is there, rows are patients
    if those of the rule had one row each. The findings say what was done. The recipe of the
    patients stays as it was asked for.
    """
    try:
        return read_tables(request, reading), []
    except MissingColumn as error:
        column = error.column
        finding = guards.missing_patient(request, column, expected)
        finding = finding or guards.missing_level(request, column)
        if finding is None or (column == request.patient and error.near):
            raise
    guards.pass_or_refuse([finding], force=force)
    levels = tuple(level for level in request.levels if level[0] != column)
    patient = ROW if column == request.patient else request.patient
    less = replace(request, levels=levels, patient=patient)
    table, more = read_levels(less, reading, force=force, expected=expected)
    asked = request.recipe("", "")
    patients = {
        key: replace(
            scores,
            recipe=replace(scores.recipe, levels=asked.levels, patient=asked.patient),
            n_units=scores.n_units if levels == request.levels else None,
        )
        for key, scores in table.patients.items()
    }
    return replace(table, patients=patients), [finding, *more]


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A frozen file in use: its options, the secret of its patients, and how tables are read."""

    rule: RuleOptions
    frozen: FrozenFile[Any]
    key: bytes | None
    columns: RuleColumns
    missing: str
    reading: Reading

    @property
    def named(self) -> tuple[str, Path]:
        """The usual name of the frozen file, and where it is."""
        return self.frozen.file_name, self.rule.rule

    def request(self, **more: Any) -> Request:
        """Return what the frozen file asks of a table."""
        return self.frozen.request(missing=self.missing, **self.columns.names(), **more)

    def read_again(self, order: str | None = None, **asked: Any) -> PatientTable:
        """Read the tables once more for other columns; patients without a value are left out."""
        request = replace(self.request(**asked), incomplete="drop", order=order)
        reading = replace(self.reading, resume=False, checkpoint=None)
        return replace(self, reading=reading).read(request)[0]

    def read(self, request: Request) -> tuple[PatientTable, list[guards.Finding]]:
        """Read the patients; see `read_levels`."""
        force, expected = self.rule.force, self.frozen.expected
        return read_levels(request, self.reading, force=force, expected=expected)


def use_rule(rule: RuleOptions, columns: RuleColumns, table: TableOptions, out: Path | None) -> Use:
    """Load a frozen file and check how the tables are to be read; results go into ``out``."""
    frozen, key = rule.load()
    reserve([rule.rule])
    reading = table.reading(out)
    return Use(
        rule=rule, frozen=frozen, key=key, columns=columns, missing=table.missing, reading=reading
    )


def read_external(
    use: Use,
    there: ExternalOptions,
    *,
    own_site: bool,
    order: str | None = None,
    survival: bool = False,
    **asked: Any,
) -> tuple[PatientTable, list[guards.Finding]]:
    """Read the patients to judge a rule on; see `read_levels`.

    The label of the rule is read if the table has it, and with ``own_site`` the site of the rule
    too. With ``survival`` so are the time and the event. ``asked`` goes to `FrozenFile.request`.
    """
    frozen = use.frozen
    taken = {there.label, there.site, order, *use.columns.given()}
    label, site = there.label_of(frozen), there.site_of(frozen, own=own_site)
    label, site = there.label or _free(taken, label), there.site or _free(taken, site)
    survival = survival and not there.no_label and frozen.recipe.horizon is not None
    while True:
        request = use.request(
            survival=survival,
            label=label,
            site=site,
            sites=there.names(site),
            others=there.others,
            positive=there.positive,
            label_how=there.label_how if label else None,
            **asked,
        )
        if order is not None:
            # No patient may be left out because of the label.
            request = replace(request, order=order, incomplete="refuse")
        try:
            with _saying_how_to_leave_out(there, label, site):
                return use.read(request)
        except MissingColumn as error:
            if error.column in {request.time, request.event}:
                survival = False
            elif error.column == label and there.label is None and there.positive is None:
                label = None
            elif error.column == site and there.site is None and there.external is None:
                site = None
            else:
                raise


def _free(taken: Collection[str | None], column: str | None) -> str | None:
    """Return a column that the rule names, unless the user gave it another role."""
    return None if column in taken else column


@contextmanager
def _saying_how_to_leave_out(
    there: ExternalOptions, label: str | None, site: str | None
) -> Iterator[None]:
    """Say of a column that is read because the rule names it how to work without it."""
    try:
        yield
    except MissingColumn:
        raise
    except (BadTable, BadPatients) as error:
        own = {"no_label": label if there.label is None else None}
        own["no_site"] = site if there.site is None else None
        for name, column in own.items():
            if column is not None and repr(column) in error.message:
                hint = (
                    f"It is read because the rule names it; {argument(name, value=True)} does not."
                )
                raise type(error)(f"{error.message} {hint}") from None
        raise


def with_warnings(
    document: Judged, lacking: Sequence[guards.Finding], labels: Sequence[str]
) -> Judged:
    """Add warnings: those about missing columns before the others, those about labels after."""
    forced = dict.fromkeys([*guards.forced_names(lacking), *document.forced])
    warnings = [*guards.texts_of(lacking), *document.warnings, *labels]
    return document.model_copy(update={"warnings": warnings, "forced": list(forced)})


def with_rows(document: Told, table: PatientTable) -> Told:
    """Add what looks odd about the rows to the warnings of a document, each text once."""
    anything: Any = document  # Studies of cut-offs and strata keep their warnings in a part.
    holder = anything if hasattr(anything, "warnings") else anything.stability
    texts = list(dict.fromkeys([*holder.warnings, *alike_lines(table)]))
    copied: Any = holder.model_copy(update={"warnings": texts})
    return copied if holder is document else document.model_copy(update={"stability": copied})


def with_data(document: Told, table: PatientTable, **known: Any) -> Told:
    """Add what is known of the rows to a document, and what is ``known`` besides."""
    update = {"data": row_counts(table), **known}
    return with_rows(document.model_copy(update=update), table)


def label_warnings(patients: PatientScores, frozen: FrozenFile[Any]) -> list[str]:
    """Warn if no label is positive, or if labels were not made as in the study."""
    recipe = patients.recipe
    if patients.labels is None:
        return []
    texts = []
    if recipe.label_how != frozen.recipe.label_how:
        here, before = (ANY_ROW if made.label_how else ALL_ROWS for made in (recipe, frozen.recipe))
        texts.append(f"labels: here {here}; in the study {before}.")
    return [*texts, *none_positive(patients)]


def row_counts(table: PatientTable, *, fewest: int = 0, sha256: str | None = None) -> DataPart:
    """Return how many rows the named sites have, and what was left out of them.

    A count that is not 0 is written as at least ``fewest``. ``sha256`` is the fingerprint of the
    patients.
    """

    def shown(number: int) -> int:
        return max(number, fewest) if number else 0

    lost = table.dropped.unmatched
    return DataPart(
        rows=shown(table.n_rows),
        dropped_rows=shown(table.dropped.rows + (lost.rows if lost else 0)),
        dropped_patients=shown(table.dropped.patients),
        dropped_positive=table.dropped.positive if table.dropped.patients and not fewest else None,
        dropped_incomplete_patients=shown(table.dropped.incomplete),
        sha256=sha256,
    )


def note_dropped(
    table: PatientTable, known: Collection[str] = (), *, small_cells: bool = False
) -> None:
    """Say what was left out, and what looks odd about the rows unless it is ``known`` elsewhere.

    With small cells only the terminal says it, and no log: it counts patients.
    """
    for line in (*table.joined, *dropped_lines(table)):
        note(line)
    odd = [text for text in alike_lines(table) if text not in known]
    if not small_cells:
        note_warnings(odd)
        return
    for text in odd:
        note(f"warning: {text}")


# Lists of patients, and options about them ---------------------------------------------------


def parse_stated(text: str | None) -> Any:
    """Return a stated prevalence as numbers."""
    if text is None:
        return None
    must_be = f"{argument('prevalence')} must be a share such as 0.08, or a range 0.05,0.12"
    ends = parse_numbers(text, must_be)
    return ends[0] if len(ends) == 1 else ends


def check_named(frozen: FrozenFile[Any], lacking: Sequence[guards.Finding]) -> None:
    """Refuse patients who are known by row numbers only, which another order changes."""
    by_rows = frozen.recipe.patient == ROW
    if by_rows or any(finding.name == "rows as patients" for finding in lacking):
        refuse(
            "a list of patients to label needs identifiers, and here rows count as patients. Name "
            "the column that identifies patients with --patient COL."
        )


def write_list(
    output: OutputOptions,
    name: str,
    patients: NDArray[np.str_],
    columns: Mapping[str, NDArray[np.str_]],
) -> Path:
    """Write a list of patients with an empty column for labels; return its path.

    A list that is there already may have labels, so it is not replaced.
    """
    empty = np.full(patients.size, "", dtype=np.str_)
    content = csv_bytes({"patient": patients, **columns, "label": empty})
    path = output.out / name
    if path.exists() and not output.overwrite:
        refuse(
            f"{path} is there already, perhaps with labels; choose another --out, or --overwrite."
        )
    write_folder(output.out, {name: content}, overwrite=True)
    return path


def names_of(patients: PatientScores) -> list[str]:
    """Return the identifiers of patients; nothing if they have none."""
    return [] if patients.patients is None else patients.patients.tolist()


def labels_of(patients: PatientScores) -> dict[str, int]:
    """Return the label of each patient, by identifier."""
    return dict(zip(names_of(patients), patients.known_labels.tolist(), strict=True))


def read_worklist(
    path: Path,
    positive: str | None,
    known: Sequence[str],
    column: str,
    allowed: Sequence[str],
) -> tuple[dict[str, int], dict[str, str]]:
    """Return the labels of a worklist by patient, and what its ``column`` says of each.

    ``known`` are the patients of the table, ``allowed`` the values of the column.
    """
    msg = f"cannot read {path}: {{why}}. Give the list of patients that steadycut wrote."
    with refusing(BadOption, msg, OSError, UnicodeDecodeError, csv.Error):
        rows = list(csv.DictReader(io.StringIO(read_small(path).decode("utf-8-sig"), newline="")))
    if not rows or not {"patient", column, "label"} <= set(rows[0]):
        raise BadTable(
            f"{path} must have the columns patient, {column} and label, separated by commas, as "
            "steadycut wrote them."
        )
    filled = [row for row in rows if (row["label"] or "").strip()]
    if not filled:
        raise BadTable(f"no label is filled in {path}; fill in the column label for some patients.")
    # An apostrophe stands in front of what a spreadsheet would take for a formula.
    cells = {safe_cell(name): name for name in known}
    by_name = {cells.get(row["patient"], row["patient"] or ""): row for row in rows}
    if len(by_name) < len(rows):
        raise BadTable(f"{path} names a patient twice; keep one row of each.")
    purposes = {name: row[column] for name, row in by_name.items()}
    if not set(purposes.values()) <= set(allowed):
        msg = f"the column {column} of {path} must be {' or '.join(allowed)}, as it was written."
        raise BadTable(msg)
    texts = sorted({row["label"] for row in filled})
    coded = code_labels(texts, "label", positive, must_occur=False)
    code = dict(zip(texts, coded.tolist(), strict=True))
    labels = {name: code[row["label"]] for name, row in by_name.items() if row["label"] in code}
    return labels, purposes
