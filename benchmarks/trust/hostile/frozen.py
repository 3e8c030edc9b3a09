"""Frozen files with one absurd value each, hashed again: only their content can be refused."""

import copy
import json
from pathlib import Path

import numpy as np

from benchmarks.trust.hostile.watch import ANSWER, WRONG, outcome
from steadycut import CovariateRule, FrozenRule, StrataRule, __version__, audit
from steadycut.documents.canonical_json import content_hash, frozen_bytes
from steadycut.rule_reader import ENDS, with_ends

GOLDEN = Path(__file__).resolve().parents[3] / "tests/golden" / __version__
KINDS = {"rule": FrozenRule, "strata": StrataRule, "covariate": CovariateRule}
VALUES = (
    *(None, True, False, 0, 1, -1, 2, 0.5, -0.5, 1e-320, 1e300, -1e308, 10**20, -(10**20)),
    *("", "x", "mean", "nan", "a\nb", "\u0000", "quantile:2", "top-k:0", "é" * 300, "patient"),
    *([], [0], [1, 2, 3], ["a", "a"], [[0]], {}, {"a": 1}),
)
SCORES = np.array([-1e300, -3.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0, 5.0, 1e300])


def places(content, path=()):
    """Yield the way to every value of a document."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list) and value:
            yield from places(value, (*path, key))


def mutate(content, rng):
    """Return a document with one value replaced, left out, added, doubled or reversed."""
    changed = copy.deepcopy(content)
    ways = [way for way in places(changed) if way[0] not in {"sha256", "schema"}]
    *path, last = ways[int(rng.integers(len(ways)))]
    parent = changed
    for key in path:
        parent = parent[key]
    old, how = parent[last], int(rng.integers(6))
    if how == 0 and isinstance(old, int | float) and not isinstance(old, bool):
        parent[last] = float(old) * float(rng.choice([-1, 0.5, 2, 1e10, -1e-10])) + float(
            rng.normal()
        )
    elif how == 1 and isinstance(old, list):
        parent[last] = old[::-1] if rng.random() < 0.5 else old * int(rng.integers(2, 4))
    elif how == 2:
        del parent[last]
    elif how == 3 and isinstance(parent, dict):
        parent["extra"] = old
    else:
        parent[last] = copy.deepcopy(VALUES[int(rng.integers(len(VALUES)))])
    return changed


def judge_mutant(rng, folder):
    """Mutate a frozen file, hash it again and use it: it is refused, or decides as it says."""
    paths = sorted(path for path in GOLDEN.glob("*.json") if path.stem.partition("-")[0] in KINDS)
    path = paths[int(rng.integers(len(paths)))]
    content = mutate(json.loads(path.read_bytes()), rng)
    content["sha256"] = content_hash(content)
    written = folder / "frozen.json"
    written.write_bytes(frozen_bytes(content))
    kind = path.stem.partition("-")[0]
    return outcome(lambda: use(kind, written, content)), (path.name, content)


def use(kind, path, content):
    """Load a file and decide with it; a rule by plain reading too."""
    rule = KINDS[kind].load(path)
    if kind != "rule" or content.get("ensemble"):
        return None
    called = rule.decide_scores(SCORES)
    high = content["direction"] == "ge"
    cut = with_ends(ENDS, content["threshold"])
    plain = cut <= SCORES if high else cut >= SCORES
    if not np.array_equal(called.astype(bool), plain):
        return WRONG
    rule.flip_probability(SCORES)
    audit(rule, SCORES, np.arange(SCORES.size) % 2, force=True).to_dict()
    audit(rule, SCORES, force=True).to_dict()
    return ANSWER
