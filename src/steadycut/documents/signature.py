"""Sign files and check who signed them: Ed25519 signatures in a small file beside each.

The hash inside a frozen file reveals accidents, but anybody who edits the file can correct the
hash. A signature needs the private key. Keys are PEM files (PKCS #8 and SubjectPublicKeyInfo), and
the signature is plain Ed25519, so other tools can check it too.
"""

import base64
import hashlib
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from steadycut.documents.canonical_json import frozen_bytes, json_object, read_frozen
from steadycut.documents.change_plan import SEALED, sealed_of
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.kinds import by_schema, kind_of
from steadycut.errors import BadOption, BadRuleFile, BadSignature, refusing
from steadycut.io.files import read_or_refuse, write_atomically
from steadycut.io.packages import optional_package
from steadycut.rule_reader import PUBLIC_START, decoded, is_signed, public_key, signature_of

SCHEMA = "steadycut.signature/1"
ALGORITHM = "Ed25519"
ENDING = ".sig"
PUBLIC_ENDING = ".pub"
PASSPHRASE = "STEADYCUT_PASSPHRASE"  # noqa: S105 (a name, not a secret)
PRIVATE_MODE = 0o600
OTHERS = 0o077
# No key or signature is nearly as large, in bytes.
LARGEST = 1_000_000

FilePath = str | PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a signature file says: ``key`` is the SHA-256 of the public key, ``sha256`` the file's.

    ``signature`` is in base64.
    """

    key: str
    sha256: str
    signature: str
    schema: str = SCHEMA
    algorithm: str = ALGORITHM

    def to_bytes(self) -> bytes:
        """Return the signature file."""
        return frozen_bytes(asdict(self))


def make_key(path: FilePath, passphrase: str | None = None) -> str:
    """Make a pair of keys and return the fingerprint of the public one.

    Parameters
    ----------
    path
        Where the private key goes, readable by its owner only; the public one goes beside it, with
        ``.pub`` at its end. Neither may exist.
    passphrase
        Encrypts the private key.
    """
    ed25519, serialization = _cryptography()
    private, public = Path(path), Path(f"{os.fspath(path)}{PUBLIC_ENDING}")
    key = ed25519.Ed25519PrivateKey.generate()
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    locked = serialization.NoEncryption()
    if passphrase:
        locked = serialization.BestAvailableEncryption(passphrase.encode())
    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    _write_new(private, key.private_bytes(pem, pkcs8, locked), PRIVATE_MODE)
    try:
        _write_new(public, key.public_key().public_bytes(pem, spki), 0o666)
    except BaseException:
        private.unlink()
        raise
    return _fingerprint(key.public_key())


def sign(
    path: FilePath, key: FilePath, *, passphrase: str | None = None, out: FilePath | None = None
) -> Signature:
    """Sign a frozen file, or another JSON file of steadycut, with a private key.

    Parameters
    ----------
    path
        ``rule.json``, ``strata.json``, ``covariate.json``; also ``study.json``, ``audit.json`` and
        ``change_plan.json``.
    key
        The private key, a PEM file that only its owner can read.
    passphrase
        Of an encrypted key.
    out
        The signature file. Default: beside the file, with ``.sig`` at its end. Only an earlier
        signature is overwritten.
    """
    target = signature_path(path, out)
    written = read_frozen(path)
    _check_signable(written, str(path))
    _check_replaceable(target)
    private = _private_key(Path(key), passphrase)
    made = Signature(
        key=_fingerprint(private.public_key()),
        sha256=hashlib.sha256(written).hexdigest(),
        signature=base64.b64encode(private.sign(written)).decode(),
    )
    write_atomically(target, made.to_bytes())
    return made


def verify(path: FilePath, key: FilePath, *, signature: FilePath | None = None) -> Signature:
    """Return the signature of a file, if it is of exactly these bytes and by this key.

    To use the file afterwards call `load_verified`: what is read again may be another file.

    Parameters
    ----------
    path
        The signed file.
    key
        The public key, a PEM file.
    signature
        The signature file. Default: beside the file, with ``.sig`` at its end.

    Raises
    ------
    BadSignature
        If there is no signature, or it is of other bytes or by another key.
    """
    return _verify(read_frozen(path), path, key, signature)


def load_verified(
    path: FilePath, key: FilePath, *, signature: FilePath | None = None
) -> FrozenFile[Any]:
    """Read a frozen file once, check who signed these bytes, and return the rule in them.

    The parameters and errors are those of `verify`.
    """
    written = read_verified(path, key, signature=signature)
    return kind_of(written).from_bytes(written, str(path))


def read_verified(path: FilePath, key: FilePath, *, signature: FilePath | None = None) -> bytes:
    """Read a file once, check who signed these bytes, and return them; see `verify`."""
    written = read_frozen(path)
    _verify(written, path, key, signature)
    return written


def _verify(written: bytes, path: FilePath, key: FilePath, signature: FilePath | None) -> Signature:
    public = _public_key(Path(key))
    content = read_signature(signature_path(path, signature))
    if content.key != hashlib.sha256(public).hexdigest():
        msg = f"{path} was signed with another key than {key}; find out who signed it first."
        raise BadSignature(msg)
    signed = is_signed(public[-32:], decoded(content.signature.encode()), written)
    if content.sha256 != hashlib.sha256(written).hexdigest() or not signed:
        raise BadSignature(
            f"the signature does not fit {path}: one of them was changed after it was signed. Use "
            "the originals."
        )
    return content


def signature_path(path: FilePath, given: FilePath | None = None) -> Path:
    """Return where the signature of a file is."""
    return Path(f"{os.fspath(path)}{ENDING}" if given is None else given)


def read_signature(path: Path) -> Signature:
    """Return the content of a signature file; any other byte than `sign` writes is refused."""
    if not os.path.lexists(path):
        msg = f"there is no signature {path}. Name it, or ask for it where the file came from."
        raise BadSignature(msg)
    content = signature_of(_read(path, "the signature"))
    if not content:
        msg = f"{path} is not a signature of schema {SCHEMA}, or was changed. Use the original."
        raise BadSignature(msg)
    return Signature(**content)


def is_encrypted(key: FilePath) -> bool:
    """Whether a private key needs a passphrase."""
    return b"ENCRYPTED" in _read(Path(key), "the key")


def _check_signable(written: bytes, name: str) -> None:
    """Refuse to sign what no version of steadycut would read."""
    msg = f"{name} is not a JSON file of steadycut. Sign a rule.json, or another of its files."
    with refusing(BadRuleFile, msg, UnicodeDecodeError):
        schema = str(json_object(written.decode()).get("schema"))
    if not schema.startswith("steadycut."):
        raise BadRuleFile(msg)
    if schema == SCHEMA:
        raise BadRuleFile(f"{name} is itself a signature. Sign the file that it belongs to.")
    if (kind := by_schema(schema)) is not None:
        kind.from_bytes(written, name)
    if schema in SEALED:
        sealed_of(SEALED[schema], written, name)


def _check_replaceable(target: Path) -> None:
    """Refuse to write a signature over anything else: a key, a rule, a table."""
    if os.path.lexists(target):
        msg = f"{target} exists and is not a signature, or is damaged. Choose another name."
        with refusing(BadOption, msg, BadSignature):
            read_signature(target)


def _private_key(path: Path, passphrase: str | None) -> Any:  # noqa: ANN401
    ed25519, serialization = _cryptography()
    from cryptography.exceptions import UnsupportedAlgorithm

    pem = _read(path, "the key")
    if b"PUBLIC KEY" in pem:
        msg = f"{path} is the public key. Sign with the private one, which belongs to it."
        raise BadSignature(msg)
    if os.name == "posix" and path.stat().st_mode & OTHERS:
        msg = f"the private key {path} can be read by others. Make it yours alone: chmod 600."
        raise BadSignature(msg)
    if b"ENCRYPTED" in pem and not passphrase:
        msg = f"the private key {path} is encrypted; give its passphrase in {PASSPHRASE}."
        raise BadSignature(msg)
    secret = passphrase.encode() if passphrase and b"ENCRYPTED" in pem else None
    key = None
    with suppress(ValueError, TypeError, UnsupportedAlgorithm):
        key = serialization.load_pem_private_key(pem, secret)
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise BadSignature(
            f"{path} is not an Ed25519 private key in PEM, or its passphrase is another one. Make "
            "one with steadycut keygen."
        )
    return key


def _public_key(path: Path) -> bytes:
    """Return a public key in DER; no package is needed for it."""
    der = public_key(_read(path, "the key"))
    if not der:
        msg = f"{path} is not an Ed25519 public key in PEM. Give the one ending in {PUBLIC_ENDING}."
        raise BadSignature(msg)
    return der


def _fingerprint(public: Any) -> str:  # noqa: ANN401
    return hashlib.sha256(PUBLIC_START + public.public_bytes_raw()).hexdigest()


def _read(path: Path, what: str) -> bytes:
    return read_or_refuse(path, what, BadSignature, LARGEST)


def _write_new(path: Path, content: bytes, mode: int) -> None:
    """Write a file that is not there yet; it never has more rights than in the end."""
    made = False
    try:
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            made = True
            file.write(content)
    except FileExistsError:
        msg = f"{path} exists, and a key is never overwritten. Choose another name."
        raise BadOption(msg) from None
    except (OSError, ValueError) as error:
        if made:
            path.unlink(missing_ok=True)
        why = getattr(error, "strerror", None) or error
        raise BadOption(f"cannot write {path}: {why}. Choose another place.") from None


def _cryptography() -> tuple[Any, Any]:
    with optional_package("A signature", "cryptography", "sign"):
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    return ed25519, serialization
