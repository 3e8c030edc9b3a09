"""The columns that a table has, against those that are asked for."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from steadycut.errors import LEAST_TYPED, BadTable, MissingColumn, closest

SHOWN = 12
# A first row of data may identify a patient, so only clear names of columns are shown.
PLAIN_NAME = re.compile(r"[^\W\d][\w .:()/%-]*")
MOST_DIGITS = 2


def check_columns(
    wanted: Iterable[str], available: Sequence[str], where: str = "the table"
) -> None:
    """Refuse a table without a wanted column, or with two columns of one name.

    Examples
    --------
    >>> check_columns(["score"], ["patient", "scores"])
    Traceback (most recent call last):
        ...
    steadycut.errors.MissingColumn: the table has no column 'score'; did you mean 'scores'? It has:
    patient, scores.
    """
    names = [str(name) for name in available]
    _check_unique(names, where)
    for name in wanted:
        if name not in available:
            there = _no_header(names) or f"{_closest(name, names)} It has: {list_plain(names)}."
            msg = f"{where} has no column {name!r}{there}"
            raise MissingColumn(msg, name)


def list_names(names: Sequence[str], shown: int = SHOWN) -> str:
    """Return names in one line, at most ``shown`` of them.

    Examples
    --------
    >>> list_names(["a", "b", "c"], shown=2)
    'a, b and 1 more'
    """
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")


def _check_unique(names: Sequence[str], where: str) -> None:
    repeated = [name for name, count in Counter(names).items() if name and count > 1]
    if not repeated:
        return
    if no_header := _no_header(names):
        msg = f"column names must differ; in {where} some are equal{no_header}"
    else:
        shown = list_names([name for name in repeated if _is_plain(name)]) or "names"
        msg = f"column names must differ; {where} has {shown} more than once. "
        msg += "Rename or remove the copies."
    raise BadTable(msg)


def list_plain(names: Sequence[str], most_digits: int = MOST_DIGITS) -> str:
    """Return names in one line; those that may be data, or identify a patient, are only counted.

    Examples
    --------
    >>> list_plain(["Sheet1", "12345"])
    'Sheet1 (and 1 that are not shown: they may be data)'
    """
    plain = [name for name in names if _is_plain(name, most_digits)]
    hidden = len(names) - len(plain)
    also = f" (and {hidden} that are not shown: they may be data)" if hidden else ""
    return f"{list_names(plain) or 'none'}{also}"


def _no_header(names: Sequence[str]) -> str:
    """Say that the first row holds data; nothing if no name is a number."""
    n_numbers = sum(map(_is_number, names))
    if not n_numbers:
        return ""
    return (
        f"; {n_numbers} of the {len(names)} names in its first row are numbers, so they are not "
        "shown. The first row must name the columns."
    )


def _is_plain(name: str, most_digits: int = MOST_DIGITS) -> bool:
    few_digits = sum(map(str.isdigit, name)) <= most_digits
    return few_digits and PLAIN_NAME.fullmatch(name) is not None


def _is_number(name: str) -> bool:
    try:
        float(name.replace(",", "."))
    except ValueError:
        return False
    return True


def _closest(name: str, names: Sequence[str]) -> str:
    """Suggest a name: a similar one, or one that begins in the same way.

    Of a name that may be data only letters are added to what was typed.
    """
    continued = (other for other in names if _continues(other, name.casefold()))
    found = closest(name, filter(_is_plain, names)) or next(continued, None)
    return f"; did you mean {found!r}?" if found else "."


def _continues(name: str, typed: str) -> bool:
    """Whether a name is what was typed, followed by letters."""
    begins = len(typed) >= LEAST_TYPED and name.casefold().startswith(typed)
    return begins and name[len(typed) :].isalpha()
