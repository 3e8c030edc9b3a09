"""The operating point of a study, and of a cut-off from elsewhere."""

import json

import numpy as np
import pytest

from steadycut import PatientScores, audit, fit
from steadycut.errors import BadOption, TooFewPatients
from steadycut.study.operating_point import FIXED, FIXED_BY_CHOOSERS, RECHOSEN, operating_point

RULES = ["stable", "erm", "youden", "sensitivity:0.8", "specificity:0.8"]
ALL = {"sensitivity", "specificity", "ppv", "npv", "plr", "nlr", "kappa", "accuracy", "net_benefit"}


def make_patients(n=120, seed=3, sign=1.0):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.4).astype(int)
    return PatientScores(scores=sign * (rng.normal(size=n) + 1.5 * labels), labels=labels)


@pytest.mark.parametrize("rule", RULES)
def test_every_characteristic_has_both_intervals_and_so_has_the_cut(rule):
    study = fit(make_patients(), rule=rule, n_bootstrap=50)
    point = study.operating_point()
    assert set(point.fixed) == ALL | {"auc"}
    assert set(point.rechosen) == ALL
    assert point.counts == study.counts
    found = study.threshold_interval()
    assert found.population[0] < study.threshold < found.population[1]


def test_the_cut_interval_of_a_roc_rule_needs_no_bootstrap():
    study = fit(make_patients(), rule="sensitivity:0.8", n_bootstrap=10)
    scores = np.sort(study.select_patients.positive_scores)
    found = study.threshold_interval(0.9)
    assert found.method == "order statistics"
    assert set(found.population) <= {-np.inf, *scores, np.inf}


@pytest.mark.parametrize("honesty", ["split", "uniform"])
def test_study_json_says_what_each_interval_is_about(honesty):
    content = fit(make_patients(), honesty=honesty, n_bootstrap=20).to_dict(confidence=0.9)
    point = content["operating_point"]
    meaning = FIXED if honesty == "split" else FIXED_BY_CHOOSERS
    assert point["fixed_cut"]["meaning"] == meaning
    assert point["rechosen_cut"]["meaning"] == RECHOSEN
    assert point["confidence"] == content["threshold_interval"]["confidence"] == 0.9
    assert "auc" not in point["rechosen_cut"]["characteristics"]
    json.dumps(content, allow_nan=False)


def test_more_confidence_makes_wider_intervals():
    study = fit(make_patients(), n_bootstrap=50)
    for name in ALL:
        widths = [
            np.ptp(kind[name].interval if hasattr(kind[name], "interval") else kind[name])
            for point in (study.operating_point(0.5), study.operating_point(0.95))
            for kind in (point.fixed, point.rechosen)
        ]
        assert widths[0] < widths[2]
        assert widths[1] < widths[3]


def test_low_scores_that_are_called_are_the_mirror_image():
    plain = fit(make_patients(), n_bootstrap=30)
    turned = fit(make_patients(sign=-1.0), direction="le", n_bootstrap=30)
    first, second = (one.to_dict() for one in (plain, turned))
    assert first["operating_point"] == second["operating_point"]
    low, high = plain.threshold_interval().repeated
    assert turned.threshold_interval().repeated == (-high, -low)


def test_an_ensemble_has_intervals_on_its_own_scale():
    first = make_patients()
    second = PatientScores(scores=first.scores**3, labels=first.labels)
    study = fit([first, second], ensemble="quantile", n_bootstrap=30)
    low, high = study.threshold_interval().population
    assert 0 <= low < study.threshold < high <= 1
    assert set(study.operating_point().rechosen) == ALL


def test_a_target_prevalence_moves_predictive_values_only():
    plain = fit(make_patients(), n_bootstrap=20)
    point = operating_point(
        plain.certify_patients.scores,
        plain.certify_patients.labels,
        plain.threshold,
        target_prevalence=0.05,
    )
    own = plain.operating_point()
    assert point.fixed["sensitivity"] == own.fixed["sensitivity"]
    assert point.fixed["plr"] == own.fixed["plr"]
    assert point.fixed["ppv"].value < own.fixed["ppv"].value
    assert point.to_dict()["target_prevalence"] == [0.05, 0.05]
    assert point.to_dict()["rechosen_cut"] is None


def test_a_ratio_without_a_limit_is_told_from_one_that_is_not_known():
    scores, labels = [0.1, 0.2, 0.3, 0.8, 0.9], [0, 0, 0, 1, 1]
    ratio = operating_point(scores, labels, 0.5).to_dict()["fixed_cut"]["characteristics"]["plr"]
    assert (ratio["value"], ratio["high"], ratio["known"]) == (None, None, True)
    assert ratio["low"] > 0
    only = operating_point([0.1, 0.9], [0, 0], 0.5).to_dict()["fixed_cut"]["characteristics"]
    assert only["sensitivity"] == {
        "value": None,
        "low": None,
        "high": None,
        "method": "clopper-pearson",
        "known": False,
    }
    assert only["auc"]["known"] is False


def test_an_audit_has_intervals_of_this_very_cut_at_both_hospitals():
    study = fit(make_patients(), n_bootstrap=20)
    there = make_patients(seed=9)
    found = audit(study.freeze(), there).to_dict(confidence=0.9)
    wanted = operating_point(there.scores, there.labels, study.threshold, confidence=0.9)
    assert found["operating_point"] == wanted.to_dict()
    internal = found["operating_point_internal"]["fixed_cut"]["characteristics"]
    own = study.to_dict(0.9)["operating_point"]["fixed_cut"]["characteristics"]
    assert internal == {name: one for name, one in own.items() if name != "auc"}


def test_an_audit_of_a_rule_whose_patients_chose_says_so():
    study = fit(make_patients(), honesty="uniform", n_bootstrap=20)
    found = audit(study.freeze(), make_patients(seed=9)).to_dict()
    assert found["operating_point"]["fixed_cut"]["meaning"] == FIXED
    assert found["operating_point_internal"]["fixed_cut"]["meaning"] == FIXED_BY_CHOOSERS


@pytest.mark.parametrize("confidence", [0, 1, 95, "high"])
def test_a_confidence_that_is_none_is_refused(confidence):
    study = fit(make_patients(), n_bootstrap=10)
    for ask in (study.operating_point, study.threshold_interval, study.to_dict):
        with pytest.raises(BadOption, match="confidence must lie strictly between 0 and 1"):
            ask(confidence)
    with pytest.raises(BadOption, match="confidence must lie"):
        operating_point([0.1, 0.9], [0, 1], 0.5, confidence=confidence)


def test_a_cut_that_is_no_number_and_nobody_are_refused():
    with pytest.raises(BadOption, match="threshold must be a finite number; got nan"):
        operating_point([0.1, 0.9], [0, 1], float("nan"))
    with pytest.raises(TooFewPatients, match="needs at least one patient; got none"):
        operating_point([], [], 0.5)
