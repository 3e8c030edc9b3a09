"""Which cut-off travels best? Chosen at one hospital, used at the others.

Run: python benchmarks/studies/transport/run.py [--data FOLDER] [--cohorts 50] [--out FOLDER]

``--only`` runs some methods and puts their rows into the stored result.
"""

import argparse
import json
import os
import platform
import time
import warnings
from pathlib import Path

import numpy as np
from held_out_sets import READERS as HELD_OUT
from judge import (
    BALANCED,
    COSTS,
    LEAST_GAIN,
    SIZES,
    judge,
    real_homes,
    simulated_homes,
)
from kept_back_sets import READERS as KEPT_BACK
from methods import METHODS
from populations import pairs
from real_sets import READERS, load
from tables import (
    draw_figure,
    gather,
    markdown,
    markdown_by_set,
    markdown_split,
    split_of,
    summarise,
)

HERE = Path(__file__).resolve().parent
SHOWN = ["stable", "kernel-smoothed risk", "bootstrap mean (cutpointr)", "youden"]


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("STEADYCUT_DATA", str(HERE.parents[3] / "shared" / "data"))
    parser.add_argument("--data", default=data, help="folder of the data that no package carries")
    parser.add_argument("--cohorts", type=int, default=50, help="resamplings of every setting")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=METHODS, help="rows that are stored anew")
    parser.add_argument("--out", default=str(HERE.parents[1] / "results"), type=Path)
    return parser.parse_args()


def merged(before, block, rows, split, only):
    """The part of the result that is stored, with other rows of some methods."""
    if len(block.settings) != before["settings"]:
        raise SystemExit("The stored result is of other settings; give --data.")
    kept = {row["method"]: row for row in before["methods"]}
    kept |= {row["method"]: row for row in rows if row["method"] in only}
    return list(kept.values()), split | before["split"]


def main():
    warnings.simplefilter("ignore", FutureWarning)
    chosen = options()
    started = time.perf_counter()
    methods, stored = METHODS, None
    if chosen.only:
        stored = json.loads((chosen.out / "transport.json").read_text())
        methods = {name: METHODS[name] for name in dict.fromkeys(["erm", "stable", *chosen.only])}
    sources = {
        "real": real_homes(load(chosen.data, READERS)),
        "held out": real_homes(load(chosen.data, HELD_OUT)),
        "kept back": real_homes(load(chosen.data, KEPT_BACK)),
        "simulated": simulated_homes(pairs()),
    }
    record = {
        "cohorts": chosen.cohorts,
        "seed": chosen.seed,
        "sizes": SIZES,
        "costs": COSTS,
        "share_of_cost_on_positives": BALANCED,
        "least_gain": LEAST_GAIN,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    pages = []
    for kind, homes in sources.items():
        block = gather(list(judge(homes, methods, kind, chosen.cohorts, chosen.seed)))
        rows = summarise(block)
        split = split_of(block, ["erm", "stable"])
        if stored:
            rows, split = merged(stored[kind], block, rows, split, chosen.only)
        record[kind] = {
            "settings": len(block.settings),
            "sets": block.names,
            "methods": rows,
            "split": split,
        }
        pages += [
            f"## {kind.capitalize()}: {len(block.settings)} settings of {len(block.names)} sets",
            markdown(rows),
            markdown_by_set(rows, SHOWN),
            markdown_split(split),
        ]
        if kind == "real":
            chosen.out.mkdir(parents=True, exist_ok=True)
            draw_figure(rows, chosen.out / "transport.svg")
    text = "\n\n".join(pages) + "\n"
    (chosen.out / "transport.md").write_text(text)
    (chosen.out / "transport.json").write_text(json.dumps(record, indent=1) + "\n")
    print(text)
    print(f"{time.perf_counter() - started:.0f} s; written to {chosen.out}")


if __name__ == "__main__":
    main()
