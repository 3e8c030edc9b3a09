"""Refits on a Dask cluster of two processes: the same bytes, and what becomes of lost workers."""

import time
from contextlib import contextmanager

import dask
import joblib
import pytest
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context
from sklearn.linear_model import LogisticRegression

from steadycut.errors import LostWorkers
from steadycut.estimators import workers
from tests.estimators.failing import Deadly
from tests.estimators.spies import patient_rows
from tests.estimators.test_refit import N_REPLICATES, Stop, build, draws, n_steps


@pytest.fixture(scope="module", autouse=True)
def quick_workers():
    """Fork workers from one process that has imported all; give up a task that killed two."""
    with dask.config.set(
        {
            "distributed.worker.multiprocessing-method": "forkserver",
            "distributed.scheduler.allowed-failures": 1,
        }
    ):
        loaded = ["distributed", "sklearn.linear_model", "steadycut.estimators.classifier"]
        get_mp_context().set_forkserver_preload(loaded)
        yield


@contextmanager
def cluster_of_two():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with cluster_of_two() as client:
        yield client


@pytest.fixture
def on_dask(client):
    with joblib.parallel_config("dask"):
        yield client


@pytest.fixture
def doomed():
    """A cluster for one test, which may kill its workers."""
    with cluster_of_two() as client, joblib.parallel_config("dask"):
        yield client


@pytest.fixture
def rows():
    return patient_rows()


@pytest.fixture(scope="module")
def here():
    return build().fit(*patient_rows())


def test_a_cluster_gives_the_same_bytes(on_dask, rows, here):
    told = []
    model = build(progress=lambda *what: told.append(what[1])).fit(*rows)
    assert draws(model) == draws(here)
    assert model.study_.freeze().to_bytes() == here.study_.freeze().to_bytes()
    assert told == list(range(N_REPLICATES + 1))


def test_rows_of_choosing_patients_travel_once_to_each_worker(on_dask, rows, monkeypatch):
    shipped, scatter = [], on_dask.scatter

    def watch(data, **options):
        shipped.append((data, options["broadcast"]))
        return scatter(data, **options)

    monkeypatch.setattr(on_dask, "scatter", watch)
    model = build().fit(*rows)
    [(refit, broadcast)] = shipped
    choosing = model.study_.patients.patients[model.study_.roles.select].astype(int)
    assert broadcast
    assert set(refit.instances.X[:, 0].astype(int)) == set(choosing.tolist())
    assert refit.instances.y.size == refit.instances.rows.size == 3 * choosing.size


def test_settings_of_sklearn_travel_along(on_dask, rows, here):
    from sklearn import config_context

    with config_context(assume_finite=True):
        assert draws(build().fit(*rows)) == draws(here)


@pytest.mark.parametrize("stopped", [False, True])
def test_nothing_stays_on_the_cluster(on_dask, rows, stopped):
    if stopped:
        with pytest.raises(KeyboardInterrupt):
            build(progress=Stop(2), n_bootstrap=200).fit(*rows)
    else:
        build().fit(*rows)
    for _ in range(100):
        kept = on_dask.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        if not kept:
            break
        time.sleep(0.05)
    assert kept == 0


def test_a_worker_that_is_lost_in_the_middle_is_survived(doomed, rows, here, tmp_path):
    model = build(Deadly(str(tmp_path / "killed")), n_bootstrap=N_REPLICATES)
    model.fit(*rows)
    assert (tmp_path / "killed").exists()
    assert draws(model) == draws(here)


def test_workers_killed_in_turn_are_reported(doomed, rows, tmp_path):
    with pytest.raises(LostWorkers, match=r"the refits lost their workers: .* (killed|gone)"):
        build(Deadly(), checkpoint=tmp_path).fit(*rows)
    assert n_steps(tmp_path) == 0


def test_an_error_of_the_scorer_is_its_own(on_dask, rows):
    with pytest.raises(ValueError, match="solver"):
        build(LogisticRegression(solver="none")).fit(*rows)


def test_a_cluster_without_workers_is_not_waited_for_for_ever(rows, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 0.2)
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        Client(cluster),
        joblib.parallel_config("dask"),
        pytest.raises(LostWorkers, match="has had no worker for"),
    ):
        build().fit(*rows)


def test_a_cluster_that_loses_all_its_workers_is_reported(rows, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 0.5)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
        joblib.parallel_config("dask"),
    ):

        def lose_all(text, done, total):
            if done == 1:
                cluster.scale(0)

        with pytest.raises(LostWorkers, match=r"no worker|gone|killed"):
            build(progress=lose_all, n_bootstrap=500).fit(*rows)
