"""Characteristics of a cut-off with intervals for that very cut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import beta, binom, binomtest

from steadycut.core.bounds.binomial import rate_interval, two_sided
from steadycut.core.confusion import Confusion
from steadycut.core.intervals.rates import (
    N_POINTS,
    at_fixed_cut,
    at_prevalence,
    high_rate,
    low_rate,
    melded_intervals,
    quantities,
    spread_points,
    tails,
)
from steadycut.core.records import Costs

POINT = Confusion(tp=33, fn=6, fp=9, tn=52)
SHARES = {
    "sensitivity": (33, 39),
    "specificity": (52, 61),
    "ppv": (33, 42),
    "npv": (52, 58),
    "accuracy": (85, 100),
}
small = st.integers(0, 25)
tables = st.builds(Confusion, tp=small, fn=small, fp=small, tn=small).filter(
    lambda counts: counts.n_patients
)


@pytest.mark.parametrize("name", SHARES)
def test_shares_have_the_exact_interval_of_scipy_and_statsmodels(name):
    from statsmodels.stats import proportion

    count, n = SHARES[name]
    found = at_fixed_cut(POINT, Costs(), 0.05)[name]
    exact = binomtest(count, n).proportion_ci(0.95, "exact")
    other = proportion.proportion_confint(count, n, 0.05, "beta")
    assert found.value == pytest.approx(count / n, abs=1e-15)
    assert found.interval == pytest.approx((exact.low, exact.high), abs=1e-9)
    assert found.interval == pytest.approx(other, abs=1e-9)
    assert found.method == "clopper-pearson"


def test_values_worked_by_hand():
    found = at_fixed_cut(POINT, Costs(cost_fn=3, cost_fp=1), 0.05)
    assert found["plr"].value == pytest.approx((33 / 39) / (9 / 61))
    assert found["nlr"].value == pytest.approx((6 / 39) / (52 / 61))
    # A miss costs three alarms: call from a probability of 1/4 on, where an alarm weighs 1/3.
    assert found["net_benefit"].value == pytest.approx((33 - 9 / 3) / 100)
    agreed, chance = 0.85, 0.39 * 0.42 + 0.61 * 0.58
    assert found["kappa"].value == pytest.approx((agreed - chance) / (1 - chance))


def melded_by_lot(n_draws, of_rates, *, rises_with_prevalence):
    """The same interval from random numbers instead of evenly spread points."""
    rng = np.random.default_rng(3)
    low_ill, high_ill = (39, 62), (40, 61)
    if not rises_with_prevalence:
        low_ill = high_ill = (39.5, 61.5)
    prevalences = [rng.beta(*ill, n_draws) for ill in (low_ill, high_ill)]
    low = of_rates(rng.beta(33, 7, n_draws), rng.beta(52, 10, n_draws), prevalences[0])
    high = of_rates(rng.beta(34, 6, n_draws), rng.beta(53, 9, n_draws), prevalences[1])
    return sorted([np.quantile(low, 0.025), np.quantile(high, 0.975)]), sorted(
        [np.quantile(low, 0.975), np.quantile(high, 0.025)]
    )


@pytest.mark.parametrize("name", ["plr", "nlr", "kappa", "net_benefit"])
def test_melding_agrees_with_drawing_by_lot(name):
    quantity = quantities(Costs())[name]
    rising, falling = melded_by_lot(
        400_000, quantity.of_rates, rises_with_prevalence=name == "net_benefit"
    )
    found = at_fixed_cut(POINT, Costs(), 0.05)[name]
    wanted = rising if quantity.rises else falling
    assert found.method == "melded"
    assert found.interval == pytest.approx(wanted, abs=0.02 * np.ptp(wanted))


def test_each_rate_takes_the_levels_of_its_own_row():
    """All rows but one are at the median, so that the interval is that of one rate alone."""
    levels, middle = spread_points(1)[0], np.full(N_POINTS, 0.5)
    wanted, table = quantities(Costs()), (2, 1, 1, 60)
    by_share = melded_intervals(wanted, table, np.stack([levels, middle, middle]), 0.05)
    for name, (good, bad) in {"sensitivity": (2, 1), "specificity": (60, 1), "ppv": (2, 1)}.items():
        assert by_share[name] == pytest.approx(two_sided(good, good + bad, 0.05), abs=2e-3)
    # At so low a prevalence kappa and net benefit rise with it.
    found = melded_intervals(wanted, table, np.stack([middle, middle, levels]), 0.05)
    rates = [(beta.median(2, 2), beta.median(60, 2)), (beta.median(3, 1), beta.median(61, 1))]
    for name, shapes in (
        ("kappa", [(3.5, 61.5), (3.5, 61.5)]),
        ("net_benefit", [(3, 62), (4, 61)]),
    ):
        ends = [
            float(wanted[name].of_rates(*rate, beta.ppf(level, *shape)))
            for rate, shape, level in zip(rates, shapes, (0.025, 0.975), strict=True)
        ]
        assert found[name] == pytest.approx(ends, rel=5e-3)


@pytest.mark.parametrize(("n", "prevalence"), [(20, 0.125), (60, 0.042), (60, 0.3), (60, 0.95)])
def test_the_net_benefit_of_a_perfect_score_is_covered(n, prevalence):
    """It equals the prevalence, and all possible counts are added up: no simulation error.

    With the prevalence from Jeffreys' Beta it was covered in 0.92 of studies at 2.5 / n.
    """
    covered = 0.0
    for ill in range(n + 1):
        found = at_fixed_cut(Confusion(tp=ill, fn=0, fp=0, tn=n - ill), Costs(), 0.05)
        low, high = found["net_benefit"].interval
        covered += binom.pmf(ill, n, prevalence) * (low <= prevalence <= high)
    assert covered >= 0.95


def test_at_a_target_prevalence_predictive_values_follow_the_likelihood_ratios():
    found = at_fixed_cut(POINT, Costs(target=(0.05, 0.05)), 0.05)
    for ratio, value, odds in (("plr", "ppv", 0.05 / 0.95), ("nlr", "npv", 0.95 / 0.05)):
        ends = sorted(found[ratio].interval, reverse=ratio == "nlr")
        by_ratio = [odds * x / (1 + odds * x) for x in ends]
        if ratio == "nlr":
            by_ratio = [odds / (odds + x) for x in ends]
        assert found[value].interval == pytest.approx(by_ratio, abs=1e-12)
    assert found["sensitivity"].method == "clopper-pearson"


def test_of_a_range_of_prevalences_the_end_counts_where_it_is_less():
    at_ends = [at_fixed_cut(POINT, Costs(target=(end, end)), 0.05) for end in (0.05, 0.3)]
    found = at_fixed_cut(POINT, Costs(target=(0.05, 0.3)), 0.05)
    for name, end in (("ppv", 0), ("npv", 1), ("net_benefit", 0)):
        assert found[name] == at_ends[end][name]


@pytest.mark.parametrize("n_choices", [0, 1])
def test_without_positive_patients_nothing_about_them_is_known(n_choices):
    found = at_fixed_cut(Confusion(tp=0, fn=0, fp=3, tn=7), Costs(), 0.05, n_choices)
    for name in ("sensitivity", "plr", "nlr", "kappa"):
        assert found[name].value is None
        assert found[name].interval is None
    assert found["specificity"].value == pytest.approx(0.7)
    assert found["ppv"].value == 0


def test_with_nobody_called_the_value_of_a_call_is_not_known():
    found = at_fixed_cut(Confusion(tp=0, fn=5, fp=0, tn=5), Costs(), 0.05)
    assert found["ppv"].value is None
    assert found["plr"].value is None
    assert found["sensitivity"].value == 0


def test_without_alarms_the_ratio_is_infinite_and_has_a_lower_limit():
    found = at_fixed_cut(Confusion(tp=8, fn=2, fp=0, tn=20), Costs(), 0.05)["plr"]
    assert found.value == np.inf
    assert 1 < found.interval[0] < found.interval[1] == np.inf


@pytest.mark.parametrize("target", [None, (0.1, 0.3)])
@pytest.mark.parametrize("n_choices", [0, 2])
@given(counts=tables)
def test_every_known_value_lies_in_its_interval(target, n_choices, counts):
    found = at_fixed_cut(counts, Costs(cost_fn=2.0, target=target), 0.05, n_choices)
    for one in found.values():
        assert (one.value is None) == (one.interval is None)
        if one.value is not None:
            low, high = one.interval
            assert low - 1e-9 <= one.value <= high + 1e-9


def test_patients_who_chose_the_cut_have_bands_and_what_is_made_of_them():
    found = at_fixed_cut(POINT, Costs(), 0.06, 2)
    assert found["sensitivity"].interval == rate_interval(33, 39, 0.06, 2)
    assert found["specificity"].interval == rate_interval(52, 61, 0.06, 2)
    sensitivity, specificity = rate_interval(33, 39, 0.02, 2), rate_interval(52, 61, 0.02, 2)
    ends = []
    for sens, spec, ill in zip(sensitivity, specificity, two_sided(39, 100, 0.02), strict=True):
        ends.append(sens * ill / (sens * ill + (1 - spec) * (1 - ill)))
    assert found["ppv"].interval == pytest.approx(ends)


def test_the_lowest_kappa_of_patients_who_chose_lies_at_a_prevalence_between_the_ends():
    found = at_fixed_cut(Confusion(tp=8, fn=2, fp=1, tn=9), Costs(), 0.06, 2)["kappa"].interval[0]
    rates = rate_interval(8, 10, 0.02, 2)[0], rate_interval(9, 10, 0.02, 2)[0]
    prevalences = np.linspace(*two_sided(10, 20, 0.02), 20_001)
    kappas = quantities(Costs())["kappa"].of_rates(*rates, prevalences)
    assert 0 < kappas.argmin() < 20_000
    assert found == pytest.approx(kappas.min(), abs=1e-5)


@given(counts=tables)
def test_patients_who_chose_the_cut_have_wider_intervals(counts):
    plain, chose = (at_fixed_cut(counts, Costs(), 0.05, n) for n in (0, 1))
    for name in ("sensitivity", "specificity"):
        if plain[name].interval is not None and 0 < plain[name].value < 1:
            widths = [np.ptp(one[name].interval) for one in (plain, chose)]
            assert widths[1] >= min(widths[0], 0.6)
        assert chose[name].method == "at all cuts"


def test_another_prevalence_changes_no_rate():
    quantity = at_prevalence(quantities(Costs())["ppv"], (0.5, 0.5))
    assert quantity.of_counts(8, 2, 1, 9) == pytest.approx(quantity.of_counts(80, 20, 1, 9))


def test_a_cut_was_chosen_by_others_unless_it_is_said():
    assert at_fixed_cut(POINT, Costs(), 0.05) == at_fixed_cut(POINT, Costs(), 0.05, 0)
    assert at_fixed_cut(POINT, Costs(), 0.05) != at_fixed_cut(POINT, Costs(), 0.05, 1)


def test_points_fill_every_quarter_of_the_square_alike():
    points = spread_points(2)
    counts = np.histogram2d(*points, bins=4, range=[[0, 1], [0, 1]])[0]
    assert points.shape == (2, N_POINTS)
    assert np.all((points > 0) & (points < 1))
    assert np.all(np.abs(counts - N_POINTS / 16) <= 3)


def test_every_row_holds_every_level_once_in_any_dimension():
    levels = (np.arange(N_POINTS) + 0.5) / N_POINTS
    points = spread_points(6)
    np.testing.assert_allclose(np.sort(points, axis=1), np.tile(levels, (6, 1)), rtol=1e-12)
    assert spread_points(2) == pytest.approx(points[:2])


@pytest.mark.parametrize(("dimensions", "error"), [(1, 0.0003), (2, 0.002), (3, 0.005)])
def test_tails_of_sums_are_met(dimensions, error):
    weights = np.random.default_rng(0).normal(size=(50, dimensions))
    sums = weights @ ndtri(spread_points(dimensions))
    spread = np.linalg.norm(weights, axis=1)
    for total, scale in zip(sums, spread, strict=True):
        ends = np.array(tails(total, total, 0.05)) / scale
        np.testing.assert_allclose(ndtr(ends), [0.025, 0.975], atol=error)


def test_the_rates_are_quantiles_of_the_limits():
    level = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(low_rate(3, 7, level), beta.ppf(level, 3, 8), rtol=1e-12)
    np.testing.assert_allclose(high_rate(3, 7, level), beta.ppf(level, 4, 7), rtol=1e-12)
    np.testing.assert_allclose(low_rate(1, 7, level), beta.ppf(level, 1, 8), rtol=1e-12)
    np.testing.assert_allclose(high_rate(3, 1, level), beta.ppf(level, 4, 1), rtol=1e-12)


def test_nothing_counted_has_no_lower_limit_and_everything_no_upper_one():
    level = np.array([0.025, 0.975])
    assert low_rate(0, 10, level).tolist() == [0, 0]
    assert high_rate(10, 0, level).tolist() == [1, 1]
    assert low_rate(np.array([0, 5]), np.array([5, 0]), level)[1] > 0.9


@given(count=st.integers(0, 30), others=st.integers(0, 30))
def test_a_single_rate_gets_its_clopper_pearson_interval(count, others):
    points = spread_points(1)[0]
    low, high = tails(low_rate(count, others, points), high_rate(count, others, points), 0.05)
    exact = [0.0 if count == 0 else beta.ppf(0.025, count, others + 1)]
    exact.append(1.0 if others == 0 else beta.ppf(0.975, count + 1, others))
    assert (low, high) == pytest.approx(exact, abs=2e-3)


def test_an_infinite_value_stays_infinite():
    values = np.array([1.0, 2.0, np.inf, np.inf])
    assert tails(values, values, 0.5) == (1.0, np.inf)
