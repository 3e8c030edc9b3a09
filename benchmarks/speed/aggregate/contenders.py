"""One contender, one table: seconds, peak memory and the answer, as JSON on stdout.

Libraries are loaded before the clock runs.
"""

import json
import sys
import time
from importlib import import_module
from pathlib import Path


def by_duckdb(path):
    import duckdb

    found = duckdb.sql(
        "SELECT patient, any_value(label), avg(score), max(score), quantile_cont(score, 0.9), "  # noqa: S608
        f"list_avg(max(score, 10)) FROM read_parquet('{path}') GROUP BY patient ORDER BY patient"
    ).fetchall()
    return [list(column) for column in list(zip(*found, strict=True))[2:]]


def by_steadycut(path, memory=None):
    from steadycut import aggregate

    found = aggregate(
        path,
        patient="patient",
        score="score",
        label="label",
        how=["mean", "max", "quantile:0.9", "top-k:10"],
        engine="duckdb",
        memory=memory,
    )
    return [one.scores.tolist() for one in found.values()]


def by_pandas(path):
    import pandas as pd

    frame = pd.read_parquet(path, columns=["patient", "label", "score"])
    groups = frame.groupby("patient", observed=True, sort=True)
    groups["label"].first()
    scores = groups["score"]
    top = scores.nlargest(10).groupby(level=0).mean()
    return [one.tolist() for one in (scores.mean(), scores.max(), scores.quantile(0.9), top)]


def by_polars(path):
    import polars as pl

    score = pl.col("score")
    found = (
        pl.scan_parquet(path)
        .group_by("patient")
        .agg(
            pl.col("label").first(),
            score.mean().alias("mean"),
            score.max().alias("max"),
            score.quantile(0.9, interpolation="linear").alias("quantile"),
            score.top_k(10).mean().alias("top"),
        )
        .sort("patient")
        .collect(engine="streaming")
    )
    return [found[name].to_list() for name in ("mean", "max", "quantile", "top")]


OURS = ("steadycut.ingest", "duckdb", "pyarrow")
CONTENDERS = {
    "duckdb by hand": (by_duckdb, ("duckdb",)),
    "steadycut": (by_steadycut, OURS),
    "steadycut, 512MiB": (lambda path: by_steadycut(path, memory="512MiB"), OURS),
    "polars": (by_polars, ("polars",)),
    "pandas": (by_pandas, ("pandas", "pyarrow.parquet")),
}


def main(name, path):
    compute, libraries = CONTENDERS[name]
    for library in libraries:
        import_module(library)
    began = time.perf_counter()
    answer = compute(path)
    seconds = time.perf_counter() - began
    json.dump({"seconds": seconds, "peak": peak_memory(), "answer": answer}, sys.stdout)


def peak_memory():
    """Return the most memory that this process had, in MB; getrusage counts its parent's too."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
