"""Figure 1: choices against plain loops, and the whole picture where it must come out."""

from dataclasses import replace

import numpy as np
import pytest

from paper.figure import run_settings
from paper.figure_1 import panel_data, summary, whole_story
from paper.figure_1_simulation import (
    Outcome,
    Setting,
    draw_internal,
    own_map,
    penalised_by_draws,
    ratio_in_sharp,
    replicate,
)
from paper.pointwise import Pointwise
from steadycut.core.cuts.grid import even_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import ERM, chosen_cut


def run_setting(setting, n_replicates, seed):
    return run_settings(replicate, {"it": setting}, n_replicates, seed)["it"]


def test_the_ratio_in_the_sharp_region_by_hand():
    thresholds = np.array([1.0, 1.7, 2.0, 3.0])
    assert ratio_in_sharp(thresholds, np.array([1.0, 4.0, 2.0, 2.0])) == 2
    assert ratio_in_sharp(thresholds, np.array([0.0, 4.0, 2.0, 0.0])) is None
    assert ratio_in_sharp(np.array([0.0, 9.0]), np.ones(2)) is None


@pytest.mark.parametrize(
    ("erm", "penalised", "better", "whole"),
    [
        (2.0, 3.0, True, True),
        (3.5, 4.0, True, False),
        (2.0, 2.1, True, False),
        (2.0, 3.0, False, False),
    ],
)
def test_the_whole_story(erm, penalised, better, whole):
    outcome = Outcome(
        erm=erm,
        penalised=penalised,
        stable=3.0,
        external_erm=0.3,
        external_penalised=0.2 if better else 0.3,
        external_stable=0.2,
        map_ratio=1.0,
    )
    assert whole_story(outcome) is whole


def test_erm_is_a_brute_force_minimiser():
    patients = draw_internal(Setting(), np.random.default_rng(3))
    cuts = even_cuts(patients)
    called = patients.scores[None, :] >= cuts.thresholds[:, None]
    errors = (called != (patients.known_labels == 1)).sum(axis=1)
    chosen = patients.scores >= chosen_cut(cuts, ERM, Costs())
    assert (chosen != (patients.known_labels == 1)).sum() == errors.min()


def test_drawn_bootstrap_curves_choose_nearly_what_their_limit_does():
    rng = np.random.default_rng(0)
    gaps = []
    for _ in range(10):
        cuts = even_cuts(draw_internal(Setting(), rng))
        rule = Pointwise(cap_in="score").on_cuts(cuts)
        gaps.append(penalised_by_draws(cuts, rule, rng) - chosen_cut(cuts, rule, Costs()))
    assert np.median(np.abs(gaps)) < 0.2


def test_the_penalty_moves_right_by_at_most_the_cap():
    for one in run_setting(Setting(), 10, 0):
        assert one.erm - 1e-9 <= one.penalised <= one.erm + 0.90 + 0.2


def test_with_a_large_sharp_subgroup_the_picture_comes_out_and_with_the_printed_one_it_does_not():
    printed = summary(run_setting(Setting(), 15, 0))
    large = replace(Setting(), sharp_share=0.8, sharp_share_external=0.8)
    assert printed["erm_in_sharp"] == 0
    assert printed["whole_story"] == 0
    assert summary(run_setting(large, 15, 0))["whole_story"] > 0.6


def test_the_map_is_as_long_as_the_thresholds():
    cuts = even_cuts(PatientScores(scores=np.arange(9.0), labels=[0, 0, 0, 1, 0, 1, 1, 1, 1]))
    assert own_map(cuts).shape == cuts.thresholds.shape


def test_the_first_replicate_is_drawn_and_another_seed_gives_another():
    one, other = (run_setting(Setting(), 1, seed)[0] for seed in (5, 6))
    panels = panel_data(5, [one])
    assert (one.erm, one.penalised) == (panels["erm"], panels["penalised"])
    assert one.erm != other.erm
