"""A function over many items, in threads or processes; the results come in order."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from steadycut.io.process import end_with

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int
) -> Iterator[Result]:
    """Yield ``function(item)`` in the order of the items, computed in threads.

    At most ``2 * n_jobs`` results exist at a time, so memory does not grow with the number of
    items. The first error stops all work and is raised.

    Examples
    --------
    >>> list(map_in_threads(abs, [-3, 1, -2], 2))
    [3, 1, 2]
    """
    if n_jobs == 1:
        yield from map(function, items)
        return
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) >= 2 * n_jobs:
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
