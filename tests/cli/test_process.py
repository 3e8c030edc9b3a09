"""What surrounds a command: Ctrl-C at any time, closed and full streams, the app."""

import os
import signal
import subprocess
import sys
import time
import weakref

import pytest

from steadycut.cli.main import run
from steadycut.io.process import STARTED_BY_APP

COMMAND = [sys.executable, "-m", "steadycut"]
STOPPED = "steadycut: interrupted; no result was written.\n"


def ends(*words, env=None, streams=None):
    """Run a command of its own, and return its exit code, stdout and stderr."""
    command = (
        [*COMMAND, *words] if streams is None else ["bash", "-c", f'"$@" {streams}', "-", *COMMAND]
    )
    ran = subprocess.run(
        [*command, *words] if streams else command,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        # A test that runs in the background would pass on that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize(
    "then", ["import time; time.sleep(1)", "raise ImportError", "raise SystemError"]
)
@pytest.mark.parametrize("module", ["typer", "duckdb", "scipy.special"])
def test_ctrl_c_during_imports_is_one_line(tmp_path, module, then):
    place = tmp_path / "/".join(module.split("."))
    place.mkdir(parents=True)
    for package in [place, *place.parents]:
        if package == tmp_path:
            break
        (package / "__init__.py").write_text("")
    code = f"import os, signal\ntry:\n os.kill(os.getpid(), signal.SIGINT)\nfinally:\n {then}\n"
    (place / "__init__.py").write_text(code)
    (tmp_path / "t.csv").write_text("patient,score,label\na,1,1\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    names = ["--patient", "patient", "--score", "score", "--label", "label"]
    words = ["fit", str(tmp_path / "t.csv"), *names, "--out", str(tmp_path / "o")]
    assert ends(*words, env={"PYTHONPATH": path}) == (130, "", STOPPED)


def test_ctrl_c_where_python_ignores_exceptions_is_not_lost(monkeypatch, capsys):
    class Kept:
        """Something whose end a weak reference waits for."""

    def press(_):
        signal.raise_signal(signal.SIGINT)

    def fails(*_, **__):
        kept = Kept()
        watch = weakref.ref(kept, press)
        del kept
        time.sleep(20)
        return watch

    monkeypatch.setattr("steadycut.cli.main.typer.main.get_command", fails)
    before, began = signal.signal(signal.SIGINT, signal.default_int_handler), time.monotonic()
    try:
        assert run(["rules"]) == 130
        assert time.monotonic() - began < 10
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == STOPPED


@pytest.mark.parametrize(
    ("streams", "code"),
    [
        (">&-", 0),
        ("2>&-", 0),
        (">&- 2>&-", 0),
        ("2>/dev/full", 0),
        (">/dev/full", 2),
        (">/dev/full 2>/dev/full", 2),
    ],
)
@pytest.mark.parametrize(
    "words", [["--version"], ["rules"], ["rules", "--json"], ["fit", "--help"]]
)
def test_closed_and_full_streams_are_nobodys_fault(words, streams, code):
    found, out, err = ends(*words, streams=streams)
    assert found == code
    assert ">" not in streams[:1] or out == ""
    if streams == ">/dev/full":
        assert err.startswith("steadycut: cannot write to the standard output: No space left")
        assert len(err.splitlines()) == 1
    else:
        assert err == ""


def test_a_refusal_needs_no_stderr():
    assert ends("nosuch", streams="2>&-")[0] == 2
    assert ends("nosuch", streams="2>/dev/full")[0] == 2


def test_a_command_of_the_app_ends_with_the_app():
    command = [*COMMAND, "app", "--no-browser", "--port", "0"]
    env = {**os.environ, STARTED_BY_APP: "yes"}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, env=env, **pipes) as process:
        assert process.stdout.readline().startswith(b"http://")
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(20) == 130


@pytest.mark.parametrize("words", [["apply", "rule.json", "t.csv", "--out", "d.csv"], ["rules"]])
def test_too_little_address_space_is_refused_at_once(words):
    limited = ["bash", "-c", 'ulimit -v 200000; exec "$@"', "-", *COMMAND, *words]
    ran = subprocess.run(limited, capture_output=True, text=True, timeout=30, check=False)
    assert ran.returncode == 2
    assert ran.stderr.startswith("steadycut: this shell allows 195 MiB of address space; steadycut")


def test_no_memory_is_no_fault(monkeypatch, capsys):
    def fails(*_, **__):
        raise MemoryError

    monkeypatch.setattr("steadycut.cli.main.typer.main.get_command", fails)
    assert run(["rules"]) == 2
    assert capsys.readouterr().err.startswith("steadycut: there is not enough memory.")
