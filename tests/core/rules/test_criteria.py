"""Criteria along the cuts, by their definitions in plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut.core import rates as characteristics
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.criteria import CRITERIA, FAMILIES, Counts, counts_along
from steadycut.core.rules.registry import parse_rule
from tests.core import twins
from tests.core.cohorts import SEEDS, as_lists, random_cohort

NAN = math.nan
COSTS = Costs(cost_fn=3.0, cost_fp=2.0)


def divided(above, below):
    if below:
        return above / below
    return NAN if above == 0 else math.inf


def rates(tp, fn, fp, tn):
    return divided(tp, tp + fn), divided(tn, fp + tn)


def values(tp, fn, fp, tn):
    return divided(tp, tp + fp), divided(tn, fn + tn)


def kappa(weight, tp, fn, fp, tn):
    n = tp + fn + fp + tn
    sick, called = (tp + fn) / n, (tp + fp) / n
    below = weight * sick * (1 - called) + (1 - weight) * (1 - sick) * called
    return divided((tp * tn - fn * fp) / n**2, below)


def chi_squared(correction, *table):
    """The sum over the cells of (observed - expected)² / expected."""
    tp, fn, fp, tn = table
    n = sum(table)
    pairs = [
        (tp, (tp + fn) * (tp + fp)),
        (fn, (tp + fn) * (fn + tn)),
        (fp, (fp + tn) * (tp + fp)),
        (tn, (fp + tn) * (fn + tn)),
    ]
    if any(product == 0 for _, product in pairs):
        return NAN
    away = [abs(count - product / n) for count, product in pairs]
    less = min(correction, *away)
    return sum((a - less) ** 2 * n / product for a, (_, product) in zip(away, pairs, strict=True))


def filled(*table):
    tp, fn, fp, tn = (count or 0.5 for count in table)
    return tp * tn / (fp * fn)


# Each criterion once more, from the counts tp, fn, fp, tn, with misses at 3 and alarms at 2.
TWINS = {
    "erm": lambda tp, fn, fp, tn: (3 * fn + 2 * fp) / (tp + fn + fp + tn),
    "youden": lambda *table: sum(rates(*table)) - 1,
    "accuracy": lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn),
    "sensitivity": lambda *table: rates(*table)[0],
    "specificity": lambda *table: rates(*table)[1],
    "se-sp-product": lambda *table: math.prod(rates(*table)),
    "se-sp-equal": lambda *table: abs(rates(*table)[0] - rates(*table)[1]),
    "se-sp-least": lambda *table: min(rates(*table)),
    "roc01": lambda *table: math.dist(rates(*table), (1, 1)),
    "ppv": lambda *table: values(*table)[0],
    "npv": lambda *table: values(*table)[1],
    "ppv-npv-sum": lambda *table: sum(values(*table)),
    "ppv-npv-product": lambda *table: math.prod(values(*table)),
    "ppv-npv-equal": lambda *table: abs(values(*table)[0] - values(*table)[1]),
    "ppv-npv-least": lambda *table: NAN if math.isnan(sum(values(*table))) else min(values(*table)),
    "proc01": lambda *table: math.dist(values(*table), (1, 1)),
    "plr": lambda *table: divided(rates(*table)[0], 1 - rates(*table)[1]),
    "nlr": lambda *table: divided(1 - rates(*table)[0], rates(*table)[1]),
    "odds-ratio": lambda tp, fn, fp, tn: divided(tp * tn, fp * fn),
    "odds-ratio-half": filled,
    "risk-ratio": lambda *table: divided(values(*table)[0], 1 - values(*table)[1]),
    "kappa": lambda *table: kappa(0.5, *table),
    "weighted-kappa": lambda *table: kappa(0.6, *table),
    "f1": lambda tp, fn, fp, tn: divided(2 * tp, 2 * tp + fp + fn),
    "jaccard": lambda tp, fn, fp, tn: divided(tp, tp + fp + fn),
    "mcc": lambda tp, fn, fp, tn: divided(
        tp * tn - fn * fp, math.sqrt((tp + fp) * (fn + tn) * (tp + fn) * (fp + tn))
    ),
    "chi-squared": lambda *table: chi_squared(0.0, *table),
    "chi-squared-yates": lambda *table: chi_squared(0.5, *table),
    "minimax": lambda tp, fn, fp, tn: max(3 * fn, 2 * fp),
    "prevalence-match": lambda tp, fn, fp, tn: abs(fp - fn) / (tp + fn + fp + tn),
    "net-benefit:0.25": lambda tp, fn, fp, tn: (tp - fp / 3) / (tp + fn + fp + tn),
    "f-beta:2": lambda tp, fn, fp, tn: divided(5 * tp, 5 * tp + 4 * fn + fp),
}


def criterion(name):
    family, _, number = name.partition(":")
    return FAMILIES[family].member(family, float(number)) if number else CRITERIA[name]


def tables_of(cohort):
    """The threshold, the rank and the four counts of every exact cut."""
    scores, labels = as_lists(cohort)
    for threshold in twins.exact_thresholds(scores):
        misses, alarms = twins.errors_at(scores, labels, threshold)
        table = (sum(labels) - misses, misses, alarms, len(labels) - sum(labels) - alarms)
        yield twins.rank_of(scores, threshold), table


def test_every_criterion_has_a_twin():
    assert {name.partition(":")[0] for name in TWINS} == {*CRITERIA, *FAMILIES}


@pytest.mark.parametrize("name", TWINS)
def test_the_value_is_that_of_its_definition(name):
    for seed in SEEDS:
        for _, table in tables_of(random_cohort(seed)):
            counts = Counts(*(np.array([float(count)]) for count in table))
            found = criterion(name).measure(counts, COSTS)[0]
            assert found == pytest.approx(TWINS[name](*table), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", [name for name in TWINS if name not in ("erm", "youden")])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_cut_is_best_by_its_definition(name, seed):
    """Of several the best by the partner, then the middle of the widest flat."""
    cohort, sign = random_cohort(seed), criterion(name).sign
    ranks, tables = zip(*tables_of(cohort), strict=True)
    objective = [-sign * TWINS[name](*table) for table in tables]
    objective = [value if math.isfinite(value) else math.inf for value in objective]
    partner = criterion(name).partner
    if partner:
        best = min(objective)
        tied = [value <= best + 1e-9 for value in objective]
        objective = [
            -criterion(partner).sign * TWINS[partner](*table) if is_tied else math.inf
            for table, is_tied in zip(tables, tied, strict=True)
        ]
    expected = twins.middle_of_widest_flat(objective, ranks, 1e-9)
    cells = cuts_of(cohort, "exact").cells[None, :]
    assert parse_rule(name)(count_errors(cells), COSTS).tolist() == [expected]


@given(st.integers(0, 10_000), st.floats(0.05, 0.9), st.floats(0.0, 0.09))
def test_counts_at_a_target_have_its_prevalence_and_the_rates_of_the_patients(seed, low, width):
    cohort = random_cohort(seed)
    curve = count_errors(cuts_of(cohort, "exact").cells[None, :])
    plain = counts_along(curve, Costs())[0]
    for end, counts in zip(
        (low, low + width), counts_along(curve, Costs(target=(low, low + width))), strict=False
    ):
        np.testing.assert_allclose(characteristics.patients(*counts), cohort.n_patients)
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
