"""One thread for each model, whoever else is at work in the same process."""

import threading

import pytest
from sklearn.utils.parallel import _get_threadpool_controller
from threadpoolctl import threadpool_limits

from steadycut.estimators.threads import one_thread


def counts():
    return [one["num_threads"] for one in _get_threadpool_controller().info()]


@pytest.fixture(autouse=True)
def two_threads():
    """The tests run with one thread; here is something to limit."""
    with threadpool_limits(2):
        yield


def test_the_last_one_to_leave_ends_the_limit():
    before = counts()
    assert max(before) > 1
    entered, leave = threading.Event(), threading.Event()

    def other():
        with one_thread():
            entered.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with one_thread():
        thread.start()
        entered.wait()
        leave.set()
        thread.join()
        assert set(counts()) <= {1}
    assert counts() == before
