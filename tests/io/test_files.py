"""Files appear whole or not at all, and with the permissions that the user asks for."""

import fcntl
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from steadycut.errors import BadOption
from steadycut.io.files import (
    _alone_in,
    _locked_file,
    work_folder,
    write_atomically,
    write_together,
)


def not_supported(*_, **__):
    raise OSError(95, "Operation not supported")


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


def test_content_is_written_as_it_is(tmp_path):
    path = tmp_path / "a.bin"
    write_atomically(path, b"\x00\r\n\xff")
    assert path.read_bytes() == b"\x00\r\n\xff"
    write_atomically(path, b"")
    assert path.read_bytes() == b""
    assert listing(tmp_path) == ["a.bin"]


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_the_umask_is_respected(tmp_path, umask):
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "a", b"1")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~umask


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("a" * 255)
    write_atomically(path, b"1")
    assert listing(tmp_path) == [path.name]


@pytest.mark.parametrize("where", ["nowhere/a", "file/a", "folder"])
def test_a_place_that_cannot_be_written_is_refused_in_one_line(tmp_path, where):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    before = listing(tmp_path)
    with pytest.raises(
        BadOption, match=r"^cannot write .*: .+\. Choose another place\.$"
    ) as caught:
        write_atomically(tmp_path / where, b"1")
    assert "\n" not in str(caught.value)
    assert listing(tmp_path) == before
    assert listing(tmp_path / "folder") == []


def test_one_bad_place_spares_all_others(tmp_path):
    (tmp_path / "first").write_bytes(b"old")
    (tmp_path / "second").mkdir()
    with pytest.raises(BadOption, match="second"):
        write_together({tmp_path / "first": b"new", tmp_path / "second": b"new"})
    assert (tmp_path / "first").read_bytes() == b"old"
    assert listing(tmp_path) == ["first", "second"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_in_the_middle_leaves_the_old_files(tmp_path, monkeypatch, error):
    (tmp_path / "first").write_bytes(b"old")
    real, calls = os.fsync, []

    def second_fails(handle):
        calls.append(handle)
        if len(calls) == 2:
            raise error
        real(handle)

    monkeypatch.setattr(os, "fsync", second_fails)
    kind = BadOption if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(kind):
        write_together({tmp_path / name: b"new" for name in ("first", "second", "third")})
    assert len(calls) == 2
    assert (tmp_path / "first").read_bytes() == b"old"
    assert listing(tmp_path) == ["first"]


def test_what_a_killed_run_left_is_removed_at_once(tmp_path):
    part, own = tmp_path / ".steadycut-0123456789abcdef.part", tmp_path / ".mine.part"
    for path in (part, own):
        path.write_bytes(b"half")
    write_atomically(tmp_path / "a", b"1")
    assert listing(tmp_path) == [own.name, "a"]


def test_what_another_run_is_writing_stays(tmp_path):
    part = tmp_path / ".steadycut-0123456789abcdef.part"
    with _locked_file(part):
        write_atomically(tmp_path / "a", b"1")
        assert part.exists()


@pytest.mark.parametrize(("age", "stays"), [(3500, True), (3700, False)])
def test_where_locks_do_not_tell_age_does(tmp_path, monkeypatch, age, stays):
    monkeypatch.setattr(fcntl, "flock", not_supported)
    part = tmp_path / ".steadycut-0123456789abcdef.part"
    part.write_bytes(b"half")
    os.utime(part, (time.time() - age,) * 2)
    write_atomically(tmp_path / "a", b"1")
    assert part.exists() == stays


def test_a_work_folder_is_empty_and_goes(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with work_folder() as folder:
        assert listing(tmp_path) == [folder.name]
        assert listing(folder) == [".lock"]
        (folder / "rows").write_bytes(b"1")
    assert listing(tmp_path) == []


def test_work_folders_of_killed_runs_go_and_those_in_use_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = (
        "import os, signal\n"
        "from steadycut.io.files import work_folder\n"
        "with work_folder() as folder:\n"
        "    (folder / 'rows').write_bytes(b'1')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = os.pathsep.join(filter(None, sys.path))
    environment = os.environ | {"PYTHONPATH": path, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert len(listing(tmp_path)) == 1
    with work_folder() as first, work_folder() as second:
        assert listing(tmp_path) == sorted([first.name, second.name])
    assert listing(tmp_path) == []


def test_a_work_folder_in_use_stays_however_old_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with work_folder() as folder:
        os.utime(folder / ".lock", (0, 0))
        with work_folder():
            assert folder.exists()


def test_a_stale_part_that_cannot_be_removed_is_in_nobodys_way(tmp_path):
    part = tmp_path / ".steadycut-0123456789abcdef.part"
    part.mkdir()
    os.utime(part, (0, 0))
    write_atomically(tmp_path / "a", b"1")
    assert listing(tmp_path) == [part.name, "a"]


def test_a_move_that_fails_leaves_no_part(tmp_path, monkeypatch):
    def fails(self, target):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(BadOption, match="Permission denied"):
        write_atomically(tmp_path / "a", b"1")
    assert listing(tmp_path) == []


def fail_at(monkeypatch, number, error=None):
    """Let one of the moves into place fail."""
    moved, replace = [], Path.replace

    def counted(path, target):
        moved.append(Path(target).name)
        if len(moved) == number:
            raise error
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", counted)
    return moved


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_move_that_fails_puts_old_files_back(tmp_path, monkeypatch, number, error, links):
    (tmp_path / "b").write_bytes(b"old")
    (tmp_path / "c").write_bytes(b"older")
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", not_supported)
    fail_at(monkeypatch, number, error)
    with pytest.raises((BadOption, KeyboardInterrupt)):
        write_together({tmp_path / name: b"new" for name in "abc"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "b": b"old",
        "c": b"older",
    }


def test_the_first_file_comes_last(tmp_path, monkeypatch):
    moved = fail_at(monkeypatch, 0)
    write_together({tmp_path / name: b"new" for name in ("rule", "study", "page")})
    assert moved == ["page", "study", "rule"]


def test_an_old_file_that_cannot_be_kept_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    monkeypatch.setattr(Path, "hardlink_to", not_supported)
    monkeypatch.setattr(shutil, "copy2", not_supported)
    with pytest.raises(BadOption, match=r"cannot write .*: Operation not supported"):
        write_atomically(path, b"new")
    assert (listing(tmp_path), path.read_bytes()) == (["a"], b"old")


def test_another_run_that_moves_files_is_waited_for(tmp_path):
    with _alone_in([tmp_path]):
        writer = threading.Thread(target=write_atomically, args=(tmp_path / "a", b"1"))
        writer.start()
        writer.join(0.2)
        assert writer.is_alive()
        assert listing(tmp_path) == []
    writer.join()
    assert listing(tmp_path) == ["a"]


def test_no_file_takes_the_place_of_a_pipe_or_a_device(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/null")
    for name in ("pipe", "device"):
        with pytest.raises(BadOption, match=r"It is a pipe or a device\. Choose another place"):
            write_atomically(tmp_path / name, b"x")
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "device").is_symlink()
