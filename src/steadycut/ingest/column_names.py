"""The columns that a table has, against those that are asked for.

A table without a header has data in its first row, and so may a sheet's title or the name of a file
in an archive. No such name is ever listed: messages show a name that is close to one that was
typed, those that were typed, and how many others there are.
"""

from collections.abc import Iterable, Sequence

from steadycut.core.labels import is_number
from steadycut.errors import LEAST_TYPED, BadTable, MissingColumn, closest

SHOWN = 12
MOST_DIGITS = 2


def check_columns(
    wanted: Iterable[str], available: Sequence[str], where: str = "the table"
) -> None:
    """Refuse a table without a wanted column, or with two columns of one name.

    Examples
    --------
    >>> check_columns(["patient", "score"], ["patient", "scores", "age"])
    Traceback (most recent call last):
        ...
    steadycut.errors.MissingColumn: the table has no column 'score'; did you mean 'scores'? It has
    3 columns, among them 'patient'.
    """
    names, asked = [str(name) for name in available], list(wanted)
    _check_unique(names, where)
    for name in asked:
        if name not in available:
            near = close_name(name, names)
            there = _no_header(names) or f"{meant(near)} It has {_counted(names, asked)}."
            raise MissingColumn(f"{where} has no column {name!r}{there}", name, near)


def list_names(names: Sequence[str], most: int = SHOWN) -> str:
    """Return names in one line, no more than ``most`` of them.

    Examples
    --------
    >>> list_names(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def meant(near: str | None) -> str:
    """Ask whether a name was meant, if there is one."""
    return f"; did you mean {near!r}?" if near else "."


def close_name(name: str, names: Sequence[str]) -> str | None:
    """Return a name that is close to what was typed, or begins in the same way; None if none does.

    Of a name that may be data only letters are added to what was typed.

    Examples
    --------
    >>> close_name("scor", ["P-17", "score"]), close_name("age", ["Smith"])
    ('score', None)
    """
    few_digits = [other for other in names if sum(map(str.isdigit, other)) <= MOST_DIGITS]
    continued = (other for other in names if _continues(other, name.casefold()))
    return closest(name, few_digits) or next(continued, None)


def _counted(names: Sequence[str], asked: Sequence[str]) -> str:
    known = [repr(name) for name in dict.fromkeys(asked) if name in names]
    among = f", among them {list_names(known)}" if known else ""
    return f"{len(names)} column{'s' * (len(names) != 1)}{among}"


def _check_unique(names: Sequence[str], where: str) -> None:
    filled = [name for name in names if name]
    repeated = len(filled) - len(set(filled))
    if repeated:
        advice = _no_header(names) or f" ({repeated} repeated). Rename or remove the copies."
        raise BadTable(f"column names must differ; in {where} some are equal{advice}")


def _no_header(names: Sequence[str]) -> str:
    """Say that the first row holds data; nothing if no name is a number."""
    n_numbers = sum(is_number(name.replace(",", ".")) for name in names)
    if not n_numbers:
        return ""
    return (
        f"; {n_numbers} of the {len(names)} names in its first row are numbers, so they are not "
        "shown. The first row must name the columns."
    )


def _continues(name: str, typed: str) -> bool:
    """Whether a name is what was typed, followed by letters."""
    begins = len(typed) >= LEAST_TYPED and name.casefold().startswith(typed)
    return begins and name[len(typed) :].isalpha()
