"""The choice among cut-offs with limits, and the limits of single ones."""

import numpy as np
import pytest
from scipy.stats import beta

from steadycut.core.adapt.labels import exact_limit, limits_at_every_look, nearest
from steadycut.core.adapt.menu import Item
from steadycut.core.adapt.pool import Pool
from steadycut.core.adapt.refit import Labels
from steadycut.core.bounds.anytime import TARGET_BETS
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs


def test_the_nearest_cut_off_counts_patients_between_and_takes_the_first_of_two():
    """The cut-offs lie above two, five and five of ten patients."""
    pool = Pool.of(np.arange(10.0))
    menu = [Item(name="", cut=cut, weight=0.3) for cut in (2.0, 5.0, 4.5)]
    assert [nearest(pool, menu, cut) for cut in (-np.inf, 3.0, 4.0, 5.0, 99.0)] == [0, 0, 1, 1, 1]


@pytest.mark.parametrize("costs", [Costs(cost_fn=4.0), Costs(cost_fn=0.5, cost_fp=2.0)])
def test_at_every_look_the_bets_against_the_limit_have_won_1_over_the_share_of_delta(costs):
    """Some scores lie at the cut-off, and are called."""
    rng = np.random.default_rng(2)
    ill = rng.integers(0, 2, 60)
    scores = np.where(rng.random(60) < 0.1, 1 - ill, ill) / 2
    labels = Labels(scores=scores, labels=ill)
    menu = [Item(name=name, cut=0.5, weight=weight) for name, weight in (("a", 0.75), ("b", 0.25))]
    path = limits_at_every_look(menu, labels, costs, 0.2) / costs.largest
    assert path.shape == (2, 60)
    called = scores == 0.5
    loss = (costs.cost_fn * (ill & ~called) + costs.cost_fp * (called & (ill == 0))) / costs.largest
    for row, share in zip(path, (0.15, 0.05), strict=True):
        for n in (30, 60):
            won = [
                np.mean(
                    np.prod(1 + TARGET_BETS[:, None] * ((1 - loss[:m]) / (1 - row[n - 1]) - 1), 1)
                )
                for m in range(1, n + 1)
            ]
            # The lowest limit so far: reached at one look, and never exceeded before.
            assert max(won) == pytest.approx(1 / share, rel=1e-6)


def test_a_score_at_the_cut_off_is_called():
    labels = Labels(scores=np.array([1.0, 2.0, 2.0, 3.0]), labels=np.array([1, 1, 0, 1]))
    assert labels.counts_at(2.0) == Confusion(tp=2, fn=1, fp=1, tn=0)


def test_the_limit_is_that_of_the_binomial_at_equal_costs_and_of_buehler_otherwise():
    counts = Confusion(tp=9, fn=2, fp=3, tn=16)
    equal = exact_limit(counts, Costs(cost_fn=2.0, cost_fp=2.0), 0.1)
    assert equal == pytest.approx(2 * beta.ppf(0.9, 6, 25))
    unequal = Costs(cost_fn=3.0)
    assert exact_limit(counts, unequal, 0.1) == buehler_limit(counts, unequal, 0.1)
