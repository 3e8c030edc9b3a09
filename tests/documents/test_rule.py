"""The frozen rule: canonical bytes, a hash over them, no patient, the same decisions anywhere."""

import json
import math
import re
import socket
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.write_schema import json_schema
from steadycut import PatientScores, aggregate, fit, paper_method
from steadycut.core.records import Recipe
from steadycut.documents.canonical_json import content_hash
from steadycut.documents.rule import FrozenRule, RuleDocument
from steadycut.errors import BadRuleFile, MissingScores
from tests.cli.commands import DECISIONS


def cohort(seed=0, n_patients=80, sign=1.0, **more):
    rng = np.random.default_rng(seed)
    labels = np.arange(n_patients) % 2
    scores = sign * (rng.normal(size=n_patients) + 2 * labels)
    return PatientScores(scores=scores, labels=labels, **more)


def freeze(patients=None, **options):
    return fit(patients or cohort(), **{"n_bootstrap": 20, **options}).freeze()


RULE = freeze()
WRITTEN = RULE.to_bytes()
CONTENT = json.loads(WRITTEN)


def resealed(**changes):
    """The content with changes and a hash that fits them again."""
    content = {**CONTENT, **changes}
    return {**content, "sha256": content_hash(content)}


def canonical(content):
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    return (text + "\n").encode()


def refusal(written, name="rule.json"):
    with pytest.raises(BadRuleFile) as caught:
        FrozenRule.from_bytes(written, name)
    text = str(caught.value)
    assert text.startswith(name)
    assert "\n" not in text
    return text


# Round trip --------------------------------------------------------------------------------


def test_what_is_written_reads_back_to_the_same_rule(tmp_path):
    path = tmp_path / "rule.json"
    RULE.save(path)
    again = FrozenRule.load(path)
    assert path.read_bytes() == WRITTEN
    assert again.to_bytes() == WRITTEN
    assert again.document == RULE.document
    assert again.threshold == RULE.threshold
    assert again.costs == RULE.costs
    assert again.recipe == RULE.recipe


@pytest.mark.parametrize(
    "options",
    [
        {"direction": "le"},
        {"rule": "erm", "grid": "exact"},
        {"rule": "sensitivity:0.95", "cost_fn": 10, "bound": "hoeffding"},
        {"honesty": "uniform", "bound": "paper", "delta": 0.5},
        {"seed": 2**70, **paper_method(centering="bias", form="oscillation")},
    ],
)
def test_every_kind_of_study_reads_back(options):
    rule = freeze(**options)
    assert FrozenRule.from_bytes(rule.to_bytes()).to_bytes() == rule.to_bytes()


def test_names_of_columns_may_be_any_text():
    recipe = Recipe(
        patient="Fall-№ ü",
        score='quo"te\\ \u2028 \x01',
        label="Diagnose",
        positive="ja, sicher",
        site="日本",
        levels=(("MDVP:Jitter", "quantile:0.9"),),
        how="top-k:3",
    )
    rule = freeze(cohort(recipe=recipe))
    again = FrozenRule.from_bytes(rule.to_bytes())
    assert again.recipe == recipe
    assert "日本".encode() in rule.to_bytes()


def test_the_same_study_gives_the_same_bytes():
    assert freeze().to_bytes() == WRITTEN
    assert freeze(seed=1).to_bytes() != WRITTEN


def test_the_order_of_patients_does_not_matter():
    names = [f"p{i}" for i in range(80)]
    plain = cohort(patients=names)
    mixed = np.random.default_rng(3).permutation(80)
    shuffled = PatientScores(
        scores=cohort().scores[mixed],
        labels=cohort().labels[mixed],
        patients=[names[i] for i in mixed],
    )
    assert freeze(shuffled).to_bytes() == freeze(plain).to_bytes()


def test_the_file_is_canonical_json():
    assert canonical(CONTENT) == WRITTEN
    assert CONTENT["sha256"] == content_hash(CONTENT)
    assert re.fullmatch("[0-9a-f]{64}", CONTENT["sha256"])


# Changed files -----------------------------------------------------------------------------


@given(st.integers(0, len(WRITTEN) - 1), st.integers(1, 255))
def test_a_changed_byte_is_refused(position, change):
    changed = bytearray(WRITTEN)
    changed[position] ^= change
    refusal(bytes(changed))


@given(st.integers(0, len(WRITTEN) - 1))
def test_a_shortened_file_is_refused(length):
    refusal(WRITTEN[:length])


@given(st.integers(0, len(WRITTEN)), st.sampled_from([b" ", b"\n", b"0", b",", b"\x00", b"}"]))
def test_an_added_byte_is_refused(position, added):
    refusal(WRITTEN[:position] + added + WRITTEN[position:])


@pytest.mark.parametrize("key", sorted(set(CONTENT) - {"schema"}))
def test_a_missing_part_is_refused(key):
    content = {name: value for name, value in CONTENT.items() if name != key}
    assert "changed" in refusal(canonical(content))


def test_an_edited_threshold_is_refused():
    edited = canonical({**CONTENT, "threshold": 0.5})
    assert "was changed after it was written" in refusal(edited)


def test_another_layout_is_refused():
    assert "changed" in refusal(json.dumps(CONTENT).encode())
    assert "changed" in refusal(WRITTEN.replace(b"\n", b"\r\n"))
    assert "changed" in refusal(canonical(resealed()) + b"\n")


def test_a_part_given_twice_is_refused():
    twice = WRITTEN.replace(b'\n "threshold"', b'\n "threshold": 0.5,\n "threshold"', 1)
    assert json.loads(twice) == CONTENT
    assert "changed" in refusal(twice)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"threshold": "high"}, "threshold"),
        ({"direction": "gt"}, "direction"),
        ({"aggregation": []}, "aggregation"),
        ({"bootstrap_thresholds": []}, "bootstrap_thresholds"),
        ({"costs": {"cost_fn": -1.0, "cost_fp": 1.0}}, "costs.cost_fn"),
    ],
)
def test_a_fitting_hash_does_not_excuse_wrong_content(changes, named):
    text = refusal(canonical(resealed(**changes)))
    assert f"is not a rule of schema steadycut.rule/1: {named}" in text


@pytest.mark.parametrize("written", [b"{}", b"[]", b'"rule"', b"7", b"null", b'{"schema": null}'])
def test_json_that_is_no_rule_is_refused(written):
    assert "not a rule file of schema steadycut.rule/1" in refusal(written)


@pytest.mark.parametrize(
    "written",
    [
        b"",
        b"patient,score\na,1\n",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"schema": NaN}',
        b"1" * 5000,
    ],
)
def test_what_is_no_json_is_refused(written):
    assert "not valid JSON" in refusal(written)


@pytest.mark.parametrize("value", [b"1e999", b"-1e999", b'"\\ud800"', b"NaN", b"-Infinity"])
@pytest.mark.parametrize("seal", [b'"sha256": null', b'"sha256": ""', b'"sha256": 0'])
def test_values_that_are_never_written_are_refused(value, seal):
    old = json.dumps(CONTENT["threshold"]).encode()
    edited = WRITTEN.replace(b'"threshold": ' + old, b'"threshold": ' + value)
    edited = re.sub(rb'"sha256": "[0-9a-f]{64}"', seal, edited)
    assert edited.count(value) == edited.count(seal) == 1
    refusal(edited)


def test_a_file_that_cannot_be_read_is_one_line(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere.json"):
        with pytest.raises(BadRuleFile, match=r"^cannot read the rule file .*\.$") as caught:
            FrozenRule.load(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


# What is in it, and what is not ------------------------------------------------------------


def test_no_number_is_nan_or_infinite():
    extreme = PatientScores(scores=[-1e300, 1e300] * 4, labels=[0, 1] * 4)
    for rule in (RULE, freeze(extreme, rule="erm"), freeze(cohort(n_patients=6))):
        text = rule.to_bytes().decode()
        assert not re.search(r"\bNaN\b|\bInfinity\b", text)
        json.loads(text, parse_constant=pytest.fail)


def test_a_number_that_is_not_finite_cannot_be_frozen():
    content = {name: value for name, value in CONTENT.items() if name != "sha256"}
    for name, value in (("threshold", math.nan), ("operating_value", math.inf)):
        with pytest.raises(ValueError, match=name):
            RuleDocument.model_validate({**content, name: value})


def test_there_is_no_patient_place_or_time_in_it(tmp_path):
    names = [f"Zoë*{i:03d}§Meyer" for i in range(80)]
    sites = [f"Klinik~{i % 3}" for i in range(80)]
    text = freeze(cohort(patients=names, sites=sites)).to_bytes().decode()
    for hidden in ("Meyer", "Zoë", "§", "Klinik", str(Path.cwd()), str(tmp_path), "/"):
        assert hidden not in text.replace("steadycut.rule/1", "")
    assert socket.gethostname() not in text
    assert datetime.now(UTC).strftime("%Y-%m") not in text


def test_the_fingerprint_tells_patients_apart():
    names = [f"p{i}" for i in range(80)]
    other = [f"q{i}" for i in range(80)]
    prints = {
        freeze(cohort(**more)).document.provenance.data_sha256
        for more in ({}, {"patients": names}, {"patients": other}, {"sites": other})
    }
    assert len(prints) == 4


def test_the_reference_is_about_the_certifying_patients():
    study = fit(cohort(), n_bootstrap=20)
    scores, labels = study.certify_patients.scores, study.certify_patients.labels
    found = study.freeze().document.reference
    called = scores >= study.threshold
    assert found.tp == np.sum(called & (labels == 1))
    assert found.fn == np.sum(~called & (labels == 1))
    assert found.fp == np.sum(called & (labels == 0))
    assert found.tn == np.sum(~called & (labels == 0))
    ordered = np.sort(scores[labels == 1])
    shares = [Fraction(i + 1, ordered.size) for i in range(ordered.size)]
    reached = [next(i for i, share in enumerate(shares) if 100 * share >= k) for k in range(101)]
    assert found.quantiles_positive == [ordered[i] for i in reached]
    assert len(found.quantiles_negative) == 101


def test_a_class_without_certifying_patients_has_no_quantiles():
    labels = np.zeros(40, dtype=int)
    labels[:2] = 1
    patients = PatientScores(scores=np.arange(40) - 50.0 * labels, labels=labels)
    rules = [freeze(patients, rule="erm", seed=seed) for seed in range(12)]
    empty = [rule for rule in rules if not rule.document.reference.quantiles_positive]
    assert empty
    assert all(rule.document.reference.tp == 0 for rule in empty)
    assert all(FrozenRule.from_bytes(rule.to_bytes()) for rule in empty)


def test_instances_are_counted():
    rule = freeze(cohort(n_instances=np.arange(1, 81)))
    found = rule.document.reference.instances_per_patient
    assert (found.smallest, found.median, found.largest) == (1, 40.5, 80)
    assert RULE.document.reference.instances_per_patient is None


# Functions as aggregators ------------------------------------------------------------------


def second_largest(ascending):
    return ascending[-2]


@pytest.mark.parametrize("function", [np.ptp, second_largest, lambda scores: scores[0]])
def test_a_function_as_aggregator_cannot_be_frozen(function):
    rng = np.random.default_rng(0)
    table = {"id": np.repeat(np.arange(40), 3), "s": rng.normal(size=120)}
    table["y"] = table["id"] % 2
    for chain in ({"how": function}, {"levels": [("id2", function)]}):
        with_level = {**table, "id2": table["id"]}
        patients = aggregate(with_level, patient="id", score="s", label="y", **chain)
        study = fit(patients, n_bootstrap=20)
        with pytest.raises(BadRuleFile, match=r"Python function .* cannot be frozen; use one of"):
            study.freeze()


# Decisions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("direction", "below", "above"), [("ge", 0, 1), ("le", 1, 0)])
def test_a_score_at_the_threshold_is_called(direction, below, above):
    rule = freeze(cohort(sign=1.0 if direction == "ge" else -1.0), direction=direction)
    t = rule.threshold
    found = rule.decide_scores([np.nextafter(t, -np.inf), t, np.nextafter(t, np.inf)])
    assert found.tolist() == [below, 1, above]
    assert found.dtype == np.int8


@pytest.mark.parametrize("direction", ["ge", "le"])
def test_the_threshold_is_no_score_and_the_operating_value_is_called(direction):
    patients = cohort(sign=1.0 if direction == "ge" else -1.0)
    rule = freeze(patients, direction=direction)
    assert rule.threshold not in patients.scores
    assert rule.decide_scores([rule.document.operating_value]).tolist() == [1]


@pytest.mark.parametrize("direction", ["ge", "le"])
@pytest.mark.parametrize("seed", range(4))
def test_flip_probability_is_the_share_of_draws_that_decide_otherwise(direction, seed):
    patients = cohort(seed, sign=1.0 if direction == "ge" else -1.0)
    rule = freeze(patients, direction=direction, seed=seed)
    draws = rule.document.bootstrap_thresholds
    scores = [*patients.scores, *draws, rule.threshold, -1e9, 1e9]

    def calls(score, threshold):
        return score >= threshold if direction == "ge" else score <= threshold

    twin = [
        np.mean([calls(score, draw) != calls(score, rule.threshold) for draw in draws])
        for score in scores
    ]
    found = rule.flip_probability(scores)
    assert found == pytest.approx(np.array(twin), abs=1e-12)
    assert found.min() >= 0
    assert found.max() <= 1
    assert found.max() > 0
    assert found[-2:].tolist() == [0, 0]


def test_a_score_that_is_no_number_is_not_decided():
    for decide in (RULE.decide_scores, RULE.flip_probability):
        with pytest.raises(MissingScores, match="1 of 2 are missing, NaN or infinite"):
            decide([0.5, np.nan])


def test_decide_reads_a_table_as_the_rule_says():
    table = {
        "id": ["b", "b", "b", "a", "a", "c"],
        "slide": [1, 1, 2, 1, 2, 1],
        "s": [0.0, 4.0, 2.0, -1.0, -3.0, 9.0],
    }
    recipe = Recipe(patient="id", score="s", levels=(("slide", "max"),), how="mean")
    rule = freeze(cohort(recipe=recipe))
    found = rule.decide(table)
    assert list(found) == DECISIONS
    assert found["patient"].tolist() == ["a", "b", "c"]
    assert found["score"].tolist() == [-2.0, 3.0, 9.0]
    assert found["decision"].tolist() == [0, 1, 1]


# The published schema ----------------------------------------------------------------------


@pytest.mark.parametrize("rule", [RULE, freeze(direction="le", honesty="uniform")])
def test_the_schema_accepts_a_rule(rule):
    jsonschema.Draft202012Validator(json_schema(FrozenRule)).validate(json.loads(rule.to_bytes()))


@pytest.mark.parametrize(
    "change",
    [
        {"threshold": "0.5"},
        {"schema": "steadycut.rule/2"},
        {"direction": "up"},
        {"aggregation": []},
        {"sha256": "short"},
        {"patients": ["a"]},
        {"score_range": [0.0]},
        {"reference": {**CONTENT["reference"], "tp": -1}},
        {"certificate": {**CONTENT["certificate"], "delta": 1.0}},
    ],
)
def test_the_schema_rejects_a_broken_rule(change):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(json_schema(FrozenRule)).validate({**CONTENT, **change})


@pytest.mark.parametrize("key", sorted(set(CONTENT) - {"all_patients"}))
def test_the_schema_needs_every_part(key):
    content = {name: value for name, value in CONTENT.items() if name != key}
    with pytest.raises(jsonschema.ValidationError, match="required"):
        jsonschema.Draft202012Validator(json_schema(FrozenRule)).validate(content)


def test_a_rule_shows_itself_and_equals_its_copy():
    copy = FrozenRule.from_bytes(RULE.to_bytes())
    assert copy == RULE
    assert hash(copy) == hash(RULE)
    patients = cohort()
    turned = freeze(replace(patients, scores=-patients.scores), direction="le")
    assert turned != RULE
    assert RULE != "rule"
    assert f">= {RULE.threshold:.6g}" in repr(RULE)
    assert "<=" in repr(turned)
