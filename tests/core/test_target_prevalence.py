"""Risk, penalty and certificate at a prevalence, or the worse end of a range of them."""

import math

import numpy as np
import pytest
from scipy import stats

import steadycut
from steadycut.core.bounds.concentration import (
    allowed_bounds,
    class_wise,
    class_wise_dkw,
    lower_limit,
)
from steadycut.core.bounds.modulus import dkw_band_width, modulus
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import count_errors, risk_at_cuts, risk_curve
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.basins import excess_risk
from steadycut.core.split import split_classes
from steadycut.errors import BadOption

RANGES = [(0.1, 0.1), (0.05, 0.3), (0.4, 0.9)]


def cohort(seed=0, n=60, ties=False):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.4).astype(int)
    scores = rng.normal(size=n) + 1.5 * labels
    return PatientScores(scores=np.round(scores) if ties else scores, labels=labels)


def risk_by_definition(patients, threshold, costs):
    positive = [s for s, y in zip(patients.scores, patients.labels, strict=True) if y == 1]
    negative = [s for s, y in zip(patients.scores, patients.labels, strict=True) if y == 0]
    miss = sum(s < threshold for s in positive) / len(positive)
    alarm = sum(s >= threshold for s in negative) / len(negative)
    return max(costs.cost_fn * p * miss + costs.cost_fp * (1 - p) * alarm for p in costs.target)


@pytest.mark.parametrize("target", RANGES)
@pytest.mark.parametrize("ties", [False, True])
def test_risk_is_that_of_the_worse_end(target, ties):
    patients, costs = cohort(ties=ties), Costs(cost_fn=3.0, target=target)
    thresholds = np.linspace(-3, 5, 41)
    expected = [risk_by_definition(patients, t, costs) for t in thresholds]
    assert risk_curve(patients, thresholds, costs) == pytest.approx(expected, abs=1e-12)
    assert [confusion_at(patients, t).risk(costs) for t in thresholds] == pytest.approx(
        expected, abs=1e-12
    )
    cuts = exact_cuts(patients)
    places = cuts.place(np.arange(cuts.values.size + 1), np.arange(cuts.values.size + 1))
    at_cuts = risk_at_cuts(count_errors(cuts.cells), costs)
    expected = [risk_by_definition(patients, t, costs) for t in places]
    assert at_cuts == pytest.approx(expected, abs=1e-12)


def test_without_any_score_the_worse_ends_count():
    costs = Costs(cost_fn=3.0, target=(0.1, 0.2))
    assert Confusion(tp=1, fn=1, fp=1, tn=1).trivial_risk(costs) == pytest.approx(min(0.6, 0.9))


@pytest.mark.parametrize("target", RANGES)
def test_the_modulus_weighs_the_classes_as_they_are_there(target):
    patients, costs = cohort(3), Costs(cost_fn=2.0, target=target)
    for epsilon in (0.1, 0.5, 2.0):
        windows = []
        for start in patients.scores:
            inside = (patients.scores >= start) & (patients.scores < start + epsilon)
            shares = [
                np.count_nonzero(inside & (patients.labels == y))
                / np.count_nonzero(patients.labels == y)
                for y in (1, 0)
            ]
            windows += [2.0 * p * shares[0] + (1 - p) * shares[1] for p in target]
        assert modulus(patients, epsilon, costs) == pytest.approx(max(windows), abs=1e-12)


def test_the_band_is_that_of_two_classes():
    costs = Costs(cost_fn=2.0, target=(0.1, 0.3))
    e1, e0 = (math.sqrt(math.log(4 / 0.1) / (2 * n)) for n in (20, 50))
    expected = 2 * max(2.0 * p * e1 + (1 - p) * e0 for p in (0.1, 0.3))
    assert dkw_band_width(20, 50, costs, 0.1) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("target", RANGES)
def test_the_certificate_takes_an_exact_limit_in_either_class(target):
    counts, costs = Confusion(tp=17, fn=3, fp=5, tn=35), Costs(cost_fn=3.0, target=target)
    miss, alarm = stats.beta.ppf(0.95, 4, 17), stats.beta.ppf(0.95, 6, 35)
    expected = max(3.0 * p * miss + (1 - p) * alarm for p in target)
    found = counts.risk(costs) + class_wise(counts, costs, 0.1)
    assert found == pytest.approx(expected, abs=1e-9)
    low = [stats.beta.ppf(0.05, 3, 18), stats.beta.ppf(0.05, 5, 36)]
    lowest = max(3.0 * p * low[0] + (1 - p) * low[1] for p in target)
    assert lower_limit(counts, costs, 0.1) == pytest.approx(lowest, abs=1e-9)
    e1, e0 = (math.sqrt(math.log(2 / 0.1) / (2 * n)) for n in (20, 40))
    uniform = max(3.0 * p * e1 + (1 - p) * e0 for p in target)
    assert class_wise_dkw(counts, costs, 0.1) == pytest.approx(uniform, abs=1e-12)


def test_risk_and_margin_are_taken_at_the_same_end():
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
    assert exact == pytest.approx(0.6 + 0.7 * stats.beta.ppf(0.95, 5, 36), abs=1e-9)


def test_only_class_wise_bounds_are_allowed_there():
    costs = Costs(target=(0.1, 0.1))
    assert allowed_bounds(costs, "split") == ["class-wise", "class-wise-dkw"]
    assert allowed_bounds(costs, "uniform") == ["class-wise-dkw"]
    assert "class-wise" not in allowed_bounds(Costs(), "split")


def test_the_error_of_a_difference_is_that_of_two_classes():
    patients, costs = cohort(5), Costs(cost_fn=2.0, target=(0.2, 0.2))
    cuts = exact_cuts(patients)
    curve = count_errors(cuts.cells[None, :])
    excess, error = excess_risk(curve, costs, 0, np.array([10]), 25)
    low, high = (cuts.place(np.array([k]), np.array([k]))[0] for k in (10, 25))
    between = (patients.scores >= low) & (patients.scores < high)
    expected = 0.0
    for label, weight in ((1, 2.0 * 0.2), (0, 0.8)):
        share = between[patients.labels == label]
        expected += weight**2 * share.var() / share.size
    assert error[0] == pytest.approx(math.sqrt(expected), abs=1e-12)
    difference = risk_by_definition(patients, low, costs) - risk_by_definition(
        patients, high, costs
    )
    assert excess[0] == pytest.approx(difference, abs=1e-12)


@pytest.mark.parametrize("rule", ["erm", "stable"])
def test_a_rare_disease_moves_the_cut_up(rule):
    patients = cohort(1, 400)
    common = steadycut.fit(patients, rule=rule, target_prevalence=0.6).threshold
    rare = steadycut.fit(patients, rule=rule, target_prevalence=0.03).threshold
    assert rare > common


def test_a_single_prevalence_is_a_range_of_one():
    patients = cohort(1, 200)
    one = steadycut.fit(patients, target_prevalence=0.2).to_dict()
    other = steadycut.fit(patients, target_prevalence=(0.2, 0.2)).to_dict()
    assert one == other
    assert one["target_prevalence"] == [0.2, 0.2]
    assert one["certificate"]["bound"] == "class-wise"


def test_a_stratified_split_shares_each_class():
    labels = np.array([1] * 10 + [0] * 30, dtype=np.int8)
    roles = split_classes(labels, 0.5, np.random.default_rng(0))
    assert np.count_nonzero(labels[roles.select]) == np.count_nonzero(labels[roles.certify]) == 5
    assert sorted([*roles.select, *roles.certify]) == list(range(40))


def test_a_stratified_split_needs_a_target_prevalence():
    with pytest.raises(BadOption, match="needs a target_prevalence"):
        steadycut.fit(cohort(), stratified=True)


@pytest.mark.parametrize("bad", [0.0, 1.0, (0.3, 0.2), (0.1, 0.2, 0.3), "much", True])
def test_a_prevalence_outside_what_is_allowed_is_refused(bad):
    with pytest.raises(BadOption, match="target_prevalence must"):
        steadycut.fit(cohort(), target_prevalence=bad)


@pytest.mark.validity
@pytest.mark.parametrize("stratified", [False, True])
def test_the_class_wise_certificate_holds(stratified):
    """Also after a split by label, where a pooled bound covers less than it says."""
    rng, held, n_studies = np.random.default_rng(2), 0, 300
    for seed in range(n_studies):
        labels = (rng.random(80) < 0.4).astype(int)
        patients = PatientScores(scores=rng.normal(size=80) + 1.5 * labels, labels=labels)
        study = steadycut.fit(
            patients,
            rule="erm",
            n_bootstrap=2,
            target_prevalence=(0.1, 0.3),
            stratified=stratified,
            seed=seed,
            delta=0.2,
        )
        miss, alarm = stats.norm.cdf(study.threshold - 1.5), stats.norm.sf(study.threshold)
        truth = max(p * miss + (1 - p) * alarm for p in (0.1, 0.3))
        held += study.certificate.value >= truth
    assert held / n_studies >= 0.8 - 4 * math.sqrt(0.16 / n_studies)
