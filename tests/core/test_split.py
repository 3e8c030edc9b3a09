import numpy as np
import pytest

from steadycut.core.split import everybody, split_classes, split_patients
from steadycut.errors import BadOption, TooFewPatients


@pytest.mark.parametrize("n", [2, 7, 100])
@pytest.mark.parametrize("size", [0.3, 0.5, 0.7])
def test_every_patient_has_exactly_one_role(n, size):
    roles = split_patients(n, size, np.random.default_rng(0))
    assert sorted([*roles.select, *roles.certify]) == list(range(n))
    assert roles.certify.size == round(n * size)


def test_every_patient_is_as_likely_to_certify():
    times = np.zeros(10)
    for seed in range(2000):
        times[split_patients(10, 0.3, np.random.default_rng(seed)).certify] += 1
    # Four standard errors of a share of 0.3 in 2,000 deals.
    assert np.abs(times / 2000 - 0.3).max() < 4 * np.sqrt(0.3 * 0.7 / 2000)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_patients_cannot_be_split(n):
    with pytest.raises(TooFewPatients, match=rf"a split needs at least 2 patients; got {n}\."):
        split_patients(n, 0.5, np.random.default_rng(0))


@pytest.mark.parametrize(("size", "n_certify"), [(0.01, 1), (0.99, 2)])
def test_either_side_keeps_a_patient(size, n_certify):
    roles = split_patients(3, size, np.random.default_rng(0))
    assert (roles.certify.size, roles.select.size) == (n_certify, 3 - n_certify)


def test_a_share_outside_0_to_1_is_refused():
    with pytest.raises(BadOption, match=r"certify_size must lie strictly between 0 and 1; got 1"):
        split_patients(10, 1, np.random.default_rng(0))


def test_classes_are_dealt_one_by_one_the_healthy_first():
    labels = np.array([1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0], dtype=np.int8)
    roles, rng = split_classes(labels, 0.4, np.random.default_rng(5)), np.random.default_rng(5)
    healthy, ill = np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)
    first, second = split_patients(6, 0.4, rng), split_patients(5, 0.4, rng)
    assert roles.select.tolist() == sorted([*healthy[first.select], *ill[second.select]])
    assert roles.certify.tolist() == sorted([*healthy[first.certify], *ill[second.certify]])


def test_in_uniform_everybody_has_both_roles():
    roles = everybody(4)
    assert roles.select.tolist() == roles.certify.tolist() == [0, 1, 2, 3]


def test_roles_are_read_only():
    roles = split_patients(6, 0.5, np.random.default_rng(0))
    by_class = split_classes(np.array([0, 0, 1, 1]), 0.5, np.random.default_rng(0))
    arrays = (roles.select, roles.certify, by_class.select, by_class.certify, everybody(3).select)
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_split_by_class_shares_each_class():
    labels = np.array([1] * 10 + [0] * 30, dtype=np.int8)
    roles = split_classes(labels, 0.5, np.random.default_rng(0))
    assert np.count_nonzero(labels[roles.select]) == np.count_nonzero(labels[roles.certify]) == 5
    assert sorted([*roles.select, *roles.certify]) == list(range(40))
