"""Guards speak when patients are unlike the rule's own, and are silent when they are alike."""

from dataclasses import replace

import numpy as np
import pytest

from steadycut import PatientScores, fit
from steadycut.freeze import site_hash
from steadycut.guards import (
    deployment_warnings,
    instance_warning,
    score_range_warning,
    site_warning,
    unit_warning,
)


def cohort(seed, n_patients=200, n_instances=30, shift=0.0, factor=1.0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n_patients) % 2
    counts = None if n_instances is None else np.full(n_patients, n_instances)
    scores = factor * (rng.normal(size=n_patients) + 2 * labels + 5 + shift)
    return PatientScores(scores=scores, labels=labels, n_instances=counts)


def rule_of(patients):
    return fit(patients, n_bootstrap=10).freeze()


RULE = rule_of(cohort(0))


def patients(scores, n_instances=None):
    return PatientScores(scores=scores, n_instances=n_instances)


@pytest.mark.parametrize("seed", range(1, 11))
def test_silent_on_like_patients(seed):
    assert deployment_warnings(RULE, cohort(seed)) == []


def test_silent_on_its_own_patients():
    assert deployment_warnings(RULE, cohort(0)) == []


def test_another_range_is_noticed():
    found = deployment_warnings(RULE, cohort(1, shift=2.5))
    assert any(text.startswith("score range: ") for text in found)
    low, high = RULE.document.score_range
    assert f"{low:g} to {high:g}" in found[0]


def test_the_range_may_be_left_by_one_in_twenty():
    low, high = RULE.document.score_range
    inside = [low, high, *[6.0] * 36]
    assert score_range_warning(RULE, patients([*inside, low - 1, high + 1])) is None
    found = score_range_warning(RULE, patients([*inside, low - 1, high + 1, high + 1]))
    assert "7% of the patients" in found


@pytest.mark.parametrize("factor", [0.01, 100.0, -1.0])
def test_another_unit_is_noticed(factor):
    found = deployment_warnings(RULE, cohort(1, factor=factor))
    assert any(text.startswith("unit: the median score is ") for text in found)
    assert any("same unit" in text for text in found)


def test_the_unit_is_judged_by_the_median():
    reference = RULE.document.reference
    both = (reference.quantiles_positive, reference.quantiles_negative)
    low, high = min(q[5] for q in both), max(q[95] for q in both)
    assert unit_warning(RULE, patients([low, low, 1e6])) is None
    assert unit_warning(RULE, patients([-1e6, high, high])) is None
    below, above = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
    assert unit_warning(RULE, patients([below, below, 6.0]))
    assert unit_warning(RULE, patients([above, above, 6.0]))


def test_the_unit_is_judged_by_the_one_class_there_is():
    labels = np.r_[np.ones(2, dtype=int), np.zeros(38, dtype=int)]
    alone = PatientScores(scores=np.arange(40.0), labels=labels)
    rules = [fit(alone, n_bootstrap=10, rule="erm", seed=seed).freeze() for seed in range(12)]
    one_class = [rule for rule in rules if not rule.document.reference.quantiles_positive]
    assert one_class
    assert unit_warning(one_class[0], patients([20.0])) is None
    assert unit_warning(one_class[0], patients([2000.0]))


@pytest.mark.parametrize(("typical", "noticed"), [(9, True), (10, False), (90, False), (91, True)])
def test_another_number_of_instances_is_noticed(typical, noticed):
    found = instance_warning(RULE, patients([6.0], [typical]))
    assert (found is not None) == noticed
    if noticed:
        assert f"{typical} instances here (median), 30 where the rule was made" in found


def test_instances_that_are_not_known_are_not_judged():
    assert instance_warning(RULE, patients([6.0])) is None
    assert instance_warning(rule_of(cohort(0, n_instances=None)), patients([6.0], [1])) is None


def test_each_warning_is_one_line_and_names_no_patient():
    strange = PatientScores(
        scores=[700.0, 800.0, 900.0], patients=["Zoe-1", "Zoe-2", "Zoe-3"], n_instances=[1, 1, 1]
    )
    found = deployment_warnings(RULE, strange)
    assert [text.partition(":")[0] for text in found] == ["score range", "unit", "instances"]
    assert all("\n" not in text and "Zoe" not in text for text in found)


def test_a_site_where_the_rule_was_made_is_noticed():
    made = cohort(0)
    sites = np.repeat(["A", "B"], made.n_patients // 2)
    rule = rule_of(replace(made, sites=sites))
    assert rule.document.provenance.sites == sorted(map(site_hash, "AB"))
    assert "'B'" in site_warning(rule, replace(made, sites=np.full(made.n_patients, "B")))
    assert site_warning(rule, replace(made, sites=np.full(made.n_patients, "C"))) is None
    assert site_warning(rule, made) is None
