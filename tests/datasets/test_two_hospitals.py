"""The simulated cohort: shape, determinism, and the shift that it is meant to show."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from steadycut.datasets import simulate_two_hospitals, write_two_hospitals
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
        "A": 200,
        "B": 150,
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


def test_a_cut_off_from_a_works_worse_at_b_but_still_works():
    patients = aggregate(simulate_two_hospitals(3000, 3000, seed=11), **ASKED)
    a, b = at_sites(patients, "A"), at_sites(patients, "B")
    assert 0.85 < area_under_curve(a) < 0.92
    assert 0.84 < area_under_curve(b) < 0.92
    cuts = np.quantile(a.scores, np.linspace(0, 1, 200))
    cut = cuts[np.argmin([risk(a, candidate) for candidate in cuts])]
    best_at_b = min(risk(b, candidate) for candidate in cuts)
    assert risk(b, cut) > best_at_b + 0.02
    assert risk(b, cut) < 0.5 * (1 - b.n_positive / b.n_patients)
    assert abs(a.n_positive / a.n_patients - b.n_positive / b.n_patients) > 0.05


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
