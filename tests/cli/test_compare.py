"""``steadycut compare``: every rule in one table."""

import json

import pytest

from steadycut.show.words.numbers import risk
from steadycut.study.compare import RULES
from tests.cli.commands import (
    FIT,
    SITES,
    column_changed,
    make_rows,
    run_command,
    snapshot,
    write_rows,
)

BOTH = [*SITES, "--external", "south"]


def table_lines(ran):
    """The lines of the table of rules, its header first."""
    return ran.out.partition("Rules compared\n")[2].splitlines()


def test_every_rule_has_a_row(table, tmp_path, capsys):
    ran = run_command(capsys, "compare", table, *FIT, *BOTH, "--json", "--out", tmp_path / "o")
    assert ran.code == 0
    assert [line.split(":")[2] for line in ran.err.splitlines()] == [" sampling"]
    assert [row["rule"] for row in ran.json["rows"]] == list(RULES)
    assert ran.json["patients"] == {"internal": 60, "external": 30}
    assert ran.json == json.loads((tmp_path / "o" / "compare.json").read_bytes())
    assert sorted(snapshot(tmp_path / "o")) == ["compare.html", "compare.json"]


def test_others_are_all_sites_but_the_internal_ones(table, tmp_path, capsys):
    asked = ["compare", table, *FIT, "--json"]
    named = run_command(capsys, *asked, *BOTH)
    others = run_command(capsys, *asked, *SITES, "--external", "others")
    assert others.json == named.json
    everywhere = ["--site", "site", "--internal", "north,south", "--external", "others"]
    ran = run_command(capsys, *asked, *everywhere)
    assert ran.code == 2
    assert "--external others needs a site that is not internal" in ran.err


def test_without_out_nothing_is_written(table, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run_command(capsys, "compare", "--verbose", table, *FIT, *BOTH)
    assert ran.code == 0
    assert snapshot(tmp_path) == {}
    assert all(f"\n  {rule}" in ran.out for rule in RULES)
    assert "chosen on 60 internal patients, judged on 30 external ones" in ran.said
    assert "candidate" not in ran.out


@pytest.mark.parametrize("name", ["stable", "erm", "youden"])
def test_a_row_is_a_fit_and_an_audit(table, tmp_path, capsys, name):
    compared = run_command(capsys, "compare", table, *FIT, *BOTH, "--cost-fn", "2", "--json")
    row = next(row for row in compared.json["rows"] if row["rule"] == name)
    fitted = run_command(
        capsys,
        *("fit", table, *FIT, *SITES, "--rule", name, "--cost-fn", "2"),
        *("--json", "--out", tmp_path),
    )
    audited = run_command(
        capsys,
        *("audit", tmp_path / "rule.json", table, "--label", "label", "--site", "site"),
        *("--external", "south", "--json", "--out", tmp_path / "a"),
    )
    assert row["threshold"] == fitted.json["threshold"]
    assert row["operating_value"] == fitted.json["operating_value"]
    assert row["certificate_alone"] == fitted.json["certificate"]["value"]
    assert row["risk_validation"] == fitted.json["certificate"]["risk"]
    assert row["penalty"] == fitted.json["stability"]["penalty"]
    assert row["risk_external"] == audited.json["risk_external"]
    assert row["risk_external_se"] == audited.json["risk_external_se"]
    assert row["flip_rate"] == audited.json["flip_rate"]
    assert row["sensitivity_external"] == audited.json["operating_point"]["sensitivity"]
    assert row["shift"] == row["risk_external"] - row["risk_validation"]


def test_no_cut_beats_the_best_in_hindsight(table, capsys):
    ran = run_command(capsys, "compare", table, *FIT, *BOTH, "--json")
    for row in ran.json["rows"]:
        assert row["best_external"] <= row["risk_external"] + 1e-12
        assert row["best_external"] <= ran.json["trivial_external"] + 1e-12


def test_rules_that_chose_other_scores_say_which(tmp_path, capsys):
    # Of the two scores one is sharper at its low end, the other at its high end.
    def sharp(keep):
        def change(i, score):
            label = (i // 6) % 2
            return score + (9 if label == 1 and (i // 12) % 4 == keep else 0)

        return change

    rows = column_changed(make_rows(), "score", sharp(0))
    rows = column_changed(rows, "other", sharp(1))
    path = write_rows(tmp_path / "t.csv", rows)
    several = ["--score", "other", "--aggregate", "min", "--aggregate", "max"]
    several += ["--selector", "objective"]
    ran = run_command(capsys, "compare", "--verbose", path, *FIT, *several, *BOTH, "--json")
    chosen = {(row["score"], row["aggregation"][-1]["how"]) for row in ran.json["rows"]}
    lines = table_lines(run_command(capsys, "compare", "--verbose", path, *FIT, *several, *BOTH))
    assert len(chosen) > 1
    assert lines[0].split()[:2] == ["rule", "candidate"]
    text = "\n".join(lines)
    assert all(f"  {score}: patient {how} " in text for score, how in chosen)


def test_a_column_has_the_same_decimals(table, capsys):
    lines = table_lines(run_command(capsys, "compare", "--verbose", table, *FIT, *BOTH))
    head, rows = lines[0].split(), [line.split()[: len(lines[0].split())] for line in lines[1:6]]
    for name, column in zip(head[1:], list(zip(*rows, strict=True))[1:], strict=True):
        assert len({len(cell.partition(".")[2]) for cell in column}) == 1, name
    assert max(map(len, lines[:6])) <= 104


def test_hindsight_names_its_candidate(table, capsys):
    several = ["--score", "other", "--level", "slide:max"]
    ran = run_command(capsys, "compare", "--verbose", table, *FIT, *several, *BOTH, "--json")
    best = min(ran.json["rows"], key=lambda row: row["best_external"])
    said = run_command(capsys, "compare", "--verbose", table, *FIT, *several, *BOTH).said
    name = f"{best['score']}: slide max, patient mean"
    found = f"In hindsight the best cut-off there, of {name}, has risk "
    assert f"{found}{risk(best['best_external'])};" in said


def test_what_is_wrong_at_a_third_hospital_does_not_matter(table, tmp_path, capsys):
    third = [["east", "", "", "high", "", "maybe"], ["east", "x", "", "", "", ""]]
    path = write_rows(tmp_path / "t.csv", [*make_rows(), *third])
    plain = run_command(capsys, "compare", table, *FIT, *BOTH, "--json")
    ran = run_command(capsys, "compare", path, *FIT, *BOTH, "--json")
    assert (ran.code, ran.out) == (0, plain.out)


def test_options_are_those_of_fit(table, tmp_path, capsys):
    options = ["--target-prevalence", "0.1,0.3", "--stratified", "--json"]
    ran = run_command(capsys, "compare", table, *FIT, *BOTH, *options)
    fitted = run_command(capsys, "fit", table, *FIT, *SITES, *options, "--out", tmp_path)
    row = next(row for row in ran.json["rows"] if row["rule"] == "stable")
    assert row["threshold"] == fitted.json["threshold"]
    assert row["certificate_alone"] == fitted.json["certificate"]["value"]


def test_several_candidates_bring_ablations_and_every_table_ends_with_costs(table, capsys):
    several = ["--aggregate", "mean", "--aggregate", "max"]
    ran = run_command(capsys, "compare", "--verbose", table, *FIT, *several, *BOTH)
    lines = ran.out.splitlines()
    assert [line.split("  ")[1] for line in table_lines(ran)[1:10]] == [
        *RULES,
        "Algorithm 1",
        "Abl.: no penalty",
        "Abl.: no bias",
    ]
    assert lines[-4].split()[0] == "miss:alarm"
    assert [line.split()[0] for line in lines[-3:]] == ["1:1", "1:3", "3:1"]


def test_differences_to_erm_are_printed_with_their_errors(table, capsys):
    ran = run_command(capsys, "compare", "--verbose", table, *FIT, *BOTH)
    head, *rows = (line.split() for line in table_lines(ran)[:7])
    at = head.index("to")
    assert head[at : at + 3] == ["to", "erm", "se"]
    (erm,) = (row for row in rows if row[0] == "erm")
    assert [float(cell) for cell in erm[at : at + 2]] == [0.0, 0.0]


def test_patients_are_resampled_within_strata(table, tmp_path, capsys):
    plain, strata = (
        run_command(capsys, "compare", table, *FIT, *BOTH, *option, "--json")
        for option in ([], ["--stratify", "label"])
    )
    assert [row["threshold"] for row in plain.json["rows"]] == [
        row["threshold"] for row in strata.json["rows"]
    ]
    assert plain.json["rows"][0]["flip_rate"] != strata.json["rows"][0]["flip_rate"]


def test_the_text_ends_with_a_conclusion_and_what_to_do(table, capsys):
    ran = run_command(capsys, "compare", table, *FIT, *BOTH)
    lines = ran.out.splitlines()
    assert len(lines) <= 12
    assert "stable was fixed beforehand: " in ran.said
    assert "beyond chance (90 % confidence for all together)." in ran.said
    assert lines[-1].startswith("Next: keep stable.")


def test_certify_is_not_an_option(table, capsys):
    ran = run_command(capsys, "compare", table, *FIT, *BOTH, "--certify", "sensitivity:0.9")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert "--certify" in ran.err


def three_sites(tmp_path):
    """The table with two external sites: every second patient of the south is in the east."""
    rows = make_rows()
    south = sorted({row[1] for row in rows if row[0] == "south"})
    east = set(south[::2])
    moved = [["east" if row[1] in east else row[0], *row[1:]] for row in rows]
    return write_rows(tmp_path / "three.csv", moved)


def test_several_external_sites_have_a_row_each(tmp_path, capsys):
    asked = ["compare", three_sites(tmp_path), *FIT, *SITES, "--external", "others"]
    found = run_command(capsys, *asked, "--json").json
    first, *others = found["rows"]
    assert [(at["site"], at["n_patients"]) for at in first["sites"]] == [
        ("east", 15),
        ("south", 15),
    ]
    for row in found["rows"]:
        mean = sum(at["risk"] * at["n_patients"] for at in row["sites"]) / 30
        assert mean == pytest.approx(row["risk_external"])
    lines = run_command(capsys, *asked).out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("  stable "))
    assert [line.split()[0] for line in lines[at + 1 : at + 4]] == [
        "east",
        "south",
        others[0]["name"],
    ]
    table = run_command(capsys, *asked, "--verbose").out.partition("Average cost at every site\n")[
        2
    ]
    assert [line.split()[:2] for line in table.splitlines()[1:3]] == [
        ["east", "15"],
        ["south", "15"],
    ]


def test_one_external_site_has_no_row_of_its_own(table, capsys):
    found = run_command(capsys, "compare", table, *FIT, *BOTH, "--json").json
    assert all("sites" not in row for row in found["rows"])
