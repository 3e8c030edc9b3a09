"""The audit against sums and products of counts that are written out here once more."""

import json
import math
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, binomtest

from steadycut import PatientScores, aggregate, audit, certify, fit
from steadycut.core.bounds.modulus import dkw_band_width
from steadycut.core.records import Costs
from steadycut.errors import BadPatients, DataWarning, ForcedWarning, MissingScores, TooFewPatients
from steadycut.show.pages.kinds import page_of
from tests.said import said

COSTS = [(1.0, 1.0), (3.0, 1.0), (0.5, 2.0)]


def cohort(seed, n_patients=120, prevalence=0.5, shift=0.0, sign=1.0):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n_patients) < prevalence).astype(int)
    labels[:4] = [0, 0, 1, 1]
    return sign * (rng.normal(size=n_patients) + 2 * labels + shift), labels


def freeze(seed=0, direction="ge", costs=(1.0, 1.0), **options):
    scores, labels = cohort(seed, sign=1.0 if direction == "ge" else -1.0)
    return fit(
        PatientScores(scores=scores, labels=labels),
        direction=direction,
        cost_fn=costs[0],
        cost_fp=costs[1],
        n_bootstrap=20,
        **options,
    ).freeze()


@dataclass
class Site:
    """Prevalence, miss rate, alarm rate and risk, from counts."""

    tp: int
    fn: int
    fp: int
    tn: int

    def __post_init__(self):
        self.n = self.tp + self.fn + self.fp + self.tn
        self.prevalence = (self.tp + self.fn) / self.n
        self.miss = self.fn / (self.tp + self.fn)
        self.alarm = self.fp / (self.fp + self.tn)

    def risk(self, costs):
        return (costs[0] * self.fn + costs[1] * self.fp) / self.n


def internal(rule):
    reference = rule.document.reference
    return Site(reference.tp, reference.fn, reference.fp, reference.tn)


def external(rule, scores, labels):
    called = [
        s >= rule.threshold if rule.direction == "ge" else s <= rule.threshold for s in scores
    ]
    pairs = list(zip(called, labels, strict=True))
    return Site(
        tp=pairs.count((True, 1)),
        fn=pairs.count((False, 1)),
        fp=pairs.count((True, 0)),
        tn=pairs.count((False, 0)),
    )


def cases():
    for number, costs in enumerate(COSTS):
        for direction in ("ge", "le"):
            rule = freeze(number, direction, costs)
            sign = 1.0 if direction == "ge" else -1.0
            there = cohort(number + 50, 90, prevalence=0.25, shift=0.7, sign=sign)
            yield pytest.param(rule, *there, costs, id=f"{direction}-{costs[0]:g}:{costs[1]:g}")


CASES = list(cases())
every_case = pytest.mark.parametrize(("rule", "scores", "labels", "costs"), CASES)


# Counts and risk ---------------------------------------------------------------------------


@every_case
def test_the_risk_there_is_the_mean_cost(rule, scores, labels, costs):
    found, q = audit(rule, scores, labels).to_dict(), external(rule, scores, labels.tolist())
    point = found["operating_point"]
    assert [point[key] for key in ("tp", "fn", "fp", "tn")] == [q.tp, q.fn, q.fp, q.tn]
    assert found["risk_external"] == pytest.approx(q.risk(costs))
    assert found["risk_internal"] == pytest.approx(internal(rule).risk(costs))
    assert found["call_rate"] == pytest.approx((q.tp + q.fp) / q.n)
    p = internal(rule)
    assert found["call_rate_internal"] == pytest.approx((p.tp + p.fp) / p.n)
    assert found["n_patients"] == 90
    assert point["sensitivity"] == pytest.approx(1 - q.miss)
    assert point["specificity"] == pytest.approx(1 - q.alarm)


@every_case
def test_the_standard_error_is_that_of_a_mean(rule, scores, labels, costs):
    found, q = audit(rule, scores, labels).to_dict(), external(rule, scores, labels.tolist())
    losses = np.r_[np.full(q.fn, costs[0]), np.full(q.fp, costs[1]), np.zeros(q.tp + q.tn)]
    assert found["risk_external_se"] == pytest.approx(losses.std() / np.sqrt(q.n))


@every_case
def test_flips_are_counted_over_the_draws(rule, scores, labels, costs):
    draws = np.array(rule.document.bootstrap_thresholds)
    sign = 1.0 if rule.direction == "ge" else -1.0
    usual = sign * scores >= sign * rule.threshold
    flips = np.array(
        [np.mean((sign * s >= sign * draws) != call) for s, call in zip(scores, usual, strict=True)]
    )
    found = audit(rule, scores, labels)
    assert found.flip_probability == pytest.approx(flips, abs=1e-12)
    content = found.to_dict()
    assert content["flip_rate"] == pytest.approx(flips.mean())
    assert content["grey_zone"]["patients"] == np.sum(flips > 0.1 - 1e-9)
    assert content["grey_zone"]["share"] == pytest.approx(np.mean(flips > 0.1 - 1e-9))
    assert content["flip_rate"] > 0


# Where the change comes from ---------------------------------------------------------------


@every_case
def test_the_signed_parts_sum_to_the_change_of_risk(rule, scores, labels, costs):
    found = audit(rule, scores, labels).to_dict()
    change = found["risk_external"] - found["risk_internal"]
    for name in ("signed", "shapley"):
        parts = found["shift"][name]
        added = parts["prevalence"] + parts["shape_positive"] + parts["shape_negative"]
        assert added == pytest.approx(change, abs=1e-12)
        assert parts["total"] == pytest.approx(change, abs=1e-12)
    assert abs(change) > 1e-3


@every_case
def test_every_part_follows_from_counts(rule, scores, labels, costs):
    p, q = internal(rule), external(rule, scores, labels.tolist())
    moved = q.prevalence - p.prevalence
    positive, negative = costs[0] * (q.miss - p.miss), costs[1] * (q.alarm - p.alarm)
    one = (
        moved * (costs[0] * q.miss - costs[1] * q.alarm),
        p.prevalence * positive,
        (1 - p.prevalence) * negative,
    )
    two = (
        moved * (costs[0] * p.miss - costs[1] * p.alarm),
        q.prevalence * positive,
        (1 - q.prevalence) * negative,
    )
    absolute = (
        (costs[0] + costs[1]) * abs(moved),
        p.prevalence * abs(positive),
        (1 - p.prevalence) * abs(negative),
    )
    found = audit(rule, scores, labels).to_dict()["shift"]
    names = ("prevalence", "shape_positive", "shape_negative")
    assert [found["signed"][name] for name in names] == pytest.approx(one)
    assert [found["shapley"][name] for name in names] == pytest.approx(np.add(one, two) / 2)
    assert [found[name] for name in names] == pytest.approx(absolute)
    assert found["total"] == pytest.approx(sum(absolute))


@every_case
def test_shift_is_at_least_the_change(rule, scores, labels, costs):
    found = audit(rule, scores, labels).to_dict()
    assert found["shift"]["total"] >= found["risk_external"] - found["risk_internal"] - 1e-12


# Bounds ------------------------------------------------------------------------------------


def direct_bound(site, costs, delta):
    """Exact binomial for equal costs, by search; the certificate of such patients for others."""
    if costs[0] != costs[1]:
        scores = np.repeat([1.0, 0.0, 1.0, 0.0], [site.tp, site.fn, site.fp, site.tn])
        labels = np.repeat([1, 1, 0, 0], [site.tp, site.fn, site.fp, site.tn])
        return certify(scores, labels, 0.5, cost_fn=costs[0], cost_fp=costs[1], delta=delta).value
    errors = site.fn + site.fp
    return costs[0] * brentq(lambda rate: binom.cdf(errors, site.n, rate) - delta, 1e-9, 1 - 1e-9)


@every_case
def test_the_bounds_follow_from_counts(rule, scores, labels, costs):
    p, q = internal(rule), external(rule, scores, labels.tolist())
    found, document = audit(rule, scores, labels).to_dict(), rule.document
    direct = direct_bound(q, costs, 0.1)
    shift = found["shift"]["total"]
    assert found["bound_external"] == pytest.approx(direct, abs=1e-6)
    assert document.certificate.value == pytest.approx(direct_bound(p, costs, 0.1), abs=1e-6)
    assert found["base_exact"] == pytest.approx(document.certificate.value + shift)
    root = math.sqrt(math.log(60) / 2)
    gamma = {
        "positive": root * costs[0] * p.prevalence / math.sqrt(p.tp + p.fn),
        "negative": root * costs[1] * (1 - p.prevalence) / math.sqrt(p.fp + p.tn),
        "prevalence": root * sum(costs) / math.sqrt(p.n),
    }
    assert found["gamma"] == pytest.approx(gamma | {"total": sum(gamma.values())})
    assert found["base"] == pytest.approx(p.risk(costs) + sum(gamma.values()) + shift)
    assert found["base_valid"] == pytest.approx(
        p.risk(costs) + shift + direct - q.risk(costs), abs=1e-6
    )
    chose = document.provenance.patients
    wide = {"n_positive": chose.select_positive, "n_negative": chose.select - chose.select_positive}
    band = dkw_band_width(**wide, costs=Costs(cost_fn=costs[0], cost_fp=costs[1]), delta=0.1)
    assert found["g_boot"] == pytest.approx(document.stability.modulus + band)
    assert found["augmented"] == pytest.approx(found["base"] + found["g_boot"])
    penalty = document.stability.penalty
    assert found["augmented_exact"] == pytest.approx(found["base_exact"] + penalty)
    assert found["base_valid"] >= found["bound_external"] - 1e-12
    assert found["augmented"] >= found["base"]
    trivial = min(costs[0] * q.prevalence, costs[1] * (1 - q.prevalence))
    assert found["vacuous"] == (found["bound_external"] >= trivial)


def test_a_rule_made_with_a_uniform_bound_is_audited_with_a_direct_one():
    rule = freeze(honesty="uniform", bound="paper")
    found = audit(rule, *cohort(9)).to_dict()
    assert rule.document.certificate.bound == "paper"
    assert found["bound"] == "clopper-pearson"
    assert found["base"] == pytest.approx(rule.document.certificate.value + found["shift"]["total"])
    assert found["base_exact"] == pytest.approx(found["base"])


def test_a_rule_made_with_the_papers_band_keeps_its_penalty():
    rule = freeze(instability={"band": "dkw", "delta_boot": 0.3})
    found = audit(rule, *cohort(9)).to_dict()
    assert found["g_boot"] == rule.document.stability.penalty
    other = audit(freeze(instability={"delta_boot": 0.3}), *cohort(9)).to_dict()
    assert other["g_boot"] == pytest.approx(found["g_boot"])


def test_the_global_distances_limit_the_shift_at_every_cut():
    scores, labels = cohort(9, shift=0.4)
    found = audit(freeze(), scores, labels).to_dict()["shift"]
    assert found["total"] < found["distances"]["limit"]
    moved = audit(freeze(), scores + 100, labels).to_dict()["shift"]["distances"]
    assert (moved["kolmogorov_positive"], moved["kolmogorov_negative"]) == (1, 1)


@pytest.mark.parametrize("only", [0, 1])
def test_a_distance_of_a_class_that_is_missing_is_not_known(only):
    scores, labels = cohort(9)
    here = audit(freeze(), scores[labels == only], labels[labels == only]).to_dict()["shift"]
    known = ("kolmogorov_negative", "kolmogorov_positive")
    assert here["distances"][known[1 - only]] is None
    assert here["distances"][known[only]] > 0
    assert here["total"] <= here["distances"]["limit"] + 1e-12


def test_delta_is_the_rules_own():
    scores, labels = cohort(9)
    strict, lax = freeze(delta=0.01), freeze(delta=0.4)
    q = external(strict, scores, labels.tolist())
    found = audit(strict, scores, labels).to_dict()
    assert found["delta"] == 0.01
    assert found["bound_external"] == pytest.approx(direct_bound(q, (1, 1), 0.01), abs=1e-6)
    assert audit(lax, scores, labels).to_dict()["delta"] == 0.4


# The verdict -------------------------------------------------------------------------------


def certain(rule, n_patients, n_errors):
    """Patients of both classes, far from the cut-off, the first ones on the wrong side."""
    labels = np.arange(n_patients) % 2
    wrong = np.arange(n_patients) < n_errors
    return rule.threshold + np.where((labels == 1) != wrong, 1.0, -1.0), labels


@pytest.mark.parametrize(
    ("n_patients", "n_errors", "answer", "decision"),
    [
        (300, 3, "yes", "use"),
        (300, 200, "no", "do not use"),
        (4, 1, "cannot tell", "label more"),
    ],
)
@pytest.mark.parametrize("costs", COSTS)
def test_the_verdict(n_patients, n_errors, answer, decision, costs):
    rule = freeze(seed=5, costs=costs)
    found = audit(rule, *certain(rule, n_patients, n_errors)).to_dict()
    answers = dict.fromkeys(("useful", "as_before", "within_certificate"), answer)
    change = found["verdict"].pop("change")
    assert found["verdict"] == {"decision": decision, **answers}
    assert change["low"] < change["value"] < change["high"]
    assert [one["answer"] for one in found["questions"]] == [answer] * 3
    texts = said(found)
    assert texts.verdict.startswith(f"{decision.upper()} ({n_patients} patients, ")
    promised = rule.document.certificate.value
    assert (found["bound_external"] <= promised) == (answer == "yes")
    assert texts.next_step.startswith("Next: ")
    assert "\n" not in texts.next_step + texts.verdict


def test_the_verdict_turns_where_the_exact_limits_say():
    rule = freeze()
    promised, n = rule.document.certificate.value, 100

    def twin(errors):
        if binom.cdf(errors, n, promised) <= 0.1:  # the upper limit lies below the promise
            return "yes"
        return "no" if binom.sf(errors - 1, n, promised) < 0.1 else "cannot tell"

    # The answer is no long before half of the patients are errors.
    tried = [*range(n // 2), n]
    several = [audit(rule, *certain(rule, n, k)).describe().verdict for k in tried]
    found = [one.within_certificate for one in several]
    wanted = [twin(k) for k in tried]
    assert wanted[-10:] == ["no"] * 10
    assert found == wanted
    assert set(found) == {"yes", "no", "cannot tell"}


@pytest.mark.parametrize(("delta", "text"), [(0.1, "90 %"), (0.05, "95 %"), (0.001, "99.9 %")])
def test_the_confidence_is_not_rounded_up(delta, text):
    rule = freeze(delta=delta)
    found = audit(rule, *certain(rule, 300, 0)).to_dict()
    assert f"({text})" in said(found).rows["Cost"]
    assert said(found).rows["Against before"].endswith(f", {text})")


def test_where_all_patients_are_of_one_class_the_other_one_is_asked_for():
    rule = freeze()
    scores = rule.threshold + np.array([-1.0, -1.0, 1.0])
    assert said(audit(rule, scores, np.zeros(3, dtype=int))).next_step == (
        "Next: label patients of the other class too; all patients here are of one class."
    )


def test_patients_of_the_study_are_not_judged():
    rule, (scores, labels) = freeze(), cohort(0)
    with pytest.warns(ForcedWarning):
        found = audit(rule, scores, labels, force=True).describe()
    assert (found.verdict.decision, found.verdict.reason) == ("not judged", "own patients")
    assert said(found).verdict.endswith("these patients took part in making the rule.")


def test_the_hospital_is_named_where_the_table_does():
    rule, (scores, labels) = freeze(), cohort(9)
    for sites, text in ((["B"] * 120, " at B (120 "), (["B", "C"] * 60, " at 2 hospitals (120 ")):
        there = PatientScores(scores=scores, labels=labels, sites=sites)
        found = audit(rule, there).describe()
        assert found.sites == sorted(set(sites))
        assert text in said(found).verdict


# One class, no labels ----------------------------------------------------------------------


@pytest.mark.parametrize("empty", [0, 1])
@pytest.mark.parametrize("costs", COSTS)
def test_an_empty_class_has_no_shape_part(empty, costs):
    rule = freeze(costs=costs)
    scores, _ = cohort(3, 40)
    found = audit(rule, scores, np.full(40, 1 - empty)).to_dict()
    missing = "shape_positive" if empty == 1 else "shape_negative"
    known = "shape_negative" if empty == 1 else "shape_positive"
    for parts in (found["shift"], found["shift"]["signed"], found["shift"]["shapley"]):
        assert parts[missing] is None
        assert parts[known] is not None
    signed = found["shift"]["signed"]
    change = found["risk_external"] - found["risk_internal"]
    assert signed["prevalence"] + signed[known] == pytest.approx(change, abs=1e-12)
    rate = "sensitivity" if empty == 1 else "specificity"
    assert found["operating_point"][rate] is None
    assert f'"{missing}": null' in json.dumps(found, allow_nan=False)


def test_without_labels_only_calls_and_flips_are_known():
    rule = freeze()
    scores, labels = cohort(9)
    blind, seeing = audit(rule, scores).to_dict(), audit(rule, scores, labels).to_dict()
    shared = ("call_rate", "flip_rate", "n_patients", "warnings", "grey_zone", "threshold")
    assert {key: blind[key] for key in shared} == {key: seeing[key] for key in shared}
    assert not blind["labelled"]
    assert blind["verdict"]["decision"] == "label more"
    assert blind["verdict"]["useful"] == "cannot tell"
    assert "without labels" in said(blind).verdict
    assert said(blind).verdict.startswith("LABEL MORE (120 patients)")
    assert "label some patients" in said(blind).next_step
    hidden = {"risk_external", "bound_external", "shift", "base", "base_valid", "augmented"}
    assert not hidden & set(blind)
    assert hidden <= set(seeing)


def test_patients_bring_their_labels_and_others_may_replace_them():
    rule = freeze()
    scores, labels = cohort(9)
    patients = PatientScores(scores=scores, labels=labels)
    assert audit(rule, patients).to_dict() == audit(rule, scores, labels).to_dict()
    swapped = audit(rule, patients, 1 - labels).to_dict()
    assert swapped == audit(rule, scores, 1 - labels).to_dict()


def test_replaced_labels_keep_what_else_is_known_of_the_patients():
    rule = fit(
        PatientScores(scores=cohort(0)[0], labels=cohort(0)[1], n_instances=np.full(120, 30)),
        n_bootstrap=20,
    ).freeze()
    scores, labels = cohort(9)
    few = PatientScores(scores=scores, labels=labels, n_instances=np.full(120, 2))
    assert audit(rule, few).to_dict() == audit(rule, few, labels).to_dict()
    assert len(audit(rule, few, labels).warnings) == 1


def test_the_audit_is_plain_json_without_a_patient():
    scores, labels = cohort(9)
    names = [f"Zoë-{i}" for i in range(120)]
    found = audit(freeze(), PatientScores(scores=scores, labels=labels, patients=names)).to_dict()
    text = json.dumps(found, allow_nan=False)
    assert json.loads(text) == found
    assert "Zo" not in text


def test_warnings_are_recorded():
    scores, labels = cohort(9)
    found = audit(freeze(), 1000 * scores, labels)
    assert any(text.startswith("unit: ") for text in found.to_dict()["warnings"])
    unlabelled = audit(freeze(), 1000 * scores).to_dict()
    assert said(unlabelled).next_step.startswith("Next: check the unit (percent or share?)")
    few = audit(freeze(), 1000 + scores[1:4], labels[1:4]).to_dict()
    assert few["verdict"]["decision"] == "not judged"
    assert few["verdict"]["reason"] == "unit"
    assert said(few).verdict.startswith("NOT JUDGED (3 patients, ")
    assert "another unit" in said(few).verdict
    assert said(few).next_step.startswith("Next: check the unit (percent or share?)")
    assert audit(freeze(), scores, labels).to_dict()["warnings"] == []


@pytest.mark.parametrize(
    ("scores", "labels", "error"),
    [
        ([], [], TooFewPatients),
        ([np.nan], [1], MissingScores),
        ([1.0], [2], BadPatients),
        ([1.0, 2.0], [1], BadPatients),
    ],
)
def test_what_cannot_be_audited_is_refused(scores, labels, error):
    with pytest.raises(error):
        audit(freeze(), scores, labels)


@pytest.mark.parametrize(
    ("options", "bound"),
    [({"honesty": "uniform"}, "dkw"), ({"stratified": True}, "paper"), ({}, "clopper-pearson")],
)
def test_base_at_the_patients_own_prevalence_takes_a_bound_that_holds(options, bound):
    rule = freeze(target_prevalence=0.2, **options)
    part = audit(rule, *cohort(9)).labelled.change
    assert part.internal.bound == bound
    assert part.intervals["signed"]["total"][0] < part.signed.total


# Rates that were certified -------------------------------------------------------------------


def certified_rule(**asked):
    scores, labels = cohort(0, 400)
    patients = PatientScores(scores=scores + labels, labels=labels)
    return fit(patients, n_bootstrap=5, **asked).freeze()


def test_an_audit_repeats_the_certified_rates():
    rule = certified_rule(certify="sensitivity:0.85,specificity:0.999")
    assert rule.certified_rates == {"sensitivity": 0.85}
    scores, labels = cohort(1, 400)
    found = audit(rule, scores + labels, labels).describe()
    # What was asked for and not shown was not certified.
    (one,) = found.certified_rates
    there = external(rule, scores + labels, labels)
    assert (one.rate, one.asked, one.right) == ("sensitivity", 0.85, there.tp)
    assert one.lower == pytest.approx(
        brentq(lambda p: binom.sf(there.tp - 1, there.tp + there.fn, p) - 0.1, 1e-9, 1 - 1e-9)
    )
    assert one.answer == "yes"
    assert said(found).marks[0].startswith("Sensitivity at least 0.85: shown (")


def test_a_certified_rate_that_is_lost_makes_the_audit_bad():
    rule = certified_rule(certify="sensitivity:0.85")
    scores, labels = cohort(1, 400)
    found = audit(rule, scores + labels - 1.5 * labels, labels).describe()
    assert found.certified_rates[0].answer == "no"
    assert found.verdict.within_certificate == "no"
    assert said(found).marks[0].startswith("Sensitivity at least 0.85: refuted (")
    assert found.verdict.decision == "adapt"
    assert "sensitivity below what was certified" in said(found).verdict


def test_without_certified_rates_nothing_is_said_of_them():
    scores, labels = cohort(1, 400)
    assert "certified_rates" not in audit(certified_rule(), scores, labels).to_dict()


# A second look -------------------------------------------------------------------------------


def test_an_open_audit_proposes_looks_whose_limits_hold_together():
    """And it says that the look that was just made is not one of them."""
    rule = certified_rule()
    plain, sequential = (
        audit(rule, *certain(rule, 8, 1), sequential=one).describe() for one in (False, True)
    )
    assert plain.verdict.decision == sequential.verdict.decision == "label more"
    for found in (plain, sequential):
        assert "Audit all of them as often as you like" in said(found).next_step
        assert "--sequential" in said(found).next_step
    assert "(this look adds its own 10 % chance of an error)" in said(plain).next_step
    assert "adds its own" not in said(sequential).next_step


# Numbers of patients that mean something ------------------------------------------------------


def weak_rule(distance, seed=1, n_patients=60):
    """A rule from few patients, whose certificate shows nothing."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_patients) % 2
    scores = rng.normal(size=n_patients) + distance * labels
    rule = fit(PatientScores(scores=scores, labels=labels), n_bootstrap=5).freeze()
    assert rule.certificate.vacuous
    return rule


def test_a_certificate_that_means_nothing_gets_no_number_of_patients():
    rule = weak_rule(0.5)
    # Wrong more often than certified, so many more patients would refute it.
    found = audit(rule, *certain(rule, 8, 6)).describe()
    assert found.risk_external > rule.certificate.value
    within = found.questions[2]
    assert within.answer == "cannot tell"
    assert within.patients_needed is None


@pytest.mark.parametrize("distance", [0.0, 0.5])
def test_without_labels_nothing_is_foretold_that_labels_may_refute(distance):
    """How many patients would settle a question depends on what they will show."""
    rule = weak_rule(distance)
    step = said(audit(rule, cohort(1, 40)[0])).next_step
    assert "would leave a question open" not in step
    assert "audit them" in step


def patients(seed, **given):
    scores, labels = cohort(seed, **given)
    return PatientScores(scores=scores, labels=labels)


@pytest.mark.parametrize("sequential", [False, True])
def test_the_share_called_has_exact_limits_without_labels(sequential):
    rule = fit(patients(1), rule="stable@call-rate:0.3", n_bootstrap=20).freeze()
    there = patients(2, shift=0.3)
    unlabelled = PatientScores(scores=there.scores)
    calls = audit(rule, unlabelled, sequential=sequential).describe().calls
    called = int((there.scores >= rule.threshold).sum())
    if sequential:
        # Wider, because it may be looked at again and again.
        exact = audit(rule, unlabelled).describe().calls
        assert calls.low < exact.low < called / 120 < exact.high < calls.high
        return
    low, high = binomtest(called, 120).proportion_ci(0.9, method="exact")
    assert (calls.low, calls.high) == pytest.approx((low, high))
    assert (calls.capacity, calls.level) == (0.3, 0.9)


@pytest.mark.parametrize(("shift", "within"), [(-3.0, "yes"), (5.0, "no")])
def test_a_capacity_is_kept_or_exceeded(shift, within):
    rule = fit(patients(1), rule="stable@call-rate:0.3", n_bootstrap=20).freeze()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = audit(rule, PatientScores(scores=patients(2).scores + shift))
    assert found.describe().calls.within_capacity == within
    assert f"Within capacity: {within}." in found.summary()


def test_without_a_limit_of_the_rule_there_is_no_capacity():
    rule = fit(patients(1), n_bootstrap=20).freeze()
    found = audit(rule, PatientScores(scores=patients(2).scores))
    assert found.describe().calls.capacity is None
    assert "capacity" not in found.summary()


@pytest.mark.parametrize("reverse", [False, True])
def test_labels_by_identifier_are_put_in_order_and_an_array_is_warned_of(reverse):
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1], 60)
    home = PatientScores(scores=rng.normal(size=120) + 3 * labels, labels=labels)
    rule = fit(home, n_bootstrap=20).freeze()
    names = [f"p{i:03d}" for i in range(120)][:: -1 if reverse else 1]
    table = pd.DataFrame({"id": names, "s": rng.normal(size=120) + 3 * labels, "y": labels})
    there = aggregate(table, patient="id", score="s")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        right = audit(rule, there, table.set_index("id")["y"], force=True)
        assert (
            audit(rule, there, dict(zip(names, labels, strict=True)), force=True).risk == right.risk
        )
    assert right.risk < 0.2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bare = audit(rule, there, labels, force=True)
    said = [str(one.message) for one in caught if str(one.message).startswith("order: y")]
    assert (len(said), bare.risk == right.risk) == (1, False) if reverse else (0, True)


def test_the_limit_for_all_is_said_to_stand_by_itself():
    scores, labels = cohort(1, 200)
    there = PatientScores(scores=scores, labels=labels, sites=np.repeat(["A", "B"], 100))
    page = page_of(audit(freeze(), there).describe())
    note = next(one for one in page.sections if one.key == "groups").tables[0].note
    assert 'in the row "Cost", is a statement by itself, with 90 % confidence' in note
