"""Patients resampled within groups, against patients drawn one by one."""

from collections import Counter

import numpy as np
import pytest

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.resampling import resample
from steadycut.core.bootstrap.within_groups import (
    group_cells,
    group_codes,
    replicates_within,
    resample_groups,
)
from steadycut.core.cuts.grid import cuts_of, exact_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import parse_rule
from steadycut.errors import BadOption, BadPatients
from tests.core.bootstrap.test_resampling import same_distribution
from tests.core.cohorts import SEEDS, as_lists, positives_first, random_cohort
from tests.slow_reference.criteria import rank_by
from tests.slow_reference.cuts import exact_thresholds, midway


def with_sites(cohort):
    names = [f"p{i:03d}" for i in range(cohort.n_patients)]
    sites = ["north" if i % 3 else "south" for i in range(cohort.n_patients)]
    return PatientScores(scores=cohort.scores, labels=cohort.labels, patients=names, sites=sites)


def codes_and_cells(cohort, stratify, grid="exact"):
    codes = group_codes(cohort, stratify)
    return codes, group_cells(cuts_of(cohort, grid), cohort, codes)


@pytest.mark.parametrize("grid", [15, "exact"])
@pytest.mark.parametrize("stratify", ["label", "site", [i % 4 for i in range(24)]])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_group_is_counted_between_the_same_cuts(seed, stratify, grid):
    cohort = with_sites(random_cohort(seed))
    cuts = cuts_of(cohort, grid)
    codes, cells = codes_and_cells(cohort, stratify, grid)
    assert cells.sum(axis=0).tolist() == cuts.cells.tolist()
    below = np.cumsum(cuts.cells.reshape(2, -1).sum(axis=0))
    edges = [np.sort(cohort.scores)[count - 1] for count in below]
    for group, counts in enumerate(cells):
        expected = Counter()
        for score, label, code in zip(*as_lists(cohort), codes, strict=True):
            place = sum(edge < score for edge in edges)
            expected[place + len(edges) * (label == 0)] += code == group
        assert counts.tolist() == [expected[cell] for cell in range(cuts.cells.size)]


@pytest.mark.parametrize("n_patients", [24, 3000])
@pytest.mark.parametrize("stratify", ["label", "site"])
def test_the_size_of_a_group_is_the_same_in_every_replicate(n_patients, stratify):
    cohort = with_sites(random_cohort(2, n_patients))
    codes, cells = codes_and_cells(cohort, stratify, 20)
    rng = np.random.default_rng(0)
    # Groups of their own columns, so that a replicate can be told apart by group.
    apart = np.zeros((len(cells), cells.size), dtype=np.int64)
    for k, row in enumerate(cells):
        apart[k, k * row.size : (k + 1) * row.size] = row
    drawn = resample_groups(apart, 40, rng).reshape(40, len(cells), -1).sum(axis=2)
    assert (drawn == np.bincount(codes)).all()
    assert drawn.sum() == 40 * n_patients


def test_by_label_every_replicate_has_as_many_positive_patients():
    cohort = random_cohort(3, 60)
    _, cells = codes_and_cells(cohort, "label")
    drawn = resample_groups(cells, 50, np.random.default_rng(1))
    assert drawn.dtype == np.int64
    half = drawn.shape[1] // 2
    assert (drawn[:, :half].sum(axis=1) == cohort.n_positive).all()
    assert drawn.std(axis=0).max() > 0


@pytest.mark.parametrize("seed", range(4))
def test_a_replicate_is_the_patients_of_each_group_drawn_one_by_one(seed):
    cohort = with_sites(random_cohort(seed))
    codes, cells = codes_and_cells(cohort, "site")
    drawn = resample_groups(cells, 6, np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    totals = [Counter() for _ in range(6)]
    for group in range(2):
        patients = positives_first(cohort.take(codes == group))
        positions = rng.integers(0, len(patients), size=(1, 6, len(patients)))[0]
        for total, replicate in zip(totals, positions, strict=True):
            total.update(patients[k][::-1] for k in replicate)
    groups = [(label, value) for label in (1, 0) for value in sorted(set(cohort.scores.tolist()))]
    assert drawn.tolist() == [[total[group] for group in groups] for total in totals]


def test_the_minimising_cut_has_the_distribution_of_patients_drawn_within_labels():
    cohort = random_cohort(2, 40, tied=True)
    cuts, (_, cells) = exact_cuts(cohort), codes_and_cells(cohort, "label")
    rule, n = parse_rule("erm"), 4000
    draws = draw_thresholds(cuts, rule, Costs(), n, np.random.default_rng(1), cells).thresholds
    rng, scores = np.random.default_rng(2), cohort.scores
    classes = [np.flatnonzero(cohort.labels == label) for label in (0, 1)]
    expected = []
    for _ in range(n):
        chosen = np.concatenate([rng.choice(one, one.size) for one in classes])
        pair = scores[chosen].tolist(), cohort.labels[chosen].tolist()
        rank = rank_by("erm", *pair, exact_thresholds(pair[0]), (1.0, 1.0))
        expected.append(midway(pair[0], rank))
    assert same_distribution(draws.round(9).tolist(), np.round(expected, 9).tolist()) > 0.01


def test_one_group_is_the_plain_bootstrap_with_the_same_random_numbers():
    cuts = exact_cuts(random_cohort(1, 40))
    plain = [
        draw_thresholds(cuts, parse_rule("erm"), Costs(), 30, np.random.default_rng(5), groups)
        for groups in (None, cuts.cells[None, :])
    ]
    assert plain[0].thresholds.tolist() == plain[1].thresholds.tolist()
    drawn = resample_groups(cuts.cells[None, :], 30, np.random.default_rng(5))
    expected = resample(cuts.cells[None, :], 30, np.random.default_rng(5))[0]
    assert drawn.tolist() == expected.tolist()


def test_batches_cover_every_replicate(monkeypatch):
    monkeypatch.setattr("steadycut.core.bootstrap.within_groups.BATCH", 100)
    _, cells = codes_and_cells(random_cohort(1), "label")
    batches = list(replicates_within(cells, 23, np.random.default_rng(0)))
    covered = [i for batch, drawn in batches for i in range(batch.start, batch.start + len(drawn))]
    assert covered == list(range(23))
    assert len(batches) > 1


def test_a_mapping_and_an_array_name_the_same_groups():
    cohort = with_sites(random_cohort(1))
    by_array = group_codes(cohort, np.arange(24) % 5)
    by_name = group_codes(cohort, {f"p{i:03d}": i % 5 for i in reversed(range(24))})
    assert by_array.tolist() == by_name.tolist() == (np.arange(24) % 5).tolist()


@pytest.mark.parametrize(
    ("stratify", "error", "told"),
    [
        ("age", BadOption, "stratify must be one of label, site, or one entry per patient"),
        ([0, 1], BadPatients, "stratify must have one entry per patient (24); got 2"),
        (np.zeros((24, 2)), BadPatients, "stratify must have one entry per patient; got shape"),
        (np.arange(24), BadPatients, "stratify must put several patients into a group; all 24"),
        ({"p000": 1}, BadPatients, "stratify needs an entry per patient; 23 of 24 have"),
    ],
)
def test_what_are_no_groups_is_refused(stratify, error, told):
    with pytest.raises(error) as caught:
        group_codes(with_sites(random_cohort(1)), stratify)
    assert str(caught.value).startswith(told)


def test_columns_that_patients_do_not_have_are_refused():
    nameless = random_cohort(1)
    with pytest.raises(BadPatients, match="stratify='site' needs the site of every patient"):
        group_codes(nameless, "site")
    with pytest.raises(BadPatients, match="only if the patients have identifiers"):
        group_codes(nameless, {"p000": 1})
    with pytest.raises(BadPatients, match="no labels"):
        group_codes(PatientScores(scores=[1.0, 2.0]), "label")


def test_a_column_of_the_patients_names_the_groups():
    scanners = ["a", "b", "c"] * 8
    cohort = random_cohort(1)
    named = PatientScores(
        scores=cohort.scores, labels=cohort.labels, attributes={"scanner": scanners}
    )
    assert group_codes(named, "scanner").tolist() == [0, 1, 2] * 8
    with pytest.raises(BadOption, match="must be one of label, site, scanner, or"):
        group_codes(named, "age")


def test_two_patients_in_groups_of_their_own_are_refused_and_one_is_not():
    with pytest.raises(BadPatients, match="all 2 groups hold one patient"):
        group_codes(PatientScores(scores=[1.0, 2.0], labels=[0, 1]), ["a", "b"])
    assert group_codes(PatientScores(scores=[1.0], labels=[0]), ["a"]).tolist() == [0]


@pytest.mark.parametrize(
    ("n_each", "n_cells", "batch", "sizes"),
    [
        (5, 8, 100, [2, 2, 2]),  # 40 patients of a group, drawn one by one
        (1, 50, 100, [2, 2, 2]),  # 50 cells
        (15, 2, 4, [2, 2, 2]),  # 30 patients between 2 cells, drawn as counts
        (5, 8, 1, [1] * 6),
    ],
)
def test_a_batch_holds_as_many_as_its_numbers_allow(n_each, n_cells, batch, sizes, monkeypatch):
    """It decides which random numbers are drawn, so it must stay as it is."""
    monkeypatch.setattr("steadycut.core.bootstrap.within_groups.BATCH", batch)
    groups = np.full((2, n_cells), n_each)
    found = replicates_within(groups, 6, np.random.default_rng(0))
    assert [len(drawn) for _, drawn in found] == sizes
