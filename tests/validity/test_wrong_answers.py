"""How often "useful" of a fit and "costs less" of a comparison are wrong; see the study's text."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies import wrong_answers as study
from steadycut import fit
from steadycut.study.useful import comparison_of, useful_answer
from tests.validity.test_monitor import at_most

pytestmark = pytest.mark.validity

DELTA = study.DELTA
POPULATIONS = study.populations()
RUNS = [pytest.param(40, id="short"), pytest.param(1000, id="full", marks=pytest.mark.slow)]


@pytest.mark.parametrize("n_runs", RUNS)
@pytest.mark.parametrize("honesty", ["split", "uniform"])
@pytest.mark.parametrize("name", POPULATIONS)
def test_useful_is_rarely_wrong(name, honesty, n_runs):
    rng = np.random.default_rng([3, *name.encode()])
    found = study.fits(*POPULATIONS[name], 120, honesty, n_runs, rng)
    for kind in ("false_yes", "false_no"):
        assert at_most(found[kind], DELTA, max(found["fits"], 1))


@pytest.mark.parametrize("n_runs", RUNS)
@pytest.mark.parametrize("name", [name for name in POPULATIONS if "4:1" not in name])
def test_a_comparison_is_rarely_wrong(name, n_runs):
    rng, few = np.random.default_rng([4, *name.encode()]), n_runs // 4
    found = study.comparisons(*POPULATIONS[name], 120, few, rng)
    assert at_most(found["wrong"], DELTA, max(found["comparisons"], 1))


@pytest.mark.parametrize("n_runs", RUNS)
@pytest.mark.parametrize("name", [name for name in study.PAIRS if "cheaper" not in name])
def test_a_rule_that_costs_the_same_is_rarely_called_cheaper(name, n_runs):
    rng = np.random.default_rng([5, *name.encode()])
    shown = np.mean([study.is_shown(study.PAIRS[name], 120, rng) for _ in range(n_runs)])
    assert at_most(shown, DELTA, n_runs)


def test_the_true_costs_are_those_of_many_patients():
    """The study would find nothing if its truth were wrong."""
    rng = np.random.default_rng(6)
    for name, (costs, bins) in POPULATIONS.items():
        patients = bins.draw(200_000, rng)
        for cut in (0.5, 1.5):
            called = patients.scores >= cut
            ill = patients.labels == 1
            seen = 1 - called[ill].mean(), called[~ill].mean()
            assert bins.rates(cut) == pytest.approx(seen, abs=0.02 if "rare" not in name else 0.04)
        # Where a cut-off costs as much as doing without the score.
        if "as calling nobody" in name or "as nobody" in name or "ties" in name:
            assert bins.gain(costs, 0.5) == pytest.approx(0, abs=1e-9)
        if "everybody" in name:
            assert bins.gain(costs, 2.5) == pytest.approx(0, abs=1e-9)


def test_the_stored_result_keeps_the_promise():
    path = Path(study.RESULT)
    found = json.loads(path.read_text(encoding="utf-8"))
    assert {one["population"] for one in found["useful"]} == set(POPULATIONS)
    for one in found["useful"]:
        if one["fits"]:
            assert at_most(max(one["false_yes"], one["false_no"]), DELTA, one["fits"])
    for one in found["against_fixed"]:
        if one["comparisons"]:
            assert at_most(one["wrong"], DELTA, one["comparisons"])
    for one in found["pairs"]:
        if "cheaper" not in one["rules"]:
            assert at_most(one["shown"], DELTA, found["replicates"])
    assert at_most(found["sites"]["refused"], DELTA, found["sites"]["audits"])


@pytest.mark.parametrize("n_runs", RUNS)
def test_sites_and_groups_together_are_rarely_called_bad(n_runs):
    """Nothing has changed; there are five sites and three groups, which overlap."""
    found = study.audits(n_runs, np.random.default_rng(7))
    assert found["audits"] > n_runs / 2
    assert at_most(found["refused"], DELTA, found["audits"])


def test_exact_tests_at_a_cut_off_that_the_same_patients_chose_are_a_trap():
    """Among many cut-offs one looks useful by chance; limits that hold at all of them see this."""
    bins, rng = study.Bins.of([0.4, 0.6], [0.05, 0.5], spread=True), np.random.default_rng(8)
    trapped, wrong = [], []
    for _ in range(100):
        found = fit(bins.draw(120, rng), rule="erm", honesty="uniform", n_bootstrap=2)
        useless = bins.gain(study.EQUAL, found.threshold) <= study.EVEN
        compared = comparison_of(found)
        naive = replace(compared, own_choices=0).tests_for_yes["useful"]
        trapped.append(useless and all(test(DELTA) for test in naive))
        wrong.append(useless and useful_answer(found, compared, DELTA) == "yes")
    assert not at_most(np.mean(trapped), DELTA, 100)
    assert at_most(np.mean(wrong), DELTA, 100)
