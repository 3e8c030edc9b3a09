"""Beats are found where they were planted, also where leads or heights are bad."""

import numpy as np
import pytest

from steadycut.pipelines.ecg.beats import find_beats
from steadycut.pipelines.ecg.clean import RATE, clean
from steadycut.pipelines.ecg.records import Record
from tests.pipelines.ecg.making import make_ecg


def plain(rng, leads):
    return leads


def half_of_the_leads_are_noise(rng, leads):
    leads[::2] = rng.normal(scale=0.02, size=leads[::2].shape)
    return leads


def beats_become_half_as_high(rng, leads):
    return leads * np.linspace(1.0, 0.5, leads.shape[1])


def one_spike(rng, leads):
    leads[:, 2400:2410] += rng.normal(0, 4, (12, 1))
    return leads


def found_in(change, seed, **rhythm):
    rng = np.random.default_rng(seed)
    beats, leads = make_ecg(rng, **rhythm)
    cleaned = clean(Record(name="r", signal=change(rng, leads), rate=RATE))
    return beats, find_beats(cleaned) / RATE


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("change", [plain, half_of_the_leads_are_noise, beats_become_half_as_high])
def test_every_beat_is_found_and_nothing_else(change, seed):
    planted, found = found_in(change, seed)
    np.testing.assert_allclose(found, planted, atol=0.06)


@pytest.mark.parametrize("between", [(1.9, 2.1), (0.41, 0.45)])
def test_slow_and_fast_hearts(between):
    planted, found = found_in(plain, 0, between=between)
    np.testing.assert_allclose(found, planted, atol=0.06)


@pytest.mark.parametrize("seed", range(5))
def test_a_spike_does_not_hide_the_beats_away_from_it(seed):
    planted, found = found_in(one_spike, seed)
    away = [beat for beat in planted if abs(beat - 4.8) > 0.3]
    assert [beat for beat in away if np.abs(found - beat).min() > 0.06] == []
