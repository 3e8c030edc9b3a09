"""Sheets, fingerprints and threads."""

import threading

import pytest

from steadycut.errors import BadFile, BadTable, MissingColumn
from steadycut.pipelines.fingerprint import file_fingerprint
from steadycut.pipelines.parallel import map_in_order
from steadycut.pipelines.parquet import read_note, read_parquet, write_parquet
from steadycut.pipelines.sheet import Origin, read_sheet
from steadycut.pipelines.skipped import LeftOut, refuse_if_nothing


def test_sheet(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text("\ufeffSlide,patient,label\nx/a.svs, 1 ,0\nb,2,\n", encoding="utf-8")
    assert read_sheet(path, "slide") == {
        "a": Origin(patient="1", label="0"),
        "b": Origin(patient="2"),
    }


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        (b"", BadTable, "no rows"),
        (b"\xff\xfe\x00", BadTable, "not UTF-8"),
        (b"slide\na\n", MissingColumn, "lacks patient"),
        (b"slide,patient\na,1\na,2\n", BadTable, "two different things"),
    ],
)
def test_bad_sheets(tmp_path, content, error, says):
    path = tmp_path / "sheet.csv"
    path.write_bytes(content)
    with pytest.raises(error, match=says):
        read_sheet(path, "slide")


def test_fingerprint_sees_the_folder_of_an_mrxs_slide(tmp_path):
    slide, data = tmp_path / "a.mrxs", tmp_path / "a"
    slide.write_bytes(b"head")
    data.mkdir()
    (data / "Data0000.dat").write_bytes(b"pixels")
    before = file_fingerprint(slide)
    (data / "Data0000.dat").write_bytes(b"other pixels")
    assert file_fingerprint(slide) != before


def test_map_in_order_keeps_few_results():
    alive, most, lock = [0], [0], threading.Lock()

    def work(item):
        with lock:
            alive[0] += 1
            most[0] = max(most[0], alive[0])
        return item

    seen = []
    for item in map_in_order(work, range(100), 3):
        with lock:
            alive[0] -= 1
        seen.append(item)
    assert seen == list(range(100))
    assert most[0] <= 7


def test_map_in_order_raises_the_first_error():
    with pytest.raises(ZeroDivisionError):
        list(map_in_order(lambda item: 1 // item, [1, 0, 2, 3, 4, 5], 2))


def test_parquet_note(tmp_path):
    path = tmp_path / "t.parquet"
    assert read_note(path) is None
    write_parquet(path, {"slide": ["a", None]}, {"n": 2})
    assert read_note(path) == {"n": 2}
    assert read_parquet(path)["slide"].tolist() == ["a", None]
    path.write_bytes(b"PAR1")
    assert read_note(path) is None


def test_nothing_left():
    problems = [LeftOut(file="a", reason="bad."), LeftOut(file="b", reason="bad.")]
    refuse_if_nothing(1, problems, "slides")
    refuse_if_nothing(0, [], "slides")
    with pytest.raises(BadFile, match=r"none of 2 slides .* left out a: bad\. \(and 1 more\)"):
        refuse_if_nothing(0, problems, "slides")
