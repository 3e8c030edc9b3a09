"""Refuse a coverage report in which core is not covered whole, or the package too little.

Lines and branches count; nothing is left out but lines that only type checkers, or only Windows,
can reach (``pyproject.toml``, and comments that say so).
"""

import json
import sys
from pathlib import Path

WHOLE_CORE = 100.0
PACKAGE = 95.0
CORE = "steadycut/core/"


def percent(summaries: list[dict[str, int]]) -> float:
    """Return the share of lines and branches that are covered.

    Examples
    --------
    >>> percent([dict(covered_lines=3, num_statements=4, covered_branches=0, num_branches=0)])
    75.0
    """
    covered = sum(one["covered_lines"] + one["covered_branches"] for one in summaries)
    return 100 * covered / sum(one["num_statements"] + one["num_branches"] for one in summaries)


def main(report: Path) -> int:
    """Say how much is covered; return 1 if that is too little."""
    files = json.loads(report.read_bytes())["files"]
    summaries = {name: file["summary"] for name, file in files.items()}
    core = percent([one for name, one in summaries.items() if CORE in name])
    whole = percent(list(summaries.values()))
    print(f"Lines and branches covered: core {core:.2f} %, whole package {whole:.2f} %.")
    return int(core < WHOLE_CORE or whole < PACKAGE)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
