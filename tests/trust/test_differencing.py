"""Results without small cells do not give any away, taken together; and the attack can succeed."""

import numpy as np
import pytest

from benchmarks.trust import differencing
from steadycut import PatientScores
from steadycut.errors import SteadycutWarning
from steadycut.study import small_cells

pytestmark = pytest.mark.filterwarnings(f"ignore::{SteadycutWarning.__module__}.SteadycutWarning")


def test_no_small_cell_follows_from_differences():
    row = differencing.difference_attack(2, np.random.default_rng(1))
    assert row.tried > 50
    assert row.failed == 0


def test_no_small_cell_follows_from_how_cells_are_made():
    row = differencing.inference_attack([(4, 8, 2, 4), (4, 9, 3, 4)])
    assert row.tried > 100
    assert row.failed == 0


def test_results_tell_of_patients_only_their_base_cells():
    row = differencing.twins(5, np.random.default_rng(2))
    assert row.tried > 5
    assert row.failed == 0


def by_rank(base, least):
    """Return the ends of groups by rank: those for N are no unions of those for N - 1."""
    ordered = np.sort(base)
    last = np.arange(least, ordered.size - least + 1, least) - 1
    return np.append(ordered[last], ordered[-1])


def test_groups_by_rank_are_found_out(monkeypatch):
    monkeypatch.setattr(small_cells, "joined", by_rank)
    assert differencing.difference_attack(2, np.random.default_rng(1)).failed == 2


def test_cells_that_are_tight_on_both_sides_are_found_out():
    """If the first and the last base cell of two patients are known, each has one patient."""

    def tight(base, least):
        ends = small_cells.joined(base, least)
        starts = [base[base > end].min() for end in ends[:-1]]
        return np.unique([*ends, *(np.array(starts) - 0.5), base.min() - 0.5])

    alike = differencing.consistent(4, 8, 2, 4, cells=tight)
    assert sum(differencing.known_small(one, 2) for one in alike) > 0


def test_small_differences_are_seen():
    rng = np.random.default_rng(0)
    labels = np.arange(80) % 2
    cohort = PatientScores(scores=rng.normal(size=80) + labels, labels=labels)
    results = differencing.all_results(cohort, cohort, range(3, 5), "ge")
    assert not differencing.differences(results, 3)
    results[0][2]["reference"]["fn"] += 1
    assert differencing.differences(results, 3)
