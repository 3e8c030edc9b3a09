import json
import math
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from scripts import write_multiscale_levels as script
from steadycut.core.bounds.modulus import dkw_band, modulus
from steadycut.core.bounds.multiscale import (
    LEVELS_FILE,
    ladder,
    mass_limits,
    multiscale_band,
    window_level,
)
from steadycut.core.records import Costs, PatientScores
from steadycut.errors import BadOption
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort

WIDTHS = [1e-9, 0.3, 1.0, 1.5, 2.0, 100.0]
TABLE = json.loads(LEVELS_FILE.read_text(encoding="utf-8"))
LARGEST_N = max(int(n) for n in TABLE["levels"])


def at_most(k, n, share):
    """The probability of at most k successes in n."""
    return math.fsum(math.comb(n, j) * share**j * (1 - share) ** (n - j) for j in range(k + 1))


@lru_cache
def clopper_pearson(k, n, level):
    """The twin of a limit: the share at which k or fewer are no likelier than the level."""
    if k == n:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(k, n, middle) > level else (low, middle)
    return high


def band_twin(scores, labels, width, cost_fn, cost_fp, delta):
    """Every window that starts before, at or after a score, or ends there; every limit anew."""
    n = len(scores)
    cheap, dear = min(cost_fn, cost_fp), max(cost_fn, cost_fp)
    dear_label = 1 if cost_fn > cost_fp else 0
    level = window_level(n, delta if cheap == dear else delta / 2)
    limits = [clopper_pearson(k, n, level) for k in range(n + 1)]
    nudge = width / 1024
    ends = [s + d for s in scores for d in (-width, -width - nudge, -nudge, 0, nudge)]
    found = []
    for start in (min(scores) - 3 * width, *ends):
        inside = [i for i, s in enumerate(scores) if start <= s < start + width]
        dearer = sum(labels[i] == dear_label for i in inside)
        found.append(cheap * limits[len(inside)] + (dear - cheap) * limits[dearer])
    return max(found)


def even_cohort(n):
    """Scores 0, 1, 2, ...: a window of length w holds w patients."""
    return PatientScores(scores=np.arange(float(n)), labels=np.arange(n) % 2)


def test_one_patient_by_hand():
    """Both sides of his score hold unless the larger exceeds 1 - delta / 2."""
    assert window_level(1, 0.1) == 0.05
    assert mass_limits(np.arange(2), 1, 0.1).tolist() == pytest.approx([0.95, 1.0], abs=1e-12)
    assert multiscale_band(even_cohort(1), 0.5, Costs(cost_fn=2, cost_fp=2), 0.1) == 2.0


def test_two_patients_by_hand():
    """Beta(1, 2) has the tail (1 - x)^2, Beta(2, 1) the tail 1 - x^2."""
    level = window_level(2, 0.1)
    expected = [1 - math.sqrt(level), math.sqrt(1 - level), 1.0]
    assert mass_limits(np.arange(3), 2, 0.1).tolist() == pytest.approx(expected, abs=1e-12)
    assert multiscale_band(even_cohort(2), 0.5, Costs(), 0.1) == pytest.approx(expected[1])
    assert multiscale_band(even_cohort(2), 1.5, Costs(), 0.1) == 1.0


def test_unequal_costs_by_hand():
    """A window of length 1.5 holds one patient of either class."""
    limits = mass_limits(np.arange(21), 20, 0.05)
    expected = 1 * limits[2] + 2 * limits[1]
    for costs in (Costs(cost_fn=3), Costs(cost_fp=3)):
        assert multiscale_band(even_cohort(20), 1.5, costs, 0.1) == pytest.approx(expected)


@pytest.mark.parametrize("n", [1, 2, 5, 24, 60])
@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_limits_are_clopper_pearson_limits(n, delta):
    level = window_level(n, delta)
    expected = [clopper_pearson(k, n, level) for k in range(n + 1)]
    assert mass_limits(np.arange(n + 1), n, delta).tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_band_agrees_with_all_windows_one_by_one(costs, seed):
    cohort = random_cohort(seed)
    for width in WIDTHS:
        expected = band_twin(*as_lists(cohort), width, costs.cost_fn, costs.cost_fp, 0.1)
        assert multiscale_band(cohort, width, costs, 0.1) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("costs", COSTS)
def test_the_oscillation_form_is_twice_as_wide(costs):
    cohort = random_cohort(3)
    for width in WIDTHS:
        found = multiscale_band(cohort, width, costs, 0.1, "oscillation")
        assert found == multiscale_band(cohort, 2 * width, costs, 0.1)


@pytest.mark.parametrize("costs", COSTS)
def test_a_window_without_length_holds_nobody(costs):
    assert multiscale_band(random_cohort(0), 0.0, costs, 0.1) == 0.0


def test_a_window_too_short_to_be_added_holds_the_patients_at_its_start():
    cohort = PatientScores(scores=[1.0] * 9 + [2.0], labels=[0, 1] * 5)
    assert 1.0 + 1e-30 == 1.0
    assert multiscale_band(cohort, 1e-30, Costs(), 0.1) == mass_limits(np.arange(11), 10, 0.1)[9]


def test_the_whole_line_holds_everybody():
    cohort = random_cohort(1)
    assert multiscale_band(cohort, np.inf, Costs(), 0.1) == 1.0
    expected = (
        1
        + 2
        * mass_limits(np.arange(cohort.n_patients + 1), cohort.n_patients, 0.05)[cohort.n_positive]
    )
    assert multiscale_band(cohort, np.inf, Costs(cost_fn=3), 0.1) == pytest.approx(expected)


def test_one_class_is_enough():
    cohort = PatientScores(scores=np.arange(10.0), labels=np.zeros(10, dtype=int))
    limits = mass_limits(np.arange(11), 10, 0.05)
    found = multiscale_band(cohort, 1.0, Costs(cost_fn=3), 0.1)
    assert found == pytest.approx(limits[1] + 2 * limits[0])


scores = st.lists(st.floats(-5, 5) | st.integers(-3, 3).map(float), min_size=1, max_size=40)
widths = st.floats(0, 12)
cost = st.sampled_from([0.5, 1.0, 3.0])


def cohort_of(values):
    labels = [i * 7 % 3 == 1 for i in range(len(values))]
    return PatientScores(scores=values, labels=np.array(labels, dtype=int))


@given(scores, widths, widths, cost, cost)
def test_the_band_grows_with_the_window(values, one, other, cost_fn, cost_fp):
    cohort, costs = cohort_of(values), Costs(cost_fn=cost_fn, cost_fp=cost_fp)
    narrow, wide = (multiscale_band(cohort, w, costs, 0.1) for w in sorted([one, other]))
    assert narrow <= wide + 1e-12


@given(scores, widths, cost, cost, st.floats(0.0005, 0.9), st.floats(0.0005, 0.9))
def test_the_band_falls_with_delta(values, width, cost_fn, cost_fp, one, other):
    cohort, costs = cohort_of(values), Costs(cost_fn=cost_fn, cost_fp=cost_fp)
    safe, bold = (multiscale_band(cohort, width, costs, delta) for delta in sorted([one, other]))
    assert bold <= safe + 1e-12


@given(scores, widths, cost, cost)
def test_the_band_lies_between_modulus_and_largest_cost(values, width, cost_fn, cost_fp):
    cohort, costs = cohort_of(values), Costs(cost_fn=cost_fn, cost_fp=cost_fp)
    band = multiscale_band(cohort, width, costs, 0.1)
    assert modulus(cohort, width, costs) - 1e-12 <= band <= costs.largest + 1e-12


@given(scores, widths, cost, cost)
def test_the_band_is_paid_in_the_unit_of_the_costs(values, width, cost_fn, cost_fp):
    cohort = cohort_of(values)
    once = multiscale_band(cohort, width, Costs(cost_fn=cost_fn, cost_fp=cost_fp), 0.1)
    tenfold = Costs(cost_fn=10 * cost_fn, cost_fp=10 * cost_fp)
    assert multiscale_band(cohort, width, tenfold, 0.1) == pytest.approx(10 * once)


@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("held", range(1, 6))
def test_a_short_window_has_at_most_half_of_the_papers_band(held, delta):
    cohort = even_cohort(100)
    paper = dkw_band(cohort, float(held), Costs(), delta)
    assert multiscale_band(cohort, float(held), Costs(), delta) <= paper / 2


@pytest.mark.parametrize("n", [20, 46, 100, 500, 2000])
@pytest.mark.parametrize("costs", COSTS)
def test_no_window_has_more_than_the_papers_band(n, costs):
    cohort = even_cohort(n)
    for share in (0.01, 0.1, 0.3, 0.6, 1.0):
        paper = dkw_band(cohort, share * n, costs, 0.1)
        assert multiscale_band(cohort, share * n, costs, 0.1) <= paper


def test_the_ladder_has_each_rung_at_first_and_short_steps_later():
    rungs = ladder(20_000)
    steps = np.diff(rungs)
    assert rungs[:256].tolist() == list(range(1, 257))
    assert np.all(steps <= np.maximum(1, np.sqrt(rungs[:-1]) / 8))
    assert rungs.size < 18 * math.sqrt(20_000)
    assert ladder(300).tolist() == rungs[rungs <= 300].tolist()


@pytest.mark.parametrize("n", [300, 3000, 200_000])
def test_between_rungs_the_next_one_counts(n):
    limits, rungs = mass_limits(np.arange(n + 1), n, 0.1), ladder(n)
    assert limits.shape == (n + 1,)
    assert np.all(np.diff(limits) >= 0)
    below, rung = int(rungs[-2]), int(rungs[-1])
    assert np.all(limits[below:rung] == limits[rung - 1])
    assert limits[below - 1] < limits[below]
    assert np.all(limits[rung:] == 1.0)
    # Never above the level; below it where the next rung stands in.
    exact = binom.cdf(np.arange(0, n, 97), n, limits[:n:97])
    assert np.all(exact <= window_level(n, 0.1) * (1 + 1e-6))


def test_a_large_cohort_is_no_burden():
    cohort = PatientScores(
        scores=np.random.default_rng(0).normal(size=200_000), labels=[0, 1] * 100_000
    )
    found = multiscale_band(cohort, 0.1, Costs(cost_fn=3), 0.1)
    raw = modulus(cohort, 0.1, Costs(cost_fn=3))
    assert raw < found < 1.2 * raw


def test_levels_fall_with_n_and_rise_with_delta():
    rows = list(TABLE["levels"].values())
    sizes = [int(n) for n in TABLE["levels"]]
    assert sizes == sorted(sizes)
    assert sizes == list(script.SIZES)
    assert TABLE["deltas"] == sorted(TABLE["deltas"]) == list(script.DELTAS)
    assert np.all(np.diff(rows, axis=0) <= 0)
    assert np.all(np.diff(rows, axis=1) >= 0)


@pytest.mark.parametrize(
    ("n", "row"), [(100, "100"), (101, "112"), (112, "112"), (15_000, "20000")]
)
@pytest.mark.parametrize(
    ("delta", "column"),
    [(0.1, 0.1), (1 - 0.9, 0.1), (0.11, 0.1), (0.0999, 0.075), (0.7, 0.5)],
)
def test_the_next_larger_n_and_the_next_smaller_delta_are_taken(n, row, delta, column):
    expected = TABLE["levels"][row][TABLE["deltas"].index(column)]
    assert window_level(n, delta) == expected


def test_the_smallest_delta_of_the_table_is_taken():
    assert window_level(56, 0.001) == TABLE["levels"]["56"][0]


@pytest.mark.parametrize(("n", "delta"), [(100, 1e-5), (LARGEST_N + 1, 0.1)])
def test_outside_the_table_the_windows_share_delta(n, delta):
    windows = sum(n + 2 - int(m) for m in ladder(n))
    assert window_level(n, delta) == delta / windows


def test_where_the_table_has_too_few_draws_the_windows_share_delta():
    assert TABLE["levels"][str(LARGEST_N)][0] == 0.0
    assert window_level(LARGEST_N, 0.001) > 0


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, "0.1"])
def test_a_delta_outside_0_to_1_is_refused(delta):
    for width in (0.0, 1.0):
        with pytest.raises(BadOption, match="delta must lie strictly between 0 and 1; got"):
            multiscale_band(random_cohort(0), width, Costs(), delta)


def test_an_unknown_form_is_refused():
    with pytest.raises(BadOption, match=r"form must be one of pairwise, oscillation; got 'wide'\."):
        multiscale_band(random_cohort(0), 1.0, Costs(), 0.1, "wide")


@pytest.mark.parametrize("seed", range(5))
def test_the_least_tail_agrees_with_all_pairs_of_order_statistics(seed):
    n = 12
    sample = np.random.default_rng(seed).random(n)
    ends = [0.0, *sorted(sample.tolist()), 1.0]
    tails = [
        at_most(j - i - 1, n, ends[j] - ends[i])
        for i in range(n + 2)
        for j in range(i + 1, n + 2)
        if j - i <= n
    ]
    assert script.least_tails(sample[None])[0] == pytest.approx(min(tails), rel=1e-9)


@pytest.mark.parametrize("n_draws", [800, 40_000])
@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2])
def test_the_rank_leaves_a_hundredth_of_delta_to_the_draws(n_draws, delta):
    rank, kept = script.lower_rank(n_draws, delta), min(delta / 100, 1e-3)
    assert (
        binom.cdf(rank, n_draws, delta - kept) <= kept < binom.cdf(rank + 1, n_draws, delta - kept)
    )


def test_too_few_draws_give_no_level():
    assert script.lower_rank(100, 0.001) == -1
    assert script.level(np.linspace(0.1, 1, 100), 0.001) == 0.0


@pytest.mark.parametrize("value", [1.23456e-5, 1.23446e-5, 9.99999e-3, 0.25, 7.0001e-9])
def test_levels_are_rounded_down(value):
    found = script._rounded_down(value)
    assert value * (1 - 1e-3) <= found <= value


def test_the_table_is_what_its_script_writes():
    """The first row; more digits than these are not promised on other machines."""
    tails = script.simulate(2, 40_000)
    expected = [script.level(tails, delta) for delta in script.DELTAS]
    assert TABLE["levels"]["2"] == pytest.approx(expected, rel=2e-3)
