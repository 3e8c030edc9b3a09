"""The log-rank cut of R's maxstat, which survminer's surv_cutpoint uses too.

``maxstat.json`` holds random cohorts with ties and what R answers on them; ``maxstat.R`` makes the
answers. Where R has maxstat, they are made anew, and maxstat's own example is compared as well.
"""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from steadycut.core.survival import log_rank_cut

HERE = Path(__file__).parent
STORED = json.loads((HERE / "maxstat.json").read_text(encoding="utf-8"))
# maxstat 0.7-25 on its example DLBCL, 40 patients, pmethod "Lau94".
DLBCL = {"threshold": 0.186052631578947, "statistic": 3.17722246327165, "p_value": 0.0238683220179}


def ours(cohort):
    columns = (np.array(cohort[name], dtype=float) for name in ("scores", "time", "event"))
    found = log_rank_cut(*columns)
    return {name: getattr(found, name) for name in DLBCL}


@pytest.mark.parametrize("place", range(len(STORED)))
def test_cut_statistic_and_p_value_are_those_of_maxstat(place):
    assert ours(STORED[place]) == pytest.approx(STORED[place]["answer"], rel=1e-9)


def test_r_gives_the_stored_answers_and_ours_on_its_own_example(tmp_path):
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    needed = "c('maxstat', 'survival', 'jsonlite')"
    asked = f"quit(status = !all({needed} %in% rownames(installed.packages())))"
    if subprocess.run(["Rscript", "-e", asked], check=False, capture_output=True).returncode:
        pytest.skip("R has no maxstat, survival or jsonlite")
    cohorts, answers = tmp_path / "cohorts.json", tmp_path / "answers.json"
    cohorts.write_text(
        json.dumps([{name: one[name] for name in ("scores", "time", "event")} for one in STORED])
    )
    run = ["Rscript", str(HERE / "maxstat.R"), str(cohorts), str(answers)]
    subprocess.run(run, check=True, capture_output=True, timeout=120)
    found = json.loads(answers.read_text(encoding="utf-8"))
    for one, answer in zip(STORED, found["cohorts"], strict=True):
        assert answer == pytest.approx(one["answer"], rel=1e-9)
    own = found["dlbcl"]
    assert {name: own[name] for name in DLBCL} == pytest.approx(DLBCL, rel=1e-9)
    assert ours(own) == pytest.approx(DLBCL, rel=1e-9)
