"""Values that nobody means, for arguments of functions and options of commands."""

import numpy as np

from benchmarks.trust import inputs
from benchmarks.trust.hostile import arguments, options
from steadycut.cli.main import run


def test_arguments_of_the_public_functions():
    assert inputs.hostile_arguments(2, np.random.default_rng(0)).failed == 0


def test_every_function_takes_its_good_call():
    import steadycut

    for name, given in arguments.good().items():
        getattr(steadycut, name)(**given)


def test_options_of_all_commands(tmp_path):
    assert inputs.hostile_options(40, np.random.default_rng(0), tmp_path).failed == 0


def test_the_tree_is_walked_to_its_end():
    commands = {path[0] for path, _ in options.calls()}
    assert commands >= {"fit", "apply", "audit", "monitor", "compare", "plan", "strata", "report"}


def test_what_the_system_refuses_is_the_users_to_mend(capsys):
    assert run(["apply", "x" * 5000, "t.csv", "--out", "o.csv"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert len(said) < 1100
