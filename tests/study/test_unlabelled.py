"""The whole of what is said without labels, on hospitals whose truth is known."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from steadycut import PatientScores, fit
from steadycut.core.confusion import Confusion
from steadycut.core.shift.label_shift import rank_bins, risk_range, valid_interval
from steadycut.documents.audit import RescalingPart, WithoutLabels
from steadycut.errors import BadOption, MissingScores, TooFewPatients
from steadycut.show.words.unlabelled import rescaling_text, statements
from steadycut.study.unlabelled import home_of, without_labels

KEYS = {
    "prevalence_estimate",
    "shape_test",
    "call_rate",
    "call_rate_internal",
    "call_rate_expected",
    "risk_range",
    "rescaling",
    "quantile_matched",
}


def texts(content, home):
    """What is said of the content of a part."""
    return statements(WithoutLabels(**content), home.delta, home.n_choices)


def draw(rng, n, prevalence, distance=2.5):
    labels = (rng.random(n) < prevalence).astype(int)
    labels[:2] = [0, 1]
    return rng.normal(size=n) + distance * labels, labels


def make_home(seed=0, n=800, sign=1.0, prevalence=0.5, distance=2.5, **options):
    scores, labels = draw(np.random.default_rng(seed), n, prevalence, distance)
    study = fit(
        PatientScores(scores=sign * scores, labels=labels),
        direction="ge" if sign > 0 else "le",
        n_bootstrap=20,
        **options,
    )
    return home_of(study.freeze())


def test_the_bins_are_those_of_the_certifying_patients():
    scores, labels = draw(np.random.default_rng(0), 200, 0.5)
    study = fit(PatientScores(scores=scores, labels=labels), n_bootstrap=20)
    certify = study.certify_patients
    wanted, found = rank_bins(certify.scores, certify.labels), home_of(study.freeze()).bins
    for part in ("edges", "positive", "negative"):
        assert np.array_equal(getattr(wanted, part), getattr(found, part))


@pytest.fixture(scope="module")
def home():
    return make_home()


def there(n=600, prevalence=0.2, seed=1):
    return draw(np.random.default_rng(seed), n, prevalence)[0]


def numbers_in(value):
    if isinstance(value, dict):
        return [x for one in value.values() for x in numbers_in(one)]
    if isinstance(value, list):
        return [x for one in value for x in numbers_in(one)]
    return [value] if isinstance(value, float) else []


def test_label_shift_is_recognised_and_measured(home):
    said = without_labels(home, there()).to_plain()
    assert set(said) == KEYS
    estimate = said["prevalence_estimate"]
    assert estimate["identifiable"]
    assert estimate["value"] == pytest.approx(0.2, abs=0.06)
    for low, high in (estimate["interval"], estimate["approximate_interval"]):
        assert low < 0.2 < high
    assert said["shape_test"]["p_value"] > 0.1
    assert said["call_rate"] == pytest.approx(said["call_rate_expected"], abs=0.05)
    assert said["call_rate_internal"] == home.counts.call_rate
    assert said["rescaling"]["needed"] is False
    assert "No change of scale is needed" in rescaling_text(RescalingPart(**said["rescaling"]))
    assert len(texts(said, home)) == 2


def test_the_answer_repeats_and_is_plain_json(home):
    one, two = (json.dumps(without_labels(home, there()).to_plain()) for _ in range(2))
    assert one == two
    assert one != json.dumps(without_labels(replace(home, seed=7), there()).to_plain())


def test_the_order_of_the_patients_changes_nothing(home):
    scores = there()
    assert (
        without_labels(home, scores).to_plain() == without_labels(home, np.sort(scores)).to_plain()
    )


def test_the_risk_range_spends_half_of_delta_on_each_part(home):
    scores = there()
    part = without_labels(home, scores, 19)
    wide = valid_interval(home.bins, home.bins.count(scores), home.delta / 2)
    assert (part.risk_range.low, part.risk_range.high) == risk_range(
        home.counts, home.costs, wide, home.delta / 2
    )
    assert part.risk_range.level == 1 - home.delta
    assert part.risk_range.low < part.risk_range.estimate < part.risk_range.high
    value, counts = part.prevalence_estimate.value, home.counts
    assert part.risk_range.estimate == value * counts.miss_rate + (1 - value) * counts.alarm_rate


def test_mirrored_scores_say_the_same():
    up, down = make_home(), make_home(sign=-1.0)
    one = without_labels(up, there(), 199).to_plain()
    two = without_labels(down, -there(), 199).to_plain()
    assert one["call_rate"] == two["call_rate"]
    assert one["quantile_matched"]["threshold"] == -two["quantile_matched"]["threshold"]
    found = [said["prevalence_estimate"]["value"] for said in (one, two)]
    assert found[0] == pytest.approx(found[1], abs=0.02)
    assert one["risk_range"]["high"] == pytest.approx(two["risk_range"]["high"], abs=0.02)


@pytest.mark.parametrize("prevalence", [0.5, 0.2])
@pytest.mark.parametrize(("factor", "offset"), [(1000.0, 0.0), (1.8, 32.0), (0.1, -5.0)])
def test_a_change_of_units_is_compatible_with_one(home, factor, offset, prevalence):
    scores = offset + factor * there(prevalence=prevalence)
    said = without_labels(home, scores, 199).to_plain()
    assert said["shape_test"]["p_value"] <= 0.1
    rescaling = said["rescaling"]
    assert rescaling["needed"]
    assert rescaling["compatible"]
    assert "compatible with an affine change of scale" in rescaling_text(RescalingPart(**rescaling))
    assert "cannot be told from other changes" in rescaling_text(RescalingPart(**rescaling))
    if prevalence == 0.5:
        assert rescaling["factor"] == pytest.approx(factor, rel=0.1)
        assert rescaling["prevalence"] == home.counts.prevalence
    assert any("shape test rejects" in text for text in texts(said, home))


def test_the_matched_cut_off_undoes_any_increasing_rescaling(home):
    scores = there(prevalence=0.5)
    said = without_labels(home, np.exp(scores), 19).to_plain()["quantile_matched"]
    plain = without_labels(home, scores, 19).quantile_matched
    assert said["call_rate"] == plain.call_rate
    assert np.array_equal(np.exp(scores) >= said["threshold"], scores >= plain.threshold)
    assert plain.threshold == pytest.approx(home.threshold, abs=0.4)


def test_scores_that_no_mixture_explains_give_no_interval(home):
    part = without_labels(home, np.full(600, home.threshold + 0.01), 199)
    said = part.to_plain()
    assert said["prevalence_estimate"]["interval"] is None
    assert said["risk_range"]["low"] is None
    assert said["risk_range"]["high"] is None
    assert said["rescaling"]["compatible"] is None
    assert said["rescaling"]["factor"] is None
    assert "could not be tested" in rescaling_text(RescalingPart(**said["rescaling"]))
    assert any("Label shift is rejected" in text for text in texts(said, home))


def test_a_shape_that_no_scale_explains_is_not_compatible(home):
    rng = np.random.default_rng(3)
    lumps = rng.choice([-30.0, -29.0, 0.0, 29.0, 30.0], size=800) + 0.01 * rng.normal(size=800)
    said = without_labels(home, lumps, 199).to_plain()["rescaling"]
    assert said["compatible"] is False
    assert "not compatible" in rescaling_text(RescalingPart(**said))


def test_classes_that_do_not_differ_tell_no_prevalence():
    alike = make_home(seed=6, distance=0.0)
    said = without_labels(alike, there(), 19).to_plain()
    estimate = said["prevalence_estimate"]
    assert estimate["identifiable"] is False
    assert estimate["value"] is None
    assert estimate["approximate_interval"] is None
    assert said["call_rate_expected"] is None
    assert said["risk_range"]["estimate"] is None
    # With few ill patients at P it rejected in up to 0.46 of studies there, not 0.10.
    assert said["shape_test"]["p_value"] is None
    assert any("shape test is not run" in text for text in texts(said, alike))
    assert any("not identifiable" in text for text in texts(said, alike))


@pytest.mark.parametrize("lacking", [0, 1])
def test_a_class_that_p_lacks_is_said_and_nothing_fails(home, lacking):
    labels = np.full(40, 1 - lacking)
    one_class = replace(
        home,
        bins=rank_bins(np.arange(40.0), labels),
        counts=Confusion(tp=30, fn=10, fp=0, tn=0)
        if lacking == 0
        else Confusion(tp=0, fn=0, fp=10, tn=30),
        quantiles_positive=home.quantiles_positive if lacking == 0 else np.array([]),
        quantiles_negative=home.quantiles_negative if lacking == 1 else np.array([]),
    )
    said = without_labels(one_class, there(), 19).to_plain()
    assert said["shape_test"] == {"statistic": None, "p_value": None, "n_bootstrap": 0}
    assert said["rescaling"]["needed"] is None
    assert any("both classes" in text for text in texts(said, one_class))


def test_patients_who_chose_the_cut_off_give_wider_intervals():
    home = make_home(honesty="uniform")
    assert home.n_choices == 1
    said = without_labels(home, there(), 19).to_plain()
    rosy = without_labels(replace(home, n_choices=0), there(), 19).to_plain()
    assert said["risk_range"]["low"] < rosy["risk_range"]["low"]
    assert said["risk_range"]["high"] > rosy["risk_range"]["high"]
    assert said["risk_range"]["level"] == rosy["risk_range"]["level"] == 0.9
    assert any("also chose the cut-off" in text for text in texts(said, home))


@pytest.mark.parametrize(
    "scores", [[0.3], [1e300, -1e300], [5.0] * 4, [1e-300, 2e-300, 3e-300], [0.0, 1.0, 1e290]]
)
def test_strange_scores_give_finite_numbers(home, scores):
    said = without_labels(home, scores, 19).to_plain()
    assert all(math.isfinite(x) for x in numbers_in(said))
    assert said["quantile_matched"]["threshold"] not in scores
    json.dumps(said, allow_nan=False)


def test_what_cannot_be_used_is_refused(home):
    with pytest.raises(TooFewPatients, match="at least one patient"):
        without_labels(home, [])
    with pytest.raises(MissingScores):
        without_labels(home, [math.nan])
    with pytest.raises(BadOption, match="n_bootstrap"):
        without_labels(home, [1.0], 0)
