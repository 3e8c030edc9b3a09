"""What a table seems to hold, before anything is fitted."""

import re
import shlex

from tests.cli.commands import HEADER, make_rows, run_command, write_rows


def test_the_command_that_is_printed_fits(table, tmp_path, capsys):
    ran = run_command(capsys, "look", table)
    assert ran.code == 0
    typed = shlex.split(next(line for line in ran.out.splitlines() if "Type: " in line))[1:]
    assert typed[:2] == ["steadycut", "fit"]
    assert run_command(capsys, *typed[1:-1], f"--out={tmp_path / 'out'}").code == 0
    assert re.search(r"\d+ rows of \d+ patients; \d+ are ill", ran.out)
    names = {row[HEADER.index("patient")] for row in make_rows()}
    assert not names & set(ran.out.replace(",", " ").split())


def test_no_identifier_is_shown(tmp_path, capsys):
    rows = [[f"TCGA-AB-{k // 2:04}-DX{k % 2}", k / 40, k % 2] for k in range(40)]
    table = write_rows(tmp_path / "t.csv", rows, ["slide", "score", "label"])
    ran = run_command(capsys, "look", table)
    assert "TCGA" not in ran.out
    assert "there is a column 'slide'" in ran.out


def test_a_table_without_scores_or_labels_says_so(tmp_path, capsys):
    table = write_rows(tmp_path / "t.csv", [["a", "b"]], ["x", "y"])
    ran = run_command(capsys, "look", table)
    assert "No column is called like scores and labels" in ran.out


def test_a_sheet_adds_its_columns_and_an_error_is_told(tmp_path, capsys):
    rows = [[f"s{k}", k / 40] for k in range(40)]
    keys = [[f"s{k}", f"p{k // 2}", k // 2 % 2] for k in range(40)]
    table = write_rows(tmp_path / "t.csv", rows, ["slide", "score"])
    sheet = write_rows(tmp_path / "s.csv", keys, ["slide", "patient", "label"])
    ran = run_command(capsys, "look", table, "--sheet", sheet)
    assert "joined by 'slide'" in ran.out
    assert "40 rows of 20 patients" in ran.out
    less = write_rows(tmp_path / "less.csv", keys[:-1], ["slide", "patient", "label"])
    ran = run_command(capsys, "look", table, "--sheet", less)
    assert "It cannot be read so:" in ran.out
    assert "--missing" in ran.out
