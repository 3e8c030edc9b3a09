"""Refits on two processes: how much faster, and how much memory.

    python benchmarks/speed/refit.py [--repeats 3] [--bootstrap 24] [--megabytes 200]

Efficiency is T1 / (2 T2) of whole fits of `StableThresholdClassifier`: T1 with one process, T2
with two, run in turns so that a busy machine disturbs both alike. Processor time says what two
processes cost beyond one, whoever else is at work: it is the efficiency of an idle machine as far
as overhead goes. For a linear scorer processes hardly pay.

Memory is that of all processes together (pages that several share count once), and what a worker
holds for itself, both at their peaks, beyond those of a fit on almost no data, in units of the
data. Nine patients in ten certify here, so that what a worker copies of its training rows is
little, and a copy of the data shows.
"""

import argparse
import os
import statistics
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import joblib
import numpy as np
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from steadycut import StableThresholdClassifier

SCORERS = {
    "GradientBoosting": GradientBoostingClassifier(n_estimators=60),
    "HistGradientBoosting": HistGradientBoostingClassifier(max_iter=60),
    "LogisticRegression": LogisticRegression(),
}
TICKS = os.sysconf("SC_CLK_TCK")
TARGET = 0.85


def make_rows(n_patients, n_rows, n_features, seed=0):
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n_patients), n_rows)
    sick = rng.random(n_patients) < 0.4
    X = rng.standard_normal((patient.size, n_features))
    X[:, :5] += 0.5 * sick[patient, None]
    return X, sick[patient], patient


# Processes, as the kernel sees them.


def family():
    """This process and the workers that it started."""
    tasks = Path("/proc/self/task").glob("*/children")
    return [os.getpid(), *(int(pid) for file in tasks for pid in file.read_text().split())]


def processor_seconds(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid, field):
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(field)), 0)


# Time.


def timed_fit(scorer, n_jobs, n_bootstrap, rows):
    """Wall time, processor time of all processes, and the draws."""
    model = StableThresholdClassifier(
        scorer, n_jobs=n_jobs, n_bootstrap=n_bootstrap, random_state=0
    )
    used, started = sum(map(processor_seconds, family())), time.perf_counter()
    model.fit(*rows)
    wall = time.perf_counter() - started
    used = sum(map(processor_seconds, family())) - used
    return wall, used, model.study_.bootstrap_thresholds


def time_in_turns(scorer, n_bootstrap, repeats, rows):
    """Fit with one and with two processes, in turns; refuse results that differ."""
    # Starting the workers and importing there is not what is measured.
    timed_fit(scorer, 2, 4, rows)
    pairs = []
    for _ in range(repeats):
        one, two = (timed_fit(scorer, n_jobs, n_bootstrap, rows) for n_jobs in (1, 2))
        assert np.array_equal(one[2], two[2])
        pairs.append((one, two))
    return pairs


def time_table(n_bootstrap, repeats):
    rows = make_rows(n_patients=200, n_rows=10, n_features=10)
    yield f"{repeats} pairs of fits, {n_bootstrap} replicates of 5 folds, 200 patients of 10 rows."
    yield f"Load of the machine at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."
    yield ""
    yield "| scorer | one process, s | two, s | T1 / (2 T2) | each pair | by processor time |"
    yield "|---|---|---|---|---|---|"
    for name, scorer in SCORERS.items():
        pairs = time_in_turns(scorer, n_bootstrap, repeats, rows)
        walls = [one[0] / (2 * two[0]) for one, two in pairs]
        work = statistics.median(one[1] / two[1] for one, two in pairs)
        one, two = (statistics.median(run[0] for run in side) for side in zip(*pairs, strict=True))
        median, each = statistics.median(walls), " ".join(f"{ratio:.2f}" for ratio in walls)
        yield f"| {name} | {one:.1f} | {two:.1f} | {median:.2f} | {each} | {work:.2f} |"
    yield ""
    yield f"Target for gradient boosting: {TARGET:.2f}."


# Memory.


@contextmanager
def peaks():
    """Watch all processes; yields a dict that holds the largest sizes seen."""
    found, stop = {"all": 0, "worker": 0}, threading.Event()

    def watch():
        while not stop.wait(0.02):
            pids = family()
            found["all"] = max(found["all"], sum(memory(pid, "Pss:") for pid in pids))
            held = max((memory(pid, "Anonymous:") for pid in pids[1:]), default=0)
            found["worker"] = max(found["worker"], held)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield found
    finally:
        stop.set()
        watcher.join()


def peak_memory(rows, n_jobs, **config):
    model = StableThresholdClassifier(
        GaussianNB(), n_jobs=n_jobs, n_bootstrap=12, cv=2, certify_size=0.9, random_state=0
    )
    with joblib.parallel_config("loky", **config), peaks() as found:
        model.fit(*rows)
    # The next way starts with workers of its own.
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)
    return found


def memory_table(megabytes):
    n_features = 100
    n_rows = max(1, round(megabytes * 1e6 / 8 / n_features / 400))
    X, y, patient = make_rows(400, n_rows, n_features)
    small = make_rows(400, 1, 5)
    with tempfile.TemporaryDirectory() as folder:
        stored = Path(folder) / "rows.npy"
        np.save(stored, X)
        on_disk = np.load(stored, mmap_mode="r")
        ways = {
            "one process": (X, 1, {}),
            "two processes": (X, 2, {}),
            "two processes, X a memory map": (on_disk, 2, {}),
            "two processes, a copy sent to each": (X, 2, {"max_nbytes": None}),
        }
        yield f"Data: {X.nbytes / 1e6:.0f} MB."
        yield ""
        yield "| way | all processes, times the data | each worker for itself |"
        yield "|---|---|---|"
        for name, (data, n_jobs, config) in ways.items():
            empty = peak_memory(small, n_jobs, **config)
            full = peak_memory((data, y, patient), n_jobs, **config)
            whole, worker = ((full[key] - empty[key]) / X.nbytes for key in ("all", "worker"))
            held = "-" if n_jobs == 1 else f"{worker:.2f}"
            yield f"| {name} | {whole:.2f} | {held} |"
    yield ""
    yield "The array that is passed to fit lies in the memory of the first process in every way."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--bootstrap", type=int, default=24)
    parser.add_argument("--megabytes", type=float, default=200.0)
    options = parser.parse_args()
    for line in time_table(options.bootstrap, options.repeats):
        print(line, flush=True)
    print(flush=True)
    for line in memory_table(options.megabytes):
        print(line, flush=True)
