"""The covariate column of a table."""

import pytest

from steadycut import aggregate
from steadycut.errors import BadOption, BadPatients, BadTable, MissingColumn
from steadycut.ingest.covariate import read_covariate

TABLE = {
    "patient": ["b", "a", "b", "c"],
    "score": [0.5, 0.1, 0.7, 0.9],
    "label": [1, 0, 1, 1],
    "sex": ["m", "f", "m", "f"],
    "age": [40, 50, 41, 60],
}


@pytest.fixture
def patients():
    return aggregate(TABLE, patient="patient", score="score", label="label")


def test_one_value_a_patient_in_their_order(patients):
    assert read_covariate(TABLE, patients, column="sex").tolist() == ["f", "m", "f"]
    some = patients.take([0, 2])
    assert read_covariate(TABLE, some, column="sex").tolist() == ["f", "f"]


@pytest.mark.parametrize(
    ("table", "column", "error", "text"),
    [
        (TABLE, "age", BadPatients, "one value a patient; in 'age' some patients have several"),
        (TABLE, "label", BadOption, "must not be the label"),
        (TABLE, "weight", MissingColumn, "weight"),
        (TABLE | {"sex": ["m", None, "m", "f"]}, "sex", BadTable, "must be filled in every row"),
    ],
)
def test_what_cannot_be_a_covariate_is_refused(patients, table, column, error, text):
    with pytest.raises(error, match=text):
        read_covariate(table, patients, column=column)
