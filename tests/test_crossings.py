"""Control does not go back and forth between the folders that the script watches."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "count_crossings.py"


# `make check` runs the same script.
@pytest.mark.slow
def test_the_commands_keep_the_limits():
    command = [sys.executable, str(SCRIPT), "--list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines() if line[0] != " "] == [
        *("fit", "audit", "adapt")
    ]
    # Every crossing is between the two folders, in either direction.
    calls = [line.split() for line in done.stdout.splitlines() if line[0] == " "]
    assert {caller.split("/")[0] for _, caller, _, _ in calls} >= {"show", "study"}
    assert all(caller.split("/")[0] != callee.split("/")[0] for _, caller, _, callee in calls)
