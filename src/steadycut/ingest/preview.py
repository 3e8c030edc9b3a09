"""The columns of a table, without anything that may identify a patient."""

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from steadycut.core.parts import words
from steadycut.ingest.column import Column
from steadycut.ingest.column_names import check_columns
from steadycut.ingest.guess import guess_columns
from steadycut.ingest.sources.anndata import MATRIX, open_anndata
from steadycut.ingest.sources.archives import unpacked
from steadycut.ingest.sources.arrow import open_dataset
from steadycut.ingest.sources.csv_files import delimiters_of, read_header
from steadycut.ingest.sources.files import WHOLE_COLUMNS, one_line, open_file
from steadycut.ingest.sources.find import TableFile, find_files
from steadycut.ingest.sources.records import is_gzip
from steadycut.io.files import work_folder
from steadycut.io.parquet import connect_duckdb, quote_name

SAMPLE = 5000
MOST_SHOWN = 12
# Values are never shown for columns with such a word in their name.
PRIVATE = re.compile(r"id|ids|.*(patient|subject|person|name|birth|dob|mrn|address|phone|mail).*")

Cells = Mapping[str, Sequence[str | None]]


def preview(paths: Sequence[Path]) -> tuple[Column, ...]:
    """Describe the columns of tables from a sample of their rows.

    Refuses what the commands refuse: unknown file endings, unreadable files, a missing header.
    """
    with connect_duckdb() as connection, work_folder() as work:
        files = unpacked(list(paths), work)
        parts = [_sample(connection, file, SAMPLE // len(files), work) for file in files]
        genes = [Column(name=name, is_gene=True) for name in _genes(files[0])]
    cells = {name: [cell for part in parts for cell in part.get(name, ())] for name in parts[0]}
    return (*describe(cells), *genes)


def separators(paths: Sequence[Path]) -> str:
    """Return what separates the columns of the text files among some, as the commands find it."""
    texts = [file for file in find_files(paths) if file.kind == "text" and not is_gzip(file.path)]
    headers = [read_header(file.path, file.name, delimiters_of(file.name)) for file in texts]
    return "".join(sorted({separator for names, separator in headers if len(names) > 1}))


def describe(cells: Cells) -> tuple[Column, ...]:
    """Describe columns; values are shown only if they say nothing about a single patient.

    The values of a column are shown if there are few of them, each belongs to at least two
    patients, and the name of the column is not that of an identifier. Without a column of patients,
    no values are shown.

    Examples
    --------
    >>> cells = {"patient": ["a", "a", "b"], "slide": ["1", "2", "3"], "site": ["N", "N", "N"]}
    >>> [(one.name, one.shown) for one in describe(cells)]
    [('patient', ()), ('slide', ()), ('site', ('N',))]
    """
    plain = [_describe(name, values) for name, values in cells.items()]
    patient = guess_columns(plain).patient
    if patient is None:
        return tuple(plain)
    patients = cells[plain[patient].name]
    values = ((part, _may_be_shown(part, cells[part.name], patients)) for part in plain)
    return tuple(replace(part, shown=texts) for part, texts in values)


def _describe(name: str, cells: Sequence[str | None]) -> Column:
    present = [cell for cell in cells if cell is not None and cell.strip()]
    values = frozenset(present)
    return Column(name=name, values=values, n_missing=len(cells) - len(present))


def _may_be_shown(
    column: Column, cells: Sequence[str | None], patients: Sequence[str | None]
) -> tuple[str, ...]:
    private = any(PRIVATE.fullmatch(word) for word in words(column.name))
    if private or len(column.values) > MOST_SHOWN:
        return ()
    of_value: dict[str, set[str | None]] = defaultdict(set)
    for cell, patient in zip(cells, patients, strict=True):
        if cell in column.values:
            of_value[str(cell)].add(patient)
    alone = any(len(several) < 2 for several in of_value.values())  # noqa: PLR2004
    return () if alone else tuple(sorted(column.values))


# Samples of rows, as texts -----------------------------------------------------------------


def _sample(connection: Any, file: TableFile, n_rows: int, work: Path) -> Cells:
    with one_line(file.place):
        if file.kind == "anndata":
            return _sample_anndata(file.path, n_rows)
        if file.kind in WHOLE_COLUMNS:
            return _sample_columns(WHOLE_COLUMNS[file.kind](file), n_rows)
        names, aliases, source = _open(connection, file, work)
        picked = ", ".join(f"{quote_name(alias)}::VARCHAR" for alias in aliases)
        # From all rows, because tables are often sorted by site. With a seed, to repeat the sample.
        query = (
            f"SELECT {picked} FROM {source} USING SAMPLE reservoir({n_rows} ROWS) REPEATABLE (1)"  # noqa: S608
        )
        rows = connection.execute(query).fetchall()
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _open(connection: Any, file: TableFile, work: Path) -> tuple[Sequence[str], Sequence[str], str]:
    """Return the names of the columns, DuckDB's names for them, and what to select from."""
    if file.kind == "arrow":
        dataset = open_dataset(file)
        check_columns([], dataset.schema.names, f"{file.place!r}")
        connection.register("opened", dataset)
        return dataset.schema.names, dataset.schema.names, "opened"
    opened = open_file(connection, file, work)
    return opened.names, opened.aliases, opened.source


def _sample_anndata(path: Path, n_rows: int) -> Cells:
    with open_anndata(path) as data:
        rows = data.obs.sample(n=min(n_rows, len(data.obs)), random_state=1)
        names = [str(name) for name in rows.columns]
        check_columns([], names, "obs")
        return {
            name: [
                None if gone else str(cell)
                for cell, gone in zip(column, column.isna(), strict=True)
            ]
            for name, (_, column) in zip(names, rows.items(), strict=True)
        }


def _sample_columns(cells: Mapping[str, Sequence[Any]], n_rows: int) -> Cells:
    n_all = len(next(iter(cells.values()), []))
    rows = sorted(random.Random(1).sample(range(n_all), min(n_rows, n_all)))  # noqa: S311
    return {
        name: [None if column[row] is None else str(column[row]) for row in rows]
        for name, column in cells.items()
    }


def _genes(file: TableFile) -> list[str]:
    """Return the genes that can be scores, as the commands name them."""
    if file.kind != "anndata":
        return []
    with one_line(file.place), open_anndata(file.path) as data:
        return [] if data.X is None else [f"{MATRIX}{name}" for name in data.var_names]
