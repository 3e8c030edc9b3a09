"""Uploads, and the command that runs on them in its own process.

The work is the command itself, so the app gives the same checks, texts and bytes. A process can be
stopped at any time, and all its files are in the folder of the job.
"""

import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock

from steadycut.app.fields import Filled
from steadycut.app.works import RULE, WORKS, Work
from steadycut.errors import BadOption
from steadycut.ingest.column import Column
from steadycut.ingest.request import site_hash
from steadycut.io.process import STARTED_BY_APP
from steadycut.io.progress import ALWAYS, ERASE, SETTING
from steadycut.show.words.fields import in_words

WORKER = (sys.executable, "-P", "-m", "steadycut")
SAYS = "steadycut: "
STEP = re.compile(r".*: (?P<done>\d+) of (?P<total>\d+).*")
PATIENCE = 5.0
# A command shows its progress, marks options in errors, and ends with the app.
SURROUNDINGS = {SETTING: ALWAYS, STARTED_BY_APP: "yes", "PYTHONIOENCODING": "utf-8"}
STATES = {"new": "not started", "failed": "refused"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the work is: a text, and the number of steps if it is known."""

    text: str
    done: int | None = None
    total: int | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Job:
    """One piece of work: its tables, what was filled in, and the last run of its command.

    ``known_columns`` are those that the rule names. ``known_sites`` are hashes of the sites where
    the rule was made, if it may not be judged there. ``own_tables``: its tables are those that the
    rule was made from. ``labels``: the filled-in list of patients to label, if there is one.
    ``separators`` are what divides columns in its text files. ``origin`` is the job before it.
    """

    key: str
    kind: str
    folder: Path
    tables: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    separators: str = ""
    known_columns: Mapping[str, str | None] = field(default_factory=dict)
    known_sites: frozenset[str] = frozenset()
    own_tables: bool = False
    labels: str = ""
    origin: str = ""
    filled: Filled = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    _process: subprocess.Popen[bytes] | None = None
    _cancelled: bool = False
    _lock: Lock = field(default_factory=Lock)

    @property
    def state(self) -> str:
        """``new``, ``running``, ``done``, ``failed`` or ``cancelled``."""
        if self._process is None:
            return "new"
        code = self._process.poll()
        if code is None:
            return "running"
        if self._cancelled:
            return "cancelled"
        return "failed" if code else "done"

    @property
    def state_in_words(self) -> str:
        """What the list of jobs says about its state."""
        return STATES.get(self.state, self.state)

    @property
    def work(self) -> Work:
        """What is done."""
        return WORKS[self.kind]

    @property
    def title(self) -> str:
        """What the job is called."""
        return f"{self.work.made} {', '.join(self.tables)}".strip()

    @property
    def command(self) -> str:
        """The command line that does the same work."""
        whole = [*self._whole(self.arguments), f"--out={self.work.out}"]
        return shlex.join(["steadycut", *whole])

    @property
    def rule(self) -> Path | None:
        """The rule that it made, or that it uses."""
        path = self.folder / RULE
        return self.result(RULE) or (path if path.is_file() else None)

    @property
    def page(self) -> Path | None:
        """The page of its result, if it has one."""
        return self.result(self.work.page or "")

    def result(self, name: str) -> Path | None:
        """Return one of the files that the command writes, if it is there."""
        path = self.folder / "results" / name
        there = self.state == "done" and name in self.work.results and path.is_file()
        return path if there else None

    def offered(self, column: Column) -> list[str]:
        """Return the values of a column to pick from, without sites where the rule was made."""
        return [value for value in column.shown if site_hash(value) not in self.known_sites]

    def places_of_known_columns(self) -> dict[str, list[str]]:
        """Return where the columns are that the rule names, if they are there."""
        places = {column.name: str(at) for at, column in enumerate(self.columns)}
        known = self.known_columns.items()
        return {role: [places[name]] for role, name in known if name in places}

    def numbers(self) -> bytes:
        """Return all numbers of the result, as JSON."""
        return (self.folder / "numbers").read_bytes()

    def start(self, arguments: Sequence[str]) -> None:
        """Run the command with these arguments on the tables; the old results are deleted."""
        with self._lock:
            if self.state == "running":
                msg = "this table is being worked on; wait until that is done, or cancel it."
                raise BadOption(msg)
            self._cancelled, self.arguments = False, tuple(arguments)
            results, out = self.folder / "results", self.work.out
            shutil.rmtree(results, ignore_errors=True)
            results.mkdir()
            place = f"results/{out}" if out in self.work.results else "results"
            self._process = self._spawn([*self._whole(arguments), f"--out={place}", "--json"])

    def cancel(self) -> None:
        """Stop the command, if it still runs."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                return
            self._cancelled = True
            self._process.terminate()
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def progress(self) -> Progress:
        """Return the last progress that the command wrote."""
        last = self._said().rpartition(ERASE)[2].strip()
        step = STEP.fullmatch(last)
        if step is None:
            return Progress(text="working")
        return Progress(text=last, done=int(step["done"]), total=int(step["total"]))

    def lines(self) -> list[str]:
        """Return what the command wrote: notes, warnings, and at the end why it refused."""
        pieces = self._said().replace(ERASE, "\n").splitlines()
        return [in_words(line.removeprefix(SAYS)) for line in pieces if line.startswith(SAYS)]

    def why_failed(self) -> str:
        """Return the line that says why the command refused."""
        assert self._process is not None  # noqa: S101
        died = (
            f"the work was stopped from outside (code {self._process.returncode}); "
            "perhaps memory was short."
        )
        return (self.lines() or [died])[-1]

    def remove(self) -> None:
        """Stop the command and delete everything."""
        self.cancel()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _whole(self, arguments: Sequence[str]) -> list[str]:
        rule = [RULE] if self.work.takes_rule else []
        labels = [f"--labels={self.labels}"] if self.labels else []
        return [self.kind, *rule, *self.tables, *labels, *arguments]

    def _said(self) -> str:
        log = self.folder / "log"
        # Reading as text would turn carriage returns into new lines.
        return log.read_bytes().decode("utf-8", "replace") if log.exists() else ""

    def _spawn(self, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
        own = self.folder / "work"
        own.mkdir(exist_ok=True)
        # Temporary files of a stopped command are deleted with the job.
        places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(own))
        said, numbers = self.folder / "log", self.folder / "numbers"
        with said.open("wb") as log, numbers.open("wb") as printed:
            return subprocess.Popen(  # noqa: S603
                [*WORKER, *arguments],
                cwd=self.folder,
                env={**os.environ, **places, **SURROUNDINGS},
                stdin=_open_while_alive(),
                stdout=printed,
                stderr=log,
            )


@cache
def _open_while_alive() -> int:
    """Return the end of a pipe that is closed when the app ends, also by a kill."""
    reading, _writing = os.pipe()
    return reading


class Jobs:
    """All jobs of a run of the app, each in its own folder inside a private folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jobs: dict[str, Job] = {}

    def __iter__(self) -> Iterator[Job]:
        return iter(list(self._jobs.values()))

    def open(self, kind: str) -> Job:
        """Start a job with an empty folder; `keep` adds it to the list."""
        key = secrets.token_urlsafe(12)
        folder = self._folder / key
        folder.mkdir(mode=0o700)
        return Job(key=key, kind=kind, folder=folder)

    def keep(self, job: Job) -> None:
        """Add a job to the list."""
        self._jobs[job.key] = job

    def find(self, key: str) -> Job | None:
        """Return a job of this run."""
        return self._jobs.get(key)

    def remove(self, job: Job) -> None:
        """Stop a job and delete it."""
        self._jobs.pop(job.key, None)
        job.remove()

    def close(self) -> None:
        """Stop all jobs and delete them."""
        for job in self:
            self.remove(job)
