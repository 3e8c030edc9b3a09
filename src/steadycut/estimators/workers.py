"""Run one function for many tasks: in this process, in others, or on a Dask cluster."""

import os
import queue
import warnings
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from functools import partial
from typing import Any, TypeAlias, TypeVar

from joblib.externals.loky.process_executor import TerminatedWorkerError
from joblib.parallel import SequentialBackend, get_active_backend
from sklearn import config_context, get_config
from sklearn.utils.parallel import Parallel, delayed

from steadycut.errors import LostWorkers
from steadycut.io.process import end_with

Task = TypeVar("Task")
Result = TypeVar("Result")
Work: TypeAlias = Callable[[Any, Task], Result]
Results: TypeAlias = Generator[tuple[int, Result], None, None]
# How long to wait, in seconds, for a cluster that has no worker.
PATIENCE = 60.0
# How often the shared data are sent again, if all workers that held them are gone.
ROUNDS = 3

ONE_KILLED = "a worker process was killed"
KILLED_IN_TURN = "several workers were killed, one after the other, by the same replicate"
ALL_GONE = "all workers that held the data are gone"
NONE_THERE = f"the Dask cluster has had no worker for {PATIENCE:g} s"


def dask_client() -> Any | None:
    """Return the client of a Dask cluster, if `joblib.parallel_config` names one."""
    backend, _ = get_active_backend()
    return backend.client if type(backend).__name__ == "DaskDistributedBackend" else None


def run_tasks(
    function: Work[Task, Result], shared: Any, tasks: Mapping[int, Task], n_jobs: int | None
) -> Results[Result]:
    """Yield the number and the result of each task, in the order in which they end.

    Closing the generator stops the workers.

    Parameters
    ----------
    function
        Called with ``shared`` and one task.
    shared
        What all tasks need; it is sent once to each worker.
    tasks
        Tasks by number.
    n_jobs
        Number of processes on this machine; a Dask cluster uses all its workers.

    Raises
    ------
    LostWorkers
        If workers died and no others could take over.
    """
    client = dask_client()
    if client is not None:
        return _on_dask(client, function, shared, tasks)
    return _on_this_machine(function, shared, tasks, n_jobs)


def _numbered(
    parent: int, function: Work[Task, Result], shared: Any, number: int, task: Task
) -> tuple[int, Result]:
    end_with(parent)
    return number, function(shared, task)


def _on_this_machine(
    function: Work[Task, Result], shared: Any, tasks: Mapping[int, Task], n_jobs: int | None
) -> Results[Result]:
    parallel = Parallel(n_jobs, return_as="generator_unordered" if _can_stream() else "list")
    run = partial(_numbered, os.getpid(), function, shared)
    results = iter(parallel(delayed(run)(*task) for task in tasks.items()))
    try:
        for result in results:  # noqa: UP028 - so that closing this does not close joblib's at once
            yield result
    except TerminatedWorkerError:
        raise _lost(ONE_KILLED) from None
    finally:
        with warnings.catch_warnings():
            # These are about cancelled tasks, which are expected here.
            warnings.simplefilter("ignore")
            getattr(results, "close", lambda: None)()


def _can_stream() -> bool:
    """Whether results come one by one; multiprocessing returns them all at the end."""
    backend, _ = get_active_backend()
    return isinstance(backend, SequentialBackend) or backend.supports_return_generator


# On Dask ---------------------------------------------------------------------------------
# joblib's own Dask backend waits forever once a task has killed its workers (joblib 1.6), so only
# its client is used.


def _on_dask(
    client: Any, function: Work[Task, Result], shared: Any, tasks: Mapping[int, Task]
) -> Results[Result]:
    left = dict(tasks)
    for _ in range(ROUNDS):
        if not left:
            return
        with closing(_one_round(client, function, shared, left)) as results:
            for number, result in results:
                del left[number]
                yield number, result
    if left:
        raise _lost(ALL_GONE)


def _one_round(
    client: Any, function: Work[Task, Result], shared: Any, tasks: Mapping[int, Task]
) -> Results[Result]:
    """Yield results until all are there, or the cluster has lost the shared data."""
    from distributed import CancelledError, KilledWorker

    _wait_for_workers(client)
    # Every worker gets a copy, so that losing one worker does no harm.
    shipped = client.scatter(shared, broadcast=True, hash=False)
    numbers = {}
    ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
    try:
        for number, task in tasks.items():
            future = client.submit(_configured, get_config(), function, shipped, task, pure=False)
            numbers[future] = number
            future.add_done_callback(ended.put)
        while numbers:
            future = _next_ended(client, ended)
            yield numbers.pop(future), future.result()
    except CancelledError:
        return
    except KilledWorker:
        raise _lost(KILLED_IN_TURN) from None
    finally:
        client.cancel([*numbers, shipped], force=True)


def _configured(
    config: dict[str, Any], function: Work[Task, Result], shared: Any, task: Task
) -> Result:
    """Run a task under the scikit-learn settings of the process that sent it."""
    with config_context(**config):
        return function(shared, task)


def _wait_for_workers(client: Any) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise _lost(NONE_THERE) from None


def _next_ended(client: Any, ended: "queue.SimpleQueue[Any]") -> Any:
    """Return the next future that has ended; check every minute that there are workers."""
    while True:
        try:
            return ended.get(timeout=PATIENCE)
        except queue.Empty:
            _wait_for_workers(client)


def _lost(cause: str) -> LostWorkers:
    return LostWorkers(
        f"the refits lost their workers: {cause}. Often memory runs out: give each worker more "
        "memory, or use fewer workers. With a checkpoint the next fit continues from here."
    )
