"""Exchange a file for another version of it: nothing that was kept of the first may be used.

    python -m benchmarks.trust.run versions [--quick] [--seed 0]

A fit is stopped after some of its parts. Then one byte of its table is changed, and size and time
are put back, as ``rsync -t`` and ``cp -p`` do. ``fit --resume`` must refuse, or give what a fit of
the new table gives. Bytes of slides are changed in the same way, at any place: the fingerprint that
decides whether a slide is scored again must differ.
"""

import os
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np

from benchmarks.trust.faults import quiet
from benchmarks.trust.row import Row
from steadycut.ingest.engines.duckdb import DuckDBEngine
from steadycut.io.safe_csv import csv_bytes
from steadycut.pipelines.fingerprint import file_fingerprint

ASK = ("--patient", "id", "--score", "s", "--label", "y", "--bootstrap", "10", "--engine", "duckdb")
# A slide as large as this has bytes that are neither near its beginning nor near its end.
SLIDE = 3 << 20


def exchange(path, content):
    """Write other bytes, and put the time back."""
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def write_table(path, rng):
    patient = np.repeat(np.arange(40), 5)
    labels = patient % 2
    scores = [f"{score:.6f}" for score in rng.random(patient.size) + labels]
    path.write_bytes(csv_bytes({"id": [f"p{one}" for one in patient], "s": scores, "y": labels}))


def changed_digit(content, rng):
    """Change one digit behind a decimal point."""
    places = [at + 1 for at, byte in enumerate(content) if byte == ord(".")]
    at = places[int(rng.integers(len(places)))] + int(rng.integers(6))
    digit = (content[at] - ord("0") + int(rng.integers(1, 10))) % 10 + ord("0")
    return content[:at] + bytes([digit]) + content[at + 1 :]


def stopped_fit(table, out):
    """Run a fit that is interrupted in its third part."""
    original, calls = DuckDBEngine.finish, []

    def stop(self, layout, patients, advance):
        calls.append(patients)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(self, layout, patients, advance)

    with mock.patch.object(DuckDBEngine, "finish", stop):
        assert quiet(["fit", table, *ASK, "--out", out])[0] == 130


def tables(n, rng, folder):
    mixed = lost = 0
    for i in range(n):
        table, out, fresh = folder / f"{i}.csv", folder / f"out-{i}", folder / f"fresh-{i}"
        write_table(table, rng)
        with mock.patch.object(DuckDBEngine, "rows_at_once", 50):
            stopped_fit(table, out)
            if i % 2:
                exchange(table, changed_digit(table.read_bytes(), rng))
            code = quiet(["fit", table, *ASK, "--resume", "--out", out])[0]
            assert quiet(["fit", table, *ASK, "--out", fresh])[0] == 0
        rule = out / "rule.json"
        same = rule.exists() and rule.read_bytes() == (fresh / "rule.json").read_bytes()
        mixed += code == 0 and not same
        # A table that is the same must go on.
        lost += not i % 2 and not same
    what = "fits that are resumed, half of them with another table of the same size and time"
    return Row(what, n, {"mixed": mixed, "lost": lost})


def slides(n, rng, folder):
    mixed = lost = 0
    whole = rng.bytes(SLIDE)
    slide, inside = folder / "slide.mrxs", folder / "slide" / "Data.dat"
    inside.parent.mkdir()
    for path in (slide, inside):
        path.write_bytes(whole)
    first = file_fingerprint(slide)
    for _ in range(n):
        path, at = (slide, inside)[int(rng.integers(2))], int(rng.integers(SLIDE))
        changed = whole[at] ^ int(rng.integers(1, 256))
        exchange(path, whole[:at] + bytes([changed]) + whole[at + 1 :])
        mixed += file_fingerprint(slide) == first
        exchange(path, whole)
        lost += file_fingerprint(slide) != first
    what = "slides of which one byte is changed, of the same size and time"
    return Row(what, n, {"mixed": mixed, "lost": lost})


def stage(*, quick, seed):
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as place:
        yield tables(4 if quick else 100, rng, Path(place))
        yield slides(20 if quick else 2000, rng, Path(place))
