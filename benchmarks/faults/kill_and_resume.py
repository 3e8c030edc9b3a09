"""Kill a run at random points, again and again, and resume it: the same rule, nothing left over.

    python benchmarks/faults/kill_and_resume.py [--kills 50] [--seed 0] [refits] [aggregation]

Each process is killed with SIGKILL, which no program can catch, after a random time of work; the
next one goes on. Once a run comes to its end its rule file must hold the same bytes as that of a
run that nobody disturbed, and no part, work folder or checkpoint of a killed process may be left;
then a new run begins, until all kills are spent.

``refits`` is a `StableThresholdClassifier` with a checkpoint, ``aggregation`` is
``steadycut fit --resume`` on a table that is aggregated in parts.
"""

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# Children are forked from a server that has imported everything: kills hit the work, not imports.
CONTEXT = multiprocessing.get_context("forkserver")
SERVED = [
    "steadycut.cli.fit",
    "steadycut.show.render.html",
    "steadycut.estimators",
    "steadycut.ingest.engines.duckdb",
    "sklearn.linear_model",
    "pyarrow.parquet",
    "duckdb",
    "jinja2",
]
N_PATIENTS, N_ROWS = 60, 20_000
ROWS_AT_ONCE = 2_000
KILLED = -9


# What is run. Each leaves its rule in the folder `out`.


def refits(out):
    from sklearn.linear_model import LogisticRegression

    from steadycut import StableThresholdClassifier

    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(N_PATIENTS), 3)
    sick = (np.arange(N_PATIENTS) % 2)[patient]
    X = rng.normal(size=(patient.size, 3)) + sick[:, None]
    model = StableThresholdClassifier(
        LogisticRegression(), cv=2, n_bootstrap=60, random_state=0, checkpoint=out / "checkpoint"
    )
    model.fit(X, sick, groups=patient)
    model.study_.freeze().save(out / "rule.json")


def aggregation(out):
    from steadycut.cli.main import run
    from steadycut.ingest.engines.duckdb import DuckDBEngine
    from steadycut.show.svg import picture as svg

    # Drawing takes longer than all the rest: without it more kills hit the reading and writing.
    svg.draw_svg = lambda *_: "<svg></svg>"
    # A patient in twelve fits into a part, as if the table were large.
    DuckDBEngine.rows_at_once = ROWS_AT_ONCE
    columns = ["--patient", "patient", "--score", "score", "--label", "label"]
    how = ["--aggregate", "quantile:0.9", "--engine", "duckdb", "--resume", "--out", str(out)]
    if code := run(["fit", str(out.parent / "rows.parquet"), *columns, *how]):
        sys.exit(code)


WAYS = {"refits": refits, "aggregation": aggregation}
# What a finished run leaves.
LEFT = {
    "refits": {"checkpoint", "rule.json"},
    "aggregation": {"rule.json", "study.json", "report.html"},
}


def write_rows(path):
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(1)
    patient = rng.integers(0, N_PATIENTS, N_ROWS)
    rows = {"patient": patient, "label": patient % 2, "score": rng.normal(size=N_ROWS)}
    rows["score"] += rows["label"]
    parquet.write_table(pa.table(rows), path)


def child(way, out, temporary, ready):
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    ready.set()
    WAYS[way](out)


# Who kills.


@dataclass
class Count:
    """What happened: processes killed, runs that ended, what was wrong with them."""

    killed: int = 0
    ended: int = 0
    wrong: tuple[str, ...] = ()


def run_once(way, out, temporary, seconds=None):
    """Run a process; kill it after so many seconds of work. Return its exit code."""
    ready = CONTEXT.Event()
    out.mkdir(exist_ok=True)
    process = CONTEXT.Process(target=child, args=(way, out, temporary, ready))
    process.start()
    ready.wait()
    process.join(seconds)
    if process.exitcode is None:
        process.kill()
        process.join()
    return process.exitcode


def problems(way, out, temporary, rule):
    """Say what is wrong with a run that came to its end."""
    if (out / "rule.json").read_bytes() != rule:
        yield "the rule file differs"
    found = {path.name for path in out.iterdir()}
    if found != LEFT[way]:
        yield f"files are left or missing: {sorted(found ^ LEFT[way])}"
    hidden = [path.name for path in out.rglob(".*") if path.name != ".steadycut-lock"]
    if hidden:
        yield f"parts are left: {hidden}"
    if left := [path.name for path in temporary.iterdir()]:
        yield f"work folders are left: {left}"


def kill_and_resume(way, kills, folder, seed=0):
    """Kill so many processes and resume each; return what happened."""
    CONTEXT.set_forkserver_preload(SERVED)
    temporary, chance, count = folder / "temporary", random.Random(seed), Count()  # noqa: S311
    temporary.mkdir()
    write_rows(folder / "rows.parquet")
    for undisturbed in (folder / "first", folder / "second"):
        began = time.monotonic()
        if code := run_once(way, undisturbed, temporary):
            return Count(wrong=(f"a run that nobody disturbed ended with {code}",))
        work = time.monotonic() - began
    rule = (undisturbed / "rule.json").read_bytes()
    while count.killed < kills and not count.wrong:
        out = folder / f"run-{count.ended}"
        while (
            code := run_once(way, out, temporary, patience(chance, work, kills, count))
        ) == KILLED:
            count.killed += 1
        count.ended += 1
        count.wrong += (f"a run ended with {code}",) if code else ()
        count.wrong += tuple(problems(way, out, temporary, rule)) if not code else ()
    return count


def patience(chance, work, kills, count):
    """Return after how much work the next process is killed; None if all kills are spent."""
    return chance.uniform(0, work) if count.killed < kills else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("ways", nargs="*", default=list(WAYS), metavar="refits|aggregation")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for one in options.ways:
        with tempfile.TemporaryDirectory() as place:
            found = kill_and_resume(one, options.kills, Path(place), options.seed)
        print(f"{one}: {found.killed} killed, {found.ended} ended, wrong: {found.wrong or 'none'}")
