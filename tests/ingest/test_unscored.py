"""Patients of whom no row has a score are kept, if something says what is done to them."""

import numpy as np
import pytest

from steadycut import aggregate, fit
from steadycut.errors import MissingScores
from steadycut.ingest import make_request, read_patients

ROWS = {
    "id": ["c", "c", "a", "b", "b", "d"],
    "slide": ["1", "2", "1", "1", "1", "1"],
    "s": [0.5, 0.25, None, 1.0, 2.0, float("nan")],
    "ill": [1, 1, 0, 0, 0, 1],
    "site": ["x", "x", "y", "y", "y", "x"],
    "day": [5, 6, 1, 3, 3, 2],
}
NAMES = {"patient": "id", "score": "s", "label": "ill"}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_they_stand_among_the_others_in_the_order_of_the_names(engine):
    patients = aggregate(
        ROWS, **NAMES, site="site", unscored="call", levels=["slide:max"], engine=engine
    )
    assert patients.patients.tolist() == ["a", "b", "c", "d"]
    assert np.isnan(patients.scores).tolist() == [True, False, False, True]
    assert patients.scored.scores.tolist() == [2.0, 0.375]
    assert patients.labels.tolist() == [0, 0, 1, 1]
    assert patients.sites.tolist() == ["y", "y", "x", "x"]
    assert patients.n_instances.tolist() == [0, 2, 2, 0]
    assert patients.n_units.tolist() == [0, 1, 2, 0]
    assert patients.recipe.unscored == "call"


def test_rows_arrive_in_order_and_clusters_are_those_of_patients_with_a_score():
    request = make_request(**NAMES, unscored="leave", order="day", clusters=True)
    table = read_patients(request, ROWS)
    assert table.order.tolist() == [0, 2, 3, 1]
    assert table.dropped.rows == table.dropped.patients == 0
    assert table.clusters == {"s": None}


def test_dropped_patients_are_counted_by_class():
    request = make_request(**NAMES, missing="drop")
    dropped = read_patients(request, ROWS).dropped
    assert (dropped.rows, dropped.patients, dropped.positive) == (2, 2, 1)
    without = read_patients(make_request(patient="id", score="s", missing="drop"), ROWS).dropped
    assert without.positive is None


def test_no_patient_with_a_score_is_refused():
    nothing = {**ROWS, "s": [None] * 6}
    with pytest.raises(MissingScores, match="no row has a usable score"):
        aggregate(nothing, **NAMES, unscored="call")


def test_fit_takes_a_table_with_a_policy():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 100)
    scores = np.where(rng.random(100) < 0.2, np.nan, rng.normal(size=100) + 2 * labels)
    rows = {"id": [f"{n:03d}" for n in range(100)], "s": scores, "ill": labels}
    study = fit(rows, **NAMES, unscored="leave", n_bootstrap=20)
    assert study.certificate.n_patients == 50
    assert study.patients.n_unscored == np.isnan(scores).sum()
    with pytest.raises(MissingScores):
        fit(rows, **NAMES, n_bootstrap=20)


def test_a_rule_reads_them_as_it_says():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 100)
    scores = np.where(rng.random(100) < 0.2, np.nan, rng.normal(size=100) + 2 * labels)
    rows = {"id": [f"{n:03d}" for n in range(100)], "s": scores, "ill": labels}
    rule = fit(rows, **NAMES, unscored="call", n_bootstrap=20).freeze()
    there = {**rows, "id": [f"q{name}" for name in rows["id"]]}
    decided = rule.decide(there)
    assert set(decided["decision"][np.isnan(scores)]) == {1}
    everybody = rule.aggregate({**there, "s": np.where(np.isnan(scores), 1.0, 2.0)})
    assert (everybody.n_unscored, everybody.recipe.unscored) == (0, "call")
