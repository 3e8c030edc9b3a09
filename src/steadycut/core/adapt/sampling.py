"""Whom to label if labels are scarce, and what the labels say about a frozen cut-off.

Patients fall into two or three strata of the score: called, (just below,) and far below the
cut-off. Every patient has a coin: a number between 0 and 1, made from the seed and the identifier.
A patient is drawn if the coin is below the probability of the stratum. The coin does not depend on
the table, so the order of rows does not matter, and patients who come later have coins too.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steadycut.core.adapt.pool import HomeScores
from steadycut.core.bounds import sampled
from steadycut.core.bounds.binomial import lower_limit, upper_limit
from steadycut.core.checks import BoolArray, FloatArray, IntArray
from steadycut.core.records import SEPARATOR, Costs

# So many ill patients more than at home are assumed among the labelled ones below the cut-off,
# spread evenly: an upper limit must allow for ill patients whom nobody has seen.
UNSEEN = 4.0
# Probabilities are written with so many digits.
DIGITS = 3


def coins(patients: Iterable[str], seed: int, salt: str) -> FloatArray:
    """Return the coin of each patient, from 0 to 1."""
    start = hashlib.sha256(f"{seed}{SEPARATOR}{salt}{SEPARATOR}".encode())
    numbers = []
    for patient in patients:
        one = start.copy()
        one.update(str(patient).encode())
        numbers.append(int.from_bytes(one.digest()[:8]) / 2.0**64)
    return np.array(numbers)


def strata_of(scores: FloatArray, edges: Sequence[float]) -> IntArray:
    """Return the stratum of each oriented score: 0 is called, the last one lies far below.

    Examples
    --------
    >>> strata_of(np.array([0.1, 0.5, 0.9]), [0.8, 0.4])
    array([2, 1, 0])
    """
    return np.sum([scores < edge for edge in edges], axis=0)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Expected:
    """The shares of the strata among the ill and the healthy patients, as at home."""

    ill: FloatArray
    healthy: FloatArray
    prevalence: float

    @classmethod
    def of(
        cls, home: HomeScores, edges: Sequence[float], prevalence: float, labels: float
    ) -> "Expected":
        """Return the shares for strata at these edges, with some ill patients more below.

        ``labels`` is how many patients are labelled; at random, they would hold this number times
        the prevalence of ill patients.
        """
        ill, healthy = (-np.diff([1.0, *cdf, 0.0]) for cdf in home.shares_below(np.array(edges)))
        ill[1:] += UNSEEN / (prevalence * labels) * healthy[1:] / max(healthy[1:].sum(), 1e-12)
        return cls(ill=ill / ill.sum(), healthy=healthy, prevalence=prevalence)

    @property
    def patients(self) -> FloatArray:
        """The shares of the strata among all patients."""
        return self.prevalence * self.ill + (1 - self.prevalence) * self.healthy

    @property
    def ratios(self) -> FloatArray:
        """The best probabilities of a label, up to a common factor.

        The variance of the log odds of a miss is the sum over the strata below of
        r / q / (sum of r)^2, plus 1 / (q r) of the called, where r is the share of patients who are
        ill and in the stratum. It is smallest for a given number of labels if q is the root of each
        term's factor divided by the share of patients in the stratum (Neyman 1934).
        """
        r, missed = self.prevalence * self.ill, self.ill[1:].sum() * self.prevalence
        factors = np.array([1 / r[0], *(r[1:] / missed**2)])
        return np.sqrt(factors / np.maximum(self.patients, 1e-12))

    @property
    def variance(self) -> float:
        """The smallest variance for one label."""
        return float((self.ratios * self.patients).sum() ** 2)


def lower_edge(home: HomeScores, cut: float, prevalence: float, labels: float) -> float | None:
    """Return the edge between just below and far below that makes the variance smallest.

    It is one of the scores of the first hospital. None if these have no score below the cut-off.
    """
    cuts = home.cuts
    candidates = cuts[(cuts < cut) & (cuts > min(home.positive[0], home.negative[0]))]
    if not candidates.size:
        return None
    variances = [
        Expected.of(home, [cut, float(edge)], prevalence, labels).variance for edge in candidates
    ]
    return float(candidates[int(np.argmin(variances))])


def chances_for(ratios: FloatArray, sizes: IntArray, labels: float) -> list[float]:
    """Return probabilities in these ratios that draw about so many patients; none exceeds 1.

    Examples
    --------
    >>> chances_for(np.array([1.0, 0.1]), np.array([50, 1000]), 80)
    [0.533, 0.0533]
    """
    low, high = 0.0, 1 / float(ratios.min())
    for _ in range(100):
        middle = (low + high) / 2
        enough = float(np.minimum(middle * ratios, 1.0) @ sizes) >= labels
        low, high = (low, middle) if enough else (middle, high)
    return [float(f"{chance:.{DIGITS}g}") for chance in np.minimum(high * ratios, 1.0)]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Labelled:
    """Drawn patients by stratum and class.

    ``sizes`` are all patients by stratum, drawn or not. The first stratum is called.
    """

    ill: tuple[int, ...]
    healthy: tuple[int, ...]
    sizes: tuple[int, ...]
    chances: tuple[float, ...]

    @property
    def n_patients(self) -> int:
        """Number of all patients."""
        return sum(self.sizes)

    @property
    def n_drawn(self) -> int:
        """Number of drawn patients."""
        return sum(self.ill) + sum(self.healthy)

    @property
    def known(self) -> list[int]:
        """The strata of which patients are labelled."""
        return [place for place, chance in enumerate(self.chances) if chance > 0]

    @property
    def n_hidden(self) -> int:
        """Number of patients in strata of which nobody is labelled."""
        return sum(size for size, q in zip(self.sizes, self.chances, strict=True) if q == 0)

    def drawn(self, counts: Sequence[int]) -> sampled.Drawn:
        """Return the counts of one class in the strata that are labelled."""
        known = self.known
        return sampled.Drawn(
            counts=tuple(counts[place] for place in known),
            chances=tuple(self.chances[place] for place in known),
        )

    def hidden_share(self, level: float) -> float:
        """Return an upper limit of the share of patients in strata without labels."""
        return upper_limit(self.n_hidden, self.n_patients, level) if self.n_hidden else 0.0

    # Rates -------------------------------------------------------------------------------------

    def highest_miss(self, level: float, ill_hidden: float = 1.0) -> float:
        """Return an upper limit of the miss rate if at most a share of the hidden are ill.

        With missed/called ill at most o among labelled strata, ill and called patients at least a
        share a of all, and hidden patients at most a share h: the odds are at most o + h / a.
        """
        if not self.n_hidden:
            return sampled.highest_below(self.drawn(self.ill), level)
        odds = self.odds_of_hidden(level, ill_hidden)
        return odds / (1 + odds) if np.isfinite(odds) else 1.0

    def odds_of_hidden(self, level: float, ill_hidden: float) -> float:
        """Return an upper limit of the odds of a miss; infinite if no called patient is ill."""
        inside = sampled.highest_below(self.drawn(self.ill), level / 3)
        called = lower_limit(self.ill[0], self.n_patients, level / 3) / self.chances[0]
        if inside == 1 or not called:
            return float("inf")
        return inside / (1 - inside) + ill_hidden * self.hidden_share(level / 3) / called

    def most_hidden(self, level: float, miss: float) -> float:
        """Return up to which share of ill patients among the hidden the miss rate is at most this.

        Above this share, the miss rate may be higher.
        """
        at_none, at_all = (self.odds_of_hidden(level, share) for share in (0.0, 1.0))
        if not np.isfinite(at_all):
            return 0.0
        return float(np.clip((miss / (1 - miss) - at_none) / (at_all - at_none), 0.0, 1.0))

    def lowest_miss(self, level: float) -> float:
        """Return a lower limit of the miss rate; hidden ill patients only make it higher."""
        return sampled.lowest_below(self.drawn(self.ill), level)

    def highest_alarm(self, level: float) -> float:
        """Return an upper limit of the alarm rate; hidden healthy patients only make it lower."""
        return 1 - sampled.lowest_below(self.drawn(self.healthy), level)

    def lowest_alarm(self, level: float) -> float:
        """Return a lower limit of the alarm rate; hidden patients count as healthy."""
        if not self.n_hidden:
            return 1 - sampled.highest_below(self.drawn(self.healthy), level)
        called = self.called(self.healthy, level / 2)[0]
        return called / (called + self.below(self.healthy, level / 2)[1])

    # Shares of all patients ----------------------------------------------------------------------

    def called(self, counts: Sequence[int], level: float) -> tuple[float, float]:
        """Return limits of the share of patients who are called and of a class."""
        n, q = self.n_patients, self.chances[0]
        return lower_limit(counts[0], n, level) / q, min(upper_limit(counts[0], n, level) / q, 1.0)

    def below(self, counts: Sequence[int], level: float) -> tuple[float, float]:
        """Return limits of the share of patients who are not called and of a class."""
        drawn, n = self.drawn(counts), self.n_patients
        part = level / 2 if self.n_hidden else level
        most = sampled.highest_missed(drawn, n, part) + self.hidden_share(part)
        return sampled.lowest_sum(drawn.counts[1:], drawn.chances[1:], n, level), min(most, 1.0)

    def highest_cost(self, costs: Costs, level: float) -> float:
        """Return an upper limit of the mean cost; everybody hidden counts as missed."""
        if costs.target is not None:
            return costs.worst_risk(self.highest_miss(level / 2), self.highest_alarm(level / 2))
        part = level / 2 if self.n_hidden else level
        drawn = self.drawn(self.ill)
        known = sampled.highest_mean_cost(drawn, self.healthy[0], self.n_patients, costs, part)
        return min(known + costs.cost_fn * self.hidden_share(part), costs.largest)

    def lowest_cost(self, costs: Costs, level: float) -> float:
        """Return a lower limit of the mean cost; nobody hidden counts as missed."""
        if costs.target is not None:
            return costs.worst_risk(self.lowest_miss(level / 2), self.lowest_alarm(level / 2))
        missed = self.below(self.ill, level / 2)[0]
        return costs.cost_fn * missed + costs.cost_fp * self.called(self.healthy, level / 2)[0]

    def estimated_cost(self, costs: Costs) -> float | None:
        """Return the weighted mean cost in the strata that are labelled."""
        if costs.target is not None:
            miss, right = self.drawn(self.ill).estimate, self.drawn(self.healthy).estimate
            return None if miss is None or right is None else costs.worst_risk(miss, 1 - right)
        drawn, n = self.drawn(self.ill), self.n_patients
        pairs = zip(drawn.counts[1:], drawn.chances[1:], strict=True)
        missed = sum(count / chance for count, chance in pairs)
        alarmed = self.healthy[0] / self.chances[0]
        return (costs.cost_fn * missed + costs.cost_fp * alarmed) / n


def counted(
    strata: IntArray, ill: BoolArray, drawn: BoolArray, chances: Sequence[float]
) -> Labelled:
    """Return the drawn patients by stratum and by whether they are ill."""

    def numbers(who: BoolArray) -> tuple[int, ...]:
        return tuple(np.bincount(strata[who], minlength=len(chances)).tolist())

    return Labelled(
        ill=numbers(drawn & ill),
        healthy=numbers(drawn & ~ill),
        sizes=numbers(np.ones_like(drawn)),
        chances=tuple(chances),
    )
