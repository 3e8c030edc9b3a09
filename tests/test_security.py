"""Nothing in the sources loads code from a file, or evaluates a text."""

import ast
import pickle
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import steadycut
from steadycut.errors import SteadycutError
from steadycut.io.checkpoint import Checkpoint

SOURCES = Path(steadycut.__file__).parent
# Modules that run what they read. `pickle` is imported once, for the name of its error.
LOADERS = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "yaml", "torch", "pty"}
CALLS = {"eval", "exec", "compile", "__import__"}
ATTRIBUTES = re.compile(
    r"(pickle|joblib|torch|yaml|dill|marshal)\.(load|loads|Unpickler)|os\.system"
)
SCRIPTS = ("joblib.load", "os.popen")


@cache
def all_nodes():
    found = {}
    for path in sorted(SOURCES.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        found[path.relative_to(SOURCES).as_posix()] = list(ast.walk(tree))
    return found


def nodes(kind):
    return [
        (name, node)
        for name, found in all_nodes().items()
        for node in found
        if isinstance(node, kind)
    ]


def test_no_module_that_loads_code_is_imported():
    found = {
        (name, alias.name)
        for name, node in nodes(ast.Import)
        for alias in node.names
        if alias.name.partition(".")[0] in LOADERS
    } | {
        (name, node.module)
        for name, node in nodes(ast.ImportFrom)
        if (node.module or "").partition(".")[0] in LOADERS
    }
    assert found == {
        ("estimators/fingerprint.py", "pickle"),
        ("pipelines/models/torch_backend.py", "torch"),
        ("pipelines/models/torch_backend.py", "torch.export.passes"),
        ("pipelines/slides/quality.py", "torch"),
    }


def test_pytorch_reads_programs_and_never_a_pickle():
    """`torch.load` would run what a file says; these two read graphs and tensors."""
    names = {ast.unparse(node) for _, node in nodes(ast.Attribute)}
    loads = {name for name in names if re.fullmatch(r"torch\.(\w+\.)*load\w*", name)}
    assert loads == {"torch.jit.load", "torch.export.load"}


def test_nothing_is_evaluated_or_unpickled():
    calls = [(name, ast.unparse(node.func)) for name, node in nodes(ast.Call)]
    found = [
        (name, what)
        for name, what in calls
        if what in CALLS or ATTRIBUTES.fullmatch(what) or what in SCRIPTS
    ]
    assert found == []


def test_numpy_loads_arrays_only():
    loads = [
        node
        for _, node in nodes(ast.Call)
        if ast.unparse(node.func) in {"np.load", "numpy.load", "np.fromfile", "np.savez"}
    ]
    assert loads
    for node in loads:
        given = {one.arg: ast.unparse(one.value) for one in node.keywords}
        assert given.get("allow_pickle") == "False", ast.unparse(node)


def test_no_shell_is_started():
    given = [one for _, node in nodes(ast.Call) for one in node.keywords if one.arg == "shell"]
    assert given == []


class Trap:
    """Writes a file if somebody unpickles it."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return (open, (self.path, "w"))


def test_a_checkpoint_with_a_pickle_in_it_is_refused_and_not_run(tmp_path):
    (tmp_path / "kept").mkdir()
    checkpoint, trap = Checkpoint(tmp_path / "kept"), tmp_path / "trap"
    np.savez(tmp_path / "kept" / "step.npz", x=np.array([Trap(trap)], dtype=object))
    assert checkpoint.load("step") is None
    assert not trap.exists()


def test_an_h5ad_file_with_an_object_in_it_is_not_run(tmp_path):
    """HDF5 holds no code; a pickled table with that ending is refused."""
    from steadycut import aggregate

    trap, table = tmp_path / "trap", tmp_path / "t.h5ad"
    table.write_bytes(pickle.dumps(Trap(trap)))
    pytest.importorskip("anndata")
    with pytest.raises(SteadycutError):
        aggregate(str(table), patient="p", score="X:s")
    assert not trap.exists()


def test_a_pickle_in_the_place_of_a_model_is_refused_and_not_run(tmp_path):
    pytest.importorskip("onnxruntime")
    from steadycut.pipelines.slides.model import ModelOptions, TileModel

    trap, path = tmp_path / "trap", tmp_path / "model.onnx"
    path.write_bytes(pickle.dumps(Trap(trap)))
    with pytest.raises(SteadycutError):
        TileModel(path, ModelOptions())
    assert not trap.exists()
