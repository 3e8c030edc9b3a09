"""The three answers, against tests that are written out here once more."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import beta, binom, fisher_exact, norm

from steadycut.core.bounds.anytime import (
    LIMIT_BETS,
    at_most_p_values,
    lower_mean,
    upper_mean,
)
from steadycut.core.bounds.betting import betting_limit
from steadycut.core.bounds.concentration import mean_limit
from steadycut.core.monitor import confidence_sequence
from steadycut.core.records import Costs
from steadycut.core.strata import certify
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.verdict import (
    MOST_PATIENTS,
    QUESTIONS,
    Comparison,
    ErrorRate,
    Verdict,
    certified_error,
    error_rates,
    holm,
    is_answered,
    melded_p_value,
    name_in_text,
    patients_needed,
    smallest_number,
    strict_level,
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
        assert found.decision not in {"use", "use and watch"}


def test_a_rule_that_halves_the_cost_is_useful_though_not_within_its_certificate():
    found = compared([[150, 50], [10, 190]], promised=0.05).verdict(DELTA)
    assert (found.useful, found.within_certificate) == ("yes", "no")
    # What was certified is for the analyst; the rule is useful, and costs no more than before.
    assert found.decision in {"use", "use and watch"}


def test_a_vacuous_certificate_is_never_fulfilled_but_may_be_broken():
    fine, bad = [[180, 20], [20, 180]], [[10, 190], [190, 10]]
    assert compared(fine, vacuous=False).verdict(DELTA).within_certificate == "yes"
    assert compared(fine, vacuous=True).verdict(DELTA).within_certificate == "cannot tell"
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
    close, one_class = [[160, 20], [18, 162]], [[170, 30], [0, 0]]
    all_missed = [[170, 30], [200, 0]]
    for here, before in ((one_class, HOME), (one_class, all_missed), (close, one_class)):
        for n_choices in (0, 1):
            found = compared(here, before, n_choices=n_choices, sequential=sequential, margin=0.3)
            assert found.verdict(DELTA).as_before == "cannot tell"
    assert compared(close, None, sequential=sequential).verdict(DELTA).as_before == "cannot tell"
    # Patients of one class need no score.
    bad = compared([[20, 80], [0, 0]], sequential=sequential).verdict(DELTA)
    assert bad.useful == "cannot tell"
    nobody = compared([[50, 0], [50, 0]], sequential=sequential).verdict(DELTA)
    assert nobody.useful == "cannot tell"
    assert nobody.as_before == "no"


DECIDED = [
    (("yes", "yes"), "use"),
    (("yes", "cannot tell"), "use and watch"),
    (("yes", "no"), "adapt"),
    (("cannot tell", "no"), "adapt"),
    (("cannot tell", "yes"), "label more"),
    (("cannot tell", "cannot tell"), "label more"),
    (("no", "yes"), "do not use"),
    (("no", "no"), "do not use"),
]


@pytest.mark.parametrize("within", ["yes", "no", "cannot tell"])
@pytest.mark.parametrize(("answers", "decision"), DECIDED)
def test_two_answers_make_the_decision(answers, decision, within):
    known = dict(zip(QUESTIONS, (*answers, within), strict=True))
    assert Verdict(**known).decision == decision
    assert Verdict(**known, reason="one class").decision == "not judged"
    lost = Verdict(**known, rates={"sensitivity": "no", "specificity": "yes"}).decision
    assert lost == ("do not use" if answers[0] == "no" else "adapt")
    unknown = Verdict(**known, rates={"sensitivity": "cannot tell"}).decision
    assert unknown == {"use": "use and watch"}.get(decision, decision)


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


@given(rates(40), st.sampled_from([0.02, 0.1, 0.4]))
@settings(max_examples=40, deadline=None)
def test_limits_at_any_time_are_those_of_the_monitor_in_any_order(rate, delta):
    values = np.r_[np.ones(rate.wrong), np.zeros(rate.n_patients - rate.wrong)]
    wanted = confidence_sequence(np.random.default_rng(0).permutation(values), 2 * delta)
    counts = [rate.n_patients - rate.wrong, rate.wrong]
    assert lower_mean([0, 1], counts, delta) == pytest.approx(wanted.lower[-1], abs=1e-8)
    assert upper_mean([0, 1], counts, delta) == pytest.approx(wanted.upper[-1], abs=1e-8)


@given(rates(40), rates(40))
@settings(max_examples=20)
def test_at_every_look_the_p_value_is_the_mean_over_the_rate_before(here, before):
    """Over many quantiles of the upper limit before: 1 / (total of the bets), at most 1."""
    levels = (np.arange(4000) + 0.5) / 4000
    limits = np.ones_like(levels)
    if before.wrong < before.n_patients:
        limits = beta.ppf(levels, before.wrong + 1, before.n_patients - before.wrong)
    bets = 1 - LIMIT_BETS + LIMIT_BETS / limits[:, None]
    total = (bets**here.wrong * (1 - LIMIT_BETS) ** (here.n_patients - here.wrong)).mean(axis=1)
    wanted = np.mean(np.minimum(1 / total, 1))
    found = melded_p_value(here, before, sequential=True)
    assert found == pytest.approx(wanted, abs=3e-3)


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
    # The middle grade costs the same on either side; small costs count as large ones do.
    costs = CostMatrix([[0, 0.2], [0.1, 0.1], [0.3, 0]])
    assert error_rates(np.array([[5, 2], [7, 4], [1, 6]]), costs) == [
        ErrorRate(wrong=1, n_patients=7),
        ErrorRate(wrong=2, n_patients=7),
    ]


def test_errors_against_certified_rates_by_hand():
    """Nobody in the grey middle is an error of sensitivity or specificity."""
    counts = np.array([[40, 8, 2], [1, 9, 20]])
    names = ("sensitivity", "specificity", "npv", "ppv")
    found = [certified_error(counts, name) for name in names]
    assert [(one.wrong, one.n_patients) for one in found] == [(1, 30), (2, 50), (1, 41), (2, 22)]


def test_a_rate_of_no_patients_has_no_value():
    assert ErrorRate(wrong=0, n_patients=0).value is None
    assert ErrorRate(wrong=3, n_patients=12).value == 0.25


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
    decision = one.verdict(DELTA).decision
    assert decision == "use" or (sequential and decision == "use and watch")
    turned = replace(one, here=good[:, ::-1])
    assert set(vars_of(turned.verdict(DELTA))) == {"no"}
    assert turned.verdict(DELTA).decision == "do not use"


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
    one = compared([[170, 30], [60, 140]], [[85, 15], [8, 92]])
    assert one.verdict(DELTA).as_before == "no"
    assert replace(one, n_choices=1).verdict(DELTA).as_before == "cannot tell"
    many = compared([[9500, 500], [5000, 5000]], [[9500, 500], [500, 9500]], n_choices=2)
    assert many.verdict(DELTA).as_before == "no"
    assert replace(many, here=many.before).verdict(DELTA).as_before == "yes"


def test_errors_that_are_rounded_up_refute_nothing():
    found = compared([[10, 190], [190, 10]], rounded=True).verdict(DELTA)
    assert set(vars_of(found)) == {"cannot tell"}
    for question in QUESTIONS:
        assert not is_answered(compared([[10, 190], [190, 10]], rounded=True), question, DELTA)


def test_nobody_wrong_here_is_never_higher_than_before():
    before, none = ErrorRate(wrong=8, n_patients=62), ErrorRate(wrong=0, n_patients=5)
    assert melded_p_value(none, before) == melded_p_value(none, before, sequential=True) == 1.0


# Several groups, and how many patients -------------------------------------------------------


def test_a_failing_group_is_found_among_good_ones():
    good, bad = [[180, 20], [20, 180]], [[180, 20], [160, 40]]
    found = verdicts([compared(good), compared(bad), compared(good)], DELTA)
    decisions = [one.decision for one in found]
    assert decisions[1] == "adapt"
    assert {*decisions[::2]} <= {"use", "use and watch"}


def test_more_groups_need_more_evidence():
    edge = compared([[174, 26], [21, 179]])
    assert edge.verdict(DELTA).as_before == "yes"
    assert verdicts([edge] * 20, DELTA)[0].as_before == "cannot tell"
    alone, many = edge.change(DELTA), verdicts([edge] * 20, DELTA)[0].change
    assert many.low < alone.low < alone.value == many.value < alone.high < many.high


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
    # Of 400 audits two standard errors are 0.04.
    assert 0.76 <= decided / 400 <= (1.0 if question == "as_before" else 0.97)


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
    assert found.decision == "adapt"


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


# From which level on each test passes --------------------------------------------------------

N_SCORES = 3
LIMITS = {"exact": {}, "at all cuts": {"own_choices": N_SCORES}, "always": {"sequential": True}}
GOOD = np.array([[60, 15], [8, 37]])


def limits_of(kind, wrong, n, level):
    """A lower and an upper limit of a rate, each of them wrong with probability ``level``."""
    if kind == "at all cuts":
        width = np.sqrt(np.log(N_SCORES / level) / (2 * n))
        return max(wrong / n - width, 0), min(wrong / n + width, 1)
    if kind == "always":
        counts = [n - wrong, wrong]
        return lower_mean([0, 1], counts, level), upper_mean([0, 1], counts, level)
    return beta.ppf(level, wrong, n - wrong + 1), beta.isf(level, wrong + 1, n - wrong)


def assert_passes_from(test, margin):
    """The test passes at those levels at which the margin, which grows with them, is above 0."""
    level = np.exp(brentq(lambda log: margin(np.exp(log)), -60, -0.01))
    assert test(1.001 * level)
    assert not test(0.999 * level)


@pytest.mark.parametrize("kind", LIMITS)
@pytest.mark.parametrize("prevalence", [0.3, 0.4])
def test_useful_at_a_target_prevalence_compares_costs_there(kind, prevalence):
    """The rule against calling nobody and calling everybody; each rate has half of the level."""
    (tn, fp), (fn, tp) = GOOD
    good = compared(GOOD, cost_fn=2.0, target=(0.3, 0.4), **LIMITS[kind])
    bad = replace(good, here=GOOD[:, ::-1])
    miss, alarm = 2 * prevalence, 1 - prevalence

    def cost(missed, alarmed, level, end):
        lost = limits_of(kind, missed, fn + tp, level / 2)[end]
        return miss * lost + alarm * limits_of(kind, alarmed, tn + fp, level / 2)[end]

    for place, without in enumerate((miss, alarm), start=0 if prevalence == 0.3 else 2):
        yes, no = good.tests_for_yes["useful"][place], bad.tests_for_no["useful"][place]
        assert_passes_from(yes, lambda level, a=without: a - cost(fn, fp, level, 1))
        assert_passes_from(no, lambda level, a=without: cost(tp, tn, level, 0) - a)


def test_without_a_class_nothing_is_useful_or_useless_at_a_target_prevalence():
    for here in ([[2, 98], [0, 0]], [[0, 0], [98, 2]]):
        for target in ((0.1, 0.2), (0.8, 0.9)):
            assert compared(here, target=target).verdict(DELTA).useful == "cannot tell"


@pytest.mark.parametrize("kind", ["at all cuts", "always"])
def test_useful_to_patients_who_chose_the_cut_compares_shares_of_all_of_them(kind):
    """Ill and called saves a miss, healthy and called costs an alarm; of the others likewise."""
    (tn, fp), (fn, tp) = here = 4 * GOOD
    good = compared(here, cost_fn=1.5, **LIMITS["at all cuts"], sequential=kind == "always")
    bad = replace(good, here=here[:, ::-1])

    def gain(saved, spent, level, end):
        (count, cost), (other, price) = saved, spent
        won = cost * limits_of(kind, count, here.sum(), level / 2)[end]
        return won - price * limits_of(kind, other, here.sum(), level / 2)[1 - end]

    pairs = [((tp, 1.5), (fp, 1.0)), ((tn, 1.0), (fn, 1.5))]
    turned = [((fn, 1.5), (tn, 1.0)), ((fp, 1.0), (tp, 1.5))]
    for test, pair in zip(good.tests_for_yes["useful"], pairs, strict=True):
        assert_passes_from(test, lambda level, pair=pair: gain(*pair, level, 0))
    for test, pair in zip(bad.tests_for_no["useful"], turned, strict=True):
        assert_passes_from(test, lambda level, pair=pair: -gain(*pair, level, 1))


EQUAL_COSTS = CostMatrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
RISING_COSTS = CostMatrix([[0.5, 1, 1.7], [1, 0.5, 1.2], [1.8, 1.1, 0.5]])
THREE = np.array([[17, 3, 1], [2, 15, 3], [2, 2, 14]])
WORSE = np.array([[1, 3, 17], [3, 2, 15], [14, 2, 2]])


def graded(here, matrix, **options):
    return Comparison(here=here, matrix=matrix, costs=None, promised=1.0, vacuous=False, **options)


def bentkus(losses, level):
    return mean_limit(losses.mean(), losses.size, level)


def always(losses, level):
    return upper_mean(*np.unique(losses, return_counts=True), level)


@pytest.mark.parametrize("worse", [False, True])
@pytest.mark.parametrize(
    ("matrix", "options", "limit"),
    [
        (EQUAL_COSTS, {}, bentkus),
        (RISING_COSTS, {}, betting_limit),
        (RISING_COSTS, {"sequential": True}, always),
    ],
)
def test_useful_with_grades_bounds_the_mean_gain_over_each_action(matrix, options, limit, worse):
    """By patient: what an action for everybody would cost, less what the decision costs."""
    one = graded(WORSE if worse else THREE, matrix, **options)
    tests = (one.tests_for_no if worse else one.tests_for_yes)["useful"]
    for action, test in enumerate(tests):
        gains = matrix.values[:, [action]] - matrix.values
        losses = gains if worse else -gains
        least, spread = losses.min(), np.ptp(losses)
        by_patient = np.repeat((losses - least) / spread, one.here.ravel())
        assert_passes_from(
            test,
            lambda level, a=least, b=spread, c=by_patient: -a - b * limit(c, level),
        )
    assert len(tests) == 3


def test_useful_with_grades_and_very_many_patients():
    """Bentkus' bound, because the narrower betting bound is slow."""
    here, costs = 120 * np.array([[20, 14, 5], [11, 20, 9], [5, 12, 17]]), RISING_COSTS.values
    losses = np.repeat(costs - costs[:, [1]], here.ravel())
    least, spread = losses.min(), np.ptp(losses)
    scaled = (losses - least) / spread
    test = graded(here, RISING_COSTS).tests_for_yes["useful"][1]
    assert_passes_from(test, lambda level: -least - spread * bentkus(scaled, level))


# The average cost, and limits that are shown -------------------------------------------------


@pytest.mark.parametrize("target", [(0.1, 0.2), (0.6, 0.9)])
def test_the_cost_at_a_target_prevalence_is_taken_at_the_worse_end(target):
    """At every look: with limits of both rates at half of the level each."""
    one = compared(GOOD, cost_fn=3.0, target=target, sequential=True)
    miss, alarm = (limits_of("always", *pair, 0.05) for pair in ((8, 45), (15, 75)))
    for end, found in enumerate((one.lowest_cost(DELTA), one.highest_cost(DELTA))):
        costs = [3 * p * miss[end] + (1 - p) * alarm[end] for p in target]
        assert found == pytest.approx(max(costs), rel=1e-9)
    assert one.observed_cost == pytest.approx(
        max(3 * p * 8 / 45 + (1 - p) * 15 / 75 for p in target)
    )


def test_the_cost_at_every_look_is_on_the_scale_of_the_costs():
    costs = RISING_COSTS.values
    scaled = np.repeat((costs - 0.5) / 1.3, THREE.ravel())
    values, counts = np.unique(scaled, return_counts=True)
    one = graded(THREE, RISING_COSTS, sequential=True)
    low, high = lower_mean(values, counts, DELTA), upper_mean(values, counts, DELTA)
    assert one.lowest_cost(DELTA) == pytest.approx(0.5 + 1.3 * low, rel=1e-9)
    assert one.highest_cost(DELTA) == pytest.approx(0.5 + 1.3 * high, rel=1e-9)
    by_patient = np.repeat(costs, THREE.ravel())
    assert one.observed_cost == pytest.approx(by_patient.mean())
    best = min(np.repeat(costs[:, action], THREE.sum(axis=1)).mean() for action in range(3))
    assert one.cost_without_score == pytest.approx(best)


def test_the_cost_at_one_look_is_that_of_the_certificate():
    one = graded(THREE, RISING_COSTS)
    grades, actions = certify.members_of(THREE)
    wanted = certify.certify_cost(actions, grades, RISING_COSTS, DELTA)
    assert one.highest_cost(DELTA) == wanted.value
    assert one.certificate(DELTA) == wanted
    assert one.lowest_cost(DELTA) == certify.lowest_cost(actions, grades, RISING_COSTS, DELTA)


@pytest.mark.parametrize("kind", LIMITS)
def test_the_limits_of_all_error_rates_hold_together(kind):
    found = graded(5 * THREE, RISING_COSTS, **LIMITS[kind]).limited_rates(DELTA)
    # Missed and false alarms at either boundary, by hand.
    wanted = [(4, 38), (4, 21), (4, 18), (4, 41)]
    assert [(one.errors, one.n_patients) for one in found] == [
        (5 * wrong, 5 * n) for wrong, n in wanted
    ]
    for one in found:
        limit = limits_of(kind, one.errors, one.n_patients, DELTA / 4)[1]
        assert one.limit == pytest.approx(limit, rel=1e-9)


@pytest.mark.parametrize("sequential", [False, True])
def test_within_the_certificate_compares_a_limit_with_the_promise(sequential):
    one = compared(GOOD, sequential=sequential)
    high, low = one.highest_cost(DELTA), one.lowest_cost(DELTA)
    within = [replace(one, promised=high + less) for less in (0.0, -1e-9)]
    above = [replace(one, promised=low + less) for less in (0.0, -1e-9)]
    assert [part.tests_for_yes["within_certificate"][0](DELTA) for part in within] == [True, False]
    assert [part.tests_for_no["within_certificate"][0](DELTA) for part in above] == [False, True]


def test_limits_that_equal_a_certified_value_or_a_margin():
    """With one patient and a level of a half the exact limits are halves and quarters."""
    right, wrong = ([[0, 0], [0, 1]], [[0, 0], [1, 0]])
    half = {"certified": {"sensitivity": 0.5}}
    assert compared(right, **half).tests_for_yes["sensitivity"][0](0.5)
    assert not compared(wrong, **half).tests_for_no["sensitivity"][0](0.5)
    # One right decision, or one wrong one, does not tell which action costs less.
    assert not compared([[0, 0], [0, 1]]).tests_for_yes["useful"][0](0.5)
    assert not compared([[0, 1], [1, 0]]).tests_for_no["useful"][0](0.5)


@pytest.mark.parametrize("name", ["sensitivity", "npv"])
def test_a_rate_falls_short_from_its_own_level_on(name):
    """A "no" to one rate does not share the level with other rates, as limits together do."""
    one = compared(GOOD, certified={name: 0.95, "specificity": 0.9})
    n = 45 if name == "sensitivity" else 68
    assert_passes_from(one.tests_for_no[name][0], lambda level: level - binom.cdf(n - 8, n, 0.95))


# What looks good, and how many patients would show it -----------------------------------------


def test_what_was_observed_looks_good_where_all_of_it_does():
    def looks_good(here=((85, 15), (10, 90)), before=HOME, **options):
        return compared(here, before, **options).looks_good

    assert looks_good()
    # What was certified does not count.
    assert looks_good(promised=0.01)
    # Calling nobody costs 10 of 110, the decision 11 of 110.
    assert not looks_good([[90, 10], [1, 9]], before=None)
    assert looks_good([[91, 9], [1, 9]], before=None)
    # 12.5 of 100 were wrong before. The margin is 5 of 100, a tenth of treat-all.
    assert looks_good([[82, 18], [17, 83]])
    assert not looks_good([[82, 18], [18, 82]])
    assert looks_good([[82, 18], [18, 82]], margin=0.12)
    # Without patients of a class before, costs cannot be compared.
    assert looks_good([[82, 18], [18, 82]], before=[[85, 15], [0, 0]])
    # Certified rates: 90 % found, 85 % of the healthy left alone.
    assert looks_good(certified={"sensitivity": 0.9, "specificity": 0.85})
    assert not looks_good(certified={"sensitivity": 0.9, "specificity": 0.86})
    assert not looks_good(certified={"sensitivity": 0.91})


def test_a_rate_moves_where_fishers_test_says_so_in_either_direction():
    one = compared([[150, 50], [5, 195]])
    alarm, miss = ErrorRate(wrong=50, n_patients=200), ErrorRate(wrong=5, n_patients=200)
    pairs = list(zip(one.rates, one.moved, strict=True))
    assert {here for (here, _), _ in pairs} == {alarm, miss}
    for (here, before), moved in pairs:
        way = 1 if here == alarm else -1
        sides = (here, before) if way == 1 else (here.opposite, before.opposite)
        level = 2 * melded_p_value(*sides)
        assert moved(1.001 * level) == way
        assert moved(0.999 * level) == 0


def test_more_patients_at_the_observed_rates():
    found = compared([[6, 2], [1, 3]]).scaled_to(120)
    assert found.here.tolist() == [[60, 20], [10, 30]]
    assert found.here.dtype == np.int64
    assert np.array_equal(found.before, HOME)


@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2])
def test_the_strict_level_is_passed_with_ill_luck(delta):
    """A mean that passes it is 1.25 standard errors beyond what a test at delta needs."""
    assert norm.isf(strict_level(delta)) == pytest.approx(norm.isf(delta) + 1.25)


@pytest.mark.parametrize("start", [1, 2, 3, 7])
def test_the_smallest_number_is_found_without_far_larger_ones(start):
    for needed, most in product(range(1, 40), range(start, 40, 4)):
        tried = []
        found = smallest_number(lambda n, a=needed, b=tried: b.append(n) or n >= a, start, most)
        wanted = max(start, needed)
        assert found == (wanted if wanted <= most else None)
        assert start <= min(tried)
        assert max(tried) <= min(max(2 * wanted, start), most)
    assert smallest_number(lambda n: n >= MOST_PATIENTS, 7) == MOST_PATIENTS
    assert smallest_number(lambda n: n > MOST_PATIENTS, 7) is None


def test_a_rate_before_without_any_right_decision_bounds_nothing():
    all_wrong = ErrorRate(wrong=9, n_patients=9)
    for wrong in (0, 3):
        here = ErrorRate(wrong=wrong, n_patients=4)
        assert melded_p_value(here, all_wrong) == pytest.approx(1.0)


def test_texts_write_predictive_values_in_capital_letters():
    found = [name_in_text(name) for name in ("sensitivity", "specificity", "npv", "ppv")]
    assert found == ["sensitivity", "specificity", "NPV", "PPV"]


def test_a_cut_off_of_a_menu_has_a_share_of_the_level_for_each_cut_off():
    here, before = [[180, 20], [12, 188]], [[172, 28], [18, 182]]
    plain, menu = compared(here, before), compared(here, before, n_choices=-10)
    assert plain.verdict(DELTA).as_before == menu.verdict(DELTA).as_before == "yes"
    assert compared(here, before, n_choices=1).verdict(DELTA).as_before == "cannot tell"
    assert menu.change(DELTA).low < plain.change(DELTA).low
    assert menu.change(DELTA).high > plain.change(DELTA).high
    assert replace(menu, n_choices=-1).change(DELTA) == plain.change(DELTA)


def test_a_rate_has_moved_only_where_both_hospitals_can_show_it():
    assert compared([[180, 20], [12, 188]], before=None).moved == []
    # Nobody is ill here, so the share of misses cannot be compared.
    misses, alarms = compared([[60, 140], [0, 0]], [[172, 28], [18, 182]]).moved
    assert (alarms(DELTA), misses(DELTA)) == (1, 0)


def test_where_the_same_patients_chose_the_cut_off_a_rate_must_leave_wider_limits():
    """The limits before hold at every cut-off, so a rate has to move further."""
    near, far = [[150, 50], [18, 182]], [[60, 140], [18, 182]]
    before = [[172, 28], [18, 182]]
    for here, moved in ((near, 0), (far, 1)):
        assert compared(here, before, n_choices=1).moved[1](DELTA) == moved
    assert compared(near, before).moved[1](DELTA) == 1
