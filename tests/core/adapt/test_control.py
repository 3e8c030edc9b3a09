"""Attempts under a plan: evidence by hand, one label at a time, and what a bad cut-off risks."""

import math

import numpy as np
import pytest

from steadycut.core.adapt.control import (
    Claims,
    attempt_delta,
    cells_of,
    confusion_of,
    try_menu,
    within,
)
from steadycut.core.adapt.menu import Item, Labels
from steadycut.core.bounds.anytime import TARGET_BETS
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs


def labels_of(scores, labels):
    return Labels(scores=np.asarray(scores, float), labels=np.asarray(labels))


def losses(labels, cut, costs):
    called, ill = labels.scores >= cut, labels.labels == 1
    return np.where(ill & ~called, costs.cost_fn, np.where(~ill & called, costs.cost_fp, 0.0))


def capital(gains, mean):
    """The mean of what each bet has won, patient by patient."""
    stakes = np.ones(TARGET_BETS.size)
    for gain in gains:
        stakes = stakes * (1 - TARGET_BETS + TARGET_BETS * gain / mean)
    return stakes.mean()


def test_all_attempts_together_spend_delta():
    spent = sum(attempt_delta(0.1, attempt) for attempt in range(1, 20_001))
    assert 0.0999 < spent < 0.1
    assert attempt_delta(0.1, 1) == pytest.approx(0.6079 * 0.1, abs=1e-5)


def test_cells_count_labels_and_both_decisions():
    labels = labels_of([0.2, 0.5, 0.8, 0.2, 0.5, 0.8], [0, 0, 0, 1, 1, 1])
    # A score at a cut-off is called.
    cells = cells_of(labels, np.array([0.2, 0.8]), original=0.5)
    assert cells.shape == (2, 6, 8)
    assert cells[0, -1].tolist() == [0, 0, 1, 2, 0, 0, 1, 2]
    assert cells[1, -1].tolist() == [1, 1, 0, 1, 1, 1, 0, 1]
    assert cells[1, 2].tolist() == [1, 1, 0, 1, 0, 0, 0, 0]
    assert confusion_of(cells[1, -1]) == labels.counts_at(0.8)
    assert confusion_of(range(1, 9)) == Confusion(tn=3, fp=7, fn=11, tp=15)


@pytest.mark.parametrize("costs", [Costs(), Costs(cost_fn=5), Costs(cost_fp=3)])
def test_both_claims_are_shown_when_their_capital_is_large_enough(costs):
    rng = np.random.default_rng(3)
    ill = (rng.random(150) < 0.5).astype(int)
    labels = labels_of(rng.normal(size=150) + 3 * ill, ill)
    largest = costs.largest
    claims = Claims(costs=costs, target=0.25 * largest, margin=0.08 * largest)
    cells = cells_of(labels, np.array([1.5]), 0.5)[0]
    new, old = losses(labels, 1.5, costs) / largest, losses(labels, 0.5, costs) / largest
    for n in (1, 20, 60, 150):
        risk = capital(1 - new[:n], 1 - 0.25)
        above = capital((1 - new[:n] + old[:n]) / 2, (1 - 0.08) / 2)
        for delta in (0.9, 0.1, 0.01):
            shown = claims.shown(cells[n - 1 : n], delta, same=False)[0]
            assert shown == (min(risk, above) >= 1 / delta)
            limit, difference = claims.limits(cells[n - 1 : n], delta, same=False)
            assert shown == (limit[0] <= claims.target and difference[0] <= claims.margin)
    assert claims.limits(cells[-1:], 0.1, same=True)[1][0] == 0
    # A little slack shows what falls short by a little.
    delta = 1 / (min(risk, above) * 1.001)
    for slack, shown in ((0.0, False), (0.0005, False), (0.002, True)):
        assert claims.shown(cells[-1:], delta, same=False, slack=slack)[0] == shown


def test_labels_are_taken_until_one_cut_off_is_accepted():
    rng = np.random.default_rng(0)
    ill = (rng.random(400) < 0.5).astype(int)
    labels = labels_of(rng.normal(size=400) + 3 * ill, ill)
    menu = [Item(name="bad", cut=4.0, weight=0.5), Item(name="good", cut=1.5, weight=0.5)]
    claims = Claims(costs=Costs(), target=0.2, margin=0.05)
    found = try_menu(menu, labels, 0.5, claims, 0.06)
    assert found.chosen == 1
    assert found.cells.sum(axis=1).tolist() == [found.labels] * 2
    before = Labels(
        scores=labels.scores[: found.labels - 1], labels=labels.labels[: found.labels - 1]
    )
    all_used = try_menu(menu, before, 0.5, claims, 0.06)
    assert (all_used.chosen, all_used.labels) == (None, found.labels - 1)
    stricter = try_menu(menu, labels, 0.5, claims, 0.0006)
    assert stricter.labels > found.labels


def test_of_two_cut_offs_accepted_at_once_the_one_with_the_lower_limit_is_taken():
    """Both decide all patients rightly; the larger weight leaves the lower limit."""
    labels = labels_of([0.0, 1.0] * 50, [0, 1] * 50)
    claims = Claims(costs=Costs(), target=0.2, margin=0.9)
    pair = [("light", 0.4, 0.48), ("heavy", 0.6, 0.52)]
    for order in (pair, pair[::-1]):
        menu = [Item(name=name, cut=cut, weight=weight) for name, cut, weight in order]
        found = try_menu(menu, labels, 0.5, claims, 0.06)
        alone = [try_menu([one], labels, 0.5, claims, 0.06).labels for one in menu]
        assert alone == [found.labels] * 2
        # Each claim has half of the weight's share; a right decision wins a quarter of each bet.
        won = [np.mean((1 + TARGET_BETS / 4) ** n) for n in (found.labels - 1, found.labels)]
        assert all(won[0] < 2 / (0.06 * one.weight) <= won[1] for one in menu)
        assert menu[found.chosen].name == "heavy"


def test_labels_that_come_later_do_not_change_when_a_cut_off_is_accepted():
    """After 2,000 right decisions the evidence is so large that its logarithm is needed."""
    menu, stops = [Item(name="one", cut=0.5, weight=1.0)], set()
    claims = Claims(costs=Costs(), target=0.5, margin=0.9)
    for n in (50, 2000):
        labels = labels_of([0.0, 1.0] * n, [0, 1] * n)
        stops.add(try_menu(menu, labels, 0.4, claims, 0.06).labels)
    assert len(stops) == 1
    assert stops.pop() < 20


def test_a_cut_off_that_is_worse_than_the_original_is_not_accepted_although_its_risk_is_low():
    rng = np.random.default_rng(1)
    ill = (rng.random(2000) < 0.5).astype(int)
    labels = labels_of(rng.normal(size=2000) + 4 * ill, ill)
    worse = [Item(name="worse", cut=3.4, weight=1.0)]
    claims = Claims(costs=Costs(), target=0.3, margin=0.05)
    assert try_menu(worse, labels, 2.0, claims, 0.06).chosen is None
    wide = Claims(costs=Costs(), target=0.3, margin=0.25)
    assert try_menu(worse, labels, 2.0, wide, 0.06).chosen == 0


def test_a_cut_off_at_the_target_is_accepted_in_at_most_its_share_of_streams():
    """The risk of the only cut-off is just above the target; the difference is as it must be."""
    rng = np.random.default_rng(7)
    menu, delta, streams = [Item(name="one", cut=0.5, weight=1.0)], 0.2, 400
    claims = Claims(costs=Costs(), target=0.2, margin=0.9)
    accepted = 0
    for _ in range(streams):
        wrong = rng.random(300) < 0.2
        ill = rng.integers(0, 2, 300)
        labels = labels_of(np.where(wrong, 1 - ill, ill), ill)
        accepted += try_menu(menu, labels, 0.5 - 1e-9, claims, delta).chosen is not None
    # Each claim has half of delta.
    assert accepted / streams <= delta / 2 + 2 * math.sqrt(delta / 2 / streams)
    assert accepted > 0


def test_only_cut_offs_in_the_range_stay_and_share_all_weight():
    menu = [Item(name=str(i), cut=float(i), weight=0.25) for i in range(4)]
    kept = within(menu, 1.0, 2.0)
    assert [one.cut for one in kept] == [1.0, 2.0]
    assert sum(one.weight for one in kept) == pytest.approx(1.0)
    assert within(menu, 5.0, 6.0) == []
