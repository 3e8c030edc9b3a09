"""The words of the label column, from the table to the page of the next hospital."""

import json
import re

import pytest

from steadycut.documents.rule import FrozenRule
from tests.cli.commands import FIT, SITES, column_changed, make_rows, run_command, write_rows
from tests.said import said
from tests.show.render.test_html import text_of

SOUTH = ["--label", "label", "--site", "site", "--external", "south"]


def named(path, ill, healthy):
    """The table of the tests with these labels."""
    rows = column_changed(make_rows(), "label", lambda _, label: ill if label else healthy)
    return write_rows(path, rows)


@pytest.fixture
def responders(tmp_path, capsys):
    """A table with named classes, and the folder of a fit on it."""
    path = named(tmp_path / "t.csv", "responder", "non-responder")
    ran = run_command(
        capsys, "fit", path, *FIT, *SITES, "--positive", "responder", "--out", tmp_path / "o"
    )
    assert ran.code == 0
    return path, tmp_path / "o", ran


def test_a_fit_speaks_of_responders(responders):
    _, out, ran = responders
    assert " of 15 responders; PPV" in ran.said
    assert " of 15 non-responders; NPV" in ran.said
    study = json.loads((out / "study.json").read_bytes())
    assert study["class_names"] == {"ill": "responder", "healthy": "non-responder"}
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "60 patients, 30 of them responders" in page
    assert 'data-ill="responders" data-healthy="non-responders"' in page
    texts = text_of(page)
    assert not re.search(r"\b(ill|healthy)\b", texts)
    assert "non-responders" in texts
    assert "used to check: responder above the line, non-responder below" in texts
    assert "Filled: responder." in texts


def test_an_audit_takes_the_words_from_the_rule(responders, tmp_path, capsys):
    path, out, _ = responders
    columns = FrozenRule.load(out / "rule.json").document.columns
    assert (columns.positive, columns.negative) == ("responder", "non-responder")
    ran = run_command(capsys, "audit", out / "rule.json", path, *SOUTH, "--out", tmp_path / "a")
    content = json.loads((tmp_path / "a" / "audit.json").read_bytes())
    assert " responders): " in said(content).verdict
    assert said(content).verdict in ran.said
    assert content["class_names"] == {"ill": "responder", "healthy": "non-responder"}


@pytest.mark.parametrize(
    ("ill", "healthy"),
    [("yes", "no"), ("1", "0"), ("true", "false"), ("x" * 40, "y"), ("<b>", "MSS"), ("=A1", "b")],
)
def test_other_labels_leave_ill_and_healthy(ill, healthy, tmp_path, capsys):
    path = named(tmp_path / "t.csv", ill, healthy)
    ran = run_command(capsys, "fit", path, *FIT, *SITES, "--positive", ill, "--out", tmp_path / "o")
    assert " of 15 ill; PPV" in ran.said
    assert "class_names" not in json.loads((tmp_path / "o" / "study.json").read_bytes())
    assert FrozenRule.load(tmp_path / "o" / "rule.json").document.columns.negative is None


def test_labels_0_and_1_change_no_byte_of_a_rule(table, rule, tmp_path, capsys):
    run_command(capsys, "fit", table, *FIT, *SITES, "--out", tmp_path)
    assert (tmp_path / "rule.json").read_bytes() == rule.read_bytes()
    assert b"negative" not in rule.read_bytes().partition(b'"columns"')[2].partition(b"}")[0]


def test_a_rule_without_names_is_audited_in_ill_and_healthy(rule, table, tmp_path, capsys):
    ran = run_command(capsys, "audit", rule, table, *SOUTH, "--out", tmp_path / "a")
    assert " patients, 15 ill): " in ran.said


def test_cut_offs_by_covariate_speak_of_responders(tmp_path, capsys):
    rows = column_changed(make_rows(), "label", lambda _, one: "case" if one else "control")
    rows = column_changed(rows, "other", lambda i, _: "f" if (i // 12) % 2 else "m")
    path = write_rows(tmp_path / "t.csv", rows)
    ran = run_command(
        capsys,
        *("covariate", "--verbose", path, *FIT, "--covariate", "other", "--positive", "case"),
        *("--out", tmp_path / "o"),
    )
    assert (ran.code, "of them cases" in ran.said) == (0, True)
