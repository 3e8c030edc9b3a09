"""What is installed works, and the rest names the extra to install."""

import importlib.metadata
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from scripts import try_package
from tests import base_install

ROOT = Path(base_install.__file__).resolve().parents[1]


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


def test_the_base_install_does_what_it_offers():
    done = run(base_install.__file__, "--block")
    assert (done.returncode, done.stdout) == (0, "This install does what it offers: no extra.\n"), (
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


def test_an_extra_counts_as_installed_with_all_its_packages(monkeypatch):
    lines = ["numpy>=1", "a>=1; extra == 'one'", "b; extra == 'one'", "c_d; extra == 'two'"]
    lines += ["steadycut[one,two]; extra == 'three'"]
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: lines)
    for present, extras in (({"a"}, set()), ({"a", "b"}, {"one"}), ({"c-d"}, {"two"})):
        monkeypatch.setattr(base_install, "distributions", lambda found=present: found)
        assert base_install.installed_extras() == extras
    monkeypatch.setattr(base_install, "distributions", lambda: {"a", "b", "c-d"})
    assert base_install.installed_extras() == {"one", "two", "three"}


@pytest.mark.parametrize(
    "text",
    [
        "A figure requires x.",
        'A figure requires x. Install it with pip install "steadycut[plot]".\nMore.',
        'A figure requires x. Install it with pip install "steadycut[sign]".',
    ],
)
def test_a_refusal_must_be_one_line_that_names_the_extra(text):
    good = 'A figure requires x. Install it with pip install "steadycut[plot]".'
    base_install.check_refused("a figure", good, ("plot",), set())
    with pytest.raises(AssertionError):
        base_install.check_refused("a figure", text, ("plot",), set())
    with pytest.raises(AssertionError):
        base_install.check_refused("a figure", good, ("plot",), {"plot"})


def test_an_environment_of_links_has_the_packages_of_its_extras(tmp_path):
    place = tmp_path / "whole" / "lib" / "python3" / "site-packages"
    needs = {
        "steadycut": ['x-y; extra == "x"', 'steadycut[x]; extra == "z"'],
        "x_y": ["w", 'v; extra == "a-b"'],
        "w": [],
        "v": [],
    }
    for name, lines in needs.items():
        folder = place / f"{name}-1.dist-info"
        folder.mkdir(parents=True)
        (place / f"{name}.py").touch()
        (folder / "RECORD").write_text(
            f"{name}.py,,\n{folder.name}/METADATA,,\n../../bin/{name},,\n"
        )
        body = "".join(f"Requires-Dist: {line}\n" for line in lines)
        (folder / "METADATA").write_text(f"Name: {name}\nVersion: 1\n{body}")
    for extras, names in (("", {"steadycut"}), ("x", {*needs} - {"v"}), ("z", {*needs} - {"v"})):
        target = tmp_path / f"extra-{extras}" / "lib" / "python3" / "site-packages"
        target.mkdir(parents=True)
        try_package.link(place, extras, tmp_path / f"extra-{extras}")
        assert {path.stem for path in target.glob("*.py")} == names
        assert {path.name for path in target.glob("*-info")} == {f"{n}-1.dist-info" for n in names}
