"""A table, and a client in a folder that is empty at first."""

import pytest

from tests.app.client import make_client
from tests.app.worked import Worked
from tests.cli.commands import HEADER, make_rows, write_rows


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


@pytest.fixture(scope="session")
def worked(tmp_path_factory):
    """Every kind of work, done once on one table; see `Worked`."""
    folder = tmp_path_factory.mktemp("private")
    rows = [[*row, i // 6] for i, row in enumerate(make_rows())]
    table = write_rows(folder.parent / "days.csv", rows, [*HEADER, "day"])
    client, jobs = make_client(folder)
    yield Worked(client, jobs, table)
    jobs.close()
    assert list(folder.iterdir()) == []
