"""Groups and windows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut.core.covariate.design import N_WINDOWS, group_design, score_bins, smooth_design
from steadycut.errors import BadPatients


def test_a_group_is_a_slice_and_a_window():
    design = group_design(["b", "a", "b"])
    assert design.names == ("a", "b")
    assert design.n_slices == 2
    assert np.array_equal(design.windows, np.eye(2))
    assert design.at(np.array([3.0, 5.0]), np.array(["b", "a", "b"])).tolist() == [5, 3, 5]


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        (["a", "a"], "2 to 50 values; got 1"),
        ([str(i) for i in range(60)] * 2, "got 60"),
        (["a", "b"], "of his own"),
    ],
)
def test_groups_that_part_nothing_are_refused(groups, text):
    with pytest.raises(BadPatients, match=text):
        group_design(groups)


def test_a_number_with_few_values_is_refused():
    with pytest.raises(BadPatients, match="at least 8 values; got 3"):
        smooth_design(np.array([1.0, 2.0, 3.0] * 9))


def test_windows_hold_about_a_quarter_and_overlap():
    values = np.random.default_rng(0).permutation(2400).astype(float)
    design, codes = smooth_design(values)
    sizes = design.windows @ np.bincount(codes)
    assert len(design.windows) == N_WINDOWS
    assert np.all(np.abs(sizes / 2400 - 0.25) < 0.05)
    assert np.all((design.windows[1:] * design.windows[:-1]).sum(axis=1) > 0)
    assert design.anchors[N_WINDOWS // 2] == pytest.approx(1199.5, rel=0.05)


def test_windows_are_the_same_from_both_ends():
    design, _ = smooth_design(np.arange(2400.0))
    assert np.array_equal(design.windows, design.windows[::-1, ::-1])


def test_between_the_middles_the_rank_is_a_line_and_beyond_it_is_constant():
    design, _ = smooth_design(np.arange(100.0))
    ranks = np.arange(float(len(design.windows)))
    low, high = design.anchors[0], design.anchors[-1]
    middle = (design.anchors[0] + design.anchors[1]) / 2
    found = design.at(ranks, np.array([-1e9, low, middle, high, 1e9]))
    assert found.tolist() == [0.0, 0.0, 0.5, ranks[-1], ranks[-1]]


@given(st.lists(st.integers(0, 30), min_size=8, max_size=80).map(np.array))
def test_slices_ascend_with_the_value_and_anchors_too(values):
    if np.unique(values).size < 8:
        return
    design, codes = smooth_design(values.astype(float))
    assert np.all(np.diff(codes[np.argsort(values, kind="stable")]) >= 0)
    assert design.n_slices == codes.max() + 1 == len(design.basis)
    assert np.all(np.diff(design.anchors) > 0)
    assert np.all(design.windows.sum(axis=1) > 0)
    for one in np.unique(values):
        assert np.unique(codes[values == one]).size == 1


def test_every_window_holds_a_slice_where_most_patients_share_a_value():
    design, codes = smooth_design(np.concatenate([np.zeros(60), np.arange(1.0, 41.0)]))
    held = design.windows @ np.bincount(codes)
    assert held.min() > 0
    assert held[0] == 60


@pytest.mark.parametrize("seed", range(4))
def test_slices_are_cut_by_the_middle_of_each_value(seed):
    """A value lies in that twenty-fourth of the patients in which the middle of its own is."""
    values = np.round(np.random.default_rng(seed).normal(size=200), 1)
    _, codes = smooth_design(values)
    places = []
    for value in values:
        middle = sum(values < value) + sum(values == value) / 2
        places.append(int(24 * middle / 200))
    expected = [sorted(set(places)).index(place) for place in places]
    assert codes.tolist() == expected


def test_from_2_to_50_groups_are_allowed():
    assert len(group_design([f"{i}" for i in range(50)] * 2).names) == 50
    assert group_design(["a", "b", "a"]).kind == "groups"
    assert group_design(["a", "b", "a"]).windows.dtype == np.int64
    with pytest.raises(BadPatients, match="2 to 50 values; got 51"):
        group_design([f"{i}" for i in range(51)] * 2)


def test_a_number_is_compared_by_a_line_and_a_parabola():
    """In the middles of 24 slices of 100 patients each."""
    design, _ = smooth_design(np.arange(2400.0))
    assert design.windows.dtype == np.int64
    line, parabola = design.basis.T
    assert line == pytest.approx((np.arange(24) + 0.5) / 24)
    assert np.diff(parabola, 2) == pytest.approx(np.full(22, 2 / 24**2))


@pytest.mark.parametrize(("n_distinct", "n_bins"), [(1000, 1000), (1001, 667)])
def test_scores_are_merged_only_if_more_than_1000_differ(n_distinct, n_bins):
    scores = np.concatenate([np.arange(float(n_distinct)), np.full(500, n_distinct - 1.0)])
    bins = score_bins(scores)
    assert bins.max() + 1 == n_bins
    assert (np.diff(bins) >= 0).all()
    assert (bins[n_distinct - 1 :] == bins[-1]).all()


def test_a_slice_at_the_very_edge_of_a_window_is_inside():
    """Ten values: the first window holds the slices from 0 to 0.25, in the middle of the third."""
    design, _ = smooth_design(np.repeat(np.arange(10.0), 10))
    assert design.windows[0].tolist() == [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    assert design.windows[-1].tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 1, 1]


def test_nobody_has_whole_codes_too():
    assert group_design(["a", "b", "a"]).codes(np.array([], dtype=np.str_)).dtype == np.int64
