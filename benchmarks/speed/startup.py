"""What it costs to start steadycut: its help, its import, and a default fit from the shell.

    python benchmarks/speed/startup.py [--runs 15] [--other CHECKOUT] [--out FILE]

Each run is a new process. All commands take turns, so that whatever else the machine does falls on
all of them. The figure is the CPU time of the process (user and system), the median over the runs.
``--other`` is another checkout of this repository, to compare with; PYTHONPATH chooses the tree.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from steadycut.datasets import write_two_hospitals

HERE = Path(__file__).resolve().parents[2]
RESULTS = HERE / "benchmarks" / "results" / "startup.json"
COMMAND = "from steadycut.cli.main import main; main()"
FIT = (
    "fit {folder}/two_hospitals.csv --patient patient --score score --label tumour "
    "--out {folder}/{tree}"
)
HELP, DEFAULT_FIT = "steadycut --help", "steadycut fit, demo table"
# The import loads public names when they are used; the second form loads what a fit needs.
IMPORT, IMPORT_FIT = "import steadycut", "from steadycut import fit"
SKLEARN = "import sklearn.linear_model"


def commands(tree, folder):
    """The arguments of Python for each thing that is measured in one tree."""
    fit = FIT.format(folder=folder, tree=tree).split()
    return {
        HELP: ["-c", COMMAND, "--help"],
        IMPORT: ["-c", IMPORT],
        IMPORT_FIT: ["-c", IMPORT_FIT],
        DEFAULT_FIT: ["-c", COMMAND, *fit],
    }


def cpu_seconds(arguments, environment):
    """Run Python once and return the CPU time of the process and of its children."""
    process = subprocess.Popen(
        [sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(arguments)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


def environment_of(tree):
    """The environment in which Python uses one tree, compiled, as an installed package is."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(tree / "src")}


def check_tree(tree):
    """Stop unless Python really takes steadycut from the tree, and return its commit."""
    find = [sys.executable, "-c", "import steadycut; print(steadycut.__file__)"]
    found = subprocess.run(
        find, env=environment_of(tree), capture_output=True, text=True, check=True
    )
    if not Path(found.stdout.strip()).is_relative_to(tree):
        sys.exit(f"{tree} is not used: {found.stdout.strip()}")
    git = ["git", "-c", "safe.directory=*", "-C", str(tree), "rev-parse", "--short", "HEAD"]
    return subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()


def measure(trees, runs):
    """The median CPU seconds of every command in every tree; the first round warms the caches."""
    with tempfile.TemporaryDirectory() as folder:
        write_two_hospitals(Path(folder) / "two_hospitals.csv")
        jobs = {
            (name, what): (arguments, environment_of(tree))
            for name, tree in trees.items()
            for what, arguments in commands(name, folder).items()
        }
        jobs["this", SKLEARN] = (["-c", SKLEARN], environment_of(HERE))
        seconds = {job: [] for job in jobs}
        for _ in range(runs + 1):
            for job, (arguments, environment) in jobs.items():
                seconds[job].append(cpu_seconds(arguments, environment))
    return {job: statistics.median(taken[1:]) for job, taken in seconds.items()}


def ratios_of(medians):
    """This tree against scikit-learn and, where there is one, against the other tree."""
    ratios = {
        f"{what} / {SKLEARN}": medians["this", what] / medians["this", SKLEARN]
        for what in (IMPORT, IMPORT_FIT)
    }
    for what in (HELP, IMPORT, IMPORT_FIT, DEFAULT_FIT):
        if ("other", what) in medians:
            ratios[f"{what}: this / other"] = medians["this", what] / medians["other", what]
    return {name: round(ratio, 3) for name, ratio in ratios.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--other", type=Path, help="another checkout of this repository")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    trees = {"this": HERE} | ({"other": given.other.resolve()} if given.other else {})
    commits = {name: check_tree(tree) for name, tree in trees.items()}
    medians = measure(trees, given.runs)
    found = {
        "python": platform.python_version(),
        "runs": given.runs,
        "commits": commits,
        "cpu_seconds": {
            name: {what: round(s, 3) for (owner, what), s in medians.items() if owner == name}
            for name in trees
        },
        "ratios": ratios_of(medians),
    }
    given.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
