"""`pip install steadycut` alone: what it offers works, and the rest names the extra to install."""

import subprocess
import sys
import tomllib
from pathlib import Path

from tests import base_install

ROOT = Path(base_install.__file__).resolve().parents[1]


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


def test_the_base_install_does_what_it_offers():
    done = run(base_install.__file__, "--block")
    assert (done.returncode, done.stdout) == (0, "The base install does what it offers.\n"), (
        done.stderr
    )


def test_nothing_else_is_offered_than_what_is_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {line.partition(">")[0] for line in project["dependencies"]}
    assert needed == {"numpy", "scipy", "pydantic", "filelock"}
    assert needed < base_install.OFFERED


def test_the_command_is_the_one_of_the_module():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"steadycut": "steadycut.__main__:main"}
    done = run("-m", "steadycut", "--version")
    assert (done.returncode, done.stdout.split()[0]) == (0, "steadycut")
