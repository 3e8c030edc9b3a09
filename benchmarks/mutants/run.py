"""A plugin of pytest: collect the tests once, then fork a process for every mutant.

A process switches its mutant on and runs the tests that reach the mutated function, those of its
own module first, the quick ones before the slow ones, until one fails. It starts with nothing
cached. A test that takes far longer than without a mutant is ended, and counts as failed.

    pytest -p benchmarks.mutants.run --mutants mutants.txt --outcomes outcomes.txt tests src

With ``--cases N`` at most N cases of each parametrised test are run.

Each line of ``mutants.txt`` holds the name and the key of a mutant with a tab between; once one is
done ``outcomes.txt`` gets a line with how it ended and its key.
"""

import gc
import os
import pickle
import resource
import signal
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state

SURVIVED, KILLED = 0, 1
# Beyond its own tests a mutant meets others that reach it for this long at most.
OTHERS_SECONDS = 2.0
# A test may take so many times as long as without a mutant, and some seconds more.
SLOWER, MORE_SECONDS = 10, 3
MEMORY = 6 << 30

# Reproducible, and without the search for the smallest example; a loaded machine kills no mutant.
settings.register_profile(
    "mutants",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=25,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def pytest_addoption(parser):
    parser.addoption("--mutants", type=Path, required=True)
    parser.addoption("--outcomes", type=Path, required=True)
    parser.addoption("--processes", type=int, default=2)
    parser.addoption("--cases", type=int)


def pytest_collection_modifyitems(config, items):
    """Leave out the examples of the copies that mutmut makes of a function, and cases beyond N."""
    items[:] = [item for item in items if "__mutmut_" not in item.nodeid]
    if config.getoption("cases"):
        items[:] = few_cases(items, config.getoption("cases"))


def few_cases(items, n_cases):
    """Return at most so many items of each parametrised test, spread over all of them."""
    groups = {}
    for item in items:
        groups.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = (group[:: -(-len(group) // n_cases)] for group in groups.values())
    return [item for group in kept for item in group]


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    if session.testsfailed:
        msg = "Some tests cannot be collected; see above."
        raise RuntimeError(msg)
    option = session.config.getoption
    keys = dict(line.split("\t") for line in option("mutants").read_text().splitlines())
    tests = Tests(session.items, *in_child(lambda: without_mutant(session.items)))
    with option("outcomes").open("a") as file:
        for name, outcome in all_outcomes(tests, keys, option("processes")):
            print(outcome, keys[name], sep="\t", file=file, flush=True)
    return True


class Tests:
    """The tests, how long each takes, and which of them reach a function."""

    def __init__(self, items, seconds, reached):
        self.items, self.seconds, self.reached = items, seconds, reached

    def of(self, mutant):
        """Return the places of the tests for a mutant, in the order in which to run them."""
        function = mutant.partition("__mutmut_")[0]
        module = function.rpartition(".")[0].rpartition(".")[2]
        reaching = sorted(
            (self.seconds[place], place)
            for place in range(len(self.items))
            if function in self.reached[place]
        )
        own = [place for _, place in reaching if self._is_own(place, module)]
        return own + self._quick([place for _, place in reaching if place not in set(own)])

    def _is_own(self, place, module):
        return self.items[place].path.name in {f"{module}.py", f"test_{module}.py"}

    def _quick(self, places):
        spent, quick = 0.0, []
        for place in places:
            spent += self.seconds[place]
            if spent > OTHERS_SECONDS:
                break
            quick.append(place)
        return quick


def without_mutant(items):
    """Run every test: its seconds, and the functions that it reaches. All of them must pass."""
    set_mutant_under_test("stats")
    seconds, reached = [], []
    for item, following in pairwise([*items, None]):
        forget()
        start = time.process_time()
        if fails(item, following):
            msg = f"{item.nodeid} fails without any mutant."
            raise RuntimeError(msg)
        seconds.append(time.process_time() - start)
        reached.append(set(state()._stats))  # noqa: SLF001, mutmut has no other way
        state()._stats.clear()  # noqa: SLF001
    return seconds, reached


def forget():
    """Empty the caches of all functions: a test reaches what another one has called already."""
    ours = [module for name, module in sys.modules.items() if name.startswith("steadycut")]
    for value in {id(value): value for module in ours for value in vars(module).values()}.values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


def fails(item, following):
    from _pytest.runner import runtestprotocol

    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


def all_outcomes(tests, mutants, processes):
    """Yield (mutant, outcome): the way a forked process ended."""
    gc.freeze()
    running = {}
    for mutant in mutants:
        if len(running) == processes:
            yield finished(running)
        places = tests.of(mutant)
        if not places:
            yield mutant, "no test"
            continue
        running[fork(lambda: meet(tests, places, mutant))] = mutant  # noqa: B023, runs at once
    while running:
        yield finished(running)


def finished(running):
    pid, status = os.wait()
    code = os.waitstatus_to_exitcode(status)
    names = {SURVIVED: "survived", KILLED: "killed", -signal.SIGXCPU: "too slow"}
    return running.pop(pid), names.get(code, f"ended by {code}")


def fork(work):
    """Run ``work`` in a forked process, which ends with what it returns."""
    pid = os.fork()
    if pid:
        return pid
    code = KILLED
    try:
        code = work()
    finally:
        os._exit(code)


def meet(tests, places, mutant):
    """Switch the mutant on and run its tests until one fails."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, sys.stdout.fileno())
    os.dup2(quiet, sys.stderr.fileno())
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    set_mutant_under_test(mutant)
    for place, following in pairwise([*places, None]):
        limit_seconds(SLOWER * tests.seconds[place] + MORE_SECONDS)
        after = None if following is None else tests.items[following]
        if fails(tests.items[place], after):
            return KILLED
    return SURVIVED


def limit_seconds(more):
    """End this process, the hard way, once it has used so many more seconds of the processor."""
    limit = int(time.process_time() + more) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def in_child(work):
    """Return what ``work`` returns in a process of its own: it leaves nothing behind in ours."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(work(), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    if os.waitpid(pid, 0)[1]:
        msg = "The tests fail without any mutant; see above."
        raise RuntimeError(msg)
    return pickle.loads(answer)  # noqa: S301, our own process wrote it
