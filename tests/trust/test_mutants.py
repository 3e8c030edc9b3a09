"""What is a mutant of core and what is not, and that the tests notice a fixed few of them."""

import pytest

pytest.importorskip("resource", reason="mutants are run in forked processes")

from benchmarks.mutants.make import mutate
from benchmarks.trust.mutants import (
    CERTIFYING,
    equivalent,
    misjudged,
    outcomes,
    read_log,
    rows,
    unnoticed,
)

MODULE = '''
LIMIT = 3

class Record:
    @property
    def size(self):
        """How many."""
        return self.n + 1

def allowed(name: str, value: float) -> float:
    if value < LIMIT:
        msg = f"{name} must be at least {LIMIT + 1}" "or so"
        raise ValueError(msg)
    check_choice("form", value)
    return [a for a, b in zip(value, value, strict=True)]
'''


def keys_of(source):
    return [mutant.key for mutant in mutate("steadycut.core.tiny", source)[1]]


def test_conditions_and_properties_are_mutated():
    keys = keys_of(MODULE)
    assert "tiny.allowed: if value < LIMIT: -> if value <= LIMIT:" in keys
    assert "tiny.Record.size: return self.n + 1 -> return self.n - 1" in keys
    assert 'tiny.allowed: check_choice("form", value) -> check_choice("form", None)' in keys


def test_texts_strictness_and_constants_are_not():
    changes = [key.partition(": ")[2] for key in keys_of(MODULE)]
    assert not [change for change in changes if "msg" in change or "LIMIT = " in change]
    assert not [change for change in changes if "FORM" in change or "check_choice(None" in change]
    assert all(
        "strict=True" in change.partition(" -> ")[2] for change in changes if "zip" in change
    )


def test_the_mutated_module_does_what_it_did_until_a_mutant_is_switched_on():
    code, mutants = mutate("tiny", "def twice(x):\n    return 2 * x\n")
    names = {"__name__": "tiny"}
    exec(code, names)  # noqa: S102, what mutmut wrote
    assert names["twice"](3) == 6
    (name,) = (one.name for one in mutants if one.key.endswith("return 2 / x"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUTANT_UNDER_TEST", name)
        assert names["twice"](4) == 0.5


def test_one_change_made_twice_has_two_keys():
    keys = keys_of("def f(a):\n    a = a + 1\n    a = a + 1\n    return a\n")
    assert len(set(keys)) == len(keys)
    assert "tiny.f: a = a + 1 -> a = a - 1 (2)" in keys


def test_modules_of_one_name_are_counted_apart():
    modules = "steadycut.core.certify", "steadycut.core.strata.certify"
    keys = [mutate(one, "def f(a):\n    return a + 1\n")[1][0].key for one in modules]
    assert [key.partition(":")[0] for key in keys] == ["certify.f", "strata/certify.f"]
    found = rows(dict.fromkeys(keys, "killed"))
    assert [row.what.split()[2] for row in found] == ["core/certify.py", "core/strata/certify.py"]


def test_equivalent_mutants_are_counted_apart(monkeypatch):
    monkeypatch.setattr("benchmarks.trust.mutants.equivalent", lambda: {"x.f: a -> b": "a is b"})
    ended = {"x.f: a -> b": "survived", "x.f: c -> d": "survived", "x.g: c -> d": "killed"}
    (row,) = rows(ended)
    assert (row.tried, row.failures) == (2, {"survived": 1})
    assert "1 equivalent" in row.what
    assert unnoticed(ended) == ["x.f: c -> d"]
    assert misjudged(ended) == []
    assert misjudged({"x.f: a -> b": "killed"}) == ["x.f: a -> b"]


def test_a_log_knows_how_a_mutant_ended_first_and_last(tmp_path):
    log = tmp_path / "log.txt"
    log.write_text("survived\ta\nkilled\tb\nkilled\ta\n")
    assert read_log(log) == {"a": "killed", "b": "killed"}
    assert read_log(log, first=True) == {"a": "survived", "b": "killed"}


def test_every_equivalent_mutant_has_a_reason():
    assert all(equivalent().values())


def test_no_mutant_of_the_fixed_sample_survives():
    ended = outcomes(CERTIFYING, quick=True)
    assert unnoticed(ended) == []
    assert misjudged(ended) == []
    assert sum(row.tried for row in rows(ended)) >= 40
