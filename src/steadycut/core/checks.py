"""Checks of single values and arrays. Each one raises an error that says what is allowed."""

from collections.abc import Collection, Mapping
from numbers import Integral, Number, Real
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.errors import BadOption, BadPatients, MissingScores, argument, did_you_mean

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
# Labels and decisions, 0 or 1 for each patient.
LabelArray = NDArray[np.int8]
TextArray = NDArray[np.str_]
Interval = tuple[float, float]
A = TypeVar("A", bound=NDArray[Any])

# With larger scores a midpoint or a range could overflow.
LARGEST_SCORE = 1e300
# With larger costs a squared cost could overflow.
LARGEST_COST = 1e100
# A larger number is a typing error: it would take too much time and memory.
MOST_REPLICATES = 1_000_000
# With fractions closer to 0 or 1 a quotient could overflow.
# A larger probability of an error was probably meant as a confidence.
MOST_DELTA = 0.5
SMALLEST_FRACTION = 1e-15
MOST_SHOWN = 3
# A value that so many patients have does not identify one of them.
SHARED = 5
LONGEST_SHOWN = 100


def shown(value: object) -> str:
    """Return a value as an error message shows it: one short line, and no list of patient data.

    Examples
    --------
    >>> shown(1.5), shown("x"), shown([0.5] * 9)
    ('1.5', "'x'", "an object of type 'list'")
    """
    few = isinstance(value, list | tuple | dict | set) and len(value) <= MOST_SHOWN
    if not few and not isinstance(value, str | bytes | Number | None):
        return f"an object of type {type(value).__name__!r}"
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."


def shared_values(counts: Mapping[str, int], most: int = 5) -> str:
    """Name the values that several patients share, and say how many others there are.

    A value of few patients may be an identifier, so that no error shows it. At most ``most`` are
    named.

    Examples
    --------
    >>> shared_values({"MSI": 40, "MSS": 160})
    "'MSI', 'MSS'"
    >>> shared_values({"MSI": 40, "Smith": 1}), shared_values({"Smith": 1, "Jones": 2})
    ("'MSI' and 1 value that is not shown", '2 values that are not shown')
    """
    shared = sorted(text for text, count in counts.items() if count >= SHARED)[:most]
    left = len(counts) - len(shared)
    others = f"{left} values that are" if left > 1 else "1 value that is"
    named = ", ".join(map(shown, shared))
    return " and ".join([*([named] if named else []), *([f"{others} not shown"] if left else [])])


def shown_names(groups: TextArray) -> dict[str, str]:
    """Return the name by which results call each group of patients.

    A value that few patients have may be an identifier, so that such groups are numbered, in the
    order of their names. Every writer takes the names of sites and groups from here.

    Examples
    --------
    >>> shown_names(np.array(["north"] * 5 + ["Smith"]))
    {'Smith': 'no. 1 (few patients)', 'north': 'north'}
    """
    names, sizes = np.unique(groups, return_counts=True)
    rare = names[sizes < SHARED].tolist()
    called = {name: f"no. {i} (few patients)" for i, name in enumerate(rare, 1)}
    return {name: called.get(name, name) for name in names.tolist()}


def shown_groups(groups: TextArray) -> TextArray:
    """Return the group of each patient under the name of `shown_names`."""
    called = shown_names(groups)
    return np.array([called[name] for name in groups.tolist()], dtype=np.str_)


def refuse(name: str, rule: str, value: object, allowed: Collection[str] = ()) -> NoReturn:
    """Raise an error that says what a value must be, and what was given.

    ``name`` is the name of an argument, or a description such as "the beta of the rule". The
    closest of the ``allowed`` texts is suggested.

    Examples
    --------
    >>> refuse("delta", "lie strictly between 0 and 1", 2)
    Traceback (most recent call last):
    steadycut.errors.BadOption: delta must lie strictly between 0 and 1; got 2.
    """
    named = argument(name) if name.isidentifier() else name
    raise BadOption(f"{named} must {rule}; got {shown(value)}.{did_you_mean(value, allowed)}")


def check_fraction(name: str, value: Any) -> float:
    """Return ``value`` as a float, if it lies strictly between 0 and 1."""
    if not is_real(value) or not 0 < value < 1:
        refuse(name, "lie strictly between 0 and 1", value)
    return _away_from_ends(name, float(value))


def check_delta(delta: Any) -> float:
    """Return the probability that a statement may be wrong; refuse a confidence such as 0.95."""
    share = check_fraction("delta", delta)
    if share > MOST_DELTA:
        wanted = f"{1 - share:.3g} if you want {100 * share:.3g} % confidence"
        refuse("delta", f"be at most {MOST_DELTA:g}, the probability of an error: {wanted}", delta)
    return share


def _away_from_ends(name: str, value: float) -> float:
    if not SMALLEST_FRACTION <= value <= 1 - SMALLEST_FRACTION:
        refuse(name, f"be at least {SMALLEST_FRACTION:g} from 0 and from 1", value)
    return value


def check_range(name: str, value: Any) -> tuple[float, float]:
    """Return ``value`` as (low, high), if both lie strictly between 0 and 1 and low <= high."""
    ends = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(ends) != 2 or not all(is_real(end) and 0 < end < 1 for end in ends):  # noqa: PLR2004
        refuse(name, "be a number, or two, strictly between 0 and 1 (0.3 for 30 %)", value)
    low, high = (_away_from_ends(name, float(end)) for end in ends)
    if low > high:
        refuse(name, "go from low to high", value)
    return low, high


def check_finite(name: str, value: Any, *, cut_off: bool = False) -> float:
    """Return ``value`` as a float, if it is a finite number in the range allowed for scores.

    A ``cut_off`` may be infinite: it calls everybody, or nobody.
    """
    number = _as_float(value)
    if not abs(number) <= (np.inf if cut_off else LARGEST_SCORE):
        refuse(name, "be a finite number", value)
    return number


def check_positive(name: str, value: Any, most: float = LARGEST_COST) -> float:
    """Return ``value`` as a float, if it is a number from ``1 / most`` to ``most``."""
    number = _as_float(value)
    if not 0 < number < np.inf:
        refuse(name, "be a finite number above 0", value)
    if not 1 / most <= number <= most:
        refuse(name, f"lie between {1 / most:g} and {most:g}", value)
    return number


def check_count(name: str, value: Any, *, at_least: int = 1, at_most: int | None = None) -> int:
    """Return ``value`` as an int, if it is a whole number between ``at_least`` and ``at_most``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < at_least:
        refuse(name, f"be a whole number of at least {at_least}", value)
    if at_most is not None and int(value) > at_most:
        refuse(name, f"be at most {at_most}", value)
    return int(value)


def check_size(name: str, value: Any) -> float | int:
    """Return ``value`` if it is a share between 0 and 1, or a number of patients."""
    number = _as_float(value)
    if 0 < number < 1:
        return number
    # Infinity divided by 1 leaves NaN.
    if not (number >= 1 and number % 1 == 0):
        refuse(name, "be a share between 0 and 1, or a whole number of patients", value)
    return int(number)


def check_choice(name: str, value: str, allowed: Collection[str]) -> str:
    """Return ``value``, if it is one of ``allowed``."""
    if not isinstance(value, str) or value not in allowed:
        refuse(name, f"be one of {', '.join(map(str, allowed))}", value, allowed)
    return value


def check_flag(name: str, value: Any) -> bool:
    """Return ``value``, if it is true or false."""
    if not isinstance(value, bool | np.bool_):
        refuse(name, "be true or false", value)
    return bool(value)


def check_scores(scores: ArrayLike, *, gaps: bool = False) -> FloatArray:
    """Return ``scores`` as a read-only array of floats, shape (n,); all finite but for ``gaps``."""
    given = _one_dimension("scores", as_array("scores", scores))
    try:
        # numpy would silently drop the imaginary part of complex numbers, and count dates in days.
        array = np.asarray(given, dtype=np.float64) if given.dtype.kind not in "cmM" else None
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        raise BadPatients("scores must be numbers, one per patient.")
    finite = np.isfinite(array)
    bad = np.count_nonzero(~finite)
    if bad and not gaps:
        raise MissingScores(
            f"scores must be finite numbers; {bad} of {array.size} are missing, NaN or infinite. "
            "Remove these patients, or fix their scores."
        )
    if np.abs(array, where=finite, out=np.zeros_like(array)).max(initial=0) > LARGEST_SCORE:
        raise BadPatients(f"scores must not exceed {LARGEST_SCORE:g} in size; rescale them.")
    # Adding 0.0 makes a copy and turns negative zero into zero.
    return read_only(np.where(np.isnan(array), np.nan, array) + 0.0 if bad else array + 0.0)


def check_labels(labels: ArrayLike, n_patients: int) -> LabelArray:
    """Return ``labels`` as a read-only array of 0 and 1, shape (n_patients,)."""
    array = as_array("labels", labels)
    check_length("labels", array, n_patients)
    positive, negative = array == 1, array == 0
    if not np.all(positive | negative):
        raise BadPatients(
            "labels must be 0 or 1 for every patient. If they are not, name the one that means "
            f"ill: {argument('positive', 'VALUE')}."
        )
    return read_only(positive.astype(np.int8))


def as_array(name: str, values: Any) -> NDArray[Any]:
    """Return ``values`` as an array. Masked entries, or ones of different lengths, are an error."""
    refuse_masked(name, values)
    try:
        return np.asarray(values)
    except ValueError:
        msg = f"{name} must have one plain entry per patient; got entries of different lengths."
        raise BadPatients(msg) from None


def refuse_masked(name: str, values: Any) -> None:
    """Refuse masked entries: numpy would take what is behind the mask."""
    if np.ma.is_masked(values):
        raise BadPatients(f"{name} has masked entries. Remove these patients from all columns.")


def check_same_order(columns: Mapping[str, Any], identifiers: TextArray | None = None) -> None:
    """Refuse pandas columns whose indexes have the same entries in different orders.

    Their entries would be brought together by place, so that patients get those of others. An index
    of ``identifiers`` must have their order, too; numbers from 0 are no identifiers for pandas.

    Examples
    --------
    >>> import pandas as pd
    >>> scores, labels = pd.Series([0.1, 0.9]), pd.Series([1, 0], index=[1, 0])
    >>> check_same_order({"scores": scores, "labels": labels})
    Traceback (most recent call last):
    steadycut.errors.BadPatients: labels has its index in another order. Align it, or give an array.
    """
    indexes = {name: column.index for name, column in columns.items() if hasattr(column, "iloc")}
    for name, index in indexes.items():
        named = identifiers is not None and type(index).__name__ != "RangeIndex"
        for other in (next(iter(indexes.values())), identifiers if named else index):
            pair: Any = (index, other) if other is not index else ()
            orders = [list(map(str, order)) for order in pair]
            if orders and orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1]):
                msg = f"{name} has its index in another order. Align it, or give an array."
                raise BadPatients(msg)


def check_length(name: str, array: NDArray[Any], n_patients: int) -> None:
    """Raise an error unless ``array`` has one entry per patient."""
    _one_dimension(name, array)
    if array.shape[0] != n_patients:
        msg = f"{name} must have one entry per patient ({n_patients}); got {array.shape[0]}."
        raise BadPatients(msg)


def read_only(array: A) -> A:
    """Return ``array``, after making it read-only."""
    array.flags.writeable = False
    return array


def store(record: object, name: str, value: object) -> None:
    """Set a field of a frozen record while it is built, so that it holds the checked value."""
    object.__setattr__(record, name, value)


def _one_dimension(name: str, array: A) -> A:
    if array.ndim != 1:
        msg = f"{name} must be one-dimensional, one entry per patient; got shape {array.shape}."
        raise BadPatients(msg)
    return array


def _as_float(value: Any) -> float:
    """Return a number as a float, and NaN for anything else."""
    try:
        return float(value) if is_real(value) else np.nan
    except OverflowError:
        return np.inf


def is_real(value: Any) -> bool:
    """Return whether a value is a real number. Booleans are not."""
    return isinstance(value, Real) and not isinstance(value, bool)
