"""``steadycut app``: what it refuses, and the options that it shows."""

import sys

import pytest

from steadycut.cli.app import fields_of
from steadycut.cli.fit import fit_command
from tests.cli.commands import run_command


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--port", "x"], "must be a whole number; got 'x'"),
        (["--port", "-1"], "--port must be a whole number of at least 0; got -1"),
        (["--port", "70000"], "--port must be a whole number from 0 to 65535; got 70000"),
        (["--limit", "0"], "--limit must be a whole number of at least 1; got 0"),
        (["--host", "no-such-host.invalid"], "cannot listen on no-such-host.invalid"),
    ],
)
def test_a_mistake_is_one_line(capsys, arguments, told):
    ran = run_command(capsys, "app", "--no-browser", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1


def test_a_missing_package_is_named(capsys, monkeypatch):
    for name in list(sys.modules):
        if name.startswith(("steadycut.app.", "steadycut.cli.app")):
            monkeypatch.delitem(sys.modules, name)
        if name.startswith("starlette."):
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "starlette", None)
    ran = run_command(capsys, "app")
    assert (ran.code, 'pip install "steadycut[app]"' in ran.err) == (2, True)


def test_every_option_of_the_command_is_a_field():
    found = {field.name: field.option for field in fields_of(fit_command)}
    assert found["target_prevalence"] == "--target-prevalence"
    assert found["json"] == "--json"
    assert found["patient"] == "--patient"
    assert "tables" not in found
