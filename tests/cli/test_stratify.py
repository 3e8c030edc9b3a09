"""``--stratify COL``: resampling within the values of any patient-level column."""

import numpy as np
import pandas as pd
import pytest

import steadycut
from tests.cli.commands import FIT, HEADER, MARK, make_rows, run_command, snapshot

BOTH = ["--site", "site", "--internal", "north", "--external", "south"]
PYTHON = {"patient": "patient", "score": "score", "label": "label"}


@pytest.fixture
def frame():
    """The usual table, with a scanner per patient and some columns that are no strata."""
    frame = pd.DataFrame(make_rows(), columns=HEADER)
    number = frame.patient.str[-3:].astype(int)
    return frame.assign(
        scanner=np.where(number % 3 == 0, "old", "new"),
        everybody="same",
        number=number.astype(str) + frame.site,
    )


def fit(capsys, frame, folder, *given, command="fit"):
    path = folder / "t.csv"
    frame.to_csv(path, index=False)
    out = [] if command == "compare" else ["--out", folder / "o"]
    return run_command(capsys, command, path, *FIT, *given, "--json", *out)


@pytest.mark.parametrize("column", ["scanner", "everybody"])
def test_it_gives_the_study_that_python_gives(column, frame, tmp_path, capsys):
    ran = fit(capsys, frame, tmp_path, "--stratify", column)
    assert ran.code == 0, ran.err
    cohort = steadycut.aggregate(frame, **PYTHON, attributes=column)
    strata = frame.groupby("patient")[column].first().loc[cohort.patients.tolist()].to_numpy()
    by_array = steadycut.fit(cohort, n_bootstrap=20, stratify=strata)
    by_name = steadycut.fit(cohort, n_bootstrap=20, stratify=column)
    assert ran.json["bootstrap_thresholds"] == by_array.bootstrap_thresholds.tolist()
    assert ran.json["bootstrap_thresholds"] == by_name.bootstrap_thresholds.tolist()
    assert ran.json["options"]["stratify"] == by_name.to_dict()["options"]["stratify"] == column
    assert ran.json["stability"] == by_name.to_dict()["stability"]
    assert by_array.to_dict()["options"]["stratify"] == "given"


def test_strata_are_those_of_the_patients_who_choose(frame, tmp_path, capsys):
    north = fit(capsys, frame, tmp_path, "--stratify", "scanner", *BOTH[:4])
    here = frame[frame.site == "north"]
    alone = fit(capsys, here, tmp_path, "--stratify", "scanner", "--overwrite")
    assert north.json["bootstrap_thresholds"] == alone.json["bootstrap_thresholds"]


@pytest.mark.parametrize(("column", "name"), [("label", "label"), ("site", "site")])
def test_the_columns_of_label_and_site_may_be_named(column, name, frame, tmp_path, capsys):
    renamed = frame.rename(columns={column: "odd"})
    columns = ["--site", "site"] if column == "label" else ["--site", "odd"]
    columns += ["--label", "odd"] if column == "label" else []
    by_word, by_column = (
        fit(capsys, renamed, tmp_path, *columns, "--stratify", one) for one in (name, "odd")
    )
    assert by_word.code == 0, by_word.err
    assert by_word.json == by_column.json


def test_compare_takes_a_column_too(frame, tmp_path, capsys):
    ran = fit(capsys, frame, tmp_path, *BOTH, "--stratify", "scanner", command="compare")
    assert ran.code == 0, ran.err
    cohort = steadycut.aggregate(frame, **PYTHON, site="site", attributes="scanner")
    here, there = (cohort.take(cohort.sites == site) for site in ("north", "south"))
    expected = steadycut.compare(
        here, there, n_bootstrap=20, stratify=here.attributes["scanner"]
    ).to_dict()
    assert ran.json["rows"] == expected["rows"]
    plain = fit(capsys, frame, tmp_path, *BOTH, command="compare")
    assert ran.json["rows"] != plain.json["rows"]


def test_engines_agree(frame, tmp_path, capsys):
    given = ["--stratify", "scanner", "--engine"]
    by_memory, by_duckdb = (
        fit(capsys, frame, tmp_path, *given, engine) for engine in ("memory", "duckdb")
    )
    assert by_memory.json == by_duckdb.json


def test_patients_without_a_value_are_refused_or_left_out(frame, tmp_path, capsys):
    frame.loc[:6, "scanner"] = None
    ran = fit(capsys, frame, tmp_path, "--stratify", "scanner")
    assert ran.code == 2
    assert "column 'scanner' must be filled in every row; 7 of 540 rows have nothing" in ran.err
    assert "leave out patients without any value with missing='drop'" not in ran.err
    assert "leave out patients without any value with --missing drop" in ran.err
    ran = fit(capsys, frame, tmp_path, "--stratify", "scanner", "--missing", "drop")
    assert ran.code == 0
    assert "1 patient without 'scanner' in any row was dropped, 6 rows in all." in ran.err
    assert "1 row without 'scanner' took the one of the same patient's other rows." in ran.err
    assert ran.json["data"]["dropped_incomplete_patients"] == 1
    assert ran.json["patients"]["total"] == 89


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--stratify", "age"], "has no column 'age'"),
        (["--stratify", "slide"], "must have one value; 90 patients have several in 'slide'"),
        (
            ["--stratify", "number"],
            "must put several patients into a group; all 90",
        ),
        (["--stratify", "patient"], "once and in one role; got 'patient' twice"),
        (["--stratify", "score"], "once and in one role; got 'score' twice"),
        (
            ["--stratify", "scanner", "--ensemble", "quantile"],
            "an ensemble cannot be resampled within groups",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(given, told, frame, tmp_path, capsys):
    ran = fit(capsys, frame, tmp_path, *given)
    assert ran.code == 2
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1
    assert MARK not in ran.err
    assert list(snapshot(tmp_path)) == ["t.csv"]


def test_a_column_that_was_not_read_is_refused_in_python(frame):
    cohort = steadycut.aggregate(frame, **PYTHON, attributes="scanner")
    with pytest.raises(steadycut.errors.BadOption, match="one of label, site, scanner, or one"):
        steadycut.fit(cohort, stratify="age")
