"""keygen, sign and verify; and apply and audit of signed rules only."""

import shutil

import pytest

from tests.cli.commands import run_command, snapshot


@pytest.fixture
def signed(rule, tmp_path, capsys):
    """A folder with a pair of keys and a signed rule."""
    shutil.copy(rule, tmp_path / "rule.json")
    assert run_command(capsys, "keygen", tmp_path / "key").code == 0
    assert run_command(capsys, "keygen", tmp_path / "other").code == 0
    ran = run_command(capsys, "sign", tmp_path / "rule.json", "--key", tmp_path / "key")
    assert (ran.code, ran.err) == (0, "")
    assert "Wrote" in ran.out
    return tmp_path


def spoil(folder):
    path = folder / "rule.json"
    path.write_bytes(path.read_bytes().replace(b"0", b"1", 1))


def test_what_was_signed_is_verified(signed, capsys):
    ran = run_command(capsys, "verify", signed / "rule.json", "--key", signed / "key.pub")
    assert (ran.code, ran.err) == (0, "")
    shown = run_command(
        capsys, "verify", signed / "rule.json", "--key", signed / "key.pub", "--json"
    )
    assert shown.json["key"] in ran.out


@pytest.mark.parametrize(
    ("key", "change", "words"),
    [
        ("other.pub", lambda folder: None, "signed with another key"),
        ("key.pub", spoil, "does not fit"),
        ("key.pub", lambda folder: (folder / "rule.json.sig").unlink(), "no signature"),
        ("none.pub", lambda folder: None, "cannot read the key"),
    ],
)
def test_what_was_not_is_refused_in_one_line(key, change, words, signed, table, capsys):
    change(signed)
    rule, before = signed / "rule.json", snapshot(signed)
    commands = [
        ["verify", rule, "--key", signed / key],
        ["apply", rule, "no-such-table.csv", "--verify", signed / key, "--out", signed / "d.csv"],
        ["audit", rule, "no-such-table.csv", "--verify", signed / key, "--out", signed / "audit"],
        ["monitor", rule, "no-such-table.csv", "--verify", signed / key, "--order", "day"],
    ]
    for command in commands:
        ran = run_command(capsys, *command)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.count("\n") == 1
        assert words in ran.err
    assert snapshot(signed) == before


def test_apply_and_audit_take_a_signed_rule(signed, table, capsys):
    given = [signed / "rule.json", table, "--verify", signed / "key.pub", "--out"]
    assert run_command(capsys, "apply", *given, signed / "decisions.csv").code == 0
    assert run_command(capsys, "audit", *given, signed / "audit", "--label", "label").code == 0


@pytest.mark.parametrize("name", ["key", "key.pub", "rule.json", "table.csv", "link", "folder"])
def test_a_signature_is_written_over_no_other_file(name, signed, table, capsys):
    shutil.copy(table, signed / "table.csv")
    (signed / "link").symlink_to(signed / "key")
    (signed / "folder").mkdir()
    before = snapshot(signed)
    sign = ["sign", signed / "rule.json", "--key", signed / "key", "--out", signed / name]
    ran = run_command(capsys, *sign)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"{name} exists and is not a signature" in ran.err
    assert snapshot(signed) == before


def test_an_earlier_signature_is_replaced(signed, capsys):
    rule = signed / "rule.json"
    assert run_command(capsys, "sign", rule, "--key", signed / "other").code == 0
    assert run_command(capsys, "verify", rule, "--key", signed / "other.pub").code == 0


@pytest.mark.parametrize(
    ("name", "key", "words"),
    [
        ("rule.json.sig", "key", "is itself a signature"),
        ("rule.json", "key.pub", "is the public key. Sign with the private one"),
    ],
)
def test_a_signature_and_a_public_key_cannot_sign(name, key, words, signed, capsys):
    before = snapshot(signed)
    ran = run_command(capsys, "sign", signed / name, "--key", signed / key)
    assert (ran.code, ran.err.count("\n"), words in ran.err) == (2, 1, True)
    assert snapshot(signed) == before


def test_a_file_larger_than_any_rule_is_one_line(table, tmp_path, capsys):
    large = tmp_path / "rule.json"
    with large.open("wb") as file:
        file.truncate(100_000_000)
    for command in ("apply", "audit"):
        ran = run_command(capsys, command, large, table, "--out", tmp_path / "out.csv")
        assert ran.code == 2
        assert "it has more than 64 MB" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["rule.json"]


def test_a_passphrase_comes_from_the_environment(signed, capsys, monkeypatch):
    monkeypatch.setenv("STEADYCUT_PASSPHRASE", "geheim")
    assert run_command(capsys, "keygen", signed / "locked", "--encrypt").code == 0
    sign = ["sign", signed / "rule.json", "--key", signed / "locked", "--out", signed / "new.sig"]
    assert run_command(capsys, *sign).code == 0
    verify = ["verify", signed / "rule.json", "--signature", signed / "new.sig"]
    assert run_command(capsys, *verify, "--key", signed / "locked.pub").code == 0
    monkeypatch.delenv("STEADYCUT_PASSPHRASE")
    ran = run_command(capsys, *sign)
    assert ran.code == 2
    assert "give its passphrase in STEADYCUT_PASSPHRASE" in ran.err
    ran = run_command(capsys, "keygen", signed / "more", "--encrypt")
    assert ran.code == 2
    assert "Set STEADYCUT_PASSPHRASE" in ran.err


def test_a_passphrase_is_asked_for_where_somebody_is(signed, capsys, monkeypatch):
    answers = iter(["geheim", "geheim", "geheim", "one", "other"])
    monkeypatch.setattr("steadycut.cli.sign.getpass", lambda text: next(answers))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert run_command(capsys, "keygen", signed / "locked", "--encrypt").code == 0
    ran = run_command(capsys, "sign", signed / "rule.json", "--key", signed / "locked")
    assert ran.code == 0
    ran = run_command(capsys, "keygen", signed / "more", "--encrypt")
    assert ran.code == 2
    assert "the same both times" in ran.err
