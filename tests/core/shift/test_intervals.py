"""Intervals of the parts of a shift: corners against a dense scan, and coverage."""

import itertools

import numpy as np
import pytest

from steadycut.core.bounds.binomial import rate_interval, two_sided
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.core.shift.parts import (
    shapley_values,
    shift_intervals,
    signed_shift,
    signed_values,
)
from steadycut.documents.audit import ShiftParts

PARTS = ("prevalence", "shape_positive", "shape_negative", "total")


def parts_by_definition(p, q, costs):
    (pi_p, m_p, a_p), (pi_q, m_q, a_q) = p, q
    fn, fp = costs.cost_fn, costs.cost_fp
    one = np.array(
        [
            (pi_q - pi_p) * (fn * m_q - fp * a_q),
            fn * pi_p * (m_q - m_p),
            fp * (1 - pi_p) * (a_q - a_p),
        ]
    )
    two = np.array(
        [
            (pi_q - pi_p) * (fn * m_p - fp * a_p),
            fn * pi_q * (m_q - m_p),
            fp * (1 - pi_q) * (a_q - a_p),
        ]
    )
    shapley = (one + two) / 2
    return {"signed": [*one, one.sum()], "shapley": [*shapley, shapley.sum()]}


@pytest.mark.parametrize(("costs", "n_choices"), [(Costs(), 0), (Costs(cost_fn=10), 2)])
def test_no_rates_within_their_intervals_leave_the_corners(costs, n_choices):
    p, q = Confusion(tp=12, fn=3, fp=4, tn=20), Confusion(tp=5, fn=5, fp=9, tn=30)
    found = shift_intervals(p, q, costs, 0.1, n_choices)
    pairs = [
        [(c.n_positive, c.n_patients), (c.fn, c.n_positive), (c.fp, c.n_negative)] for c in (p, q)
    ]
    # The patients of P chose among so many scores; no choice changes the prevalence.
    ends = [[two_sided(*pair, 0.1 / 6) for pair in side] for side in pairs]
    ends[0][1:] = [rate_interval(*pair, 0.1 / 6, n_choices) for pair in pairs[0][1:]]
    scans = [[np.linspace(*one, 3) for one in side] for side in ends]
    reached = [
        parts_by_definition(here, there, costs)
        for here in itertools.product(*scans[0])
        for there in itertools.product(*scans[1])
    ]
    for order in ("signed", "shapley"):
        for place, part in enumerate(PARTS):
            values = [one[order][place] for one in reached]
            assert found[order][part] == pytest.approx((min(values), max(values)), abs=1e-12)


@pytest.mark.validity
@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=3)])
def test_all_parts_hold_at_once(costs):
    rng = np.random.default_rng(5)
    p, q = (0.4, 0.2, 0.1), (0.6, 0.35, 0.2)
    truth = parts_by_definition(p, q, costs)
    held = 0
    for _ in range(300):
        found = shift_intervals(draw(p, 46, rng), draw(q, 46, rng), costs, 0.2)
        held += all(
            found[order][part][0] <= truth[order][place] <= found[order][part][1]
            for order in truth
            for place, part in enumerate(PARTS)
        )
    assert held / 300 > 0.8


def draw(rates, n, rng):
    positive = rng.binomial(n, rates[0])
    fn, fp = rng.binomial(positive, rates[1]), rng.binomial(n - positive, rates[2])
    return Confusion(tp=positive - fn, fn=fn, fp=fp, tn=n - positive - fp)


def test_the_estimates_lie_inside():
    p, q, costs = Confusion(tp=12, fn=3, fp=4, tn=20), Confusion(tp=5, fn=5, fp=9, tn=30), Costs()
    found = shift_intervals(p, q, costs, 0.1)
    for order, values in (("signed", signed_values), ("shapley", shapley_values)):
        for part, value in ShiftParts.of(signed_shift(p, q, costs, values)).to_plain().items():
            low, high = found[order][part]
            assert low <= value <= high


def test_patients_who_chose_leave_prevalence_exact_and_widen_the_rates():
    p, q, costs = Confusion(tp=12, fn=3, fp=4, tn=20), Confusion(tp=5, fn=5, fp=9, tn=30), Costs()
    exact, band = (shift_intervals(p, q, costs, 0.1, n_choices=n)["signed"] for n in (0, 2))
    assert band["prevalence"] == exact["prevalence"]
    for part in ("shape_positive", "shape_negative", "total"):
        assert band[part][0] <= exact[part][0] < exact[part][1] <= band[part][1]


def test_the_cut_was_chosen_by_others_unless_it_is_said():
    p, q = Confusion(tp=12, fn=3, fp=4, tn=20), Confusion(tp=5, fn=5, fp=9, tn=30)
    assert shift_intervals(p, q, Costs(), 0.1) == shift_intervals(p, q, Costs(), 0.1, 0)
    assert shift_intervals(p, q, Costs(), 0.1) != shift_intervals(p, q, Costs(), 0.1, 1)
