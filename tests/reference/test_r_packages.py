"""Cut-offs that R's cutpointr, pROC and OptimalCutpoints print for their own data sets.

The data are in ``r_packages.json``, as the number of patients of each outcome with each score.
R prints the smallest score that is called, which is our ``operating_value``; with
``use_midpoints = TRUE``, and in pROC, the midpoint of two neighbouring scores, which is our
``threshold`` on the exact cuts. No optimum below is shared by two cut-offs
(`test_every_optimum_is_attained_by_one_cut_off`); where several tie, cutpointr takes their median,
pROC prints all of them, and we take the middle of the stretch that spans most patients.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import steadycut

SETS = json.loads(Path(__file__).with_name("r_packages.json").read_text(encoding="utf-8"))["sets"]


def cohort_of(name):
    scores, labels = [], []
    for score, n_negative, n_positive in SETS[name]["counts"]:
        scores += [score] * (n_negative + n_positive)
        labels += [0] * n_negative + [1] * n_positive
    return steadycut.PatientScores(scores=scores, labels=labels)


def fit(name, **options):
    # With the bound dkw a threshold is a midpoint; with compression it lies just below a score.
    fixed = {"honesty": "uniform", "bound": "dkw", "grid": "exact", "n_bootstrap": 2}
    return steadycut.fit(cohort_of(name), **fixed, **options)


def rates(study):
    """Sensitivity and specificity at the threshold."""
    counts = study.counts
    return counts.tp / counts.n_positive, counts.tn / counts.n_negative


def accuracy(study):
    return (study.counts.tp + study.counts.tn) / study.counts.n_patients


def total_cost(study):
    costs = study.options.search.costs
    return costs.cost_fn * study.counts.fn + costs.cost_fp * study.counts.fp


@pytest.mark.parametrize(
    ("name", "n_patients", "n_positive", "area"),
    [
        ("suicide", 532, 36, 0.9237791),
        ("suicide_female", 392, 27, 0.9446474),
        ("suicide_male", 140, 9, 0.8617472),
        ("aSAH_s100b", 113, 41, 0.7314),
        ("elas", 141, 96, None),
    ],
)
def test_the_stored_counts_are_the_data_of_the_package(name, n_patients, n_positive, area):
    """R: cutpointr(suicide, dsi, suicide)$AUC, by gender; auc(aSAH$outcome, aSAH$s100b).

    The area under the curve is the share of pairs in which the diseased patient scores higher.
    """
    cohort = cohort_of(name)
    assert (cohort.n_patients, cohort.n_positive) == (n_patients, n_positive)
    gap = np.subtract.outer(cohort.positive_scores, cohort.negative_scores)
    if area is not None:
        assert np.mean((gap > 0) + 0.5 * (gap == 0)) == pytest.approx(area, abs=5e-5)


def test_suicide_youden():
    """R: cutpointr(suicide, dsi, suicide, method = maximize_metric, metric = sum_sens_spec)."""
    study = fit("suicide", rule="youden")
    counts = study.counts
    assert study.operating_value == 2
    assert (counts.tp, counts.fn, counts.fp, counts.tn) == (32, 4, 68, 428)
    assert sum(rates(study)) == pytest.approx(1.751792, abs=5e-7)
    assert rates(study) == pytest.approx((0.8888889, 0.8629032), abs=5e-8)
    assert accuracy(study) == pytest.approx(0.8646617, abs=5e-8)
    assert counts.prevalence == pytest.approx(0.06766917, abs=5e-9)


def test_suicide_youden_at_midpoints():
    """R: cutpointr(suicide, dsi, suicide, metric = sum_sens_spec, use_midpoints = TRUE)."""
    assert fit("suicide", rule="youden").threshold == 1.5


@pytest.mark.parametrize(
    ("name", "cut", "both", "sensitivity", "specificity"),
    [
        ("suicide_female", 2, 1.808118, 0.9259259, 0.8821918),
        ("suicide_male", 3, 1.625106, 0.7777778, 0.8473282),
    ],
)
def test_suicide_youden_by_gender(name, cut, both, sensitivity, specificity):
    """R: cutpointr(suicide, dsi, suicide, gender, metric = sum_sens_spec)."""
    study = fit(name, rule="youden")
    assert study.operating_value == cut
    assert sum(rates(study)) == pytest.approx(both, abs=5e-7)
    assert rates(study) == pytest.approx((sensitivity, specificity), abs=5e-8)


@pytest.mark.parametrize(
    ("name", "cut", "cost"),
    [("suicide", 2, 108), ("suicide_female", 2, 63), ("suicide_male", 3, 40)],
)
def test_suicide_with_a_miss_ten_times_as_dear(name, cut, cost):
    """R, with and without subgroup = gender.

    cutpointr(suicide, dsi, suicide, method = minimize_metric, metric = misclassification_cost,
    cost_fp = 1, cost_fn = 10)
    """
    study = fit(name, rule="erm", cost_fn=10)
    assert study.operating_value == cut
    assert total_cost(study) == cost


def test_suicide_with_equal_costs():
    """R: the same with cost_fn = 1; and metric = accuracy with method = maximize_metric."""
    study = fit("suicide", rule="erm")
    assert study.operating_value == 6
    assert total_cost(study) == 26
    assert rates(study) == pytest.approx((0.4444444, 0.9879032), abs=5e-8)
    assert accuracy(study) == pytest.approx(0.9511278, abs=5e-8)


def test_suicide_at_a_specificity_of_90_percent():
    """R: cutpointr(suicide, dsi, suicide, metric = sens_constrain, min_constrain = 0.9)."""
    study = fit("suicide", rule="specificity:0.9")
    assert study.operating_value == 4
    assert rates(study) == pytest.approx((0.7777778, 0.9112903), abs=5e-8)
    assert accuracy(study) == pytest.approx(0.9022556, abs=5e-8)


def test_asah_youden():
    """R: coords(roc(aSAH$outcome, aSAH$s100b), "best", best.method = "youden")."""
    study = fit("aSAH_s100b", rule="youden")
    assert study.threshold == pytest.approx(0.205, abs=1e-12)
    assert rates(study) == pytest.approx((0.6341463, 0.8055556), abs=5e-8)


def test_asah_at_a_sensitivity_of_95_percent():
    """R: coords(roc(aSAH$outcome, aSAH$s100b), 0.065, input = "threshold").

    Of all cuts with a sensitivity of at least 0.95 this one has the largest specificity.
    """
    study = fit("aSAH_s100b", rule="sensitivity:0.95")
    assert study.threshold == pytest.approx(0.065, abs=1e-12)
    assert rates(study) == pytest.approx((0.9756098, 0.1388889), abs=5e-8)


def test_elas_youden():
    """R, package OptimalCutpoints.

    optimal.cutpoints(X = "elas", status = "status", tag.healthy = 0, methods = "Youden",
    data = elas)
    """
    study = fit("elas", rule="youden")
    assert study.operating_value == 37
    assert rates(study) == pytest.approx((0.6875, 0.6666667), abs=5e-8)


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("suicide", lambda miss, alarm: miss / 36 + alarm / 496),
        ("suicide_female", lambda miss, alarm: miss / 27 + alarm / 365),
        ("suicide_male", lambda miss, alarm: miss / 9 + alarm / 131),
        ("suicide", lambda miss, alarm: 10 * miss + alarm),
        ("suicide_female", lambda miss, alarm: 10 * miss + alarm),
        ("suicide_male", lambda miss, alarm: 10 * miss + alarm),
        ("suicide", lambda miss, alarm: miss + alarm),
        ("suicide", lambda miss, alarm: miss if alarm <= 49 else 1000),
        ("aSAH_s100b", lambda miss, alarm: miss / 41 + alarm / 72),
        ("aSAH_s100b", lambda miss, alarm: alarm if miss <= 2 else 1000),
        ("elas", lambda miss, alarm: miss / 96 + alarm / 45),
    ],
)
def test_every_optimum_is_attained_by_one_cut_off(name, loss):
    """So that the way in which ties are broken plays no part here."""
    counts = SETS[name]["counts"]
    losses = sorted(
        loss(
            sum(positive for score, _, positive in counts if score < cut),
            sum(negative for score, negative, _ in counts if score >= cut),
        )
        for cut, _, _ in counts
    )
    assert losses[1] - losses[0] > 1e-9
