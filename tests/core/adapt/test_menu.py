"""The menu of cut-offs, against a slow twin, and whom to label."""

import numpy as np
import pytest

from steadycut.core.adapt.menu import grey_part, grey_zone, make_menu, random_part
from steadycut.core.adapt.pool import Pool
from steadycut.core.adapt.refit import Model, refitted
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
