"""``steadycut keygen``, ``sign`` and ``verify``: who signed a frozen file."""

import os
import sys
from dataclasses import asdict
from getpass import getpass
from pathlib import Path
from typing import Annotated

from steadycut.cli.options import AsJson, argument, option, switch
from steadycut.cli.output import show
from steadycut.documents import signature as signing
from steadycut.errors import BadOption

ENCRYPT = f"Ask for a passphrase, or take that in {signing.PASSPHRASE}."
SignedFile = Annotated[
    Path,
    argument("RULE", "rule.json, strata.json or covariate.json; study.json, audit.json."),
]
SignatureFile = Annotated[Path | None, option("FILE", "Signature file. [default: RULE.sig]")]


def keygen_command(
    key: Path = argument("KEY", "Private key to write; KEY.pub is the public one."),
    encrypt: bool = switch("--encrypt", ENCRYPT),
    as_json: AsJson = False,
) -> None:
    """Make a pair of keys for signing.

    The keys are Ed25519 keys. Keep KEY to yourself and give KEY.pub to others.
    """
    fingerprint = signing.make_key(key, new_passphrase() if encrypt else None)
    public = f"{key}{signing.PUBLIC_ENDING}"
    content = {"private": str(key), "public": public, "key": fingerprint}
    text = f"Key {fingerprint}\nWrote {key} (keep it to yourself) and {public}"
    show(content, text, as_json=as_json)


def sign_command(
    rule: SignedFile,
    key: Annotated[Path, option("KEY", "Your private key.")],
    out: SignatureFile = None,
    as_json: AsJson = False,
) -> None:
    """Sign a frozen file with your key.

    Writes RULE.sig. The passphrase of an encrypted key is asked for, or taken from
    STEADYCUT_PASSPHRASE.
    """
    made = signing.sign(rule, key, passphrase=passphrase_of(key), out=out)
    text = f"Signed {rule} with key {made.key}\nWrote {signing.signature_path(rule, out)}"
    show(asdict(made), text, as_json=as_json)


def verify_command(
    rule: SignedFile,
    key: Annotated[Path, option("PUBLIC", "The public key of the person who signed.")],
    signature: SignatureFile = None,
    as_json: AsJson = False,
) -> None:
    """Check who signed a frozen file.

    Exit code 0: the file is exactly what the owner of the key signed. Exit code 2: it is not.
    """
    found = signing.verify(rule, key, signature=signature)
    show(asdict(found), f"{rule} is what the owner of key {found.key} signed", as_json=as_json)


def passphrase_of(key: Path) -> str | None:
    """Return the passphrase of a key; ask for it if the key needs one and a person is there."""
    given = os.environ.get(signing.PASSPHRASE)
    if given or not signing.is_encrypted(key) or not sys.stdin.isatty():
        return given
    return getpass(f"Passphrase of {key}: ")


def new_passphrase() -> str:
    """Return a passphrase from the environment, or one that was typed twice."""
    given = os.environ.get(signing.PASSPHRASE)
    if given:
        return given
    if not sys.stdin.isatty():
        variable = signing.PASSPHRASE
        msg = f"--encrypt needs a passphrase: nobody is there to type it. Set {variable}."
        raise BadOption(msg)
    typed = getpass("Passphrase: ")
    if not typed or typed != getpass("Again: "):
        msg = "the passphrase must not be empty, and the same both times. Try again."
        raise BadOption(msg)
    return typed
