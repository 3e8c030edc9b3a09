"""Ctrl-C at any time, and streams that are closed or full: one line at most, and the right code.

    python -m benchmarks.trust.run interrupts [--quick] [--seed 0]

Commands get Ctrl-C, as a terminal sends it to all their processes, at a random time from 0 to 4
seconds. They must end with 130 and one line, or with their result. Python itself takes some
hundredths of a second before the first line of steadycut runs. What it prints when it is
interrupted there is not ours, and is not counted. Then commands run with stdout, stderr or both
closed, full or broken: no traceback, and nobody is blamed.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.trust.faults import ASK, write_rows
from benchmarks.trust.row import Row
from steadycut.io.early import INTERRUPTED, STOPPED

COMMAND = [sys.executable, "-m", "steadycut"]
LONGEST, PATIENCE = 4.0, 120
OURS = f"{os.sep}steadycut{os.sep}"
# What a shell does with the streams, and the exit code of a command that would end with 0 or 2.
STREAMS = {
    ">&-": (0, 2),
    "2>&-": (0, 2),
    ">&- 2>&-": (0, 2),
    "<&- >&- 2>&-": (0, 2),
    "2>/dev/full": (0, 2),
    ">/dev/full": (2, 2),
    ">/dev/full 2>/dev/full": (2, 2),
    ">/dev/full 2>&-": (2, 2),
}


def stage(*, quick, seed):
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        yield random_interrupts(10 if quick else 200, rng, folder)
        yield streams(commands(folder)[:2] if quick else commands(folder))


def commands(folder):
    """Commands that write, that print, and that are refused."""
    rows = str(write_rows(folder / "rows.csv", n_patients=400))
    out = ["--out", str(folder / "out"), "--overwrite"]
    fit = ["fit", rows, *ASK, *out]
    return [
        fit,
        ["rules"],
        [*fit, "--json", "--engine", "duckdb"],
        ["plan", "--patients", "100", "--help"],
        ["demo", "--out", str(folder / "demo")],
        ["fit", rows, "--score", "nothing", *out],
    ]


def random_interrupts(n, rng, folder):
    failures = {"tracebacks": 0, "other exit codes": 0, "more than one line": 0}
    some = commands(folder)
    for _ in range(n):
        words, seconds = some[int(rng.integers(len(some)))], float(rng.uniform(0, LONGEST))
        code, said = interrupted(words, seconds)
        lines = [line for line in said.splitlines() if ": warning: " not in line]
        # Python ends in this way if code that was compiled at run time was interrupted; to a shell
        # it is 130 too.
        code = INTERRUPTED if code == -signal.SIGINT and said.endswith(STOPPED) else code
        # Killed, or stopped with Python's own traceback, before any line of steadycut ran.
        if code in (1, -signal.SIGINT) and "steadycut: " not in said and OURS not in said:
            continue
        found = {
            "tracebacks": "Traceback" in said or "Exception ignored" in said,
            "other exit codes": code not in (0, 2, INTERRUPTED),
            "more than one line": len(lines) > 1,
        }
        for way, failed in found.items():
            failures[way] += failed
        if any(found.values()):
            print(f"{words[0]} after {seconds:.3f} s ended with {code}:\n{said}", file=sys.stderr)
    return Row(f"Ctrl-C at a random time from 0 to {LONGEST:g} s", n, failures)


def interrupted(words, seconds):
    """Start a command, press Ctrl-C after some time, and return its code and what it said."""
    with subprocess.Popen(
        [*COMMAND, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # In the background Ctrl-C is ignored, and programs pass this on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as process:
        time.sleep(seconds)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        said = process.communicate(timeout=PATIENCE)[1]
    return process.returncode, said


def streams(some):
    failures = {"other exit codes": 0, "tracebacks": 0, "wrong blame": 0}
    for words in some:
        usual = subprocess.run([*COMMAND, *words], capture_output=True, check=False).returncode
        for how, codes in STREAMS.items():
            shell = ["bash", "-c", f'"$@" {how}', "-", *COMMAND, *words]
            ran = subprocess.run(shell, capture_output=True, text=True, check=False)
            failures["other exit codes"] += ran.returncode != codes[usual == 2]
            failures["tracebacks"] += "Traceback" in ran.stderr or "Exception" in ran.stderr
            failures["wrong blame"] += "fault of steadycut" in ran.stderr
    return Row("streams that are closed or full", len(some) * len(STREAMS), failures)
