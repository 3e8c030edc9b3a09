"""The quantile-scale ensemble against twins that count patients one by one."""

import dataclasses
import functools
from fractions import Fraction

import numpy as np
import pytest

from steadycut.core.bounds.modulus import modulus
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import TIE, count_errors
from steadycut.core.diagnose import stability_warnings
from steadycut.core.ensemble import (
    WEIGHT_PARTS,
    Ensemble,
    Method,
    draw_cuts,
    equal_weights,
    gls_weights,
    make_ensemble,
    risk_warnings,
    thin,
    try_ensemble,
    whole_weights,
)
from steadycut.core.records import Costs, PatientScores, Recipe
from steadycut.core.rules.registry import parse_rule
from steadycut.core.select import BANDS, Search, radius_of, try_candidate
from steadycut.errors import BadRuleFile
from tests.core.cohorts import SEEDS, random_cohort


def several(seed, n_patients=20):
    """Methods of the same patients: continuous, tied, and heavily tied."""
    rng = np.random.default_rng(seed)
    labels = random_cohort(seed, n_patients).labels
    common = rng.normal(size=n_patients) + 1.2 * labels
    noisy = common + 0.5 * rng.normal(size=(3, n_patients))
    scores = [noisy[0], np.round(4 * noisy[1]), np.round(noisy[2])]
    return [
        PatientScores(scores=row, labels=labels, recipe=Recipe(score=f"m{i}"))
        for i, row in enumerate(scores)
    ]


def search(rule="erm", n_bootstrap=7):
    return Search(rule=rule, costs=Costs(cost_fn=2.0), grid="exact", n_bootstrap=n_bootstrap)


def make(methods, kind="quantile", sign=1.0, seed=5, **options):
    rng = np.random.default_rng(seed)
    return make_ensemble(methods, methods, kind, search(**options), sign, rng)


# The twin ----------------------------------------------------------------------------------


def twin_cut(patients, drawn, rule):
    """Twice the rank of the cut that the rule chooses among drawn patients, by counting."""
    sample = patients.take(np.array(drawn))
    cells = exact_cuts(sample).cells[None, :]
    below = int(parse_rule(rule)(count_errors(cells), Costs(cost_fn=2.0))[0])
    ordered = sorted(sample.scores.tolist())
    every = patients.scores.tolist()
    # The cut lies anywhere between the last drawn score below it and the first one above.
    low = sum(x <= ordered[below - 1] for x in every) if below else 0
    high = sum(x < ordered[below] for x in every) if below < len(ordered) else len(every)
    return low + high


@pytest.mark.parametrize("rule", ["erm", "stable", "youden"])
@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_and_draws_are_those_of_the_twin(seed, rule):
    methods = several(seed)
    n = methods[0].n_patients
    references = [np.sort(method.scores) for method in methods]
    found = draw_cuts(methods, references, search(rule), np.random.default_rng(seed))
    drawn = np.random.default_rng(seed).integers(0, n, size=(7, n))
    rows = [list(range(n)), *drawn.tolist()]
    expected = [[twin_cut(method, row, rule) for row in rows] for method in methods]
    assert found.tolist() == expected


@pytest.mark.parametrize("kind", ["quantile", "gls"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_scores_and_decisions_are_those_of_the_twin(seed, sign, kind):
    methods = several(seed)
    ensemble, cuts = make(methods, kind, sign)
    rng = np.random.default_rng(seed)
    new = [
        PatientScores(scores=np.append(rng.normal(size=30), rng.choice(one.scores, 30)))
        for one in methods
    ]
    came = [PatientScores(scores=sign * one.scores) for one in new]
    scores = ensemble.combine(came).scores
    called = sign * scores >= ensemble.threshold(cuts, sign)[0]
    n, total = methods[0].n_patients, ensemble.total_weight
    u = Fraction(int(cuts[0]), 2 * n * total)
    for i in range(60):
        quantile = Fraction(0)
        for method, one, part in zip(methods, new, ensemble.methods, strict=True):
            s = one.scores[i]
            ranks = sum(int(x < s) + int(x <= s) for x in method.scores)
            quantile += Fraction(part.weight, total) * Fraction(ranks, 2 * n)
        assert bool(called[i]) == (quantile >= u)
        assert scores[i] == float(quantile if sign > 0 else 1 - quantile)


def test_a_case_worked_by_hand():
    labels = [0, 0, 1, 1]
    one = PatientScores(scores=[1.0, 2.0, 3.0, 4.0], labels=labels)
    other = PatientScores(scores=[5.0, 7.0, 7.0, 9.0], labels=labels)
    ensemble, cuts = make([one, other], rule="sensitivity:0.9")
    # Two patients lie below the first cut, one below the second; all is doubled.
    assert cuts[0] == 4 + 2
    assert ensemble.steps == 2 * 4 * 2
    assert ensemble.threshold(cuts[:1], 1.0) == [(6 - 0.5) / 16]
    assert ensemble.combine([one, other]).scores.tolist() == [
        (1 + 1) / 16,
        (3 + 4) / 16,
        (5 + 4) / 16,
        (7 + 7) / 16,
    ]


def test_no_score_meets_a_threshold_and_all_draws_lie_between_whole_steps():
    for seed in SEEDS:
        methods = several(seed)
        ensemble, cuts = make(methods, "gls")
        placed = ensemble.threshold(cuts, 1.0)
        assert np.array_equal(np.isinf(placed), (cuts == 0) | (cuts == ensemble.steps))
        doubled = 2 * ensemble.steps * placed[np.isfinite(placed)]
        assert np.all(np.round(doubled) % 2 == 1)
        assert not np.isin(ensemble.threshold(cuts, 1.0), ensemble.combine(methods).scores).any()


def test_the_same_patients_are_drawn_for_all_methods():
    """A method and an increasing function of it have the same draws."""
    one = several(3)[0]
    other = PatientScores(scores=np.exp(one.scores), labels=one.labels)
    references = [np.sort(one.scores), np.sort(other.scores)]
    found = draw_cuts([one, other], references, search(), np.random.default_rng(0))
    assert found[0].tolist() == found[1].tolist()


@pytest.mark.parametrize("rows", [0, 3])
def test_batches_do_not_matter(monkeypatch, rows):
    methods = several(2)
    one = make(methods)[1]
    monkeypatch.setattr("steadycut.core.ensemble.BATCH", 2 * 20 * rows)
    assert make(methods)[1].tolist() == one.tolist()


# Weights -----------------------------------------------------------------------------------


def cut_draws(seed, n_methods=3, n_replicates=50):
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(n_methods, n_methods)) + 2 * np.eye(n_methods)
    return np.round(40 + 5 * mix @ rng.normal(size=(n_methods, n_replicates))).astype(np.int64)


def variance(weights, draws):
    return float(np.var(weights @ draws))


@pytest.mark.parametrize("seed", range(40))
def test_gls_weights_have_the_smallest_variance(seed):
    draws = cut_draws(seed)
    weights = gls_weights(draws) / WEIGHT_PARTS
    free = np.linalg.solve(np.cov(draws), np.ones(3))
    free /= free.sum()
    if free.min() >= 0:
        np.testing.assert_allclose(weights, free, atol=1e-4)
    steps = np.linspace(0, 1, 41)
    grid = [(a, b, 1 - a - b) for a in steps for b in steps if a + b <= 1 + 1e-9]
    smallest = min(variance(np.array(point), draws) for point in grid)
    assert variance(weights, draws) <= smallest * (1 + 1e-6)


def test_some_gls_weights_of_the_samples_are_free_and_some_are_held_at_zero():
    held = [bool((gls_weights(cut_draws(seed)) == 0).any()) for seed in range(40)]
    assert 5 < sum(held) < 35


@pytest.mark.parametrize("seed", range(10))
def test_gls_weights_are_whole_not_negative_and_have_one_sum(seed):
    weights = gls_weights(cut_draws(seed, n_methods=5))
    assert weights.dtype == np.int64
    assert weights.min() >= 0
    assert weights.sum() == WEIGHT_PARTS


def test_methods_that_cannot_be_told_apart_share_their_weight():
    one, other = cut_draws(1, n_methods=2)
    alone = gls_weights(np.array([one, other]))
    twice = gls_weights(np.array([one, one, other]))
    assert abs(twice[0] - twice[1]) <= 1
    assert abs(twice[:2].sum() - alone[0]) <= 1
    assert gls_weights(np.array([one, one])).tolist() == [5000, 5000]


def test_a_small_share_of_the_mean_variance_is_added_to_each():
    """Cuts that vary by 100,000 together, and by 1 and 3 apart: 10 is added to 1 and to 9."""
    common, one, other = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]])
    weights = gls_weights(100_000 * common + np.array([one, 3 * other]))
    np.testing.assert_allclose(weights / WEIGHT_PARTS, [19 / 30, 11 / 30], atol=1e-4)


def test_cuts_that_never_move_have_equal_weights():
    assert gls_weights(np.full((2, 9), 7)).tolist() == [5000, 5000]
    assert gls_weights(np.full((3, 9), 7)).tolist() == [3334, 3333, 3333]
    moves = np.array([np.arange(9), np.full(9, 7)])
    assert gls_weights(moves).tolist() == [0, WEIGHT_PARTS]


def test_whole_weights_give_the_rest_to_the_largest_remainders():
    assert whole_weights(np.array([0.33335, 0.33329, 0.33336])).tolist() == [3333, 3333, 3334]
    assert whole_weights(np.array([1.0, 0.0])).tolist() == [WEIGHT_PARTS, 0]
    # Of equal remainders the first ones, on every machine.
    found = whole_weights(np.array([1, 2] * 15) / 45)
    assert found.tolist() == [222, 445] * 10 + [222, 444] * 5


def test_equal_weights_are_one_each():
    assert equal_weights(np.zeros((3, 4), dtype=np.int64)).tolist() == [1, 1, 1]


# Many patients -----------------------------------------------------------------------------


def test_a_short_reference_is_kept_and_a_long_one_keeps_both_ends():
    assert thin(np.arange(5.0)).tolist() == [0, 1, 2, 3, 4]
    kept = thin(np.arange(10_000.0))
    assert kept.size == 2001
    assert (kept[0], kept[-1]) == (0, 9_999)
    assert set(np.diff(kept)) == {4.0, 5.0}


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_cuts_are_ranked_in_the_thinned_reference(sign, monkeypatch):
    monkeypatch.setattr("steadycut.core.ensemble.thin", functools.partial(thin, most=6))
    methods = several(4)
    ensemble, cuts = make(methods, sign=sign)
    assert {part.reference.size for part in ensemble.methods} == {6}
    assert ensemble.steps == 2 * 6 * 3
    expected = 0
    for method in methods:
        reference = thin(np.sort(method.scores), most=6)
        rank = twin_cut(method, list(range(20)), "erm") // 2
        outermost = np.sort(method.scores)[rank] if rank < 20 else np.inf
        expected += 2 * int(np.count_nonzero(reference < outermost))
    assert cuts[0] == expected


def test_the_ensemble_is_a_candidate_beside_its_methods():
    methods = several(4, 40)
    given = dataclasses.replace(search(n_bootstrap=30), form="oscillation", delta=0.2)
    ensemble, cuts = make(methods, n_bootstrap=30)
    patients, thresholds = ensemble.combine(methods), ensemble.threshold(cuts, 1.0)
    alone = [try_candidate(method, method, given, np.random.default_rng(0)) for method in methods]
    found = try_ensemble(patients, thresholds, alone, given)
    assert found.threshold == found.draws.threshold == thresholds[0]
    assert found.draws.rank == np.count_nonzero(patients.scores < thresholds[0])
    assert np.array_equal(found.draws.thresholds, thresholds[1:])
    below = [np.count_nonzero(patients.scores < cut) for cut in thresholds[1:]]
    assert found.draws.ranks.tolist() == below
    assert found.recipe == patients.recipe
    assert found.cuts.values.tolist() == np.unique(patients.scores).tolist()
    assert found.risk == confusion_at(patients, thresholds[0]).risk(given.costs)
    everywhere = [*patients.scores, np.inf]
    smallest = min(confusion_at(patients, cut).risk(given.costs) for cut in everywhere)
    assert found.smallest_risk == pytest.approx(smallest)
    assert found.radius == radius_of(found.cuts, found.draws, given)
    at_stake = (patients, found.radius.radius, given.costs)
    assert found.modulus == modulus(*at_stake, given.form)
    assert found.penalty == BANDS[given.band](*at_stake, given.delta, given.form)
    unstable = stability_warnings(found.cuts, found.draws, given.costs)
    assert list(found.warnings) == unstable + risk_warnings(found.risk, alone, given)


@pytest.mark.parametrize("kind", ["quantile", "gls"])
def test_cuts_of_an_ensemble_are_whole(kind):
    _, cuts = make(several(2), kind)
    assert cuts.dtype == np.int64


def test_weights_come_from_the_replicates():
    methods = several(2, 40)
    references = [np.sort(method.scores) for method in methods]
    cuts = draw_cuts(methods, references, search(n_bootstrap=5), np.random.default_rng(5))
    ensemble, _ = make(methods, "gls", n_bootstrap=5)
    weights = gls_weights(cuts[:, 1:])
    assert [part.weight for part in ensemble.methods] == weights.tolist()
    assert weights.tolist() != gls_weights(cuts).tolist()


def test_a_method_that_is_better_alone_is_named():
    methods, given = several(4, 40), search()
    alone = [try_candidate(method, method, given, np.random.default_rng(0)) for method in methods]
    best = min(alone, key=lambda candidate: candidate.risk)
    assert risk_warnings(best.risk, alone, given) == []
    assert risk_warnings(best.risk + 1e-13, alone, given) == []
    # The more expensive error costs 2: a tie is meant in units of it.
    assert risk_warnings(best.risk + 1.5 * TIE, alone, given) == []
    assert risk_warnings(best.risk + 3 * TIE, alone, given)
    (text,) = risk_warnings(best.risk + 0.1, alone, given)
    assert text.startswith("ensemble: its risk among the patients used to choose")
    assert f"'{best.recipe.name}' alone, {best.risk:.3f}" in text


def test_ranks_count_ties_half():
    method = Method(
        recipe=Recipe(), weight=1, reference=np.array([1.0, 1.0, 2.0]), score_range=(1.0, 2.0)
    )
    assert method.doubled_ranks(np.array([0.0, 1.0, 1.5, 2.0, 3.0])).tolist() == [0, 2, 4, 5, 6]


def test_the_recipe_of_an_ensemble_names_no_column_of_a_table():
    recipe = Recipe(patient="id", score="s", label="y", levels=(("slide", "max"),))
    method = Method(recipe=recipe, weight=1, reference=np.zeros(1), score_range=(0.0, 0.0))
    other = dataclasses.replace(method, recipe=Recipe(patient="no", label="no"))
    made = Ensemble(kind="quantile", methods=(method, other)).recipe
    assert (made.patient, made.label) == ("id", "y")
    assert made.name == "ensemble: patient quantile-ensemble"


def test_an_ensemble_keeps_what_is_known_of_the_patients():
    methods = [
        PatientScores(scores=one.scores, labels=one.labels, n_instances=[n] * 20, recipe=one.recipe)
        for n, one in enumerate(several(0), 3)
    ]
    ensemble, _ = make(methods, "gls", sign=-1.0)
    assert ensemble.kind == "gls"
    for part, one in zip(ensemble.methods, methods, strict=True):
        assert part.score_range == (-one.scores.max(), -one.scores.min())
    found = ensemble.combine(methods)
    assert found.labels.tolist() == methods[0].labels.tolist()
    assert found.n_instances.tolist() == [3] * 20
    assert found.recipe == ensemble.recipe


def test_only_methods_of_one_reading_of_a_table_can_be_frozen():
    first = Recipe(score="a")
    made, _ = make(several(0)[:2])

    def of(*recipes):
        pairs = zip(made.methods, recipes, strict=True)
        methods = tuple(dataclasses.replace(method, recipe=recipe) for method, recipe in pairs)
        return dataclasses.replace(made, methods=methods).readable_recipes()

    second = Recipe(score="b", how="max")
    assert of(first, second) == [first, second]
    with pytest.raises(BadRuleFile, match="two methods called 'a: patient mean' cannot be frozen"):
        of(first, first)
    for other in (Recipe(score="b", patient="case"), Recipe(score="b", levels=(("slide", "max"),))):
        with pytest.raises(BadRuleFile) as caught:
            of(first, other)
        assert f"'{first.name}' and '{other.name}' differ." in str(caught.value)
