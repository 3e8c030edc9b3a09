"""Rows to patients: steadycut beside DuckDB by hand, pandas and polars.

    python benchmarks/speed/aggregate/run.py --rows 1e7 1e8 --rounds 3

Tables are written with a seed into a temporary folder and removed. Every contender runs in a
process of its own, one after the other in every round, so that the load of the machine falls on
all; its peak memory is that of the process. All give mean, max, 0.9 quantile and the mean of the
ten largest scores of 5,000 patients, and the label; answers must agree within 1e-12.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RESULT = Path(__file__).parents[2] / "results" / "aggregate_speed.json"
CONTENDERS = Path(__file__).with_name("contenders.py")
PATIENTS = 5000
TOLERANCE = 1e-12


def main():
    options = parse()
    result = {"rounds": options.rounds, "seed": options.seed, "tables": {}}
    with tempfile.TemporaryDirectory(prefix="steadycut-benchmark-") as folder:
        for n_rows in (int(float(text)) for text in options.rows):
            table = write_table(Path(folder) / "rows.parquet", n_rows, options.seed)
            found = measure(table, options)
            result["tables"][str(n_rows)] = figures(table, found)
            print(json.dumps(result["tables"][str(n_rows)], indent=1), flush=True)
            table.unlink()
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", nargs="+", default=["1e7", "1e8"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--contenders",
        nargs="+",
        default=["duckdb by hand", "steadycut", "steadycut, 512MiB", "polars", "pandas"],
    )
    parser.add_argument("--out", type=Path, default=RESULT)
    return parser.parse_args()


def write_table(path, n_rows, seed):
    """Rows of all patients in no order; about 10 bytes a row."""
    import duckdb

    with duckdb.connect(config={"preserve_insertion_order": False}) as connection:
        connection.execute(
            f"COPY (SELECT 'P' || lpad((h % {PATIENTS})::VARCHAR, 6, '0') AS patient, "  # noqa: S608
            f"(h % {PATIENTS} % 3 = 0)::TINYINT AS label, "
            f"(hash(i + {seed + 1}) % 1000000007) / 1000000007.0::DOUBLE AS score "
            f"FROM (SELECT i, hash(i + {seed}) AS h FROM range({n_rows}) t(i))) "
            f"TO '{path}' (FORMAT parquet)"
        )
    return path


def measure(table, options):
    found = {name: [] for name in options.contenders}
    for _ in range(options.rounds):
        for name in options.contenders:
            found[name].append(run(name, table))
    return found


def run(name, table):
    command = [sys.executable, str(CONTENDERS), name, str(table)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        lines = ran.stderr.strip().splitlines()
        return {"failed": lines[-1] if lines else f"killed ({ran.returncode})"}
    return json.loads(ran.stdout)


def figures(table, found):
    """Return the size of the table and one row for every contender."""
    reference = found[next(iter(found))]
    size = round(table.stat().st_size / 1e6)
    rows = [{"tool": name} | row(rounds, reference) for name, rounds in found.items()]
    return {"megabytes": size, "load": load(), "rows": rows}


def row(rounds, reference):
    failed = [one["failed"] for one in rounds if "failed" in one]
    if failed:
        return {"failed": failed[0][:60]}
    pairs = zip(rounds, reference, strict=True)
    ratios = [round(one["seconds"] / base["seconds"], 2) for one, base in pairs]
    apart = difference(rounds[0]["answer"], reference[0]["answer"])
    assert apart <= TOLERANCE, apart
    return {
        "ratio": statistics.median(ratios),
        "each": ratios,
        "seconds": round(statistics.median(one["seconds"] for one in rounds), 1),
        "peak": round(max(one["peak"] for one in rounds)),
        "difference": apart,
    }


def difference(one, other):
    return max(
        abs(a - b) / max(abs(b), 1e-300)
        for mine, theirs in zip(one, other, strict=True)
        for a, b in zip(mine, theirs, strict=True)
    )


def load():
    return [round(one, 1) for one in os.getloadavg()]


if __name__ == "__main__":
    main()
