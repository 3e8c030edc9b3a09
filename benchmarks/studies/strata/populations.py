"""Simulated patients with a true grade and a score, and the costs at which they are put apart."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steadycut.core.strata.costs import CostMatrix

SQUARE = CostMatrix([[0, 1, 3], [2, 0, 1], [5, 2, 0]])
STEPS = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
GREY = CostMatrix([[0, 0.25, 1], [4, 1, 0]])
ZERO_ONE = CostMatrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
# The grey stratum is the cheapest for probabilities from 0.31 to 0.35 only.
NARROW = CostMatrix([[0, 0.4, 1], [2, 1.1, 0]])

Draw = Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Population:
    """How patients are drawn, and what their strata cost."""

    name: str
    draw: Draw
    costs: CostMatrix


def normal(shares, distance, spreads=(1.0, 1.0, 1.0)):
    """Grades with normal scores whose means are a distance apart."""

    def draw(n, rng):
        grades = rng.choice(len(shares), n, p=shares)
        return rng.normal(size=n) * np.array(spreads)[grades] + distance * grades, grades

    return draw


def transformed(draw, change):
    """The same patients, their scores changed."""

    def changed(n, rng):
        scores, grades = draw(n, rng)
        return change(scores), grades

    return changed


EVEN = (1 / 3, 1 / 3, 1 / 3)
POPULATIONS = (
    Population("three even grades", normal(EVEN, 1.5), SQUARE),
    Population("three grades, plain steps", normal(EVEN, 1.5), STEPS),
    Population("rare middle grade", normal((0.6, 0.1, 0.3), 1.2), SQUARE),
    Population("any error costs 1", normal(EVEN, 1.5), ZERO_ONE),
    Population("any error costs 1, rare", normal((0.5, 0.1, 0.4), 1.0), ZERO_ONE),
    Population("weak score", normal(EVEN, 0.6), SQUARE),
    Population("unequal spreads", normal((0.5, 0.3, 0.2), 1.5, (0.7, 1.0, 2.0)), SQUARE),
    Population("skewed", transformed(normal(EVEN, 1.2), np.exp), SQUARE),
    Population("whole numbers", transformed(normal(EVEN, 1.5), np.round), SQUARE),
    Population("two grades, grey", normal((0.7, 0.3), 1.5), GREY),
    Population("two grades, narrow grey", normal((0.7, 0.3), 1.5), NARROW),
)
