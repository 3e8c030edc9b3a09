"""Rows and patients of given sites."""

import numpy as np
import pytest

from steadycut import fit
from steadycut.core.records import PatientScores
from steadycut.core.sites import MOST_SITES
from steadycut.errors import BadOption, BadPatients, BadTable, MissingScores, PatientOverlap
from steadycut.ingest import aggregate, at_sites, make_request, read_patients
from steadycut.ingest.survey import survey_rows
from steadycut.ingest.table import Table, key_column, score_column, stack

COHORT = PatientScores(
    scores=[0.1, 0.2, 0.3], patients=["a", "b", "c"], sites=["A", "B", "C"], labels=[0, 1, 1]
)


def test_one_and_several():
    assert at_sites(COHORT, "B").patients.tolist() == ["b"]
    assert at_sites(COHORT, ("C", "A")).patients.tolist() == ["a", "c"]


@pytest.mark.parametrize(
    ("names", "got"), [("D", "D"), (["A", "D", "E"], "D, E"), ([], "none"), ("", "none")]
)
def test_unknown_sites_are_refused_with_the_known_ones(names, got):
    known = "3 values that are not shown"
    with pytest.raises(BadOption, match=f"a site must be one of {known}; got {got}."):
        at_sites(COHORT, names)
    cohort = PatientScores(scores=[0.5] * 14, sites=list("AAAAABBBBBCCCC"))
    known = "'A', 'B' and 1 value that is not shown"
    with pytest.raises(BadOption, match=f"a site must be one of {known}; got {got}."):
        at_sites(cohort, [name for name in names if name != "A"])


@pytest.mark.parametrize(
    ("n", "allowed"), [(20, "'s00', 's01', .*, 's19'"), (21, "the 21 in the table")]
)
def test_many_sites_are_not_listed(n, allowed):
    names = [f"s{number:02}" for number in range(n)]
    cohort = PatientScores(scores=[0.5] * 5 * n, sites=names * 5)
    with pytest.raises(BadOption, match=f"a site must be one of {allowed}; got x."):
        at_sites(cohort, "x")


# Rows of other sites ---------------------------------------------------------------------

TABLE = {
    "id": ["a", "b", "b", "c", "d", None, "e"],
    "site": ["A", "A", "A", "B", "C", "C", "C"],
    "slide": ["x", "x", "y", "x", "x", None, "x"],
    "y": [1, 0, 0, 1, 5, None, 7],
    "s": ["0.25", "0.5", "1.0", "0.75", "", "high", "1,5"],
}
ASKED = {"patient": "id", "score": "s", "label": "y", "site": "site", "levels": ["slide:max"]}


def read(sites, table=TABLE, **more):
    return read_patients(make_request(**ASKED, sites=sites, **more), table)


@pytest.mark.parametrize(("sites", "n_rows"), [(["A"], 3), (["B", "A"], 4), (["A", "A"], 3)])
def test_rows_of_other_sites_do_not_matter(sites, n_rows):
    found = read(sites)
    kept = [row for row, site in enumerate(TABLE["site"]) if site in sites]
    alone = {name: [values[row] for row in kept] for name, values in TABLE.items()}
    expected = read(None, alone)
    for key, patients in expected.patients.items():
        assert found.patients[key].fingerprint() == patients.fingerprint()
        assert found.patients[key].recipe == patients.recipe
    assert (found.n_rows, found.dropped.rows, found.dropped.patients) == (n_rows, 0, 0)


def test_the_same_from_several_files(tmp_path):
    rows = list(zip(*TABLE.values(), strict=True))
    for name, part in (("1.csv", rows[4:]), ("2.csv", rows[:4])):
        lines = [",".join(f'"{"" if cell is None else cell}"' for cell in row) for row in part]
        (tmp_path / name).write_text("\n".join([",".join(TABLE), *lines]))
    found = read(["A", "B"], [tmp_path / "1.csv", tmp_path / "2.csv"])
    patients, expected = found.patients["s", "mean"], read(["A", "B"]).patients["s", "mean"]
    assert patients.fingerprint() == expected.fingerprint()


def test_texts_stay_with_their_rows():
    parts = [np.array(["0.5", "1,5"], dtype=object), np.array(["2,5", "0.25"], dtype=object)]
    keys = {"id": key_column(np.array(["a", "b"]))}
    tables = [Table(keys=keys, scores={"s": score_column(part)}) for part in parts]
    stacked = stack(tables)
    assert stacked.scores["s"].unreadable == {1: "1,5", 2: "2,5"}
    taken = survey_rows(stacked).take(np.array([True, False, True, True])).scores["s"]
    assert taken.texts == {1: frozenset({"2,5"})}
    assert taken.largest[[0, 2]].tolist() == [0.5, 0.25]


def test_rows_of_the_sites_are_checked_and_counted():
    with pytest.raises(BadTable, match="column 'id' must be filled in every row; 1 of 3 rows has"):
        read(["C"])
    gaps = TABLE | {"s": [np.nan, 0.5, np.nan, 0.75, 0.5, 0.5, 0.5]}
    with pytest.raises(MissingScores, match="2 of 3 in 's' are missing"):
        read(["A"], gaps)
    found = read(["A"], gaps, missing="drop")
    assert (found.n_rows, found.dropped.rows, found.dropped.patients) == (3, 2, 1)
    assert found.patients["s", "mean"].patients.tolist() == ["b"]


def test_the_site_itself_must_be_filled_everywhere():
    table = TABLE | {"site": [*TABLE["site"][:-1], None]}
    with pytest.raises(
        BadTable, match="column 'site' must be filled in every row; 1 of 7 rows has"
    ):
        read(["A"], table)


def test_a_site_that_is_not_in_the_table_is_refused():
    with pytest.raises(BadOption, match=r"one of 3 values that are not shown; got D, E\."):
        read(["D", "A", "E"])


@pytest.mark.parametrize("sites", [["A"], ["A", "B"], ["B"]])
def test_a_patient_of_these_sites_may_not_be_at_another(sites):
    table = TABLE | {"id": ["a", "b", "b", "b", "d", None, "e"], "y": [1, 0, 0, 0, 5, None, 7]}
    with pytest.raises(PatientOverlap, match="1 patient is at several in 'site'"):
        read(sites, table)


def test_a_patient_at_two_other_sites_does_not_matter():
    table = TABLE | {"id": ["a", "b", "b", "c", "c", None, "e"]}
    assert read(["A"], table).n_rows == 3


def test_sites_may_be_numbers():
    table = TABLE | {"site": [1.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0]}
    assert read(["1", "2"], table).patients["s", "mean"].patients.tolist() == ["a", "b", "c"]


def test_sites_must_be_known():
    with pytest.raises(BadPatients, match="sites of these patients are not known"):
        at_sites(PatientScores(scores=[0.5]), "A")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_column_of_very_many_sites_is_refused(engine):
    n = MOST_SITES + 1
    table = {"p": np.arange(n), "s": np.ones(n), "at": [f"h{i}" for i in range(n)]}
    with pytest.raises(BadPatients, match="at most 1000 sites; got 1001 different values"):
        aggregate(table, patient="p", score="s", site="at", engine=engine)


def test_very_many_sites_of_patients_in_python_are_refused():
    n = 4 * (MOST_SITES + 1)
    rng, labels = np.random.default_rng(0), np.arange(n) % 2
    sites = [f"h{i % (n // 4)}" for i in range(n)]
    cohort = PatientScores(scores=rng.normal(size=n) + labels, labels=labels, sites=sites)
    with pytest.raises(BadPatients, match="at most 1000 sites"):
        fit(cohort, n_bootstrap=20)
