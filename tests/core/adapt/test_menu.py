"""The menu of cut-offs, against a slow twin, and whom to label."""

import numpy as np
import pytest

from steadycut.core.adapt.menu import (
    HOME_COUNTS,
    MENU_PARTS,
    PARTS,
    POINTS,
    PRIOR_COUNTS,
    grey_part,
    grey_zone,
    make_menu,
    random_part,
)
from steadycut.core.adapt.mix import mix, told
from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.records import Costs
from steadycut.core.rules.stable import prior_mass
from tests.core.adapt.hospitals import HOME, POOL

COSTS = Costs(cost_fn=3)
FROZEN = 0.8
TIED = Pool.of(np.round(POOL.scores, 1))


def nearest(pool, rank):
    return int(np.argmin(np.abs(pool.ranks - rank)))


def slow_prior(pool, home, parts):
    """Each cut-off of the first hospital, moved to the pool by its score and by its rank."""
    weights = parts[2] * prior_mass(pool.ranks[None, :])[0]
    for cut, rank, weight in zip(home.cuts, home.ranks, home.weights, strict=True):
        weights[nearest(pool, np.mean(pool.scores < cut))] += parts[0] * weight
        weights[nearest(pool, rank)] += parts[1] * weight
    return weights


def slow_items(pool, mixed):
    """The cut-offs before those that decide alike are merged: name, cut-off, weight."""
    if mixed is None:
        share = np.mean(np.concatenate([HOME.positive, HOME.negative]) < FROZEN)
        same_share = float(pool.cuts[nearest(pool, share)])
        items = [("frozen", FROZEN, 0.3), ("same share called", same_share, 0.2)]
        prevalence = HOME.prevalence
    else:
        prevalence, at = mixed.prevalence, float(pool.cuts[nearest(pool, mixed.told.rank)])
        items = [("frozen", FROZEN, 0.25), ("adapted", mixed.cut, 0.3)]
        items += [("stated prevalence, same rank", at, 0.15)]
        items += [("stated prevalence, same score", mixed.told.same_score, 0.05)]
    count, weight = POINTS[mixed is not None]
    home = told(HOME, prevalence, COSTS, HOME_COUNTS)
    below = np.cumsum(slow_prior(pool, home, MENU_PARTS[mixed is not None]))
    for place in range(count):
        cut = next(c for c, w in zip(pool.cuts, below, strict=True) if w >= (place + 0.5) / count)
        items.append(("between", float(cut), weight / count))
    return items


@pytest.mark.parametrize("pool", [POOL, TIED])
@pytest.mark.parametrize("stated", [None, (0.1, 0.2)])
def test_the_menu_equals_a_slow_one(pool, stated):
    mixed = None if stated is None else mix(HOME, pool, FROZEN, stated, COSTS)
    menu, prior = make_menu(HOME, pool, FROZEN, COSTS, mixed)
    items = slow_items(pool, mixed)
    alike = {}
    for name, cut, weight in items:
        alike.setdefault(np.mean(pool.scores < cut), []).append((name, cut, weight))
    assert [(one.name, one.cut) for one in menu] == [same[0][:2] for same in alike.values()]
    weights = [sum(one[2] for one in same) for same in alike.values()]
    assert [one.weight for one in menu] == pytest.approx(weights)
    prevalence = HOME.prevalence if mixed is None else mixed.prevalence
    home = told(HOME, prevalence, COSTS, PRIOR_COUNTS[mixed is not None])
    assert prior == pytest.approx(slow_prior(pool, home, PARTS[mixed is not None]), abs=1e-12)


def test_a_first_hospital_without_ill_patients_weighs_every_cut_off_of_the_pool():
    home = HomeScores(positive=np.array([]), negative=HOME.negative, n_positive=0, n_negative=90)
    mixed = mix(home, POOL, FROZEN, (0.3, 0.3), COSTS)
    _, prior = make_menu(home, POOL, FROZEN, COSTS, mixed)
    assert prior.shape == POOL.cuts.shape
    assert prior.sum() == pytest.approx(1)


def test_the_grey_zone_leaves_out_a_twentieth_of_the_prior_at_each_end():
    pool, prior = Pool.of(np.arange(9.0)), np.array([1, 4, 5, 20, 40, 20, 5, 4, 1, 0]) / 100
    assert grey_zone(pool, prior) == (1.0, 6.0)
    assert grey_zone(pool, 7 * prior) == (1.0, 6.0)
    last = np.zeros(10)
    last[-1] = 1.0
    assert grey_zone(pool, last) == (np.nextafter(8.0, 9.0),) * 2


def test_nobody_is_labelled_twice_and_the_grey_zone_ends_below_its_upper_score():
    rng, scores = np.random.default_rng(0), np.array([5.0, 1.0, 3.0, 2.0, 4.0])
    assert sorted(random_part(40, 40, rng).tolist()) == list(range(40))
    assert random_part(40, 7, rng).shape == (7,)
    assert sorted(grey_part(scores, (2.0, 4.0), 9, rng).tolist()) == [2, 3]
    assert grey_part(scores, (2.0, 5.0), 2, rng).shape == (2,)
    assert sorted(grey_part(np.zeros(40), (0.0, 1.0), 40, rng).tolist()) == list(range(40))
    assert not grey_part(scores, (2.5, 2.5), 2, rng).size
