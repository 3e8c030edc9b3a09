"""One table and one rule for all tests of the command line."""

import hashlib
import json
from contextlib import contextmanager
from dataclasses import asdict

import pytest

from steadycut.cli.main import run
from steadycut.show.svg import draw as drawing
from tests.cli.commands import FIT, SITES, make_rows, write_rows

DRAW = drawing.draw_svg


@pytest.fixture(scope="session")
def table(tmp_path_factory):
    """A table of two hospitals; not to be changed."""
    return write_rows(tmp_path_factory.mktemp("table") / "table.csv", make_rows())


@pytest.fixture(scope="session")
def rule(table, tmp_path_factory):
    """The rule of the northern hospital; not to be changed."""
    out = tmp_path_factory.mktemp("rule")
    # Fixtures of the session come before those of a module.
    with drawn_by(digest_of):
        assert run(["fit", str(table), *FIT, *SITES, "--out", str(out)]) == 0
    return out / "rule.json"


def digest_of(figure, name):
    """Return a digest of the data of a figure in place of the drawing."""
    data = json.dumps(asdict(figure), default=lambda value: value.tolist())
    return f'<svg id="{name}">{hashlib.sha256(data.encode()).hexdigest()}</svg>'


@contextmanager
def drawn_by(draw):
    """Draw figures by another function."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "draw_svg", draw)
        yield


@pytest.fixture(scope="module", autouse=True)
def figures_as_digests():
    """Let a page hold a digest of a figure's data: drawing takes most of the time of a command.

    Pages still differ wherever the data of a figure differ. `tests/show` looks at the drawings.
    """
    with drawn_by(digest_of):
        yield


@pytest.fixture
def figures_drawn(monkeypatch):
    """Draw figures after all."""
    monkeypatch.setattr(drawing, "draw_svg", DRAW)
