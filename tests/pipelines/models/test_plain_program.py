"""Texts of an exported program that PyTorch would evaluate are plain, or it is refused."""

import itertools
import json
import warnings
import zipfile

import pytest

from steadycut.pipelines.models.plain_program import check_plain

# As PyTorch 2.13 writes them, for sizes that follow from two free ones.
SIZES = (
    "Symbol('s77', positive=True, integer=True)",
    "Mul(Integer(60), Max(Integer(1), FloorDiv(Add(Symbol('s53', integer=True), Integer(-3)), 2)))",
    "s0*s1 + 4",
    "12",
)
CODE = (
    "__import__('os').system('x')",
    "eval(chr(49))",
    "(lambda: 1)()",
    "S('print(1)')",
    "open('x')",
    "s0\nimport os",
)


def program(path, *parts):
    """Write an archive with one JSON file for each part."""
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")
        for name, part in parts:
            archive.writestr(f"m/models/{name}", json.dumps(part))
    return path


def whole(size="s0", name="conv2d_1", spec='[1, {"type": "builtins.tuple"}]'):
    """What a program has, with lines of code where they are never run."""
    node = {"name": name, "metadata": {"stack_trace": "File 'm.py', line 5\n  x = f(x); exec('')"}}
    dims = [{"as_expr": {"expr_str": size, "hint": None}}, {"as_int": 3}]
    return {"nodes": [node], "sizes": dims, "arg_names": ["x", name], "in_spec": spec}


@pytest.mark.parametrize("size", SIZES)
def test_sizes_names_and_lines_of_code_that_are_not_run_are_plain(size, tmp_path):
    check_plain(program(tmp_path / "m.pt2", ("model.json", whole(size))))


FIELDS = ("size", "name", "spec")


@pytest.mark.parametrize(
    ("field", "text"),
    [("size", "s0.__class__"), ("size", "[s0 for s0 in s1]"), *itertools.product(FIELDS, CODE)],
)
def test_what_could_be_code_is_refused_and_not_shown(field, text, tmp_path):
    path = program(tmp_path / "m.pt2", ("model.json", whole(**{field: text})))
    with pytest.raises(ValueError, match="could be code") as refused:
        check_plain(path)
    assert text not in str(refused.value)


def test_two_files_of_one_name_are_refused(tmp_path):
    path = program(tmp_path / "m.pt2", ("model.json", whole()), ("MODEL.json", whole()))
    with pytest.raises(ValueError, match="two files of one name"):
        check_plain(path)
