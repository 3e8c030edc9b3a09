"""Simulated hospitals: a home P, where a cut-off is chosen, and an abroad Q, where it is used."""

from dataclasses import dataclass

import numpy as np
from cohorts import Site

LARGE = 40_000


@dataclass(frozen=True)
class Population:
    """``prevalence`` of the disease; ``positive`` and ``negative`` draw scores of a class."""

    prevalence: float
    positive: object
    negative: object

    def draw(self, n_patients, rng):
        labels = (rng.random(n_patients) < self.prevalence).astype(np.int64)
        scores = np.where(
            labels == 1, self.positive(n_patients, rng), self.negative(n_patients, rng)
        )
        return scores, labels

    def as_site(self, seed):
        return Site(*self.draw(LARGE, np.random.default_rng(seed)))


def normal(mean, spread=1.0):
    return lambda n, rng: rng.normal(mean, spread, n)


def mixture(*means, spread=0.7):
    return lambda n, rng: rng.choice(means, n) + spread * rng.normal(size=n)


def student(shift, df=1.5):
    return lambda n, rng: shift + rng.standard_t(df, n)


def lognormal(mean, spread=1.0):
    return lambda n, rng: np.exp(rng.normal(mean, spread, n))


def points(*shares):
    return lambda n, rng: rng.choice(len(shares), n, p=shares).astype(float)


def rounded(draw, step):
    return lambda n, rng: np.round(draw(n, rng) / step) * step


def rescaled(draw, gain, offset):
    return lambda n, rng: gain * draw(n, rng) + offset


def pairs():
    """Name -> (P, Q)."""
    binormal = Population(0.4, normal(1.5), normal(0))
    weak = Population(0.4, normal(0.8), normal(0))
    two_basins = Population(0.5, mixture(-3, 5), mixture(-5, 3))
    three = Population(0.5, mixture(-5, 1, 7), mixture(-7, -1, 5))
    heavy = Population(0.4, student(2.0), student(0.0))
    skewed = Population(0.35, lognormal(1.2), lognormal(0))
    discrete = Population(
        0.3, points(0.1, 0.2, 0.3, 0.25, 0.15), points(0.45, 0.3, 0.15, 0.07, 0.03)
    )
    ties = Population(0.4, rounded(normal(1.5), 0.5), rounded(normal(0), 0.5))
    rare = Population(0.05, normal(2.0), normal(0))
    tiny = Population(0.9, normal(1.5), normal(0))
    zeros = Population(
        0.4,
        lambda n, rng: np.maximum(rng.normal(0.8, 1, n), 0),
        lambda n, rng: np.maximum(rng.normal(-0.8, 1, n), 0),
    )
    return {
        "binormal, P = Q": (binormal, binormal),
        "weak score, P = Q": (weak, weak),
        "two basins, P = Q": (two_basins, two_basins),
        "two basins, other weights": (
            two_basins,
            Population(0.5, mixture(-3, 5, 5), mixture(-5, 3, 3)),
        ),
        "three basins, P = Q": (three, three),
        "heavy tails, P = Q": (heavy, heavy),
        "heavy tails, moved": (heavy, Population(0.3, student(2.5), student(0.5))),
        "skewed, moved": (skewed, Population(0.45, lognormal(1.4), lognormal(0.2))),
        "five points": (
            discrete,
            Population(0.4, points(0.1, 0.25, 0.3, 0.2, 0.15), points(0.4, 0.3, 0.2, 0.07, 0.03)),
        ),
        "many ties": (ties, Population(0.3, rounded(normal(1.3), 0.5), rounded(normal(0.2), 0.5))),
        "half at zero": (zeros, zeros),
        "rare disease": (rare, Population(0.08, normal(1.8), normal(0.1))),
        "few healthy": (tiny, Population(0.8, normal(1.5), normal(0))),
        "prevalence up": (binormal, Population(0.6, normal(1.5), normal(0))),
        "prevalence down": (binormal, Population(0.2, normal(1.5), normal(0))),
        "shape shift": (binormal, Population(0.4, normal(1.2, 1.3), normal(0.2))),
        "both shifts": (binormal, Population(0.55, normal(1.2, 1.3), normal(0.2))),
        "other units": (
            binormal,
            Population(0.4, rescaled(normal(1.5), 0.9, 0.2), rescaled(normal(0), 0.9, 0.2)),
        ),
        "unequal spread": (
            Population(0.4, normal(1.5, 2.0), normal(0)),
            Population(0.4, normal(1.5, 2.2), normal(0.1)),
        ),
    }
