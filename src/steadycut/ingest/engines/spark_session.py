"""A Spark session, and its errors in one line."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from steadycut import errors
from steadycut.errors import BadTable, MissingPackage, SteadycutError, refusing
from steadycut.io.packages import optional_package

OWN_ERROR = re.compile(r"steadycut\.errors\.(\w+): ([^\n]+)")
NO_JAVA = (
    "Spark could not be started. It needs Java 17 or later: install it (Debian: "
    "openjdk-17-jre-headless) or set JAVA_HOME."
)
LOOPBACK = "127.0.0.1"
# Each of these says that somebody else runs Spark.
CLUSTER = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "MASTER")
# Without a cluster nobody else has to reach the driver: no port is open to the network, no page.
ALONE = {
    "spark.ui.enabled": "false",
    "spark.driver.host": LOOPBACK,
    "spark.driver.bindAddress": LOOPBACK,
}
NO_MODULE = re.compile(r"No module named '([\w.]+)'")


def spark_session() -> Any:
    """Return the present session, or start one with the settings of spark-submit."""
    with optional_package("The spark engine", "pyspark", "spark"):
        from pyspark.errors import PySparkRuntimeError
        from pyspark.sql import SparkSession
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        # Not started by spark-submit: executors on this machine use this Python's packages.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        # A remote session needs no Java on this machine.
        settings = ("JAVA_HOME", "SPARK_REMOTE")
        if shutil.which("java") is None and not any(os.environ.get(name) for name in settings):
            raise MissingPackage(NO_JAVA)
    builder = SparkSession.builder
    with refusing(MissingPackage, NO_JAVA, PySparkRuntimeError):
        if _is_alone() and SparkSession.getActiveSession() is None:
            os.environ["SPARK_LOCAL_IP"] = LOOPBACK
            for name, value in ALONE.items():
                builder = builder.config(name, value)
        return builder.getOrCreate()


def _is_alone() -> bool:
    """Whether no cluster and no spark-submit is named, so that all work is done on this machine."""
    submitted = "--master" in os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    named = submitted or any(os.environ.get(name) for name in CLUSTER)
    folders = [os.environ.get("SPARK_CONF_DIR"), f"{os.environ.get('SPARK_HOME')}/conf"]
    files = [Path(folder, "spark-defaults.conf") for folder in folders if folder]
    return not named and not any(
        "spark.master" in file.read_text() for file in files if file.is_file()
    )


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Turn errors of Spark into one line; its own texts may show rows, and so identify patients."""
    with optional_package("The spark engine", "pyspark", "spark"):
        from pyspark.errors import PySparkException
    try:
        yield
    except Exception as error:
        # Errors of Java that pyspark does not translate have a class of their own.
        if isinstance(error, PySparkException) or type(error).__name__ == "Py4JJavaError":
            raise _one_line(error) from None
        raise


def _one_line(error: Any) -> SteadycutError:
    text = str(error)
    if own := OWN_ERROR.search(text):
        return getattr(errors, own[1], BadTable)(own[2])
    if missing := NO_MODULE.search(text):
        msg = (
            f"the executors of Spark lack the Python package {missing[1]}. Install "
            '"steadycut[spark]" on every node, or send it along (spark-submit --archives).'
        )
        return MissingPackage(msg)
    condition = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    return BadTable(f"Spark could not read the table ({condition}). Its log says more.")
