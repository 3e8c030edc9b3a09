"""The plan command: one answer, every bound, and what it refuses."""

import json

import pytest

from tests.cli.commands import FIT, SITES, run_command, snapshot

ASKED = ["--risk", "0.1", "--width", "0.05"]


def test_the_text_answers_first(capsys):
    ran = run_command(capsys, "plan", "--verbose", *ASKED)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "A plan: 90 % confidence"
    answer = "458 patients, 229 of them used to check, certify a risk of at most 0.150 in 80 % of "
    assert lines[3].startswith(answer)
    after = "Next: collect 458 consecutive patients with labels, then run steadycut fit "
    short = run_command(capsys, "plan", *ASKED)
    assert short.said.startswith(answer)
    assert after in short.said
    assert len(short.out.splitlines()) <= 12
    assert lines[12].split() == ["clopper-pearson", "0.100", "132", "263", "7", "7", "0.149", "-"]


def test_json_holds_a_row_for_every_bound(capsys):
    found = run_command(capsys, "plan", *ASKED, "--prevalence", "0.12", "--json").json
    assert found["rows"][0]["bound"] == "clopper-pearson"
    assert {"buehler", "hoeffding", "dkw", "paper"} < {row["bound"] for row in found["rows"]}
    assert all(row["value"] <= 0.15 + 1e-8 for row in found["rows"])
    assert found["trivial_risk"] == 0.12
    assert all(row["vacuous"] for row in found["rows"])


def test_the_folder_holds_the_numbers_and_their_page(tmp_path, capsys):
    ran = run_command(capsys, "plan", *ASKED, "--out", tmp_path / "o")
    assert ran.out.splitlines()[-1] == f"Wrote plan.json, plan.html to {tmp_path / 'o'}/"
    found = snapshot(tmp_path / "o")
    assert sorted(found) == ["plan.html", "plan.json"]
    assert found["plan.json"].decode() == run_command(capsys, "plan", *ASKED, "--json").out
    assert b"458 patients, 229 of them used to check" in found["plan.html"]


def test_unequal_costs_take_the_exact_bound(capsys):
    ran = run_command(capsys, "plan", "--verbose", *ASKED, "--cost-fn", "3")
    assert "\n  buehler " in ran.out
    assert "clopper-pearson" not in ran.out
    assert "whichever is worse" in ran.said


def test_what_patients_buy(capsys):
    ran = run_command(capsys, "plan", "--verbose", "--patients", "92")
    assert "A plan: 90 % confidence\n" in ran.out
    assert "What 92 patients give: 46 used to check certify a risk of at most " in ran.said
    uniform = run_command(
        capsys, "plan", "--verbose", "--patients", "92", "--honesty", "uniform", "--json"
    ).json
    assert uniform["certify_size"] is None
    assert {row["n_certify"] for row in uniform["rows"]} == {92}


def test_instances_do_not_replace_patients(capsys):
    pooled = ["--instances", "50", "--icc", "0.4"]
    ran = run_command(capsys, "plan", "--verbose", *ASKED, *pooled)
    assert "132 patients used to check are still needed" in ran.said
    assert "design effect 20.6" in ran.said
    assert "or 3 patients: not valid" in ran.said
    alone = run_command(capsys, "plan", "--verbose", *ASKED, "--json").json
    both = run_command(capsys, "plan", "--verbose", *ASKED, *pooled, "--json").json
    assert both["rows"] == alone["rows"]
    assert both["pooling"]["claimed_generalization"] < both["pooling"]["generalization"] / 5


def test_a_pilot_stands_for_the_risk(table, tmp_path, capsys):
    run_command(
        capsys, "fit", "--verbose", table, *FIT, *SITES, "--cost-fn", "2", "--out", tmp_path
    )
    study = json.loads((tmp_path / "study.json").read_text(encoding="utf-8"))
    pilot = ["--pilot", tmp_path / "study.json"]
    found = run_command(capsys, "plan", "--verbose", *pilot, "--patients", "60", "--json").json
    assert found["costs"] == study["costs"]
    assert found["rows"][0]["value"] == pytest.approx(study["certificate"]["value"])
    wide = run_command(capsys, "plan", "--verbose", *pilot, "--width", "0.2")
    assert wide.code == 0
    assert "errors are mixed as among the pilot's patients" in wide.said


def test_a_search_that_ends_says_so(capsys):
    ran = run_command(
        capsys, "plan", "--verbose", "--risk", "0.1", "--width", "0.001", "--cost-fn", "2"
    )
    assert "needs more than 20000 patients used to check, with buehler" in ran.said
    assert "> 20000" in ran.out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "either --width or --patients; got neither"),
        ([*ASKED, "--patients", "50"], "got both"),
        (["--width", "0.1"], "--width needs the risk to expect. Give --risk or --pilot."),
        (["--risk", "1.5", "--width", "0.1"], "risk must lie between 0 and the larger cost (1)"),
        ([*ASKED, "--delta", "2"], "delta must lie strictly between 0 and 1"),
        ([*ASKED, "--honesty", "none"], "honesty must be one of split, uniform"),
        ([*ASKED, "--instances", "5"], "belong together"),
        (["--width", "0.1", "--pilot", "nowhere.json"], "cannot read the pilot nowhere.json"),
        (["--width", "0.1", "--pilot", __file__], "not a study of schema"),
        (["--risk", "x"], "--risk"),
    ],
)
def test_what_is_refused_in_one_line(arguments, text, capsys):
    ran = run_command(capsys, "plan", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1
    assert text in ran.err


def test_no_more_patients_where_the_risk_is_not_below_doing_without_a_score(capsys):
    asked = ["--risk", "0.2", "--patients", "200", "--prevalence", "0.15"]
    said = run_command(capsys, "plan", *asked).said
    assert "Next: try another score or other costs." in said
    assert "plan for more patients" not in said


def test_how_many_labels_the_next_hospital_needs(table, tmp_path, capsys):
    run_command(capsys, "fit", table, *FIT, *SITES, "--out", tmp_path)
    at_site = ["--at-site", tmp_path / "rule.json"]
    asked = [*at_site, "--risk", "0.1", "--target", "0.2"]
    found = run_command(capsys, "plan", *asked, "--json").json["at_site"]
    menu, alone = found["rows"]
    assert alone["fixed"] == 75 < menu["fixed"]
    ran = run_command(capsys, "plan", "--verbose", *asked, "--out", tmp_path / "o")
    assert f"{menu['fixed']} random labels certify an average cost of at most 0.200" in ran.said
    assert "Taken one at a time, about as many are enough half of the time" in ran.said
    assert f"Next: label {menu['fixed']} random patients" in ran.said
    assert sorted(snapshot(tmp_path / "o")) == ["plan.html", "plan.json"]
    hard = run_command(capsys, "plan", *at_site, "--risk", "0.2", "--target", "0.2").said
    assert "cannot be certified if it is 0.200 there" in hard
    assert "Next: plan for a larger --target" in hard
    percent = run_command(capsys, "plan", *at_site, "--prevalence", "8")
    assert (percent.code, percent.out) == (2, "")
    assert "For 8 % give 0.08" in percent.err
