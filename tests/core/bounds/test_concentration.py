import math

import pytest
from scipy.stats import beta, binom, binomtest

from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.bounds.concentration import (
    BOUNDS,
    BoundInfo,
    _entropy_limit,
    allowed_bounds,
    bentkus,
    buehler,
    choose_bound,
    class_wise,
    class_wise_dkw,
    clopper_pearson,
    compression,
    dkw,
    hoeffding,
    lower_risk_limit,
    paper,
    relative_entropy,
)
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.errors import BadOption
from steadycut.show.words.sentences import bound_in_words
from tests.core.cohorts import COSTS

COUNTS = [
    Confusion(tp=6, fn=2, fp=3, tn=9),
    Confusion(tp=0, fn=1, fp=0, tn=99),
    Confusion(tp=20, fn=0, fp=0, tn=26),
]
DELTAS = [0.01, 0.1, 0.2]
# The tightest first.
SPLIT = ["clopper-pearson", "buehler", "bentkus", "hoeffding", "dkw", "paper", "betting"]
UNIFORM = ["scan", "compression", "dkw", "paper"]


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


def entropy_between(p, q):
    """Relative entropy of two coins, with 0 log 0 = 0."""
    parts = [(p, q), (1 - p, 1 - q)]
    return sum(a * math.log(a / b) for a, b in parts if a > 0)


def bentkus_p_value(mean, n, level):
    """The smaller of Hoeffding's bound in relative entropy and of Bentkus', on the lower tail."""
    hoeffdings = math.exp(-n * entropy_between(mean, level)) if mean < level else 1.0
    bentkuss = math.e * binom.cdf(math.ceil(round(n * mean, 9)), n, level)
    return min(hoeffdings, bentkuss)


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("delta", DELTAS)
def test_bentkus_is_where_its_p_value_passes_delta(counts, costs, delta):
    n, largest = counts.n_patients, max(costs.cost_fn, costs.cost_fp)
    mean = counts.risk(costs) / largest
    limit = mean + bentkus(counts, costs, delta) / largest
    assert bentkus_p_value(mean, n, limit * (1 + 1e-9)) <= delta
    assert bentkus_p_value(mean, n, limit * (1 - 1e-9)) > delta


def test_bentkus_is_the_dearer_cost_when_every_patient_is_such_an_error():
    counts, costs = Confusion(tp=0, fn=4, fp=0, tn=0), Costs(cost_fn=3.0)
    assert counts.risk(costs) + bentkus(counts, costs, 0.1) == 3.0


def test_bentkus_at_so_small_a_delta_that_nothing_is_excluded():
    counts = Confusion(tp=1, fn=0, fp=1, tn=0)
    assert counts.risk(Costs()) + bentkus(counts, Costs(), 1e-14) == pytest.approx(1.0, abs=1e-6)


def test_relative_entropy_by_hand():
    expected = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)
    assert relative_entropy(0.25, 0.5) == pytest.approx(expected, abs=1e-12)
    assert relative_entropy(0.0, 0.5) == pytest.approx(math.log(2), abs=1e-12)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("costs", "exact"), [(Costs(), clopper_pearson), (COSTS[1], buehler)])
def test_compression_is_the_exact_limit_of_the_others_at_a_share_of_delta(delta, costs, exact):
    """Twenty patients: the exact limit from nineteen, at delta / 22, with the same errors."""
    counts, others = Confusion(tp=6, fn=2, fp=3, tn=9), Confusion(tp=5, fn=2, fp=3, tn=9)
    limit = others.risk(costs) + exact(others, costs, delta / 22)
    found = counts.risk(costs) + compression(counts, costs, delta)
    assert found == pytest.approx(limit, abs=1e-12)


def test_compression_leaves_out_a_patient_without_an_error_whoever_is_left():
    counts = Confusion(tp=0, fn=2, fp=3, tn=9)
    limit = beta.ppf(1 - 0.1 / 16, 6, 8)
    assert counts.risk(Costs()) + compression(counts, Costs(), 0.1) == pytest.approx(limit)


@pytest.mark.parametrize(
    "counts",
    [
        Confusion(tp=0, fn=0, fp=0, tn=1),
        Confusion(tp=0, fn=1, fp=0, tn=0),
        Confusion(tp=0, fn=3, fp=2, tn=0),
    ],
)
def test_compression_says_nothing_of_one_patient_or_of_errors_alone(counts):
    assert counts.risk(Costs()) + compression(counts, Costs(), 0.1) == 1.0


@pytest.mark.parametrize("alarms", [1, 3])
def test_compression_leaves_out_an_alarm_where_nobody_is_right(alarms):
    costs = Costs(cost_fn=3.0)
    counts, others = (Confusion(tp=0, fn=2, fp=n, tn=0) for n in (alarms, alarms - 1))
    limit = buehler_limit(others, costs, 0.1 / (alarms + 4))
    assert counts.risk(costs) + compression(counts, costs, 0.1) == pytest.approx(limit, abs=1e-12)


def test_compression_leaves_out_nobody_where_all_are_missed():
    """Nobody is called, and the cut is no patient's: call-nobody, at its share of delta."""
    counts, costs = Confusion(tp=0, fn=2, fp=0, tn=0), Costs(cost_fp=3.0)
    limit = buehler_limit(counts, costs, 0.1 / 4)
    assert counts.risk(costs) + compression(counts, costs, 0.1) == pytest.approx(limit, abs=1e-12)


@pytest.mark.parametrize(("mean", "n"), [(0.0, 10), (0.1, 50), (0.5, 7), (0.97, 400)])
def test_the_entropy_limit_is_where_the_entropy_uses_delta_up(mean, n):
    limit = _entropy_limit(mean, n, 0.1)
    assert n * relative_entropy(mean, limit) == pytest.approx(math.log(10), rel=1e-9)
    assert limit > mean


@pytest.mark.parametrize(("mean", "n"), [(1.0, 10), (0.99, 3)])
def test_the_entropy_limit_is_all_where_nothing_is_excluded(mean, n):
    assert _entropy_limit(mean, n, 0.1) == 1.0


def test_compression_at_the_size_that_the_design_measured():
    """About 0.13 at 92 patients and 10 % error, where dkw adds 0.26."""
    counts = Confusion(tp=42, fn=4, fp=5, tn=41)
    assert compression(counts, Costs(), 0.1) == pytest.approx(0.13, abs=0.01)
    assert dkw(counts, Costs(), 0.1) == pytest.approx(0.26, abs=0.01)


@pytest.mark.parametrize("counts", [*COUNTS, Confusion(tp=0, fn=3, fp=2, tn=0)])
@pytest.mark.parametrize("delta", DELTAS)
def test_the_lower_limit_for_equal_costs_agrees_with_scipys_exact_one(counts, delta):
    errors, n = counts.fn + counts.fp, counts.n_patients
    costs = Costs(cost_fn=2.5, cost_fp=2.5)
    test = binomtest(errors, n, alternative="greater")
    exact = test.proportion_ci(1 - delta, method="exact").low
    assert lower_risk_limit(counts, costs, delta) == pytest.approx(2.5 * exact, abs=1e-12)


@pytest.mark.parametrize("counts", [*COUNTS, Confusion(tp=0, fn=300, fp=100, tn=0)])
@pytest.mark.parametrize("delta", DELTAS)
def test_the_lower_limit_for_unequal_costs_mirrors_bentkus(counts, delta):
    """What the losses leave of the dearer cost has an upper limit: where its p-value is delta."""
    n, costs = counts.n_patients, Costs(cost_fn=3.0)
    left = 1 - counts.risk(costs) / 3.0
    upper = 1 - lower_risk_limit(counts, costs, delta) / 3.0
    assert 0 <= upper <= 1
    assert upper == 1 or bentkus_p_value(left, n, min(upper * (1 + 1e-9), 1.0)) <= delta
    assert bentkus_p_value(left, n, upper * (1 - 1e-9)) > delta


@pytest.mark.parametrize(
    ("n", "by_paper", "by_dkw", "by_hoeffding"),
    [(46, 0.720, 0.361, 0.158), (100, 0.489, 0.245, 0.107), (500, 0.218, 0.109, 0.048)],
)
def test_bounds_are_what_the_design_measured(n, by_paper, by_dkw, by_hoeffding):
    """At delta 0.10, equal costs and prevalence one half."""
    counts = Confusion(tp=n // 2, fn=0, fp=0, tn=n // 2)
    found = [bound(counts, Costs(), 0.1) for bound in (paper, dkw, hoeffding)]
    assert found == pytest.approx([by_paper, by_dkw, by_hoeffding], abs=1e-3)


@pytest.mark.parametrize("name", SPLIT + UNIFORM[:1])
def test_a_smaller_delta_never_gives_a_smaller_bound(name):
    # Of few patients with many errors the scan computes no limit.
    counts, costs = COUNTS[name == "scan"], Costs()
    values = [BOUNDS[name].compute(counts, costs, delta) for delta in (0.2, 0.1, 0.01, 0.001)]
    assert values == sorted(values)


@pytest.mark.parametrize(
    ("costs", "honesty", "allowed"),
    [
        (Costs(), "split", SPLIT),
        (
            Costs(cost_fn=2.0, cost_fp=2.0),
            "split",
            SPLIT,
        ),
        (Costs(cost_fn=3.0), "split", SPLIT[1:]),
        (Costs(), "uniform", UNIFORM),
        (Costs(cost_fn=3.0), "uniform", UNIFORM),
    ],
)
def test_auto_is_the_tightest_bound_that_holds(costs, honesty, allowed):
    assert allowed_bounds(costs, honesty) == allowed
    assert choose_bound("auto", costs, honesty) == allowed[0]
    assert [choose_bound(name, costs, honesty) for name in allowed] == allowed


@pytest.mark.parametrize("name", [*SPLIT[:4], "betting"])
def test_a_pointwise_bound_is_refused_in_uniform_honesty(name):
    with pytest.raises(BadOption) as caught:
        choose_bound(name, Costs(), "uniform")
    told = str(caught.value)
    allowed = "auto, scan, compression, dkw, paper with honesty 'uniform' with equal costs"
    assert told == f"bound must be one of {allowed}; got {name!r}."


def test_clopper_pearson_is_refused_for_unequal_costs():
    with pytest.raises(BadOption) as caught:
        choose_bound("clopper-pearson", Costs(cost_fn=3.0), "split")
    told = str(caught.value)
    allowed = "auto, buehler, bentkus, hoeffding, dkw, paper, betting"
    assert told.startswith(f"bound must be one of {allowed} with honesty 'split'")
    assert "unequal costs" in told


def test_a_misspelt_bound_is_answered_with_the_one_that_was_meant():
    with pytest.raises(BadOption, match=r"got 'hoefding'\. Did you mean 'hoeffding'\?$"):
        choose_bound("hoefding", Costs(), "split")
    with pytest.raises(BadOption, match=r"got 3\.$"):
        choose_bound(3, Costs(), "split")
    # A bound that does not hold here was not misspelt.
    with pytest.raises(BadOption, match=r"got 'class-wise'\.$"):
        choose_bound("class-wise", Costs(target=(0.2, 0.4)), "uniform")


def test_at_a_target_one_patient_of_each_class_has_the_widest_band():
    counts, costs = Confusion(tp=0, fn=1, fp=0, tn=1), Costs(cost_fn=3.0, target=(0.5, 0.5))
    width = math.sqrt(math.log(20) / 2)
    found = counts.risk(costs) + class_wise_dkw(counts, costs, 0.1)
    assert found == pytest.approx(3 * 0.5 * (1 + width) + 0.5 * width)


def test_other_bounds_are_refused_at_a_target_prevalence():
    with pytest.raises(BadOption, match=r"at a target prevalence.* got 'hoeffding'"):
        choose_bound("hoeffding", Costs(target=(0.2, 0.4)), "split")


def test_compression_is_refused_where_other_patients_chose():
    with pytest.raises(BadOption, match=r"got 'compression'\."):
        choose_bound("compression", Costs(), "split")


@pytest.mark.parametrize("target", [(0.1, 0.1), (0.05, 0.3), (0.4, 0.9)])
def test_at_a_target_each_class_has_an_exact_limit(target):
    counts, costs = Confusion(tp=17, fn=3, fp=5, tn=35), Costs(cost_fn=3.0, target=target)
    miss, alarm = beta.ppf(0.95, 4, 17), beta.ppf(0.95, 6, 35)
    expected = max(3.0 * p * miss + (1 - p) * alarm for p in target)
    found = counts.risk(costs) + class_wise(counts, costs, 0.1)
    assert found == pytest.approx(expected, abs=1e-9)
    low = [beta.ppf(0.05, 3, 18), beta.ppf(0.05, 5, 36)]
    lowest = max(3.0 * p * low[0] + (1 - p) * low[1] for p in target)
    assert lower_risk_limit(counts, costs, 0.1) == pytest.approx(lowest, abs=1e-9)
    e1, e0 = (math.sqrt(math.log(2 / 0.1) / (2 * n)) for n in (20, 40))
    uniform = max(3.0 * p * e1 + (1 - p) * e0 for p in target)
    assert class_wise_dkw(counts, costs, 0.1) == pytest.approx(uniform, abs=1e-12)


def test_at_a_target_risk_and_margin_are_taken_at_the_same_end():
    """Nobody is missed, so that fewer ill are worse; the margin alone is larger where many are."""
    counts, costs = Confusion(tp=5, fn=0, fp=30, tn=10), Costs(target=(0.2, 0.8))
    e1, e0 = (math.sqrt(math.log(2 / 0.1) / (2 * n)) for n in (5, 40))
    expected = max(p * e1 + (1 - p) * (0.75 + e0) for p in (0.2, 0.8))
    found = counts.risk(costs) + class_wise_dkw(counts, costs, 0.1)
    assert found == pytest.approx(expected, abs=1e-12)
    assert found < counts.risk(costs) + max(p * e1 + (1 - p) * e0 for p in (0.2, 0.8))


def test_of_a_class_without_patients_nothing_is_known():
    counts, costs = Confusion(tp=0, fn=0, fp=4, tn=36), Costs(cost_fn=2.0, target=(0.3, 0.3))
    alarm = 0.1 + math.sqrt(math.log(20) / 80)
    uniform = counts.risk(costs) + class_wise_dkw(counts, costs, 0.1)
    assert uniform == pytest.approx(0.6 + 0.7 * alarm, abs=1e-12)
    exact = counts.risk(costs) + class_wise(counts, costs, 0.1)
    assert exact == pytest.approx(0.6 + 0.7 * beta.ppf(0.95, 5, 36), abs=1e-9)


def test_at_a_target_only_class_wise_bounds_are_allowed():
    costs = Costs(target=(0.1, 0.1))
    assert allowed_bounds(costs, "split") == ["class-wise", "class-wise-dkw"]
    assert allowed_bounds(costs, "uniform") == ["class-wise-dkw"]
    assert "class-wise" not in allowed_bounds(Costs(), "split")


def test_a_new_bound_is_one_entry_of_the_registry(monkeypatch):
    """It is allowed, certifies and has its words; ``auto`` still takes the first."""
    new = BoundInfo(compute=lambda counts, costs, delta: 0.5, words="one half")
    monkeypatch.setitem(BOUNDS, "half", new)
    assert allowed_bounds(Costs(), "split")[-1] == "half"
    found = certificate_of(COUNTS[0], Costs(), 0.1, bound="half")
    assert found.value == COUNTS[0].risk(Costs()) + 0.5
    assert bound_in_words("half") == "half (one half)"
    assert choose_bound("auto", Costs(), "split") == "clopper-pearson"
    with pytest.raises(BadOption, match="got 'half'"):
        choose_bound("half", Costs(), "uniform")
