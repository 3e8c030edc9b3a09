"""Cuts by covariate as a rule, and covariates as groups or numbers."""

import numpy as np
import pytest

from steadycut.core.covariate.design import CutScale, group_design, smooth_design
from steadycut.core.covariate.rule import CutRule, as_groups, as_numbers
from steadycut.errors import BadPatients

SCALE = CutScale(ranks=np.arange(5), thresholds=np.array([-1.0, 0.5, 1.5, 2.5, 9.0]))


def rule_by_sex(sign=1.0):
    """Women are called from 0.5 on, men from 2.5 on; of three draws one swaps the two."""
    draws = np.array([[1.0, 3.0], [3.0, 1.0], [1.0, 3.0]])
    design = group_design(["f", "m", "f"])
    return CutRule(design=design, scale=SCALE, sign=sign, ranks=draws[0], draws=draws)


def test_a_patient_is_decided_by_the_cut_off_of_the_group():
    scores, sex = np.array([1.0, 1.0, 3.0, 0.0]), np.array(["f", "m", "m", "f"])
    rule = rule_by_sex()
    assert rule.thresholds(sex).tolist() == [0.5, 2.5, 2.5, 0.5]
    assert rule.decide(scores, sex).tolist() == [1, 0, 1, 0]
    assert rule.decide(scores, sex).dtype == np.int8
    assert rule.flip_probability(scores, sex).tolist() == [1 / 3, 1 / 3, 0, 0]


def test_negated_scores_are_decided_alike():
    scores, sex = np.array([1.0, 1.0, 3.0, 0.0]), np.array(["f", "m", "m", "f"])
    up, down = rule_by_sex(), rule_by_sex(sign=-1.0)
    assert down.thresholds(sex).tolist() == (-up.thresholds(sex)).tolist()
    assert down.decide(-scores, sex).tolist() == up.decide(scores, sex).tolist()
    flips = up.flip_probability(scores, sex)
    assert down.flip_probability(-scores, sex).tolist() == flips.tolist()


def test_along_a_number_the_rank_is_a_straight_line_between_the_windows():
    design, _ = smooth_design(np.arange(100.0))
    ranks = np.linspace(0, 4, design.anchors.size)
    rule = CutRule(design=design, scale=SCALE, sign=1.0, ranks=ranks, draws=ranks[None, :])
    ends = design.anchors[[0, -1]]
    assert rule.thresholds(ends).tolist() == [-1.0, 9.0]
    assert rule.thresholds(ends.mean(keepdims=True)).tolist() == [1.5]


def test_groups_are_texts_and_missing_ones_are_refused():
    assert as_groups(np.array([1.0, 2.0])).tolist() == ["1", "2"]
    assert as_groups(np.array([" a ", "b"])).tolist() == ["a", "b"]
    with pytest.raises(BadPatients, match="2 of 3 have none"):
        as_groups(np.array(["a", None, np.nan], dtype=object))


def test_numbers_are_finite_numbers():
    assert as_numbers(np.array(["1.5", "2"])).tolist() == [1.5, 2.0]
    with pytest.raises(BadPatients, match="needs a covariate of numbers"):
        as_numbers(np.array(["old", "2"]))
    with pytest.raises(BadPatients, match="needs a covariate of numbers"):
        as_numbers(np.array(["old", 2.0], dtype=object))
    with pytest.raises(BadPatients, match="1 of 2 have none"):
        as_numbers(np.array([np.inf, 2.0]))


def test_a_score_that_equals_the_cut_off_is_called_in_every_draw():
    """Of three draws two call women from 0.5 on, and one calls them from 2.5 on."""
    rule = rule_by_sex()
    assert rule.decide(np.array([0.5, 2.5]), np.array(["f", "f"])).tolist() == [1, 1]
    flips = rule.flip_probability(np.array([0.5, 2.5]), np.array(["f", "f"]))
    assert flips.tolist() == [1 / 3, 0]


def test_a_large_whole_number_is_one_group_however_it_is_stored():
    whole = as_groups(np.array([10**16, 3 * 10**17]))
    assert as_groups(np.array([1e16, 3e17])).tolist() == whole.tolist()
    assert as_groups(np.array(["1.00", "2"]), known=["1.0", "2.0"]).tolist() == ["1.0", "2.0"]


def test_a_negated_cut_off_of_0_is_0():
    scale = CutScale(ranks=np.arange(2), thresholds=np.array([0.0, 1.0]))
    design, ranks = group_design(["f", "m", "f"]), np.zeros(2)
    rule = CutRule(design=design, scale=scale, sign=-1.0, ranks=ranks, draws=ranks[None, :])
    assert str(rule.thresholds(np.array(["f"]))[0]) == "0.0"


def test_known_groups_keep_the_names_that_they_have():
    found = as_groups(np.array(["1.0", "1"]), known=["1", "1.0"])
    assert found.tolist() == ["1.0", "1"]
    assert as_groups(np.array([], dtype=object)).dtype.kind == "U"


@pytest.mark.parametrize("text", ["1_0", "\uff11", "0x10", "ten"])
def test_only_plain_numbers_are_a_numeric_covariate(text):
    assert as_numbers(np.array([" 30 ", "3e1"])).tolist() == [30.0, 30.0]
    with pytest.raises(BadPatients, match="some are other text"):
        as_numbers(np.array(["30", text]))


@pytest.mark.parametrize("text", ["nan", "NaN", "-inf"])
def test_a_missing_number_is_told_from_other_text(text):
    with pytest.raises(BadPatients, match="that is a finite number; 1 of 2 have none"):
        as_numbers(np.array(["30", text]))


def test_a_blank_of_a_page_is_other_text():
    assert as_numbers(np.array(["\t30\n"])).tolist() == [30.0]
    with pytest.raises(BadPatients, match="some are other text"):
        as_numbers(np.array(["\u00a030"]))
