"""Limits at the next hospital, as promised, and how many labels they take."""

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

from steadycut.core.adapt.menu import (
    Item,
    exact_limit,
    limited,
    limits_at_every_look,
    make_menu,
)
from steadycut.core.adapt.pool import Pool
from steadycut.core.adapt.refit import Labels, Model
from steadycut.core.planning.power import members_needed
from steadycut.core.records import Costs
from tests.core.adapt.hospitals import HOME, drawn

MODEL = Model.of(HOME)


def test_limits_of_one_cut_off_at_equal_costs_are_those_of_clopper_and_pearson():
    scores, labels = drawn(30, 0.3, 6)
    data = Labels(scores=scores, labels=labels)
    wrong = int(((scores >= 0.8) != (labels == 1)).sum())
    (found,) = limited([Item(name="one", cut=0.8, weight=0.5)], data, Costs(), 0.1)
    exact = beta.ppf(1 - 0.05, wrong + 1, 30 - wrong)
    assert found.limit == pytest.approx(exact)
    assert found.counts == data.counts_at(0.8)


@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=3)])
def test_whichever_cut_off_is_chosen_its_limit_holds(costs):
    broken, runs = 0, 150
    for seed in range(runs):
        pool = Pool.of(drawn(60, 0.3, 10_000 + seed)[0])
        menu = make_menu(MODEL, pool, 0.8, costs)
        scores, labels = drawn(30, 0.3, 20_000 + seed)
        data = Labels(scores=scores, labels=labels)
        best = min(limited(menu, data, costs, 0.2), key=lambda one: one.limit)
        cut = best.item.cut
        # The true rates of the two normal classes.

        true = 0.3 * costs.cost_fn * norm.cdf(cut - 1.5) + 0.7 * costs.cost_fp * norm.sf(cut)
        broken += true > best.limit
    # Promised at most 0.2; a union bound over ten cut-offs breaks far less often.
    assert broken / runs <= 0.2


def test_labels_one_at_a_time_accept_a_rule_at_the_boundary_seldom():
    rng, target, delta, accepted, runs = np.random.default_rng(7), 0.25, 0.1, 0, 1000
    menu = [Item(name=name, cut=cut, weight=0.5) for name, cut in (("a", 0.5), ("b", 0.6))]
    for _ in range(runs):
        # Both cut-offs are wrong with probability 0.25: label 1 with a score of 0 is missed.
        labels = (rng.random(300) < target).astype(int)
        data = Labels(scores=np.zeros(300), labels=labels)
        path = limits_at_every_look(menu, data, Costs(), delta)
        accepted += bool((path < target).any())
    assert accepted / runs <= delta


def test_the_path_ends_at_a_limit_that_is_wider_than_that_of_a_fixed_number():
    scores, labels = drawn(200, 0.3, 8)
    data, menu = Labels(scores=scores, labels=labels), [Item(name="one", cut=0.8, weight=1.0)]
    path = limits_at_every_look(menu, data, Costs(), 0.1)
    assert path.shape == (1, 200)
    assert (np.diff(path[0]) <= 0).all()
    assert path[0, -1] >= exact_limit(data.counts_at(0.8), Costs(), 0.1)


@pytest.mark.parametrize(("risk", "target", "delta"), [(0.1, 0.2, 0.1), (0.05, 0.3, 0.03)])
def test_the_number_of_labels_is_the_one_from_which_on_the_power_holds(risk, target, delta):
    found = members_needed(risk, target, delta, 0.8)

    def power(n):
        certified = [x for x in range(n + 1) if beta.ppf(1 - delta, x + 1, n - x) <= target]
        return binom.pmf(certified, n, risk).sum() if certified else 0.0

    assert all(power(n) >= 0.8 for n in range(found, found + 100))
    assert power(found - 1) < 0.8


def test_one_at_a_time_about_as_many_labels_are_enough_half_of_the_time():
    """As the page of a plan says; 80 % of the time it is at most about twice as many."""
    rng = np.random.default_rng(0)
    menu = [Item(name="one", cut=0.0, weight=1.0)]
    stops = []
    for _ in range(100):
        wrong = rng.random(400) < 0.1
        labels = Labels(scores=np.full(400, -1.0), labels=wrong.astype(int))
        limit = limits_at_every_look(menu, labels, Costs(), 0.1)[0]
        stops.append(int(np.argmax(np.append(limit, 0.0) <= 0.2)) + 1)
    fixed = members_needed(0.1, 0.2, 0.1, 0.8)
    assert 0.8 < np.median(stops) / fixed < 1.2
    assert 1.2 < np.quantile(stops, 0.8) / fixed < 2.2
