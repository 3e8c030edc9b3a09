"""Many cohorts at once: n patients drawn from one population, again and again.

A rule along the cuts only needs the patients of each class between two neighbouring scores, so a
block of cohorts is one array of counts, and a rule answers for all of them in one call.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.rules.registry import cuts_at_rank


@dataclass(frozen=True)
class Site:
    """Scores and labels of one hospital."""

    scores: np.ndarray
    labels: np.ndarray

    @property
    def n_patients(self):
        return self.scores.size

    @cached_property
    def sorted_by_class(self):
        return tuple(np.sort(self.scores[self.labels == y]) for y in (0, 1))

    def errors(self, thresholds):
        """Shares of all patients that are missed, and that are alarmed for nothing."""
        negative, positive = self.sorted_by_class
        misses = np.searchsorted(positive, thresholds, side="left")
        alarms = negative.size - np.searchsorted(negative, thresholds, side="left")
        return misses / self.n_patients, alarms / self.n_patients

    def risk(self, thresholds, costs):
        misses, alarms = self.errors(thresholds)
        return costs.cost_fn * misses + costs.cost_fp * alarms

    def best_risk(self, costs):
        cuts = np.append(np.unique(self.scores), np.inf)
        return float(self.risk(cuts, costs).min())

    def trivial_risk(self, costs):
        return float(self.risk(np.array([-np.inf, np.inf]), costs).min())

    def call_rate(self, thresholds):
        ordered = np.sort(self.scores)
        return 1 - np.searchsorted(ordered, thresholds, side="left") / ordered.size


@dataclass(frozen=True)
class Cohorts:
    """``scores`` and ``labels`` have shape (cohorts, n), each row ascending in its scores."""

    scores: np.ndarray
    labels: np.ndarray

    @cached_property
    def groups(self):
        """Which of the distinct scores of its cohort each patient has, counted from 0."""
        new = np.ones(self.scores.shape, dtype=np.int64)
        new[:, 1:] = np.diff(self.scores, axis=1) > 0
        return np.cumsum(new, axis=1) - 1

    @cached_property
    def cells(self):
        """Patients of each class with each distinct score: shape (cohorts, 2m)."""
        rows, m = self.scores.shape[0], int(self.groups.max()) + 1
        cell = self.groups + m * (self.labels == 0) + 2 * m * np.arange(rows)[:, None]
        return np.bincount(cell.ravel(), minlength=2 * m * rows).reshape(rows, 2 * m)

    def thresholds_at(self, rank):
        """Midpoints between the two patients around ``rank``; beyond the ends, infinite."""
        first, last = cuts_at_rank(count_errors(self.cells).ranks, np.asarray(rank))
        values = self.values
        rows, m = np.arange(values.shape[0]), values.shape[1]
        below = np.where(first > 0, values[rows, np.maximum(first - 1, 0)], -np.inf)
        above = np.where(last < m, values[rows, np.minimum(last, m - 1)], np.inf)
        with np.errstate(invalid="ignore"):
            middle = below + (above - below) / 2
        return np.where(middle > below, middle, np.where(first > 0, above, -np.inf))

    @cached_property
    def values(self):
        rows, m = self.scores.shape[0], self.cells.shape[1] // 2
        values = np.full((rows, m), np.inf)
        values[np.arange(rows)[:, None], self.groups] = self.scores
        return values


def draw_cohorts(draw, n_patients, n_cohorts, rng):
    """Cohorts with two patients of each class at least; ``draw(n, rng)`` gives scores, labels."""
    found = []
    while len(found) < n_cohorts:
        scores, labels = draw(n_patients, rng)
        if 2 <= labels.sum() <= n_patients - 2:
            order = np.argsort(scores, kind="stable")
            found.append((scores[order], labels[order]))
    scores, labels = zip(*found, strict=True)
    return Cohorts(np.array(scores), np.array(labels))


def resampler(site):
    """Draw patients of a site with replacement."""

    def draw(n_patients, rng):
        chosen = rng.integers(0, site.n_patients, n_patients)
        return site.scores[chosen], site.labels[chosen]

    return draw
