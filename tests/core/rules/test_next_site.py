"""The rule that limits the mean miss rate, or alarm rate, at the next hospital."""

import numpy as np
import pytest

from steadycut import PatientScores, fit
from steadycut.core.bootstrap.within_groups import group_cells, group_codes
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.records import Costs
from steadycut.core.rules.registry import chosen_cut, parse_rule
from steadycut.errors import BadOption


def cohort(seed, n_sites=6, n=240):
    rng = np.random.default_rng(seed)
    labels, sites = rng.integers(0, 2, n), rng.integers(0, n_sites, n)
    scores = np.round(rng.normal(size=n) + 1.5 * labels + 0.3 * sites, 1)
    return PatientScores(scores=scores, labels=labels, sites=sites.astype(str))


def slow_called(patients, least, label):
    """Who is called: the cut of the most extreme score that keeps the limit, one by one."""
    cuts = [*np.unique(patients.scores), np.inf]
    names = np.unique(patients.sites)
    good = []
    for cut in cuts:
        wrong = (patients.scores < cut) if label else (patients.scores >= cut)
        rates = [
            wrong[(patients.sites == name) & (patients.labels == label)].mean() for name in names
        ]
        if (sum(rates) + 1) / (names.size + 1) <= 1 - least + 1e-12:
            good.append(cut)
    return patients.scores >= (max(good) if label else min(good))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", ["sensitivity", "specificity"])
@pytest.mark.parametrize("least", [0.5, 0.7, 0.85])
def test_the_cut_is_that_of_a_search_one_by_one(seed, name, least):
    patients = cohort(seed)
    rule = parse_rule(f"{name}:{least}@next-site")
    cuts = exact_cuts(patients)
    cells = group_cells(cuts, patients, group_codes(patients, "site"))
    chosen, keeps = rule.choose(cells[None])
    called = patients.scores >= cuts.place(chosen, chosen)[0]
    assert keeps.all()
    assert np.array_equal(called, slow_called(patients, least, int(name == "sensitivity")))


def test_every_hospital_counts_alike_however_large():
    small = PatientScores(
        scores=[1, 2, 3, 4, 0, 0], labels=[1, 1, 1, 1, 0, 0], sites=["a", "a", "b", "b", "a", "b"]
    )
    often = np.where(small.sites == "b", 50, 1)
    large = PatientScores(
        scores=np.repeat(small.scores, often),
        labels=np.repeat(small.labels, often),
        sites=np.repeat(small.sites, often),
    )
    rule = parse_rule("sensitivity:0.5@next-site")
    found = []
    for patients in (small, large):
        cuts = exact_cuts(patients)
        chosen, _ = rule.choose(group_cells(cuts, patients, group_codes(patients, "site"))[None])
        found.append(cuts.place(chosen, chosen)[0])
    assert found[0] == found[1]


def test_a_target_that_so_few_sites_cannot_promise_is_refused():
    with pytest.raises(BadOption, match=r"6 sites can promise .* at most 0.857.* it needs 9 sites"):
        fit(cohort(0), rule="sensitivity:0.9@next-site", n_bootstrap=2)
    assert fit(cohort(0), rule=f"sensitivity:{6 / 7}@next-site", n_bootstrap=2).threshold


def test_patients_without_sites_or_a_class_at_a_site_are_refused():
    plain = PatientScores(scores=[1, 2, 3, 4.5] * 5, labels=[0, 1, 0, 1] * 5)
    with pytest.raises(BadOption, match="needs every patient's site"):
        fit(plain, rule="sensitivity:0.5@next-site", n_bootstrap=2)
    healthy = PatientScores(
        scores=np.arange(40.0), labels=[0, 1] * 10 + [0] * 20, sites=["a"] * 20 + ["b"] * 20
    )
    with pytest.raises(BadOption, match=r"a positive patient used to .* 1 of 2 sites have none"):
        fit(healthy, rule="sensitivity:0.5@next-site", n_bootstrap=2)
    ill = PatientScores(scores=healthy.scores, labels=1 - healthy.labels, sites=healthy.sites)
    with pytest.raises(BadOption, match=r"a negative patient used to .* 1 of 2 sites have none"):
        parse_rule("specificity:0.5@next-site").check_sites(ill)


def test_it_is_a_rule_of_fit_alone():
    rule = parse_rule("specificity:0.8@next-site")
    with pytest.raises(BadOption, match="rule of fit alone"):
        chosen_cut(exact_cuts(cohort(0)), rule, Costs())


ANOTHER = ["ppv:0.8", "sensitivity:2", "sensitivity:1", "sensitivity:0", "sensitivity:x", "erm"]


@pytest.mark.parametrize("name", [f"{name}@next-site" for name in ANOTHER])
def test_another_name_is_no_such_rule(name):
    with pytest.raises(BadOption, match=r"must be one of|must lie"):
        parse_rule(name)


def test_a_study_with_it_is_described_and_frozen():
    study = fit(cohort(1), rule="sensitivity:0.8@next-site", n_bootstrap=20)
    assert study.describe().rule == "sensitivity:0.8@next-site"
    assert study.freeze().document.rule == "sensitivity:0.8@next-site"


def test_a_limit_that_is_met_exactly_is_met():
    """Three sites without a miss promise (0 + 1) / (3 + 1): a sensitivity of 0.75."""
    cells = np.array([[[0, 1, 1, 0], [0, 2, 2, 0], [0, 1, 3, 0]]])
    chosen, keeps = parse_rule("sensitivity:0.75@next-site").choose(cells)
    assert (chosen.tolist(), keeps.tolist()) == ([1], [True])
    assert not parse_rule("sensitivity:0.76@next-site").choose(cells)[1].any()


def test_the_only_ill_patient_of_a_site_is_its_whole_rate():
    """Missed at two of three sites: (1 + 1 + 0 + 1) / 4, so at 0.3 neither may be missed."""
    cells = np.array([[[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]])
    assert parse_rule("sensitivity:0.3@next-site").choose(cells)[0].tolist() == [0]
    assert parse_rule("sensitivity:0.25@next-site").choose(cells)[0].tolist() == [1]
