import dataclasses

import numpy as np
import pytest

from steadycut.core.bounds.betting import betting_limit
from steadycut.core.bounds.concentration import BOUNDS, allowed_bounds
from steadycut.core.certify import certificate_of, certify
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.records import Costs
from steadycut.documents.parts import CertificatePart
from steadycut.errors import BadOption, TooFewPatients
from tests.core.cohorts import random_cohort

COUNTS = Confusion(tp=18, fn=2, fp=3, tn=27)


@pytest.mark.parametrize("bound", allowed_bounds(Costs(), "split"))
def test_the_value_is_observed_risk_plus_bound(bound):
    certificate = certificate_of(COUNTS, Costs(), 0.1, bound=bound)
    added = BOUNDS[bound].compute(COUNTS, Costs(), 0.1)
    assert certificate.risk == 0.1
    assert certificate.generalization == added
    assert certificate.value == pytest.approx(0.1 + added, abs=1e-12)
    assert (certificate.bound, certificate.delta) == (bound, 0.1)
    assert certificate.n_patients == 50


def test_uniform_honesty_shares_delta_among_the_candidates():
    """Four scores were tried: the union bound gives each a quarter."""
    certificate = certificate_of(COUNTS, Costs(), 0.2, honesty="uniform", n_candidates=4)
    assert certificate.generalization == BOUNDS["compression"].compute(COUNTS, Costs(), 0.05)
    assert (certificate.delta, certificate.n_candidates) == (0.2, 4)
    assert certificate.honesty == "uniform"


def test_split_honesty_does_not_pay_for_the_candidates():
    certificate = certificate_of(COUNTS, Costs(), 0.2, n_candidates=4)
    assert certificate.generalization == BOUNDS["clopper-pearson"].compute(COUNTS, Costs(), 0.2)


def test_a_bound_no_better_than_a_rule_without_a_score_is_vacuous():
    assert not certificate_of(COUNTS, Costs(), 0.1).vacuous
    assert certificate_of(COUNTS, Costs(), 0.1, bound="paper").vacuous
    assert certificate_of(COUNTS, Costs(), 0.1).trivial_risk == 0.4
    plain = certificate_of(COUNTS, Costs(), 0.1)
    as_good = dataclasses.replace(plain, risk=0.25, generalization=0.25, trivial_risk=0.5)
    assert as_good.vacuous


def test_the_dictionary_has_every_term():
    certificate = certificate_of(COUNTS, Costs(), 0.1)
    assert CertificatePart.of(certificate).to_plain() == {
        "risk": certificate.risk,
        "bound": "clopper-pearson",
        "generalization": certificate.generalization,
        "n_patients": 50,
        "delta": 0.1,
        "value": certificate.value,
        "vacuous": False,
        "trivial_risk": 0.4,
        "honesty": "split",
        "n_candidates": 1,
    }


def test_certify_is_the_certificate_of_the_counts_at_the_threshold():
    cohort = random_cohort(1, 60)
    dear = {"cost_fn": 3.0, "cost_fp": 2.0}
    certificate = certify(cohort.scores, cohort.labels, 0.5, delta=0.2, **dear)
    assert certificate == certificate_of(confusion_at(cohort, 0.5), Costs(**dear), 0.2)
    named = certify(cohort.scores, cohort.labels, 0.5, bound="hoeffding", **dear)
    expected = certificate_of(confusion_at(cohort, 0.5), Costs(**dear), 0.1, bound="hoeffding")
    assert named == expected


def test_betting_is_the_limit_of_the_loss_of_every_patient():
    cohort, costs = random_cohort(1, 60), Costs(cost_fn=3.0)
    found = certify(cohort.scores, cohort.labels, 0.5, bound="betting", cost_fn=3.0, delta=0.3)
    losses = np.where(cohort.labels == 1, cohort.scores < 0.5, (cohort.scores >= 0.5) / 3)
    assert found.value == pytest.approx(3.0 * betting_limit(losses.astype(float), 0.3))
    plain = certificate_of(confusion_at(cohort, 0.5), costs, 0.3)
    expected = dataclasses.replace(plain, bound="betting", generalization=found.generalization)
    assert found == expected


def test_betting_needs_patients_who_did_not_choose():
    with pytest.raises(BadOption, match=r"bound must be one of .* got 'betting'"):
        certificate_of(COUNTS, Costs(), 0.1, bound="betting", honesty="uniform")


@pytest.mark.parametrize("bound", ["betting", "hoeffding"])
def test_every_bound_refuses_a_delta_outside_0_to_1(bound):
    with pytest.raises(BadOption, match=r"delta must lie strictly between 0 and 1; got 0\."):
        certify([1.0], [1], 0.5, bound=bound, delta=0)


def test_certify_with_direction_le_calls_small_scores():
    cohort = random_cohort(2, 60)
    mirrored = certify(-cohort.scores, cohort.labels, -1.0, direction="le")
    assert mirrored == certify(cohort.scores, cohort.labels, 1.0)


def test_certify_does_not_refuse_one_class():
    assert certify([1.0, 2.0], [1, 1], 1.5).risk == 0.5


def test_certify_needs_a_patient():
    with pytest.raises(TooFewPatients, match=r"a certificate needs at least one patient; got none"):
        certify([], [], 0.5)


def test_certify_refuses_a_delta_outside_0_to_1():
    with pytest.raises(BadOption, match=r"delta must lie strictly between 0 and 1; got 1\."):
        certify([1.0], [1], 0.5, delta=1)


def test_a_certificate_of_other_counts_is_made_as_this_one():
    first = certificate_of(COUNTS, Costs(), 0.2, bound="paper", honesty="uniform", n_candidates=4)
    other, dear = Confusion(tp=9, fn=1, fp=6, tn=24), Costs(cost_fn=3.0)
    options = {"honesty": "uniform", "n_candidates": 4}
    assert first.again(other, dear) == certificate_of(other, dear, 0.2, bound="paper", **options)
    again = first.again(other, dear, delta=0.05, bound="dkw")
    assert again == certificate_of(other, dear, 0.05, bound="dkw", **options)


def test_a_rule_that_calls_nobody_is_certified_without_a_number():
    found = certify([0.1, 0.2, 0.7, 0.9], [0, 0, 1, 1], threshold=np.inf)
    assert found.risk == 0.5


def test_both_errors_cost_the_same_unless_it_is_said():
    cohort = random_cohort(1, 60)
    plain = certify(cohort.scores, cohort.labels, 0.5)
    assert plain == certify(cohort.scores, cohort.labels, 0.5, cost_fn=1.0, cost_fp=1.0)


def test_a_certificate_is_plain_numbers_and_a_table_of_one_row():
    certificate = certificate_of(COUNTS, Costs(), 0.1)
    content = certificate.to_dict()
    assert content["value"] == certificate.value
    assert content["vacuous"] is certificate.vacuous
    assert {name: [cell] for name, cell in content.items()} == certificate._tables()[
        "certificate"
    ]()
