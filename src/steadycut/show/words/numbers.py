"""How every number in figures, on pages and on the command line is written."""

import math
from collections.abc import Sequence
from decimal import Decimal

from steadycut.core.rounding import LONG, ROUNDING, SHORT, UNKNOWN, rounded, significant
from steadycut.core.rounding import percent as percent  # noqa: PLC0414 (for all pages)
from steadycut.rule_reader import END_TEXTS


def cut(value: float | None) -> str:
    """Write a cut-off, or a distance between two: four significant digits.

    Examples
    --------
    >>> cut(0.412345), cut(1234567.0), cut(None), cut(math.inf)
    ('0.4123', '1234567', 'not known', 'above every score')
    """
    return UNKNOWN if value is None else END_TEXTS.get(value) or significant(value, 4)


def risk(value: float | None) -> str:
    """Write a risk, or another number of which three significant digits will do.

    Examples
    --------
    >>> risk(0.1), risk(0.00012345), risk(2.0)
    ('0.100', '0.000123', '2.00')
    """
    return UNKNOWN if value is None else significant(float(value))


def change(value: float | None) -> str:
    """Write a change of risk, with its sign.

    Examples
    --------
    >>> change(0.0123), change(-0.5), change(None)
    ('+0.0123', '-0.500', 'not known')
    """
    return UNKNOWN if value is None else signed(float(value))


def spread(value: float | None, error: float | None) -> str:
    """Write a risk with its standard error.

    Examples
    --------
    >>> spread(0.125, 0.03)
    '0.125 ± 0.0300'
    """
    return risk(value) if error is None else f"{risk(value)} \N{PLUS-MINUS SIGN} {risk(error)}"


def whole_percent(share: float) -> str:
    """Write a share that is promised, rounded down to whole per cent.

    Examples
    --------
    >>> whole_percent(0.7375), whole_percent(0.9)
    ('73 %', '90 %')
    """
    return f"{math.floor(100 * share + ROUNDING)} %"


def rate(share: float | None) -> str:
    """Write a sensitivity, a specificity or a predictive value: two decimals.

    One that is not quite none or all is not written as none or all.

    Examples
    --------
    >>> rate(0.846), rate(1.0), rate(0.9955), rate(0.00001), rate(None)
    ('0.85', '1.00', '0.996', '< 0.001', 'not known')
    """
    if share is None:
        return UNKNOWN
    if not ROUNDING < share < 1 - ROUNDING:
        return f"{share:.2f}"
    short, long = (str(rounded(float(share), decimals)) for decimals in (2, 3))
    text = long if float(short) in {0.0, 1.0} else short
    return {"0.000": "< 0.001", "1.000": "> 0.999"}.get(text, text)


def asked(share: float) -> str:
    """Write a rate that was asked for, with two decimals or all that it has.

    Examples
    --------
    >>> asked(0.9), asked(0.975)
    ('0.90', '0.975')
    """
    return max(f"{share:.2f}", f"{share:g}", key=len)


def count(number: int, noun: str, several: str | None = None) -> str:
    """Write a number of things.

    Examples
    --------
    >>> count(1, "patient"), count(0, "patient"), count(2, "missed", "missed")
    ('1 patient', '0 patients', '2 missed')
    """
    return f"{number} {noun if number == 1 else several or noun + 's'}"


def exact(value: float | None) -> str:
    """Write a number so that it can be read back to the last bit.

    Examples
    --------
    >>> exact(0.1), exact(None)
    ('0.1', 'not known')
    """
    return UNKNOWN if value is None else END_TEXTS.get(value) or repr(value)


def signed(value: float) -> str:
    """Write a change, with its sign.

    Examples
    --------
    >>> signed(0.5), signed(0.0)
    ('+0.500', '0')
    """
    text = significant(value)
    return text if text.startswith("-") or text == "0" else f"+{text}"


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
