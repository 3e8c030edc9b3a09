import math

import numpy as np
import pytest

from steadycut.core.confusion import Confusion, confusion_at
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
