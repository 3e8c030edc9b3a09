"""Certificates of `adapt` where they are hardest to keep: all cut-offs cost the same."""

import numpy as np
import pytest
from scipy.stats import binom

from steadycut.core.adapt.menu import limited, limits_at_every_look, make_menu
from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.adapt.refit import Labels, Model
from steadycut.core.records import Costs

DELTA = 0.1


def flat_patients(n, ill, rng):
    """Healthy below 0.2, ill above 0.8, and a mixture between in which no cut-off is better."""
    scores = rng.random(n)
    risk = np.where(scores < 0.2, 0.0, np.where(scores < 0.8, ill, 1.0))
    return scores, (rng.random(n) < risk).astype(np.int64)


def fixed_menu(costs, ill, rng):
    scores, labels = flat_patients(200, ill, rng)
    sick, well = (np.sort(scores[labels == label]) for label in (1, 0))
    sizes = {"n_positive": sick.size, "n_negative": well.size}
    model = Model.of(HomeScores(positive=sick, negative=well, **sizes))
    return make_menu(model, Pool.of(flat_patients(100, ill, rng)[0]), 0.5, costs)


@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=3)])
def test_no_limit_of_a_fixed_menu_is_too_low_more_often_than_promised(costs):
    """After 60 labels, and at every look on the way; the lowest limit of all is what counts."""
    ill, rng = costs.cost_fp / (costs.cost_fn + costs.cost_fp), np.random.default_rng(5)
    broken, runs = np.zeros(2), 150
    for _ in range(runs):
        menu = fixed_menu(costs, ill, rng)
        scores, labels = flat_patients(60, ill, rng)
        data = Labels(scores=scores, labels=labels)
        cuts = np.clip([item.cut for item in menu], 0, 1)
        high, low = np.maximum(cuts - 0.8, 0), np.maximum(0.2 - cuts, 0)
        true = 0.6 * costs.cost_fn * ill + costs.cost_fn * high + costs.cost_fp * low
        limits = np.array([entry.limit for entry in limited(menu, data, costs, DELTA)])
        path = limits_at_every_look(menu, data, costs, DELTA)
        broken += (limits < true).any(), (path < true[:, None] - 1e-12).any()
    # More than this would be rare in 150 runs at the promised probability.
    assert (broken <= binom.ppf(0.999, runs, DELTA)).all()
    # The limits are not so wide that nothing is ever below.
    assert broken[0] > 0
