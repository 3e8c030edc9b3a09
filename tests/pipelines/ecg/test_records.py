"""Records of any rate, order and unit become the same leads; broken ones are named."""

import numpy as np
import pytest

from steadycut.errors import BadFile, BadOption
from steadycut.pipelines.driver import find_files
from steadycut.pipelines.ecg.beats import find_beats
from steadycut.pipelines.ecg.clean import RATE, clean, detrend, resample
from steadycut.pipelines.ecg.records import LEADS, RECORDS, Record, read_record
from tests.pipelines.ecg.making import make_ecg, write_record


@pytest.fixture
def ecg():
    return make_ecg(np.random.default_rng(1))


def test_leads_are_found_by_name_whatever_their_order(tmp_path, ecg):
    order = np.random.default_rng(0).permutation(12)
    names = [LEADS[i].upper() for i in order]
    extra = np.vstack([ecg[1][order], np.ones((1, 5000)) + np.arange(5000) % 2])
    read = read_record(write_record(tmp_path / "r", extra, names=[*names, "vx"]))
    np.testing.assert_allclose(read.signal, ecg[1], atol=1e-3)
    assert (read.name, read.rate) == ("r", 500.0)


def test_microvolts(tmp_path, ecg):
    read = read_record(write_record(tmp_path / "r", ecg[1], units="uV"))
    np.testing.assert_allclose(read.signal, ecg[1], atol=1e-3)


@pytest.mark.parametrize("rate", [250.0, 360.0, 500.0, 1000.0])
def test_every_rate_gives_the_same_beats(rate):
    beats, leads = make_ecg(np.random.default_rng(2), rate=rate)
    cleaned = clean(Record(name="r", signal=leads, rate=rate))
    assert cleaned.shape == (12, 5000)
    np.testing.assert_allclose(cleaned.mean(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(cleaned.std(axis=1), 1)
    found = find_beats(cleaned) / RATE
    assert found.size == beats.size
    np.testing.assert_allclose(found, beats, atol=0.02)


def test_beats_of_an_irregular_heart():
    for seed in range(5):
        beats, leads = make_ecg(np.random.default_rng(seed), sick=True)
        found = find_beats(clean(Record(name="r", signal=leads, rate=500.0))) / RATE
        assert found.size == beats.size
        np.testing.assert_allclose(found, beats, atol=0.02)


def test_resampling_keeps_a_slow_wave():
    def time(rate):
        return np.arange(round(4 * rate)) / rate

    wave = 3 + np.sin(2 * np.pi * 3 * time(360.0))[None]
    found = resample(wave, 360.0)[0]
    np.testing.assert_allclose(
        found[200:-200], 3 + np.sin(2 * np.pi * 3 * time(500.0))[200:-200], atol=0.01
    )


def test_drift_and_mains_are_filtered_out():
    time = np.arange(5000) / 500
    wave = np.sin(2 * np.pi * 10 * time)
    noisy = wave + 5 * time + 2 * np.sin(2 * np.pi * 100 * time) + np.sin(2 * np.pi * 0.1 * time)
    found = clean(Record(name="r", signal=np.tile(noisy, (12, 1)), rate=500.0))[0]
    assert np.corrcoef(found[500:-500], wave[500:-500])[0, 1] > 0.99


def test_short_gaps_are_filled(tmp_path, ecg):
    leads = ecg[1].copy()
    leads[3, 100:110] = np.nan
    read = read_record(write_record(tmp_path / "r", leads))
    np.testing.assert_allclose(read.signal[3, 99:111], ecg[1][3, 99:111], atol=0.2)


def broken(tmp_path, kind, leads):
    path = tmp_path / kind
    if kind == "lead":
        return write_record(path, leads[:10], names=LEADS[:10])
    if kind == "rate":
        return write_record(path, leads, rate=50.0)
    if kind == "flat":
        return write_record(path, np.where(np.arange(12)[:, None] == 4, 0.5, leads))
    if kind == "gap":
        return write_record(path, np.where(np.arange(5000) < 1000, np.nan, leads))
    if kind == "unit":
        return write_record(path, leads, units="mmHg")
    header = write_record(path, leads)
    if kind == "cut":
        data = path.with_suffix(".dat")
        data.write_bytes(data.read_bytes()[:5000])
    elif kind == "gone":
        path.with_suffix(".dat").unlink()
    elif kind == "header":
        header.write_text("nothing\n")
    return header


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("lead", "lacks the leads V5, V6"),
        ("rate", "the header says 50"),
        ("flat", "lead aVL is flat"),
        ("gap", "20 % of lead I is missing"),
        ("unit", "mmHg"),
        ("cut", "cut short"),
        ("gone", "cannot be read"),
        ("header", "cannot be read"),
    ],
)
def test_broken_records(tmp_path, ecg, kind, says):
    path = broken(tmp_path, kind, ecg[1])
    with pytest.raises(BadFile, match=says):
        read_record(path)


def test_too_short(ecg):
    with pytest.raises(BadFile, match=r"lasts 1\.0 s"):
        clean(Record(name="r", signal=ecg[1][:, :500], rate=500.0))


def test_find_records(tmp_path, ecg):
    header = write_record(tmp_path / "a" / "r1", ecg[1])
    assert find_files([str(tmp_path)], RECORDS) == [header]
    assert find_files([str(header), str(header.with_suffix(""))], RECORDS) == [header]
    with pytest.raises(BadOption, match="no WFDB record"):
        find_files([str(tmp_path / "nothing")], RECORDS)


def test_files_of_other_channels_may_be_missing(tmp_path, ecg):
    """The PTB database keeps its Frank leads in a second file."""
    header = write_record(tmp_path / "r", ecg[1])
    text = header.read_text().replace("r 12 ", "r 13 ", 1)
    header.write_text(text + "r.xyz 16 1000(0)/mV 16 0 0 0 0 vx\n")
    np.testing.assert_allclose(read_record(header).signal, ecg[1], atol=1e-3)


@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title, str.swapcase])
def test_leads_may_be_spelled_in_any_way(tmp_path, ecg, spell):
    header = write_record(tmp_path / "r", ecg[1], names=[spell(lead) for lead in LEADS])
    np.testing.assert_allclose(read_record(header).signal, ecg[1], atol=1e-3)


def test_detrending_is_that_of_scipy():
    from scipy import signal

    noisy = np.random.default_rng(0).normal(size=(12, 5001)).cumsum(axis=1)
    np.testing.assert_allclose(detrend(noisy), signal.detrend(noisy, axis=1), atol=1e-9)
