"""The three answers, against tests that are written out here once more."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom, fisher_exact

from steadycut.core.bounds.anytime import at_most_p_values, lower_mean, upper_mean
from steadycut.core.monitor import confidence_sequence
from steadycut.core.records import Costs
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.verdict import (
    QUESTIONS,
    Comparison,
    ErrorRate,
    Verdict,
    error_rates,
    holm,
    is_answered,
    melded_p_value,
    patients_needed,
    verdicts,
)

DELTA = 0.1
HOME = np.array([[170, 30], [20, 180]])


def compared(here, before=HOME, cost_fn=1.0, promised=0.2, **options):
    return Comparison(
        here=np.array(here),
        before=None if before is None else np.array(before),
        matrix=CostMatrix([[0.0, 1.0], [cost_fn, 0.0]]),
        costs=Costs(cost_fn=cost_fn, target=options.pop("target", None)),
        promised=promised,
        **{"vacuous": False, **options},
    )


def rates(largest=60):
    return st.integers(1, largest).flatmap(
        lambda n: st.builds(ErrorRate, wrong=st.integers(0, n), n_patients=st.just(n))
    )


# The cases that a clinician must never see wrongly -------------------------------------------


@pytest.mark.parametrize("promised", [0.3, 0.5, 1.0])
@pytest.mark.parametrize("vacuous", [False, True])
def test_a_rule_that_finds_1_of_40_is_never_good(promised, vacuous):
    """Whatever its certificate: it was not useful before, and it is not useful here."""
    here = [[60, 0], [39, 1]]
    for before in (HOME, [[60, 0], [39, 1]], None):
        found = compared(here, before, promised=promised, vacuous=vacuous).verdict(DELTA)
        assert found.overall != "good"


def test_a_rule_that_halves_the_cost_is_useful_though_not_within_its_certificate():
    found = compared([[150, 50], [10, 190]], promised=0.05).verdict(DELTA)
    assert (found.useful, found.within_certificate, found.overall) == ("yes", "no", "bad")


def test_a_vacuous_certificate_is_never_fulfilled_but_may_be_broken():
    fine, bad = [[180, 20], [20, 180]], [[10, 190], [190, 10]]
    assert compared(fine, vacuous=False).verdict(DELTA).overall == "good"
    assert compared(fine, vacuous=True).verdict(DELTA).within_certificate == "cannot tell"
    assert compared(fine, vacuous=True).verdict(DELTA).overall == "open"
    assert compared(bad, vacuous=True).verdict(DELTA).within_certificate == "no"


def test_a_shown_drop_within_the_margin_still_counts_as_before():
    many = np.array([[95_000, 5_000], [5_000, 95_000]])
    here = np.array([[95_000, 5_000], [7_000, 93_000]])
    one = compared(here, many)
    assert melded_p_value(*one.rates[0]) < 1e-6
    assert one.verdict(DELTA).as_before == "yes"
    assert replace(one, margin=0.01).verdict(DELTA).as_before == "no"


@pytest.mark.parametrize("sequential", [False, True])
def test_without_patients_of_a_class_or_of_the_first_hospital_nothing_is_shown(sequential):
    for here, before in (([[50, 9], [0, 0]], HOME), ([[50, 9], [3, 40]], None)):
        found = compared(here, before, sequential=sequential).verdict(DELTA)
        assert found.as_before == "cannot tell"
    nobody = compared([[50, 0], [50, 0]], sequential=sequential).verdict(DELTA)
    assert nobody.useful == "cannot tell"
    assert nobody.as_before == "no"


def test_the_overall_verdict_is_the_worst():
    for answers, overall in (
        (("yes", "yes", "yes"), "good"),
        (("yes", "cannot tell", "yes"), "open"),
        (("yes", "cannot tell", "no"), "bad"),
    ):
        assert Verdict(**dict(zip(QUESTIONS, answers, strict=True))).overall == overall


# Twins ---------------------------------------------------------------------------------------


@given(rates(), rates())
@settings(deadline=None)
def test_without_a_margin_the_test_is_that_of_fisher(here, before):
    table = [
        [here.wrong, here.n_patients - here.wrong],
        [before.wrong, before.n_patients - before.wrong],
    ]
    wanted = fisher_exact(table, alternative="greater")[1]
    assert melded_p_value(here, before) == pytest.approx(wanted, abs=1e-9)


@given(rates(30), rates(30), st.sampled_from([0.02, 0.1, 0.3]))
@settings(max_examples=40, deadline=None)
def test_with_a_margin_the_test_is_the_melded_one_by_many_draws(here, before, margin):
    rng = np.random.default_rng(1)
    low = np.zeros(40_000)
    if here.wrong:
        low = beta.rvs(
            here.wrong, here.n_patients - here.wrong + 1, size=low.size, random_state=rng
        )
    high = np.ones(low.size)
    if before.wrong < before.n_patients:
        right = before.n_patients - before.wrong
        high = beta.rvs(before.wrong + 1, right, size=low.size, random_state=rng)
    wanted = np.mean(low <= high - margin)
    assert melded_p_value(here, before, margin) == pytest.approx(wanted, abs=0.015)


@given(rates(40), st.sampled_from([0.02, 0.1, 0.4]))
@settings(max_examples=40, deadline=None)
def test_limits_at_any_time_are_those_of_the_monitor_in_any_order(rate, delta):
    values = np.r_[np.ones(rate.wrong), np.zeros(rate.n_patients - rate.wrong)]
    wanted = confidence_sequence(np.random.default_rng(0).permutation(values), 2 * delta)
    counts = [rate.n_patients - rate.wrong, rate.wrong]
    assert lower_mean([0, 1], counts, delta) == pytest.approx(wanted.lower[-1], abs=1e-8)
    assert upper_mean([0, 1], counts, delta) == pytest.approx(wanted.upper[-1], abs=1e-8)


def test_a_limit_at_any_time_is_where_its_p_value_is_delta():
    low = lower_mean([0, 0.5, 1], [20, 5, 30], 0.05)
    found = at_most_p_values([0, 0.5, 1], [20, 5, 30], np.array([low]))
    assert found[0] == pytest.approx(0.05, rel=1e-6)


@given(
    st.lists(st.integers(0, 40), min_size=4, max_size=4).filter(lambda cells: sum(cells) > 0),
    st.sampled_from([0.2, 1.0, 4.0]),
)
@settings(max_examples=60, deadline=None)
def test_useful_is_two_exact_tests_of_the_predictive_values(cells, cost_fn):
    tn, fp, fn, tp = cells
    pays = 1 / (1 + cost_fn)
    tests = []
    for right, n, limit in ((tp, tp + fp, pays), (tn, tn + fn, 1 - pays)):
        # So many right decisions or more, if the predictive value were only at the limit.
        tests.append(n > 0 and binom.sf(right - 1, n, limit) < DELTA)
    found = compared([[tn, fp], [fn, tp]], cost_fn=cost_fn).verdict(DELTA)
    assert (found.useful == "yes") == all(tests)


def test_error_rates_by_hand_for_three_grades():
    costs = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    counts = np.array([[5, 2, 1], [1, 6, 2], [0, 3, 7]])
    assert error_rates(counts, costs) == [
        ErrorRate(wrong=1, n_patients=19),
        ErrorRate(wrong=3, n_patients=8),
        ErrorRate(wrong=3, n_patients=10),
        ErrorRate(wrong=3, n_patients=17),
    ]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.sampled_from([0.05, 0.2]))
def test_holm_is_holm(p_values, delta):
    ordered = np.argsort(p_values, kind="stable")
    wanted = set()
    for place, which in enumerate(ordered):
        if p_values[which] > delta / (len(p_values) - place):
            break
        wanted.add(int(which))
    assert holm([lambda level, p=p: p <= level for p in p_values], delta) == wanted


# Other costs, kinds and prevalences ----------------------------------------------------------


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("options", [{"cost_fn": 5.0}, {"target": (0.2, 0.4)}, {}])
def test_clear_cases_are_answered_with_any_costs(options, sequential):
    good = np.array([[1900, 100], [100, 1900]])
    one = compared(good, good, promised=0.5, sequential=sequential, **options)
    assert one.verdict(DELTA).overall == "good"
    turned = replace(one, here=good[:, ::-1])
    assert set(vars_of(turned.verdict(DELTA))) == {"no"}


def vars_of(verdict):
    return [getattr(verdict, name) for name in QUESTIONS]


@pytest.mark.parametrize("sequential", [False, True])
def test_clear_cases_are_answered_with_three_grades(sequential):
    matrix = CostMatrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    good = np.full((3, 3), 20) + np.diag([600, 600, 600])
    one = Comparison(
        here=good,
        before=good,
        matrix=matrix,
        costs=None,
        promised=0.3,
        vacuous=False,
        sequential=sequential,
    )
    assert vars_of(one.verdict(DELTA)) == ["yes"] * 3
    assert vars_of(replace(one, here=good[:, ::-1]).verdict(DELTA)) == ["no"] * 3
    assert one.looks_good
    assert not replace(one, here=good[:, ::-1]).looks_good


def test_limits_that_hold_at_every_look_are_wider():
    one = compared([[80, 20], [10, 40]])
    again = replace(one, sequential=True)
    assert again.highest_cost(DELTA) > one.highest_cost(DELTA)
    assert again.lowest_cost(DELTA) < one.lowest_cost(DELTA)
    at = compared([[80, 20], [10, 40]], target=(0.1, 0.3))
    assert replace(at, sequential=True).highest_cost(DELTA) > at.highest_cost(DELTA)


def test_a_cut_off_chosen_by_the_same_patients_makes_the_comparison_wider():
    one = compared([[180, 20], [40, 160]], [[85, 15], [8, 92]])
    assert one.verdict(DELTA).as_before == "no"
    assert replace(one, n_choices=1).verdict(DELTA).as_before == "cannot tell"
    many = compared([[9500, 500], [5000, 5000]], [[9500, 500], [500, 9500]], n_choices=2)
    assert many.verdict(DELTA).as_before == "no"
    assert replace(many, here=many.before).verdict(DELTA).as_before == "yes"


def test_errors_that_are_rounded_up_refute_nothing():
    found = compared([[10, 190], [190, 10]], rounded=True).verdict(DELTA)
    assert set(vars_of(found)) == {"cannot tell"}


def test_nobody_wrong_here_is_an_exact_tail():
    """The p-value is Pr(upper limit before > margin), without quadrature."""
    before = ErrorRate(wrong=8, n_patients=62)
    wanted = beta.sf(0.2, before.wrong + 1, before.n_patients - before.wrong)
    found = melded_p_value(ErrorRate(wrong=0, n_patients=50), before, 0.2)
    assert found == pytest.approx(wanted, rel=1e-9)
    assert melded_p_value(ErrorRate(wrong=0, n_patients=5), before, sequential=True) == 1.0


# Several groups, and how many patients -------------------------------------------------------


def test_a_failing_group_is_found_among_good_ones():
    good, bad = [[180, 20], [20, 180]], [[180, 20], [160, 40]]
    found = verdicts([compared(good), compared(bad), compared(good)], DELTA)
    assert [one.overall for one in found] == ["good", "bad", "good"]


def test_more_groups_need_more_evidence():
    edge = compared([[170, 30], [24, 176]])
    assert edge.verdict(DELTA).as_before == "yes"
    assert verdicts([edge] * 20, DELTA)[0].as_before == "cannot tell"


@pytest.mark.parametrize("question", QUESTIONS)
def test_so_many_patients_decide_in_about_four_audits_of_five(question):
    rng = np.random.default_rng(5)
    one = compared([[19, 6], [4, 21]], 20 * HOME, promised=0.3)
    n = patients_needed(one, question, DELTA)
    shares = one.here.ravel() / one.here.sum()
    decided = 0
    for _ in range(400):
        here = rng.multinomial(n, shares).reshape(2, 2)
        decided += getattr(replace(one, here=here).verdict(DELTA), question) != "cannot tell"
    # The plan counts the chance of the first hospital too, which is over when the audit is made.
    assert 0.78 <= decided / 400 <= (1.0 if question == "as_before" else 0.97)


def test_a_question_that_no_number_of_patients_answers():
    one = compared([[50, 10], [10, 50]], [[9, 1], [1, 9]])
    assert patients_needed(one, "as_before", DELTA) is None
    assert patients_needed(compared(HOME), "useful", DELTA) == HOME.sum()


# Rates that were certified -------------------------------------------------------------------

HIGH = {"sensitivity": 0.8}


def test_a_certified_rate_that_is_lost_is_not_within_the_certificate():
    """The cost alone is within its limit: the other class has become so much easier."""
    here = [[400, 0], [60, 40]]
    plain, rates = (compared(here, promised=0.2, certified=one) for one in ({}, HIGH))
    assert plain.verdict(DELTA).within_certificate == "yes"
    found = rates.verdict(DELTA)
    assert found.within_certificate == found.rates["sensitivity"] == "no"
    assert found.overall == "bad"


def test_a_certified_rate_that_is_open_leaves_the_question_open():
    here = [[400, 0], [2, 12]]
    assert compared(here).verdict(DELTA).within_certificate == "yes"
    found = compared(here, certified=HIGH).verdict(DELTA)
    assert found.within_certificate == found.rates["sensitivity"] == "cannot tell"
    assert not found.rates.keys() - HIGH.keys()


@pytest.mark.parametrize("wrong", range(0, 60, 3))
def test_the_limits_of_certified_rates_are_exact_and_hold_together(wrong):
    here = [[80, 20], [wrong, 60 - wrong]]
    both = {"sensitivity": 0.7, "specificity": 0.7}
    found = compared(here, certified=both)
    low, high = found.certified_limits("sensitivity", DELTA)
    right = 60 - wrong
    assert binom.sf(right - 1, 60, low) == pytest.approx(DELTA / 2)
    assert binom.cdf(right, 60, high) == pytest.approx(DELTA / 2) or right == 60
    answer = found.verdict(DELTA).rates["sensitivity"]
    assert (answer == "yes") == (low >= 0.7)
    # Of ten tests that may say no, the first one to pass has a tenth of delta or more.
    if answer == "no":
        assert binom.cdf(right, 60, 0.7) <= DELTA
    elif binom.cdf(right, 60, 0.7) <= DELTA / 10:
        pytest.fail("a rate that is this far too low is refuted")


def test_rounded_errors_refute_no_certified_rate():
    here = [[400, 0], [60, 40]]
    found = compared(here, certified=HIGH, rounded=True).verdict(DELTA)
    assert found.rates["sensitivity"] == "cannot tell"


def test_without_ill_patients_a_certified_sensitivity_is_open():
    found = compared([[50, 0], [0, 0]], certified=HIGH).verdict(DELTA)
    assert found.rates["sensitivity"] == "cannot tell"


@pytest.mark.parametrize("sequential", [False, True])
def test_a_wrong_answer_about_certified_rates_is_rare(sequential):
    """The rates are exactly what was certified, so no answer but "yes" is right, and "no" rare."""
    rng, refuted = np.random.default_rng(3), 0
    both = {"sensitivity": 0.9, "specificity": 0.85}
    for _ in range(300):
        missed, alarms = rng.binomial(60, 0.1), rng.binomial(90, 0.15)
        here = [[90 - alarms, alarms], [missed, 60 - missed]]
        found = compared(here, None, promised=0.2, certified=both, sequential=sequential)
        refuted += found.verdict(DELTA).within_certificate == "no"
    assert refuted / 300 <= DELTA + 3 * np.sqrt(DELTA * (1 - DELTA) / 300)


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("certified", [{}, {"sensitivity": 0.8, "specificity": 0.7}])
def test_a_question_is_answered_where_its_verdict_says_so(sequential, certified):
    rng, seen = np.random.default_rng(7), set()
    for _ in range(40):
        here = rng.multinomial(int(rng.integers(10, 400)), rng.dirichlet([1, 1, 1, 1]))
        one = compared(here.reshape(2, 2), sequential=sequential, certified=certified)
        found = one.verdict(DELTA)
        for question in ("useful", "as_before", "within_certificate"):
            answer = getattr(found, question)
            assert is_answered(one, question, DELTA) == (answer != "cannot tell")
            seen.add((question, answer))
    assert len(seen) >= 7
