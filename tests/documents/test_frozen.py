"""What all frozen files share: old ones stay readable, newer and broken ones are one clear line."""

import json
from importlib.resources import files

import jsonschema
import numpy as np
import pytest

import steadycut.documents.canonical_json
from scripts.write_schema import KINDS, json_schema, schema_text
from steadycut import FrozenRule, PatientScores, __version__, fit, fit_by_covariate, fit_strata
from steadycut.documents.canonical_json import content_hash, frozen_bytes
from steadycut.documents.rule import RuleDocument
from steadycut.errors import BadRuleFile

LABELS = np.arange(80) % 2
SCORES = np.random.default_rng(0).normal(size=80) + 2 * LABELS
COHORT = PatientScores(scores=SCORES, labels=LABELS)
RULE = fit(COHORT, n_bootstrap=20).freeze()
RULES = {
    "rule.json": RULE,
    "strata.json": fit_strata(COHORT, costs=[[0, 0.2, 1], [4, 1, 0]], n_bootstrap=20).freeze(),
    "covariate.json": fit_by_covariate(
        COHORT, covariate=np.repeat(["f", "m"], 40), n_bootstrap=20
    ).freeze(),
}
EVERY = pytest.mark.parametrize("name", list(RULES))


def refusal(written, kind=FrozenRule, name="rule.json"):
    with pytest.raises(BadRuleFile) as caught:
        kind.from_bytes(written, name)
    text = str(caught.value)
    assert text.startswith(name)
    assert "\n" not in text
    assert len(text) < 300
    return text


def resealed(rule, **changes):
    content = {**rule.to_dict(), **changes}
    return frozen_bytes({**content, "sha256": content_hash(content)})


def by_version(version):
    return {"provenance": {**RULE.to_dict()["provenance"], "versions": {"steadycut": version}}}


class WiderDocument(RuleDocument):
    """A rule document of a later version, with a field that a rule need not have."""

    guard: str | None = None


class WiderRule(FrozenRule):
    """The rule of that version."""

    _model = WiderDocument


# Over the years ----------------------------------------------------------------------------


def test_a_field_that_comes_later_leaves_old_files_as_they_are():
    written = RULE.to_bytes()
    later = WiderRule.from_bytes(written)
    assert later.document.guard is None
    assert later.to_bytes() == written
    jsonschema.validate(json.loads(written), json_schema(WiderRule))


def test_a_later_field_is_never_written_as_null():
    with pytest.raises(BadRuleFile, match="was changed after it was written"):
        WiderRule.from_bytes(resealed(RULE, guard=None))


def test_a_file_that_uses_a_later_field_keeps_it_and_is_refused_by_an_older_version():
    written = resealed(RULE, guard="strict")
    assert WiderRule.from_bytes(written).to_bytes() == written
    text = refusal(written)
    assert f"has the field guard, which steadycut {__version__} does not know" in text
    assert f"a newer steadycut made it ({__version__}). Upgrade steadycut to use it." in text


@EVERY
def test_an_unknown_field_is_named_before_anything_else_that_is_wrong(name):
    rule = RULES[name]
    written = resealed(rule, direction="up", later={"a": 1})
    assert f"{name} has the field later" in refusal(written, type(rule), name)


def test_an_unknown_field_of_a_part_is_named_with_its_place():
    columns = {**RULE.to_dict()["columns"], "unit": "mV"}
    assert "the field columns.unit" in refusal(resealed(RULE, columns=columns))


@EVERY
def test_a_file_of_a_later_schema_says_which_version_made_it(name):
    rule = RULES[name]
    kind = rule.to_dict()["schema"].partition("/")[0]
    content = {"schema": f"{kind}/2", "provenance": {"versions": {"steadycut": "3.1.0"}}}
    text = refusal(frozen_bytes(content), type(rule), name)
    assert text == (
        f"{name} has the schema {kind}/2, which steadycut {__version__} cannot read: a newer "
        "steadycut made it (3.1.0). Upgrade steadycut to use it."
    )


@pytest.mark.parametrize("version", ["1.0\n\x1b[31m", "", "9" * 41, None, ["1"]])
def test_a_version_that_is_none_is_not_shown(version):
    assert "newer steadycut made it. Upgrade" in refusal(
        resealed(RULE, guard=1, **by_version(version))
    )
    later = frozen_bytes({"schema": "steadycut.rule/2", **by_version(version)})
    assert "newer steadycut made it. Upgrade" in refusal(later)


@pytest.mark.parametrize("provenance", [None, 1, "x", [], {"versions": []}, {"versions": None}])
def test_a_later_file_may_have_any_provenance(provenance):
    content = {"schema": "steadycut.rule/12", "provenance": provenance}
    assert "newer steadycut made it. Upgrade" in refusal(frozen_bytes(content))


@pytest.mark.parametrize(
    "schema", ["steadycut.rule/0", "steadycut.rule/x", "steadycut.rule/1.5", "rule/2", 2, ["a"]]
)
def test_another_schema_is_no_later_one(schema):
    text = refusal(frozen_bytes({"schema": schema}))
    assert "is not a rule file of schema steadycut.rule/1; its schema is" in text


# Broken files ------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda written: b"\xef\xbb\xbf" + written, "not valid JSON"),
        (lambda written: written.decode().encode("utf-16"), "not valid JSON"),
        (lambda written: written + b"\x00", "not valid JSON"),
        (lambda written: written + b" ", "changed"),
        (lambda written: written + written, "not valid JSON"),
        (lambda written: written.replace(b'"direction": "ge"', b'"direction": "\xff"'), "JSON"),
        (lambda written: b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "not valid JSON"),
        (lambda written: written.replace(b"{", b'{"schema": 0,', 1), "changed"),
        (lambda written: written.replace(b'"direction": "ge"', b'"direction": NaN'), "JSON"),
        (lambda written: written.replace(b'"direction": "ge"', b'"direction": 1e999'), "changed"),
    ],
)
def test_what_no_version_writes_is_refused(name, change, words):
    rule = RULES[name]
    assert words in refusal(change(rule.to_bytes()), type(rule), name)


@EVERY
def test_a_long_or_strange_text_of_a_file_stays_one_short_line(name):
    rule = RULES[name]
    for text in ("x" * 10_000, "a\nb\x1b[2J", "\u2028" * 200):
        refusal(frozen_bytes({"schema": text}), type(rule), name)
        refusal(resealed(rule, **{text: 1}), type(rule), name)


def test_a_file_larger_than_any_rule_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(steadycut.documents.canonical_json, "LARGEST", 2_000_000)
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(3_000_000)
    with pytest.raises(BadRuleFile, match=r"large\.json is not a rule file: it has more than 2 MB"):
        FrozenRule.load(large)
    refusal(b" " * 2_000_001)


def test_a_rule_that_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(steadycut.documents.canonical_json, "LARGEST", 1000)
    with pytest.raises(BadRuleFile, match="has more than"):
        RULE.save(tmp_path / "rule.json")
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_file_can_have_is_one_line():
    with pytest.raises(BadRuleFile, match="cannot read the rule file"):
        FrozenRule.load("a\x00b")


# All kinds alike ---------------------------------------------------------------------------


@EVERY
def test_equal_files_are_equal_rules(name):
    rule = RULES[name]
    again = type(rule).from_bytes(rule.to_bytes())
    assert again == rule
    assert hash(again) == hash(rule)
    assert all(rule != other for key, other in RULES.items() if key != name)


@pytest.mark.parametrize("name", list(KINDS))
def test_the_published_schema_is_that_of_the_code(name):
    published = files("steadycut.documents").joinpath("schemas", name).read_text(encoding="utf-8")
    content = json.loads(published)
    # Some versions of pydantic write 0 as 0.0.
    assert content == json.loads(schema_text(name)), "run python scripts/write_schema.py"
    assert published == json.dumps(content, indent=1, sort_keys=True) + "\n"
    jsonschema.Draft202012Validator.check_schema(content)
