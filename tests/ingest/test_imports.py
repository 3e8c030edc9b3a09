"""Importing the edge loads no optional package."""

import subprocess
import sys

PROGRAM = """
import sys
import steadycut.ingest, steadycut.datasets
steadycut.ingest.aggregate({"id": ["a"], "s": [0.5]}, patient="id", score="s")
print({"duckdb", "narwhals", "pandas", "polars", "pyarrow"} & set(sys.modules))
"""


def test_import_and_a_dict_need_no_optional_package():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
