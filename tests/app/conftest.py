"""A table, and a client in a folder that is empty at first."""

import pytest

from tests.app.client import make_client
from tests.cli.commands import make_rows, write_rows


@pytest.fixture(scope="session")
def table(tmp_path_factory):
    """A table of two hospitals; not to be changed."""
    return write_rows(tmp_path_factory.mktemp("table") / "table.csv", make_rows())


@pytest.fixture
def folder(tmp_path):
    """Where the app keeps its files."""
    place = tmp_path / "private"
    place.mkdir()
    return place


@pytest.fixture
def client(folder):
    """A client that knows the token; its jobs end with the test."""
    client, jobs = make_client(folder)
    yield client
    jobs.close()
    assert list(folder.iterdir()) == []
