"""Two ways to certify that look right and are not: both must be seen to fail here."""

import math

import numpy as np
import pytest

from steadycut import PatientScores
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.core.shift.parts import absolute_shift
from steadycut.core.split import split_classes, split_patients
from steadycut.study.fit import run_study
from steadycut.study.options import study_options

pytestmark = pytest.mark.validity
OPTIONS = study_options(rule="erm", n_bootstrap=2, delta=0.3, grid="exact")


def short_of(promised, n_studies, errors=2.5):
    return promised - errors * math.sqrt(promised * (1 - promised) / n_studies)


def test_a_pooled_bound_fails_after_a_split_by_label_and_holds_after_a_blind_one():
    """A score of three values that says nothing, as many ill as well: the true risk is a half."""
    rng, n_studies, held = np.random.default_rng(3), 800, np.zeros(2)
    for _ in range(n_studies):
        labels = (rng.random(500) < 0.5).astype(int)
        patients = PatientScores(scores=rng.integers(0, 3, 500), labels=labels)
        by_label, blind = split_classes(labels, 0.5, rng), split_patients(500, 0.5, rng)
        held += [
            run_study([patients], OPTIONS, roles=roles).certificate.value >= 0.5
            for roles in (by_label, blind)
        ]
    assert held[0] / n_studies < short_of(0.7, n_studies)
    assert held[1] / n_studies >= short_of(0.7, n_studies)


def draw(rates, n, rng):
    prevalence, miss, alarm = rates
    ill = rng.binomial(n, prevalence)
    fn, fp = rng.binomial(ill, miss), rng.binomial(n - ill, alarm)
    return Confusion(tp=ill - fn, fn=fn, fp=fp, tn=n - ill - fp)


def test_the_plug_in_base_fails_with_few_patients_at_q_and_the_valid_one_holds():
    rng, n_studies, costs, delta = np.random.default_rng(4), 3000, Costs(), 0.1
    p, q = (0.4, 0.001, 0.001), (0.4, 0.31, 0.31)
    truth, held = 0.31, np.zeros(3)
    for _ in range(n_studies):
        here, there = draw(p, 500, rng), draw(q, 10, rng)
        shift = absolute_shift(here, there, costs).total
        direct = certificate_of(there, costs, delta)
        plug_in = certificate_of(here, costs, delta).value + shift
        valid = here.risk(costs) + shift + direct.generalization
        held += np.array([plug_in, valid, direct.value]) >= truth
    plug_in, valid, direct = held / n_studies
    assert plug_in < short_of(0.9, n_studies)
    assert min(valid, direct) >= short_of(0.9, n_studies)
