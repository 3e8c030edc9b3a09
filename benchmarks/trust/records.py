"""Generated text files: every record is read once, to the last bit, or the file is refused.

    python -m benchmarks.trust.run records [--quick] [--seed 0]

Well-formed files have cells and column names with separators, quotes and line breaks of every
kind, LF, CR or CRLF at the end of lines, four separators, a byte order mark, blank lines and no
end of the last line, plain and gzipped; they must be read. Careless ones have mixed line ends,
quotes inside cells and blanks before quotes; a plain reading or a refusal is right. The records
are counted by the generator. Nine of ten files are read by the engine in memory.
"""

import csv
import gzip
import io
import math
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.trust.hostile.watch import ANSWER, REFUSED, WRONG, Tally, one_database, outcome
from steadycut.ingest.read import read_patients
from steadycut.ingest.request import Request
from steadycut.pipelines.sheet import read_records

NAMES = ("t.csv", "t.tsv", "t.csv.gz", "t.tsv.gz")
ENDS = ("\n", "\r", "\r\n")
SEPARATORS = ",;\t|"
PIECES = ("a", "b c", '"', *ENDS, ",", ";", "\t", "|", " ", "é", "'", "-0.1", "\u2028", "\x85")
QUOTING = (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC)
EACH, FEW = 2_100, 100
SCORE = Request(patient="p", scores=("s",))


def stage(*, quick, seed):
    n = FEW if quick else EACH
    with tempfile.TemporaryDirectory() as place, one_database():
        for i, (draw_some, share) in enumerate(ROWS):
            yield draw_some(n // share, np.random.default_rng([seed, i]), Path(place))


def any_text(rng, longest=5):
    return "".join(rng.choice(PIECES, int(rng.integers(0, longest))))


def draw(rng, name, longest=5):
    """Return rows of a patient, a text, a score and a text; and the lines of their file."""
    delimiter = "\t" if ".tsv" in name else str(rng.choice(list(SEPARATORS)))
    quoting = int(rng.choice(QUOTING))
    rows = [
        [f"p{i % 4}", any_text(rng, longest), round(float(rng.normal()), 3), any_text(rng, longest)]
        for i in range(int(rng.integers(1, 12)))
    ]
    header = ["p", any_text(rng, longest) + "x", "s", any_text(rng, longest) + "y"]
    # Without quotes, nobody could say which of two separators is meant.
    unclear = any(sign in name for name in header for sign in SEPARATORS)
    first = line(header, delimiter, csv.QUOTE_ALL if unclear else quoting)
    return rows, [first, *(line(row, delimiter, quoting) for row in rows)], delimiter


def line(row, delimiter, quoting):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator="\r\n").writerow(row)
    return file.getvalue().removesuffix("\r\n")


def well_formed(name, n, rng, folder):
    tally = Tally(f"records of generated files: {name[2:]}")
    for _ in range(n):
        rows, lines, _ = draw(rng, name)
        if rng.random() < 0.3:
            lines.insert(int(rng.integers(1, len(lines) + 1)), "")
        end = str(rng.choice(ENDS))
        text = end.join(lines) + (end if rng.random() < 0.8 else "")
        kind, found = judge(rng, written(folder / name, text, rng), rows)
        tally.add(WRONG if kind == REFUSED else kind, text, found)
    return tally.row()


def careless(n, rng, folder):
    """Files that no writer should write: mixed line ends, quotes inside cells or after blanks."""
    tally = Tally("records of careless files")
    for _ in range(n):
        rows, lines, delimiter = draw(rng, "t.csv", longest=2)
        for _ in range(int(rng.integers(1, 3))):
            at = int(rng.integers(1, len(lines)))
            cells = lines[at].split(delimiter)
            cells[int(rng.integers(len(cells)))] = str(rng.choice(['5" x', ' "p1"', '"p1" ', '"']))
            lines[at] = delimiter.join(cells)
        ends = list(ENDS) if rng.random() < 0.3 else [str(rng.choice(ENDS))]
        text = "".join(one + str(rng.choice(ends)) for one in lines)
        read = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        rows = [row for row in read[1:] if row]
        tally.add(*told(judge(rng, written(folder / "t.csv", text, rng), rows), text))
    return tally.row()


def sheets(n, rng, folder):
    tally = Tally("records of sheets of slides and ECGs")
    for _ in range(n):
        rows, lines, _ = draw(rng, "t.csv")
        end = str(rng.choice(ENDS))
        path = written(folder / "t.csv", end.join(lines) + end, rng)
        kind, found = outcome(lambda path=path: read_records(path, ("p", "s")))
        texts = [[cell.strip() for cell in map(str, row)] for row in rows]
        if kind == ANSWER and [list(row.values()) for row in found] != texts:
            kind = WRONG
        tally.add(kind, lines, found)
    return tally.row()


def damaged_gzip(n, rng, folder):
    """One bit of a gzipped file that unpacks to more than 16 MiB is changed."""
    tally = Tally("one wrong bit in a gzipped file of more than 16 MiB")
    scores = rng.normal(size=(40, 25_000)).round(9)
    rows = [[f"p{i}", "", score, ""] for i, row in enumerate(scores.tolist()) for score in row]
    text = "p,x,s,y\n" + "".join(f"{p},{a},{s!r},{b}\n" for p, a, s, b in rows)
    whole = gzip.compress(text.encode(), 1)
    for _ in range(n):
        damaged, at = bytearray(whole), int(rng.integers(10, len(whole)))
        damaged[at] ^= 1 << int(rng.integers(8))
        path = folder / "t.csv.gz"
        path.write_bytes(damaged)
        tally.add(*told(judge(rng, path, rows), at))
    return tally.row()


def written(path, text, rng):
    content = (b"\xef\xbb\xbf" if rng.random() < 0.2 else b"") + text.encode()
    path.write_bytes(gzip.compress(content, 1) if path.suffix == ".gz" else content)
    return path


def judge(rng, path, rows):
    """Read a file with one of the engines; compare with the rows that were written."""
    engine = "memory" if rng.random() < 0.9 else "duckdb"
    kind, found = outcome(lambda: read_patients(SCORE, str(path), engine=engine))
    if kind != ANSWER:
        return kind, found
    expected = {}
    for name, _, score, _ in rows:
        expected.setdefault(name, []).append(float(score))
    means = {name: math.fsum(some) / len(some) for name, some in expected.items()}
    patients = found.patients["s", "mean"]
    read = dict(zip(patients.patients.tolist(), patients.scores.tolist(), strict=True))
    if found.n_rows != len(rows) or read != means:
        return WRONG, f"{engine}: {len(rows)} rows became {found.n_rows}: {read} for {means}"
    return ANSWER, ""


def told(ended, about):
    kind, found = ended
    return kind, about, found


# What is tried, and in how many times fewer files.
ROWS = [
    *((partial(well_formed, name), 1) for name in NAMES),
    (careless, 1),
    (sheets, 1),
    (damaged_gzip, 100),
]
