"""Every command takes a second table, by slide, and finds what one table of both says."""

import csv
import hashlib
import json

import pytest

from tests.cli.commands import FIT, HEADER, SITES, make_rows, run_command, write_rows

COMMON = ["--external", "south", "--site", "site"]
# What each command needs besides the rule and the tables.
COMMANDS = {
    "fit": [*FIT, *SITES],
    "compare": [*FIT, *SITES, "--external", "south"],
    "audit": COMMON,
    "apply": [],
    "adapt": [*COMMON, "--prevalence", "0.5"],
    "monitor": [*COMMON, "--order", "day"],
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The rows with everything, and the same in two tables that share the name of the slide."""
    folder = tmp_path_factory.mktemp("sheets")
    whole = []
    for row in make_rows():
        mixed = hashlib.sha256(row[1].encode()).hexdigest()
        whole.append([*row[:2], f"{row[1]}/{row[2]}.svs", *row[3:], int(mixed[:6], 16)])
    header = [*HEADER, "day"]
    sheet = {row[2]: [row[2].removesuffix(".svs").rpartition("/")[2], *row] for row in whole}
    write_rows(folder / "whole.csv", whole, header)
    write_rows(folder / "rows.csv", [row[2:5] for row in whole], header[2:5])
    keys = [[row[3], row[1], row[2], row[6], row[7]] for row in sheet.values()]
    write_rows(folder / "sheet.csv", keys, ["image", "site", "patient", "label", "day"])
    return folder


def read(path):
    """What a command wrote, as text or without what names the table."""
    if path.suffix == ".csv":
        return list(csv.reader(path.read_text("utf-8").splitlines()))
    return {name: part for name, part in json.loads(path.read_bytes()).items() if name != "data"}


@pytest.mark.parametrize("command", COMMANDS)
def test_two_tables_give_what_one_gives(command, tables, rule, tmp_path, capsys):
    first = [] if command in {"fit", "compare"} else [rule]
    sheets = ["--sheet", tables / "sheet.csv"]
    written = []
    for name, more in (("whole.csv", []), ("rows.csv", sheets)):
        out = tmp_path / (f"{name}.csv" if command == "apply" else name)
        given = [command, *first, tables / name, *COMMANDS[command], *more, "--out", out]
        ran = run_command(capsys, *given)
        assert ran.code == 0, ran.err
        written.append(
            read(out) if command == "apply" else [read(p) for p in sorted(out.glob("*.json"))]
        )
    assert "joined by 'slide' (in the sheet 'image')" in ran.err
    assert written[0] == written[1]


def test_a_row_without_a_partner_is_refused_and_no_name_is_shown(tables, tmp_path, capsys):
    lines = (tables / "sheet.csv").read_text("utf-8").splitlines()
    (tmp_path / "less.csv").write_text("\n".join(lines[:-1]) + "\n", "utf-8")
    given = ["fit", tables / "rows.csv", *FIT, "--sheet", tmp_path / "less.csv"]
    ran = run_command(capsys, *given, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "1 of 180 values of 'slide' (3 of 540 rows) are not in the sheet" in ran.err
    assert "--missing drop" in ran.err
    assert not (tmp_path / "out").exists()
    ran = run_command(capsys, *given, "--missing", "drop", "--out", tmp_path / "out")
    assert ran.code == 0
    assert "3 rows of 1 value of 'slide' without a partner were dropped" in ran.err
    assert json.loads((tmp_path / "out" / "study.json").read_bytes())["data"]["dropped_rows"] == 3
