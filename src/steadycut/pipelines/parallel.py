"""A function over many items in threads, results in order, few of them waiting at a time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int
) -> Iterator[Result]:
    """Yield ``function(item)`` in the order of the items.

    At most ``2 * n_jobs`` results exist at a time, so that memory does not grow with the number
    of items. The first error ends everything and is raised.

    Examples
    --------
    >>> list(map_in_order(abs, [-3, 1, -2], 2))
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
