"""Criteria along the cuts, by their definitions in plain loops."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut.core import rates as characteristics
from steadycut.core.confusion import Confusion
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.criteria import (
    CRITERIA,
    FAMILIES,
    Counts,
    Criterion,
    at_ends,
    counts_along,
    of_predictive_values,
    of_rates,
)
from steadycut.core.rules.registry import NEEDS_VALUE, parse_rule, rule_names
from steadycut.errors import BadOption
from tests.core.cohorts import SEEDS, as_lists, random_cohort
from tests.slow_reference.criteria import PARTNERS, best_by, measures
from tests.slow_reference.cuts import cuts_along, exact_thresholds
from tests.slow_reference.risks import counts_at

COSTS = Costs(cost_fn=3.0, cost_fp=2.0)


# Every criterion from the counts, negative where the smallest value is best.
REFERENCE = measures(COSTS.cost_fn, COSTS.cost_fp)
SQUARED = ("roc01", "proc01")


def reference(name, table):
    """The value by its definition; NaN where it is not defined."""
    value = REFERENCE[name](*map(Fraction, table))
    if value is None:
        return math.nan
    value = criterion(name).sign * float(value)
    return math.sqrt(value) if name in SQUARED else value


def criterion(name):
    family, _, number = name.partition(":")
    return FAMILIES[family].member(family, float(number)) if number else CRITERIA[name]


def tables_of(cohort):
    """The counts and the rank of every exact cut."""
    scores, labels = as_lists(cohort)
    thresholds = exact_thresholds(scores)
    return [counts_at(scores, labels, t) for t in thresholds], cuts_along(scores)


def test_every_criterion_has_a_reference():
    assert {name.partition(":")[0] for name in REFERENCE} == {*CRITERIA, *FAMILIES}


@pytest.mark.parametrize("name", REFERENCE)
def test_the_value_is_that_of_its_definition(name):
    for seed in SEEDS:
        for table in tables_of(random_cohort(seed))[0]:
            counts = Counts(*(np.array([float(count)]) for count in table))
            found = criterion(name).measure(counts, COSTS)[0]
            assert found == pytest.approx(reference(name, table), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", REFERENCE)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_cut_is_best_by_its_definition(name, seed):
    """Of several the best by the partner, then the middle of the widest flat."""
    cohort = random_cohort(seed)
    expected = best_by(name, *tables_of(cohort), (COSTS.cost_fn, COSTS.cost_fp), None)
    cells = cuts_of(cohort, "exact").cells[None, :]
    # The largest sensitivity alone has a name that says so.
    typed = f"max-{name}" if name in NEEDS_VALUE else name
    assert parse_rule(typed)(count_errors(cells), COSTS).tolist() == [expected]


def test_partners_are_those_of_the_definitions():
    partners = {name: one.partner for name, one in CRITERIA.items() if one.partner}
    assert partners == PARTNERS


@given(st.integers(0, 10_000), st.floats(0.05, 0.9), st.floats(0.0, 0.09))
def test_counts_at_a_target_have_its_prevalence_and_the_rates_of_the_patients(seed, low, width):
    cohort = random_cohort(seed)
    curve = count_errors(cuts_of(cohort, "exact").cells[None, :])
    plain = counts_along(curve, Costs())[0]
    for end, counts in zip(
        (low, low + width), counts_along(curve, Costs(target=(low, low + width))), strict=False
    ):
        np.testing.assert_allclose(characteristics.total(*counts), cohort.n_patients)
        np.testing.assert_allclose(characteristics.prevalence(*counts), end)
        for rate in (characteristics.sensitivity, characteristics.specificity):
            np.testing.assert_allclose(rate(*counts), rate(*plain), atol=1e-12)


def test_at_a_target_predictive_values_are_those_of_bayes():
    """A PPV of 0.9 at a prevalence of 0.1 asks for se * 0.1 / (se * 0.1 + alarm * 0.9)."""
    cohort = random_cohort(3, 200, tied=False)
    curve = count_errors(cuts_of(cohort, "exact").cells[None, :])
    counts = counts_along(curve, Costs(target=(0.1, 0.1)))[0]
    se = characteristics.sensitivity(*counts)
    alarm = 1 - characteristics.specificity(*counts)
    with np.errstate(invalid="ignore"):
        bayes = 0.1 * se / (0.1 * se + 0.9 * alarm)
    np.testing.assert_allclose(characteristics.ppv(*counts), bayes)


def test_over_a_range_of_prevalences_the_worse_end_counts():
    cohort = random_cohort(5, 200, tied=False)
    curve = count_errors(cuts_of(cohort, "exact").cells[None, :])
    ends = [counts_along(curve, Costs(target=(p, p))) for p in (0.1, 0.4)]
    both = counts_along(curve, Costs(target=(0.1, 0.4)))
    for name in ("kappa", "ppv", "npv", "roc01"):
        merits = [CRITERIA[name].merit(end, Costs()) for end in ends]
        np.testing.assert_allclose(CRITERIA[name].merit(both, Costs()), np.minimum(*merits))


def test_a_new_criterion_is_one_entry_of_the_registry(monkeypatch):
    """Misses count twice: the cut is that of the smallest cost with a miss at 2."""
    new = Criterion("misses-twice", lambda c, _: 2 * c.fn + c.fp, "fewest errors", sign=-1)
    monkeypatch.setitem(CRITERIA, "misses-twice", new)
    assert "misses-twice" in rule_names()
    curve = count_errors(cuts_of(random_cohort(1), "exact").cells[None, :])
    expected = parse_rule("erm")(curve, Costs(cost_fn=2.0)).tolist()
    assert parse_rule("misses-twice")(curve, Costs()).tolist() == expected


def test_f_beta_counts_missed_patients_by_the_square_of_beta():
    """With beta 2 the square is twice beta; with a half it is not: 3.75 / (3.75 + 0.5 + 1)."""
    counts = Counts(*(np.array([count]) for count in (3.0, 2.0, 1.0, 4.0)))
    assert criterion("f-beta:0.5").measure(counts, COSTS) == pytest.approx([3.75 / 5.25])


def test_the_value_at_one_cut_by_hand():
    """Sensitivity 6/8, specificity 3/4: at a prevalence of 0.2 the PPV is 0.15 / (0.15 + 0.2)."""
    found = Confusion(tp=6, fn=2, fp=1, tn=3)
    assert CRITERIA["nlr"].value_at(found, COSTS) == pytest.approx(1 / 3)
    assert CRITERIA["erm"].value_at(found, COSTS) == pytest.approx((3 * 2 + 2 * 1) / 12)
    assert CRITERIA["ppv"].value_at(found, Costs(target=(0.2, 0.5))) == pytest.approx(3 / 7)
    assert CRITERIA["nlr"].value_at(found, Costs(target=(0.2, 0.5))) == pytest.approx(1 / 3)
    assert CRITERIA["ppv"].value_at(Confusion(tp=0, fn=2, fp=0, tn=3), COSTS) is None
    assert CRITERIA["plr"].value_at(Confusion(tp=1, fn=2, fp=0, tn=3), COSTS) is None


def test_measures_of_two_rates_by_hand():
    counts = Counts(*(np.array([count]) for count in (6.0, 2.0, 1.0, 4.0)))
    assert of_rates(np.subtract)(counts, COSTS) == pytest.approx([6 / 8 - 4 / 5])
    assert of_predictive_values(np.subtract)(counts, COSTS) == pytest.approx([6 / 7 - 4 / 6])


def test_a_family_member_has_its_number_in_its_name():
    member = criterion("net-benefit:0.2")
    assert (member.name, member.meaning) == ("net-benefit:0.2", FAMILIES["net-benefit"].meaning)
    with pytest.raises(BadOption, match="the threshold probability of the rule net-benefit must"):
        criterion("net-benefit:2")


def test_an_undefined_cut_is_worse_than_all_others():
    counts = Counts(*(np.array([count, 0.0]) for count in (0.0, 2.0, 3.0, 4.0)))
    assert CRITERIA["ppv"].merit((counts,), COSTS).tolist() == [0.0, -np.inf]
    assert CRITERIA["nlr"].merit((counts,), COSTS)[1] == -np.inf


@pytest.mark.parametrize("table", [(1.0, 0.0, 2.0, 3.0), (4.0, 2.0, 1.0, 0.0)])
def test_one_patient_of_a_class_is_weighted_to_the_target(table):
    (counts,) = at_ends(Counts(*map(np.array, table)), Costs(target=(0.2, 0.2)))
    assert sum(counts) == pytest.approx(sum(table))
    assert counts.tp + counts.fn == pytest.approx(0.2 * sum(table))
