"""Figure 2: the decomposition is exact where it is signed, and ways differ as they must."""

from dataclasses import replace

import numpy as np
import pytest

from paper.figure import run_settings
from paper.figure_2 import correlation
from paper.figure_2_simulation import Setting, decompose, replicate
from steadycut.core.confusion import Confusion


def run_setting(setting, n_replicates, seed):
    return run_settings(replicate, {"it": setting}, n_replicates, seed)["it"]


def test_the_decomposition_by_hand():
    # P: 4 sick (1 missed), 6 healthy (2 called); Q: 2 sick (1 missed), 8 healthy (2 called).
    p, q = Confusion(tp=3, fn=1, fp=2, tn=4), Confusion(tp=1, fn=1, fp=2, tn=6)
    parts = decompose(p, q, 0.5)
    assert parts == pytest.approx(
        {
            "risk": 0.3,
            "prevalence": 2 * 0.2,
            "shape_positive": 0.4 * 0.25,
            "shape_negative": 0.6 * (1 / 3 - 1 / 4),
            "penalty": 0.5,
        }
    )


def test_signed_parts_sum_to_the_risk_at_q_and_absolute_ones_are_never_below():
    for one in run_setting(Setting(), 5, 0):
        assert one.identity == pytest.approx(one.estimate, abs=1e-12)
        assert sum(one.parts.values()) >= one.estimate - 1e-12
        assert one.bound >= one.parts["risk"]


def test_algorithm_1_differs_from_erm_only_in_the_marker():
    for one in run_setting(Setting(), 8, 1):
        erm, ours = one.chosen["erm"], one.chosen["algorithm_1"]
        assert (erm.marker == ours.marker) == (erm == ours)
        assert erm.threshold == one.erm.threshold


def test_along_t_the_marker_stays_and_the_penalty_moves_right_only():
    for one in run_setting(Setting(), 8, 2):
        markers = {one.chosen[way].marker for way in ("erm", "pointwise", "stable")}
        assert len(markers) == 1
        assert one.chosen["pointwise"].threshold >= one.erm.threshold - 1e-5


def test_few_patients_are_enough():
    assert replicate(replace(Setting(), n_internal=5, n_external=5), np.random.default_rng(0))


def test_a_correlation_needs_two_that_vary():
    assert correlation(np.array([1.0]), np.array([2.0])) is None
    assert correlation(np.array([1.0, 1.0]), np.array([2.0, 3.0])) is None
    assert correlation(np.array([1.0, 2.0]), np.array([2.0, 3.0])) == pytest.approx(1)
