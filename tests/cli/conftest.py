"""One table and one rule for all tests of the command line."""

import pytest

from steadycut.cli.main import run
from tests.cli.commands import FIT, SITES, make_rows, write_rows


@pytest.fixture(scope="session")
def table(tmp_path_factory):
    """A table of two hospitals; not to be changed."""
    return write_rows(tmp_path_factory.mktemp("table") / "table.csv", make_rows())


@pytest.fixture(scope="session")
def rule(table, tmp_path_factory):
    """The rule of the northern hospital; not to be changed."""
    out = tmp_path_factory.mktemp("rule")
    assert run(["fit", str(table), *FIT, *SITES, "--out", str(out)]) == 0
    return out / "rule.json"
