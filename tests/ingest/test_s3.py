"""Tables in S3, against a server on this machine."""

import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

from steadycut.errors import BadTable
from steadycut.ingest import aggregate

COLUMNS = {
    "id": ["a", "a", "b", "c"],
    "s": [0.25, 0.75, 0.5, 1.0],
    "site": ["A", "A", "B", "B"],
}
ASKED = {"patient": "id", "score": "s", "site": "site"}


@pytest.fixture(scope="module")
def bucket(tmp_path_factory):
    pytest.importorskip("moto.server")
    boto3 = pytest.importorskip("boto3")
    with running_server() as url, pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }.items():
            patch.setenv(name, value)
        client = boto3.client("s3", endpoint_url=url, region_name="us-east-1")
        client.create_bucket(Bucket="archive")
        fill(client, tmp_path_factory.mktemp("s3"))
        yield "s3://archive"


@contextmanager
def running_server():
    """A process of its own: a thread would wait for the lock that pyarrow holds as it waits."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while server.poll() is None and not answers(port):
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def fill(client, folder):
    table = pa.table(COLUMNS)
    pq.write_table(table, folder / "t.parquet")
    feather.write_feather(table, folder / "t.feather")
    client.upload_file(str(folder / "t.parquet"), "archive", "t.parquet")
    client.upload_file(str(folder / "t.feather"), "archive", "t.feather")
    for site in ("A", "B"):
        rows = table.filter(pa.array(np.array(COLUMNS["site"]) == site)).drop_columns("site")
        pq.write_table(rows, folder / "part.parquet")
        client.upload_file(str(folder / "part.parquet"), "archive", f"parts/site={site}/0.parquet")


@pytest.mark.parametrize("engine", ["auto", "memory", "duckdb"])
@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "parts"])
def test_the_same_bits(bucket, name, engine):
    found = aggregate(f"{bucket}/{name}", **ASKED, engine=engine)
    assert found.fingerprint() == aggregate(COLUMNS, **ASKED).fingerprint()


def test_one_clear_line(bucket):
    with pytest.raises(BadTable, match=r"'s3://archive/none.parquet' cannot be read: ") as caught:
        aggregate(f"{bucket}/none.parquet", **ASKED)
    assert "\n" not in str(caught.value)
    with pytest.raises(BadTable, match=r"in S3 a table must end in one of .parquet"):
        aggregate(f"{bucket}/t.csv", **ASKED)
