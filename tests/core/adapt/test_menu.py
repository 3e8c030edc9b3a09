"""The menu of cut-offs, against a slow twin, and whom to label."""

import numpy as np
import pytest
from scipy.stats import beta

from steadycut.core.adapt.menu import (
    Item,
    exact_limit,
    grey_part,
    grey_zone,
    limits_at_every_look,
    make_menu,
    nearest,
    random_part,
)
from steadycut.core.adapt.pool import Pool
from steadycut.core.adapt.refit import Labels, Model, refitted
from steadycut.core.bounds.anytime import TARGET_BETS
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from tests.core.adapt.hospitals import HOME, POOL

COSTS = Costs(cost_fn=3)
FROZEN = 0.8
TIED = Pool.of(np.round(POOL.scores, 1))
MODEL = Model.of(HOME)


@pytest.mark.parametrize("pool", [POOL, TIED, Pool.of(np.repeat([1.0, 2.0], 20))])
@pytest.mark.parametrize("shift", [0.0, -0.8, 6.0])
def test_the_menu_equals_a_slow_one(pool, shift):
    shifts = [0, -0.3, 0.3, -0.75, 0.75, -1.4, 1.4, -2.5, 2.5]
    weights = [0.3, 0.12, 0.12, 0.08, 0.08, 0.05, 0.05, 0.05, 0.05]
    items = [(FROZEN, 0.1)]
    for away, weight in zip(shifts, weights, strict=True):
        items.append((refitted(MODEL, COSTS, shift + away), weight))
    alike = {}
    for cut, weight in items:
        alike.setdefault(np.mean(pool.scores < cut), []).append((cut, weight))
    menu = make_menu(MODEL, pool, FROZEN, COSTS, shift)
    assert [one.cut for one in menu] == [same[0][0] for same in alike.values()]
    spent = [sum(one[1] for one in same) for same in alike.values()]
    assert [one.weight for one in menu] == pytest.approx(spent)
    assert sum(spent) == pytest.approx(1)
    assert (menu[0].name, len({one.name for one in menu})) == ("frozen", len(menu))


def test_the_grey_zone_lies_between_the_cut_offs_around_the_likeliest():
    low, high = grey_zone(MODEL, COSTS, -0.5)
    assert (low, high) == (refitted(MODEL, COSTS, 0.9), refitted(MODEL, COSTS, -1.9))
    assert low < refitted(MODEL, COSTS, -0.5) < high


def test_nobody_is_labelled_twice_and_the_grey_zone_ends_below_its_upper_score():
    rng, scores = np.random.default_rng(0), np.array([5.0, 1.0, 3.0, 2.0, 4.0])
    assert sorted(random_part(40, 40, rng).tolist()) == list(range(40))
    assert random_part(40, 7, rng).shape == (7,)
    assert sorted(grey_part(scores, (2.0, 4.0), 9, rng).tolist()) == [2, 3]
    assert grey_part(scores, (2.0, 5.0), 2, rng).shape == (2,)
    assert sorted(grey_part(np.zeros(40), (0.0, 1.0), 40, rng).tolist()) == list(range(40))
    assert not grey_part(scores, (2.5, 2.5), 2, rng).size
    counts = np.bincount(np.concatenate([random_part(10, 3, rng) for _ in range(2000)]))
    assert np.abs(counts / 2000 - 0.3).max() < 0.05


def test_without_a_stated_prevalence_the_menu_lies_around_the_first_hospital():
    assert make_menu(MODEL, POOL, FROZEN, COSTS) == make_menu(MODEL, POOL, FROZEN, COSTS, 0.0)
    assert make_menu(MODEL, POOL, FROZEN, COSTS) != make_menu(MODEL, POOL, FROZEN, COSTS, 1.0)


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
