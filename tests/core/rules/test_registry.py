import re

import numpy as np
import pytest

from steadycut.core.bootstrap.resampling import resample
from steadycut.core.cuts.grid import cuts_of, exact_cuts
from steadycut.core.cuts.risk_curve import Curve, count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.peers import PEERS
from steadycut.core.rules.registry import (
    choose,
    chosen_cut,
    criteria_of,
    cuts_at_rank,
    on_cuts,
    parse_rule,
    rule_names,
    rule_table,
)
from steadycut.errors import BadOption
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort
from tests.slow_reference import criteria, cuts

PLAIN = ["erm", "youden", "sensitivity:0.8", "sensitivity:0.95", "specificity:0.7"]


def rank_by(rule, cohort, costs, grid="exact"):
    curve = count_errors(cuts_of(cohort, grid).cells[None, :])
    return int(parse_rule(rule)(curve, costs)[0])


@pytest.mark.parametrize("rule", PLAIN)
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_rule_on_the_exact_cuts_agrees_with_its_definition(rule, costs, seed):
    cohort = random_cohort(seed)
    thresholds = cuts.exact_thresholds(cohort.scores.tolist())
    own = costs.cost_fn, costs.cost_fp
    expected = criteria.rank_by(rule, *as_lists(cohort), thresholds, own)
    assert rank_by(rule, cohort, costs) == expected


@pytest.mark.parametrize("rule", PLAIN)
@pytest.mark.parametrize("seed", SEEDS)
def test_rule_on_even_cuts_agrees_with_its_definition(rule, seed):
    cohort, costs = random_cohort(seed), COSTS[1]
    thresholds = cuts.grid_of(cohort.scores.tolist(), 21)
    expected = criteria.rank_by(rule, *as_lists(cohort), thresholds, (3.0, 1.0))
    assert rank_by(rule, cohort, costs, grid=21) == expected


def test_youden_and_rates_are_defined_without_a_class():
    """A replicate may have drawn nobody of a class."""
    for label in (0, 1):
        cohort = PatientScores(scores=[1.0, 2.0, 3.0], labels=[label] * 3)
        best = 3 if label == 0 else 0
        assert rank_by("youden", cohort, Costs()) == best
        assert rank_by("sensitivity:0.9", cohort, Costs()) == best
        assert rank_by("specificity:0.9", cohort, Costs()) == best


def test_a_floor_that_is_met_exactly_is_met():
    """19 of 20 are 0.95, whatever the last bit of 1 - 0.95 says."""
    scores = np.arange(40.0)
    labels = [0] * 19 + [1] + [0] + [1] * 19
    cohort = PatientScores(scores=scores, labels=labels)
    assert rank_by("sensitivity:0.95", cohort, Costs()) == 21


@pytest.mark.parametrize("rule", [*PLAIN, "stable", "minimax", "erm@ppv:0.5", "weighted-kappa"])
@pytest.mark.parametrize("factor", [1e-9, 1e-6, 1e10])
def test_the_unit_of_the_costs_changes_no_choice(rule, factor):
    """What counts as a tie must not grow or shrink with the unit, whatever the rule minimises."""
    for seed in range(60):
        cohort = random_cohort(seed, 40, tied=True)
        scaled = Costs(cost_fn=factor, cost_fp=factor)
        assert rank_by(rule, cohort, scaled) == rank_by(rule, cohort, Costs())


def test_first_and_last_cut_of_a_rank():
    ranks = np.array([[0, 2, 2, 2, 5], [0, 0, 1, 3, 3]])
    first, last = cuts_at_rank(ranks, np.array([2, 3]))
    assert first.tolist() == [1, 3]
    assert last.tolist() == [3, 4]


@pytest.mark.parametrize(
    "text",
    [
        *("best", "", "sensitivity:", "sensitivity:high", "erm:1", "kappa:0.5", "net-benefit"),
        *("stable@best:0.5", "ppv-near:high", "kappa-near:0.5", "pointwise", "logistic@ppv:0.5"),
        *("f1@", "f1@ppv", "f1@best:0.5", "python:mine", 3),
    ],
)
def test_an_unknown_rule_is_refused_with_the_command_that_lists_them(text):
    with pytest.raises(BadOption) as caught:
        parse_rule(text)
    told, _, meant = str(caught.value).partition(" Did you mean ")
    assert told == (
        "rule must be one of stable, erm, youden, sensitivity:X and others (`steadycut rules` "
        f"lists all), or in Python a function of the counts; got {text!r}."
    )
    assert not meant or meant.strip("'?").partition(":")[0] in str(rule_names())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("yuden", "youden"),
        ("Youden", "youden"),
        ("sensitivty:0.9", "sensitivity:0.9"),
        ("youdn@specificty:0.85", "youden@specificity:0.85"),
        ("sensitivity:", "sensitivity:X"),
        ("net-benefit", "net-benefit:X"),
        ("erm:1", "erm"),
    ],
)
def test_a_typing_error_gets_the_rule_that_was_meant(typed, meant):
    with pytest.raises(BadOption, match=re.escape(f"got {typed!r}. Did you mean {meant!r}?")):
        parse_rule(typed)


def test_every_name_that_is_listed_is_a_rule():
    for name in rule_names():
        parse_rule(name.replace("RULE", "f1").replace("NAME", "ppv").replace("X", "0.5"))


@pytest.mark.parametrize("floor", ["0", "1", "1.5", "nan"])
def test_a_floor_outside_0_to_1_is_refused(floor):
    with pytest.raises(BadOption) as caught:
        parse_rule(f"specificity:{floor}")
    told = f"the specificity of the rule must lie strictly between 0 and 1; got {float(floor)!r}."
    assert str(caught.value) == told


def test_the_table_says_which_limits_are_floors_and_which_are_ceilings():
    told = {name: meaning for name, meaning, _ in rule_table()}
    assert told["sensitivity:X"] == "sensitivity at least X, then largest specificity"
    assert told["nlr:X"].startswith("nlr at most X")
    assert told["plr-near:X"] == "plr as near to X as can be"


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        ("erm", ["erm"]),
        ("youden", ["youden"]),
        ("stable", []),
        ("ppv:0.8", ["ppv", "npv"]),
        ("f1@npv:0.9", ["npv", "f1"]),
        ("stable@npv:0.9", ["npv"]),
        ("net-benefit:0.2", ["net-benefit:0.2"]),
    ],
)
def test_the_criteria_that_a_rule_uses(rule, names):
    assert [criterion.name for criterion in criteria_of(parse_rule(rule))] == names


def test_the_table_lists_every_rule_with_its_meaning_and_its_name_in_r():
    table = rule_table()
    names = [name for name, _, _ in table]
    assert len(set(names)) == len(names)
    assert all(meaning and isinstance(in_r, str) for _, meaning, in_r in table)
    in_r = {name: other for name, _, other in table}
    assert set(PEERS) <= set(names)
    assert in_r["youden"] == "OC Youden; cp youden, sum_sens_spec"
    assert in_r["RULE@NAME:X"].startswith("OC MinValueSpSe")
    assert in_r["mcc"] == in_r["stable"] == ""


def test_how_much_more_a_cut_may_cost_and_still_tie_by_hand():
    """A millionth of a millionth of 3, and twice that of the larger cost of all 100 patients."""
    smallest, ill, well = np.array([[3.0]]), np.array([[40]]), np.array([[60]])
    found = parse_rule("erm").reach(smallest, (ill, well), Costs(cost_fn=5.0))
    assert found.tolist() == [[pytest.approx(3e-12 + 2e-12 * 5 * 100)]]
    assert parse_rule("youden").reach(smallest, (ill, well), Costs()).tolist() == [[np.inf]]


@pytest.mark.parametrize("rule", ["stable", "erm"])
def test_cuts_with_nobody_drawn_between_them_are_one_cut(rule):
    """A replicate alone is decided as the cohort of those who were drawn."""
    chooser, drawn = parse_rule(rule), np.random.default_rng(1)
    cells = resample(exact_cuts(random_cohort(1, 30)).cells[None, :], 50, drawn)[0]
    for row in cells:
        held = row.reshape(2, -1)[:, row.reshape(2, -1).sum(axis=0) > 0].reshape(1, -1)
        curve = count_errors(row[None, :])
        first, last = choose(curve, chooser, Costs())
        rank = chooser(count_errors(held), Costs())
        expected = cuts_at_rank(curve.ranks, rank)
        assert (first.tolist(), last.tolist()) == (expected[0].tolist(), expected[1].tolist())


@pytest.mark.parametrize("rule", ["mean-score", "youden-kernel", "youden", "ppv:0.6"])
def test_a_rule_that_needs_every_cut_sees_every_cut(rule):
    """Also those of a replicate with nobody drawn between them, alone or among others."""
    cuts = exact_cuts(random_cohort(1, 30))
    chooser = on_cuts(parse_rule(rule), cuts)
    curve = count_errors(resample(cuts.cells[None, :], 6, np.random.default_rng(2))[0])
    together = choose(curve, chooser, Costs())
    for row in range(6):
        alone = Curve(misses=curve.misses[row : row + 1], alarms=curve.alarms[row : row + 1])
        found = choose(alone, chooser, Costs())
        assert (found[0][0], found[1][0]) == (together[0][row], together[1][row])


def test_a_rule_that_needs_the_scores_is_told_where_they_lie():
    """The mean is 4: patients are called from the score of 4 on."""
    cuts = exact_cuts(PatientScores(scores=[1, 2, 4, 9], labels=[0, 0, 1, 1]))
    assert chosen_cut(cuts, parse_rule("mean-score"), Costs()) == 3.0
    assert chosen_cut(cuts, parse_rule("erm"), Costs()) == 3.0


def test_a_class_of_one_patient_has_a_rate_of_0_or_1():
    """Missing the only ill patient costs as much as calling all healthy ones."""
    for labels, below in (([0, 1, 0, 0], 1), ([1, 1, 0, 1], 3)):
        cohort = PatientScores(scores=np.arange(4.0), labels=labels)
        assert rank_by("youden", cohort, Costs()) == below


def test_a_limit_that_stable_keeps_anyway_changes_nothing():
    for seed in SEEDS:
        cohort = random_cohort(seed)
        expected = rank_by("stable", cohort, Costs())
        assert rank_by("stable@call-rate:0.99", cohort, Costs()) == expected


def test_a_function_is_a_rule_with_its_name():
    def hits(tp, fn, fp, tn):
        return tp - fp

    assert [goal.name for goal in parse_rule(hits).goals] == ["python:hits"]
    cohort = random_cohort(1)
    expected = rank_by("erm", cohort, Costs())
    assert rank_by(hits, cohort, Costs()) == expected


def test_a_rule_that_knows_where_the_thresholds_lie_is_taken_as_it_is():
    rule = parse_rule("mean-score")
    assert parse_rule(rule) is rule


@pytest.mark.parametrize("name", ["sensitivity", "specificity"])
def test_a_rate_without_a_value_would_call_everybody_or_nobody(name):
    with pytest.raises(BadOption) as caught:
        parse_rule(name)
    assert str(caught.value) == (
        f"rule '{name}' needs a value: {name}:0.9 asks for at least 0.9, "
        f"max-{name} for the largest."
    )
