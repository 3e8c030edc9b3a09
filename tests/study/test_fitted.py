"""The block about the next hospital in a fitted study: who chooses, who speaks, who is left out."""

import numpy as np
import pytest

from steadycut import PatientScores, fit
from steadycut.core.confusion import Confusion
from steadycut.core.records import Recipe
from steadycut.errors import BadOption, BadPatients, TooFewPatients


def cohort(seed=0, n_sites=4, n=240, moved=0.4, score="score"):
    rng = np.random.default_rng(seed)
    labels, sites = rng.integers(0, 2, n), np.arange(n) % n_sites
    scores = rng.normal(size=n) + 1.5 * labels + moved * sites
    names = [f"p{i:03}" for i in range(n)]
    return PatientScores(
        scores=scores,
        labels=labels,
        sites=[f"h{site}" for site in sites],
        patients=names,
        recipe=Recipe(score=score),
    )


def by_hand(patients, cut, name):
    """Counts at one site, one patient at a time."""
    counts = dict.fromkeys(("tp", "fn", "fp", "tn"), 0)
    for score, label, site in zip(patients.scores, patients.labels, patients.sites, strict=True):
        if site == name:
            counts[("tp" if label else "fp") if score >= cut else ("fn" if label else "tn")] += 1
    return Confusion(**counts)


@pytest.mark.parametrize("honesty", ["split", "uniform"])
@pytest.mark.parametrize("rule", ["erm", "stable", "youden"])
def test_each_site_gets_the_cut_of_the_others(honesty, rule):
    patients = cohort()
    study = fit(patients, rule=rule, honesty=honesty, n_bootstrap=4)
    selects = np.isin(np.arange(patients.n_patients), study.roles.select)
    for row in study.next_site.rows:
        others = patients.take(selects & (patients.sites != row.site))
        alone = fit(others, rule=rule, honesty="uniform", n_bootstrap=2)
        # Both lie between the same two scores of the patients who chose.
        assert np.array_equal(others.scores >= row.threshold, others.scores >= alone.threshold)
        assert row.counts == by_hand(patients, row.threshold, row.site)
        assert row.counts.n_patients == 60
    assert not study.next_site.split


def test_the_patients_of_a_site_do_not_choose_its_cut():
    patients = cohort()
    other = np.where(patients.sites == "h2", 100 * patients.scores, patients.scores)
    changed = PatientScores(
        scores=other, labels=patients.labels, sites=patients.sites, patients=patients.patients
    )
    cuts = [
        {row.site: row.threshold for row in fit(one, n_bootstrap=2).next_site.rows}
        for one in (patients, changed)
    ]
    assert cuts[0]["h2"] == cuts[1]["h2"]
    assert cuts[0]["h1"] != cuts[1]["h1"]


def test_low_scores_can_be_called():
    patients = cohort()
    turned = PatientScores(
        scores=-patients.scores,
        labels=patients.labels,
        sites=patients.sites,
        patients=patients.patients,
    )
    up, down = fit(patients, n_bootstrap=4), fit(turned, n_bootstrap=4, direction="le")
    assert down.next_site == up.next_site
    shown = [one.describe().next_site for one in (up, down)]
    assert shown[1].threshold_range == pytest.approx(
        [-end for end in shown[0].threshold_range[::-1]]
    )
    assert shown[1].between == shown[0].between
    assert [row.threshold for row in shown[1].rows] == [-row.threshold for row in shown[0].rows]


def test_a_score_is_chosen_without_the_site_too():
    """One site alone makes its own score look best; without it the other score is chosen."""
    good, rng = cohort(moved=0.0), np.random.default_rng(3)
    at = good.sites == "h0"
    scores = np.where(at, 9.0 * good.labels, 0.0) + rng.normal(size=at.size)
    odd = PatientScores(
        scores=scores,
        labels=good.labels,
        sites=good.sites,
        patients=good.patients,
        recipe=Recipe(score="odd"),
    )
    found = {row.site: row for row in fit([good, odd], n_bootstrap=4).next_site.rows}
    alone = fit([good, odd], n_bootstrap=4, ensemble="quantile")
    assert found["h0"].threshold is not None or found["h1"].threshold is not None
    assert alone.next_site.rows[0].threshold is None
    assert alone.describe().next_site.between is None


def test_some_sites_choose_and_others_speak():
    patients = cohort()
    study = fit(patients, sites_certify=["h1", "h3"], n_bootstrap=4)
    there = np.isin(patients.sites, ["h1", "h3"])
    assert np.array_equal(study.roles.certify, np.flatnonzero(there))
    assert study.next_site.split
    assert [row.site for row in study.next_site.rows] == ["h1", "h3"]
    for row in study.next_site.rows:
        assert row.counts == by_hand(patients, study.threshold, row.site)
        assert row.threshold == study.threshold
    others = patients.take(~there)
    assert study.threshold == pytest.approx(
        fit(others, honesty="uniform", n_bootstrap=4).threshold, abs=0.05
    )
    assert study.describe().options.sites_certify == ["h1", "h3"]
    assert "h1" not in study.freeze().to_bytes().decode()


def test_one_site_that_certifies_says_nothing_about_another():
    study = fit(cohort(), sites_certify="h1", n_bootstrap=4)
    assert study.next_site is None


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (
            {"sites_certify": ["north"]},
            BadOption,
            "must be one of 'h0', 'h1', 'h2', 'h3'; got north",
        ),
        ({"sites_certify": ["h0", "h1", "h2", "h3"]}, BadOption, "names every site"),
        ({"sites_certify": []}, BadOption, "got none"),
        ({"sites_certify": 5}, BadOption, "must be one of .*; got 5"),
        ({"sites_certify": ["h0"], "honesty": "uniform"}, BadOption, "leave out honesty 'uniform'"),
        ({"prevalence_there": 1.5}, BadOption, "prevalence_there"),
        ({"cost_there": -1}, BadOption, "cost_there"),
    ],
)
def test_a_wrong_option_is_refused(given, error, words):
    with pytest.raises(error, match=words):
        fit(cohort(), n_bootstrap=2, **given)


def test_sites_that_choose_need_both_classes_and_every_patient_a_site():
    patients = cohort()
    labels = np.where(patients.sites == "h0", 0, patients.labels)
    one = PatientScores(scores=patients.scores, labels=labels, sites=patients.sites)
    with pytest.raises(TooFewPatients, match="at least 2 patients of each class"):
        fit(one, sites_certify=["h1", "h2", "h3"], n_bootstrap=2)
    with pytest.raises(BadPatients, match="needs every patient's site"):
        fit(PatientScores(scores=patients.scores, labels=labels), sites_certify=["h1"])


def test_one_hospital_or_none_known_says_nothing():
    patients = cohort(n_sites=1)
    assert fit(patients, n_bootstrap=2).next_site is None
    plain = PatientScores(scores=patients.scores, labels=patients.labels)
    assert fit(plain, n_bootstrap=2).next_site is None


def test_a_told_prevalence_and_a_fixed_cost_reach_the_block():
    study = fit(cohort(), prevalence_there=(0.1, 0.2), cost_there=0.3, n_bootstrap=2)
    found = study.describe().next_site
    assert found.prevalence == (0.1, 0.2)
    assert found.cost_there == 0.3
    assert found.share.cost is not None
    # The cut-off is that of the plain study.
    assert study.threshold == fit(cohort(), n_bootstrap=2).threshold


def test_a_target_prevalence_counts_at_the_next_hospital_too():
    study = fit(cohort(), target_prevalence=0.2, n_bootstrap=2)
    assert study.next_site.costs.target == (0.2, 0.2)


def test_the_spread_counts_patients_between_the_cut_offs():
    patients = cohort(moved=1.0)
    study = fit(patients, n_bootstrap=2)
    found = study.describe().next_site
    cuts = [*(row.threshold for row in study.next_site.rows), study.threshold]
    between = np.mean((patients.scores >= min(cuts)) & (patients.scores < max(cuts)))
    assert found.between == pytest.approx(between)
    assert found.threshold_range == (min(cuts), max(cuts))


def test_candidates_are_told_apart_where_nothing_names_them():
    """Without its best site another score is chosen, whose cut-off is on another scale."""
    rng, labels = np.random.default_rng(3), np.arange(400) // 2 % 2
    sites = np.where(np.arange(400) % 2, "h1", "h0")
    best_at_h0 = 100 + np.where(sites == "h0", 9.0 * labels, 9.0 * rng.integers(0, 2, 400))
    everywhere = rng.normal(size=400) + 0.8 * labels
    both = [
        PatientScores(scores=one + 0.1 * rng.normal(size=400), labels=labels, sites=sites)
        for one in (best_at_h0, everywhere)
    ]
    study = fit(both, n_bootstrap=2)
    assert study.threshold > 90
    assert study.next_site.rows[0].site == "h0"
    assert study.next_site.rows[0].threshold is None
    assert study.describe().next_site.between is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cost_there": 1.0}, "cost_there must be below 1"),
        ({"rule": "sensitivity:0.6@next-site", "stratify": "label"}, "leave out stratify"),
    ],
)
def test_options_that_mean_nothing_are_refused(given, words):
    with pytest.raises(BadOption, match=words):
        fit(cohort(), n_bootstrap=2, **given)


@pytest.mark.parametrize("ensemble", [None, "quantile"])
def test_a_promise_about_the_next_hospital_needs_one_score(ensemble):
    both = [cohort(), cohort(seed=0, score="other")]
    with pytest.raises(BadOption, match="got 2 candidates"):
        fit(both, rule="sensitivity:0.6@next-site", ensemble=ensemble, n_bootstrap=2)


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_nothing_is_said_where_nobody_is_left_to_choose(seed):
    labels = np.arange(20) % 2
    sites = ["h0"] * 19 + ["h1"]
    patients = PatientScores(scores=np.arange(20.0) + 5 * labels, labels=labels, sites=sites)
    assert fit(patients, n_bootstrap=2, seed=seed).describe().next_site is None
