"""False alarms of the monitor, and limits that hold at all times, on streams of known truth."""

import numpy as np
import pytest

from steadycut.core.confusion import Confusion
from steadycut.core.monitor import (
    confidence_sequence,
    evidence,
    watch_calls,
)

pytestmark = pytest.mark.validity

DELTA = 0.1
# Streams and patients of each: everyday runs are short.
SIZES = [
    pytest.param(400, 600, id="short"),
    pytest.param(10_000, 5_000, id="full", marks=pytest.mark.slow),
]
LOSSES = {
    "rare": ([0.0, 1.0], [0.97, 0.03]),
    "equal": ([0.0, 1.0], [0.8, 0.2]),
    "unequal": ([0.0, 1 / 3, 1.0], [0.65, 0.2, 0.15]),
}


def draw(name, shape, rng):
    values, chances = LOSSES[name]
    return np.array(values)[np.searchsorted(np.cumsum(chances)[:-1], rng.random(shape), "right")]


def at_most(share, promised, n):
    """Not above the promise by more than four Monte Carlo standard errors."""
    return share <= promised + 4 * np.sqrt(promised * (1 - promised) / n)


@pytest.mark.parametrize(("n_streams", "n"), SIZES)
@pytest.mark.parametrize("name", LOSSES)
def test_false_alarms(name, n_streams, n):
    rng, mean = np.random.default_rng(1), np.dot(*LOSSES[name])
    alarmed = [
        (evidence(draw(name, (min(2500, n_streams), n), rng), mean) >= 1 / DELTA).any(axis=1)
        for _ in range(max(n_streams // 2500, 1))
    ]
    assert at_most(np.mean(alarmed), DELTA, n_streams)


def test_an_order_that_looks_at_labels_is_a_trap():
    """Errors first: the promise is lost, and this file can see it."""
    losses = np.sort(draw("equal", (100, 600), np.random.default_rng(2)), axis=1)[:, ::-1]
    alarmed = (evidence(losses, 0.2) >= 1 / DELTA).any(axis=1)
    assert not at_most(alarmed.mean(), DELTA, 100)


@pytest.mark.parametrize(
    "n_streams", [pytest.param(150, id="short"), pytest.param(2000, id="f", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", LOSSES)
def test_limits_hold_at_all_times(name, n_streams):
    rng, mean = np.random.default_rng(3), np.dot(*LOSSES[name])
    missed = 0
    for _ in range(n_streams):
        limits = confidence_sequence(draw(name, 500, rng), DELTA)
        missed += bool(np.any((limits.lower > mean) | (limits.upper < mean)))
    assert at_most(missed / n_streams, DELTA, n_streams)


@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_a_call_rate_that_did_not_change(rate):
    """46 certifying patients: against their interval few false alarms, against the point many."""
    rng, n_streams, n = np.random.default_rng(4), 150, 1500
    interval, streams, shares = 0, [], []
    for _ in range(n_streams):
        calls = int(np.clip(rng.binomial(46, rate), 1, 45))
        reference = Confusion(tp=calls, fn=0, fp=0, tn=46 - calls)
        called = (rng.random(n) < rate).astype(float)
        interval += watch_calls(called[:400], reference, DELTA).first_alarm is not None
        streams.append(called)
        shares.append([[calls / 46]])
    called, share = np.array(streams), np.array(shares)
    sides = np.maximum(evidence(called, share), evidence(1 - called, 1 - share))
    point = np.count_nonzero(sides.max(axis=1) >= 2 / DELTA)
    assert at_most(interval / n_streams, DELTA, n_streams)
    assert point / n_streams > 0.4
