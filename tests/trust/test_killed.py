"""Whatever is killed, the next run removes what it left: tables, uploads, staged files, workers."""

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks.trust.faults import ASK
from scripts.write_golden import GOLDEN, TABLE
from steadycut import __version__
from tests.app.client import FILLED
from tests.app.test_serve import browser
from tests.cli.commands import make_rows, write_rows

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
HERE = GOLDEN / __version__
COMMAND = [sys.executable, "-m", "steadycut"]
PATIENCE = 60


@pytest.fixture
def place(tmp_path):
    """The temporary folder of all runs."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def start(words, place, **more):
    return subprocess.Popen(words, env={**os.environ, "TMPDIR": str(place)}, **more)


def wait_until(holds):
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def next_run(place, tmp_path):
    """Run a small command to its end."""
    words = ["apply", HERE / "rule-ge.json", HERE / TABLE, "--out", tmp_path / "next.csv"]
    assert start([*COMMAND, *map(str, words)], place).wait(PATIENCE) == 0


def kill(process):
    process.send_signal(signal.SIGKILL)
    assert process.wait(PATIENCE) == -signal.SIGKILL


def has_ended(pid):
    """Whether a process is gone; one that nobody waits for stays as a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def children(pid):
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(word) for one in lists for word in one.read_text().split()]


def test_an_unpacked_table_goes(place, tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"secret-{i % 400},{i % 2},{x:.9f}" for i, x in enumerate(rng.normal(size=400_000))]
    text = "\n".join(["patient,label,score", *rows])
    table = tmp_path / "rows.csv.gz"
    table.write_bytes(gzip.compress(text.encode(), 1))
    process = start([*COMMAND, "fit", str(table), *ASK, "--out", str(tmp_path / "out")], place)
    wait_until(lambda: any(one.stat().st_size > 1 for one in place.rglob("*") if one.is_file()))
    kill(process)
    assert b"secret-" in b"".join(one.read_bytes() for one in place.rglob("*") if one.is_file())
    next_run(place, tmp_path)
    assert list(place.iterdir()) == []


def test_uploads_of_the_app_and_its_command_go(place, tmp_path):
    words = [*COMMAND, "app", "--no-browser"]
    process = start(words, place, stdout=subprocess.PIPE, text=True)
    table = write_rows(tmp_path / "rows.csv", make_rows()).read_bytes()
    with browser(process.stdout.readline().strip()) as client:
        answer = client.post("/fit", files={"tables": ("rows.csv", table)})
        job = answer.headers["location"]
        client.post(f"{job}/run", data={**FILLED, "bootstrap": "1000000"})
        assert client.get(f"{job}/status").json()["state"] == "running"
    started = children(process.pid)
    assert started
    kill(process)
    process.stdout.close()
    wait_until(lambda: all(map(has_ended, started)))
    assert table in [one.read_bytes() for one in place.rglob("*") if one.is_file()]
    next_run(place, tmp_path)
    assert list(place.iterdir()) == []


WORK = """
import os, sys, time
import numpy as np
from steadycut.estimators.workers import run_tasks
from steadycut.pipelines.parallel import map_in_processes

def slow(*_):
    print(os.getpid(), flush=True)
    time.sleep(600)

if sys.argv[1] == "refits":
    list(run_tasks(slow, np.zeros(1_000_000), {0: 0, 1: 1}, 2))
else:
    list(map_in_processes(slow, [1, 2], 2))
"""


@pytest.mark.parametrize("which", ["refits", "files"])
def test_workers_end_and_what_they_shared_goes(place, which):
    process = start([sys.executable, "-c", WORK, which], place, stdout=subprocess.PIPE, text=True)
    workers = [int(process.stdout.readline()) for _ in range(2)]
    kill(process)
    process.stdout.close()
    wait_until(lambda: all(map(has_ended, workers)))
    wait_until(lambda: not list(place.iterdir()))


RUN = """
import os, pathlib, signal, sys
from {module} import main
main(sys.argv[1:])
"""
KILLED_AT_THE_MOVE = RUN.replace(
    "from",
    "pathlib.Path.replace = os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\nfrom",
)


@pytest.mark.parametrize("first", ["steadycut.rule_reader", "steadycut.cli.main"])
@pytest.mark.parametrize("then", ["steadycut.rule_reader", "steadycut.cli.main"])
def test_staged_decisions_go_whoever_left_them(place, tmp_path, first, then):
    out = tmp_path / "out"
    out.mkdir()
    words = [HERE / "rule-ge.json", HERE / TABLE, "--out", out / "d.csv"]

    def run(module, code):
        more = ["apply"] if module.endswith("main") else []
        command = [sys.executable, "-c", code.format(module=module), *more, *map(str, words)]
        return start(command, place).wait(PATIENCE)

    assert run(first, KILLED_AT_THE_MOVE) == -signal.SIGKILL
    (left,) = out.iterdir()
    assert b",rule_sha256" in left.read_bytes()
    assert run(then, RUN) == 0
    assert [one.name for one in out.iterdir()] == ["d.csv"]
