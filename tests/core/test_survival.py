"""Survival at a horizon, by hand and against slow twins."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from steadycut import PatientScores
from steadycut.core.bootstrap.draws import draw_weighted
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.records import UNKNOWN, Costs
from steadycut.core.rules.registry import chosen_cut, parse_rule
from steadycut.core.survival import (
    best_labels,
    censoring_weights,
    extremes_at,
    lausen_p_value,
    log_rank_cut,
    log_rank_scores,
    unknown_warnings,
    weighted_at,
    weighted_rate,
    worst_labels,
)
from steadycut.errors import BadPatients

TIME, EVENT = [2, 5, 5, 7, 3, 9], [1, 1, 0, 1, 0, 0]


def cohort(n=200, seed=0, censoring=30.0, **more):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    time, censored = rng.exponential(10 * np.exp(-scores)), rng.exponential(censoring, n)
    return PatientScores(
        scores=scores,
        time=np.minimum(time, censored),
        event=time <= censored,
        horizon=5.0,
        **more,
    )


def test_the_label_is_the_fate_at_the_horizon():
    # An event by 5; one at 5; followed to 5; an event after 5; censored before; followed beyond 5.
    patients = PatientScores(scores=range(6), time=TIME, event=EVENT, horizon=5)
    assert patients.fates.tolist() == [1, 1, 0, 0, UNKNOWN, 0]
    assert patients.n_unknown == 1
    assert patients.of_known_fate.labels.tolist() == [1, 1, 0, 0, 0]


def test_labels_that_are_unknown_are_never_counted_by_accident():
    patients = PatientScores(scores=range(6), time=TIME, event=EVENT, horizon=5)
    for ask in (
        lambda: patients.known_labels,
        lambda: patients.n_positive,
        lambda: patients.n_negative,
    ):
        with pytest.raises(BadPatients, match="1 of 6 patients were censored"):
            ask()
    assert "1 unknown" in repr(patients)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"time": [1, 2]}, "all three"),
        ({"time": [1, -2], "event": [0, 1], "horizon": 5}, "at least 0"),
        ({"time": [1, np.nan], "event": [0, 1], "horizon": 5}, "at least 0"),
        ({"time": [1, 2], "event": [0, 2], "horizon": 5}, "event must be 1"),
        ({"time": [1, 2], "event": [0, 1], "horizon": 5, "labels": [0, 1]}, "not both"),
        ({"time": [1], "event": [0, 1], "horizon": 5}, "time"),
    ],
)
def test_wrong_follow_up_is_refused(given, text):
    with pytest.raises(BadPatients, match=text):
        PatientScores(scores=[1, 2], **given)


def slow_weight(time, event, horizon, patient):
    """1 / Z(min(T, H)-), with the product written out; events come before censoring."""
    until, left = min(time[patient], horizon), 1.0
    for moment in sorted(set(time)):
        if moment < until:
            at_risk = sum(
                t > moment or (t == moment and not e) for t, e in zip(time, event, strict=True)
            )
            lost = sum(t == moment and not e for t, e in zip(time, event, strict=True))
            left *= 1 - lost / max(at_risk, 1)
    return 1 / left


def test_weights_are_those_of_the_product_limit():
    rng = np.random.default_rng(3)
    for _ in range(50):
        time = rng.integers(1, 9, 25).astype(float)
        event = rng.integers(0, 2, 25)
        found = censoring_weights(time, event, 6.0)
        known = (event == 1) | (time >= 6)
        wanted = [slow_weight(time.tolist(), event.tolist(), 6.0, i) for i in range(25)]
        assert found == pytest.approx(np.where(known, wanted, 0), abs=1e-5)
        assert censoring_weights(time, np.ones(25), 6.0).tolist() == [1.0] * 25


def test_weights_stand_for_all_patients():
    patients = cohort(n=5000, seed=1)
    weights = censoring_weights(patients.time, patients.event, 5.0)
    assert weights.sum() == pytest.approx(5000, rel=0.01)


@pytest.mark.parametrize("threshold", [-1.0, 0.0, 0.7])
def test_no_fate_is_worse_than_the_worst_or_better_than_the_best(threshold):
    rng, patients = np.random.default_rng(4), cohort(n=80)
    costs = Costs(cost_fn=3)
    found = extremes_at(patients, threshold)
    for _ in range(100):
        fates = patients.fates.copy()
        fates[fates == UNKNOWN] = rng.integers(0, 2, patients.n_unknown)
        counts = confusion_at(PatientScores(scores=patients.scores, labels=fates), threshold)
        assert found.best.risk(costs) <= counts.risk(costs) <= found.worst.risk(costs)
        assert found.best.miss_rate <= counts.miss_rate <= found.worst.miss_rate
        assert found.best.alarm_rate <= counts.alarm_rate <= found.worst.alarm_rate


def test_without_censoring_nothing_changes():
    patients = cohort(censoring=1e9)
    assert worst_labels(patients, 0.0) is patients
    assert best_labels(patients, 0.0) is patients
    counts = confusion_at(patients, 0.0)
    found = weighted_at(patients, 0.0, Costs(), 0.1)
    assert found.risk == pytest.approx(counts.risk(Costs()), abs=1e-12)
    assert found.sensitivity == pytest.approx(1 - counts.miss_rate, abs=1e-12)


def test_the_weighted_limit_is_clopper_pearsons_without_weights():
    # Of 20 patients 3 are wrong: the 90 % upper limit is 0.3042.
    losses = [1] * 3 + [0] * 17
    assert weighted_rate(losses, np.ones(20)).limit(0.1) == pytest.approx(0.3042, abs=1e-4)
    assert weighted_rate([0] * 20, np.ones(20)).limit(0.1) == pytest.approx(1 - 0.1 ** (1 / 20))
    nobody = weighted_rate([], np.zeros(0))
    assert (nobody.value, nobody.n_effective, nobody.limit(0.1)) == (None, 0, 1)


def test_weights_of_one_patient_who_stands_for_many_widen_the_limit():
    losses = np.array([1] * 3 + [0] * 17)
    plain = weighted_rate(losses, np.ones(20))
    heavy = weighted_rate(losses, np.array([1.0] * 3 + [1.0] * 16 + [9.0]))
    assert heavy.n_effective < plain.n_effective


def test_the_effective_number_by_hand():
    # Mean 3/8, variance (1.875^2 + 5 * 0.375^2) / 64: as in 32/9 plain patients. Kish: 64/14.
    found = weighted_rate([1, 0, 0, 0, 0, 0], np.array([3.0, 1, 1, 1, 1, 1]))
    assert found.value == pytest.approx(3 / 8)
    assert found.n_effective == pytest.approx(32 / 9)


def test_the_p_value_of_the_best_log_rank_cut_in_a_plain_loop():
    """Lausen and Schumacher's improved Bonferroni bound, for 3, 5 and 8 of 10 patients below."""
    b, n, p = 2.5, 10, 0.012419330651552265  # that of one cut, two-sided
    for one, other in ((3, 5), (5, 8)):
        t = math.sqrt(1 - one * (n - other) / ((n - one) * other))
        p += math.exp(-(b**2) / 2) / math.pi * (t - (b**2 / 4 - 1) * t**3 / 6)
    assert lausen_p_value(b, np.array([3, 5, 8]), n) == pytest.approx(p)
    assert lausen_p_value(b, np.array([3]), n) == pytest.approx(0.012419330651552265)
    assert lausen_p_value(0.1, np.array([1, 3, 5, 8]), n) == 1
    assert lausen_p_value(10.0, np.array([1, 99]), 100) == 0  # the bound itself is below 0


def followed(seed, n):
    """Scores, times and events with ties, and times that depend on the scores."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, n, n).astype(float)
    return scores, np.ceil(9 * np.exp(-scores / n) * rng.random(n)), rng.random(n) < 0.7


def slow_log_rank_scores(time, event):
    """The event, less 1 / (1 + the number followed for longer) for each event until then."""
    return [
        has - sum(e / (1 + sum(time > t)) for t, e in zip(time, event, strict=True) if t <= until)
        for until, has in zip(time, event, strict=True)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_log_rank_scores_in_a_plain_loop(seed):
    _, time, event = followed(seed, 20)
    wanted = slow_log_rank_scores(time, event)
    assert log_rank_scores(time, event) == pytest.approx(wanted)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("least", [0.1, 0.3])
def test_the_log_rank_cut_among_all_ways_to_deal_the_patients(seed, least):
    """A cut's statistic is its sum of scores, against the sums of every group of that size."""
    scores, time, event = followed(seed, 11)
    values = slow_log_rank_scores(time, event)
    statistics = {}
    for cut in sorted(set(scores.tolist())):
        low = [value for value, score in zip(values, scores, strict=True) if score <= cut]
        if int(least * 11) <= len(low) <= int((1 - least) * 11) and low != values:
            dealt = [sum(group) for group in combinations(values, len(low))]
            statistics[cut] = len(low), abs(sum(low) - np.mean(dealt)) / np.std(dealt)
    best = max(statistics, key=lambda cut: statistics[cut][1])
    found = log_rank_cut(scores, time, event, least)
    assert found.threshold == best
    assert found.statistic == pytest.approx(statistics[best][1])
    below = np.array([size for size, _ in statistics.values()])
    assert found.p_value == pytest.approx(lausen_p_value(statistics[best][1], below, 11))


def test_a_tenth_of_the_patients_is_left_on_either_side_of_a_log_rank_cut():
    """The patient with the first or the last score dies first: 19 to 1 is the best cut of all."""
    scores, event = np.arange(20.0), np.array([1] + [0] * 19)
    first, last = (log_rank_cut(sign * scores, scores, event) for sign in (1, -1))
    assert (first.threshold, last.threshold) == (1, -2)
    assert log_rank_cut(scores, scores, event, 0.05).threshold == 0


def test_two_patients_have_one_log_rank_cut():
    # Their scores are 1 - 1/2 and 1 - 1/2 - 1: the sum of one of them is 0 +- 1/2.
    found = log_rank_cut(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.ones(2))
    assert (found.threshold, found.statistic) == (1.0, 1.0)
    assert found.p_value == pytest.approx(0.31731, abs=1e-5)


def test_no_log_rank_cut_without_a_cut_to_try():
    ones = np.ones(20)
    assert log_rank_cut(ones, np.arange(20.0), ones) is None
    assert log_rank_cut(np.arange(20.0), np.arange(20.0), np.zeros(20)) is None


def test_the_weighted_limit_at_a_target_prevalence_takes_the_classes_apart():
    patients, costs = cohort(censoring=1e9), Costs(cost_fn=2, target=(0.2, 0.4))
    counts = confusion_at(patients, 0.0)
    found = weighted_at(patients, 0.0, costs, 0.1)
    assert found.risk == pytest.approx(counts.risk(costs))
    exact = certificate_of(counts, costs, 0.1)
    assert found.limit == pytest.approx(exact.value, rel=1e-9)


def test_a_class_without_patients_has_no_rate_and_no_useful_limit():
    patients = PatientScores(scores=[1, 2, 3], time=[9, 9, 9], event=[0, 0, 0], horizon=5)
    found = weighted_at(patients, 1.5, Costs(), 0.1)
    assert found.sensitivity is None
    assert found.specificity == pytest.approx(1 / 3)
    assert found.prevalence == 0
    assert weighted_rate([1, 1], np.ones(2)).limit(0.1) == 1.0
    at_target = weighted_at(patients, 1.5, Costs(target=(0.5, 0.5)), 0.1)
    assert at_target.limit == pytest.approx(
        0.5 + 0.5 * weighted_rate([1, 1, 0], np.ones(3)).limit(0.05)
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("costs", [Costs(cost_fn=3), Costs(cost_fn=4, cost_fp=5)])
def test_weighted_rates_and_costs_are_sums_of_weights(seed, costs):
    patients = cohort(n=60, seed=seed, censoring=8.0)
    cut = float(patients.scores[patients.fates == seed % 2][0])  # this patient is called
    time, event = patients.time.tolist(), patients.event.tolist()
    sums = dict.fromkeys([(ill, called) for ill in (0, 1) for called in (False, True)], 0.0)
    for i, (fate, score) in enumerate(zip(patients.fates, patients.scores, strict=True)):
        if fate != UNKNOWN:
            sums[int(fate), bool(score >= cut)] += slow_weight(time, event, 5.0, i)
    tn, fp, fn, tp = sums.values()
    found, total = weighted_at(patients, cut, costs, 0.1), sum(sums.values())
    assert found.sensitivity == pytest.approx(tp / (tp + fn), rel=1e-5)
    assert found.specificity == pytest.approx(tn / (tn + fp), rel=1e-5)
    assert found.ppv == pytest.approx(tp / (tp + fp), rel=1e-5)
    assert found.npv == pytest.approx(tn / (tn + fn), rel=1e-5)
    assert found.prevalence == pytest.approx((tp + fn) / total, rel=1e-5)
    wanted = (costs.cost_fn * fn + costs.cost_fp * fp) / total
    assert found.risk == pytest.approx(wanted, rel=1e-5)
    assert found.risk < found.limit < costs.largest
    assert found.delta == 0.1
    stricter = weighted_at(patients, cut, costs, 0.01)
    assert stricter.limit > found.limit
    assert weighted_at(patients, cut, replace(costs, target=(0.2, 0.4)), 0.1).risk == pytest.approx(
        max(
            p * costs.cost_fn * fn / (tp + fn) + (1 - p) * costs.cost_fp * fp / (fp + tn)
            for p in (0.2, 0.4)
        ),
        rel=1e-5,
    )


def test_a_cut_without_errors_costs_nothing_and_may_still_cost_something():
    """Nobody is censored: the limits are those of no error among 2 ill and 3 healthy patients."""
    patients = PatientScores(
        scores=range(5), time=[9, 9, 9, 1, 2], event=[0, 0, 0, 1, 1], horizon=5
    )
    plain = weighted_at(patients, 2.5, Costs(cost_fn=2), 0.1)
    assert plain.risk == 0
    assert plain.limit == pytest.approx(2 * (1 - 0.1 ** (1 / 5)))
    found = weighted_at(patients, 2.5, Costs(cost_fn=2, target=(0.2, 0.4)), 0.1)
    assert found.risk == 0
    miss, alarm = 1 - 0.05 ** (1 / 2), 1 - 0.05 ** (1 / 3)
    assert found.limit == pytest.approx(0.4 * 2 * miss + 0.6 * alarm)
    for cut, called, left in ((9, None, 0.6), (-1, 0.4, None)):
        alone = weighted_at(patients, cut, Costs(), 0.1)
        assert (alone.ppv, alone.npv) == (pytest.approx(called), pytest.approx(left))
        assert alone.prevalence == pytest.approx(0.4)


def test_everybody_ill_has_no_specificity():
    patients = PatientScores(scores=[1, 2, 3], time=[1, 2, 3], event=[1, 1, 1], horizon=5)
    found = weighted_at(patients, 1.5, Costs(), 0.1)
    assert found.specificity is None
    assert found.sensitivity == pytest.approx(2 / 3)
    assert found.prevalence == 1


def test_the_extremes_of_four_unknown_fates_by_hand():
    # Censored at 3 with the scores 1, 2, 2 and 3; 2 and more is called, also exactly 2.
    patients = PatientScores(
        scores=[1, 2, 2, 3, 0, 4], time=[3, 3, 3, 3, 9, 4], event=[0, 0, 0, 0, 0, 1], horizon=5
    )
    found = extremes_at(patients, 2.0)
    assert (found.n_unknown, found.n_unknown_called) == (4, 3)
    assert found.worst == Confusion(tp=1, fn=1, fp=3, tn=1)
    assert found.best == Confusion(tp=4, fn=0, fp=0, tn=2)
    assert worst_labels(patients, 2.0).labels.tolist() == [1, 0, 0, 0, 0, 1]
    assert best_labels(patients, 2.0).labels.tolist() == [0, 1, 1, 1, 0, 1]


def test_unknown_fates_are_counted_in_a_warning():
    patients = PatientScores(scores=range(6), time=TIME, event=EVENT, horizon=5)
    (text,) = unknown_warnings(patients, "of the audit")
    assert text.startswith("survival: 1 of 6 patients of the audit were censored before 5, so")
    (text,) = unknown_warnings(patients)
    assert "1 of 6 patients used to check were censored" in text
    assert unknown_warnings(patients.of_known_fate) == []


def test_weighted_cuts_are_those_of_repeated_patients():
    # A patient of weight 2 counts like two patients at the same score.
    rng = np.random.default_rng(8)
    scores, labels = rng.normal(size=40), rng.integers(0, 2, 40)
    weights = rng.integers(1, 4, 40).astype(float)
    patients = PatientScores(scores=scores, labels=labels)
    repeated = PatientScores(
        scores=np.repeat(scores, weights.astype(int)), labels=np.repeat(labels, weights.astype(int))
    )
    for rule in ("erm", "youden", "stable"):
        cuts = cuts_of(patients, "exact")
        cell_of = cuts.bin_of(scores) + cuts.cells.size // 2 * (labels == 0)
        found = draw_weighted(
            cuts, parse_rule(rule), Costs(), 3, np.random.default_rng(0), cell_of, weights
        )
        assert found.threshold == chosen_cut(cuts_of(repeated, "exact"), parse_rule(rule), Costs())
        assert found.thresholds.size == 3
