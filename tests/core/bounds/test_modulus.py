import math

import numpy as np
import pytest

from steadycut.core.bounds.modulus import (
    dkw_band,
    dkw_band_width,
    label_windows,
    modulus,
    windows_of,
)
from steadycut.core.records import Costs, PatientScores
from steadycut.errors import BadOption
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort
from tests.slow_reference import risks, stability
from tests.slow_reference.stability import window

WIDTHS = [0.0, 1e-9, 0.3, 1.0, 1.5, 2.0, 100.0]


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_modulus_agrees_with_every_window_that_starts_at_a_score(costs, seed):
    cohort = random_cohort(seed)
    for width in WIDTHS:
        expected = stability.modulus(*as_lists(cohort), width, costs.cost_fn, costs.cost_fp)
        assert modulus(cohort, width, costs) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("width", [0.3, 1.0])
def test_no_window_that_starts_elsewhere_holds_more(seed, width):
    cohort = random_cohort(seed)
    starts = np.linspace(cohort.scores.min() - 2 * width, cohort.scores.max() + width, 3001)
    scanned = max(stability.mass_from(*as_lists(cohort), u, width, 3.0, 1.0) for u in starts)
    assert scanned <= modulus(cohort, width, Costs(cost_fn=3.0)) + 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oscillation_form_is_twice_as_wide(seed):
    cohort = random_cohort(seed)
    for width in WIDTHS:
        expected = stability.modulus(*as_lists(cohort), 2 * width, 3.0, 1.0)
        found = modulus(cohort, width, Costs(cost_fn=3.0), "oscillation")
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_no_two_thresholds_so_near_differ_more_in_risk(seed):
    """What the modulus is for: |R(s) - R(t)| <= modulus(|s - t|)."""
    cohort, costs = random_cohort(seed), COSTS[1]
    thresholds = np.linspace(-4, 6, 41)
    found = [risks.risk_at(*as_lists(cohort), t, 3.0, 1.0) for t in thresholds]
    for one, risk in zip(thresholds, found, strict=True):
        for other, other_risk in zip(thresholds, found, strict=True):
            # Rounding the distance up keeps a score at its end inside.
            allowed = modulus(cohort, abs(one - other) * (1 + 1e-9), costs)
            assert abs(risk - other_risk) <= allowed + 1e-12


def test_a_window_without_length_holds_nobody():
    assert modulus(random_cohort(0), 0.0, Costs()) == 0.0


def test_the_end_of_a_window_is_outside():
    cohort = PatientScores(scores=[0.0, 1.0], labels=[0, 1])
    assert modulus(cohort, 1.0, Costs()) == 0.5
    assert modulus(cohort, np.nextafter(1.0, 2.0), Costs()) == 1.0


def test_an_unknown_form_is_refused():
    with pytest.raises(BadOption, match=r"form must be one of pairwise, oscillation; got 'wide'\."):
        modulus(random_cohort(0), 1.0, Costs(), "wide")


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("counts", [(50, 50), (3, 97), (10, 30)])
@pytest.mark.parametrize("delta", [0.1, 0.2])
def test_the_band_adds_the_papers_three_terms(costs, counts, delta):
    n_positive, n_negative = counts
    n = n_positive + n_negative
    p = n_positive / n
    e1, e0, ep = (math.sqrt(math.log(6 / delta) / (2 * k)) for k in (n_positive, n_negative, n))
    classes = 2 * (costs.cost_fn * p * e1 + costs.cost_fp * (1 - p) * e0)
    expected = classes + max(costs.cost_fn, costs.cost_fp) * ep
    assert dkw_band_width(*counts, costs, delta) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("n", "added"), [(46, 0.808), (100, 0.548), (500, 0.245)])
def test_the_band_adds_what_the_design_measured(n, added):
    assert dkw_band_width(n // 2, n // 2, Costs(), 0.1) == pytest.approx(added, abs=5e-4)


def test_the_band_is_safe_at_an_empty_class():
    """Only the other class and the prevalence remain."""
    root = math.sqrt(math.log(60) / 2)
    assert dkw_band_width(0, 25, Costs(), 0.1) == pytest.approx(root * (2 / 5 + 1 / 5), abs=1e-12)


def test_the_band_is_modulus_plus_width():
    cohort = random_cohort(1)
    added = dkw_band_width(cohort.n_positive, cohort.n_negative, Costs(), 0.1)
    for form in ("pairwise", "oscillation"):
        expected = modulus(cohort, 0.4, Costs(), form) + added
        assert dkw_band(cohort, 0.4, Costs(), 0.1, form) == pytest.approx(expected, abs=1e-12)


def test_a_delta_outside_0_to_1_is_refused():
    with pytest.raises(BadOption, match=r"delta must lie strictly between 0 and 1; got 0\."):
        dkw_band_width(5, 5, Costs(), 0)


def test_patients_of_one_score_are_in_every_window_that_starts_there():
    """However short: 0.25 + 5e-324 is 0.25."""
    cohort = PatientScores(scores=[0.25, 0.25, 0.25, 0.5], labels=[1, 0, 0, 1])
    assert modulus(cohort, 5e-324, Costs(cost_fn=2.0)) == 1.0
    assert modulus(cohort, 5e-324, Costs(cost_fn=2.0), form="oscillation") == 1.0
    assert modulus(cohort, 0.0, Costs(cost_fn=2.0)) == 0.0
    assert modulus(cohort, 5e-324, Costs(target=(0.5, 0.5))) == 0.75


@pytest.mark.parametrize(("alone", "largest"), [(1, 0.6), (0, 0.7)])
def test_one_patient_of_a_class_is_all_of_it(alone, largest):
    """At a prevalence of 0.3 all ill weigh 0.6 and all healthy 0.7."""
    labels, costs = [alone, 1 - alone, 1 - alone], Costs(cost_fn=2.0, target=(0.3, 0.3))
    cohort = PatientScores(scores=[0.0, 1.0, 2.0], labels=labels)
    assert modulus(cohort, 0.5, costs) == pytest.approx(largest)


@pytest.mark.parametrize("target", [(0.1, 0.1), (0.05, 0.3), (0.4, 0.9)])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_modulus_at_a_target_weighs_the_classes_as_they_are_there(target, seed):
    cohort, costs = random_cohort(seed), Costs(cost_fn=2.0, target=target)
    for width in WIDTHS:
        expected = stability.modulus(*as_lists(cohort), width, 2.0, 1.0, target)
        assert modulus(cohort, width, costs) == pytest.approx(expected, abs=1e-12)


def test_the_band_at_a_target_is_that_of_two_classes():
    costs = Costs(cost_fn=2.0, target=(0.1, 0.3))
    e1, e0 = (math.sqrt(math.log(4 / 0.1) / (2 * n)) for n in (20, 50))
    expected = 2 * max(2.0 * p * e1 + (1 - p) * e0 for p in (0.1, 0.3))
    assert dkw_band_width(20, 50, costs, 0.1) == pytest.approx(expected, abs=1e-12)
    # One patient of a class, or none, leaves it as wide as can be.
    e1 = math.sqrt(math.log(4 / 0.1) / 2)
    expected = 2 * max(2.0 * p * e1 + (1 - p) * e0 for p in (0.1, 0.3))
    for n_positive in (0, 1):
        assert dkw_band_width(n_positive, 50, costs, 0.1) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("width", [1e-300, 0.3, 1.0, 2.0, 100.0, np.inf])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_window_holds_who_lies_in_it(seed, width):
    cohort = random_cohort(seed)
    found = label_windows(cohort)
    assert found.n_patients == cohort.n_patients
    assert found.values.tolist() == sorted(set(cohort.scores.tolist()))
    for start, counts in zip(found.values.tolist(), found.counts(width).T, strict=True):
        members = cohort.labels[window(cohort.scores.tolist(), start, width)]
        assert counts.tolist() == [np.sum(members == 0), np.sum(members == 1)]


def test_a_window_without_width_is_empty():
    assert not label_windows(random_cohort(0)).counts(0.0).any()


def test_the_upper_end_of_a_stretch_is_outside():
    found = windows_of(np.array([0.0, 1.0, 1.0, 2.0]), np.array([0, 2, 1, 2]), 3)
    assert found.between(1.0, 2.0).tolist() == [0, 1, 1]
    assert found.between(-5.0, 5.0).tolist() == [1, 1, 2]
    assert found.between(1.0, 1.0).tolist() == [0, 0, 0]


def test_a_class_without_patients_has_none_in_any_window():
    found = label_windows(PatientScores(scores=[1.0, 2.0], labels=[1, 1]))
    assert found.counts(5.0).tolist() == [[0, 0], [2, 1]]


def test_only_the_windows_that_are_asked_for_are_counted():
    found = windows_of(np.array([0.0, 1.0, 1.0, 2.0]), np.array([0, 1, 1, 0]), 2)
    assert found.counts(1.5, np.array([2, 0])).tolist() == [[1, 1], [0, 2]]


@pytest.mark.parametrize("place", [0, 34, 62, 63, 64, 1598])
def test_one_heavy_window_among_very_many_is_found(place):
    """Two neighbouring scores hold 10 and 50 patients, and every other score one."""
    members = np.ones(1600, dtype=int)
    members[place : place + 2] = 10, 50
    scores = np.repeat(np.arange(1600.0), members)
    found = windows_of(scores, np.zeros(scores.size, dtype=int), 1)
    assert found.largest(1.5, lambda counts: counts[0]) == 60


@pytest.mark.parametrize("width", [0.0, 1e-9, 0.01, 0.3, 2.0, 50.0])
@pytest.mark.parametrize("decimals", [1, 3, 12])
@pytest.mark.parametrize("n", [1, 31, 33, 3000])
def test_the_largest_value_is_that_of_all_windows(width, decimals, n):
    rng = np.random.default_rng(n)
    found = windows_of(rng.normal(size=n).round(decimals), rng.integers(0, 2, n), 2)
    for weights in ((1.0, 1.0), (0.3, 2.0), (0.0, 1.0)):

        def value(counts, weights=weights):
            return weights[0] * counts[0] + weights[1] * counts[1]

        assert found.largest(width, value) == value(found.counts(width)).max()
