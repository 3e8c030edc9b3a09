"""What a study says about the criterion of its rule."""

import numpy as np
import pytest
from scipy.stats import norm

import steadycut
from steadycut.core.rates import p_chi_squared
from tests.core.cohorts import binormal


def test_a_study_reports_what_its_rule_made_best():
    study = steadycut.fit(binormal(0, 120), rule="kappa@sensitivity:0.7", grid="exact")
    limit, goal = study.to_dict()["criterion"]
    assert (limit["name"], goal["name"]) == ("sensitivity", "kappa")
    counts = study.counts
    assert limit["certify"] == pytest.approx(counts.tp / counts.n_positive)
    assert limit["select"] >= 0.7
    uniform = steadycut.fit(binormal(0, 120), rule="kappa", honesty="uniform").to_dict()
    assert uniform["criterion"][0]["certify"] is None


def test_a_study_by_the_smallest_p_value_corrects_it():
    cohort = binormal(1, 120, distance=0.5)
    rows = steadycut.fit(cohort, rule="chi-squared", grid="exact").to_dict()["criterion"]
    assert [row["name"] for row in rows] == ["chi-squared", "p-value"]
    found = norm.sf(np.sqrt(rows[0]["select"])) * 2
    assert found < rows[1]["select"] <= 1
    assert rows[1]["certify"] == pytest.approx(2 * norm.sf(np.sqrt(rows[0]["certify"])))


def test_rules_without_a_criterion_report_none():
    cohort = binormal(1, 80)
    assert steadycut.fit(cohort, rule="stable").to_dict()["criterion"] == []
    (row,) = steadycut.fit(cohort, rule="erm").to_dict()["criterion"]
    assert row["name"] == "erm"
    assert row["certify"] == pytest.approx(steadycut.fit(cohort, rule="erm").certificate.risk)


def test_without_two_cuts_to_search_there_is_nothing_to_correct():
    cohort = steadycut.PatientScores(scores=[0, 0, 1, 1] * 6, labels=[0, 0, 1, 0] * 6)
    rows = steadycut.fit(cohort, rule="chi-squared", grid="exact", honesty="uniform")
    found = rows.to_dict()["criterion"][1]
    assert found["select"] == pytest.approx(float(p_chi_squared(6, 0, 6, 12)))
