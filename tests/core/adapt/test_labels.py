"""The choice among cut-offs with limits, and the limits of single ones."""

import numpy as np
import pytest
from scipy.stats import beta

from steadycut.core.adapt.labels import (
    Labels,
    choose,
    exact_limit,
    likely_rank,
    limits_at_every_look,
)
from steadycut.core.adapt.menu import Item, make_menu
from steadycut.core.adapt.pool import Pool
from steadycut.core.bounds.anytime import TARGET_BETS
from steadycut.core.bounds.buehler import buehler_limit
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from tests.core.adapt.hospitals import HOME, POOL, drawn


@pytest.mark.parametrize(
    ("limits", "likely", "wanted"),
    [
        # 1 + 1.5 * 0.3 against 1.05.
        ([0.20, 0.21], 0.5, 1),
        ([0.20, 0.21], 0.2, 0),
        # 1 + 1.5 * 0.3 against 1.5, and against 1.4.
        ([0.20, 0.30], 0.5, 0),
        ([0.20, 0.28], 0.5, 1),
        ([0.30, 0.20], 0.2, 1),
    ],
)
def test_one_percent_of_the_patients_nearer_is_worth_a_limit_higher_by_one_and_a_half(
    limits, likely, wanted
):
    """The cut-offs lie above two and above five of ten patients."""
    pool = Pool.of(np.arange(10.0))
    assert choose(pool, [2.0, 5.0], np.array(limits), likely) == wanted


@pytest.mark.parametrize("costs", [Costs(cost_fn=4.0), Costs(cost_fn=0.5, cost_fp=2.0)])
def test_at_every_look_the_bets_against_the_limit_have_won_1_over_the_share_of_delta(costs):
    """Some scores lie at the cut-off, and are called."""
    rng = np.random.default_rng(2)
    ill = rng.integers(0, 2, 60)
    scores = np.where(rng.random(60) < 0.1, 1 - ill, ill) / 2
    labels = Labels(scores=scores, labels=ill)
    menu = [Item(name=name, cut=0.5, weight=weight) for name, weight in (("a", 0.75), ("b", 0.25))]
    path = limits_at_every_look(menu, labels, costs, 0.2) / costs.largest
    assert path.shape == (2, 60)
    called = scores == 0.5
    loss = (costs.cost_fn * (ill & ~called) + costs.cost_fp * (called & (ill == 0))) / costs.largest
    for row, share in zip(path, (0.15, 0.05), strict=True):
        for n in (30, 60):
            won = [
                np.mean(
                    np.prod(1 + TARGET_BETS[:, None] * ((1 - loss[:m]) / (1 - row[n - 1]) - 1), 1)
                )
                for m in range(1, n + 1)
            ]
            # The lowest limit so far: reached at one look, and never exceeded before.
            assert max(won) == pytest.approx(1 / share, rel=1e-6)


def test_a_score_at_the_cut_off_is_called():
    labels = Labels(scores=np.array([1.0, 2.0, 2.0, 3.0]), labels=np.array([1, 1, 0, 1]))
    assert labels.counts_at(2.0) == Confusion(tp=2, fn=1, fp=1, tn=0)
    assert labels.without(1).counts_at(2.0) == Confusion(tp=1, fn=1, fp=1, tn=0)


@pytest.mark.parametrize("m", [15, 30, 90, 600])
def test_the_likely_rank_equals_a_slow_median(m):
    menu, prior = make_menu(HOME, POOL, 0.8, Costs(cost_fn=2), None)
    scores, labels = drawn(m, 0.3, 5)
    found = likely_rank(POOL, prior, Labels(scores=scores, labels=labels), Costs(cost_fn=2))
    errors = []
    for cut in POOL.cuts:
        wrong = [
            (2 if ill else 1) * ((score >= cut) != bool(ill))
            for score, ill in zip(scores, labels, strict=True)
        ]
        errors.append(sum(wrong) / 2)
    fewest, every = min(errors), (2 * labels.sum() + (1 - labels).sum()) / 2
    odds = max(1, (m / 20) ** 0.5) * np.log((every - fewest + 1) / (fewest + 1))
    weights = prior * np.exp(-odds * (np.array(errors) - fewest))
    weights /= weights.sum()
    at = list(POOL.ranks).index(found)
    assert weights[:at].sum() < 0.5 + 1e-9
    assert weights[: at + 1].sum() >= 0.5 - 1e-9
    assert len(menu) > 2


def test_without_labels_the_likely_rank_is_the_median_of_the_prior():
    pool = Pool.of(np.array([0.0, 1.0, 2.0]))
    nobody = Labels(scores=np.array([]), labels=np.array([], dtype=int))
    for prior, rank in (([1, 1, 1, 7], 1.0), ([7, 1, 1, 1], 0.0), ([3, 3, 2, 2], 1 / 3)):
        assert likely_rank(pool, np.array(prior) / 10, nobody, Costs()) == rank


def test_the_limit_is_that_of_the_binomial_at_equal_costs_and_of_buehler_otherwise():
    counts = Confusion(tp=9, fn=2, fp=3, tn=16)
    equal = exact_limit(counts, Costs(cost_fn=2.0, cost_fp=2.0), 0.1)
    assert equal == pytest.approx(2 * beta.ppf(0.9, 6, 25))
    unequal = Costs(cost_fn=3.0)
    assert exact_limit(counts, unequal, 0.1) == buehler_limit(counts, unequal, 0.1)
