"""Completion in a shell, by the environment variables that its script sets."""

import os
import subprocess

import pytest

from steadycut.cli import commands
from steadycut.cli.main import Commands, run
from tests.cli.commands import STEADYCUT

ASKS = "_STEADYCUT_COMPLETE"


@pytest.fixture
def completed(monkeypatch, capsys):
    """Return what bash would offer after the words of a line."""

    def complete(line):
        monkeypatch.setenv(ASKS, "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        with pytest.raises(SystemExit) as ended:
            run([])
        assert ended.value.code == 0
        return capsys.readouterr().out.split()

    return complete


def test_commands_are_completed_without_importing_one(completed, monkeypatch):
    monkeypatch.setattr(commands, "load", lambda place: pytest.fail(f"{place} was imported"))
    assert completed("steadycut ") == list(Commands.table)
    assert completed("steadycut a") == ["apply", "audit", "adapt", "app"]
    assert completed("steadycut x") == []


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("steadycut fit --del", ["--delta", "--delimiter"]),
        ("steadycut audit --no-", ["--no-label", "--no-site"]),
        ("steadycut fit --direction ", ["ge", "le"]),
        ("steadycut fit t.csv --rule you", ["youden-kernel", "youden"]),
        ("steadycut fit --label-how a", ["any"]),
    ],
)
def test_options_and_values_are_completed(completed, line, offered):
    assert completed(line) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script(shell):
    asked = {**os.environ, ASKS: f"source_{shell}"}
    ran = subprocess.run(STEADYCUT, env=asked, capture_output=True, text=True, check=True)
    assert f"complete_{shell}" in ran.stdout


def test_installing_writes_into_the_home_folder_only(tmp_path):
    # Whatever shell runs the tests.
    home = {
        **os.environ,
        "HOME": str(tmp_path),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    subprocess.run([*STEADYCUT, "--install-completion", "bash"], env=home, check=True)
    assert ASKS in (tmp_path / ".bash_completions/steadycut.sh").read_text()


@pytest.mark.parametrize("asked", ["--help", "-h"])
def test_help_says_what_completion_changes(capsys, asked):
    assert run([asked]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "complete commands: adds lines to its start file" in text
    assert run(["fit", asked]) == 0
    assert "-h, --help" in capsys.readouterr().out
