"""``steadycut keygen``, ``sign`` and ``verify``: who signed a file; whether a chain holds."""

import os
import sys
from dataclasses import asdict
from getpass import getpass
from pathlib import Path
from typing import Annotated

from steadycut._kinds import file_names
from steadycut.adaptation.chain import read_chain
from steadycut.cli.options import AsJson, argument, option, switch
from steadycut.cli.output import refuse, show
from steadycut.documents import signature as signing
from steadycut.documents.change_plan import PLAN_FILE, PLAN_SCHEMA, RULE_FILES, VERSION_FILES
from steadycut.documents.reading import read_json
from steadycut.errors import BadRuleFile
from steadycut.show.words.adaptation import NOT_CHECKED, link_text

ENCRYPT = f"Ask for a passphrase, or take that in {signing.PASSPHRASE}."
SIGNED = f"{file_names()}; study.json, audit.json, change_plan.json."
CHAINED = "the folder of a change_plan.json, or the plan and its versions."
SignedFile = Annotated[Path, argument("RULE", SIGNED)]
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
    rule: Annotated[list[Path], argument("RULE", f"{SIGNED} Or, with --chain, {CHAINED}")],
    key: Annotated[
        Path | None, option("PUBLIC", "The public key of the person who signed.")
    ] = None,
    chain: bool = switch("--chain", "Replay all versions of a change-control plan."),
    signature: SignatureFile = None,
    as_json: AsJson = False,
) -> None:
    """Check who signed a frozen file, or whether a chain of versions holds.

    Exit code 0: the file is exactly what the owner of the key signed. With --chain: every version
    follows the plan, and the counts in the files show what it claims; with --key, the plan is
    signed too. Exit code 2: something does not hold.
    """
    if chain:
        verify_chain(rule, key, signature, as_json=as_json)
        return
    if key is None or len(rule) != 1:
        refuse("verify needs one file and --key PUBLIC; or --chain, and the files of a chain.")
    signed = signing.verify(rule[0], key, signature=signature)
    show(asdict(signed), f"{rule[0]} is what the owner of key {signed.key} signed", as_json=as_json)


def verify_chain(
    given: list[Path], key: Path | None, signature: Path | None, *, as_json: bool
) -> None:
    """Say in one line per file what holds, and refuse a chain in which something does not."""
    several = [sorted(path.iterdir()) if path.is_dir() else [path] for path in given]
    files = [file for some in several for file in some]
    plans = [file for file in files if schema_in(file) == PLAN_SCHEMA]
    if len(plans) != 1:
        refuse(f"--chain needs one {PLAN_FILE}, and found {len(plans)}. Give its folder.")
    if key is not None:
        signing.verify(plans[0], key, signature=signature)
    versions = [file for file in files if file.match(VERSION_FILES)]
    links = read_chain(plans[0], versions, [file for file in files if file.match(RULE_FILES)])
    rows = [{"name": link.name, "holds": link.holds, "text": link_text(link)} for link in links]
    fails = {True: "", False: "DOES NOT HOLD: "}
    lines = [f"{row['name']}: {fails[bool(row['holds'])]}{row['text']}" for row in rows]
    content = {"schema": "steadycut.chain/1", "files": rows}
    show(content | {"not_checked": NOT_CHECKED}, "\n".join([*lines, NOT_CHECKED]), as_json=as_json)
    for row in rows:
        if not row["holds"]:
            raise BadRuleFile(f"{row['name']} does not hold: {row['text']}")


def schema_in(path: Path) -> object:
    """Return the schema of a JSON file; None for any other file."""
    return read_json(path, "the file").get("schema") if path.suffix == ".json" else None


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
        refuse(f"--encrypt needs a passphrase: nobody is there to type it. Set {variable}.")
    typed = getpass("Passphrase: ")
    if not typed or typed != getpass("Again: "):
        refuse("the passphrase must not be empty, and the same both times. Try again.")
    return typed
