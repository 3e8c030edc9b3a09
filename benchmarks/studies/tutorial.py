"""Run the code of the tutorial for data scientists, and put what it prints into the page.

The page uses the UCI heart disease data, which are not ours to ship: `scripts/heart_table.py`
makes the table. Everything that the two tutorials quote is stored in
benchmarks/results/tutorial.json, and a test compares the pages with it. With --keep the files that
the code wrote stay in a folder; `scripts/take_screenshots.py --tutorial FOLDER` takes its pictures.

Run: python -m benchmarks.studies.tutorial heart.csv [--check] [--keep FOLDER]
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import chdir
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from scripts.write_pages import REPOSITORY, blocks, executed
from steadycut import StableThresholdClassifier, audit
from steadycut.show.rerender import render_again

PAGE = REPOSITORY / "docs" / "tutorial_data_scientist.md"
RESULT = REPOSITORY / "benchmarks" / "results" / "tutorial.json"
# On the page the code is marked as code that is not run without the data.
LANGUAGES = {"```py\n": "```python\n", "```sh\n": "```console\n"}
FEATURES = ["age", "sex", "asymptomatic", "thalach", "exang", "oldpeak"]
HOSPITALS = ("hungarian", "switzerland", "va")
SPLITS = 20


def page_with_outputs(text: str, table: Path, folder: Path) -> str:
    """Return the page with what its code prints, run in a folder with the table."""
    for shown, run in LANGUAGES.items():
        text = text.replace(shown, run)
    shutil.copyfile(table, folder / "heart.csv")
    with chdir(folder):
        text = executed(text)
    for shown, run in LANGUAGES.items():
        text = text.replace(run, shown)
    return text


def shown_on(text: str) -> list[str]:
    """Return the code blocks of the page that need the data, with their outputs."""
    return [block.text for block in blocks(text) if block.language in {"py", "sh"}]


def answers(folder: Path) -> dict[str, Any]:
    """Return what the tutorials quote of the report and of the audits."""
    study = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    point = study["operating_point"]
    found: dict[str, Any] = {"cleveland": {name: point[name] for name in ("tp", "fn", "fp", "tn")}}
    for hospital in HOSPITALS:
        path = folder / f"audit-{hospital}" / "audit.json"
        content = json.loads(path.read_text(encoding="utf-8"))
        found[hospital] = {
            "verdict": content["verdict"],
            "questions": [question["text"] for question in content["questions"]],
            "next_step": content["next_step"],
        }
    return found


def report_of(folder: Path) -> str:
    """Return the first part of the report, as text."""
    content = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    return render_again(content, "md", None, "study.json").partition("\n## ")[0]


def verdicts_of_splits(table: Path) -> dict[str, dict[str, int]]:
    """Count the verdicts at each hospital when other patients of Cleveland are used to choose."""
    patients = pd.read_csv(table)
    patients["asymptomatic"] = (patients["cp"] == 4).astype(int)
    groups = dict(iter(patients.groupby("hospital")))
    home = groups["cleveland"]
    counts: dict[str, Counter[str]] = {hospital: Counter() for hospital in HOSPITALS}
    for seed in range(SPLITS):
        scorer = make_pipeline(
            SimpleImputer(strategy="median"), StandardScaler(), LogisticRegression()
        )
        model = StableThresholdClassifier(scorer, n_bootstrap=2, random_state=seed)
        model.fit(home[FEATURES], home["disease"], groups=home["patient"])
        rule = model.study_.freeze()
        for hospital in HOSPITALS:
            there = groups[hospital]
            scored = model.score_patients(there[FEATURES], groups=there["patient"])
            disease = there.set_index("patient").loc[scored.patients, "disease"]
            verdict = audit(rule, scored.scores, disease.to_numpy()).describe().verdict
            counts[hospital][verdict.overall] += 1
    return {hospital: dict(sorted(found.items())) for hospital, found in counts.items()}


def main(arguments: list[str]) -> int:
    """Write page and result, or with --check say whether they are current."""
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args(arguments)
    before = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        after = page_with_outputs(before, options.table.resolve(), folder)
        found = {
            "page": shown_on(after),
            "report": report_of(folder),
            "answers": answers(folder),
            "splits": verdicts_of_splits(options.table),
        }
    if options.check:
        stored = json.loads(RESULT.read_text(encoding="utf-8"))
        print("current" if (current := before == after and stored == found) else "not current")
        return int(not current)
    PAGE.write_text(after, encoding="utf-8")
    RESULT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
