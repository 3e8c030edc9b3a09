"""A next step is one record, and every surface spells it in its own way."""

from dataclasses import replace
from typing import get_args

import pytest

from steadycut.documents.next_step import GroupName, LabelsNeeded, NextStep, Why
from steadycut.show.words.next_step import CALLS, COMMAND_LINE, COMMANDS, PYTHON, WORDS, step_of

WHYS = get_args(Why)


def in_python(why, **facts):
    return step_of(NextStep(verb="audit", why=why, **facts)).spelled(PYTHON)


@pytest.mark.parametrize(
    ("why", "facts", "call"),
    [
        ("adapted: no labels", {}, "adapt again with labelled=patients."),
        (
            "open",
            {"labels": []},
            "as often as you like: steadycut.audit(rule, table, sequential=True)",
        ),
        (
            "alarm",
            {"local": "adapt"},
            "(steadycut.audit(rule, table, sequential=True)), then adapt it to this hospital with ",
        ),
        (
            "switch: changed",
            {},
            "some with labels: steadycut.adapt(rule, patients, labelled=patients). The",
        ),
        ("good", {}, "Next: steadycut.monitor(rule, patients, order=...)"),
        ("unlike before", {"local": "fit"}, "for this hospital with steadycut.fit on its own"),
        ("change accepted", {"file_name": "rule_002.json"}, "with apply, and watch it with"),
    ],
)
def test_a_next_step_names_what_to_type_in_python(why, facts, call):
    text = in_python(why, **facts)
    assert call in text
    assert not any(word in text for word in ("TABLE", "COL", "--"))


@pytest.mark.parametrize("why", WHYS)
def test_every_situation_has_a_sentence(why):
    step = step_of(NextStep(verb="audit", why=why, file_name="rule.json", otherwise="stop"))
    for spelling in (COMMAND_LINE, PYTHON):
        text = step.spelled(spelling)
        assert text.startswith("Next: ")
        assert "{" not in text


def test_no_sentence_is_of_no_situation():
    assert sorted(WORDS) == sorted(WHYS)
    assert sorted(CALLS) == sorted(COMMANDS)


def test_a_command_names_the_file_as_it_can_be_typed():
    spelling = replace(COMMAND_LINE, places={"rule.json": "my study/rule.json"})
    step = step_of(NextStep(verb="monitor", why="good", file_name="rule.json"))
    assert "steadycut monitor 'my study/rule.json' TABLE" in step.spelled(spelling)


def test_options_are_written_as_each_surface_does():
    options = {"rule_out": "npv:0.97", "certify": "npv:0.90,ppv:0.90"}
    assert COMMAND_LINE.options(options) == "--rule-out npv:0.97 --certify npv:0.90,ppv:0.90"
    assert PYTHON.options(options) == "rule_out='npv:0.97', certify='npv:0.90,ppv:0.90'"
    assert (COMMAND_LINE.option("target", None), PYTHON.option("target", None)) == (
        "--target",
        "target",
    )


def test_names_of_groups_may_have_braces():
    groups = [GroupName(column="site", value="{fit}"), GroupName(column="site", value="{")]
    text = in_python("groups fail", groups=groups, local="adapt")
    assert "do not use it for site '{fit}' and '{' as it is." in text


def test_what_labels_decide_is_said():
    labels = [LabelsNeeded(question="useful", more=12, refutes=True)]
    text = in_python("open", labels=labels, error=0.1)
    assert "label about 12 more patients, which would show that it is not useful" in text
    assert "often as you like (this look adds its own 10 % chance of an error): " in text
