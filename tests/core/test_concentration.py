import math

import pytest
from scipy.stats import beta, binomtest

from steadycut.core.concentration import (
    BOUNDS,
    allowed_bounds,
    choose_bound,
    clopper_pearson,
    dkw,
    hoeffding,
    lower_limit,
    paper,
)
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.errors import BadOption
from tests.core.cohorts import COSTS

COUNTS = [
    Confusion(tp=6, fn=2, fp=3, tn=9),
    Confusion(tp=0, fn=1, fp=0, tn=99),
    Confusion(tp=20, fn=0, fp=0, tn=26),
]
DELTAS = [0.01, 0.1, 0.2]
# The tightest first.
EVERY = ["clopper-pearson", "buehler", "hoeffding", "dkw", "paper"]


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("delta", DELTAS)
def test_paper_is_dkw_in_both_classes_and_hoeffding_for_the_prevalence(counts, costs, delta):
    n, n1, n0 = counts.n_patients, counts.tp + counts.fn, counts.fp + counts.tn
    e1, e0, ep = (math.sqrt(math.log(6 / delta) / (2 * k)) for k in (n1, n0, n))
    expected = costs.cost_fn * n1 / n * e1 + costs.cost_fp * n0 / n * e0
    expected += (costs.cost_fn + costs.cost_fp) * ep
    assert paper(counts, costs, delta) == pytest.approx(expected, abs=1e-12)


def test_paper_is_safe_at_an_empty_class():
    root = math.sqrt(math.log(60) / 2)
    counts = Confusion(tp=0, fn=0, fp=5, tn=20)
    assert paper(counts, Costs(), 0.1) == pytest.approx(root * (1 / 5 + 2 / 5), abs=1e-12)


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("delta", DELTAS)
def test_dkw_is_two_one_sided_bands_at_half_delta(counts, costs, delta):
    band = math.sqrt(math.log(1 / (delta / 2)) / (2 * counts.n_patients))
    expected = costs.cost_fn * band + costs.cost_fp * band
    assert dkw(counts, costs, delta) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("delta", DELTAS)
def test_hoeffding_takes_the_dearer_error_as_range(counts, costs, delta):
    root = math.sqrt(math.log(1 / delta) / (2 * counts.n_patients))
    expected = max(costs.cost_fn, costs.cost_fp) * root
    assert hoeffding(counts, costs, delta) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("cost", [1.0, 2.5])
@pytest.mark.parametrize("delta", DELTAS)
def test_clopper_pearson_agrees_with_scipys_exact_limit(counts, cost, delta):
    errors, n = counts.fn + counts.fp, counts.n_patients
    costs = Costs(cost_fn=cost, cost_fp=cost)
    value = counts.risk(costs) + clopper_pearson(counts, costs, delta)
    exact = binomtest(errors, n, alternative="less").proportion_ci(1 - delta, method="exact").high
    assert value == pytest.approx(cost * exact, abs=1e-12)
    assert value == pytest.approx(cost * beta.ppf(1 - delta, errors + 1, n - errors), abs=1e-12)


def test_clopper_pearson_is_1_when_every_patient_is_an_error():
    counts = Confusion(tp=0, fn=3, fp=2, tn=0)
    assert counts.risk(Costs()) + clopper_pearson(counts, Costs(), 0.1) == 1.0


@pytest.mark.parametrize("counts", [*COUNTS, Confusion(tp=0, fn=3, fp=2, tn=0)])
@pytest.mark.parametrize("delta", DELTAS)
def test_the_lower_limit_for_equal_costs_agrees_with_scipys_exact_one(counts, delta):
    errors, n = counts.fn + counts.fp, counts.n_patients
    costs = Costs(cost_fn=2.5, cost_fp=2.5)
    test = binomtest(errors, n, alternative="greater")
    exact = test.proportion_ci(1 - delta, method="exact").low
    assert lower_limit(counts, costs, delta) == pytest.approx(2.5 * exact, abs=1e-12)


@pytest.mark.parametrize("counts", COUNTS)
def test_the_lower_limit_for_unequal_costs_is_hoeffdings_and_not_below_0(counts):
    costs = Costs(cost_fn=3.0)
    risk = (3.0 * counts.fn + counts.fp) / counts.n_patients
    below = risk - 3.0 * math.sqrt(math.log(10) / (2 * counts.n_patients))
    assert lower_limit(counts, costs, 0.1) == pytest.approx(max(below, 0.0), abs=1e-12)


def test_the_lower_limit_for_unequal_costs_can_lie_above_0():
    counts = Confusion(tp=0, fn=300, fp=100, tn=0)
    expected = 2.5 - 3.0 * math.sqrt(math.log(10) / 800)
    assert lower_limit(counts, Costs(cost_fn=3.0), 0.1) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "by_paper", "by_dkw", "by_hoeffding"),
    [(46, 0.720, 0.361, 0.158), (100, 0.489, 0.245, 0.107), (500, 0.218, 0.109, 0.048)],
)
def test_bounds_are_what_the_design_measured(n, by_paper, by_dkw, by_hoeffding):
    """At delta 0.10, equal costs and prevalence one half."""
    counts = Confusion(tp=n // 2, fn=0, fp=0, tn=n // 2)
    found = [bound(counts, Costs(), 0.1) for bound in (paper, dkw, hoeffding)]
    assert found == pytest.approx([by_paper, by_dkw, by_hoeffding], abs=1e-3)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_smaller_delta_never_gives_a_smaller_bound(name):
    counts, costs = COUNTS[0], Costs()
    values = [BOUNDS[name].compute(counts, costs, delta) for delta in (0.2, 0.1, 0.01, 0.001)]
    assert values == sorted(values)


@pytest.mark.parametrize(
    ("costs", "honesty", "allowed"),
    [
        (Costs(), "split", EVERY),
        (
            Costs(cost_fn=2.0, cost_fp=2.0),
            "split",
            EVERY,
        ),
        (Costs(cost_fn=3.0), "split", EVERY[1:]),
        (Costs(), "uniform", EVERY[3:]),
        (Costs(cost_fn=3.0), "uniform", EVERY[3:]),
    ],
)
def test_auto_is_the_tightest_bound_that_holds(costs, honesty, allowed):
    assert allowed_bounds(costs, honesty) == allowed
    assert choose_bound("auto", costs, honesty) == allowed[0]
    assert [choose_bound(name, costs, honesty) for name in allowed] == allowed


def test_a_pointwise_bound_is_refused_in_uniform_honesty():
    with pytest.raises(BadOption) as caught:
        choose_bound("clopper-pearson", Costs(), "uniform")
    assert str(caught.value) == (
        "bound must be one of auto, dkw, paper with honesty 'uniform' and equal costs; "
        "got 'clopper-pearson'."
    )


def test_clopper_pearson_is_refused_for_unequal_costs():
    with pytest.raises(BadOption) as caught:
        choose_bound("clopper-pearson", Costs(cost_fn=3.0), "split")
    assert str(caught.value) == (
        "bound must be one of auto, buehler, hoeffding, dkw, paper with honesty 'split' and "
        "unequal costs; got 'clopper-pearson'."
    )
