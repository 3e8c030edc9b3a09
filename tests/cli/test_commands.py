"""Commands take groups of options; typer and the help see single options."""

from dataclasses import dataclass
from typing import Annotated

import pytest

from paper.commands.group import Targets
from steadycut.cli.commands import as_command, flatten, load, parameters_of
from steadycut.cli.main import Commands
from steadycut.cli.options import number, switch, whole
from tests.cli.commands import run_command

FUNCTIONS = {name: load(place) for name, (place, _) in {**Commands.table, **Targets.table}.items()}
PANELS = ["Columns of the table", "Sites", "Costs and prevalence", "Choosing the cut-off", "Output"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Size of a thing."""

    n_parts: Annotated[int, whole("N", "Parts.", "--parts")]
    weight: Annotated[float, number("X", "Weight.")] = 1.5


def make(size: Size, quick: Annotated[bool, switch("--quick", "Hurry.")] = False):
    """Make a thing."""
    return size, quick


def test_groups_are_made_from_single_options():
    assert flatten(make)(n_parts=2, weight=0.5, quick=True) == (Size(n_parts=2, weight=0.5), True)
    assert flatten(make).__doc__ == "Make a thing."


def test_a_command_has_the_options_of_its_groups():
    command = as_command("make", make)
    flags = [param.opts for param in command.params]
    assert flags == [["--parts"], ["--weight"], ["--quick"], ["--log"]]
    made = command.main(["--parts", "3"], standalone_mode=False)
    assert made == (Size(n_parts=3), False)


def test_a_group_is_a_panel_with_the_first_line_of_its_docstring():
    titles = {one.name: title for one, title in parameters_of(make).items()}
    size = "Size of a thing"
    assert titles == {"n_parts": size, "weight": size, "quick": None, "log": None}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_option_is_there_twice(name):
    flags = [flag for param in as_command(name, FUNCTIONS[name]).params for flag in param.opts]
    assert len(flags) == len(set(flags))


def test_the_help_of_fit_has_panels_in_plain_text(capsys):
    shown = run_command(capsys, "fit", "--help").out
    places = [shown.index(f"\n{panel}:\n") for panel in PANELS]
    assert places == sorted(places)
    assert " ".join(shown.split()).endswith("--help Show this message and exit.")
    assert "─" not in shown
