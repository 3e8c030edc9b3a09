"""The log of runs (``--log FILE``): one line per run, as JSON, without any patient.

A line has the time, the command, versions, the hash of the rule, warnings, the error and the exit
code. Options and paths are not written, because a path may name a patient.
"""

import json
import platform
import re
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from steadycut.errors import BadOption, kind_of, refusing
from steadycut.io import files

PATH = re.compile(r"'[^']*[/\\][^']*'|\S*[/\\]\S*")


@dataclass(slots=True, kw_only=True)
class Run:
    """What is known of a run; ``path`` is the log, if one was asked for; ``version`` is ours.

    With ``brief`` a line has the kinds of warnings and of the error only: texts may hold counts.
    ``names`` are the files that were typed; like every path they are not written. In a run
    ``by_app``, errors keep the marks of options, which the app spells. ``context`` is what was
    typed, as typer holds it.
    """

    path: Path | None = None
    version: str = ""
    command: str = ""
    rule_sha256: str | None = None
    warnings: list[str] = field(default_factory=list)
    error: str | None = None
    error_kind: str | None = None
    brief: bool = False
    names: tuple[str, ...] = ()
    by_app: bool = False
    context: Any = None

    def line(self, exit_code: int) -> str:
        """Return the line of the log."""
        content = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": self.command,
            "versions": {
                "steadycut": self.version,
                "numpy": version("numpy"),
                "python": platform.python_version(),
            },
            "rule_sha256": self.rule_sha256,
            "warnings": [self._plain(warning, kind_of(warning)) for warning in self.warnings],
            "error": self.error and self._plain(self.error, self.error_kind),
            "exit_code": exit_code,
        }
        return json.dumps(content, ensure_ascii=False) + "\n"

    def _plain(self, text: str, kind: str | None) -> str | None:
        """Return the kind of a text, or the text without any path."""
        for name in sorted(self.names, key=len, reverse=True):
            text = text.replace(name, "FILE")
        return kind if self.brief else PATH.sub("FILE", text)

    def write(self, exit_code: int) -> None:
        """Append the line, if a log was asked for; lines of several runs do not mix."""
        if self.path is not None:
            with files.open_plain(self.path, "ab") as file:
                file.write(self.line(exit_code).encode())


_RUN: ContextVar[Run] = ContextVar("run")


def begin_run(version: str = "") -> Run:
    """Forget the last run, and return a new one, by this version of steadycut."""
    run = Run(version=version)
    files.RESERVED.set(None)
    _RUN.set(run)
    return run


def this_run() -> Run:
    """Return the run in this context."""
    return _RUN.get(None) or begin_run()


def open_log(path: Path | None, command: str, out: Path | None = None) -> None:
    """Check that the log can be written, before any work is done, and that it is a log.

    ``out`` is the file or folder of the results; the log must not take the place of one of them.
    """
    run = this_run()
    run.command = command
    if path is None:
        return
    if out is not None and _is_result(path.resolve(), out.resolve()):
        msg = f"--log {path} is the place of a result. Choose another name, such as runs.log."
        raise BadOption(msg)
    msg = f"cannot write --log {path}: {{why}}. Choose another place."
    with refusing(BadOption, msg, OSError), files.open_plain(path, "a+b") as file:
        file.seek(0)
        is_log = file.read(9) in {b"", b'{"time": '}
    if not is_log:
        msg = f"--log {path} is another file, not a log of steadycut. Choose another name."
        raise BadOption(msg)
    run.path = path
    files.reserve([path], "is the place of a result and of --log")


def _is_result(log: Path, out: Path) -> bool:
    return log == out or (log.parent == out and log.suffix.lower() in files.RESULTS)
