"""Exported programs whose texts are plain: PyTorch evaluates some of them when it loads a program.

It gives sizes to SymPy, which evaluates them, and writes the names of values into Python code. So
sizes may be numbers, symbols and functions of them, and a name is a name. Other texts, such as the
lines of code that an operation came from, are kept and never run.
"""

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SIZE = re.compile(
    r"(?:[A-Z][A-Za-z]*|[a-z]+=(?:True|False)|[a-z]+\d+|'\w+'|\d+(?:\.\d+)?|[-+*/(), ])*"
)
NAME = re.compile(r"[\w.]*")
SPEC = re.compile(r"[-\w .,:\[\]{}\"\\/]*")


def check_plain(path: Path) -> None:
    """Refuse a program with a text that could be code, by a ValueError.

    An archive with two files of one name is refused too: PyTorch may read the other one.
    """
    with zipfile.ZipFile(path) as archive:
        names = [name.casefold() for name in archive.namelist()]
        if len({*names}) < len(names):
            raise ValueError("It holds two files of one name")
        for name in archive.namelist():
            if name.casefold().endswith(".json"):
                for key, text in _texts(json.loads(archive.read(name))):
                    _check_text(key, text)


def _texts(part: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a JSON value, with the key that it or its list has."""
    if isinstance(part, str):
        yield key, part
    for name, inner in part.items() if isinstance(part, dict) else ():
        yield from _texts(inner, name)
    for inner in part if isinstance(part, list) else ():
        yield from _texts(inner, key)


def _check_text(key: str, text: str) -> None:
    plain = {"expr_str": SIZE, "in_spec": SPEC, "out_spec": SPEC}.get(key, NAME)
    known = plain is not NAME or "name" in key
    if known and not plain.fullmatch(text):
        raise ValueError(f"A text under {key!r} is not plain, and could be code")
