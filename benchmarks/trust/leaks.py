"""Search what steadycut writes and prints for patients, paths, hosts, live markup and formulas.

    python -m benchmarks.trust.run leaks [--quick] [--seed 0]

Every command but `app` (see tests/app) and `score-slides` (its results go the way of `score-ecg`)
runs on tables whose identifiers, file name, folder, host and user are marked, and every
byte that it leaves is searched for the marks. Then hostile texts stand in for all names and values
of a table: pages may have no element or attribute that those of a harmless table lack, CSV files no
cell that a spreadsheet runs, and JSON must read back. ``--quick`` puts all hostile texts into one
name; otherwise each is tried alone as well.
"""

import contextlib
import csv
import io
import json
import os
import platform
import re
import socket
import tempfile
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.trust.row import Row
from steadycut.cli.main import run
from steadycut.io.safe_csv import csv_bytes
from steadycut.rule_reader import FORMULA, NUMBER
from tests.pipelines.ecg.making import make_ecg, write_record

MARKS = {
    "patients": "qxzid",
    "file": "qxzfile",
    "folder": "qxzfolder",
    "host": "qxzhost",
    "user": "qxzuser",
}
KINDS = {
    "patients named": {"patients"},
    "paths": {"file", "folder"},
    "host or user": {"host", "user"},
}
# Rows of so few patients that errors could list all of them.
FEW = 12
# Decisions and scores are about patients: the only outputs that name them.
DECISIONS = ("decisions.csv", "decisions.parquet", "segments.parquet")
ROLES = ("site", "patient", "slide", "score", "label", "age")
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "<!--",
    "--><b>",
    "]]><![CDATA[<b>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "</pre></section><iframe src=x>",
    "</text></svg><svg onload=alert(1)>",
    "{{7*7}}{% raw %}{# #}",
    "&lt;b&gt;&#60;b&#62;&amp",
    "\\u003cb\\u003e",
    "\u2028\u2029",
    "\u202eabc",
    "$\\frac{x$",
    "%s %n {0} {name}",
    "[a](javascript:alert(1)) |x| `y`",
    "=HYPERLINK(A1)",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1+1",
    "\uff1d1+1",
    "a\r=1+1",
    'a"\n=1+1',
)


def stage(*, quick, seed):
    """Return a row for what was searched, and a row for each kind of file with hostile texts."""
    return [leaks(seed), *hostile(HOSTILE if not quick else (), seed)]


# Marks -------------------------------------------------------------------------------------


def leaks(seed):
    """Run every command on a marked table and search everything that it leaves."""
    with marked_place() as folder:
        table = f"{MARKS['file']}.csv"
        cells = rows(ROLES, MARKS["patients"], "s", ("north", "south"), "01", seed)
        cells["record"] = cells["patient"]
        Path(table).write_bytes(csv_bytes(cells))
        write_records(seed)
        few = {name: column[:FEW] for name, column in cells.items()}
        Path("few.csv").write_bytes(csv_bytes(few))
        tried, found = 0, Counter()
        for arguments in [*commands(table), *mistakes(table), *mistakes_of_few("few.csv")]:
            before = set(folder.rglob("*"))
            _, out, err = run_quietly(arguments)
            # The user gave the name of the file: it may stand on the terminal, not in a result.
            found += count_marks(f"{out}{err}".encode(), but={"file"})
            new = [path for path in sorted(set(folder.rglob("*")) - before) if path.is_file()]
            for path in new:
                but = {"patients"} if path.name in DECISIONS else set()
                found += count_marks(path.read_bytes(), but=but)
            tried += 2 + len(new)
    what = "files and streams searched for patients, paths, host, user"
    return Row(what, tried, {kind: found[kind] for kind in KINDS})


def commands(table):
    """Return every command that reads a table or writes a result."""
    named = ["--patient", "patient", "--score", "score", "--label", "label"]
    usual = [*named, "--bootstrap", "20"]
    level, here = ["--level", "slide:max"], ["--site", "site", "--internal", "north"]
    there = ["--site", "site", "--external", "south"]
    several = ["--aggregate", "mean", "--aggregate", "max"]
    rule = "study/rule.json"
    return [
        ["fit", table, *usual, *here, *level, *several, "--out", "study"],
        ["fit", table, *usual, *several, "--ensemble", "quantile", "--out", "all", "--json"],
        [
            "fit",
            table,
            *usual,
            *here,
            "--remember-patients",
            "--out",
            "known",
        ],
        ["fit", table, *usual, *here, "--small-cells", "2", "--out", "few"],
        ["apply", rule, table, "--out", "decisions.csv"],
        ["apply", rule, table, "--out", "decisions.parquet", "--json"],
        ["audit", rule, table, "--label", "label", *there, "--out", "audit"],
        ["audit", rule, table, *there, "--out", "audit-without"],
        ["audit", "few/rule.json", table, *there, "--small-cells", "5", "--out", "audit-few"],
        ["audit", "known/rule.json", table, "--force", "--out", "audit-known"],
        ["monitor", rule, table, "--order", "age", "--label", "label", *there, "--out", "watch"],
        ["compare", table, *usual, *here, "--external", "south", *level, "--out", "compared"],
        ["report", "study", "--format", "md"],
        ["report", "audit", "--format", "pdf-ready"],
        ["strata", table, *usual, *level, "--costs", "0,1,2;2,1,0", "--out", "strata"],
        ["apply", "strata/strata.json", table, "--out", "strata/decisions.csv"],
        ["covariate", table, *usual, *level, "--covariate", "site", "--out", "by-site"],
        ["apply", "by-site/covariate.json", table, "--out", "by-site/decisions.csv"],
        ["score-ecg", "records", "--sheet", "sheet.csv", "--out", "ecg"],
        ["keygen", "key"],
        ["sign", rule, "--key", "key"],
        ["verify", rule, "--key", "key.pub"],
        ["plan", "--risk", "0.1", "--width", "0.05"],
        ["rules"],
        ["demo", "--out", "demo"],
    ]


def write_records(seed):
    """Write ECGs of marked patients, every other one sick, and a sheet that says who is who."""
    rng, patients = np.random.default_rng(seed), range(8)
    for i in patients:
        write_record(Path("records", f"r{i}"), make_ecg(rng, sick=i % 2 == 0)[1])
    sheet = {
        "record": [f"r{i}" for i in patients],
        "patient": [f"{MARKS['patients']}{i}" for i in patients],
        "label": [int(i % 2 == 0) for i in patients],
    }
    Path("sheet.csv").write_bytes(csv_bytes(sheet))


def mistakes(table):
    """Return commands that end with a refusal, some after a look at the rows."""
    usual = ["--patient", "patient", "--score", "score", "--label", "label", "--out", "never"]
    return [
        [
            "fit",
            table,
            "--patient",
            "score",
            "--score",
            "patient",
            "--label",
            "label",
            "--out",
            "x",
        ],
        ["fit", table, "--patient", "label", "--score", "age", "--label", "slide", "--out", "x"],
        ["fit", table, "--patient", "patient", "--score", "age", "--label", "record", "--out", "x"],
        ["fit", table, *usual, "--site", "record", "--internal", "north"],
        ["strata", table, *usual[:-4], "--label", "record", "--costs", "0,1;1,0", "--out", "x"],
        ["compare", table, *usual, "--site", "record", "--internal", "a", "--external", "b"],
        ["fit", table, *usual, "--positive", "no"],
        ["fit", table, *usual, "--site", "slide"],
        ["fit", "none.csv", *usual],
        ["apply", table, table, "--out", "never.csv"],
        ["audit", "known/rule.json", table, "--out", "never"],
        ["report", "known/rule.json"],
    ]


def mistakes_of_few(table):
    """Return commands that take a column of few identifiers for classes, sites or groups."""
    ask = ["--patient", "patient", "--score", "score", "--out", "x"]
    graded = ["--costs", "0,1;1,0", "--order", "a,b"]
    return [
        ["fit", table, *ask, "--label", "record"],
        ["fit", table, *ask, "--label", "record", "--positive", "ill"],
        ["fit", table, *ask, "--label", "label", "--site", "record", "--internal", "north"],
        ["strata", table, *ask, "--label", "record", *graded],
        ["audit", "strata/strata.json", table, *ask[-2:], "--label", "record"],
        ["audit", "study/rule.json", table, *ask[-2:], "--site", "record", "--external", "north"],
        ["apply", "by-site/covariate.json", table, "--column", "site=record", "--out", "never.csv"],
    ]


@contextlib.contextmanager
def marked_place():
    """Work in a folder, on a host and as a user that are marked."""
    before = Path.cwd()
    user = dict.fromkeys(("USER", "LOGNAME", "USERNAME"), MARKS["user"])
    with tempfile.TemporaryDirectory(prefix=MARKS["folder"]) as folder:
        temporary = Path(folder, "temporary")
        temporary.mkdir()
        places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
        with (
            mock.patch.dict(os.environ, {**user, "HOSTNAME": MARKS["host"], **places}),
            mock.patch.object(socket, "gethostname", return_value=MARKS["host"]),
            mock.patch.object(platform, "node", return_value=MARKS["host"]),
            mock.patch.object(tempfile, "tempdir", str(temporary)),
        ):
            os.chdir(folder)
            try:
                yield Path(folder)
            finally:
                os.chdir(before)


def count_marks(content, but):
    """Count which kinds of marks occur."""
    return Counter(
        kind
        for kind, marks in KINDS.items()
        if any(MARKS[mark].encode() in content for mark in marks - but)
    )


# Hostile texts -----------------------------------------------------------------------------


def hostile(each, seed):
    """Let all hostile texts at once, and each of them alone, be the names in a table."""
    plain = results("plain", seed)
    kinds = {"pages": Counter(), "CSV files": Counter(), "JSON": Counter()}
    for text in ("".join(HOSTILE), *each):
        judge(results(text, seed), plain, kinds)
    ways = {"pages": "injected elements", "CSV files": "live formulas", "JSON": "broken"}
    return [
        Row(
            f"{kind} with hostile names and values",
            count["tried"],
            {ways[kind]: count["wrong"], "tracebacks": count["faults"]},
        )
        for kind, count in kinds.items()
    ]


def judge(found, plain, kinds):
    """Count what is wrong in the results of one hostile text."""
    for name, content in found.items():
        kind, wrong = kind_of(name), JUDGES[Path(name).suffix]
        kinds[kind]["tried"] += 1
        kinds[kind]["faults"] += content is None
        kinds[kind]["wrong"] += content is not None and wrong(content, plain[name])


def kind_of(name):
    return {".html": "pages", ".md": "pages", ".csv": "CSV files", ".json": "JSON"}[
        Path(name).suffix
    ]


def results(text, seed):
    """Return what the commands write about a table full of a text, by name; None for a fault."""
    columns = [f"{text}{role}" for role in ROLES]
    site, patient, slide, score, label, age = columns
    usual = ["--patient", patient, "--score", score, "--label", label, "--positive", f"{text}1"]
    sites = [f"{text}{end}".replace(",", ";").strip() for end in "NS"]
    here = ["--site", site, "--internal", sites[0]]
    there = ["--site", site, "--external", sites[1]]
    level = ["--level", f"{slide}:max"]
    few = ["--bootstrap", "10"]
    ran = {
        "fit.json": [
            "fit",
            "t.parquet",
            *usual,
            *level,
            *few,
            "--site",
            site,
            "--out",
            "s",
            "--json",
        ],
        "audit.json": ["audit", "s/rule.json", "t.parquet", "--label", label, *there, "--out", "a"],
        "compare.json": ["compare", "t.parquet", *usual, *few, *here, *there[2:], "--json"],
        "monitor.json": ["monitor", "s/rule.json", "t.parquet", "--order", age, "--json"],
        "strata.json": [
            "strata",
            "t.parquet",
            *usual,
            *few,
            "--costs",
            "0,1,2;2,1,0",
            "--out",
            "r",
        ],
        "apply.json": ["apply", "s/rule.json", "t.parquet", "--out", "decisions.csv", "--json"],
        "report.json": ["report", "s", "--format", "md"],
    }
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            cells = rows(columns, text, text, sites, (f"{text}0", f"{text}1"), seed)
            # CSV cannot hold every text; Parquet can.
            pq.write_table(pa.table(cells), "t.parquet")
            ended = {name: run_quietly(arguments) for name, arguments in ran.items()}
            pages = ("s/report.html", "s/report.md", "a/audit.html", "r/strata.html")
            files = (*pages, "s/study.json", "s/rule.json", "a/audit.json", "decisions.csv")
            written = {
                name: Path(name).read_text("utf-8", "strict")
                for name in files
                if Path(name).exists()
            }
        finally:
            os.chdir(before)
    said = {name: (code, out) for name, (code, out, _) in ended.items() if out.startswith("{")}
    printed = {f"printed/{name}": None if code == 1 else out for name, (code, out) in said.items()}
    crashed = {f"printed/{name}": None for name, (code, *_) in ended.items() if code == 1}
    return {**written, **printed, **crashed}


def injects(page, plain):
    """Whether a page has an element or attribute that the harmless one lacks, or loses a file."""
    found, usual = Elements(page), Elements(plain)
    counted = ("script", "style", "meta", "form", "input", "button", "iframe", "pre")
    return (
        not set(found.attributes) <= set(usual.attributes)
        or any(found.tags[tag] != usual.tags[tag] for tag in counted)
        or found.script != usual.script
        or not all(is_json(text) for text in found.held)
    )


def injects_markdown(text, plain):
    del plain
    return re.search(r"(?<!\\)<[a-z!/?]", text) is not None


def runs(text, plain):
    """Whether a spreadsheet would run a cell."""
    del plain
    rows = csv.reader(io.StringIO(text, newline=""))
    return any(
        cell.startswith(FORMULA) and not NUMBER.fullmatch(cell) for row in rows for cell in row
    )


def broken(text, plain):
    return not is_json(text) or keys_of(json.loads(text)) != keys_of(json.loads(plain))


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def keys_of(content):
    """The fields of a file. Hostile labels are not names of classes, so these are left out."""
    return sorted(set(content) - {"class_names"}) if isinstance(content, dict) else []


JUDGES = {".html": injects, ".md": injects_markdown, ".csv": runs, ".json": broken}


class Elements(HTMLParser):
    """The tags of a page, their attributes, its script, and the files that it holds."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.script, self.held, self.last = Counter(), [], "", [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, name) for name, _ in attrs] + [(tag, "")]
        self.last = tag
        if tag == "pre":
            self.held.append("")

    def handle_data(self, data):
        if self.last == "script":
            self.script += data
        elif self.last == "pre":
            self.held[-1] += data

    def handle_endtag(self, tag):
        del tag
        self.last = ""


# Both --------------------------------------------------------------------------------------


def rows(columns, patient, slide, sites, labels, seed):
    """Return 80 patients of two sites, each with two slides of two rows."""
    rng, found = np.random.default_rng(seed), []
    for i in range(80):
        sick = i // 2 % 2
        for score in rng.normal(rng.normal() + 2 * sick, 0.3, 4).round(4).tolist():
            part = f"{slide}{len(found) % 4 // 2}"
            found.append([sites[i % 2], f"{patient}{i}", part, score, labels[sick], i])
    return dict(zip(columns, zip(*found, strict=True), strict=True))


def run_quietly(arguments, run=run):
    """Run one command in this process and return its exit code and the two streams."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    return code, out.getvalue(), err.getvalue()
