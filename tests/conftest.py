"""Settings for every test."""

import gc
import os
import signal
from contextlib import suppress

import pytest
from hypothesis import settings

# A shell ignores Ctrl-C for what it starts in the background, and every process below inherits
# that: the workers of pytest, and the commands that the tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The processes of pytest share the cores already: more threads of BLAS only wait for each other.
# The variable counts for what is loaded later and for commands that tests start; numpy is here.
os.environ.setdefault("OMP_NUM_THREADS", "1")
with suppress(ImportError):
    from threadpoolctl import threadpool_limits

    threadpool_limits(int(os.environ["OMP_NUM_THREADS"]))

# A test does not fail because the machine is busy.
settings.register_profile("steadycut", deadline=None)
settings.load_profile("steadycut")

# One process runs all tests of a file, because they share what is slow to make. These folders share
# too; the groups that take longest start first, so that no process ends long after the other.
TOGETHER = (
    *("tests/browser/", "tests/app/", "tests/show/", "tests/docs/"),
    *("test_spark.py", "test_camelyon.py", "test_leaks.py", "test_mutants.py"),
    # Workers that were started for one fit serve the next.
    "tests/estimators/",
)
# Tests that share nothing, and are many.
APART = ("tests/validity/", "tests/cli/test_errors.py")


def group_of(nodeid):
    """Return the name of the group of tests that one process runs."""
    file = nodeid.partition("::")[0]
    if any(name in file for name in APART):
        return nodeid
    return next((name for name in TOGETHER if name in file), file)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage while tests are collected, and not in what they imported: it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Put the long groups first; the others keep their order."""
    places = {name: place for place, name in enumerate(TOGETHER)}
    items.sort(key=lambda item: places.get(group_of(item.nodeid), len(places)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Do what ``--dist loadgroup`` should do; xdist 3.8 cannot name groups under pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group_of(nodeid)

    config.option.loadscopereorder = False
    return ByGroup(config, log) if config.getvalue("dist") == "loadgroup" else None
