"""Youden's index from kernel estimates, against sums over all patients."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

import steadycut
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.kernel_youden import (
    POINTS,
    KernelYouden,
    _on_grid,
    plug_in_width,
    smooth_below,
)
from steadycut.core.rules.registry import on_cuts, parse_rule
from tests.core.cohorts import binormal


def width_by_sums(scores):
    """The plug-in of two stages, from the differences of all pairs of patients."""
    n, spread = len(scores), np.std(scores, ddof=1)
    apart = np.subtract.outer(scores, scores) / spread

    def mean_derivative(hermite, order, width):
        z = apart / width
        density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        return np.mean(hermite(z) * density) / width ** (order + 1)

    sixth = mean_derivative(
        lambda z: z**6 - 15 * z**4 + 45 * z**2 - 15, 6, (2 * math.sqrt(2) ** 9 / (7 * n)) ** (1 / 9)
    )
    fourth = mean_derivative(
        lambda z: z**4 - 6 * z**2 + 3, 4, (-3 * math.sqrt(2 / math.pi) / (sixth * n)) ** (1 / 7)
    )
    return spread * (4 * math.pi) ** -0.1 * (1 / (fourth * n)) ** 0.2


def found_width(scores):
    values, counts = np.unique(scores, return_counts=True)
    step = np.ptp(values) / (POINTS - 1)
    place = (values - values[0]) / step
    grid = _on_grid(np.rint(place).astype(np.int64), counts[None, :])
    return float(plug_in_width(np.fft.rfft(grid, axis=-1), place, counts[None, :])[0, 0]) * step


@pytest.mark.parametrize("seed", range(4))
def test_the_width_is_that_of_the_sums_over_all_pairs(seed):
    scores = np.random.default_rng(seed).gamma(2.0, size=70)
    assert found_width(scores) == pytest.approx(width_by_sums(scores), rel=0.01)


@pytest.mark.parametrize("seed", range(4))
def test_the_smooth_share_is_the_mean_of_normal_distribution_functions(seed):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=80), 2)
    values, counts = np.unique(scores, return_counts=True)
    middles = (values[1:] + values[:-1]) / 2
    expected = ndtr((middles[:, None] - scores) / width_by_sums(scores)).mean(axis=1)
    assert smooth_below(values, counts[None, :])[0, 1:-1] == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("grid", [200, "exact"])
def test_for_two_normal_classes_the_cut_lies_near_the_middle(grid):
    cohort = binormal(3, 2000)
    cuts = cuts_of(cohort, grid)
    rank = on_cuts(parse_rule("youden-kernel"), cuts)(count_errors(cuts.cells[None, :]), Costs())
    assert np.sort(cohort.scores)[rank[0]] == pytest.approx(1.0, abs=0.15)


def test_a_change_of_unit_changes_no_decision():
    cohort = binormal(4, 100)
    ranks = []
    for factor in (1.0, 1e-8, 1e8):
        cuts = cuts_of(PatientScores(scores=cohort.scores * factor, labels=cohort.labels), "exact")
        ranks.append(on_cuts(KernelYouden(), cuts)(count_errors(cuts.cells[None, :]), Costs())[0])
    assert len(set(ranks)) == 1


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([1.0, 1.0, 1.0, 1.0], [0, 1, 0, 1]),
        ([1.0, 2.0, 3.0], [0, 0, 0]),
        ([1.0, 2.0, 3.0], [1] * 3),
    ],
)
def test_a_cohort_without_spread_or_without_a_class_still_has_a_cut(scores, labels):
    cuts = cuts_of(PatientScores(scores=scores, labels=labels), "exact")
    rank = on_cuts(KernelYouden(), cuts)(count_errors(cuts.cells[None, :]), Costs())
    assert 0 <= rank[0] <= len(scores)


def test_without_scores_a_step_is_a_group():
    cells = np.array([[0, 0, 1, 2, 2, 1, 0, 0]])
    assert KernelYouden()(count_errors(cells), Costs()).tolist() == [3]


def test_the_draws_are_steadier_than_those_of_youden():
    cohort = binormal(5, 150, distance=1.0)
    studies = [
        steadycut.fit(cohort, rule=rule, honesty="uniform", grid="exact")
        for rule in ("youden-kernel", "youden")
    ]
    kernel, plain = (np.std(study.bootstrap_thresholds) for study in studies)
    assert kernel < plain


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("seed", range(4))
def test_a_few_patients_have_the_width_and_the_share_of_the_sums(seed, n):
    """The variance is that of n - 1; the kernel of two patients is wide for the grid."""
    scores = np.random.default_rng(seed).gamma(2.0, size=n)
    assert found_width(scores) == pytest.approx(width_by_sums(scores), rel=0.005 if n > 2 else 0.02)
    values = np.sort(scores)
    middles = (values[1:] + values[:-1]) / 2
    expected = ndtr((middles[:, None] - scores) / width_by_sums(scores)).mean(axis=1)
    found = smooth_below(values, np.ones((1, n), dtype=np.int64))
    assert found[0, 1:-1] == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize("half", [1, 2])
def test_patients_at_one_place_are_smoothed_by_one_step_of_the_grid(half):
    """Also very many at two neighbouring places, and with cuts at quarters of a step."""
    values = np.arange(half * (POINTS - 1) + 1) / half
    counts = np.zeros((4, values.size), dtype=np.int64)
    counts[[0, 1, 2], [0, 200 * half, -1]] = 1
    counts[3, [300 * half, 301 * half]] = 100_000
    cuts = np.concatenate([[-1.0], (values[1:] + values[:-1]) / 2, [POINTS]])
    expected = [ndtr(cuts - place) for place in (0, 200, POINTS - 1)]
    expected.append((ndtr(cuts - 300) + ndtr(cuts - 301)) / 2)
    assert smooth_below(values, counts) == pytest.approx(np.array(expected), abs=0.04)


def test_every_row_has_its_own_width():
    rng = np.random.default_rng(0)
    values = np.sort(rng.normal(size=30))
    counts = rng.integers(0, 3, (3, 30)) * (np.arange(30) < np.array([[30], [12], [5]]))
    together = smooth_below(values, counts)
    for row in range(3):
        assert together[row] == pytest.approx(smooth_below(values, counts[row : row + 1])[0])


def test_a_class_within_two_steps_of_the_grid_has_its_own_spread():
    """Its kernel is narrower than one step, the smallest width."""
    place, counts = np.array([0.0, 0.34, 1.36, 2.02]), np.array([[0, 1, 1, 1]])
    grid = _on_grid(np.rint(place).astype(np.int64), counts)
    assert np.std(place[1:], ddof=1) < 1
    assert plug_in_width(np.fft.rfft(grid, axis=-1), place, counts).tolist() == [[1.0]]
