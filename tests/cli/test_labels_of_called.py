"""Tables in which called patients have labels more often than others: refused, or a warning."""

import csv
import json

import numpy as np
import pytest

from steadycut.cli.main import run
from tests.cli.commands import run_command

COLUMNS = ["--patient", "patient", "--score", "score", "--label", "label"]
N = 2000


def write(path, rows, header=("patient", "score", "label")):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def patients(seed, n, prevalence, mark):
    rng = np.random.default_rng(seed)
    ill = (rng.random(n) < prevalence).astype(int)
    scores = rng.normal(size=n) + 3 * ill
    return [
        (f"{mark}{i:04d}", round(s, 4), y) for i, (s, y) in enumerate(zip(scores, ill, strict=True))
    ]


@pytest.fixture(scope="module")
def rule(tmp_path_factory):
    folder = tmp_path_factory.mktemp("called")
    table = write(folder / "home.csv", patients(0, 400, 0.3, "h"))
    assert run(["fit", str(table), *COLUMNS, "--bootstrap", "20", "--out", str(folder / "s")]) == 0
    return folder / "s/rule.json"


@pytest.fixture
def audited(capsys, rule, tmp_path):
    def audit(rows, *more, header=("patient", "score", "label")):
        table = write(tmp_path / "there.csv", rows, header)
        asked = [*more, "--missing", "drop", "--out", tmp_path / "a"]
        return run_command(capsys, "audit", rule, table, *asked)

    return audit


@pytest.fixture(scope="module")
def cut(rule):
    return json.loads(rule.read_text())["threshold"]


def with_labels(rows, known):
    """The rows with the labels of those patients only of whom ``known`` says so."""
    return [(*row[:2], row[2] if known(i, row[1]) else "") for i, row in enumerate(rows)]


def test_labels_of_called_patients_only_are_refused(audited, cut, tmp_path):
    rows = patients(1, N, 0.04, "t")
    refused = audited(with_labels(rows, lambda _, score: score >= cut))
    assert refused.code == 2
    assert len(refused.err.splitlines()) == 1
    said = "The miss rate cannot be known from them: label a random sample of all patients."
    assert said in refused.err
    assert "--no-label" in refused.err
    assert not (tmp_path / "a").exists()


def test_labels_of_mostly_called_patients_are_a_warning(audited, cut):
    rows = patients(1, N, 0.04, "t")
    most = with_labels(rows, lambda i, score: score >= cut or i % 20 == 0)
    warned = audited(most)
    assert warned.code == 0
    assert "not of random patients" in warned.err
    assert "label a random sample of all patients" in warned.err
    # Patients of other sites are counted nowhere.
    sites = [(*row, "there") for row in most]
    sites += [(f"home{name}", score, "", "home") for name, score, _ in rows]
    at = ["--site", "site", "--external", "there"]
    again = audited(sites, *at, "--overwrite", header=("patient", "score", "label", "site"))
    called = sum(score >= cut for _, score, _ in rows)
    assert f"{called} of {called} called patients have a label" in again.err
    assert f" of {N - called} others" in again.err


def test_labels_of_random_patients_are_no_warning(audited):
    found = audited(with_labels(patients(1, N, 0.04, "t"), lambda i, _: i % 5 == 0))
    assert found.code == 0
    assert "not of random patients" not in found.err
