"""Tables of hostile cells: written in every format, and read plainly for comparison."""

import csv
import gzip
import io
import math

import numpy as np

from benchmarks.trust.hostile.cells import (
    IDENTIFIERS,
    LABELS,
    SCORES,
    is_identifier,
    label_of,
    may_be_refused,
    score_of,
)
from benchmarks.trust.hostile.watch import ANSWER, REFUSED, WRONG, outcome
from steadycut import aggregate

NAMES = ("p", "y", "s")
ASKED = {"patient": "p", "score": "s", "label": "y"}
SIGNS = [chr(code) for code in (*range(1, 127), 0xA0, 0xDF, 0xE9, 0x130, 0x200B, 0x3000, 0x1F642)]


# What is in a table ------------------------------------------------------------------------


def random_text(rng, longest=6):
    return "".join(rng.choice(SIGNS, int(rng.integers(1, longest))))


def draw_rows(rng):
    """Return rows of texts: mostly good ones, and in most tables a hostile cell or two."""
    n_patients = int(rng.integers(1, 6))
    names = [f"p{i}" for i in range(n_patients)]
    if rng.random() < 0.5:
        names = [
            str(rng.choice(IDENTIFIERS)) if rng.random() < 0.7 else random_text(rng) for _ in names
        ]
    labels = {name: rng.choice(["0", "1"]) for name in names}
    rows = []
    for name in names:
        rows += [
            [name, str(labels[name]), repr(round(float(rng.normal()), 3))]
            for _ in range(int(rng.integers(1, 4)))
        ]
    for _ in range(int(rng.integers(0, 3))):
        row = rows[int(rng.integers(len(rows)))]
        if rng.random() < 0.3:
            row[1] = str(rng.choice(LABELS))
        else:
            row[2] = str(rng.choice(SCORES)) if rng.random() < 0.7 else random_text(rng)
    return rows


def plain_reading(rows):
    """Return {patient: (label, mean score)}; None if the table must be refused."""
    scores, labels = {}, {}
    for name, label, score in rows:
        value, coded = score_of(score), label_of(label)
        if not is_identifier(name) or value is None or coded is None:
            return None
        if labels.setdefault(name, coded) != coded:
            return None
        scores.setdefault(name, []).append(value)
    return {name: (labels[name], math.fsum(found) / len(found)) for name, found in scores.items()}


def read(source, **how):
    """Return what steadycut makes of a table, in the form of `plain_reading`."""
    found = aggregate(source, **{**ASKED, **how})
    rows = zip(found.patients.tolist(), found.labels.tolist(), found.scores.tolist(), strict=True)
    return {name: (label, score) for name, label, score in rows}


def judge(rows, source, **how):
    """Return how reading a table ended: `WRONG` where it differs from a plain reading."""
    kind, found = outcome(lambda: read(source, **how))
    expected = plain_reading(rows)
    if kind == ANSWER and not same(found, expected):
        return WRONG, f"expected {expected}, got {found}"
    strange = any(may_be_refused(cell) for row in rows for cell in row)
    if kind == REFUSED and expected is not None and not strange:
        return WRONG, f"expected {expected}, got {found}"
    return kind, found


def same(found, expected):
    """Whether two readings agree to the last bit; -0.0 is 0.0."""
    return expected is not None and found == expected


# In which form -----------------------------------------------------------------------------


def columns_of(rows):
    return {name: [row[i] for row in rows] for i, name in enumerate(NAMES)}


def csv_text(rows, delimiter=",", ends="\n"):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, lineterminator=ends).writerows([NAMES, *rows])
    return file.getvalue()


def as_csv(rows, folder):
    return _written(folder / "t.csv", csv_text(rows).encode())


def as_windows_csv(rows, folder):
    return _written(folder / "t.csv", b"\xef\xbb\xbf" + csv_text(rows, ";", "\r\n").encode())


def as_tsv(rows, folder):
    return _written(folder / "t.tsv", csv_text(rows, "\t").encode())


def as_gzip(rows, folder):
    return _written(folder / "t.csv.gz", gzip.compress(csv_text(rows).encode(), 1))


def as_parquet(rows, folder):
    import pyarrow.parquet as pq

    pq.write_table(as_arrow(rows, folder), folder / "t.parquet")
    return folder / "t.parquet"


def as_feather(rows, folder):
    from pyarrow import feather

    feather.write_feather(as_arrow(rows, folder), str(folder / "t.feather"))
    return folder / "t.feather"


def as_arrow(rows, _folder):
    import pyarrow as pa

    return pa.table(columns_of(rows))


def as_categories(rows, _folder):
    import pandas as pd

    return pd.DataFrame(columns_of(rows), dtype="category")


def as_pandas(rows, _folder):
    import pandas as pd

    return pd.DataFrame(columns_of(rows))


def as_polars(rows, _folder):
    import polars as pl

    return pl.DataFrame(columns_of(rows))


def as_relation(rows, folder):
    import duckdb

    return duckdb.from_arrow(as_arrow(rows, folder))


def as_dict(rows, _folder):
    return columns_of(rows)


def as_structured(rows, _folder):
    return np.array([tuple(row) for row in rows], dtype=[(name, object) for name in NAMES])


def as_anndata(rows, _folder):
    import anndata
    import pandas as pd

    index = [str(i) for i in range(len(rows))]
    return anndata.AnnData(obs=pd.DataFrame(columns_of(rows), index=index))


def _written(path, content):
    path.write_bytes(content)
    return path


FORMS = {
    "CSV": as_csv,
    "CSV, semicolons, CRLF, BOM": as_windows_csv,
    "TSV": as_tsv,
    "CSV, gzipped": as_gzip,
    "Parquet": as_parquet,
    "Feather": as_feather,
    "pyarrow": as_arrow,
    "pandas": as_pandas,
    "pandas categories": as_categories,
    "polars": as_polars,
    "DuckDB relation": as_relation,
    "dict of lists": as_dict,
    "structured array": as_structured,
    "AnnData": as_anndata,
}


# Columns with types ------------------------------------------------------------------------


def draw_typed(rng):
    """Return typed columns and their plain reading: whole identifiers of any size, real scores."""
    n = int(rng.integers(1, 8))
    size = int(rng.choice([8, 31, 53, 54, 62]))
    names = [int(rng.integers(-(2**size), 2**size)) for _ in range(n)]
    names += [name + 1 for name in names[: int(rng.integers(0, 2))]]
    kind = rng.choice(["float64", "float32", "int64", "bool"])
    scores = (rng.normal(size=len(names)) * 10.0 ** rng.integers(-3, 9)).astype(kind)
    found = {}
    for name, score in zip(names, scores.tolist(), strict=True):
        found.setdefault(str(name), []).append(float(score))
    labels = [name % 2 for name in names]
    means = {name: (int(name) % 2, math.fsum(s) / len(s)) for name, s in found.items()}
    return {"p": np.array(names), "y": np.array(labels), "s": scores}, means
