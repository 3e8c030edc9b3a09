"""Arrow (Feather) files, and Parquet or Arrow files in S3, through pyarrow."""

import os
import sys
from typing import Any

from steadycut.errors import BadTable
from steadycut.ingest.sources.find import ARROWS, PARQUETS, TableFile
from steadycut.io.packages import optional_package

# Seconds. The defaults of 1 and 3 are too short for a busy machine or a hospital network.
PATIENCE = {"connect_timeout": 10, "request_timeout": 60}


def open_dataset(file: TableFile) -> Any:
    """Return a file, or a folder in S3, as a pyarrow dataset; only its schema is read.

    Credentials and region come from the environment or the AWS configuration files.
    ``AWS_ENDPOINT_URL`` names a server other than Amazon's.
    """
    with optional_package("Reading Arrow files and S3", "pyarrow", "arrow"):
        from pyarrow import dataset, ipc
    if not file.is_remote:
        with file.path.open("rb") as opened:
            # How a stream begins; other files begin with their name.
            if opened.read(4) == b"\xff\xff\xff\xff":
                opened.seek(0)
                return dataset.dataset(ipc.open_stream(opened).read_all())
        return dataset.dataset(file.absolute, format="feather")
    try:
        path, system = file.place.removeprefix("s3://"), _s3()
        return dataset.dataset(path, filesystem=system, format=_kind(file), partitioning="hive")
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        msg = f"{file.place!r} cannot be read: {reason}. Check the address and your credentials."
        raise BadTable(msg) from None


def arrow_errors() -> tuple[type[Exception], ...]:
    """Return the errors of pyarrow; none if it was not used."""
    pyarrow = sys.modules.get("pyarrow")
    return () if pyarrow is None else (pyarrow.ArrowException,)


def _kind(file: TableFile) -> str:
    """Return the format by the ending of the name; a folder holds Parquet files."""
    name = file.name.casefold()
    if name.endswith(ARROWS):
        return "feather"
    if "." in name and not name.endswith(PARQUETS):
        endings = ", ".join((*PARQUETS, *ARROWS))
        msg = f"in S3 a table must end in one of {endings}; got {file.place!r}. Copy it here first."
        raise BadTable(msg)
    return "parquet"


def _s3() -> Any:
    from pyarrow import fs

    server = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if not server:
        return fs.S3FileSystem(**PATIENCE)
    scheme, _, address = server.rpartition("://")
    address = address.rstrip("/")
    return fs.S3FileSystem(endpoint_override=address, scheme=scheme or "https", **PATIENCE)
