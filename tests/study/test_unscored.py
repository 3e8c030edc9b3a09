"""Patients without a score: called, or left, and counted wherever anything is counted."""

import warnings

import numpy as np
import pytest

import steadycut
from steadycut import FrozenRule, PatientScores, adapt, audit, compare, fit, monitor
from steadycut.adaptation.adapt import worklist
from steadycut.core.confusion import Confusion, confusion_at, is_called
from steadycut.core.diagnose import flip_probability
from steadycut.core.survival import worst_labels
from steadycut.errors import BadOption, BadPatients, MissingScores
from steadycut.study.curves import class_quantiles
from steadycut.study.options import study_options
from steadycut.study.roles import check_unscored

POLICIES = ("call", "leave")
DIRECTIONS = ("ge", "le")
FAR = 1e6


def cohort(n=200, seed=0, direction="ge", missing=(0.1, 0.3)):
    """Return scores, labels and who has no score; more of the ill have none."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    scores = rng.normal(size=n) + 2 * labels
    gone = rng.random(n) < np.array(missing)[labels]
    return np.where(gone, np.nan, scores if direction == "ge" else -scores), labels, gone


def quietly(function, *given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*given, **options)


def fitted(policy, direction="ge", **options):
    scores, labels, _ = cohort(direction=direction)
    return quietly(fit, scores, labels, unscored=policy, direction=direction, **options)


def as_far(scores, policy, direction):
    """Give patients without a score one that lies beyond every finite cut-off."""
    high = (policy == "call") == (direction == "ge")
    return np.where(np.isnan(scores), FAR if high else -FAR, scores)


# What patients are -------------------------------------------------------------------------


def test_patients_without_a_score_are_refused_unless_something_says_what_is_done_to_them():
    with pytest.raises(MissingScores, match="2 of 3 are missing"):
        PatientScores([0.1, np.nan, np.inf])
    patients = PatientScores([0.1, np.nan, 0.3], [0, 1, 1], unscored="call")
    assert (patients.n_unscored, patients.n_patients, patients.n_positive) == (1, 3, 2)
    assert patients.scored.scores.tolist() == [0.1, 0.3]
    assert patients.without_score.labels.tolist() == [1]
    assert "1 without a score" in repr(patients)
    with pytest.raises(BadOption, match="unscored"):
        PatientScores([0.1], unscored="drop")
    assert PatientScores([0.1], unscored="refuse").recipe.unscored is None
    with pytest.raises(MissingScores):
        PatientScores([np.nan], unscored="refuse")


def test_without_a_policy_patients_with_a_score_are_all_of_them():
    patients = PatientScores([0.1, 0.3], [0, 1])
    assert patients.scored is patients
    assert patients.usable is patients
    assert patients.under(None) is patients
    assert PatientScores([0.1], unscored="leave").under(None).recipe.unscored is None


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("policy", "end"), [("call", np.inf), ("leave", -np.inf)])
def test_oriented_patients_without_a_score_have_an_infinite_one(policy, end, direction):
    patients = PatientScores([0.1, np.nan], [0, 1], unscored=policy)
    oriented = patients.oriented(direction)
    assert oriented.scores[1] == end
    assert oriented.scored.n_patients == 1
    assert oriented.n_unscored == 1


def test_nobody_who_is_left_is_called_and_everybody_who_is_called_is():
    labels = [1, 0, 1, 0]
    for policy in POLICIES:
        patients = PatientScores([np.nan, np.nan, 2.0, 1.0], labels, unscored=policy)
        oriented = patients.oriented("ge")
        for cut in (-np.inf, 1.5, np.inf):
            called = is_called(oriented.scores, cut)
            assert called[:2].tolist() == [policy == "call"] * 2
            assert confusion_at(oriented, cut) == Confusion.of_calls(patients.labels, called)
    assert flip_probability(np.array([-np.inf, 0.0]), 0.5, np.full(4, -np.inf)).tolist() == [0, 1]


def test_an_unknown_fate_without_a_score_is_an_error():
    followed = {"time": [1, 9, 9], "event": [0, 0, 1], "horizon": 5}
    for policy, label in (("call", 0), ("leave", 1)):
        patients = PatientScores([np.nan, 1.0, 2.0], **followed, unscored=policy)
        for cut in (-np.inf, 1.5, np.inf):
            assert worst_labels(patients.oriented("ge"), cut).labels[0] == label
        assert patients.usable.n_patients == 2


def test_another_policy_keeps_what_was_noted_of_the_names():
    patients = PatientScores([0.2, 0.1], [1, 0], patients=["b", "a"])
    assert patients.under("call").once("other order", lambda: False)
    assert patients.under("call").recipe.unscored == "call"


# A study -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["stable", "erm", "logistic"])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("policy", POLICIES)
def test_they_count_as_if_they_had_a_score_beyond_every_cut(policy, direction, rule):
    study = fitted(policy, direction, rule=rule, n_bootstrap=20)
    scores, labels, gone = cohort(direction=direction)
    far = PatientScores(as_far(scores, policy, direction), labels).oriented(direction)
    assert np.isfinite(study.threshold)
    certify, select = (far.take(one) for one in (study.roles.certify, study.roles.select))
    cut = study.chosen.threshold
    assert study.counts == confusion_at(certify, cut)
    assert study.certificate.risk == study.counts.risk(study.options.search.costs)
    assert study.chosen.risk == pytest.approx(
        confusion_at(select, cut).risk(study.options.search.costs)
    )
    assert study.flip_rate == pytest.approx(
        np.mean(study.flip_probability(study.certify_patients.scored.scores))
        * (~gone[study.roles.certify]).mean()
    )


def test_erm_is_the_best_cut_for_everybody():
    scores, labels, _ = cohort(60)
    study = quietly(fit, scores, labels, unscored="call", rule="erm", cost_fn=2.0, n_bootstrap=2)
    far = PatientScores(as_far(scores, "call", "ge"), labels).take(study.roles.select)
    finite = np.sort(far.scores[far.scores < FAR])
    cuts = [-np.inf, *((finite[1:] + finite[:-1]) / 2), np.nextafter(finite[-1], np.inf)]
    best = min(confusion_at(far, cut).risk(study.options.search.costs) for cut in cuts)
    assert study.chosen.risk == pytest.approx(best)
    assert study.chosen.smallest_risk == pytest.approx(best)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_cut_off_is_that_of_the_patients_with_a_score(policy):
    study = fitted(policy, n_bootstrap=20)
    scores, labels, gone = cohort()
    chose = np.setdiff1d(study.roles.select, np.flatnonzero(gone))
    alone = quietly(fit, scores[chose], labels[chose], honesty="uniform", n_bootstrap=20)
    assert confusion_at(study.chose, study.chosen.threshold) == alone.counts
    assert study.chose.n_patients == chose.size


@pytest.mark.parametrize("policy", POLICIES)
def test_everything_that_is_written_of_a_study_counts_them(policy):
    study = fitted(policy, n_bootstrap=20, test_size=0.2)
    document = study.describe()
    gone = cohort()[2]
    assert document.unscored.policy == policy
    assert document.unscored.n_patients == gone.sum()
    assert document.operating_point.confusion == study.counts
    assert document.test.operating_point.confusion.n_patients == 40
    assert document.explorer.n_positive == study.counts.n_positive
    assert document.scores == class_quantiles(study.certify_patients.scored)
    table = study.to_frame("patients")
    decided = np.asarray(table["decision"])[np.isnan(np.asarray(table["score"]))]
    assert decided.tolist() == [int(policy == "call")] * int(gone.sum())
    assert "A patient without a score" in study.summary()


def test_a_rule_keeps_the_policy_and_older_files_have_none():
    rule = fitted("leave", n_bootstrap=20).freeze()
    again = FrozenRule.from_bytes(rule.to_bytes())
    assert again.recipe.unscored == "leave"
    assert again.document.reference.unscored.fn > 0
    scored = again.document.reference.scored
    assert scored.fn == again.document.reference.fn - again.document.reference.unscored.fn
    plain = quietly(fit, np.arange(40.0), np.repeat([0, 1], 20), n_bootstrap=2).freeze()
    assert b"unscored" not in plain.to_bytes()
    assert plain.document.reference.scored == plain.document.reference.confusion


def test_a_policy_is_frozen_also_where_everybody_has_a_score():
    scores, labels, _ = cohort(missing=(0.0, 0.0))
    study, plain = (
        quietly(fit, scores, labels, unscored=one, n_bootstrap=20) for one in ("call", None)
    )
    assert study.certificate == plain.certificate
    assert study.threshold == plain.threshold
    assert study.freeze().recipe.unscored == "call"
    assert study.freeze().document.reference.unscored is None
    assert "0 of 200 had none" in " ".join(study.summary().split())


def test_an_ensemble_has_them_too():
    scores, labels, gone = cohort()
    both = [
        PatientScores(
            given, labels, unscored="call", recipe=steadycut.core.records.Recipe(score=name)
        )
        for name, given in (("a", scores), ("b", scores**3))
    ]
    study = quietly(fit, both, ensemble="quantile", n_bootstrap=20)
    assert np.isnan(study.patients.scores).sum() == gone.sum()
    assert study.counts.n_patients == 100
    decisions = study.freeze().decisions(both)
    assert set(decisions["decision"][gone]) == {1}


def test_sites_count_them():
    scores, labels, _ = cohort(300)
    sites = np.repeat(["a", "b", "c"], 100)
    patients = PatientScores(scores, labels, sites=sites, unscored="leave")
    study = quietly(fit, patients, n_bootstrap=20)
    assert [row.counts.n_patients for row in study.next_site.rows] == [100, 100, 100]
    assert study.describe().next_site is not None


def test_survival_counts_them():
    rng = np.random.default_rng(5)
    scores, labels, _ = cohort(300)
    time, event = rng.exponential(9 - 6 * labels), rng.random(300) < 0.7
    patients = PatientScores(scores, time=time, event=event, horizon=4, unscored="leave")
    study = quietly(fit, patients, n_bootstrap=20)
    assert study.counts.n_patients == 150
    assert study.describe().survival.n_patients == 150
    assert study.chosen.risk > 0


# What does not go with it ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"rule": "youden"}, "stable or erm or logistic; got 'youden'"),
        ({"target_prevalence": 0.1}, "leave out target_prevalence"),
        ({"honesty": "uniform"}, "honesty 'split'"),
        ({"target_prevalence": 0.1, "stratified": True}, "no stratified"),
        ({"stratify": "label"}, "no stratify"),
    ],
)
def test_what_weighs_classes_otherwise_refuses_in_one_line(options, text):
    patients = PatientScores(*cohort()[:2], unscored="call")
    with pytest.raises(BadOption, match="same cost at every cut-off") as error:
        check_unscored(patients, study_options(**options))
    assert text in str(error.value)
    assert "\n" not in str(error.value)
    check_unscored(PatientScores([0.1], [1]), study_options(**options))


def test_other_kinds_refuse_them():
    patients = PatientScores(*cohort()[:2], unscored="call")
    groups = np.where(np.arange(200) % 2, "f", "m")
    with pytest.raises(BadOption, match="risk strata"):
        steadycut.fit_strata(patients, costs=[[0, 1], [1, 0]])
    with pytest.raises(BadOption, match="cut-offs by covariate"):
        steadycut.fit_by_covariate(patients, covariate=groups)
    with pytest.raises(BadOption, match="rules that are compared"):
        compare(patients, PatientScores([0.1, 0.2], [0, 1]))
    rule = fitted("call", n_bootstrap=20).freeze()
    with pytest.raises(BadOption, match="small cells"):
        fitted("call", n_bootstrap=20).freeze(small_cells=5)
    with pytest.raises(BadOption, match="small cells"):
        quietly(audit, rule, PatientScores(*cohort(seed=1)[:2], unscored="call"), small_cells=5)
    with pytest.raises(BadOption, match="pairs of scores"):
        quietly(steadycut.switch, rule, patients, patients)


# The next hospital -------------------------------------------------------------------------


def test_a_rule_without_a_policy_refuses_them():
    scores, labels, _ = cohort(missing=(0.0, 0.0))
    rule = quietly(fit, scores, labels, n_bootstrap=20).freeze()
    there = PatientScores(*cohort(seed=1)[:2], unscored="call")
    for use in (audit, monitor, adapt):
        with pytest.raises(BadPatients, match="nothing says what is done to them"):
            quietly(use, rule, there)
    with pytest.raises(BadPatients, match="nothing says"):
        rule.decisions(there)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("policy", POLICIES)
def test_an_audit_and_a_monitor_count_them(policy, direction):
    rule = fitted(policy, direction, n_bootstrap=20).freeze()
    scores, labels, gone = cohort(seed=1, direction=direction)
    far = as_far(scores, policy, direction)
    found = quietly(audit, rule, scores, labels)
    document = found.describe()
    same = quietly(audit, rule, far, labels).describe()
    for name in ("risk_external", "bound_external", "call_rate", "counts", "call_rate_internal"):
        assert getattr(document, name) == getattr(same, name), name
    assert document.unscored.n_patients == gone.sum()
    assert document.unscored.positive == labels[gone].sum()
    assert document.shift.signed == same.shift.signed
    assert "had none" in found.summary()
    watched, other = (quietly(monitor, rule, one, labels) for one in (scores, far))
    assert watched.describe().risk == other.describe().risk
    unlabelled = quietly(audit, rule, scores).describe()
    assert unlabelled.unscored.positive is None
    assert unlabelled.call_rate == document.call_rate


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("policy", POLICIES)
def test_adapting_counts_them(policy, direction):
    rule = fitted(policy, direction, n_bootstrap=20).freeze()
    scores, labels, gone = cohort(300, seed=1, direction=direction)
    for sequential in (False, True):
        found = quietly(adapt, rule, scores, labels, sequential=sequential, target=0.9)
        used = found.judged.used
        decided = found.rule.decisions(PatientScores(scores, unscored=policy))["decision"]
        assert set(decided[gone]) == {int(policy == "call")}
        reference = found.rule.document.reference
        assert reference.confusion == used
        assert found.rule.recipe.unscored == policy
        assert FrozenRule.from_bytes(found.rule.to_bytes()) == found.rule
    labelled = PatientScores(scores, labels, unscored=policy)
    again = quietly(adapt, rule, cohort(40, seed=9, direction=direction)[0], labelled=labelled)
    far = PatientScores(as_far(scores, policy, direction), labels).oriented(direction)
    assert again.judged.used == confusion_at(far, again.judged.cut)


def test_the_next_hospital_may_choose_again_what_is_done_to_them():
    rule = fitted("call", n_bootstrap=20).freeze()
    scores, labels, _ = cohort(300, seed=1)
    found = quietly(adapt, rule, scores, labels, unscored="leave")
    assert found.rule.recipe.unscored == "leave"
    assert found.rule.document.adapted.parent == rule.document.sha256
    assert found.rule.document.reference.unscored.fn > 0
    with pytest.raises(BadOption, match="unscored needs the latter"):
        quietly(adapt, rule, scores, unscored="leave", prevalence=0.3)
    with pytest.raises(BadOption, match="worklist"):
        quietly(worklist, rule, PatientScores(scores, unscored="call"), 20)


def test_scores_that_are_missing_need_the_policy_of_the_rule_only():
    rule = fitted("leave", n_bootstrap=20).freeze()
    scores, labels, _ = cohort(seed=1)
    called = PatientScores(scores, labels, unscored="call")
    assert quietly(audit, rule, called).risk == quietly(audit, rule, scores, labels).risk
