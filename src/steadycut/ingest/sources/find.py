"""Which files are meant by paths, patterns, folders and S3 addresses; each file once."""

import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadycut.errors import BadTable

FileName = str | os.PathLike[str]

WILDCARDS = frozenset("*?[")
REMOTE = ("s3://",)
PARQUET, ANNDATA, ZIP = ".parquet", ".h5ad", ".zip"
EXCEL = (".xlsx", ".xlsm")
TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
ARROWS = (".feather", ".arrow")
# The kind of a file by its ending.
KINDS = {**dict.fromkeys(TEXTS, "text"), PARQUET: "parquet"}
KINDS |= {**dict.fromkeys(ARROWS, "arrow"), ANNDATA: "anndata"}
KINDS |= {**dict.fromkeys(EXCEL, "excel"), ZIP: "zip"}
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
        """One of the values of `KINDS`; None if it cannot be read.

        In S3 every file is ``arrow``: pyarrow reads it.
        """
        name = self.name.casefold()
        kinds = (kind for ending, kind in KINDS.items() if name.endswith(ending))
        return "arrow" if self.is_remote else next(kinds, None)


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
    if path.startswith(REMOTE) or os.path.isfile(path):  # noqa: PTH113
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
    paths = sorted(path for path in _walk(folder) if path.name.endswith(PARQUET) and path.is_file())
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
    files = [TableFile(str(path), hive=True) for path in paths if path.is_file()]
    if not files:
        raise BadTable(f"no file matches {pattern!r}. Check the pattern and the folder.")
    return files
