"""Frozen files of every version: their bytes, their decisions and their schemas stay what they are.

``scripts/write_golden.py`` wrote them; each folder is a version.
"""

import json
from importlib.resources import files

import jsonschema
import pytest

from scripts.write_golden import (
    GOLDEN,
    RULES,
    TABLE,
    decisions,
    is_released,
    main,
    write_golden,
)
from steadycut import CovariateRule, FrozenRule, StrataRule, __version__, aggregate, audit

KINDS = {"rule": FrozenRule, "strata": StrataRule, "covariate": CovariateRule}
PATHS = sorted(GOLDEN.glob("*/*.json"))
EVERY = pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")


def kind_of(path):
    return path.stem.partition("-")[0]


def test_this_version_has_a_file_of_every_kind():
    assert sorted(path.stem for path in PATHS if path.parent.name == __version__) == sorted(RULES)


@EVERY
def test_a_file_is_read_and_written_without_a_change(path, tmp_path):
    rule = KINDS[kind_of(path)].load(path)
    rule.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


@EVERY
def test_a_file_decides_to_the_last_bit_as_it_did(path):
    rule = KINDS[kind_of(path)].load(path)
    found = decisions(rule, path.parent / TABLE)
    assert found == path.with_suffix(".csv").read_bytes()


@EVERY
def test_a_file_keeps_to_its_published_schema(path):
    content = json.loads(path.read_bytes())
    kind, _, version = content["schema"].removeprefix("steadycut.").partition("/")
    published = (
        files("steadycut.documents")
        .joinpath("schemas", f"{kind}-{version}.json")
        .read_text("utf-8")
    )
    jsonschema.Draft202012Validator(json.loads(published)).validate(content)


@pytest.mark.parametrize(
    "path", [path for path in PATHS if kind_of(path) == "rule"], ids=lambda path: path.stem
)
def test_a_rule_is_audited(path):
    rule = FrozenRule.load(path)
    recipes = rule.recipes
    several = aggregate(
        str(path.parent / TABLE),
        patient=recipes[0].patient,
        score=list(dict.fromkeys(recipe.score for recipe in recipes)),
        label="disease",
        levels=recipes[0].levels,
        how=list(dict.fromkeys(recipe.how for recipe in recipes)),
    )
    found = audit(rule, several, force=True)
    decided = path.with_suffix(".csv").read_text(encoding="utf-8").splitlines()[1:]
    called = sum(line.split(",")[2] == "1" for line in decided)
    assert found.to_dict()["call_rate"] == called / len(decided)


def test_the_script_writes_every_file(tmp_path, monkeypatch):
    few = {name: RULES[name] for name in ("rule-ge", "covariate-groups")}
    monkeypatch.setattr("scripts.write_golden.RULES", few)
    write_golden(tmp_path / "new")
    assert len(list((tmp_path / "new").iterdir())) == 1 + 2 * len(few)


def test_files_of_a_released_version_are_not_written_again(monkeypatch, capsys):
    monkeypatch.setattr("scripts.write_golden.is_released", lambda version: True)
    monkeypatch.setattr("scripts.write_golden.write_golden", pytest.fail)
    assert main([]) == 2
    assert "released version" in capsys.readouterr().err
    assert not is_released("0.0.0")
