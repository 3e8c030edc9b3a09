"""Count how often control goes back and forth between folders while a command runs.

A crossing is one call from a function in one folder of the package to a function in another: the
frame that calls is one of the first folder, the frame that starts is one of the second. Both
directions count. What runs while a module is imported does not count, nor does a call that comes
through another package, and neither does code that pydantic or dataclasses generate. ``adaptation``
counts as a part of ``study``, which it was.

The commands run on the demo's two simulated hospitals: ``fit`` at hospital A, then ``audit`` and
``adapt`` of its rule at hospital B. Each runs once before, so that everything is imported.

Run as ``python scripts/count_crossings.py [--list]``. For each command it prints the crossings
between two folders, and the number of modules that it goes through. With ``--list`` it also prints
the calls between these folders, the most frequent first. The exit code is 1 if there are more
crossings than the limit.
"""

import functools
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType

import steadycut
from steadycut.cli.main import run
from steadycut.datasets import write_two_hospitals

ROOT = Path(steadycut.__file__).parent
COMMANDS = {
    "fit": "fit A.csv --patient patient --score score --level slide:max --label tumour --out fit",
    "audit": "audit fit/rule.json B.csv --out audit",
    "adapt": "adapt fit/rule.json B.csv --prevalence 0.3 --out adapt",
}
PAIRS = {
    "fit": ("documents", "show"),
    "audit": ("documents", "study"),
    "adapt": ("documents", "study"),
}
MOST = 30
Call = tuple[str, str]


def place_of(code: CodeType) -> str:
    """Return a function of the package as ``folder/module.py:name``; "" for everything else."""
    path = Path(code.co_filename)
    if code.co_name == "<module>" or not path.is_relative_to(ROOT):
        return ""
    return f"{path.relative_to(ROOT).as_posix()}:{code.co_qualname}"


def caller_of(frame: FrameType) -> str:
    """Return the function that calls; a property that is kept is asked for by its reader."""
    back = frame.f_back
    while back is not None and back.f_code.co_filename == functools.__file__:
        back = back.f_back
    return "" if back is None else place_of(back.f_code)


def trace(work: Callable[[], object]) -> tuple[Counter[Call], set[str]]:
    """Return the calls from function to function while something runs, and the modules."""
    calls: Counter[Call] = Counter()
    modules: set[str] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        callee = place_of(frame.f_code) if event == "call" else ""
        if callee:
            modules.add(callee.partition(":")[0])
            calls[caller_of(frame), callee] += 1

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls, modules


def folders_of(call: Call) -> Call:
    """Return the folders of caller and callee, in alphabetical order."""
    first, second = sorted(place.partition("/")[0].replace("adaptation", "study") for place in call)
    return first, second


def write_tables(folder: Path) -> None:
    """Write the simulated patients, a table for each hospital."""
    write_two_hospitals(folder / "both.csv")
    header, *rows = (folder / "both.csv").read_text(encoding="utf-8").splitlines()
    for hospital in ("A", "B"):
        lines = [header, *(row for row in rows if row.startswith(f"{hospital},"))]
        (folder / f"{hospital}.csv").write_text("\n".join(lines), encoding="utf-8")


def run_quietly(words: str) -> None:
    """Run a command in the present folder, and print nothing unless it fails."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as errors:
        code = run([*words.split(), "--overwrite"])
    if code:
        sys.exit(errors.getvalue())


def main(arguments: list[str]) -> int:
    """Trace the commands, and print what crosses between their two folders."""
    broken = 0
    with TemporaryDirectory() as folder, chdir(folder):
        write_tables(Path(folder))
        for command, words in COMMANDS.items():
            run_quietly(words)
            calls, modules = trace(functools.partial(run_quietly, words))
            pair = PAIRS[command]
            crossed = Counter({call: n for call, n in calls.items() if folders_of(call) == pair})
            above = crossed.total() > MOST
            broken += above
            line = f"{command:<7}{' and '.join(pair):<21}{crossed.total():>4}  at most {MOST}"
            print(f"{line}{'  BROKEN' if above else ''}; {len(modules)} modules")
            if above or "--list" in arguments:
                for (caller, callee), times in crossed.most_common():
                    print(f"    {times:>3}  {caller} -> {callee}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
