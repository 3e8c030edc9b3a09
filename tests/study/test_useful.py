"""The verdict of a fit: useful, and as good as asked for."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from steadycut import PatientScores, fit, fit_by_covariate, fit_strata
from steadycut.core.confusion import Confusion
from steadycut.core.verdict import strict_level
from steadycut.show.pages.kinds import page_of
from steadycut.study.useful import comparison_of, study_verdict, useful_answer, verdict_of_rule

DELTA = 0.1


def cohort(seed, n=200, distance=2.0, prevalence=0.4):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < prevalence).astype(int)
    labels[:8] = [0, 1] * 4
    return PatientScores(scores=rng.normal(size=n) + distance * labels, labels=labels)


def verdict(patients, **options):
    return study_verdict(fit(patients, n_bootstrap=5, **options))


@pytest.mark.parametrize("honesty", ["split", "uniform"])
@pytest.mark.parametrize("costs", [(1.0, 1.0), (3.0, 1.0)])
def test_a_good_score_is_useful(honesty, costs):
    found = verdict(cohort(0, 600), honesty=honesty, cost_fn=costs[0], cost_fp=costs[1])
    assert (found.useful, found.overall, found.as_asked) == ("yes", "good", None)
    assert found.patients_needed is None


def test_a_score_that_points_the_other_way_is_not_useful():
    found = verdict(cohort(0, 400), direction="le", rule="youden")
    assert (found.useful, found.overall) == ("no", "bad")


def test_the_answer_is_that_of_two_exact_tests():
    """Among those called the ill must prevail, among the others the healthy."""
    study = fit(cohort(1, 120, distance=1.0), n_bootstrap=5)
    counts = study.counts
    called, others = counts.tp + counts.fp, counts.tn + counts.fn
    chances = [binom.cdf(counts.fp, called, 0.5), binom.cdf(counts.fn, others, 0.5)]
    for delta in (1e-4, 0.01, 0.1, 0.3):
        tests = comparison_of(study).tests_for_yes["useful"]
        assert [test(delta) for test in tests] == [chance < delta for chance in chances]


def test_a_certificate_that_shows_nothing_is_never_useful():
    for seed in range(30):
        study = fit(cohort(seed, 60, distance=1.2), n_bootstrap=5)
        found = study_verdict(study)
        if study.certificate.vacuous:
            assert found.useful != "yes"


def wrong_answers(honesty, costs, target, n_runs=150):
    """How often a score that says nothing is called useful, in any direction."""
    found = []
    for seed in range(n_runs):
        patients = cohort(seed, 80, distance=0.0, prevalence=0.5)
        options = {"cost_fn": costs, "honesty": honesty, "target_prevalence": target}
        study = fit(patients, rule="erm", n_bootstrap=2, **options)
        found.append(useful_answer(study, comparison_of(study), DELTA) == "yes")
    return float(np.mean(found))


@pytest.mark.parametrize("honesty", ["split", "uniform"])
@pytest.mark.parametrize(("costs", "target"), [(1.0, None), (2.0, None), (1.0, (0.4, 0.6))])
def test_a_score_that_says_nothing_is_seldom_useful(honesty, costs, target):
    # Three standard errors above the promised level.
    most = DELTA + 3 * math.sqrt(DELTA * (1 - DELTA) / 150)
    assert wrong_answers(honesty, costs, target) <= most


def test_a_useful_cut_off_is_seldom_refuted():
    """In truth it is better by very little: the cut-off of two overlapping classes."""
    refuted = [
        verdict(cohort(seed, 80, 0.3, 0.5), rule="erm").useful == "no" for seed in range(150)
    ]
    assert np.mean(refuted) <= DELTA + 3 * math.sqrt(DELTA * (1 - DELTA) / 150)


def test_an_open_question_says_how_many_patients_answer_it():
    """The number is in all: half of them are used to check."""
    study = next(
        one
        for one in (fit(cohort(seed, 60, 1.3), n_bootstrap=5) for seed in range(40))
        if study_verdict(one).patients_needed is not None
    )
    needed = study_verdict(study).patients_needed
    assert needed > 60
    level, compared = strict_level(DELTA), comparison_of(study)
    enough, fewer = (compared.scaled_to(n) for n in (needed // 2, needed // 2 - 2))
    assert useful_answer(study, enough, level) == "yes"
    assert useful_answer(study, fewer, level) == "cannot tell"


def test_that_many_patients_do_answer_it():
    """In four studies of five, if the true rates are the observed ones."""
    study = next(
        one
        for one in (fit(cohort(seed, 60, 1.3), n_bootstrap=5) for seed in range(40))
        if study_verdict(one).patients_needed is not None
    )
    n = study_verdict(study).patients_needed // 2
    counts, rng = study.counts, np.random.default_rng(0)
    shares = np.array([counts.tn, counts.fp, counts.fn, counts.tp]) / counts.n_patients
    answered = []
    for tn, fp, fn, tp in rng.multinomial(n, shares, size=300):
        here = Confusion(tp=tp, fn=fn, fp=fp, tn=tn).counts
        compared = comparison_of(study)
        one = type(compared)(
            **{name: getattr(compared, name) for name in compared.__slots__} | {"here": here}
        )
        answered.append(useful_answer(study, one, DELTA) == "yes")
    assert np.mean(answered) >= 0.75


def test_no_number_of_patients_is_named_where_doing_without_the_score_costs_less():
    """More patients would only show that it is not useful."""
    weak = (fit(cohort(seed, 160, 0.3, 0.2), n_bootstrap=2, rule="youden") for seed in range(40))
    study = next(
        one
        for one in weak
        if one.certificate.risk > one.certificate.trivial_risk
        and study_verdict(one).useful == "cannot tell"
    )
    many = comparison_of(study).scaled_to(20_000)
    assert useful_answer(study, many, strict_level(DELTA)) == "no"
    assert study_verdict(study).patients_needed is None
    assert page_of(study.describe()).next_step == (
        "Next: try another score, other costs or another direction. At these rates it is not "
        "better than calling nobody (treat-none); more patients would only confirm this."
    )


def test_no_number_of_patients_is_found_where_the_score_says_nothing():
    half = cohort(0, 400, 0.0, 0.5)
    found = [verdict(half, rule="erm", seed=seed) for seed in range(4)]
    assert any(one.useful == "cannot tell" for one in found)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("sensitivity:0.5", "yes"),
        ("sensitivity:0.999", "no"),
        ("sensitivity:0.5,specificity:0.5", "yes"),
        ("sensitivity:0.5,specificity:0.9999", "no"),
    ],
)
def test_as_asked_is_the_worst_answer_about_the_rates(asked, answer):
    study = fit(cohort(0, 600), n_bootstrap=5, certify=asked)
    found = study_verdict(study)
    answers = {one.answer for one in study.certified_rates}
    assert found.as_asked in answers
    assert (found.as_asked == "yes") == (answers == {"yes"})
    if answer == "yes":
        assert found.overall == "good"
    else:
        assert found.overall != "good"


def test_the_error_of_a_known_population_is_below_its_certificate():
    """The verdict changes no number of the study."""
    study = fit(cohort(3, 400), n_bootstrap=5)
    miss, alarm = norm.cdf(study.threshold - 2.0), norm.sf(study.threshold)
    assert 0.4 * miss + 0.6 * alarm <= study.certificate.value
    assert "verdict" not in study.freeze().to_dict()


def test_over_a_range_of_prevalences_both_ends_count():
    """The certificate is for the worse end; where a score is useless at the other, this is said."""
    study = fit(cohort(5, 200), n_bootstrap=5, target_prevalence=(0.02, 0.6))
    page = page_of(study.describe())
    (useful,) = [mark.text for mark in page.marks]
    assert not study.certificate.vacuous
    assert study_verdict(study).useful != "yes"
    assert "At a prevalence of 2 % an average cost of" in useful
    assert "at the worse end of 2 % to 60 % prevalence" in useful
    assert "too close" not in useful
    assert page.next_step.startswith("Next: take another score or a narrower range of prevalences")


def test_a_cut_off_that_fails_at_one_end_says_where():
    study = fit(cohort(5, 600, distance=1.0), n_bootstrap=5, target_prevalence=(0.05, 0.5))
    assert (study_verdict(study).useful, study.certificate.vacuous) == ("no", False)
    page = page_of(study.describe())
    assert "better (" not in page.marks[0].text
    assert "Next: do not use it over this range of prevalences. At 5 % calling" in page.next_step


@pytest.mark.parametrize("seed", range(8))
def test_what_is_useful_at_both_ends_is_useful_between_them(seed):
    rng = np.random.default_rng(seed)
    miss, alarm = rng.random(2) / 2
    low, high = np.sort(rng.random(2))

    def gain(prevalence):
        cost = prevalence * miss + (1 - prevalence) * alarm
        return min(prevalence, 1 - prevalence) - cost

    ends = min(gain(low), gain(high))
    # Both differences are linear in the prevalence, so the smaller one is concave.
    assert all(gain(one) >= ends - 1e-12 for one in np.linspace(low, high, 21))


# Strata, covariates and small cells ----------------------------------------------------------

GREY = [[0.0, 0.3, 1.0], [3.0, 1.0, 0.0]]


def strata_of(patients):
    return fit_strata(patients, costs=GREY, n_bootstrap=2, rule="erm").describe()


def covariate_of(patients):
    sex = np.tile(["f", "m"], patients.n_patients)[: patients.n_patients]
    return fit_by_covariate(patients, covariate=sex, n_bootstrap=2).describe()


@pytest.mark.parametrize("kind", [strata_of, covariate_of])
def test_strata_and_covariates_have_the_same_verdict(kind):
    good = kind(cohort(0, 600, distance=3.0))
    assert (good.verdict.useful, good.verdict.overall) == ("yes", "good")
    page = page_of(good)
    assert page.status.text == "useful here"
    assert page.marks[0].text.startswith("Useful here: yes. Certified: ")
    assert "Next: steadycut audit" in page.next_step
    bad = kind(cohort(0, 600, distance=-3.0))
    assert bad.verdict.useful != "yes"
    assert "audit" not in page_of(bad).next_step


@pytest.mark.parametrize("cost_fn", [1, 2, 5])
def test_two_strata_of_two_grades_have_the_verdict_of_one_cut_off(cost_fn):
    for distance in (-1.0, 0.0, 0.5, 3.0):
        patients = cohort(0, 200, distance)
        matrix = [[0, 1], [cost_fn, 0]]
        strata = fit_strata(patients, costs=matrix, n_bootstrap=20)
        one = fit(patients, cost_fn=cost_fn, n_bootstrap=20)
        assert strata.describe().verdict.useful == one.verdict.useful
        frozen = strata.freeze()
        assert verdict_of_rule(frozen).useful == verdict_of_rule(one.freeze()).useful


@pytest.mark.parametrize("kind", [strata_of, covariate_of])
def test_a_score_that_says_nothing_is_seldom_useful_in_any_kind(kind):
    """One stratum for everybody, or calling everybody or nobody, costs the same in truth."""
    found = [kind(cohort(seed, 80, 0.0, 0.5)).verdict.useful == "yes" for seed in range(60)]
    assert np.mean(found) <= DELTA + 3 * math.sqrt(DELTA * (1 - DELTA) / 60)


def test_with_small_cells_yes_is_never_easier_and_no_is_never_said():
    answers = set()
    for seed in range(25):
        study = fit(cohort(seed, 160, distance=0.5 * (seed % 5)), n_bootstrap=2)
        coarse = verdict_of_rule(study.freeze(small_cells=5)).useful
        assert coarse != "no"
        assert coarse != "yes" or study_verdict(study).useful == "yes"
        answers.add(coarse)
    assert answers == {"yes", "cannot tell"}
