"""What must hold for the study of any cohort, whatever its ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steadycut
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import risk_curve
from steadycut.core.records import Costs, PatientScores

RULES = ("stable", "erm", "youden", "sensitivity:0.8", "specificity:0.7")
QUICK = settings(deadline=None, max_examples=25)


@st.composite
def cohorts(draw, least=6, most=30):
    """Discrete or continuous scores, not all equal; at least two patients of each class."""
    n = draw(st.integers(least, most))
    value = draw(st.sampled_from([st.integers(-3, 3), st.integers(-10_000, 10_000)]))
    scores = draw(st.lists(value, min_size=n, max_size=n).filter(lambda some: len(set(some)) > 1))
    labels = draw(st.lists(st.integers(0, 1), min_size=n - 4, max_size=n - 4))
    return np.array(scores, dtype=float) / 8, np.array([0, 0, 1, 1, *labels])


def fit(scores, labels, **options):
    cohort = PatientScores(scores=scores, labels=labels, patients=options.pop("patients", None))
    fixed = {"honesty": "uniform", "bound": "dkw", "grid": "exact", "n_bootstrap": 6, "seed": 3}
    return steadycut.fit(cohort, **{**fixed, **options})


def decisions(study, scores):
    """Who is called at the threshold, and how often each decision flips."""
    sign = study.options.sign
    called = sign * np.asarray(scores) >= sign * study.threshold
    return called.tolist(), study.flip_probability(scores).tolist()


rules = st.sampled_from(RULES)
costs = st.sampled_from([(1.0, 1.0), (3.0, 1.0), (1.0, 10.0)])


@QUICK
@given(cohorts(least=8), rules, st.sampled_from(["split", "uniform"]), st.randoms())
def test_the_order_of_patients_with_identifiers_changes_no_bit(cohort, rule, honesty, random):
    scores, labels = cohort
    names = [f"patient {i:02d}" for i in range(scores.size)]
    order = list(range(scores.size))
    random.shuffle(order)
    one = fit(scores, labels, patients=names, rule=rule, honesty=honesty)
    shuffled = [names[i] for i in order]
    other = fit(scores[order], labels[order], patients=shuffled, rule=rule, honesty=honesty)
    assert one.to_dict() == other.to_dict()


@QUICK
@given(cohorts(), rules, st.randoms())
def test_where_everybody_chooses_the_order_of_rows_changes_nothing(cohort, rule, random):
    """Without identifiers only the mean over patients, the flip rate, may differ in a bit."""
    scores, labels = cohort
    order = list(range(scores.size))
    random.shuffle(order)
    one = fit(scores, labels, rule=rule).to_dict()
    other = fit(scores[order], labels[order], rule=rule).to_dict()
    rates = [study["stability"].pop("flip_rate") for study in (one, other)]
    assert rates[0] == pytest.approx(rates[1], abs=1e-12)
    assert one == other


TRANSFORMS = {
    "cube": lambda scores: scores**3,
    "exponential": lambda scores: np.exp(scores / 200),
    "affine": lambda scores: 0.3 * scores - 17.0,
    "ranks": lambda scores: np.unique(scores, return_inverse=True)[1].astype(float),
}


@QUICK
@pytest.mark.parametrize("rule", RULES)
@given(cohort=cohorts(), prices=costs, name=st.sampled_from(sorted(TRANSFORMS)))
def test_a_strictly_increasing_transform_changes_no_decision(rule, cohort, prices, name):
    scores, labels = cohort
    moved = TRANSFORMS[name](scores)
    options = {"rule": rule, "cost_fn": prices[0], "cost_fp": prices[1]}
    one, other = fit(scores, labels, **options), fit(moved, labels, **options)
    assert decisions(one, scores)[0] == decisions(other, moved)[0]
    assert one.chosen.draws.ranks.tolist() == other.chosen.draws.ranks.tolist()


@QUICK
@pytest.mark.parametrize("rule", RULES)
@given(cohort=cohorts(), data=st.data())
def test_any_monotone_map_of_the_distinct_scores_changes_no_decision(rule, cohort, data):
    scores, labels = cohort
    values, place = np.unique(scores, return_inverse=True)
    steps = st.lists(st.floats(1e-3, 1e6), min_size=values.size, max_size=values.size)
    moved = np.cumsum(data.draw(steps))[place]
    one, other = fit(scores, labels, rule=rule), fit(moved, labels, rule=rule)
    assert decisions(one, scores)[0] == decisions(other, moved)[0]


@QUICK
@given(cohorts(), rules, st.sampled_from([9, "exact"]), st.sampled_from(["split", "uniform"]))
def test_direction_le_mirrors_thresholds_and_keeps_decisions(cohort, rule, grid, honesty):
    scores, labels = cohort
    options = {"rule": rule, "grid": grid, "honesty": honesty}
    one = fit(scores, labels, **options)
    other = fit(-scores, labels, direction="le", **options)
    assert other.threshold == -one.threshold
    assert other.operating_value == (None if one.operating_value is None else -one.operating_value)
    assert other.bootstrap_thresholds.tolist() == (-one.bootstrap_thresholds[::-1]).tolist()
    assert decisions(other, -scores) == decisions(one, scores)
    assert other.certificate == one.certificate


@given(cohorts(), costs, st.integers(2, 4))
def test_repeating_the_cohort_leaves_the_risk_curve(cohort, prices, times):
    scores, labels = cohort
    price = Costs(cost_fn=prices[0], cost_fp=prices[1])
    once = PatientScores(scores=scores, labels=labels)
    often = PatientScores(scores=np.tile(scores, times), labels=np.tile(labels, times))
    thresholds = np.unique(np.concatenate([scores, scores + 0.01, scores - 0.01]))
    expected = risk_curve(once, thresholds, price)
    np.testing.assert_allclose(risk_curve(often, thresholds, price), expected, rtol=0, atol=1e-12)
    assert exact_cuts(often).cells.tolist() == (times * exact_cuts(once).cells).tolist()


@QUICK
@given(cohorts(), rules, costs, st.floats(1e-6, 1e6))
def test_scaling_both_costs_scales_risks_and_leaves_thresholds(cohort, rule, prices, factor):
    scores, labels = cohort
    one = fit(scores, labels, rule=rule, cost_fn=prices[0], cost_fp=prices[1])
    scaled = {"cost_fn": factor * prices[0], "cost_fp": factor * prices[1]}
    other = fit(scores, labels, rule=rule, **scaled)
    assert other.threshold == one.threshold
    assert other.bootstrap_thresholds.tolist() == one.bootstrap_thresholds.tolist()
    for name in ("risk", "generalization", "value", "trivial_risk"):
        expected = factor * getattr(one.certificate, name)
        assert getattr(other.certificate, name) == pytest.approx(expected, rel=1e-9)
    assert other.chosen.penalty == pytest.approx(factor * one.chosen.penalty, rel=1e-9)


@QUICK
@given(cohorts(), rules, st.sampled_from([2, 50, "exact"]), st.sampled_from(["split", "uniform"]))
def test_the_threshold_equals_no_score_and_the_counts_are_its_own(cohort, rule, grid, honesty):
    """Ties are safe: moving the threshold off a score changes no decision."""
    scores, labels = cohort
    study = fit(scores, labels, rule=rule, grid=grid, honesty=honesty, bound="auto")
    assert study.threshold not in scores
    certify = study.roles.certify
    called = scores[certify] >= study.threshold
    positive = labels[certify] == 1
    assert study.counts.tp == int((called & positive).sum())
    assert study.counts.fp == int((called & ~positive).sum())
    select = scores[study.roles.select]
    reached = select[select >= study.threshold]
    assert study.operating_value == (reached.min() if reached.size else None)


@QUICK
@given(cohorts(), costs)
def test_erm_has_the_smallest_risk_of_all_rules(cohort, prices):
    scores, labels = cohort
    options = {"cost_fn": prices[0], "cost_fp": prices[1]}
    risks = {rule: fit(scores, labels, rule=rule, **options).chosen.risk for rule in RULES}
    assert risks["erm"] <= min(risks.values()) + 1e-12 * max(prices)
