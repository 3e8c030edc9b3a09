"""A second table, patients named in names, and names of files, in every engine."""

import csv
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadycut import aggregate
from steadycut.errors import BadOption, BadTable, DataWarning, MissingColumn
from steadycut.ingest import read_patients
from steadycut.ingest.request import make_request

ENGINES = ["memory", "duckdb"]
SHEET = {"slide": ["s1", "s2", "s3"], "who": ["a", "a", "b"], "ill": [1, 1, 0]}
ROWS = {"slide": ["s1", "s1", "s2", "s3"], "s": [0.25, 0.75, 1.0, 0.5]}
ASKED = {"patient": "who", "score": "s", "label": "ill"}


def write(path, columns, delimiter=","):
    """Write columns as a text file."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return str(path)


def quietly(*given, **more):
    """Aggregate without the line that says how tables were joined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return aggregate(*given, **more)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.floats(-5, 5)), min_size=1, max_size=30),
    st.lists(st.sampled_from("abc"), min_size=6, max_size=6),
    st.sampled_from(ENGINES),
    st.sampled_from([(), ("slide:max",)]),
)
def test_a_join_gives_what_a_table_gives_that_was_joined_row_by_row(rows, owners, engine, levels):
    table = {"slide": [f"s{at}" for at, _ in rows], "s": [score for _, score in rows]}
    ill = {owner: int(owner == "a") for owner in "abc"}
    used = sorted({at for at, _ in rows})
    sheet = {
        "slide": [f"s{at}" for at in used],
        "who": [owners[at] for at in used],
        "ill": [ill[owners[at]] for at in used],
    }
    whole = table | {"who": [owners[at] for at, _ in rows]}
    whole["ill"] = [ill[owner] for owner in whole["who"]]
    if len(set(whole["ill"])) == 1:
        whole["ill"], sheet["ill"] = [0] * len(rows), [0] * len(used)
    asked = {**ASKED, "levels": levels, "engine": engine}
    expected = quietly(whole, **asked)
    joined = quietly(table, sheet=sheet, **asked)
    assert joined.fingerprint() == expected.fingerprint()
    assert np.array_equal(joined.n_instances, expected.n_instances)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_has_no_partner_is_counted_and_refused_or_left_out(engine):
    table = {"slide": [*ROWS["slide"], "s9", "s9"], "s": [*ROWS["s"], 0.1, 0.2]}
    more = zip(SHEET.items(), ["s4", "c", 1], strict=True)
    sheet = {name: [*values, last] for (name, values), last in more}
    request = make_request(**ASKED)
    with pytest.raises(BadTable) as refused:
        read_patients(request, table, sheet=sheet, engine=engine)
    text = refused.value.message
    assert "1 of 4 values of 'slide' (2 of 6 rows) are not in the sheet" in text
    assert "1 of 4 in the sheet have no row in the table" in text
    assert "s9" not in text
    dropping = make_request(**ASKED, missing="drop")
    read = read_patients(dropping, table, sheet=sheet, engine=engine)
    assert (read.dropped.unmatched.rows, read.dropped.unmatched.sheet) == (2, 1)
    assert (read.n_rows, read.dropped.rows) == (6, 0)
    (patients,) = read.patients.values()
    assert patients.patients.tolist() == ["a", "b"]
    with pytest.warns(DataWarning, match="2 rows of 1 value of 'slide' without a partner"):
        aggregate(table, sheet=sheet, engine=engine, missing="drop", **ASKED)


def test_nothing_in_common_is_refused_even_when_gaps_are_dropped():
    with pytest.raises(BadTable, match="all values of 'slide' are not in the sheet, or several"):
        quietly({"slide": ["x"], "s": [1.0]}, sheet=SHEET, missing="drop", **ASKED)


def test_the_patient_and_the_key_are_guessed_where_there_is_one_answer():
    sheet = {"Image": SHEET["slide"], "Patient ID": SHEET["who"], "ill": SHEET["ill"]}
    told = "joined by 'slide' .in the sheet 'Image'.; the sheet gives 'Patient ID', 'ill'"
    with pytest.warns(DataWarning, match=told):
        patients = aggregate(ROWS, patient=None, score="s", label="ill", sheet=sheet)
    assert patients.recipe.patient == "Patient ID"
    with pytest.raises(BadOption, match="several columns may be it"):
        quietly(ROWS, patient=None, score="s", label="ill", sheet=sheet | {"donor": sheet["Image"]})
    with pytest.raises(BadOption, match="no column may be it"):
        quietly(ROWS, patient=None, score="s", label="ill", sheet=SHEET)
    other = {"a": SHEET["slide"], **SHEET}
    del other["slide"]
    with pytest.raises(BadTable, match="no column is in both"):
        quietly(ROWS, sheet=other, **ASKED)
    assert quietly(ROWS, sheet=other, on="slide=a", **ASKED).n_patients == 2


def test_by_patient_and_with_a_column_in_both_the_table_keeps_its_own():
    table = ROWS | {"who": ["a", "a", "a", "b"]}
    patients = quietly(table, sheet=SHEET, **ASKED)
    assert patients.labels.tolist() == [1, 0]
    # The sheet is by slide and agrees for each patient; if it does not, it is refused.
    with pytest.raises(BadTable, match="several for 1 of 2 values"):
        quietly(table, sheet=SHEET | {"ill": [1, 0, 0]}, **ASKED)
    with pytest.raises(BadOption, match="adds nothing"):
        quietly(table | {"ill": [1, 1, 1, 0]}, sheet=SHEET, **ASKED)
    with pytest.raises(MissingColumn, match="neither the table nor the sheet has a column 'sick'"):
        quietly(table, sheet=SHEET, patient="who", score="s", label="sick")
    with pytest.raises(BadOption, match="on needs sheet"):
        quietly(table, on="slide", **ASKED)


def test_files_and_endings_of_images_are_joined(tmp_path):
    images = ROWS | {"slide": [f"/data/{name}.svs" for name in ROWS["slide"]]}
    table = write(tmp_path / "rows.csv", images)
    sheet = write(tmp_path / "sheet.tsv", SHEET, delimiter="\t")
    for engine in ENGINES:
        patients = quietly(table, sheet=sheet, engine=engine, **ASKED)
        assert patients.scores.tolist() == [pytest.approx(2 / 3), 0.5]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_patient_is_taken_from_a_name(engine):
    names = [f"TCGA-AA-{number:04}-01Z-00-DX{k}" for number in (1, 2) for k in (1, 2)]
    table = {"slide": names, "s": [0.0, 1.0, 0.25, 0.5]}
    asked = {"patient": "slide", "score": "s", "levels": ["slide:max"], "engine": engine}
    patients = quietly(table, patient_from="tcga", **asked)
    assert patients.patients.tolist() == ["TCGA-AA-0001", "TCGA-AA-0002"]
    assert patients.scores.tolist() == [0.5, 0.375]
    # Elsewhere the names of slides are not taken for patients.
    assert patients.recipe.patient == "slide (patient)"
    sheet = {"case": ["TCGA-AA-0001", "TCGA-AA-0002"], "ill": [0, 1]}
    both = quietly(
        table, patient_from="tcga", sheet=sheet, on="slide (patient)=case", label="ill", **asked
    )
    assert both.labels.tolist() == [0, 1]
    with pytest.raises(BadTable, match=r"2 of 4 values of .slide. .2 of 4 rows. do not fit"):
        quietly(table, patient_from="^(.*0001)", **asked)


@pytest.mark.parametrize(
    ("pattern", "why"), [("(", "it cannot be read"), ("a", "it has 0"), ("(a)(b)", "it has 2")]
)
def test_a_pattern_must_have_one_group(pattern, why):
    with pytest.raises(BadOption, match=f"one group in parentheses; {why}"):
        quietly(ROWS, patient="slide", score="s", patient_from=pattern)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_one_file_per_slide_is_named_by_its_file(tmp_path, engine, ending):
    import duckdb

    for name in ("p1_a", "p1_b", "p2_a"):
        duckdb.sql(f"COPY (SELECT 0.5 AS prob) TO '{tmp_path}/{name}.{ending}'")
    source = str(tmp_path / f"*.{ending}")
    asked = {"score": "prob", "engine": engine, "file_column": "slide"}
    patients = quietly(source, patient=None, patient_from="^([^_]+)", **asked)
    assert patients.patients.tolist() == ["p1", "p2"]
    assert patients.n_instances.tolist() == [2, 1]
    sheet = {"slide": ["p1_a", "p1_b", "p2_a"], "who": ["x", "x", "y"]}
    assert quietly(source, patient="who", sheet=sheet, **asked).n_patients == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_of_files_may_not_have_the_name_of_another_one(tmp_path, engine):
    table = write(tmp_path / "rows.csv", ROWS)
    with pytest.raises(BadTable, match="column names must differ"):
        quietly(table, patient="slide", score="s", file_column="slide", engine=engine)


def test_what_cannot_be_is_refused_in_one_line():
    with pytest.raises(BadOption, match="file_column needs files"):
        quietly(ROWS, patient="slide", score="s", file_column="f")
    with pytest.raises(BadOption, match="patient_from needs the column of names"):
        quietly(ROWS, patient=None, score="s", patient_from="tcga")
    with pytest.raises(BadOption, match="the spark engine joins no sheet"):
        quietly(ROWS, sheet=SHEET, engine="spark", **ASKED)


def test_files_of_one_name_are_refused_and_none_is_named(tmp_path):
    asked = {"patient": "file", "score": "s", "file_column": "file"}
    for place in ("a/Maria.csv", "b/Peter.csv"):
        (tmp_path / place).parent.mkdir()
        (tmp_path / place).write_text("s\n1\n")
    pattern = str(tmp_path / "*/*.csv")
    assert quietly(pattern, **asked).patients.tolist() == ["Maria", "Peter"]
    (tmp_path / "b/Peter.csv").write_text("t\n1\n")
    with pytest.raises(BadTable, match="'file 2 of 2' has no column 's'") as refused:
        quietly(pattern, **asked)
    assert "Peter" not in str(refused.value)
    (tmp_path / "b/Maria.csv").write_text("s\n1\n")
    with pytest.raises(BadTable, match="1 of 3 have that of another") as refused:
        quietly(pattern, **asked)
    assert "Maria" not in str(refused.value)


def test_a_name_that_several_files_have_finds_no_patient_and_no_mark_joins_rows():
    sheet = {"slide": ["x1", "x2"], "who": ["a", "b"]}
    table = {"slide": ["u/x1.svs", "v/x1.svs", "u/x2.svs"], "s": [1.0, 2.0, 4.0]}
    asked = {"patient": "who", "score": "s"}
    with pytest.raises(BadTable, match="2 of 3 values of 'slide'"):
        quietly(table, sheet=sheet, **asked)
    assert quietly(table, sheet=sheet, missing="drop", **asked).patients.tolist() == ["b"]
    marked = {"slide": ["x1", " NA\u200b", " NA\u200b"], "s": [1.0, 2.0, 4.0]}
    gaps = {"slide": ["x1", " NA\u200b"], "who": ["a", "b"]}
    for missing in ("refuse", "drop"):
        with pytest.raises(BadTable, match="stands for a missing value"):
            quietly(marked, sheet=gaps, missing=missing, **asked)
