"""A place that cannot take the results is refused before any work is done."""

from pathlib import Path

import pytest

from steadycut.cli.output import check_folder
from steadycut.errors import BadOption
from tests.cli.commands import FIT, run_command

NO_PLACE = Path("/proc/nowhere")
TOO_LONG = "x" * 300


def test_a_folder_that_is_tried_is_left_as_it_was(tmp_path):
    check_folder(tmp_path / "new" / "inner")
    check_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a place that nobody can write to")
def test_permissions_alone_do_not_tell():
    with pytest.raises(BadOption, match="cannot make the folder /proc/nowhere: "):
        check_folder(NO_PLACE)
    with pytest.raises(BadOption, match="cannot write to the folder /proc: "):
        check_folder(NO_PLACE.parent)


def test_what_others_put_there_meanwhile_stays(tmp_path, monkeypatch):
    def by_others(folder):
        (folder / "theirs").write_text("theirs", encoding="utf-8")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("steadycut.cli.output.try_folder", by_others)
    with pytest.raises(BadOption, match="No space left on device"):
        check_folder(tmp_path / "new")
    assert (tmp_path / "new" / "theirs").exists()


COMMANDS = {
    "fit": lambda rule, table: ["fit", table, *FIT],
    "audit": lambda rule, table: ["audit", rule, table, "--label", "label"],
    "apply": lambda rule, table: ["apply", rule, table],
    "monitor": lambda rule, table: ["monitor", rule, table, "--order", "label"],
    "covariate": lambda rule, table: ["covariate", table, *FIT, "--covariate", "site"],
    "strata": lambda rule, table: ["strata", table, *FIT, "--costs", "0,1,2;2,1,0"],
}


@pytest.mark.parametrize("make", COMMANDS.values(), ids=COMMANDS)
def test_no_table_is_read_before_the_place_is_known_to_do(make, rule, tmp_path, capsys):
    out = tmp_path / TOO_LONG / "out.csv"
    ran = run_command(capsys, *make(rule, tmp_path / "no-such-table.csv"), "--out", out)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "out" in ran.err
    assert "no-such-table" not in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_file_can_have_is_refused_at_once(rule, tmp_path, capsys):
    out = tmp_path / f"{TOO_LONG}.csv"
    ran = run_command(capsys, "apply", rule, "no-such-table.csv", "--out", out)
    assert (ran.code, "File name too long" in ran.err) == (2, True)


def test_decisions_over_a_folder_are_refused_at_once(rule, tmp_path, capsys):
    (tmp_path / "d.csv").mkdir()
    ran = run_command(capsys, "apply", rule, "no-such-table.csv", "--out", tmp_path / "d.csv")
    assert (ran.code, "must be a file" in ran.err) == (2, True)


@pytest.mark.parametrize(("content", "code"), [("<p>mine</p>", 2), ("", 0)])
def test_a_page_of_somebody_else_stays(content, code, table, tmp_path, capsys):
    page = tmp_path / "report.html"
    page.write_text(content)
    ran = run_command(capsys, "fit", table, *FIT, "--out", tmp_path)
    assert ran.code == code
    assert code == 0 or (page.read_text() == content and not (tmp_path / "rule.json").exists())
    assert run_command(capsys, "fit", table, *FIT, "--out", tmp_path, "--overwrite").code == 0
