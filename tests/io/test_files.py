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
    read_small,
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


def test_a_part_never_has_more_rights_than_the_file_that_it_replaces(tmp_path, monkeypatch):
    path, seen = tmp_path / "a", []
    path.touch(0o600)
    really = os.fsync

    def look(file):
        seen.append(stat.S_IMODE(os.fstat(file).st_mode))
        really(file)

    monkeypatch.setattr(os, "fsync", look)
    write_atomically(path, b"new")
    assert seen == [0o600]


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    real = tmp_path / "far" / "real"
    real.touch(0o600)
    for name, target in (("first", "far/real"), ("second", "first"), ("new", "far/new")):
        (tmp_path / name).symlink_to(target)
    write_together({tmp_path / "second": b"1", tmp_path / "new": b"2"})
    assert (real.read_bytes(), (tmp_path / "far" / "new").read_bytes()) == (b"1", b"2")
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert all((tmp_path / name).is_symlink() for name in ("first", "second", "new"))
    assert listing(tmp_path / "far") == ["new", "real"]


def test_a_link_of_somebody_else_in_a_shared_folder_is_not_followed(tmp_path, monkeypatch):
    mine = tmp_path / "mine"
    mine.write_bytes(b"keep")
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "out").symlink_to(mine)
    write_atomically(shared / "out", b"mine: followed")
    shared.chmod(0o1777)
    monkeypatch.setattr("steadycut.rule_reader.is_own", lambda _: False)
    write_atomically(shared / "out", b"of the owner of the folder: followed")
    if os.geteuid() == 0:
        os.chown(shared / "out", 65534, -1, follow_symlinks=False)
        with pytest.raises(BadOption, match="It is a link of somebody else"):
            write_atomically(shared / "out", b"lost")
        assert mine.read_bytes() == b"of the owner of the folder: followed"


def test_pipes_in_the_place_of_our_own_files_are_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "steadycut-work-0").mkdir()
    os.mkfifo(tmp_path / "steadycut-work-0" / ".lock")
    os.mkfifo(tmp_path / ".steadycut-0123456789abcdef.part")
    with work_folder() as folder:
        write_atomically(folder / "a", b"1")
    write_atomically(tmp_path / "a", b"1")
    for name in (".lock", "linked"):
        place = tmp_path / "steadycut-work-0" / name
        if name == "linked":
            place.symlink_to(".lock")
        with pytest.raises(OSError, match="It is a pipe or a device"):
            read_small(place)


def test_a_work_folder_of_somebody_else_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    theirs = tmp_path / "steadycut-work-0"
    theirs.mkdir()
    (theirs / ".lock").touch()
    monkeypatch.setattr("steadycut.rule_reader.is_own", lambda _: False)
    with work_folder():
        assert theirs.exists()


def test_a_folder_that_somebody_keeps_locked_is_refused_in_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr("steadycut.io.files.LONGEST_WAIT", 0.1)
    with (
        _alone_in([tmp_path]),
        pytest.raises(BadOption, match=r"another process has locked it for more than 0\.1 seconds"),
    ):
        write_atomically(tmp_path / "a", b"1")
    assert listing(tmp_path) == []


@pytest.fixture
def windows(monkeypatch):
    """No folder can be opened, and no open file can be moved or removed, as on Windows."""

    def refusing(real):
        def call(path, *others, dir_fd=None, **more):
            folder = Path(f"/proc/self/fd/{dir_fd}").resolve() if dir_fd else Path.cwd()
            full = folder / path
            for opened in Path("/proc/self/fd").iterdir():
                if os.path.realpath(opened) == str(full) and full.is_file():
                    raise PermissionError(13, "The file is in use")
            more |= {} if dir_fd is None else {"dir_fd": dir_fd}
            return real(path, *others, **more)

        return call

    for name in ("replace", "rename", "unlink", "remove"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))
    monkeypatch.delattr(os, "O_DIRECTORY")


def test_the_imitation_of_windows_refuses_an_open_file(tmp_path, windows):
    path = tmp_path / "a"
    with path.open("wb"), pytest.raises(PermissionError, match="in use"):
        path.replace(tmp_path / "b")
    with path.open("wb"), pytest.raises(PermissionError, match="in use"):
        path.unlink()
    path.replace(tmp_path / "b")


def test_files_are_closed_before_they_are_moved(tmp_path, windows):
    for content in (b"1", b"2"):
        write_together({tmp_path / "a": content, tmp_path / "b": content})
        assert listing(tmp_path) == ["a", "b"]
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == content


def test_a_work_folder_goes_where_open_files_cannot_be_removed(tmp_path, monkeypatch, windows):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with work_folder() as folder:
        (folder / "rows").write_bytes(b"1")
        with work_folder() as other:
            assert listing(tmp_path) == sorted([folder.name, other.name])
    assert listing(tmp_path) == []


def test_runs_wait_for_each_other_where_no_folder_can_be_opened(tmp_path, windows):
    part = tmp_path / ".steadycut-0123456789abcdef.part"
    part.write_bytes(b"half")
    with _alone_in([tmp_path]):
        writer = threading.Thread(target=write_atomically, args=(tmp_path / "a", b"1"))
        writer.start()
        writer.join(0.2)
        assert writer.is_alive()
        assert part.exists()
    writer.join()
    write_atomically(tmp_path / "a", b"2")
    assert (listing(tmp_path), (tmp_path / "a").read_bytes()) == (["a"], b"2")


@pytest.mark.parametrize(("age", "stays"), [(3500, True), (3700, False)])
def test_a_work_folder_that_is_not_locked_yet_goes_by_its_age(tmp_path, monkeypatch, age, stays):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    empty, locking = tmp_path / "steadycut-work-0", tmp_path / "steadycut-work-1"
    for folder in (empty, locking):
        folder.mkdir()
    (locking / ".lock").touch()
    for folder in (empty, locking):
        os.utime(folder, (time.time() - age,) * 2)
    with work_folder():
        assert (empty.exists(), locking.exists()) == (stays, stays)
