"""Ask the advisory service for known weaknesses of the pinned packages.

Run as ``python scripts/audit_pins.py`` where pip-audit is installed (``make audit``). Exit code 1:
there are some, one line each. Exit code 2: the service could not be asked, or not about all.
"""

import json
import subprocess
import sys
from pathlib import Path

PINS = Path(__file__).resolve().parent.parent / "constraints.txt"
COMMAND = (
    *(sys.executable, "-m", "pip_audit", "--requirement", str(PINS), "--no-deps"),
    *("--disable-pip", "--format", "json", "--progress-spinner", "off"),
)
UNREACHED = "the advisory service could not be reached; run make audit where it can be."


def judge(answer: str) -> tuple[list[str], int]:
    """Return what to say about the answer of pip-audit, and the exit code.

    Examples
    --------
    >>> judge('{"dependencies": [{"name": "a", "version": "1", "vulns": []}]}')
    (['no known weakness in 1 pinned packages.'], 0)
    """
    try:
        packages = json.loads(answer)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return [UNREACHED], 2
    skipped = [one for one in packages if "skip_reason" in one]
    if len(skipped) == len(packages):
        return [UNREACHED], 2
    found = [
        f"{one['name']} {one['version']}: {weakness['id']}"
        f", mended in {', '.join(weakness['fix_versions']) or 'no version yet'}"
        for one in packages
        for weakness in one.get("vulns", ())
    ]
    if found:
        return found, 1
    if skipped:
        names = ", ".join(one["name"] for one in skipped)
        return [f"{len(skipped)} packages could not be looked up: {names}."], 2
    return [f"no known weakness in {len(packages)} pinned packages."], 0


def main() -> int:
    """Ask, and say what was answered."""
    answer = subprocess.run(COMMAND, capture_output=True, text=True, check=False).stdout  # noqa: S603
    lines, code = judge(answer)
    print("\n".join(lines))
    return code


if __name__ == "__main__":
    sys.exit(main())
