"""``covariate.json``: written, read, refused, applied."""

import json
import re

import numpy as np
import pytest

from steadycut import CovariateRule, PatientScores, fit_by_covariate
from steadycut.documents.canonical_json import content_hash, frozen_bytes
from steadycut.documents.guards import check_deployment
from steadycut.errors import BadOption, BadPatients, BadRuleFile
from tests.cli.commands import DECISIONS
from tests.study.test_covariate import cohort, trend


@pytest.fixture(scope="module")
def study():
    patients, sex = cohort()
    return fit_by_covariate(patients, covariate=sex, name="sex", n_bootstrap=20)


@pytest.fixture(scope="module")
def smooth():
    patients, age = trend()
    return fit_by_covariate(patients, covariate=age, name="age", kind="smooth", n_bootstrap=20)


@pytest.mark.parametrize("direction", ["ge", "le"])
@pytest.mark.parametrize("make", [cohort, trend])
def test_a_file_decides_as_the_study_did(make, direction, tmp_path):
    patients, covariate = make()
    kind = "groups" if make is cohort else "smooth"
    study = fit_by_covariate(
        patients, covariate=covariate, kind=kind, n_bootstrap=10, direction=direction
    )
    study.freeze().save(tmp_path / "covariate.json")
    rule = CovariateRule.load(tmp_path / "covariate.json")
    found = rule.decisions(rule.with_covariate(patients, covariate))
    assert np.array_equal(found["decision"], study.decide(patients.scores, covariate))
    flips = study.rule.flip_probability(patients.scores, study.covariate)
    assert np.array_equal(found["flip_probability"], flips)
    assert list(found) == DECISIONS
    assert rule.to_bytes() == study.freeze().to_bytes()


def test_the_file_is_plain_and_names_no_patient(study):
    written = study.freeze().to_bytes()
    content = json.loads(written)
    assert content["schema"] == "steadycut.covariate/1"
    assert [cut["at"] for cut in content["cuts"]] == ["f", "m"]
    assert b"p0001" not in written
    assert b"p0001" not in json.dumps(study.to_dict()).encode()


def test_a_group_that_was_not_seen_is_refused_or_gets_the_pooled_cut_off(study):
    rule = study.freeze()
    scores = [study.pooled_threshold - 1e-3, study.pooled_threshold + 1e-3, 9.0]
    text = r"2 of 3 .* 'sex' .* not seen \(2 values that are not shown\); it knows f, m\. "
    text += ".*unseen='pooled'"
    with pytest.raises(BadOption, match=text):
        rule.decide_scores(scores, ["x", "y", "f"])
    assert rule.decide_scores(scores, ["x", "y", "f"], unseen="pooled").tolist() == [0, 1, 1]
    patients = rule.with_covariate(PatientScores(scores=scores), ["x", "y", "f"])
    found = rule.decisions(patients, "pooled")
    draws = study.rule.scale.at(study.cuts.pooled_draws)
    assert found["flip_probability"][0] == pytest.approx(np.mean(scores[0] >= draws))
    (text,) = rule.check_attributes(patients, "pooled")
    assert "2 of 3 patients are of a group of 'sex' without a cut-off" in text
    known = rule.with_covariate(PatientScores(scores=[0, 1]), ["m", "f"])
    assert rule.check_attributes(known) == []
    (found,) = check_deployment(rule, PatientScores(scores=[1e4, 0.5]))
    assert "50 % of the patients have scores outside" in found.text
    with pytest.raises(BadOption, match="unseen must be one of refuse, pooled"):
        rule.decide_scores(scores, ["f"] * 3, unseen="drop")


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (5, "('0x', '1x', '2x', '3x', '4x'); it"),
        (20, "'13x' and 15 values that are not shown); it"),
        (21, "seen; it"),
    ],
)
def test_a_few_unseen_groups_are_shown(study, n, shown):
    with pytest.raises(BadOption, match=re.escape(shown)):
        study.freeze().decide_scores([0.0] * 5 * n, [f"{i}x" for i in range(n)] * 5)


def test_a_file_that_names_a_group_1_0_takes_1_and_prefers_its_very_name(study):
    content = json.loads(study.freeze().to_bytes())
    for names in (["0.0", "1.0"], ["1", "1.0"], ["0", "1"]):
        for cut, name in zip(content["cuts"], names, strict=True):
            cut["at"] = name
        rule = CovariateRule.from_bytes(frozen_bytes(content | {"sha256": content_hash(content)}))
        assert rule.values(names).tolist() == names
    assert rule.values([0.0, 1]).tolist() == ["0", "1"]
    assert rule.values(["0.00", "1.0", "01", "1.10", "-0.0"]).tolist() == [
        "0",
        "1",
        "01",
        "1.10",
        "0",
    ]


def test_beyond_the_range_the_nearer_end_decides_and_it_is_said(smooth):
    rule = smooth.freeze()
    low, high = smooth.thresholds[[0, -1]]
    scores, ages = [low - 0.01, low + 0.01, high - 0.01, high + 0.01], [1, 1, 900, 900]
    assert rule.decide_scores(scores, ages).tolist() == [0, 1, 0, 1]
    (text,) = rule.check_attributes(rule.with_covariate(PatientScores(scores=scores), ages))
    assert "4 of 4 patients have 'age' outside" in text
    inside = rule.with_covariate(PatientScores(scores=[1.0]), [50.0])
    assert rule.check_attributes(inside) == []


def test_one_entry_a_patient(study):
    with pytest.raises(BadPatients, match="one entry per patient \\(2\\); got 1"):
        study.freeze().decide_scores([1.0, 2.0], ["f"])


def test_a_table_is_read_and_decided():
    rng = np.random.default_rng(0)
    patients = np.repeat([f"p{i}" for i in range(100)], 2)
    label, sex = np.repeat(rng.integers(0, 2, 100), 2), np.repeat(rng.integers(0, 2, 100), 2)
    table = {
        "patient": patients,
        "score": rng.normal(size=200) + 2 * label,
        "sex": np.array(["f", "m"])[sex],
    }
    means = PatientScores(
        scores=table["score"].reshape(-1, 2).mean(axis=1), labels=label[::2], patients=patients[::2]
    )
    rule = fit_by_covariate(
        means,
        covariate=dict(zip(patients, table["sex"], strict=True)),
        name="sex",
        n_bootstrap=5,
    ).freeze()
    found = rule.decide(table)
    order = np.argsort(patients[::2])
    expected = rule.decide_scores(means.scores, table["sex"][::2][order])
    assert np.array_equal(found["decision"], expected)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda c: c["cuts"][0].update(at=3.0), "do not fit each other"),
        (lambda c: c["draws"][0].append(1.0), "do not fit each other"),
        (lambda c: c["pooled"]["draws"].append(1.0), "do not fit each other"),
        (lambda c: c["scale"]["ranks"].reverse(), "do not fit each other"),
        (lambda c: c["scale"]["thresholds"].pop(), "do not fit each other"),
        (lambda c: c["cuts"][0].update(weight=1.5), "weight"),
        (lambda c: c.update(more=1), "more"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(study, change, text):
    content = json.loads(study.freeze().to_bytes())
    change(content)
    content["sha256"] = content_hash(content)
    with pytest.raises(BadRuleFile, match=text):
        CovariateRule.from_bytes(frozen_bytes(content))


def test_a_changed_byte_is_refused(study, tmp_path):
    written = study.freeze().to_bytes()
    for other in (written.replace(b'"sex"', b'"age"'), written + b" ", b"{}", b"no"):
        with pytest.raises(BadRuleFile):
            CovariateRule.from_bytes(other)
    with pytest.raises(BadRuleFile, match="cannot read"):
        CovariateRule.load(tmp_path / "none.json")
