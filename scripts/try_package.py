"""Build the wheel and the sdist, and try them outside the repository, with every light extra.

The wheel that is built from the sdist must be the same, byte for byte. With every Python from 3.11
on this machine one environment gets the wheel and all light extras. For each extra its packages are
then linked into an environment of their own, and ``tests/base_install.py`` runs there: every
command works or names the missing extra in one line.

Run as ``python scripts/try_package.py`` (``make package``).
"""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TRIAL = ROOT / "tests" / "base_install.py"
OLDEST = (3, 11)
# What the environments hold: with every Python nothing at all, the command line and all together.
ALWAYS = ("", "cli", "all")
ONCE = ("sign", "plot", "sklearn", "frames", "duckdb", "report", "excel", "arrow", "app")
# The library of a user's own frames, installed beside the extra.
FRAMES = {"frames": "pandas"}
NAME = re.compile(r"([\w.-]+)(?:\[([\w,-]+)\])?")
MARKER = re.compile(r"extra == ['\"]([\w-]+)['\"]")


def run(*command: str | Path) -> None:
    """Run a program outside the repository; stop with what it printed if it fails."""
    outside = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(  # noqa: S603
        [str(part) for part in command],
        env=outside,
        cwd=ROOT.anchor,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def pip(*arguments: str | Path) -> None:
    """Run pip."""
    run(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments)


def build(folder: Path) -> Path:
    """Return the wheel, after the one from the sdist was found to be the same."""
    pip("install", "--target", folder / "tools", "build")
    builder = (
        "import sys, runpy; sys.path.insert(0, sys.argv.pop(1)); "
        "runpy.run_module('build', run_name='__main__', alter_sys=True)"
    )
    run(sys.executable, "-c", builder, folder / "tools", "--sdist", "-o", folder, ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    pip("wheel", "--no-deps", "--wheel-dir", folder / "wheel", ROOT)
    pip("wheel", "--no-deps", "--wheel-dir", folder / "again", sdist)
    (wheel,), (again,) = (folder / "wheel").glob("*.whl"), (folder / "again").glob("*.whl")
    if contents(wheel) != contents(again):
        sys.exit("The wheel that is built from the sdist is not the one from the repository.")
    return wheel


def contents(wheel: Path) -> dict[str, bytes]:
    """Return every file of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pythons() -> Iterator[Path]:
    """Yield every Python of this machine that can be used, one of each version."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    named = [shutil.which(f"python3.{minor}") or "" for minor in range(OLDEST[1], 20)]
    seen = set()
    for path in (sys.executable, *filter(None, named), *map(str, versions.glob("*/bin/python"))):
        code = "import sys, venv; print(*sys.version_info[:2])"
        asked = subprocess.run(  # noqa: S603
            [path, "-c", code], capture_output=True, text=True, check=False
        )
        version = tuple(map(int, asked.stdout.split()))
        if asked.returncode == 0 and version >= OLDEST and version not in seen:
            seen.add(version)
            yield Path(path)


def packages(place: Path, extras: str, also: str) -> dict[str, importlib.metadata.Distribution]:
    """Return the installed packages that pip would install with some extras, by name."""
    found = {plain(one.name): one for one in importlib.metadata.distributions(path=[str(place)])}
    wanted, waiting = {}, [("steadycut", frozenset(extras.split(","))), (also, frozenset[str]())]
    while waiting:
        name, of = waiting.pop()
        if name in found and (name, of) not in wanted:
            wanted[name, of] = found[name]
            waiting += needs(found[name], of)
    return {name: one for (name, _), one in wanted.items()}


def needs(
    one: importlib.metadata.Distribution, extras: Iterable[str]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what a package requires with some of its extras."""
    for line in one.requires or ():
        marker, named = MARKER.search(line), NAME.match(line)
        if named and (marker is None or marker[1] in extras):
            yield plain(named[1]), frozenset((named[2] or "").split(","))


def plain(name: str) -> str:
    """Return the name of a package in one spelling."""
    return re.sub(r"[-_.]+", "-", name).casefold()


def link(place: Path, extras: str, folder: Path) -> Path:
    """Make an environment of links to the packages of some extras; return its Python."""
    (target,) = folder.glob("lib/python*/site-packages")
    for one in packages(place, extras, FRAMES.get(extras, "")).values():
        for top in {file.parts[0] for file in one.files or () if file.parts[0] != ".."}:
            if not (target / top).exists():
                (target / top).symlink_to(place / top)
    return folder / "bin" / "python"


def try_extra(python: Path, place: Path, extras: str, folder: Path) -> None:
    """Run the trial in an environment that has some extras only."""
    begun = time.monotonic()
    run(python, "-m", "venv", "--without-pip", folder)
    script = shutil.copy(TRIAL, folder)
    run(link(place, extras, folder), script)
    seconds = time.monotonic() - begun
    print(f"{python}: {extras or 'no extra'} ({seconds:.0f} s)", flush=True)


def try_python(python: Path, wheel: Path, folder: Path, several: Iterable[str]) -> None:
    """Install everything once, and try some extras."""
    run(python, "-m", "venv", "--without-pip", folder / "whole")
    into = ("--python", folder / "whole" / "bin" / "python", "install", "--no-compile")
    pip(*into, f"{wheel}[all]", *set(FRAMES.values()))
    (place,) = (folder / "whole").glob("lib/python*/site-packages")
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        jobs = [
            threads.submit(try_extra, python, place, extras, folder / f"extra-{number}")
            for number, extras in enumerate(several)
        ]
    for job in jobs:
        job.result()


def main() -> None:
    """Build once, and try with every Python."""
    with tempfile.TemporaryDirectory() as name:
        wheel = build(Path(name))
        for number, python in enumerate(pythons()):
            folder = Path(name) / f"python-{number}"
            folder.mkdir()
            try_python(python, wheel, folder, ALWAYS if number else (*ALWAYS, *ONCE))
            shutil.rmtree(folder)
    print("The wheel and the sdist do what they offer.")


if __name__ == "__main__":
    main()
