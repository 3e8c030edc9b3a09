"""Both kinds of intervals, and those of the cut-off, measured where the truth is known.

The full study is benchmarks/studies/intervals. Exact intervals must not hold less often than they
say, beyond four Monte Carlo standard errors; bootstrap ones are held to what that study found.
"""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.intervals.rates import at_fixed_cut, quantities
from steadycut.core.intervals.repeated_study import at_rechosen_cut
from steadycut.core.intervals.threshold import cut_interval
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import parse_rule

pytestmark = pytest.mark.validity

STUDIES = [pytest.param(100, id="short"), pytest.param(1000, id="full", marks=pytest.mark.slow)]
DELTA, PREVALENCE, SHIFT = 0.2, 0.4, 1.5
COSTS = Costs()


def least_share(n_studies, promised=1 - DELTA):
    return promised - 4 * np.sqrt(promised * (1 - promised) / n_studies)


def draw_patients(n, rng):
    labels = np.zeros(n, dtype=int)
    while not 1 < labels.sum() < n - 1:
        labels = (rng.random(n) < PREVALENCE).astype(int)
    return PatientScores(scores=rng.normal(size=n) + SHIFT * labels, labels=labels)


def true_values(cut):
    """Every characteristic of a cut in the binormal population."""
    rates = 1 - ndtr(cut - SHIFT), ndtr(cut)
    return {
        name: float(one.of_rates(*rates, PREVALENCE)) for name, one in quantities(COSTS).items()
    }


def draws_of(patients, rule, rng):
    return draw_thresholds(exact_cuts(patients), parse_rule(rule), COSTS, 60, rng)


def shares_that_hold(intervals, truths):
    """How often each characteristic lies in its interval."""
    return {
        name: np.mean(
            [
                low - 1e-9 <= truth[name] <= high + 1e-9
                for found, truth in zip(intervals, truths, strict=True)
                if name in found
                for low, high in [found[name]]
            ]
        )
        for name in quantities(COSTS)
    }


def fixed_intervals(patients, cut, n_choices):
    found = at_fixed_cut(confusion_at(patients, cut), COSTS, DELTA, n_choices)
    return {name: one.interval for name, one in found.items() if one.interval is not None}


@pytest.mark.parametrize("n_studies", STUDIES)
@pytest.mark.parametrize("n_choices", [0, 1])
@pytest.mark.parametrize("n", [20, 100])
def test_intervals_of_this_very_cut_hold(n, n_choices, n_studies):
    rng, intervals, truths = np.random.default_rng(n), [], []
    for _ in range(n_studies):
        chose, others = draw_patients(n, rng), draw_patients(n, rng)
        cut = draw_thresholds(exact_cuts(chose), parse_rule("erm"), COSTS, 0, rng).threshold
        intervals.append(fixed_intervals(chose if n_choices else others, cut, n_choices))
        truths.append(true_values(cut))
    for name, share in shares_that_hold(intervals, truths).items():
        assert share >= least_share(n_studies), name


@pytest.mark.parametrize("n_studies", STUDIES)
@pytest.mark.parametrize("rule", ["stable", "erm"])
def test_intervals_of_a_repeated_study_hold_what_another_study_chooses(rule, n_studies):
    rng, intervals, truths = np.random.default_rng(8), [], []
    for _ in range(n_studies):
        chose, others = draw_patients(60, rng), draw_patients(60, rng)
        draws = draws_of(chose, rule, rng)
        intervals.append(at_rechosen_cut(chose, others, draws, COSTS, DELTA))
        truths.append(true_values(draws.threshold))
    # Each is judged by the study before it, which is as good as another one.
    for name, share in shares_that_hold(intervals[1:], truths[:-1]).items():
        assert share >= least_share(n_studies, 0.75), name


@pytest.mark.parametrize("n_studies", STUDIES)
@pytest.mark.parametrize(
    ("rule", "truth"),
    [
        ("stable", SHIFT / 2 + np.log(0.6 / 0.4) / SHIFT),
        ("youden", SHIFT / 2),
        ("sensitivity:0.9", SHIFT + ndtri(0.1)),
        ("specificity:0.9", ndtri(0.9)),
    ],
)
def test_the_interval_of_the_cut_off_holds_that_of_the_population(rule, truth, n_studies):
    rng, held = np.random.default_rng(9), []
    for _ in range(n_studies):
        chose = draw_patients(60, rng)
        low, high = cut_interval(chose, draws_of(chose, rule, rng), rule, DELTA).population
        held.append(low <= truth <= high)
    assert np.mean(held) >= least_share(n_studies, 0.8 if ":" in rule else 0.75)


def test_trap_the_interval_of_the_fixed_cut_does_not_hold_a_repeated_study():
    """Whoever reads the one as the other is wrong far more often than he thinks."""
    rng, intervals, truths = np.random.default_rng(10), [], []
    for _ in range(150):
        chose, others = draw_patients(60, rng), draw_patients(60, rng)
        cut = draw_thresholds(exact_cuts(chose), parse_rule("erm"), COSTS, 0, rng).threshold
        intervals.append(fixed_intervals(others, cut, 0))
        truths.append(true_values(cut))
    shares = shares_that_hold(intervals[1:], truths[:-1])
    assert max(shares["sensitivity"], shares["specificity"]) < least_share(150)


def test_trap_patients_who_chose_the_cut_are_not_judged_as_others_are():
    """A score that tells nothing: the accuracy that the best cut seems to have is luck."""
    rng, held = np.random.default_rng(11), []
    for _ in range(300):
        labels = np.arange(40) % 2
        chose = PatientScores(scores=rng.normal(size=40), labels=labels)
        cut = draw_thresholds(exact_cuts(chose), parse_rule("youden"), COSTS, 0, rng).threshold
        counts = confusion_at(chose, cut)
        low, _ = at_fixed_cut(counts, COSTS, DELTA)["accuracy"].interval
        held.append(low <= 0.5)
    # The lower end alone may fail in a tenth.
    assert np.mean(held) < least_share(300, 1 - DELTA / 2)


def test_trap_the_log_method_for_likelihood_ratios_does_not_hold():
    """Summed over all outcomes at 20 patients of each class; melding holds at the same place."""
    from scipy.stats import binom

    n, sens, alarm = 20, 0.5, 0.01
    z, ratio = -ndtri(0.025), sens / alarm
    count = np.arange(n + 1)
    weight = np.outer(binom.pmf(count, n, sens), binom.pmf(count, n, alarm))
    tp, fp = count[:, None] + 0.5, count[None, :] + 0.5
    error = z * np.sqrt(1 / tp + 1 / fp - 2 / (n + 1))
    log_holds = np.abs(np.log(tp / fp) - np.log(ratio)) <= error
    melded = [
        at_fixed_cut(Confusion(tp=i, fn=n - i, fp=j, tn=n - j), COSTS, 0.05)["plr"].interval
        for i in range(n + 1)
        for j in range(4)
    ]
    inside = [
        low <= ratio <= high if ends else True for ends in melded for low, high in [ends or (0, 0)]
    ]
    assert (weight * log_holds).sum() < 0.9
    assert (weight[:, :4].ravel() * inside).sum() >= 0.95
