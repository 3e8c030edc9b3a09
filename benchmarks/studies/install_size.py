"""How large an environment is that holds steadycut and one of its extras.

    python benchmarks/studies/install_size.py [--name after] [--extra cli ...] [--wheel FILE]

For each extra pip installs the wheel into a fresh virtual environment, with the newest versions of
all packages. The figure is the sum of all installed files, compiled modules included, in millions
of bytes; pip itself is not in the environment. ``--name`` says under which name the figures are
stored: ``before`` are those of 16 November 2026, before the extras were made smaller.
``--wheel`` takes a wheel that was built from another commit.
"""

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import venv
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
RESULTS = HERE / "benchmarks" / "results" / "install_size.json"
NONE = "none"
EXTRAS = (
    *(NONE, "cli", "app", "duckdb", "frames", "sklearn", "plot", "report", "sign", "excel"),
    *("arrow", "all", "anndata", "stats", "ecg", "pathology", "onnx", "spark"),
)
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


def build_wheel(folder):
    subprocess.run([*PIP, "wheel", "--no-deps", "--wheel-dir", folder, HERE], check=True)
    return next(Path(folder).glob("*.whl"))


def measure(wheel, extra):
    """Install one extra; return the size in millions of bytes and the names of the packages."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=False)
        python = Path(folder) / "bin" / "python"
        wanted = str(wheel) if extra == NONE else f"{wheel}[{extra}]"
        subprocess.run([*PIP, "--python", python, "install", wanted], check=True)
        place = next(Path(folder).glob("lib/python*/site-packages"))
        size = sum(f.lstat().st_size for f in place.rglob("*") if not f.is_dir())
        names = sorted(f.name.split("-")[0].lower() for f in place.glob("*.dist-info"))
    return round(size / 1e6), names


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--name", choices=("before", "after"), default="after")
    parser.add_argument("--extra", nargs="+", choices=EXTRAS, default=EXTRAS)
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    stored = json.loads(given.out.read_text("utf-8")) if given.out.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        wheel = (given.wheel or build_wheel(folder)).resolve()
        found = stored.setdefault(given.name, {"megabytes": {}, "packages": {}})
        found |= {"date": f"{datetime.now(UTC):%Y-%m-%d}", "python": platform.python_version()}
        for extra in given.extra:
            size, names = measure(wheel, extra)
            found["megabytes"][extra], found["packages"][extra] = size, names
            print(f"{given.name} {extra:10} {size:5} MB {len(names):3} packages", flush=True)
            given.out.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
