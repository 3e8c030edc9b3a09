"""The certificates and the band of risk strata, measured where the truth is known."""

import numpy as np
import pytest

from steadycut import PatientScores, fit_strata
from steadycut.core.bounds.modulus import windows_of
from steadycut.core.confusion import count_decisions
from steadycut.core.strata.draws import stratum_of
from steadycut.core.strata.modulus import joint_band, joint_modulus
from steadycut.core.verdict import certified_error
from steadycut.documents.strata import BetweenPart
from steadycut.errors import NoFeasibleCut
from tests.core.strata_cohorts import GREY, SQUARE, WIDE

pytestmark = pytest.mark.validity

DELTA = 0.2
SETTINGS = [pytest.param(200, id="short"), pytest.param(2000, id="full", marks=pytest.mark.slow)]


def draw(n, n_grades, rng, *, tied=False):
    """Few patients of the highest grade; tied scores are whole numbers."""
    shares = np.array([0.6, 0.3, 0.1]) if n_grades == 3 else np.array([0.8, 0.2])
    grades = rng.choice(n_grades, n, p=shares)
    grades[: 2 * n_grades] = np.arange(2 * n_grades) % n_grades
    scores = rng.normal(size=n) + 1.5 * grades
    return np.round(scores) if tied else scores, grades


def slack(n_studies):
    return 4 * np.sqrt(DELTA * (1 - DELTA) / n_studies)


@pytest.mark.parametrize("n_studies", SETTINGS)
@pytest.mark.parametrize(("costs", "tied"), [(SQUARE, False), (GREY, False), (WIDE, True)])
def test_cost_and_all_boundary_limits_hold_as_often_as_promised(costs, tied, n_studies):
    """Two statements, each at delta; the limits of all boundaries count as one."""
    rng = np.random.default_rng(31)
    scores, grades = draw(40_000, costs.n_grades, rng, tied=tied)
    cost_held, limits_held = [], []
    for seed in range(n_studies):
        chosen = draw(90, costs.n_grades, rng, tied=tied)
        study = fit_strata(
            PatientScores(scores=chosen[0]),
            costs=costs.values,
            grades=chosen[1],
            delta=DELTA,
            n_bootstrap=2,
            rule="erm" if seed % 2 else "stable",
            grid=40,
            seed=seed,
        )
        strata = stratum_of(scores, study.thresholds)
        cost_held.append(costs.of_patients(grades, strata).mean() <= study.certificate.value)
        limits_held.append(all_limits_hold(study, strata, grades))
    assert np.mean(cost_held) >= 1 - DELTA - slack(n_studies)
    assert np.mean(limits_held) >= 1 - DELTA - slack(n_studies)


def all_limits_hold(study, strata, grades):
    for k, found in enumerate(study.boundaries):
        step = study.options.costs.steps[grades, k]
        if np.mean(strata[step > 0] <= k) > found.miss.limit:
            return False
        if np.mean(strata[step < 0] > k) > found.alarm.limit:
            return False
    return True


@pytest.mark.parametrize("n_studies", SETTINGS)
@pytest.mark.parametrize("costs", [SQUARE, GREY])
def test_the_band_covers_the_joint_modulus_of_the_population(costs, n_studies):
    """At a radius that the same patients choose: the band holds for all radii at once."""
    rng = np.random.default_rng(7)
    scores, grades = draw(40_000, costs.n_grades, rng)
    everyone = windows_of(scores, grades, costs.n_grades)
    radii = np.array([0.02, 0.1, 0.4, 1.0])
    # The same radius for both boundaries, so that the truth need be known at four places only.
    truth = [joint_modulus(everyone, np.full(2, radius), costs) for radius in radii]
    held = []
    for _ in range(n_studies):
        few, levels = draw(60, costs.n_grades, rng)
        windows = windows_of(few, levels, costs.n_grades)
        bands = [joint_band(windows, np.full(2, radius), costs, DELTA) for radius in radii]
        held.append(all(band >= true for band, true in zip(bands, truth, strict=True)))
    assert np.mean(held) >= 1 - DELTA - slack(n_studies)


@pytest.mark.parametrize("n_studies", SETTINGS)
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("limits", [("sensitivity:0.8", "specificity:0.9"), ("npv:0.8", "ppv:0.5")])
def test_both_sides_of_two_limits_hold_together(limits, tied, n_studies):
    rng = np.random.default_rng(5)

    def patients(n):
        ill = (rng.random(n) < 0.3).astype(int)
        scores = rng.normal(size=n) + 1.5 * ill
        return np.round(scores, 0 if tied else 6), ill

    scores, ill = patients(100_000)
    sides, between = [], []
    for seed in range(n_studies):
        drawn, labels = patients(120)
        cohort = PatientScores(scores=drawn, labels=labels)
        options = {"rule_out": limits[0], "rule_in": limits[1], "delta": DELTA, "seed": seed}
        try:
            study = fit_strata(cohort, n_bootstrap=2, bound="hoeffding", **options)
        except NoFeasibleCut:  # The patients who choose say so; those who certify have no part.
            continue
        strata = stratum_of(scores, study.thresholds)
        everyone = count_decisions(ill, strata, (2, 3))
        truth = {one.rate: certified_error(everyone, one.rate).opposite for one in study.sides}
        sides.append(all((truth[one.rate].value or 1) >= one.lower for one in study.sides))
        found = BetweenPart.of_counts(study.counts.sum(axis=0), DELTA)
        # Describing a study takes far longer than making it.
        assert seed > 0 or found == study.describe().between
        between.append(found.low <= np.mean(strata == 1) <= found.high)
    assert len(sides) > 0.9 * n_studies
    assert np.mean(sides) >= 1 - DELTA - slack(n_studies)
    assert np.mean(between) >= 1 - DELTA - slack(n_studies)
