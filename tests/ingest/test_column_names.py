"""Which names of columns are shown: a first row of data may identify a patient."""

import pytest

from steadycut.errors import BadTable, MissingColumn
from steadycut.ingest.column_names import check_columns


def refusal(error, wanted, available):
    with pytest.raises(error) as caught:
        check_columns(wanted, available)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_closest_name_and_those_that_were_asked_for_are_named():
    names = ["patient", "Scores", "SpO2", "MDVP:Jitter(%)", "x_1"]
    text = refusal(MissingColumn, ["patient", "score"], names)
    assert "no column 'score'; did you mean 'Scores'?" in text
    assert text.endswith("It has 5 columns, among them 'patient'.")


@pytest.mark.parametrize(
    ("typed", "row", "suggested"),
    [
        ("s100", ["outcome", "s100b", "ndka"], "s100b"),
        ("age", ["sex", "age_at_diagnosis"], "age_at_diagnosis"),
        ("P-00", ["site", "P-0017"], None),
        ("P-", ["site", "P-n017"], None),
        ("xyz", ["site", "age"], None),
    ],
)
def test_a_name_that_begins_with_what_was_typed_is_suggested(typed, row, suggested):
    """Of names that may be data no further digit is told."""
    text = refusal(MissingColumn, [typed], row)
    assert ("did you mean" in text) == (suggested is not None)
    assert suggested is None or f"did you mean {suggested!r}?" in text
    assert "17" not in text


@pytest.mark.parametrize(
    "row",
    [
        ["north", "Secret", "s0", "0.25", "0"],
        ["Secret", "0,25"],
        ["Secret", "1e-3", "yes"],
        ["1", "Secret"],
        ["patients Secret", "nan"],
    ],
)
def test_a_first_row_with_numbers_is_not_shown(row):
    text = refusal(MissingColumn, ["patient", "score"], row)
    assert "no column 'patient';" in text
    assert "The first row must name the columns." in text
    assert "ecret" not in text
    assert "0.25" not in text


def test_a_repeated_number_is_not_shown():
    text = refusal(BadTable, ["patient"], ["Secret", "0.25", "0.25"])
    assert "column names must differ" in text
    assert "0.25" not in text
    assert "Secret" not in text


@pytest.mark.parametrize(
    "row", [["Anna Secret", "north", "ill"], ["Secret"], ["ill", "Doe Secret", "P-0017", ""]]
)
def test_a_first_row_without_a_number_is_not_shown(row):
    text = refusal(MissingColumn, ["patient", "score"], row)
    assert f"It has {len(row)} column" in text
    assert not [cell for cell in row if cell and cell in text]


def test_repeated_names_are_not_shown():
    for names in (["site", "P-0017", "P-0017"], ["Secret", "ill", "Secret"]):
        text = refusal(BadTable, ["patient"], names)
        assert "in the table some are equal (1 repeated). Rename" in text
        assert names[-1] not in text
