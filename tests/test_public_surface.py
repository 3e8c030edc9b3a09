"""The names that users rely on: exactly these, sorted, every one importable."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import steadycut

NAMES = [
    "Adaptation",
    "Audit",
    "Certificate",
    "Comparison",
    "CovariateRule",
    "CovariateStudy",
    "DataWarning",
    "ExperimentalWarning",
    "FewPatientsWarning",
    "ForcedWarning",
    "FrozenRule",
    "Monitor",
    "OperatingPoint",
    "PatientScores",
    "Plan",
    "RowsAsPatientsWarning",
    "StableThreshold",
    "StableThresholdClassifier",
    "SteadycutError",
    "SteadycutWarning",
    "StrataRule",
    "StrataStudy",
    "Study",
    "Switch",
    "UnstableCutWarning",
    "__version__",
    "adapt",
    "aggregate",
    "audit",
    "certify",
    "check_deployment",
    "compare",
    "fit",
    "fit_by_covariate",
    "fit_strata",
    "monitor",
    "operating_point",
    "paper_method",
    "plan",
    "switch",
]


def test_the_list_of_names_is_exact_and_sorted():
    assert steadycut.__all__ == NAMES == sorted(NAMES)


def test_what_may_change_says_so_when_it_is_taken():
    with pytest.warns(steadycut.ExperimentalWarning, match=r"steadycut\.adapt is experimental"):
        steadycut.adapt  # noqa: B018
    promised = (Path(__file__).parents[1] / "SUPPORT.md").read_text("utf-8")
    stable = re.findall(r"`(\w+)`", promised.partition("experimental: may change")[2].split("|")[5])
    assert {"fit", "audit", "certify", "compare", "plan"} <= set(stable)
    assert not steadycut._EXPERIMENTAL & set(stable)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there_and_is_no_module(name):
    assert not inspect.ismodule(getattr(steadycut, name))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "__version__"])
def test_every_name_has_a_docstring(name):
    assert inspect.getdoc(getattr(steadycut, name))


@pytest.mark.parametrize("name", ["audit", "compare", "aggregate"])
def test_a_function_is_not_hidden_by_a_module_of_its_name(name):
    """Importing ``steadycut.study.compare`` as a module must not put the module in its place."""
    if name != "aggregate":
        importlib.import_module(f"steadycut.study.{name}")
    assert callable(getattr(steadycut, name))


def test_what_is_listed_is_what_dir_shows():
    assert sorted(dir(steadycut)) == NAMES


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'steadycut' has no attribute 'cut'"):
        _ = steadycut.cut
