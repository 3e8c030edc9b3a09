import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from steadycut.core.bounds import scan
from steadycut.core.bounds.concentration import compression
from steadycut.core.bounds.concentration import scan as bound
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from tests.slow_reference.scan import chance_by_orders, fewest_on_an_arc, worst_path

GAME = Path(__file__).parents[3] / "benchmarks/studies/scan/game.cpp"


def errors(n, k):
    """Return counts of n patients, k of them wrong."""
    return Confusion(tp=0, fn=0, fp=k, tn=n - k)


def test_one_point_by_hand():
    # Some arc of length 1/4 through 0 avoids a single point: the one on the other side of 0.
    assert scan.arc_chance(1, 0.25, 0) == pytest.approx(1.0)
    # Two points: both arcs, left and right of 0, must have one.
    assert scan.arc_chance(2, 0.25, 0) == pytest.approx(1 - 2 * 0.25**2 / 2)


@pytest.mark.parametrize(("n", "length", "k"), [(3, 0.2, 0), (7, 0.35, 2), (10, 0.45, 3)])
def test_the_null_is_that_of_all_orders(n, length, k):
    wanted = chance_by_orders(n, (1.0, 1.0), length, k)
    assert scan.arc_chance(n, length, k) == pytest.approx(wanted)
    near = scan._of_all(n, length, length)
    assert scan._walk_chance(near, (1.0, 1.0), k) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("costs", "length", "spent"),
    [((5.0, 1.0), 0.6, 4.0), ((1.0, 3.0), 0.5, 3.0), ((2.5, 1.0), 0.3, 2.5), ((1.0, 1.0), 0.5, 2)],
)
def test_the_null_of_unequal_costs_is_that_of_all_orders(costs, length, spent):
    wanted = chance_by_orders(9, costs, length, spent)
    near = scan._of_all(9, length / costs[0], length / costs[1])
    assert scan._walk_chance(near, costs, spent) == pytest.approx(wanted)


def test_the_null_is_that_of_the_maximum_over_arcs():
    rng = np.random.default_rng(8)
    fewest = [fewest_on_an_arc(rng.random(12).tolist(), 0.4) for _ in range(4000)]
    for k in (0, 1, 2, 3):
        share = np.mean(np.array(fewest) <= k)
        assert share == pytest.approx(scan.arc_chance(12, 0.4, k), abs=0.03)


def test_a_target_beyond_the_largest_cost_without_a_score_is_that_cost():
    counts, costs = errors(50, 10), Costs(cost_fn=4.0)
    assert scan.chance_at_target(counts, costs, 3.0) == scan.chance_at_target(counts, costs, 0.8)


def test_a_target_at_a_prevalence_takes_the_sizes_of_the_classes_as_they_are():
    counts = Confusion(tp=9, fn=1, fp=2, tn=8)
    low, high = (scan.chance_at_target(counts, Costs(target=(p, p)), 0.3) for p in (0.4, 0.6))
    both = scan.chance_at_target(counts, Costs(target=(0.4, 0.6)), 0.3)
    assert both == pytest.approx(2 * max(low, high))
    nobody_ill = Confusion(tp=0, fn=0, fp=0, tn=30)
    assert scan.chance_at_target(nobody_ill, Costs(target=(0.5, 0.5)), 0.3) == 1


def test_limits_grow_with_the_errors_and_fall_with_the_patients():
    values = [bound(errors(50, k), Costs(), 0.1) + k / 50 for k in range(51)]
    assert values == sorted(values)
    assert values[-1] <= 1
    tables = scan._tables()
    for table in tables:
        for cells, *levels in table["levels"].values():
            assert levels == sorted(levels)
            assert levels[-1] <= cells * table["ratio"] / (1 + table["ratio"])
    assert scan.scan_limit(errors(51, 5), Costs(), 0.1) <= scan.scan_limit(
        errors(50, 5), Costs(), 0.1
    )


def test_costs_in_any_unit_and_either_way_give_the_same_limit():
    one = Confusion(tp=8, fn=2, fp=3, tn=40)
    other = Confusion(tp=40, fn=3, fp=2, tn=8)
    first = bound(one, Costs(cost_fn=5.0), 0.1)
    assert bound(other, Costs(cost_fp=5.0), 0.1) == pytest.approx(first)
    assert bound(one, Costs(cost_fn=50.0, cost_fp=10.0), 0.1) == pytest.approx(10 * first)


@pytest.mark.parametrize(
    ("n", "costs", "delta"),
    [
        (5, Costs(), 0.1),
        (100_000, Costs(), 0.1),
        (50, Costs(cost_fn=1.7), 0.1),
        (50, Costs(), 0.01),
    ],
)
def test_where_no_limit_was_computed_it_is_that_of_compression(n, costs, delta):
    assert bound(errors(n, 2), costs, delta) == compression(errors(n, 2), costs, delta)


def test_it_is_never_above_compression_where_that_can_be_useful():
    for table in scan._tables():
        costs = Costs(cost_fp=float(table["ratio"]))
        for n in table["levels"]:
            for k in range(n):
                ours, theirs = (one(errors(n, k), costs, 0.1) for one in (bound, compression))
                risk = errors(n, k).risk(costs)
                if risk + theirs < costs.largest / (1 + costs.largest):
                    assert ours <= theirs


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler")
def test_the_game_bounds_every_path(tmp_path):
    game = tmp_path / "game"
    subprocess.run(["g++", "-O2", "-o", game, GAME], check=True)
    for n, cells, levels in ((14, 12, [4, 5, 6]), (9, 12, [5, 6])):
        text = "\n".join(f"{k} {level}" for k, level in enumerate(levels))
        run = subprocess.run(
            [game, str(n), str(cells), "1", "1"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        worst = worst_path(n, cells, levels)
        assert worst <= float(run.stdout) + 2e-4
        assert float(run.stdout) <= worst + 0.03
