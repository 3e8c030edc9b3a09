import numpy as np
import pytest

from steadycut.core.bounds.betting import betting_limit
from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.bounds.concentration import lower_risk_limit
from steadycut.core.certify import certify
from steadycut.core.confusion import Confusion, count_decisions
from steadycut.core.records import Costs
from steadycut.core.strata.certify import (
    certify_boundaries,
    certify_cost,
    choose_loss_bound,
    lowest_cost,
)
from steadycut.core.strata.costs import CostMatrix
from steadycut.documents.strata import RatePart
from steadycut.errors import BadOption
from tests.core.strata_cohorts import GREY, SEEDS, SQUARE


def random_strata(seed, n=40, n_strata=3, n_grades=3):
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, n_grades, n)
    return np.clip(grades + rng.integers(-1, 2, n), 0, n_strata - 1), grades


@pytest.mark.parametrize("seed", SEEDS)
def test_rates_at_every_boundary_agree_with_counting(seed):
    strata, grades = random_strata(seed)
    for k, found in enumerate(
        certify_boundaries(count_decisions(grades, strata, (3, 3)), SQUARE, 0.1)
    ):
        pairs = list(zip(strata, grades, strict=True))
        # At the first boundary grade 0 belongs below, at the second grades 0 and 1.
        above = [stratum for stratum, grade in pairs if grade > k]
        below = [stratum for stratum, grade in pairs if grade <= k]
        misses, alarms = sum(s <= k for s in above), sum(s > k for s in below)
        assert (found.miss.errors, found.miss.n_patients) == (misses, len(above))
        assert (found.alarm.errors, found.alarm.n_patients) == (alarms, len(below))
        assert found.delta == pytest.approx(0.025)
        assert found.miss.limit == upper_limit(misses, len(above), found.delta)
        assert found.alarm.limit == upper_limit(alarms, len(below), found.delta)
        assert found.miss.rate == pytest.approx(misses / len(above))


def test_a_grade_to_which_a_boundary_makes_no_difference_counts_in_neither_rate():
    costs = CostMatrix([[0, 1], [1, 1], [2, 0]])
    (found,) = certify_boundaries(np.array([[1, 0], [0, 2], [1, 0]]), costs, 0.1)
    assert (found.miss.n_patients, found.alarm.n_patients) == (1, 1)


def test_without_patients_the_limit_is_1_and_the_rate_unknown():
    (first, _) = certify_boundaries(np.array([[1, 1, 0], [0, 0, 0], [0, 0, 0]]), SQUARE, 0.1)
    assert RatePart.of(first.miss).to_plain() == {
        "errors": 0,
        "n_patients": 0,
        "rate": None,
        "limit": 1.0,
    }


@pytest.mark.parametrize("bound", ["betting", "bentkus", "hoeffding"])
def test_the_cost_is_bounded_from_the_losses(bound):
    strata, grades = random_strata(3)
    found = certify_cost(strata, grades, SQUARE, 0.1, bound)
    losses = [SQUARE.values[grade, stratum] for stratum, grade in zip(strata, grades, strict=True)]
    assert found.risk == pytest.approx(np.mean(losses))
    assert found.risk < found.value <= 5
    assert (found.honesty, found.n_patients, found.delta) == ("split", 40, 0.1)
    assert found.trivial_risk == pytest.approx(
        min(np.mean([SQUARE.values[grade, k] for grade in grades]) for k in range(3))
    )
    if bound == "betting":
        assert found.value == pytest.approx(5 * betting_limit(np.array(losses) / 5, 0.1))
    if bound == "hoeffding":
        assert found.value == pytest.approx(found.risk + 5 * np.sqrt(np.log(10) / 80))


def test_no_cost_is_certified_beyond_the_dearest():
    strata, grades = np.array([0, 0, 0]), np.array([2, 2, 2])
    for bound in ("betting", "bentkus", "hoeffding"):
        assert certify_cost(strata, grades, SQUARE, 0.1, bound).value == SQUARE.values.max()


def test_costs_that_do_not_begin_at_0_are_shifted():
    shifted = CostMatrix(SQUARE.values + 2)
    strata, grades = random_strata(5)
    plain, moved = (certify_cost(strata, grades, costs, 0.1) for costs in (SQUARE, shifted))
    assert moved.value == pytest.approx(plain.value + 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_boundary_of_equal_costs_has_the_exact_certificate_of_one_cut_off(seed):
    rng = np.random.default_rng(seed)
    scores, grades = rng.normal(size=30), rng.integers(0, 2, 30)
    matrix = CostMatrix([[0, 2], [2, 0]])
    found = certify_cost((scores >= 0.2).astype(int), grades, matrix, 0.1)
    plain = certify(scores, grades, 0.2, cost_fn=2, cost_fp=2)
    assert (found.bound, found.risk) == (plain.bound, pytest.approx(plain.risk))
    assert found.value == pytest.approx(plain.value)


def test_one_boundary_of_unequal_costs_is_bounded_as_one_cut_off():
    strata, grades = np.array([0, 0, 1, 1] * 9), np.array([0, 1, 1, 0] * 9)
    matrix, counts = CostMatrix([[0, 1], [3, 0]]), Confusion(tp=9, fn=9, fp=9, tn=9)
    assert certify_cost(strata, grades, matrix, 0.1).bound == "buehler"
    costs = Costs(cost_fn=3)
    assert lowest_cost(strata, grades, matrix, 0.1) == lower_risk_limit(counts, costs, 0.1)
    shifted = CostMatrix(matrix.values + 1)
    assert certify_cost(strata, grades, shifted, 0.1).bound == "betting"
    assert CostMatrix([[0, 1], [1e9, 0]]).of_one_cut_off is None


def test_the_bound_is_settled_by_the_costs():
    assert choose_loss_bound("auto", CostMatrix([[0, 2], [2, 0]])) == "clopper-pearson"
    wrong = CostMatrix(1 - np.eye(3))
    assert choose_loss_bound("auto", wrong) == "clopper-pearson"
    found = certify_cost(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2]), wrong, 0.1)
    assert found.value == pytest.approx(upper_limit(1, 4, 0.1))
    assert choose_loss_bound("auto", GREY) == "betting"
    assert choose_loss_bound("auto", GREY, 10_000) == "bentkus"
    assert choose_loss_bound("bentkus", GREY) == "bentkus"
    with pytest.raises(BadOption, match="two values"):
        choose_loss_bound("clopper-pearson", GREY)
    with pytest.raises(BadOption, match="bound must be one of auto"):
        choose_loss_bound("dkw", GREY)


def test_with_very_many_patients_the_lowest_cost_is_bounded_as_the_highest_is(monkeypatch):
    monkeypatch.setattr("steadycut.core.strata.certify.MANY_BETS", 40)
    strata, grades = random_strata(3)
    found = lowest_cost(strata, grades, SQUARE, 0.1)
    assert found == lowest_cost(strata, grades, SQUARE, 0.1, "bentkus")
    assert found != lowest_cost(strata, grades, SQUARE, 0.1, "betting")
    assert certify_cost(strata, grades, SQUARE, 0.1).bound == "bentkus"


@pytest.mark.parametrize("bound", ["betting", "bentkus", "hoeffding"])
def test_the_lowest_cost_is_the_highest_of_what_is_left(bound):
    """Turn every cost C into 7 - C: what bounds one from above bounds the other from below."""
    strata, grades = random_strata(5)
    turned = CostMatrix(7 - SQUARE.values[::-1])
    found = certify_cost(strata, 2 - grades, turned, 0.1, bound).value
    assert lowest_cost(strata, grades, SQUARE, 0.1, bound) == pytest.approx(7 - found)
