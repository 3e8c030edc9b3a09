"""The simulated cohort: shape, determinism, and the shift that it is meant to show."""

from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

from steadycut.datasets import simulate_two_hospitals, write_two_hospitals
from steadycut.datasets.two_hospitals import (
    HOSPITAL_A,
    HOSPITAL_B,
    HOSPITAL_C,
    simulate,
    story_tables,
)
from steadycut.errors import BadOption
from steadycut.ingest import aggregate, at_sites

ASKED = {
    "patient": "patient",
    "score": "score",
    "label": "tumour",
    "site": "hospital",
    "levels": ["slide:max"],
}


def area_under_curve(patients):
    u = mannwhitneyu(patients.positive_scores, patients.negative_scores).statistic
    return u / (patients.n_positive * patients.n_negative)


def risk(patients, cut):
    missed = np.count_nonzero(patients.positive_scores < cut)
    alarmed = np.count_nonzero(patients.negative_scores >= cut)
    return (missed + alarmed) / patients.n_patients


def test_hierarchy():
    table = simulate_two_hospitals()
    slides, n_tiles = np.unique(table["slide"], return_counts=True)
    patients, n_slides = np.unique([slide[:5] for slide in slides], return_counts=True)
    assert set(patients) == set(table["patient"])
    assert (n_tiles.min(), n_tiles.max()) == (20, 60)
    assert set(n_slides.tolist()) == {1, 2, 3, 4}
    assert {
        hospital: len(set(table["patient"][table["hospital"] == hospital])) for hospital in "AB"
    } == {
        "A": 300,
        "B": 300,
    }


def test_scores_are_probabilities_of_four_decimals():
    scores = simulate_two_hospitals()["score"]
    assert scores.min() >= 0
    assert scores.max() <= 1
    assert np.array_equal(scores, np.round(scores, 4))


def test_same_seed_same_columns():
    first, again = simulate_two_hospitals(seed=3), simulate_two_hospitals(seed=3)
    other = simulate_two_hospitals(seed=4)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["score"][:50], other["score"][:50])


def test_hospital_b_does_not_depend_on_the_size_of_a():
    def scores_of_b(n_internal):
        table = simulate_two_hospitals(n_internal=n_internal, n_external=5)
        return table["score"][table["hospital"] == "B"].tolist()

    assert scores_of_b(3) == scores_of_b(30)


def test_the_scanner_of_b_moves_the_scores_and_that_of_c_does_not():
    sizes = {HOSPITAL_A: 2000, HOSPITAL_B: 2000, HOSPITAL_C: 2000}
    patients = aggregate(simulate(sizes, seed=11), **ASKED, how="quantile:0.9")
    a, b, c = (at_sites(patients, name) for name in "ABC")
    assert 0.87 < area_under_curve(a) < 0.93
    assert abs(area_under_curve(b) - area_under_curve(a)) < 0.02
    cuts = np.quantile(a.scores, np.linspace(0, 1, 200))
    cut = cuts[np.argmin([risk(a, candidate) for candidate in cuts])]
    at_b = np.quantile(b.scores, np.linspace(0, 1, 200))
    assert risk(b, cut) > risk(a, cut) + 0.1
    assert min(risk(b, candidate) for candidate in at_b) < risk(a, cut) + 0.02
    assert risk(c, cut) < risk(a, cut)


def test_the_tables_of_the_story_hold_the_same_patients():
    tables = {
        name: pd.read_csv(BytesIO(content), dtype={"tumour": str}, keep_default_na=False)
        for name, content in story_tables().items()
    }
    both, early, later, last = tables.values()
    assert [sorted(set(table["hospital"])) for table in tables.values()] == [
        ["A", "B"],
        *(["B"], ["B"], ["C"]),
    ]
    at_b = both[both["hospital"] == "B"].reset_index(drop=True)
    assert early.drop(columns="tumour").equals(at_b.drop(columns="tumour"))
    known = early[early["tumour"] != ""]
    assert (known["patient"].nunique(), later["patient"].nunique()) == (50, 250)
    assert set(known["patient"]).isdisjoint(later["patient"])
    assert later.drop(columns="day").equals(at_b.iloc[len(known) :].reset_index(drop=True))
    assert later["day"].tolist() == later["patient"].str[1:].astype(int).tolist()
    assert last["patient"].nunique() == 300


def test_file_and_columns_are_the_same_cohort(tmp_path):
    write_two_hospitals(tmp_path / "a.csv", n_internal=20, n_external=10, seed=2)
    write_two_hospitals(tmp_path / "b.csv", n_internal=20, n_external=10, seed=2)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert b"\r" not in (tmp_path / "a.csv").read_bytes()
    columns = simulate_two_hospitals(n_internal=20, n_external=10, seed=2)
    from_file, from_columns = (
        aggregate(source, **ASKED).fingerprint() for source in (tmp_path / "a.csv", columns)
    )
    assert from_file == from_columns


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"n_internal": 0}, "n_internal must be a whole number of at least 1; got 0"),
        ({"n_external": 2.5}, "n_external must be a whole number"),
        ({"seed": -1}, "seed must be a whole number of at least 0; got -1"),
    ],
)
def test_refused_sizes(asked, text):
    with pytest.raises(BadOption, match=text):
        simulate_two_hospitals(**asked)
