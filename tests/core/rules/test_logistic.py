import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.resampling import resample
from steadycut.core.cuts.grid import cuts_of, exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules import logistic
from steadycut.core.rules.registry import on_cuts, parse_rule
from tests.core.cohorts import COSTS, SEEDS, binormal, random_cohort


def rank_by_logistic(cohort, costs, grid="exact"):
    cuts = cuts_of(cohort, grid)
    return int(on_cuts(parse_rule("logistic"), cuts)(count_errors(cuts.cells[None, :]), costs)[0])


def peer_rank(cohort, odds):
    """What scikit-learn finds without a penalty, with Platt's targets as weights."""
    scores, labels = cohort.scores, cohort.labels
    ill, well = cohort.n_positive, cohort.n_negative
    target = np.where(labels == 1, (ill + 1) / (ill + 2), 1 / (well + 2))
    column = ((scores - scores.mean()) / scores.std())[:, None]
    model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(
        np.vstack([column, column]),
        np.repeat([1, 0], scores.size),
        sample_weight=np.concatenate([target, 1 - target]),
    )
    if model.coef_[0, 0] <= 0:
        return 0 if model.intercept_[0] >= odds else scores.size
    return int((column[:, 0] < (odds - model.intercept_[0]) / model.coef_[0, 0]).sum())


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_it_agrees_with_scikit_learn(costs, seed):
    cohort = random_cohort(seed, 60)
    odds = float(np.log(costs.cost_fp / costs.cost_fn))
    assert rank_by_logistic(cohort, costs) == peer_rank(cohort, odds)


@pytest.mark.parametrize("distance", [2.0, 60.0])
def test_many_patients_in_groups_agree_too(distance):
    """Scores that separate the classes have a finite line as well."""
    cohort = binormal(3, 3000, distance=distance, prevalence=0.1)
    found = rank_by_logistic(cohort, Costs(cost_fn=5.0))
    assert found == pytest.approx(peer_rank(cohort, float(np.log(1 / 5))), abs=3)


def test_a_target_prevalence_moves_the_odds():
    cohort = binormal(1, 400, distance=1.0, prevalence=0.4)
    ill, well = cohort.n_positive, cohort.n_negative
    shift = np.log(0.9 / 0.1) - np.log(well / ill)
    expected = peer_rank(cohort, float(np.log(1 / 2) + shift))
    assert rank_by_logistic(cohort, Costs(cost_fn=2.0, target=(0.1, 0.1))) == expected
    assert rank_by_logistic(cohort, Costs(cost_fn=2.0)) < expected


def test_a_score_that_does_not_rise_calls_everybody_or_nobody():
    cohort = PatientScores(scores=np.arange(40.0), labels=np.arange(40) < 20)
    assert rank_by_logistic(cohort, Costs(cost_fn=5.0)) == 0
    assert rank_by_logistic(cohort, Costs(cost_fp=5.0)) == 40


def test_a_weak_score_can_call_everybody_or_nobody():
    cohort = binormal(0, 200, distance=0.1)
    assert rank_by_logistic(cohort, Costs(cost_fn=30.0)) == 0
    assert rank_by_logistic(cohort, Costs(cost_fp=30.0)) == 200


@pytest.mark.parametrize("label", [0, 1])
def test_without_a_class_or_without_a_spread_it_is_defined(label):
    """A replicate may have drawn nobody of a class, or one score only."""
    cohort = PatientScores(scores=np.arange(20.0), labels=[label] * 20)
    assert rank_by_logistic(cohort, Costs()) == (0 if label else 20)
    tied = PatientScores(scores=[1.0] * 6, labels=[label] * 4 + [1 - label] * 2)
    assert rank_by_logistic(tied, Costs()) == (0 if label else 6)


@pytest.mark.parametrize("factor", [1e-20, 1e-9, 1e9])
def test_the_units_of_scores_and_costs_change_nothing(factor):
    cohort, costs = random_cohort(2, 80), Costs(cost_fn=3.0)
    moved = PatientScores(scores=factor * cohort.scores + 7 * factor, labels=cohort.labels)
    scaled = Costs(cost_fn=3.0 * factor, cost_fp=factor)
    assert rank_by_logistic(moved, scaled) == rank_by_logistic(cohort, costs)


def test_outliers_do_not_stop_the_fit():
    rng = np.random.default_rng(0)
    labels = np.arange(300) % 2
    scores = np.where(labels, 1, -1) * np.exp(3 * rng.normal(size=300))
    cohort = PatientScores(scores=scores, labels=labels)
    assert rank_by_logistic(cohort, Costs(cost_fn=2.0)) == peer_rank(cohort, float(np.log(1 / 2)))


def test_every_row_is_answered_as_if_it_were_alone():
    cuts = exact_cuts(random_cohort(4, 70))
    rule = on_cuts(parse_rule("logistic"), cuts)
    rows = resample(cuts.cells[None, :], 8, np.random.default_rng(0))[0]
    alone = [int(rule(count_errors(row[None, :]), Costs())[0]) for row in rows]
    assert rule(count_errors(rows), Costs()).tolist() == alone


def test_draws_run_the_rule_again():
    cuts = exact_cuts(binormal(5, 120))
    draws = draw_thresholds(cuts, parse_rule("logistic"), Costs(), 50, np.random.default_rng(0))
    assert np.unique(draws.thresholds).size > 10
    assert np.quantile(draws.thresholds, 0.05) < draws.threshold
    assert draws.threshold < np.quantile(draws.thresholds, 0.95)


def test_the_edges_of_the_groups_hold_everybody():
    assert logistic.EDGES[0] == 0
    assert logistic.EDGES[-1] == 1
    assert (np.diff(logistic.EDGES) > 0).all()


def test_without_scores_neighbouring_patients_are_one_step_apart():
    cohort = PatientScores(scores=np.arange(30.0), labels=random_cohort(3, 30).labels)
    curve, costs = count_errors(exact_cuts(cohort).cells[None, :]), Costs(cost_fn=2.0)
    assert int(parse_rule("logistic")(curve, costs)[0]) == rank_by_logistic(cohort, costs)


def test_the_targets_of_two_ill_and_one_healthy_patient():
    cohort = PatientScores(scores=[1.0, 2.0, 2.0], labels=[0, 1, 1])
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    score, ill, well = logistic._targets(curve, np.array([[-1.0, 0.5]]))
    assert score.tolist() == [[-1.0, 0.5]]
    assert ill[0] == pytest.approx([1 / 3, 2 * 3 / 4])
    assert well[0] == pytest.approx([2 / 3, 2 * 1 / 4])


def test_every_row_has_its_own_unit():
    """The same patients twice, in units a billion times as large, and nobody in between."""
    labels = np.array([0, 0, 1, 0, 1, 1])
    values = np.array([0.0, 1, 2, 3, 4, 5])
    scores = np.concatenate([1e-7 * values, 1e7 * (1 + values)])
    rule = logistic.Logistic(values=scores)
    both = np.stack([labels, 1 - labels])
    rows = np.zeros((2, 2, 12), dtype=np.int64)
    rows[0, :, :6], rows[1, :, 6:] = both, both
    found = rule(count_errors(rows.reshape(2, -1)), Costs())
    assert found.tolist() == [3, 3]
