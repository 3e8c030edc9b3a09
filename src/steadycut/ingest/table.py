"""A table in memory: codes and texts for what a row belongs to, floats for scores."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from datetime import time as clock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.errors import BadTable, refusing

MISSING_CODE = -1
MIDNIGHT = "T00:00:00"
NESTED = (list, tuple, dict, set, frozenset, np.ndarray)
# Texts that stand for "no score" in tables from R, Excel, databases and others.
NO_SCORE = frozenset({"", "na", "n/a", "nan", "null", "none"})


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class KeyColumn:
    """A column of identifiers or classes: ``texts[code]`` is the value of a row, -1 is missing."""

    codes: IntArray
    texts: tuple[str, ...]

    def take(self, rows: NDArray[np.bool_] | IntArray) -> "KeyColumn":
        """Return the column of some rows, with the texts that occur in them."""
        kept = self.codes[rows]
        occurring = np.unique(kept[kept != MISSING_CODE])
        # The last entry is for the code -1 of a missing value.
        renumbered = np.full(len(self.texts) + 1, MISSING_CODE, dtype=np.int64)
        renumbered[occurring] = np.arange(occurring.size)
        texts = tuple(self.texts[code] for code in occurring.tolist())
        return KeyColumn(codes=renumbered[kept], texts=texts)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreColumn:
    """A column of scores, NaN where there is none, and by row the texts that are not numbers."""

    values: FloatArray
    unreadable: Mapping[int, str]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Table:
    """The needed columns of a table, by name."""

    keys: Mapping[str, KeyColumn]
    scores: Mapping[str, ScoreColumn]


def key_column(values: NDArray[Any]) -> KeyColumn:
    """Return a column of identifiers as codes and texts.

    A text stays as it is. 7 and 7.0 are both ``"7"``, because pandas turns a column of whole
    numbers into floats when one is missing. An empty text is missing. A moment is its time in UTC,
    and only its date at midnight, whatever library or machine reads it.

    Examples
    --------
    >>> key_column(np.array([7.0, np.nan, 8.0, 7.0])).codes
    array([ 0, -1,  1,  0])
    >>> key_column(np.array(["007", None], dtype=object)).texts
    ('007',)
    """
    if values.dtype.kind == "m":
        refuse_duration()
    if values.dtype.kind not in "iufb":
        return _from_objects(_objects(values))
    if values.dtype.kind == "f":
        _check_whole(np.ma.getdata(values))
    return _from_numbers(values)


def row_numbers(n_rows: int) -> KeyColumn:
    """Return a column that numbers the rows from 1, as texts of equal length.

    Examples
    --------
    >>> row_numbers(10).texts[0]
    '01'
    """
    width = len(str(n_rows))
    texts = tuple(f"{number:0{width}}" for number in range(1, n_rows + 1))
    return KeyColumn(codes=np.arange(n_rows), texts=texts)


def score_column(
    values: NDArray[Any], texts: NDArray[Any] | None = None, decimal: str = "."
) -> ScoreColumn:
    """Return a column of scores as floats; texts that are numbers are read as such.

    ``texts`` is for numbers that were read from texts before: what could not be read, else masked.
    ``decimal`` is the decimal sign of texts.

    Examples
    --------
    >>> column = score_column(np.array(["0.5", "1,5", "NA"], dtype=object))
    >>> column.values, column.unreadable
    (array([0.5, nan, nan]), {1: '1,5'})
    """
    if values.dtype.kind in "iufb":
        listed = [] if texts is None else texts.tolist()
        failed = ((row, text) for row, text in enumerate(listed) if text is not None)
        return ScoreColumn(values=_as_floats(values), unreadable=_unreadable(failed))
    objects = _objects(values)
    # A column of yes and no is one of 1 and 0; among numbers, a yes is a mistake.
    if all(_is_missing(value) or isinstance(value, bool | np.bool_) for value in objects):
        objects = [value if _is_missing(value) else float(bool(value)) for value in objects]
    numbers = [number_of(value, decimal) for value in objects]
    failed = ((row, str(objects[row])) for row, number in enumerate(numbers) if number is None)
    floats = np.array([math.nan if number is None else number for number in numbers], dtype=float)
    return ScoreColumn(values=floats, unreadable=_unreadable(failed))


def _unreadable(texts: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Return by row the texts that are neither a number nor a mark for a missing one."""
    return {row: text for row, text in texts if text.strip().casefold() not in NO_SCORE}


def stack(tables: Sequence[Table]) -> Table:
    """Return several tables as one."""
    first = tables[0]
    if len(tables) == 1:
        return first
    return Table(
        keys={name: stack_keys([table.keys[name] for table in tables]) for name in first.keys},
        scores={
            name: _stack_scores([table.scores[name] for table in tables]) for name in first.scores
        },
    )


def _objects(values: NDArray[Any]) -> list[object]:
    data = np.ma.getdata(values)
    is_time = data.dtype.kind in "mM"
    # As objects, times in nanoseconds would become plain numbers.
    objects = data.astype(str if is_time else object).astype(object)
    objects[np.ma.getmaskarray(values) | (np.isnat(data) if is_time else False)] = None
    if is_time:
        texts = {text: text and moment(text) for text in set(objects.tolist())}
        return [texts[text] for text in objects.tolist()]
    return list(objects)


def moment(text: str) -> str:
    """Return an ISO date and time without zeros at its end, and at midnight only the date."""
    seconds, dot, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    return f"{seconds}{dot}{fraction}" if fraction else seconds.removesuffix(MIDNIGHT)


def _from_numbers(values: NDArray[Any]) -> KeyColumn:
    data = np.ma.getdata(values)
    present = ~np.ma.getmaskarray(values) & (data == data)  # noqa: PLR0124 (not NaN)
    distinct, inverse = np.unique(data[present], return_inverse=True)
    codes = np.full(data.size, MISSING_CODE, dtype=np.int64)
    codes[present] = inverse
    return KeyColumn(codes=codes, texts=tuple(_text(value) or "" for value in distinct.tolist()))


def _from_objects(values: list[object]) -> KeyColumn:
    plain = set(map(type, values)) <= {str, type(None)}
    texts = values if plain else [_text(value) for value in values]
    distinct = [str(text) for text in dict.fromkeys(texts) if text is not None]
    index: dict[object, int] = {None: MISSING_CODE} | {text: i for i, text in enumerate(distinct)}
    codes = np.fromiter(map(index.__getitem__, texts), dtype=np.int64, count=len(texts))
    # The last entry is for the code -1 of a missing value.
    _check_texts("".join(distinct))
    blank = np.array([*(not text.strip() for text in distinct), True])
    return KeyColumn(codes=np.where(blank[codes], MISSING_CODE, codes), texts=tuple(distinct))


def _text(value: object) -> str | None:
    """Return a value as text, None for NaN and other missing values."""
    if _is_missing(value):
        return None
    # An object without a text of its own would be known by its place in memory.
    nameless = type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__
    if nameless or isinstance(value, NESTED):
        refuse_nested()
    if isinstance(value, timedelta | np.timedelta64):
        refuse_duration()
    if isinstance(value, bytes):
        return _decoded(value)
    if isinstance(value, datetime):
        plain = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        return moment(plain.isoformat())
    if not isinstance(value, float | np.floating):
        return moment(str(value)) if isinstance(value, np.datetime64 | clock) else str(value)
    _check_whole(np.array(value))
    return str(int(value)) if float(value).is_integer() else str(value)


def _decoded(value: bytes) -> str:
    msg = "identifiers and classes must be text; some are bytes that are not UTF-8. Decode them."
    with refusing(BadTable, msg, UnicodeDecodeError):
        return value.decode()


def _check_whole(values: NDArray[Any]) -> None:
    """Refuse floats that may stand for several whole numbers: patients would be merged."""
    digits = np.finfo(values.dtype).nmant + 1
    if (np.abs(values) >= 2.0**digits).any():
        # DuckDB returns floats of 16 bits as floats of 32 bits.
        shorter = " (2^11 if they were stored in 16 bits)" if values.itemsize == 4 else ""  # noqa: PLR2004
        raise BadTable(
            f"identifiers that are {8 * values.itemsize}-bit floating-point numbers must be below "
            f"2^{digits} in absolute value{shorter}: above it different identifiers become equal. "
            "Store them as texts or whole numbers."
        )


def _check_texts(joined: str) -> None:
    """Refuse texts that cannot be written: numpy drops NUL at the end, files refuse surrogates."""
    try:
        joined.encode()
    except UnicodeEncodeError:
        joined = "\0"
    if "\0" in joined:
        raise BadTable(
            "identifiers and classes must be plain text; some hold NUL or other characters that "
            "no file can hold. Remove these characters."
        )


def refuse_nested(column: str | None = None) -> None:
    """Refuse lists and records where a plain value must be."""
    where = "an identifier or a class" if column is None else f"column {column!r}"
    msg = f"{where} must be one plain value per row; it is a list or a record. Take a part of it."
    raise BadTable(msg)


def refuse_duration(column: str | None = None) -> None:
    """Refuse durations as identifiers: each library and format writes them in another way."""
    where = "an identifier or a class" if column is None else f"column {column!r}"
    raise BadTable(f"{where} must not be a duration. Store it as text or as a whole number.")


def number_of(value: object, decimal: str) -> float | None:
    """Return a value as a number, NaN if it is missing, and None for a text that is not one."""
    if decimal == "," and isinstance(value, str):
        # A point would be a separator of thousands, or another decimal sign.
        return None if "." in value else number_of(value.replace(",", "."), ".")
    if _is_missing(value):
        return math.nan
    # float() would take only a part of a complex number, and True for 1.
    if isinstance(value, complex | np.complexfloating | bytes | bool | np.bool_):
        return None
    try:
        # Python would also read 1_0 as 10, and digits of other scripts.
        text = str(value)
        return float(value) if text.isascii() and "_" not in text else None  # type: ignore[arg-type]
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        return None


def _is_missing(value: object) -> bool:
    # The markers of pandas are recognised by name, so pandas need not be installed.
    is_marker = value is None or type(value).__name__ in {"NAType", "NaTType"}
    return is_marker or (isinstance(value, float) and math.isnan(value))


def _as_floats(values: NDArray[Any]) -> FloatArray:
    floats = np.array(np.ma.getdata(values), dtype=np.float64)
    floats[np.ma.getmaskarray(values)] = np.nan
    return floats


def stack_keys(columns: Sequence[KeyColumn]) -> KeyColumn:
    """Return several columns as one; equal texts get equal codes."""
    index: dict[str, int] = {}
    codes = []
    for column in columns:
        renumbered = [index.setdefault(text, len(index)) for text in column.texts]
        # The last entry is for the code -1 of a missing value.
        codes.append(np.array([*renumbered, MISSING_CODE], dtype=np.int64)[column.codes])
    return KeyColumn(codes=np.concatenate(codes), texts=tuple(index))


def _stack_scores(columns: Sequence[ScoreColumn]) -> ScoreColumn:
    unreadable: dict[int, str] = {}
    first_row = 0
    for column in columns:
        unreadable |= {first_row + row: text for row, text in column.unreadable.items()}
        first_row += column.values.size
    values = np.concatenate([column.values for column in columns])
    return ScoreColumn(values=values, unreadable=unreadable)
