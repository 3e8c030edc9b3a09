"""Every row-level refusal, what is dropped, and how labels are read."""

import warnings

import numpy as np
import pandas as pd
import pytest

from steadycut.errors import (
    BadPatients,
    BadTable,
    DataWarning,
    MissingColumn,
    MissingScores,
    PatientOverlap,
    SteadycutError,
    SteadycutWarning,
)
from steadycut.ingest import Request, aggregate, make_request, read_patients
from steadycut.ingest.layout import shape_of

GOOD = {
    "id": ["secret-1", "secret-1", "secret-2"],
    "slide": ["x", "y", "x"],
    "site": ["A", "A", "B"],
    "y": [1, 1, 0],
    "s": [0.25, 0.75, 0.5],
}
ALL = {"patient": "id", "score": "s", "label": "y", "site": "site", "levels": ["slide:max"]}


@pytest.mark.parametrize(
    ("change", "asked", "error", "text"),
    [
        ({name: [] for name in GOOD}, {}, BadTable, "the table has no rows"),
        (
            {"id": ["secret-1", None, ""]},
            {},
            BadTable,
            "column 'id' must be filled in every row; 2 of 3 rows have nothing there",
        ),
        (
            {"y": [1, 1, None]},
            {},
            BadTable,
            "column 'y' must be filled.*1 of 3 rows.*missing='drop'",
        ),
        ({"y": [1, 1, np.nan]}, {}, BadTable, "column 'y' must be filled.*1 of 3 rows"),
        ({"site": ["A", "A", "  "]}, {}, BadTable, "column 'site'.*1 of 3 .*or remove the rows"),
        ({"slide": ["x", None, "x"]}, {}, BadTable, "column 'slide' must be filled.*1 of 3 rows"),
        (
            {"s": [0.5, np.nan, np.inf]},
            {},
            MissingScores,
            "every row must have a finite score; 2 of 3 in 's' are missing.*missing='drop'",
        ),
        ({"s": [0.5, None, 0.5]}, {}, MissingScores, "1 of 3 in 's'"),
        ({"s": ["0.5", "NA", "n/a"]}, {}, MissingScores, "2 of 3 in 's'"),
        ({"s": [np.nan] * 3}, {"missing": "drop"}, MissingScores, "no row has a usable score"),
        (
            {"s": ["0,5", "1,5", "0.5"]},
            {},
            BadTable,
            "scores in 's' must be numbers with a decimal point; 2 of 3 .* such as '9,9'",
        ),
        (
            {"s": [0.5, 1e301, 0.5]},
            {},
            BadTable,
            "scores in 's' must not exceed 1e.300 in absolute value",
        ),
        (
            {"y": [1, 0, 0]},
            {},
            BadPatients,
            "a patient must have one label; 1 patient has several in 'y'",
        ),
        (
            {"site": ["A", "B", "B"]},
            {},
            PatientOverlap,
            "a patient must be at one site; 1 patient is at several in 'site'",
        ),
        (
            {"y": [2, 2, 1]},
            {},
            BadTable,
            "labels in 'y' must be 0 or 1; 1 value that is not shown is there as well",
        ),
        (
            {"y": ["a", "a", "b"]},
            {},
            BadTable,
            "2 values that are not shown are there.*positive='VALUE'",
        ),
        (
            {"y": ["a", "b", "c"]},
            {"positive": "a"},
            BadTable,
            "labels in 'y' must be of two classes; 3 values that are not shown are there",
        ),
        (
            {"y": ["a", "a", "b"]},
            {"positive": "c"},
            BadTable,
            "no label in 'y' is 'c'; 2 values that are not shown are there",
        ),
        ({}, {"score": "t"}, MissingColumn, "the table has no column 't'"),
        ({}, {"score": "S"}, MissingColumn, "no column 'S'; did you mean 's'\\? It has"),
        ({"s": [0.5, 0.5]}, {}, BadTable, "one entry per row; got lengths id 3, .*s 2"),
        ({"s": [[0.5], [0.5], [0.5]]}, {}, BadTable, "'s' must be one-dimensional.*\\(3, 1\\)"),
    ],
)
def test_refusals(change, asked, error, text):
    with pytest.raises(SteadycutError, match=text) as caught:
        aggregate(GOOD | change, **(ALL | asked))
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_dates_are_no_scores():
    frame = pd.DataFrame(GOOD | {"s": pd.date_range("2020-01-01", periods=3)})
    with pytest.raises(BadTable, match="3 of 3 are other text"):
        aggregate(frame, **ALL)


def test_identifiers_given_as_scores_are_not_shown():
    table = GOOD | {"copy": GOOD["id"]}
    with pytest.raises(BadTable, match=r"3 of 3 are other text\. Correct") as caught:
        aggregate(table, patient="id", score="copy")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("n", [2, 50])
@pytest.mark.parametrize("shape", ["secret-{}", "Jane Secret {}", "046 454 {:03}", "1.2.840.{}"])
def test_swapped_columns_show_no_identifier(n, shape):
    ids = [shape.format(number) for number in range(n)]
    table = {"id": ids, "s": [number / 100 for number in range(n)]}
    with pytest.raises(BadTable, match=rf"{n} of {n} are other text\. Correct"):
        aggregate(table, patient="s", score="id")


@pytest.mark.parametrize(
    "text",
    [
        "1,5",
        "-0,25",
        "1.234,5",
        "1,234.5",
        ",5",
        "1 000",
        "1'000",
        "5 %",
        "12.5%",
        "<0.01",
        "> 3",
        "?",
        "n.a.",
    ],
)
def test_the_form_of_numbers_in_another_notation_is_shown(text):
    table = GOOD | {"s": ["0.5", text, "secret-9"]}
    with pytest.raises(BadTable, match="2 of 3 are other text, such as") as caught:
        aggregate(table, **ALL)
    assert repr(shape_of(text)) in str(caught.value)
    assert "secret" not in str(caught.value)


def test_no_digit_of_a_cell_is_shown():
    with pytest.raises(BadTable, match="1 of 3 is other text, such as '9%'") as caught:
        aggregate(GOOD | {"s": ["0.5", "12345678901%", "1"]}, **ALL)
    assert "1234" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("1,5", "a decimal comma, or"),
        ("1 234", "a separator of thousands."),
        ("5 %", "a percentage."),
        ("<0.1", "a limit of detection."),
    ],
)
def test_another_notation_is_named(text, looks):
    with pytest.raises(BadTable) as caught:
        aggregate(GOOD | {"s": ["0.5", text, "1"]}, **ALL)
    assert f"such as {shape_of(text)!r}, which looks like {looks}" in str(caught.value)


def test_many_label_values_are_counted_and_not_shown():
    ids = [f"secret-{number}" for number in range(30)]
    table = {"id": ids, "y": ids[::-1], "s": [0.5] * 30}
    for positive in (None, "a"):
        with pytest.raises(BadTable, match="30 different values, too many to be classes") as caught:
            aggregate(table, patient="id", score="s", label="y", positive=positive)
        assert "secret" not in str(caught.value)


def test_more_than_five_classes_are_cut_short():
    table = {"id": list(range(35)), "y": list("abcdefg") * 5, "s": [0.5] * 35}
    shown = "'a', 'b', 'c', 'd', 'e' and 2 values that are not shown are there"
    with pytest.raises(BadTable, match=shown):
        aggregate(table, patient="id", score="s", label="y", positive="a")


@pytest.mark.parametrize(
    ("labels", "positive", "expected"),
    [
        ([1, 1, 0], None, [1, 0]),
        ([1.0, 1.0, 0.0], None, [1, 0]),
        (["1", "1.0", "0"], None, [1, 0]),
        (["0.0", "0", "1.0"], None, [0, 1]),
        ([True, True, False], None, [1, 0]),
        (["true", "True", "FALSE"], None, [1, 0]),
        ([0, 0, 0], None, [0, 0]),
        (["MSI", "MSI", "MSS"], "MSI", [1, 0]),
        (["MSI", "MSI", "MSS"], "MSS", [0, 1]),
        ([2, 2, 1], 1, [0, 1]),
        ([2, 2, 1], "1.0", [0, 1]),
        (["2", "2.0", "1"], 2, [1, 0]),
        ([True, True, False], True, [1, 0]),
        ([True, True, False], 0, [0, 1]),
        ([1, 1, 0], True, [1, 0]),
        (["a", "a", "a"], "a", [1, 1]),
        (["1_0", "1_0", "10"], "10", [0, 1]),
        (np.ma.masked_array([1, 1, 0], mask=[False, False, False]), None, [1, 0]),
    ],
)
def test_labels(labels, positive, expected):
    found = aggregate(GOOD | {"y": labels}, patient="id", score="s", label="y", positive=positive)
    assert found.labels.tolist() == expected


def test_a_positive_label_need_not_occur_where_nothing_is_fitted():
    asked = {"patient": "id", "score": "s", "label": "y", "positive": "MSI"}
    request = make_request(**asked, positive_occurs=False)
    found = read_patients(request, GOOD | {"y": ["MSS"] * 3}).patients["s", "mean"]
    assert found.labels.tolist() == [0, 0]
    with pytest.raises(BadTable, match="no label in 'y' is 'MSI'; 1 value that is not shown is"):
        read_patients(make_request(**asked), GOOD | {"y": ["MSS"] * 3})
    with pytest.raises(BadTable, match="no label in 'y' is 'MSI'; 2 values that are not shown"):
        read_patients(request, GOOD | {"y": ["msx", "msx", "mss"]})


def test_errors_name_only_labels_that_five_patients_share():
    """A patient may have many rows, so rows do not count."""
    labels = {"MSI": range(5), "MSS": range(5, 10), "Smith": range(10, 14)}
    rows = [(f"p{i}", label) for label, own in labels.items() for i in own for _ in range(9)]
    table = {"id": [one for one, _ in rows], "y": [label for _, label in rows], "s": [0.5] * 126}
    with pytest.raises(BadTable, match="'MSI', 'MSS' and 1 value that is not shown are there"):
        aggregate(table, patient="id", score="s", label="y", positive="MSI")


def test_drop_warns_with_counts():
    table = GOOD | {"s": [0.5, np.nan, np.inf]}
    text = "2 of 3 rows .* were dropped, and with them 1 patient who has no other rows"
    with pytest.warns(SteadycutWarning, match=text):
        found = aggregate(table, missing="drop", **ALL)
    assert (found.scores.tolist(), found.n_instances.tolist()) == ([0.5], [1])
    assert (found.labels.tolist(), found.sites.tolist()) == ([1], ["A"])


def test_drop_leaves_out_a_row_that_lacks_any_score():
    table = GOOD | {"u": [np.nan, 1.0, 2.0]}
    with pytest.warns(SteadycutWarning, match="1 of 3 rows without a finite score was dropped.$"):
        found = aggregate(table, patient="id", score=["s", "u"], missing="drop")
    assert found["s", "mean"].scores.tolist() == [0.75, 0.5]
    assert found["u", "mean"].scores.tolist() == [1.0, 2.0]


def test_drop_without_gaps_says_nothing():
    assert aggregate(GOOD, missing="drop", **ALL).n_patients == 2


def test_a_contradiction_in_a_dropped_row_is_still_one():
    table = GOOD | {"y": [1, 0, 0], "s": [0.5, np.nan, 0.5]}
    with pytest.raises(BadPatients, match="one label; 1 patient has several in 'y'"):
        aggregate(table, missing="drop", **ALL)


def test_missing_markers_of_pandas():
    table = GOOD | {"s": pd.Series([0.5, pd.NA, 0.5], dtype=object)}
    with pytest.raises(MissingScores, match="1 of 3 in 's'"):
        aggregate(table, **ALL)
    table = GOOD | {"id": pd.Series(["a", pd.NA, pd.NaT], dtype=object)}
    with pytest.raises(BadTable, match="2 of 3 rows have nothing there"):
        aggregate(table, **ALL)


def test_scores_may_be_boolean():
    found = aggregate(GOOD | {"s": [True, False, True]}, patient="id", score="s")
    assert found.scores.tolist() == [0.5, 1.0]


def test_refusal_names_each_score_column():
    table = GOOD | {"s": [np.nan, 0.5, 0.5], "u": [np.nan, np.nan, 1.0]}
    with pytest.raises(MissingScores, match="1 of 3 in 's', 2 of 3 in 'u' are missing"):
        aggregate(table, patient="id", score=["s", "u"])


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_units_of_the_innermost_level_are_counted(engine):
    table = {
        "id": ["a", "a", "a", "b", "b"],
        "block": [1, 1, 2, 1, 1],
        "slide": [1, 2, 1, 1, 1],
        "s": [0.1, 0.2, 0.3, 0.4, 0.5],
    }
    levels = ["slide:max", "block:mean"]
    found = aggregate(table, patient="id", score="s", levels=levels, engine=engine)
    assert found.n_units.tolist() == [3, 1]
    assert aggregate(table, patient="id", score="s", engine=engine).n_units is None


def test_codes_and_copies_among_the_rows_are_noticed():
    rng = np.random.default_rng(0)
    table = {"id": np.repeat(np.arange(30), 4), "s": rng.normal(size=120)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        aggregate(table, patient="id", score="s")
    with pytest.warns(DataWarning, match="codes: 2 of 30 patients have a score of 999 or -999"):
        aggregate(
            {**table, "s": np.where(np.isin(np.arange(120), [6, 7, 70]), -999, table["s"])},
            patient="id",
            score="s",
        )
    request = Request(patient="id", scores=("s",), clusters=True)
    copied = read_patients(request, {**table, "s": np.repeat(rng.normal(size=30), 4)})
    assert copied.warnings[0].startswith("copies: 30 of 30 patients have several rows")
    assert read_patients(request, table).warnings == ()


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("levels", [(), (("slide", "max"),)])
def test_a_table_that_was_appended_to_itself_is_noticed(times, levels):
    rng = np.random.default_rng(0)
    # Rounded, so that some patients have a score twice by chance.
    rows = np.repeat(np.arange(30), rng.integers(2, 7, 30))
    table = {
        "id": rows,
        "s": rng.normal(size=rows.size).round(1),
        "slide": np.arange(rows.size) % 2,
        "t": rng.normal(size=rows.size),
    }
    for scores in (("s",), ("s", "t")):
        request = Request(patient="id", scores=scores, levels=levels, clusters=True)
        order = rng.permutation(times * rows.size)
        again = {name: np.tile(column, times)[order] for name, column in table.items()}
        (text,) = read_patients(request, again).warnings
        assert text.startswith(f"copies: every patient has each of their scores {times} times.")
        assert read_patients(request, table).warnings == ()
        # One row less, and it is another table.
        fewer = {name: column[1:] for name, column in again.items()}
        assert read_patients(request, fewer).warnings == ()
