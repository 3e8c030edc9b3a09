"""The rule of the first hospital, fitted again for the next one.

The first hospital is known by the quantiles of its scores in each class; each of them stands for as
many patients. A line on normal scores of the ranks there gives the log odds of disease at every
score. At the next hospital all log odds may differ by one number, the *shift*. The rule `stable` is
fitted again on the patients of the first hospital, where every ill patient counts as exp(shift)
patients, together with the labelled patients from here, each counted as `TIMES` patients.

A stated prevalence gives the shift in two ways. If each class has the scores that it had, the shift
is the difference of the log odds of the two prevalences. If each score has the risk that it had, up
to a shift, it is the one with which the mean risk of the patients here is the stated prevalence.
If the score separates the classes, a small difference asks for a huge shift there, so it is taken
at most `APART` from the other one. Their mean is taken. A number can be wrong, so the range is
widened by `DOUBT`, the smallest shift that it allows is taken, and `FOLLOWED` of it is followed.
Labels move the shift further, from a normal prior around that. ``benchmarks/studies/adapt``
measures all of it.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri

from steadycut.core.adapt.pool import HomeScores
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.rank_logistic import fit_line
from steadycut.core.rules.stable import Stable

# Which part of the shift that a stated prevalence asks for is followed.
FOLLOWED = 0.75
# The second shift of a stated prevalence lies at most so far from the first one: a limit for sharp
# scores, chosen by hand.
APART = 4.0
# By so much the stated log odds may be wrong, either way.
DOUBT = 0.2
# The standard deviation of the shift before any label is seen.
SPREAD = 0.4
# As how many patients of the first hospital a labelled patient from here counts.
TIMES = 2.0
# Beyond these a stated prevalence is not followed further.
PREVALENCES = (0.001, 0.999)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Labels:
    """Oriented scores of labelled patients, and their labels, in the order in which they came."""

    scores: FloatArray
    labels: IntArray

    def counts_at(self, cut: float) -> Confusion:
        """Return the decisions of a cut-off against the labels."""
        return Confusion.of_calls(self.labels, self.scores >= cut)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Model:
    """Patients of the first hospital at each distinct score, and the log odds of disease there.

    ``ill`` and ``well`` are numbers of patients at ``scores``, which ascend. ``odds`` has one value
    between any two scores too, and one beyond each end.
    """

    scores: FloatArray
    ill: FloatArray
    well: FloatArray
    odds: FloatArray

    @classmethod
    def of(cls, home: HomeScores) -> "Model":
        """Return the model of a hospital.

        Examples
        --------
        >>> ill, well = np.array([1.0, 2.0]), np.array([0.0, 1.0])
        >>> made = Model.of(HomeScores(positive=ill, negative=well, n_positive=4, n_negative=2))
        >>> made.scores, made.ill, made.well, made.odds.size
        (array([0., 1., 2.]), array([0., 2., 2.]), array([1., 1., 0.]), 7)
        """
        classes, sizes = (home.positive, home.negative), (home.n_positive, home.n_negative)
        scores = np.unique(np.concatenate(classes))
        ill, well = (
            _spread(scores, values, np.full(values.size, n / values.size))
            for values, n in zip(classes, sizes, strict=True)
        )
        return cls.from_counts(scores, ill, well)

    @classmethod
    def from_counts(cls, scores: FloatArray, ill: FloatArray, well: FloatArray) -> "Model":
        """Return the model of so many patients with these scores; some scores may have none."""
        below = np.concatenate([[0.0], np.cumsum(ill + well)])
        places, n = np.arange(2 * scores.size + 1), below[-1]
        middle = (below[places // 2] + below[(places + 1) // 2]) / (2 * n)
        normal = ndtri(np.clip(middle, 1 / (4 * n), 1 - 1 / (4 * n)))
        intercept, slope = fit_line(normal[None, 1::2], ill[None], well[None])
        return cls(scores=scores, ill=ill, well=well, odds=intercept[0] + slope[0] * normal)

    def drawn(self, rng: np.random.Generator) -> "Model":
        """Return the model of other patients of the first hospital, as many in each class."""
        ill, well = (
            rng.multinomial(round(who.sum()), who / who.sum()).astype(float)
            for who in (self.ill, self.well)
        )
        return Model.from_counts(self.scores, ill, well)

    @property
    def log_odds(self) -> float:
        """The log odds of the prevalence."""
        return float(logit(np.clip(self.ill.sum() / (self.ill + self.well).sum(), *PREVALENCES)))

    def places(self, scores: FloatArray) -> IntArray:
        """Return to which of the ``odds`` each score belongs."""
        return self.scores.searchsorted(scores) + self.scores.searchsorted(scores, "right")

    def counts(self, scores: FloatArray) -> FloatArray:
        """Return how many patients belong to each of the ``odds``."""
        return np.bincount(self.places(scores), minlength=self.odds.size).astype(float)


def agreeing_shift(
    odds: FloatArray, counts: FloatArray, ill: float, centre: float = 0.0, spread: float = np.inf
) -> float:
    """Return the shift at which the risks of the patients sum to the number of ill ones.

    With a finite ``spread`` it is the likeliest shift, from a normal prior around the ``centre``.

    Examples
    --------
    >>> round(agreeing_shift(np.zeros(1), np.array([10.0]), 2.0), 4)
    -1.3863
    """
    precision, total = 1 / spread**2, float(counts.sum())

    def too_many(shift: float) -> float:
        return float(counts @ expit(odds + shift)) - ill + precision * (shift - centre)

    if precision:
        ends = centre - total / precision, centre + total / precision
    else:
        far = float(np.abs(odds).max() + abs(logit(ill / total)))
        ends = -far - 1, far + 1
    # At the top it would slow down the start of every command.
    from scipy.optimize import brentq

    return float(brentq(too_many, *ends))


def asked_shift(model: Model, counts: FloatArray, prevalence: float) -> float:
    """Return the shift that a prevalence asks for; ``counts`` are the patients here.

    Examples
    --------
    >>> values = np.arange(20.0)
    >>> home = HomeScores(positive=values, negative=values, n_positive=20, n_negative=20)
    >>> model = Model.of(home)
    >>> round(asked_shift(model, model.counts(values), 0.2), 4)
    -1.3863
    """
    share = float(np.clip(prevalence, *PREVALENCES))
    risks = agreeing_shift(model.odds, counts, share * counts.sum())
    prior = float(logit(share)) - model.log_odds
    return prior + float(np.clip(risks - prior, -APART, APART)) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What a stated prevalence does: the ``shift``, and which part of the one asked for it is."""

    prevalence: float
    shift: float
    pull: float

    @classmethod
    def of(cls, model: Model, counts: FloatArray, prevalence: tuple[float, float]) -> "Stated":
        """Return the shift to follow, from a range that the hospital states."""
        low, high = logit(np.clip(prevalence, *PREVALENCES))
        ends = [asked_shift(model, counts, expit(end)) for end in (low - DOUBT, high + DOUBT)]
        middle = float(expit((low + high) / 2))
        asked = asked_shift(model, counts, middle)
        shift = FOLLOWED * min(max(0.0, ends[0]), ends[1])
        return cls(prevalence=middle, shift=shift, pull=shift / asked if shift else 0.0)


def likely_shift(model: Model, labels: Labels, centre: float) -> float:
    """Return the likeliest shift, given the labels and a normal prior around the centre."""
    odds = model.odds[model.places(labels.scores)]
    return agreeing_shift(odds, np.ones(odds.size), float(labels.labels.sum()), centre, SPREAD)


def refitted_with(model: Model, costs: Costs, centre: float, labels: Labels) -> float:
    """Return the cut-off from both hospitals: the first one, shifted, and the labels."""
    return refitted(model, costs, likely_shift(model, labels, centre), labels)


def refitted(model: Model, costs: Costs, shift: float, labels: Labels | None = None) -> float:
    """Return the cut-off: the lowest score that is called, or an infinite end.

    Examples
    --------
    >>> ill, well = np.linspace(1, 3, 101), np.linspace(0, 2, 101)
    >>> model = Model.of(HomeScores(positive=ill, negative=well, n_positive=50, n_negative=50))
    >>> [round(refitted(model, Costs(), shift), 2) for shift in (-9, -1, 0, 1, 9)]
    [inf, 1.88, 1.5, 1.12, -inf]
    """
    return float(refitted_each(model, costs, np.array([shift]), labels)[0])


def refitted_each(
    model: Model, costs: Costs, shifts: FloatArray, labels: Labels | None = None
) -> FloatArray:
    """Return the cut-off at each of some shifts."""
    factors, scores, n = np.exp(shifts)[:, None], model.scores, (model.ill + model.well).sum()
    scale = n / (factors * model.ill + model.well).sum(axis=1, keepdims=True)
    ill, well = scale * factors * model.ill, scale * model.well
    if labels is not None:
        scores = np.unique(np.concatenate([scores, labels.scores]))
        both = np.zeros((2, len(shifts), scores.size))
        both[:, :, scores.searchsorted(model.scores)] = ill, well
        for place, label in enumerate((1, 0)):
            who = labels.scores[labels.labels == label]
            both[place] += _spread(scores, who, np.full(who.size, TIMES))
        ill, well = both
    curve = count_errors(np.concatenate([ill, well], axis=1))
    ranks = Stable()(curve, costs)
    below = [row.searchsorted(rank) for row, rank in zip(curve.ranks, ranks, strict=True)]
    return np.concatenate([[-np.inf], scores[1:], [np.inf]])[below]


def _spread(scores: FloatArray, at: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weights of patients with some scores, at all scores."""
    return np.bincount(scores.searchsorted(at), weights, scores.size).astype(float)
