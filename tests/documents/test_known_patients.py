"""Patients are known again, however their identifiers are written, and are not named."""

import hashlib
import hmac
import json

import numpy as np
import pytest

from steadycut import FrozenRule, PatientScores, audit, fit
from steadycut.documents.guards import check_deployment
from steadycut.documents.known_patients import LENGTH, ROUNDS, hash_of, plain_name, remember
from steadycut.documents.rule import RuleDocument
from steadycut.errors import BadOption, BadPatients, DeploymentRefused

KEY = b"sixteen bytes or more"


def cohort(names, seed=0):
    labels = np.arange(len(names)) % 2
    scores = np.random.default_rng(seed).normal(size=len(names)) + 2 * labels
    return PatientScores(scores=scores, labels=labels, patients=names)


HERE = cohort([f"Zoe-{i}" for i in range(40)])
STUDY = fit(HERE, n_bootstrap=10)


def rule(key=KEY):
    return STUDY.freeze(remember_patients=True, key=key)


def names_of(findings):
    return [(one.name, one.severity) for one in findings if one.name == "patients"]


@pytest.mark.parametrize("key", [None, KEY])
def test_who_made_the_rule_is_refused(key):
    new = cohort(["Zoe-7", "Zoe-41", "Zoe-42"])
    found = check_deployment(rule(key), new, key=key)
    assert names_of(found) == [("patients", "refuse")]
    (text,) = (one.text for one in found if one.name == "patients")
    assert "remembers 1 of these 3 patients" in text
    assert "Zoe" not in text
    with pytest.raises(DeploymentRefused, match="1 of these 3 patients"):
        audit(rule(key), new, key=key)
    assert audit(rule(key), new, key=key, force=True).forced == ("patients",)
    assert names_of(check_deployment(rule(key), cohort(["Zoe-41"]), key=key)) == []


def test_nobody_is_remembered_unless_asked():
    assert "remembered_patients" not in STUDY.freeze().to_dict()
    assert names_of(check_deployment(STUDY.freeze(), HERE)) == []


def test_without_the_key_it_is_said_that_nobody_looked():
    assert names_of(check_deployment(rule(), HERE)) == [("patients", "warn")]


@pytest.mark.parametrize(
    ("frozen", "key", "said"),
    [
        (rule(), b"another key of 16", "not the key the rule was made with"),
        (rule(None), KEY, "remembers its patients without a key"),
        (STUDY.freeze(), KEY, "remembers no patients"),
    ],
)
def test_a_key_that_would_check_nothing_is_refused(frozen, key, said):
    alone = PatientScores(scores=HERE.scores)
    for patients in (HERE, alone):
        with pytest.raises(BadOption, match=said):
            check_deployment(frozen, patients, key=key)


def test_a_file_says_whether_a_key_is_the_one_only_if_there_is_one():
    with_key, without = (rule(key).to_dict()["remembered_patients"] for key in (KEY, None))
    assert "key_check" not in without
    said = b"steadycut.key" + bytes.fromhex(with_key["salt"])
    assert with_key["key_check"] == hmac.new(KEY, said, "sha256").hexdigest()


def test_a_rule_without_a_check_of_its_key_takes_any():
    content = rule().to_dict()
    del content["sha256"], content["remembered_patients"]["key_check"]
    older = FrozenRule(RuleDocument.model_validate(content))
    assert names_of(check_deployment(older, HERE, key=KEY)) == [("patients", "refuse")]
    assert names_of(check_deployment(older, HERE, key=b"another key of 16")) == []


def test_patients_without_identifiers_are_not_looked_for():
    alone = PatientScores(scores=[0.0, 1.0])
    assert names_of(check_deployment(rule(None), alone)) == []
    with pytest.raises(BadPatients, match="needs patients with identifiers"):
        remember(alone, 0)


@pytest.mark.parametrize("written", ["7", " 7", "7.0", "7.00", "\uff17"])
def test_one_patient_in_several_writings_is_one(written):
    known = remember(cohort(["7", "8"]), 0, KEY)
    assert known.count([written], KEY) == 1
    assert known.count(["07", "70", "7.5", "7a", ""], KEY) == 0


def test_whole_numbers_of_python_are_texts_of_a_table():
    made = PatientScores(scores=[0.0, 1.0], patients=[7, 8])
    assert remember(made, 0, KEY).count(["7", "8", "9"], KEY) == 2


@pytest.mark.parametrize("key", [None, KEY])
def test_the_same_study_gives_the_same_bytes_and_another_seed_another_salt(key, tmp_path):
    first, again = rule(key), fit(HERE, n_bootstrap=10).freeze(remember_patients=True, key=key)
    assert first.to_bytes() == again.to_bytes()
    first.save(tmp_path / "rule.json")
    assert FrozenRule.load(tmp_path / "rule.json") == first
    other = fit(HERE, n_bootstrap=10, seed=1).freeze(remember_patients=True, key=key)
    one, two = (json.loads(r.to_bytes())["remembered_patients"] for r in (first, other))
    assert not set(one["hashes"]) & set(two["hashes"])


def test_hashes_are_what_they_are_said_to_be():
    salt = "ab" * 32
    slow = hashlib.pbkdf2_hmac("sha256", b"7", bytes.fromhex(salt), ROUNDS)[:LENGTH]
    assert (
        hash_of(" 7 ", salt, None)
        == hashlib.pbkdf2_hmac("sha256", b"7", bytes.fromhex(salt), ROUNDS, LENGTH).hex()
    )
    assert hash_of("7", salt, None) == slow.hex()
    assert hash_of("7", salt, KEY) != hash_of("7", salt, None)
    assert plain_name("x.0") == "x.0"


def test_the_order_of_hashes_tells_nothing_and_no_name_is_in_the_file():
    part = rule().document.remembered_patients
    assert part.hashes == sorted(part.hashes)
    assert len(part.hashes) == HERE.n_patients
    assert b"Zoe" not in rule().to_bytes()


def test_a_key_that_can_be_guessed_is_refused():
    with pytest.raises(BadOption, match="at least 16 bytes, drawn at random; got 5"):
        rule(b"short")
