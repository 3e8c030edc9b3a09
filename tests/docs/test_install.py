"""The page about installing has every extra, with the sizes that were measured."""

import json
import re
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `?(\w+)`? \| .+ \| (\d+) \|$", re.MULTILINE)
# Its size depends on the GPU that PyTorch is built for: the page gives no number.
UNMEASURED = {"torch"}


def test_the_page_has_the_sizes_that_were_measured():
    page = (REPOSITORY / "docs" / "quickstart.md").read_text("utf-8")
    stored = json.loads((REPOSITORY / "benchmarks/results/install_size.json").read_text("utf-8"))
    rows = {extra: int(size) for extra, size in ROW.findall(page)}
    assert rows == stored["after"]["megabytes"]
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(rows) - {"none"} == set(project["optional-dependencies"]) - UNMEASURED


def test_the_command_line_is_much_smaller_than_before():
    stored = json.loads((REPOSITORY / "benchmarks/results/install_size.json").read_text("utf-8"))
    assert stored["after"]["megabytes"]["cli"] < 0.6 * stored["before"]["megabytes"]["cli"]
    heavy = {"pandas", "pyarrow", "scikit_learn", "joblib", "narwhals"}
    assert not heavy & set(stored["after"]["packages"]["cli"])
