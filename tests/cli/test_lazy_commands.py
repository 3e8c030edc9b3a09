"""Commands are found by name, and imported only when they are called."""

import json
import subprocess
import sys

import pytest

from paper.commands.group import Targets
from steadycut.cli.commands import load
from steadycut.cli.main import Commands
from tests.cli.commands import run_command

EVERY = [*Commands.table.values(), *Targets.table.values()]
# Slow to import. A command that does not need them must not load them.
SLOW = {"pandas", "rich", "matplotlib", "duckdb", "pyarrow"}
LOADED = (
    "import json, sys; from steadycut.cli.main import run; code = run(sys.argv[1:]);"
    "names = {name.partition('.')[0] for name in sys.modules};"
    "print(json.dumps([code, sorted(names)]), file=sys.stderr)"
)


def packages_loaded_by(*arguments):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    code, names = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return set(names)


@pytest.mark.parametrize(("place", "help_"), EVERY)
def test_the_one_line_help_begins_the_docstring(place, help_):
    assert load(place).__doc__.splitlines()[0] == help_


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_and_version_load_nothing_slow(arguments):
    assert not {"numpy", "scipy", *SLOW} & packages_loaded_by(*arguments)


def test_a_command_does_not_load_what_others_need():
    assert not SLOW & packages_loaded_by("rules", "--json")


def test_a_mistyped_command_is_told_what_may_be_meant(capsys):
    ran = run_command(capsys, "fti")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "Did you mean 'fit'?" in ran.err


def test_the_package_runs_as_a_module():
    command = [sys.executable, "-m", "steadycut", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("steadycut ")
