import math

import numpy as np
import pytest

from steadycut.core.bootstrap.draws import Disagreement, ThresholdDraws, draw_thresholds
from steadycut.core.cuts.grid import even_cuts, exact_cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.diagnose import (
    BARRIER,
    barriers,
    basin_share,
    class_warnings,
    excess_risk,
    flip_probability,
    flip_rate,
    largest_gap,
    lowest_on_either_side,
    order_warnings,
    stability_warnings,
)
from steadycut.core.records import Costs, PatientScores, Recipe
from steadycut.core.rounding import percent
from steadycut.core.rules.registry import parse_rule
from tests.core.cohorts import COSTS, SEEDS, as_lists, binormal, random_cohort, two_basins
from tests.slow_reference import cuts, risks, stability, stable


def draws_of(cohort, rule="erm", seed=0, n_replicates=200, costs=None):
    rng = np.random.default_rng(seed)
    cuts = exact_cuts(cohort)
    return cuts, draw_thresholds(cuts, parse_rule(rule), costs or Costs(), n_replicates, rng)


def warnings_of(cohort, rule="erm"):
    cuts, draws = draws_of(cohort, rule)
    return [text.partition(":")[0] for text in stability_warnings(cuts, draws, Costs())]


@pytest.mark.parametrize("seed", SEEDS)
def test_flips_agree_with_deciding_again_with_every_draw(seed):
    rng = np.random.default_rng(seed)
    scores = random_cohort(seed).scores
    draws = rng.choice(scores, 30) if seed % 2 else rng.normal(size=30)
    threshold = float(scores[3])
    expected = [stability.flip_probability(s, threshold, draws.tolist()) for s in scores]
    assert flip_probability(scores, threshold, draws) == pytest.approx(expected, abs=1e-12)
    assert flip_rate(scores, threshold, draws) == pytest.approx(
        sum(expected) / len(expected), abs=1e-12
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n_draws", [2, 3, 21, 41])
def test_two_studies_disagree_as_often_as_pairs_of_draws(seed, n_draws):
    rng = np.random.default_rng(seed)
    scores = random_cohort(seed).scores
    draws = rng.choice(scores, n_draws) if seed % 2 else rng.normal(size=n_draws)
    found = Disagreement.of(scores, draws)
    expected = stability.disagreement(scores.tolist(), draws.tolist())
    assert [found.mean, *found.middle] == pytest.approx(expected, abs=1e-12)
    share = (scores[:, None] >= draws).mean(axis=1)
    by_patient = (2 * share * (1 - share)).mean() * n_draws / (n_draws - 1)
    assert found.mean == pytest.approx(by_patient, abs=1e-12)


def test_no_two_studies_disagree_about_patients_without_a_score():
    scores, draws = np.array([-np.inf, np.inf, 0.0]), np.array([-np.inf, 1.0])
    assert Disagreement.of(scores, draws).mean == pytest.approx(1 / 3)
    assert Disagreement.of(scores[:2], draws) == Disagreement(mean=0.0, middle=(0.0, 0.0))


def test_studies_with_one_cut_off_never_disagree():
    found = Disagreement.of(np.arange(5.0), np.full(7, 2.5))
    assert found == Disagreement(mean=0.0, middle=(0.0, 0.0))
    found = Disagreement.of(np.arange(5.0), np.array([-1.0, 9.0]))
    assert found == Disagreement(mean=1.0, middle=(1.0, 1.0))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cost_fn", [1.0, 3.0])
def test_the_share_beyond_a_barrier_agrees_with_its_definition(seed, cost_fn):
    costs = Costs(cost_fn=cost_fn)
    cohort = cohort_with_two_basins(seed) if seed % 3 == 0 else random_cohort(seed, 40)
    cuts, draws = draws_of(cohort, seed=seed, n_replicates=60, costs=costs)
    expected = stability.basin_share(*as_lists(cohort), draws.ranks.tolist(), cost_fn, 1.0, BARRIER)
    assert basin_share(cuts, draws, costs) == pytest.approx(expected, abs=1e-12)


def at_ranks(ranks):
    ranks = np.asarray(ranks, dtype=float)
    return ThresholdDraws(threshold=0.0, rank=0, thresholds=ranks, ranks=ranks)


def test_draws_at_a_barrier_lie_on_neither_side_of_it():
    """Five draws below all barriers, three at the lowest or highest one, two above all of them."""
    cuts = exact_cuts(cohort_with_two_basins(0))
    curve = count_errors(cuts.cells[None, :])
    ranks = curve.ranks[barriers(curve, Costs(), BARRIER)]
    for low, high in ((5, 2), (2, 5)):
        for barrier in (ranks.min(), ranks.max()):
            draws = at_ranks([0.0] * low + [barrier] * 3 + [160.0] * high)
            beyond = min(low + 3 * (barrier == ranks.min()), high + 3 * (barrier == ranks.max()))
            assert basin_share(cuts, draws, Costs()) == beyond / 10


def test_a_tenth_of_the_draws_on_either_side_is_a_second_basin():
    cuts = exact_cuts(cohort_with_two_basins(0))
    for n_below, told in ((1, True), (9, True), (0, False), (10, False)):
        draws = at_ranks([0.0] * n_below + [160.0] * (10 - n_below))
        found = stability_warnings(cuts, draws, Costs())
        assert any(text.startswith("multi-modal minimum: 10 %") for text in found) == told


def cohort_with_two_basins(seed):
    """Diseased patients around 0 and 6, healthy ones around -3 and 3: two cuts are as good."""
    rng = np.random.default_rng(seed)
    centres = np.repeat([-3.0, 0.0, 3.0, 6.0], 40)
    labels = np.repeat([0, 1, 0, 1], 40)
    return PatientScores(scores=centres + 0.5 * rng.normal(size=160), labels=labels)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rule", ["erm", "stable"])
def test_two_basins_are_called_multi_modal(seed, rule):
    assert "multi-modal minimum" in warnings_of(cohort_with_two_basins(seed), rule)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("rule", ["erm", "stable"])
def test_a_clean_cohort_has_no_warning(seed, rule):
    assert warnings_of(binormal(seed, 300, distance=4.0), rule) == []


@pytest.mark.parametrize("seed", range(10))
def test_a_hopeless_score_has_a_flat_minimum(seed):
    rng = np.random.default_rng(seed)
    cohort = PatientScores(scores=rng.normal(size=100), labels=np.repeat([0, 1], 50))
    assert "flat minimum" in warnings_of(cohort)


def test_the_warnings_say_how_much():
    cohort = cohort_with_two_basins(0)
    cuts, draws = draws_of(cohort)
    multi, flat = stability_warnings(cuts, draws, Costs())
    share = basin_share(cuts, draws, Costs())
    assert multi.startswith(f"multi-modal minimum: {percent(share, 0)} of the bootstrap cut-offs")
    low, high = np.quantile(draws.ranks, [0.1, 0.9]) / 160
    assert f"spread over {percent(high - low, 0)} of the patients" in flat


def on_a_grid(n_patients):
    """Patients on the points of a grid of steps of 1, but for two inside of one step."""
    scores = np.append(np.arange(n_patients - 3.0), [50.2, 50.8, 99.0])
    return PatientScores(scores=scores, labels=scores > 20)


def test_draws_over_more_than_a_quarter_of_the_patients_are_flat():
    cohort = binormal(0, 100, distance=4.0)
    cuts, _ = draws_of(cohort)
    for far, is_flat in [(25.0, False), (26.0, True)]:
        ranks = np.array([0.0] * 3 + [far] * 8)
        draws = ThresholdDraws(threshold=0.0, rank=0, thresholds=ranks, ranks=ranks)
        told = stability_warnings(cuts, draws, Costs())
        assert any(text.startswith("flat minimum") for text in told) == is_flat


def test_a_grid_too_coarse_for_the_patients_is_told():
    """Two of 39 patients lie between two cuts; two of 40 are 5 % and no more."""
    fine, coarse = (even_cuts(on_a_grid(n), 100) for n in (40, 39))
    assert largest_gap(fine) == 0.05
    draws = draw_thresholds(fine, parse_rule("erm"), Costs(), 20, np.random.default_rng(0))
    assert not any("coarse" in text for text in stability_warnings(fine, draws, Costs()))
    (text,) = (text for text in stability_warnings(coarse, draws, Costs()) if "coarse" in text)
    assert text.startswith("coarse grid: 5 % of the patients lie between two neighbouring cuts")


def test_patients_of_both_classes_lie_between_two_cuts():
    cohort = PatientScores(scores=[0.0, 4.2, 4.5, 4.8, 10.0], labels=[0, 1, 0, 0, 1])
    assert largest_gap(even_cuts(cohort, 11)) == 3 / 5


def test_patients_of_one_score_make_no_grid_coarse():
    cohort = PatientScores(scores=[0.0] * 9 + [1.0] * 9, labels=[0, 1] * 9)
    assert largest_gap(even_cuts(cohort, 10)) == 0.0
    assert largest_gap(exact_cuts(cohort)) == 0.0


def test_no_barrier_no_second_basin():
    cohort = PatientScores(scores=[0.0, 1.0, 2.0, 3.0], labels=[0, 0, 1, 1])
    cuts, draws = draws_of(cohort)
    assert basin_share(cuts, draws, Costs()) == 0.0


def test_few_patients_of_a_class_are_named():
    def warned(n_ill, n_healthy, recipe=None):
        labels = [1] * n_ill + [0] * n_healthy
        patients = PatientScores(scores=range(len(labels)), labels=labels, recipe=recipe)
        return class_warnings("used to choose", patients)

    (text,) = warned(3, 10)
    assert text.startswith("few patients: 3 ill patients used to choose;")
    assert len(warned(0, 9)) == 2
    assert warned(10, 10) == []
    (text,) = warned(10, 3, Recipe(positive="case", negative="control"))
    assert text.startswith("few patients: 3 controls used to choose;")


@pytest.mark.parametrize(
    ("labels", "names", "warned"),
    [
        ([0, 0, 1, 1], None, True),
        ([1, 1, 1, 0], None, True),
        ([0, 1, 0, 1], None, False),
        ([0, 0, 0, 0], None, False),
        ([0, 0, 1, 1], list("abcd"), False),
    ],
)
def test_rows_sorted_by_label_are_noticed(labels, names, warned):
    patients = PatientScores(scores=range(4), labels=labels, patients=names)
    found = order_warnings(patients)
    assert [text.partition(":")[0] for text in found] == ["sorted by label"] * warned
    assert all("stand in the order of their labels" in text for text in found)


def losses_along(scores, labels, costs):
    """What each patient costs at every exact cut."""
    thresholds = cuts.exact_thresholds(scores)
    return [stable.losses_at(scores, labels, t, costs.cost_fn, costs.cost_fp) for t in thresholds]


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_excess_risk_agrees_with_the_loss_of_every_patient(costs, seed):
    cohort = random_cohort(seed)
    scores, labels = as_lists(cohort)
    losses = losses_along(scores, labels, costs)
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    reference = len(losses) // 2
    excess, error = excess_risk(curve, costs, 0, np.arange(len(losses)), reference)
    for cut, own in enumerate(losses):
        expected = stable.excess(own, losses[reference])
        assert (excess[cut], error[cut]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("height", [1.0, 2.0])
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_barriers_agree_with_their_definition(costs, seed, height):
    cohort = two_basins(60, seed) if seed % 3 else random_cohort(seed)
    found = barriers(count_errors(exact_cuts(cohort).cells[None, :]), costs, height)[0]
    expected = stable.barriers(losses_along(*as_lists(cohort), costs), height)
    assert np.flatnonzero(found).tolist() == expected


def test_at_a_target_the_error_of_a_difference_is_that_of_two_classes():
    cohort, costs = random_cohort(5, 60, tied=False), Costs(cost_fn=2.0, target=(0.2, 0.2))
    scores, labels = as_lists(cohort)
    thresholds = cuts.exact_thresholds(scores)
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    excess, error = excess_risk(curve, costs, 0, np.array([10]), 25)
    low, high = thresholds[10], thresholds[25]
    between = (cohort.scores >= low) & (cohort.scores < high)
    expected = 0.0
    for label, weight in ((1, 2.0 * 0.2), (0, 0.8)):
        share = between[cohort.labels == label]
        expected += weight**2 * share.var() / share.size
    assert error[0] == pytest.approx(math.sqrt(expected), abs=1e-12)
    ends = [risks.risk_at(scores, labels, t, 2.0, 1.0, (0.2, 0.2)) for t in (low, high)]
    assert excess[0] == pytest.approx(ends[0] - ends[1], abs=1e-12)


@pytest.mark.parametrize("label", [0, 1])
def test_at_a_target_the_only_patient_of_a_class_adds_no_chance(label):
    """Four of the other class: two of them lie between the cuts, and so does the only one."""
    labels = [1 - label, 1 - label, label, 1 - label, 1 - label]
    cohort = PatientScores(scores=np.arange(5.0), labels=labels)
    costs = Costs(cost_fn=2.0, target=(0.2, 0.2))
    curve = count_errors(exact_cuts(cohort).cells[None, :])
    _, error = excess_risk(curve, costs, 0, np.array([1]), 4)
    weight = 0.8 if label else 2.0 * 0.2
    assert error[0] == pytest.approx(weight * math.sqrt(0.5 * 0.5 / 4), abs=1e-12)


@pytest.mark.parametrize("n", range(1, 40))
def test_if_every_patient_costs_the_same_more_there_is_no_error(n):
    """Rounding must not make a variance negative."""
    for cost in (0.1, 0.7, 0.9):
        curve = count_errors(np.array([[0, n]]))
        excess, error = excess_risk(curve, Costs(cost_fp=cost), 0, np.array([0]), 1)
        assert excess[0] == pytest.approx(cost)
        assert error[0] == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_lowest_cut_on_either_side_is_the_nearest(seed):
    risk = np.random.default_rng(seed).integers(0, 6, (3, 9)).astype(float)
    left, right = lowest_on_either_side(risk, 0.5)
    for row, cut in np.ndindex(3, 9):
        before, after = risk[row, : cut + 1], risk[row, cut:]
        assert left[row, cut] == np.flatnonzero(before == before.min())[-1]
        assert right[row, cut] == cut + np.flatnonzero(after == after.min())[0]


@pytest.mark.parametrize("factor", [1e-9, 1e9])
def test_the_unit_of_the_costs_makes_no_barrier(factor):
    curve = count_errors(exact_cuts(two_basins(60, 1)).cells[None, :])
    expected = barriers(curve, Costs(), 1.0)[0].tolist()
    scaled = Costs(cost_fn=factor, cost_fp=factor)
    assert sum(expected) > 3
    assert barriers(curve, scaled, 1.0)[0].tolist() == expected


@pytest.mark.parametrize("rows", [2, 3])
def test_barriers_of_every_row_are_those_of_the_row_alone(rows):
    cells = np.stack([exact_cuts(two_basins(60, seed)).cells for seed in range(rows)])
    together = barriers(count_errors(cells), Costs(), 1.0)
    alone = [barriers(count_errors(row[None, :]), Costs(), 1.0)[0].tolist() for row in cells]
    assert together.tolist() == alone
    assert len({tuple(row) for row in alone}) == rows


@pytest.mark.parametrize("cost", [0.1, 0.7, 0.9])
def test_between_calling_all_and_nobody_of_one_class_there_is_no_barrier(cost):
    for n in range(1, 40):
        curve = count_errors(np.array([[0, 0, 0, n, n, n]]))
        assert not barriers(curve, Costs(cost_fp=cost), 1.0).any()
