"""One thread for each model, whoever else is at work in the same process."""

import threading

from sklearn.utils.parallel import _get_threadpool_controller

from steadycut.estimators.threads import one_thread


def counts():
    return [one["num_threads"] for one in _get_threadpool_controller().info()]


def test_the_last_one_to_leave_ends_the_limit():
    before = counts()
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
