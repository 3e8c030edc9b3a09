"""Promises of the repository itself: versions agree, pins are plain, no address of a registry."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import steadycut._version

REPOSITORY = Path(__file__).resolve().parent.parent

# Joined here, so that this file does not name them either.
REGISTRY_HOSTS = [
    ".".join(parts)
    for parts in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("anaconda", "org"),
        ("debian", "org"),
        ("archive", "ubuntu", "com"),
        ("npmjs", "com"),
        ("npmjs", "org"),
        ("crates", "io"),
        ("rubygems", "org"),
    ]
]
INDEX_OPTIONS = ["--" + "index-url", "--extra-" + "index-url", "--find-" + "links"]
NOT_OURS = {".git", ".venv", "demo-output", "build", "dist", "__pycache__"}


def tracked_files():
    """Files that git tracks or is about to; without git, every file that is not a product."""
    git = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others"]
    try:
        done = subprocess.run(
            [*git, "--exclude-standard"], cwd=REPOSITORY, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        found = (path for path in REPOSITORY.rglob("*") if path.is_file())
        return [p for p in found if not NOT_OURS & set(p.relative_to(REPOSITORY).parts)]
    return [p for name in done.stdout.split("\0") if name and (p := REPOSITORY / name).is_file()]


def text_of(path):
    """The text of a file, or the empty string for one that is not text."""
    content = path.read_bytes()
    return "" if b"\0" in content else content.decode("utf-8", errors="replace")


def pinned_names():
    lines = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {line.partition("==")[0].lower() for line in lines if not line.startswith("#")}


def settings():
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))


def project():
    return settings()["project"]


def groups():
    """What developers install, by group; a group that includes another one names it by a table."""
    return {
        name: [need for need in needs if isinstance(need, str)]
        for name, needs in settings()["dependency-groups"].items()
    }


@pytest.mark.parametrize("forbidden", [*REGISTRY_HOSTS, *INDEX_OPTIONS])
def test_no_file_names_a_package_registry(forbidden):
    naming = [
        p.relative_to(REPOSITORY).as_posix() for p in tracked_files() if forbidden in text_of(p)
    ]
    assert naming == []


def test_the_search_reads_the_repository():
    assert Path(__file__).resolve() in tracked_files()
    assert "tracked_files" in text_of(Path(__file__))


@pytest.mark.parametrize("name", ["constraints.txt", "constraints-oldest.txt"])
def test_constraints_are_plain_pins(name):
    lines = (REPOSITORY / name).read_text(encoding="utf-8").splitlines()
    odd = [
        line for line in lines if not re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+", line)
    ]
    assert odd == []


def test_every_direct_dependency_is_pinned():
    sets = [*project()["optional-dependencies"].values(), *groups().values()]
    wanted = [*project()["dependencies"], *(need for needs in sets for need in needs)]
    names = {re.split(r"[\[<>=!~ ;]", need)[0].lower() for need in wanted}
    assert names - {"steadycut"} <= pinned_names()


def is_release(version, bound):
    """Whether a version is the bound itself, perhaps with more digits: 4.0.0.2 for 4.0."""
    return version == bound or version.startswith(f"{bound}.")


@pytest.mark.parametrize(
    ("version", "bound", "same"),
    [
        ("1.26.0", "1.26", True),
        ("4.0.0.2", "4.0", True),
        ("1.4", "1.4", True),
        ("1.26", "1.2", False),
    ],
)
def test_a_release_is_told_from_a_later_one(version, bound, same):
    assert is_release(version, bound) is same


def test_the_oldest_versions_are_the_lower_bounds():
    """`make oldest` tests what pyproject.toml promises."""
    lines = (REPOSITORY / "constraints-oldest.txt").read_text(encoding="utf-8").splitlines()
    oldest = dict(line.split("==") for line in lines if not line.startswith("#"))
    wanted = [need for needs in project()["optional-dependencies"].values() for need in needs]
    bounds = {}
    for need in [*project()["dependencies"], *wanted]:
        name, _, bound = need.partition(">=")
        if bound:
            bounds.setdefault(name, set()).add(bound)
    assert {name: found for name, found in bounds.items() if len(found) > 1} == {}
    late = {
        name: (bound, oldest.get(name, "none"))
        for name, (bound,) in bounds.items()
        if not is_release(oldest.get(name, "none"), bound)
    }
    assert late == {}


def test_the_base_is_numpy_scipy_pydantic_and_filelock():
    names = [re.split(r"[<>=]", need)[0] for need in project()["dependencies"]]
    assert names == ["numpy", "scipy", "pydantic", "filelock"]


def test_the_citation_names_this_version():
    citation = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {steadycut._version.__version__}\n" in citation


def test_the_changelog_has_a_place_for_the_next_change():
    changelog = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changelog.count("## [Unreleased]") == 1


def test_a_command_started_by_a_test_can_be_interrupted():
    """Also when the tests run in the background, where a shell has Ctrl-C ignored."""
    code = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
