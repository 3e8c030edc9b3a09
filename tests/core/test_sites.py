"""Cuts and certificates by site, and the risk of a cut at a site that had no part in it."""

import numpy as np
import pytest

from steadycut.core.certify import certify
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import ERM, chosen_cut, parse_rule
from steadycut.core.sites import cuts_by_site, leave_one_site_out, site_names, unit_warnings


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


def test_every_site_chooses_alone_and_is_certified_alone():
    select, certified = cohort(1), cohort(2)
    rows = cuts_by_site(select, certified, 1.0, ERM, Costs(), grid="exact", delta=0.1)
    assert [row.site for row in rows] == ["a", "b", "c"]
    for row in rows:
        here, there = select.sites == row.site, certified.sites == row.site
        minima = erm_by_hand(select.scores[here], select.labels[here])
        assert any(row.threshold == pytest.approx(cut, abs=1e-12) for cut in minima)
        assert row.quantile == np.mean(select.scores < row.threshold)
        expected = certify(certified.scores[there], certified.labels[there], 1.0)
        assert row.certificate == expected
        assert (row.n_select, row.n_certify) == (np.count_nonzero(here), np.count_nonzero(there))


def test_a_site_without_a_class_or_without_certifying_patients_is_left_open():
    select = PatientScores(
        scores=[1.0, 2.0, 3.0, 4.0], labels=[0, 0, 0, 1], sites=["a", "a", "b", "b"]
    )
    certified = PatientScores(scores=[1.0, 5.0], labels=[0, 1], sites=["b", "b"])
    first, second = cuts_by_site(select, certified, 2.5, ERM, Costs(), grid=200, delta=0.1)
    assert (first.threshold, first.quantile, first.certificate) == (None, None, None)
    assert second.threshold is not None
    assert second.certificate is not None


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


def test_a_rule_of_distances_gets_the_cuts_of_the_site():
    rng = np.random.default_rng(4)
    labels = np.arange(60) % 2
    patients = PatientScores(
        scores=rng.gamma(2.0 + 3 * labels), labels=labels, sites=np.repeat(["a", "b"], 30)
    )
    rule = parse_rule("youden-kernel")
    rows = cuts_by_site(patients, patients, 3.0, rule, Costs(), grid="exact", delta=0.1)
    for row in rows:
        alone = patients.take(patients.sites == row.site)
        assert row.threshold == chosen_cut(exact_cuts(alone), rule, Costs())
