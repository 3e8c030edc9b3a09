"""The promise of privacy: every text cell of a table is a token, and no output holds one.

    python -m benchmarks.trust.run tokens [--quick] [--seed 0]

Each text in the table occurs for one patient only: identifiers, slides, notes, a column of sites, a
few values among shared ones, and, where there is no header, the names of columns. Sheets and files
in archives are named by tokens too. Every command runs on it, well and by mistake, with a log, and
so does ``rule_reader.py``. Damaged copies in several formats are read. All that appears is
searched. Only files that are asked to name patients may hold a token. Columns take every role in
turn, so that the wrong column is named in every way.
"""

import gzip
import itertools
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.trust.leaks import marked_place, run_quietly
from benchmarks.trust.row import Row
from steadycut import rule_reader
from steadycut.io.safe_csv import csv_bytes

TOKEN = re.compile(rb"zq[0-9a-f]{8}qz", re.IGNORECASE)
# Asked to name patients: decisions, and lists of whom to label.
NAMING = {"decisions.csv", "decisions.parquet", "worklist.csv"}
N_PATIENTS, N_ROWS = 160, 2
ROLES = (
    "patient",
    "slide",
    "site",
    "centre",
    "kind",
    "note",
    "word",
    "cell",
    "score",
    "label",
    "day",
)


def tokens(n, rng):
    return [f"zq{number:08x}qz" for number in rng.choice(2**32, n, replace=False).tolist()]


def token_table(rng):
    """Return the columns: who, where, what and how much, one or two rows per patient."""
    of = np.repeat(np.arange(N_PATIENTS), N_ROWS)
    own = {name: np.array(tokens(N_PATIENTS, rng))[of] for name in ("patient", "site", "word")}
    shared = np.where(np.arange(N_PATIENTS) % 2, "north", "south").astype("<U20")
    kinds = np.array(["a", "b", "c"])[np.arange(N_PATIENTS) % 3].astype("<U20")
    for column in (shared, kinds):
        few = rng.choice(N_PATIENTS, 4, replace=False)
        column[few] = tokens(4, rng)
    labels = np.arange(N_PATIENTS) % 4 // 2
    scores = rng.normal(size=of.size) + labels[of]
    return {
        **own,
        "slide": tokens(of.size, rng),
        "note": tokens(of.size, rng),
        "cell": tokens(of.size, rng),
        "centre": shared[of],
        "kind": kinds[of],
        "score": scores.round(4).astype(str),
        "label": labels[of],
        "day": of,
    }


def write_tables(rng):
    """Write the table in several formats, with and without a header."""
    from openpyxl import Workbook

    columns = token_table(rng)
    whole = csv_bytes({name: columns[name] for name in ROLES})
    Path("table.csv").write_bytes(whole)
    Path("bare.csv").write_bytes(whole.split(b"\n", 1)[1])
    names = (name for name in ROLES if name not in ("score", "label", "day"))
    words = csv_bytes({name: columns[name] for name in names})
    Path("words.csv").write_bytes(words.split(b"\n", 1)[1])
    twice = words.split(b"\n", 1)[1].split(b"\n", 1)
    Path("twice.csv").write_bytes(twice[0] + b"," + twice[0] + b"\n" + twice[1])
    odd = {**columns, "score": [*columns["score"][:-3], "12345678901%", "1,5", "<77"]}
    Path("odd.csv").write_bytes(csv_bytes(odd))
    torn = whole.split(b"\n")
    Path("torn.csv").write_bytes(b"\n".join([*torn[:9], torn[9] + b',"x', *torn[10:]]))
    # Slides with a score, and who they are of: whole, with some missing, and with two patients.
    slides = {name: columns[name] for name in ("slide", "score")}
    Path("slides.csv").write_bytes(csv_bytes(slides))
    keys = {name: columns[name] for name in ("slide", "patient", "label", "centre", "kind")}
    Path("keys.csv").write_bytes(csv_bytes(keys))
    lines = Path("keys.csv").read_bytes().split(b"\n")
    Path("few.csv").write_bytes(b"\n".join([*lines[:200], b""]))
    torn_keys = lines[1].rsplit(b",", 4)[0] + b",".join([b"", *lines[5].rsplit(b",", 4)[1:]])
    Path("both.csv").write_bytes(b"\n".join([*lines[:-1], torn_keys, b""]))
    Path("keyless.csv").write_bytes(b"\n".join(lines[1:]))
    Path("each").mkdir()
    for name, score, label in zip(
        *(columns[name] for name in ("slide", "score", "label")), strict=True
    ):
        Path(f"each/{name}.csv").write_bytes(csv_bytes({"score": [score], "label": [label]}))
    first, second = tokens(2, rng)
    with zipfile.ZipFile("two.zip", "w") as archive:
        archive.writestr(f"{first}.csv", whole)
        archive.writestr(f"{second}.csv", whole)
    with zipfile.ZipFile("one.zip", "w") as archive:
        archive.writestr(f"{first}.csv", Path("words.csv").read_bytes())
    book = Workbook()
    for title in (first, second):
        sheet = book.create_sheet(title)
        for line in whole.decode().splitlines()[:5]:
            sheet.append(line.split(","))
    book.save("book.xlsx")


ASK = ("--patient", "patient", "--score", "score", "--label", "label")
FEW = ("--bootstrap", "10")


def commands():
    """Return commands that do their work, and some that are refused."""
    fit = ["fit", "table.csv", *ASK, *FEW]
    rule, by_kind = "plain/rule.json", "kind/covariate.json"
    labelled = ["--label", "label"]
    others = ["--site", "centre", "--internal", "north", "--external", "others"]
    return [
        [*fit, "--out", "plain"],
        [*fit, "--site", "site", "--out", "sites"],
        [*fit, "--site", "centre", "--out", "centres"],
        [*fit, "--site", "centre", "--internal", "north", "--level", "slide:max", "--out", "north"],
        [*fit, "--remember-patients", "--out", "known"],
        [*fit, "--small-cells", "5", "--out", "cells"],
        ["apply", rule, "table.csv", "--out", "decisions.csv"],
        ["apply", rule, "table.csv", "--out", "decisions.parquet", "--json"],
        ["audit", rule, "table.csv", *labelled, "--force", "--site", "site", "--out", "a1"],
        ["audit", rule, "table.csv", *labelled, "--force", "--site", "centre", "--out", "a2"],
        ["audit", rule, "table.csv", *labelled, "--force", "--group", "kind", "--out", "a3"],
        ["audit", rule, "table.csv", *labelled, "--force", "--group", "word", "--out", "a4"],
        ["audit", "centres/rule.json", "table.csv", "--force", "--out", "a5"],
        ["audit", "north/rule.json", "table.csv", *labelled, "--force", "--out", "a6"],
        ["monitor", rule, "table.csv", *labelled, "--order", "day", "--force", "--out", "m"],
        ["compare", "table.csv", *ASK, *FEW, *others, "--out", "compared"],
        ["covariate", "table.csv", *ASK, *FEW, "--covariate", "kind", "--out", "kind"],
        ["covariate", "table.csv", *ASK, *FEW, "--covariate", "centre", "--out", "centre"],
        ["covariate", "table.csv", *ASK, *FEW, "--covariate", "word", "--out", "word"],
        ["apply", by_kind, "table.csv", "--unseen", "pooled", "--out", "kind/decisions.csv"],
        ["apply", by_kind, "table.csv", "--out", "never.csv"],
        ["audit", by_kind, "table.csv", *labelled, "--force", "--unseen", "pooled", "--out", "a7"],
        ["strata", "table.csv", *ASK, *FEW, "--costs", "0,1,2;2,1,0", "--out", "strata"],
        ["adapt", rule, "table.csv", *labelled, "--force", "--out", "adapted"],
        ["adapt", rule, "table.csv", "--worklist", "20", "--force", "--out", "list"],
        ["report", "sites", "--format", "md"],
        ["report", "a3", "--format", "pdf-ready"],
        *joined(rule),
        *(["apply", rule, name, "--out", "never.csv"] for name in UNFIT),
        *(["fit", name, *ASK, "--out", "never"] for name in UNFIT),
    ]  # fmt: skip


def joined(rule):
    """Return commands that take patients from a second table, or from names."""
    made = ["--file-column", "slide", "--patient-from"]
    one = ["fit", "each/*.csv", *ASK[2:], *FEW]
    for i, sheet in enumerate(("keys.csv", "few.csv", "both.csv", "keyless.csv", "table.csv")):
        for j, more in enumerate(([], ["--missing", "drop"], ["--on", "slide"], ["--on", "x=y"])):
            given = ["slides.csv", "--sheet", sheet, *more]
            yield ["fit", *given, *ASK, *FEW, "--out", f"j{i}{j}"]
            yield ["apply", rule, *given, "--out", f"j{i}{j}/decisions.csv"]
            yield ["audit", rule, *given, "--label", "label", "--force", "--out", f"ja{i}{j}"]
            yield ["adapt", rule, *given, "--prevalence", "0.4", "--force", "--out", f"jb{i}{j}"]
    for i, pattern in enumerate((r"^(.{9})", "tcga", r"(", r"(zq0.*)", "^zq(.*)qz$")):
        yield [*one, *made, pattern, "--out", f"jc{i}"]
        yield ["fit", "table.csv", *ASK, *FEW, "--patient-from", pattern, "--out", f"jd{i}"]
    yield ["fit", "each/*.csv", *ASK[2:], *FEW, "--file-column", "score", "--out", "je"]


UNFIT = ("bare.csv", "words.csv", "twice.csv", "odd.csv", "torn.csv", "two.zip", "one.zip")
UNFIT = (*UNFIT, "book.xlsx", "book.xlsx#Sheet", "book.xlsx#Scores")


def wrong_roles(rng, n):
    """Return commands in which the columns take other roles."""
    kinds = ("patient", "score", "label", "site", "level", "covariate", "group", "order")
    cases = list(itertools.product(kinds, ROLES))
    for i in rng.permutation(len(cases))[:n]:
        role, column = cases[i]
        asked = dict(zip(ASK[::2], ASK[1::2], strict=True))
        fit = ["fit", "table.csv", *FEW, "--out", f"w{i}"]
        if f"--{role}" in asked:
            asked[f"--{role}"] = column
        more = {
            "site": ["--site", column],
            "level": ["--level", f"{column}:max"],
        }.get(role, [])
        plain = [part for pair in asked.items() for part in pair]
        audit = ["audit", "plain/rule.json", "table.csv", "--label", "label", "--force"]
        others = {
            "covariate": ["covariate", "table.csv", *ASK, *FEW, "--covariate", column],
            "group": [*audit, "--group", column],
            "order": ["monitor", "plain/rule.json", "table.csv", "--order", column],
        }
        yield [*others[role], "--out", f"w{i}"] if role in others else [*fit, *plain, *more]


PIECES = (b'"', b",", b"\n", b"\r", b"\x00", b"\xff", b";", b"\t", b'",', b' "', b"\xef\xbb\xbf")


def damaged(rng, n):
    """Write a table with some bytes changed, in several formats; yield what is done with it."""
    whole = Path("table.csv").read_bytes()
    for i in range(n):
        text = whole
        for _ in range(int(rng.integers(1, 4))):
            at = int(rng.integers(len(text)))
            at = int(rng.integers(200)) if rng.random() < 0.3 else at
            piece = PIECES[int(rng.integers(len(PIECES)))]
            text = text[:at] + piece + text[at + int(rng.integers(3)) :]
        name = ("hurt.csv", "hurt.tsv", "hurt.csv.gz", "hurt.parquet")[i % 4]
        if name.endswith(".gz"):
            text = gzip.compress(text, mtime=0)
        elif name.endswith(".parquet"):
            text = hurt_parquet(rng)
        Path(name).write_bytes(text)
        yield ["fit", name, *ASK, *FEW, "--out", f"h{i}"]


def hurt_parquet(rng):
    frame = pa.table({name: [str(one) for one in token_table(rng)[name]] for name in ROLES})
    pq.write_table(frame, "whole.parquet", compression="none", use_dictionary=bool(rng.integers(2)))
    text = Path("whole.parquet").read_bytes()
    at = int(rng.integers(len(text)))
    return text[:at] + rng.bytes(int(rng.integers(1, 4))) + text[at + int(rng.integers(1, 4)) :]


def readings():
    """Return what the reader that stands alone is given."""
    for name in ("table.csv", *UNFIT):
        yield ["plain/rule.json", name, "--out", "alone/decisions.csv"]
    yield ["kind/covariate.json", "table.csv", "--out", "alone/never.csv"]


def searched(seed, n):
    """Run everything, and count the outputs, those that hold a token, and the tracebacks."""
    rng = np.random.default_rng(seed)
    named = faults = tried = 0
    with marked_place() as folder:
        write_tables(rng)
        Path("alone").mkdir()
        inputs = set(folder.rglob("*"))
        done = itertools.chain(commands(), wrong_roles(rng, n), damaged(rng, 3 * n))
        for argv in itertools.chain(done, map(alone, readings())):
            inputs |= set(folder.glob("hurt.*")) | set(folder.glob("whole.*"))
            before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
            code, out, err = run_alone(argv[1:]) if argv[0] == ALONE else logged(argv)
            faults += code == 1 or "Traceback" in err
            new = [path for path in sorted(folder.rglob("*")) if is_new(path, before, inputs)]
            texts = {"stdout": out.encode(), "stderr": err.encode()}
            texts |= {path.name: path.read_bytes() for path in new if path.name not in NAMING}
            holding = [name for name, text in texts.items() if TOKEN.search(text)]
            tried, named = tried + len(texts), named + len(holding)
            if holding or code == 1:
                print(f"{argv}: {code} {holding} {err[-300:]}", file=sys.stderr)
    what = "files, streams and logs of a table in which every text is a token"
    return Row(what, tried, {"tokens named": named, "tracebacks": faults})


ALONE = "rule_reader.py"


def alone(argv):
    return [ALONE, *argv]


def run_alone(argv):
    return run_quietly(argv, rule_reader.main)


def logged(argv):
    return run_quietly([*argv, "--log", "runs.log"])


def is_new(path, before, inputs):
    return path.is_file() and path not in inputs and before.get(path) != path.stat().st_mtime_ns


def stage(*, quick, seed):
    yield searched(seed, 12 if quick else 88)
