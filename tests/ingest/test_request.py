"""What may be asked, and how a level is read."""

import numpy as np
import pytest

import steadycut
from steadycut.errors import BadOption
from steadycut.ingest.request import Request, make_request, parse_level


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("slide:max", ("slide", "max")),
        ("slide:quantile:0.9", ("slide", "quantile:0.9")),
        ("a:b:max", ("a:b", "max")),
        ("a:max:mean", ("a:max", "mean")),
        ("max:top-k:3", ("max", "top-k:3")),
        (":a::noisy-or", (":a:", "noisy-or")),
    ],
)
def test_level_takes_the_longest_valid_ending(text, expected):
    assert parse_level(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slide", "a level must be written COLUMN:AGGREGATOR, .*mean, median.*; got 'slide'"),
        (":max", "a level must be written COLUMN:AGGREGATOR"),
        ("slide:average", "got 'slide:average'"),
        ("slide:quantile:2", "quantile:Q needs Q to be a number from 0 to 1; got 'quantile:2'"),
        ("slide:top-k", "top-k:K needs K"),
    ],
)
def test_refused_levels(text, message):
    with pytest.raises(BadOption, match=message) as caught:
        parse_level(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"missing": "skip"}, "missing must be one of refuse, drop; got 'skip'"),
        ({"how": "average"}, "an aggregator must be one of"),
        ({"how": ["mean", "mean"]}, "each aggregator must be named once.*'mean' twice"),
        ({"how": []}, "at least one aggregator must be named; got none"),
        ({"score": []}, "at least one score column must be named; got none"),
        ({"score": ["s", "s"]}, "each column must be named once and in one role; got 's'"),
        ({"label": "id"}, "got 'id' twice"),
        ({"score": ""}, "the name of a column must be a text that is not empty; got ''"),
        ({"patient": 3}, "the name of a column must be a text that is not empty; got 3"),
        ({"positive": "sick"}, "positive='sick' needs a label column"),
        ({"sites": ["A"]}, "sites A need a site column"),
        ({"site": "h", "sites": []}, "at least one site must be named; got none"),
        ({"levels": [("slide", "max", "min")]}, "a level must be a pair"),
        ({"levels": [3]}, "a level must be a pair .* got 3"),
        ({"levels": [("slide", "top")]}, "an aggregator must be one of"),
    ],
)
def test_refused_requests(change, message):
    with pytest.raises(BadOption, match=message):
        make_request(**({"patient": "id", "score": "s"} | change))


def test_one_level_as_text():
    request = make_request(patient="id", score="s", levels="slide:max")
    assert request.levels == (("slide", "max"),)


def test_recipe_holds_texts_only():
    request = Request(
        patient="id", scores=("s",), label="y", positive=1, levels=(("slide", np.max),)
    )
    recipe = request.recipe("s", "mean")
    assert (recipe.positive, recipe.levels) == ("1", (("slide", "callable:max"),))


@pytest.mark.parametrize(
    ("name", "meant"), [("labell", "label"), ("decimals", "decimal"), ("sites", "site")]
)
def test_aggregate_asks_what_an_unknown_argument_meant(name, meant):
    table = {"id": ["a"], "s": [1.0]}
    with pytest.raises(TypeError, match=f"there is no option '{name}'. Did you mean '{meant}'"):
        steadycut.aggregate(table, patient="id", score="s", **{name: "x"})
