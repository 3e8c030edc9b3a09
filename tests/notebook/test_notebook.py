"""What a data scientist does first, in pandas and in polars, without indexing a dictionary."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

import steadycut
from steadycut.core.verdict import DECISIONS
from steadycut.datasets.two_hospitals import simulate_two_hospitals
from steadycut.errors import BadOption, MissingColumn, MissingPackage
from steadycut.show.render.html import environment

LIBRARIES = {"pandas": pd, "polars": pl}


@pytest.fixture(scope="module", params=LIBRARIES)
def library(request):
    return request.param


@pytest.fixture(scope="module")
def tables(library):
    """The same two hospitals as frames of one library."""
    table = pd.DataFrame(simulate_two_hospitals())
    here, there = (table[table["hospital"] == name] for name in "AB")
    if library == "polars":
        return pl.from_pandas(here), pl.from_pandas(there)
    return here, there


@pytest.fixture(scope="module")
def patients(tables):
    return steadycut.aggregate(
        tables[0],
        patient="patient",
        score="score",
        label="tumour",
        site="hospital",
        levels=[("slide", "max")],
        how="quantile:0.9",
    )


@pytest.fixture(scope="module")
def study(patients):
    return steadycut.fit(patients)


@pytest.fixture(scope="module")
def rule(study):
    return study.freeze()


@pytest.fixture(scope="module")
def audit(rule, tables):
    return steadycut.audit(rule, tables[1])


@pytest.fixture(scope="module")
def comparison(patients, rule, tables):
    return steadycut.compare(patients, rule.aggregate(tables[1]), n_bootstrap=20)


@pytest.fixture(scope="module")
def adaptation(rule, tables):
    return steadycut.adapt(rule, rule.aggregate(tables[1]), prevalence=0.3)


@pytest.fixture(scope="module")
def objects(study, rule, audit, comparison, adaptation):
    return study, rule, audit, comparison, adaptation


def test_patients_come_back_as_a_frame_of_the_library_asked_for(patients, library):
    frame = patients.to_frame(library=library)
    assert isinstance(frame, LIBRARIES[library].DataFrame)
    assert list(frame.columns) == ["patient", "score", "label", "site", "n_instances", "n_units"]
    assert frame["score"].to_list() == patients.scores.tolist()


def test_a_study_has_its_patients_candidates_and_operating_point(study, library):
    patients = study.to_frame(library=library)
    called = np.array(patients["decision"].to_list()) == 1
    assert np.array_equal(called, np.array(patients["score"].to_list()) >= study.threshold)
    parts = patients["part"].to_list()
    assert 2 * parts.count("choose") == 2 * parts.count("certify") == study.patients.n_patients
    assert study.to_frame("candidates", library=library)["threshold"].to_list() == [study.threshold]
    point = study.to_frame("operating_point", library=library)
    values = dict(zip(point["name"].to_list(), point["value"].to_list(), strict=True))
    assert values["sensitivity"] == study.describe().operating_point.sensitivity


def test_patients_who_are_held_out_are_in_the_frame(patients):
    study = steadycut.fit(patients, test_size=0.2, n_bootstrap=20)
    frame = study.to_frame(library="pandas").sort_values("patient")
    assert frame["patient"].tolist() == patients.patients.tolist()
    assert frame["score"].tolist() == patients.scores.tolist()
    assert 5 * (frame["part"] == "test").sum() == patients.n_patients


def test_an_audit_of_a_frame_uses_the_chain_the_label_and_the_site_of_the_rule(audit, rule, tables):
    again = steadycut.aggregate(
        tables[1],
        patient="patient",
        score="score",
        label="tumour",
        site="hospital",
        levels=[("slide", "max")],
        how="quantile:0.9",
    )
    by_hand = steadycut.audit(rule, again)
    assert audit.to_dict() == by_hand.to_dict()
    assert audit.verdict.decision in DECISIONS
    assert (audit.risk, audit.bound) == (
        audit.describe().risk_external,
        audit.describe().bound_external,
    )
    assert "sensitivity" in audit.to_frame(library="pandas")["name"].tolist()


def test_an_audit_of_a_frame_without_the_label_has_no_labels(rule, tables):
    frame = tables[1].drop("tumour", axis=1) if isinstance(tables[1], pd.DataFrame) else None
    frame = tables[1].drop("tumour") if frame is None else frame
    found = steadycut.audit(rule, frame)
    assert found.labelled is None
    assert (found.risk, found.bound) == (None, None)
    assert found.to_frame(library="pandas").shape[0] == 1


def test_other_names_of_columns_are_given_to_the_rule(rule, tables, audit):
    names = {"patient": "id", "score": "s", "tumour": "ill", "slide": "block"}
    new = tables[1].rename(columns=names) if hasattr(tables[1], "iloc") else tables[1].rename(names)
    patients = rule.aggregate(new, patient="id", score="s", label="ill", columns="slide=block")
    assert np.array_equal(patients.scores, rule.aggregate(tables[1]).scores)
    assert steadycut.audit(rule, patients).risk == audit.risk
    with pytest.raises(steadycut.errors.MissingColumn, match="label"):
        rule.aggregate(tables[1], label="no such column")


def test_decisions_come_back_as_a_frame(rule, tables, library):
    found = rule.decide(tables[1])
    frame = found.to_frame(library=library)
    assert isinstance(frame, LIBRARIES[library].DataFrame)
    assert frame["decision"].to_list() == found["decision"].tolist()
    assert found["patient"][0] not in repr(found)


def test_a_comparison_and_an_adaptation_have_their_rows(comparison, adaptation, library):
    rules = comparison.to_frame(library=library)
    assert rules["name"].to_list()[:2] == ["stable", "erm"]
    costs = comparison.to_frame("costs", library=library)["cost_fn"].to_list()
    assert costs == [1.0, 1.0, 3.0]
    cuts = adaptation.to_frame(library=library)
    assert adaptation.threshold in cuts["threshold"].to_list()


def test_every_object_has_three_lines_a_summary_and_a_card(objects, patients):
    for one in objects:
        assert len(repr(one).splitlines()) <= 3, repr(one)
        assert len(one.summary().splitlines()) < 20
        assert repr(one.summary()) == str(one.summary())
        card = one._repr_html_()
        assert card.startswith('<div class="steadycut-card">')
        assert "<script" not in card
        texts = [repr(one), one.summary(), card]
        assert not any(name in text for name in patients.patients[:50] for text in texts)


def test_the_card_escapes_names():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 40)
    table = {"p": [*range(80)], "<b>s</b>": rng.normal(size=80) + 2 * labels, "y": labels}
    cohort = steadycut.aggregate(table, patient="p", score="<b>s</b>", label="y")
    card = steadycut.fit(cohort, n_bootstrap=20)._repr_html_()
    assert "<b>s</b>" not in card
    assert "&lt;b&gt;s&lt;/b&gt;" in card


def test_every_object_is_drawn_and_written(objects, tmp_path):
    for one in objects:
        page = one.report(tmp_path / f"{type(one).__name__}.html")
        assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        assert one.report(tmp_path / "page.md").read_text(encoding="utf-8").startswith("# ")
        if not isinstance(one, steadycut.FrozenRule | steadycut.Adaptation):
            display = one.plot(alpha=0.5)
            assert display.figure_ is display.ax_.figure


def test_the_report_of_a_study_hands_out_the_rule(study, rule, tmp_path):
    page = study.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert rule.document.sha256 in page


def test_what_is_not_there_is_refused_by_name(study, rule, tmp_path):
    with pytest.raises(BadOption, match="patients, candidates, operating_point; got 'rows'"):
        study.to_frame("rows")
    with pytest.raises(BadOption, match=r"risk-curve.*got 'auc'"):
        study.plot("auc")
    with pytest.raises(BadOption, match=r"\.html, \.md; got '\.pdf'"):
        study.report(tmp_path / "report.pdf")
    with pytest.raises(BadOption, match="FrozenRule has no figure"):
        rule.plot()
    assert not list(tmp_path.iterdir())


def test_the_rule_goes_into_a_cross_validation(patients):
    scores = patients.scores.reshape(-1, 1)
    model = steadycut.StableThresholdClassifier(
        LogisticRegression(), n_bootstrap=10, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cross_val_score(model, scores, patients.labels, scoring="balanced_accuracy", cv=3)
    assert found.mean() > 0.6


def test_displays_come_from_estimators_and_predictions(patients):
    model = steadycut.StableThreshold(n_bootstrap=20, random_state=0)
    model.fit(patients.scores, patients.labels)
    display = steadycut.displays.RiskCurveDisplay.from_estimator(model, color="black")
    assert display.study.threshold == model.threshold_
    assert display.ax_.lines[0].get_color() == "black"
    drawn = steadycut.displays.ScoresDisplay.from_predictions(
        patients.labels, patients.scores, n_bootstrap=20
    )
    assert drawn.figure_ is drawn.ax_.figure
    with pytest.raises(BadOption, match="Call fit on it first"):
        steadycut.displays.RiskCurveDisplay.from_estimator(LogisticRegression())


def test_text_labels_are_taken_with_the_positive_one():
    given = ["MSI", "MSS", "MSS", "MSI"]
    cohort = steadycut.PatientScores(scores=[3, 1, 2, 4], labels=given, positive="MSI")
    assert cohort.labels.tolist() == [1, 0, 0, 1]
    assert cohort.recipe.class_names.ill == "MSI"
    with pytest.raises(steadycut.SteadycutError, match="no label in 'labels' is 'MSI-H'"):
        steadycut.PatientScores(scores=[3, 1, 2, 4], labels=given, positive="MSI-H")
    with pytest.raises(steadycut.SteadycutError, match="stands for a missing label"):
        steadycut.PatientScores(scores=[3, 1], labels=["MSI", None], positive="MSI")
    with pytest.raises(steadycut.SteadycutError, match="there are no labels"):
        steadycut.PatientScores(scores=[3, 1], positive="MSI")


def frames_in(code):
    """Return what a fresh interpreter says."""
    start = "import steadycut, sys\np = steadycut.PatientScores(scores=[1, 2])\n"
    found = subprocess.run(
        [sys.executable, "-c", start + code], check=True, capture_output=True, text=True
    )
    return found.stdout.strip()


def test_the_library_that_the_program_uses_is_taken():
    say = "print(type(p.to_frame()).__module__.partition('.')[0])"
    assert frames_in(say) == "pandas"
    assert frames_in(f"import polars\n{say}") == "polars"
    assert frames_in(f"import polars, pandas\n{say}") == "pandas"


def test_without_a_library_the_error_names_both(monkeypatch, patients):
    monkeypatch.setattr("steadycut.core.frames.find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    monkeypatch.delitem(sys.modules, "polars", raising=False)
    with pytest.raises(MissingPackage, match="requires pandas or polars"):
        patients.to_frame()
    with pytest.raises(MissingPackage, match="pip install polars"):
        patients.to_frame(library="polars")


def test_without_jinja_a_notebook_shows_the_text(monkeypatch, study):
    environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert study._repr_html_() is None


def test_the_document_of_a_rule_is_one_row_without_patients(rule):
    row = rule.to_frame(library="pandas").iloc[0]
    assert row["threshold"] == rule.threshold
    assert json.loads(row.to_json())["sha256"] == rule.document.sha256


def test_labels_of_a_table_are_a_column_of_it(rule, tables):
    with pytest.raises(BadOption, match="the labels of a table are one of its columns"):
        steadycut.audit(rule, tables[1], np.zeros(150))


def test_an_error_about_a_frame_says_who_takes_its_arguments(rule, tables):
    frame = tables[1].rename(columns={"score": "s"}) if hasattr(tables[1], "iloc") else None
    frame = tables[1].rename({"score": "s"}) if frame is None else frame
    with pytest.raises(
        MissingColumn, match=r"score='COL'.* belong to rule\.aggregate\(table, \.\.\.\)"
    ):
        steadycut.audit(rule, frame)


def test_a_label_that_never_occurs_is_noticed():
    rng, labels = np.random.default_rng(0), np.repeat(["benign", "malignant"], 50)
    table = {"p": np.arange(100), "s": rng.normal(size=100) + 3 * (labels == "malignant")}
    asked = {"patient": "p", "score": "s", "label": "y", "positive": "malignant"}
    cohort = steadycut.aggregate({**table, "y": labels}, **asked)
    rule = steadycut.fit(cohort, n_bootstrap=20).freeze()
    there = {"p": np.arange(200, 300), "s": table["s"] + 0.01, "y": np.repeat(["Tumour"], 100)}
    with pytest.warns(steadycut.DataWarning, match="none is 'malignant'"):
        rule.aggregate(pd.DataFrame(there))


def test_patients_of_one_class_do_not_show_that_a_rule_is_useless(rule):
    scores = rule.aggregate(simulate_two_hospitals()).scores[:80] + 0.001
    found = steadycut.audit(rule, scores, np.zeros(80))
    assert found.verdict.useful == "cannot tell"
    assert found.verdict.decision == "not judged"


def test_strata_and_cut_offs_by_covariate_show_no_patient(patients):
    strata = steadycut.fit_strata(patients, costs=[[0, 0.25, 1], [1, 0.25, 0]], n_bootstrap=20)
    sex = np.where(np.arange(patients.n_patients) % 2, "f", "m")
    by = steadycut.fit_by_covariate(patients, covariate=sex, name="sex", n_bootstrap=20)
    for one in (strata, by):
        assert len(repr(one).splitlines()) == 3
        assert patients.patients[0] not in repr(one)


def test_unknown_fates_of_patients_held_out_stay_unknown():
    rng = np.random.default_rng(22)
    scores = rng.normal(size=400)
    event, lost = rng.exponential(10 * np.exp(-1.5 * scores)), rng.exponential(30, 400)
    cohort = steadycut.PatientScores(
        scores=scores, time=np.minimum(event, lost), event=(event <= lost).astype(int), horizon=6
    )
    study = steadycut.fit(cohort, test_size=0.25, n_bootstrap=20)
    frame = study.to_frame(library="pandas")
    assert sorted(frame["label"]) == sorted(cohort.labels)
    assert (frame.loc[frame["part"] == "test", "label"] == -1).any()
