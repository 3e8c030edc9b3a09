"""R: the scripts on the page run and decide as ``apply`` does, and R prints what the pages say."""

import csv
import os
import re
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steadycut
from scripts.write_pages import DOCS, blocks
from steadycut.cli.main import run

SCRIPTS = DOCS / "r"
GOLDEN = DOCS.parent / "tests" / "golden" / "0.1.0"
NUMBER = re.compile(r"-?\d+\.\d+")
RESAMPLES = re.compile(r"\bboot|\bci\.")


def run_r(folder, *arguments, needs=()):
    """Run Rscript where the scripts of the page are; skip if R or a package of it is missing."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed: no Rscript on the path")
    for package in needs:
        asked = f'quit(status = !requireNamespace("{package}", quietly = TRUE))'
        if subprocess.run(["Rscript", "-e", asked], capture_output=True, check=False).returncode:
            pytest.skip(f"R lacks the package {package}")
    shutil.copytree(SCRIPTS, folder, dirs_exist_ok=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["Rscript", *arguments],
        cwd=folder,
        env={**os.environ, "PATH": path, "RETICULATE_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )


def printed(folder, *arguments, needs=()):
    done = run_r(folder, *arguments, needs=needs)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def decisions(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [int(row["decision"]) for row in csv.DictReader(file)]


def shown_on(page):
    return [block.text for block in blocks((DOCS / page).read_text(encoding="utf-8"))]


def test_the_example_and_reticulate_print_what_the_page_shows(tmp_path):
    example = printed(tmp_path, "example.R")
    (table,) = (text for text in shown_on("coming_from.md") if text.startswith("  patient marker"))
    assert table in example
    assert decisions(tmp_path / "decisions.csv") == [0, 1, 1]
    assert table in printed(tmp_path, "reticulate.R", needs=["reticulate"])
    study = tmp_path / "study" / "rule.json"
    assert (tmp_path / "rule.json").read_bytes() == study.read_bytes()


def write_rule(folder, seed, direction, honesty):
    """Fit a rule to marks with many ties; write it, and new patients at and around the cut-off."""
    rng = np.random.default_rng(seed)
    ill = rng.random(120) < 0.4
    mark = np.round(rng.normal(size=120) + np.where(direction == "ge", 1.4, -1.4) * ill, 1)
    table = pd.DataFrame({"patient": np.arange(120), "mark": mark, "ill": ill.astype(int)})
    patients = steadycut.aggregate(table, patient="patient", score="mark", label="ill")
    study = steadycut.fit(patients, direction=direction, honesty=honesty, n_bootstrap=20)
    rule = study.freeze()
    rule.save(folder / "rule.json")
    cut = rule.threshold
    near = [cut, np.nextafter(cut, -9), np.nextafter(cut, 9), cut - 1e-12, cut + 1e-12, -0.0, 7]
    scores = [*near, *np.unique(mark), *rng.normal(size=50)]
    lines = [f"Q{i:03d},{float(score)!r}" for i, score in enumerate(scores)]
    (folder / "new.csv").write_text("\n".join(["patient,mark", *lines, ""]), encoding="utf-8")


def test_r_decides_as_apply_does_also_at_ties(tmp_path):
    cases = list(product(range(4), ["ge", "le"], ["split", "uniform"]))
    for i, case in enumerate(cases):
        folder = tmp_path / str(i)
        folder.mkdir()
        write_rule(folder, *case)
        files = [str(folder / name) for name in ("rule.json", "new.csv", "decisions.csv")]
        assert run(["apply", *files[:2], "--out", files[2]]) == 0
    code = (
        'source("steadycut.R"); for (i in dir(pattern = "^[0-9]+$")) writeLines(c("decision",'
        ' decide(read_rule(file.path(i, "rule.json")), read.csv(file.path(i, "new.csv"))$mark)),'
        ' file.path(i, "r.csv"))'
    )
    printed(tmp_path, "-e", code)
    for i in range(len(cases)):
        by_command = decisions(tmp_path / str(i) / "decisions.csv")
        assert decisions(tmp_path / str(i) / "r.csv") == by_command
        # At the cut-off itself a patient is called; on one side of it nobody is.
        assert by_command[0] == 1
        assert sum(by_command[1:3]) == 1


@pytest.mark.parametrize("name", ["strata-ge", "covariate-groups", "rule-ensemble-quantile"])
def test_r_refuses_a_rule_that_is_more_than_one_cut_off(name, tmp_path):
    done = run_r(tmp_path, "-e", f'source("steadycut.R"); read_rule("{GOLDEN / name}.json")')
    assert done.returncode != 0
    assert "is not a rule with one cut-off for one score: use steadycut apply" in done.stderr


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ('steadycut("apply", "nothing.json")', "steadycut ended with exit code 2"),
        ('decide(list(threshold = 1, direction = "ge"), c(1, NA))', "some patients have no number"),
        ('decide(list(threshold = 1, direction = "ge"), "2")', "some patients have no number"),
    ],
)
def test_r_stops_at_wrong_input(call, told, tmp_path):
    done = run_r(tmp_path, "-e", f'source("steadycut.R"); {call}')
    assert done.returncode != 0
    assert told in done.stderr


def claims(*, resampled):
    """Return each call of R on the page that resamples, or does not, with the numbers shown."""
    found = []
    for block in blocks((DOCS / "coming_from.md").read_text(encoding="utf-8")):
        if block.language == "r":
            call, _, shown = block.text.partition("#>")
            if resampled == bool(RESAMPLES.search(call)):
                found.append((call.strip(), NUMBER.findall(shown)))
    return found


@pytest.mark.parametrize("resampled", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_r_prints_what_the_page_for_its_users_shows(resampled, tmp_path):
    """Bootstraps have the versions and the seed that the page names; nothing of ours is in them."""
    names = {}
    first = next(text for text in shown_on("coming_from.md") if text.startswith(">>> import numpy"))
    exec(re.sub(r"^>>> ", "", first, flags=re.MULTILINE), names)  # noqa: S102
    pd.DataFrame({"x": names["x"], "y": names["y"]}).to_csv(tmp_path / "d.csv", index=False)
    calls = "".join(
        f"set.seed(1)\ncat(sprintf('%.17g', as.numeric(unlist({call}))), '\\n')\n"
        for call, _ in claims(resampled=resampled)
    )
    start = "suppressMessages({library(cutpointr); library(pROC)}); d <- read.csv('d.csv')\n"
    (tmp_path / "claims.R").write_text(start + calls, encoding="utf-8")
    output = printed(tmp_path, "claims.R", needs=["cutpointr", "pROC"])
    for line, (call, shown) in zip(output.splitlines(), claims(resampled=resampled), strict=True):
        in_r = [float(number) for number in line.split() if number != "NA"]
        for number in shown:
            half = 0.5 * 10.0 ** -len(number.partition(".")[2])
            assert min(abs(np.subtract(in_r, float(number)))) <= half + 1e-9, call
    both = [*claims(resampled=False), *claims(resampled=True)]
    assert sum(len(shown) for _, shown in both) >= 15
