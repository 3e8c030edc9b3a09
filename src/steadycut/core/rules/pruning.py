"""The stretch of cuts around the cheapest one that can matter to a rule.

With many patients almost every cut is far too expensive to be chosen, or to have any weight in a
mean. Leaving these cuts out changes no result and saves most of the work.
"""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.risk_curve import Curve, cost_at_cuts
from steadycut.core.records import Costs

# The numbers of positive and of negative patients.
Sizes = tuple[IntArray, IntArray]


@runtime_checkable
class Local(Protocol):
    """A rule that uses only cuts which are nearly as cheap as the cheapest one."""

    def reach(self, smallest: FloatArray, sizes: Sizes, costs: Costs) -> FloatArray:
        """Return by how much a cut may exceed the ``smallest`` cost and still matter.

        Costs are totals over all patients of a cohort; ``sizes`` are those of its classes. The sum
        of the ``smallest`` cost and its reach must not decrease if the smallest cost increases. An
        upper bound of the smallest cost can then be used instead.
        """
        ...


def line_of(rule: object, curve: Curve, costs: Costs) -> FloatArray | None:
    """Return what ``rule`` has to know of all cuts of a curve, by row; None if nothing."""
    line = getattr(rule, "line", None)
    return None if line is None else line(curve, costs.unit)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Stretch(Curve):
    """Misses and alarms at some neighbouring cuts. All patients of the cohort still count.

    ``line`` is what a rule has to know of all cuts, one number per row.
    """

    positives: IntArray
    negatives: IntArray
    below: IntArray
    line: FloatArray | None = None

    @property
    def ranks(self) -> IntArray:
        """The number of patients below each cut, shape (rows, cuts)."""
        return self.below

    @property
    def n_positive(self) -> IntArray:
        """Positive patients of each cohort, shape (rows, 1)."""
        return self.positives

    @property
    def n_negative(self) -> IntArray:
        """Negative patients of each cohort, shape (rows, 1)."""
        return self.negatives


def near_best(curve: Curve, rule: object, costs: Costs) -> tuple[int, Curve]:
    """Return the first cut that can matter to ``rule`` in any row, and the curve from there on.

    The stretch ends with the last cut that can matter, plus one cut on each side. At a target
    prevalence, or for a rule that uses every cut, it is the whole curve.
    """
    reach = getattr(rule, "reach", None)  # Faster than to ask whether it is `Local`.
    if costs.target is not None or reach is None:
        return 0, curve
    n_positive, n_negative, ranks = curve.n_positive, curve.n_negative, curve.ranks
    cost = cost_at_cuts(curve, costs)
    smallest = by_row(cost.min(axis=1, keepdims=True))
    most = smallest + reach(smallest, (by_row(n_positive), by_row(n_negative)), costs)
    places = span(cost <= most)
    start, stop = max(places.start - 1, 0), places.stop + 1
    return start, Stretch(
        misses=curve.misses[:, start:stop],
        alarms=curve.alarms[:, start:stop],
        positives=n_positive,
        negatives=n_negative,
        below=ranks[:, start:stop],
        line=line_of(rule, curve, costs),
    )


def by_row(values: NDArray[Any]) -> Any:  # noqa: ANN401
    """Return one value per row, shape (rows, 1). A single row gives a number, which is faster."""
    return values[0, 0] if len(values) == 1 else values


def span(chosen: NDArray[np.bool_]) -> slice:
    """Return the columns from the first to the last one with a true value in any row."""
    columns = chosen[0] if len(chosen) == 1 else np.asarray(chosen.any(axis=0))
    first = int(columns.argmax())
    if not columns[first]:
        return slice(0, 0)
    return slice(first, columns.size - int(columns[::-1].argmax()))


def without_repeats(curve: Curve) -> Curve:
    """Return a curve of one row with one cut per rank; any other curve is returned as it is.

    More than a third of the exact cuts of a replicate have no drawn patient beside them.
    """
    if curve.misses.shape[0] > 1:
        return curve
    ranks = curve.ranks[0]
    new = np.ones(ranks.size, dtype=bool)
    np.not_equal(ranks[1:], ranks[:-1], out=new[1:])
    keep = new.nonzero()[0]
    return Stretch(
        misses=curve.misses.take(keep, axis=1),
        alarms=curve.alarms.take(keep, axis=1),
        positives=curve.n_positive,
        negatives=curve.n_negative,
        below=curve.ranks.take(keep, axis=1),
        line=curve.line if isinstance(curve, Stretch) else None,
    )
