"""Excel workbooks as a table: the values that a sheet stores, not the way they are shown."""

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any
from xml.etree.ElementTree import iterparse

from steadycut.errors import BadTable, SteadycutError
from steadycut.ingest.column_names import check_columns, close_name, meant
from steadycut.ingest.request import Request
from steadycut.ingest.sources.archives import open_zip
from steadycut.ingest.sources.find import TableFile
from steadycut.ingest.sources.frames import read_arrays
from steadycut.ingest.table import Table
from steadycut.io.packages import optional_package

# How a workbook begins that is encrypted, or of Excel 2003 and before.
PROTECTED = bytes.fromhex("d0cf11e0a1b11ae1")
# What Excel can hold: later rows do not come from Excel, and reading them may never end.
MOST_ROWS = 1 << 20
# Excel keeps 15 digits of a number.
LARGEST_EXACT = 10**15
FORMULA_FIX = "Open it in Excel and save it again, which stores the values"
ODD_CELLS = {
    "merged": ("merged cells", "Unmerge them, and fill in every row"),
    "formula": ("formulas without a stored value", FORMULA_FIX),
}

Columns = dict[str, list[Any]]


def read_excel(file: TableFile, request: Request) -> Table:
    """Return the needed columns of a sheet.

    Notes
    -----
    The first row that is not empty names the columns; other empty rows do not count. Numbers and
    dates are read as they are stored: 5 % is 0.05. Hidden rows count. Of a formula the value that
    was saved with it is read. Merged cells, formulas without a value, errors such as #REF! in
    identifiers or classes, and numbers of more than 15 digits there are refused.
    """
    columns = excel_columns(file, request.columns)
    for name in columns.keys() & set(request.keys):
        _check_keys(name, columns[name])
    return read_arrays({name: columns[name] for name in request.columns}, request)


def excel_columns(file: TableFile, wanted: Sequence[str] = ()) -> Columns:
    """Return the cells of the columns of a sheet, by name; refuse it if a wanted one is missing."""
    with _opened(file) as book:
        sheet = _sheet(book, file)
        rows = enumerate(_rows(sheet, file), start=1)
        first, header = next((at, row) for at, row in rows if _is_filled(row))
        names = ["" if cell is None else str(cell) for cell in header]
        check_columns(wanted, names, f"{file.place!r}")
        places = {names.index(name): name for name in wanted or filter(None, names)}
        _check_cells(sheet, first, places, file)
        cells: Columns = {name: [] for name in places.values()}
        for _, row in rows:
            if _is_filled(row):
                for at, name in places.items():
                    cells[name].append(row[at] if at < len(row) else None)
    return cells


@contextmanager
def _opened(file: TableFile) -> Iterator[Any]:
    """Open a workbook; whatever is wrong in it becomes one line."""
    with optional_package("Reading Excel files", "openpyxl", "excel"):
        from openpyxl import load_workbook  # type: ignore[import-untyped]
    # As a stream: openpyxl would refuse another ending.
    with file.path.open("rb") as stream:
        if stream.read(len(PROTECTED)) == PROTECTED:
            raise BadTable(
                f"{file.place!r} is protected by a password, or has the format of an older Excel. "
                "Save it without a password as .xlsx."
            )
        with open_zip(file.path, file.place, "save the sheet as CSV"), warnings.catch_warnings():
            # About styles and the like, which are not read.
            warnings.simplefilter("ignore")
            try:
                book = load_workbook(stream, read_only=True, data_only=True)
                yield book
                book.close()
            except (SteadycutError, OSError, MemoryError):
                raise
            except Exception as error:  # noqa: BLE001 (openpyxl hands on the errors of its parsers)
                raise BadTable(
                    f"{file.place!r} cannot be read: it is not a whole Excel workbook "
                    f"({type(error).__name__}). Open it in Excel and save it again as .xlsx."
                ) from None


def _sheet(book: Any, file: TableFile) -> Any:
    """Return the sheet that is named, or the only visible one that is not empty."""
    titles = [sheet.title for sheet in book.worksheets]
    if file.sheet is not None and file.sheet not in titles:
        near = meant(close_name(file.sheet, titles))
        raise BadTable(f"{file.place!r} is not there{near} The workbook has {len(titles)} sheets.")
    filled = [
        sheet
        for sheet in book.worksheets
        if (sheet.title == file.sheet if file.sheet else sheet.sheet_state == "visible")
        and any(map(_is_filled, _rows(sheet, file)))
    ]
    if not filled:
        raise BadTable(f"{file.place!r} has no filled cells. The first row must name the columns.")
    if len(filled) > 1:
        raise BadTable(
            f"{file.place!r} has {len(filled)} sheets with cells. Name one of them, as in "
            "'FILE.xlsx#SHEET', or keep only one in the workbook."
        )
    return filled[0]


def _rows(sheet: Any, file: TableFile) -> Iterator[tuple[Any, ...]]:
    """Yield the values of each row."""
    # The size that is written in a sheet may be too small, and rows would be lost.
    sheet.reset_dimensions()
    for at, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        if at > MOST_ROWS:
            raise BadTable(
                f"{file.place!r} has more rows than Excel can hold ({MOST_ROWS:,}). Save it again."
            )
        yield row


def _is_filled(row: Iterable[Any]) -> bool:
    return any(cell is not None for cell in row)


def _check_cells(sheet: Any, header: int, places: dict[int, str], file: TableFile) -> None:
    """Refuse merged cells and formulas without a value, in the rows and columns that are read."""
    from openpyxl.utils import range_boundaries  # type: ignore[import-untyped]

    counts: Counter[str] = Counter()
    with sheet.parent._archive.open(sheet._worksheet_path) as source:  # noqa: SLF001
        for kind, where in _odd_cells(source):
            left, _, right, bottom = range_boundaries(where)
            if bottom > header and any(at + 1 in range(left, right + 1) for at in places):
                counts[kind] += 1
    for kind, count in counts.items():
        what, fix = ODD_CELLS[kind]
        raise BadTable(f"{file.place!r} has {count} {what} in the columns that are read. {fix}.")


def _odd_cells(source: IO[bytes]) -> Iterator[tuple[str, str]]:
    """Yield where a sheet has merged cells, and formulas that no program has computed."""
    for _, element in iterparse(source):  # noqa: S314 (as openpyxl does; expat limits entities)
        name = element.tag.rpartition("}")[2]
        if name == "mergeCell":
            yield "merged", element.attrib["ref"]
        elif name == "c":
            inside = {part.tag.rpartition("}")[2]: part.text for part in element}
            # A formula with the value "" was computed: its cell is empty.
            computed = element.attrib.get("t") == "str" and "v" in inside
            if "f" in inside and not inside.get("v") and not computed:
                yield "formula", element.attrib["r"]
        elif name == "row":
            element.clear()


def _check_keys(name: str, cells: Sequence[Any]) -> None:
    """Refuse cells that may stand for several patients: errors, and numbers that Excel rounds."""
    from openpyxl.cell.cell import ERROR_CODES  # type: ignore[import-untyped]

    errors = sum(isinstance(cell, str) and cell in ERROR_CODES for cell in cells)
    if errors:
        raise BadTable(
            f"column {name!r} must be filled in every row; {errors} of {len(cells)} cells are "
            "errors of Excel, such as #REF!. Correct them."
        )
    if any(isinstance(cell, int | float) and abs(cell) >= LARGEST_EXACT for cell in cells):
        raise BadTable(
            f"column {name!r} has numbers of more than 15 digits, and Excel rounds them, so "
            "different identifiers become equal. Store them as text."
        )
