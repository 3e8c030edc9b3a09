"""Hostile inputs at every entry: a right answer, or one clear line.

    python -m benchmarks.trust.run inputs [--quick] [--seed 0]

Tables of hostile cells are written in every format and compared with a plain reading; good files
are damaged byte by byte; frozen files get one absurd value each and a new hash; every option of
every command, found in the command's own tree, and every argument of the public functions gets
values that nobody means. Whatever is no answer must be a refusal in one line; everything runs
under a watchdog.
"""

import itertools
import json
import os
import resource
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.trust.hostile import arguments, damage, frozen, options, sheets, tables
from benchmarks.trust.hostile.watch import WRONG, Tally, outcome
from benchmarks.trust.leaks import run_quietly
from benchmarks.trust.row import Row

# A call that asks for more memory than this has no limit of its own.
MEMORY = 8 << 30
MANY, FEW = 1_000, 100


def stage(*, quick: bool, seed: int):
    """Yield a row for each entry."""
    n, rng = FEW if quick else MANY, np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as place, limited_memory():
        folder = Path(place)
        for name in tables.FORMS:
            yield hostile_tables(name, n, rng, folder)
        yield typed_columns(n, rng, folder)
        for name in damage.FILES:
            yield damaged_files(name, n, rng, folder)
        yield sheets_of_files(n, rng, folder)
        yield absurd_frozen_files(n, rng, folder)
        yield absurd_studies(n // 10, rng, folder)
        yield extreme_scores(n // 10, rng, folder)
        yield hostile_arguments(5 if quick else None, rng)
        # Every value of every option are about 11,000 calls; these are drawn from them.
        yield hostile_options(400 if quick else 2_000, rng, folder)


def hostile_tables(name, n, rng, folder):
    tally = Tally(f"hostile cells: {name}")
    for _ in range(n):
        rows = tables.draw_rows(rng)
        tally.add(*_told(tables.judge(rows, tables.FORMS[name](rows, folder)), rows))
    return tally.row()


ASK = ("--patient", "id", "--score", "s", "--label", "y", "--bootstrap", "10")


def extreme_scores(n, rng, folder):
    """Scores of every size that a float has: an answer, or one line of steadycut's own.

    Some tables have few distinct scores, some have one that is far from the others.
    """
    tried, faults, raw = 0, 0, 0
    for i in range(n):
        path, out = folder / f"extreme-{i}.csv", folder / f"extreme-{i}"
        labels = np.arange(60) % 2
        scores = rng.normal(size=60) + labels
        if rng.random() < 0.5:
            scores = scores.round()
        scale = 10.0 ** int(rng.integers(-160, 150))
        scores = scores * scale * 10.0 ** int(rng.choice([-163, 0, 149]))
        scores[: int(rng.integers(0, 3))] = rng.choice([0.0, 1e300, -1e300, 5e-324, 1.0])
        lines = [f"p{k},{score!r},{label},{'ab'[k % 2]},{k}" for k, (score, label) in enumerate(
            zip(scores.tolist(), labels.tolist(), strict=True))]  # fmt: skip
        path.write_text("\n".join(["id,s,y,g,t", *lines]) + "\n", encoding="utf-8")
        rule = out / "f" / "rule.json"
        for command in (
            ["fit", path, *ASK, "--out", out / "f"],
            ["fit", path, *ASK, "--small-cells", "5", "--out", out / "c"],
            ["fit", path, *ASK, "--rule", "youden-kernel", "--out", out / "k"],
            ["audit", rule, path, "--label", "y", "--force", "--out", out / "a"],
            ["monitor", rule, path, "--label", "y", "--order", "t", "--force", "--out", out / "m"],
            ["strata", path, *ASK, "--costs", "0,1,2;2,1,0", "--out", out / "s"],
            ["covariate", path, *ASK, "--covariate", "g", "--out", out / "v"],
        ):
            code, _, said = run_quietly([str(one) for one in command])
            tried += 1
            faults += code == 1 or "Traceback" in said
            raw += any(not line.startswith("steadycut: ") for line in said.splitlines())
            if code == 1:
                print(f"{command}: {said}", file=sys.stderr)
    ways = {"tracebacks": faults, "raw warnings": raw}
    return Row("commands on scores of every size that a float has", tried, ways)


def typed_columns(n, rng, folder):
    """Whole identifiers up to 2^62 and scores of four types: nobody is merged, no bit is lost."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    def parquet(columns):
        pq.write_table(pa.table(columns), folder / "typed.parquet")
        return folder / "typed.parquet"

    makers = (dict, pd.DataFrame, pl.DataFrame, pa.table, parquet)
    tally = Tally("columns of numbers, five libraries")
    for make in itertools.islice(itertools.cycle(makers), n):
        columns, expected = tables.draw_typed(rng)
        kind, found = outcome(lambda make=make, columns=columns: tables.read(make(columns)))
        wrong = kind in {"answer", "refused"} and found != expected
        tally.add(WRONG if wrong else kind, columns, found)
    return tally.row()


def damaged_files(name, n, rng, folder):
    tally = Tally(f"damaged bytes: {name}")
    for _ in range(n):
        ended, content = damage.judge_damaged(name, rng, folder)
        tally.add(*_told(ended, content))
    return tally.row()


def sheets_of_files(n, rng, folder):
    tally = Tally("sheets of slides and ECGs")
    for _ in range(n):
        ended, content = sheets.judge_sheet(rng, folder)
        tally.add(*_told(ended, content))
    return tally.row()


def absurd_frozen_files(n, rng, folder):
    tally = Tally("frozen files: an absurd value, hashed again")
    for _ in range(n):
        (kind, found), about = frozen.judge_mutant(rng, folder)
        tally.add(WRONG if found == WRONG else kind, about, found)
    return tally.row()


def absurd_studies(n, rng, folder):
    """Pages of studies with one absurd value each; they have no hash, and may be edited."""
    tally, before = Tally("pages of studies with an absurd value"), Path.cwd()
    options.prepare(folder / "pages")
    try:
        study = json.loads(Path("study.json").read_bytes())
        for _ in range(n):
            changed = frozen.mutate(study, rng)
            Path("changed.json").write_text(json.dumps(changed), encoding="utf-8")
            tally.add(*_told(options.judge_call(["report", "changed.json"]), changed))
    finally:
        os.chdir(before)
    return tally.row()


def hostile_arguments(n_values, rng):
    tally = Tally("arguments of public functions")
    for about, call in arguments.calls(n_values, rng):
        tally.add(*_told(arguments.judge_call(call), about))
    return tally.row()


def hostile_options(n, rng, folder):
    tally, before = Tally("options of commands"), Path.cwd()
    options.prepare(folder)
    try:
        every = list(options.calls())
        order = rng.permutation(len(every))[:n]
        for path, given in (every[i] for i in order.tolist()):
            tally.add(*_told(options.judge_call([*path, *given]), (path, given)))
    finally:
        os.chdir(before)
    return tally.row()


def _told(ended, about):
    kind, found = ended
    return kind, about, found


@contextmanager
def limited_memory():
    """Let what takes all memory fail here, and not kill the machine."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
