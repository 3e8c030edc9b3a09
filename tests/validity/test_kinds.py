"""Verdicts and alarms about risk strata and cut-offs by covariate, where the truth is known.

The certified value is set to the true mean cost. There both verdicts are wrong most often, and the
watch sees the largest mean cost that is still within the certificate.
"""

import itertools

import numpy as np
import pytest

from steadycut import PatientScores, audit, fit_by_covariate, fit_strata, monitor
from tests.core.strata_cohorts import GREY, SQUARE, WIDE, ZERO_ONE, graded
from tests.study.test_covariate import cohort
from tests.validity.test_monitor import at_most

pytestmark = pytest.mark.validity

DELTA = 0.1
SIZES = [pytest.param(50, id="short"), pytest.param(3000, id="full", marks=pytest.mark.slow)]
COSTS = {"square": SQUARE, "grey": GREY, "wide": WIDE, "zero-one": ZERO_ONE}
# How often each grade occurs; errors may be rare and costly.
SHARES = {2: [0.8, 0.2], 3: [0.6, 0.3, 0.1]}


def promised(rule, value):
    """The same rule with another certified value."""
    certificate = rule.certificate.model_copy(update={"value": float(value)})
    document = rule.document.model_copy(update={"certificate": certificate, "sha256": None})
    return type(rule)(document)


def frozen_strata(costs):
    patients, grades = graded(1, 160, costs.n_grades, distance=1.5)
    return fit_strata(patients, costs=costs.values, grades=grades, n_bootstrap=2).freeze()


def drawer(rule, spread, rng):
    """Return a function that draws scores and grades, and the true mean cost of the rule.

    A patient of a grade gets a score in the stratum of the grade, or with probability ``spread``
    in any stratum.
    """
    costs = rule.cost_matrix
    n_grades, n_strata = costs.values.shape
    low, high = rule.thresholds[0] - 1, rule.thresholds[-1] + 1
    ends = [low, *rule.thresholds, high]
    inside = [(a + b) / 2 for a, b in itertools.pairwise(ends)]
    best = costs.values.argmin(axis=1)
    chances = np.full((n_grades, n_strata), spread / n_strata)
    chances[np.arange(n_grades), best] += 1 - spread
    shares = np.array(SHARES[n_grades])
    joint = (shares[:, None] * chances).ravel()

    def draw(n):
        cells = rng.choice(joint.size, n, p=joint)
        return np.array(inside)[cells % n_strata], cells // n_strata

    return draw, float((joint * costs.values.ravel()).sum())


def wrong_verdicts(rule, draw, n_audits, n_patients):
    """Return how often it is within the certificate, and not within it."""
    several = [audit(rule, *draw(n_patients)).labelled.verdict for _ in range(n_audits)]
    found = [one.within_certificate for one in several]
    return found.count("yes") / n_audits, found.count("no") / n_audits


@pytest.mark.parametrize("n_audits", SIZES)
@pytest.mark.parametrize("spread", [0.05, 0.4])
@pytest.mark.parametrize("name", COSTS)
def test_verdicts_about_strata_are_wrong_at_most_as_often_as_promised(name, spread, n_audits):
    rng, rule = np.random.default_rng(1), frozen_strata(COSTS[name])
    draw, mean = drawer(rule, spread, rng)
    for share in wrong_verdicts(promised(rule, mean), draw, n_audits, 60):
        assert at_most(share, DELTA, n_audits)


def test_a_verdict_that_looks_at_the_observed_cost_is_a_trap():
    """Without a margin the verdict is wrong in about half of the audits, and this file sees it."""
    rng, rule = np.random.default_rng(2), frozen_strata(SQUARE)
    draw, mean = drawer(rule, 0.4, rng)
    means = [audit(rule, *draw(60)).labelled.direct.risk for _ in range(100)]
    assert not at_most(np.mean(np.array(means) <= mean), DELTA, 100)


@pytest.mark.parametrize("n_audits", SIZES)
@pytest.mark.parametrize("costs", [(1.0, 1.0), (5.0, 1.0)])
def test_verdicts_by_covariate_are_wrong_at_most_as_often_as_promised(costs, n_audits):
    rng = np.random.default_rng(3)
    patients, sex = cohort()
    rule = fit_by_covariate(
        patients, covariate=sex, name="sex", cost_fn=costs[0], cost_fp=costs[1], n_bootstrap=2
    ).freeze()
    everyone, sexes = cohort(40_000, seed=4, named=False)
    called = rule.decide_scores(everyone.scores, sexes)
    losses = rule.cost_matrix.of_patients(everyone.labels, called)
    made = promised(rule, losses.mean())
    found = []
    for _ in range(n_audits):
        some = rng.integers(0, 40_000, 80)
        there = PatientScores(
            scores=everyone.scores[some],
            labels=everyone.labels[some],
            attributes={"sex": sexes[some]},
        )
        found.append(audit(made, there).labelled.verdict.within_certificate)
    for verdict in ("yes", "no"):
        assert at_most(found.count(verdict) / n_audits, DELTA, n_audits)


@pytest.mark.parametrize("n_streams", SIZES)
@pytest.mark.parametrize("name", ["square", "grey", "wide"])
def test_false_alarms_of_a_watch_on_strata(name, n_streams):
    """Of the watch on the cost at the certified value, and of the watch on the share called."""
    rng, rule = np.random.default_rng(5), frozen_strata(COSTS[name])
    draw, mean = drawer(rule, 0.3, rng)
    made = promised(rule, mean)
    alarms = calls = 0
    for _ in range(n_streams):
        counts = np.zeros(rule.cost_matrix.values.shape, dtype=int)
        scores, grades = draw(80)
        np.add.at(counts, (grades, rule.stratum_of(scores)), 1)
        document = made.document.model_copy(update={"counts": counts.tolist(), "sha256": None})
        found = monitor(type(rule)(document), *draw(400))
        alarms += found.first_alarm is not None
        calls += found.calls.first_alarm is not None
    assert at_most(alarms / n_streams, DELTA, n_streams)
    assert at_most(calls / n_streams, DELTA, n_streams)
