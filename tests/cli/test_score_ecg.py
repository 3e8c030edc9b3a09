"""score-ecg: records and a sheet -> scores of patients who did not train."""

import json

import numpy as np
import pytest

from steadycut.cli.main import run
from tests.pipelines.ecg.making import make_ecg, write_record
from tests.pipelines.tables import read_parquet


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("ecg")
    rng = np.random.default_rng(0)
    rows = ["record,patient,label,site"]
    for i in range(16):
        write_record(where / "records" / f"r{i:02d}", make_ecg(rng, sick=i % 2 == 0)[1])
        rows.append(f"r{i:02d},p{i:02d},{int(i % 2 == 0)},A")
    (where / "sheet.csv").write_text("\n".join(rows) + "\n")
    return where


def command(folder, out, *more):
    usual = ["score-ecg", str(folder / "records"), "--out", str(out)]
    return run([*usual, "--sheet", str(folder / "sheet.csv"), *more])


def test_planted_disease_is_scored_high_in_other_patients(folder, tmp_path, capsys):
    assert command(folder, tmp_path, "--json") == 0
    content = json.loads(capsys.readouterr().out)
    assert content["training_patients"] == 8
    table = read_parquet(tmp_path / "segments.parquet")
    assert np.unique(table["patient"]).size == 8
    sick = table["label"] == "1"
    assert table["score"][sick].min() > table["score"][~sick].max()


def test_a_scorer_can_be_taken_along(folder, tmp_path):
    assert command(folder, tmp_path / "a") == 0
    out = tmp_path / "b"
    scorer = str(tmp_path / "a" / "scorer.json")
    one = str(folder / "records" / "r00.hea")
    assert run(["score-ecg", one, "--scorer", scorer, "--out", str(out), "--plot"]) == 0
    table = read_parquet(out / "segments.parquet")
    assert table["patient"].tolist() == [None] * 3
    assert (table["score"] > 0.5).all()
    drawn = (out / "plots" / "r00.svg").read_text()
    assert drawn.count("<polyline") == 12
    assert drawn.count("<rect") == 3


def test_broken_and_unlabelled_records_are_skipped(folder, tmp_path, capsys):
    bad = write_record(
        tmp_path / "bad", make_ecg(np.random.default_rng(1))[1][:11], names="abcdefghijk"
    )
    unknown = write_record(tmp_path / "unknown", make_ecg(np.random.default_rng(2))[1])
    sheet = tmp_path / "sheet.csv"
    sheet.write_text((folder / "sheet.csv").read_text() + "bad,p16,1,A\n")
    more = [str(bad), str(unknown), "--sheet", str(sheet)]
    assert command(folder, tmp_path / "out", *more) == 3
    said = capsys.readouterr().err
    assert "bad.hea: it lacks the leads" in said
    assert "unknown.hea: the sheet has no label" in said


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--window", "1"], "at least 2 seconds"),
        (["--train-share", "1.5"], "train-share"),
        (["--scorer", "nowhere.json"], "not a scorer of these features"),
        (["--jobs", "0"], "--jobs"),
    ],
)
def test_mistakes(folder, tmp_path, capsys, more, says):
    out = tmp_path / "out"
    assert command(folder, out, *more) == 2
    assert says in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("record,patient\nr00,a\n", "trained on labels"),
        ("record,patient,label\nr00,a,yes\n", "must be 0 or 1"),
        ("record,patient,label\nr00,a,1\nr01,a,0\n", "one patient two labels"),
    ],
)
def test_bad_sheets(folder, tmp_path, capsys, content, says):
    (tmp_path / "sheet.csv").write_text(content)
    records = str(folder / "records")
    arguments = ["--sheet", str(tmp_path / "sheet.csv"), "--out", str(tmp_path / "out")]
    assert run(["score-ecg", records, *arguments]) == 2
    assert says in capsys.readouterr().err
