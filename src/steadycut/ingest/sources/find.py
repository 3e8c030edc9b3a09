"""Which files are meant by paths, patterns, folders and S3 addresses; each file once."""

import glob
import os
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadycut.errors import BadTable

FileName = str | os.PathLike[str]

WILDCARDS = frozenset("*?[")
REMOTE = ("s3://",)
PARQUETS, ZARR = (".parquet", ".parquet.gzip"), ".zarr"
TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".tab", ".tab.gz")
PLAIN = TEXTS[::2]
ARROWS = (".feather", ".arrow", ".arrows")
EXCEL, JSONS = (".xlsx", ".xlsm"), (".json", ".jsonl", ".ndjson", ".geojson")
# The kind of a file by its ending.
KINDS = {**dict.fromkeys(TEXTS, "text"), **dict.fromkeys(PARQUETS, "parquet")}
KINDS |= {**dict.fromkeys(ARROWS, "arrow"), ".h5ad": "anndata", **dict.fromkeys(EXCEL, "excel")}
KINDS |= {".zip": "zip", **dict.fromkeys(JSONS, "json"), ".npz": "arrays", ZARR: "zarr"}
KINDS |= {".db": "annotations", ".zsav": "sav", ".xpt": "xport"}
KINDS |= {f".{kind}": kind for kind in ("sav", "dta", "sas7bdat")}
# How files begin. What they hold decides, whatever they are called.
SAS = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
BEGINNINGS = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow", SAS: "sas7bdat"}
BEGINNINGS |= {b"\x89HDF": "anndata", b"PK\x03\x04": "zip", b"SQLite format 3": "annotations"}
BEGINNINGS |= {b"$FL": "sav", b"<stata_dta>": "dta", b"HEADER RECORD*******LIB": "xport"}
# What a zip archive is if it has this inside.
INSIDE = {"xl/workbook.xml": "excel", ".npy": "arrays"}
# A sheet is named after its workbook.
SHEET = re.compile(r"(.+\.xls[xm])#(.+)", re.IGNORECASE | re.DOTALL)
# A folder with more files than this is not a folder of tables, and the search would take long.
MOST_FILES = 200_000


@dataclass(frozen=True, slots=True)
class TableFile:
    """One file of a table; ``hive`` says that folders named KEY=VALUE above it are columns.

    ``place`` is its name in messages. It is also its path, unless the file was ``unpacked``
    elsewhere, or ``sheet`` names a sheet of a workbook.
    """

    place: str
    hive: bool = False
    unpacked: str | None = None
    sheet: str | None = None

    def __fspath__(self) -> str:
        """Return the path that is read."""
        if self.sheet is not None:
            return self.place.removesuffix(f"#{self.sheet}")
        return self.unpacked or self.place

    @property
    def path(self) -> Path:
        """The path of a local file."""
        return Path(self)

    @property
    def absolute(self) -> str:
        """The whole path: libraries expand ``~`` and open ``http:`` at its beginning."""
        return os.path.abspath(self)  # noqa: PTH100

    @property
    def name(self) -> str:
        """The last part of its path."""
        return os.fspath(self).rstrip("/").rpartition("/")[2]

    @property
    def is_remote(self) -> bool:
        """Whether it is in S3."""
        return self.place.startswith(REMOTE)

    @property
    def kind(self) -> str | None:
        """One of the values of `KINDS`, by what it holds, or by its ending; None if neither tells.

        In S3 every file is ``arrow``: pyarrow reads it.
        """
        name = self.name.casefold()
        kinds = (kind for ending, kind in KINDS.items() if name.endswith(ending))
        return "arrow" if self.is_remote else _by_content(self) or next(kinds, None)


def _by_content(file: TableFile) -> str | None:
    try:
        with open(file, "rb") as opened:  # noqa: PTH123
            start = opened.read(max(map(len, BEGINNINGS)))
        kind = next((kind for known, kind in BEGINNINGS.items() if start.startswith(known)), None)
        names = zipfile.ZipFile(file).namelist() if kind == "zip" else []
    except (OSError, zipfile.BadZipFile):
        return None
    return next((INSIDE[end] for end in INSIDE if any(name.endswith(end) for name in names)), kind)


def stem(place: str) -> str:
    """Return the name of a file without its folder and the ending of its kind.

    Examples
    --------
    >>> stem("scores/TCGA-AA-3489.csv.gz")
    'TCGA-AA-3489'
    """
    name = place.rstrip("/").rpartition("/")[2]
    endings = (ending for ending in KINDS if name.casefold().endswith(ending))
    return name[: len(name) - len(max(endings, key=len, default=""))]


def find_files(paths: FileName | Sequence[FileName]) -> list[TableFile]:
    """Return every file that is meant; the files of a pattern are in the order of their names.

    A folder means the Parquet files in it, at any depth. A file that is meant twice is refused:
    its rows would count twice. A file of a format that cannot be read is refused too.

    Examples
    --------
    >>> find_files("nowhere/*.csv")
    Traceback (most recent call last):
        ...
    steadycut.errors.BadTable: no file matches 'nowhere/*.csv'. Check the pattern and the folder.
    """
    several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not several:
        raise BadTable("at least one file must be given; got none.")
    files = [file for path in several for file in _expand(path)]
    _check_once(files)
    for file in files:
        if file.kind is None:
            endings, old = ", ".join(KINDS), file.name.casefold().endswith(".xls")
            fix = "Open it in Excel and save it as .xlsx" if old else "Convert it first"
            raise BadTable(f"a table must end in one of {endings}; got {file.place!r}. {fix}.")
    return files


def _check_once(files: Sequence[TableFile]) -> None:
    seen: set[str] = set()
    for file in files:
        real = file.place if file.is_remote else os.path.realpath(file)
        real += f"#{file.sheet}" if file.sheet else ""
        if real in seen:
            msg = f"{file.place!r} is given twice, so its rows would count twice. Name it once."
            raise BadTable(msg)
        seen.add(real)


def _expand(given: Any) -> list[TableFile]:
    if isinstance(given, TableFile):
        return [given]
    if not isinstance(given, str | os.PathLike):
        msg = f"several tables must all be paths; got an object of type {type(given).__name__!r}."
        raise BadTable(msg)
    path = str(os.fspath(given))
    is_zarr = path.rstrip("/").endswith(ZARR) and os.path.isdir(path)  # noqa: PTH112
    if path.startswith(REMOTE) or is_zarr or os.path.isfile(path):  # noqa: PTH113
        return [TableFile(path)]
    if os.path.isdir(path):  # noqa: PTH112
        return _inside(path)
    if (book := SHEET.fullmatch(path)) and os.path.isfile(book[1]):  # noqa: PTH113
        return [TableFile(path, sheet=book[2])]
    if os.path.exists(path):  # noqa: PTH110
        msg = f"a table must be a file or a folder; {path!r} is a pipe or a device. Copy it first."
        raise BadTable(msg)
    if not WILDCARDS & set(path):
        raise BadTable(f"there is no file {path!r}. Check the path.")
    return _match(path)


def _inside(folder: str) -> list[TableFile]:
    """Return the Parquet files of a folder; names that begin with _ or a dot are not tables."""
    paths = sorted(
        path for path in _walk(folder) if path.name.endswith(PARQUETS) and path.is_file()
    )
    files = [path for path in paths if not path.name.startswith(("_", "."))]
    if not files:
        raise BadTable(
            f"{folder!r} is a folder without Parquet files. Name its files, such as "
            f"'{folder.rstrip('/')}/*.csv'."
        )
    return [TableFile(str(path), hive=True) for path in files]


def _walk(folder: str) -> Iterator[Path]:
    """Yield every file below a folder; refuse a folder with too many files."""
    seen = 0
    for place, folders, names in os.walk(folder):
        seen += len(names) + len(folders)
        if seen > MOST_FILES:
            raise BadTable(f"{folder!r} holds more than {MOST_FILES} files. Name those to read.")
        yield from (Path(place, name) for name in names)


def _match(pattern: str) -> list[TableFile]:
    paths = [Path(name) for name in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207
    paths = [path for path in paths if path.is_file() or path.suffix == ZARR]
    files = [TableFile(str(path), hive=True) for path in paths]
    if not files:
        raise BadTable(f"no file matches {pattern!r}. Check the pattern and the folder.")
    return files
