"""Rows that find their patient in a second table, or in a name: none is lost, none is merged.

    python -m benchmarks.trust.run joins [--quick] [--seed 0]

Each slide has a patient who is known. Its name is written in two ways in the table and in the
sheet: with folders and endings, in another case, padded, or it stands for a missing value. The
score of a row says which row it is, so that the score of a patient says which rows were taken. A
table is refused, or every patient has exactly the rows of his own slides; what is left out is
counted. A plain table is never refused. Files in folders are read in the same way, by their names.
At last every command is told to write over what it reads.
"""

import os
import sys
import tempfile
import warnings
from contextlib import chdir
from pathlib import Path

import numpy as np

from benchmarks.trust.cells import MISSING, padded
from benchmarks.trust.leaks import run_quietly
from benchmarks.trust.row import Row
from steadycut.errors import SteadycutError
from steadycut.ingest import read_patients
from steadycut.ingest.request import make_request
from steadycut.io.safe_csv import csv_bytes

ENDINGS = ("", ".svs", ".SVS", ".ome.tiff", ".csv", ".h5")
FOLDERS = ("", "a/", "b/", "north\\", "a/b/")
MOST_ROWS = 40
WAYS = ("merged", "lost", "counted wrongly", "plain but refused", "tracebacks")


def slide_names(n, rng, plain):
    """Return two names of each slide, and which one is hostile: no row of it may find a patient.

    A hostile slide has a name that stands for a missing value.
    """
    core = [f"s{number:02d}" for number in rng.choice(90, n, replace=False)]
    hostile = np.zeros(n, dtype=bool)
    table, sheet = list(core), list(core)
    if plain:
        return table, sheet, hostile
    if rng.random() < 0.7:
        table = [f"{rng.choice(FOLDERS)}{name}{rng.choice(ENDINGS)}" for name in table]
    if rng.random() < 0.3:
        sheet = [f"{rng.choice(FOLDERS)}{name.upper()}{rng.choice(ENDINGS)}" for name in sheet]
    strange = rng.random(n) < 0.15
    for at in np.flatnonzero(strange):
        kind = rng.integers(3)
        if kind == 0:
            table[at] = padded(str(rng.choice(MISSING)), rng)
            sheet[at] = table[at] if rng.random() < 0.5 else sheet[at]
            hostile[at] = True
        elif kind == 1:
            table[at] += str(rng.choice([" ", "x", "\u200b"]))
        elif not strange.all():
            # Beside a slide of the same name, which is in its own folder.
            table[at] = f"c/{core[int(rng.choice(np.flatnonzero(~strange)))]}.svs"
    return table, sheet, hostile


def joined_table(rng, plain):
    """Return a table, a sheet, and the true patient of each row; None where it must have none."""
    n = int(rng.integers(3, 9))
    table, sheet, hostile = slide_names(n, rng, plain)
    slide = np.repeat(np.arange(n), rng.integers(1, 4, n))[:MOST_ROWS]
    patients = [f"p{number}" for number in rng.integers(0, max(n // 2, 1), n)]
    scores = 2.0 ** np.arange(slide.size)
    listed = [i for i in range(n) if plain or rng.random() < 0.95]
    columns = {"slide": [table[i] for i in slide], "s": scores.tolist()}
    second = {"slide": [sheet[i] for i in listed], "who": [patients[i] for i in listed]}
    if not plain and listed and rng.random() < 0.1:
        # One slide of two patients.
        second = {"slide": [*second["slide"], sheet[listed[0]]], "who": [*second["who"], "p99"]}
    # A row belongs to the patient of its own slide, wherever its name leads.
    truth = [None if hostile[i] or i not in listed else patients[i] for i in slide]
    return columns, second, truth


def judged(ask, truth, plain):
    """Return in which ways the answer is wrong; ``ask`` reads the patients with their sums."""
    failures = dict.fromkeys(WAYS, 0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read = ask()
    except SteadycutError as error:
        failures["plain but refused"] += plain
        failures["tracebacks"] += "\n" in error.message
        return failures
    except Exception as error:  # noqa: BLE001
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return failures | {"tracebacks": 1}
    (patients,) = read.patients.values()
    own, taken = {}, 0
    for row, who in enumerate(truth):
        if who is not None:
            own[who] = own.get(who, 0) + 2**row
    sums = np.rint(patients.scores * patients.n_instances).astype(np.int64).tolist()
    for who, rows in zip(patients.patients.tolist(), sums, strict=True):
        failures["merged"] += rows & ~own.get(who, 0) != 0
        taken += rows.bit_count()
    unmatched = read.dropped.unmatched
    dropped = read.dropped.rows + (unmatched.rows if unmatched else 0)
    failures["lost"] += taken < len(truth) and not dropped
    failures["counted wrongly"] += taken + dropped != len(truth) or read.n_rows != len(truth)
    return failures


def added(totals, failures, what):
    for way, count in failures.items():
        totals[way] += count
    if any(failures.values()):
        print(f"{failures}: {what}", file=sys.stderr)


def sheets(n, rng, folder):
    """Tables joined by names of slides, in files and in memory, by both engines."""
    totals = dict.fromkeys(WAYS, 0)
    for i in range(n):
        plain = i % 4 == 0
        table, sheet, truth = joined_table(rng, plain)
        given, second, engine = table, sheet, "memory"
        if i % 2:
            given, second = folder / "rows.csv", folder / "sheet.csv"
            given.write_bytes(text_of(table))
            second.write_bytes(text_of(sheet))
            engine = "duckdb" if i % 8 == 1 else "memory"
        missing = "refuse" if plain else ("refuse", "drop")[int(rng.integers(2))]
        request = make_request(patient="who", score="s", how="mean", missing=missing)

        def ask(given=given, second=second, engine=engine, request=request):
            return read_patients(request, given, sheet=second, engine=engine)

        added(totals, judged(ask, truth, plain), (table, sheet, missing, engine))
    return Row("tables joined by strange names of slides", n, totals)


def text_of(columns):
    """Return CSV with the cells as they are: nothing is escaped."""
    quoted = [[f'"{cell}"' for cell in column] for column in columns.values()]
    rows = [",".join(columns), *(",".join(row) for row in zip(*quoted, strict=True))]
    return ("\n".join(rows) + "\n").encode()


def files(n, rng, folder):
    """One file per slide: patients from the names of files, in one folder or several."""
    totals = dict.fromkeys(WAYS, 0)
    for i in range(n):
        place, plain = folder / f"files-{i}", i % 2 == 0
        n_files = int(rng.integers(2, 7))
        truth, at, made = [], 0, set()
        for number in range(n_files):
            # In folders a name may come again, for another patient.
            called = number if plain else int(rng.integers(n_files))
            where = "" if plain else f"{'ab'[int(rng.integers(2))]}/"
            path = place / f"{where}q{called}_{number if plain else 0}.csv"
            if path in made:
                continue
            made.add(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = int(rng.integers(1, 4))
            path.write_bytes(csv_bytes({"s": (2.0 ** np.arange(at, at + rows)).tolist()}))
            truth += [(str(path), where, called)] * rows
            at += rows
        # Rows come in the order of the paths.
        pattern = str(place / "**/*.csv")
        wheres = {}
        for _, where, called in truth:
            wheres.setdefault(called, set()).add(where)
        own = [f"q{called}" if len(wheres[called]) == 1 else None for _, where, called in truth]
        request = make_request(
            patient="file",
            score="s",
            patient_from=r"^([^_]+)_",
            file_column="file",
            missing="refuse",
        )
        engine = ("memory", "duckdb")[i // 2 % 2]

        def ask(request=request, pattern=pattern, engine=engine):
            return read_patients(request, [pattern], engine=engine)

        added(totals, judged(ask, own, plain), truth)
    return Row("patients from names of files, in one folder or several", n, totals)


def places(folder):
    """Commands that are told to write over a table, a sheet or a rule, by any name of it."""
    tried = lost = faults = 0
    rng = np.random.default_rng(0)
    with chdir(folder):
        who = np.repeat(np.arange(60), 2)
        ill = who % 2
        keep = {
            "rows.csv": {"slide": [f"s{i}" for i in who], "s": rng.random(who.size) + ill},
            "sheet.csv": {
                "slide": [f"s{i}" for i in range(60)],
                "who": [f"p{i}" for i in range(60)],
                "y": np.arange(60) % 2,
            },
        }
        for name, columns in keep.items():
            Path(name).write_bytes(csv_bytes(columns))
        ask = ["--patient", "who", "--score", "s", "--label", "y", "--bootstrap", "10"]
        fit = ["fit", "rows.csv", "--sheet", "sheet.csv", *ask, "--out", "made"]
        assert run_quietly(fit)[0] == 0
        os.link("sheet.csv", "hard.csv")
        for name in ("rows.csv", "sheet.csv"):
            Path(f"link-{name}").symlink_to(name)
        Path("made/sheet.json").write_bytes(Path("made/rule.json").read_bytes())
        kept = ("rows.csv", "sheet.csv", "made/rule.json", "made/sheet.json")
        before = {name: Path(name).read_bytes() for name in kept}
        for table in ("rows.csv", "row*.csv", "link-rows.csv"):
            for sheet in ("sheet.csv", "shee*.csv", "link-sheet.csv", "hard.csv"):
                read = [table, "--sheet", sheet, "--on", "slide"]
                apply = ["apply", "made/rule.json", *read, "--overwrite", "--out"]
                places = ["rows.csv", "sheet.csv", "link-rows.csv", "link-sheet.csv", "hard.csv"]
                asked = [[*apply, place] for place in places]
                asked += [[*apply, "new.csv", "--log", place] for place in places]
                asked.append(["adapt", "made/rule.json", *read, "--prevalence", "0.4", "--force"])
                asked[-1] += ["--overwrite", "--out", "made"]
                for argv in asked:
                    code, _, err = run_quietly(argv)
                    tried += 1
                    faults += code == 1 or "Traceback" in err
                    changed = [name for name in kept if Path(name).read_bytes() != before[name]]
                    lost += bool(changed)
                    for name in changed:
                        print(f"{argv}: {name} is overwritten", file=sys.stderr)
                        Path(name).write_bytes(before[name])
    failures = {"overwritten": lost, "tracebacks": faults}
    return Row("commands that are told to write over what they read", tried, failures)


def stage(*, quick, seed):
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        yield sheets(100 if quick else 3_000, rng, folder)
        yield files(20 if quick else 300, rng, folder)
        yield places(folder)
