"""A checkpoint gives back what was saved, to the last bit, and only to the same study."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from steadycut.errors import BadCheckpoint
from steadycut.io.checkpoint import HEADER, LOCK, digest, open_checkpoint

STUDY = {"data": "12ab", "options": "mean", "seed": "0"}


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_was_saved_is_there_to_the_last_bit(tmp_path):
    values = np.array([0.1, -0.0, np.nextafter(1, 2), np.nan, -np.inf])
    with open_checkpoint(tmp_path / "new" / "folder", STUDY) as checkpoint:
        assert checkpoint.load("step-1") is None
        checkpoint.save("step-1", values=values, names=np.array(["ä", ""]), count=3)
    with open_checkpoint(tmp_path / "new" / "folder", STUDY) as checkpoint:
        found = checkpoint.load("step-1")
    assert found["values"].tobytes() == values.tobytes()
    assert found["names"].tolist() == ["ä", ""]
    assert int(found["count"]) == 3
    assert listing(tmp_path / "new" / "folder") == [LOCK, HEADER, "step-1.npz"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": "1"}, "seed differs"),
        ({"seed": "1", "data": "0"}, "data, seed differ"),
        ({"more": "x"}, "more differs"),
    ],
)
def test_a_checkpoint_of_another_study_is_refused(tmp_path, change, told):
    with open_checkpoint(tmp_path, STUDY) as checkpoint:
        checkpoint.save("step-1", x=1)
    before = listing(tmp_path)
    with (
        pytest.raises(BadCheckpoint, match=f"is of another study: {told}") as caught,
        open_checkpoint(tmp_path, STUDY | change),
    ):
        pass
    assert "\n" not in str(caught.value)
    assert listing(tmp_path) == before


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"schema": "other/1", "study": {}}'])
def test_a_header_that_is_none_of_ours_is_refused(tmp_path, content):
    (tmp_path / HEADER).write_bytes(content)
    with (
        pytest.raises(BadCheckpoint, match="not a checkpoint of this"),
        open_checkpoint(tmp_path, {}),
    ):
        pass


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path):
    (tmp_path / "scores.csv").write_bytes(b"1")
    with pytest.raises(BadCheckpoint, match="holds 1 other file"), open_checkpoint(tmp_path, STUDY):
        pass
    assert listing(tmp_path) == ["scores.csv"]


def test_a_place_that_cannot_be_a_folder_is_refused(tmp_path):
    (tmp_path / "file").write_bytes(b"1")
    with (
        pytest.raises(BadCheckpoint, match="cannot keep a checkpoint in"),
        open_checkpoint(tmp_path / "file", STUDY),
    ):
        pass


def test_one_run_at_a_time(tmp_path):
    with open_checkpoint(tmp_path, STUDY) as checkpoint:
        checkpoint.save("step-1", x=1)
        with pytest.raises(BadCheckpoint, match="in use"), open_checkpoint(tmp_path, STUDY):
            pass
    with open_checkpoint(tmp_path, STUDY) as checkpoint:
        assert checkpoint.load("step-1") == {"x": 1}


@pytest.mark.parametrize("keep", [0, 1, 30, -1])
def test_a_damaged_step_is_done_again(tmp_path, keep):
    with open_checkpoint(tmp_path, STUDY) as checkpoint:
        checkpoint.save("step-1", x=np.arange(9.0))
        path = tmp_path / "step-1.npz"
        path.write_bytes(path.read_bytes()[:keep])
        assert checkpoint.load("step-1") is None


def test_a_flipped_bit_is_noticed(tmp_path):
    with open_checkpoint(tmp_path, STUDY) as checkpoint:
        values = np.arange(9.0)
        checkpoint.save("step-1", x=values)
        path = tmp_path / "step-1.npz"
        content = bytearray(path.read_bytes())
        content[content.index(values.tobytes()) + 3] ^= 1
        path.write_bytes(content)
        assert checkpoint.load("step-1") is None


def test_pickles_are_neither_written_nor_read(tmp_path):
    with open_checkpoint(tmp_path, STUDY) as checkpoint:
        with pytest.raises(ValueError, match="allow_pickle"):
            checkpoint.save("step-1", x=np.array([{}], dtype=object))
        np.savez(tmp_path / "step-2.npz", x=np.array([{}], dtype=object))
        assert checkpoint.load("step-2") is None
        assert listing(tmp_path) == [LOCK, HEADER, "step-2.npz"]


def test_parts_of_a_killed_run_are_removed_at_once(tmp_path):
    with open_checkpoint(tmp_path, STUDY):
        pass
    (tmp_path / ".steadycut-0123456789abcdef.part").write_bytes(b"half")
    with open_checkpoint(tmp_path, STUDY):
        assert listing(tmp_path) == [LOCK, HEADER]


def test_a_run_killed_before_its_header_was_written_is_begun_again(tmp_path):
    (tmp_path / LOCK).touch()
    (tmp_path / ".steadycut-0123456789abcdef.part").write_bytes(b'{"sch')
    with open_checkpoint(tmp_path, STUDY):
        assert json.loads((tmp_path / HEADER).read_bytes())["study"] == STUDY


def test_removing_leaves_what_is_not_ours(tmp_path):
    with open_checkpoint(tmp_path / "a", STUDY) as checkpoint:
        checkpoint.save("step-1", x=1)
        checkpoint.remove()
    assert listing(tmp_path) == []
    with open_checkpoint(tmp_path / "a", STUDY) as checkpoint:
        (tmp_path / "a" / "notes.txt").touch()
        checkpoint.remove()
    assert listing(tmp_path / "a") == ["notes.txt"]


@pytest.mark.parametrize("removed", range(5))
def test_a_run_killed_while_it_removes_its_checkpoint_is_begun_again(
    tmp_path, monkeypatch, removed
):
    calls, unlink = [], Path.unlink

    def killed(path, **options):
        calls.append(path)
        if len(calls) > removed:
            raise KeyboardInterrupt
        unlink(path, **options)

    with open_checkpoint(tmp_path / "a", STUDY) as checkpoint:
        for step in ("step-1", "step-2"):
            checkpoint.save(step, x=1)
        with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
            patch.setattr(Path, "unlink", killed)
            checkpoint.remove()
    with open_checkpoint(tmp_path / "a", STUDY) as checkpoint:
        checkpoint.remove()
    assert listing(tmp_path) == []


def test_a_killed_process_lets_go_of_its_lock(tmp_path):
    code = (
        "import os, signal, sys\n"
        "from steadycut.io.checkpoint import open_checkpoint\n"
        f"with open_checkpoint(sys.argv[1], {STUDY!r}):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=environment, check=False)
    assert done.returncode == -9
    with open_checkpoint(tmp_path, STUDY) as checkpoint:
        assert checkpoint.load("step-1") is None


@given(arrays(np.float64, array_shapes(max_dims=2)), st.integers(0, 7))
def test_a_digest_sees_every_bit_the_type_and_the_shape(values, bit):
    changed = values.copy()
    changed.view(np.uint8).reshape(-1)[0] ^= np.uint8(1 << bit)
    others = [changed, values.view(np.int64), values[None], np.append(values, 0.0)]
    assert digest(values) == digest(np.asfortranarray(values))
    assert digest(values) not in {digest(other) for other in others}


def test_a_digest_tells_pieces_and_kinds_apart():
    assert len({digest("ab"), digest("a", "b"), digest(b"ab"), digest("", "ab"), digest()}) == 5
