import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from steadycut.core.intervals.calibration import calibration


def drawn(rng, n, intercept=0.0, slope=1.0):
    """Scores of ill and of healthy patients whose log odds are intercept + slope logit(score)."""
    odds = rng.normal(-0.5, 1.2, size=n)
    ill = rng.random(n) < expit(intercept + slope * odds)
    return expit(odds[ill]), expit(odds[~ill])


def loss(line, ill, well):
    odds = [logit(scores) for scores in (ill, well)]
    return (
        np.log1p(np.exp(-line[0] - line[1] * odds[0])).sum()
        + np.log1p(np.exp(line[0] + line[1] * odds[1])).sum()
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_line_is_the_likeliest(seed):
    ill, well = drawn(np.random.default_rng(seed), 200, 0.5, 0.7)
    made = calibration(ill, well, 0.95)
    slow = minimize(loss, [0.0, 1.0], args=(ill, well), tol=1e-12)
    assert made.line == pytest.approx(tuple(slow.x), abs=1e-4)
    assert made.slope == made.line[1]
    large = minimize(lambda a: loss([a[0], 1.0], ill, well), [0.0], tol=1e-12)
    assert made.intercept == pytest.approx(large.x[0], abs=1e-4)
    grid = np.array([0.0, 0.25, 1.0])
    assert np.all(np.diff(made.curve(grid)) > 0)


@pytest.mark.parametrize(("n", "slope"), [(100, 1.0), (300, 1.0), (300, 0.5)])
def test_the_intervals_hold_about_as_often_as_they_say(n, slope):
    """Of 600 intervals at 95 %, 5 standard errors below are 0.906."""
    rng, held = np.random.default_rng(n), []
    for _ in range(600):
        made = calibration(*drawn(rng, n, 0.0, slope), 0.95)
        held.append(made.slope_range[0] <= slope <= made.slope_range[1])
        if slope == 1:
            held.append(made.intercept_range[0] <= 0 <= made.intercept_range[1])
    assert 0.906 <= np.mean(held) <= 0.99


@pytest.mark.parametrize(
    ("ill", "well"),
    [
        ([], [0.5]),
        ([0.5], []),
        ([0.6, 0.7], [0.1, 0.6]),
        ([0.1, 0.2], [0.2, 0.3]),
        ([0.5, 1.2], [0.4, 0.6]),
        ([0.5, 0.2], [-0.1, 0.4]),
    ],
)
def test_no_probabilities_and_classes_that_are_apart_have_none(ill, well):
    assert calibration(np.array(ill), np.array(well), 0.95) is None


def test_certain_scores_are_taken_as_nearly_certain():
    made = calibration(np.array([0.0, 0.9, 1.0]), np.array([0.0, 0.2, 1.0]), 0.95)
    assert np.isfinite([made.intercept, made.slope, *made.slope_range]).all()
