"""Do all versions of a change-control plan hold together, and how many labels does one take?

Run: python benchmarks/studies/change_control.py [--streams 5000] [--only SETTING]

A stream has 3,000 patients. A trigger is an alarm of the monitor, or one of three declared events.
After it, 60 patients without labels make the menu, and at most 300 labelled ones are taken one at a
time. Until a version is accepted, and after a failed attempt, the original rule decides. True risks
are known: scores of both classes are normal. A version is bad if its true risk is above the target
in the stretch that certified it; where the stretch holds a change, at all times in it.

The settings: no change, one change, three changes; and some that are as hard as possible. In
``at the target`` no cut-off has a risk below 1.005 times the target, so every accepted version is
bad. In ``at the margin`` every cut-off of the menu that is not the original is worse by more than
the margin, by 1.02 times at least. There are then five declared events, and 2,000 streams.
The last setting shows what happens if failed attempts do not spend their part of delta.
"""

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from steadycut.core.adapt.control import Claims, attempt_delta, try_menu, within
from steadycut.core.adapt.menu import Item, make_menu
from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.adapt.refit import Labels, Model
from steadycut.core.monitor import evidence, first_crossing
from steadycut.core.records import Costs

RESULT = Path(__file__).resolve().parents[1] / "results" / "change_control.json"
SEED, PATIENTS = 20, 3000
DELTA, TARGET, MARGIN, MOST_LABELS, POOL = 0.1, 0.2, 0.05, 300, 60
PREVALENCE, DISTANCE = 0.4, 2.4
COSTS, REACH, CHUNK = Costs(), 3.0, 500
CHANGES = {"no change": 0, "one change": 1, "three changes": 3}
HARD_EVENTS, HARD_STREAMS = 5, 2000
FORGOTTEN = "at the target, failed attempts not counted"
SETTINGS = (*CHANGES, "at the target", "at the margin", FORGOTTEN)


def risk(cut, prevalence, distance, shift):
    """The true risk of a cut-off where scores of healthy patients have the mean ``shift``."""
    missed = ndtr(cut - shift - distance)
    return prevalence * missed + (1 - prevalence) * ndtr(shift - cut)


def best_cut(prevalence, distance, shift):
    """The cut-off with the smallest risk."""
    return shift + distance / 2 + np.log((1 - prevalence) / prevalence) / distance


def smallest_risk(prevalence, distance):
    return risk(best_cut(prevalence, distance, 0.0), prevalence, distance, 0.0)


def distance_for(wanted, prevalence=PREVALENCE):
    """The distance of the classes at which the smallest risk is the wanted one."""
    return brentq(lambda one: smallest_risk(prevalence, one) - wanted, 0.3, 6.0)


ORIGINAL = float(best_cut(PREVALENCE, DISTANCE, 0.0))


@dataclass(frozen=True)
class Stream:
    """Patients in the order in which they came, and what is true of them."""

    scores: np.ndarray
    ill: np.ndarray
    regime: np.ndarray
    truths: list
    starts: np.ndarray
    events: np.ndarray


def changed(rng):
    """Another truth: moved scores, another prevalence, or a test that became worse."""
    kind = rng.integers(3)
    if kind == 0:
        return PREVALENCE, DISTANCE, float(rng.choice([-1, 1]) * rng.uniform(0.6, 1.5))
    if kind == 1:
        return float(rng.uniform(0.15, 0.6)), DISTANCE, float(rng.uniform(-1, 1))
    return PREVALENCE, distance_for(TARGET * rng.uniform(1.0, 1.3)), float(rng.uniform(-1, 1))


def stream(setting, rng):
    """Draw a stream."""
    truths = [(PREVALENCE, DISTANCE, 0.0)]
    if setting in {"at the target", FORGOTTEN}:
        truths = [(PREVALENCE, distance_for(1.005 * TARGET), 0.0)]
    n = CHANGES.get(setting, 0)
    truths += [changed(rng) for _ in range(n)]
    starts = np.array([0, *(PATIENTS * (1 + np.arange(n)) // (n + 1))])
    regime = np.searchsorted(starts, np.arange(PATIENTS), side="right") - 1
    prevalence, distance, shift = np.array(truths)[regime].T
    ill = (rng.random(PATIENTS) < prevalence).astype(np.int64)
    scores = rng.normal(size=PATIENTS) + distance * ill + shift
    events = np.sort(rng.integers(0, PATIENTS - MOST_LABELS, 3))
    if setting not in CHANGES:
        events = np.arange(0, PATIENTS, PATIENTS // HARD_EVENTS)
    return Stream(
        scores=scores, ill=ill, regime=regime, truths=truths, starts=starts, events=events
    )


def next_events(streams, positions):
    """When the next event is declared; PATIENTS if none is."""
    found = []
    for one, start in zip(streams, positions, strict=True):
        later = one.events[one.events >= start]
        found.append(int(later[0]) if later.size else PATIENTS)
    return found


def triggers(streams, positions, cuts):
    """When the monitor alarms next about the cut-off in force, or an event comes before that."""
    ends = next_events(streams, positions)
    sizes = np.subtract(ends, positions)
    wrong = np.zeros((len(streams), max(sizes.max(), 1)))
    for row, one, start, cut, size in zip(wrong, streams, positions, cuts, sizes, strict=True):
        stretch = slice(start, start + size)
        row[:size] = (one.scores[stretch] >= cut) != one.ill[stretch]
    rows = zip(evidence(wrong, TARGET), positions, ends, strict=True)
    found = []
    for row, start, end in rows:
        place = first_crossing(row[: end - start], DELTA)
        found.append(end if place is None else start + place)
    return found


def hard_menu():
    """Cut-offs that are worse than the original by a little more than the margin."""
    base = risk(ORIGINAL, PREVALENCE, DISTANCE, 0.0)

    def above(cut):
        return risk(cut, PREVALENCE, DISTANCE, 0.0) - base - 1.02 * MARGIN

    ends = brentq(above, ORIGINAL - 3, ORIGINAL), brentq(above, ORIGINAL, ORIGINAL + 3)
    return [Item(name="hard", cut=float(one), weight=0.5) for one in ends]


def try_once(one, trigger, attempt, cut, home, setting):
    """Make an attempt; return the accepted cut-off or None, and where its labels end."""
    first = trigger + POOL
    labels = Labels(
        scores=one.scores[first : first + MOST_LABELS], labels=one.ill[first : first + MOST_LABELS]
    )
    menu = hard_menu()
    if setting != "at the margin":
        pool = Pool.of(one.scores[trigger:first])
        made = make_menu(home, pool, cut, COSTS)
        menu = within(made, ORIGINAL - REACH, ORIGINAL + REACH)
    claims = Claims(costs=COSTS, target=TARGET, margin=MARGIN)
    found = try_menu(menu, labels, ORIGINAL, claims, attempt_delta(DELTA, attempt))
    chosen = None if found.chosen is None else menu[found.chosen].cut
    return chosen, first + found.labels


def judged(one, cut, trigger, end):
    """What is true of an accepted version in the stretch that certified it."""
    stretch = np.unique(one.regime[trigger + POOL : end])
    risks = [risk(cut, *one.truths[regime]) for regime in stretch]
    above = [risk(cut, *one.truths[i]) - risk(ORIGINAL, *one.truths[i]) for i in stretch]
    regime = stretch[-1]
    return {
        "bad": bool(min(risks) > TARGET),
        "above": bool(min(above) > MARGIN),
        "mixed": stretch.size > 1,
        "regime": int(regime),
        "patients": int(end - one.starts[regime]),
        "labels": int(end - trigger - POOL),
    }


def follow(streams, home, setting):
    """Follow streams to their ends; return for each its attempts and the final cut-off."""
    n = len(streams)
    positions, cuts, logs = [0] * n, [ORIGINAL] * n, [[] for _ in range(n)]
    active = list(range(n))
    while active:
        mine = [streams[i] for i in active]
        times = triggers(mine, [positions[i] for i in active], [cuts[i] for i in active])
        still = []
        for i, trigger in zip(active, times, strict=True):
            one = streams[i]
            if trigger + POOL >= PATIENTS:
                continue
            counted = [a for a in logs[i] if a is not None or setting != FORGOTTEN]
            attempt = len(counted) + 1
            chosen, end = try_once(one, trigger, attempt, cuts[i], home, setting)
            accepted = None if chosen is None else judged(one, chosen, trigger, end)
            logs[i].append(accepted)
            cuts[i], positions[i] = ORIGINAL if chosen is None else chosen, end
            if end < PATIENTS:
                still.append(i)
        active = still
    return list(zip(logs, cuts, strict=True))


def summary(followed, streams):
    """Return what the streams of a setting show."""
    attempts = [one for log, _ in followed for one in log]
    accepted = [one for one in attempts if one is not None]
    new = [one for log, _ in followed for one in first_after_changes(log)]
    final = [
        risk(cut, *one.truths[-1]) - risk(ORIGINAL, *one.truths[-1])
        for (_, cut), one in zip(followed, streams, strict=True)
    ]
    n = len(followed)
    share = {
        name: sum(any(a is not None and a[name] for a in log) for log, _ in followed) / n
        for name in ("bad", "above")
    }
    return {
        "streams": n,
        "attempts_per_stream": round(len(attempts) / n, 2),
        "accepted_per_stream": round(len(accepted) / n, 2),
        "any_accepted_above_target": round(share["bad"], 4),
        "any_accepted_above_margin": round(share["above"], 4),
        "final_above_original_by_more_than_margin": round(
            float(np.mean(np.array(final) > MARGIN)), 4
        ),
        "median_labels_of_accepted": _median([one["labels"] for one in accepted]),
        "median_patients_from_change_to_certificate": _median([one["patients"] for one in new]),
        "median_labels_from_trigger_after_change": _median([one["labels"] for one in new]),
        "mixed_stretches": sum(one["mixed"] for one in accepted),
    }


def first_after_changes(log):
    """Return the first accepted version after each change, where its stretch holds no change."""
    found = {}
    for one in log:
        if one is not None and one["regime"] > 0 and not one["mixed"]:
            found.setdefault(one["regime"], one)
    return found.values()


def _median(values):
    return None if not values else float(np.median(values))


def home_patients(rng):
    """What the rule knows of the first hospital: 400 patients."""
    n_ill = int(400 * PREVALENCE)
    steps = np.linspace(0, 1, 101)
    return HomeScores(
        positive=np.quantile(rng.normal(size=n_ill) + DISTANCE, steps),
        negative=np.quantile(rng.normal(size=400 - n_ill), steps),
        n_positive=n_ill,
        n_negative=400 - n_ill,
    )


def measure(setting, n_streams, seed=SEED):
    """Return what the streams of one setting show."""
    rng = np.random.default_rng([seed, SETTINGS.index(setting)])
    home, followed, streams = Model.of(home_patients(rng)), [], []
    for start in range(0, n_streams, CHUNK):
        mine = [stream(setting, rng) for _ in range(min(CHUNK, n_streams - start))]
        followed += follow(mine, home, setting)
        streams += mine
    return summary(followed, streams)


def main():
    """Measure the settings, and store what each shows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=5000)
    parser.add_argument("--only", choices=SETTINGS)
    chosen = parser.parse_args()
    for setting in [chosen.only] if chosen.only else SETTINGS:
        start = time.monotonic()
        streams = chosen.streams if setting in CHANGES else min(chosen.streams, HARD_STREAMS)
        found = measure(setting, streams)
        print(setting, found, f"{time.monotonic() - start:.0f} s", flush=True)
        if chosen.streams == parser.get_default("streams"):
            store(setting, found)


def store(setting, found):
    """Write what one setting shows beside the others."""
    plan = {
        "delta": DELTA,
        "target": TARGET,
        "margin": MARGIN,
        "most_labels": MOST_LABELS,
        "pool": POOL,
        "patients": PATIENTS,
        "seed": SEED,
        "original_risk": round(float(risk(ORIGINAL, PREVALENCE, DISTANCE, 0.0)), 4),
    }
    before = json.loads(RESULT.read_text())["settings"] if RESULT.exists() else {}
    settings = {name: {**before, setting: found}.get(name) for name in SETTINGS}
    kept = {name: one for name, one in settings.items() if one is not None}
    RESULT.write_text(json.dumps({"plan": plan, "settings": kept}, indent=1) + "\n")


if __name__ == "__main__":
    main()
