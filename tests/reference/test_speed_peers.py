"""The tools that steadycut is timed against do the same job."""

import itertools
import time

import numpy as np
import pytest

import steadycut
from benchmarks.speed import peers
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import count_errors, risk_at_cuts, risk_curve
from steadycut.core.records import Costs, PatientScores


def patients(seed, n=150, decimals=12):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.4).astype(np.int64)
    return (rng.normal(size=n) + 1.5 * labels).round(decimals), labels


@pytest.mark.parametrize("decimals", [1, 12])
@pytest.mark.parametrize("seed", range(8))
def test_the_sorted_minimiser_has_the_smallest_risk_of_all_cuts(seed, decimals):
    scores, labels = patients(seed, decimals=decimals)
    cohort = PatientScores(scores=scores, labels=labels)
    smallest = risk_at_cuts(count_errors(exact_cuts(cohort).cells), Costs()).min()
    chosen = np.array([peers.minimiser(scores, labels)])
    assert risk_curve(cohort, chosen, Costs())[0] == pytest.approx(smallest)


@pytest.mark.parametrize("seed", range(4))
def test_both_ways_to_write_algorithm_1_draw_the_same_thresholds(seed):
    scores, labels = patients(seed)
    slow = peers.printed(scores, labels, 20, np.random.default_rng(seed))
    counting = peers.printed_counting(scores, labels, 20, np.random.default_rng(seed))
    assert slow[0] == counting[0]
    assert slow[1].tolist() == counting[1].tolist()


@pytest.mark.parametrize("tool", ["sort_per_replicate", "scipy_bootstrap", "tuned_threshold"])
def test_other_tools_choose_like_steadycut(tool):
    scores, labels = patients(3, 2000)
    threshold, draws = getattr(peers, tool)(scores, labels, 9, np.random.default_rng(0))
    cohort = PatientScores(scores=scores, labels=labels)
    study = steadycut.fit(cohort, rule="erm", honesty="uniform", n_bootstrap=9)
    risks = risk_curve(cohort, np.array([threshold, study.threshold]), Costs())
    assert risks[0] == pytest.approx(risks[1], abs=0.005)
    assert len(draws) == 9


def test_a_default_fit_takes_less_than_half_of_algorithm_1_as_printed():
    """With all that a study says, for 200 patients. It is a seventh; processor time, in turns."""
    scores, labels = patients(1, 200)
    cohort = PatientScores(scores=scores, labels=labels)

    def printed(seed):
        peers.printed(scores, labels, 200, np.random.default_rng(seed))

    def ours(seed):
        steadycut.fit(cohort, seed=seed).to_dict()

    took = {printed: [], ours: []}
    for seed, run in itertools.product(range(4), took):
        started = time.process_time()
        run(seed)
        took[run].append(time.process_time() - started)
    assert min(took[ours]) < min(took[printed]) / 2
