"""Tables with notes, and fingerprints of the files that they were made from."""

import os

from steadycut.pipelines.fingerprint import file_fingerprint
from steadycut.pipelines.parquet import read_note, read_parquet, write_parquet


def test_parquet_note(tmp_path):
    path = tmp_path / "t.parquet"
    assert read_note(path) is None
    write_parquet(path, {"slide": ["a", None]}, {"n": 2})
    assert read_note(path) == {"n": 2}
    assert read_parquet(path)["slide"].tolist() == ["a", None]
    path.write_bytes(b"PAR1")
    assert read_note(path) is None


def test_fingerprint_sees_the_folder_of_an_mrxs_slide(tmp_path):
    slide, data = tmp_path / "a.mrxs", tmp_path / "a"
    slide.write_bytes(b"head")
    data.mkdir()
    (data / "Data0000.dat").write_bytes(b"pixels")
    before = file_fingerprint(slide)
    (data / "Data0000.dat").write_bytes(b"other pixels")
    assert file_fingerprint(slide) != before


def test_a_pipe_in_the_place_of_a_result_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.parquet")
    assert read_note(tmp_path / "a.parquet") is None
