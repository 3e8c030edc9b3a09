"""Options of commands as fields, and forms as arguments."""

import pytest

from steadycut.app.fields import FIRST, Field, arguments, asked, field_named
from steadycut.core.rules.registry import parse_rule
from steadycut.ingest.column import Column
from steadycut.show.words.fields import RULES, TITLES
from tests.app.client import COMMANDS

SCRIPT = "<script>alert(1)</script>"
COLUMNS = [Column(name=name) for name in ("id", SCRIPT, "--out", "y")]


def find(name, command="fit"):
    return next(field for field in COMMANDS[command] if field.name == name)


def test_the_form_asks_for_every_option_but_columns_and_places():
    names = [field.name for field in asked(COMMANDS["fit"])]
    first = list(FIRST[FIRST.index("direction") :])
    first.remove("external")
    assert names[: len(first)] == first
    assert {"bound", "delta", "seed", "missing", "memory", "selector", "ensemble"} <= set(names)
    assert not {"out", "resume", "engine", "as_json", "patient", "tables"} & set(names)
    assert asked(COMMANDS["audit"])[0].name == "external"
    plan = [field.name for field in asked(COMMANDS["plan"])]
    assert plan[:5] == ["pilot", "risk", "width", "patients", "prevalence"]


def test_fields_have_the_words_of_the_app_and_the_defaults_of_the_command():
    cost, honesty, switch = find("cost_fn"), find("honesty"), find("stratified")
    assert (cost.option, cost.default) == ("--cost-fn", "1")
    assert cost.hint.startswith("Only the ratio of both costs matters")
    assert (honesty.choices, honesty.default) == (("split", "uniform"), "split")
    assert honesty.words("split") == "some patients choose the cut-off, the others check it"
    assert (switch.is_switch, switch.default) == (True, "")
    assert find("seed").default == "0"
    assert find("grid").choices == ()
    assert find("target_prevalence").choices == ()
    assert "auto" in find("bound").choices
    assert "stable" in find("rule").choices


@pytest.mark.parametrize("command", COMMANDS)
def test_every_field_has_plain_words(command):
    for field in asked(COMMANDS[command]):
        assert field.name in TITLES or field.help
        assert "--" not in field.title + field.hint
        assert not any("--" in field.words(choice) for choice in field.choices)


def test_a_field_without_words_has_those_of_the_command():
    field = Field(name="new_thing", option="--new-thing", help="How many. [default: 1]")
    assert field.title == "New thing"
    assert field.hint == "How many. Empty: 1."


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_that_is_offered_exists(rule):
    parse_rule(rule)


def test_another_rule_replaces_the_one_that_is_picked():
    filled = {"rule": ["erm"], "rule_other": ["sensitivity:0.85"]}
    assert arguments(filled, COMMANDS["fit"], []) == ["--rule=erm", "--rule=sensitivity:0.85"]


def test_a_column_of_groups_comes_by_position():
    none = ["--no-label", "--no-site"]
    assert arguments({"group": ["3"]}, COMMANDS["audit"], COLUMNS) == [*none, "--group=y"]
    assert arguments({"group": ["y"]}, COMMANDS["audit"], COLUMNS) == none


def test_what_nobody_picked_is_not_read_because_the_rule_names_it():
    picked = arguments({"label": ["3"], "site": [""]}, COMMANDS["monitor"], COLUMNS)
    assert picked == ["--label=y", "--no-site"]
    asked_for = {field.name for one in COMMANDS.values() for field in asked(one)}
    assert not asked_for & {"overwrite", "strict", "log", "column", "no_label", "no_site"}


def test_a_form_that_was_not_touched_adds_nothing():
    fields = COMMANDS["fit"]
    filled = {field.name: [field.default] for field in fields}
    assert arguments(filled, fields, []) == []


def test_columns_come_by_position_and_cannot_become_options():
    filled = {"patient": ["0"], "score": ["1", "2"], "label": ["3"], "site": [""]}
    found = arguments(filled, COMMANDS["fit"], COLUMNS)
    assert found == ["--patient=id", f"--score={SCRIPT}", "--score=--out", "--label=y"]


@pytest.mark.parametrize("position", ["4", "-1", "x", "1e0", "", "٣"])
def test_what_is_no_column_is_left_out(position):
    assert arguments({"patient": [position]}, [], COLUMNS) == []


def test_levels_and_aggregators():
    filled = {
        "level-0": ["3"],
        "level-0-how": ["max"],
        "level-1": [""],
        "level-1-how": ["mean"],
        "aggregate": ["mean", "max"],
        "aggregate-other": [" quantile:0.9, ,top-k:5"],
    }
    assert arguments(filled, [], COLUMNS) == [
        "--level=y:max",
        "--aggregate=mean",
        "--aggregate=max",
        "--aggregate=quantile:0.9",
        "--aggregate=top-k:5",
    ]


def test_options_and_switches():
    filled = {
        "cost_fn": ["3"],
        "stratified": ["on"],
        "seed": ["0"],
        "out": ["/etc"],
        "rule": ["a\0b"],
    }
    found = arguments(filled, COMMANDS["fit"], [])
    assert found == ["--cost-fn=3", "--rule=ab", "--stratified"]


def test_an_error_names_a_field_that_the_form_has():
    fields = COMMANDS["fit"]
    titled = "the labels of 'y' are texts. Fill in “Label that means ill”, not “Sheet”."
    # Numbers that were filled in elsewhere are no positions of columns.
    filled = {"seed": ["0"], "patient": ["3"], "site": ["0"]}
    assert field_named(titled, filled, fields, COLUMNS) == "positive"
    assert field_named("“Sheet” cannot be read.", filled, fields, COLUMNS) == ""
    assert field_named("'id' has one value.", filled, fields, COLUMNS) == "site"
    both = "“Start of the random numbers” or “Number of repeated samples” is wrong."
    assert field_named(both, filled, fields, COLUMNS) == "seed"
    assert field_named("", filled, fields, COLUMNS) == ""


def test_titles():
    assert Field(name="cost_fn", option="").title == "Cost of a missed patient"
    assert Field(name="not_known", option="").title == "Not known"
