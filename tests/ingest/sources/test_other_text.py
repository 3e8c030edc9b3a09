"""Text files with another separator or a decimal comma: what is stated, and what is refused."""

import pandas as pd
import pytest

from steadycut import aggregate
from steadycut.errors import BadOption, BadTable, MissingColumn
from steadycut.ingest import read_patients
from steadycut.ingest.layout import shape_of
from steadycut.ingest.request import make_request

ENGINES = ["memory", "duckdb"]
ASKED = {"patient": "id", "score": "s"}
FRAME = pd.DataFrame({"id": list("aabbc"), "s": [0.25, 1.5e-7, -12.0, 3.75, 1000.125]})


def written(tmp_path, text, name="t.csv"):
    (tmp_path / name).write_text(text)
    return tmp_path / name


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("delimiter", [";", "\t", "|", "tab", ",", None])
def test_a_decimal_comma_gives_the_same_bits(engine, delimiter, tmp_path):
    sep = {"tab": "\t", None: ";"}.get(delimiter, delimiter)
    # Scores are quoted where the separator is a comma too.
    FRAME.to_csv(tmp_path / "t.csv", sep=sep, decimal=",", index=False)
    found = aggregate(tmp_path / "t.csv", **ASKED, delimiter=delimiter, decimal=",", engine=engine)
    expected = aggregate(FRAME, **ASKED)
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert found.fingerprint() == expected.fingerprint()


def test_a_decimal_comma_in_texts_of_a_frame():
    texts = FRAME.assign(s=["0,25", "1,5E-7", "-12", "3,75", "1000,125"])
    found = aggregate(texts, **ASKED, decimal=",")
    assert found.scores.tobytes() == aggregate(FRAME, **ASKED).scores.tobytes()
    assert aggregate(FRAME, **ASKED, decimal=",").scores.tobytes() == found.scores.tobytes()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cell", ["0,25", "1,5E-05", ",5", "12,125"])
def test_a_decimal_comma_that_is_not_stated_names_the_option(engine, cell, tmp_path):
    path = written(tmp_path, f"id;s\na;{cell}\nb;?\nc;0\n")
    with pytest.raises(BadTable, match=f"such as '{shape_of(cell)}'") as refused:
        aggregate(path, **ASKED, engine=engine)
    assert "Add decimal=',' if it is a decimal comma" in str(refused.value)
    assert "--decimal , if it is" in refused.value.spelled({"decimal": "--decimal"})


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cell", ["0.25", "1.000,5", "1,000.5", "1,5,5", "1_0"])
def test_with_a_decimal_comma_no_other_notation_is_read(engine, cell, tmp_path):
    path = written(tmp_path, f"id;s\na;{cell}\nb;0,5\n")
    with pytest.raises(BadTable, match="numbers with a decimal comma; 1 of 2 is other text"):
        aggregate(path, **ASKED, decimal=",", engine=engine)


def test_thousands_do_not_name_the_option(tmp_path):
    path = written(tmp_path, 'id;s\na;"1,000.5"\nb;0.5\n')
    with pytest.raises(BadTable, match="Correct them, or name another column"):
        aggregate(path, **ASKED)


def test_a_stated_separator_beats_the_header(tmp_path):
    path = written(tmp_path, "id;s,a,b,c\nx;0.5\n")
    with pytest.raises(MissingColumn, match="no column 'id'"):
        aggregate(path, **ASKED)
    found = aggregate(path, patient="id", score="s,a,b,c", delimiter=";")
    assert found.scores.tolist() == [0.5]
    tabs = written(tmp_path, "id;s\nx;0.5\n", "t.tsv")
    assert aggregate(tabs, **ASKED, delimiter=";").scores.tolist() == [0.5]


def test_a_stated_separator_that_is_not_there_is_refused(tmp_path):
    path = written(tmp_path, "id,s\nx,0.5\n")
    with pytest.raises(BadTable, match=r"is not separated by ';'. Leave out delimiter, or"):
        aggregate(path, **ASKED, delimiter=";")
    one = written(tmp_path, "s\n0.5\n", "one.csv")
    assert aggregate(one, patient=None, score="s", delimiter=";").scores.tolist() == [0.5]


@pytest.mark.parametrize(("name", "value"), [("delimiter", "x"), ("decimal", ";")])
def test_other_signs_are_refused(name, value):
    with pytest.raises(BadOption, match=name):
        read_patients(make_request(**ASKED, **{name: value}), FRAME)
