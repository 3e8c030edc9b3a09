import math

import numpy as np
import pytest

from steadycut.core.confusion import Confusion, confusion_at, count_decisions
from steadycut.core.records import Costs
from tests.core.cohorts import COSTS, SEEDS, as_lists, random_cohort
from tests.slow_reference import risks

COUNTS = Confusion(tp=6, fn=2, fp=3, tn=9)


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_agree_with_looking_at_every_patient(seed):
    cohort = random_cohort(seed)
    for threshold in [*cohort.scores, -9.0, 0.25, 9.0]:
        counts = confusion_at(cohort, threshold)
        expected = risks.counts_at(*as_lists(cohort), threshold)
        assert (counts.tp, counts.fn, counts.fp, counts.tn) == expected
        assert counts.n_positive == sum(cohort.labels)
        assert counts.n_patients == cohort.n_patients


def test_rates_by_hand():
    assert COUNTS.prevalence == 8 / 20
    assert COUNTS.miss_rate == 2 / 8
    assert COUNTS.alarm_rate == 3 / 12
    assert COUNTS.call_rate == 9 / 20


def test_an_empty_class_has_no_rate():
    assert Confusion(tp=0, fn=0, fp=1, tn=1).miss_rate is None
    assert Confusion(tp=1, fn=1, fp=0, tn=0).alarm_rate is None


@pytest.mark.parametrize("costs", COSTS)
def test_risk_and_its_error_agree_with_the_losses(costs):
    losses = [costs.cost_fn] * COUNTS.fn + [costs.cost_fp] * COUNTS.fp
    losses += [0.0] * (COUNTS.tp + COUNTS.tn)
    error = float(np.std(losses)) / math.sqrt(len(losses))
    assert COUNTS.risk(costs) == pytest.approx(np.mean(losses), abs=1e-12)
    assert COUNTS.standard_error(costs) == pytest.approx(error, abs=1e-12)


def test_no_error_has_no_standard_error():
    assert Confusion(tp=3, fn=0, fp=0, tn=3).standard_error(Costs()) == 0.0


def test_the_better_rule_without_a_score():
    """Calling nobody misses 8 of 20, calling everybody alarms 12."""
    assert COUNTS.trivial_risk(Costs()) == 8 / 20
    assert COUNTS.trivial_risk(Costs(cost_fn=3.0)) == 12 / 20


def test_without_any_score_the_worse_ends_count():
    costs = Costs(cost_fn=3.0, target=(0.1, 0.2))
    assert Confusion(tp=1, fn=1, fp=1, tn=1).trivial_risk(costs) == pytest.approx(min(0.6, 0.9))


def test_counts_are_by_class_and_by_call():
    assert COUNTS.counts.tolist() == [[9, 3], [2, 6]]


@pytest.mark.parametrize(
    ("counts", "prevalence"),
    [
        (Confusion(tp=8, fn=0, fp=3, tn=9), 0.1),
        (Confusion(tp=6, fn=2, fp=0, tn=12), 0.5),
        (Confusion(tp=0, fn=0, fp=3, tn=9), 0.1),
        (Confusion(tp=6, fn=2, fp=0, tn=0), 0.5),
        (COUNTS, 0.5),
    ],
)
def test_at_a_target_range_the_worse_end_has_the_risk_and_its_error(counts, prevalence):
    """Alarms cost most where disease is rare, misses where it is common; no error costs nothing."""
    costs = Costs(cost_fn=3.0, target=(0.1, 0.5))
    miss, alarm = counts.miss_rate or 0.0, counts.alarm_rate or 0.0
    found = counts.at_ends(costs)
    ends = {p: 3 * p * miss + (1 - p) * alarm for p in (0.1, 0.5)}
    assert [end[0] for end in found] == pytest.approx([0.1, 0.5])
    assert [end[1] for end in found] == pytest.approx(list(ends.values()))
    assert [end[2] for end in found] == pytest.approx([0.3, 0.5])
    assert max(ends, key=ends.get) == prevalence
    assert counts.risk(costs) == pytest.approx(ends[prevalence])
    square = (3 * prevalence) ** 2 * miss * (1 - miss) / (counts.n_positive or 1)
    square += (1 - prevalence) ** 2 * alarm * (1 - alarm) / (counts.n_negative or 1)
    assert counts.standard_error(costs) == pytest.approx(math.sqrt(square))


def test_decisions_are_counted_by_grade_and_action():
    found = count_decisions(np.array([0, 1, 1, 2, 1]), np.array([0, 1, 1, 0, 2]), (3, 3))
    assert found.tolist() == [[1, 0, 0], [0, 2, 1], [1, 0, 0]]
    assert found.dtype == np.int64
    several = Confusion.of_counts(np.array([[5, 2, 1], [1, 3, 4], [2, 0, 6]]))
    assert several == Confusion(tp=13, fn=3, fp=3, tn=5)
    calls = np.array([True, False, False, True, True])
    assert Confusion.of_calls(np.array([1, 1, 0, 0, 1]), calls) == Confusion(tp=2, fn=1, fp=1, tn=1)


def test_who_is_decided_rightly_in_each_class():
    assert (COUNTS.sensitivity, COUNTS.specificity) == (6 / 8, 9 / 12)
    assert Confusion(tp=0, fn=0, fp=1, tn=1).sensitivity is None
    assert Confusion(tp=1, fn=1, fp=0, tn=0).specificity is None
