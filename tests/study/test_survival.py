"""Studies and audits of survival at a horizon."""

import json

import numpy as np
import pytest

import steadycut
from steadycut import PatientScores
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion
from steadycut.core.records import UNKNOWN, Costs
from steadycut.errors import BadOption, DeploymentRefused, TooFewPatients
from steadycut.show.pages.kinds import page_of
from steadycut.show.render.markdown import markdown


def follow_up(n=240, seed=0, censoring=40.0, shift=0.0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n) + shift
    time, censored = rng.exponential(10 * np.exp(-1.2 * scores)), rng.exponential(censoring, n)
    names = [f"p{seed}_{i:04d}" for i in range(n)]
    return {
        "id": names,
        "s": scores,
        "months": np.minimum(time, censored),
        "dead": (time <= censored).astype(int),
    }


def read(table, **more):
    columns = {"patient": "id", "score": "s", "time": "months", "event": "dead", "horizon": 5}
    return steadycut.aggregate(table, **{**columns, **more})


def numbers(study):
    """Everything in study.json but the columns, which differ by their names."""
    found = study.to_dict()
    return {name: one for name, one in found.items() if name not in {"survival", "frozen_rule"}}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rule": "erm", "cost_fn": 3.0},
        {"honesty": "uniform"},
        {"rule": "kappa"},
        {"test_size": 0.2},
    ],
)
def test_without_censoring_every_number_is_that_of_a_label_made_by_hand(options):
    table = follow_up(censoring=1e9)
    by_hand = {**table, "y": (table["months"] <= 5).astype(int)}
    labelled = steadycut.aggregate(by_hand, patient="id", score="s", label="y")
    ours, plain = (steadycut.fit(one, **options) for one in (read(table), labelled))
    assert numbers(ours) == numbers(plain)
    assert ours.describe().survival.unknown == 0
    here, there = ours.freeze().to_dict(), plain.freeze().to_dict()
    assert here["columns"]["horizon"] == 5.0
    assert [name for name in here if here[name] != there[name]] == ["columns", "sha256"]
    other = follow_up(censoring=1e9, seed=1)
    labels = (other["months"] <= 5).astype(int)
    audits = (
        steadycut.audit(ours.freeze(), read(other)),
        steadycut.audit(
            plain.freeze(), PatientScores(scores=other["s"], labels=labels, patients=other["id"])
        ),
    )
    first, second = (
        {k: v for k, v in one.to_dict().items() if k not in {"survival", "data", "warnings"}}
        for one in audits
    )
    assert first == second


def test_unknown_patients_count_as_errors_in_the_certificate():
    patients = read(follow_up())
    study = steadycut.fit(patients)
    certify = study.roles.certify
    fates, called = patients.fates[certify], patients.scores[certify] >= study.threshold
    by_hand = Confusion(
        tp=int(np.sum(called & (fates == 1))),
        fn=int(np.sum(~called & (fates != 0))),
        fp=int(np.sum(called & (fates != 1))),
        tn=int(np.sum(~called & (fates == 0))),
    )
    assert study.counts == by_hand
    assert study.certificate == certificate_of(by_hand, Costs(), 0.1)
    assert np.sum(fates == UNKNOWN) > 0
    part = study.describe().survival
    assert part.unknown == np.sum(fates == UNKNOWN)
    assert part.limits[1] == study.certificate.value
    assert part.limits[0] < part.weighted.risk < part.limits[1]
    assert part.weighted.limit < part.limits[1]
    assert study.describe().patients.certify_unknown == part.unknown


def test_those_of_known_fate_choose_by_weight():
    table = follow_up(n=2000, censoring=8.0)
    truth = follow_up(n=40_000, seed=9, censoring=1e9)
    cheapest = steadycut.fit(read(truth), rule="erm", n_bootstrap=2).threshold
    weighted = steadycut.fit(read(table), rule="erm", n_bootstrap=2).threshold
    # Without weights early events are too many among the patients of known fate.
    known = read(table).of_known_fate
    plain = PatientScores(scores=known.scores, labels=known.labels, patients=known.patients)
    unweighted = steadycut.fit(plain, rule="erm", n_bootstrap=2).threshold
    assert abs(weighted - cheapest) < abs(unweighted - cheapest)


def test_a_page_says_how_many_fates_are_unknown_and_what_is_approximate():
    study = steadycut.fit(read(follow_up()))
    text = markdown(page_of(study.describe()))
    part = study.describe().survival
    assert f"{part.unknown} of {part.n_patients} patients" in text
    assert "approximate" in text
    assert f"and {study.describe().patients.unknown} of unknown fate" in text
    assert "Outcome. The outcome was the event by 5" in text
    assert "counts as an error" in " ".join(study.warnings)
    assert "log-rank" in text
    assert json.loads(json.dumps(study.to_dict()))["survival"]["weighted"]["approximate"] is True


def test_an_audit_counts_unknown_patients_as_errors_and_refutes_nothing():
    rule = steadycut.fit(read(follow_up())).freeze()
    there = read(follow_up(seed=5, censoring=10.0, shift=-2.0))
    found = steadycut.audit(rule, there)
    called = there.scores >= rule.threshold
    wrong = np.where(called, there.fates != 1, there.fates != 0)
    assert found.risk == pytest.approx(wrong.mean())
    assert found.describe().survival.unknown == there.n_unknown
    assert "no" not in {found.labelled.verdict.useful, found.labelled.verdict.within_certificate}
    assert "unknown fate" in markdown(page_of(found.describe()))


def test_an_audit_reads_the_columns_of_the_rule_under_other_names():
    rule = steadycut.fit(read(follow_up())).freeze()
    table = follow_up(seed=6)
    table["days"] = table.pop("months")
    renamed = rule.aggregate(table, columns="months=days")
    assert renamed.n_unknown > 0
    assert rule.aggregate(table).labels is None


def test_the_patients_of_the_rule_are_recognised():
    patients = read(follow_up())
    rule = steadycut.fit(patients).freeze()
    with pytest.raises(DeploymentRefused, match="same patients"):
        steadycut.audit(rule, patients)


@pytest.mark.parametrize(
    "options",
    [
        {"rule": "kappa"},
        {"honesty": "uniform"},
        {"stratified": True, "target_prevalence": 0.3},
        {"stratify": "label"},
    ],
)
def test_what_needs_every_label_is_refused(options):
    with pytest.raises(BadOption, match="censored before the horizon"):
        steadycut.fit(read(follow_up()), **options)


def test_a_horizon_that_nobody_reaches_is_refused():
    with pytest.raises(TooFewPatients, match="followed to it"):
        steadycut.fit(read(follow_up(), horizon=1e6))


def test_small_cells_cannot_hide_unknown_fates():
    with pytest.raises(BadOption, match="small_cells"):
        steadycut.fit(read(follow_up())).freeze(small_cells=5)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"event": None}, "event is missing"),
        ({"label": "dead", "event": "other"}, "exclude each other"),
        ({"horizon": -1}, "horizon"),
    ],
)
def test_wrong_columns_are_refused(more, text):
    with pytest.raises(BadOption, match=text):
        read(follow_up(), **more)


def test_times_must_be_numbers():
    table = follow_up(n=3)
    with pytest.raises(steadycut.errors.BadTable, match="1 of 3 patients have something else"):
        read({**table, "months": ["1.5", "soon", "3"]})
    decimal = read({**table, "months": ["1,5", "2", "3"]}, decimal=",")
    assert decimal.time.tolist() == [1.5, 2.0, 3.0]


def test_a_certified_rate_is_never_refuted_by_unknown_fates():
    study = steadycut.fit(read(follow_up(censoring=6.0)), certify="sensitivity:0.99")
    (rate,) = study.certified_rates
    assert rate.answer == "cannot tell"
    assert rate.upper == 1.0
