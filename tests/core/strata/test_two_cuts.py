from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from steadycut.core.asked_rates import certified_rates
from steadycut.core.records import PatientScores
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import boundary_curves, grade_cells
from steadycut.core.strata.draws import draw_strata
from steadycut.core.strata.rules import parse_strata_rule
from steadycut.core.strata.two_cuts import TwoCuts, parse_two_cuts, two_cuts_text
from steadycut.core.verdict import certified_error
from steadycut.errors import BadOption, NoFeasibleCut
from tests.slow_reference import strata as slow

COSTS = CostMatrix([[0, 0.25, 1], [1, 0.25, 0]])
LIMITS = [
    ("sensitivity:0.9", "specificity:0.9"),
    ("sensitivity:0.5", "specificity:0.5"),
    ("npv:0.75", "ppv:0.75"),
    ("npv:0.55", "ppv:0.5"),
    ("sensitivity:0.75", "ppv:0.6"),
    ("npv:0.8", "specificity:0.75"),
]
PATIENTS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1)), min_size=4, max_size=24)


def pair(text):
    name, _, value = text.partition(":")
    return name, Fraction(value)


def cells_of(scores, ill):
    return grade_cells(PatientScores(scores=scores), np.array(ill), 2, "exact")


def ranks_of(scores, ill, limits):
    _, cells = cells_of(scores, ill)
    return TwoCuts.of(*limits)(boundary_curves(cells[None], COSTS), COSTS)[0].tolist()


def cohort(seed, n=60, distance=1.5):
    rng = np.random.default_rng(seed)
    ill = rng.integers(0, 2, n)
    return np.round(rng.normal(size=n) + distance * ill, 1), ill


@settings(deadline=None, max_examples=300)
@given(patients=PATIENTS, limits=st.sampled_from(LIMITS))
def test_both_cuts_are_those_of_brute_force(patients, limits):
    scores, ill = (list(column) for column in zip(*patients, strict=True))
    assume(0 < sum(ill) < len(ill))
    wanted = slow.two_cuts(scores, ill, *map(pair, limits))
    cuts, _ = cells_of(scores, ill)
    if None in wanted:
        with pytest.raises(NoFeasibleCut, match="among the patients used to choose"):
            TwoCuts.of(*limits).refuse_infeasible(cuts, "'x'")
    else:
        TwoCuts.of(*limits).refuse_infeasible(cuts, "'x'")
        assert ranks_of(scores, ill, limits) == list(wanted)


@settings(deadline=None, max_examples=300)
@given(patients=PATIENTS, limits=st.sampled_from(LIMITS))
def test_both_limits_are_met_in_order(patients, limits):
    """Also where the two cross: some single cut between them always meets both."""
    scores, ill = (np.array(column) for column in zip(*patients, strict=True))
    assume(0 < ill.sum() < ill.size)
    assume(None not in slow.two_cuts(scores.tolist(), ill.tolist(), *map(pair, limits)))
    low, high = ranks_of(scores, ill, limits)
    assert low <= high
    in_order = np.sort(scores)
    for rank, (name, least) in zip((low, high), map(pair, limits), strict=True):
        called = scores >= (in_order[rank] if rank < scores.size else np.inf)
        counts = np.array([[(called[ill == g] == c).sum() for c in (0, 1)] for g in (0, 1)])
        rate = certified_error(counts, name).opposite
        assert rate.value is not None
        assert rate.value >= least - 1e-12


def test_a_case_by_hand():
    """Ten patients: at most one ill of five is ruled out, at most one healthy of five ruled in."""
    ill = [0, 0, 1, 0, 1, 0, 1, 0, 1, 1]
    assert ranks_of(list(range(10)), ill, ("sensitivity:0.8", "specificity:0.8")) == [4, 6]


def test_groups_that_do_not_mix_need_one_cut():
    """No ill patient is ruled out although the limit would allow it."""
    scores, ill = [*range(20), *range(30, 50)], [0] * 20 + [1] * 20
    assert ranks_of(scores, ill, ("sensitivity:0.8", "specificity:0.8")) == [20, 20]


def test_cuts_that_cross_meet_in_the_middle():
    ill = [0, 0, 0, 1, 0, 1, 0, 1, 1, 1]
    alone = slow.two_cuts(range(10), ill, ("sensitivity", 0.6), ("specificity", 1.0))[0]
    assert alone == 7
    assert ranks_of(list(range(10)), ill, ("sensitivity:0.6", "specificity:0.6")) == [5, 5]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("seed", range(4))
def test_an_increasing_transform_changes_nothing(limits, seed):
    scores, ill = cohort(seed)
    assert ranks_of(np.exp(scores), ill, limits) == ranks_of(scores, ill, limits)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("grid", ["exact", 15])
def test_replicates_without_such_a_cut_take_the_nearest_and_stay_in_order(limits, grid):
    scores, ill = cohort(1, 30, 0.8)
    cuts, cells = grade_cells(PatientScores(scores=scores), ill, 2, grid)
    rng = np.random.default_rng(0)
    found = draw_strata(cuts, cells, TwoCuts.of(*limits), COSTS, 40, rng)
    assert not np.isnan(found.draws).any()
    assert np.array_equal(found.draws, np.sort(found.draws, axis=1))
    assert found.thresholds[0] <= found.thresholds[1]


@pytest.mark.parametrize("names", [("sensitivity", "specificity"), ("npv", "ppv")])
def test_limits_are_exact_binomial_at_half_of_delta(names):
    counts = np.array([[60, 20, 3], [2, 10, 50]])
    right = {"sensitivity": (60, 62), "specificity": (80, 83), "npv": (60, 62), "ppv": (50, 53)}
    for one in certified_rates(counts, dict.fromkeys(names, 0.9), 0.2):
        assert (one.right, one.n_patients) == right[one.rate]
        assert binom.sf(one.right - 1, one.n_patients, one.lower) == pytest.approx(0.1)
        assert binom.cdf(one.right, one.n_patients, one.upper) == pytest.approx(0.1)


def test_nobody_ruled_out_shows_no_npv():
    (one,) = certified_rates(np.array([[0, 9, 1], [0, 3, 7]]), {"npv": 0.9}, 0.1)
    assert (one.observed, one.lower, one.upper, one.answer) == (None, 0.0, 1.0, "cannot tell")


def test_the_text_of_a_rule_is_read_again():
    text = two_cuts_text("sensitivity:0.950", " ppv:0.9 ")
    assert text == "rule-out:sensitivity:0.95,rule-in:ppv:0.9"
    assert parse_strata_rule(text).asked == {"sensitivity": 0.95, "ppv": 0.9}
    assert str(parse_two_cuts(text)) == text
    assert two_cuts_text(None, None) is None


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (("specificity:0.9", "ppv:0.9"), "rule_out must be sensitivity:X or npv:X"),
        (("npv:0.9", "sensitivity:0.9"), "rule_in must be specificity:X or ppv:X"),
        (("npv", "ppv:0.9"), "rule_out must be sensitivity:X or npv:X"),
        (("sensitivty:0.9", "ppv:0.9"), "Did you mean 'sensitivity:0.9'"),
        ((0.9, "ppv:0.9"), "rule_out must be sensitivity:X or npv:X.*got 0.9"),
        (("npv:1", "ppv:0.9"), "the npv of rule_out must lie strictly between 0 and 1; got 1"),
        (("npv:high", "ppv:0.9"), "the npv of rule_out must lie strictly between 0 and 1"),
        (("npv:nan", "ppv:0.9"), "the npv of rule_out must lie strictly between 0 and 1"),
        (("npv:0.4", "ppv:0.6"), "rule_out must be above npv:0.4 with this PPV; got 'npv:0.4'"),
        (("npv:0.9", None), "rule_out needs rule_in too; give both, such as specificity:0.95"),
        ((None, "ppv:0.9"), "rule_in needs rule_out too; give both, such as sensitivity:0.95"),
    ],
)
def test_wrong_limits_are_refused(limits, said):
    with pytest.raises(BadOption, match=said):
        two_cuts_text(*limits)


def test_a_limit_that_cannot_be_met_is_refused_by_the_name_of_the_score():
    cuts, _ = cells_of([1, 2, 3, 4], [1, 0, 1, 0])
    with pytest.raises(NoFeasibleCut, match=r"no cut-off of 'x' has ppv >= 0\.9"):
        TwoCuts.of("sensitivity:0.5", "ppv:0.9").refuse_infeasible(cuts, "'x'")


TWICE = "rule-out:npv:0.9,x,rule-in:ppv:0.9"


@pytest.mark.parametrize(
    "text", ["stable", "stable,erm", "rule-out:npv:0.9", "a,rule-in:ppv:0.9", TWICE]
)
def test_another_text_is_no_rule_of_two_limits(text):
    assert parse_two_cuts(text) is None
