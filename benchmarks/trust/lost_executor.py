"""An executor of a Spark cluster is killed in the middle of an aggregation: Spark starts another.

The cluster is one of two executors in processes of their own on this machine, which is as near as
one machine comes to a real one.
"""

import os
import signal
import subprocess
import sys
import threading
import time

from steadycut.ingest import make_request, read_patients

EXECUTOR = "CoarseGrainedExecutorBackend"


def aggregate_while_killing(table, delay):
    """Return whether Spark gives the same bits as numpy, and how many executors were killed."""
    request = make_request(
        patient="patient", score="score", label="label", how=["mean", "quantile:0.9"]
    )
    expected = snapshot(read_patients(request, str(table), engine="memory"))
    session = open_cluster()
    try:
        frame = session.read.parquet(str(table)).repartition(8)
        killed = []
        killer = threading.Thread(target=kill_one, args=(delay, killed), daemon=True)
        killer.start()
        found = snapshot(read_patients(request, frame, engine="spark"))
        killer.join()
    finally:
        session.stop()
    return found == expected, len(killed)


def open_cluster():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "spark.sql.shuffle.partitions": "4",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, text in settings.items():
        builder = builder.config(name, text)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def kill_one(delay, killed):
    while not (found := executors()):
        time.sleep(0.05)
    time.sleep(delay)
    os.kill(found[0], signal.SIGKILL)
    killed.append(found[0])


def executors():
    """Return the executors that descend from this process."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    parents, running = {}, []
    for line in listed:
        pid, parent, command = line.split(maxsplit=2)
        parents[int(pid)] = int(parent)
        if EXECUTOR in command:
            running.append(int(pid))
    return [pid for pid in running if os.getpid() in ancestors(pid, parents)]


def ancestors(pid, parents):
    while pid in parents:
        pid = parents[pid]
        yield pid


def snapshot(table):
    return {key: one.scores.tobytes() for key, one in table.patients.items()}
