"""What a run stands on breaks: the old result stays, or the new one is whole."""

import errno
import shutil

import pytest

from benchmarks.trust import faults


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    for place in (folder, *folder.parents[:2]):
        place.chmod(0o755)
    return folder, faults.commands(folder)


@pytest.fixture(params=["over", "fresh"])
def bench(given, request, tmp_path):
    _, found = given
    return faults.Bench("apply", *found["apply"], tmp_path, fresh=request.param == "fresh")


def test_an_error_at_every_file_operation(bench):
    row = faults.error_at_every_operation([bench], (errno.ENOSPC, errno.EROFS))
    assert row.tried >= 6
    assert row.failed == 0


def test_a_kill_at_every_file_operation(bench):
    row = faults.kill_at_every_operation([bench])
    assert row.tried >= 3
    assert row.failed == 0


def test_no_room(bench):
    assert faults.no_room([bench], (0, 512)).failed == 0


def test_a_folder_that_may_not_be_written_to(given):
    folder, found = given
    bench = faults.Bench("read-only", *found["apply"], folder, fresh=False)
    assert faults.read_only([bench]).failed == 0


def test_two_runs_into_one_folder(tmp_path):
    assert faults.two_runs(tmp_path, 1).failed == 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
def test_a_lost_executor_of_spark(tmp_path):
    row = faults.lost_executors(tmp_path, 1, seed=0)
    assert (row.tried, row.failed) == (1, 0)


def test_a_lost_result_is_noticed(bench):
    out = bench.ready("broken")
    name = next(iter(bench.new))
    (out / name).write_bytes(bench.new[name][:-1])
    assert bench.lost(out)
    assert bench.lost(out, killed=True)
