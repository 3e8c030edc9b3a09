"""Everything that is done to break steadycut, and how often it broke: one table.

    python -m benchmarks.trust.run [--quick] [--seed 0] [--keep] [STAGE...]

Exits with 1 if a row that must be empty of failures is not, or too many mutants survive. ``--keep``
writes what was found to ``benchmarks/results/trust.json``, each stage in place of its last run, and
from there the tables of ``docs/reliability.md`` (sums) and ``benchmarks/notes/reliability.md``
(every row) anew; a quick run is never kept.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from benchmarks.trust.mutants import REQUIRED, score_of
from benchmarks.trust.row import Row, show

# From the quickest to the slowest.
STAGES = {
    "records": "Records of text files, counted twice",
    "rule_file": "Rule files and signatures",
    "cells": "Strange cells, by the package and the reader",
    "joins": "Rows that find their patient elsewhere",
    "versions": "Files that are exchanged for another version",
    "tokens": "Privacy: every text of a table is a token",
    "leaks": "Privacy: what is written is searched",
    "differencing": "Small cells",
    "doors": "Others on the same machine",
    "inputs": "Adversarial input",
    "interrupts": "Ctrl-C and closed streams",
    "faults": "Faults",
    "reference": "A second implementation",
    "mutants": "Mutants of core",
}
ROOT = Path(__file__).parents[2]
KEPT = ROOT / "benchmarks/results/trust.json"
PAGE = ROOT / "docs/reliability.md"
NOTES = ROOT / "benchmarks/notes/reliability.md"
MARKS = "<!-- tables: begin -->", "<!-- tables: end -->"


def run_stage(name, *, quick, seed):
    """Return the rows of a stage, shown as they come."""
    print(f"\n{STAGES[name]}", flush=True)
    found = []
    for row in import_module(f"benchmarks.trust.{name}").stage(quick=quick, seed=seed):
        show([row])
        found.append(row)
    return found


def is_well(name, rows):
    if name == "mutants":
        return score_of(rows)[0] >= REQUIRED
    return not any(row.failed for row in rows)


def stages_of(kept):
    """Return the rows of each stage that was kept."""
    return {name: [Row(**row) for row in kept[name]["rows"]] for name in STAGES if name in kept}


def sums(kept):
    """Return the table of the page: one row a stage."""
    lines = ["| | tried | failures |", "|---|---|---|"]
    for name, rows in stages_of(kept).items():
        tried = sum(row.tried for row in rows)
        failures = sum(sum(row.failures.values()) for row in rows)
        lines.append(f"| {STAGES[name]} | {tried:,} | {failures:,} |")
    return "\n".join(lines)


def tables(kept):
    """Return the tables of the notes: one a stage.

    A stage that was not run as a whole has a note that says what was.
    """
    lines = []
    for name, rows in stages_of(kept).items():
        score = f" Noticed: {score_of(rows)[0]:.1%}." if name == "mutants" else ""
        minutes = kept[name]["seconds"] / 60
        how = (
            kept[name].get("note") or f"`python -m benchmarks.trust.run {name}`: {minutes:.0f} min."
        )
        lines += ["", f"## {STAGES[name]}", "", f"{how}{score}", ""]
        lines += ["| | tried | failures |", "|---|---|---|"]
        lines += [f"| {row.what} | {row.tried:,} | {ways_of([row])} |" for row in rows]
    return "\n".join(lines[1:])


def ways_of(rows):
    sums = {}
    for row in rows:
        for way, count in row.failures.items():
            sums[way] = sums.get(way, 0) + count
    return ", ".join(f"{count:,} {way}" for way, count in sums.items())


def keep(found):
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    kept |= found
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    write_tables(PAGE, sums(kept))
    write_tables(NOTES, tables(kept))


def write_tables(page, text):
    """Put tables in the place of those that a page has between the marks."""
    before, rest = page.read_text(encoding="utf-8").split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    page.write_text(f"{before}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{after}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=" ".join(STAGES))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.stages) - set(STAGES):
        parser.error(f"no such stage: {', '.join(sorted(unknown))}")
    well = True
    for name in options.stages or STAGES:
        began = time.monotonic()
        rows = run_stage(name, quick=options.quick, seed=options.seed)
        well &= is_well(name, rows)
        if options.keep and not options.quick:
            seconds = round(time.monotonic() - began)
            keep({name: {"seconds": seconds, "rows": [asdict(row) for row in rows]}})
    print("\nNothing broke." if well else "\nSomething broke: see above.")
    sys.exit(not well)


if __name__ == "__main__":
    main()
