"""The cuts nearest to the mean score and to the prevalence."""

import numpy as np
import pytest

import steadycut
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import on_cuts, parse_rule
from steadycut.core.rules.score_rules import bin_values, mean_score
from steadycut.errors import BadOption
from tests.core.cohorts import SEEDS, random_cohort


def smallest_called(rule, cohort, grid="exact"):
    cuts = cuts_of(cohort, grid)
    rank = on_cuts(parse_rule(rule), cuts)(count_errors(cuts.cells[None, :]), Costs())
    return float(np.sort(cohort.scores)[int(rank[0])])


def test_four_patients_by_hand():
    """The mean is 0.45 and half are diseased: 0.4 lies nearest to either."""
    cohort = PatientScores(scores=[0.1, 0.2, 0.55, 0.95], labels=[0, 1, 0, 1])
    assert smallest_called("mean-score", cohort) == 0.55
    assert smallest_called("prevalence-score", cohort) == 0.55


def test_scores_that_are_no_probabilities_are_mapped_to_0_to_1():
    cohort = PatientScores(scores=[10, 11, 14, 20], labels=[0, 0, 0, 1])
    assert smallest_called("prevalence-score", cohort) == 11


@pytest.mark.parametrize("seed", SEEDS)
def test_the_nearest_score_by_a_loop(seed):
    cohort = random_cohort(seed, tied=False)
    wanted = {
        "mean-score": cohort.scores.mean(),
        "prevalence-score": cohort.scores.min() + cohort.labels.mean() * np.ptp(cohort.scores),
    }
    for rule, target in wanted.items():
        nearest = min(cohort.scores, key=lambda score: abs(score - target))
        assert smallest_called(rule, cohort) == nearest


def test_on_an_even_grid_a_group_stands_in_the_middle_of_its_step():
    """Steps of 1 from 0 to 4; the last patient, at the end of the grid, stands where he is."""
    cuts = cuts_of(PatientScores(scores=[0.0, 1.2, 1.8, 4.0], labels=[0, 1, 0, 1]), 5)
    assert bin_values(cuts).tolist() == [0.5, 1.5, 4.0]


def test_an_even_grid_is_right_to_a_step():
    cohort = random_cohort(1, 400, tied=False)
    step = np.ptp(cohort.scores) / 199
    assert abs(smallest_called("mean-score", cohort, 200) - cohort.scores.mean()) < 2 * step


def test_a_score_that_a_replicate_did_not_draw_is_not_called():
    """The mean of the drawn patients is 1.5, nearest to 1 and 2, of which nobody drew 1."""
    cuts = cuts_of(PatientScores(scores=[0, 1, 2, 3], labels=[0, 1, 0, 1]), "exact")
    rule = on_cuts(parse_rule("mean-score"), cuts)
    drawn = np.array([[0, 0, 0, 1, 1, 0, 1, 0]])
    assert rule(count_errors(drawn), Costs()).tolist() == [1]


def test_every_row_has_its_own_mean():
    cuts = cuts_of(PatientScores(scores=[0, 1, 2, 3], labels=[0, 1, 0, 1]), "exact")
    drawn = np.array([[2, 0, 0, 0, 2, 0, 0, 0], [0, 0, 0, 1, 0, 0, 1, 2]])
    means = mean_score(count_errors(drawn), bin_values(cuts))
    assert means.tolist() == [[0.0], [2.75]]


def test_without_thresholds_a_step_is_a_group():
    cells = np.array([[0, 0, 1, 1, 1, 1, 0, 0]])
    assert parse_rule("mean-score")(count_errors(cells), Costs()).tolist() == [1]


@pytest.mark.parametrize("rule", ["mean-score", "prevalence-score", "youden-kernel"])
def test_an_ensemble_has_no_distances(rule):
    cohort = random_cohort(0, 60)
    with pytest.raises(BadOption, match=f"the rule '{rule}' looks at distances"):
        steadycut.fit([cohort, cohort], rule=rule, ensemble="quantile")


@pytest.mark.parametrize("rule", ["mean-score", "prevalence-score"])
@pytest.mark.parametrize("grid", [50, "exact"])
def test_the_stability_report_is_whole(rule, grid):
    study = steadycut.fit(random_cohort(2, 80, tied=False), rule=rule, grid=grid)
    assert 0 <= study.flip_rate < 0.5
    assert np.isfinite(study.bootstrap_thresholds).all()


@pytest.mark.parametrize("factor", [1e-12, 1e-6, 1e12])
@pytest.mark.parametrize("rule", ["mean-score", "prevalence-score"])
def test_the_unit_of_the_scores_changes_no_choice(rule, factor):
    """Scores of several units, none of which can be taken for a probability."""
    for seed in SEEDS:
        cohort = random_cohort(seed, tied=True)
        moved = PatientScores(scores=-np.exp(cohort.scores), labels=cohort.labels)
        scaled = PatientScores(scores=factor * moved.scores, labels=cohort.labels)
        assert smallest_called(rule, scaled) == factor * smallest_called(rule, moved)


def test_one_score_above_1_is_enough_to_be_no_probability():
    """Half are diseased: along the range from 0.1 to 3.1 that is 1.6, as a probability 0.5.

    So is one score below 0. Scores of exactly 0 and 1 are probabilities.
    """
    for scores, called in [
        ([0.1, 0.5, 1.0, 3.1], 1.0),
        ([0.1, 0.5, 1.0, 1.8], 1.0),
        ([-3.0, 0.1, 0.5, 0.9], 0.1),
        ([0.0, 0.2, 0.31, 0.5], 0.5),
        ([0.6, 0.7, 0.8, 1.0], 0.6),
    ]:
        cohort = PatientScores(scores=scores, labels=[0, 1, 0, 1])
        assert smallest_called("prevalence-score", cohort) == called


def test_a_score_that_nobody_drew_is_not_the_nearest():
    """Eight patients drew 0 and seven 3: the mean is 1.4, and of these two 0 is nearer."""
    cuts = cuts_of(PatientScores(scores=[0, 1, 2, 3], labels=[0, 1, 0, 1]), "exact")
    drawn = np.array([[0, 0, 0, 7, 8, 0, 0, 0]])
    assert on_cuts(parse_rule("mean-score"), cuts)(count_errors(drawn), Costs()).tolist() == [0]
