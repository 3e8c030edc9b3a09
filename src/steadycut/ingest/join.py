"""Columns that the table does not have: those of a second table, or patients named in a name.

There is one step, for every engine. An engine says which keys occur together (`ingest.survey`): a
few rows of the table, slides or patients, for each of which the missing columns are looked up.
Rows are aggregated only after that, so that a join costs next to nothing.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from steadycut.core.checks import IntArray
from steadycut.errors import BadOption, BadTable, argument
from steadycut.ingest.survey import Survey
from steadycut.ingest.table import MISSING_CODE, KeyColumn

# Patterns by name: what identifies a patient in the names of well-known collections.
PATTERNS = {
    "tcga": r"(TCGA-\w\w-\w{4})",
    "cptac": r"(C3[LN]-\d{5})",
    "gtex": r"(GTEX-\w{4,5})",
    "camelyon17": r"(patient_\d{3})",
}
# Endings of the names of images and their tables: a slide is often called by its file.
ENDING = re.compile(
    r"(\.ome)?\.(svs|tiff?|ndpi|mrxs|scn|czi|vms|bif|qptiff|zarr|png|jpe?g|h5|pt|npy|csv)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Step:
    """The columns ``names``, which follow from the column ``key``.

    ``look_up`` gives the entry of each text of the key, or None; ``columns`` hold the entries. Of
    a sheet, ``sheet`` is the number of its different keys.
    """

    key: str
    names: tuple[str, ...]
    look_up: Callable[[Iterable[str]], list[int | None]]
    columns: Callable[[], Mapping[str, KeyColumn]]
    sheet: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """What has no partner: ``keys`` of the table with their ``rows``, and ``sheet`` of the sheet.

    ``column`` is the one by which they were joined.
    """

    column: str
    keys: int
    rows: int
    sheet: int


def join(survey: Survey, steps: Iterable[Step], missing: str) -> tuple[Survey, Unmatched | None]:
    r"""Add the columns of some steps to the groups of rows; what has no partner is refused or left.

    Examples
    --------
    >>> from steadycut.ingest.survey import survey_rows
    >>> from steadycut.ingest.table import Table, key_column, score_column
    >>> keys, scores = key_column(np.array(["a-1", "a-2"])), score_column(np.array([0.5, 0.7]))
    >>> survey = survey_rows(Table(keys={"slide": keys}, scores={"s": scores}))
    >>> joined, _ = join(survey, [patient_step("slide", "patient", r"(\w+)-")], "refuse")
    >>> joined.keys["patient"].texts
    ('a',)
    """
    lost = None
    for step in steps:
        column = survey.keys[step.key]
        places = np.array(
            [MISSING_CODE if at is None else at for at in (*step.look_up(column.texts), None)],
            dtype=np.int64,
        )[column.codes]
        matched = places >= 0
        if not matched.all() or (step.sheet or 0) > np.unique(places[matched]).size:
            lost = _unmatched(survey, step, places)
            if missing == "refuse":
                _refuse(lost, step, survey)
            if not matched.any():
                same = "" if step.sheet is None else ", or several are one file's name"
                raise BadTable(f"all values of {step.key!r} {_lacks(step)}{same}. Check both.")
        survey = survey.take(matched)
        added = {name: made.take(places[matched]) for name, made in step.columns().items()}
        survey = replace(survey, keys={**survey.keys, **added})
    return survey, lost


def _unmatched(survey: Survey, step: Step, places: IntArray) -> Unmatched:
    codes, matched = survey.keys[step.key].codes, places >= 0
    return Unmatched(
        column=step.key,
        keys=np.unique(codes[~matched]).size,
        rows=int(survey.n_rows[~matched].sum()),
        sheet=max((step.sheet or 0) - np.unique(places[matched]).size, 0),
    )


def _refuse(lost: Unmatched, step: Step, survey: Survey) -> None:
    here = np.unique(survey.keys[step.key].codes).size
    parts = []
    if lost.keys:
        rows = f"{lost.rows} of {survey.total} rows"
        parts.append(f"{lost.keys} of {here} values of {step.key!r} ({rows}) {_lacks(step)}")
    if lost.sheet:
        parts.append(f"{lost.sheet} of {step.sheet} in the sheet have no row in the table")
    raise BadTable(
        f"{', and '.join(parts)}. Correct them, or leave them out with "
        f"{argument('missing', 'drop')}."
    )


def _lacks(step: Step) -> str:
    fits = f"do not fit {argument('patient_from')}"
    return fits if step.sheet is None else "are not in the sheet"


def patient_step(key: str, name: str, pattern: str) -> Step:
    """Return how patients follow from a name: ``pattern`` is one of `PATTERNS`, or has one group.

    Examples
    --------
    >>> names = ["TCGA-AA-3489-01Z-00-DX1.svs", "other"]
    >>> patient_step("slide", "patient", "tcga").look_up(names)
    [0, None]
    """
    try:
        compiled = re.compile(PATTERNS.get(pattern.casefold(), pattern))
    except re.error as error:
        compiled = re.compile("")
        why = f"; it cannot be read as one ({error.msg})"
    else:
        why = f"; it has {compiled.groups}"
    if compiled.groups != 1:
        raise BadOption(
            f"{argument('patient_from')} must be {', '.join(PATTERNS)} or a regular expression "
            f"with one group in parentheses{why}: {pattern!r}. An example: '^([^_]+)_' takes "
            "what stands before the first underscore."
        )
    patients: dict[str, int] = {}

    def look_up(texts: Iterable[str]) -> list[int | None]:
        fits = (compiled.search(text) for text in texts)
        names = [fit[1] if fit else None for fit in fits]
        return [patients.setdefault(text, len(patients)) if text else None for text in names]

    def columns() -> dict[str, KeyColumn]:
        return {name: KeyColumn(codes=np.arange(len(patients)), texts=tuple(patients))}

    return Step(key=key, names=(name,), look_up=look_up, columns=columns)


def sheet_step(key: str, on: KeyColumn, columns: Mapping[str, KeyColumn]) -> Step:
    """Return how the columns of a sheet follow from its column ``on``, called ``key`` in the table.

    Several rows of one key must agree. If no key of the table is in the sheet as it stands, both
    are compared without folders and without endings such as ``.svs``. A name that occurs in several
    folders then has no partner.
    """
    used, first = np.unique(on.codes, return_index=True)
    if used[0] < 0:
        used, first = used[1:], first[1:]
    place = np.full(len(on.texts) + 1, MISSING_CODE)
    place[used] = np.arange(used.size)
    of_row = place[on.codes]
    for name, column in columns.items():
        differ = (of_row >= 0) & (column.codes != column.codes[first][of_row])
        if differ.any():
            count = np.unique(of_row[differ]).size
            raise BadTable(
                f"each row of the table must have one {name!r}; the sheet has several for {count} "
                f"of {used.size} values. Correct them, or join by another column with "
                f"{argument('on')}."
            )
    exact = {on.texts[code]: i for i, code in enumerate(used.tolist())}

    def look_up(texts: Iterable[str]) -> list[int | None]:
        listed = list(texts)
        if not any(text in exact for text in listed):
            counts = Counter(map(_stem, exact)) | Counter(map(_stem, listed))
            stems = {_stem(text): at for text, at in exact.items() if counts[_stem(text)] == 1}
            return [stems.get(_stem(text)) for text in listed]
        return [exact.get(text) for text in listed]

    kept = {name: column.take(first) for name, column in columns.items()}
    return Step(
        key=key, names=tuple(columns), look_up=look_up, columns=lambda: kept, sheet=used.size
    )


def _stem(text: str) -> str:
    """Return the name of a file without its folder and its ending."""
    return ENDING.sub("", re.split(r"[/\\]", text)[-1]).casefold()
