"""The sites of patients, and sites whose scores have another unit."""

import numpy as np
import pytest

from steadycut.core.records import PatientScores
from steadycut.core.sites import MOST_SITES, check_number_of_sites, site_names, unit_warnings
from steadycut.errors import BadPatients


def cohort(seed, sizes=(40, 50, 60), moved=(0.0, 0.0, 2.0)):
    rng = np.random.default_rng(seed)
    sites = np.repeat(["a", "b", "c"], sizes)
    labels = rng.integers(0, 2, sites.size)
    scores = rng.normal(size=sites.size) + 2 * labels + np.repeat(moved, sizes)
    return PatientScores(scores=scores, labels=labels, sites=sites)


def test_one_site_is_no_reason_for_a_table():
    patients = cohort(0)
    assert site_names(patients) == ["a", "b", "c"]
    assert site_names(patients.take(patients.sites != "c")) == ["a", "b"]
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


@pytest.mark.parametrize("turn", [1, -1])
def test_scores_at_the_end_of_the_scale_are_not_in_another_unit(turn):
    """A tenth of the other patients has the median of this site: the end of what is measured."""
    scores = turn * np.array([0.0] * 20 + [0.0] * 8 + [*range(1, 73)])
    sites = ["low"] * 20 + ["other"] * 80
    patients = PatientScores(scores=scores, labels=[0, 1] * 50, sites=sites)
    assert not any("'low'" in text for text in unit_warnings(patients))


def test_five_patients_on_either_side_are_enough():
    def warned(here, others):
        scores = [*np.linspace(0, 1, others), *np.linspace(50, 60, here)]
        labels = np.arange(here + others) % 2
        sites = ["a"] * others + ["b"] * here
        return len(unit_warnings(PatientScores(scores=scores, labels=labels, sites=sites)))

    assert [warned(5, 20), warned(20, 5), warned(4, 20), warned(20, 4)] == [2, 2, 0, 0]


def test_as_many_sites_as_are_looked_at_are_allowed():
    check_number_of_sites(MOST_SITES)
    with pytest.raises(BadPatients, match="at most 1000 sites; got 1001"):
        check_number_of_sites(MOST_SITES + 1)
