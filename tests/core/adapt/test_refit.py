"""The rule fitted again for the next hospital: by hand, against slow twins, under transforms."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit, ndtri

from steadycut.core.adapt.pool import HomeScores
from steadycut.core.adapt.refit import (
    Labels,
    Model,
    Stated,
    agreeing_shift,
    asked_shift,
    likely_shift,
    refitted,
    refitted_each,
    refitted_with,
)
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.rank_logistic import fit_line
from steadycut.core.rules.registry import parse_rule
from tests.core.adapt.hospitals import COSTS, HOME, POOL, drawn, home_of

MODEL = Model.of(HOME)
COUNTS = MODEL.counts(POOL.scores)


def labelled(m, prevalence, seed):
    scores, labels = drawn(m, prevalence, seed)
    return Labels(scores=scores, labels=labels)


def test_the_model_by_hand():
    """Three distinct scores; the ranks between and at them, and the line through the latter."""
    home = HomeScores(
        positive=np.array([1.0, 2.0]), negative=np.array([0.0, 1.0]), n_positive=4, n_negative=2
    )
    model = Model.of(home)
    normal = ndtri(np.clip(np.array([0, 0.5, 1, 2.5, 4, 5, 6]) / 6, 1 / 24, 23 / 24))
    intercept, slope = fit_line(
        normal[None, 1::2], np.array([[0.0, 2, 2]]), np.array([[1.0, 1, 0]])
    )
    assert model.odds == pytest.approx(intercept[0] + slope[0] * normal)
    assert model.log_odds == pytest.approx(np.log(2))
    given = np.array([-1, 0, 0.5, 1, 1.5, 2, 9])
    assert model.places(given).tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert model.counts(np.array([0.0, 0.0, 9.0])).tolist() == [0, 2, 0, 0, 0, 0, 1]


def test_other_patients_of_the_first_hospital_are_as_many_and_as_these_on_average():
    rng = np.random.default_rng(0)
    models = [MODEL.drawn(rng) for _ in range(400)]
    for name in ("ill", "well"):
        counts = np.array([getattr(model, name) for model in models])
        assert (counts.sum(axis=1) == round(getattr(MODEL, name).sum())).all()
        assert np.abs(counts.mean(axis=0) - getattr(MODEL, name)).max() < 0.3
    assert np.array_equal(models[0].scores, MODEL.scores)


def test_the_agreeing_shift_makes_the_mean_risk_the_stated_one():
    shift = agreeing_shift(MODEL.odds, COUNTS, 0.1 * COUNTS.sum())
    assert COUNTS @ expit(MODEL.odds + shift) / COUNTS.sum() == pytest.approx(0.1)


@pytest.mark.parametrize("centre", [-1.0, 0.0, 0.7])
def test_the_likely_shift_has_the_largest_posterior(centre):
    data = labelled(30, 0.2, 5)
    below = np.array([np.sum(MODEL.scores < score) for score in data.scores])
    odds = MODEL.odds[below + np.array([np.sum(MODEL.scores <= score) for score in data.scores])]

    def loss(shift):
        risk = expit(odds + shift)
        chance = np.where(data.labels == 1, risk, 1 - risk)
        return -np.log(chance).sum() + (shift - centre) ** 2 / (2 * 0.4**2)

    slow = minimize_scalar(loss, bounds=(-9, 9), method="bounded", options={"xatol": 1e-9}).x
    assert likely_shift(MODEL, data, centre) == pytest.approx(slow, abs=1e-5)


def test_without_labels_the_shift_stays_where_it_is():
    nobody = Labels(scores=np.empty(0), labels=np.empty(0, dtype=int))
    assert likely_shift(MODEL, nobody, 0.3) == pytest.approx(0.3)


def test_a_stated_range_by_hand():
    found = Stated.of(MODEL, COUNTS, (0.05, 0.1))
    middle = expit((logit(0.05) + logit(0.1)) / 2)
    nearer = asked_shift(MODEL, COUNTS, expit(logit(0.1) + 0.2))
    assert nearer < 0
    assert found.prevalence == pytest.approx(middle)
    assert found.shift == pytest.approx(0.75 * nearer)
    assert found.pull == pytest.approx(found.shift / asked_shift(MODEL, COUNTS, middle))
    risks = agreeing_shift(MODEL.odds, COUNTS, 0.1 * COUNTS.sum())
    asked = asked_shift(MODEL, COUNTS, 0.1)
    assert asked == pytest.approx((risks + logit(0.1) - logit(HOME.prevalence)) / 2)


def test_a_range_that_allows_no_shift_asks_for_none():
    home = Model.of(HOME).counts(np.concatenate([HOME.positive, HOME.negative]))
    assert Stated.of(MODEL, home, (0.3, 0.5)) == Stated(
        prevalence=float(expit((logit(0.3) + logit(0.5)) / 2)), shift=0.0, pull=0.0
    )


@given(st.floats(0.002, 0.99), st.floats(0.0, 2.0))
def test_a_wider_range_never_moves_further_and_a_number_is_never_followed_all_the_way(share, width):
    ends = expit(logit(share) + np.array([-width, width]))
    narrow, wide = (Stated.of(MODEL, COUNTS, pair) for pair in ((share, share), tuple(ends)))
    assert abs(wide.shift) <= abs(narrow.shift) + 1e-9
    assert 0 <= narrow.pull <= 0.75 + 1e-9


@pytest.mark.parametrize("stated", [(0.0, 0.0005), (1.0, 0.9995)])
def test_a_prevalence_near_0_or_1_is_not_followed_further(stated):
    found, near = (Stated.of(MODEL, COUNTS, (end, end)) for end in stated)
    assert found == near


@pytest.mark.parametrize("costs", COSTS)
def test_without_a_shift_it_is_the_rule_of_the_first_hospital(costs):
    scores, labels = drawn(90, 0.4, 3)
    order = np.argsort(scores)
    ill = labels[order] == 1
    curve = count_errors(np.concatenate([ill, ~ill]).astype(np.int64)[None, :])
    below = parse_rule("stable")(curve, costs)[0]
    cut = refitted(Model.of(home_of(scores, labels)), costs, 0.0)
    assert np.sum(scores < cut) == below


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("copies", [1, 2])
def test_it_is_the_rule_of_all_patients_with_copies(costs, copies):
    """Three copies of the ill and one of the healthy, scaled to the same number of patients."""
    scores, labels = drawn(80, 0.5, 4)
    model = Model.of(home_of(scores, labels))
    data = labelled(15, 0.3, 6) if copies == 2 else None
    found = refitted(model, costs, np.log(3.0), data)
    ill, well = 3.0 * (labels == 1), 1.0 * (labels == 0)
    scale = scores.size / (ill + well).sum()
    everyone, ill, well = scores, ill * scale, well * scale
    if data is not None:
        everyone = np.concatenate([scores, data.scores])
        ill = np.concatenate([ill, 2.0 * (data.labels == 1)])
        well = np.concatenate([well, 2.0 * (data.labels == 0)])
    order = np.argsort(everyone)
    curve = count_errors(np.concatenate([ill[order], well[order]])[None, :])
    rank = parse_rule("stable")(curve, costs)[0]
    below = int(np.argmin(np.abs(curve.ranks[0] - rank)))
    assert np.sum(everyone < found) == below


def test_more_ill_patients_are_called_the_larger_the_shift_up_to_everybody():
    cuts = [refitted(MODEL, Costs(), shift) for shift in (-9, -2, -1, 0, 1, 2, 9)]
    assert cuts == sorted(cuts, reverse=True)
    assert (cuts[0], cuts[-1]) == (np.inf, -np.inf)


TRANSFORMS = {"exp": np.exp, "cube": lambda x: x**3, "line": lambda x: 100 * x - 7}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize("costs", COSTS)
def test_it_follows_a_common_transform_exactly(transform, costs):
    home = replace(HOME, positive=transform(HOME.positive), negative=transform(HOME.negative))
    model, data = Model.of(home), labelled(40, 0.2, 7)
    moved = Labels(scores=transform(data.scores), labels=data.labels)
    before = Stated.of(MODEL, COUNTS, (0.1, 0.15))
    after = Stated.of(model, model.counts(transform(POOL.scores)), (0.1, 0.15))
    assert after == before
    assert refitted(model, costs, after.shift) == transform(refitted(MODEL, costs, before.shift))
    with_labels = refitted_with(MODEL, costs, before.shift, data)
    assert refitted_with(model, costs, after.shift, moved) == transform(with_labels)


def test_the_order_of_the_labels_does_not_matter():
    data, order = labelled(40, 0.2, 7), np.random.default_rng(0).permutation(40)
    turned = Labels(scores=data.scores[order], labels=data.labels[order])
    assert refitted_with(MODEL, Costs(), 0.2, data) == refitted_with(MODEL, Costs(), 0.2, turned)


@pytest.mark.parametrize("costs", COSTS)
def test_with_the_classes_swapped_the_other_patients_are_called(costs):
    other = Costs(cost_fn=costs.cost_fp, cost_fp=costs.cost_fn)
    home = HomeScores(
        positive=-HOME.negative[::-1],
        negative=-HOME.positive[::-1],
        n_positive=HOME.n_negative,
        n_negative=HOME.n_positive,
    )
    mirrored, data = Model.of(home), labelled(40, 0.2, 7)
    swapped = Labels(scores=-data.scores, labels=1 - data.labels)
    cut = refitted_with(MODEL, costs, 0.3, data)
    again = refitted_with(mirrored, other, -0.3, swapped)
    assert ((POOL.scores >= cut) == (-POOL.scores < again)).all()


@pytest.mark.parametrize(("odds", "ill"), [(3.0, 0.0), (-3.0, 10.0)])
def test_the_likeliest_shift_may_lie_far_from_the_centre_of_a_wide_prior(odds, ill):
    """Where the sum of the risks is off by what the prior of standard deviation 2 pulls back."""
    found = agreeing_shift(np.array([odds]), np.array([10.0]), ill, 0.0, 2.0)
    assert 10 * expit(odds + found) - ill == pytest.approx(-found / 4)
    assert abs(found) > 4
    assert agreeing_shift(np.array([odds]), np.array([10.0]), ill, spread=2.0) == found


def test_a_prevalence_beyond_one_in_a_thousand_asks_for_no_larger_shift():
    assert asked_shift(MODEL, COUNTS, 1e-6) == asked_shift(MODEL, COUNTS, 0.001)
    assert asked_shift(MODEL, COUNTS, 1 - 1e-6) == asked_shift(MODEL, COUNTS, 0.999)


def test_the_labels_are_compared_with_who_is_called():
    data = Labels(scores=np.array([0.2, 0.5, 0.5, 0.9]), labels=np.array([0, 1, 0, 0]))
    counts = data.counts_at(0.5)
    assert (counts.tp, counts.fn, counts.fp, counts.tn) == (1, 0, 2, 1)


@pytest.mark.parametrize("ill", [0.01, 2.0, 8.0, 9.99])
def test_the_risk_of_everybody_is_the_stated_share(ill):
    assert agreeing_shift(np.zeros(1), np.array([10.0]), ill) == pytest.approx(logit(ill / 10))


def test_the_odds_of_a_hospital_stop_at_one_in_a_thousand():
    one = np.array([0.0, 1.0])
    for ill, well, share in ((5e-4, 1.0, 0.001), (1.0, 5e-4, 0.999)):
        model = Model.from_counts(one, np.array([0.0, ill]), np.array([well, 0.0]))
        assert model.log_odds == pytest.approx(logit(share))


def test_the_cut_offs_at_several_shifts_are_those_of_each_alone():
    shifts = np.array([-3.0, -0.5, 0.2, 2.0])
    for data in (None, labelled(15, 0.3, 6)):
        together = refitted_each(MODEL, Costs(cost_fn=2.0), shifts, data)
        alone = [refitted(MODEL, Costs(cost_fn=2.0), shift, data) for shift in shifts]
        assert together.tolist() == alone


def test_a_prevalence_that_asks_for_no_shift_pulls_nowhere():
    """Both classes alike, half of them ill, and half of the patients stated to be ill."""
    model = Model.of(home_of(np.array([1.0, 2.0, 1.0, 2.0]), np.array([0, 0, 1, 1])))
    counts = model.counts(np.array([1.0, 2.0]))
    assert asked_shift(model, counts, 0.5) == 0
    found = Stated.of(model, counts, (0.5, 0.5))
    assert (found.shift, found.pull) == (0.0, 0.0)
