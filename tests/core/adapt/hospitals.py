"""A first hospital, and a pool of patients of the next one, for the tests of this folder."""

import numpy as np

from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.records import Costs

COSTS = [Costs(), Costs(cost_fn=3), Costs(cost_fp=4)]


def drawn(n, prevalence, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < prevalence).astype(int)
    return rng.normal(size=n) + 1.5 * labels + shift, labels


def home_of(scores, labels):
    ill, well = np.sort(scores[labels == 1]), np.sort(scores[labels == 0])
    return HomeScores(positive=ill, negative=well, n_positive=ill.size, n_negative=well.size)


HOME = home_of(*drawn(200, 0.4, 0))
POOL = Pool.of(drawn(150, 0.2, 1, 0.3)[0])
