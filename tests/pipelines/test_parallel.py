"""Threads and processes give results in order."""

import threading

import pytest

from steadycut.pipelines.parallel import threads


def test_threads_keep_few_results():
    alive, most, lock = [0], [0], threading.Lock()

    def work(item):
        with lock:
            alive[0] += 1
            most[0] = max(most[0], alive[0])
        return item

    seen = []
    with threads(3) as spread:
        for item in spread(work, range(100)):
            with lock:
                alive[0] -= 1
            seen.append(item)
    assert seen == list(range(100))
    assert most[0] <= 7


def test_threads_raise_the_first_error():
    with pytest.raises(ZeroDivisionError), threads(2) as spread:
        list(spread(lambda item: 1 // item, [1, 0, 2, 3, 4, 5]))
