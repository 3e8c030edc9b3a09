"""A small table of two hospitals, and commands run on it inside this process."""

import csv
import json
import sys
from dataclasses import dataclass
from functools import partial

import numpy as np

from steadycut.cli.main import run

HEADER = ["site", "patient", "slide", "score", "other", "label"]
# Identifiers that cannot occur in a text by accident.
MARK = "Zq§"
FIT = ["--patient", "patient", "--score", "score", "--label", "label", "--bootstrap", "20"]
STEADYCUT = [sys.executable, "-m", "steadycut.cli.main"]
SITES = ["--site", "site", "--internal", "north"]
# The columns of a file of decisions by cut-offs.
DECISIONS = [
    "patient",
    "score",
    "decision",
    "flip_probability",
    "threshold",
    "outside_range",
    "rule_sha256",
]


@dataclass
class Ran:
    """What a command left: its exit code and the two streams."""

    code: int
    out: str
    err: str

    @property
    def said(self):
        """All of stdout on one line."""
        return " ".join(self.out.split())

    @property
    def json(self):
        """The one object on stdout."""
        return json.loads(self.out, parse_constant=_refuse)


def _refuse(text):
    raise AssertionError(text)


by_app = partial(run, by_app=True)


def run_command(capsys, *arguments, run=run):
    """Run one command in this process; ``run`` is what runs it."""
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    streams = capsys.readouterr()
    return Ran(code, streams.out, streams.err)


def warning_lines(content):
    """What a fit says on stderr about the study that it wrote, line by line."""
    return [f"steadycut: warning: {text}" for text in content["stability"]["warnings"]]


def make_rows(n_patients=60, seed=0, shift=0.0):
    """Rows of two hospitals, north and south: patients of two slides of three rows."""
    rng = np.random.default_rng(seed)
    rows = []
    for site, n in (("north", n_patients), ("south", n_patients // 2)):
        for i in range(n):
            label, centre = i % 2, rng.normal() + 2 * (i % 2) + shift
            for k in range(6):
                scores = rng.normal(centre, 0.3, 2).round(4).tolist()
                rows.append([site, f"{MARK}{site}{i:03d}", f"s{k // 3}", *scores, label])
    return rows


def write_rows(path, rows, header=HEADER):
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def column_changed(rows, name, change):
    """Rows with one column changed: ``change`` takes the position of a row and its value."""
    at = HEADER.index(name)
    return [[*row[:at], change(i, row[at]), *row[at + 1 :]] for i, row in enumerate(rows)]


def snapshot(folder):
    """Every file and folder below a folder, with the content of files."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }
