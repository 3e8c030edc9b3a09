"""Run the code of the pages that use the heart data, and put what it prints into them.

The UCI heart disease data are not ours to ship: `scripts/heart_table.py` makes the table.
Everything that these pages and the tutorial for clinicians quote is stored in
benchmarks/results/tutorial.json, and a test compares the pages with it. With --keep the files that
the code wrote stay in a folder; `scripts/take_screenshots.py --tutorial FOLDER` takes its pictures.

Run: python -m benchmarks.studies.tutorial heart.csv [--check] [--keep FOLDER]
"""

import argparse
import json
import re
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

from scripts.write_pages import DOCS, REPOSITORY, blocks, executed
from steadycut import StableThresholdClassifier, audit
from steadycut.documents.audit import AuditDocument
from steadycut.documents.reading import read_document
from steadycut.show.pages.kinds import page_of
from steadycut.show.render.rerender import render_again

PAGES = ("tutorial_data_scientist.md", "guide/strata.md")
RESULT = REPOSITORY / "benchmarks" / "results" / "tutorial.json"
# Code that is not run without the data is marked by these languages.
LANGUAGES = {"py": "python", "sh": "console"}
FENCE = re.compile(r"^```(py|sh)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FEATURES = ["age", "sex", "asymptomatic", "thalach", "exang", "oldpeak"]
HOSPITALS = ("hungarian", "switzerland", "va")
SPLITS = 20


def page_with_outputs(text: str) -> str:
    """Return a page with what its code prints in this folder."""
    fences = [f"```{LANGUAGES[one[1]]}\n{one[2]}```\n" for one in FENCE.finditer(text)]
    outputs = iter([block.text for block in blocks(executed("\n".join(fences)))])
    return FENCE.sub(lambda one: f"```{one[1]}\n{next(outputs)}```", text)


def shown_on(page: str) -> list[str]:
    """Return the code of a page that needs the data, with its outputs."""
    return [one[2] for one in FENCE.finditer((DOCS / page).read_text(encoding="utf-8"))]


def answers(folder: Path) -> dict[str, Any]:
    """Return what the tutorials quote of the report and of the audits."""
    study = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    point = study["operating_point"]
    found: dict[str, Any] = {"cleveland": {name: point[name] for name in ("tp", "fn", "fp", "tn")}}
    for hospital in HOSPITALS:
        path = folder / f"audit-{hospital}" / "audit.json"
        content = json.loads(path.read_text(encoding="utf-8"))
        page = page_of(read_document(AuditDocument, content))
        found[hospital] = {
            "verdict": content["verdict"],
            "answer": [*page.headline, *(f"{name}: {value}" for name, value in page.answer.rows)],
            "next_step": page.next_step,
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
            counts[hospital][verdict.decision] += 1
    return {hospital: dict(sorted(found.items())) for hospital, found in counts.items()}


def main(arguments: list[str]) -> int:
    """Write pages and result, or with --check say whether they are current."""
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args(arguments)
    before = {page: (DOCS / page).read_text(encoding="utf-8") for page in PAGES}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(options.table, folder / "heart.csv")
        with chdir(folder):
            after = {page: page_with_outputs(text) for page, text in before.items()}
        found = {
            "pages": {page: [one[2] for one in FENCE.finditer(after[page])] for page in PAGES},
            "report": report_of(folder),
            "answers": answers(folder),
            "splits": verdicts_of_splits(options.table),
        }
    if options.check:
        stored = json.loads(RESULT.read_text(encoding="utf-8"))
        print("current" if (current := before == after and stored == found) else "not current")
        return int(not current)
    for page, text in after.items():
        (DOCS / page).write_text(text, encoding="utf-8")
    RESULT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
