"""The same patients scored by two versions: how many decisions change, and the matching cut-off."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from steadycut.core.bounds.binomial import two_sided
from steadycut.core.checks import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Decisions about the same patients by two versions.

    ``newly`` patients are called only by the new version, ``no_longer`` only by the old one. With
    more than two decisions these are patients whose decision is a higher or a lower one than
    before, and called are those with any decision but the lowest.
    """

    n_patients: int
    called_before: int
    called_after: int
    newly: int
    no_longer: int

    @classmethod
    def of(cls, before: IntArray, after: IntArray) -> "Changes":
        """Count the changes from one row of decisions, 0 for the lowest, to the other."""
        return cls(
            n_patients=before.size,
            called_before=int(np.count_nonzero(before)),
            called_after=int(np.count_nonzero(after)),
            newly=int((after > before).sum()),
            no_longer=int((after < before).sum()),
        )

    @property
    def share(self) -> float:
        """The share of patients whose decision changes."""
        return (self.newly + self.no_longer) / self.n_patients

    def limits(self, delta: float) -> tuple[float, float]:
        """Return exact limits of that share (Clopper and Pearson); both hold at 1 - delta."""
        return two_sided(self.newly + self.no_longer, self.n_patients, delta)

    @property
    def p_value(self) -> float:
        """The exact p-value of "as many are newly called as are no longer called" (McNemar).

        Examples
        --------
        >>> Changes(n_patients=60, called_before=6, called_after=18, newly=12, no_longer=0).p_value
        0.00048828125
        """
        changed = self.newly + self.no_longer
        return min(1.0, 2 * float(bdtr(min(self.newly, self.no_longer), changed, 0.5)))


def matching_cut(old: FloatArray, new: FloatArray, threshold: float) -> float:
    """Return the cut-off of the new scores that calls as many patients as the old one.

    High scores are called. The cut-off lies midway between two new scores, or just beyond all of
    them. Patients with equal scores are called together, so that it may call a few more.

    Examples
    --------
    >>> matching_cut(np.array([1.0, 2, 3, 4]), np.array([10.0, 20, 30, 40]), 2.5)
    25.0
    """
    called = int(np.count_nonzero(old >= threshold))
    ordered = np.sort(new)[::-1]
    if called == 0:
        return float(np.nextafter(ordered[0], np.inf))
    if called == ordered.size:
        return float(ordered[-1])
    return float((ordered[called - 1] + ordered[called]) / 2)
