"""How often the decision and the answers of an audit are wrong, where the truth is known.

Every population lies where a wrong answer is most likely: the mean cost is the certified one, it is
a margin above that before, or a predictive value is where a call just pays off.
"""

from dataclasses import replace

import numpy as np
import pytest

from steadycut.core.records import Costs
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.verdict import MARGIN, REFUSED, Comparison, verdicts
from tests.validity.test_monitor import at_most

pytestmark = pytest.mark.validity

DELTA = 0.1
AUDITS = [pytest.param(100, id="short"), pytest.param(4000, id="full", marks=pytest.mark.slow)]
# Prevalence, miss rate, alarm rate; a decision that is useful everywhere.
POPULATIONS = [(0.1, 0.1, 0.02), (0.3, 0.1, 0.1), (0.5, 0.3, 0.2), (0.5, 0.02, 0.05)]
SIZES = [(50, 50), (200, 40), (400, 400)]


def draw(rng, n, prevalence, miss, alarm):
    cells = [(1 - prevalence) * (1 - alarm), (1 - prevalence) * alarm]
    cells += [prevalence * miss, prevalence * (1 - miss)]
    return rng.multinomial(n, cells).reshape(2, 2)


def compared(here, before, promised, cost_fn=1.0, **options):
    return Comparison(
        here=here,
        before=before,
        matrix=CostMatrix([[0.0, 1.0], [cost_fn, 0.0]]),
        costs=Costs(cost_fn=cost_fn),
        promised=promised,
        vacuous=False,
        **options,
    )


def cost(prevalence, miss, alarm, cost_fn=1.0):
    return cost_fn * prevalence * miss + (1 - prevalence) * alarm


def says_yes(one, question):
    """Whether the answer to one question is yes, without asking the others."""
    return all(test(DELTA) for test in one.tests_for_yes[question])


@pytest.mark.parametrize("n_audits", AUDITS)
@pytest.mark.parametrize(("n", "n_before"), SIZES)
@pytest.mark.parametrize("population", POPULATIONS)
def test_a_useful_rule_that_did_not_change_is_rarely_refused(population, n, n_before, n_audits):
    """To adapt it, or not to use it, is a false alarm."""
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(n_audits):
        here, before = draw(rng, n, *population), draw(rng, n_before, *population)
        wrong += compared(here, before, cost(*population)).verdict(DELTA).decision in REFUSED
    assert at_most(wrong / n_audits, DELTA, n_audits)


@pytest.mark.parametrize("n_audits", AUDITS)
@pytest.mark.parametrize(("n", "n_before"), SIZES)
@pytest.mark.parametrize(("prevalence", "miss", "alarm"), POPULATIONS)
def test_each_yes_is_rarely_wrong(prevalence, miss, alarm, n, n_before, n_audits):
    rng = np.random.default_rng(2)
    wrong = np.zeros(4)
    # So many alarms that calling nobody costs the same.
    even = min(prevalence * (1 - miss) / (1 - prevalence), 1.0)
    for _ in range(n_audits):
        before = draw(rng, n_before, prevalence, miss, alarm)
        # The cost rises by exactly the margin.
        more = MARGIN * min(prevalence, 1 - prevalence)
        more_missed = draw(rng, n, prevalence, miss + more / prevalence, alarm)
        more_alarms = draw(rng, n, prevalence, miss, alarm + more / (1 - prevalence))
        useless = draw(rng, n, prevalence, miss, even)
        same = draw(rng, n, prevalence, miss, alarm)
        promised = cost(prevalence, miss, alarm)
        wrong += [
            says_yes(compared(more_missed, before, promised), "as_before"),
            says_yes(compared(more_alarms, before, promised), "as_before"),
            says_yes(compared(useless, before, promised), "useful"),
            says_yes(compared(same, before, promised), "within_certificate"),
        ]
    for share in wrong / n_audits:
        assert at_most(share, DELTA, n_audits)


@pytest.mark.parametrize("n_audits", AUDITS)
@pytest.mark.parametrize("n_groups", [3, 10])
def test_many_groups_do_not_make_false_alarms(n_groups, n_audits):
    rng, wrong = np.random.default_rng(3), 0
    population = (0.4, 0.15, 0.15)
    for _ in range(n_audits // 3):
        before = draw(rng, 100, *population)
        groups = [
            compared(draw(rng, 60, *population), before, cost(*population)) for _ in range(n_groups)
        ]
        wrong += any(one.decision in REFUSED for one in verdicts(groups, DELTA))
    assert at_most(wrong / (n_audits // 3), DELTA, n_audits // 3)


LOOKS = range(10, 201, 10)


def ever(rng, population, promised, cost_fn, *, sequential):
    """Return which answers come out at any look: wrong "within the certificate", any "no"."""
    before = draw(rng, 100, *population)
    here, found = np.zeros((2, 2), dtype=np.int64), np.zeros(2, dtype=bool)
    for _ in LOOKS:
        here = here + draw(rng, 10, *population)
        verdict = compared(here, before, promised, cost_fn, sequential=sequential).verdict(DELTA)
        found |= [verdict.within_certificate == "yes", verdict.decision in REFUSED]
    return found


@pytest.mark.parametrize(
    "n_audits",
    [pytest.param(60, id="short"), pytest.param(1000, id="full", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("cost_fn", [1.0, 5.0])
def test_looking_every_ten_patients_keeps_the_promise(cost_fn, n_audits):
    """The cost is that certified, so "within the certificate" is wrong; so is any refusal."""
    rng, population = np.random.default_rng(4), (0.4, 0.15, 0.15)
    promised = cost(*population, cost_fn)
    found = [ever(rng, population, promised, cost_fn, sequential=True) for _ in range(n_audits)]
    for share in np.mean(found, axis=0):
        assert at_most(share, DELTA, n_audits)


def test_looking_again_and_again_with_limits_for_one_look_is_a_trap():
    """The limits of a single look are wrong far more often, and this file sees it."""
    rng, population = np.random.default_rng(5), (0.4, 0.15, 0.15)
    found = [ever(rng, population, cost(*population), 1.0, sequential=False) for _ in range(60)]
    assert not at_most(np.mean(found, axis=0)[0], DELTA, 60)


@pytest.mark.parametrize(
    "n_audits",
    [pytest.param(60, id="short"), pytest.param(1000, id="full", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("target", [None, (0.3, 0.6)])
def test_useful_at_any_look_keeps_the_promise(target, n_audits):
    """Calling nobody costs the same in truth, over a range at its low end; every "yes" is wrong."""
    rng, wrong = np.random.default_rng(6), 0
    prevalence = 0.4 if target is None else target[0]
    population = (0.4, 0.2, prevalence * 0.8 / (1 - prevalence))
    for _ in range(n_audits):
        here, said = np.zeros((2, 2), dtype=np.int64), False
        for _ in LOOKS:
            here = here + draw(rng, 10, *population)
            one = compared(here, None, 1.0, sequential=True)
            said |= says_yes(replace(one, costs=Costs(target=target)), "useful")
        wrong += said
    assert at_most(wrong / n_audits, DELTA, n_audits)
