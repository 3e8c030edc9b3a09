"""``steadycut apply``: one decision per patient, the same in CSV and Parquet."""

import csv
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from steadycut.documents.rule import FrozenRule
from tests.cli.commands import (
    DECISIONS,
    FIT,
    HEADER,
    MARK,
    column_changed,
    make_rows,
    run_command,
    snapshot,
    write_rows,
)


def read_csv(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def test_csv_and_parquet_hold_the_decisions_of_the_rule(table, rule, tmp_path, capsys):
    for name in ("d.csv", "d.parquet", "D.CSV"):
        assert run_command(capsys, "apply", rule, table, "--out", tmp_path / name).code == 0
    expected = FrozenRule.load(rule).decide(table)
    rows = read_csv(tmp_path / "d.csv")
    assert list(rows[0]) == DECISIONS
    assert [row["patient"] for row in rows] == expected["patient"].tolist()
    assert [float(row["score"]) for row in rows] == expected["score"].tolist()
    assert [row["decision"] for row in rows] == [str(d) for d in expected["decision"]]
    flips = [float(row["flip_probability"]) for row in rows]
    assert flips == expected["flip_probability"].tolist()
    parquet = pq.read_table(tmp_path / "d.parquet")
    assert parquet.column_names == DECISIONS
    assert parquet.to_pydict() == {key: values.tolist() for key, values in expected.items()}
    numbers = [pa.float64(), pa.int8(), pa.float64(), pa.float64(), pa.int8()]
    assert parquet.schema.types == [pa.string(), *numbers, pa.string()]
    assert (tmp_path / "D.CSV").read_bytes() == (tmp_path / "d.csv").read_bytes()
    assert {row["decision"] for row in rows} == {"0", "1"}


def test_json_counts_what_the_file_holds(table, rule, tmp_path, capsys):
    ran = run_command(capsys, "apply", rule, table, "--json", "--out", tmp_path / "d.csv")
    rows = pd.read_csv(tmp_path / "d.csv")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.json["n_patients"] == len(rows) == 90
    assert ran.json["called"] == rows["decision"].sum()
    assert ran.json["call_rate"] == pytest.approx(rows["decision"].mean())
    assert ran.json["flip_rate"] == pytest.approx(rows["flip_probability"].mean())
    assert ran.json["rows"] == 540
    assert ran.json["dropped_rows"] == 0
    assert ran.json["warnings"] == []


def test_the_text_counts_too(table, rule, tmp_path, capsys):
    ran = run_command(capsys, "apply", rule, table, "--out", tmp_path / "d.csv")
    called = pd.read_csv(tmp_path / "d.csv")["decision"].sum()
    assert ran.out.startswith(f"{called} of 90 patients called (")
    assert ran.out.endswith(f"\nWrote {tmp_path / 'd.csv'}\n")
    assert ran.err == ""


def test_neither_labels_nor_sites_are_needed(table, rule, tmp_path, capsys):
    pd.read_csv(table)[["patient", "score"]].to_csv(tmp_path / "t.csv", index=False)
    for source, name in ((table, "a.csv"), (tmp_path / "t.csv", "b.csv")):
        assert run_command(capsys, "apply", rule, source, "--out", tmp_path / name).code == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_identifiers_come_out_as_they_went_in(rule, tmp_path, capsys):
    names = ["007", "7", "7.0", "a,b", 'say "x"', "two\nlines", "Zoë", "日本", " padded ", "1e5"]
    path = tmp_path / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["patient", "score"], *[[name, 1.5] for name in names]])
    for ending in ("csv", "parquet"):
        out = tmp_path / f"d.{ending}"
        assert run_command(capsys, "apply", rule, path, "--out", out, "--force").code == 0
    assert [row["patient"] for row in read_csv(tmp_path / "d.csv")] == sorted(names)
    assert pq.read_table(tmp_path / "d.parquet")["patient"].to_pylist() == sorted(names)


def test_a_score_at_the_cut_off_is_called(rule, tmp_path, capsys):
    cut = FrozenRule.load(rule).threshold
    scores = [np.nextafter(cut, -np.inf), cut, np.nextafter(cut, np.inf)]
    path = tmp_path / "t.csv"
    lines = [f"p{i},{score!r}" for i, score in enumerate(map(float, scores))]
    path.write_text("\n".join(["patient,score", *lines]) + "\n", encoding="utf-8")
    run_command(capsys, "apply", rule, path, "--out", tmp_path / "d.csv", "--force")
    rows = read_csv(tmp_path / "d.csv")
    assert [row["decision"] for row in rows] == ["0", "1", "1"]
    assert [float(row["score"]) for row in rows] == scores


def test_a_level_of_the_rule_is_used_and_needed(table, tmp_path, capsys):
    run_command(capsys, "fit", table, *FIT, "--level", "slide:max", "--out", tmp_path / "o")
    leveled = tmp_path / "o" / "rule.json"
    assert run_command(capsys, "apply", leveled, table, "--out", tmp_path / "d.csv").code == 0
    twin = pd.read_csv(table).groupby(["patient", "slide"])["score"].max()
    twin = twin.groupby("patient").mean()
    found = pd.read_csv(tmp_path / "d.csv").set_index("patient")["score"]
    assert found.to_dict() == pytest.approx(twin.to_dict())
    pd.read_csv(table).drop(columns="slide").to_csv(tmp_path / "t.csv", index=False)
    before = snapshot(tmp_path)
    ran = run_command(capsys, "apply", leveled, tmp_path / "t.csv", "--out", tmp_path / "e.csv")
    assert ran.code == 2
    assert "no column 'slide'" in ran.err
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_another_unit_warns_and_is_recorded(rule, tmp_path, capsys, as_json):
    rows = column_changed(make_rows(), "score", lambda _, score: 1000 * score)
    path = write_rows(tmp_path / "t.csv", rows)
    ran = run_command(capsys, "apply", rule, path, "--out", tmp_path / "d.csv", *as_json)
    assert ran.code == 0
    lines = ran.err.splitlines()
    assert all(line.startswith("steadycut: warning: ") for line in lines)
    assert [line.split(": ")[2] for line in lines] == ["score range", "unit"]
    assert MARK not in ran.err
    assert len(read_csv(tmp_path / "d.csv")) == 90
    if as_json:
        assert [f"steadycut: warning: {text}" for text in ran.json["warnings"]] == lines


def test_another_number_of_instances_warns(rule, tmp_path, capsys):
    rows = make_rows()
    path = write_rows(tmp_path / "t.csv", [*rows[::6], rows[1]])
    ran = run_command(capsys, "apply", rule, path, "--json", "--out", tmp_path / "d.csv")
    assert ran.code == 0
    assert [text.partition(":")[0] for text in ran.json["warnings"]] == ["instances"]


def test_a_lost_patient_is_told(rule, tmp_path, capsys):
    def gap(i, score):
        return "NA" if i < 6 else score

    path = write_rows(tmp_path / "t.csv", column_changed(make_rows(), "score", gap))
    out = tmp_path / "d.csv"
    before = snapshot(tmp_path)
    ran = run_command(capsys, "apply", rule, path, "--out", out)
    assert ran.code == 2
    assert "6 of 540 in 'score'" in ran.err
    assert snapshot(tmp_path) == before
    ran = run_command(capsys, "apply", rule, path, "--missing", "drop", "--json", "--out", out)
    assert ran.code == 0
    assert "6 of 540 rows without a finite score were dropped" in ran.err
    assert "1 patient who has no other rows" in ran.err
    assert (ran.json["dropped_rows"], ran.json["dropped_patients"]) == (6, 1)
    assert len(read_csv(out)) == 89


def test_an_old_file_is_replaced(table, rule, tmp_path, capsys):
    out = tmp_path / "d.csv"
    out.write_bytes(b"old")
    assert run_command(capsys, "apply", rule, table, "--overwrite", "--out", out).code == 0
    assert out.read_bytes().startswith(b"patient,score,decision,flip_probability,")
    assert sorted(snapshot(tmp_path)) == ["d.csv"]


def test_columns_of_any_order_and_more_of_them(table, rule, tmp_path, capsys):
    frame = pd.read_csv(table)
    frame[[*HEADER[::-1]]].assign(extra="x").to_parquet(tmp_path / "t.parquet")
    for source, name in ((table, "a.csv"), (tmp_path / "t.parquet", "b.csv")):
        run_command(capsys, "apply", rule, source, "--out", tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_the_table_is_not_overwritten_by_its_decisions(table, rule, tmp_path, capsys):
    copy = tmp_path / "table.csv"
    copy.write_bytes(table.read_bytes())
    for given in (copy, tmp_path / "tab*.csv"):
        ran = run_command(capsys, "apply", rule, given, "--out", copy)
        assert (ran.code, copy.read_bytes()) == (2, table.read_bytes())
        assert "one of the files that are read" in ran.err


def test_the_text_ends_with_the_next_step(table, rule, tmp_path, capsys):
    ran = run_command(capsys, "apply", rule, table, "--out", tmp_path / "d.csv")
    assert "Next: when you have labels, see whether the decisions were right: steadycut audit" in (
        ran.said
    )
    assert ran.out.splitlines()[-1] == f"Wrote {tmp_path / 'd.csv'}"
    content = run_command(capsys, "apply", rule, table, "--out", tmp_path / "d.csv", "--json").json
    assert content["next_step"] == {"verb": "audit", "why": "decisions", "file_name": "rule.json"}


@pytest.mark.parametrize(("factor", "more"), [(100, 0), (1, 50)])
def test_scores_in_another_unit_say_to_check_the_unit(rule, factor, more, tmp_path, capsys):
    rows = column_changed(make_rows(), "score", lambda _, score: factor * float(score) + more)
    path = write_rows(tmp_path / "percent.csv", rows)
    ran = run_command(capsys, "apply", rule, path, "--out", tmp_path / "d.csv", "--json")
    assert ran.json["next_step"] == {"verb": "check", "why": "decisions unlike"}
    again = run_command(capsys, "apply", rule, path, "--out", tmp_path / "d.csv")
    assert (
        "Next: do not act on these decisions. The scores are unlike those of the rule: check the "
        "unit (percent or share?) and the scorer, then apply it again."
    ) in again.said


def test_a_rule_that_is_not_shown_to_be_useful_must_be_audited_first(tmp_path, capsys):
    path = write_rows(tmp_path / "t.csv", make_rows(12))
    out = tmp_path / "o"
    fitted = run_command(capsys, "fit", path, *FIT, "--out", out, "--json")
    assert fitted.json["certificate"]["vacuous"]
    ran = run_command(capsys, "apply", out / "rule.json", path, "--out", tmp_path / "d.csv")
    assert "Next: do not act on these decisions yet." in ran.said
