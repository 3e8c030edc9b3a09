"""An ensemble from fit to the next hospital: study, rule file, decisions, audit, commands."""

import csv
import json
import re

import jsonschema
import numpy as np
import pytest

from scripts.write_schema import json_schema
from steadycut import FrozenRule, PatientScores, aggregate, audit, fit, monitor
from steadycut.core.ensemble import WEIGHT_PARTS
from steadycut.core.records import Recipe
from steadycut.documents.canonical_json import content_hash
from steadycut.errors import BadOption, BadPatients, BadRuleFile
from tests.cli.commands import (
    FIT,
    HEADER,
    SITES,
    column_changed,
    make_rows,
    run_command,
    write_rows,
)

KINDS = ["quantile", "gls"]
ENSEMBLE = ["--score", "other", "--aggregate", "mean", "--aggregate", "max", "--level", "slide:max"]


def methods(seed=0, n_patients=80, sign=1.0, names=("a", "b", "c")):
    rng = np.random.default_rng(seed)
    labels = np.arange(n_patients) % 2
    common = rng.normal(size=n_patients) + 2 * labels
    return {
        name: PatientScores(
            scores=sign * (common + rng.normal(size=n_patients)).round(1),
            labels=labels,
            patients=[f"p{i:03d}" for i in range(n_patients)],
            recipe=Recipe(score=name, label="y"),
        )
        for name in names
    }


def study_of(kind="quantile", given=None, **options):
    return fit(given or methods(), ensemble=kind, **{"n_bootstrap": 20, **options})


def as_table(given):
    """Patients of one instance each."""
    first = next(iter(given.values()))
    return {"patient": first.patients, **{name: one.scores for name, one in given.items()}}


def refused(error, call):
    with pytest.raises(error) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# The study ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_u_is_the_weighted_mean_of_the_quantiles_of_the_cut_offs(kind):
    study = study_of(kind)
    content = study.to_dict()
    assert content["ensemble"]["kind"] == kind
    n = content["patients"]["select"]
    select = study.roles.select
    u = 0.0
    for row, scores in zip(content["ensemble"]["methods"], methods().values(), strict=True):
        assert row["quantile"] == np.mean(scores.scores[select] < row["threshold"])
        u += row["weight"] * row["quantile"]
    step = 1 / study.ensemble.steps
    assert study.threshold == pytest.approx(u - step / 2, abs=1e-12)
    assert study.ensemble.steps == 2 * n * (3 if kind == "quantile" else WEIGHT_PARTS)
    assert sum(row["weight"] for row in content["ensemble"]["methods"]) == pytest.approx(1)


def test_the_summary_names_the_ensemble_and_keeps_every_method_as_a_candidate():
    content = study_of().to_dict()
    assert content["score"] == "ensemble"
    assert content["aggregation"] == [{"level": "patient", "how": "quantile-ensemble"}]
    rows = content["candidates"]
    assert [row["score"] for row in rows] == ["a", "b", "c", "ensemble"]
    assert [row["chosen"] for row in rows] == [False, False, False, True]
    assert rows[-1]["threshold"] == content["threshold"]
    assert content["options"]["ensemble"] == "quantile"
    assert content["options"]["grid"] == "exact"
    assert 0 <= content["operating_value"] <= 1


def test_a_plain_study_has_no_ensemble():
    study = fit(methods(), n_bootstrap=5)
    content = study.to_dict()
    assert study.ensemble is None
    assert content["ensemble"] is None
    assert content["options"]["ensemble"] == "none"
    assert study.freeze().document.ensemble is None


@pytest.mark.parametrize("kind", KINDS)
def test_the_certificate_is_that_of_the_decisions_of_the_certifying_patients(kind):
    study = study_of(kind, cost_fn=3.0)
    decided = study.freeze().decisions(methods())["decision"][study.roles.certify]
    labels = study.certify_patients.labels
    assert study.counts.fn == int(np.sum((decided == 0) & (labels == 1)))
    assert study.counts.fp == int(np.sum((decided == 1) & (labels == 0)))
    assert study.certificate.risk == (3 * study.counts.fn + study.counts.fp) / labels.size
    assert study.certificate.honesty == "split"


def test_certifying_patients_do_not_move_the_scale():
    one = study_of()
    changed = {}
    for name, scores in methods().items():
        values = scores.scores.copy()
        values[one.roles.certify] += 100
        changed[name] = PatientScores(
            scores=values, labels=scores.labels, patients=scores.patients, recipe=scores.recipe
        )
    other = study_of(given=changed)
    assert other.threshold == one.threshold
    assert other.bootstrap_thresholds.tolist() == one.bootstrap_thresholds.tolist()
    for before, after in zip(one.ensemble.methods, other.ensemble.methods, strict=True):
        assert before.reference.tolist() == after.reference.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_direction_le_mirrors_the_scale_and_keeps_every_decision(kind):
    one, other = study_of(kind), study_of(kind, methods(sign=-1.0), direction="le")
    assert other.threshold == pytest.approx(1 - one.threshold, abs=1e-12)
    assert other.certificate == one.certificate
    assert other.flip_rate == one.flip_rate
    new, mirrored = methods(7), methods(7, sign=-1.0)
    called = one.freeze().decisions(new), other.freeze().decisions(mirrored)
    assert called[0]["decision"].tolist() == called[1]["decision"].tolist()
    assert called[0]["flip_probability"].tolist() == called[1]["flip_probability"].tolist()
    assert 0 < called[0]["decision"].mean() < 1


def test_a_method_given_twice_changes_no_decision():
    one = methods(names=("a", "b"))["a"]
    twin = PatientScores(
        scores=one.scores, labels=one.labels, patients=one.patients, recipe=Recipe(score="twin")
    )
    for kind in KINDS:
        study = study_of(kind, {"a": one, "twin": twin})
        shares = [row["weight"] for row in study.to_dict()["ensemble"]["methods"]]
        assert shares == [0.5, 0.5]
        alone = study.candidates[0]
        called = study.patients.scores[study.roles.select] >= study.threshold
        assert called.tolist() == (one.scores[study.roles.select] >= alone.threshold).tolist()


def test_a_single_method_that_does_better_is_named():
    labels = np.arange(200) % 2
    noise = np.random.default_rng(0).normal(size=200)
    given = {
        "good": PatientScores(scores=labels * 1.0, labels=labels, recipe=Recipe(score="good")),
        "bad": PatientScores(scores=noise, labels=labels, recipe=Recipe(score="bad")),
    }
    study = study_of(given=given)
    (said,) = [text for text in study.warnings if text.startswith("ensemble:")]
    assert "'good: patient mean' alone, 0.000" in said


def test_an_ensemble_of_one_is_refused():
    text = refused(BadOption, lambda: study_of(given=methods(names=("a",))))
    assert text.startswith("an ensemble needs at least two methods; got one, 'a: patient mean'.")


def test_an_ensemble_cannot_certify_with_the_patients_who_chose():
    text = refused(BadOption, lambda: study_of(honesty="uniform"))
    assert text.startswith("an ensemble needs honesty 'split'; got 'uniform'")


def test_a_rule_that_looks_at_distances_is_refused():
    text = refused(BadOption, lambda: study_of(rule="mean-score"))
    assert text.startswith("the rule 'mean-score' looks at distances between scores")


def test_an_unknown_kind_is_refused():
    text = refused(BadOption, lambda: study_of("mean"))
    assert text == "ensemble must be one of quantile, gls; got 'mean'."


# The rule file -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_rule_reads_back_and_the_same_seed_gives_the_same_bytes(kind):
    written = study_of(kind).freeze().to_bytes()
    assert study_of(kind).freeze().to_bytes() == written
    assert FrozenRule.from_bytes(written).to_bytes() == written
    jsonschema.validate(json.loads(written), json_schema(FrozenRule))


def test_the_rule_holds_what_is_needed_to_rank():
    study = study_of("gls")
    content = json.loads(study.freeze().to_bytes())
    assert content["columns"]["score"] == "ensemble"
    assert content["ensemble"]["kind"] == "gls"
    for part, scores in zip(content["ensemble"]["methods"], methods().values(), strict=True):
        assert part["score"] == scores.recipe.score
        assert part["aggregation"] == [{"level": "patient", "how": "mean"}]
        assert part["reference"] == sorted(scores.scores[study.roles.select])
        assert part["score_range"] == [scores.scores.min(), scores.scores.max()]
    assert sum(part["weight"] for part in content["ensemble"]["methods"]) == WEIGHT_PARTS
    assert "p0" not in study.freeze().to_bytes().decode()


def test_decide_on_a_table_equals_decisions_on_patients_in_any_order():
    rule, new = study_of().freeze(), methods(3)
    from_table = rule.decide(as_table(new))
    backwards = rule.decisions(list(reversed(new.values())))
    combined = rule.decisions(rule.patients_of(new))
    for name in ("score", "decision", "flip_probability"):
        assert from_table[name].tolist() == backwards[name].tolist() == combined[name].tolist()


def test_a_missing_method_is_named():
    rule, new = study_of().freeze(), methods(3)
    text = refused(BadPatients, lambda: rule.decisions([new["a"], new["b"]]))
    assert text.startswith(
        "the rule needs 'c: patient mean' of every patient; got 'a: patient mean'"
    )
    assert "nothing" in refused(BadPatients, lambda: rule.decisions([]))


@pytest.mark.parametrize("n_patients", [60, 80])
def test_methods_of_different_patients_are_refused(n_patients):
    rule, new = study_of().freeze(), methods(3)
    other = methods(3, n_patients)["c"]
    renamed = PatientScores(
        scores=other.scores, recipe=other.recipe, patients=[f"q{i}" for i in range(n_patients)]
    )
    text = refused(BadPatients, lambda: rule.decisions({**new, "c": renamed}))
    assert "'a: patient mean' and 'c: patient mean' differ" in text


def test_methods_without_identifiers_are_taken_as_they_stand():
    rule = study_of().freeze()
    plain = [PatientScores(scores=[0.5, 3.0], recipe=Recipe(score=name)) for name in "abc"]
    assert rule.decisions(plain)["decision"].tolist() == [0, 1]


def test_methods_that_no_table_can_tell_apart_are_not_frozen():
    given = methods()
    study = study_of(given=[given["a"], given["a"]])
    assert "two methods called 'a: patient mean'" in refused(BadRuleFile, study.freeze)


def test_methods_with_different_levels_are_not_frozen():
    given = methods(names=("a", "b"))
    nested = Recipe(score="b", levels=(("slide", "max"),))
    other = PatientScores(
        scores=given["b"].scores,
        labels=given["b"].labels,
        patients=given["b"].patients,
        recipe=nested,
    )
    study = study_of(given=[given["a"], other])
    assert "different levels cannot be frozen" in refused(BadRuleFile, study.freeze)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"reference": [1.0]}, "do not fit each other"),
        ({"reference": None}, "do not fit each other"),
        ({"weight": -1}, "greater than or equal to 0"),
    ],
)
def test_an_ensemble_that_makes_no_sense_is_refused(change, text):
    content = json.loads(study_of().freeze().to_bytes())
    part = content["ensemble"]["methods"][0]
    backwards = {"reference": part["reference"][::-1]}
    part.update(backwards if change == {"reference": None} else change)
    assert text in refused(BadRuleFile, lambda: FrozenRule.from_bytes(sealed(content)))


def test_an_ensemble_without_any_weight_is_refused():
    content = json.loads(study_of().freeze().to_bytes())
    for part in content["ensemble"]["methods"]:
        part["weight"] = 0
    text = refused(BadRuleFile, lambda: FrozenRule.from_bytes(sealed(content)))
    assert "do not fit each other" in text


def sealed(content):
    content["sha256"] = content_hash(content)
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    return (text + "\n").encode()


# Another hospital --------------------------------------------------------------------------


def test_an_audit_takes_the_methods_and_says_which_left_their_range():
    rule, new = study_of().freeze(), methods(5)
    found = audit(rule, new)
    decided = rule.decisions(new)
    assert found.call_rate == decided["decision"].mean()
    assert found.flip_rate == decided["flip_probability"].mean()
    assert found.warnings == ()
    content = found.to_dict()
    assert content["score"] == "ensemble"
    assert [row["score"] for row in content["ensemble"]["methods"]] == ["a", "b", "c"]
    moved = PatientScores(
        scores=1000 * new["b"].scores,
        labels=new["b"].labels,
        patients=new["b"].patients,
        recipe=new["b"].recipe,
    )
    (said,) = audit(rule, {**new, "b": moved}).warnings
    assert "scores of 'b: patient mean' outside" in said


def test_an_audit_on_the_ensemble_scale_is_the_same_but_for_the_methods():
    rule, new = study_of().freeze(), methods(5)
    patients = rule.patients_of(new)
    one, other = audit(rule, new).to_dict(), audit(rule, patients.scores, patients.labels).to_dict()
    assert one == other


def test_a_monitor_watches_the_ensemble():
    rule, new = study_of().freeze(), methods(5)
    found = monitor(rule, rule.patients_of(new))
    assert found.n_patients == 80
    assert found.first_alarm is None


def test_a_plain_rule_finds_its_score_among_several():
    rule = fit(methods(), n_bootstrap=5).freeze()
    alone = methods(5)[rule.recipe.score]
    several = rule.decisions(methods(5))["decision"]
    assert several.tolist() == rule.decide_scores(alone.scores).tolist()


# Commands ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_commands_take_an_ensemble_from_a_table_to_an_audit(kind, tmp_path, capsys):
    table = write_rows(tmp_path / "t.csv", make_rows())
    command = ["fit", table, *FIT, *ENSEMBLE, *SITES, "--ensemble", kind]
    study = run_command(capsys, *command, "--json", "--out", tmp_path / "fit").json
    assert len(study["ensemble"]["methods"]) == 4
    path = tmp_path / "fit" / "rule.json"
    ran = run_command(capsys, "apply", path, table, "--json", "--out", tmp_path / "d.csv")
    assert (ran.code, ran.json["n_patients"]) == (0, 90)
    there = ["--site", "site", "--external", "south", "--label", "label"]
    found = run_command(
        capsys, "audit", path, table, *there, "--json", "--out", tmp_path / "a"
    ).json
    assert found["n_patients"] == 30
    assert found["labelled"]
    expected = decided_by_hand(table, json.loads(path.read_bytes()))
    with (tmp_path / "d.csv").open(encoding="utf-8") as file:
        decided = {row["patient"]: int(row["decision"]) for row in csv.DictReader(file)}
    assert decided == expected
    south = [called for name, called in expected.items() if "south" in name]
    assert found["call_rate"] == np.mean(south)


def decided_by_hand(table, rule):
    """Ranks, weights and the cut with nothing but the rule file and patient scores."""
    parts = rule["ensemble"]["methods"]
    n, total = len(parts[0]["reference"]), sum(part["weight"] for part in parts)
    asked = {"score": ["score", "other"], "levels": ["slide:max"], "how": ["mean", "max"]}
    made = aggregate(table, patient="patient", **asked)
    points = 0
    for part in parts:
        one = made[part["score"], part["aggregation"][-1]["how"]]
        reference = np.array(part["reference"])
        less = (reference < one.scores[:, None]).sum(axis=1)
        points = points + part["weight"] * (less + (reference <= one.scores[:, None]).sum(axis=1))
    called = points >= rule["threshold"] * 2 * n * total
    return dict(zip(one.patients.tolist(), called.astype(int).tolist(), strict=True))


def test_the_text_and_the_reports_name_the_methods(tmp_path, capsys):
    table = write_rows(tmp_path / "t.csv", make_rows())
    out = tmp_path / "fit"
    ran = run_command(
        capsys,
        "fit",
        "--verbose",
        table,
        *FIT,
        "--score",
        "other",
        *SITES,
        "--ensemble",
        "quantile",
        "--out",
        out,
    )
    words = "of the mean of “score” (weight 50 %) and the mean of “other” (weight 50 %)"
    said = " ".join(ran.out.replace('"score"', "“score”").replace('"other"', "“other”").split())
    assert f"{words} is 0." in said
    assert re.search(r"ensemble: patient quantile-ensemble .* chosen\n", ran.out)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert words in page
    assert "averages the cut-offs of all others on the quantile scale" in page
    run_command(capsys, "audit", out / "rule.json", table, "--out", tmp_path / "a")
    assert words in (tmp_path / "a" / "audit.html").read_text(encoding="utf-8")


def test_apply_warns_of_a_method_in_another_unit(tmp_path, capsys):
    rows = make_rows()
    table = write_rows(tmp_path / "t.csv", rows)
    other = write_rows(tmp_path / "o.csv", column_changed(rows, "other", lambda _, x: 100 * x))
    assert HEADER[4] == "other"
    out = tmp_path / "fit"
    run_command(capsys, "fit", table, *FIT, "--score", "other", "--ensemble", "gls", "--out", out)
    ran = run_command(capsys, "apply", out / "rule.json", other, "--out", tmp_path / "d.csv")
    assert ran.code == 0
    assert "scores of 'other: patient mean' outside" in ran.err


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ([], "an ensemble needs at least two methods"),
        (["--score", "other", "--honesty", "uniform"], "an ensemble needs honesty 'split'"),
    ],
)
def test_refusals_are_one_line_and_leave_nothing(more, text, tmp_path, capsys):
    table = write_rows(tmp_path / "t.csv", make_rows(20))
    out = tmp_path / "fit"
    ran = run_command(capsys, "fit", table, *FIT, *more, "--ensemble", "quantile", "--out", out)
    assert ran.code == 2
    assert text in ran.err
    assert ran.err.count("\n") == 1
    assert not out.exists()
