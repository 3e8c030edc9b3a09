import json

import pandas as pd
import pytest

from tests.cli.commands import FIT, SITES, run_command, snapshot

RESULTS = ("covariate-study.json", "strata-study.json", "monitor.json", "compare.json")
NO_FIGURES = ("covariate", "strata")


@pytest.fixture(scope="module")
def study(table, tmp_path_factory):
    """A folder that a fit wrote, and one that an audit wrote; not to be changed."""
    from steadycut.cli.main import run

    out = tmp_path_factory.mktemp("made")
    assert run(["fit", str(table), *FIT, *SITES, "--out", str(out / "study")]) == 0
    there = ["--label", "label", "--site", "site", "--external", "south"]
    rule = str(out / "study" / "rule.json")
    assert run(["audit", rule, str(table), *there, "--out", str(out / "audit")]) == 0
    return out


@pytest.mark.parametrize(
    ("given", "page"),
    [
        ("study", "study/report.html"),
        ("study/study.json", "study/report.html"),
        ("audit", "audit/audit.html"),
        ("audit/audit.json", "audit/audit.html"),
    ],
)
def test_the_same_bytes_again(study, tmp_path, capsys, given, page):
    out = tmp_path / "new" / "page.html"
    ran = run_command(capsys, "report", study / given, "--out", out)
    assert (ran.code, ran.out) == (0, f"Wrote {out}\n")
    assert out.read_bytes() == (study / page).read_bytes()


@pytest.mark.parametrize(
    ("command", "more", "page"),
    [
        ("covariate", ["--covariate", "site"], "covariate.html"),
        ("strata", ["--costs", "0,1;1,0"], "strata.html"),
        ("monitor", ["--order", "day"], "monitor.html"),
        ("compare", [*SITES, "--external", "south"], "compare.html"),
    ],
)
def test_every_result_has_a_page(study, table, tmp_path, capsys, command, more, page):
    given = [table, *FIT]
    if command == "monitor":
        frame = pd.read_csv(table).assign(day=range(540))
        frame.to_csv(tmp_path / "t.csv", index=False)
        given = [study / "study" / "rule.json", tmp_path / "t.csv"]
    assert run_command(capsys, command, *given, *more, "--out", tmp_path / "o").code == 0
    written = {path.name: path for path in (tmp_path / "o").iterdir()}
    result = next(path for name, path in written.items() if name in RESULTS)
    assert run_command(capsys, "report", result, "--out", tmp_path / page).code == 0
    assert "<svg" in (tmp_path / page).read_text(encoding="utf-8") or command in NO_FIGURES
    if command != "compare":
        assert (tmp_path / page).read_bytes() == written[page].read_bytes()
        assert run_command(capsys, "report", tmp_path / "o", "--format", "md").code == 0


@pytest.mark.parametrize(
    ("form", "name"), [("md", "report.md"), ("pdf-ready", "report-print.html")]
)
def test_other_formats_lie_next_to_the_study(study, tmp_path, capsys, form, name):
    written = tmp_path / "study.json"
    written.write_bytes((study / "study" / "study.json").read_bytes())
    assert run_command(capsys, "report", tmp_path, "--format", form).code == 0
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert json.loads(written.read_bytes())["frozen_rule"]["sha256"] in text
    assert "<script" not in text


def test_a_comparison_is_a_further_table(study, table, tmp_path, capsys):
    there = [*SITES, "--external", "south", "--out", tmp_path]
    assert run_command(capsys, "compare", table, *FIT, *there).code == 0
    out = tmp_path / "page.html"
    options = ["--compare", tmp_path / "compare.json", "--out", out]
    assert run_command(capsys, "report", study / "study", *options).code == 0
    assert "Rules compared" in out.read_text(encoding="utf-8")
    ran = run_command(capsys, "report", study / "audit", *options)
    assert (ran.code, "only the page of a study" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (None, [], "cannot read"),
        ("{", [], "is not JSON that steadycut wrote"),
        ("[1]", [], "is not JSON that steadycut wrote"),
        ('{"schema": "steadycut.rule/1"}', [], "got 'steadycut.rule/1'"),
        (
            '{"schema": "steadycut.study/1"}',
            [],
            "is not complete, or was changed: direction: Field required",
        ),
        ("{}", ["--format", "pdf"], "--format must be one of html, md, pdf-ready; got 'pdf'"),
    ],
)
def test_what_is_no_result_is_refused_in_one_line(tmp_path, capsys, content, options, said):
    path = tmp_path / "study.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    before = snapshot(tmp_path)
    ran = run_command(capsys, "report", path, *options)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err
    assert snapshot(tmp_path) == before


def test_a_folder_must_hold_one_result(study, tmp_path, capsys):
    ran = run_command(capsys, "report", tmp_path)
    assert (ran.code, "holds none of them" in ran.err) == (2, True)
    for name in ("study.json", "audit.json"):
        (tmp_path / name).write_bytes((study / name.removesuffix(".json") / name).read_bytes())
    ran = run_command(capsys, "report", tmp_path)
    assert (ran.code, "holds study.json and audit.json" in ran.err) == (2, True)
    ran = run_command(capsys, "report", tmp_path / "study.json", "--out", tmp_path)
    assert (ran.code, "--out must be a file" in ran.err) == (2, True)


@pytest.mark.parametrize("name", ["rule.json", "study.json", "notes.md", "notes.html"])
def test_a_report_replaces_nothing_but_a_report(tmp_path, capsys, name):
    assert run_command(capsys, "demo", "--out", tmp_path).code == 0
    (tmp_path / "notes.md").write_text("mine", encoding="utf-8")
    (tmp_path / "notes.html").write_text("mine", encoding="utf-8")
    before = (tmp_path / name).read_bytes()
    form = "html" if name.endswith("html") else "md"
    given = ["report", tmp_path / "study.json", "--format", form]
    assert run_command(capsys, *given, "--out", tmp_path / name).code == 2
    assert (tmp_path / name).read_bytes() == before
    for _ in range(2):
        assert run_command(capsys, *given, "--out", tmp_path / f"new.{form}").code == 0
