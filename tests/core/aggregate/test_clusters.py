from dataclasses import asdict

import numpy as np
import pytest

from steadycut.core.aggregate.aggregators import Segments, sort_segments
from steadycut.core.aggregate.clusters import cluster_sums, clusters_from
from tests.slow_reference.clusters import intraclass


def cohort(seed, icc, n_patients=30, sizes=(2, 9), gap=2.0):
    rng = np.random.default_rng(seed)
    labels = (np.arange(n_patients) % 2).astype(np.int8)
    groups = []
    for label in labels:
        centre = np.sqrt(icc) * rng.normal() + gap * label
        size = rng.integers(*sizes)
        groups.append((centre + np.sqrt(1 - icc) * rng.normal(size=size)).tolist())
    return groups, labels


def sums_of(groups, order=None):
    patient = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    values = np.concatenate(groups)
    order = np.arange(values.size) if order is None else order
    return cluster_sums(sort_segments(patient[order], values[order]))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("icc", [0.0, 0.3, 0.9])
def test_it_is_the_anova_estimator_within_classes(seed, icc):
    groups, labels = cohort(seed, icc)
    found = clusters_from(sums_of(groups), labels)
    m0, expected, _ = map(float, intraclass(groups, labels.tolist()))
    assert found.per_patient == pytest.approx(m0, abs=1e-12)
    assert found.icc == pytest.approx(expected, abs=1e-12)
    assert found.design_effect == pytest.approx(1 + (m0 - 1) * expected, abs=1e-12)
    n = sum(map(len, groups))
    assert found.effective == pytest.approx(n / found.design_effect, abs=1e-9)
    assert (found.rows, found.patients) == (n, 30)


@pytest.mark.parametrize("seed", range(3))
def test_without_labels_all_patients_are_one_class(seed):
    groups, _ = cohort(seed, 0.3)
    found = clusters_from(sums_of(groups), None)
    assert found.icc == pytest.approx(intraclass(groups, [0] * 30)[1], abs=1e-12)


def test_many_patients_show_the_true_correlation_and_not_that_the_score_works():
    groups, labels = cohort(1, 0.4, n_patients=3000, gap=5.0)
    assert clusters_from(sums_of(groups), labels).icc == pytest.approx(0.4, abs=0.03)
    assert clusters_from(sums_of(groups), None).icc > 0.8


def test_neither_the_order_of_rows_nor_of_patients_changes_a_bit():
    groups, labels = cohort(2, 0.5)
    plain = clusters_from(sums_of(groups), labels)
    rng = np.random.default_rng(0)
    order = rng.permutation(sum(map(len, groups)))
    assert clusters_from(sums_of(groups, order), labels) == plain
    turned = rng.permutation(30)
    assert clusters_from(sums_of([groups[i] for i in turned]), labels[turned]) == plain


def test_scores_far_from_zero_keep_their_correlation():
    groups, labels = cohort(3, 0.5)
    far = [[1e9 + x for x in group] for group in groups]
    plain = clusters_from(sums_of(groups), labels).icc
    assert clusters_from(sums_of(far), labels).icc == pytest.approx(plain, abs=1e-5)


def test_copies_of_one_instance_are_worth_one():
    groups = [[float(i)] * 5 for i in range(10)]
    found = clusters_from(sums_of(groups), None)
    assert (found.icc, found.design_effect, found.effective) == (1.0, 5.0, 10.0)
    assert asdict(found) == {
        "rows": 50,
        "patients": 10,
        "per_patient": 5.0,
        "icc": 1.0,
        "design_effect": 5.0,
        "effective": 10.0,
    }


@pytest.mark.parametrize(
    ("groups", "labels"),
    [
        ([[1.0], [2.0]], None),
        ([[1.0, 2.0], [3.0, 4.0]], [0, 1]),
        ([[1.0, 1.0], [1.0]], None),
        ([[1e300, -1e300], [1e300, 0.0]], None),  # their squares are no numbers
    ],
)
def test_where_it_is_not_defined_there_is_none(groups, labels):
    coded = None if labels is None else np.array(labels, dtype=np.int8)
    assert clusters_from(sums_of(groups), coded) is None


def test_a_table_that_was_appended_to_itself_repeats_every_score():
    groups = [[1.0, 3.0], [5.0], [2.0, 2.0, 4.0]]
    for times in (1, 2, 3):
        assert sums_of([group * times for group in groups]).repeats.tolist() == [times] * 3


def test_scores_up_to_the_largest_have_squares():
    assert sums_of([[1e140, 1e140], [0.0]]).squares.tolist() == [0, 0]
    assert np.isnan(sums_of([[1.01e140, 1.01e140], [0.0]]).squares).all()


@pytest.mark.parametrize(("factor", "offset"), [(1.0, 1e12), (1e-6, 0.0), (1e6, 0.0)])
def test_unit_and_zero_of_the_score_change_no_correlation(factor, offset):
    """Whole scores, two per patient: their means are exact however far from 0 they lie."""
    groups = (2.0 * np.random.default_rng(0).integers(0, 9, (20, 2))).tolist()
    plain = clusters_from(sums_of(groups), None)
    moved = clusters_from(sums_of([[factor * x + offset for x in one] for one in groups]), None)
    assert moved.icc == pytest.approx(plain.icc, abs=1e-9)


@pytest.mark.parametrize(
    ("groups", "repeats"),
    [([[1, 1], [2, 2, 2]], 1), ([[1, 1], [3]], 1), ([[1] * 4, [2, 2], [5] * 6], 2)],
)
def test_every_group_has_to_repeat_its_scores(groups, repeats):
    assert set(sums_of([[float(x) for x in one] for one in groups]).repeats) == {repeats}


def test_no_patients_have_no_sums():
    found = cluster_sums(Segments(values=np.array([]), offsets=np.array([0])))
    assert (found.sizes.size, found.squares.size) == (0, 0)
