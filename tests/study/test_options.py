"""An option of `fit` is declared once: its default, its check and its description."""

import ast
import inspect
import re
from dataclasses import MISSING, fields

import numpy as np
import pytest

import steadycut
from steadycut.cli.commands import load, parameters_of
from steadycut.cli.main import Commands
from steadycut.study.options import USUAL, FitOptions, StudyOptions, lists_options, option_texts
from steadycut.study.strata import StrataOptions, strata_options

# The studies of other kinds, with what they need besides patients.
KINDS = {
    steadycut.fit_strata: {"costs": [[0, 1], [1, 0]]},
    steadycut.fit_by_covariate: {"covariate": "site"},
}
ESTIMATORS = [steadycut.StableThreshold, steadycut.StableThresholdClassifier]
COMMANDS = ["fit", "compare", "strata", "covariate"]


def defaults_of(function):
    parameters = inspect.signature(function).parameters.values()
    found = {one.name: one.default for one in parameters}
    return {name: default for name, default in found.items() if name in USUAL}


@pytest.mark.parametrize("function", [strata_options, steadycut.fit_by_covariate, *ESTIMATORS])
def test_functions_and_estimators_have_the_defaults_of_fit(function):
    found = defaults_of(function)
    assert found
    assert found == {name: USUAL[name] for name in found}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_have_the_defaults_of_fit(command):
    parameters = parameters_of(load(Commands.table[command][0]))
    found = {one.name: one.default for one in parameters if one.name in USUAL}
    assert set(StudyOptions.__annotations__) - {"certify_size"} <= set(found)
    assert found == {name: USUAL[name] for name in found}


def test_strata_have_the_defaults_of_fit():
    found = {one.name: one.default for one in fields(StrataOptions) if one.name in USUAL}
    found = {name: default for name, default in found.items() if default is not MISSING}
    assert found == {name: USUAL[name] for name in found}


def test_every_option_of_fit_is_an_option_of_the_command_unless_only_python_has_it():
    names = {one.name for one in parameters_of(load(Commands.table["fit"][0]))}
    assert set(FitOptions.__annotations__) - names == {"certify_size", "instability"}


def test_every_option_is_described_once_with_its_default():
    texts = option_texts()
    described = [name for names, _ in texts for name in names]
    assert sorted(described) == sorted(FitOptions.__annotations__)
    for names, text in texts:
        written = re.search(r", default (.+)", text)[1]
        assert {USUAL[name] for name in names} == {ast.literal_eval(written)}


def test_a_docstring_lists_the_options_that_it_names():
    @lists_options
    def function():
        """Do something.

        {options: seed cost_fn}
        end
        """

    lines = function.__doc__.splitlines()
    assert lines[2] == "cost_fn, cost_fp : float, default 1.0"
    assert lines[-3].startswith("seed : int")
    assert lines[-1] == "end"
    assert "{" not in steadycut.fit.__doc__ + steadycut.StableThreshold.__doc__


@pytest.mark.parametrize("function", KINDS)
@pytest.mark.parametrize("name", StudyOptions.__annotations__)
def test_every_kind_checks_its_options_as_fit_does(function, name):
    cohort = steadycut.PatientScores(scores=[0.1, 0.2, 0.3, 0.4], labels=[0, 1, 0, 1])
    with pytest.raises(steadycut.SteadycutError) as told:
        steadycut.fit(cohort, **{name: -1})
    with pytest.raises(steadycut.SteadycutError, match=re.escape(str(told.value))):
        function(cohort, **KINDS[function], **{name: -1})


@pytest.mark.parametrize("function", KINDS)
def test_every_kind_refuses_options_that_it_does_not_have(function):
    cohort = steadycut.PatientScores(scores=[0.1, 0.2, 0.3, 0.4], labels=[0, 1, 0, 1])
    with pytest.raises(TypeError, match="there is no option 'honesty'"):
        function(cohort, **KINDS[function], honesty="uniform")


@pytest.mark.parametrize("name", ["grid", "instability", "seed", "sites_certify"])
@pytest.mark.parametrize(
    "value", [np.zeros(3), [[1, 2], [3]], 10**5000], ids=["array", "list", "digits"]
)
def test_absurd_values_are_refused_in_one_line(name, value):
    with pytest.raises((steadycut.SteadycutError, TypeError)) as told:
        steadycut.fit(np.arange(40.0), np.arange(40) % 2, n_bootstrap=2, **{name: value})
    assert len(str(told.value).splitlines()) == 1
