"""Run one function for many tasks, in this process or in others."""

import os
import warnings
from collections.abc import Callable, Generator, Mapping
from functools import partial
from typing import Any, TypeAlias, TypeVar

from joblib.externals.loky.process_executor import TerminatedWorkerError
from joblib.parallel import SequentialBackend, get_active_backend
from sklearn.utils.parallel import Parallel, delayed

from steadycut.errors import LostWorkers
from steadycut.io.process import end_with

Task = TypeVar("Task")
Result = TypeVar("Result")
Work: TypeAlias = Callable[[Any, Task], Result]
Results: TypeAlias = Generator[tuple[int, Result], None, None]

LOST = (
    "the refits lost their workers: a worker process was killed. Often memory runs out: use fewer "
    "workers. With a checkpoint the next fit continues from here."
)


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
        Number of processes.

    Raises
    ------
    LostWorkers
        If a worker died.
    """
    parallel = Parallel(n_jobs, return_as="generator_unordered" if _can_stream() else "list")
    run = partial(_numbered, os.getpid(), function, shared)
    results = iter(parallel(delayed(run)(*task) for task in tasks.items()))
    try:
        for result in results:  # noqa: UP028 - so that closing this does not close joblib's at once
            yield result
    except TerminatedWorkerError:
        raise LostWorkers(LOST) from None
    finally:
        with warnings.catch_warnings():
            # These are about cancelled tasks, which are expected here.
            warnings.simplefilter("ignore")
            getattr(results, "close", lambda: None)()


def _numbered(
    parent: int, function: Work[Task, Result], shared: Any, number: int, task: Task
) -> tuple[int, Result]:
    end_with(parent)
    return number, function(shared, task)


def _can_stream() -> bool:
    """Whether results come one by one; multiprocessing returns them all at the end."""
    backend, _ = get_active_backend()
    return isinstance(backend, SequentialBackend) or backend.supports_return_generator
