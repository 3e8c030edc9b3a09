"""Threads and processes give results in order."""

import threading

import pytest

from steadycut.pipelines.parallel import map_in_threads


def test_map_in_threads_keeps_few_results():
    alive, most, lock = [0], [0], threading.Lock()

    def work(item):
        with lock:
            alive[0] += 1
            most[0] = max(most[0], alive[0])
        return item

    seen = []
    for item in map_in_threads(work, range(100), 3):
        with lock:
            alive[0] -= 1
        seen.append(item)
    assert seen == list(range(100))
    assert most[0] <= 7


def test_map_in_threads_raises_the_first_error():
    with pytest.raises(ZeroDivisionError):
        list(map_in_threads(lambda item: 1 // item, [1, 0, 2, 3, 4, 5], 2))
