"""Plans: by hand, against a scan over all numbers of patients, and what they must keep."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from steadycut.core.bounds.concentration import BOUNDS, allowed_bounds
from steadycut.core.confusion import Confusion
from steadycut.core.planning.certificates import (
    Setting,
    _prevalence,
    certificate_for,
    error_counts,
    patients_for,
    pooling_of,
    possible_shares,
    with_share,
)
from steadycut.core.records import Costs
from steadycut.core.split import split_patients
from steadycut.errors import BadOption

UNEQUAL = Costs(cost_fn=3.0)
CHEAP = ["bentkus", "hoeffding", "dkw", "paper"]


def is_enough(n, risk, width, delta=0.1):
    errors = math.ceil(risk * n - 1e-9)
    upper = 1.0 if errors == n else beta.isf(delta, errors + 1, n - errors)
    return upper <= risk + width + 1e-9


@pytest.mark.parametrize(
    ("risk", "width"), [(0.1, 0.05), (0.0, 0.05), (0.25, 0.1), (0.07, 0.2), (0.45, 0.5)]
)
def test_clopper_pearson_against_a_scan(risk, width):
    """The number is enough, so is every larger one, and the one before it is not."""
    n = patients_for("clopper-pearson", risk, width, Setting()).n_certify
    assert all(is_enough(more, risk, width) for more in range(n, 3 * n + 200))
    assert n == 1 or not is_enough(n - 1, risk, width)


@pytest.mark.parametrize("name", CHEAP)
@pytest.mark.parametrize("width", [0.5, 0.2])
@pytest.mark.parametrize("limited", [{}, {"prevalence": 0.05}, {"share": 0.5}, {"share": 0.37}])
def test_unequal_costs_against_a_scan(name, limited, width):
    setting, risk = Setting(costs=UNEQUAL, **limited), 0.3

    def value(n):
        several = [error_counts(n, risk, s, setting) for s in possible_shares(risk, setting)]
        terms = [BOUNDS[name].compute(counts, UNEQUAL, 0.1) for counts in several]
        return max(c.risk(UNEQUAL) + term for c, term in zip(several, terms, strict=True))

    row = patients_for(name, risk, width, setting)
    assert row.value == pytest.approx(value(row.n_certify))
    assert row.value <= risk + width + 1e-8
    assert value(row.n_certify - 1) > risk + width
    assert all(value(n) <= risk + width + 1e-8 for n in range(row.n_certify, row.n_certify + 100))


@pytest.mark.parametrize(
    ("cost_fn", "risk", "width", "share"),
    [(4, 1.0, 0.8, 0.0), (2, 0.5, 0.3, 0.0), (2, 0.5, 0.3, 0.1), (10, 1.0, 0.8, 0.0)],
)
def test_bentkus_is_enough_for_every_larger_number_where_most_errors_are_the_cheaper_ones(
    cost_fn, risk, width, share
):
    """It rounds their cost up to whole numbers of the more expensive error, now more, now less."""
    setting = Setting(costs=Costs(cost_fn=cost_fn), share=share)
    n = patients_for("bentkus", risk, width, setting).n_certify
    values = [certificate_for("bentkus", risk, m, setting).value for m in range(n - 1, n + 60)]
    assert [value <= risk + width + 1e-8 for value in values] == [False] + [True] * 60


def test_one_patient_may_be_enough():
    """Without an error the limit is 0.9; with one it is 1, which a risk of 0.5 + 0.5 allows."""
    for risk, width in ((0.0, 0.9), (0.0, 0.95), (0.5, 0.5)):
        row = patients_for("clopper-pearson", risk, width, Setting())
        assert (row.n_certify, row.n_total) == (1, 2)
    assert patients_for("clopper-pearson", 0.0, 0.89, Setting()).n_certify == 2


def test_without_errors_by_hand():
    """(1 - 0.05)^n <= 0.1 from n = 45 on."""
    row = patients_for("clopper-pearson", 0.0, 0.05, Setting())
    assert (row.n_certify, row.n_total, row.misses, row.alarms) == (45, 90, 0, 0)
    assert row.value == pytest.approx(1 - 0.1 ** (1 / 45))
    # Hoeffding: log(10) / (2 * 0.005^2) = 46,051.7.
    assert patients_for("hoeffding", 0.0, 0.005, Setting()).n_certify == 46_052


def test_the_values_of_the_design():
    """46 certify patients at 10 % error, rounded up to five errors; 100 with ten."""
    assert certificate_for("hoeffding", 0.1, 46, Setting()).generalization == pytest.approx(
        np.sqrt(np.log(10) / 92)
    )
    row = certificate_for("clopper-pearson", 0.1, 100, Setting())
    assert row.value == pytest.approx(beta.isf(0.1, 11, 90))


@pytest.mark.parametrize("size", [0.5, 0.3, 0.9])
@pytest.mark.parametrize("n", [1, 2, 7, 46, 133])
def test_all_patients_are_split_as_a_study_does(n, size):
    setting = Setting(certify_size=size)
    total = setting.n_total(n)
    for n_total in range(2, total + 3):
        dealt = split_patients(n_total, size, np.random.default_rng(0)).certify.size
        assert setting.n_certify(n_total) == dealt
        assert (dealt >= n) == (n_total >= total)
    assert Setting(honesty="uniform").n_total(n) == Setting(honesty="uniform").n_certify(n) == n


@given(
    st.integers(1, 5000),
    st.floats(0, 0.99),
    st.floats(0, 1),
    st.sampled_from([Costs(cost_fn=0.5), Costs(), UNEQUAL, Costs(cost_fp=4.0)]),
    st.one_of(st.none(), st.floats(0.05, 0.95)),
)
def test_errors_are_whole_and_cover_the_risk(n, risk, share, costs, prevalence):
    setting = Setting(costs=costs, prevalence=prevalence)
    counts = error_counts(n, risk, share, setting)
    assert min(counts.tp, counts.fn, counts.fp, counts.tn) >= 0
    assert counts.n_patients == n
    if counts.fn + counts.fp < n:
        # Rounded up, by less than one error of either kind.
        more = (costs.cost_fn + costs.cost_fp) / n
        assert risk - 1e-6 <= counts.risk(costs) < risk + more + 1e-6


def test_equal_costs_are_shared_out():
    """A risk of 0.4 at 2 an error is an error in five."""
    counts = error_counts(50, 0.4, 0.5, Setting(costs=Costs(cost_fn=2.0, cost_fp=2.0)))
    assert (counts.fn, counts.fp) == (5, 5)


def test_a_float_a_hair_above_a_whole_number_is_whole():
    assert 0.1 * 3 * 10 > 3
    counts = error_counts(30, 0.1, 0.0, Setting())
    assert counts.fp == 3


def test_one_patient_has_one_error_at_most():
    counts = error_counts(1, 0.3, 0.4, Setting(costs=UNEQUAL))
    assert counts == Confusion(tp=0, fn=1, fp=0, tn=0)


def test_shares_that_the_prevalence_allows():
    setting = Setting(costs=UNEQUAL, prevalence=0.9)
    assert possible_shares(0.5, setting) == pytest.approx([0.8, 1.0])
    assert possible_shares(0.5, Setting(costs=UNEQUAL)) == [0.0, 1.0]
    assert possible_shares(0.0, setting) == [0.0]
    assert possible_shares(0.5, Setting()) == [0.5]
    assert possible_shares(0.5, Setting(prevalence=0.1)) == pytest.approx([0.1])
    # Every decision is wrong: half of the errors are misses.
    assert possible_shares(1.0, Setting(prevalence=0.5)) == [0.5]
    with pytest.raises(BadOption, match=r"a risk of 2\.9 is impossible at prevalence 0\.1"):
        possible_shares(2.9, Setting(costs=UNEQUAL, prevalence=0.1))


def test_the_worse_extreme_is_taken_and_mixtures_lie_between():
    alone = [
        certificate_for("buehler", 0.3, 60, Setting(costs=UNEQUAL, share=share)).value
        for share in (0.0, 0.5, 1.0)
    ]
    assert certificate_for("buehler", 0.3, 60, Setting(costs=UNEQUAL)).value == max(alone)


@settings(max_examples=25)
@given(st.floats(0.01, 0.4), st.floats(0.02, 0.3), st.floats(0.01, 0.2))
def test_a_wider_margin_needs_no_more_patients(risk, width, more):
    narrow = patients_for("clopper-pearson", risk, width, Setting()).n_certify
    assert patients_for("clopper-pearson", risk, width + more, Setting()).n_certify <= narrow


def test_a_search_ends():
    row = patients_for("hoeffding", 0.1, 1e-5, Setting())
    assert (row.n_certify, row.value, row.most) == (None, None, 100_000_000)
    assert (row.bound, row.risk) == ("hoeffding", 0.1)
    assert certificate_for("buehler", 0.1, 20_001, Setting(costs=UNEQUAL)).value is None
    assert pooling_of(row, 10, 0.5, Setting()) is None
    # The last number that is tried, as patients and as rows of patients.
    last = certificate_for("hoeffding", 0.1, 100_000_000, Setting())
    assert last.value == pytest.approx(0.1 + math.sqrt(math.log(10) / 2e8))
    assert certificate_for("hoeffding", 0.1, 100_000_001, Setting()) == row
    tenth = certificate_for("hoeffding", 0.1, 10_000_000, Setting())
    assert pooling_of(tenth, 10, 0.5, Setting()).claimed_generalization == last.generalization


def test_vacuous_needs_a_prevalence():
    assert certificate_for("dkw", 0.1, 46, Setting()).vacuous is None
    assert certificate_for("dkw", 0.1, 46, Setting(prevalence=0.3)).vacuous
    assert not certificate_for("clopper-pearson", 0.1, 46, Setting(prevalence=0.3)).vacuous
    # It must be below the risk of calling nobody, which is the prevalence.
    value = certificate_for("hoeffding", 0.1, 46, Setting()).value
    for prevalence, vacuous in ((value, True), (value + 1e-9, False)):
        row = certificate_for("hoeffding", 0.1, 46, Setting(prevalence=prevalence))
        assert row.vacuous == vacuous


@pytest.mark.parametrize("prevalence", [0.1, 0.4, 0.7])
@pytest.mark.parametrize("costs", [Costs(), UNEQUAL, Costs(cost_fp=4.0)])
def test_the_trivial_risk_is_that_of_calling_nobody_or_everybody(costs, prevalence):
    ill = round(100 * prevalence)
    nobody = Confusion(tp=0, fn=ill, fp=0, tn=100 - ill).risk(costs)
    everybody = Confusion(tp=ill, fn=0, fp=100 - ill, tn=0).risk(costs)
    setting = Setting(costs=costs, prevalence=prevalence)
    assert setting.trivial_risk == pytest.approx(min(nobody, everybody))
    assert Setting(costs=costs).trivial_risk is None


def test_pooling_by_hand():
    row = certificate_for("hoeffding", 0.1, 60, Setting())
    pooled = pooling_of(row, instances=50, icc=0.5, setting=Setting())
    assert pooled.design_effect == 25.5
    assert pooled.effective_rows == pytest.approx(3000 / 25.5)
    assert pooled.claimed_generalization == pytest.approx(row.generalization / np.sqrt(50))
    assert (pooled.n_certify, pooled.claimed_patients) == (60, 2)
    assert (pooled.instances, pooled.icc, pooled.rows, pooled.bound) == (50, 0.5, 3000, "hoeffding")
    assert pooled.generalization == row.generalization
    big = certificate_for("buehler", 0.3, 60, Setting(costs=UNEQUAL))
    assert pooling_of(big, 1000, 0.5, Setting(costs=UNEQUAL)) is None


def test_the_mixture_of_a_pilot():
    counts = Confusion(tp=18, fn=2, fp=6, tn=74)
    setting = with_share(Setting(costs=UNEQUAL), counts)
    assert (setting.share, setting.prevalence) == (0.5, 0.2)
    assert with_share(Setting(prevalence=0.3), counts).prevalence == 0.3
    assert with_share(Setting(), Confusion(tp=1, fn=0, fp=0, tn=3)).prevalence == 0.25
    perfect = with_share(Setting(), Confusion(tp=0, fn=0, fp=0, tn=9))
    assert (perfect.share, perfect.prevalence) == (None, None)
    assert with_share(Setting(), Confusion(tp=9, fn=0, fp=0, tn=0)).prevalence is None


@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=4.0), Costs(cost_fp=3.0)])
def test_an_unknown_prevalence_is_the_worst_one_for_two_classes(costs):
    shares = np.linspace(0, 1, 10_001)
    width = costs.cost_fn * np.sqrt(shares) + costs.cost_fp * np.sqrt(1 - shares)
    assert _prevalence(Setting(costs=costs)) == pytest.approx(shares[width.argmax()], abs=1e-4)


@pytest.mark.parametrize("costs", [Costs(), UNEQUAL])
def test_every_allowed_bound_but_betting_is_planned_for(costs):
    allowed = allowed_bounds(costs, "split")
    assert Setting(costs=costs).bounds == [name for name in allowed if name != "betting"]


@pytest.mark.parametrize(
    ("costs", "risk", "width", "delta", "prevalence"),
    [
        (Costs(cost_fn=0.7, cost_fp=7), 1.4, 0.35, 0.05, 0.2),
        (Costs(cost_fn=5, cost_fp=7), 1.4, 0.14, 0.3, None),
        (Costs(cost_fn=0.7), 0.23565539043896314, 0.08, 0.05, 0.5),
    ],
)
def test_larger_numbers_are_enough_also_beyond_two_periods(costs, risk, width, delta, prevalence):
    setting = Setting(costs=costs, delta=delta, prevalence=prevalence)
    n = patients_for("bentkus", risk, width, setting).n_certify
    values = [certificate_for("bentkus", risk, m, setting).value for m in range(n - 1, n + 60)]
    assert values[0] > risk + width + 1e-8
    assert max(values[1:]) <= risk + width + 1e-8
