"""Simulated patients with a covariate, whose best cut-offs are known."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr
from scipy.stats import norm

GRID = np.linspace(-8.0, 10.0, 9001)


@dataclass(frozen=True)
class Group:
    """A group of patients: its share, its prevalence, and the scores of either class."""

    share: float
    prevalence: float
    healthy: float = 0.0
    diseased: float = 1.5
    spread: float = 1.0

    def draw(self, n, rng):
        labels = (rng.random(n) < self.prevalence).astype(int)
        healthy = self.healthy + rng.standard_normal(n)
        diseased = self.diseased + self.spread * rng.standard_normal(n)
        return np.where(labels == 1, diseased, healthy), labels

    def risk(self, cut, costs):
        miss = costs.cost_fn * self.prevalence * ndtr((cut - self.diseased) / self.spread)
        return miss + costs.cost_fp * (1 - self.prevalence) * ndtr(self.healthy - cut)


@dataclass(frozen=True)
class Calibrated:
    """A group in which the score alone says how likely the disease is, whatever the group."""

    share: float
    centre: float

    def probability(self, scores):
        return 1 / (1 + np.exp(-1.5 * (scores - 1)))

    def draw(self, n, rng):
        scores = self.centre + rng.standard_normal(n)
        return scores, (rng.random(n) < self.probability(scores)).astype(int)

    def risk(self, cut, costs):
        density = norm.pdf(GRID - self.centre) * (GRID[1] - GRID[0])
        chance = self.probability(GRID)
        missed = np.cumsum(costs.cost_fn * chance * density)
        alarmed = np.cumsum(costs.cost_fp * (1 - chance) * density)
        return np.interp(cut, GRID, missed + alarmed[-1] - alarmed)


def best_cut(group, costs):
    return float(GRID[group.risk(GRID, costs).argmin()])


def moved(group, distance):
    return Group(
        group.share,
        group.prevalence,
        group.healthy + distance,
        group.diseased + distance,
        group.spread,
    )


def same_cut(group, other, costs):
    """Move a group so that its best cut-off is that of another."""
    return moved(group, best_cut(other, costs) - best_cut(group, costs))


def no_effect(costs):
    """Return populations in which one cut-off is best in every group."""
    first = Group(0.5, 0.4)
    return {
        "no effect, 2 groups": (first, first),
        "no effect, 5 unequal groups": tuple(Group(s, 0.4) for s in (0.4, 0.25, 0.15, 0.1, 0.1)),
        "other scores, same meaning": (Calibrated(0.5, 0.3), Calibrated(0.5, 1.5)),
        "other prevalence, same cut": (first, same_cut(Group(0.5, 0.2, 0, 2.2), first, costs)),
        "other sharpness, same cut": (first, same_cut(Group(0.5, 0.4, 0, 3.0), first, costs)),
        "other spread, same cut": (first, same_cut(Group(0.5, 0.4, 0, 2.0, 1.8), first, costs)),
    }


def effect():
    """Return populations in which the best cut-off depends on the group."""
    first = Group(0.5, 0.4)
    return {
        "offset 0.5": (first, moved(first, 0.5)),
        "offset 1": (first, moved(first, 1.0)),
        "prevalence 0.25 and 0.6": (Group(0.5, 0.25), Group(0.5, 0.6)),
        "offsets 0 to 1.2, 5 unequal groups": tuple(
            moved(Group(s, 0.4), d)
            for s, d in zip((0.4, 0.25, 0.15, 0.1, 0.1), (0, 0.3, 0.6, 0.9, 1.2), strict=True)
        ),
        "one of 5 groups offset by 1": tuple(
            moved(Group(0.2, 0.4), d) for d in (0.0, 0.0, 0.0, 0.0, 1.0)
        ),
    }


# How scores move with a covariate between 0 and 1.
TRENDS = {
    "no effect": lambda z: 0 * z,
    "line, 1 from end to end": lambda z: z - 0.5,
    "line, 2 from end to end": lambda z: 2 * (z - 0.5),
    "parabola, 1.5 deep": lambda z: 6 * (z - 0.5) ** 2,
    "step of 1": lambda z: 1.0 * (z > 0.5),
}
