"""How many labels a certificate takes: at the largest number, and against trying every number."""

import math

import numpy as np
import pytest

from steadycut.core.adapt import plan
from steadycut.core.bounds.anytime import TARGET_BETS


def test_so_many_labels_are_found_up_to_the_largest_number(monkeypatch):
    monkeypatch.setattr(plan, "MOST_LABELS", 63)
    assert plan.labels_needed(0.10, 0.20, 0.1) == 63
    monkeypatch.setattr(plan, "MOST_LABELS", 62)
    assert plan.labels_needed(0.10, 0.20, 0.1) is None
    # One label is enough where it is wrong with a probability of 95 % at the target.
    assert plan.labels_needed(0.0, 0.95, 0.1) == 1
    # A probability at delta certifies, and one at the power is enough.
    assert plan.labels_needed(0.0, 0.5, 0.5) == 1
    assert plan.labels_needed(0.0, 0.2, 0.1, power=1.0) == 11


def test_a_risk_at_the_target_is_not_below_it():
    assert plan.labels_needed(0.2, 0.2, 0.9) is None
    assert plan.labels_one_at_a_time(0.2, 0.2, 0.9) == (None, None)


@pytest.mark.parametrize(("target", "delta"), [(0.2, 0.1), (0.05, 0.3), (0.5, 0.01)])
def test_the_most_errors_are_found_by_trying_every_number(monkeypatch, target, delta):
    monkeypatch.setattr(plan, "MOST_LABELS", 40)
    gain = TARGET_BETS * target / (1 - target)
    most = []
    for labels in range(1, 41):
        totals = [
            np.mean((1 + gain) ** (labels - wrong) * (1 - TARGET_BETS) ** wrong)
            for wrong in range(labels + 1)
        ]
        most.append(sum(np.array(totals) >= 1 / delta) - 1)
    assert plan.most_errors(target, delta).tolist() == most


def slow_stops(risk, target, delta, n_streams, step, most):
    """Stream by stream: the label after which each one stops; infinite if none does."""
    rng, allowed = np.random.default_rng(0), plan.most_errors(target, delta)
    errors, stops = dict.fromkeys(range(n_streams), 0), {}
    for start in range(0, most, step):
        for stream, row in zip(list(errors), rng.random((len(errors), step)), strict=True):
            for label, chance in enumerate(row, start):
                errors[stream] += chance < risk
                if errors[stream] <= allowed[label]:
                    stops[stream] = label + 1
                    del errors[stream]
                    break
    return sorted(stops.get(stream, math.inf) for stream in range(n_streams))


@pytest.mark.parametrize(("risk", "power"), [(0.1, 0.8), (0.0, 0.8), (0.12, 0.6), (0.1, 0.2)])
def test_the_streams_are_always_the_same_and_stop_where_the_bets_are_won(monkeypatch, risk, power):
    for name, number in (("MOST_LABELS", 300), ("N_STREAMS", 41), ("STEP", 10)):
        monkeypatch.setattr(plan, name, number)
    stops = slow_stops(risk, 0.2, 0.1, 41, 10, 300)
    at = [stops[math.ceil(share * 41) - 1] for share in (0.5, power)]
    wanted = tuple(None if math.isinf(one) else one for one in at)
    assert plan.labels_one_at_a_time(risk, 0.2, 0.1, power) == wanted
