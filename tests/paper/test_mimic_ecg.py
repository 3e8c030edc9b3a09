"""MIMIC-IV-ECG in small, end to end: planted fibrillation is called."""

import json

import numpy as np
import pytest

from paper.commands.group import run
from paper.mimic_ecg import find_mimic, hospitals, read_labels
from steadycut.errors import BadOption, BadTable
from steadycut.pipelines.ecg import EcgOptions, read_segments
from tests.pipelines.ecg.making import make_ecg, write_mimic, write_record

QUICK = ["--replicates", "2", "--bootstrap", "20"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mimic")
    return folder, write_mimic(folder)


def test_tables(data, tmp_path):
    arguments = ["--data", str(data[0]), "--out", str(tmp_path), *QUICK]
    assert run(["mimic-ecg", *arguments]) == 0
    content = json.loads((tmp_path / "mimic-ecg.json").read_text())
    table = content["tables"]["MIMIC-IV-ECG"]
    # 20 patients are P; about 8 of them train.
    assert table["patients"]["external"] == 20
    assert 10 <= table["patients"]["internal"] <= 13
    assert content["records"] == 60
    assert table["candidates"] == 3
    by_name = {row["name"]: row for row in table["rows"]}
    for name in ("ERM", "Youden J", "Our method (Algorithm 1)"):
        assert by_name[name]["risk_external"] == 0
    assert [row["cost_fp"] for row in table["cost_table"]][:3] == [1, 3, 1]
    assert "# MIMIC-IV-ECG" in (tmp_path / "mimic-ecg.md").read_text()


@pytest.fixture(scope="module")
def read(data):
    records, _ = find_mimic(data[0])
    segments, _ = read_segments(list(records), EcgOptions())
    return segments, np.array(list(records.values()))[segments.record], data[1]


def test_no_patient_has_two_roles(read):
    segments, whose, labels = read
    for seed in range(3):
        here, there = hospitals(segments, whose, labels, 0.4, seed)
        inside, outside = (set(side[0].patients.tolist()) for side in (here, there))
        assert not inside & outside
        # Those who train are in neither.
        assert len(inside) + len(outside) < len(labels)
        again, _ = hospitals(segments, whose, labels, 0.4, seed)
        np.testing.assert_array_equal(again[0].scores, here[0].scores)


def test_training_never_sees_the_others(read):
    """Other labels of the patients who choose, certify or are external change no score."""
    segments, whose, labels = read
    here, there = hospitals(segments, whose, labels, 0.4, 0)
    outside = set(there[0].patients.tolist())
    turned = {name: 1 - label if name in outside else label for name, label in labels.items()}
    again = hospitals(segments, whose, turned, 0.4, 0)
    for before, after in zip([*here, *there], [*again[0], *again[1]], strict=True):
        np.testing.assert_array_equal(before.scores, after.scores)


def test_labels_may_be_given(data, tmp_path):
    rows = "\n".join(f"{name},{label}" for name, label in data[1].items())
    (tmp_path / "labels.csv").write_text(f"subject_id,label\n{rows}\n")
    assert read_labels(data[0], tmp_path / "labels.csv", "") == data[1]
    assert read_labels(data[0], None, "atrial FIBRILLATION") == data[1]
    assert set(read_labels(data[0], None, "abnormal ecg").values()) == {1}


def test_whole_set_folders_and_no_list(tmp_path):
    leads = make_ecg(np.random.default_rng(0))[1]
    deep = write_record(tmp_path / "files/p1000/p10000032/s40689238/40689238", leads)
    assert find_mimic(tmp_path)[0] == {deep: "10000032"}
    (tmp_path / "record_list.csv").write_bytes(b"\xff\xfe\x00")
    found, problems = find_mimic(tmp_path)
    assert found == {deep: "10000032"}
    assert "not UTF-8" in problems[0].reason


def test_losses_are_said_and_the_rest_goes_on(tmp_path, capsys):
    folder = tmp_path / "data"
    labels = write_mimic(folder, 30, readings=False)
    headers = sorted(folder.rglob("*.hea"))
    headers[0].unlink()
    headers[1].with_suffix(".dat").write_bytes(b"")
    write_record(
        headers[2].with_suffix(""), make_ecg(np.random.default_rng(0))[1][:8], names="abcdefgh"
    )
    known = dict(list(labels.items())[:-1])
    rows = "\n".join(f"{name},{label}" for name, label in known.items())
    (tmp_path / "labels.csv").write_text(f"patient,label\n{rows}\n")
    arguments = ["--data", str(folder), "--labels", str(tmp_path / "labels.csv")]
    out = ["--out", str(tmp_path / "out"), *QUICK, "--json"]
    assert run(["mimic-ecg", *arguments, *out]) == 3
    said = capsys.readouterr()
    assert "1 of the 45 records that it lists are not there" in said.err
    assert f"skipped {headers[1]}" in said.err
    assert f"skipped {headers[2]}: it lacks" in said.err
    assert "1 of 29 patients have no label" in said.err
    assert json.loads(said.out)["records"] == 42


def test_refusals(tmp_path, data):
    with pytest.raises(BadOption, match="no record was found"):
        find_mimic(tmp_path)
    with pytest.raises(BadOption, match="must be the folder"):
        find_mimic(tmp_path / "nowhere")
    with pytest.raises(BadOption, match="the Demo has no labels"):
        read_labels(tmp_path, None, "x")
    (tmp_path / "labels.csv").write_text("subject_id,label\n1,yes\n")
    with pytest.raises(BadTable, match="must be 0 or 1; 1 of 1 are not"):
        read_labels(tmp_path, tmp_path / "labels.csv", "x")
    (tmp_path / "labels.csv").write_text("subject_id,label\n1,1\n1,0\n")
    with pytest.raises(BadTable, match="two labels"):
        read_labels(tmp_path, tmp_path / "labels.csv", "x")
    (tmp_path / "machine_measurements.csv").write_text("subject_id,other\n1,2\n")
    with pytest.raises(BadTable, match="report_0"):
        read_labels(tmp_path, None, "x")
