"""The options of ``fit`` and ``plan`` that are about the next hospital."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.cli.commands import run_command

COLUMNS = ["--patient", "id", "--score", "score", "--label", "ill", "--bootstrap", "4"]


@pytest.fixture(scope="module")
def hospitals(tmp_path_factory):
    rng = np.random.default_rng(0)
    n, sites = 240, ["north", "south", "east", "west"]
    ill = rng.integers(0, 2, n)
    path = tmp_path_factory.mktemp("hospitals") / "table.csv"
    pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "site": [sites[i % 4] for i in range(n)],
            "score": rng.normal(size=n) + 2 * ill,
            "ill": ill,
        }
    ).to_csv(path, index=False)
    return path


def fitted(capsys, table, out, *more):
    ran = run_command(capsys, "fit", table, *COLUMNS, "--site", "site", *more, "--out", out)
    assert ran.code == 0, ran.err
    return ran, json.loads((out / "study.json").read_bytes())


def test_the_answer_has_one_line_about_the_next_hospital(hospitals, tmp_path, capsys):
    ran, study = fitted(capsys, hospitals, tmp_path / "o")
    (line,) = [line for line in ran.out.splitlines() if "next hospital " in line]
    assert "78 % sure, if it is like these 4" in line
    assert [row["site"] for row in study["next_site"]["rows"]] == ["east", "north", "south", "west"]
    assert len(ran.out.splitlines()) <= 13
    page = (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    assert "The next hospital" in page


def test_some_sites_check_and_the_prevalence_there_is_told(hospitals, tmp_path, capsys):
    asked = ["--sites-certify", "north, south", "--prevalence-there", "0.1,0.3"]
    _, study = fitted(capsys, hospitals, tmp_path, *asked, "--cost-there", "0.4")
    found = study["next_site"]
    assert (found["split"], found["prevalence"], found["cost_there"]) == (True, [0.1, 0.3], 0.4)
    assert study["patients"]["certify"] == 120
    rule = (tmp_path / "rule.json").read_text(encoding="utf-8")
    assert "north" not in rule


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--sites-certify", "north"], "--sites-certify north needs --site COL"),
        (["--cost-there", "0.3"], "--cost-there 0.3 needs --site COL"),
        (["--prevalence-there", "0.1,0.2"], "--prevalence-there 0.1,0.2 needs --site COL"),
        (["--site", "site", "--sites-certify", "N"], "a site must be one of 'east', 'north'"),
        (
            ["--site", "site", "--sites-certify", "north,south,east,west"],
            "--sites-certify names every site",
        ),
        (["--site", "site", "--prevalence-there", "x"], "--prevalence-there must be a number"),
        (["--site", "site", "--prevalence-there", "8"], "--prevalence-there"),
        (["--site", "site", "--cost-there", "0"], "--cost-there"),
        (["--rule", "sensitivity:0.5@next-site"], "Name it as --site"),
        (["--site", "site", "--rule", "sensitivity:0.9@next-site"], "it needs 9 sites"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(hospitals, tmp_path, capsys, more, words):
    ran = run_command(capsys, "fit", hospitals, *COLUMNS, *more, "--out", tmp_path / "o")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert words in ran.err
    assert not (tmp_path / "o").exists()


def test_a_plan_says_what_hospitals_promise(tmp_path, capsys):
    ran = run_command(capsys, "plan", "--sites", "4", "--out", tmp_path)
    assert "90 % takes 10 hospitals that check, or 19 that do both" in ran.said
    found = json.loads((tmp_path / "plan.json").read_bytes())["sites"]
    assert (found["certify"]["worst"], found["left_out"]["worst"]) == (
        pytest.approx(0.76),
        pytest.approx(0.78),
    )
    assert found["mean_rate"] == 0.8
    never = run_command(capsys, "plan", "--sites", "4", "--delta", "0.05").said
    assert "or " not in never.split("95 % takes")[1].split(".")[0]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--sites", "1"], "--sites must be a whole number of at least 2"),
        (["--sites", "5", "--risk", "0.1"], "--risk and --width belong together"),
        (["--sites", "5", "--width", "0.1"], "--risk and --width belong together"),
        (["--sites", "5", "--prevalence", "0.1"], "--sites goes with --delta, --risk, --width"),
    ],
)
def test_a_wrong_plan_for_hospitals_is_refused(capsys, more, words):
    ran = run_command(capsys, "plan", *more)
    assert (ran.code, words in ran.err, ran.out) == (2, True, "")


@pytest.mark.parametrize("named", ['"Bern, Insel",Chur', 'Chur, "Bern, Insel"'])
def test_a_site_with_a_comma_can_be_named(hospitals, tmp_path, capsys, named):
    table = pd.read_csv(hospitals).replace({"north": "Bern, Insel", "south": "Chur"})
    table.to_csv(tmp_path / "table.csv", index=False)
    _, study = fitted(capsys, tmp_path / "table.csv", tmp_path / "o", "--sites-certify", named)
    assert [row["site"] for row in study["next_site"]["rows"]] == ["Bern, Insel", "Chur"]
