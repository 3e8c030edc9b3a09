"""The multiscale band of the modulus, measured on populations whose truth is known.

A band at level delta may fail in a share delta of all studies. Each setting is simulated often,
and the share of studies in which the band held must not lie more than four Monte Carlo standard
errors below 1 - delta. The traps at the end show that these tests can fail.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import betainccinv, ndtr, stdtr

from scripts.write_multiscale_levels import least_tails
from steadycut.core.bootstrap.draws import bootstrap_radius, draw_thresholds
from steadycut.core.bounds.modulus import modulus
from steadycut.core.bounds.multiscale import multiscale_band, window_level
from steadycut.core.cuts.grid import even_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import ERM

pytestmark = pytest.mark.validity

STUDIES = [pytest.param(300, id="short"), pytest.param(4000, id="full", marks=pytest.mark.slow)]
COSTS = [Costs(), Costs(cost_fn=3.0)]
SIZES = [40, 100, 500]
WIDTHS = np.array([1e-3, 0.05, 0.25, 0.5, 1.0, 1.001, 2.0, 20.0])
PREVALENCE = 0.4


@dataclass(frozen=True)
class Binormal:
    """Healthy patients N(0, 1), diseased ones N(1.5, 1)."""

    starts = np.linspace(-6, 8, 1401)

    def draw(self, labels, rng):
        return rng.normal(size=labels.shape) + 1.5 * labels

    def below(self, threshold):
        """Probability to lie strictly below, for the healthy and for the diseased."""
        return ndtr(threshold), ndtr(np.asarray(threshold) - 1.5)


@dataclass(frozen=True)
class HeavyTails:
    """Student's t with one and a half degrees of freedom; disease shifts by 1 and doubles."""

    starts = np.linspace(-10, 10, 2001)

    def draw(self, labels, rng):
        return rng.standard_t(1.5, size=labels.shape) * (1 + labels) + labels

    def below(self, threshold):
        return stdtr(1.5, threshold), stdtr(1.5, (np.asarray(threshold) - 1) / 2)


@dataclass(frozen=True)
class Discrete:
    """Whole scores from 0 to 4: every score is an atom, every cohort is full of ties."""

    starts = np.arange(0.0, 5.0)
    shares = (np.array([0.4, 0.3, 0.15, 0.1, 0.05]), np.array([0.05, 0.15, 0.2, 0.25, 0.35]))

    def draw(self, labels, rng):
        uniform = rng.random(labels.shape)
        healthy, diseased = (np.searchsorted(np.cumsum(p)[:-1], uniform) for p in self.shares)
        return np.where(labels == 1, diseased, healthy).astype(float)

    def below(self, threshold):
        count = np.clip(np.ceil(threshold), 0, 5).astype(int)
        return tuple(np.append(0.0, np.cumsum(p))[count] for p in self.shares)


@dataclass(frozen=True)
class HalfAtom:
    """Half of the healthy below the limit of detection, at 0; the others exponential."""

    # A window that starts at the atom, or right after it.
    starts = np.append(np.linspace(-1, 8, 901), [0.0, 1e-12])

    def draw(self, labels, rng):
        hidden = (rng.random(labels.shape) < 0.5) & (labels == 0)
        return np.where(hidden, 0.0, rng.exponential(size=labels.shape) * (1 + labels))

    def below(self, threshold):
        t = np.maximum(threshold, 0.0)
        healthy = np.where(np.asarray(threshold) > 0, 0.5 + 0.5 * -np.expm1(-t), 0.0)
        return healthy, -np.expm1(-t / 2)


POPULATIONS = {
    "binormal": Binormal(),
    "heavy tails": HeavyTails(),
    "discrete": Discrete(),
    "half an atom": HalfAtom(),
}


def least_share(delta, n_studies):
    """The smallest share of studies that hold, at four standard errors."""
    return 1 - delta - 4 * np.sqrt(delta * (1 - delta) / n_studies)


def draw_cohorts(population, n, n_studies, seed):
    rng = np.random.default_rng([n, seed])
    labels = (rng.random((n_studies, n)) < PREVALENCE).astype(int)
    scores = population.draw(labels, rng)
    return [PatientScores(scores=s, labels=y) for s, y in zip(scores, labels, strict=True)]


def true_modulus(population, width, costs):
    """The heaviest window of a population, over finely spaced starts."""
    ends = population.below(population.starts + width)
    healthy, diseased = (
        high - low for low, high in zip(population.below(population.starts), ends, strict=True)
    )
    dear, cheap = costs.cost_fn * PREVALENCE, costs.cost_fp * (1 - PREVALENCE)
    return float(np.max(dear * diseased + cheap * healthy))


def holds_at_the_worst_width(cohort, band, truth):
    """Whether it holds at the width, of many, at which it is nearest to failing."""
    excess = [band(cohort, width) - true for width, true in zip(WIDTHS, truth, strict=True)]
    return min(excess) >= -1e-12


@pytest.mark.parametrize("n_studies", STUDIES)
@pytest.mark.parametrize("costs", COSTS, ids=str)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_band_holds_at_the_width_that_is_worst_for_it(name, n, costs, n_studies):
    population, delta = POPULATIONS[name], 0.2
    truth = [true_modulus(population, width, costs) for width in WIDTHS]
    held = [
        holds_at_the_worst_width(c, lambda c, w: multiscale_band(c, w, costs, delta), truth)
        for c in draw_cohorts(population, n, n_studies, seed=1)
    ]
    assert np.mean(held) >= least_share(delta, n_studies)


def radius_of(cohort, costs, rng):
    """The bootstrap radius of the same patients."""
    cuts = even_cuts(cohort)
    draws = draw_thresholds(cuts, ERM, costs, 40, rng)
    places = cuts.on_scale(np.append(draws.threshold, draws.thresholds))
    return bootstrap_radius(float(places[0]), places[1:], 0.2).radius


@pytest.mark.parametrize("n_studies", STUDIES)
@pytest.mark.parametrize("costs", COSTS, ids=str)
@pytest.mark.parametrize("n", [40, 100])
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_band_holds_at_the_bootstrap_radius_of_the_same_patients(name, n, costs, n_studies):
    population, delta, rng = POPULATIONS[name], 0.2, np.random.default_rng(n)
    held = []
    for cohort in draw_cohorts(population, n, n_studies // 2, seed=2):
        if 0 < cohort.n_positive < n:
            radius = radius_of(cohort, costs, rng)
            truth = true_modulus(population, radius, costs)
            held.append(multiscale_band(cohort, radius, costs, delta) >= truth - 1e-12)
    assert len(held) > n_studies / 4
    assert np.mean(held) >= least_share(delta, len(held))


def share_of_samples_that_fail(n, level, n_draws):
    """In how many uniform samples some window, of all, has more than its limit."""
    rng = np.random.default_rng([n, 77])
    return np.mean(least_tails(rng.random((n_draws, n))) < level)


@pytest.mark.parametrize("n_draws", STUDIES)
@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("n", [5, 23, 46, 100, 170, 300])
def test_all_windows_hold_together_and_nothing_is_given_away(n, delta, n_draws):
    """Sizes in the table and between its rows, with other draws than those that made it."""
    n_draws *= 5
    failed = share_of_samples_that_fail(n, window_level(n, delta), n_draws)
    error = 4 * np.sqrt(delta * (1 - delta) / n_draws)
    assert 0.8 * delta - error <= failed <= delta + error


@pytest.mark.slow
@pytest.mark.parametrize("n", [1100, 3000])
def test_all_windows_hold_together_in_large_cohorts(n):
    failed = share_of_samples_that_fail(n, window_level(n, 0.2), 1000)
    error = 4 * np.sqrt(0.16 / 1000)
    assert 0.12 - error <= failed <= 0.2 + error


def test_trap_a_limit_for_one_window_does_not_hold_for_all():
    assert share_of_samples_that_fail(100, 0.2, 400) > 0.9


def test_trap_a_limit_for_one_width_does_not_hold_for_all():
    """The heaviest window starts at the atom whatever its length, so its count has no luck."""
    population, n, delta, widths = HalfAtom(), 100, 0.2, np.linspace(0.01, 8, 200)
    truth = np.array([true_modulus(population, width, Costs()) for width in widths])
    held = []
    for cohort in draw_cohorts(population, n, 300, seed=3):
        count = np.round([modulus(cohort, width, Costs()) * n for width in widths])
        limits = np.where(count < n, betainccinv(count + 1, np.maximum(n - count, 0.5), delta), 1.0)
        held.append(limits >= truth)
    assert np.all(np.mean(held, axis=0) >= least_share(delta, 300))
    assert np.mean(np.all(held, axis=1)) < least_share(delta, 300)
