"""The monitor: evidence, alarms, limits that hold at all times."""

import random

import numpy as np

from steadycut.core.monitor import (
    confidence_sequence,
    evidence,
    first_crossing,
    watch_calls,
    watch_risk,
)
from tests.slow_reference import monitoring, shift
from tests.slow_reference.compare_bounds import confusion_of, counts_for
from tests.slow_reference.differences import all_differ, differ


def stream_for(cohort):
    rng = random.Random(cohort.seed)  # noqa: S311
    worst = max(cohort.cost_fn, cohort.cost_fp)
    losses = [cohort.cost_fn, cohort.cost_fp, 0.0]
    return worst, [rng.choice(losses) for _ in range(rng.randint(1, 25))]


def risk_watch(cohort):
    worst, losses = stream_for(cohort)
    certified = random.Random(cohort.seed).choice([0.05, 0.3, 0.7]) * worst  # noqa: S311
    found = watch_risk(losses, certified, worst, cohort.delta)
    values = [loss / worst for loss in losses]
    wanted = [monitoring.evidence(values[: i + 1], certified / worst) for i in range(len(values))]
    yield from all_differ("evidence", found.martingale, wanted, 1e-9)
    alarm = next((i + 1 for i, total in enumerate(wanted) if total >= 1 / cohort.delta), None)
    yield from differ("first alarm", found.first_alarm, alarm)
    again = first_crossing(evidence(np.array(values), certified / worst), cohort.delta)
    yield from differ("first crossing", again, alarm)


def limits_over_time(cohort):
    worst, losses = stream_for(cohort)
    values = [loss / worst for loss in losses]
    found = confidence_sequence(values, cohort.delta)
    for i in sorted({0, len(values) // 2, len(values) - 1}):
        seen = values[: i + 1]
        low = monitoring.lower_limit(seen, cohort.delta)
        high = 1 - monitoring.lower_limit([1 - value for value in seen], cohort.delta)
        yield from differ("mean so far", found.mean[i], sum(seen) / len(seen), 1e-9, 1e-12)
        yield from differ("lower limit", found.lower[i], low, absolute=1e-6)
        yield from differ("upper limit", found.upper[i], high, absolute=1e-6)


def call_watch(cohort):
    """Too many calls against the upper end of P's interval, too few against the lower one."""
    rng = random.Random(cohort.seed)  # noqa: S311
    called = [int(rng.random() < 0.8) for _ in range(20)]
    counts, n_choices = counts_for(cohort), cohort.seed % 3
    found = watch_calls(called, confusion_of(counts), cohort.delta, n_choices)
    own = counts[0] + counts[2], sum(counts), cohort.delta / 2, n_choices
    low, high = shift.rate_interval(*own)
    yield from all_differ("call interval", [found.lowest, found.highest], [low, high], 1e-9, 1e-12)
    if high < 1:
        wanted = monitoring.evidence(called, high)
        yield from differ("too many", found.too_many[-1], wanted, 1e-9)
    if low > 0:
        wanted = monitoring.evidence([1 - call for call in called], 1 - low)
        yield from differ("too few", found.too_few[-1], wanted, 1e-9)
