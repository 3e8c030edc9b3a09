"""A CSV file of several times the memory limit, aggregated within the limit.

    python -m benchmarks.speed.aggregate.larger_than_memory --rows 1e8 --memory 512MiB

The table is that of `run.py`, as text, in a temporary folder. steadycut runs in a process of its
own, which tells its peak memory; DuckDB by hand, without a limit, must give the same answer.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.speed.aggregate.contenders import by_steadycut, peak_memory
from benchmarks.speed.aggregate.run import TOLERANCE, difference, write_table
from steadycut.ingest.engines.choose import parse_memory

MODULE = "benchmarks.speed.aggregate.larger_than_memory"


def main():
    options = parse()
    if options.table is not None:
        return json.dump(measure(options.table, options.memory), sys.stdout)
    with tempfile.TemporaryDirectory(prefix="steadycut-benchmark-") as folder:
        table = write_csv(Path(folder), int(float(options.rows)), options.seed)
        size, limit = table.stat().st_size, parse_memory(options.memory)
        command = [sys.executable, "-m", MODULE, "--memory", options.memory, "--table", str(table)]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(ran.stdout)
        apart = difference(found["answer"], by_hand(table))
        assert apart <= TOLERANCE, apart
    print(
        f"{size / 1e6:,.0f} MB of CSV, {size / limit:.1f} times the limit of {options.memory}: "
        f"{found['seconds']:.0f} s, peak {found['peak']:,.0f} MB, largest difference {apart:.0e}"
    )
    return None


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", default="1e8")
    parser.add_argument("--memory", default="512MiB")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--table", help=argparse.SUPPRESS)
    return parser.parse_args()


def write_csv(folder, n_rows, seed):
    import duckdb

    stored, table = write_table(folder / "rows.parquet", n_rows, seed), folder / "rows.csv"
    duckdb.execute(f"COPY (FROM '{stored}') TO '{table}' (FORMAT csv)")
    stored.unlink()
    return table


def measure(table, memory):
    began = time.perf_counter()
    answer = by_steadycut(table, memory=memory)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "peak": peak_memory(), "answer": answer}


def by_hand(table):
    import duckdb

    found = duckdb.sql(
        "SELECT patient, avg(score), max(score), quantile_cont(score, 0.9), "  # noqa: S608
        f"list_avg(max(score, 10)) FROM read_csv('{table}') GROUP BY patient ORDER BY patient"
    ).fetchall()
    return [list(column) for column in list(zip(*found, strict=True))[1:]]


if __name__ == "__main__":
    main()
