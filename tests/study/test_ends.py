"""A rule that calls everybody or nobody does so at any hospital, and says so everywhere."""

import csv
import io
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin

import steadycut
from steadycut import (
    FrozenRule,
    PatientScores,
    StableThreshold,
    StrataRule,
    aggregate,
    audit,
    fit,
    fit_by_covariate,
    fit_strata,
    rule_reader,
)
from steadycut.adaptation.before import situation_of
from steadycut.adaptation.rule import adapted_rule
from steadycut.app.rules import cut_off_of
from steadycut.core.records import Recipe
from steadycut.core.rounding import who_is_called
from steadycut.documents.applied import AppliedDocument
from steadycut.documents.canonical_json import content_hash, frozen_bytes
from steadycut.errors import BadRuleFile, SteadycutWarning
from steadycut.rule_reader import END_TEXTS, ENDS, with_ends
from steadycut.show.pages.applied import applied_text

pytestmark = pytest.mark.filterwarnings(f"ignore::{SteadycutWarning.__module__}.SteadycutWarning")
CASES = pytest.mark.parametrize("direction", ["ge", "le"])
WHO = pytest.mark.parametrize("who", ["everybody", "nobody"])
# Neither a number that is none, nor an infinity, stands in a text that people read.
NO_NUMBER = re.compile(r"(?<![A-Za-z])-?(inf|nan|Infinity|NaN)(?![A-Za-z])")


def cohort(seed=0, n=200, shift=0.0, direction="ge", prefix="p"):
    """Patients with the scores that speak least for the disease are ill, and the reverse."""
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.normal(size=n))
    labels = np.concatenate([np.ones(15), rng.random(n - 30) < 0.4, np.zeros(15)]).astype(int)
    names = [f"{prefix}{i:04d}" for i in range(n)]
    sign = 1.0 if direction == "ge" else -1.0
    return PatientScores(scores=sign * scores + shift, labels=labels, patients=names)


def study_of(who, direction="ge", **options):
    """One error is a thousand times as expensive, so the score cannot pay."""
    dear = {"everybody": "cost_fn", "nobody": "cost_fp"}[who]
    usual = {dear: 1000.0, "direction": direction, "rule": "erm", "n_bootstrap": 20}
    return fit(options.pop("patients", cohort(direction=direction)), **usual | options)


def texts_of(page):
    return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def readable(shown, tmp_path):
    """Return everything that an object shows, after looking for numbers that are none."""
    shown.report(tmp_path / "page.html")
    page = texts_of((tmp_path / "page.html").read_text(encoding="utf-8"))
    texts = [repr(shown), shown.summary(verbose=True), page, json.dumps(shown.to_dict())]
    assert [found for text in texts for found in NO_NUMBER.findall(text)] == []
    return texts


@CASES
@WHO
def test_everybody_or_nobody_is_called_whatever_the_score(who, direction, tmp_path):
    study = study_of(who, direction)
    rule = study.freeze()
    assert who_is_called(study.threshold, direction) == who
    called = rule.decide_scores([-1e300, -5.0, 0.0, 5.0, 1e300])
    assert called.tolist() == [int(who == "everybody")] * 5
    content = json.loads(rule.to_bytes())
    assert content["threshold"] == END_TEXTS[study.threshold]
    assert set(content["bootstrap_thresholds"]) == {content["threshold"]}
    assert rule.flip_probability([-1e300, 1e300]).tolist() == [0.0, 0.0]
    rule.save(tmp_path / "rule.json")
    assert FrozenRule.load(tmp_path / "rule.json") == rule
    assert FrozenRule.load(tmp_path / "rule.json").threshold == study.threshold


@CASES
@WHO
def test_every_surface_says_what_it_is(who, direction, tmp_path):
    study = study_of(who, direction)
    words = f"The score does not pay at these costs: the rule calls {who}, whatever"
    assert any(words in text for text in readable(study, tmp_path))
    assert f"call {who}" in repr(study)
    assert repr(study.freeze()) == f"FrozenRule(score: patient mean; calls {who})"
    assert words in " ".join(study.freeze().summary().split())


@CASES
@WHO
def test_an_audit_judges_no_rule_that_ignores_the_score(who, direction):
    found = audit(
        study_of(who, direction).freeze(), cohort(seed=1, direction=direction, prefix="x")
    )
    verdict = found.describe().verdict
    assert (verdict.decision, verdict.useful, verdict.reason) == ("not judged", "no", "no score")
    assert "it makes one decision for everybody" in found.summary()
    assert "label about" not in found.summary()


@CASES
@WHO
def test_a_list_of_rules_and_the_decisions_say_whom_it_calls(who, direction, tmp_path):
    rule = study_of(who, direction).freeze()
    rule.save(tmp_path / "rule.json")
    score = rule.document.columns.score
    assert cut_off_of(tmp_path / "rule.json") == f"Calls {who}, whatever “{score}” is"
    called = 7 if who == "everybody" else 0
    applied = AppliedDocument(
        threshold=rule.threshold, n_patients=7, called=called, call_rate=called / 7, flip_rate=0
    )
    assert f"called ({called // 7:.0%})".replace("%", " %") in applied_text(applied)
    assert f": the rule calls {who}; a resampled study" in applied_text(applied)


def test_a_rule_that_is_not_about_costs_says_only_what_it_does():
    patients = PatientScores(scores=np.arange(40.0), labels=[1, *[0] * 30, *[1] * 9])
    study = fit(patients, rule="sensitivity:0.999", honesty="uniform", n_bootstrap=20)
    assert study.threshold == -np.inf
    text = " ".join(study.summary().split())
    assert "The rule calls everybody, whatever" in text
    assert "does not pay" not in text


@pytest.mark.parametrize("rule", ["erm", "youden", "sensitivity:0.999", "specificity:0.999"])
@pytest.mark.parametrize("grid", ["exact", 50])
def test_any_rule_can_end_there_on_any_grid(rule, grid):
    costs = {"cost_fn": 1000.0} if rule == "erm" else {}
    patients = cohort()
    if rule == "youden":
        patients = PatientScores(scores=np.arange(40.0), labels=[1] * 20 + [0] * 20)
    study = fit(patients, rule=rule, grid=grid, honesty="uniform", n_bootstrap=20, **costs)
    assert np.isinf(study.threshold)
    called = study.freeze().decide_scores([-1e9, 0.0, 1e9])
    assert len(set(called.tolist())) == 1


@CASES
@WHO
def test_it_is_audited_at_a_hospital_with_other_scores(who, direction, tmp_path):
    """All scores there lie beyond those at home: a number would decide otherwise."""
    rule = study_of(who, direction).freeze()
    for shift in (-50.0, 50.0):
        there = cohort(1, shift=shift, prefix="q")
        for labels in (there.labels, None):
            found = steadycut.audit(rule, there.scores, labels)
            assert found.to_dict()["call_rate"] == float(who == "everybody")
            assert found.to_dict()["threshold"] == END_TEXTS[rule.threshold]
            readable(found, tmp_path)


@CASES
@WHO
def test_it_is_watched_switched_and_adapted(who, direction, tmp_path):
    rule, there = study_of(who, direction).freeze(), cohort(2, 300, prefix="q")
    watched = steadycut.monitor(rule, there, order=np.arange(300))
    assert json.loads(json.dumps(watched.to_dict()))["threshold"] == END_TEXTS[rule.threshold]
    readable(watched, tmp_path)
    new = PatientScores(scores=3 * there.scores + 70, patients=there.patients)
    changed = steadycut.switch(rule, there, new)
    assert changed.to_dict()["changes"]["changed"] == 0
    readable(changed, tmp_path)
    for known in ({"prevalence": 0.4}, {"labelled": cohort(3, 60, prefix="l")}):
        adapted = steadycut.adapt(rule, there, **known)
        readable(adapted, tmp_path)
        again = FrozenRule.from_bytes(adapted.rule.to_bytes())
        assert again.threshold == adapted.threshold


@CASES
def test_an_adapted_rule_can_end_there_too(direction):
    """Cut-offs of the menu that call everybody or nobody here are infinite too."""
    usual = fit(cohort(direction=direction), direction=direction, n_bootstrap=20).freeze()
    there = situation_of(usual, cohort(2, 300, direction=direction, prefix="q"), None)
    assert [there.at_shift(shift) for shift in (-30, 30)] == [np.inf, -np.inf]
    for end, called in ((-np.inf, 1), (np.inf, 0)):
        rule = adapted_rule(there, end, None, None)
        assert rule.decide_scores([-1e300, 1e300]).tolist() == [called, called]
        assert rule.document.operating_value is None
        assert FrozenRule.from_bytes(rule.to_bytes()) == rule
        assert 0 <= rule.document.stability.radius < 10


@CASES
@WHO
def test_the_reader_decides_alike_to_the_last_bit(who, direction, tmp_path):
    table = tmp_path / "t.csv"
    rng = np.random.default_rng(5)
    rows = [(f"p{i:03d}", score) for i, score in enumerate((1e3 * rng.normal(size=60)).tolist())]
    table.write_text("patient,score\n" + "".join(f"{p},{s!r}\n" for p, s in rows), "utf-8")
    rule = study_of(who, direction).freeze()
    rule.save(tmp_path / "rule.json")
    read = rule_reader.load_rule(str(tmp_path / "rule.json"))
    assert read["threshold"] == END_TEXTS[rule.threshold]
    rule_reader.main([str(tmp_path / "rule.json"), str(table), "--out", str(tmp_path / "d.csv")])
    alone = list(csv.DictReader(io.StringIO((tmp_path / "d.csv").read_text("utf-8"))))
    decided = rule.decide(str(table))
    assert [int(row["decision"]) for row in alone] == decided["decision"].tolist()
    assert [float(row["flip_probability"]) for row in alone] == decided["flip_probability"].tolist()
    assert {row["threshold"] for row in alone} == {END_TEXTS[rule.threshold]}
    assert set(decided["threshold"].tolist()) == {END_TEXTS[rule.threshold]}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("threshold", None),
        ("threshold", "by score"),
        ("threshold", "nobody"),
        ("bootstrap_thresholds", [None]),
        ("bootstrap_thresholds", ["by score"]),
        ("calls", "nobody"),
    ],
)
def test_any_other_text_is_refused_in_one_line(field, value, tmp_path):
    content = json.loads(study_of("nobody").freeze().to_bytes()) | {field: value}
    content["sha256"] = content_hash(content)
    path = tmp_path / "rule.json"
    path.write_bytes(frozen_bytes(content))
    with pytest.raises(BadRuleFile) as refused:
        FrozenRule.load(path)
    assert "\n" not in str(refused.value)
    assert field in str(refused.value)
    with pytest.raises(rule_reader.Refused) as alone:
        rule_reader.load_rule(str(path))
    assert "\n" not in str(alone.value)


def test_a_patient_without_a_score_is_refused_as_by_any_other_rule(tmp_path):
    """The rule does not need the score. But a table with gaps may be the wrong table."""
    rule = study_of("everybody").freeze()
    table = tmp_path / "t.csv"
    table.write_text("patient,score\na,1.0\nb,\n", "utf-8")
    with pytest.raises(steadycut.SteadycutError, match="score"):
        rule.decide(str(table))
    assert rule.decide(str(table), missing="drop")["patient"].tolist() == ["a"]


def test_scores_beyond_those_of_the_rule_still_warn():
    rule = study_of("everybody").freeze()
    there = cohort(1, shift=900.0)
    assert rule.decisions(there)["outside_range"].all()
    found = steadycut.audit(rule, there.scores, there.labels)
    assert any(text.startswith("unit") for text in found.warnings)


@CASES
def test_strata_may_leave_a_stratum_to_nobody(direction, tmp_path):
    costs, sign = [[0.0, 0.1, 1.0], [9.0, 0.2, 0.1]], 1 if direction == "ge" else -1
    labels = cohort().labels
    scores = sign * (cohort().scores - 9 * labels)
    patients = PatientScores(scores=scores, labels=labels)
    study = fit_strata(patients, costs=costs, rule="erm", direction=direction, n_bootstrap=20)
    assert (sign * study.thresholds).tolist() == [-np.inf, np.inf]
    words = "low: nobody; intermediate: everybody; high: nobody"
    assert any(words in text for text in readable(study, tmp_path))
    rule = StrataRule.from_bytes(study.freeze().to_bytes())
    assert rule.decide_scores([-1e300, 0.0, 1e300]).tolist() == ["intermediate"] * 3


def test_two_limits_may_rule_out_nobody(tmp_path):
    """One ill patient has the lowest score, one healthy patient the highest."""
    labels = np.array([1, *[0] * 40, *[1] * 40, 0])
    patients = PatientScores(scores=np.arange(82.0), labels=labels)
    study = fit_strata(
        patients, rule_out="sensitivity:0.99", rule_in="specificity:0.99", n_bootstrap=20, seed=1
    )
    texts = readable(study, tmp_path)
    low, high = study.thresholds
    assert np.isinf(low) == any("Rule out nobody" in text for text in texts)
    assert np.isinf(high) == any("rule in nobody" in text for text in texts)
    assert np.isinf([low, high]).any()


def test_a_group_may_call_everybody(tmp_path):
    """The ranks 0 and n of a scale are the infinite cuts."""
    patients = cohort(n=400)
    sex = np.where(np.arange(400) % 2, "f", "m")
    study = fit_by_covariate(
        patients,
        covariate=sex,
        kind="groups",
        name="sex",
        rule="erm",
        cost_fn=1000.0,
        n_bootstrap=20,
    )
    assert (study.thresholds == -np.inf).all()
    readable(study, tmp_path)
    rule = study.freeze()
    scores = PatientScores(scores=[-1e300, 1e300], attributes={"sex": ["f", "m"]})
    decided = rule.decisions(scores)
    assert decided["decision"].tolist() == [1, 1]
    assert decided["threshold"].tolist() == ["below every score"] * 2


def test_an_ensemble_of_ends_is_an_end():
    several = [
        PatientScores(
            scores=cohort().scores ** power,
            labels=cohort().labels,
            recipe=Recipe(score=f"s{power}"),
        )
        for power in (1, 3)
    ]
    study = study_of("nobody", patients=several, ensemble="quantile")
    assert study.threshold == np.inf
    rule = study.freeze()
    far = [PatientScores(scores=[1e9], patients=["x"], recipe=one.recipe) for one in several]
    assert rule.decide_patients(rule.combined(far)).tolist() == [0]


class FirstColumn(ClassifierMixin, BaseEstimator):
    """A scorer that has nothing to learn."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


@pytest.mark.parametrize("who", ["everybody", "nobody"])
def test_estimators_predict_it_and_keep_the_order_of_scores(who):
    patients = cohort(n=300)
    X, y = np.stack([patients.scores, patients.scores], axis=1), patients.labels
    cost = {"everybody": {"cost_fn": 1000.0}, "nobody": {"cost_fp": 1000.0}}[who]
    plain = StableThreshold(rule="erm", n_bootstrap=20, **cost).fit(X[:, 0], y)
    assert set(plain.predict([-1e300, 1e300])) == {int(who == "everybody")}
    model = steadycut.StableThresholdClassifier(
        FirstColumn(), rule="erm", n_bootstrap=3, random_state=0, **cost
    ).fit(X, y, groups=np.arange(300))
    assert np.isinf(model.threshold_)
    far = np.array([[-30.0, 0.0], [0.0, 0.0], [30.0, 5.0]])
    names = np.arange(3)
    assert set(model.predict(far, groups=names)) == {int(who == "everybody")}
    distance = model.decision_function(far, groups=names)
    assert ((distance > 0) == (who == "everybody")).all()
    assert np.isfinite(distance).all()
    scores = model.score_patients(far, groups=names).scores
    assert np.argsort(distance).tolist() == np.argsort(scores).tolist()


def test_certify_and_operating_point_take_the_ends():
    scores, labels = [0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1]
    assert steadycut.certify(scores, labels, np.inf).risk == 0.5
    point = steadycut.operating_point(scores, labels, -np.inf, direction="le")
    assert (point.counts.tp, point.counts.fp) == (0, 0)
    with pytest.raises(steadycut.SteadycutError, match="threshold"):
        steadycut.certify(scores, labels, np.nan)


def test_small_cells_keep_the_ends():
    rule = study_of("nobody", patients=cohort(n=400)).freeze(small_cells=10)
    assert rule.threshold == np.inf
    assert FrozenRule.from_bytes(rule.to_bytes()).threshold == np.inf


@given(st.recursive(st.floats(allow_nan=False) | st.none() | st.booleans(), st.lists, max_leaves=9))
def test_texts_and_numbers_are_one_to_one(value):
    assert with_ends(ENDS, with_ends(END_TEXTS, value)) == value
    json.dumps(with_ends(END_TEXTS, value), allow_nan=False)


def test_the_whole_way_from_a_table_to_decisions_elsewhere(tmp_path):
    home, there = tmp_path / "home.csv", tmp_path / "there.csv"
    patients = cohort()
    rows = zip(patients.patients, patients.scores.tolist(), patients.labels, strict=True)
    home.write_text(
        "patient,score,ill\n" + "".join(f"{p},{s!r},{y}\n" for p, s, y in rows), "utf-8"
    )
    made = aggregate(home, patient="patient", score="score", label="ill")
    rule = fit(made, rule="erm", cost_fn=1000.0, n_bootstrap=20).freeze()
    there.write_text("patient,score\na,-99.5\nb,0.5\nc,99.5\n", "utf-8")
    assert rule.decide(str(there))["decision"].tolist() == [1, 1, 1]
