"""One table and one rule for all tests of the command line."""

import hashlib
import json
from contextlib import contextmanager, suppress
from dataclasses import asdict, is_dataclass
from functools import cache

import pytest

from steadycut.cli.main import run
from steadycut.documents.parts import Part
from steadycut.ingest.sources import files
from steadycut.io import parquet
from steadycut.show.svg import picture as drawing
from tests.cli.commands import FIT, SITES, make_rows, write_rows

DRAW = drawing.draw_svg
CONNECT = parquet.connect_duckdb


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
    data = json.dumps(vars(figure), default=plain)
    return f'<svg id="{name}">{hashlib.sha256(data.encode()).hexdigest()}</svg>'


def plain(value):
    """Return a part of a document, a record or an array as JSON can hold it."""
    if is_dataclass(value):
        return asdict(value)
    return value.to_plain() if isinstance(value, Part) else value.tolist()


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


@cache
def database():
    """Start the database that all commands of the tests share."""
    made = CONNECT()
    # Newer versions of DuckDB may remember a file, and tests write other tables to its place.
    with suppress(parquet.load_duckdb().Error):
        made.execute("SET enable_external_file_cache = false")
    return made


def connect(**settings):
    """Return a connection to the shared database; one with settings is its own."""
    return CONNECT(**settings) if settings else database().cursor()


@pytest.fixture(scope="module", autouse=True)
def one_database():
    """Let commands share a database: to start one takes longer than to read a small table.

    In `tests/ingest` each reading starts its own.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in (files, parquet):
            patch.setattr(module, "connect_duckdb", connect)
        yield


@pytest.fixture
def figures_drawn(monkeypatch):
    """Draw figures after all."""
    monkeypatch.setattr(drawing, "draw_svg", DRAW)
