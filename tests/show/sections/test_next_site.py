"""What a report says about the next hospital, and when it says that it knows nothing."""

import numpy as np
import pytest

from steadycut import PatientScores, fit
from steadycut.show.figures.elements import MOST_ROWS
from steadycut.show.figures.sites import SitesDisplay
from steadycut.show.pages.kinds import page_of
from steadycut.show.sections.next_site import next_site_facts, next_site_section
from steadycut.show.svg.picture import draw_svg


def cohort(n_sites, n=30, spread=0.2, gap=3.0, seed=0):
    rng = np.random.default_rng(seed)
    sites = np.repeat(np.arange(n_sites), n)
    labels = rng.integers(0, 2, sites.size)
    moved = rng.normal(0, spread, n_sites)[sites]
    scores = rng.normal(size=sites.size) + gap * labels + moved
    return PatientScores(scores=scores, labels=labels, sites=[f"h{k:02}" for k in sites])


def described(patients, **options):
    return fit(patients, n_bootstrap=4, **options).describe()


def said(study):
    return " ".join([*next_site_section(study).results, *next_site_section(study).texts])


@pytest.mark.parametrize(
    ("sites", "why"),
    [(None, "The hospitals of these patients are not known"), ("one", "come from one hospital")],
)
def test_one_hospital_says_nothing_about_another(sites, why):
    patients = cohort(1, n=120)
    named = patients.sites if sites else None
    study = described(PatientScores(scores=patients.scores, labels=patients.labels, sites=named))
    assert why in said(study)
    assert "nothing can be said about another one" in said(study)
    assert next_site_facts(study) == ()
    assert "not known for another hospital yet" in page_of(study).next_step


def test_few_hospitals_say_which_level_cannot_be_had_and_how_many_it_takes():
    text = said(described(cohort(3)))
    assert "3 hospitals cannot promise 90 %" in text
    assert "takes 19 hospitals, or 10 that check what others chose (--sites-certify)" in text
    assert "plan --sites" in text
    assert "with probability at least 73 %" in text


def test_two_hospitals_have_no_normal_limit():
    text = said(described(cohort(2, n=60)))
    assert "needs 3 hospitals or more" in text
    assert "with probability at least 65 %" in text


def test_enough_hospitals_that_check_promise_the_level():
    study = described(cohort(13, n=20), sites_certify=[f"h{k:02}" for k in range(3, 13)])
    text = said(study)
    assert "cannot promise" not in text
    assert "with probability at least 90 %" in text
    assert "were chosen without one hospital" not in text
    assert "approximate" not in text
    (fact,) = next_site_facts(study)
    assert "without one of these" not in fact[1]
    assert "90 % sure, if it is like these 10" in fact[1]


def test_where_hospitals_are_left_out_the_cut_off_and_the_assumption_are_named():
    study = described(cohort(5))
    text = said(study)
    assert "at least one of the cut-offs that were chosen without one hospital" in text
    assert "approximate" in text
    for unlike in ("another scanner", "a referral centre", "picked because"):
        assert unlike in text
    assert "by a cut-off chosen without one of these" in next_site_facts(study)[0][1]


def test_a_promise_that_is_no_use_is_said_to_be_none():
    text = said(described(cohort(3, n=20, gap=0.3)))
    assert "at 3 of these 3 hospitals. These hospitals promise nothing useful" in text
    good = said(described(cohort(3, n=200, gap=5.0)))
    assert "promise nothing useful" not in good
    assert "would cost no more than that" not in good


def test_a_told_prevalence_and_a_fixed_cost_are_said():
    text = said(described(cohort(5, n=150, gap=5.0), prevalence_there=(0.1, 0.2), cost_there=0.15))
    assert "at the worse end of 10 % to 20 % prevalence" in text
    assert "the average cost is at most 0.150" in text
    assert "95 % confidence" in text


def test_the_promise_of_the_rule_is_said():
    study = described(cohort(5), rule="sensitivity:0.8@next-site")
    assert "an expected sensitivity of at least 0.80 at the next hospital" in said(study)
    assert "mean over hospitals" in next_site_facts(study)[0][1]
    # Without each of two hospitals one is left, which cannot promise so much.
    two = described(cohort(2, n=60), rule="sensitivity:0.6@next-site")
    assert two.next_site is None
    assert "nothing can be said" not in said(two)


def test_another_score_without_a_hospital_is_said():
    patients = cohort(4)
    other = PatientScores(scores=patients.scores**3, labels=patients.labels, sites=patients.sites)
    study = described([patients, other], ensemble="quantile")
    assert study.next_site.threshold_range is None
    assert "the score itself would be another one" in said(study)


def test_every_hospital_has_its_row():
    (table,) = next_site_section(described(cohort(4))).tables
    assert [row[0] for row in table.rows] == ["h00", "h01", "h02", "h03"]
    assert {row[1] for row in table.rows} == {"30"}


def test_nothing_is_called_approximate_where_nothing_is_said():
    study = described(cohort(3, n=20, gap=0.3))
    (useful,) = [one for one in next_site_section(study).results if "hospitals show" in one]
    assert useful.endswith(
        "This is not enough to say at which share of all hospitals this is true."
    )
    assert next_site_facts(study)[0][1].endswith("; not shown to be useful there")
    (normal,) = [one for one in next_site_section(described(cohort(5))).results if "logit" in one]
    assert "probability each). This is approximate" in normal


def test_the_hospital_that_makes_the_limit_is_named_and_drawn():
    patients = cohort(MOST_ROWS + 5)
    few = patients.take((patients.sites != "h07") | (np.arange(patients.n_patients) % 30 < 3))
    study = described(few)
    assert "comes from no. 1 (few patients) (3 patients, " in said(study)
    assert "because few patients were seen there" in said(study)
    assert "few patients were seen" not in said(described(cohort(3, n=60, seed=2)))
    shown = SitesDisplay.from_study(study)
    assert (len(shown.rows), shown.n_left_out) == (MOST_ROWS, 5)
    assert shown.names[MOST_ROWS - 1] == "no. 1 (few patients) (3)"


def test_the_cost_of_a_hospital_without_ill_patients_is_not_known_at_a_told_prevalence():
    patients = cohort(4)
    labels = np.where(patients.sites == "h01", 0, patients.labels)
    healthy = PatientScores(scores=patients.scores, labels=labels, sites=patients.sites)
    study = described(healthy, prevalence_there=0.2)
    (table,) = next_site_section(study).tables
    assert [row[3] == "not known" for row in table.rows] == [False, True, False, False]
    draw_svg(SitesDisplay.from_study(study), "sites")
    assert "one lacks ill or healthy patients" in said(study)
    assert "at 20 % prevalence, by a cut-off" in next_site_facts(study)[0][1]


def test_the_promise_of_the_rule_is_not_rounded_up():
    study = described(cohort(5), rule="sensitivity:0.625@next-site")
    assert "at least 0.625" in said(study)
    assert "at least 0.625" in next_site_facts(study)[0][1]


def test_a_hospital_where_the_cut_off_does_harm_is_named():
    patients = cohort(4, n=60, gap=1.0)
    assert "cost more than calling" not in said(described(patients))
    ill = patients.labels.copy()
    last = patients.sites == "h03"
    ill[last] = 1
    one_class = PatientScores(scores=patients.scores, labels=ill, sites=patients.sites)
    assert "cost more than calling" not in said(described(one_class))
    ill[np.flatnonzero(last)[:2]] = 0
    mixed = PatientScores(scores=patients.scores, labels=ill, sites=patients.sites)
    assert (
        "A cut-off that the other hospitals chose cost more than calling everybody or nobody at 1 "
        "of these 4 hospitals: h03 ("
    ) in said(described(mixed))
    itself = said(described(mixed, sites_certify=["h02", "h03"]))
    assert "The cut-off cost more than calling everybody or nobody at 1 of these 2" in itself
