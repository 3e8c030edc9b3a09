"""Recognise patients without naming them, by salted hashes of their identifiers.

Anybody who can guess an identifier can test it. With a secret key this is impossible. Without a key
the hash is only slow to compute, which does not protect short numbers.
"""

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from steadycut.core.checks import refuse
from steadycut.core.records import PatientScores
from steadycut.documents.parts import Hash, Part
from steadycut.errors import BadOption, BadPatients, argument

KEYED: Literal["hmac-sha256"] = "hmac-sha256"
SLOW: Literal["pbkdf2-sha256"] = "pbkdf2-sha256"
# Half a millisecond per patient: a million identifiers can still be tried in nine minutes.
ROUNDS = 1000
LENGTH = 16
SHORTEST_KEY = 16
WHOLE = re.compile(r"([0-9]+)\.0+")


class Remembered(Part):
    """Hashes of identifiers, ascending, with what they were made by.

    ``key_check`` tells whether a key is the right one; None without a key.
    """

    scheme: Literal["hmac-sha256", "pbkdf2-sha256"]
    salt: Hash
    hashes: list[str]
    key_check: Hash | None = None

    @property
    def needs_key(self) -> bool:
        """Whether the key is needed to test an identifier."""
        return self.scheme == KEYED

    def count(self, names: Iterable[str], key: bytes | None = None) -> int:
        """Count the identifiers that are remembered."""
        known = frozenset(self.hashes)
        return sum(
            hash_of(name, self.salt, key if self.needs_key else None) in known for name in names
        )

    def with_more(self, patients: PatientScores, key: bytes | None = None) -> "Remembered":
        """Return what also remembers these patients; the same where their key is not given."""
        key = key if self.needs_key else None
        if patients.patients is None or (self.needs_key and key is None):
            return self
        more = (hash_of(name, self.salt, key) for name in patients.patients.tolist())
        return self.model_copy(update={"hashes": sorted({*self.hashes, *more})})


def remember(patients: PatientScores, seed: int, key: bytes | None = None) -> Remembered:
    """Return hashes of the patients; the salt comes from them and the seed, so that it repeats.

    Examples
    --------
    >>> cohort = PatientScores(scores=[0.5, 0.7], patients=["7", "A-12"])
    >>> known = remember(cohort, seed=0, key=b"a secret of the hospital")
    >>> known.count([" 7.0", "A-13"], b"a secret of the hospital")
    1
    """
    if patients.patients is None:
        raise BadPatients("remember_patients needs patients with identifiers; these have none.")
    salt = hashlib.sha256(f"steadycut.patients {patients.fingerprint()} {seed}".encode())
    hashes = [hash_of(name, salt.hexdigest(), key) for name in patients.patients.tolist()]
    return Remembered(
        scheme=SLOW if key is None else KEYED,
        salt=salt.hexdigest(),
        hashes=sorted(hashes),
        key_check=None if key is None else check_value(salt.hexdigest(), key),
    )


def hash_of(name: str, salt: str, key: bytes | None) -> str:
    """Return the hash of one identifier: by a key if there is one, otherwise a slow one."""
    plain = plain_name(name).encode()
    if key is None:
        return hashlib.pbkdf2_hmac("sha256", plain, bytes.fromhex(salt), ROUNDS, LENGTH).hex()
    return hmac.digest(check_key(key), bytes.fromhex(salt) + plain, "sha256")[:LENGTH].hex()


def check_value(salt: str, key: bytes) -> str:
    """Return a hash that shows whether a key is the right one."""
    return hmac.digest(check_key(key), b"steadycut.key" + bytes.fromhex(salt), "sha256").hex()


def plain_name(name: str) -> str:
    """Return an identifier in one way of writing: 7, "7", " 7 " and 7.0 are the same.

    Examples
    --------
    >>> [plain_name(name) for name in ("7", " 7 ", "7.0", "007", "A-7")]
    ['7', '7', '7', '007', 'A-7']
    """
    text = unicodedata.normalize("NFKC", name).strip()
    return WHOLE.sub(r"\1", text) if WHOLE.fullmatch(text) else text


def check_fits(remembered: Remembered | None, key: bytes | None) -> None:
    """Refuse a key that the rule does not need, or that is not the key of the rule."""
    if key is None:
        return
    if remembered is None or not remembered.needs_key:
        what = "its patients without a key" if remembered else "no patients"
        msg = f"{argument('key')} was given, but the rule remembers {what}. Leave it out."
        raise BadOption(msg)
    expected = remembered.key_check
    if expected is not None and expected != check_value(remembered.salt, key):
        msg = f"this is not the key the rule was made with. Give that key as {argument('key')}."
        raise BadOption(msg)


def check_key(key: bytes) -> bytes:
    """Return a key that is long enough not to be guessed."""
    if len(key) < SHORTEST_KEY:
        refuse("key", f"have at least {SHORTEST_KEY} bytes, drawn at random", len(key))
    return key
