"""What pip-audit answers, in a few lines, and silence of the service is no good news."""

import json

import pytest

from scripts.audit_pins import UNREACHED, judge


def answer(*packages):
    return json.dumps({"dependencies": list(packages), "fixes": []})


FINE = {"name": "a", "version": "1", "vulns": []}
WEAK = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
OPEN = {"name": "c", "version": "2", "vulns": [{"id": "PYSEC-2", "fix_versions": []}]}
SKIPPED = {"name": "d", "skip_reason": "not found"}


@pytest.mark.parametrize("said", ["", "no json", "[]", "null", answer(), answer(SKIPPED, SKIPPED)])
def test_a_service_that_does_not_answer_is_a_failure(said):
    assert judge(said) == ([UNREACHED], 2)


def test_weaknesses_are_listed():
    assert judge(answer(FINE, WEAK, OPEN, SKIPPED)) == (
        ["b 2: PYSEC-1, mended in 3", "c 2: PYSEC-2, mended in no version yet"],
        1,
    )


def test_all_must_be_looked_up():
    assert judge(answer(FINE, SKIPPED)) == (["1 packages could not be looked up: d."], 2)
    assert judge(answer(FINE, FINE)) == (["no known weakness in 2 pinned packages."], 0)
