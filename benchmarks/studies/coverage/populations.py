"""Two hospitals whose risk at any cut is known exactly: P, where a cut-off is chosen, and Q."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtr


@dataclass(frozen=True)
class Scores:
    """Scores of one class: a mixture, rounded to ``step`` if that is not 0."""

    parts: tuple
    step: float = 0.0
    df: float = 0.0

    def draw(self, n, rng):
        weights = np.array([part[0] for part in self.parts])
        which = rng.choice(len(self.parts), n, p=weights / weights.sum())
        mean = np.array([part[1] for part in self.parts])[which]
        spread = np.array([part[2] for part in self.parts])[which]
        noise = rng.standard_t(self.df, n) if self.df else rng.normal(size=n)
        scores = mean + spread * noise
        return np.round(scores / self.step) * self.step if self.step else scores

    def below(self, cut):
        """Pr(S < cut)."""
        if self.step:
            cut = (np.ceil(np.asarray(cut) / self.step - 1e-9) - 0.5) * self.step
        total = sum(part[0] for part in self.parts)
        at = [(weight, (cut - mean) / spread) for weight, mean, spread in self.parts]
        return sum(w * (stdtr(self.df, z) if self.df else ndtr(z)) for w, z in at) / total


@dataclass(frozen=True)
class Hospital:
    prevalence: float
    positive: Scores
    negative: Scores

    def draw(self, n, rng):
        labels = (rng.random(n) < self.prevalence).astype(np.int8)
        scores = np.where(labels == 1, self.positive.draw(n, rng), self.negative.draw(n, rng))
        return scores, labels

    def rates(self, cut):
        """Probability that a patient is missed, and that one is a false alarm."""
        miss = self.prevalence * self.positive.below(cut)
        return miss, (1 - self.prevalence) * (1 - self.negative.below(cut))

    def risk(self, cut, costs):
        miss, alarm = self.rates(cut)
        return costs.cost_fn * miss + costs.cost_fp * alarm


def one(mean, spread=1.0, **more):
    return Scores(((1.0, mean, spread),), **more)


def two(*means, spread=0.7):
    return Scores(tuple((1.0, mean, spread) for mean in means))


def pairs():
    """Name -> (P, Q)."""
    binormal = Hospital(0.4, one(1.8), one(0.0))
    basins = Hospital(0.5, two(-3, 5), two(-5, 3))
    heavy = Hospital(0.4, one(3.0, df=1.5), one(0.0, df=1.5))
    points = Hospital(0.3, one(2.0, 1.0, step=1.0), one(0.0, 1.0, step=1.0))
    ties = Hospital(0.4, one(1.5, step=0.5), one(0.0, step=0.5))
    rare = Hospital(0.02, one(2.5), one(0.0))
    tiny = Hospital(0.95, one(2.0), one(0.0))
    return {
        "P = Q": (binormal, binormal),
        "two basins": (basins, basins),
        "heavy tails": (heavy, Hospital(0.3, one(3.5, df=1.5), one(0.5, df=1.5))),
        "few points": (points, points),
        "many ties": (ties, Hospital(0.3, one(1.3, step=0.5), one(0.2, step=0.5))),
        "rare, 2 %": (rare, Hospital(0.03, one(2.2), one(0.1))),
        "tiny class": (tiny, tiny),
        "easy": (Hospital(0.5, one(4.0), one(0.0)), Hospital(0.5, one(3.5), one(0.3))),
        "prevalence shift": (binormal, Hospital(0.7, one(1.8), one(0.0))),
        "shape shift": (binormal, Hospital(0.4, one(1.2, 1.3), one(0.3))),
        "both shifts": (binormal, Hospital(0.6, one(1.2, 1.3), one(0.3))),
        "rescaled": (binormal, Hospital(0.4, one(1.52, 0.9), one(-0.1, 0.9))),
        "useless score": (Hospital(0.4, one(0.1), one(0.0)), Hospital(0.5, one(0.1), one(0.0))),
    }
