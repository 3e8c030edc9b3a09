"""``steadycut fit``: what it prints, what it writes, and that only the data matter."""

import json
import os
import re
import subprocess

import numpy as np
import pandas as pd
import pytest

from steadycut import aggregate, fit
from steadycut.core.rounding import at_most
from steadycut.documents.rule import FrozenRule
from steadycut.ingest import at_sites
from steadycut.show.pages.kinds import page_of
from steadycut.show.render.terminal import terminal
from steadycut.show.words.numbers import cut, risk
from tests.cli.commands import (
    FIT,
    MARK,
    SITES,
    STEADYCUT,
    column_changed,
    make_rows,
    run_command,
    snapshot,
    warning_lines,
    write_rows,
)
from tests.show.documents import document

FILES = ["report.html", "rule.json", "study.json"]


def test_it_writes_three_files_and_says_so(table, tmp_path, capsys):
    ran = run_command(capsys, "fit", table, *FIT, "--out", tmp_path / "a" / "b")
    assert ran.code == 0
    study = json.loads((tmp_path / "a" / "b" / "study.json").read_bytes())
    assert ran.err.splitlines() == warning_lines(study)
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == FILES
    assert ran.out.splitlines()[-1] == (
        f"Wrote rule.json, study.json, report.html to {tmp_path / 'a' / 'b'}/"
    )


def test_patients_held_out_are_shown_with_their_limits(table, tmp_path, capsys):
    held = ["--test-size", "0.2", "--out", tmp_path]
    ran = run_command(capsys, "fit", table, *FIT, *held)
    assert (ran.code, len(ran.out.splitlines()) <= 12) == (0, True)
    test = json.loads((tmp_path / "study.json").read_bytes())["test"]
    found = test["certificate"]
    assert "held out 18 patients with no part in it" in ran.said
    assert f"cost {risk(found['risk'])}, at most {at_most(found['value'])}" in ran.said
    loud = run_command(capsys, "fit", table, *FIT, *held, "--verbose")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for shown in (loud.out, page):
        assert "The frozen cut-off on 18 patients who were held out" in shown
        assert all(risk(test["operating_point"][name]) in shown for name in ("sensitivity",))


@pytest.mark.parametrize("size", ["1.5", "0", "90", "x"])
def test_an_impossible_test_size_is_one_line(size, table, tmp_path, capsys):
    ran = run_command(capsys, "fit", table, *FIT, "--test-size", size, "--out", tmp_path / "o")
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert "--test-size" in ran.err
    assert not (tmp_path / "o").exists()


def test_small_cells_have_no_place_for_patients_held_out(table, tmp_path, capsys):
    both = ["--test-size", "9", "--small-cells", "5", "--out", tmp_path / "o"]
    ran = run_command(capsys, "fit", table, *FIT, *both)
    assert (ran.code, "leave out --test-size" in ran.err) == (2, True)


def test_json_is_one_object_and_equals_study_json(table, tmp_path, capsys):
    ran = run_command(capsys, "fit", table, *FIT, *SITES, "--json", "--out", tmp_path)
    assert ran.code == 0
    assert ran.err.splitlines() == warning_lines(ran.json)
    assert ran.json == json.loads((tmp_path / "study.json").read_bytes())
    wanted = ["threshold", "operating_value", "rule", "aggregation", "risk", "certificate"]
    assert {*wanted, "stability", "candidates"} <= set(ran.json)
    assert {"risk", "bound", "generalization", "n_patients", "delta", "value", "vacuous"} <= set(
        ran.json["certificate"]
    )
    parts = {"radius", "bias", "quantile", "modulus", "penalty", "flip_rate", "warnings"}
    assert parts <= set(ran.json["stability"])


def test_it_is_the_library_with_the_same_options(table, tmp_path, capsys):
    options = ["--rule", "erm", "--grid", "exact", "--cost-fn", "3", "--delta", "0.2"]
    options += ["--seed", "5", "--bound", "hoeffding", "--level", "slide:max"]
    options += ["--aggregate", "quantile:0.9"]
    ran = run_command(capsys, "fit", table, *FIT, *SITES, *options, "--json", "--out", tmp_path)
    patients = aggregate(
        table,
        patient="patient",
        score="score",
        label="label",
        site="site",
        levels=["slide:max"],
        how="quantile:0.9",
    )
    study = fit(
        at_sites(patients, "north"),
        rule="erm",
        grid="exact",
        cost_fn=3.0,
        delta=0.2,
        seed=5,
        bound="hoeffding",
        n_bootstrap=20,
    )
    assert {key: ran.json[key] for key in study.to_dict()} == study.to_dict()
    assert (tmp_path / "rule.json").read_bytes() == study.freeze().to_bytes()


def test_the_text_says_what_the_numbers_are(table, tmp_path, capsys):
    ran = run_command(capsys, "fit", "--verbose", table, *FIT, *SITES, "--out", tmp_path)
    study = json.loads((tmp_path / "study.json").read_bytes())
    assert f'when the mean of "score" is {cut(study["threshold"])} or more.' in ran.said
    assert "30 used to choose the cut-off" in ran.said
    assert "The certificate: 90 % confidence, bound clopper-pearson, 30 patients" in ran.said
    assert "The patients used to check it were not used to choose it." in ran.said
    assert "Measures of stability, from 20 bootstrap cohorts" in ran.said


def test_the_text_names_both_kinds_of_intervals(table, tmp_path, capsys):
    ran = run_command(
        capsys, "fit", "--verbose", table, *FIT, *SITES, "--confidence", "0.8", "--out", tmp_path
    )
    study = json.loads((tmp_path / "study.json").read_bytes())
    lines = ran.out.splitlines()
    head = next(line for line in lines if line.startswith("  characteristic "))
    fixed, again = "if this cut-off is used", "if the whole study were repeated, cut-off included"
    assert head.split("  ")[-2:] == [fixed, again]
    row = [line for line in lines if line.startswith("  sensitivity")][-1]
    for kind in ("fixed_cut", "rechosen_cut"):
        found = study["operating_point"][kind]["characteristics"]["sensitivity"]
        assert f"{risk(found['low'])} to {risk(found['high'])}" in row
    assert "two kinds of 80 % intervals" in ran.said
    assert "80 % confidence interval of the cut-off" in ran.said
    assert "where a repeated study would put it (80 %)" in ran.said
    assert study["threshold_interval"]["confidence"] == 0.8


@pytest.mark.parametrize("command", ["fit", "audit"])
def test_a_confidence_beyond_certainty_is_refused(table, rule, tmp_path, capsys, command):
    first = [table, *FIT] if command == "fit" else [rule, table]
    ran = run_command(capsys, command, *first, "--confidence", "95", "--out", tmp_path / "o")
    assert ran.code == 2
    assert ran.err == "steadycut: --confidence must lie strictly between 0 and 1; got 95.0.\n"
    assert not (tmp_path / "o").exists()


def test_the_mean_of_one_row_is_the_score(tmp_path, capsys):
    path = write_rows(tmp_path / "t.csv", make_rows()[::6])
    ran = run_command(capsys, "fit", "--verbose", path, *FIT, "--out", tmp_path / "o")
    assert 'call a patient when "score" is ' in ran.said
    page = (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    assert "the mean of" not in page.partition("</section>")[0]


def test_patients_who_chose_have_intervals_for_all_cuts(table, tmp_path, capsys):
    ran = run_command(
        capsys, "fit", "--verbose", table, *FIT, *SITES, "--honesty", "uniform", "--out", tmp_path
    )
    assert "these patients chose it, so they hold at every cut-off at once" in ran.said
    assert "The same patients were used to choose the cut-off and to check it" in ran.said


def test_predictive_values_are_those_at_the_target_prevalence(table, tmp_path, capsys):
    options = [*FIT, *SITES, "--target-prevalence", "0.05,0.2", "--out", tmp_path]
    ran = run_command(capsys, "fit", "--verbose", table, *options)
    assert "net benefit are those at prevalence 5 % or 20 %, wherever they are less" in ran.said


def test_low_scores_can_be_the_sick_ones(tmp_path, capsys):
    rows = column_changed(make_rows(), "score", lambda _, score: -score)
    mirrored = write_rows(tmp_path / "t.csv", rows)
    ran = run_command(
        capsys, "fit", mirrored, *FIT, "--direction", "le", "--json", "--out", tmp_path / "le"
    )
    plain = write_rows(tmp_path / "u.csv", make_rows())
    other = run_command(capsys, "fit", "--verbose", plain, *FIT, "--json", "--out", tmp_path / "ge")
    assert ran.json["threshold"] == -other.json["threshold"]
    assert ran.json["operating_point"] == other.json["operating_point"]
    for name in ("population", "repeated_study"):
        turned, plain_ends = (one["threshold_interval"][name] for one in (ran.json, other.json))
        assert turned["low"] == -plain_ends["high"]
        assert turned["high"] == -plain_ends["low"]
    assert ran.json["certificate"] == other.json["certificate"]
    text = run_command(
        capsys, "fit", "--verbose", mirrored, *FIT, "--direction", "le", "--out", tmp_path / "le"
    )
    assert 'when the mean of "score" is -' in text.said


def test_every_score_with_every_aggregator_is_a_candidate(table, tmp_path, capsys):
    several = ["--score", "other", "--aggregate", "mean", "--aggregate", "max"]
    ran = run_command(
        capsys, "fit", "--verbose", table, *FIT, *several, "--json", "--out", tmp_path
    )
    tried = [(row["score"], row["aggregation"][-1]["how"]) for row in ran.json["candidates"]]
    assert tried == [("score", "mean"), ("score", "max"), ("other", "mean"), ("other", "max")]
    assert [row["chosen"] for row in ran.json["candidates"]].count(True) == 1
    best = min(ran.json["candidates"], key=lambda row: row["smallest_risk"])
    assert best["chosen"]
    assert ran.json["threshold"] == best["threshold"]
    text = run_command(capsys, "fit", "--verbose", table, *FIT, *several, "--out", tmp_path)
    lines = text.out.partition("Candidates: scores and aggregators\n")[2].splitlines()
    assert lines[0].split() == ["candidate", "cut-off", "risk", "penalty", "objective"]
    assert [line.split()[:3] for line in lines[1:5]] == [
        ["score:", "patient", "mean"],
        ["score:", "patient", "max"],
        ["other:", "patient", "mean"],
        ["other:", "patient", "max"],
    ]
    assert [line.endswith("  chosen") for line in lines[1:5]].count(True) == 1


def test_labels_may_be_texts(tmp_path, capsys):
    rows = column_changed(make_rows(), "label", lambda _, label: ["MSS", "MSI"][label])
    path = write_rows(tmp_path / "t.csv", rows)
    ran = run_command(
        capsys, "fit", path, *FIT, "--positive", "MSI", "--json", "--out", tmp_path / "o"
    )
    plain = write_rows(tmp_path / "u.csv", make_rows())
    other = run_command(capsys, "fit", plain, *FIT, "--json", "--out", tmp_path / "p")
    assert ran.json["threshold"] == other.json["threshold"]
    assert FrozenRule.load(tmp_path / "o" / "rule.json").recipe.positive == "MSI"


def test_only_internal_patients_choose_and_certify(table, tmp_path, capsys):
    ran = run_command(capsys, "fit", table, *FIT, *SITES, "--json", "--out", tmp_path)
    assert ran.json["patients"]["total"] == 60
    both = run_command(
        capsys,
        *("fit", table, *FIT, "--site", "site", "--internal", "north, south"),
        *("--json", "--overwrite", "--out", tmp_path),
    )
    assert both.json["patients"]["total"] == 90


@pytest.mark.parametrize("missing", ["refuse", "drop"])
def test_what_is_wrong_at_other_hospitals_does_not_matter(rule, tmp_path, capsys, missing):
    def broken(i, old):
        return ["", "high", "nan"][i % 3] if i >= 360 else old

    rows = make_rows()
    for column in ("score", "label", "patient", "slide"):
        rows = column_changed(rows, column, broken)
    path, out = write_rows(tmp_path / "t.csv", rows), tmp_path / "o"
    asked = ["--missing", missing, "--json", "--out", out]
    ran = run_command(capsys, "fit", path, *FIT, *SITES, *asked)
    assert (ran.code, ran.err.splitlines()) == (0, warning_lines(ran.json))
    assert snapshot(out) == snapshot(rule.parent)
    assert (ran.json["data"]["rows"], ran.json["data"]["dropped_rows"]) == (360, 0)


def test_only_dropped_rows_of_the_named_sites_count(tmp_path, capsys):
    gaps = column_changed(make_rows(), "score", lambda i, old: "" if i in {0, 400} else old)
    path = write_rows(tmp_path / "t.csv", gaps)
    drop = ["--missing", "drop", "--json", "--out", tmp_path / "o"]
    ran = run_command(capsys, "fit", path, *FIT, *SITES, *drop)
    assert ran.json["data"]["dropped_rows"] == 1
    assert ran.err.splitlines()[0] == "steadycut: 1 of 360 rows without a finite score was dropped."


def test_everybody_may_choose_and_certify(table, tmp_path, capsys):
    ran = run_command(
        capsys, "fit", "--verbose", table, *FIT, *SITES, "--honesty", "uniform", "--out", tmp_path
    )
    assert (
        "60 patients, 30 of them ill: all were used to choose the cut-off and to check" in ran.said
    )


def test_the_first_called_score_is_said(table, tmp_path, capsys):
    ran = run_command(capsys, "fit", "--verbose", table, *FIT, *SITES, "--out", tmp_path)
    study = json.loads((tmp_path / "study.json").read_bytes())
    assert f"first score called {cut(study['operating_value'])} " in ran.said
    nobody = terminal(page_of(document(study | {"operating_value": None})), verbose=True)
    assert re.search("first score called +no patient reaches it\n", nobody)


@pytest.mark.parametrize(
    ("given", "prevalence", "text"),
    [
        ("0.1", 0.1, "cost 1 each, at a prevalence of 10 % "),
        ("0.05,0.2", (0.05, 0.2), "at a prevalence of the worse end of 5 % to 20 % "),
    ],
)
def test_risk_may_count_at_another_prevalence(table, tmp_path, capsys, given, prevalence, text):
    options = ["--target-prevalence", given, "--stratified"]
    ran = run_command(
        capsys, "fit", "--verbose", table, *FIT, *SITES, *options, "--json", "--out", tmp_path
    )
    patients = aggregate(table, patient="patient", score="score", label="label", site="site")
    study = fit(
        at_sites(patients, "north"), target_prevalence=prevalence, stratified=True, n_bootstrap=20
    )
    assert {key: ran.json[key] for key in study.to_dict()} == study.to_dict()
    said = run_command(capsys, "fit", "--verbose", table, *FIT, *SITES, *options, "--out", tmp_path)
    assert text in said.said


def test_dropped_rows_and_patients_are_told(tmp_path, capsys):
    def gap(i, score):
        return "" if i < 6 or i == 20 else score

    path = write_rows(tmp_path / "t.csv", column_changed(make_rows(), "score", gap))
    drop = ["--missing", "drop", "--json", "--out", tmp_path / "o"]
    ran = run_command(capsys, "fit", path, *FIT, *drop)
    assert ran.code == 0
    assert ran.json["data"]["rows"] == 540
    assert ran.json["data"]["dropped_rows"] == 7
    assert ran.json["data"]["dropped_patients"] == 1
    assert ran.err == (
        "steadycut: 7 of 540 rows without a finite score were dropped, and with them 1 patient who "
        "has no other rows.\n"
    )


# Same data, same bytes ---------------------------------------------------------------------


def as_parquet(path, frame):
    frame.to_parquet(path.with_suffix(".parquet"))
    return [path.with_suffix(".parquet")]


def as_semicolons(path, frame):
    frame.to_csv(path, sep=";", index=False)
    return [path]


def as_tabs(path, frame):
    frame[frame.columns[::-1]].to_csv(path.with_suffix(".tsv.gz"), sep="\t", index=False)
    return [path.with_suffix(".tsv.gz")]


def as_three_files(path, frame):
    parts = [path.with_name(f"part{i}.csv") for i in range(3)]
    for i, part in enumerate(parts):
        frame[i::3].to_csv(part, index=False)
    return parts[::-1]


def as_pattern(path, frame):
    as_three_files(path, frame)
    return [path.with_name("part*.csv")]


def as_categories(path, frame):
    return as_parquet(path, frame.astype({"patient": "category", "site": "category"}))


WRITERS = [as_parquet, as_semicolons, as_tabs, as_three_files, as_pattern, as_categories]


@pytest.mark.parametrize("write", WRITERS)
def test_neither_row_order_nor_format_matters(table, rule, tmp_path, capsys, write):
    frame = pd.read_csv(table).sample(frac=1, random_state=3)
    tables = write(tmp_path / "shuffled.csv", frame)
    ran = run_command(capsys, "fit", *tables, *FIT, *SITES, "--out", tmp_path / "o")
    assert ran.code == 0
    assert snapshot(tmp_path / "o") == snapshot(rule.parent)


@pytest.mark.usefixtures("figures_drawn")
def test_neither_the_folder_nor_the_process_matters(table, tmp_path, capsys):
    run_command(capsys, "fit", "--verbose", table, *FIT, *SITES, "--out", tmp_path / "here")
    done = subprocess.run(
        [*STEADYCUT, "fit", table.name, *FIT, *SITES, "--out", tmp_path / "o"],
        cwd=table.parent,
        env={**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        check=True,
    )
    study = json.loads((tmp_path / "o" / "study.json").read_bytes())
    assert done.stderr.splitlines() == warning_lines(study)
    assert snapshot(tmp_path / "o") == snapshot(tmp_path / "here")


def test_one_changed_score_or_the_seed_matters(table, rule, tmp_path, capsys):
    def nudge(i, score):
        return score + 1e-9 if i == 0 else score

    path = write_rows(tmp_path / "t.csv", column_changed(make_rows(), "score", nudge))
    for tables, more in (([path], []), ([table], ["--seed", "1"])):
        run_command(capsys, "fit", *tables, *FIT, *SITES, *more, "--out", tmp_path / "o")
        assert (tmp_path / "o" / "rule.json").read_bytes() != rule.read_bytes()


def test_no_patient_is_in_any_file(rule):
    for name, content in snapshot(rule.parent).items():
        text = content.decode()
        assert MARK not in text, name
        assert json.dumps(MARK)[1:-1] not in text, name
        assert "north0" not in text, name
        assert str(rule.parent) not in text, name


def test_other_files_of_the_folder_stay(table, tmp_path, capsys):
    (tmp_path / "notes.txt").write_bytes(b"mine")
    (tmp_path / "rule.json").write_bytes(b"old")
    assert run_command(capsys, "fit", table, *FIT, "--overwrite", "--out", tmp_path).code == 0
    assert (tmp_path / "notes.txt").read_bytes() == b"mine"
    assert FrozenRule.load(tmp_path / "rule.json").threshold
    assert sorted(snapshot(tmp_path)) == ["notes.txt", *FILES]


def test_the_report_names_the_cut_off(rule):
    threshold = FrozenRule.load(rule).threshold
    page = (rule.parent / "report.html").read_text(encoding="utf-8")
    assert cut(threshold) in page
    assert page.lstrip().lower().startswith("<!doctype html>")


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_terminal_without_umlauts_is_enough(tmp_path, as_json):
    header = ["site", "patient", "slide", "größe", "other", "label"]
    path = write_rows(tmp_path / "t.csv", make_rows(), header)
    options = ["--patient", "patient", "--score", "größe", "--label", "label", "--bootstrap", "10"]
    done = subprocess.run(
        [*STEADYCUT, "fit", path, *options, "--out", tmp_path / "o", *as_json],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    study = json.loads((tmp_path / "o" / "study.json").read_bytes())
    assert done.stderr.decode().splitlines() == warning_lines(study)
    if as_json:
        assert json.loads(done.stdout)["score"] == "größe"
    else:
        assert b'the mean of "gr??e"' in done.stdout


def test_scores_may_be_whole_numbers_and_tied(tmp_path, capsys):
    rows = column_changed(make_rows(), "score", lambda _, score: round(score))
    path = write_rows(tmp_path / "t.csv", rows)
    ran = run_command(
        capsys, "fit", path, *FIT, "--aggregate", "max", "--json", "--out", tmp_path / "o"
    )
    assert ran.code == 0
    assert ran.json["threshold"] != round(ran.json["threshold"])
    assert ran.json["operating_value"] == np.ceil(ran.json["threshold"])


def test_rates_are_certified_where_somebody_asks(table, rule, tmp_path, capsys):
    asked = ["--certify", "sensitivity:0.5,specificity:0.999"]
    ran = run_command(capsys, "fit", table, *FIT, *SITES, *asked, "--out", tmp_path)
    assert ran.code == 0
    study = json.loads((tmp_path / "study.json").read_bytes())
    first, second = study["certified_rates"]
    point = study["operating_point"]
    assert (first["rate"], second["rate"]) == ("sensitivity", "specificity")
    assert (first["right"], first["n_patients"]) == (point["tp"], point["tp"] + point["fn"])
    assert (second["right"], second["n_patients"]) == (point["tn"], point["tn"] + point["fp"])
    assert first["observed"] == point["sensitivity"]
    assert [one["lower"] >= one["asked"] for one in (first, second)] == [True, False]
    assert "Sensitivity at least 0.50: shown" in ran.said
    assert "specificity at least 0.999: " in ran.said
    assert study["verdict"]["as_asked"] in {"no", "cannot tell"}
    assert len(ran.out.splitlines()) <= 12
    assert "Next: " in ran.said
    # Everything else is as without the question.
    plain = json.loads(rule.with_name("study.json").read_bytes())
    left_out = {"certified_rates", "frozen_rule", "verdict"}
    assert {k: v for k, v in study.items() if k not in left_out} == {
        k: v for k, v in plain.items() if k not in left_out
    }
    frozen = FrozenRule.load(tmp_path / "rule.json").document
    assert [one.answer for one in frozen.certified_rates] == [first["answer"], second["answer"]]
    plain_rule = FrozenRule.load(rule)
    assert "certified_rates" not in plain_rule.to_dict()
    assert plain_rule.document.threshold == frozen.threshold


def test_certified_rates_have_no_small_cells(table, tmp_path, capsys):
    asked = ["--certify", "sensitivity:0.5", "--small-cells", "5"]
    ran = run_command(capsys, "fit", table, *FIT, *asked, "--out", tmp_path)
    assert ran.code == 0
    rule = FrozenRule.load(tmp_path / "rule.json").document
    (one,) = rule.certified_rates
    assert (one.right, one.n_patients) == (
        rule.reference.tp,
        rule.reference.tp + rule.reference.fn,
    )
    assert f"({one.right} of {one.n_patients} found; at least" in ran.said


def test_few_lines_with_what_was_seen_beside_its_limit(table, tmp_path, capsys):
    ran = run_command(capsys, "fit", table, *FIT, *SITES, "--out", tmp_path / "o")
    found = json.loads((tmp_path / "o" / "study.json").read_bytes())
    # The command of the next step has long paths.
    assert len(ran.out.partition("Next:")[0].splitlines()) <= 7
    seen = round(100 * found["certificate"]["risk"])
    assert f"Seen: {seen} of 100, in 30 patients who were not used to choose it." in ran.said
    assert "certified: wrong in at most" in ran.said.lower()
