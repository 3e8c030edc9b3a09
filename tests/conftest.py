"""Settings for every test."""

import signal

import pytest
from hypothesis import settings

# A shell ignores Ctrl-C for what it starts in the background, and every process below inherits
# that: the workers of pytest, and the commands that the tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A test does not fail because the machine is busy.
settings.register_profile("steadycut", deadline=None)
settings.load_profile("steadycut")

# One worker of pytest gets all tests of each of these: Spark, Dask and a browser start slowly, and
# the others share what one long run made or drew.
TOGETHER = (
    *("test_spark.py", "test_dask.py", "tests/browser/"),
    *("test_camelyon.py", "test_mimic_ecg.py", "test_leaks.py"),
    *("tests/show/test_html.py", "tests/show/figures/"),
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Do what ``--dist loadgroup`` should do; xdist 3.8 cannot name groups under pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    class ByTestOrTogether(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            return next((name for name in TOGETHER if name in file), nodeid)

    return ByTestOrTogether(config, log) if config.getvalue("dist") == "loadgroup" else None
