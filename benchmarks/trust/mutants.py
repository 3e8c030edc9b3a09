"""Put small faults into core, one at a time, and count those that its tests do not notice.

    python -m benchmarks.trust.mutants [--quick] [--seed 0] [--sample N] [--log FILE] [--again]
                                       [--keep] [MODULE...]

All mutants of all modules by default, about 19,000, which takes half an hour on two idle cores;
``--sample N`` takes N of them by chance, ``--quick`` the fixed few that every change meets. What is
mutated and what is not: `benchmarks/mutants/make.py`. A mutant that behaves as the original does is
equivalent: `benchmarks/mutants/equivalent.txt` lists each with its reason, and they are counted
apart.

``--log FILE`` keeps how each mutant ended. Mutants that are in it already are not run again; with
``--again`` those that nobody had noticed are, after tests were written for them. ``--keep`` writes
what was found, of all mutants or of a sample, to ``benchmarks/results/trust.json`` and
``benchmarks/notes/reliability.md``.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from scipy.stats import binomtest

from benchmarks.mutants.make import mutate
from benchmarks.trust.row import Row, show

ROOT = Path(__file__).parents[2]
CORE = Path("src/steadycut/core")
EQUIVALENT = ROOT / "benchmarks/mutants/equivalent.txt"
# What the tests of core need.
NEEDED = (
    "src",
    "tests/__init__.py",
    "tests/core",
    "tests/slow_reference",
    "tests/conftest.py",
    "scripts",
    "benchmarks/mutants",
    "pyproject.toml",
)
# The quick stage takes so many mutants of each of these modules, what a certificate rests on, and
# runs at most so many cases of each test.
QUICK, CASES = 4, 5
CERTIFYING = (
    *("aggregate/aggregators", "bounds/binomial", "bounds/buehler", "bounds/concentration"),
    *("certify", "cuts/grid", "cuts/risk_curve", "diagnose", "monitor", "rules/stable"),
    *("shift/label_shift", "split"),
)
PYTEST = (
    *(sys.executable, "-m", "pytest", "-q", "-s", "--tb=line", "-p", "no:cacheprovider"),
    *("-p", "benchmarks.mutants.run", "-m", "not slow and not validity"),
    *("--hypothesis-profile", "mutants", "--mutants", "mutants.txt"),
)
UNNOTICED = ("survived", "no test")
# A full run fails below this share; the quick one if any mutant survives.
REQUIRED = 0.99
PROCESSES = 2


def stage(*, quick, seed):
    """Return a row a module: how many mutants were tried, and how many no test noticed."""
    modules = CERTIFYING if quick else all_modules()
    return rows(outcomes(modules, quick=quick, seed=seed))


def outcomes(modules, *, quick=False, seed=0, sample=None, log=None, again=False):
    """Return how each mutant ended, by its key."""
    with tempfile.TemporaryDirectory() as temporary:
        folder, log = Path(temporary), (log or Path(temporary) / "log.txt").absolute()
        log.touch()
        mutants = choose(make_tree(folder, modules), quick=quick, sample=sample, seed=seed)
        known = {key for key, how in read_log(log).items() if not (again and how in UNNOTICED)}
        if left := [one for one in mutants if one.key not in known]:
            run(folder, left, modules if quick else (), log)
        ended = read_log(log)
    return {mutant.key: ended[mutant.key] for mutant in mutants}


def read_log(log, *, first=False):
    """Return how each mutant in a log ended, when it was run last or first."""
    lines = log.read_text().splitlines()
    pairs = (line.split("\t") for line in (reversed(lines) if first else lines))
    return {key: outcome for outcome, key in pairs}


def all_modules():
    core = ROOT / CORE
    files = (path.relative_to(core).with_suffix("") for path in core.rglob("[a-z]*.py"))
    return tuple(sorted(path.as_posix() for path in files))


def make_tree(folder, modules):
    """Copy what the tests need, put all mutants into it, and return them."""
    for name in NEEDED:
        copy(ROOT / name, folder / name)
    with ProcessPoolExecutor(PROCESSES) as pool:
        made = pool.map(mutate_file, [folder] * len(modules), modules)
        return [mutant for mutants in made for mutant in mutants]


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def mutate_file(folder, module):
    path = folder / CORE / f"{module}.py"
    code, mutants = mutate(f"steadycut.core.{module.replace('/', '.')}", path.read_text())
    path.write_text(code)
    return mutants


def choose(mutants, *, quick, sample, seed):
    """Return mutants with small hashes: an edit of one function changes only its own part."""
    ordered = sorted(mutants, key=lambda one: hashlib.sha256(f"{seed} {one.key}".encode()).digest())
    if quick:
        groups = {}
        for mutant in ordered:
            groups.setdefault(mutant.module, []).append(mutant)
        return [mutant for group in groups.values() for mutant in group[:QUICK]]
    return ordered[:sample]


def run(folder, mutants, modules, log):
    """Run the tests on each mutant, the tests of ``modules`` alone if there are any."""
    lines = "".join(f"{mutant.name}\t{mutant.key}\n" for mutant in mutants)
    (folder / "mutants.txt").write_text(lines)
    tests, sources = ["tests/core"], [str(CORE)]
    if modules:
        tests = [str(test_of(Path(name))) for name in modules]
        sources = [str(CORE / f"{name}.py") for name in modules]
    options = ["--outcomes", str(log), "--processes", str(PROCESSES)]
    options += ["--cases", str(CASES)] if modules else []
    command = [*PYTEST, *options, *tests, *sources]
    done = subprocess.run(
        command, cwd=folder, env=environment(), check=False, capture_output=True, text=True
    )
    if done.returncode:
        msg = f"The tests do not run on the mutants: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        raise RuntimeError(msg)


def test_of(module):
    return Path("tests/core") / module.parent / f"test_{module.name}.py"


def environment():
    """Return ours, with the mutated package before the installed one, and one thread a process."""
    ours = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    return {**ours, "PYTHONPATH": f"src{os.pathsep}.", "OPENBLAS_NUM_THREADS": "1"}


def rows(ended):
    """Count by module; what is listed as equivalent is not among those tried."""
    listed = equivalent()
    groups = {}
    for key, outcome in ended.items():
        groups.setdefault(key.partition(".")[0], []).append((key in listed, outcome))
    return [row(module, group) for module, group in sorted(groups.items())]


def row(module, group):
    tried = [outcome for is_listed, outcome in group if not is_listed]
    apart = len(group) - len(tried)
    what = f"mutants of core/{module}.py ({apart} equivalent)"
    return Row(what, len(tried), {"survived": sum(outcome in UNNOTICED for outcome in tried)})


def equivalent():
    """Return the keys of the mutants that no test could notice, each with its reason."""
    reasons, reason = {}, None
    for line in EQUIVALENT.read_text().splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            reasons[line] = reason
    return reasons


def unnoticed(ended):
    """Return the keys of the mutants that survived and are not listed as equivalent."""
    listed = equivalent()
    return [key for key, how in ended.items() if how in UNNOTICED and key not in listed]


def misjudged(ended):
    """Return the keys that are listed as equivalent, though a test noticed the difference."""
    return [key for key, how in ended.items() if how not in UNNOTICED and key in equivalent()]


def score_of(counted):
    """Return the share that was noticed, and its lower limit if they are a sample by chance."""
    tried = sum(one.tried for one in counted)
    noticed = tried - sum(one.failed for one in counted)
    low = binomtest(noticed, tried, alternative="greater").proportion_ci(0.95, "exact").low
    return noticed / tried, low


def keep(ended, counted, log, seed=None):
    """Store the rows of all mutants, or of a sample by ``seed``, with a note on how they ran."""
    # It imports this module.
    from benchmarks.trust.run import keep as store

    first = read_log(log, first=True)
    raw = [sum(one[key] not in UNNOTICED for key in ended) / len(ended) for one in (first, ended)]
    apart = len(ended) - sum(one.tried for one in counted)
    which = f"All {len(ended):,} mutants (`python -m benchmarks.trust.mutants --log FILE`). "
    if seed is not None:
        options = f"--sample {len(ended)} --seed {seed} --log FILE"
        which = (
            f"{len(ended):,} of all mutants by chance (`... benchmarks.trust.mutants {options}`). "
        )
    again = (
        "Tests were then written, and the others were run again (`--again`): now "
        f"{100 * raw[1]:.1f} % are. "
    )
    note = (
        f"{which}{100 * raw[0]:.1f} % were noticed at first. {again if raw[1] > raw[0] else ''}"
        f"{apart:,} are equivalent; the following figures leave them out."
    )
    if seed is not None:
        low = score_of(counted)[1]
        note += f" At least {100 * low:.1f} % of all mutants are noticed (95 % confidence)."
    store({"mutants": {"seconds": 0, "rows": [asdict(row) for row in counted], "note": note}})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    if given.keep and (given.log is None or given.quick or given.modules):
        parser.error("--keep needs --log, and mutants of all modules.")
    modules = given.modules or (CERTIFYING if given.quick else all_modules())
    asked = {name: getattr(given, name) for name in ("quick", "seed", "sample", "log", "again")}
    ended = outcomes(modules, **asked)
    counted = rows(ended)
    show(counted)
    for key in unnoticed(ended):
        print("  nobody noticed:", key)
    for key in misjudged(ended):
        print("  not equivalent:", key)
    if not (given.quick or given.sample or given.modules):
        for key in sorted(equivalent().keys() - ended.keys()):
            print("  no such mutant:", key)
    if given.keep:
        keep(ended, counted, given.log, given.seed if given.sample else None)
    score, low = score_of(counted)
    chance = f"; of a sample by chance: at least {low:.1%} of all at 95 %" if given.sample else ""
    print(f"\nNoticed: {score:.1%}{chance}")
    sys.exit(1 if score < (1 if given.quick else REQUIRED) else 0)


if __name__ == "__main__":
    main()
