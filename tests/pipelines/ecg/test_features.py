"""Features measure what was planted."""

import json

import numpy as np
import pytest

from steadycut.errors import BadFile, BadOption, BadTable, TooFewPatients
from steadycut.pipelines.ecg import EcgOptions, read_segments, train_scorer
from steadycut.pipelines.ecg.clean import clean
from steadycut.pipelines.ecg.features import NAMES, rhythm, segment_features
from steadycut.pipelines.ecg.pipeline import read_one
from steadycut.pipelines.ecg.records import Record
from steadycut.pipelines.ecg.scorer import patient_weights, read_scorer
from steadycut.pipelines.ecg.segments import windows
from steadycut.pipelines.ecg.training import deal_training
from tests.pipelines.ecg.making import make_ecg, write_record


def features_of(seed, *, sick):
    beats, leads = make_ecg(np.random.default_rng(seed), sick=sick)
    cleaned = clean(Record(name="r", signal=leads, rate=500.0))
    places = (beats * 500).round().astype(int)
    inside = places[(places > 150) & (places < 4700)]
    return dict(zip(NAMES, segment_features(cleaned, inside, places), strict=True)), beats


def test_rhythm_by_hand():
    # 0.8, 1.2 and 1.0 s between beats: mean 1, deviation sqrt(0.08 / 3), changes 0.4 and 0.2.
    found = rhythm(np.array([0, 400, 1000, 1500]))
    np.testing.assert_allclose(found, [60, np.sqrt(0.08 / 3), 0.3])


@pytest.mark.parametrize("sick", [False, True])
def test_rate_is_that_of_the_beats(sick):
    found, beats = features_of(3, sick=sick)
    assert found["rate"] == pytest.approx(60 / np.diff(beats).mean(), rel=0.01)


def test_the_sick_have_no_p_wave_and_no_rhythm():
    well, sick = features_of(4, sick=False)[0], features_of(4, sick=True)[0]
    assert well["p_II"] > 2 * sick["p_II"]
    assert sick["rr_deviation"] > 3 * well["rr_deviation"]


def test_windows_cover_the_record():
    assert list(windows(2500, 5.0, 2.5)) == [(0, 2500)]
    assert list(windows(2499, 5.0, 2.5)) == []


def test_beats_as_segments(tmp_path):
    beats, leads = make_ecg(np.random.default_rng(5))
    path = write_record(tmp_path / "r", leads)
    rows = read_one(path, EcgOptions(segments="beats"))
    whole = [beat for beat in beats if 0.3 <= beat < 9.5]
    np.testing.assert_allclose([start for (start, _), _ in rows], whole, atol=0.02)


def test_noise_has_no_segments(tmp_path):
    leads = np.full((12, 5000), 0.0)
    leads[:, 2500] = 1.0
    with pytest.raises(BadFile, match="no segment is left"):
        read_one(write_record(tmp_path / "r", leads), EcgOptions())


def test_workers_do_not_matter_and_broken_records_do_not_stop_the_rest(tmp_path):
    rng = np.random.default_rng(6)
    paths = [write_record(tmp_path / f"r{i}", make_ecg(rng)[1]) for i in range(3)]
    paths[1].with_suffix(".dat").write_bytes(b"")
    one, problems = read_segments(paths, EcgOptions())
    two, _ = read_segments(paths, EcgOptions(), n_jobs=2)
    np.testing.assert_array_equal(one.features, two.features)
    assert [problem.file for problem in problems] == [str(paths[1])]
    assert one.record.tolist() == [0, 0, 0, 2, 2, 2]
    assert one.start.tolist() == [0, 2.5, 5] * 2


def test_every_patient_weighs_the_same():
    labels = np.array([1] * 7 + [0] * 5)
    patients = np.array(["a"] * 5 + ["b"] * 2 + ["c"] * 4 + ["d"])
    weights = patient_weights(labels, patients)
    sums = [weights[patients == name].sum() for name in "abcd"]
    np.testing.assert_allclose(sums, 1)


def test_scorer_is_the_logistic_regression(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20).astype(np.int8)
    x = rng.normal(size=(40, 2)) + y[:, None]
    names = np.array([f"p{i}" for i in range(40)])
    scorer = train_scorer(x, y, names, ("a", "b"))
    # At the minimum the gradient of the penalised loss is zero.
    z = (x - scorer.centre) / scorer.scale
    gradient = z.T @ (scorer.score(x) - y) + scorer.weights
    np.testing.assert_allclose(gradient, 0, atol=1e-5)
    path = tmp_path / "scorer.json"
    path.write_text(json.dumps(scorer.to_dict()))
    np.testing.assert_allclose(read_scorer(path, ("a", "b")).score(x), scorer.score(x))
    with pytest.raises(BadTable, match="not a scorer of these features"):
        read_scorer(path, ("a",))


def test_refusals():
    with pytest.raises(TooFewPatients, match="one class"):
        train_scorer(np.ones((2, 1)), np.array([1, 1], np.int8), np.array(["a", "b"]), ("a",))
    with pytest.raises(TooFewPatients, match="smaller class has 1 of 3"):
        deal_training({"a": 1, "b": 0, "c": 0}, 0.5, np.random.default_rng(0))
    with pytest.raises(BadOption, match="at least 2 seconds"):
        EcgOptions(window=1.0)
    with pytest.raises(BadOption, match="segments must be one of"):
        EcgOptions(segments="leads")
