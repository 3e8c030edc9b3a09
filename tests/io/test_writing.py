"""One contract for whatever writes a file: steadycut, and the reader that stands alone."""

import os
import stat

import pytest

from steadycut import rule_reader
from steadycut.cli.main import run
from steadycut.errors import BadOption
from steadycut.io.files import write_atomically
from tests.test_rule_reader import HERE, TABLE

RULE = HERE / "rule-ge.json"
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


class RefusalError(Exception):
    """What either writer says."""


def by_package(path, content):
    try:
        write_atomically(path, content)
    except BadOption as error:
        raise RefusalError(str(error)) from None


def by_reader(path, content):
    try:
        rule_reader.write_file(str(path), content)
    except rule_reader.Refused as error:
        raise RefusalError(str(error)) from None


@pytest.fixture(params=[by_package, by_reader], ids=["package", "reader"])
def write(request):
    return request.param


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


def test_content_is_written_as_it_is_and_nothing_is_left(tmp_path, write):
    write(tmp_path / "a", b"\0\r\n")
    write(tmp_path / "a", b"new")
    assert ((tmp_path / "a").read_bytes(), listing(tmp_path)) == (b"new", ["a"])


def test_a_name_without_a_folder_is_in_this_one(tmp_path, write, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("a" if write is by_reader else tmp_path / "a", b"new")
    assert listing(tmp_path) == ["a"]


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_new_file_has_the_permissions_of_the_umask(tmp_path, write, umask):
    before = os.umask(umask)
    try:
        write(tmp_path / "a", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o700, 0o604])
def test_a_replaced_file_keeps_its_permissions(tmp_path, write, mode):
    path = tmp_path / "a"
    path.touch()
    path.chmod(mode)
    write(path, b"new")
    assert (stat.S_IMODE(path.stat().st_mode), path.read_bytes()) == (mode, b"new")


@pytest.mark.skipif(not ROOT, reason="only the root user may give files away")
def test_a_replaced_file_keeps_its_owner_and_group(tmp_path, write):
    path = tmp_path / "a"
    path.touch()
    path.chmod(0o660)
    os.chown(path, 4141, 4242)
    write(path, b"new")
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (4141, 4242, 0o660)


def test_a_group_that_cannot_be_kept_gets_no_rights(tmp_path, write, monkeypatch):
    path = tmp_path / "a"
    path.touch()
    path.chmod(0o664)

    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refuse)
    write(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_an_access_list_is_kept_or_the_group_gets_no_rights(tmp_path, write, monkeypatch):
    path, given = tmp_path / "a", []
    path.touch()
    path.chmod(0o664)
    name = "system.posix_acl_access"
    monkeypatch.setattr(os, "listxattr", lambda _: [name, "user.other"])
    monkeypatch.setattr(os, "getxattr", lambda _, name: name.encode())
    monkeypatch.setattr(os, "setxattr", lambda _, *what: given.append(what))
    write(path, b"new")
    assert given == [(name, name.encode())]

    def refuse(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "setxattr", refuse)
    write(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_read_only_file_is_not_replaced(tmp_path, write, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    # The root user may write everything.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(
        RefusalError, match=r"cannot write .*: It is read-only\. Choose another place"
    ):
        write(path, b"new")
    assert (path.read_bytes(), listing(tmp_path)) == (b"old", ["a"])


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path, write):
    (tmp_path / "far").mkdir()
    (tmp_path / "first").symlink_to("far/real")
    (tmp_path / "second").symlink_to("first")
    for content in (b"new", b"old"):
        write(tmp_path / "second", content)
        assert (tmp_path / "far" / "real").read_bytes() == content
    assert (tmp_path / "second").is_symlink()
    assert listing(tmp_path / "far") == ["real"]


def test_links_in_a_circle_are_refused_in_one_line(tmp_path, write):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(RefusalError, match=r"cannot write .*Too many links\. Choose another place"):
        write(tmp_path / "a", b"1")


@pytest.mark.skipif(not ROOT, reason="only the root user may give links away")
def test_a_link_of_somebody_else_in_a_shared_folder_is_not_followed(tmp_path, write):
    mine, shared = tmp_path / "mine", tmp_path / "shared"
    mine.write_bytes(b"keep")
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "out").symlink_to(mine)
    write(shared / "out", b"my own link")
    os.chown(shared / "out", 65534, -1, follow_symlinks=False)
    with pytest.raises(RefusalError, match="It is a link of somebody else"):
        write(shared / "out", b"lost")
    assert mine.read_bytes() == b"my own link"


def test_no_file_takes_the_place_of_a_pipe_or_a_device(tmp_path, write):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/null")
    for name in ("pipe", "device"):
        with pytest.raises(RefusalError, match=r"It is a pipe or a device\. Choose another place"):
            write(tmp_path / name, b"x")
    assert (tmp_path / "pipe").is_fifo()


def test_a_folder_is_not_replaced(tmp_path, write):
    with pytest.raises(RefusalError, match="Is a directory"):
        write(tmp_path, b"x")


# The commands ------------------------------------------------------------------------------


def apply(*arguments):
    return run(["apply", *map(str, arguments)])


def read_alone(*arguments):
    return rule_reader.main([*map(str, arguments)])


@pytest.fixture(params=[apply, read_alone], ids=["package", "reader"])
def command(request):
    return request.param


@pytest.mark.parametrize(
    "content", [b"notes of somebody\n", b"a,b\n1,2\n", b"patient,rule_sha256\n1,0\n", b"\xff\0\n"]
)
def test_other_content_is_replaced_only_if_asked_for(tmp_path, capsys, command, content):
    out = tmp_path / "decisions.csv"
    out.write_bytes(content)
    assert command(RULE, HERE / TABLE, "--out", out) == 2
    said = capsys.readouterr().err
    assert "holds results of another rule, or something else" in said
    assert "--overwrite" in said
    assert out.read_bytes() == content
    assert command(RULE, HERE / TABLE, "--out", out, "--overwrite") == 0
    assert out.read_bytes() != content
    again = out.read_bytes()
    assert command(RULE, HERE / TABLE, "--out", out) == 0
    assert out.read_bytes() == again


def test_decisions_of_another_rule_are_replaced_only_if_asked_for(tmp_path, command):
    out = tmp_path / "decisions.csv"
    assert command(RULE, HERE / TABLE, "--out", out) == 0
    before = out.read_bytes()
    assert command(HERE / "rule-le.json", HERE / TABLE, "--out", out) == 2
    assert out.read_bytes() == before
    assert command(HERE / "rule-le.json", HERE / TABLE, "--out", out, "--overwrite") == 0


def test_an_empty_file_may_be_replaced(tmp_path, command):
    out = tmp_path / "decisions.csv"
    out.touch()
    assert command(RULE, HERE / TABLE, "--out", out) == 0
