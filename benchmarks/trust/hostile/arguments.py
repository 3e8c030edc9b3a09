"""Every argument of the public functions, found by their signatures, with values nobody means."""

import inspect
import math
from decimal import Decimal
from typing import get_type_hints

import numpy as np

import steadycut
from benchmarks.trust.hostile.watch import ANSWER, REFUSED, TRACEBACK, outcome

N = 24
LABELS = np.arange(N) % 2
SCORES = np.random.default_rng(0).normal(size=N) + 2 * LABELS
# A flag of the caller's own, or work in other processes.
LEFT_OUT = frozenset({"progress", "options"})


def _fails(*_):
    raise RuntimeError


def patients(site="A"):
    names = [f"{site}{i}" for i in range(N)]
    return steadycut.PatientScores(
        scores=SCORES, labels=LABELS, patients=names, sites=[site, site * 2] * (N // 2)
    )


def values():
    """Return values of all kinds; new ones, since some can be used up."""
    cohort = patients()
    return [
        *(None, True, False, 0, 1, -1, 2, 3.5, -0.5, 0.5, math.nan, math.inf, -math.inf, 1e308),
        *(1e-308, 5e-324, 10**30, -(10**30), 10**400, 10**5000, 1 + 2j, "", "x", "nan", "a:b"),
        *("\0", "ü", "1e5", b"x", [], [1], [1, 2], [0.1, 0.2], (), (0.2, 0.1), (0.1, 0.2), {}),
        *({"a": 1}, set(), object(), np.array([]), np.array([1.0]), np.array([[1.0]]), range(3)),
        *(np.full(N, np.nan), np.zeros(N), np.array(["a"] * N), np.full(N, None), np.float32(0.5)),
        *(np.int64(3), np.bool_(1), np.datetime64("2020"), Decimal("0.5"), int, [None], ["a", "b"]),
        *([math.nan] * N, [[1, 2], [3]], iter([1, 2]), Ellipsis, cohort, [cohort], {"a": cohort}),
        *(np.ma.masked_array(SCORES, mask=np.arange(N) < 2), np.arange(N).astype("m8[s]")),
        *(cohort.take(np.array([], dtype=int)), np.array([1j] * N), _fails, lambda *_: 1j),
    ]


def good():
    """Return a call of each public function that works."""
    cohort, few = patients(), {"n_bootstrap": 2}
    rule = steadycut.fit(cohort, **few).freeze()
    return {
        "fit": {"patients": cohort, **few},
        "certify": {"scores": SCORES, "y": LABELS, "threshold": 1.0},
        "audit": {"rule": rule, "patients": SCORES, "y": LABELS, "force": True},
        "compare": {"internal": cohort, "external": patients("B"), "rules": ["erm"], **few},
        "plan": {"risk": 0.1, "width": 0.1},
        "monitor": {"rule": rule, "patients": SCORES, "y": LABELS, "force": True},
        "operating_point": {"patients": SCORES, "y": LABELS, "threshold": 1.0},
        "fit_strata": {"patients": cohort, "costs": [[0, 1, 3], [3, 1, 0]], **few},
        "fit_by_covariate": {"patients": cohort, "covariate": ["a", "b"] * (N // 2), **few},
        "aggregate": {"source": {"p": ["a", "b"], "s": [1, 2]}, "patient": "p", "score": "s"},
        "PatientScores": {"scores": SCORES, "labels": LABELS},
    }


def calls(n_values=None, rng=None):
    """Yield (what, call) for every argument with every value, or with some drawn ones."""
    for name, given in good().items():
        function = getattr(steadycut, name)
        for parameter in sorted(names_of(function) - LEFT_OUT):
            tried = values()
            some = range(len(tried)) if n_values is None else rng.choice(len(tried), n_values)
            for value in (tried[i] for i in some):
                yield (name, parameter, _told(value)), (function, {**given, parameter: value})


def names_of(function):
    """Return the names of all arguments, also of those that a typed dict lists."""
    names = dict(inspect.signature(function).parameters)
    for name, parameter in list(names.items()):
        if parameter.kind is parameter.VAR_KEYWORD:
            del names[name]
            names |= get_type_hints(parameter.annotation.__args__[0])
    return set(names)


def _told(value):
    return type(value).__name__ if isinstance(value, int) else repr(value)[:80]


def judge_call(call):
    """Run a call; a TypeError says what Python itself would, and a user's own error is his."""
    function, given = call
    kind, text = outcome(lambda: function(**given))
    if kind == TRACEBACK and text.rstrip().splitlines()[-1].startswith(
        ("TypeError", "RuntimeError")
    ):
        return REFUSED, text
    return (kind, None) if kind == ANSWER else (kind, text)
