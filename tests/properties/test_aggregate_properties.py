"""What must hold for any cohort: the order and the splitting of rows change nothing."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.core.aggregate.chains import aggregate_chain

HOWS = (
    "mean",
    "median",
    "max",
    "min",
    "quantile:0.9",
    "top-k:2",
    "fraction-above:0.5",
    "noisy-or",
    "trimmed-mean:0.3",
)
# Few distinct values make ties; any float between makes hard sums.
SCORES = st.one_of(st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0]), st.floats(0, 1))
ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), SCORES), min_size=1, max_size=40)
SEEDS = st.integers(0, 2**32 - 1)


def columns(rows):
    patients, slides, scores = zip(*rows, strict=True)
    dense = np.unique(patients, return_inverse=True)[1]
    return dense, np.array(slides), np.array(scores, dtype=float)


def run(patients, slides, scores, inner, how):
    result, n_instances = aggregate_chain(patients, [slides], scores, [inner, how])
    return result.tobytes(), n_instances.tobytes()


@given(ROWS, SEEDS, st.sampled_from(HOWS), st.sampled_from(HOWS))
def test_order_of_rows_changes_no_bit(rows, seed, inner, how):
    patients, slides, scores = columns(rows)
    order = np.random.default_rng(seed).permutation(len(rows))
    shuffled = run(patients[order], slides[order], scores[order], inner, how)
    assert shuffled == run(patients, slides, scores, inner, how)


@given(ROWS, st.integers(1, 39), st.sampled_from(HOWS), st.sampled_from(HOWS))
def test_order_of_chunks_changes_no_bit(rows, cut, inner, how):
    patients, slides, scores = columns(rows)
    order = np.roll(np.arange(len(rows)), cut)
    rolled = run(patients[order], slides[order], scores[order], inner, how)
    assert rolled == run(patients, slides, scores, inner, how)


@given(ROWS, st.permutations(range(3)), st.sampled_from(HOWS), st.sampled_from(HOWS))
def test_names_of_slides_do_not_matter(rows, names, inner, how):
    patients, slides, scores = columns(rows)
    renamed = np.array(names)[slides]
    assert run(patients, renamed, scores, inner, how) == run(patients, slides, scores, inner, how)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_one_instance_a_patient_is_the_patient(scores):
    patients, values = np.arange(len(scores)), np.array(scores)
    for how in ("mean", "median", "max", "min", "quantile:0.9", "top-k:3", "trimmed-mean:0.3"):
        result, n_instances = aggregate_chain(patients, [patients], values, [how, how])
        assert result.tolist() == scores
        assert set(n_instances.tolist()) == {1}


@given(st.floats(0, 1), st.integers(1, 30))
def test_ties_stay_where_they_are(score, n_rows):
    patients, values = np.zeros(n_rows, dtype=np.int64), np.full(n_rows, score)
    for how in ("median", "max", "min", "quantile:0.9"):
        assert aggregate_chain(patients, [], values, [how])[0].tolist() == [score]
    mean = aggregate_chain(patients, [], values, ["mean"])[0][0]
    assert math.isclose(mean, score, rel_tol=4e-16, abs_tol=5e-324)


@given(ROWS, st.sampled_from(HOWS))
def test_result_lies_within_the_scores(rows, how):
    patients, _, scores = columns(rows)
    result, _ = aggregate_chain(patients, [], scores, [how])
    slack = 4e-16
    if how == "noisy-or":
        assert np.all(result >= aggregate_chain(patients, [], scores, ["max"])[0] - slack)
    elif how != "fraction-above:0.5":
        assert np.all(result <= scores.max() + slack)
        assert np.all(result >= scores.min() - slack)
    assert np.all((result >= 0) & (result <= 1))
