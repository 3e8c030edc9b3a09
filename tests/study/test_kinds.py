"""Audit and monitor of every kind of frozen file: risk strata and cut-offs by covariate."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from steadycut import PatientScores, audit, fit, fit_by_covariate, fit_strata, monitor
from steadycut.core.bounds.betting import betting_limit
from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.confusion import Confusion
from steadycut.core.monitor import watch_calls, watch_risk
from steadycut.core.records import Recipe
from steadycut.documents.audit import AuditDocument
from steadycut.documents.covariate import CovariateDocument, CovariateRule
from steadycut.documents.kinds import load_frozen
from steadycut.documents.reading import read_document
from steadycut.documents.strata import StrataRule
from steadycut.errors import BadOption, BadPatients, DeploymentRefused, TooFewPatients
from tests.core.strata_cohorts import GREY, SQUARE, WIDE, ZERO_ONE, graded
from tests.said import said
from tests.study.test_covariate import cohort, trend

GOLDEN = Path(__file__).parents[1] / "golden" / "0.1.0"
NAMES = ["none", "mild", "severe"]


def strata_rule(costs=SQUARE, *, direction="ge", names=None, recipe=None, **options):
    patients, grades = graded(1, 160, costs.n_grades, distance=1.5)
    sign = 1 if direction == "ge" else -1
    chosen = PatientScores(scores=sign * patients.scores, recipe=recipe)
    return fit_strata(
        chosen,
        costs=costs.values,
        grades=grades,
        grade_names=names,
        direction=direction,
        n_bootstrap=30,
        **options,
    ).freeze()


def sex_rule(**options):
    patients, sex = cohort()
    return fit_by_covariate(
        patients, covariate=sex, name="sex", n_bootstrap=20, **options
    ).freeze(), patients


def here(rule, n=80, n_grades=3, distance=1.5, seed=5):
    patients, grades = graded(seed, n, n_grades, distance=distance)
    return rule.sign * patients.scores, grades


# Risk strata -------------------------------------------------------------------------------


def test_a_case_by_hand():
    """Four patients at the two boundaries of three strata."""
    rule = strata_rule()
    low, high = rule.thresholds
    found = audit(rule, [low - 1, low, high, high + 1], [0, 0, 2, 1]).to_dict()
    assert found["counts"] == [[1, 1, 0], [0, 0, 1], [0, 0, 1]]
    # The second patient is put one stratum too high, the fourth as well.
    assert found["risk_external"] == (0 + 1 + 0 + 1) / 4
    assert found["shares"] == [0.25, 0.25, 0.5]
    assert found["call_rate"] == 0.75
    first, second = found["boundaries"]
    assert (first["miss"]["errors"], first["miss"]["n_patients"]) == (0, 2)
    assert (first["alarm"]["errors"], first["alarm"]["n_patients"]) == (1, 2)
    assert (second["alarm"]["errors"], second["alarm"]["n_patients"]) == (1, 3)
    assert first["miss"]["limit"] == upper_limit(0, 2, 0.1 / 4)
    assert found["verdict"]["decision"] == "label more"
    assert said(found).rows["Cost"].startswith("0.5 per patient on average, at most ")


@pytest.mark.parametrize("direction", ["ge", "le"])
@pytest.mark.parametrize("costs", [SQUARE, GREY, WIDE, ZERO_ONE])
def test_an_audit_counts_and_bounds_as_a_loop_over_patients_does(costs, direction):
    rule = strata_rule(costs, direction=direction)
    scores, grades = here(rule, n_grades=costs.n_grades)
    found = audit(rule, scores, grades).describe()
    counts, losses = np.zeros(costs.values.shape, dtype=int), []
    for score, grade in zip(scores, grades, strict=True):
        stratum = sum(rule.sign * score >= rule.sign * cut for cut in rule.thresholds)
        counts[grade, stratum] += 1
        losses.append(costs.values[grade, stratum])
    assert found.counts == counts.tolist()
    assert found.risk_external == pytest.approx(np.mean(losses))
    assert found.risk_external_se == pytest.approx(np.std(losses) / np.sqrt(len(losses)))
    unit = np.array(losses) / costs.values.max()
    if costs is ZERO_ONE:
        upper, lower = (upper_limit(int(n), unit.size, 0.1) for n in (unit.sum(), sum(1 - unit)))
    else:
        upper, lower = betting_limit(unit, 0.1), betting_limit(1 - unit, 0.1)
    assert found.bound_external == pytest.approx(costs.values.max() * upper)
    assert found.lower_external == pytest.approx(costs.values.max() * (1 - lower))
    assert found.counts_internal == rule.document.counts
    before = np.array(rule.document.counts).sum(axis=0)
    assert found.shares_internal == pytest.approx((before / before.sum()).tolist())
    flips = rule.flip_probability(scores)
    assert found.flip_rate == pytest.approx(flips.mean())
    assert found.grey_zone.patients == np.sum(flips >= 0.1)
    assert [found.frozen_schema, found.grades, found.actions] == [
        "steadycut.strata/1",
        rule.document.grades,
        rule.strata,
    ]
    assert found.risk_internal == rule.certificate.risk


@pytest.mark.parametrize("costs", [SQUARE, WIDE])
def test_limits_at_the_boundaries_before_are_those_of_the_file(costs):
    rule = strata_rule(costs)
    scores, grades = here(rule)
    found = audit(rule, scores, grades).describe().boundaries
    for row, known in zip(found, rule.document.boundaries, strict=True):
        assert (row.below, row.above) == (known.below, known.above)
        assert (row.miss_internal, row.alarm_internal) == (known.miss, known.alarm)
        assert row.delta == known.delta


def test_the_verdict_follows_the_certified_value():
    """The same patients against values certified below, inside and above their limits."""
    rule = strata_rule()
    scores, grades = here(rule, 300)
    found = audit(rule, scores, grades).describe()
    assert found.lower_external < found.risk_external < found.bound_external
    wanted = {
        found.lower_external / 2: "no",
        found.lower_external: "cannot tell",
        found.bound_external - 1e-9: "cannot tell",
        found.bound_external: "yes",
    }
    for value, answer in wanted.items():
        certificate = rule.certificate.model_copy(update={"value": value})
        promised = rule.document.model_copy(update={"certificate": certificate, "sha256": None})
        again = audit(StrataRule(promised), scores, grades).describe()
        assert again.verdict.within_certificate == answer


def test_an_order_of_patients_changes_nothing():
    rule = strata_rule()
    scores, grades = here(rule)
    one, other = audit(rule, scores, grades), audit(rule, scores[::-1], grades[::-1])
    assert one.flip_rate == pytest.approx(other.flip_rate)
    assert one.to_dict() | {"flip_rate": 0} == other.to_dict() | {"flip_rate": 0}


def test_grades_may_be_numbers_names_labels_or_an_attribute():
    recipe = Recipe(label="stage")
    rule = strata_rule(names=NAMES, recipe=recipe)
    scores, grades = here(rule)
    wanted = audit(rule, scores, grades).to_dict()
    texts = np.array(NAMES)[grades]
    assert audit(rule, scores, texts).to_dict() == wanted
    assert audit(rule, scores, [str(grade) for grade in grades]).to_dict() == wanted
    patients = PatientScores(scores=scores, attributes={"stage": texts})
    assert audit(rule, patients).to_dict() == wanted
    two = strata_rule(GREY)
    scores, grades = here(two, n_grades=2)
    labelled = PatientScores(scores=scores, labels=grades)
    assert audit(two, labelled).to_dict() == audit(two, scores, grades).to_dict()


@pytest.mark.parametrize(
    ("names", "y", "text"),
    [
        (NAMES, ["none", "odd"], "one of the rule's grades, none, mild, severe; got 1 value"),
        (["1", "2", "3"], ["0", "1"], "one of the rule's grades, 1, 2, 3; got 1 value that is not"),
        (NAMES, [0, 3], "whole numbers from 0 to 2"),
        (NAMES, [0.5, 1], "whole numbers from 0 to 2"),
        (NAMES, [0], "^y must have"),
        (NAMES, ["mild"], "^y must have"),
    ],
)
def test_a_grade_that_the_rule_does_not_know_is_one_clear_line(names, y, text):
    rule = strata_rule(names=names)
    for use in (audit, monitor):
        with pytest.raises(BadPatients, match=text) as caught:
            use(rule, [0.0, 1.0], y)
        assert "\n" not in str(caught.value)


def test_many_wrong_grades_are_not_shown():
    rule = strata_rule(names=NAMES)
    scores, _ = here(rule)
    with pytest.raises(BadPatients, match="got many values"):
        audit(rule, scores, [f"patient-{place}" for place in range(scores.size)])


def test_without_grades_only_what_needs_none_is_known():
    rule = strata_rule()
    scores, grades = here(rule)
    found = audit(rule, scores).describe()
    with_grades = audit(rule, scores, grades).describe()
    assert type(found) is AuditDocument
    assert (found.labelled, found.verdict.decision) == (False, "label more")
    assert (found.shares, found.flip_rate) == (with_grades.shares, with_grades.flip_rate)


# By covariate ------------------------------------------------------------------------------


def one_cut_by_sex(rule):
    """The rule by covariate that has the cut-off of a plain rule in both groups."""
    document, thresholds = (
        rule.document,
        sorted({rule.threshold, *rule.document.bootstrap_thresholds}),
    )
    scale = [rule.sign * cut for cut in sorted(rule.sign * cut for cut in thresholds)]
    rank = {cut: float(place) for place, cut in enumerate(scale)}
    pooled = {
        "threshold": rule.threshold,
        "rank": rank[rule.threshold],
        "certificate": document.certificate,
    }
    cut = {**pooled, "own_threshold": rule.threshold, "weight": 0.5, "certificate": None}
    draws = [rank[one] for one in document.bootstrap_thresholds]
    return CovariateRule(
        CovariateDocument(
            schema="steadycut.covariate/1",
            direction=document.direction,
            aggregation=document.aggregation,
            columns=document.columns,
            score_range=document.score_range,
            certificate=document.certificate,
            kind="groups",
            covariate="sex",
            covariate_range=None,
            cuts=[{"at": name, **cut} for name in ("f", "m")],
            pooled={**pooled, "draws": draws},
            costs=document.costs,
            scale={"ranks": list(range(len(scale))), "thresholds": scale},
            draws=[[draw, draw] for draw in draws],
            difference={"risk": 0, "standard_error": 0, "upper": 0, "delta": 0.1},
            test={"statistic": 0, "df": 1, "p_value": 1, "n_patients": 1},
            provenance={
                "versions": {},
                "seed": 0,
                "rule": "stable",
                "patients": document.provenance.patients,
                "data_sha256": "",
            },
            reference={
                name: getattr(document.reference, name) for name in ("tp", "fn", "fp", "tn")
            },
        )
    )


@pytest.mark.parametrize("direction", ["ge", "le"])
@pytest.mark.parametrize("costs", [(1.0, 1.0), (5.0, 1.0)])
@pytest.mark.parametrize("moved", [0.0, 1.2])
def test_the_audit_is_that_of_the_cut_off_if_all_groups_have_the_same(direction, costs, moved):
    patients, _ = cohort(offset=0)
    sign = 1 if direction == "ge" else -1
    made = replace(patients, scores=sign * patients.scores)
    rule = fit(
        made, direction=direction, cost_fn=costs[0], cost_fp=costs[1], n_bootstrap=40
    ).freeze()
    new, sex = cohort(200, offset=0, seed=9)
    there = PatientScores(
        scores=sign * (new.scores + moved), labels=new.labels, attributes={"sex": sex}
    )
    by_sex = one_cut_by_sex(rule)
    plain, found = audit(rule, there).to_dict(), audit(by_sex, there).to_dict()
    check_next_steps(plain, found)
    shared = set(plain) & set(found) - {"next_step", "frozen_schema", "attributes"}
    assert {
        *("risk_external", "risk_external_se", "risk_internal", "bound_external", "bound"),
        *("vacuous", "verdict", "questions", "shift", "operating_point", "flip_rate"),
        *("operating_point_internal", "call_rate", "call_rate_internal", "grey_zone", "costs"),
    } <= shared
    # The distances between hospitals need the scores of both.
    plain["shift"] = {name: plain["shift"][name] for name in found["shift"]}
    assert {name: found[name] for name in shared} == {name: plain[name] for name in shared}
    watched, plain = monitor(by_sex, there).to_dict(), monitor(rule, there).to_dict()
    shared = set(plain) & set(watched) - {"next_step", "frozen_schema", "attributes"}
    assert {"risk", "call_rate", "first_alarm"} <= shared
    check_next_steps(plain, watched)
    assert {name: watched[name] for name in shared} == {name: plain[name] for name in shared}


def check_next_steps(plain, by_sex):
    # Each names its own file, and only one cut-off can be adapted.
    step, other = said(plain).next_step, said(by_sex).next_step
    if "steadycut adapt" in step:
        assert "steadycut fit" in other
    else:
        assert step.replace("rule.json", "covariate.json") == other


@pytest.mark.parametrize("kind", ["groups", "smooth"])
def test_an_audit_by_covariate_counts_as_a_loop_over_patients_does(kind):
    patients, covariate = cohort() if kind == "groups" else trend()
    rule = fit_by_covariate(
        patients, covariate=covariate, name="c", kind=kind, n_bootstrap=20, cost_fn=3
    ).freeze()
    new, other = cohort(150, seed=8) if kind == "groups" else trend(150, seed=8)
    there = rule.with_covariate(new, other)
    found = audit(rule, there).describe()
    called = rule.decide_scores(new.scores, other)
    tally = dict.fromkeys(itertools.product((0, 1), (0, 1)), 0)
    for label, call in zip(new.labels.tolist(), called.tolist(), strict=True):
        tally[label, call] += 1
    point = found.operating_point
    assert (point.tn, point.fp, point.fn, point.tp) == tuple(tally.values())
    assert found.counts == [[point.tn, point.fp], [point.fn, point.tp]]
    assert found.risk_external == pytest.approx((3 * tally[1, 0] + tally[0, 1]) / 150)
    assert found.shift.signed.total == pytest.approx(found.risk_external - found.risk_internal)
    assert found.attributes == ["c"]
    assert found.cost_matrix == [[0, 1], [3, 0]]
    (boundary,) = found.boundaries
    assert (boundary.below, boundary.above) == ("not called", "called")
    assert (boundary.miss.errors, boundary.alarm.errors) == (point.fn, point.fp)


def test_the_counts_of_the_certifying_patients_are_frozen():
    patients, sex = cohort()
    study = fit_by_covariate(patients, covariate=sex, n_bootstrap=5)
    rule = study.freeze()
    assert rule.document.reference.confusion == study.counts
    assert Confusion.of_counts(rule.reference_counts) == study.counts
    assert rule.certificate.risk == study.counts.risk(rule.costs)


def test_a_file_without_these_counts_is_audited_and_watched_without_them():
    """Files of version 0.1.0 do not have them."""
    rule = load_frozen(GOLDEN / "covariate-groups.json")
    assert rule.reference_counts is None
    low, high = rule.document.score_range
    scores, labels = np.linspace(low, high, 40), np.arange(40) % 2
    there = rule.with_covariate(PatientScores(scores=scores, labels=labels), ["f", "m"] * 20)
    found = audit(rule, there, force=True).describe()
    assert found.labelled
    assert found.bound_external > found.risk_external
    assert [found.shift, found.operating_point, found.counts_internal] == [None] * 3
    assert [found.shares_internal, found.call_rate_internal] == [None] * 2
    assert found.boundaries[0].miss_internal is None
    watched = monitor(rule, there, force=True).describe()
    assert watched.call_rate is None
    assert watched.risk is not None
    assert "share of patients called is not watched" in watched.warnings[-1]


def test_a_group_that_was_not_seen_is_refused_or_pooled():
    rule, _ = sex_rule()
    patients, _ = cohort(seed=8)
    sexes = ["x"] * 3 + ["f"] * 297
    there = rule.with_covariate(replace(patients, patients=None), sexes)
    for use in (audit, monitor):
        with pytest.raises(BadOption, match=r"3 of 300 .* not seen \(1 value.*unseen='pooled'"):
            use(rule, there)
        found = use(rule, there, unseen="pooled")
        assert "3 of 300 patients are of a group of 'sex' without a cut-off" in found.warnings[-1]
        with pytest.raises(BadOption, match="unseen must be one of refuse, pooled"):
            use(rule, there, unseen="drop")
        with pytest.raises(BadPatients, match="the rule needs 'sex' of every patient"):
            use(rule, patients)
        with pytest.raises(BadOption, match=r"unseen='pooled' is for a covariate\.json"):
            use(strata_rule(), [0.0], unseen="pooled")


# Every kind --------------------------------------------------------------------------------


def every_kind():
    """A rule of each kind, and patients with labels for it."""
    rule, made_from = sex_rule()
    patients, sex = cohort(seed=8)
    plain = fit(made_from, n_bootstrap=20).freeze()
    strata = strata_rule(GREY)
    scores, grades = here(strata, n_grades=2)
    return {
        "steadycut.rule/1": (plain, patients),
        "steadycut.covariate/1": (rule, rule.with_covariate(patients, sex)),
        "steadycut.strata/1": (strata, PatientScores(scores=scores, labels=grades)),
    }


KINDS = every_kind()
EVERY = pytest.mark.parametrize("schema", list(KINDS))


@EVERY
def test_what_a_kind_provides_fits_together(schema, tmp_path):
    rule, patients = KINDS[schema]
    assert rule.schema == schema
    rule.save(tmp_path / rule.file_name)
    assert load_frozen(tmp_path / rule.file_name) == rule
    n_actions, matrix = len(rule.actions), rule.cost_matrix
    assert matrix.values.shape == (len(rule.grades), n_actions)
    assert rule.reference_counts.shape == matrix.values.shape
    assert rule.reference_counts.sum() == rule.certificate.n_patients
    actions, flips = rule.decide_patients(patients), rule.flip_probability_of(patients)
    assert set(actions.tolist()) <= set(range(n_actions))
    assert np.all((flips >= 0) & (flips <= 1))
    losses = rule.reference_counts * matrix.values / rule.reference_counts.sum()
    assert losses.sum() == pytest.approx(rule.certificate.risk)


@EVERY
def test_guards_refuse_every_kind_alike(schema):
    rule, patients = KINDS[schema]
    single = replace(patients, n_instances=np.full(patients.n_patients, 9))
    content, span = rule.to_dict(), {"smallest": 1, "median": 1.0, "largest": 1}
    place = content["reference"] if schema == "steadycut.rule/1" else content
    place["instances_per_patient"] = span
    del content["sha256"]
    made = type(rule)(rule.document_of(content))
    for use in (audit, monitor):
        with pytest.raises(DeploymentRefused, match="aggregation: a patient has 9 rows"):
            use(made, single)
        assert use(made, single, force=True).forced == ("aggregation",)
        with pytest.raises(BadOption, match="key was given, but the rule remembers no"):
            use(rule, patients, key=b"k" * 20)
        with pytest.raises(TooFewPatients, match="needs at least one patient"):
            use(rule, [])


@EVERY
def test_an_audit_is_read_back_as_it_was_written(schema):
    rule, patients = KINDS[schema]
    for there in (patients, replace(patients, labels=None)):
        found = audit(rule, there).describe()
        whole = found.model_copy(update={"frozen_rule": rule.document})
        assert read_document(AuditDocument, whole.to_plain()) == whole
        assert whole.to_plain()["frozen_rule"] == rule.to_dict()


@pytest.mark.parametrize("schema", ["steadycut.strata/1", "steadycut.covariate/1"])
def test_small_cells_are_for_a_cut_off(schema):
    rule, patients = KINDS[schema]
    with pytest.raises(
        BadOption, match=rf"one cut-off for all patients.*this {rule.file_name} has several"
    ):
        audit(rule, patients, small_cells=5)


# Monitor -----------------------------------------------------------------------------------


@pytest.mark.parametrize("costs", [SQUARE, WIDE])
def test_a_watch_on_strata_takes_the_losses_in_the_order_given(costs):
    rule = strata_rule(costs)
    scores, grades = here(rule, 120)
    order = np.random.default_rng(0).permutation(120)
    found = monitor(rule, scores, grades, order=order)
    came = np.argsort(order)
    losses = [
        costs.values[grades[one], sum(scores[one] >= cut for cut in rule.thresholds)]
        for one in came
    ]
    wanted = watch_risk(losses, rule.certificate.value, costs.values.max(), 0.1)
    assert np.array_equal(found.risk.martingale, wanted.martingale)
    assert found.first_alarm == wanted.first_alarm
    counts = np.array(rule.document.counts)
    calls = int(counts[:, 1:].sum())
    reference = Confusion(tp=calls, fn=0, fp=0, tn=int(counts[:, 0].sum()))
    calls = watch_calls(scores[came] >= rule.thresholds[0], reference, 0.1)
    assert np.array_equal(found.calls.too_many, calls.too_many)
    assert found.calls.internal == calls.internal
    written = found.to_dict()
    assert written["schema"] == "steadycut.monitor/1"
    assert written["actions"] == rule.strata
    assert sum(written["shares"]) == pytest.approx(1)


def test_strata_that_got_worse_raise_an_alarm():
    rule = strata_rule()
    scores, grades = here(rule, 400)
    assert monitor(rule, scores, grades).first_alarm is None
    found = monitor(rule, scores - 3, grades)
    assert found.first_alarm < 100
    assert found.describe().alarm
    assert found.calls.first_alarm is not None
    assert monitor(rule, scores).risk is None
