import pytest

from steadycut.core.bounds.concentration import BOUNDS
from steadycut.documents.parts import CostsPart, DataPart, Step
from steadycut.show.words import sentences as words
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


@pytest.mark.parametrize(("direction", "side"), [("ge", "more"), ("le", "less")])
def test_the_rule_says_which_side_is_called(direction, side):
    study = document(samples.tied_study(direction))
    assert words.rule_sentence(study).endswith(f" or {side}.")


def certified(costs, **changed):
    found = document(samples.study()).certificate.model_copy(update={"value": 0.4, **changed})
    return words.certified_sentence(found, CostsPart(cost_fn=costs[0], cost_fp=costs[1]))


def test_equal_costs_that_are_not_one_are_still_a_share():
    text = certified((2.0, 2.0), trivial_risk=0.8, vacuous=False)
    assert text.startswith("Certified: wrong in at most 20 of 100 patients like these (90 % conf")
    assert ". Seen: " in text
    assert text.endswith("to choose it. Calling everybody or nobody: 40 of 100.")


def test_unequal_costs_are_an_average_cost():
    text = certified((5.0, 1.0), vacuous=False)
    assert "average cost of at most 0.400 per patient like these" in text
    assert "a missed patient costs 5 and a false alarm 1" in text


def test_a_certificate_that_shows_nothing_says_so_first():
    text = certified((1.0, 1.0), trivial_risk=0.3, vacuous=True)
    assert text.startswith("Not shown to be better than calling everybody or nobody, 30 of 100: ")
    assert "Certified" not in text


def test_an_unknown_bound_keeps_its_name():
    assert words.bound_in_words("new") == "new"


@pytest.mark.parametrize(("rows", "itself"), [(102, True), (103, False)])
def test_one_row_each_is_the_score_itself_also_if_patients_were_left_out(rows, itself):
    data = DataPart(rows=rows, dropped_rows=1, dropped_patients=1, dropped_incomplete_patients=1)
    chain = [Step(level="patient", how="mean")]
    assert words.is_score_itself(chain, 100, data) is itself
