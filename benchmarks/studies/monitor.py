"""How often the monitor alarms falsely, and how soon rightly, beside two others.

Run: python benchmarks/studies/monitor.py [--replicates 10000]

* ``monitor``: this package, looked at after every patient.
* ``once``: a test of fixed size, applied once, after as many patients as give it an even chance at
  that risk (exact binomial; with unequal costs by the normal approximation). It must know the
  risk beforehand and may not look earlier. The same test, wrongly repeated after every patient,
  is ``repeated``.
* ``MAPIE``: RiskMonitoring of MAPIE 1.x on a part of the same streams, equal costs, its threshold
  the certified value and its whole level on the stream; where it is not installed, what is stored
  of it stays.

Streams without a change are as many as there are replicates, streams with one a fifth of them.
Delays are medians, in patients.
"""

import json
import sys
from pathlib import Path

import numpy as np
from scipy.stats import binom, norm

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.studies.pieces import options, store
from steadycut.core.confusion import Confusion
from steadycut.core.monitor import evidence, watch_calls

DELTA = 0.1
CERTIFIED = (0.05, 0.15, 0.3)
FACTORS = {"half_more": 1.5, "twice": 2.0}
# A miss costs 3, a false alarm 1; misses carry this part of the risk.
UNEQUAL, MISS_PART = (3.0, 1.0), 0.7
MAPIE_STREAMS = 40
BATCH, PATIENTS, SHORT = 2500, 5000, 2000


def equal_losses(risk, shape, rng):
    return (rng.random(shape) < risk).astype(float)


def unequal_losses(risk, shape, rng):
    """Losses in units of the more expensive error, of mean ``risk`` in these units."""
    fn, fp = UNEQUAL[0] / max(UNEQUAL), UNEQUAL[1] / max(UNEQUAL)
    u, miss = rng.random(shape), MISS_PART * risk / fn
    return np.where(u < miss, fn, np.where(u < miss + (1 - MISS_PART) * risk / fp, fp, 0.0))


def first_alarms(losses, certified):
    """After how many patients each stream alarms; one more than there are if it does not."""
    reached = evidence(losses, certified) >= 1 / DELTA
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, losses.shape[1] + 1)


def in_batches(draw, certified, risk, n_streams, n, seed):
    rng = np.random.default_rng(seed)
    sizes = [min(BATCH, n_streams - start) for start in range(0, n_streams, BATCH)]
    return np.concatenate([first_alarms(draw(risk, (k, n), rng), certified) for k in sizes])


def after_a_change(draw, certified, factor, n_streams, n, good=1000):
    """Delay after ``good`` patients at 0.7 times the certified risk."""
    rng = np.random.default_rng(2)
    before = draw(0.7 * certified, (n_streams, good), rng)
    after = draw(factor * certified, (n_streams, n), rng)
    alarms = first_alarms(np.concatenate([before, after], axis=1), certified)
    return np.median(alarms) - good, np.mean(alarms <= good)


def once(certified, risk, most=20_000):
    """Patients at which one exact binomial test has power 1/2."""
    n = np.arange(1, most)
    critical = binom.isf(DELTA, n, certified)
    enough = binom.sf(critical, n, risk) >= 0.5
    return int(n[enough][0]) if enough.any() else None


def once_normal(certified, risk):
    """The same with unequal costs, by the normal approximation."""
    fn, fp = UNEQUAL[0] / max(UNEQUAL), UNEQUAL[1] / max(UNEQUAL)
    variance = risk * (MISS_PART * fn + (1 - MISS_PART) * fp) - risk**2
    return int(np.ceil(norm.isf(DELTA) ** 2 * variance / (risk - certified) ** 2))


def every_time(losses, certified):
    """Share of streams in which the one-off test, repeated after every patient, ever rejects."""
    n = np.arange(1, losses.shape[1] + 1)
    return np.mean((np.cumsum(losses, axis=1) > binom.isf(DELTA, n, certified)).any(axis=1))


def mapie_alarms(losses, certified):
    from mapie.exchangeability_testing import RiskMonitoring

    found = []
    for stream in losses.astype(int):
        # Half of the level is meant for a reference set; here the threshold is given.
        watch = RiskMonitoring("accuracy", test_level=2 * DELTA, threshold=certified, warn=False)
        watch.update(np.zeros_like(stream), stream)
        above = watch.online_risk_lower_bound_sequence_history > certified
        found.append(above.argmax() + 1 if above.any() else stream.size + 1)
    return np.array(found)


def beside_mapie(certified, factor, n):
    losses = equal_losses(factor * certified, (MAPIE_STREAMS, n), np.random.default_rng(3))
    both = first_alarms(losses, certified), mapie_alarms(losses, certified)
    return dict(zip(("monitor", "mapie"), map(np.median, both), strict=True))


def call_rate(n_streams, n, rate=0.4, n_reference=46):
    """False alarms about the call rate: against the reference's interval, and its point."""
    rng, interval, point = np.random.default_rng(4), 0, 0
    for _ in range(n_streams):
        calls = int(rng.binomial(n_reference, rate))
        reference = Confusion(tp=calls, fn=0, fp=0, tn=n_reference - calls)
        called = (rng.random(n) < rate).astype(float)
        interval += watch_calls(called, reference, DELTA).first_alarm is not None
        estimate = calls / n_reference
        sides = evidence(called, estimate), evidence(1 - called, 1 - estimate)
        point += max(side.max() for side in sides) >= 2 / DELTA
    return interval / n_streams, point / n_streams


def rows_of(draw, fixed, costs, n_streams):
    """Return false alarms and delays for every certified risk."""
    rows = []
    for certified in CERTIFIED:
        alarms = in_batches(draw, certified, certified, n_streams, PATIENTS, seed=1)
        row = {"costs": costs, "certified": certified, "false_alarms": np.mean(alarms <= PATIENTS)}
        for name, factor in FACTORS.items():
            risk, many = factor * certified, n_streams // 5
            alarms = in_batches(draw, certified, risk, many, PATIENTS, seed=1)
            late, early = after_a_change(draw, certified, factor, many, SHORT)
            row |= {
                f"alarmed_{name}": np.mean(alarms <= PATIENTS),
                f"delay_{name}": np.median(alarms),
                f"once_{name}": fixed(certified, risk),
                f"late_{name}": late,
                f"early_{name}": early,
            }
        rows.append(row)
    return rows


def beside(asked):
    """Compare with MAPIE, or return what is stored of it."""
    try:
        import mapie
    except ImportError:
        return json.loads(asked.out.read_text("utf-8"))["mapie"]
    found = {name: beside_mapie(0.15, factor, SHORT) for name, factor in FACTORS.items()}
    return {"version": mapie.__version__, "streams": MAPIE_STREAMS} | found


def main():
    asked = options("monitor", __doc__, 10_000, 1)
    rows = rows_of(equal_losses, once, "equal", asked.replicates)
    rows += rows_of(unequal_losses, once_normal, "miss 3, alarm 1", asked.replicates)
    losses = equal_losses(0.15, (asked.replicates // 5, PATIENTS), np.random.default_rng(5))
    interval, point = call_rate(asked.replicates // 20, SHORT)
    result = {
        "patients": PATIENTS,
        "delta": DELTA,
        "rows": rows,
        "repeated": every_time(losses, 0.15),
        "call_rate": {"interval": interval, "point": point},
        "mapie": beside(asked),
    }
    store(asked, result)


if __name__ == "__main__":
    main()
