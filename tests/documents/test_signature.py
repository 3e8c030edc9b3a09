"""Signatures: any change of file, signature or key is noticed, and nothing else is."""

import base64
import hashlib
import json
import shutil
import stat
import string
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scripts.write_golden import GOLDEN
from steadycut import __version__, rule_reader
from steadycut.documents.signature import (
    SCHEMA,
    make_key,
    read_signature,
    sign,
    signature_path,
    verify,
)
from steadycut.errors import BadOption, BadRuleFile, BadSignature, MissingPackage

FILES = sorted((GOLDEN / __version__).glob("*.json"))


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Two pairs of keys, mine and another; not to be changed."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("mine", "other"):
        make_key(folder / name)
    return folder


@pytest.fixture
def rule(tmp_path, keys):
    """A signed rule."""
    path = tmp_path / "rule.json"
    shutil.copy(GOLDEN / __version__ / "rule-ge.json", path)
    sign(path, keys / "mine")
    return path


def refusal(call, error=BadSignature):
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


# Keys --------------------------------------------------------------------------------------


def test_a_private_key_is_readable_by_its_owner_only(keys):
    assert stat.S_IMODE((keys / "mine").stat().st_mode) == 0o600
    assert (keys / "mine").read_bytes().startswith(b"-----BEGIN PRIVATE KEY-----\n")
    assert (keys / "mine.pub").read_bytes().startswith(b"-----BEGIN PUBLIC KEY-----\n")


@pytest.mark.parametrize("taken", ["key", "key.pub"])
def test_a_key_is_never_overwritten(taken, tmp_path):
    (tmp_path / taken).write_text("mine")
    assert "exists" in refusal(lambda: make_key(tmp_path / "key"), BadOption)
    assert [path.name for path in tmp_path.iterdir()] == [taken]
    assert (tmp_path / taken).read_text() == "mine"


def test_a_key_without_a_place_is_refused(tmp_path):
    for path in (tmp_path / "nowhere/key", tmp_path / "a\x00b"):
        assert "cannot write" in refusal(lambda path=path: make_key(path), BadOption)


def test_a_key_for_which_there_is_no_room_leaves_nothing(tmp_path):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        text = refusal(lambda: make_key(tmp_path / "key"), BadOption)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "cannot write" in text
    assert list(tmp_path.iterdir()) == []


def test_a_passphrase_locks_a_key(tmp_path, rule):
    right, wrong = "geheim ü", "geheim"
    make_key(tmp_path / "key", right)
    assert b"ENCRYPTED" in (tmp_path / "key").read_bytes()
    text = refusal(lambda: sign(rule, tmp_path / "key"))
    assert "is encrypted; give its passphrase in STEADYCUT_PASSPHRASE" in text
    assert "passphrase" in refusal(lambda: sign(rule, tmp_path / "key", passphrase=wrong))
    sign(rule, tmp_path / "key", passphrase=right)
    verify(rule, tmp_path / "key.pub")


def test_a_passphrase_that_is_not_needed_does_no_harm(rule, keys):
    anything = "geheim"
    sign(rule, keys / "mine", passphrase=anything)


def test_a_private_key_that_others_can_read_is_refused(tmp_path, keys, rule):
    shutil.copy(keys / "mine", tmp_path / "key")
    (tmp_path / "key").chmod(0o640)
    assert "can be read by others" in refusal(lambda: sign(rule, tmp_path / "key"))


def test_a_key_that_may_not_be_read_is_one_line(tmp_path, rule, keys, monkeypatch):
    def refuse(path, most):
        if path.suffix == ".pub":
            raise PermissionError(13, "Permission denied")
        return path.read_bytes()

    monkeypatch.setattr("steadycut.io.files.read_small", refuse)
    assert "cannot read the key" in refusal(lambda: verify(rule, keys / "mine.pub"))


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"-----BEGIN PRIVATE KEY-----\nAA==\n"])
def test_what_is_no_key_is_refused(content, tmp_path, rule):
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)
    assert "not an Ed25519 private key" in refusal(lambda: sign(rule, path))
    assert "not an Ed25519 public key" in refusal(lambda: verify(rule, path))


def test_keys_are_not_taken_for_each_other(keys, rule):
    (keys / "mine.pub").chmod(0o600)
    assert "is the public key" in refusal(lambda: sign(rule, keys / "mine.pub"))
    assert "ending in .pub" in refusal(lambda: verify(rule, keys / "mine"))


def test_a_key_of_another_kind_is_refused(tmp_path, rule):
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(
        form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo
    )
    (tmp_path / "ec.pub").write_bytes(public)
    assert "not an Ed25519 public key" in refusal(lambda: verify(rule, tmp_path / "ec.pub"))


# Signatures --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_frozen_file_can_be_signed(path, tmp_path, keys):
    made = sign(path, keys / "mine", out=tmp_path / "any.sig")
    assert made.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert verify(path, keys / "mine.pub", signature=tmp_path / "any.sig") == made


def test_a_study_can_be_signed(tmp_path, keys):
    path = tmp_path / "study.json"
    path.write_text('{"schema": "steadycut.study/1"}')
    sign(path, keys / "mine")
    verify(path, keys / "mine.pub")


def test_the_signature_is_small_plain_json(rule):
    content = json.loads((rule.parent / "rule.json.sig").read_bytes())
    assert sorted(content) == ["algorithm", "key", "schema", "sha256", "signature"]
    assert (content["schema"], content["algorithm"]) == (SCHEMA, "Ed25519")
    assert len(base64.b64decode(content["signature"])) == 64


def test_the_same_bytes_have_the_same_signature(rule, keys):
    before = signature_path(rule).read_bytes()
    sign(rule, keys / "mine")
    assert signature_path(rule).read_bytes() == before


def test_openssl_agrees(rule, keys, tmp_path):
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl here")
    raw = base64.b64decode(read_signature(signature_path(rule)).signature)
    (tmp_path / "raw").write_bytes(raw)
    command = [openssl, "pkeyutl", "-verify", "-pubin", "-inkey", keys / "mine.pub", "-rawin"]
    done = subprocess.run(
        [*command, "-in", rule, "-sigfile", tmp_path / "raw"], check=False, capture_output=True
    )
    assert b"Signature Verified Successfully" in done.stdout, done.stderr


def test_another_key_is_noticed(rule, keys):
    assert "signed with another key" in refusal(lambda: verify(rule, keys / "other.pub"))


def test_a_signature_with_the_fingerprint_of_another_key_does_not_pass(rule, keys):
    signed = json.loads(signature_path(rule).read_bytes())
    other = sign(rule, keys / "other").key
    path = signature_path(rule)
    text = json.dumps({**signed, "key": other}, indent=1, sort_keys=True)
    path.write_text(text + "\n")
    assert "does not fit" in refusal(lambda: verify(rule, keys / "other.pub"))


def test_a_rule_without_a_signature_is_refused(rule, keys):
    signature_path(rule).unlink()
    assert "there is no signature" in refusal(lambda: verify(rule, keys / "mine.pub"))


def test_a_file_that_is_gone_is_refused(rule, keys):
    rule.unlink()
    assert "cannot read" in refusal(lambda: verify(rule, keys / "mine.pub"), BadRuleFile)


def test_a_signature_of_another_file_does_not_fit(rule, keys, tmp_path):
    other = tmp_path / "other.json"
    shutil.copy(GOLDEN / __version__ / "strata-ge.json", other)
    given = signature_path(rule)
    text = refusal(lambda: verify(other, keys / "mine.pub", signature=given))
    assert "does not fit" in text


SAME_FILES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@SAME_FILES
@given(data=st.data())
def test_any_changed_byte_of_the_file_is_noticed(rule, keys, data):
    whole = (GOLDEN / __version__ / "rule-ge.json").read_bytes()
    rule.write_bytes(changed(whole, data))
    assert "does not fit" in refusal(lambda: verify(rule, keys / "mine.pub"))


@SAME_FILES
@given(data=st.data())
def test_any_changed_byte_of_the_signature_is_noticed(rule, keys, data):
    path = signature_path(rule)
    path.unlink()
    sign(rule, keys / "mine")
    path.write_bytes(changed(path.read_bytes(), data))
    refusal(lambda: verify(rule, keys / "mine.pub"))


def test_another_text_of_the_same_signature_is_noticed(rule, keys):
    path = signature_path(rule)
    content = json.loads(path.read_bytes())
    raw, text = base64.b64decode(content["signature"]), content["signature"]
    letters = string.ascii_letters + string.digits + "+/"
    others = (f"{text[:-3]}{last}==" for last in letters)
    other = next(one for one in others if one != text and base64.b64decode(one) == raw)
    content["signature"] = other
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
    assert "does not fit" in refusal(lambda: verify(rule, keys / "mine.pub"))


def changed(whole, data):
    """The bytes with one changed, added or everything from there on left out."""
    position = data.draw(st.integers(0, len(whole) - 1))
    how = data.draw(st.sampled_from(["flip", "add", "cut"]))
    if how == "cut":
        return whole[:position]
    if how == "add":
        return whole[:position] + data.draw(st.binary(min_size=1, max_size=1)) + whole[position:]
    flipped = bytearray(whole)
    flipped[position] ^= data.draw(st.integers(1, 255))
    return bytes(flipped)


@pytest.mark.parametrize("content", [b"", b"[]", b"7", b"{}", b"[" * 100_000, b"\xff", b'{"a":1}'])
def test_what_is_no_signature_is_refused(content, rule, keys):
    signature_path(rule).write_bytes(content)
    assert "is not a signature of schema" in refusal(lambda: verify(rule, keys / "mine.pub"))


@pytest.mark.parametrize("field", ["schema", "algorithm", "signature", "key", "sha256"])
@pytest.mark.parametrize("value", ["", "x", None, 1, "ü", "steadycut.signature/2", "AAAA"])
def test_a_field_of_another_value_is_refused(field, value, rule, keys):
    path = signature_path(rule)
    content = {**json.loads(path.read_bytes()), field: value}
    path.write_text(json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    refusal(lambda: verify(rule, keys / "mine.pub"))


# What is signed ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2\n",
        b"{}",
        b"[]",
        b'{"schema": "other/1"}',
        b"\xff",
        '{"schema": "steadycut.study/1"}'.encode("utf-16"),
        '{"schema": "steadycut.study/1"}'.encode("utf-8-sig"),
    ],
)
def test_only_files_of_steadycut_are_signed(content, tmp_path, keys):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    text = refusal(lambda: sign(path, keys / "mine"), BadRuleFile)
    assert "not a JSON file of steadycut" in text
    assert not signature_path(path).exists()


def test_a_rule_that_was_changed_is_not_signed(rule, keys):
    rule.write_bytes(rule.read_bytes().replace(b'"direction": "ge"', b'"direction": "le"'))
    assert "was changed" in refusal(lambda: sign(rule, keys / "mine"), BadRuleFile)


def test_without_the_package_it_says_what_to_install(rule, keys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cryptography.hazmat.primitives", None)
    text = refusal(lambda: sign(rule, keys / "mine"), MissingPackage)
    assert 'pip install "steadycut[sign]"' in text
    # To check a signature needs no package.
    assert verify(rule, keys / "mine.pub").algorithm == "Ed25519"


@pytest.mark.parametrize("y", [0, 1, 2**255 - 20, 2**255 - 19, 2**255 - 18, 2**255 + 1])
def test_a_key_that_protects_nothing_is_refused(tmp_path, rule, y):
    der = bytes.fromhex("302a300506032b6570032100") + y.to_bytes(32, "little")
    text = base64.b64encode(der).decode()
    weak = f"-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n"
    (tmp_path / "weak.pub").write_text(weak)
    assert "is not an Ed25519 public key" in refusal(lambda: verify(rule, tmp_path / "weak.pub"))
    with pytest.raises(rule_reader.Refused, match="is not an Ed25519 public key"):
        rule_reader.load_rule(str(rule), str(tmp_path / "weak.pub"))
