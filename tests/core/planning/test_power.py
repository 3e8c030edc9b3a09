"""The power of plans: against sums over all outcomes, and the numbers of the literature."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import betabinom, binom, dirichlet_multinomial

from steadycut.core.bounds import buehler
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.confusion import Confusion
from steadycut.core.planning.certificates import Setting, certificate_for, patients_for
from steadycut.core.planning.power import (
    Chance,
    lasting,
    members_needed,
    pair_at_most,
)
from steadycut.core.records import Costs
from tests.slow_reference import planning

UNEQUAL = Costs(cost_fn=3.0)


@pytest.mark.parametrize(
    ("risk", "width", "delta"), [(0.1, 0.2, 0.1), (0.0, 0.15, 0.05), (0.25, 0.3, 0.2)]
)
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("bound", ["clopper-pearson", "hoeffding"])
def test_a_certificate_has_its_power_from_the_planned_number_on(bound, risk, width, delta, power):
    """The number before has less; the next hundred all have enough."""
    setting = Setting(delta=delta, power=power)
    n = patients_for(bound, risk, width, setting).n_certify
    target = risk + width + 1e-9
    powers = [
        planning.power_of(bound, m, risk, target, delta) for m in range(max(n - 1, 1), n + 60)
    ]
    assert min(powers[n > 1 :]) >= power - 1e-9
    assert n == 1 or powers[0] < power


@pytest.mark.parametrize("power", [0.8, 0.9])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_unequal_costs_reach_their_power_at_every_mix_of_errors(share, power):
    risk, width = 0.2, 0.8
    row = patients_for("buehler", risk, width, Setting(costs=UNEQUAL, power=power))
    rates = share * risk / 3, (1 - share) * risk
    for n in (row.n_certify, row.n_certify + 7):

        def value(misses, alarms, n=n):
            tn = n - misses - alarms
            return buehler_limit(Confusion(tp=0, fn=misses, fp=alarms, tn=tn), UNEQUAL, 0.1)

        rank = partial(buehler.rank, ratio=(3.0, 1.0), delta=0.1)
        reached = planning.power_of_costs(n, rates, rank, value, risk + width + 1e-8)
        assert reached >= power - 1e-6


def test_what_n_patients_certify_in_most_studies_is_a_quantile():
    row = certificate_for("clopper-pearson", 0.1, 100, Setting(power=0.8))
    assert row.misses + row.alarms == 12
    assert binom.cdf(12, 100, 0.1) >= 0.8 > binom.cdf(11, 100, 0.1)


def test_a_pilot_gives_beta_binomial_numbers():
    chance, n = Chance(0.2, 15.0), 40
    assert chance.pmf(n) == pytest.approx(betabinom.pmf(np.arange(n + 1), n, 3.0, 12.0))
    for power in (0.2, 0.8, 0.99):
        assert chance.at_most(n, power) == betabinom.ppf(power, n, 3.0, 12.0)


def test_pairs_of_a_pilot_are_dirichlet_multinomial():
    seen, n = 20.0, 25
    rates = np.array([0.1, 0.3, 0.6])
    rank = lambda i, j: 3.0 * i + j  # noqa: E731
    reached = pair_at_most(n, Chance(0.1, seen), Chance(0.3, seen), rank, 0.8)
    law = dirichlet_multinomial(rates * seen, n)
    every = [(i, j) for i in range(n + 1) for j in range(n + 1 - i)]
    below = [law.pmf([i, j, n - i - j]) for i, j in every if rank(i, j) < rank(*reached)]
    here = [law.pmf([i, j, n - i - j]) for i, j in every if rank(i, j) == rank(*reached)]
    assert sum(below) < 0.8 <= sum(below) + sum(here) + 1e-6


def test_numbers_that_are_not_found():
    assert members_needed(0.2, 0.2, 0.1, 0.8) is None
    assert members_needed(0.1, 0.2, 0.1, 0.8, most=62) is None
    # One label is enough where it is wrong with a probability of 95 % at the target.
    assert members_needed(0.0, 0.95, 0.1, 0.8) == 1
    # A probability at delta certifies, and one at the power is enough.
    assert members_needed(0.0, 0.5, 0.5, 0.8) == 1
    assert members_needed(0.0, 0.2, 0.1, 1.0) == 11
    assert lasting(lambda n: n == 5, lambda n: [n + 1], 5) is None
    pilot = Confusion(tp=10, fn=10, fp=10, tn=10)
    setting = Setting(power=0.8, pilot=pilot)
    assert patients_for("clopper-pearson", 0.5, 0.05, setting).n_certify is None


def test_assurance_is_below_the_power_at_the_best_estimate():
    pilot = Confusion(tp=40, fn=5, fp=5, tn=50)
    for costs, bound, width in ((Costs(), "clopper-pearson", 0.1), (UNEQUAL, "buehler", 0.3)):
        risk = pilot.risk(costs)
        known = Setting(costs=costs, power=0.8, share=costs.cost_fn * 5 / (risk * 100))
        open_ = Setting(costs=costs, power=0.8, share=known.share, pilot=pilot)
        numbers = [
            patients_for(bound, risk, width, setting).n_certify for setting in (known, open_)
        ]
        assert numbers[0] < numbers[1]
