"""What looks odd about the rows: on stderr, in the log, in the file of numbers and on the page."""

import json

import pytest

from tests.cli.commands import (
    FIT,
    HEADER,
    SITES,
    column_changed,
    make_rows,
    run_command,
    write_rows,
)

CODES = "codes: {} of {} patients have a score of 999 or -999"
COPIES = "copies: {0} of {0} patients have several rows"
EXTERNAL = ["--external", "south"]
JUDGED = ["--label", "label", "--site", "site", *EXTERNAL]
ONE = [*FIT, *SITES]


@pytest.fixture
def coded(tmp_path):
    """The table, with -999 in two rows of one patient of each hospital."""
    rows = column_changed(
        make_rows(), "score", lambda i, score: -999 if i in {0, 1, 360, 361} else score
    )
    ordered = [[*row, i] for i, row in enumerate(rows)]
    return write_rows(tmp_path / "coded.csv", ordered, [*HEADER, "came"])


def copied(path):
    """The table, with the first score of a patient in all rows of this patient."""
    rows = make_rows()
    return write_rows(path, column_changed(rows, "score", lambda i, _: rows[i // 6 * 6][3]))


def warnings_of(content):
    return content["warnings"] if "warnings" in content else content["stability"]["warnings"]


def check_told(ran, begins, log, file=None, page=None):
    assert ran.code == 0, ran.err
    lines = [line for line in ran.err.splitlines() if begins in line]
    assert len(lines) == 1, ran.err
    texts = [warnings_of(ran.json), json.loads(log.read_text().splitlines()[-1])["warnings"]]
    if file is not None:
        texts.append(warnings_of(json.loads(file.read_text())))
        assert page.read_text().count(begins) >= 1
    assert [sum(text.startswith(begins) for text in one) for one in texts] == [1] * len(texts)


@pytest.mark.parametrize(
    ("command", "more", "files", "n_patients"),
    [
        ("fit", ONE, ("study.json", "report.html"), 60),
        ("strata", [*ONE, "--costs", "0,0.5,1;4,1,0"], ("strata-study.json", "strata.html"), 60),
        (
            "covariate",
            [*FIT, "--covariate", "site"],
            ("covariate-study.json", "covariate.html"),
            90,
        ),
        ("compare", [*ONE, *EXTERNAL], ("compare.json", "compare.html"), 90),
    ],
)
def test_a_study_tells_of_codes_and_copies(
    coded, tmp_path, capsys, command, more, files, n_patients
):
    out, log = tmp_path / "out", tmp_path / "runs.log"
    given = [*more, "--json", "--out", out, "--log", log]
    names = [out / name for name in files]
    ran = run_command(capsys, command, coded, *given)
    check_told(ran, CODES.format(n_patients // 45, n_patients), log, *names)
    ran = run_command(capsys, command, copied(tmp_path / "copied.csv"), *given, "--overwrite")
    check_told(ran, COPIES.format(n_patients), log, *names)


@pytest.mark.parametrize(("command", "more"), [("audit", []), ("monitor", ["--order", "came"])])
def test_a_judgement_tells_of_codes(coded, rule, tmp_path, capsys, command, more):
    out, log = tmp_path / "out", tmp_path / "runs.log"
    given = [*JUDGED, *more, "--force", "--json", "--out", out, "--log", log]
    ran = run_command(capsys, command, rule, coded, *given)
    check_told(ran, CODES.format(1, 30), log, out / f"{command}.json", out / f"{command}.html")


def test_with_small_cells_only_the_terminal_is_told(coded, rule, tmp_path, capsys):
    out = tmp_path / "out"
    given = [*JUDGED, "--force", "--small-cells", "5", "--out", out]
    ran = run_command(capsys, "audit", rule, coded, *given)
    assert ran.err.count(CODES.format(1, 30)) == 1
    assert "codes: " not in (out / "audit.json").read_text()


def test_decisions_tell_of_codes_and_copies(coded, rule, tmp_path, capsys):
    log = tmp_path / "runs.log"
    given = ["--force", "--json", "--out", tmp_path / "d.csv", "--log", log]
    check_told(run_command(capsys, "apply", rule, coded, *given), CODES.format(2, 90), log)
    ran = run_command(capsys, "apply", rule, copied(tmp_path / "copied.csv"), *given)
    check_told(ran, COPIES.format(90), log)


def test_decisions_for_patients_with_one_score_say_so(rule, tmp_path, capsys):
    same = write_rows(tmp_path / "same.csv", column_changed(make_rows(), "score", lambda *_: 0.5))
    log = tmp_path / "runs.log"
    given = ["--force", "--json", "--out", tmp_path / "d.csv", "--log", log]
    ran = run_command(capsys, "apply", rule, same, *given)
    check_told(ran, "score: every patient has the same score", log)
