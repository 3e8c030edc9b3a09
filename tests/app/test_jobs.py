"""Work in a process of its own: states, progress, cancelling, cleaning up."""

import sys
import time

import pytest

from steadycut.app import jobs as module
from steadycut.app.jobs import Jobs
from steadycut.errors import BadOption
from steadycut.io.progress import ERASE

SLEEP = "import time\ntime.sleep(100)"
STEPS = f"""
import sys, time
sys.stderr.write({f"{ERASE}rows: 3 of 9{ERASE}rows: 6 of 9, about 2 s left"!r})
sys.stderr.flush()
time.sleep(100)
"""


@pytest.fixture
def job(tmp_path):
    jobs = Jobs(tmp_path)
    job = jobs.open("fit")
    jobs.keep(job)
    yield job
    jobs.close()
    assert list(tmp_path.iterdir()) == []


def started(job, monkeypatch, code):
    """Start a job whose work is a line of Python."""
    monkeypatch.setattr(module, "WORKER", (sys.executable, "-c", code))
    job.start([])
    return job


def until(met):
    for _ in range(1200):
        if met():
            return
        time.sleep(0.05)
    pytest.fail("waited for a minute")


def test_a_new_job_has_done_nothing(job):
    assert (job.state, job.lines(), job.progress().text) == ("new", [], "working")
    assert job.result("rule.json") is None


def test_progress_is_the_last_step(job, monkeypatch):
    started(job, monkeypatch, STEPS)
    until(lambda: job.progress().done is not None)
    found = job.progress()
    assert (found.text, found.done, found.total) == ("rows: 6 of 9, about 2 s left", 6, 9)
    assert (job.state, job.lines()) == ("running", [])


def test_cancelling_ends_the_process(job, monkeypatch):
    started(job, monkeypatch, SLEEP)
    process = job._process
    job.cancel()
    assert (job.state, process.poll() is None) == ("cancelled", False)
    job.cancel()


def test_a_process_that_does_not_listen_is_killed(job, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    deaf = "import signal, sys\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    deaf += f"sys.stderr.write('steadycut: deaf\\n')\nsys.stderr.flush()\n{SLEEP}"
    started(job, monkeypatch, deaf)
    until(job.lines)
    job.cancel()
    assert job.state == "cancelled"


def test_two_runs_at_once_are_refused(job, monkeypatch):
    started(job, monkeypatch, SLEEP)
    with pytest.raises(BadOption, match="being worked on"):
        job.start([])


def test_removing_stops_the_work(tmp_path, monkeypatch):
    jobs = Jobs(tmp_path)
    job = started(jobs.open("fit"), monkeypatch, SLEEP)
    jobs.keep(job)
    jobs.close()
    assert (job._process.poll() is None, list(tmp_path.iterdir()), list(jobs)) == (False, [], [])


def test_what_was_said_is_kept_apart_from_progress(job, monkeypatch):
    said = f"{ERASE}rows: 1 of 2{ERASE}steadycut: a note\n"
    code = f"import sys; sys.stderr.write({said!r})"
    started(job, monkeypatch, code)
    job._process.wait()
    assert (job.state, job.lines()) == ("done", ["a note"])


def test_a_refusal_is_the_last_line(job, monkeypatch):
    code = "import sys; print('steadycut: one\\nsteadycut: two', file=sys.stderr); sys.exit(2)"
    started(job, monkeypatch, code)
    job._process.wait()
    assert (job.state, job.why_failed()) == ("failed", "two")


def test_a_process_that_the_system_killed_says_so(job, monkeypatch):
    started(job, monkeypatch, SLEEP)
    job._process.kill()
    job._process.wait()
    assert (job.state, "stopped from outside (code -9)" in job.why_failed()) == ("failed", True)


def test_temporary_files_of_the_work_lie_in_its_folder(job, monkeypatch):
    code = "import sys, tempfile; print('steadycut: ' + tempfile.gettempdir(), file=sys.stderr)"
    started(job, monkeypatch, code)
    job._process.wait()
    assert job.lines() == [str(job.folder / "work")]


def test_the_folder_is_private(job):
    assert job.folder.stat().st_mode & 0o077 == 0


def test_a_command_writes_its_progress_as_on_a_terminal(job, monkeypatch):
    code = (
        "import sys; from steadycut.io.progress import *; ProgressOnStream(sys.stderr)('x', 1, 2)"
    )
    started(job, monkeypatch, code)
    job._process.wait()
    assert (job.folder / "log").read_bytes() == f"{ERASE}x: 1 of 2".encode()
