"""What a study says about the criterion of its rule."""

import pytest

import steadycut
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


def test_rules_without_a_criterion_report_none():
    cohort = binormal(1, 80)
    assert steadycut.fit(cohort, rule="stable").to_dict()["criterion"] == []
    (row,) = steadycut.fit(cohort, rule="erm").to_dict()["criterion"]
    assert row["name"] == "erm"
    assert row["certify"] == pytest.approx(steadycut.fit(cohort, rule="erm").certificate.risk)
