"""The cost of putting a patient of each true grade into each risk stratum."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.core.checks import LARGEST_COST, FloatArray, IntArray, check_length, read_only, store
from steadycut.core.labels import is_number
from steadycut.core.records import Costs, are_allowed
from steadycut.errors import BadOption, BadPatients, argument


@dataclass(frozen=True, slots=True, eq=False, init=False)
class CostMatrix:
    """C[grade, stratum], shape (grades, strata), both in ascending order of severity.

    For every boundary between two strata, low grades must be cheaper below it and high grades
    cheaper above it, without exception in between. There must be some grades of both kinds.

    Examples
    --------
    Two grades and three strata. The grey stratum costs half an alarm, or a part of a miss.

    >>> costs = CostMatrix([[0, 0.5, 1], [4, 1, 0]])
    >>> costs.steps
    array([[-0.5, -0.5],
           [ 3. ,  1. ]])
    >>> costs.probabilities.round(3)
    array([0.143, 0.333])
    """

    values: FloatArray

    def __init__(self, values: ArrayLike) -> None:
        store(self, "values", _check_matrix(values))
        _check_steps(self.steps)

    @classmethod
    def of_errors(cls, miss: float, alarm: float) -> "CostMatrix":
        """Return the costs of two grades and two actions; a correct decision costs nothing."""
        return cls([[0.0, alarm], [miss, 0.0]])

    @property
    def n_grades(self) -> int:
        """Number of true grades."""
        return int(self.values.shape[0])

    @property
    def n_strata(self) -> int:
        """Number of strata, one more than boundaries."""
        return int(self.values.shape[1])

    @property
    def n_boundaries(self) -> int:
        """Number of boundaries between the strata."""
        return self.n_strata - 1

    @property
    def steps(self) -> FloatArray:
        """How much more a patient of each grade costs below each boundary than above it.

        Shape (grades, boundaries). Positive for grades that belong above the boundary.
        """
        return read_only(self.values[:, :-1] - self.values[:, 1:])

    @property
    def smallest(self) -> float:
        """The smallest cost."""
        return float(self.values.min())

    @property
    def largest(self) -> float:
        """The largest cost."""
        return float(self.values.max())

    @property
    def spread(self) -> float:
        """The largest cost minus the smallest one."""
        return self.largest - self.smallest

    @property
    def of_one_cut_off(self) -> Costs | None:
        """What a miss and a false alarm cost, if this is all that the matrix says; else None.

        There are two grades and two strata, and what is right costs nothing. Then everything that
        is known of one cut-off holds, and is computed as there.
        """
        if self.values.shape != (2, 2) or np.diag(self.values).any():
            return None
        miss, alarm = float(self.values[1, 0]), float(self.values[0, 1])
        return Costs(cost_fn=miss, cost_fp=alarm) if are_allowed(miss, alarm) else None

    @property
    def probabilities(self) -> FloatArray | None:
        """For two grades, the probability of disease from which each boundary pays off; else None.

        If they do not ascend, some stratum is never the cheapest.
        """
        if self.n_grades > 2:  # noqa: PLR2004
            return None
        alarm, miss = -self.steps[0], self.steps[1]
        return alarm / (alarm + miss)

    def of_patients(self, grades: ArrayLike, strata: ArrayLike) -> FloatArray:
        """Return the cost of each patient."""
        return np.asarray(self.values[np.asarray(grades), np.asarray(strata)])


def check_grades(grades: NDArray[Any], n_patients: int, n_grades: int) -> IntArray:
    """Return the grade of every patient as a whole number from 0, after checking it."""
    check_length("grades", np.atleast_1d(grades), n_patients)
    allowed = np.isin(grades, np.arange(n_grades))
    if grades.ndim != 1 or not allowed.all():
        raise BadPatients(
            f"grades must be whole numbers from 0 to {n_grades - 1}, one per patient, as many as "
            f"costs has rows; {np.count_nonzero(~allowed)} are not."
        )
    return grades.astype(np.int64)


def grade_codes(texts: Sequence[str], names: Sequence[str]) -> IntArray:
    """Return the position of each text among the names, or -1 if it is not there.

    Numbers are compared as numbers.

    Examples
    --------
    >>> grade_codes(["mild", "none", "?"], ["none", "mild", "severe"])
    array([ 1,  0, -1])
    >>> grade_codes(["2.0", "1"], ["1", "2", "3"])
    array([1, 0])
    """
    place = {_meaning(name): grade for grade, name in enumerate(names)}
    return np.array([place.get(_meaning(text), -1) for text in texts], dtype=np.int64)


def _meaning(text: str) -> float | str:
    tidy = text.strip()
    return float(tidy) if is_number(tidy) else tidy


def _check_matrix(values: ArrayLike) -> FloatArray:
    try:
        given = np.asarray(values)
        matrix = None if np.iscomplexobj(given) else given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = None
    if matrix is None:
        raise BadOption(
            f"{argument('costs')} must be numbers: a row for each grade, a column for each stratum."
        )
    if matrix.ndim != 2 or min(matrix.shape) < 2:  # noqa: PLR2004
        raise BadOption(
            f"{argument('costs')} must have at least two rows (grades) and two columns (strata); "
            f"got shape {matrix.shape}."
        )
    if not np.all((matrix >= 0) & (matrix <= LARGEST_COST)):
        msg = f"{argument('costs')} must be finite numbers from 0 to {LARGEST_COST:g}; got others."
        raise BadOption(msg)
    return read_only(matrix + 0.0)


def _check_steps(steps: FloatArray) -> None:
    """Raise an error for boundaries that no grade needs, or that grades need in the wrong order."""
    for boundary in range(steps.shape[1]):
        sign = np.sign(steps[:, boundary])
        between = f"between strata {boundary + 1} and {boundary + 2}"
        if not (sign < 0).any() or not (sign > 0).any():
            raise BadOption(
                f"{argument('costs')} must make both sides of the boundary {between} cheaper for "
                "some grade; one "
                "of these strata is never the better one. Change the costs, or leave it out."
            )
        if (np.diff(sign[sign != 0]) < 0).any():
            raise BadOption(
                f"{argument('costs')} must ask for higher strata for higher grades; at the "
                f"boundary {between} a "
                "lower grade asks for the higher one. Are grades and strata in ascending order?"
            )
