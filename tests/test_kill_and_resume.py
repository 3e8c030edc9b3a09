"""Killed at random points and resumed, a run ends as if nobody had disturbed it."""

import pytest

from benchmarks.faults.kill_and_resume import WAYS, kill_and_resume


@pytest.mark.parametrize("way", WAYS)
def test_killed_runs_end_with_the_same_rule_and_leave_nothing(way, tmp_path):
    count = kill_and_resume(way, 5, tmp_path)
    assert count.wrong == ()
    assert count.killed == 5
    assert count.ended >= 1
