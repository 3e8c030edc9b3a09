"""Bytes of good files, damaged: whatever comes out, nothing may crash, and engines must agree."""

import csv
import io

from benchmarks.trust.hostile.tables import FORMS, judge, read
from benchmarks.trust.hostile.watch import ANSWER, WRONG, outcome

FILES = ("CSV", "CSV, gzipped", "Parquet", "Feather")
ROWS = [[f"p{i}", str(i % 2), str(i / 4)] for i in range(6) for _ in range(2)]
MARKS = (b"\0", b'"', b"\r", b"\n", b",", b";", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\x80")
BYTE = 256


def damage(content, rng):
    """Return bytes with one to three places changed, added, left out, doubled or cut off."""
    for _ in range(int(rng.integers(1, 4))):
        at, how = int(rng.integers(len(content) + 1)), int(rng.integers(6))
        inserted = (
            MARKS[int(rng.integers(len(MARKS)))]
            if how == 0
            else bytes([int(rng.integers(BYTE))])
            if how == 1
            else content[at : at + int(rng.integers(1, 40))]
        )
        if how < 3:
            content = content[:at] + inserted + content[at:]
        elif how == 3:
            content = content[:at] + content[at + int(rng.integers(1, 9)) :]
        elif how == 4:
            content = content[:at] + bytes([int(rng.integers(BYTE))]) + content[at + 1 :]
        elif rng.random() < 0.2:
            content = content[:at]
    return content


def judge_damaged(form, rng, folder):
    """Damage a file and read it with two engines; CSV is read plainly too where that can be."""
    path = FORMS[form](ROWS, folder)
    content = damage(path.read_bytes(), rng)
    path.write_bytes(content)
    rows = plain_rows(content) if form == "CSV" else None
    kind, found = (
        outcome(lambda: read(path, engine="memory"))
        if rows is None
        else judge(rows, path, engine="memory")
    )
    again, other = outcome(lambda: read(path, engine="duckdb"))
    if kind == ANSWER and (again, other) != (kind, found):
        kind, found = WRONG, f"memory {found}, duckdb {again} {other}"
    return (again, other) if kind == "refused" else (kind, found), content


def plain_rows(content):
    """Return the rows of a CSV file that any reader reads alike; None for one that is open."""
    text = content.decode("utf-8", "replace")
    if '"' in text or "\r" in text or "\ufffd" in text or text.count("\ufeff"):
        return None
    header, *rows = csv.reader(io.StringIO(text))
    rows = [row for row in rows if row]
    regular = header == ["p", "y", "s"] and all(len(row) == len(header) for row in rows)
    return rows if regular and rows else None
