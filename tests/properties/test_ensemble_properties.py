"""What must hold for any ensemble: only the order of each method's scores counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steadycut
from steadycut.core.records import PatientScores, Recipe

RULES = ("stable", "erm", "youden", "sensitivity:0.8")
QUICK = settings(deadline=None, max_examples=20)
NAMES = ("a", "b", "c")


@st.composite
def cohorts(draw):
    """Labels, and two or three methods with many or few ties, of choosing and of new patients."""
    n, n_new = draw(st.integers(12, 30)), draw(st.integers(1, 12))
    n_methods = draw(st.integers(2, 3))
    labels = np.array(
        [0, 0, 0, 1, 1, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 6, max_size=n - 6))]
    )
    value = st.sampled_from([st.integers(-2, 2), st.integers(-10_000, 10_000)])
    several = [
        st.lists(draw(value), min_size=n + n_new, max_size=n + n_new).filter(
            lambda some: len(set(some[:n])) > 1
        )
        for _ in range(n_methods)
    ]
    columns = [np.array(draw(one), dtype=float) for one in several]
    return labels, columns


@st.composite
def increasing(draw, values):
    """A random strictly increasing function, at the given values."""
    distinct, place = np.unique(values, return_inverse=True)
    steps = draw(st.lists(st.floats(1e-3, 1e6), min_size=distinct.size, max_size=distinct.size))
    return (np.cumsum(steps) - draw(st.floats(-1e6, 1e6)))[place]


def split_at(columns, n):
    """Old and new patients of each method."""
    old = [
        PatientScores(scores=c[:n], recipe=Recipe(score=m))
        for c, m in zip(columns, NAMES, strict=False)
    ]
    new = [
        PatientScores(scores=c[n:], recipe=Recipe(score=m))
        for c, m in zip(columns, NAMES, strict=False)
    ]
    return old, new


def decisions(labels, columns, **options):
    """Fit on the old patients, freeze, read back, decide for old and new ones."""
    n = labels.size
    old, new = split_at(columns, n)
    candidates = [PatientScores(scores=one.scores, labels=labels, recipe=one.recipe) for one in old]
    study = steadycut.fit(candidates, **{"n_bootstrap": 5, "seed": 3, **options})
    rule = steadycut.FrozenRule.from_bytes(study.freeze().to_bytes())
    found = [rule.decisions(given) for given in (old, new)]
    return [
        one[name].tolist() for one in found for name in ("score", "decision", "flip_probability")
    ], study


options = st.fixed_dictionaries(
    {
        "ensemble": st.sampled_from(["quantile", "gls"]),
        "direction": st.sampled_from(["ge", "le"]),
        "cost_fn": st.sampled_from([1.0, 3.0]),
    }
)


@QUICK
@pytest.mark.parametrize("rule", RULES)
@given(cohort=cohorts(), how=options, data=st.data())
def test_increasing_transforms_of_each_method_change_nothing(rule, cohort, how, data):
    labels, columns = cohort
    one, study = decisions(labels, columns, rule=rule, **how)
    moved = [data.draw(increasing(column)) for column in columns]
    other, moved_study = decisions(labels, moved, rule=rule, **how)
    assert one == other
    assert study.threshold == moved_study.threshold
    assert study.bootstrap_thresholds.tolist() == moved_study.bootstrap_thresholds.tolist()
    assert study.certificate == moved_study.certificate


@QUICK
@given(cohort=cohorts(), how=options)
def test_the_order_of_methods_changes_no_decision_of_equal_weights(cohort, how):
    labels, columns = cohort
    one, _ = decisions(labels, columns, **{**how, "ensemble": "quantile"})
    other, _ = decisions(labels, columns[::-1], **{**how, "ensemble": "quantile"})
    assert one == other


@QUICK
@given(cohort=cohorts(), how=options)
def test_direction_le_keeps_every_decision(cohort, how):
    labels, columns = cohort
    one, _ = decisions(labels, columns, **{**how, "direction": "ge"})
    other, _ = decisions(labels, [-column for column in columns], **{**how, "direction": "le"})
    assert one[1:3] + one[4:] == other[1:3] + other[4:]
