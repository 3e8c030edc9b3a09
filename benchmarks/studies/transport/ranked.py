"""Rules that use ranks only, for many cohorts at once: one row of an array is one cohort.

A cut is the number of patients below it, from 0 (call everybody) to n (call nobody). Both ends are
infinite thresholds: who calls everybody at home calls everybody abroad.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.special import betainc, expit, logit, ndtr, ndtri

from steadycut.core.cuts.risk_curve import Curve
from steadycut.core.diagnose import barriers
from steadycut.core.records import Costs

# No cut lies further out on the normal scale.
FARTHEST = 40.0


@dataclass(frozen=True)
class Ranked:
    """Cohorts of ``n`` patients each, sorted by score: ``scores`` and ``labels``, (cohorts, n)."""

    scores: np.ndarray
    labels: np.ndarray

    @property
    def n(self):
        return self.scores.shape[1]

    @property
    def rows(self):
        return np.arange(self.scores.shape[0])

    @cached_property
    def is_cut(self):
        """Whether a cut of each rank exists: not between two equal scores."""
        found = np.ones((self.scores.shape[0], self.n + 1), dtype=bool)
        found[:, 1:-1] = np.diff(self.scores, axis=1) > 0
        return found

    @cached_property
    def misses(self):
        return np.pad(np.cumsum(self.labels, axis=1), ((0, 0), (1, 0)))

    @cached_property
    def alarms(self):
        below = np.pad(np.cumsum(1 - self.labels, axis=1), ((0, 0), (1, 0)))
        return below[:, -1:] - below

    @cached_property
    def n_ill(self):
        return self.misses[:, -1].astype(float)

    def cost(self, pair):
        """Cost of all errors at each cut; infinite where no cut exists."""
        total = (pair[0] * self.misses + pair[1] * self.alarms).astype(float)
        return np.where(self.is_cut, total, np.inf)

    def stake(self, pair):
        """The largest cost of all errors of the ill, and of the healthy."""
        return pair[0] * self.n_ill, pair[1] * (self.n - self.n_ill)

    @cached_property
    def edges(self):
        """Lower and upper end of the quantiles that are nearest to each cut."""
        rank = np.arange(self.n + 1)
        before = np.maximum.accumulate(np.where(self.is_cut, rank, 0), axis=1)
        after = np.where(self.is_cut, rank, self.n)[:, ::-1]
        after = np.minimum.accumulate(after, axis=1)[:, ::-1]
        low = np.zeros(self.is_cut.shape)
        high = np.full(self.is_cut.shape, float(self.n))
        low[:, 1:] = (before[:, :-1] + rank[1:]) / 2
        high[:, :-1] = (after[:, 1:] + rank[:-1]) / 2
        return low / self.n, high / self.n

    @cached_property
    def normal_scores(self):
        """The normal score of each patient's rank, in the middle of ties."""
        rank = np.arange(self.n)
        first = np.maximum.accumulate(np.where(self.is_cut[:, :-1], rank, 0), axis=1)
        last = np.where(self.is_cut[:, 1:], rank, self.n)[:, ::-1]
        last = np.minimum.accumulate(last, axis=1)[:, ::-1]
        return ndtri(((first + last) / 2 + 0.5) / self.n)

    def nearest(self, quantile):
        """The rank of the cut that is nearest to a quantile; of two the lower one."""
        apart = np.abs(np.arange(self.n + 1) - self.n * np.asarray(quantile)[:, None])
        return np.where(self.is_cut, apart, np.inf).round(9).argmin(axis=1)

    def thresholds(self, rank):
        below = self.scores[self.rows, np.maximum(rank - 1, 0)]
        above = self.scores[self.rows, np.minimum(rank, self.n - 1)]
        middle = below + (above - below) / 2
        middle = np.where(middle > below, middle, above)
        return np.where(rank == 0, -np.inf, np.where(rank == self.n, np.inf, middle))


def fit_logistic(covariate, target, weight, ridge):
    """Intercept and slope of each row, by Newton's method with halved steps.

    ``ridge`` is the precision of a normal prior of the slope; None is a standard Cauchy prior.
    """
    coefficients = np.zeros((2, covariate.shape[0]))
    loss = logistic_loss(coefficients, covariate, target, weight, ridge)
    for _ in range(100):
        step = newton_step(coefficients, covariate, target, weight, ridge)
        for _ in range(30):
            new = logistic_loss(coefficients + step, covariate, target, weight, ridge)
            worse = new > loss + 1e-12 * (1 + np.abs(loss))
            if not worse.any():
                break
            step[:, worse] /= 2
        coefficients = coefficients + np.where(worse, 0.0, step)
        loss = np.where(worse, loss, new)
        if np.abs(step).max() < 1e-9:
            break
    return coefficients


def logistic_loss(coefficients, covariate, target, weight, ridge):
    line = coefficients[0][:, None] + coefficients[1][:, None] * covariate
    fit = (weight * (np.logaddexp(0, line) - target * line)).sum(axis=1)
    square = coefficients[1] ** 2
    return fit + (np.log1p(square) if ridge is None else ridge / 2 * square)


def newton_step(coefficients, covariate, target, weight, ridge):
    ridge = 2 / (1 + coefficients[1] ** 2) if ridge is None else ridge
    risk = expit(coefficients[0][:, None] + coefficients[1][:, None] * covariate)
    off, spread = weight * (risk - target), weight * np.maximum(risk * (1 - risk), 1e-12)
    down, across = off.sum(axis=1), (off * covariate).sum(axis=1) + ridge * coefficients[1]
    h00, h01 = spread.sum(axis=1) + 1e-9, (spread * covariate).sum(axis=1)
    h11 = (spread * covariate**2).sum(axis=1) + ridge + 1e-9
    determinant = h00 * h11 - h01**2
    return -np.stack([h11 * down - h01 * across, h00 * across - h01 * down]) / determinant


def place_of(coefficients, log_odds):
    """Where the fitted log odds reach a value; infinite without a rising slope."""
    intercept, slope = coefficients
    with np.errstate(divide="ignore", invalid="ignore"):
        place = (log_odds - intercept) / slope
    return np.where(slope > 1e-9, place, np.where(intercept >= log_odds, -np.inf, np.inf))


def platt_targets(ranked):
    ill, well = ranked.n_ill[:, None], ranked.n - ranked.n_ill[:, None]
    return np.where(ranked.labels == 1, (ill + 1) / (ill + 2), 1 / (well + 2))


def log_odds(pair):
    return float(logit(pair[1] / (pair[0] + pair[1])))


def logistic_on_scores(ranked, costs):
    """Platt's logistic regression on the score, cut at cost_fp / (cost_fn + cost_fp)."""
    middle, spread = ranked.scores.mean(axis=1), ranked.scores.std(axis=1) + 1e-300
    covariate = (ranked.scores - middle[:, None]) / spread[:, None]
    fitted = fit_logistic(covariate, platt_targets(ranked), np.ones(covariate.shape), 2e-9)
    return [middle + spread * place_of(fitted, log_odds(pair)) for pair in costs]


def logistic_on_ranks(ranked):
    covariate = ranked.normal_scores
    return fit_logistic(covariate, platt_targets(ranked), np.ones(covariate.shape), 2e-9)


def logistic_of_ranks(ranked, costs):
    """The same on normal scores of the ranks."""
    fitted = logistic_on_ranks(ranked)
    places = [place_of(fitted, log_odds(pair)) for pair in costs]
    return [ranked.thresholds(ranked.nearest(ndtr(place))) for place in places]


def weighted_logistic(ranked, pair, ridge=None):
    """Normal score where the costs of both classes are even: patients weigh what they cost."""
    weight = np.where(ranked.labels == 1, float(pair[0]), float(pair[1]))
    weight *= ranked.n / weight.sum(axis=1, keepdims=True)
    return place_of(fit_logistic(ranked.normal_scores, ranked.labels, weight, ridge), 0.0)


def log_likelihood(ranked, pair, weight):
    """Of each cut, from its errors: 0 at the best one."""
    errors = ranked.cost(pair) * ranked.n / sum(ranked.stake(pair))[:, None]
    fewest = errors.min(axis=1, keepdims=True)
    log_odds = np.log((ranked.n - fewest + 1) / (fewest + 1))
    return np.where(ranked.is_cut, -weight * log_odds * np.minimum(errors - fewest, 1e9), -np.inf)


def flat_mass(ranked, pair):
    del pair
    low, high = ranked.edges
    return high - low


def leaning_mass(ranked, pair):
    """A: a Beta prior that leans to the side of the smaller stake."""
    ill, well = ranked.stake(pair)
    share = (ill / (ill + well))[:, None]
    low, high = ranked.edges
    first, second = 1 + 2 * (1 - share), 1 + 2 * share
    return betainc(first, second, high) - betainc(first, second, low)


def middle_mass(ranked, pair):
    """A Beta(2, 2) prior, which pulls to the middle."""
    del pair
    low, high = (edge**2 * (3 - 2 * edge) for edge in ranked.edges)
    return high - low


def posterior(ranked, pair, weight, mass):
    weights = np.where(ranked.is_cut, mass(ranked, pair), 0.0)
    weights = weights * np.exp(log_likelihood(ranked, pair, weight))
    return weights / weights.sum(axis=1, keepdims=True)


def centres(ranked):
    low, high = ranked.edges
    return (low + high) / 2


def present_weight(n):
    return 0.2 * max((100 / n) ** 0.6, 0.5)


def mean_quantile(ranked, pair):
    weights = posterior(ranked, pair, present_weight(ranked.n), leaning_mass)
    return (weights * centres(ranked)).sum(axis=1)


def leaning(ranked, costs):
    """A, the weighted mean rank of all cuts with a leaning prior."""
    means = [mean_quantile(ranked, pair) for pair in costs]
    return [ranked.thresholds(ranked.nearest(mean)) for mean in means]


def halfway(ranked, costs, *, follows=False):
    """B, the mean rank of A and of the logistic regression; or its end, where it has no cut."""
    fitted, found = logistic_on_ranks(ranked), []
    for pair in costs:
        line = ndtr(place_of(fitted, log_odds(pair)))
        rank = ranked.nearest((mean_quantile(ranked, pair) + line) / 2)
        own = ranked.nearest(line)
        ends = (own == 0) | (own == ranked.n)
        found.append(ranked.thresholds(np.where(ends, own, rank) if follows else rank))
    return found


def following(ranked, costs):
    return halfway(ranked, costs, follows=True)


def former(ranked, costs):
    """`stable` as it was: one opinion, pulled to the middle, in the heaviest of several basins."""
    return [ranked.thresholds(former_rank(ranked, pair)) for pair in costs]


def former_rank(ranked, pair):
    weights = posterior(ranked, pair, present_weight(ranked.n), middle_mass)
    for row in ranked.rows:
        weights[row] *= heaviest_basin(ranked, pair, row, weights[row])
    scores = np.exp(ndtri(np.clip(centres(ranked), 1e-12, 1 - 1e-12)))
    mean = (weights * scores).sum(axis=1) / weights.sum(axis=1)
    return ranked.nearest(ndtr(np.log(mean)))


def heaviest_basin(ranked, pair, row, weights, height=2.0, least=0.05):
    """Whether each cut is in it. A barrier parts two basins that both have some of the weight."""
    cuts = np.flatnonzero(ranked.is_cut[row])
    curve = Curve(misses=ranked.misses[[row]][:, cuts], alarms=ranked.alarms[[row]][:, cuts])
    costs, upto = Costs(cost_fn=pair[0], cost_fp=pair[1]), np.cumsum(weights[cuts])
    inside = (upto - weights[cuts] >= least) & (upto[-1] - upto >= least)
    walls = cuts[inside & barriers(curve, costs, height)[0]]
    edges, places = np.concatenate([[-1], walls, [ranked.n + 1]]), np.arange(ranked.n + 1)
    basins = [(places > low) & (places < high) for low, high in pairwise(edges)]
    return basins[int(np.argmax([weights[basin].sum().round(9) for basin in basins]))]


def stable(weight=0.1, share=0.55, height=2.5, ridge=None):
    """The rule `stable`, with other numbers: the mean of the cuts and the line, then the check."""

    def choose(ranked, costs):
        return [ranked.thresholds(chosen_rank(ranked, pair)) for pair in costs]

    def chosen_rank(ranked, pair):
        weights = posterior(ranked, pair, weight, flat_mass)
        scores = ndtri(np.clip(centres(ranked), 1e-12, 1 - 1e-12))
        line = np.clip(weighted_logistic(ranked, pair, ridge), -FARTHEST, FARTHEST)
        both = (1 - share) * (weights * scores).sum(axis=1) + share * line
        rank = ranked.nearest(ndtr(both))
        best, worse = clearly_worse(ranked, pair, height)
        for row in np.flatnonzero(worse[ranked.rows, rank]):
            walls = np.flatnonzero(worse[row])
            low = walls[walls < best[row]].max(initial=-1) + 1
            near = slice(low, walls[walls > best[row]].min(initial=ranked.n + 1))
            mean = np.average(scores[row, near], weights=weights[row, near])
            cuts = low + np.flatnonzero(ranked.is_cut[row, near])
            rank[row] = cuts[np.abs(cuts - ranked.n * ndtr(mean)).round(9).argmin()]
        return rank

    return choose


def clearly_worse(ranked, pair, height):
    """The best cut, and which cuts have so many more errors that it is hardly chance."""
    cost = ranked.cost(pair)
    best = cost.argmin(axis=1)
    squares = pair[0] ** 2 * ranked.misses - pair[1] ** 2 * ranked.alarms
    between = np.abs(squares - squares[ranked.rows, best][:, None])
    excess = cost - cost[ranked.rows, best][:, None]
    allowed = height * np.sqrt(between + pair[0] ** 2 + pair[1] ** 2)
    return best, ranked.is_cut & (excess > allowed)
