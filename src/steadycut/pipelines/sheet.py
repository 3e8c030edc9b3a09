"""The sheet: a CSV file that says which patient, label and site each file belongs to."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steadycut.errors import BadTable, MissingColumn, refusing
from steadycut.ingest.sources.csv_files import DELIMITERS, split_header
from steadycut.io.files import read_small
from steadycut.rule_reader import is_missing_mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The patient, label and site of a file; None where the sheet does not say."""

    patient: str | None = None
    label: str | None = None
    site: str | None = None


def read_rows(path: Path) -> list[list[str]]:
    """Return the cells of a CSV file as texts; the first line shows which separator it uses.

    Raises
    ------
    BadTable
        If the file is missing or empty, or is not text.
    """
    try:
        text = read_small(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise BadTable(f"cannot read the sheet {path}: {why}. Give a CSV file.") from None
    if not text.strip() or "\0" in text:
        raise BadTable(f"the sheet {path} has no rows. Give a CSV file with a header.")
    _, delimiter = split_header(text.lstrip("\r\n"), DELIMITERS)
    with refusing(BadTable, f"cannot read the sheet {path}: {{why}}. Give a CSV file.", csv.Error):
        # The csv module must see the line breaks: some are inside quoted cells.
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    stripped = ([cell.strip() for cell in row] for row in rows)
    return [row for row in stripped if row not in ([], [""])]


def read_records(path: Path, needed: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the rows below the header as dictionaries; refuse a sheet that lacks a column."""
    header, *rows = read_rows(path)
    names = [name.lower() for name in header]
    missing = [name for name in needed if name not in names]
    if missing:
        # The first row may hold data that identify a patient: no name in it is shown.
        raise MissingColumn(
            f"the sheet {path} must have the columns {', '.join(needed)} in its first line; it "
            f"lacks {', '.join(missing)}. Its first line has {len(names)} cells."
        )
    if len(set(filter(None, names))) < len(list(filter(None, names))):
        raise BadTable(f"the sheet {path} must name each column once. Rename or remove the copies.")
    n_longer = sum(any(row[len(names) :]) for row in rows)
    if n_longer:
        raise BadTable(
            f"the sheet {path} must have a cell for each of its {len(names)} columns; {n_longer} "
            "rows have more. Put quotes around cells that contain the separator."
        )
    return [dict(zip(names, row, strict=False)) for row in rows]


def read_sheet(path: Path, key: str) -> dict[str, Origin]:
    """Return the patient, label and site of each file, by the stem of its name.

    Parameters
    ----------
    path
        CSV file with the columns ``key`` (a file name, with or without its ending and folder)
        and ``patient``, and if known ``label`` and ``site``.
    key
        ``slide`` or ``record``.
    """
    origins: dict[str, Origin] = {}
    rows = read_records(path, (key, "patient"))
    marks = sum(is_missing_mark(row["patient"], patient=True) for row in rows if row.get("patient"))
    if marks:
        raise BadTable(
            f"the sheet {path} must name patients; in {marks} of {len(rows)} rows the patient is a "
            "text that stands for a missing value. Fill these in, or leave them empty."
        )
    for row in rows:
        name = file_stem(row.get(key, ""))
        origin = Origin(**{field: row.get(field) or None for field in ("patient", "label", "site")})
        if origins.setdefault(name, origin) != origin:
            msg = f"the sheet {path} says two different things about one {key}. Keep one row each."
            raise BadTable(msg)
    return origins


def patient_labels(pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Return the label of each patient, from pairs of patient and label.

    Raises
    ------
    BadTable
        If a label is not 0 or 1, or a patient has two labels.
    """
    n_other = sum(label not in {"0", "1"} for _, label in pairs)
    if n_other:
        msg = f"labels in the sheet must be 0 or 1; {n_other} of {len(pairs)} are not. Fix them."
        raise BadTable(msg)
    labels: dict[str, int] = {}
    for patient, label in pairs:
        if labels.setdefault(patient, int(label)) != int(label):
            msg = "the sheet gives one patient two labels. A label belongs to the patient."
            raise BadTable(msg)
    return labels


def file_stem(name: str) -> str:
    """Return a file name without folder and ending.

    Examples
    --------
    >>> file_stem("center_0/patient_000_node_1.tif"), file_stem("s0010_re")
    ('patient_000_node_1', 's0010_re')
    """
    return Path(name.replace("\\", "/")).stem


def origin_of(path: Path, sheet: Mapping[str, Origin]) -> Origin:
    """Return the patient, label and site of a file; `Origin()` if the sheet does not name it."""
    return sheet.get(path.stem, Origin())


def origin_columns(
    key: str, paths: Sequence[Path], sheet: Mapping[str, Origin]
) -> dict[str, list[str | None]]:
    """Return the columns that say where each row comes from; ``paths`` has one entry per row."""
    named = {path: (path.stem, origin_of(path, sheet)) for path in dict.fromkeys(paths)}
    stems, origins = zip(*(named[path] for path in paths), strict=True) if paths else ((), ())
    return {
        key: list(stems),
        **{name: [getattr(it, name) for it in origins] for name in ("patient", "label", "site")},
    }


def patients_at_two_sites(sheet: Mapping[str, Origin]) -> set[str]:
    """Return the patients whom the sheet puts at two sites: one of the two must be wrong.

    Examples
    --------
    >>> patients_at_two_sites({"a": Origin(patient="1", site="A"),
    ...                        "b": Origin(patient="1", site="B"),
    ...                        "c": Origin(patient="2", site="A"), "d": Origin(patient="2")})
    {'1'}
    """
    site_of: dict[str, str] = {}
    named = [(row.patient, row.site) for row in sheet.values() if row.patient and row.site]
    return {patient for patient, site in named if site_of.setdefault(patient, site) != site}
