"""Intervals of a study that is repeated as a whole."""

import numpy as np
import pytest

from steadycut.core.bootstrap.draws import ThresholdDraws, draw_thresholds
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.intervals.rates import at_fixed_cut
from steadycut.core.intervals.repeated_study import (
    at_rechosen_cut,
    counts_at,
    cuts_at,
    repeated_ranks,
)
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import parse_rule


def make_patients(n, seed):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    return PatientScores(scores=rng.normal(size=n) + 1.5 * labels, labels=labels)


def made_draws(rank, ranks):
    ranks = np.array(ranks, dtype=float)
    return ThresholdDraws(threshold=0.0, rank=rank, thresholds=ranks, ranks=ranks)


def test_a_cut_has_so_many_scores_below():
    cuts = cuts_at(np.array([3.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.5, 2.0, 3.0]))
    assert cuts.tolist() == [-np.inf, 1.5, 2.0, 2.5, np.inf]


def test_one_patient_is_called_or_not():
    assert cuts_at(np.array([5.0]), np.array([-1.0, 0.0, 1.0])).tolist() == [
        -np.inf,
        -np.inf,
        np.inf,
    ]


def test_a_repeated_cut_is_this_one_plus_the_difference_of_two_draws():
    chose = PatientScores(scores=np.arange(10.0), labels=np.arange(10) % 2)
    points = np.array([[0.0, 0.0, 0.5], [0.0, 0.5, 0.0]])
    cuts = cuts_at(chose.scores, repeated_ranks(made_draws(5, [4, 7]), points))
    assert cuts.tolist() == [4.5, 1.5, 7.5]


def test_counts_at_many_cuts_are_those_at_each():
    patients = make_patients(40, 1)
    cuts = np.array([-np.inf, 0.0, 0.7, np.inf])
    table = np.transpose(counts_at(patients, cuts))
    for cut, (tp, fn, fp, tn) in zip(cuts, table, strict=True):
        assert confusion_at(patients, cut) == Confusion(tp=tp, fn=fn, fp=fp, tn=tn)


def test_if_every_study_chose_alike_it_is_the_interval_at_the_fixed_cut():
    chose, judge = make_patients(60, 1), make_patients(60, 2)
    again = at_rechosen_cut(chose, judge, made_draws(30, [30, 30, 30]), Costs(), 0.05)
    cut = float(cuts_at(chose.scores, np.array([30.0]))[0])
    fixed = at_fixed_cut(confusion_at(judge, cut), Costs(), 0.05)
    assert set(again) == set(fixed)
    for name, one in fixed.items():
        assert again[name] == pytest.approx(one.interval, rel=0.02, abs=0.005)


@pytest.mark.parametrize("rule", ["erm", "youden", "stable", "sensitivity:0.9"])
def test_a_cut_that_moves_makes_the_intervals_of_both_rates_wider(rule):
    chose, judge = make_patients(60, 1), make_patients(60, 2)
    draws = draw_thresholds(
        exact_cuts(chose), parse_rule(rule), Costs(), 100, np.random.default_rng(0)
    )
    again = at_rechosen_cut(chose, judge, draws, Costs(), 0.05)
    fixed = at_fixed_cut(confusion_at(judge, draws.threshold), Costs(), 0.05)
    for name in ("sensitivity", "specificity"):
        assert np.ptp(again[name]) > np.ptp(fixed[name].interval)


def test_without_positive_patients_to_judge_nothing_about_them_is_known():
    chose = make_patients(20, 1)
    judge = PatientScores(scores=[0.1, 0.4, 0.9], labels=[0, 0, 0])
    again = at_rechosen_cut(chose, judge, made_draws(10, [9, 11]), Costs(), 0.05)
    assert not {"sensitivity", "plr", "nlr", "kappa"} & set(again)
    assert {"specificity", "accuracy", "net_benefit"} <= set(again)
