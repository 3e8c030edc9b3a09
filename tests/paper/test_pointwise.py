"""Figure 1's rule against plain loops over its thresholds."""

import math
from statistics import fmean

import numpy as np
import pytest

import steadycut
from paper.pointwise import (
    Pointwise,
    curvature,
    instability_map,
    moving_average,
    risk_deviation,
    tried_thresholds,
)
from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.resampling import resample
from steadycut.core.cuts.grid import cuts_of, even_cuts, exact_cuts
from steadycut.core.cuts.risk_curve import count_errors, risk_at_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import on_cuts, parse_rule
from steadycut.errors import BadOption
from tests.core.cohorts import COSTS, SEEDS, as_lists, binormal, random_cohort
from tests.slow_reference.cuts import TIE, exact_thresholds, grid_of, middle_of_widest_flat, rank_of
from tests.slow_reference.pointwise import instability
from tests.slow_reference.stable import losses_at

TARGET = Costs(cost_fn=2.0, target=(0.1, 0.4))


def quantile(values, share):
    """Numpy's default: linear between two order statistics."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = min(int(place), len(ordered) - 2) if len(ordered) > 1 else 0
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def chosen_rank(scores, labels, thresholds, cost_fn, cost_fp, cap=0.9, unit=None):
    """How many patients lie below the cut of figure 1."""
    ranks = [rank_of(scores, t) for t in thresholds]
    losses = [losses_at(scores, labels, t, cost_fn, cost_fp) for t in thresholds]
    risks, smooth = [sum(one) / len(one) for one in losses], instability(losses)
    level = quantile(smooth, 0.58) or quantile([v for v in smooth if v > 0] or [0.0], 0.58)
    weight = 1.15 * float(max(risks) - min(risks)) / level if level else 0.0
    tie = float(TIE) * max(cost_fn, cost_fp)
    best = middle_of_widest_flat(risks, ranks, tie)
    same = [i for i, rank in enumerate(ranks) if rank == best]
    start = same[(len(same) - 1) // 2]
    reach = cap * (thresholds[-1] - thresholds[0] if unit is None else unit)
    objective = [
        float(risk) + weight * value
        if i >= start and thresholds[i] - thresholds[start] <= reach
        else math.inf
        for i, (risk, value) in enumerate(zip(risks, smooth, strict=True))
    ]
    return middle_of_widest_flat(objective, ranks, tie)


def rank_by(rule, cohort, costs, grid):
    cuts = cuts_of(cohort, grid)
    return int(rule.on_cuts(cuts)(count_errors(cuts.cells[None, :]), costs)[0])


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("grid", [21, 200])
def test_on_even_cuts_it_is_figure_1(costs, seed, grid):
    cohort = random_cohort(seed, 30)
    thresholds = grid_of(cohort.scores.tolist(), grid)
    expected = chosen_rank(*as_lists(cohort), thresholds, costs.cost_fn, costs.cost_fp)
    assert rank_by(Pointwise(), cohort, costs, grid) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_on_the_exact_cuts_a_step_is_a_cut(seed):
    cohort = random_cohort(seed, 30)
    thresholds = exact_thresholds(cohort.scores.tolist())
    expected = chosen_rank(*as_lists(cohort), thresholds, 1.0, 1.0)
    assert rank_by(Pointwise(), cohort, Costs(), "exact") == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cap_may_be_in_units_of_the_score(seed):
    cohort = random_cohort(seed, 30)
    thresholds = grid_of(cohort.scores.tolist(), 50)
    expected = chosen_rank(*as_lists(cohort), thresholds, 1.0, 1.0, cap=0.4, unit=1.0)
    assert rank_by(Pointwise(cap=0.4, cap_in="score"), cohort, Costs(), 50) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_it_never_moves_to_the_left_of_the_smallest_risk(seed):
    cohort, erm = random_cohort(seed, 40), parse_rule("erm")
    for grid in (30, "exact"):
        cells = cuts_of(cohort, grid).cells[None, :]
        smallest = int(erm(count_errors(cells), Costs())[0])
        assert rank_by(Pointwise(), cohort, Costs(), grid) >= smallest


def test_a_cap_of_next_to_nothing_is_the_smallest_risk():
    cohort = binormal(3, 60)
    cells = even_cuts(cohort, 200).cells[None, :]
    smallest = int(parse_rule("erm")(count_errors(cells), Costs())[0])
    assert rank_by(Pointwise(cap=1e-9), cohort, Costs(), 200) == smallest


@pytest.mark.parametrize("factor", [1e-6, 1e6])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_units_of_scores_and_costs_change_no_choice(seed, factor):
    cohort = random_cohort(seed, 40, tied=False)
    scaled = PatientScores(scores=cohort.scores * 8.0 + 3.0, labels=cohort.labels)
    plain = rank_by(Pointwise(), cohort, Costs(), 100)
    assert rank_by(Pointwise(), scaled, Costs(), 100) == plain
    assert rank_by(Pointwise(), cohort, Costs(cost_fn=factor, cost_fp=factor), 100) == plain


def test_many_rows_are_each_as_if_alone():
    cuts = even_cuts(random_cohort(1, 40), 60)
    rng = np.random.default_rng(0)
    rows = rng.multinomial(40, cuts.cells / 40, size=25)
    rule = Pointwise().on_cuts(cuts)
    together = rule(count_errors(rows), Costs()).tolist()
    assert together == [int(rule(count_errors(row[None, :]), Costs())[0]) for row in rows]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_bootstrap_tells_the_rule_where_the_thresholds_lie(seed):
    cohort = random_cohort(seed, 30)
    cuts = even_cuts(cohort, 40)
    draws = draw_thresholds(cuts, parse_rule(Pointwise()), Costs(), 5, np.random.default_rng(0))
    thresholds = grid_of(cohort.scores.tolist(), 40)
    assert draws.rank == chosen_rank(*as_lists(cohort), thresholds, 1.0, 1.0)


def test_rules_that_need_no_thresholds_stay_as_they_are():
    cuts = even_cuts(random_cohort(1), 20)
    assert on_cuts(parse_rule("erm"), cuts) is parse_rule("erm")


def test_without_cuts_every_cut_is_one_step():
    cuts = exact_cuts(random_cohort(4, 30))
    bound = Pointwise(cap=1.0).on_cuts(cuts)(count_errors(cuts.cells[None, :]), Costs())
    assert Pointwise(cap=1.0)(count_errors(cuts.cells[None, :]), Costs()).tolist() == bound.tolist()


@pytest.mark.parametrize("grid", [15, 200, "exact"])
def test_every_threshold_belongs_to_the_cut_with_as_many_patients_below(grid):
    cohort = random_cohort(5)
    cuts = cuts_of(cohort, grid)
    tried, below = tried_thresholds(cuts), count_errors(cuts.cells).ranks
    expected = [rank_of(cohort.scores.tolist(), t) for t in tried.thresholds]
    assert below[tried.cut_of].tolist() == expected


@pytest.mark.parametrize("costs", [*COSTS, TARGET])
def test_the_deviation_is_the_limit_of_the_bootstrap(costs):
    """At a target prevalence up to the share of draws that change the worse end."""
    cohort = binormal(0, 300)
    cuts = even_cuts(cohort, 9)
    curve = count_errors(cuts.cells[None, :])
    drawn = resample(cuts.cells[None, :], 6000, np.random.default_rng(1))[0]
    simulated = risk_at_cuts(count_errors(drawn), costs).std(axis=0)
    assert risk_deviation(curve, costs)[0] == pytest.approx(simulated, rel=0.06, abs=1e-3)


def test_a_target_prevalence_can_be_had():
    assert 0 <= rank_by(Pointwise(), binormal(1, 80), TARGET, 200) <= 80


def test_a_curve_of_two_cuts_has_no_curvature():
    cohort = PatientScores(scores=[1.0, 1.0], labels=[0, 1])
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    assert curvature(curve, Costs()).tolist() == [[0.0, 0.0]]
    assert instability_map(curve, Costs()).tolist() == [[0.0, 0.0]]
    assert rank_by(Pointwise(), cohort, Costs(), "exact") in (0, 2)


def test_the_map_is_deviation_times_curvature_smoothed_over_five_cuts():
    curve, costs = count_errors(even_cuts(binormal(3, 60), 30).cells[None, :]), Costs(cost_fn=2.0)
    rough = risk_deviation(curve, costs) * curvature(curve, costs)
    assert np.array_equal(instability_map(curve, costs), moving_average(rough, 5))
    assert np.array_equal(instability_map(curve, costs, 3), moving_average(rough, 3))


def test_the_moving_average_is_over_what_exists():
    values = np.random.default_rng(0).random((3, 11))
    for window in (1, 2, 5, 30):
        expected = [
            [
                fmean(row[max(i - (window - 1) // 2, 0) : i + window // 2 + 1].tolist())
                for i in range(11)
            ]
            for row in values
        ]
        assert moving_average(values, window) == pytest.approx(np.array(expected), abs=1e-12)


def test_the_printed_parameters_are_the_defaults():
    rule = Pointwise()
    assert (rule.quantile, rule.factor, rule.window, rule.cap) == (0.58, 1.15, 5, 0.90)


@pytest.mark.parametrize(
    "options", [{"quantile": 1.0}, {"factor": 0}, {"window": 0}, {"cap": -1}, {"cap_in": "sd"}]
)
def test_a_parameter_outside_what_is_allowed_is_refused_by_name(options):
    with pytest.raises(BadOption, match=f"^{next(iter(options))} must"):
        Pointwise(**options)


def test_where_most_of_the_map_is_0_its_positive_part_sets_the_weight():
    """The 0.58 quantile of 1 and 2 is 1.58; that of the whole row is 0."""
    map_of_two = np.array([[0, 0, 0, 0, 1.0, 2.0], [0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 0, 0]])
    risk = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.4, 0.5, 0.6, 0.7, 0.8, 0.6], [0.9] * 6])
    found = Pointwise().weight(map_of_two, risk)
    assert found == pytest.approx([1.15 * 0.5 / 1.58, 1.15 * 0.4 / 2.9, 0])


def test_the_curvature_of_every_row_is_divided_by_its_own_largest():
    cells = np.array([[0, 1, 0, 3, 2, 0, 1, 0], [5, 0, 1, 1, 0, 4, 0, 9]])
    together = curvature(count_errors(cells), Costs())
    for row, own in zip(cells, together, strict=True):
        assert own == pytest.approx(curvature(count_errors(row[None, :]), Costs())[0])
    assert together.max(axis=1).tolist() == [1, 1]


def test_the_window_of_the_rule_smooths_its_map():
    curve = count_errors(exact_cuts(random_cohort(1)).cells[None, :])
    risk = risk_at_cuts(curve, Costs())
    for window in (1, 3, 5):
        rule, smooth = Pointwise(window=window), instability_map(curve, Costs(), window)
        expected = risk + rule.weight(smooth, risk)[:, None] * smooth
        assert rule.objective(curve, Costs()) == pytest.approx(expected)


@pytest.mark.parametrize("label", [0, 1])
def test_at_a_target_the_only_patient_of_a_class_adds_no_deviation(label):
    """Of four patients of the other class, half are decided wrongly in the middle."""
    labels = [1 - label, 1 - label, label, 1 - label, 1 - label]
    cohort = PatientScores(scores=np.arange(5.0), labels=labels)
    costs = Costs(target=(0.3, 0.3))
    deviation = risk_deviation(count_errors(exact_cuts(cohort).cells[None, :]), costs)[0]
    weight = 0.7 if label else 0.3
    assert deviation[2:4] == pytest.approx([weight * 0.25] * 2)


def test_three_cuts_have_one_bend():
    assert curvature(count_errors(np.array([[0, 2, 1, 0]])), Costs()).tolist() == [[1, 1, 1]]


def test_a_study_takes_the_rule_and_records_its_name():
    study = steadycut.fit(binormal(3, 80), rule=Pointwise(), grid=60, seed=1, n_bootstrap=5)
    assert study.describe().rule == "python:pointwise"
    choosing = study.select_patients
    assert rank_by(Pointwise(), choosing, Costs(), 60) == rank_of(
        choosing.scores.tolist(), study.threshold
    )
    with pytest.raises(BadOption, match="looks at distances between scores"):
        steadycut.fit([binormal(3, 80)] * 2, rule=Pointwise(), ensemble="quantile")
