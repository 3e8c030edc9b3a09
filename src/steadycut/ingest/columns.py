"""The columns that a table has, against those that are asked for."""

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from steadycut.errors import BadTable, MissingColumn

SHOWN = 30


def check_columns(
    wanted: Iterable[str], available: Sequence[str], where: str = "the table"
) -> None:
    """Refuse a table that lacks a wanted column, or in which a name stands twice.

    Examples
    --------
    >>> check_columns(["score"], ["patient", "scores"])
    Traceback (most recent call last):
        ...
    steadycut.errors.MissingColumn: the table has no column 'score'; did you mean 'scores'? It has:
    patient, scores.
    """
    _check_unique(available, where)
    for name in wanted:
        if name not in available:
            msg = f"{where} has no column {name!r}{_closest(name, available)} It has: "
            raise MissingColumn(msg + f"{list_names(available)}.")


def list_names(names: Sequence[str], shown: int = SHOWN) -> str:
    """Return names in one line, at most ``shown`` of them.

    Examples
    --------
    >>> list_names(["a", "b", "c"], shown=2)
    'a, b and 1 more'
    """
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")


def _check_unique(available: Sequence[str], where: str) -> None:
    repeated = [name for name, count in Counter(available).items() if name and count > 1]
    if repeated:
        msg = (
            f"column names must differ; {where} has {list_names(repeated)} more than once. "
            "Rename or remove the copies."
        )
        raise BadTable(msg)


def _closest(name: str, available: Sequence[str]) -> str:
    folded = {candidate.casefold(): candidate for candidate in reversed(available)}
    matches = get_close_matches(name.casefold(), folded, n=1)
    return f"; did you mean {folded[matches[0]]!r}?" if matches else "."
