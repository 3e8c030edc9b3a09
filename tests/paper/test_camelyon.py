"""CAMELYON in small, end to end: planted metastases are called."""

import json
from functools import partial
from itertools import chain

import numpy as np
import pandas as pd
import pytest

from paper.camelyon import find_camelyon
from paper.commands.group import run
from paper.halves import deal_halves, table_of_deals
from paper.pages import table_page
from steadycut.core.records import PatientScores
from steadycut.errors import BadOption, TooFewPatients
from tests.paper.making_camelyon import write_camelyon, write_node

QUICK = ["--tile", "64", "--replicates", "2", "--bootstrap", "20"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_camelyon(tmp_path_factory.mktemp("camelyon"))


@pytest.fixture(scope="module")
def rerun(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    arguments = ["--data", str(data), "--model", str(data / "model.onnx"), "--out", str(out)]
    code = run(["camelyon", *arguments, *QUICK, "--jobs", "2"])
    return code, out, json.loads((out / "camelyon.json").read_text())


def test_every_table_is_made(rerun):
    code, _, content = rerun
    assert code == 0
    assert content["skipped"] == []
    assert content["slides"] == 16 + 40
    names = ["CAMELYON16", "CAMELYON17", "CAMELYON17 slides", "CAMELYON16 to CAMELYON17"]
    assert list(content["tables"]) == names
    sizes = [table["patients"] for table in content["tables"].values()]
    assert sizes == [
        {"internal": 8, "external": 8},
        {"internal": 10, "external": 10},
        {"internal": 20, "external": 20},
        {"internal": 16, "external": 20},
    ]


def test_rows_and_costs_are_the_papers(rerun):
    table = rerun[2]["tables"]["CAMELYON16 to CAMELYON17"]
    names = [row["name"] for row in table["rows"]]
    assert names[:4] == ["ERM", "Youden J", "ROC@Sens>=0.95", "ROC@Spec>=0.90"]
    assert "Abl.: no penalty" in names
    assert table["candidates"] == 9
    by_slide = rerun[2]["tables"]["CAMELYON17 slides"]
    assert by_slide["candidates"] == 3
    costs = [(row["cost_fn"], row["cost_fp"]) for row in table["cost_table"]][:3]
    assert costs == [(1, 1), (1, 3), (3, 1)]
    assert all(row["risk_external_se"] >= 0 for row in table["rows"])


def test_blurred_and_bright_tiles_are_left_out_and_counted(data, rerun, tmp_path):
    every, reasons = rerun[2]["tiles"], ("without_tissue", "extreme_brightness", "blurred")
    by_slide = {path.stem: pd.read_parquet(path) for path in (rerun[1] / "tiles").iterdir()}
    assert every["scored"] == sum(map(len, by_slide.values()))
    assert every["tiles"] == every["scored"] + sum(every[name] for name in reasons)
    # The slides of CAMELYON16 are enough.
    assert every["without_tissue"] == every["extreme_brightness"] == every["blurred"] == 0
    tiles = pd.concat([table for name, table in by_slide.items() if "node" not in name])
    sharp, bright = (float(tiles[name].quantile(0.2)) for name in ("sharpness", "brightness"))
    places = [data / "CAMELYON16", data / "model.onnx", tmp_path]
    arguments = zip(("--data", "--model", "--out"), map(str, places), strict=True)
    stricter = ["--min-sharpness", repr(sharp), "--min-brightness", repr(bright)]
    assert run(["camelyon", *chain(*arguments), *QUICK, *stricter]) in {0, 3}
    content = json.loads((tmp_path / "camelyon.json").read_text())
    assert content["options"]["min_sharpness"] == sharp
    kept = tiles[(tiles["sharpness"] >= sharp) & (tiles["brightness"] >= bright)]
    assert 0 < content["tiles"]["scored"] == len(kept) < len(tiles)
    assert content["tiles"]["extreme_brightness"] == int((tiles["brightness"] < bright).sum())


def test_planted_metastases_are_called(rerun):
    for table in rerun[2]["tables"].values():
        for row in table["rows"]:
            if row["name"] in {"ERM", "Youden J", "steadycut: stable"}:
                assert row["risk_external"] == 0
                assert row["sensitivity_external"] == row["specificity_external"] == 1


def test_a_second_run_scores_nothing_again(data, rerun):
    out = rerun[1]
    before = {path: path.stat().st_mtime_ns for path in (out / "tiles").iterdir()}
    arguments = ["--data", str(data), "--model", str(data / "model.onnx"), "--out", str(out)]
    # What is made of the tiles does not matter here.
    usual = ["camelyon", *arguments, "--tile", "64", "--replicates", "1", "--bootstrap", "2"]
    assert run(usual) == 2
    assert run([*usual, "--force", "--itc-positive"]) == 0
    assert {path: path.stat().st_mtime_ns for path in (out / "tiles").iterdir()} == before


def test_labels_and_centres(data):
    slides, problems = find_camelyon(data)
    assert problems == []
    by_name = {one.name: one for one in slides}
    assert by_name["test_002"].label == 1
    assert by_name["normal_001"].centre == "Radboud"
    assert by_name["patient_041_node_1"].centre == "center_2"
    labels = {one.patient: one.patient_label for one in slides}
    found = [labels[f"patient_{number:03d}"] for number in (0, 1, 2, 3)]
    assert found == [0, 1, 0, 1]
    with_cells, _ = find_camelyon(data, itc_positive=True)
    counted = {one.patient: one.patient_label for one in with_cells}
    assert [counted[f"patient_{number:03d}"] for number in (0, 1, 2, 3)] == [0, 1, 1, 1]


def test_a_lost_slide_does_not_change_the_label_of_its_patient(tmp_path):
    touch(tmp_path / "patient_007_node_0.tif")
    rows = "patient_007_node_0.tif,negative\npatient_007_node_1.tif,macro\n"
    (tmp_path / "stages.csv").write_text(rows)
    (slide,), _ = find_camelyon(tmp_path)
    assert (slide.label, slide.patient_label, slide.centre) == (0, 1, "center_0")


def touch(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def test_centres_of_camelyon16(tmp_path):
    names = {"normal_100": "Radboud", "normal_101": "Utrecht", "tumor_071": "Utrecht"}
    for name in names:
        touch(tmp_path / f"images/{name}.tif")
    slides, _ = find_camelyon(tmp_path)
    assert {one.name: one.centre for one in slides} == names


def test_what_is_wrong_is_said_file_by_file(tmp_path):
    for name in ("normal_001", "normal_086", "test_001", "test_049"):
        touch(tmp_path / f"{name}.tif")
    (tmp_path / "reference.csv").write_bytes(b"\xff\xfe\x00")
    for name in ("center_0/patient_000_node_0", "center_1/patient_000_node_1"):
        touch(tmp_path / f"{name}.tif")
    for name in ("center_1/patient_020_node_0", "center_2/patient_020_node_0"):
        touch(tmp_path / f"{name}.tif")
    touch(tmp_path / "center_1/patient_021_node_0.tif")
    (tmp_path / "stages.csv").write_text("patient,stage\npatient_000_node_0.tif,macro\n")
    slides, problems = find_camelyon(tmp_path)
    assert [one.name for one in slides] == ["normal_001"]
    reasons = {one.file.removeprefix(f"{tmp_path}/"): one.reason for one in problems}
    assert "not UTF-8" in reasons["reference.csv"]
    assert "mislabelled" in reasons["normal_086.tif"]
    assert "a copy" in reasons["test_049.tif"]
    assert "does not give its label" in reasons["test_001.tif"]
    assert "two centres" in reasons["center_0/patient_000_node_0.tif"]
    assert "two centres" in reasons["center_1/patient_000_node_1.tif"]
    assert "2 files have its name" in reasons["center_2/patient_020_node_0.tif"]
    assert "does not give its label" in reasons["center_1/patient_021_node_0.tif"]


def test_nothing_there_is_a_mistake(tmp_path):
    with pytest.raises(BadOption, match="no labelled slide"):
        find_camelyon(tmp_path)
    with pytest.raises(BadOption, match="must be a folder"):
        find_camelyon(tmp_path / "nowhere")


def test_broken_slides_do_not_stop_the_rest(data, rerun, tmp_path, capsys):
    """One table less where a class is too small, every loss named, exit code 3."""
    folder = tmp_path / "data"
    for i in range(1, 9):
        write_node(folder / f"training/normal/normal_{i:03d}.tif", sick=False, seed=i)
        write_node(folder / f"training/tumor/tumor_{i:03d}.tif", sick=True, seed=i)
    (folder / "training/tumor/tumor_009.tif").write_bytes(b"II*\0")
    write_node(folder / "training/center_0/patient_000_node_0.tif", sick=True, seed=0)
    (folder / "stages.csv").write_text("patient_000_node_0.tif,macro\n")
    arguments = ["--data", str(folder), "--model", str(data / "model.onnx")]
    out = tmp_path / "out"
    assert run(["camelyon", *arguments, "--out", str(out), *QUICK, "--json"]) == 3
    said = capsys.readouterr()
    content = json.loads(said.out)
    assert list(content["tables"]) == ["CAMELYON16"]
    assert "tumor_009.tif" in said.err
    assert "table CAMELYON17" in said.err


def test_halves_keep_patients_together_and_classes_even():
    names = [f"s{i:02d}" for i in range(24)]
    owners = {name: f"p{i // 2:02d}" for i, name in enumerate(names)}
    labels = [int(i % 6 == 0) for i in range(24)]
    cohort = PatientScores(scores=np.arange(24.0), labels=labels, patients=names)
    here, there = deal_halves([cohort], 3, owners=owners)
    sides = [{owners[name] for name in side[0].patients.tolist()} for side in (here, there)]
    assert not sides[0] & sides[1]
    assert [one[0].n_positive for one in (here, there)] == [2, 2]
    few = PatientScores(scores=[1.0, 2.0], labels=[0, 1], patients=["a", "b"])
    with pytest.raises(TooFewPatients, match="smaller class has 1 of 2"):
        deal_halves([few], 0)


def test_deals_without_a_table_are_passed_over_and_counted():
    rng = np.random.default_rng(0)
    labels = np.arange(40) % 3 // 2
    scores, names = rng.normal(size=40) + 2 * labels, [f"p{i:02d}" for i in range(40)]

    def deal(seed):
        if seed % 3 == 0:
            msg = "no split"
            raise TooFewPatients(msg)
        ill = labels if seed % 3 == 1 else (np.arange(40) == 0).astype(int)
        both = PatientScores(scores=scores, labels=ill, patients=names)
        return [both.take(np.arange(20))], [both.take(np.arange(20, 40))]

    content = table_of_deals(deal, 4, {"n_bootstrap": 5, "seed": 0})
    # Seeds 1, 4, 7 and 10 give a table.
    assert (content["seed"], content["replicates"], content["passed_over"]) == (1, 4, 7)
    assert "Passed over: 7 other splits" in table_page(content)


def test_deals_that_leave_the_choosing_without_a_class_still_count():
    """Of 12 patients 6 choose or validate: in some deals only one class chooses."""
    rng = np.random.default_rng(0)
    labels = np.array([1, 1, 1, 1] + [0] * 12)
    names = [f"p{i:02d}" for i in range(16)]
    cohort = PatientScores(scores=rng.normal(size=16) + 2 * labels, labels=labels, patients=names)
    deal = partial(deal_halves, [cohort])
    options = {"n_bootstrap": 5, "seed": 0}
    content = table_of_deals(deal, 12, options)
    assert content["replicates"] == 12
    assert content["passed_over"] == 0
    few = PatientScores(scores=[1.0, 2.0], labels=[0, 1], patients=["a", "b"])
    with pytest.raises(TooFewPatients, match="smaller class"):
        table_of_deals(partial(deal_halves, [few]), 2, options)
