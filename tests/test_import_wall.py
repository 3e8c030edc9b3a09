"""The import wall holds, can fail, and is true of what Python really loads."""

import json
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
SCRIPT = REPOSITORY / "scripts" / "check_imports.py"

OPTIONAL = {
    *("pandas", "polars", "pyarrow", "duckdb", "narwhals", "anndata", "pyspark"),
    *("sklearn", "joblib", "statsmodels", "onnxruntime", "openslide", "wfdb", "cryptography"),
    *("matplotlib", "jinja2", "typer", "click", "rich", "jsonschema"),
}
# scipy loads numpy's f2py, and that loads charset_normalizer where it happens to be installed.
BASE = {"numpy", "scipy", "steadycut", "charset_normalizer"}
# What documents are made of, and what it brings along.
DOCUMENTS = {
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "typing_extensions",
    "typing_inspection",
}


def run_wall(*arguments):
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write_package(root, files):
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def modules_loaded_by(statement):
    """Names that a statement adds to ``sys.modules`` of a fresh interpreter."""
    code = (
        "import json, sys\n"
        f"sys.path.insert(0, {str(REPOSITORY / 'src')!r})\n"
        "before = set(sys.modules)\n"
        f"{statement}\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def packages_loaded_by(statement):
    """The first parts of these names."""
    return {name.partition(".")[0] for name in modules_loaded_by(statement)}


def test_the_repository_keeps_the_wall():
    done = run_wall()
    assert done.stdout == ""
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("core/bootstrap/draws.py", "import pandas\n", "not pandas"),
        ("core/bootstrap/draws.py", "def f():\n    import pandas\n", "not pandas"),
        (
            "core/bootstrap/draws.py",
            "from importlib import import_module\nimport_module('duckdb')\n",
            "not duckdb",
        ),
        (
            "core/bootstrap/draws.py",
            "from steadycut.study.fit import fit\n",
            "core may not import steadycut.study.fit",
        ),
        (
            "core/bootstrap/draws.py",
            "from steadycut import show\n",
            "core may not import steadycut.show",
        ),
        (
            "core/bootstrap/draws.py",
            "from steadycut._version import __version__\n",
            "core may not import",
        ),
        ("core/bootstrap/draws.py", "import steadycut\n", "core may not import steadycut"),
        ("core/bootstrap/draws.py", "from .checks import x\n", "relative import"),
        (
            "ingest/sources/frames.py",
            "from steadycut.show.figures import data\n",
            "ingest may not import",
        ),
        ("study/fit.py", "def f():\n    from steadycut.cli import main\n", "study may not import"),
        ("show/data.py", "from steadycut.cli import main\n", "show may not import"),
        ("estimators/a.py", "from steadycut.cli.main import main\n", "estimators may not import"),
        ("__init__.py", "from steadycut.estimators import a\n", "__init__ may not import"),
        ("ingest/sources/a.py", "import duckdb\n", "import duckdb inside the function"),
        ("study/fit.py", "import sklearn\n", "only estimators/ may"),
        (
            "study/fit.py",
            "try:\n    import pandas as pd\nexcept ImportError:\n    pd = None\n",
            "pandas",
        ),
        ("study/describe.py", "import pydantic\n", "only documents/ may"),
        ("summary.py", "import math\n", "summary has no place in the house"),
        ("core/rule.py", "import pydantic\n", "not pydantic"),
        ("show/render/html.py", "import jinja2\n", "no file may at the top"),
        ("cli/main.py", "import some_new_package\n", "import some_new_package inside"),
        ("cli/main.py", "from paper.table import METHODS\n", "may not import paper"),
        ("__init__.py", "def f():\n    import paper.table\n", "may not import paper"),
        ("documents/a.py", "import sys\nsys.modules['steadycut'].notebook\n", "behind the import"),
        ("study/a.py", "import sys\nx = sys.modules.get('steadycut.show')\n", "behind the import"),
        ("study/a.py", "import sys\nx = sys.modules[name]\n", "behind the import wall"),
        ("study/a.py", "import sys\nloaded = sys.modules\n", "behind the import wall"),
        ("study/a.py", "from sys import modules\n", "behind the import wall"),
        (
            "core/a.py",
            "from importlib import import_module\nimport_module(f'{x}.show')\n",
            "behind the import wall",
        ),
        ("core/a.py", "__import__('steady' + 'cut.show')\n", "behind the import wall"),
        (
            "study/a.py",
            "from importlib import import_module\nimport_module(f'steadycut.show.{x}')\n",
            "behind the import wall",
        ),
    ],
)
def test_the_wall_tells_a_violation(tmp_path, path, text, told):
    done = run_wall(write_package(tmp_path, {path: text}))
    assert done.returncode == 1
    (line,) = done.stdout.splitlines()
    assert line.startswith(f"steadycut/{path}:")
    assert told in line


def test_the_wall_lets_the_allowed_pass(tmp_path):
    type_only = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
    files = {
        "__init__.py": type_only + "    import steadycut.cli\n",
        "core/bootstrap/draws.py": "import math\nimport numpy as np\nfrom scipy import stats\n"
        "from steadycut.core import checks\nfrom steadycut.errors import BadOption\n",
        "ingest/sources/frames.py": type_only
        + "    import pandas\ndef f():\n    import narwhals\n",
        "study/fit.py": "from steadycut._version import __version__\nimport steadycut.core.a\n",
        "documents/rule.py": "import pydantic\n",
        "documents/shown.py": "from steadycut._renderer import renderer\n",
        "ingest/a.py": "import sys\nx = sys.modules.get('pyarrow')\ny = 'a' in sys.modules\n",
        "documents/kinds.py": "from importlib import import_module\n"
        "import_module(f'steadycut.documents.{x}')\n",
        "cli/commands.py": "from importlib import import_module\nimport_module(name)\n",
        "__main__.py": "from steadycut.cli.main import main\n",
        "estimators/a.py": "import joblib\nfrom sklearn.base import BaseEstimator\n",
        "show/data.py": "from steadycut import study\n",
        "show/pages.py": "from steadycut.show.figures import data\n",
        "cli/main.py": "import typer\nfrom click import Context\nimport steadycut\n",
    }
    done = run_wall(write_package(tmp_path, files))
    assert done.stdout == ""
    assert done.returncode == 0


def test_every_violation_has_a_line_of_its_own(tmp_path):
    done = run_wall(write_package(tmp_path, {"core/a.py": "import pandas\nimport polars\n"}))
    assert [line.split(":")[1] for line in done.stdout.splitlines()] == ["1", "2"]


def test_a_missing_folder_is_a_mistake(tmp_path):
    assert run_wall(tmp_path / "absent").returncode == 2


def test_the_measurement_sees_an_optional_package():
    assert "jsonschema" in packages_loaded_by("import jsonschema")


@pytest.mark.parametrize("module", ["steadycut", "steadycut.core"])
def test_importing_loads_only_the_base(module):
    loaded = packages_loaded_by(f"import {module}")
    assert "steadycut" in loaded
    assert loaded & OPTIONAL == set()
    installed = set(packages_distributions()) - set(sys.stdlib_module_names)
    assert loaded & installed <= BASE | DOCUMENTS


@pytest.mark.parametrize(
    "module",
    ["steadycut.study.fit", "steadycut.cli.fit", "steadycut.cli.audit", "steadycut.cli.apply"],
)
def test_starting_loads_no_slow_part_of_scipy(module):
    loaded = modules_loaded_by(f"import {module}")
    slow = {"stats", "optimize", "interpolate", "integrate", "sparse", "spatial", "linalg"}
    slow |= {"ndimage", "signal", "fft", "constants"}
    assert "scipy.special" in loaded
    assert loaded & {f"scipy.{part}" for part in slow} == set()


def test_every_module_of_the_core_loads_only_the_base():
    core = REPOSITORY / "src" / "steadycut" / "core"
    files = [f.relative_to(core).with_suffix("") for f in core.rglob("*.py")]
    names = sorted(".".join(("steadycut", "core", *f.parts)) for f in files)
    names = [name.removesuffix(".__init__") for name in names]
    assert names
    loaded = packages_loaded_by(f"import {', '.join(names)}")
    installed = set(packages_distributions()) - set(sys.stdlib_module_names)
    assert loaded & (OPTIONAL | installed) <= BASE | DOCUMENTS
