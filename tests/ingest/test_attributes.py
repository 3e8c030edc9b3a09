"""Further patient-level columns of a table, and the order in which patients arrived."""

import numpy as np
import pandas as pd
import pytest

from steadycut import aggregate
from steadycut.core.records import PatientScores
from steadycut.errors import BadOption, BadPatients, BadTable, MissingColumn, SteadycutWarning
from steadycut.ingest import make_request, read_patients
from steadycut.ingest.request import Request

TABLE = {
    "patient": ["b", "a", "b", "c"],
    "score": [0.5, 0.1, 0.7, 0.9],
    "label": [1, 0, 1, 1],
    "sex": ["m", "f", "m", "f"],
    "age": [40, 50, 41, 60],
    "weight": [70.5, 60.0, 70.5, 80.0],
    "day": [3, 9, 2, 9],
}
ASKED = {"patient": "patient", "score": "score"}


def read(table, engine, folder, **asked):
    source = table
    if engine == "duckdb":
        source = folder / "t.parquet"
        pd.DataFrame(table).to_parquet(source)
    return read_patients(make_request(**ASKED, **asked), source, engine=engine)


@pytest.fixture(params=["memory", "duckdb"])
def engine(request):
    return request.param


def test_one_value_per_patient_in_their_order(engine, tmp_path):
    found = read(TABLE, engine, tmp_path, label="label", attributes=["sex", "weight"])
    (patients,) = found.patients.values()
    assert patients.attributes["sex"].tolist() == ["f", "m", "f"]
    assert patients.attributes["weight"].tolist() == ["60", "70.5", "80"]
    assert patients.take([0, 2]).attributes["sex"].tolist() == ["f", "f"]


@pytest.mark.parametrize(
    ("change", "column", "error", "text"),
    [
        ({}, "age", BadPatients, "must have one value; 1 patient has several in 'age'"),
        ({}, "label", BadOption, "once and in one role; got 'label' twice"),
        ({}, "score", BadOption, "once and in one role"),
        ({}, "height", MissingColumn, "no column 'height'"),
        ({"sex": ["m", None, "m", "f"]}, "sex", BadTable, "filled in every row; 1 of 4 rows has"),
        ({"sex": ["m", "NA", "m", "f"]}, "sex", BadTable, "'NA' is there, which stands for a miss"),
    ],
)
def test_what_cannot_be_an_attribute_is_refused(change, column, error, text, engine, tmp_path):
    with pytest.raises(error, match=text):
        read(TABLE | change, engine, tmp_path, label="label", attributes=column)


def test_an_attribute_is_asked_for_once():
    with pytest.raises(BadOption, match="named once and in one role; got 'sex' twice"):
        Request(patient="id", scores=("s",), attributes=("sex", "sex"))


def test_gaps_are_filled_or_leave_the_patient_out(engine, tmp_path):
    change = {"sex": [None, None, "m", "f"], "label": [1, 0, 1, None]}
    found = read(TABLE | change, engine, tmp_path, label="label", attributes="sex", missing="drop")
    (patients,) = found.patients.values()
    assert patients.patients.tolist() == ["b"]
    assert patients.n_instances.tolist() == [2]
    assert patients.attributes["sex"].tolist() == ["m"]
    assert found.dropped.incomplete == 2
    label, sex = found.dropped.gaps
    assert (label.column, label.patients, label.rows, label.filled) == ("label", 1, 1, 0)
    assert (sex.column, sex.patients, sex.rows, sex.filled) == ("sex", 1, 1, 1)


def test_dropping_says_which_column_was_empty():
    table = TABLE | {"sex": [None, None, "m", "f"]}
    with pytest.warns(SteadycutWarning) as told:
        aggregate(table, **ASKED, attributes="sex", missing="drop")
    assert [str(one.message) for one in told] == [
        "1 patient without 'sex' in any row was dropped, 1 row in all.",
        "1 row without 'sex' took the one of the same patient's other rows.",
    ]


def test_nobody_with_a_value_is_refused():
    with pytest.raises(BadTable, match="no patient has a value in 'sex'"):
        aggregate(TABLE | {"sex": [None] * 4}, **ASKED, attributes="sex", missing="drop")


def test_the_site_may_be_an_attribute_too(engine, tmp_path):
    found = read(TABLE, engine, tmp_path, site="sex", sites=["f"], attributes="sex")
    (patients,) = found.patients.values()
    assert patients.sites.tolist() == patients.attributes["sex"].tolist() == ["f", "f"]


def test_a_patient_arrives_with_the_earliest_row(engine, tmp_path):
    request = Request(patient="patient", scores=("score",), order="day")
    pd.DataFrame(TABLE).to_parquet(tmp_path / "t.parquet")
    found = read_patients(request, tmp_path / "t.parquet", engine=engine)
    # b came first; a and c came on the same day, and a hash of the identifier decides.
    assert found.order.tolist() == [2, 0, 1]
    assert read_patients(make_request(**ASKED), TABLE).order is None


def test_patients_keep_their_attributes_when_they_are_sorted():
    cohort = PatientScores(scores=[3, 1], patients=["b", "a"], attributes={"sex": ["m", "f"]})
    assert cohort.attributes["sex"].tolist() == ["f", "m"]
    assert cohort.oriented("le").attributes["sex"].tolist() == ["f", "m"]
    assert cohort.take(np.array([1, 0])).attributes["sex"].tolist() == ["f", "m"]
    with pytest.raises(BadPatients, match="sex"):
        PatientScores(scores=[3, 1], attributes={"sex": ["m"]})


@pytest.mark.parametrize("wrong", [["m", "f"], "mf", 2, {"sex": None}, {"sex": 3}])
def test_attributes_that_are_no_columns_are_refused(wrong):
    with pytest.raises(BadPatients, match="one text"):
        PatientScores(scores=[3, 1], attributes=wrong)
