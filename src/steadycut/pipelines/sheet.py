"""The sheet that says which patient, label and site a file belongs to."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steadycut.errors import BadOption, BadTable, MissingColumn
from steadycut.io.files import read_small
from steadycut.pipelines.skipped import LeftOut

DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Whom a file comes from; None where nobody said."""

    patient: str | None = None
    label: str | None = None
    site: str | None = None


NOBODY = Origin()


def read_rows(path: Path) -> list[list[str]]:
    """Return the cells of a CSV file as texts; the separator is found in its first line.

    Raises
    ------
    BadTable
        If the file is missing, empty or no text.
    """
    try:
        text = read_small(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        msg = f"cannot read the sheet {path}: {why}. Give a CSV file."
        raise BadTable(msg) from None
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or "\0" in text:
        msg = f"the sheet {path} has no rows. Give a CSV file with a header."
        raise BadTable(msg)
    delimiter = max(DELIMITERS, key=lines[0].count)
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
    except csv.Error as error:
        msg = f"cannot read the sheet {path}: {error}. Give a CSV file."
        raise BadTable(msg) from None


def read_records(path: Path, needed: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the rows below the header, by column; refuse a sheet without the needed columns."""
    header, *rows = read_rows(path)
    names = [name.lower() for name in header]
    missing = [name for name in needed if name not in names]
    if missing:
        # A first row of data may identify a patient: only plain words are shown.
        shown = [name for name in names if name.isidentifier() and name.isprintable()]
        msg = (
            f"the sheet {path} must have the columns {', '.join(needed)}; it lacks "
            f"{', '.join(missing)} and has {', '.join(shown) or 'no other names'}."
        )
        raise MissingColumn(msg)
    if len(set(filter(None, names))) < len(list(filter(None, names))):
        msg = f"the sheet {path} must name each column once. Rename or remove the copies."
        raise BadTable(msg)
    n_longer = sum(any(row[len(names) :]) for row in rows)
    if n_longer:
        msg = (
            f"the sheet {path} must have a cell for each of its {len(names)} columns; {n_longer} "
            "rows have more. Put cells with the separator in them into quotes."
        )
        raise BadTable(msg)
    return [dict(zip(names, row, strict=False)) for row in rows]


def read_sheet(path: Path, key: str) -> dict[str, Origin]:
    """Return patient, label and site of each file, by the stem of its name.

    Parameters
    ----------
    path
        CSV file with the columns ``key`` (a file name, with or without its ending and folder)
        and ``patient``, and if known ``label`` and ``site``.
    key
        ``slide`` or ``record``.
    """
    found: dict[str, Origin] = {}
    for row in read_records(path, (key, "patient")):
        name = file_stem(row.get(key, ""))
        origin = Origin(**{field: row.get(field) or None for field in ("patient", "label", "site")})
        if found.setdefault(name, origin) != origin:
            msg = f"the sheet {path} says two different things about one {key}. Keep one row each."
            raise BadTable(msg)
    return found


def file_stem(name: str) -> str:
    """Return a file name without folder and ending.

    Examples
    --------
    >>> file_stem("center_0/patient_000_node_1.tif"), file_stem("s0010_re")
    ('patient_000_node_1', 's0010_re')
    """
    return Path(name.replace("\\", "/")).stem


def check_names(paths: Sequence[Path], what: str) -> None:
    """Refuse two files of one name: sheets and tables could not tell them apart."""
    twice = [name for name, count in Counter(path.stem for path in paths).items() if count > 1]
    if twice:
        msg = f"{what} must have different names; {twice[0]} occurs twice. Rename one of them."
        raise BadOption(msg)


def origin_of(path: Path, sheet: Mapping[str, Origin]) -> Origin:
    """Return whom a file comes from."""
    return sheet.get(path.stem, NOBODY)


def at_two_sites(paths: Sequence[Path], sheet: Mapping[str, Origin]) -> list[LeftOut]:
    """Return the files of patients whom the sheet puts at two sites: one of them is wrong."""
    sites: dict[str | None, set[str]] = {}
    for origin in sheet.values():
        if origin.patient and origin.site:
            sites.setdefault(origin.patient, set()).add(origin.site)
    reason = "the sheet puts its patient at two sites."
    wrong = [path for path in paths if len(sites.get(origin_of(path, sheet).patient, ())) > 1]
    return [LeftOut(file=str(path), reason=reason) for path in wrong]
