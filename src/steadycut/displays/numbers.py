"""One way to write a number, in figures and on pages."""

import math
from decimal import ROUND_HALF_UP, Decimal

# Below this a number is the rest of a rounding error, in any unit that a score has.
NOTHING = 1e-15
# From here on digits before the point are no longer all written.
LONG = 12
SHORT = -4


def significant(value: float, digits: int = 3) -> str:
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
        return f"{value:.{digits - 1}e}"
    rounded = round_half_up(value, max(digits - 1 - exponent, 0))
    # 9.996 has become 10.00, with a digit too many.
    return f"{round_half_up(float(rounded), max(digits - 1 - rounded.adjusted(), 0)):f}"


def round_half_up(value: float, decimals: int) -> Decimal:
    """Round as one does on paper: 0.125 to 0.13, whatever the last bit of the float says.

    Examples
    --------
    >>> round_half_up(0.125, 2), round_half_up(2.5, 0)
    (Decimal('0.13'), Decimal('3'))
    """
    return Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def signed(value: float, digits: int = 3) -> str:
    """Write a change, with its sign.

    Examples
    --------
    >>> signed(0.5), signed(0.0)
    ('+0.500', '0')
    """
    text = significant(value, digits)
    return text if text.startswith("-") or text == "0" else f"+{text}"
