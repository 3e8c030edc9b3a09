"""Checks of single values and arrays; every text is made from the rule that it enforces."""

from collections.abc import Collection
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.errors import BadOption, BadPatients, MissingScores

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
A = TypeVar("A", bound=NDArray[Any])

# Beyond this a midpoint or a range of two scores could overflow.
LARGEST_SCORE = 1e300
# Beyond this the square of a cost could overflow.
LARGEST_COST = 1e100


def check_fraction(name: str, value: Any) -> float:
    """Return ``value`` as a float, if it lies strictly between 0 and 1."""
    if not _is_real(value) or not 0 < value < 1:
        msg = f"{name} must lie strictly between 0 and 1; got {value!r}."
        raise BadOption(msg)
    return float(value)


def check_range(name: str, value: Any) -> tuple[float, float]:
    """Return ``value`` as (low, high), if both lie strictly between 0 and 1 and are in order."""
    ends = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(ends) != 2 or not all(_is_real(end) and 0 < end < 1 for end in ends):  # noqa: PLR2004
        msg = f"{name} must be a number, or two, strictly between 0 and 1; got {value!r}."
        raise BadOption(msg)
    low, high = (float(end) for end in ends)
    if low > high:
        msg = f"{name} must go from low to high; got {value!r}."
        raise BadOption(msg)
    return low, high


def check_positive(name: str, value: Any) -> float:
    """Return ``value`` as a float, if it is a finite number above 0."""
    if not _is_real(value) or not 0 < value < np.inf:
        msg = f"{name} must be a finite number above 0; got {value!r}."
        raise BadOption(msg)
    if not 1 / LARGEST_COST <= float(value) <= LARGEST_COST:
        msg = f"{name} must lie between {1 / LARGEST_COST:g} and {LARGEST_COST:g}; got {value!r}."
        raise BadOption(msg)
    return float(value)


def check_count(name: str, value: Any, *, at_least: int = 1) -> int:
    """Return ``value`` as an int, if it is a whole number of at least ``at_least``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < at_least:
        msg = f"{name} must be a whole number of at least {at_least}; got {value!r}."
        raise BadOption(msg)
    return int(value)


def check_choice(name: str, value: str, allowed: Collection[str]) -> str:
    """Return ``value``, if it is one of ``allowed``."""
    if not isinstance(value, str) or value not in allowed:
        options = ", ".join(str(option) for option in allowed)
        msg = f"{name} must be one of {options}; got {value!r}."
        raise BadOption(msg)
    return value


def check_scores(scores: ArrayLike) -> FloatArray:
    """Return ``scores`` as a read-only float array of shape (n,), all of them finite."""
    try:
        array = _one_dimension("scores", np.asarray(scores, dtype=np.float64))
    except (TypeError, ValueError) as error:
        if isinstance(error, BadPatients):
            raise
        msg = "scores must be numbers, one a patient."
        raise BadPatients(msg) from None
    bad = np.count_nonzero(~np.isfinite(array))
    if bad:
        msg = (
            f"scores must be finite numbers; {bad} of {array.size} are missing, NaN or infinite. "
            "Remove these patients, or mend their scores."
        )
        raise MissingScores(msg)
    if array.size and np.abs(array).max() > LARGEST_SCORE:
        msg = f"scores must not exceed {LARGEST_SCORE:g} in size; rescale them."
        raise BadPatients(msg)
    # Adding 0.0 makes a copy and turns negative zero into zero.
    return read_only(array + 0.0)


def check_labels(labels: ArrayLike, n_patients: int) -> NDArray[np.int8]:
    """Return ``labels`` as a read-only array of 0 and 1 of shape (n_patients,)."""
    array = _one_dimension("labels", np.asarray(labels))
    check_length("labels", array, n_patients)
    positive, negative = array == 1, array == 0
    if not np.all(positive | negative):
        msg = "labels must be 0 or 1 for every patient. Name the positive class to have it coded."
        raise BadPatients(msg)
    return read_only(positive.astype(np.int8))


def check_length(name: str, array: NDArray[Any], n_patients: int) -> None:
    """Refuse an array that does not have one entry a patient."""
    if array.shape[0] != n_patients:
        msg = f"{name} must have one entry a patient ({n_patients}); got {array.shape[0]}."
        raise BadPatients(msg)


def read_only(array: A) -> A:
    """Return ``array``, protected against writing."""
    array.flags.writeable = False
    return array


def store(record: object, name: str, value: object) -> None:
    """Set a field of a frozen record while it is being built: what was checked is what is kept."""
    object.__setattr__(record, name, value)


def _one_dimension(name: str, array: A) -> A:
    if array.ndim != 1:
        msg = f"{name} must be one-dimensional, one entry a patient; got shape {array.shape}."
        raise BadPatients(msg)
    return array


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
