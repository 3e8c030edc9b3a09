"""Labels of rows: one positive row makes a patient positive."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadycut import aggregate
from steadycut.errors import BadOption, BadPatients, BadTable, DataWarning
from steadycut.ingest import read_patients
from steadycut.ingest.request import make_request

ASKED = {"patient": "id", "score": "s", "label": "y", "label_how": "any"}
ROWS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["1", "1.0", "0", "0.0", None])),
    min_size=1,
    max_size=25,
)


def slowly(rows):
    """Return the label of each patient, None where it is unknown, one row after the other."""
    found = {}
    for patient, label in rows:
        before = found.get(patient, 0)
        if before == 1 or (label is not None and float(label) == 1):
            found[patient] = 1
        else:
            found[patient] = None if label is None or before is None else 0
    return found


@settings(max_examples=60, deadline=None)
@given(ROWS, st.sampled_from(["memory", "duckdb"]))
def test_any_positive_row_decides_as_a_loop_over_the_rows_says(rows, engine):
    table = {"id": [one for one, _ in rows], "y": [one for _, one in rows], "s": [0.5] * len(rows)}
    expected = slowly(rows)
    known = {patient: label for patient, label in expected.items() if label is not None}
    request = make_request(**ASKED, missing="drop")
    if not known:
        with pytest.raises(BadTable):
            read_patients(request, table, engine=engine)
        return
    found = read_patients(request, table, engine=engine)
    patients = found.patients["s", "mean"]
    assert dict(zip(patients.patients.tolist(), patients.labels.tolist(), strict=True)) == known
    assert found.dropped.incomplete == len(expected) - len(known)
    if len(known) < len(expected):
        with pytest.raises(BadTable):
            read_patients(make_request(**ASKED), table, engine=engine)


TABLE = {"id": list("aabbcc"), "y": ["sick", None, "well", "well", "well", None], "s": [0.5] * 6}


def test_a_patient_without_a_positive_row_and_with_a_gap_is_unknown():
    with pytest.raises(BadTable, match="1 patient has none, but rows without a label") as refused:
        aggregate(TABLE, **ASKED, positive="sick")
    assert refused.value.spelled({"missing": "--missing"}).endswith("with --missing drop.")
    lost = "1 patient without a positive row, but with rows without.*the prevalence.*too high"
    with pytest.warns(DataWarning, match=lost):
        found = aggregate(TABLE, **ASKED, positive="sick", missing="drop")
    assert found.patients.tolist() == ["a", "b"]
    assert found.labels.tolist() == [1, 0]
    assert (found.recipe.label_how, found.recipe.negative) == ("any", "well")


def test_a_positive_row_without_a_score_still_decides():
    table = {"id": list("aab"), "y": [1, 0, 0], "s": [None, 0.5, 0.5]}
    with pytest.warns(DataWarning, match="1 of 3 rows"):
        assert aggregate(table, **ASKED, missing="drop").labels.tolist() == [1, 0]


def test_several_labels_of_a_patient_name_the_way_to_take_them():
    table = {"id": list("aab"), "y": [1, 0, 0], "s": [0.5] * 3}
    with pytest.raises(BadPatients, match="give label_how='any'"):
        aggregate(table, **ASKED | {"label_how": "same"})


def test_label_how_is_checked():
    for wrong, text in (({"label_how": "all"}, "same, any"), ({"label": None}, "column of labels")):
        with pytest.raises(BadOption, match=text):
            aggregate(TABLE, **ASKED | wrong)
