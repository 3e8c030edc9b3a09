import re
from pathlib import Path

from steadycut.core.rounding import at_most
from steadycut.show.sections.methods import (
    CITATION,
    STABLE,
    audit_methods_section,
    methods_section,
    rule_in_words,
)
from steadycut.show.words.numbers import cut, risk
from tests.show.documents import document
from tests.show.figures import samples

CFF = Path(__file__).parents[3] / "CITATION.cff"


def test_the_citation_is_that_of_the_repository():
    text = CFF.read_text(encoding="utf-8").partition("preferred-citation:")[2]
    title, family, given, notes = (
        re.search(rf'{key}: "?([^"\n]+)', text)[1]
        for key in ("title", "family-names", "given-names", "notes")
    )
    assert f"{family} {given[0]}. {title}. {notes}." == CITATION


def test_the_rule_is_explained_as_on_its_page():
    page = Path(__file__).parents[3] / "docs" / "transport.md"
    assert STABLE in page.read_text(encoding="utf-8")
    stable, other = (
        " ".join(methods_section(document(samples.study(rule=rule))).texts)
        for rule in ("stable", "erm")
    )
    assert STABLE in stable
    assert STABLE not in other


def test_the_text_of_a_study_holds_what_a_paper_needs():
    study = samples.study()
    section = methods_section(document(study))
    text = " ".join(section.texts)
    wanted = [
        *map(str, study["patients"].values()),
        cut(study["threshold"]),
        *(risk(study["certificate"][key]) for key in ("risk", "trivial_risk")),
        at_most(study["certificate"]["value"]),
        "sensitivity was",
        "Clopper-Pearson",
        "Seed 0",
        CITATION,
    ]
    assert section.copied
    assert [one for one in wanted if one not in text] == []


def test_what_is_true_of_one_honesty_is_not_said_of_the_other():
    split, uniform = (
        " ".join(methods_section(document(samples.study(honesty=one))).texts)
        for one in ("split", "uniform")
    )
    assert "dealt at random" in split
    assert "dealt at random" not in uniform
    assert "at every cut-off and for every candidate" in uniform


def test_the_text_of_an_audit_knows_labels():
    labelled = " ".join(audit_methods_section(document(samples.labelled_audit())).texts)
    assert "sensitivity was" in labelled
    without = " ".join(audit_methods_section(document(samples.unlabelled_audit())).texts)
    assert "Results." not in without
    assert "without labels" in without
    assert "not known comes from" not in labelled
    one_class = audit_methods_section(document(samples.labelled_audit(only=0)))
    assert "not known from the scores of ill" in " ".join(one_class.texts)


def test_versions_and_hashes_are_named_where_the_rule_is_known():
    frozen = samples._study().freeze().to_dict()
    study = document(samples.study() | {"frozen_rule": frozen})
    text = " ".join(methods_section(study).texts)
    assert all(f"{name} {one}" in text for name, one in frozen["provenance"]["versions"].items())
    assert frozen["sha256"] in text
    assert frozen["provenance"]["data_sha256"] in text


def test_rules_of_users_and_limits_have_only_their_names():
    assert rule_in_words("mine") == "“mine”"
    assert rule_in_words("f1@sensitivity:0.9") == "“f1@sensitivity:0.9”"
    assert rule_in_words("ppv:0.8").startswith("“ppv:0.8” (ppv at least 0.8,")


def test_a_paper_says_what_was_overruled_and_what_was_grouped():
    plain = samples.labelled_audit()
    texts = {
        name: " ".join(audit_methods_section(document({**plain, **more})).texts)
        for name, more in {
            "plain": {},
            "forced": {"forced": ["aggregation"]},
            "grouped": {"small_cells": 5},
        }.items()
    }
    assert "refused these patients (aggregation) and was overruled" in texts["forced"]
    assert "in groups of at least 5" in texts["grouped"]
    assert "overruled" not in texts["plain"] + texts["grouped"]


def test_the_text_says_which_rates_were_certified_and_how():
    asked = {"certify": "sensitivity:0.8,specificity:0.7"}
    split, uniform = (
        " ".join(methods_section(document(samples.study(honesty=one, **asked))).texts)
        for one in ("split", "uniform")
    )
    assert "Certified beside it: sensitivity at least 0.8 and specificity at least 0.7" in split
    assert "exact binomial limits (Clopper-Pearson) at a confidence of 95 % each." in split
    assert "Massart) at a confidence of 95 % each." in uniform
    assert "Certified beside it" not in " ".join(methods_section(document(samples.study())).texts)
