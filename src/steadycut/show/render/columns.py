"""Names and numbers in columns, for a terminal."""

import textwrap
from collections.abc import Sequence
from decimal import Decimal

from steadycut.core.rounding import LONG, SHORT, UNKNOWN, rounded
from steadycut.rule_reader import END_TEXTS
from steadycut.show.words.numbers import change, percent, risk

# A wrapped column is at least so wide.
SHORTEST = 40
NO_BREAK = "\N{NO-BREAK SPACE}"


def aligned(rows: Sequence[tuple[str, str]]) -> str:
    """Return name and value in two columns."""
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"  {name:<{width}}  {value}" for name, value in rows)


def columns(rows: Sequence[Sequence[str]], kinds: str, width: int = 0) -> str:
    """Return a table, with a letter for each column: ``t`` goes to the left, ``n`` to the right.

    A last column of texts is wrapped so that lines are not longer than ``width``, if possible.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    before = sum(widths[:-1]) + 2 * len(widths)
    lines = []
    for row in rows:
        *cells, last = row
        if kinds[-1] == "t" and width:
            last = f"\n{' ' * before}".join(wrapped(last, max(width - before, SHORTEST)))
        padded = [
            cell.ljust(size) if kind == "t" else cell.rjust(size)
            for cell, size, kind in zip((*cells, last), widths, kinds, strict=True)
        ]
        lines.append(f"  {'  '.join(padded)}".rstrip())
    return "\n".join(lines)


def wrapped(text: str, width: int) -> list[str]:
    """Return a text as lines that are not too long; a number keeps its percent sign."""
    kept = text.replace(" %", f"{NO_BREAK}%")
    lines = textwrap.wrap(kept, width, break_long_words=False, break_on_hyphens=False)
    return [line.replace(NO_BREAK, " ") for line in lines or [""]]


def numbers(values: Sequence[float | None], digits: int = 3, *, signs: bool = False) -> list[str]:
    """Write the numbers of one column with the same decimals: as many as the largest needs.

    Examples
    --------
    >>> numbers([0.2, 0.0327, None]), numbers([0.03, -0.5, 0.0], signs=True)
    (['0.200', '0.033', 'not known'], ['+0.030', '-0.500', '0.000'])
    """
    known = [value for value in values if value is not None and value not in END_TEXTS]
    largest = max(map(abs, known), default=0.0)
    exponent = Decimal(repr(float(largest))).adjusted() if largest else 0
    if not SHORT <= exponent <= LONG:
        return [change(value) if signs else risk(value) for value in values]
    decimals = max(digits - 1 - exponent, 0)
    return [
        UNKNOWN if value is None else END_TEXTS.get(value) or _fixed(value, decimals, signs=signs)
        for value in values
    ]


def percents(shares: Sequence[float | None]) -> list[str]:
    """Write the shares of one column with the same decimals.

    Examples
    --------
    >>> percents([0.08, 0.1084]), percents([0.08, 1.0])
    (['8.0 %', '10.8 %'], ['8 %', '100 %'])
    """
    texts = [percent(share) for share in shares]
    if not any("." in text for text in texts):
        return texts
    return [text if "." in text else text.replace(" %", ".0 %") for text in texts]


def _fixed(value: float, decimals: int, *, signs: bool) -> str:
    number = rounded(float(value), decimals)
    if not number:
        return f"{abs(number):f}"
    return f"{number:+f}" if signs else f"{number:f}"
