"""Somebody else on the same machine can neither be let in nor stop a command."""

import os

import pytest

from benchmarks.trust import doors


@pytest.mark.parametrize("command", ["apply", "monitor", doors.READER])
def test_an_unsigned_rule_never_decides(tmp_path, command):
    row = doors.swapped(tmp_path, 2, (command,))
    assert (row.tried, row.failed) == (4, 0)


@pytest.mark.parametrize("case", [0, 3, 12, 26])
def test_pipes_are_not_waited_for(tmp_path, case):
    row = doors.pipes(tmp_path, slice(case, case + 1))
    assert (row.tried, row.failed) == (2, 0)


def test_permissions_and_links_stay(tmp_path):
    row = doors.replaced(tmp_path, [0o600, 0o660])
    assert (row.tried, row.failed) == (8, 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only the root user can be several users")
def test_files_of_others_stay(tmp_path):
    row = doors.of_others(tmp_path, [0o640])
    assert (row.tried, row.failed) == (72, 0)
