"""The frozen strata.json: canonical, hashed, complete, and refused after any change."""

import json

import numpy as np
import pytest

from scripts.write_schema import json_schema
from steadycut import PatientScores, StrataRule, fit_strata
from steadycut.core.records import Recipe
from steadycut.documents.canonical_json import content_hash, frozen_bytes
from steadycut.documents.guards import check_deployment
from steadycut.errors import BadRuleFile
from tests.core.strata_cohorts import SQUARE, graded


def make_study(direction="ge", how="mean"):
    patients, grades = graded(1, 160, distance=1.5)
    names = [f"secret-{k:03d}" for k in range(160)]
    sign = 1 if direction == "ge" else -1
    cohort = PatientScores(
        scores=sign * patients.scores,
        patients=names,
        n_instances=np.arange(160) % 4 + 2,
        recipe=Recipe(patient="id", score="s", levels=(("slide", "max"),), how=how),
    )
    return fit_strata(
        cohort, costs=SQUARE.values, grades=grades, direction=direction, n_bootstrap=30
    )


STUDY = make_study()
RULE = STUDY.freeze()


def changed(**new):
    """A file with some entries changed and the hash made to fit."""
    content = {**RULE.to_dict(), **new}
    content["sha256"] = content_hash(content)
    return frozen_bytes(content)


@pytest.mark.parametrize("direction", ["ge", "le"])
def test_what_is_saved_is_what_is_loaded(tmp_path, direction):
    study = make_study(direction)
    path = tmp_path / "strata.json"
    study.freeze().save(path)
    rule = StrataRule.load(path)
    assert path.read_bytes() == rule.to_bytes()
    scores = study.patients.scores
    assert rule.thresholds == study.thresholds.tolist()
    assert rule.stratum_of(scores).tolist() == study.stratum_of(scores).tolist()
    assert rule.flip_probability(scores) == pytest.approx(study.flip_probability(scores))
    assert rule.decide_scores(scores[:1]).tolist() == [rule.strata[rule.stratum_of(scores[:1])[0]]]
    assert rule.recipe.chain == (("slide", "max"), ("patient", "mean"))
    assert repr(rule).startswith("StrataRule(strata=['low', 'intermediate', 'high'], thresholds=[")


def test_the_file_holds_no_patient_and_is_plain_json():
    text = RULE.to_bytes().decode()
    assert "secret" not in text
    content = json.loads(text)
    assert content["schema"] == "steadycut.strata/1"
    assert content["sha256"] == content_hash(content)
    assert len(content["bootstrap_thresholds"]) == 30


def test_a_score_at_a_boundary_is_above_it():
    low, high = RULE.thresholds
    below = np.nextafter(low, -np.inf)
    assert RULE.decide_scores([below, low, high]).tolist() == ["low", "intermediate", "high"]


@pytest.mark.parametrize("text", [b'"direction": "le"', b'"direction":  "ge"'])
def test_a_changed_byte_is_refused(text):
    written = RULE.to_bytes().replace(b'"direction": "ge"', text)
    with pytest.raises(BadRuleFile, match="was changed"):
        StrataRule.from_bytes(written)


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ({"thresholds": [1.0]}, "do not fit each other"),
        ({"thresholds": [2.0, 1.0]}, "do not fit each other"),
        ({"bootstrap_thresholds": [[2.0, 1.0]]}, "do not fit each other"),
        ({"costs": [[0, 1, 2], [2, 1, 0]]}, "do not fit each other"),
        ({"costs": [[0, 1, 2], [2, 1, -1]]}, "do not fit each other"),
        ({"strata": ["a"]}, "strata"),
        ({"extra": 1}, "extra"),
        ({"schema": "steadycut.rule/1"}, "of schema steadycut.strata/1"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(new, words):
    with pytest.raises(BadRuleFile, match=words):
        StrataRule.from_bytes(changed(**new))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(BadRuleFile, match="cannot read"):
        StrataRule.load(tmp_path / "none.json")


def test_a_function_as_aggregator_cannot_be_frozen():
    with pytest.raises(BadRuleFile, match="Python function"):
        make_study(how="my_function").freeze()


def test_it_decides_about_a_table():
    pandas = pytest.importorskip("pandas")
    rows = {"id": ["b", "a", "b"], "slide": [1, 1, 2], "s": [5.0, -5.0, 7.0]}
    found = RULE.decide(pandas.DataFrame(rows))
    assert found["patient"].tolist() == ["a", "b"]
    assert found["score"].tolist() == [-5.0, 6.0]
    assert found["stratum"].tolist() == ["low", "high"]


def test_patients_unlike_those_of_the_study_are_told():
    scores = STUDY.patients.scores
    same = PatientScores(scores=scores, n_instances=np.full(scores.size, 3))
    assert check_deployment(RULE, same) == []
    other = PatientScores(scores=1000 * scores + 500, n_instances=np.full(scores.size, 90))
    kinds = [one.name for one in check_deployment(RULE, other)]
    assert kinds == ["score range", "unit", "instances"]


def test_the_file_keeps_its_schema():
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(RULE.to_dict(), json_schema(StrataRule))
