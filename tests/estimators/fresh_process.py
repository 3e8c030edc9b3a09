"""Python of its own, in which scikit-learn also checks array API input."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent


def run_in_fresh_process(*arguments):
    environment = os.environ | {
        "SCIPY_ARRAY_API": "1",
        "PYTHONPATH": os.pathsep.join([str(REPOSITORY / "src"), str(HERE)]),
    }
    command = [sys.executable, "-W", "error", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
