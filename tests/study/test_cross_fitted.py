"""Rates where all patients choose: those of patients who did not."""

import numpy as np

from steadycut import PatientScores, fit
from steadycut.show.pages.kinds import page_of
from steadycut.show.render.markdown import markdown
from steadycut.study.operating_point import cross_fitted, parts_of

QUICK = {"n_bootstrap": 5, "honesty": "uniform"}


def cohort(seed, n=100, distance=1.5, sites=None):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    scores = np.round(rng.normal(size=n) + distance * labels, 1)
    return PatientScores(scores=scores, labels=labels, sites=sites)


def test_every_patient_is_counted_once_and_shown():
    study = fit(cohort(1), **QUICK)
    counts = cross_fitted(study)
    assert counts.n_patients == 100
    assert counts.n_positive == study.counts.n_positive
    assert sorted(np.bincount(parts_of(study))) == [10] * 10
    page = markdown(page_of(study.describe()))
    assert "each tenth of the patients was decided by a cut-off that the others chose" in page
    assert f"sensitivity {counts.sensitivity:.2f}" in page


def test_where_others_check_nothing_is_fitted_again():
    study = fit(cohort(1), n_bootstrap=5)
    assert cross_fitted(study) is None
    assert "cross_fitted" not in study.describe().to_plain()


def test_where_the_others_cannot_choose_nothing_is_said():
    labels = np.array([1] + [0] * 18 + [1])
    rare = PatientScores(scores=np.arange(20.0), labels=labels)
    assert cross_fitted(fit(rare, rule="ppv:0.9", **QUICK | {"n_bootstrap": 2})) is None


def test_a_score_that_says_nothing_is_not_shown_to_be_good():
    """The published counts are better than the truth, on average; these are not."""
    seen, fair = [], []
    for seed in range(40):
        study = fit(cohort(seed, 30, distance=0.0), rule="erm", **QUICK | {"n_bootstrap": 2})
        for counts, sums in ((study.counts, seen), (cross_fitted(study), fair)):
            sums.append(counts.sensitivity + counts.specificity)
    assert np.mean(seen) > 1.1
    assert np.mean(fair) < 1.05
