"""A function over many items, in threads or processes; the results come in order."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from steadycut.io.process import end_with

Item = TypeVar("Item")
Result = TypeVar("Result")
# Works like the builtin ``map``.
Spread = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]


@contextmanager
def threads(n_jobs: int) -> Iterator[Spread]:
    """Start threads and yield what works like ``map`` in them; several threads may use it.

    At most ``2 * n_jobs`` results of one call exist at a time, so memory does not grow with the
    number of items. The first error is raised, and what has not started by then never does.

    Examples
    --------
    >>> with threads(2) as spread:
    ...     list(spread(abs, [-3, 1, -2]))
    [3, 1, 2]
    """
    if n_jobs == 1:
        yield map
        return
    pool = ThreadPoolExecutor(n_jobs)
    try:
        yield partial(_map_in, pool, 2 * n_jobs)
    finally:
        pool.shutdown(cancel_futures=True)


def _map_in(
    pool: ThreadPoolExecutor, most: int, function: Callable[[Item], Result], items: Iterable[Item]
) -> Iterator[Result]:
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) >= most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def map_in_processes(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int
) -> Iterator[Result]:
    """Yield ``function(item)`` in the order of the items, computed in processes.

    The processes end if this one is killed.
    """
    if n_jobs == 1:
        yield from map(function, items)
        return
    import joblib

    pool = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
    work = partial(_work, function, os.getpid())
    yield from pool(joblib.delayed(work)(item) for item in items)


def _work(function: Callable[[Item], Result], parent: int, item: Item) -> Result:
    end_with(parent)
    return function(item)
