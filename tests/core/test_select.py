from dataclasses import replace

import numpy as np
import pytest

from steadycut.core.bootstrap.draws import Radius, bootstrap_radius, draw_thresholds
from steadycut.core.bootstrap.within_groups import group_cells
from steadycut.core.bounds.modulus import dkw_band, modulus
from steadycut.core.bounds.multiscale import multiscale_band
from steadycut.core.cuts.grid import clear_of_scores, exact_cuts
from steadycut.core.records import Costs, PatientScores, Recipe
from steadycut.core.select import (
    Candidate,
    Search,
    best_candidate,
    close_warnings,
    limit_warnings,
    try_candidate,
)
from steadycut.core.survival import weighted_at
from steadycut.errors import BadOption, NoFeasibleCut
from tests.core.cohorts import as_lists, random_cohort
from tests.slow_reference import cuts, risks, stability


def candidate(name, smallest_risk, penalty):
    """A candidate of which only the objective matters."""
    return Candidate(
        recipe=Recipe(score=name),
        cuts=None,
        draws=None,
        threshold=0.0,
        risk=smallest_risk,
        smallest_risk=smallest_risk,
        radius=Radius(bias=0.0, quantile=0.0, radius=0.0),
        modulus=0.0,
        penalty=penalty,
        warnings=(),
    )


def winner(*candidates, costs=None):
    return best_candidate(candidates, costs or Costs()).recipe.score


def test_the_smallest_risk_plus_penalty_wins():
    assert winner(candidate("risky", 0.1, 0.5), candidate("steady", 0.2, 0.3)) == "steady"


def test_of_equal_objectives_the_smaller_risk_wins():
    """0.1 + 0.2 is not 0.3 in floating point; it is a tie all the same."""
    assert winner(candidate("one", 0.3, 0.0), candidate("other", 0.1, 0.2)) == "other"
    assert winner(candidate("other", 0.1, 0.2), candidate("one", 0.3, 0.0)) == "other"


def test_of_candidates_equal_in_both_the_first_wins():
    assert winner(candidate("first", 0.1, 0.2), candidate("second", 0.1, 0.2)) == "first"


def test_without_a_penalty_the_smallest_risk_wins():
    both = candidate("risky", 0.1, 0.5), candidate("steady", 0.2, 0.3)
    assert best_candidate(both, Costs(), "risk").recipe.score == "risky"
    assert best_candidate(both, Costs(), "no-bias").recipe.score == "steady"


@pytest.mark.parametrize("band", ["dkw", "multiscale"])
def test_without_bias_the_radius_is_the_quantile(band):
    cohort, found = random_cohort(2, 50), {}
    for selector in ("objective", "no-bias"):
        search = Search(costs=Costs(), n_bootstrap=30, band=band, selector=selector)
        found[selector] = try_candidate(cohort, cohort, search, np.random.default_rng(0))
    with_bias, without = found["objective"], found["no-bias"]
    assert without.radius.bias == with_bias.radius.bias != 0
    assert without.radius.radius == np.nextafter(with_bias.radius.quantile, np.inf)
    assert without.modulus <= with_bias.modulus
    upper = {"dkw": dkw_band, "multiscale": multiscale_band}[band]
    assert without.penalty == upper(cohort, without.radius.radius, Costs(), 0.1)


def test_an_unknown_selector_is_refused():
    with pytest.raises(BadOption, match="selector must be one of objective, risk, no-bias; got"):
        Search(costs=Costs(), selector="best")


def test_a_tie_is_as_wide_as_the_dearer_cost_makes_it():
    far = (candidate("one", 3e5, 0.0), candidate("other", 1e5, 2e5 + 1e-10))
    assert winner(*far, costs=Costs(cost_fn=1e6)) == "other"
    near = (candidate("one", 0.3, 0.0), candidate("other", 0.1, 0.2 + 1e-10))
    assert winner(*near) == "one"


@pytest.mark.parametrize(("band", "upper"), [("dkw", dkw_band), ("multiscale", multiscale_band)])
@pytest.mark.parametrize("grid", [40, "exact"])
@pytest.mark.parametrize("rule", ["erm", "stable", "youden"])
def test_a_candidate_is_made_of_its_pieces(grid, rule, band, upper):
    cohort, costs = random_cohort(2, 50), Costs(cost_fn=2.0)
    search = Search(rule=rule, costs=costs, grid=grid, n_bootstrap=30, delta=0.2, band=band)
    found = try_candidate(cohort, cohort, search, np.random.default_rng(0))
    scores, labels = as_lists(cohort)
    thresholds = cuts.grid_of(scores, 40) if grid == 40 else cuts.exact_thresholds(scores)
    smallest = min(risks.risk_at(scores, labels, t, 2.0, 1.0) for t in thresholds)
    assert found.smallest_risk == pytest.approx(smallest, abs=1e-12)
    at_threshold = risks.risk_at(scores, labels, found.threshold, 2.0, 1.0)
    assert found.risk == pytest.approx(at_threshold, abs=1e-12)
    r = found.radius.radius
    assert found.modulus == pytest.approx(stability.modulus(scores, labels, r, 2.0, 1.0), abs=1e-12)
    assert found.penalty == pytest.approx(upper(cohort, r, costs, 0.2), abs=1e-12)
    assert found.objective == found.smallest_risk + found.penalty


def test_form_centering_and_failure_probability_are_those_asked_for():
    cohort, costs = random_cohort(1, 50), Costs()
    search = Search(
        rule="erm",
        costs=costs,
        n_bootstrap=40,
        form="oscillation",
        centering="bias",
        delta_boot=0.3,
    )
    found = try_candidate(cohort, cohort, search, np.random.default_rng(0))
    draws = found.draws
    assert search.stability_delta == 0.3
    assert found.radius == bootstrap_radius(draws.threshold, draws.thresholds, 0.3, "bias")
    assert found.radius != bootstrap_radius(draws.threshold, draws.thresholds, 0.3, "none")
    at_stake = (cohort, found.radius.radius, costs)
    assert found.modulus == modulus(*at_stake, "oscillation")
    assert found.penalty == multiscale_band(*at_stake, 0.3, "oscillation")
    assert found.recipe == cohort.recipe


def most_calls(tp, fn, fp, tn):
    return tp + fp


def test_a_function_is_kept_with_its_name():
    search = Search(rule=most_calls, costs=Costs(), n_bootstrap=2)
    assert (search.rule, search.function) == ("python:most_calls", most_calls)
    cohort = random_cohort(1)
    found = try_candidate(cohort, cohort, search, np.random.default_rng(0))
    assert found.threshold < cohort.scores.min()


def test_a_rule_for_the_next_site_resamples_within_sites():
    cohort = random_cohort(2, 60)
    codes = np.arange(60) % 3
    there = PatientScores(
        scores=cohort.scores, labels=cohort.labels, sites=np.array(["a", "b", "c"])[codes]
    )
    search = Search(rule="sensitivity:0.6@next-site", costs=Costs(), n_bootstrap=20)
    found = try_candidate(there, there, search, np.random.default_rng(0))
    cuts = exact_cuts(there)
    cells = group_cells(cuts, there, codes)
    draw = (cuts, search.chooser, Costs(), 20, np.random.default_rng(0))
    expected = draw_thresholds(*draw, groups=cells)
    assert found.draws.thresholds.tolist() == expected.thresholds.tolist()
    with pytest.raises(BadOption, match="needs every patient's site"):
        try_candidate(cohort, cohort, search, np.random.default_rng(0))


def test_a_limit_that_no_cut_keeps_is_refused_and_names_the_score():
    reversed_score = PatientScores(
        scores=[1.0, 2.0, 3.0, 4.0], labels=[1, 1, 0, 0], recipe=Recipe(score="grade")
    )
    search = Search(rule="ppv:0.9", costs=Costs(), n_bootstrap=2)
    with pytest.raises(NoFeasibleCut, match=r"no cut-off of 'grade.*' has ppv >= 0\.9"):
        try_candidate(reversed_score, reversed_score, search, np.random.default_rng(0))


def test_limits_that_some_replicates_do_not_keep_are_told():
    cohort = PatientScores(scores=range(12), labels=[0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1])
    search = Search(rule="ppv:0.9", costs=Costs(), n_bootstrap=40)
    found = try_candidate(cohort, cohort, search, np.random.default_rng(0))
    n = found.draws.n_infeasible
    assert 0 < n < 40
    (text,) = limit_warnings(search.chooser, found.draws)
    assert text.startswith(
        f"limits: {n / 40 * 100:.1f} % of the bootstrap cohorts have no cut-off with ppv"
    )
    assert text in found.warnings
    assert limit_warnings(search.chooser, replace(found.draws, n_infeasible=0)) == []
    assert limit_warnings(Search(costs=Costs()).chooser, found.draws) == []


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ([0.1, 0.3, 0.4], None),
        ([0.1, 0.2, 0.4], "1 patient is called whose score is not told apart"),
        ([0.2, 0.25, 0.4], "2 patients are called whose scores are not told apart"),
    ],
)
def test_patients_between_the_published_and_the_chosen_threshold_are_told(scores, told):
    found = close_warnings(0.3, 0.2, np.array(scores))
    assert len(found) == (told is not None)
    assert all(text.startswith(f"close scores: {told}") for text in found)


def test_within_strata_patients_are_resampled_apart():
    cohort, groups = random_cohort(2, 50), np.arange(50) % 3
    search = Search(rule="erm", costs=Costs(), grid="exact", n_bootstrap=30)
    rng = np.random.default_rng
    found = try_candidate(cohort, cohort, search, rng(0), groups=groups)
    cuts = exact_cuts(cohort)
    cells = group_cells(cuts, cohort, groups)
    expected = draw_thresholds(cuts, search.chooser, Costs(), 30, rng(0), groups=cells)
    assert found.draws.thresholds.tolist() == expected.thresholds.tolist()
    together = try_candidate(cohort, cohort, search, rng(0))
    assert found.draws.thresholds.tolist() != together.draws.thresholds.tolist()


def test_the_threshold_is_clear_of_patients_who_did_not_choose():
    choosing = PatientScores(scores=[0.0, 0.0, 2.0, 2.0], labels=[0, 0, 1, 1])
    everyone = PatientScores(scores=[0.0, 0.0, 1.0, 2.0, 2.0], labels=[0, 0, 1, 1, 1])
    search = Search(rule="erm", costs=Costs(), grid="exact", n_bootstrap=5)
    found = try_candidate(choosing, everyone, search, np.random.default_rng(0))
    assert found.draws.threshold == 1.0
    assert found.threshold == clear_of_scores(1.0, everyone.scores) < 1.0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"rule": "best"}, "rule must be one of"),
        (
            {"grid": "fine"},
            "grid must be 'exact', 'even' or a whole number of at least 2; got 'fine'.",
        ),
        ({"n_bootstrap": 1}, "n_bootstrap must be a whole number of at least 2; got 1."),
        ({"n_bootstrap": 10**9}, "n_bootstrap must be at most "),
        ({"delta_boot": 0.0}, "delta_boot must lie strictly between 0 and 1; got 0.0."),
        ({"delta": 1.2}, "delta must lie strictly between 0 and 1; got 1.2."),
        ({"centering": "mean"}, "centering must be one of none, bias; got 'mean'."),
        ({"form": "wide"}, "form must be one of pairwise, oscillation; got 'wide'."),
        ({"band": "thin"}, "band must be one of multiscale, dkw; got 'thin'."),
    ],
)
def test_a_search_is_checked_before_any_work(options, told):
    with pytest.raises(BadOption) as caught:
        Search(costs=Costs(), **options)
    assert str(caught.value).startswith(told)


def test_at_a_target_prevalence_the_band_is_that_of_two_classes():
    assert Search(costs=Costs(target=(0.1, 0.2))).band == "dkw"
    assert Search(costs=Costs()).band == "multiscale"


def test_censored_patients_choose_by_their_weights():
    """`erm` takes the cut at which the weighted patients of known fate cost least."""
    rng, costs = np.random.default_rng(3), Costs(cost_fn=2)
    scores = rng.normal(size=60)
    time, censored = rng.exponential(10 * np.exp(-scores)), rng.exponential(20, 60)
    patients = PatientScores(
        scores=scores, time=np.minimum(time, censored), event=time <= censored, horizon=5.0
    )
    assert patients.n_unknown
    search = Search(rule="erm", costs=costs, grid="exact", n_bootstrap=2, delta_boot=0.25)
    found = try_candidate(patients, patients, search, rng)
    ends = np.sort(scores)
    cuts = [ends[0] - 1, *((ends[1:] + ends[:-1]) / 2), ends[-1] + 1]
    least = min(weighted_at(patients, cut, costs, 0.1).risk for cut in cuts)
    assert found.smallest_risk == pytest.approx(least)
    assert found.risk == pytest.approx(least)
    assert search.delta_boot == 0.25


def test_the_threshold_is_clear_of_a_patient_of_unknown_fate():
    """Nobody knows the fate of the patient with score 1, in the middle of the gap."""
    patients = PatientScores(
        scores=[0, 0, 1, 2, 2], event=[0, 0, 0, 1, 1], time=[9, 9, 2, 1, 1], horizon=5.0
    )
    search = Search(rule="erm", costs=Costs(), grid="exact", n_bootstrap=5)
    found = try_candidate(patients, patients, search, np.random.default_rng(0))
    assert found.draws.threshold == 1.0
    assert found.threshold == clear_of_scores(1.0, patients.scores) < 1.0


def test_patients_whose_fate_was_filled_in_choose_with_the_others():
    """Two are censored. Counted as healthy, they leave one error at the best cut."""
    patients = PatientScores(
        scores=range(6), event=[0, 0, 0, 1, 0, 1], time=[9, 2, 9, 1, 2, 1], horizon=5.0
    )
    filled = replace(patients, labels=np.array([0, 0, 0, 1, 0, 1], dtype=np.int8))
    search = Search(rule="erm", costs=Costs(), grid="exact", n_bootstrap=5)
    found = try_candidate(filled, filled, search, np.random.default_rng(0))
    assert found.cuts.n_patients == 6
    assert found.smallest_risk == pytest.approx(1 / 6)
