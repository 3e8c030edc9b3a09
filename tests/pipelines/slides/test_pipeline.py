"""Slides with planted lesions -> tables that know where they are."""

import numpy as np
import pytest

from steadycut.cli.main import run
from steadycut.errors import BadOption
from steadycut.io.parquet import read_note
from steadycut.pipelines.sheet import Origin
from steadycut.pipelines.slides import Job, ModelOptions, TileModel, TileOptions, score_slides
from tests.pipelines.slides.making import Drawing, write_model, write_slide
from tests.pipelines.tables import read_parquet

LESION = Drawing(lesions=((512, 256, 256),), blurred=(256, 512, 256))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slides")
    write_slide(folder / "sick.tif", LESION)
    write_slide(folder / "well.tif", Drawing())
    write_model(folder / "model.onnx")
    return folder


def make_job(files, out, **changes):
    options = TileOptions(**{"tile": 64, "mpp": 1.0, **changes.pop("options", {})})
    model = TileModel(files / "model.onnx", ModelOptions())
    return Job(model=model, options=options, out=out, **changes)


def test_planted_lesion_is_found_where_it_was_planted(files, tmp_path):
    done, problems = score_slides([files / "sick.tif"], make_job(files, tmp_path))
    table = read_parquet(done[0].table)
    high = table["score"] > 0.5
    corners = set(zip(table["x"][high].tolist(), table["y"][high].tolist(), strict=True))
    assert problems == []
    assert corners == {(x, y) for x in (512, 640) for y in (256, 384)}
    # 768 / 128 = 6 tiles a side are tissue; 4 of them are blurred.
    assert done[0].counts == {
        "tiles": 64,
        "without_tissue": 28,
        "extreme_brightness": 0,
        "blurred": 4,
        "scored": 32,
    }


def test_columns(files, tmp_path):
    sheet = {"sick": Origin(patient="7", label="1", site="A")}
    done, _ = score_slides([files / "sick.tif"], make_job(files, tmp_path, sheet=sheet))
    table = read_parquet(done[0].table)
    names = ["slide", "patient", "label", "site", "x", "y", "size", "level", "mpp"]
    assert list(table) == [*names, "tissue", "sharpness", "brightness", "score"]
    first = {name: table[name][0] for name in names}
    expected = ["sick", "7", "1", "A", 128, 128, 128, 1, 1.0]
    assert first == dict(zip(names, expected, strict=True))
    assert np.isfinite(table["score"]).all()


def test_result_depends_neither_on_workers_nor_on_batches(files, tmp_path):
    ways = {"one": (1, 32), "two": (2, 32), "small": (2, 5)}
    tables = {}
    for name, (jobs, batch) in ways.items():
        job = make_job(files, tmp_path / name, n_jobs=jobs, options={"batch": batch})
        done, _ = score_slides([files / "sick.tif"], job)
        tables[name] = read_parquet(done[0].table)
    for column in ("x", "y", "tissue", "sharpness", "brightness"):
        for other in ("two", "small"):
            np.testing.assert_array_equal(tables["one"][column], tables[other][column])
    np.testing.assert_array_equal(tables["one"]["score"], tables["two"]["score"])
    np.testing.assert_allclose(tables["one"]["score"], tables["small"]["score"], atol=1e-6)


def test_any_level_gives_nearly_the_same_tiles(files, tmp_path):
    """A slide without its small levels is read from level 0 and shrunk."""
    write_slide(tmp_path / "in" / "bare.tif", LESION, levels=1)
    job = make_job(files, tmp_path)
    done, _ = score_slides([files / "sick.tif", tmp_path / "in" / "bare.tif"], job)
    full, bare = (read_parquet(one.table) for one in done)
    assert set(bare["level"]) == {0}
    np.testing.assert_array_equal(full["x"], bare["x"])
    np.testing.assert_allclose(full["score"], bare["score"], atol=0.02)


def test_a_finished_slide_is_not_scored_again(files, tmp_path):
    job = make_job(files, tmp_path)
    first, _ = score_slides([files / "well.tif"], job)
    stamp = first[0].table.stat().st_mtime_ns
    again, _ = score_slides([files / "well.tif"], job)
    assert [first[0].resumed, again[0].resumed] == [False, True]
    assert again[0].table.stat().st_mtime_ns == stamp
    assert again[0].counts == first[0].counts


@pytest.mark.parametrize("change", ["options", "model", "file", "sheet", "table", "overlay"])
def test_any_change_makes_it_scored_again(files, tmp_path, change):
    slide = tmp_path / "slide.tif"
    slide.write_bytes((files / "well.tif").read_bytes())
    (first,), _ = score_slides([slide], make_job(files, tmp_path))
    job = make_job(files, tmp_path)
    if change == "options":
        job = make_job(files, tmp_path, options={"min_tissue": 0.3})
    elif change == "model":
        write_model(tmp_path / "model.onnx", layout="nhwc")
        job = make_job(tmp_path, tmp_path)
    elif change == "file":
        slide.write_bytes(slide.read_bytes() + b"\0")
    elif change == "sheet":
        job = make_job(files, tmp_path, sheet={"slide": Origin(patient="8")})
    elif change == "table":
        first.table.write_bytes(first.table.read_bytes()[:-20])
    elif change == "overlay":
        job = make_job(files, tmp_path, overlay=True)
    (second,), _ = score_slides([slide], job)
    assert not second.resumed
    assert read_note(second.table) is not None


def test_a_slide_that_fails_leaves_no_old_table(files, tmp_path):
    slide = tmp_path / "slide.tif"
    slide.write_bytes((files / "well.tif").read_bytes())
    job = make_job(files, tmp_path, overlay=True)
    (first,), _ = score_slides([slide], job)
    assert first.table.is_file()
    slide.write_bytes(b"II*\0")
    assert score_slides([slide], job)[0] == []
    assert not first.table.exists()
    assert not job.picture(slide).exists()


def test_broken_slides_are_skipped_and_the_rest_goes_on(files, tmp_path):
    whole = (files / "well.tif").read_bytes()
    (tmp_path / "cut.tif").write_bytes(whole[: len(whole) // 3])
    # The pixels of level 0 are gone, the directory is there.
    holes = bytearray(whole)
    holes[2000:200_000] = bytes(198_000)
    (tmp_path / "holes.tif").write_bytes(bytes(holes))
    (tmp_path / "text.svs").write_text("no slide")
    write_slide(tmp_path / "coarse.tif", Drawing(), mpp=4.0)
    write_slide(tmp_path / "unknown.tif", Drawing(), mpp=None)
    write_slide(tmp_path / "absurd.tif", Drawing(), mpp=350.0)
    write_slide(tmp_path / "glass.tif", Drawing(tissue=None))
    write_slide(tmp_path / "tiny.tif", Drawing(edge=96), levels=1)
    bad = ["cut", "holes", "coarse", "unknown", "absurd", "glass", "tiny"]
    paths = [*(tmp_path / f"{name}.tif" for name in bad), tmp_path / "text.svs"]
    job = make_job(files, tmp_path / "out", options={"mpp": 0.5, "tile": 128})
    done, problems = score_slides([*paths, files / "well.tif"], job)
    assert [one.slide for one in done] == ["well"]
    assert [one.file for one in problems] == [str(path) for path in paths]
    reasons = {path.stem: one.reason for path, one in zip(paths, problems, strict=True)}
    assert "cut short" in reasons["cut"]
    assert "cut short" in reasons["holes"]
    assert "coarser than the 0.5 asked for" in reasons["coarse"]
    assert "--slide-mpp" in reasons["unknown"]
    assert "350 by 350" in reasons["absurd"]
    assert "no tile is left" in reasons["glass"]
    assert "fewer than one tile needs" in reasons["tiny"]
    assert "OpenSlide can read" in reasons["text"]
    assert [path.name for path in (tmp_path / "out" / "tiles").iterdir()] == ["well.parquet"]


def test_stated_resolution_overrides_the_file(files, tmp_path):
    write_slide(tmp_path / "absurd.tif", Drawing(), mpp=350.0)
    job = make_job(files, tmp_path, options={"slide_mpp": 0.5})
    (done,), problems = score_slides([tmp_path / "absurd.tif"], job)
    assert not problems
    assert done.counts["scored"] == 36


def test_two_slides_of_one_name_are_refused(files, tmp_path):
    with pytest.raises(BadOption, match="well occurs twice"):
        score_slides([files / "well.tif", tmp_path / "well.tif"], make_job(files, tmp_path))


def test_command(files, tmp_path, capsys):
    rows = "slide;patient;label\nsick.tif;1;1\nbroken;2;0\n"
    (tmp_path / "sheet.csv").write_text(rows)
    (tmp_path / "broken.tif").write_bytes(b"II*\0")
    arguments = [str(files), str(tmp_path / "broken.tif"), "--model", str(files / "model.onnx")]
    arguments += ["--out", str(tmp_path / "out"), "--tile", "64", "--magnification", "10"]
    arguments += ["--sheet", str(tmp_path / "sheet.csv"), "--overlay", "--jobs", "2"]
    assert run(["score-slides", *arguments]) == 3
    said = capsys.readouterr()
    assert "skipped" in said.err
    assert "broken.tif: it" in said.err
    assert "well.tif: the sheet does not name it" in said.err
    assert "tiles scored" in said.out
    assert (tmp_path / "out" / "overlays" / "sick.png").read_bytes().startswith(b"\x89PNG")
    assert read_parquet(tmp_path / "out" / "tiles" / "sick.parquet")["patient"][0] == "1"


def test_tables_go_straight_into_fit(files, tmp_path, capsys):
    rows = ["slide,patient,label"]
    for i in range(12):
        lesions = ((128, 128, 128),) if i % 2 else ()
        drawing = Drawing(edge=512, tissue=(0, 0, 512), lesions=lesions)
        write_slide(tmp_path / "in" / f"s{i:02d}.tif", drawing, levels=1, seed=i)
        rows.append(f"s{i:02d},p{i:02d},{i % 2}")
    (tmp_path / "sheet.csv").write_text("\n".join(rows) + "\n")
    arguments = [str(tmp_path / "in"), "--model", str(files / "model.onnx"), "--tile", "64"]
    arguments += ["--sheet", str(tmp_path / "sheet.csv"), "--out", str(tmp_path / "out")]
    assert run(["score-slides", *arguments, "--json"]) == 0
    assert '"scored": 16' in capsys.readouterr().out
    columns = ["--patient", "patient", "--score", "score", "--label", "label"]
    chain = ["--level", "slide:max", "--aggregate", "max", "--out", str(tmp_path / "study")]
    assert run(["fit", str(tmp_path / "out" / "tiles" / "*.parquet"), *columns, *chain]) == 0
    assert (tmp_path / "study" / "rule.json").is_file()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["--model", "nowhere.onnx"], "there is no model"),
        (["--mpp", "1", "--magnification", "10"], "only one of"),
        (["--tile", "3"], "tile must be"),
        (["--min-tissue", "2"], "min_tissue must lie between"),
        (["--min-sharpness", "nan"], "between 0 and inf; got nan"),
        (["--mpp", "-1"], "mpp must be"),
        (["--normalize", "foo"], "normalize must be one of"),
        (["--jobs", "0"], "--jobs must be"),
        (["--sheet", "nowhere.csv"], "cannot read the sheet"),
        (["--device", "cuda"], "onnxruntime-gpu"),
    ],
)
def test_mistakes_are_refused_before_any_work(files, tmp_path, capsys, wrong, says):
    out = tmp_path / "out"
    usual = ["score-slides", str(files), "--model", str(files / "model.onnx"), "--out", str(out)]
    assert run([*usual, *wrong]) == 2
    assert says in capsys.readouterr().err.replace("--min-tissue", "min_tissue").replace(
        "--tile", "tile"
    ).replace("--normalize", "normalize")
    assert not out.exists()


def test_nothing_to_go_on_with_is_a_mistake(files, tmp_path, capsys):
    (tmp_path / "broken.tif").write_bytes(b"II*\0")
    arguments = [str(tmp_path / "broken.tif"), "--model", str(files / "model.onnx")]
    assert run(["score-slides", *arguments, "--out", str(tmp_path / "out")]) == 2
    assert "none of 1 slides could be used" in capsys.readouterr().err


def test_no_slide_there(files, tmp_path, capsys):
    usual = ["score-slides", str(tmp_path), "--model", str(files / "model.onnx")]
    assert run([*usual, "--out", str(tmp_path / "out")]) == 2
    assert "there is no slide at" in capsys.readouterr().err


def test_nan_scores_are_no_scores(files, tmp_path):
    job = make_job(files, tmp_path)
    job.model.model.session = type(
        "Session", (), {"run": lambda self, names, feed: [np.full((len(feed["x"]), 1), np.nan)]}
    )()
    _, problems = score_slides([files / "well.tif"], job)
    assert "NaN" in problems[0].reason
