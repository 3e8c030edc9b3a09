"""Refits on two processes: how much faster, and how much memory.

    python benchmarks/speed/refit.py [--repeats 3] [--bootstrap 24] [--megabytes 200]

Efficiency is T1 / (2 T2) of whole fits of `StableThresholdClassifier`: T1 with one process, T2
with two, run in turns so that a busy machine disturbs both alike. The same on processor clocks,
T2 being the time of the first process and then half of that of both workers (they take replicates
one by one), says what an idle machine would show: whoever else is at work does not enter, what is
done alone or beyond the work of one process does. For a linear scorer processes hardly pay.

Memory is what a worker holds for itself at its peak, beyond that of a fit on almost no data, and
the files that the workers map and share, in units of the data. Nine patients in ten certify here,
so that what a worker copies of its training rows is little, and a copy of the data shows.
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


def workers():
    """The workers, once they run code of their own: a fork still holds this process's memory."""
    return [pid for pid in family()[1:] if "popen_loky" in read(f"/proc/{pid}/cmdline")]


def read(path):
    """The text of a file of the kernel; empty if its process has ended."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def processor_seconds(pid):
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0.0


def memory(pid, field):
    lines = read(f"/proc/{pid}/smaps_rollup").splitlines()
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(field)), 0)


# Time.


def timed_fit(scorer, n_jobs, n_bootstrap, rows):
    """Wall time, time on processor clocks, and the draws."""
    model = StableThresholdClassifier(
        scorer, n_jobs=n_jobs, n_bootstrap=n_bootstrap, random_state=0
    )
    before, started = {pid: processor_seconds(pid) for pid in family()}, time.perf_counter()
    model.fit(*rows)
    wall = time.perf_counter() - started
    first, *others = (processor_seconds(pid) - before.get(pid, 0.0) for pid in family())
    return wall, first + sum(others) / 2, model.study_.bootstrap_thresholds


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
    yield "| scorer | one process, s | two, s | T1 / (2 T2) | each pair | on processor clocks |"
    yield "|---|---|---|---|---|---|"
    for name, scorer in SCORERS.items():
        pairs = time_in_turns(scorer, n_bootstrap, repeats, rows)
        walls = [one[0] / (2 * two[0]) for one, two in pairs]
        clocks = statistics.median(one[1] / (2 * two[1]) for one, two in pairs)
        one, two = (statistics.median(run[0] for run in side) for side in zip(*pairs, strict=True))
        median, each = statistics.median(walls), " ".join(f"{ratio:.2f}" for ratio in walls)
        yield f"| {name} | {one:.1f} | {two:.1f} | {median:.2f} | {each} | {clocks:.2f} |"
    yield ""
    yield f"Target for gradient boosting: {TARGET:.2f}."


# Memory.


def mapped_files(pid):
    """Arrays on disk, or in shared memory, that a process has mapped."""
    lines = read(f"/proc/{pid}/maps").splitlines()
    paths = {Path(line.split()[-1]) for line in lines if line.endswith((".pkl", ".npy"))}
    return {path: path.stat().st_size for path in paths if path.exists()}


@contextmanager
def peaks():
    """Watch the workers; yields a dict of the largest sizes seen."""
    found, stop = {"own": 0, "shared": 0}, threading.Event()

    def watch():
        while not stop.wait(0.05):
            pids = workers()
            held = max((memory(pid, "Anonymous:") for pid in pids), default=0)
            shared = {path: size for pid in pids for path, size in mapped_files(pid).items()}
            found["own"] = max(found["own"], held)
            found["shared"] = max(found["shared"], sum(shared.values()))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield found
    finally:
        stop.set()
        watcher.join()


def peak_memory(rows, **config):
    model = StableThresholdClassifier(
        GaussianNB(), n_jobs=2, n_bootstrap=24, cv=2, certify_size=0.9, random_state=0
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
        ways = {
            "X in memory": (X, {}),
            "X a memory map": (np.load(stored, mmap_mode="r"), {}),
            "X in memory, a copy sent with every task": (X, {"max_nbytes": None}),
        }
        yield f"Two workers, {X.nbytes / 1e6:.0f} MB of data; sizes are times the data."
        yield ""
        yield "| way | each worker for itself | shared by all workers |"
        yield "|---|---|---|"
        for name, (data, config) in ways.items():
            empty = peak_memory(small, **config)
            full = peak_memory((data, y, patient), **config)
            own = (full["own"] - empty["own"]) / X.nbytes
            yield f"| {name} | {own:.2f} | {full['shared'] / X.nbytes:.2f} |"


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
