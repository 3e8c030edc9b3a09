"""Errors carry the names of arguments; Python, the command line and others spell them."""

import copy
import pickle
import warnings

import pytest

import steadycut
from steadycut.core.checks import check_choice, check_fraction
from steadycut.errors import (
    BadOption,
    MissingColumn,
    MissingPackage,
    MissingScores,
    Warned,
    argument,
    warn_each,
)

FLAGS = {"cost_fn": "--cost-fn", "n_bootstrap": "--bootstrap", "missing": "--missing"}


@pytest.mark.parametrize(
    ("text", "in_python", "with_flags"),
    [
        (f"{argument('cost_fn')} must be", "cost_fn must be", "--cost-fn must be"),
        (f"{argument('n_bootstrap')} is 1", "n_bootstrap is 1", "--bootstrap is 1"),
        (f"give {argument('missing', 'drop')}.", "give missing='drop'.", "give --missing drop."),
        (f"set {argument('cost_fn', 3)}.", "set cost_fn=3.", "set --cost-fn 3."),
        (f"use {argument('missing', value=True)}.", "use missing=True.", "use --missing."),
        (f"{argument('delta')} must be", "delta must be", "delta must be"),
        (f"needs {argument('kind', 'smooth')}.", "needs kind='smooth'.", "needs kind='smooth'."),
        ("no column 'cost_fn' in {x}", "no column 'cost_fn' in {x}", "no column 'cost_fn' in {x}"),
    ],
)
def test_arguments_are_spelled_as_asked(text, in_python, with_flags):
    error = BadOption(text)
    assert (str(error), error.spelled(FLAGS)) == (in_python, with_flags)


def test_several_arguments_have_names():
    error = BadOption(f"{argument('cost_fn')} and {argument('cost_fp', 2)} differ.")
    assert error.arguments == ["cost_fn", "cost_fp"]
    assert error.spelled({"cost_fp": "B"}) == "cost_fn and B 2 differ."


def test_a_value_is_never_taken_for_a_name():
    with pytest.raises(BadOption) as caught:
        check_choice("rule", "cost_fn", ("stable",))
    assert caught.value.spelled({"rule": "--rule", **FLAGS}) == (
        "--rule must be one of stable; got 'cost_fn'."
    )


def test_a_checked_value_names_its_argument():
    with pytest.raises(BadOption, match=r"^delta must lie strictly between 0 and 1") as one:
        check_fraction("delta", 2)
    assert one.value.arguments == ["delta"]


@pytest.mark.parametrize("kind", [BadOption, MissingColumn, MissingScores, MissingPackage])
def test_an_error_survives_the_way_between_processes(kind):
    sent = pickle.dumps(kind(f"{argument('delta')} must be below 1."))
    error = pickle.loads(sent)  # noqa: S301
    assert (type(error), str(error)) == (kind, "delta must be below 1.")


# Warnings.


@pytest.mark.parametrize(
    ("kind", "category"),
    [
        ("few patients", steadycut.FewPatientsWarning),
        ("flat minimum", steadycut.UnstableCutWarning),
        ("multi-modal minimum", steadycut.UnstableCutWarning),
        ("coarse grid", steadycut.UnstableCutWarning),
        ("limits", steadycut.UnstableCutWarning),
        ("rows as patients", steadycut.RowsAsPatientsWarning),
        ("forced", steadycut.ForcedWarning),
        ("unit", steadycut.DataWarning),
    ],
)
def test_each_kind_of_warning_has_its_category_and_comes_once(kind, category):
    text = Warned(kind, "3 of 5.")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_each([text, "few patients: without a kind it is about data.", text])
    assert [(one.category, str(one.message)) for one in caught] == [
        (category, f"{kind}: 3 of 5."),
        (steadycut.DataWarning, "few patients: without a kind it is about data."),
    ]
    assert issubclass(category, steadycut.SteadycutWarning)
    assert issubclass(category, UserWarning)
    assert {one.filename for one in caught} == {__file__}


def test_a_warning_is_read_back_with_its_kind():
    found = Warned.of("unit")("the scores are in percent.")
    again = Warned.read(str(found))
    assert (
        (found, found.kind) == (again, again.kind) == ("unit: the scores are in percent.", "unit")
    )
    assert Warned.read("a line without a kind.").kind == ""


@pytest.mark.parametrize("kind", ["unit", ""])
def test_a_copy_of_a_warning_keeps_its_kind(kind):
    found = Warned(kind, "the scores are in percent.")
    loaded = pickle.loads(pickle.dumps(found))  # noqa: S301
    for again in (loaded, copy.deepcopy(found)):
        assert (again, again.kind) == (found, kind)
