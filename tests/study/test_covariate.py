"""Cut-offs by covariate, from patients to certificates."""

from itertools import combinations

import numpy as np
import pytest

from steadycut import PatientScores, certify, fit, fit_by_covariate
from steadycut.core.confusion import confusion_at
from steadycut.errors import BadOption, BadPatients, TooFewPatients


def cohort(n=300, offset=1.5, seed=0, named=True):
    rng = np.random.default_rng(seed)
    labels, code = rng.integers(0, 2, n), rng.integers(0, 2, n)
    names = [f"p{i:04d}" for i in range(n)] if named else None
    scores = rng.normal(size=n) + 2 * labels + offset * code
    return PatientScores(scores=scores, labels=labels, patients=names), np.array(["f", "m"])[code]


def trend(n=400, slope=3.0, seed=0):
    rng = np.random.default_rng(seed)
    labels, age = rng.integers(0, 2, n), rng.uniform(20, 80, n)
    scores = rng.normal(size=n) + 2 * labels + slope * (age - 50) / 60
    return PatientScores(scores=scores, labels=labels), age


def test_decisions_are_those_of_the_group_s_cut_off():
    patients, sex = cohort()
    study = fit_by_covariate(patients, covariate=sex, n_bootstrap=20)
    cut = dict(zip(study.positions, study.thresholds, strict=True))
    expected = [int(s >= cut[g]) for s, g in zip(patients.scores, sex, strict=True)]
    assert study.decide(patients.scores, sex).tolist() == expected
    assert cut["m"] - cut["f"] == pytest.approx(1.5, abs=0.7)
    assert study.kind == "groups"


def test_roles_are_those_of_fit_and_the_pooled_cut_off_is_its_cut_off():
    patients, sex = cohort()
    study = fit_by_covariate(patients, covariate=sex, n_bootstrap=5, seed=3)
    plain = fit(patients, grid="exact", n_bootstrap=5, seed=3)
    assert np.array_equal(study.roles.certify, plain.roles.certify)
    assert study.pooled_threshold == plain.threshold
    assert study.pooled_certificate.value == plain.certificate.value


def test_certificates_are_those_of_the_counts():
    patients, sex = cohort()
    study = fit_by_covariate(patients, covariate=sex, n_bootstrap=5, cost_fn=2.0)
    who = study.roles.certify
    called = study.decide(patients.scores[who], sex[who])
    labels = patients.labels[who]
    assert study.counts.fn == np.sum((labels == 1) & (called == 0))
    assert study.counts.fp == np.sum((labels == 0) & (called == 1))
    for name, threshold, found in zip(study.positions, study.thresholds, study.groups, strict=True):
        inside = who[sex[who] == name]
        expected = certify(
            patients.scores[inside], patients.labels[inside], threshold, cost_fn=2.0, delta=0.05
        )
        assert found == expected


def test_the_difference_is_paired():
    patients, sex = cohort()
    study = fit_by_covariate(patients, covariate=sex, n_bootstrap=5)
    pooled = confusion_at(patients.take(study.roles.certify), study.pooled_threshold)
    gap = study.counts.risk(study.options.search.costs) - pooled.risk(study.options.search.costs)
    assert study.difference.risk == pytest.approx(gap)
    assert study.difference.upper > study.difference.risk
    assert study.difference.delta == 0.1


def test_low_scores_may_speak_for_the_disease():
    patients, sex = cohort()
    turned = PatientScores(
        scores=-patients.scores, labels=patients.labels, patients=patients.patients
    )
    first = fit_by_covariate(patients, covariate=sex, n_bootstrap=5)
    second = fit_by_covariate(turned, covariate=sex, n_bootstrap=5, direction="le")
    assert second.thresholds == pytest.approx(-first.thresholds)
    assert second.pooled_threshold == -first.pooled_threshold
    assert second.certificate == first.certificate
    assert np.array_equal(second.decide(-patients.scores, sex), first.decide(patients.scores, sex))
    assert second.flip_rate == first.flip_rate


def test_an_increasing_transform_changes_no_decision():
    patients, sex = cohort()
    other = PatientScores(
        scores=np.exp(patients.scores), labels=patients.labels, patients=patients.patients
    )
    first = fit_by_covariate(patients, covariate=sex, n_bootstrap=5)
    second = fit_by_covariate(other, covariate=sex, n_bootstrap=5)
    chose = first.roles.select
    assert np.array_equal(
        first.decide(patients.scores[chose], sex[chose]),
        second.decide(other.scores[chose], sex[chose]),
    )
    assert first.test == second.test


def test_a_smooth_cut_off_follows_the_covariate():
    patients, age = trend()
    study = fit_by_covariate(patients, covariate=age, kind="smooth", n_bootstrap=10)
    assert study.kind == "smooth"
    assert study.groups == ()
    assert study.test.p_value < 0.05
    assert study.thresholds[-1] - study.thresholds[0] > 1
    ends = study.rule.thresholds(np.array([-1e6, study.positions[0], study.positions[-1], 1e6]))
    assert ends[0] == ends[1]
    assert ends[2] == ends[3]
    assert study.difference.risk < 0
    assert study.warnings == []


def test_flips_are_those_of_the_draws():
    patients, sex = cohort(n=120)
    study = fit_by_covariate(patients, covariate=sex, n_bootstrap=25)
    flips = study.rule.flip_probability(patients.scores, sex)
    code = (sex == "m").astype(int)
    thresholds = study.rule.scale.at(study.cuts.draws)[:, code]
    decided = study.decide(patients.scores, sex)
    expected = ((patients.scores >= thresholds) != decided).mean(axis=0)
    assert flips == pytest.approx(expected)
    assert study.flip_rate == pytest.approx(expected[study.roles.certify].mean())
    called = (patients.scores >= thresholds)[:, study.roles.certify]
    apart = np.mean([np.mean(one != other) for one, other in combinations(called, 2)])
    assert study.disagreement == study.describe().disagreement == pytest.approx(apart)


def test_a_covariate_may_come_by_identifier_or_be_the_site():
    patients, sex = cohort()
    by_name = dict(zip(patients.patients.tolist(), sex.tolist(), strict=True))
    sited = PatientScores(
        scores=patients.scores, labels=patients.labels, patients=patients.patients, sites=sex
    )
    wanted = fit_by_covariate(patients, covariate=sex, n_bootstrap=5).thresholds
    for given, covariate in [(patients, by_name), (sited, "site"), (patients, (sex == "m") * 1.0)]:
        found = fit_by_covariate(given, covariate=covariate, n_bootstrap=5).thresholds
        assert found.tolist() == wanted.tolist()


def test_whole_numbers_are_groups_whatever_their_type():
    patients, sex = cohort()
    codes = (sex == "m") * 1.0
    for covariate in (codes, codes.astype(int), codes.astype(str)):
        study = fit_by_covariate(patients, covariate=covariate, n_bootstrap=5)
        assert study.positions == ["0", "1"]


def test_small_groups_are_warned_about_and_may_have_nobody_to_certify():
    patients, sex = cohort(n=60)
    groups = sex.astype(object)
    groups[:2] = "x"
    study = fit_by_covariate(patients, covariate=groups, n_bootstrap=5)
    assert any("of group 'no. 1 (few patients)' used" in text for text in study.warnings)
    for seed in range(20):
        study = fit_by_covariate(patients, covariate=groups, n_bootstrap=2, seed=seed)
        if not np.any(groups[study.roles.certify] == "x"):
            assert study.groups[2] is None
            assert study.to_dict()["cuts"][2]["certificate"] is None
            break
    else:
        pytest.fail("no split left the small group without patients used to check")


def test_groups_in_other_units_are_warned_about():
    patients, sex = cohort()
    scores = np.where(sex == "m", 1000 * (5 + patients.scores), patients.scores)
    other = PatientScores(scores=scores, labels=patients.labels)
    study = fit_by_covariate(other, covariate=sex, n_bootstrap=2)
    assert [text for text in study.warnings if "hardly overlap" in text]
    assert not [
        text
        for text in fit_by_covariate(patients, covariate=sex, n_bootstrap=2).warnings
        if "hardly overlap" in text
    ]


def test_same_seed_same_study():
    patients, sex = cohort()
    first, second = (fit_by_covariate(patients, covariate=sex, n_bootstrap=9) for _ in range(2))
    assert first.freeze().to_bytes() == second.freeze().to_bytes()


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"kind": "lines"}, BadOption, "kind must be one of groups, smooth"),
        ({"rule": "youden"}, BadOption, "rule must be one of stable, erm"),
        ({"covariate": "sex"}, BadOption, "one entry per patient, a mapping"),
        ({"covariate": ["f", "m"]}, BadPatients, "one entry per patient \\(300\\); got 2"),
        ({"covariate": np.zeros((300, 2))}, BadPatients, "got shape"),
        ({"covariate": {"p0000": "f"}}, BadPatients, "299 of 300 have none"),
        ({"covariate": [None, *["f", "m"] * 149, "f"]}, BadPatients, "1 of 300 have none"),
        ({"covariate": ["a", "b"] * 150, "kind": "smooth"}, BadPatients, "covariate of numbers"),
        (
            {"covariate": [np.nan, *range(299)], "kind": "smooth"},
            BadPatients,
            "finite number; 1 of 300",
        ),
        ({"covariate": [1, 2] * 150, "kind": "smooth"}, BadPatients, "at least 8 values"),
        ({"covariate": ["f"] * 300}, BadPatients, "got 1"),
        ({"delta": 2}, BadOption, "delta"),
    ],
)
def test_what_cannot_be_is_refused(change, error, text):
    patients, sex = cohort()
    with pytest.raises(error, match=text):
        fit_by_covariate(patients, **{"covariate": sex, **change})


def test_a_mapping_needs_identifiers_and_a_class_needs_patients():
    patients, sex = cohort(named=False)
    with pytest.raises(BadPatients, match="only if the patients have identifiers"):
        fit_by_covariate(patients, covariate={"a": "f"})
    one = PatientScores(scores=patients.scores, labels=np.zeros(300))
    with pytest.raises(TooFewPatients):
        fit_by_covariate(one, covariate=sex)


@pytest.mark.parametrize("kind", ["smooth", "groups"])
def test_cut_offs_that_differ_against_the_test_say_so(kind):
    seen = set()
    for seed in range(12):
        patients, values = trend(120, 0.0, seed) if kind == "smooth" else cohort(120, 0.0, seed)
        study = fit_by_covariate(patients, covariate=values, kind=kind, n_bootstrap=2)
        said = any("one cut-off is not enough (p = " in text for text in study.warnings)
        differ = bool(np.ptp(study.thresholds))
        assert said == (differ and study.test.p_value > 0.1)
        seen.add(said)
    assert seen == {True, False}
