"""Labelling plans: whom they draw, what is refused, and what their labels say about a rule."""

import numpy as np
import pytest

from steadycut import FrozenRule, PatientScores, audit, draw_labels, fit
from steadycut.core.verdict import DECISIONS
from steadycut.documents.audit import SampledRatePart
from steadycut.documents.change_plan import LabelPlan, read_sealed, sealed_of
from steadycut.errors import BadOption, BadPatients, BadRuleFile
from steadycut.show.sections.sampled import in_short
from steadycut.show.words.audit import _between
from steadycut.study.labels.limits import sampled
from tests.said import said

N = 3000


@pytest.fixture(scope="module")
def rule() -> FrozenRule:
    rng = np.random.default_rng(0)
    ill = np.repeat([0, 1], [300, 100])
    home = PatientScores(scores=rng.normal(size=400) + 3 * ill, labels=ill)
    return fit(home, n_bootstrap=20, cost_fn=5).freeze()


@pytest.fixture(scope="module")
def pool():
    rng = np.random.default_rng(1)
    ill = (rng.random(N) < 0.04).astype(int)
    names = np.array([f"q{number:05d}" for number in range(N)])
    return PatientScores(scores=rng.normal(size=N) + 3 * ill, patients=names), ill


def labels_of(found, pool):
    patients, ill = pool
    known = dict(zip(patients.patients.tolist(), ill.tolist(), strict=True))
    return {name: known[name] for name in found.patients.tolist()}


def test_a_number_of_labels_makes_three_strata_at_the_cut_off(rule, pool):
    found = draw_labels(rule, pool[0], 500, prevalence=0.04)
    plan = found.plan
    assert [one.name for one in plan.strata] == ["called", "just below", "far below"]
    assert plan.edge < rule.threshold == plan.threshold
    assert plan.strata[0].patients == np.sum(pool[0].scores >= rule.threshold)
    assert found.expected[0] == pytest.approx(500, rel=0.01)
    assert found.expected[1] <= found.patients.size <= found.expected[2]
    assert found.patients.size == sum(one.drawn for one in plan.strata)


def test_the_plan_names_no_patient_and_reads_back(rule, pool, tmp_path):
    plan = draw_labels(rule, pool[0], 500).plan
    text = plan.to_bytes().decode()
    assert not any(f'"{name}"' in text for name in pool[0].patients.tolist())
    path = tmp_path / "label_plan.json"
    path.write_bytes(plan.to_bytes())
    assert read_sealed(LabelPlan, path) == plan
    with pytest.raises(BadRuleFile, match="changed after"):
        sealed_of(LabelPlan, path.read_bytes().replace(b'"seed": 0', b'"seed": 1'), "it")
    with pytest.raises(BadRuleFile, match=r"not a label_plan\.json"):
        sealed_of(LabelPlan, rule.to_bytes(), "it")


def test_the_order_of_patients_and_more_labels_keep_the_coins(rule, pool):
    patients = pool[0]
    less = draw_labels(rule, patients, probabilities=[0.5, 0.3, 0.1], edge=0.5)
    more = draw_labels(rule, patients, probabilities=[1.0, 0.4, 0.1], edge=0.5)
    turned = draw_labels(
        rule, patients.take(np.arange(N)[::-1]), probabilities=[0.5, 0.3, 0.1], edge=0.5
    )
    assert set(less.patients.tolist()) <= set(more.patients.tolist())
    assert set(less.patients.tolist()) == set(turned.patients.tolist())
    other = draw_labels(rule, patients, probabilities=[0.5, 0.3, 0.1], edge=0.5, seed=1)
    assert set(less.patients.tolist()) != set(other.patients.tolist())


def test_the_limits_are_those_of_the_core(rule, pool):
    found = draw_labels(rule, pool[0], probabilities=[1.0, 0.5, 0.2], edge=0.5)
    there = audit(rule, pool[0], labels_of(found, pool), label_plan=found.plan).describe()
    drawn = sampled(rule, found.plan, pool[0], labels_of(found, pool), 0.1)
    part, delta = there.sampled, rule.certificate.delta
    assert part.miss.high == drawn.worst.highest_miss(delta / 2)
    assert part.alarm.high == drawn.worst.highest_alarm(delta / 2)
    assert part.cost.high == drawn.worst.highest_cost(rule.costs, delta)
    truth = np.mean(pool[0].scores[pool[1] == 1] < rule.threshold)
    assert part.miss.low <= truth <= part.miss.high
    assert not there.labelled
    assert there.verdict.decision in DECISIONS
    assert len(there.questions) == 3


@pytest.mark.parametrize("seed", [0, 3])
def test_another_seed_than_the_first_is_said(rule, pool, seed):
    found = draw_labels(rule, pool[0], probabilities=[1.0, 0.5, 0.2], edge=0.5, seed=seed)
    there = audit(rule, pool[0], labels_of(found, pool), label_plan=found.plan)
    assert any("drawn with the seed 3" in one for one in there.warnings) == (seed == 3)


def test_everybody_labelled_gives_the_limits_of_a_plain_audit(rule, pool):
    patients, ill = pool
    found = draw_labels(rule, patients, probabilities=[1.0, 1.0])
    part = audit(rule, patients, ill, label_plan=found.plan).describe().sampled
    plain = audit(rule, PatientScores(scores=patients.scores, labels=ill)).describe()
    rates = [
        one.limit
        for one in audit(rule, patients.scores, ill).labelled.comparison.limited_rates(0.1)
    ]
    assert (part.miss.high, part.alarm.high) == pytest.approx(rates)
    assert part.cost.high == pytest.approx(plain.bound_external)
    assert part.cost.value == pytest.approx(plain.risk_external)


def test_labels_that_were_not_drawn_are_ignored_and_said(rule, pool):
    patients, ill = pool
    found = draw_labels(rule, patients, 500)
    few = audit(rule, patients, labels_of(found, pool), label_plan=found.plan)
    with pytest.warns(UserWarning, match="not drawn by the plan"):
        many = audit(rule, patients, ill, label_plan=found.plan)
    assert many.describe().sampled.miss == few.describe().sampled.miss
    assert many.describe().sampled.ignored == N - found.patients.size


def test_a_drawn_patient_without_a_label_counts_as_an_error_and_as_right(rule, pool):
    patients, _ = pool
    found = draw_labels(rule, patients, 500)
    labels = labels_of(found, pool)
    below = [
        name
        for name, stratum in zip(found.patients, found.strata, strict=True)
        if stratum == "far below"
    ]
    fewer = {name: one for name, one in labels.items() if name not in below[:3]}
    with pytest.warns(UserWarning, match="3 drawn patients have no label"):
        part = audit(rule, patients, fewer, label_plan=found.plan).describe().sampled
    full = audit(rule, patients, labels, label_plan=found.plan).describe().sampled
    as_ill = audit(rule, patients, labels | dict.fromkeys(below[:3], 1), label_plan=found.plan)
    as_well = audit(rule, patients, labels | dict.fromkeys(below[:3], 0), label_plan=found.plan)
    assert part.unlabelled == 3
    assert part.miss.high == as_ill.describe().sampled.miss.high > full.miss.high
    assert part.miss.low == as_well.describe().sampled.miss.low


def test_later_patients_have_coins_too(rule, pool):
    patients, ill = pool
    first = np.arange(N) < 2500
    found = draw_labels(rule, patients.take(first), probabilities=[1.0, 0.2])
    with pytest.warns(UserWarning, match="500 patients came after"):
        part = audit(rule, patients, ill, label_plan=found.plan).describe().sampled
    assert sum(one.patients for one in part.strata) == N


def test_a_stratum_without_labels_is_named_and_bounded(rule, pool):
    with pytest.warns(UserWarning, match="far below"):
        found = draw_labels(rule, pool[0], probabilities=[1.0, 0.5, 0.0], edge=0.5)
    with pytest.warns(UserWarning, match="cannot be known"):
        there = audit(rule, pool[0], labels_of(found, pool), label_plan=found.plan)
    part = there.describe().sampled
    assert part.hidden.strata == ["far below"]
    assert part.hidden.miss_if_none < part.hidden.miss_target < part.miss.high
    assert 0 < part.hidden.most_ill < 0.1
    assert "cannot be known" in there.summary()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "give one of them"),
        ({"draw": 300, "probabilities": [1, 0.5]}, "give one of them"),
        ({"draw": N}, "Label all of them"),
        ({"draw": 3}, "at least 10"),
        ({"probabilities": [0, 0.5]}, "above 0 for called"),
        ({"probabilities": [1.0]}, "two or three"),
        ({"probabilities": [1, 2]}, "from 0 to 1"),
        ({"probabilities": [1, 0.5], "edge": 0.1}, "three strata"),
        ({"draw": 300, "edge": 99.0}, "below the cut-off"),
        ({"draw": 300, "prevalence": 2}, "between 0 and 1"),
        ({"draw": 300, "seed": -1}, "seed"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(rule, pool, given, says):
    with pytest.raises(BadOption, match=says):
        draw_labels(rule, pool[0], **given)


def test_patients_without_identifiers_have_no_coins(rule, pool):
    with pytest.raises(BadPatients, match="identifiers"):
        draw_labels(rule, PatientScores(scores=pool[0].scores), 300)


def test_another_rule_table_or_score_is_refused(rule, pool):
    patients, _ = pool
    found = draw_labels(rule, patients, 500)
    labels = labels_of(found, pool)
    with pytest.raises(BadOption, match="another rule"):
        audit(rule, patients, labels, label_plan=found.plan.model_copy(update={"rule": "0" * 64}))
    with pytest.raises(BadPatients, match="made for 3000 patients"):
        audit(rule, patients.take(np.arange(N) < 2000), {}, label_plan=found.plan)
    moved = PatientScores(scores=patients.scores + 0.3, patients=patients.patients)
    with pytest.raises(BadPatients, match="not the patients"):
        audit(rule, moved, labels, label_plan=found.plan)
    with pytest.raises(BadPatients, match="not in the table"):
        audit(rule, patients, {**labels, "nobody": 1}, label_plan=found.plan)
    with pytest.raises(BadPatients, match="mapping from identifiers"):
        audit(rule, patients, [0, 1], label_plan=found.plan)


def test_a_stratum_of_which_no_label_came_is_refused(rule, pool):
    found = draw_labels(rule, pool[0], 500)
    labels = labels_of(found, pool)
    kept = {
        n: labels[n]
        for n, s in zip(found.patients.tolist(), found.strata, strict=True)
        if s != "called"
    }
    with pytest.raises(BadPatients, match="none of the"):
        audit(rule, pool[0], kept, label_plan=found.plan)


@pytest.mark.parametrize("more", [{"group": "sex"}, {"small_cells": 5}, {"sequential": True}])
def test_what_a_plan_does_not_go_with_is_refused(rule, pool, more):
    found = draw_labels(rule, pool[0], 500)
    with pytest.raises(BadOption, match="leave one out"):
        audit(rule, pool[0], {}, label_plan=found.plan, **more)


def answers(rule, pool, found, labels=None):
    """Return the numbers behind the decision."""
    return said(audit(rule, pool[0], labels or labels_of(found, pool), label_plan=found.plan)).rows


def test_an_empty_stratum_without_labels_hides_nobody(rule, pool):
    found = draw_labels(rule, pool[0], probabilities=[1.0, 0.5, 0.0], edge=-99.0)
    there = audit(rule, pool[0], labels_of(found, pool), label_plan=found.plan).describe()
    two = draw_labels(rule, pool[0], probabilities=[1.0, 0.5])
    same = audit(rule, pool[0], labels_of(two, pool), label_plan=two.plan).describe()
    assert said(there).rows == said(same).rows
    assert "stratum" not in said(there).next_step


def test_nobody_ill_among_the_drawn_gives_no_estimate_of_calling_nobody(rule, pool):
    found = draw_labels(rule, pool[0], 500)
    assert "; treat-all or treat-none about " in answers(rule, pool, found)["Cost"]
    healthy = dict.fromkeys(found.patients.tolist(), 0)
    assert "treat" not in answers(rule, pool, found, healthy)["Cost"]


@pytest.mark.parametrize("value", [0.1231, 0.12349, 0.5])
def test_limits_in_sentences_are_rounded_to_the_safe_side(value):
    low, high = _between(SampledRatePart(value=None, low=value, high=value), 100).split(" to ")
    assert float(low) <= 100 * value <= float(high)
    assert (
        float(in_short(SampledRatePart(value=None, low=0.0, high=value)).split()[-2]) >= 100 * value
    )


def test_here_and_certified_have_the_same_unit(pool):
    rng = np.random.default_rng(0)
    ill = np.repeat([0, 1], [300, 100])
    home = PatientScores(scores=rng.normal(size=400) + 3 * ill, labels=ill)
    rule = fit(home, n_bootstrap=20).freeze()
    assert " per 100 (90 %)" in answers(rule, pool, draw_labels(rule, pool[0], 500))["Cost"]


def test_a_certified_rate_that_keeps_the_answer_open_is_said(pool):
    rng = np.random.default_rng(0)
    ill = np.repeat([0, 1], [300, 100])
    home = PatientScores(scores=rng.normal(size=400) + 3 * ill, labels=ill)
    rule = fit(home, n_bootstrap=20, cost_fn=5, certify="sensitivity:0.8").freeze()
    text = answers(rule, pool, draw_labels(rule, pool[0], 300))["Sensitivity"]
    assert text.startswith("at least 0.")
    assert text.endswith("; certified at least 0.8")


def test_a_rule_that_called_everybody_cannot_share_out_labels():
    ill = np.array([1] * 27 + [0] * 3)
    everybody = PatientScores(scores=np.ones(30) + np.arange(30) / 100, labels=ill)
    rule = fit(everybody, rule="erm", n_bootstrap=2, honesty="uniform").freeze()
    there = PatientScores(scores=np.arange(60.0), patients=[str(one) for one in range(60)])
    with pytest.raises(BadOption, match="called everybody at the first hospital"):
        draw_labels(rule, there, 12, prevalence=0.2, force=True)
