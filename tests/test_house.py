"""The counts of the house are right on small packages, and the house keeps its limits."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from tests.test_import_wall import write_package

REPOSITORY = Path(__file__).resolve().parent.parent
SCRIPT = REPOSITORY / "scripts" / "count_house.py"
PACKAGE = REPOSITORY / "src" / "steadycut"


@pytest.fixture(scope="module")
def house():
    """The script as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPT.parent)
        spec = spec_from_file_location("count_house", SCRIPT)
        module = module_from_spec(spec)
        patch.setitem(sys.modules, "count_house", module)
        spec.loader.exec_module(module)
        yield module


@pytest.fixture
def count(house, tmp_path):
    """Count one thing in a package that is written for it."""

    def counted(name, files):
        return house.COUNTERS[name](house.read_modules(write_package(tmp_path, files)))

    return counted


def run_script(*arguments):
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# This repository ---------------------------------------------------------------------------


def test_the_repository_keeps_the_limits(house):
    done = run_script()
    assert "BROKEN" not in done.stdout
    assert [line[:32].strip() for line in done.stdout.splitlines()] == list(house.LIMITS)
    assert done.returncode == 0


def test_every_limit_has_a_counter(house):
    assert list(house.LIMITS) == list(house.COUNTERS)


def test_every_package_lists_its_modules(house):
    assert house.wrong_lists(PACKAGE) == {}


# Import cycles -----------------------------------------------------------------------------

FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    "


@pytest.mark.parametrize(
    "back",
    [
        "from steadycut.core.a import f\n",
        "from steadycut.core import a\n",
        "import steadycut.core.a\n",
        "def g():\n    from steadycut.core.a import f\n",
        "from importlib import import_module\ndef g():\n    import_module('steadycut.core.a')\n",
        FOR_TYPES + "from steadycut.core.a import f\n",
        "try:\n    import numpy\nexcept ImportError:\n    from steadycut.core import a\n",
    ],
)
def test_a_cycle_is_found_whatever_the_import(count, back):
    files = {
        "core/__init__.py": "",
        "core/a.py": "from steadycut.core.b import g\n",
        "core/b.py": back,
        "core/c.py": "from steadycut.core import a\n",
    }
    found = count("modules in import cycles", files)
    assert found.value == 2
    assert found.found == [
        "steadycut.core.a imports steadycut.core.b",
        "steadycut.core.b imports steadycut.core.a",
    ]


def test_a_long_cycle_counts_every_module_in_it(count):
    files = {f"core/m{i}.py": f"import steadycut.core.m{(i + 1) % 5}\n" for i in range(5)}
    files |= {"core/away.py": "import steadycut.core.m0\n", "errors.py": "import math\n"}
    assert count("modules in import cycles", files).value == 5


def test_two_cycles_are_told_apart(count):
    names = {"a": "b", "b": "a", "c": "d", "d": "c a"}
    files = {
        f"core/{name}.py": "".join(f"import steadycut.core.{other}\n" for other in others.split())
        for name, others in names.items()
    }
    found = count("modules in import cycles", files)
    assert found.value == 4
    assert "steadycut.core.d imports steadycut.core.a" not in found.found
    assert len(found.found) == 4


def test_a_package_that_offers_its_modules_is_not_a_cycle(count):
    files = {
        "io/__init__.py": "from steadycut.io.files import write\n",
        "io/files.py": "from steadycut.io.safe import text\n",
        "io/safe.py": "import csv\n",
        "study/fit.py": "from steadycut.io import write\n",
    }
    assert count("modules in import cycles", files).value == 0


def test_a_module_that_imports_from_its_own_package_is_a_cycle(count):
    files = {
        "io/__init__.py": "from steadycut.io.files import write\n",
        "io/files.py": "from steadycut.io import write\n",
    }
    assert count("modules in import cycles", files).value == 2


# Folders -----------------------------------------------------------------------------------


def test_the_largest_folder_is_counted(count):
    files = {f"core/m{i}.py": "" for i in range(7)} | {"core/__init__.py": "", "io/a.py": ""}
    files |= {f"core/cuts/m{i}.py": "" for i in range(3)}
    found = count("modules in the largest folder", files)
    assert found.value == 8
    assert found.found == ["core: 8 modules", "core/cuts: 3 modules", "io: 1 modules"]


def test_modules_at_the_top_are_counted(count):
    tops = ["__init__", "__main__", "_kinds", "_renderer", "_version"]
    allowed = [*tops, "displays", "errors", "rule_reader"]
    files = {f"{name}.py": "" for name in [*allowed, "summary"]} | {"core/summary.py": ""}
    found = count("top-level modules out of place", files)
    assert found.value == 1
    assert found.found == ["summary.py belongs into a folder"]


# Untyped mappings --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("def f(x: dict[str, Any]) -> Mapping[str, Any]: ...\n", 2),
        ("def f(x: list[dict[str, Any]] | None) -> None: ...\n", 1),
        ("def f(x: typing.Mapping[str, typing.Any]) -> None: ...\n", 1),
        ("x: MutableMapping[str, Any] = {}\n", 1),
        ("Content = dict[str, Any]\ndef f(x: Content) -> None: ...\n", 2),
        ("Content: TypeAlias = dict[str, Any]\ndef f(x: Content) -> Content: ...\n", 3),
        ("from steadycut.study.fit import Summary\ndef f(x: Summary) -> None: ...\n", 1),
        ("from steadycut.study.fit import Study\ndef f(x: Study) -> None: ...\n", 0),
        ("def f(x: dict[str, str], y: dict[int, Any], z: list[Any]) -> Any: ...\n", 0),
        ('"""Not ``dict[str, Any]``."""\n', 0),
    ],
)
def test_untyped_mappings_are_counted(count, text, value):
    study = "Summary = dict[str, Any]\nclass Study:\n    content: Summary\n"
    files = {"show/sections/study.py": text, "study/fit.py": study}
    assert count("dict[str, Any] in show", files).value == value
    # The alias itself and its use; other folders do not count here.
    assert count("dict[str, Any] below show", files).value == 2


# Lazy imports ------------------------------------------------------------------------------

BY_NAME = "from importlib import import_module\nTABLE = {'x': 'steadycut.core.a'}\n"
CALL = "def f(x):\n    return import_module(TABLE[x])\n"


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("study/fit.py", "def f():\n    from steadycut.core.a import x, y\n", 1),
        ("study/fit.py", "def f():\n    from steadycut.core import a, b\n", 2),
        ("study/fit.py", "def f():\n    import steadycut.core.a\n", 1),
        ("study/fit.py", "class A:\n    def f(self):\n        import steadycut.core.a\n", 1),
        ("cli/main.py", "def f():\n    import steadycut.core.a\n", 0),
        ("cli/fit.py", "TABLE = {'x': 'steadycut.core.a:f'}\n", 1),
        ("cli/main.py", "TABLE = {'x': 'steadycut.core.a:f'}\n", 0),
        ("cli/fit.py", "TEXT = 'steadycut.core.a: a text'\n", 0),
        ("study/fit.py", "def f():\n    import pandas\n", 0),
        ("study/fit.py", "from steadycut.core import a\n", 0),
        ("study/fit.py", FOR_TYPES + "from steadycut.core import a\n", 0),
        ("study/fit.py", BY_NAME + CALL, 1),
        ("cli/main.py", BY_NAME + CALL, 0),
        ("__init__.py", BY_NAME + CALL, 0),
        ("io/optional.py", "def f(x):\n    return importlib.import_module(x)\n", 0),
        ("app/jobs.py", "COMMAND = ['python', '-m', 'steadycut.core.a']\n", 0),
    ],
)
def test_lazy_imports_are_counted(count, path, text, found):
    counted = count("lazy imports of own modules", {path: text, "core/a.py": "", "core/b.py": ""})
    assert counted.value == found
    assert all(line.startswith(f"{path}:") for line in counted.found)


# Kinds of frozen files ---------------------------------------------------------------------

KIND = {
    "_kinds.py": "KINDS = [Kind(rule='rule:FrozenRule', fitted='study.fit:Study')]\n",
    "documents/rule.py": "class RuleDocument: ...\nclass FrozenRule: ...\n",
}


@pytest.mark.parametrize(
    "planted",
    [
        "isinstance(x, FrozenRule)\n",
        "isinstance(x, str | rule.FrozenRule)\n",
        "isinstance(x, (str, RuleDocument))\n",
        "issubclass(x, FrozenRule)\n",
        "isinstance(x, Study)\n",
        "match x:\n    case FrozenRule():\n        pass\n",
    ],
)
def test_a_test_for_one_kind_is_found(count, planted):
    found = count("isinstance on kinds", KIND | {"study/a.py": planted})
    assert found.value == 1
    assert found.found[0].startswith("study/a.py:")


def test_a_test_for_any_kind_is_none_for_one_kind(count):
    other = "isinstance(x, FrozenFile)\nrule = FrozenRule(x)\nisinstance(x, dict)\n"
    assert count("isinstance on kinds", KIND | {"study/a.py": other}).value == 0


# Names -------------------------------------------------------------------------------------


def test_placeholder_names_are_counted_where_they_are_given(count):
    text = "def f(told):\n    found = [one for one in told]\n    return found + [told.shown]\n"
    counted = count("placeholder names", {"core/a.py": text})
    assert [line.rpartition(" ")[2] for line in sorted(counted.found)] == ["told", "found", "one"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import sys\ndef f():\n    return sys.modules['steadycut'].notebook\n", 1),
        ("from importlib import import_module\ndef f(x):\n    return import_module(x)\n", 1),
        ("import sys\nloaded = 'pandas' in sys.modules\n", 0),
    ],
)
def test_upward_tricks_are_counted(count, text, found):
    assert count("upward tricks", {"documents/shown.py": text}).value == found


# Sentences ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("study/a.py", "TEXT = 'The cut-off can be trusted here.'\n", 1),
        ("documents/a.py", "def f(n):\n    return f'{n} patients are too few. Label more.'\n", 1),
        ("adaptation/a.py", "x = {'next_step': 'Next: use it, and watch it.'}\n", 1),
        ("core/a.py", "why = ('It is not known ' 'yet. Wait.')\n", 1),
        ("show/words/a.py", "TEXT = 'The cut-off can be trusted here.'\n", 0),
        ("cli/a.py", "TEXT = 'The cut-off can be trusted here.'\n", 0),
        ("study/a.py", "def f():\n    'Say whether it can be trusted here.'\n", 0),
        ("study/a.py", "def f():\n    raise ValueError('It cannot be read. Give another.')\n", 0),
        ("study/a.py", "msg = 'It cannot be read. Give another.'\n", 0),
        ("study/a.py", "x = Warned('unit', 'the scores are in percent. Check them.')\n", 0),
        ("study/a.py", "names = ['as good as before', 'rule.json', 'a. b', '0.5 of 1.0']\n", 0),
    ],
)
def test_sentences_below_show_are_counted(count, path, text, found):
    counted = count("sentences below show", {path: text})
    assert counted.value == found
    assert all(line.startswith(f"{path}:") for line in counted.found)


# Lines -------------------------------------------------------------------------------------


def test_lines_without_blanks_comments_and_docstrings(count):
    text = '''"""Two lines
of docstring."""

import math  # this line counts

# this one does not


class A:
    """Not counted."""

    text = """counted
    twice"""

    def f(self):
        """Not counted."""
        "Counted: a second text is not a docstring."
        return math.pi
'''
    found = count("code lines", {"core/a.py": text, "errors.py": "x = 1\n", "io/b.py": ""})
    assert found.value == 8
    assert found.found == ["core: 7", "errors.py: 1", "io: 0"]


# Docstrings --------------------------------------------------------------------------------


def test_a_docstring_that_leaves_out_a_module_is_found(house, tmp_path):
    table = '"""Title.\n\n====  =====\n``a``  text about ``b``\n``z``  gone\n====  =====\n"""\n'
    files = {
        "__init__.py": '"""Title.\n\n``core``    x\n``errors``  y\n"""\n',
        "errors.py": "",
        "_version.py": "",
        "core/__init__.py": table,
        "core/a.py": "",
        "core/b.py": "",
        "core/cuts/__init__.py": "",
        "core/cuts/grid.py": "",
        "core/rules/erm.py": "",
        "core/shift/__init__.py": '"""Title."""\n__doc__ = __doc__ + "made"\n',
        "core/shift/parts.py": "",
    }
    wrong = house.wrong_lists(write_package(tmp_path, files))
    assert wrong == {
        "steadycut.core": ["b", "cuts", "shift", "no module z"],
        "steadycut.core.cuts": ["grid"],
        "steadycut.core.rules": ["erm"],
    }


# The command -------------------------------------------------------------------------------


def test_a_broken_limit_is_told_and_fails(tmp_path):
    files = {f"core/m{i}.py": "" for i in range(99)} | {"summary.py": "import math\n"}
    done = run_script(write_package(tmp_path, files))
    assert done.returncode == 1
    broken = [line.split("  ")[0] for line in done.stdout.splitlines() if line.endswith("BROKEN")]
    assert broken == ["modules in the largest folder", "top-level modules out of place"]
    assert "\n    summary.py belongs into a folder\n" in done.stdout


def test_what_was_counted_can_be_listed(tmp_path):
    package = write_package(tmp_path, {"core/a.py": "x = 1\n"})
    assert "core: 1" not in run_script(package).stdout
    assert "\n    core: 1\n" in run_script("--list", package).stdout
    assert run_script(package).returncode == 0


def test_a_missing_folder_is_a_mistake(tmp_path):
    assert run_script(tmp_path / "absent").returncode == 2
