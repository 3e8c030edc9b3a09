"""Counts at two hospitals -> how much more a decision costs here than before, with limits.

The question is about cost at the prevalence here. With c[g, a] the cost of action a for a patient
of grade g, and P and Q the first hospital and this one,

    D = sum over g of  Q(g) (E_Q[c | g] - E_P[c | g]).

For two grades this is cost_fn p_Q (miss_Q - miss_P) + cost_fp (1 - p_Q) (alarm_Q - alarm_P): the
shape part of the signed shift. A change of prevalence alone leaves D at 0.

For one look, exact limits of every mean are combined by MOVER (Zou and Donner 2008): distances from
the estimate are added as squares, and so is that of the shares Q(g). The
coverage is simulated, with few errors and at every corner, in ``benchmarks/studies/cost_change``.
At every look, or if the patients before chose the cut-off, limits are added instead, which holds
without any approximation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steadycut.core.bounds.anytime import lower_mean, upper_mean
from steadycut.core.bounds.betting import betting_limit
from steadycut.core.bounds.binomial import rate_interval
from steadycut.core.bounds.concentration import mean_limit
from steadycut.core.checks import FloatArray, IntArray, Interval
from steadycut.core.strata.certify import MANY_BETS

# MOVER alone says "worse" up to 1.25 times as often as its level, with few errors and large shifts.
STRICTER = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class CostChange:
    """The mean cost here less the mean cost before, both at the prevalence here.

    ``low`` and ``high`` hold together with probability ``level``.
    """

    value: float
    low: float
    high: float
    level: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TwoHospitals:
    """Patients by grade and action, here and before, and the cost of each pair.

    ``shares`` are those of the grades, if they are given; otherwise they are estimated here.
    ``n_choices`` is the number of scores among which the patients before chose the cut-off.
    """

    here: IntArray
    before: IntArray
    costs: FloatArray
    shares: FloatArray | None = None
    n_choices: int = 0
    sequential: bool = False

    @property
    def known(self) -> bool:
        """Whether both hospitals have patients of every grade."""
        return bool(self.here.sum(axis=1).all() and self.before.sum(axis=1).all())

    @property
    def weights(self) -> FloatArray:
        """The share of each grade here."""
        return self.here.sum(axis=1) / self.here.sum() if self.shares is None else self.shares

    def value(self) -> float:
        """Return the estimate of the change."""
        means = [
            (part * self.costs).sum(axis=1) / part.sum(axis=1) for part in (self.here, self.before)
        ]
        return float(self.weights @ (means[0] - means[1]))

    def limits(self, level: float, less: FloatArray | float = 0.0) -> Interval:
        """Return a lower and an upper limit of the change less a cost by grade, each at a level."""
        if self.sequential or self.n_choices > 0:
            return self._added(level, less)
        level *= STRICTER
        # A cut-off of a menu: before, each of its cuts has a share of the level.
        both = (self.here, 1), (self.before, max(-self.n_choices, 1))
        now, was = (self._of_means(part, level / cuts) for part, cuts in both)
        change, weights = now[0] - was[0] - less, self.weights
        value = low = high = float(weights @ change)
        if self.shares is None:
            _, low, high = mean_and_limits(change, self.here.sum(axis=1), level, sequential=False)
        down = weights**2 @ ((now[0] - now[1]) ** 2 + (was[2] - was[0]) ** 2) + (value - low) ** 2
        up = weights**2 @ ((now[2] - now[0]) ** 2 + (was[0] - was[1]) ** 2) + (high - value) ** 2
        return value - float(np.sqrt(down)), value + float(np.sqrt(up))

    def _of_means(self, counts: IntArray, level: float) -> FloatArray:
        """Return the mean cost of each grade with its limits, as three rows."""
        rows = [
            mean_and_limits(values, row, level, sequential=self.sequential)
            for values, row in zip(self.costs, counts, strict=True)
        ]
        return np.array(rows).T

    def _added(self, level: float, less: FloatArray | float) -> Interval:
        """Return limits that are sums: half of the level is for each hospital."""
        grades = self.here.shape[0]
        lowest, highest = self._before_at_all_cuts(level / 2 / grades)
        if self.shares is not None:
            _, low, high = self._of_means(self.here, level / 2 / grades)
            return float(self.shares @ (low - highest - less)), float(
                self.shares @ (high - lowest - less)
            )
        cells = [self.costs - (end + less)[:, None] for end in (highest, lowest)]
        low, high = (
            mean_and_limits(part.ravel(), self.here.ravel(), level / 2, sequential=self.sequential)
            for part in cells
        )
        return low[1], high[2]

    def _before_at_all_cuts(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return limits of the mean cost of each grade before, each at a level.

        The mean is a sum over boundaries of a step of the cost and the share above the boundary.
        """
        above = self.before[:, ::-1].cumsum(axis=1)[:, -2::-1]
        steps = np.diff(self.costs)
        part = 2 * level / steps.shape[1]
        limits = np.array(
            [
                [rate_interval(int(k), int(n), part, self.n_choices) for k in row]
                for row, n in zip(above, self.before.sum(axis=1), strict=True)
            ]
        )
        ends = np.sort(steps[:, :, None] * limits, axis=2).sum(axis=1)
        return self.costs[:, 0] + ends[:, 0], self.costs[:, 0] + ends[:, 1]


def mean_and_limits(
    values: Sequence[float] | FloatArray, counts: IntArray, level: float, *, sequential: bool
) -> tuple[float, float, float]:
    """Return the mean of values that were seen so often, with a lower and an upper limit.

    Each limit is at the level. It is exact for two values. With ``sequential`` it holds at every
    look.

    Examples
    --------
    >>> found = mean_and_limits([0.0, 2.0], np.array([90, 10]), 0.05, sequential=False)
    >>> [round(value, 3) for value in found]
    [0.2, 0.111, 0.327]
    """
    array = np.asarray(values, dtype=float)
    least, spread = float(array.min()), float(np.ptp(array))
    if not spread:
        return least, least, least
    scaled = (array - least) / spread
    ends = scaled @ counts / counts.sum(), *_limits(scaled, counts, level, sequential=sequential)
    mean, low, high = (least + spread * float(end) for end in ends)
    return mean, low, high


def _limits(scaled: FloatArray, counts: IntArray, level: float, *, sequential: bool) -> Interval:
    if sequential:
        return lower_mean(scaled, counts, level), upper_mean(scaled, counts, level)
    if set(scaled.tolist()) <= {0.0, 1.0}:
        return rate_interval(int(counts[scaled == 1].sum()), int(counts.sum()), 2 * level)
    return 1 - _highest(1 - scaled, counts, level), _highest(scaled, counts, level)


def _highest(scaled: FloatArray, counts: IntArray, level: float) -> float:
    if counts.sum() >= MANY_BETS:
        return mean_limit(float(scaled @ counts / counts.sum()), int(counts.sum()), level)
    return betting_limit(np.repeat(scaled, counts), level)
