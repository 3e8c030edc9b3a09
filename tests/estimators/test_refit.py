"""Refits that tell how far they are, that go on after a stop, and that end when told to."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from steadycut import StableThresholdClassifier
from steadycut.errors import BadCheckpoint, BadOption, LostWorkers
from steadycut.io.checkpoint import HEADER, LOCK
from tests.estimators.failing import Deadly
from tests.estimators.spies import Spy, patient_rows

REPOSITORY = Path(__file__).resolve().parent.parent.parent
N_REPLICATES = 6


def build(estimator=None, **options):
    scorer = LogisticRegression() if estimator is None else estimator
    fixed = {"n_bootstrap": N_REPLICATES, "cv": 2, "random_state": 0}
    return StableThresholdClassifier(scorer, **(fixed | options))


def draws(model):
    return model.study_.chosen.draws.thresholds.tobytes()


def n_steps(folder):
    return len(list(folder.glob("replicate-*.npz")))


class Stop:
    """Interrupts the fit once so many replicates are done."""

    def __init__(self, after):
        self.after = after

    def __call__(self, text, done, total):
        if done == self.after:
            raise KeyboardInterrupt


@pytest.fixture
def rows():
    return patient_rows()


@pytest.fixture(scope="module")
def whole():
    return build().fit(*patient_rows())


# Progress.


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_counts_the_replicates(rows, whole, n_jobs):
    told = []
    model = build(progress=lambda *what: told.append(what), n_jobs=n_jobs).fit(*rows)
    assert told == [("refits", done, N_REPLICATES) for done in range(N_REPLICATES + 1)]
    assert draws(model) == draws(whole)


def test_progress_on_stderr_says_nothing_in_the_log_of_a_quick_fit(rows, capsys):
    build(progress=True).fit(*rows)
    build(progress=False).fit(*rows)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("progress", ["yes", 1])
def test_progress_that_cannot_be_told_is_refused(rows, progress):
    with pytest.raises(BadOption, match="progress must be None, True or a function; got"):
        build(progress=progress).fit(*rows)


# A checkpoint.


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_stopped_fit_goes_on_to_the_same_bits(rows, whole, tmp_path, n_jobs):
    with pytest.raises(KeyboardInterrupt):
        build(checkpoint=tmp_path, progress=Stop(4), n_jobs=n_jobs).fit(*rows)
    assert n_steps(tmp_path) == 4
    told = []
    model = build(checkpoint=str(tmp_path), progress=lambda *what: told.append(what[1]))
    model.fit(*rows)
    assert told == [4, 5, 6]
    assert draws(model) == draws(whole)
    assert model.study_.freeze().to_bytes() == whole.study_.freeze().to_bytes()
    assert model.n_redrawn_ == whole.n_redrawn_
    kept = sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".npz")
    assert kept == [LOCK, HEADER]


def test_what_is_done_is_not_fitted_again(rows, tmp_path):
    log = []
    build(Spy(log), checkpoint=tmp_path).fit(*rows)
    n_fits = sum(what == "fit" for what, *_ in log)
    # The log is a part of the estimator, which must be the same.
    log.clear()
    build(Spy(log), checkpoint=tmp_path).fit(*rows)
    assert sum(what == "fit" for what, *_ in log) == n_fits - N_REPLICATES * 2


@pytest.mark.parametrize(
    ("told", "change"),
    [
        ("estimator", {"estimator": LogisticRegression(C=2.0)}),
        ("options", {"cv": 3}),
        ("options", {"n_bootstrap": 7}),
        ("options", {"rule": "erm"}),
        ("aggregate", {"aggregate": "max"}),
        ("aggregate", {"aggregate": np.ptp}),
        ("seed", {"random_state": 1}),
    ],
)
def test_a_checkpoint_of_other_options_is_refused(rows, tmp_path, told, change):
    build(checkpoint=tmp_path).fit(*rows)
    with pytest.raises(BadCheckpoint, match=f"of another study: {told} differs"):
        build(checkpoint=tmp_path, **change).fit(*rows)


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_checkpoint_of_other_data_is_refused(rows, tmp_path, part):
    build(checkpoint=tmp_path).fit(*rows)
    changed = [one.copy() for one in rows]
    if part == 1:
        changed[part][:3] = 1 - changed[part][:3]
    else:
        changed[part][rows[2] == 39] += 1
    with pytest.raises(BadCheckpoint, match="of another study: data differs"):
        build(checkpoint=tmp_path).fit(*changed)


def test_other_versions_are_refused(rows, tmp_path, monkeypatch):
    build(checkpoint=tmp_path).fit(*rows)
    monkeypatch.setattr(np, "__version__", "0.1")
    with pytest.raises(BadCheckpoint, match="of another study: versions differs"):
        build(checkpoint=tmp_path).fit(*rows)


def test_the_same_data_in_another_place_are_the_same(rows, whole, tmp_path):
    X, y, groups = rows
    np.save(tmp_path / "rows.npy", X)
    build(checkpoint=tmp_path / "kept").fit(X, y, groups)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert draws(build(checkpoint=tmp_path / "kept").fit(mapped, y, groups)) == draws(whole)


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(0)])
def test_a_checkpoint_without_a_seed_is_refused(rows, tmp_path, random_state):
    with pytest.raises(BadOption, match="a checkpoint needs a whole number as random_state"):
        build(checkpoint=tmp_path / "a", random_state=random_state).fit(*rows)
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_that_is_no_path_is_refused(rows):
    with pytest.raises(BadOption, match="checkpoint must be None or the path of a folder; got 3"):
        build(checkpoint=3).fit(*rows)


def test_what_cannot_be_known_again_is_refused(rows, tmp_path):
    scorer = LogisticRegression()
    scorer.kept = lambda: None
    with pytest.raises(BadCheckpoint, match="must recognise estimator"):
        build(scorer, checkpoint=tmp_path / "a").fit(*rows)


def test_a_checkpoint_holds_no_identifier(rows, tmp_path):
    X, y, groups = rows
    build(checkpoint=tmp_path).fit(X, y, [f"smith-{one}" for one in groups])
    assert not any(b"smith" in path.read_bytes() for path in tmp_path.iterdir())


# Workers that die, and runs that are told to end.


def test_a_killed_worker_is_named_as_the_cause(rows):
    with pytest.raises(LostWorkers, match="a worker process was killed") as caught:
        build(Deadly(), n_jobs=2).fit(*rows)
    assert "\n" not in str(caught.value)


def test_a_backend_that_gives_all_at_its_end_gives_the_same(rows, whole):
    with joblib.parallel_config("multiprocessing", n_jobs=2):
        assert draws(build().fit(*rows)) == draws(whole)


INTERRUPTED = """
import sys, time
from sklearn.linear_model import LogisticRegression
from steadycut import StableThresholdClassifier
from tests.estimators.spies import patient_rows

class Slow(LogisticRegression):
    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)

def tell(text, done, total):
    print(done, flush=True)

model = StableThresholdClassifier(
    Slow(), cv=2, n_bootstrap=10_000, n_jobs=int(sys.argv[1]), random_state=0, progress=tell
)
try:
    model.fit(*patient_rows())
except KeyboardInterrupt:
    sys.exit(130)
"""


def others_in_group(group):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            found.append(stat.parent.name)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc, as Linux has it")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_a_fit_and_its_workers(n_jobs):
    command = [sys.executable, "-c", INTERRUPTED, str(n_jobs)]
    path = os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY)])
    fit = subprocess.Popen(
        command,
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while int(fit.stdout.readline()) < 3:
        pass
    # As a terminal does it: to the process and to its workers.
    os.killpg(fit.pid, signal.SIGINT)
    _, errors = fit.communicate()
    assert fit.returncode == 130
    # Python says by itself where the signal fell into a callback of a weak reference.
    assert errors.partition("Exception ignored in")[0] == ""
    # The resource tracker of loky is the last one to go.
    for _ in range(200):
        if not others_in_group(fit.pid):
            break
        time.sleep(0.05)
    assert others_in_group(fit.pid) == []
