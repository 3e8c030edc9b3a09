"""The best cut under constraints, and rules that users write."""

import functools
import json
from dataclasses import replace

import numpy as np
import pytest

import steadycut
from steadycut.core.confusion import Confusion
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs, PatientScores, Recipe
from steadycut.core.rules.best_criterion import Best, best_of, criterion_of
from steadycut.core.rules.registry import parse_rule
from steadycut.errors import BadOption, NoFeasibleCut
from tests.core.cohorts import SEEDS, binormal, random_cohort

# Called from the top: 1 0 1 1 0 0 1 0, so that a cut is a prefix of this row.
COHORT = PatientScores(scores=[8, 7, 6, 5, 4, 3, 2, 1], labels=[1, 0, 1, 1, 0, 0, 1, 0])


def n_called(rule, cohort=COHORT, costs=None):
    cells = cuts_of(cohort, "exact").cells[None, :]
    chosen = parse_rule(rule)(count_errors(cells), costs or Costs())
    return cohort.n_patients - int(chosen[0])


@pytest.mark.parametrize(
    ("rule", "called"),
    [
        ("ppv:0.7", 4),  # PPV 1 or 3/4; of these the NPV is 4/7 or 3/4
        ("npv:0.99", 7),  # only without a miss
        ("sensitivity-near:0.7", 4),  # 3/4 is nearer than 1/2
        ("ppv-near:0.5", 6),  # 3/6, at NPV 1/2; also 1/2 at NPV 1/2, 4/8 has no NPV
        ("plr:2", 4),  # 3/4 : 1/4
        ("plr", 4),  # with one called it is infinite, which is no evidence
        ("nlr:0.5", 4),  # (1/4) : (3/4) and, with more called, 0
        ("accuracy@sensitivity:0.9", 7),
        ("specificity@sensitivity:0.7@ppv:0.6", 4),
        ("sensitivity:0.7@ppv:0.6", 4),
        ("specificity:0.2@sensitivity:0.7", 7),
        ("f1@specificity:0.7", 4),
        ("erm@ppv:0.9", 1),
        ("net-benefit:0.5@npv:0.9", 7),
        ("se-sp-least", 4),
        ("minimax", 4),
        ("prevalence-match", 4),
        ("call-rate:0.5", 4),  # 3 of 4 ill are called; fewer find fewer
        ("call-rate:0.49", 3),
        ("erm@call-rate:0.2", 1),
        ("stable@call-rate:0.3", 2),  # stable itself calls 4
        ("stable@sensitivity:0.9", 7),
    ],
)
def test_a_row_of_eight_patients_by_hand(rule, called):
    assert n_called(rule) == called


@pytest.mark.parametrize("limit", ["call-rate:0.2", "sensitivity:0.9", "ppv:0.6@call-rate:0.5"])
@pytest.mark.parametrize("seed", SEEDS)
def test_stable_within_limits_is_the_nearest_of_all_allowed_cuts(seed, limit):
    cohort = random_cohort(seed)
    curve = count_errors(cuts_of(cohort, "exact").cells[None, :])
    wanted = int(parse_rule("stable")(curve, Costs())[0])
    calls, hits = (cohort.scores >= 0) * 1.0, []
    for rank in np.unique(curve.ranks[0]):
        place = int(np.flatnonzero(curve.ranks[0] == rank)[0])
        fn, fp = int(curve.misses[0, place]), int(curve.alarms[0, place])
        tp = cohort.n_positive - fn
        rates = {
            "call-rate": -(tp + fp) / calls.size,
            "sensitivity": tp / max(cohort.n_positive, 1),
            "ppv": tp / (tp + fp) if tp + fp else -1.0,
        }
        asked = dict(one.split(":") for one in limit.split("@"))
        signs = {"call-rate": -1.0}
        if all(rates[name] >= signs.get(name, 1) * float(x) - 1e-12 for name, x in asked.items()):
            hits.append(rank)
    if not hits:
        return
    nearest = min(hits, key=lambda rank: (abs(rank - wanted), rank))
    assert n_called(f"stable@{limit}", cohort) == cohort.n_patients - nearest


@pytest.mark.parametrize("seed", SEEDS)
def test_a_constraint_in_full_is_its_short_form(seed):
    cohort = random_cohort(seed)
    for name, partner in (("sensitivity", "specificity"), ("specificity", "sensitivity")):
        short, full = f"{name}:0.8", f"{partner}@{name}:0.8"
        assert n_called(short, cohort) == n_called(full, cohort)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rule_only_looks_at_the_order_of_the_scores(seed):
    cohort = random_cohort(seed)
    bent = PatientScores(scores=np.exp(cohort.scores), labels=cohort.labels)
    for rule in ("kappa", "ppv:0.8", "plr-near:2", "f1@sensitivity:0.6"):
        assert n_called(rule, cohort) == n_called(rule, bent)


def test_without_a_cut_within_the_limits_the_nearest_is_taken():
    """PPV is at most 1/2 here: by the largest shortfall as a part of its limit, once per limit."""
    cohort = PatientScores(scores=[4, 3, 2, 1], labels=[0, 1, 0, 1])
    assert n_called("ppv:0.9", cohort) == 2
    assert n_called("npv@ppv:0.9@sensitivity:0.99", cohort) == 4
    assert n_called("nlr:0.1", cohort) == 0


def test_a_row_where_nothing_is_defined_still_has_a_cut():
    nobody_sick = PatientScores(scores=[1.0, 2.0, 3.0], labels=[0, 0, 0])
    assert n_called("kappa", nobody_sick) in range(4)
    assert n_called("ppv:0.9", nobody_sick) in range(4)


def test_an_infeasible_constraint_is_refused_by_name():
    cohort = binormal(0, 60, distance=0.5)
    with pytest.raises(NoFeasibleCut) as caught:
        steadycut.fit(cohort, rule="kappa@ppv:0.6@npv:0.999", honesty="uniform")
    text = str(caught.value)
    assert text.startswith("no cut-off of 'score: patient mean' has ppv >= 0.6 and npv >= 0.999 ")
    assert text.endswith("Ask for less, or choose by another rule.")
    with pytest.raises(NoFeasibleCut, match=r"has nlr <= 0\.0001 and plr >= 5 among .* nlr 0, plr"):
        steadycut.fit(cohort, rule="nlr:0.0001@plr:5", honesty="uniform")


def test_a_value_that_no_cut_has_is_called_undefined():
    rule, cuts = parse_rule("f1@odds-ratio:2"), cuts_of(COHORT.take(COHORT.known_labels == 1), 5)
    with pytest.raises(NoFeasibleCut, match="odds-ratio undefined"):
        rule.refuse_infeasible(cuts, Costs(), "them")


def test_a_constraint_that_a_replicate_cannot_meet_leaves_the_stability_report_whole():
    """At 0.9 the cohort has a cut, many of its replicates have none."""
    scores = np.arange(40.0)
    labels = np.r_[np.tile([0, 0, 0, 1], 7), 1, 0, np.ones(10, dtype=int)]
    study = steadycut.fit(
        PatientScores(scores=scores, labels=labels),
        rule="ppv:0.9@sensitivity:0.55",
        honesty="uniform",
    )
    assert np.all(np.isfinite(study.bootstrap_thresholds))
    assert np.unique(study.bootstrap_thresholds).size > 1
    (told,) = [text for text in study.warnings if text.startswith("limits: ")]
    assert "% of the bootstrap cohorts have no cut-off with ppv >= 0.9 and sensitivity" in told


def test_infeasible_cohorts_are_counted():
    rule = parse_rule("ppv:0.9")
    rows = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1]])
    curve = count_errors(rows)
    by_hand = [
        max(
            (row[j:2].sum() / (row[j:2].sum() + row[2 + j :].sum()))
            for j in range(2)
            if row[j:2].sum() + row[2 + j :].sum()
        )
        for row in rows
    ]
    assert rule.n_infeasible(curve, Costs()) == sum(value < 0.9 for value in by_hand)
    assert parse_rule("kappa").n_infeasible(curve, Costs()) == 0


def hits_minus_alarms(tp, fn, fp, tn):
    del fn, tn
    return tp - 3 * fp


class Weighted:
    """A rule that is an object."""

    def __init__(self, weight, name):
        self.weight = weight
        self.__name__ = name

    def __call__(self, tp, fn, fp, tn):
        return tp + self.weight * tn


def test_a_function_of_the_counts_is_a_rule():
    assert n_called(hits_minus_alarms) == 1
    study = steadycut.fit(binormal(1, 80), rule=hits_minus_alarms)
    assert study.to_dict()["rule"] == "python:hits_minus_alarms"
    assert study.flip_rate > 0
    model = steadycut.StableThreshold(rule=hits_minus_alarms, random_state=0)
    cohort = binormal(1, 80)
    assert model.fit(cohort.scores, cohort.labels).threshold_ == study.threshold


def test_the_frozen_rule_knows_the_name_of_the_function():
    frozen = steadycut.fit(binormal(1, 80), rule=Weighted(1.0, "evenly")).freeze()
    assert json.loads(frozen.to_bytes())["rule"] == "python:evenly"


def test_a_function_agrees_with_the_rule_that_it_repeats():
    def kappa(tp, fn, fp, tn):
        return 2 * (tp * tn - fn * fp) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))

    for seed in SEEDS:
        cohort = random_cohort(seed)
        assert n_called(kappa, cohort) == n_called("kappa", cohort)


def test_nan_forbids_a_cut():
    def never_all(tp, fn, fp, tn):
        return np.where(fn + tn == 0, np.nan, tp + fp)

    assert n_called(never_all) == 7


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda tp, fn, fp, tn: tp, "got <lambda>. Define the function with def"),
        (functools.partial(hits_minus_alarms), "got partial. Define the function with def"),
    ],
)
def test_a_function_without_a_name_is_refused(function, told):
    with pytest.raises(BadOption) as caught:
        steadycut.fit(binormal(0, 40), rule=function)
    assert told in str(caught.value)


def test_a_function_that_does_not_keep_the_contract_is_refused_before_any_work():
    def one_number(tp, fn, fp, tn):
        return 3.0

    def of_scalars(tp, fn, fp, tn):
        return tp if tp > fp else tn

    with pytest.raises(
        BadOption, match=r"python:one_number must return one value per cut, .* \(1, 3\); got shape"
    ):
        criterion_of(one_number)
    with pytest.raises(BadOption, match=r"raised ValueError: .* use numpy\.vectorize\.$"):
        criterion_of(of_scalars)
    vectorised = np.vectorize(of_scalars, otypes=[float])
    vectorised.__name__ = "of_scalars"
    assert isinstance(parse_rule(vectorised), Best)


@pytest.mark.parametrize("rule", ["sensitivity:0.9", "ppv:0.9", "specificity:0.9@sensitivity:0.8"])
def test_a_half_of_one_class_refuses_no_limit(rule):
    """Two patients of each class are enough, however they are dealt."""
    cohort = PatientScores(scores=[0.1, 0.2, 0.8, 0.9], labels=[0, 0, 1, 1])
    studies = [steadycut.fit(cohort, rule=rule, n_bootstrap=5, seed=seed) for seed in range(12)]
    assert {study.select_patients.n_positive for study in studies} == {0, 1, 2}
    assert not any(np.isnan(study.threshold) for study in studies)


@pytest.mark.parametrize("honesty", ["split", "uniform"])
def test_a_candidate_without_a_feasible_cut_is_left_out_and_still_counts(honesty):
    """The patients told which one to leave out, so the bound must hold for both."""
    good = binormal(0, 80, distance=3.0)
    upside_down = replace(good, scores=-good.scores, recipe=Recipe(score="bad"))
    options = {"rule": "ppv:0.8@sensitivity:0.5", "honesty": honesty, "n_bootstrap": 20}
    alone = steadycut.fit(good, **options)
    both = steadycut.fit([upside_down, good], **options)
    assert both.threshold == alone.threshold
    assert (both.infeasible, both.n_candidates) == (("bad: patient mean",), 2)
    assert both.certificate.n_candidates == 2
    assert both.warnings[0].startswith("limits: no cut-off of 'bad: patient mean' keeps the limits")
    point, plain = both.operating_point(), alone.operating_point()
    assert point.n_choices == (2 if honesty == "uniform" else 0)
    wider = both.certificate.value - alone.certificate.value
    assert (wider > 0) == (honesty == "uniform")
    assert point.fixed["ppv"].value == plain.fixed["ppv"].value
    with pytest.raises(NoFeasibleCut, match="'bad: patient mean'"):
        steadycut.fit(upside_down, **options)


def test_an_ensemble_needs_a_feasible_cut_of_every_method():
    good = binormal(0, 80, distance=3.0)
    upside_down = replace(good, scores=-good.scores, recipe=Recipe(score="bad"))
    with pytest.raises(NoFeasibleCut, match="'bad: patient mean'"):
        steadycut.fit([good, upside_down], rule="ppv:0.8@sensitivity:0.5", ensemble="quantile")


def nothing_goes(tp, fn, fp, tn):
    del fn, fp, tn
    return tp * np.nan


def test_a_function_with_complex_values_is_refused():
    def turned(tp, fn, fp, tn):
        return (tp - fp) * (1 + 1j)

    with pytest.raises(BadOption, match="raised TypeError: complex numbers have no order"):
        criterion_of(turned)


def test_a_function_that_forbids_every_cut_is_refused():
    with pytest.raises(NoFeasibleCut, match="python:nothing_goes allows no cut-off of 'score: pat"):
        steadycut.fit(binormal(0, 60), rule=nothing_goes)


def test_a_limit_on_the_cost_counts_by_the_costs():
    """Misses cost 3: with 4 called 1 is missed and 1 alarmed, (3 + 1) / 8; with 7 called 3 / 8."""
    costs = Costs(cost_fn=3.0)
    assert n_called("specificity@erm:0.5", costs=costs) == 4
    assert n_called("specificity@erm:0.4", costs=costs) == 7
    assert n_called("specificity@erm:0.01", costs=costs) == 7
    curve = count_errors(cuts_of(COHORT, "exact").cells[None, :])
    assert parse_rule("f1@erm:0.4").n_infeasible(curve, costs) == 0
    assert parse_rule("f1@erm:0.3").n_infeasible(curve, costs) == 1
    assert parse_rule("f1@erm:0.3").n_infeasible(curve, Costs()) == 0


def test_what_ties_is_settled_in_each_row():
    """A merit of a million millions in one row must not blur another row."""
    merit = np.array([[1e15, 0.0, 1e15], [1.0, 1.5, 1.5 * (1 + 1e-14)]])
    found = best_of(merit, np.ones(merit.shape, dtype=bool))
    assert found.tolist() == [[True, False, True], [False, True, True]]


def test_the_value_of_an_aim_is_the_distance_to_it():
    """With 4 of 8 called the PPV is 3 / 4."""
    (goal, _), found = parse_rule("ppv-near:0.6").goals, Confusion(tp=3, fn=1, fp=1, tn=3)
    assert goal.value_at(found, Costs()) == pytest.approx(0.15)
    assert (goal.name, goal.meaning) == ("ppv-near:0.6", "ppv as near to 0.6 as can be")
    assert criterion_of(hits_minus_alarms).meaning == "largest value of a function of the counts"


def test_every_row_has_its_own_limits():
    """In the first row a PPV of 0.9 can be met, in the second at most 1/2, in the third 3/4."""
    rows = np.array([[0, 1, 1, 1, 1, 0], [1, 1, 1, 2, 1, 1], [1, 0, 3, 1, 2, 1]])
    for name in ("ppv:0.9", "stable@ppv:0.9", "plr", "npv@sensitivity:0.9"):
        rule = parse_rule(name)
        alone = [int(rule(count_errors(row[None, :]), Costs())[0]) for row in rows]
        assert rule(count_errors(rows), Costs()).tolist() == alone


@pytest.mark.parametrize(
    ("rule", "from_top", "told"),
    [
        ("ppv:0.9", "0101", "has ppv >= 0.9 among the .*; the best at any cut is ppv 0.5."),
        ("nlr:0.1@ppv:0.9", "0101", "nlr <= 0.1 and ppv >= 0.9 .* any cut is nlr 1, ppv 0.5."),
        ("nlr:0.4", "1001", "nlr <= 0.4 among .* at any cut is nlr 0.5."),
        ("f1@erm:0.4", "0101", "erm <= 0.4 among .* at any cut is erm 0.5."),
    ],
)
def test_the_best_that_any_cut_reaches_is_told(rule, from_top, told):
    """A miss costs 3 and an alarm 1: the cheapest is to call everybody."""
    cohort = PatientScores(scores=[4, 3, 2, 1], labels=[int(label) for label in from_top])
    with pytest.raises(NoFeasibleCut, match=told):
        parse_rule(rule).refuse_infeasible(cuts_of(cohort, "exact"), Costs(cost_fn=3.0), "them")


def test_a_function_may_divide_by_0():
    """Nobody called has no PPV: such a cut is not allowed, and nothing is said."""

    def precise(tp, fn, fp, tn):
        return tp / (tp + fp)

    assert n_called(precise) == 1
