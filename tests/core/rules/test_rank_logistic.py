from statistics import NormalDist

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, ndtr, ndtri

from steadycut.core.rules import rank_logistic
from steadycut.core.rules.rank_logistic import (
    EDGES,
    FARTHEST,
    GROUPS,
    edges_of,
    even_place,
    fit_line,
    group_scores,
    largest_group,
)


def cohort(n, seed, *, prevalence=0.3, distance=1.5, cost=3.0):
    """Ranks, number of patients, weighted misses and weighted alarms of a cohort."""
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < prevalence
    labels[:2] = [False, True]
    ill = labels[np.argsort(rng.normal(size=n) + distance * labels)]
    misses = np.append(0, np.cumsum(ill)) * cost
    alarms = (~ill).sum() - np.append(0, np.cumsum(~ill))
    scale = n / (misses[-1] + alarms[0])
    return np.arange(n + 1)[None], np.array([[n]]), scale * misses[None], scale * alarms[None]


@pytest.mark.parametrize("seed", range(6))
def test_the_line_minimises_the_log_loss_with_a_prior_of_the_slope(seed):
    _, _, misses, alarms = cohort(40, seed)
    score = ndtri((np.arange(40) + 0.5) / 40)
    ill, well = np.diff(misses[0]), -np.diff(alarms[0])

    def loss(line):
        odds = line[0] + line[1] * score
        likelihood = (ill * np.logaddexp(0, -odds) + well * np.logaddexp(0, odds)).sum()
        return likelihood + np.log1p(line[1] ** 2)

    expected = minimize(loss, np.zeros(2), tol=1e-12).x
    found = fit_line(score[None], ill[None], well[None])
    assert np.ravel(found) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("n", [4, 10, 30])
def test_the_slope_of_the_loss_is_zero_in_tiny_cohorts_at_any_weights(n):
    """Sharp, useless and one-sided ones; a loss hidden in rounding would never end here."""
    rng = np.random.default_rng(n)
    ill = (rng.random((4000, n)) < rng.choice([0.1, 0.3, 0.5, 0.8], (4000, 1))).astype(float)
    latent = rng.normal(size=(4000, n)) + rng.choice([0, 0.5, 1, 2, 4], (4000, 1)) * ill
    ill = np.take_along_axis(ill, latent.argsort(axis=1), axis=1)
    ill = ill[(ill.sum(axis=1) > 0) & (ill.sum(axis=1) < n)]
    ill, well = ill * rng.choice([0.03, 0.3, 1, 3, 30], (len(ill), 1)), 1 - ill
    score = np.tile(ndtri((np.arange(n) + 0.5) / n), (len(ill), 1))
    intercept, slope = fit_line(score, ill, well)
    off = (ill + well) * expit(intercept[:, None] + slope[:, None] * score) - ill
    assert off.sum(axis=1) == pytest.approx(0, abs=1e-6)
    prior = 2 * slope / (1 + slope**2)
    assert (off * score).sum(axis=1) == pytest.approx(-prior, abs=1e-6)


@pytest.mark.parametrize("cost", [1.0, 10.0, 30.0])
@pytest.mark.parametrize("prevalence", [0.3, 0.01])
@pytest.mark.parametrize("n", [150, 3000])
def test_groups_of_many_patients_hardly_move_the_place(n, prevalence, cost, monkeypatch):
    """By less than a hundredth of the patients; groups are small at both ends."""
    patients = cohort(n, 1, prevalence=prevalence, cost=cost)
    grouped = even_place(*patients)
    monkeypatch.setattr(rank_logistic, "EDGES", np.linspace(0, 1, n + 2))
    assert ndtr(grouped) == pytest.approx(ndtr(even_place(*patients)), abs=0.004)


def test_a_score_that_says_nothing_has_its_place_beyond_all_patients():
    ranks, n, misses, alarms = cohort(60, 0, distance=-1.0, cost=9.0)
    assert even_place(ranks, n, misses, alarms)[0] < -5
    turned = even_place(ranks, n, alarms[:, ::-1], misses[:, ::-1])
    assert turned == pytest.approx(-even_place(ranks, n, misses, alarms))


@pytest.mark.parametrize("sign", [-1, 1])
def test_without_a_class_everybody_or_nobody_is_called(sign):
    ranks, count, none = np.arange(31)[None], np.arange(31.0)[None], np.zeros((1, 31))
    own = (none, 30 - count) if sign > 0 else (count, none)
    assert even_place(ranks, np.array([[30]]), *own).tolist() == [sign * FARTHEST]


def test_a_perfect_score_has_a_finite_line():
    score = ndtri((np.arange(1000) + 0.5) / 1000)[None]
    ill = (np.arange(1000.0) >= 500)[None].astype(float)
    intercept, slope = fit_line(score, ill, 1 - ill)
    assert abs(intercept[0]) < 1e-6
    assert 20 < slope[0] < 2000


def test_a_newton_step_that_goes_too_far_is_halved():
    """Nearly all of the weight is on one patient, and a steep line lies between two others."""
    score = np.array([[0.702, -1.414, 0.712]])
    ill, well = np.array([[0.1255, 8.7e-4, 0.0064]]), np.array([[1.3e-4, 8.7e-7, 6.39]])
    intercept, slope = fit_line(score, ill, well, 1e-9)
    off = (ill + well) * expit(intercept[:, None] + slope[:, None] * score) - ill
    assert off.sum() == pytest.approx(0, abs=1e-5)
    assert (off * score).sum() == pytest.approx(0, abs=1e-5)


def test_a_group_is_one_step_of_the_normal_score_wide():
    n, ranks = np.array([10**6]), np.array([1_000, 300_000, 999_000])
    size = largest_group(ranks, n)
    below, above = ndtri((ranks - size / 2) / n), ndtri((ranks + size / 2) / n)
    assert above - below == pytest.approx(np.full(3, rank_logistic.STEP), rel=0.02)
    assert EDGES.size == GROUPS + 1


def test_the_edges_of_groups_have_even_steps_of_the_normal_score_up_to_four():
    inner = [NormalDist().cdf(score) for score in (-4, -2, 0, 2, 4)]
    assert edges_of(6) == pytest.approx([0, *inner, 1], rel=1e-9)


def test_the_middle_of_a_group_is_a_quarter_of_a_patient_from_the_ends_at_least():
    """Patients may count as parts of one."""
    found = group_scores(np.array([[0.0, 0.2, 4.0, 9.9, 10.0]]), np.array([[10]]))
    assert ndtr(found)[0] == pytest.approx([0.025, 0.21, 0.695, 0.975])


def test_curves_with_as_many_cuts_as_edges_keep_their_cuts():
    curves = (np.array([[0, 1, 9]]), np.array([[0, 1, 4]]), np.array([[5, 5, 0]]))
    assert rank_logistic.grouped(curves, np.array([0.0, 0.5, 1.0])) is curves
    found = rank_logistic.grouped(curves, np.array([0.0, 1.0]))
    assert [values.tolist() for values in found] == [[[0, 9]], [[0, 4]], [[5, 0]]]


def test_a_group_beyond_the_outermost_edge_is_as_large_as_there():
    n = np.array([10**6])
    wide = 10**6 * rank_logistic.STEP * np.exp(-8) / np.sqrt(2 * np.pi)
    for rank in (0, 31, 10**6 - 31, 10**6):
        assert largest_group(np.array([rank]), n) == pytest.approx(wide, rel=1e-9)
    for rank in (33, 10**6 - 33):
        assert largest_group(np.array([rank]), n)[0] > 1.001 * wide


def test_each_row_halves_its_own_steps():
    """The loss of the others falls by more than that of the first one rises."""
    score = np.array([[0.702, -1.414, 0.712]])
    ill, well = np.array([[0.1255, 8.7e-4, 0.0064]]), np.array([[1.3e-4, 8.7e-7, 6.39]])
    others = np.array([[50.0, 900.0, 400.0]])
    rows = [
        np.concatenate([first, *30 * [other]])
        for first, other in (
            (score, np.array([[-1.0, 0.0, 2.0]])),
            (ill, others),
            (well, 1000 - others),
        )
    ]
    together = np.stack(fit_line(*rows, 1e-9))[:, 0]
    alone = np.ravel(fit_line(score, ill, well, 1e-9))
    assert together == pytest.approx(alone, rel=1e-4)


@pytest.mark.parametrize("d", [-0.5, -1.0, -2.0])
@pytest.mark.parametrize("seed", range(5))
def test_a_line_that_falls_has_its_place_beyond_all_patients(d, seed):
    """Also where both classes are as large, so that the intercept is nearly 0."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat([0, 1], 100))
    order = np.argsort(rng.normal(size=200) + d * labels)
    misses = np.concatenate([[0], np.cumsum(labels[order])])[None, :].astype(float)
    alarms = np.concatenate([[100], 100 - np.cumsum(1 - labels[order])])[None, :].astype(float)
    place = even_place(np.arange(201)[None, :], np.array([[200]]), misses, alarms)
    assert abs(place[0]) == rank_logistic.FARTHEST
