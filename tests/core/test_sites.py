"""The sites of patients, and the risk of a cut at a site that had no part in it."""

import numpy as np
import pytest

from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import ERM
from steadycut.core.sites import leave_one_site_out, site_names, unit_warnings


def cohort(seed, sizes=(40, 50, 60), moved=(0.0, 0.0, 2.0)):
    rng = np.random.default_rng(seed)
    sites = np.repeat(["a", "b", "c"], sizes)
    labels = rng.integers(0, 2, sites.size)
    scores = rng.normal(size=sites.size) + 2 * labels + np.repeat(moved, sizes)
    return PatientScores(scores=scores, labels=labels, sites=sites)


def erm_by_hand(scores, labels):
    """The smallest risk of any cut, and every midpoint that has it."""
    values = np.unique(scores)
    cuts = (values[1:] + values[:-1]) / 2
    risks = [np.mean((scores >= cut) != (labels == 1)) for cut in cuts]
    return [cut for cut, risk in zip(cuts, risks, strict=True) if risk == min(risks)]


def test_one_site_is_no_reason_for_a_table():
    patients = cohort(0)
    assert site_names(patients) == ["a", "b", "c"]
    assert site_names(patients.take(patients.sites == "a")) == []
    assert site_names(PatientScores(scores=[1.0, 2.0], labels=[0, 1])) == []


def test_a_site_is_judged_by_the_cut_of_the_others():
    patients = cohort(3)
    found = leave_one_site_out(patients, ERM, Costs(), "exact")
    for name, risk in zip("abc", found, strict=True):
        out = patients.sites == name
        cuts = erm_by_hand(patients.scores[~out], patients.labels[~out])
        judged = [
            np.mean((patients.scores[out] >= cut) != (patients.labels[out] == 1)) for cut in cuts
        ]
        assert any(risk == pytest.approx(one, abs=1e-12) for one in judged)


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


def test_a_site_is_left_out_only_if_the_others_have_both_classes():
    """Without site A nobody is positive, so only B and C are judged."""
    cohort = PatientScores(
        scores=[0.0, 1.0, 0.2, 0.3, 0.1, 0.4], labels=[0, 1, 0, 0, 0, 0], sites=list("AABBCC")
    )
    assert len(leave_one_site_out(cohort, ERM, Costs(), "exact")) == 2
