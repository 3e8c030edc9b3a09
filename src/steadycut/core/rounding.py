"""How a number is rounded for a reader: a limit to the safe side, another to the nearest."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal

from steadycut.rule_reader import END_TEXTS

UNKNOWN = "not known"

# So close to the next number that only the last bits of a float part them.
ROUNDING = 1e-9
# Below this a number is the rest of a rounding error, in any unit that a score has.
NOTHING = 1e-15
# From here on digits before the point are no longer all written.
LONG = 12
SHORT = -4


def at_most(value: float | None) -> str:
    """Write an upper limit with three significant digits, never smaller than it is.

    Examples
    --------
    >>> at_most(0.1231), at_most(0.1 + 0.2), at_most(-0.00269), at_most(0.0), at_most(None)
    ('0.124', '0.300', '-0.00269', '0', 'not known')
    """
    if value is None:
        return UNKNOWN
    return significant(float(value - ROUNDING * abs(value)), mode=ROUND_CEILING)


def at_least(value: float | None) -> str:
    """Write a lower limit with three significant digits, never larger than it is.

    Examples
    --------
    >>> at_least(0.9039), at_least(0.3 - 0.1), at_least(0.0), at_least(None)
    ('0.903', '0.200', '0', 'not known')
    """
    if value is None:
        return UNKNOWN
    return significant(float(value + ROUNDING * abs(value)), mode=ROUND_FLOOR)


def share_at_most(share: float) -> str:
    """Write an upper limit of a share in per cent with one decimal, never smaller than it is.

    Examples
    --------
    >>> share_at_most(0.12301), share_at_most(0.2), share_at_most(0.9999), share_at_most(0.0)
    ('12.4 %', '20 %', '100 %', '0 %')
    """
    return f"{math.ceil(1000 * share - ROUNDING) / 10:.1f}".removesuffix(".0") + " %"


def percent(share: float | None, decimals: int = 1) -> str:
    """Write a share; one that is not quite none or all is not written as none or all.

    Examples
    --------
    >>> percent(0.9), percent(0.1234), percent(0.0001), percent(0.9999), percent(None)
    ('90 %', '12.3 %', '< 0.1 %', '> 99.9 %', 'not known')
    >>> percent(0.274, 0), percent(0.001, 0)
    ('27 %', '< 1 %')
    """
    if share is None:
        return UNKNOWN
    text, least = f"{rounded(float(share), 2 + decimals).scaleb(2):.{decimals}f}", 10.0**-decimals
    text = text.removesuffix(".0")
    if text == "0" and share > ROUNDING:
        text = f"< {least:g}"
    elif text == "100" and share < 1 - ROUNDING:
        text = f"> {100 - least:g}"
    return f"{text} %"


def of_hundred(share: float) -> str:
    """Write a share as patients of a hundred.

    Examples
    --------
    >>> of_hundred(0.174), of_hundred(0.004), of_hundred(0)
    ('17 of 100', 'fewer than 1 of 100', '0 of 100')
    """
    return "fewer than 1 of 100" if 0 < share < 0.005 else f"{100 * share:.0f} of 100"  # noqa: PLR2004


def of_hundred_at_most(share: float) -> str:
    """Write an upper limit of a share as whole patients of a hundred, never smaller than it is.

    Examples
    --------
    >>> of_hundred_at_most(0.174), of_hundred_at_most(0.18), of_hundred_at_most(1.3)
    ('18 of 100', '18 of 100', '100 of 100')
    """
    return f"{min(math.ceil(100 * share - ROUNDING), 100)} of 100"


def cut_text(value: float, digits: int = 6) -> str:
    """Write a cut-off, also one that is infinite because it calls everybody or nobody.

    Examples
    --------
    >>> cut_text(1 / 3), cut_text(-math.inf)
    ('0.333333', 'below every score')
    """
    return END_TEXTS.get(value) or f"{value:.{digits}g}"


def who_is_called(threshold: float, direction: str) -> str:
    """Say whom an infinite cut-off calls; nothing for a finite one.

    Examples
    --------
    >>> who_is_called(math.inf, "ge"), who_is_called(math.inf, "le"), who_is_called(0.5, "ge")
    ('nobody', 'everybody', '')
    """
    called = "everybody" if (threshold < 0) == (direction == "ge") else "nobody"
    return "" if math.isfinite(threshold) else called


def significant(value: float, digits: int = 3, mode: str = ROUND_HALF_UP) -> str:
    """Write a number with so many significant digits, whole digits never rounded away.

    Examples
    --------
    >>> significant(0.12345), significant(0.1), significant(12345.6), significant(2), significant(0)
    ('0.123', '0.100', '12346', '2', '0')
    """
    if isinstance(value, int) or not math.isfinite(value):
        return str(value)
    if abs(value) < NOTHING:
        return "0"
    exponent = Decimal(repr(value)).adjusted()
    if not SHORT <= exponent <= LONG:
        return f"{float(rounded(value, digits - 1 - exponent, mode)):.{digits - 1}e}"
    number = rounded(value, max(digits - 1 - exponent, 0), mode)
    # 9.996 has become 10.00, with a digit too many.
    return f"{rounded(float(number), max(digits - 1 - number.adjusted(), 0)):f}"


def rounded(value: float, decimals: int, mode: str = ROUND_HALF_UP) -> Decimal:
    """Round as one does on paper: 0.125 to 0.13, whatever the last bit of the float says.

    Examples
    --------
    >>> rounded(0.125, 2), rounded(2.5, 0)
    (Decimal('0.13'), Decimal('3'))
    """
    return Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), mode)
