"""The sites of patients, and sites whose scores have another unit."""

import numpy as np

from steadycut.core.records import PatientScores
from steadycut.core.sites import site_names, unit_warnings


def cohort(seed, sizes=(40, 50, 60), moved=(0.0, 0.0, 2.0)):
    rng = np.random.default_rng(seed)
    sites = np.repeat(["a", "b", "c"], sizes)
    labels = rng.integers(0, 2, sites.size)
    scores = rng.normal(size=sites.size) + 2 * labels + np.repeat(moved, sizes)
    return PatientScores(scores=scores, labels=labels, sites=sites)


def test_one_site_is_no_reason_for_a_table():
    patients = cohort(0)
    assert site_names(patients) == ["a", "b", "c"]
    assert site_names(patients.take(patients.sites == "a")) == []
    assert site_names(PatientScores(scores=[1.0, 2.0], labels=[0, 1])) == []


def test_a_site_in_another_unit_is_noticed():
    patients = cohort(0, moved=(0.0, 0.0, 0.0))
    assert unit_warnings(patients) == []
    factor = np.where(patients.sites == "b", 100.0, 1.0)
    other = PatientScores(
        scores=patients.scores * factor, labels=patients.labels, sites=patients.sites
    )
    (found,) = unit_warnings(other)
    assert found.startswith("unit: at site 'b'")


def test_a_few_patients_say_nothing_about_a_unit():
    scores = [*np.linspace(0, 1, 60), 50.0, 60.0]
    few = PatientScores(scores=scores, labels=[0, 1] * 31, sites=["a"] * 60 + ["b"] * 2)
    assert unit_warnings(few) == []
