import pytest

from steadycut.core.bounds.concentration import BOUNDS
from steadycut.documents.parts import CostsPart, Step
from steadycut.show import sentences as words
from tests.show.documents import document
from tests.show.figures import samples


def test_a_bound_is_told_by_its_name_and_in_words():
    told = [words.bound_in_words(name) for name in BOUNDS]
    assert "hoeffding (Hoeffding, at this cut-off)" in told
    assert words.bound_in_words("of another version") == "of another version"


def test_an_unknown_aggregator_keeps_its_name():
    chain = [Step(level="patient", how="my_own")]
    assert words.aggregation_in_words("s", chain) == "“my_own” of “s”"


def test_braces_in_a_name_stay_braces():
    chain = [Step(level="{inner}", how="mean"), Step(level="patient", how="max")]
    text = words.aggregation_in_words("{number}", chain)
    assert text == "the largest value of the mean of “{number}” in each “{inner}”"


@pytest.mark.parametrize(("direction", "side"), [("ge", "at least"), ("le", "at most")])
def test_the_rule_says_which_side_is_called(direction, side):
    study = document(samples.tied_study(direction))
    assert f" is {side} " in words.rule_sentence(study)


def test_equal_costs_that_are_not_one_are_still_a_share():
    text = words.limit_sentence(0.4, CostsPart(cost_fn=2.0, cost_fp=2.0), 0.1, "here")
    assert "at most 20 of 100 patients" in text
    assert "90 % confidence" in text


def test_unequal_costs_are_an_average_cost():
    text = words.limit_sentence(0.4, CostsPart(cost_fn=5.0, cost_fp=1.0), 0.1, "here")
    assert "average cost per patient like those here is at most 0.400" in text
    assert "a missed patient costs 5 and a false alarm 1" in text


def test_a_vacuous_certificate_names_the_rule_that_is_as_good():
    costs = CostsPart(cost_fn=1.0, cost_fp=1.0)
    study = document(samples.tied_study())
    found = study.certificate.model_copy(update={"risk": 0.1, "trivial_risk": 0.3})
    few = words.vacuous_sentence(costs, found, 0.3)
    assert "calling nobody positive" in few
    assert "30 % of patients decided wrongly" in few
    assert "More patients used to check" in few
    worse = found.model_copy(update={"risk": 0.5})
    assert "no better" in words.vacuous_sentence(costs, worse, 0.7)
    assert "everybody" in words.vacuous_sentence(costs, worse, 0.7)


def test_an_unknown_bound_keeps_its_name():
    assert words.bound_in_words("new") == "new"
