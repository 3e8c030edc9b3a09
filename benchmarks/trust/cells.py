"""Cells that stand for nothing, or that readers of tables take for different things.

    python -m benchmarks.trust.run cells [--quick] [--seed 0]

Each table has padded marks of missing values, numbers in odd notations, names that begin like a
formula, and rows that are too long or too short. steadycut and ``rule_reader.py`` must both refuse
it, or write the same bytes. Rows without a patient must never become one patient.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.trust.hostile.watch import one_database
from benchmarks.trust.row import Row
from benchmarks.trust.rule_file import GOLDEN, by_reader, by_steadycut, outcome, quoted
from steadycut import FrozenRule

# Cells that a program, a form or a spreadsheet leaves in a table. Marks of missing values come bare
# and with blanks and invisible characters around or inside them.
PADS = ("", " ", "\t", "\u00a0", "\u200b", "\ufeff", "\u2060", "\u3000", "\u00ad", "  ")
MISSING = ("NA", "na", "N/A", "#N/A", "nan", "NaN", "<NA>", "null", "NULL", "None", "")
SCORES = ("+-3", "-+3", "--3", "++3", "+3", "-.5", "5.", ".", "1e5", "1E+5", "1e", "TRUE", "true")
SCORES = (*SCORES, "12345678901%", "9%", "<3", "1,5", "1 000", "5e-324", "1e-323", "1e300", "1e301")
SCORES = (*SCORES, "-1e300", "0x10", "1_0", "inf", "-inf", "Infinity", "\u0663", "1d5", "1f", "-0")
NAMES = (
    "=A1",
    "'=A1",
    "''=A1",
    "-5",
    "+5",
    "p1 ",
    " p1",
    "P1",
    "p\u00e91",
    "01",
    "1.0",
    "1",
    "TRUE",
)


def padded(text, rng):
    """Put blanks and invisible characters around a text, and invisible ones perhaps inside."""
    before, after = str(rng.choice(PADS)), str(rng.choice(PADS))
    at = int(rng.integers(len(text) + 1))
    inside = str(rng.choice([one for one in PADS if not one.isspace()]))
    return f"{before}{text[:at]}{inside if rng.random() < 0.2 else ''}{text[at:]}{after}"


def strange_table(rng):
    """Return a table in which about one row in four has a strange cell, and whether it has gaps.

    Rows of other lengths are among them. A gap is a row whose patient or level is not named.
    """
    lines, gaps = ["patient,slide,score,other"], False
    for _ in range(int(rng.integers(1, 9))):
        cells = [f"p{rng.integers(4)}", f"s{rng.integers(2)}", repr(round(float(rng.random()), 3))]
        cells.append("0.5")
        if rng.random() < 0.25:
            at = int(rng.integers(4))
            if at < 2 and rng.random() < 0.6:
                mark = str(rng.choice(MISSING))
                cells[at] = padded(mark, rng)
                gaps |= at == 0 or mark != "None"
            else:
                cells[at] = str(rng.choice(NAMES if at < 2 else SCORES))
        row = [quoted(cell) for cell in cells]
        if rng.random() < 0.03:
            row += [str(rng.choice(["", " ", "x"]))] * int(rng.integers(1, 3))
        elif rng.random() < 0.02:
            row.pop()
        lines.append(",".join(row))
    return "\n".join([*lines, ""]), gaps


def strange_cells(n, rng, folder):
    """Tables of strange cells: reader and package decide alike or both refuse; none merges gaps."""
    ways = ("merged", "decided by one alone", "other decisions", "tracebacks")
    failures = dict.fromkeys(ways, 0)
    path = folder / "table.csv"
    rules = [GOLDEN / f"{name}.json" for name in ("rule-ge", "rule-nested")]
    loaded = [FrozenRule.load(rule) for rule in rules]
    for _ in range(n):
        text, gaps = strange_table(rng)
        path.write_text(text, encoding="utf-8", newline="")
        which = int(rng.integers(2))
        ours, expected = outcome(lambda w=which: by_steadycut(loaded[w], path))
        theirs, found = outcome(lambda w=which: by_reader(rules[w], path))
        gaps &= which == 1 or bool(_unnamed(text))
        said = {
            "merged": gaps and "decided" in (ours, theirs),
            "decided by one alone": {ours, theirs} == {"decided", "refused"},
            "other decisions": ours == theirs == "decided" and found != expected,
            "tracebacks": "traceback" in (ours, theirs),
        }
        for way, failed in said.items():
            failures[way] += failed
        if any(said.values()):
            print(f"{rules[which].stem}: {text!r}: {ours}, {theirs} alone", file=sys.stderr)
    return Row("tables of strange cells, by reader and package", n, failures)


def _unnamed(text):
    """Return the patients of rows that name none, by the rule written a second time."""
    firsts = [line.partition(",")[0].strip('"') for line in text.splitlines()[1:]]
    plain = ["".join(one for one in first if one.isalnum() or one in "/#<>") for first in firsts]
    return [one for one in plain if one.casefold() in {mark.casefold() for mark in MISSING}]


def stage(*, quick, seed):
    with tempfile.TemporaryDirectory() as place, one_database():
        yield strange_cells(300 if quick else 20_000, np.random.default_rng(seed), Path(place))
