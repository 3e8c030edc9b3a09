r"""How many records a text file has, and how its lines end, by a reader of our own.

The library that reads a table guesses how lines end from the first line break that it sees, which
may be inside a quoted cell. A wrong guess loses rows, or the whole file, without an error. So the
records are counted here first; the library is told how lines end, and its rows are compared.
"""

import csv
import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from steadycut.errors import BadTable

Bytes = NDArray[np.uint8]
Places = NDArray[np.intp]

BLOCK = 1 << 20
BOM = b"\xef\xbb\xbf"
QUOTE, CR, LF = b'"\r\n'
# A gzipped table unpacks to 3 to 30 times its size, a zip bomb to 1,000 times.
MOST_TIMES = 200
LOOKED_AT = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    r"""The number of records, without the header, and the end of lines: LF, CR or CRLF.

    ``blank`` counts empty lines. They are records only in a file with one column.
    """

    count: int
    blank: int
    ends: str

    def rows(self, n_columns: int) -> int:
        """Return how many rows a table of so many columns has."""
        return self.count + (self.blank if n_columns == 1 else 0)


@dataclass(slots=True)
class _Scanner:
    """What is known of the blocks so far: the state of quotes, the last byte, and the counts."""

    delimiter: int
    inside: int = 0
    last: int = LF
    lf: int = 0
    cr: int = 0
    crlf: int = 0
    blank: int = 0
    regular: bool = True

    def add(self, block: bytes) -> None:
        """Count the line ends of a block that are outside quotes."""
        cells = np.frombuffer(bytes((self.last,)) + block, dtype=np.uint8)
        quotes = np.flatnonzero(cells[1:] == QUOTE) + 1
        self._check_quotes(cells, quotes)
        lf, cr = (self._outside(cells, byte, quotes) for byte in (LF, CR))
        before_lf, before_cr = cells[lf - 1], cells[cr - 1]
        self.lf, self.cr = self.lf + lf.size, self.cr + cr.size
        self.crlf += int(np.count_nonzero(before_lf == CR))
        self.blank += int(np.count_nonzero(before_lf == LF))
        self.blank += int(np.count_nonzero((before_cr == LF) | (before_cr == CR)))
        self.inside, self.last = (self.inside + quotes.size) % 2, int(cells[-1])

    def _outside(self, cells: Bytes, byte: int, quotes: Places) -> Places:
        places = np.flatnonzero(cells[1:] == byte) + 1
        if not quotes.size:
            return places[:0] if self.inside else places
        return places[(np.searchsorted(quotes, places) + self.inside) % 2 == 0]

    def _check_quotes(self, cells: Bytes, quotes: Places) -> None:
        """Notice a quote that neither begins nor ends a cell; two in a row are one character."""
        beside = np.zeros(256, dtype=bool)
        beside[[self.delimiter, CR, LF, QUOTE]] = True
        closed = quotes[1 - self.inside :: 2]
        if not self.inside and self.last == QUOTE:
            closed = np.concatenate(([0], closed))
        after = cells[closed[closed < cells.size - 1] + 1]
        self.regular &= bool(beside[cells[quotes[self.inside :: 2] - 1]].all())
        self.regular &= bool(beside[after].all())


def count_records(file: Path, delimiter: str, place: str) -> Records:
    """Return the records of a text file; refuse lines that end in different ways.

    ``place`` is the name of the file in messages.
    """
    scanner = _Scanner(ord(delimiter))
    with file.open("rb") as stream:
        for block in _blocks(stream):
            scanner.add(block)
    return _records(scanner, place) if scanner.regular else _count_slowly(file, delimiter, place)


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    yield stream.read(BLOCK).removeprefix(BOM)
    while block := stream.read(BLOCK):
        yield block


def _records(scanner: _Scanner, place: str) -> Records:
    ways = {"\n": scanner.lf - scanner.crlf, "\r": scanner.cr - scanner.crlf, "\r\n": scanner.crlf}
    used = [ends for ends, count in ways.items() if count]
    if len(used) > 1:
        _refuse(place, "its lines end in different ways")
    unfinished = bool(scanner.inside) or scanner.last not in (CR, LF)
    count = sum(ways.values()) + unfinished - scanner.blank - 1
    return Records(count=count, blank=scanner.blank, ends=(used or ["\n"])[0])


def _count_slowly(file: Path, delimiter: str, place: str) -> Records:
    """Count the records of a file that has quotes inside cells, such as 5" in a note."""
    plain = _Scanner(ord(delimiter))
    with file.open("rb") as stream:
        for block in _blocks(stream):
            plain.add(block.replace(b'"', b"'"))
    ends, count = _records(plain, place).ends, -1
    with file.open(encoding="latin-1", newline="") as lines:
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            for row in rows:
                count += bool(row)
                if any(cell.startswith(" ") and cell.lstrip(" ")[:1] == '"' for cell in row):
                    _refuse(place, f"line {rows.line_num} has a blank before a quote")
        except csv.Error:
            why = "a quote where none is allowed, or text of more than 131,072 characters"
            _refuse(place, f"line {rows.line_num} has {why}")
    return Records(count=count, blank=0, ends=ends)


def _refuse(place: str, why: str) -> None:
    msg = f"{place!r} cannot be read: {why}. Save it again with one kind of line end and of quotes."
    raise BadTable(msg)


def check_rows(place: str, records: int, rows: int) -> None:
    """Refuse a table of which some rows were lost, or came from nowhere."""
    if records != rows:
        raise BadTable(
            f"{place!r} has {records} records, but {rows} rows were read. Nothing was used. Save "
            "it again as plain CSV or as Parquet."
        )


# Compressed files ------------------------------------------------------------------------


def is_gzip(file: Path) -> bool:
    """Whether a file is gzipped, by its first bytes."""
    with file.open("rb") as opened:
        return opened.read(2) == b"\x1f\x8b"


def unpacked_size(file: Path, at_most: int) -> int:
    """Return how many bytes a gzipped file unpacks to, up to a limit.

    The size that is written in the file itself may be wrong.
    """
    size = 0
    with gzip.open(file) as stream:
        while size < at_most and (block := stream.read(BLOCK)):
            size += len(block)
    return size


def unpack(file: Path, target: Path) -> None:
    """Unpack a gzipped file, block by block; the last one verifies its checksum.

    What unpacks to far more than a table can is refused.
    """
    size = 0
    with file.open("rb") as packed, gzip.open(packed) as stream, target.open("wb") as plain:
        while block := stream.read(BLOCK):
            size += plain.write(block)
            if size >= LOOKED_AT and size > MOST_TIMES * packed.tell():
                raise BadTable(
                    f"{str(file)!r} must unpack to at most {MOST_TIMES} times its size; its first "
                    f"{packed.tell()} bytes become {size}. If that is right, unpack it and name "
                    "the unpacked file."
                )
