"""`fit_strata` with two limits: rule out, further tests, rule in."""

import numpy as np
import pytest

from steadycut import PatientScores, StrataRule, audit, fit_strata, rule_reader
from steadycut.core.bounds.binomial import two_sided
from steadycut.documents.canonical_json import content_hash, frozen_bytes
from steadycut.errors import BadOption, BadRuleFile, NoFeasibleCut
from steadycut.show.pages.kinds import page_of

LIMITS = {"rule_out": "sensitivity:0.97", "rule_in": "specificity:0.97"}
VALUES = {"rule_out": "npv:0.97", "rule_in": "ppv:0.95"}
QUICK = {"n_bootstrap": 20}


def cohort(seed, n=600, prevalence=0.4, distance=2.0):
    rng = np.random.default_rng(seed)
    ill = (rng.random(n) < prevalence).astype(int)
    return PatientScores(scores=rng.normal(size=n) + distance * ill, labels=ill)


@pytest.fixture(scope="module")
def study():
    return fit_strata(cohort(0), **LIMITS, certify="sensitivity:0.9,specificity:0.9", **QUICK)


def test_both_sides_are_counted_among_the_other_patients(study):
    counts, document = study.counts, study.describe()
    assert document.strata == ["rule out", "further tests", "rule in"]
    assert document.rule == "rule-out:sensitivity:0.97,rule-in:specificity:0.97"
    out, into = document.sides
    assert (out.rate, out.asked, out.right) == ("sensitivity", 0.9, counts[1, 1:].sum())
    assert (into.rate, into.asked, into.right) == ("specificity", 0.9, counts[0, :-1].sum())
    assert (out.n_patients, into.n_patients) == tuple(counts.sum(axis=1)[::-1])
    assert out.lower == two_sided(out.right, out.n_patients, 0.1)[0]
    between = document.between
    assert (between.patients, between.n_patients) == (counts[:, 1].sum(), 300)
    assert (between.low, between.high) == two_sided(between.patients, 300, 0.1)
    assert document.verdict.as_asked == document.verdict.overall.replace("good", "yes") == "yes"


def test_among_the_patients_used_to_choose_both_limits_are_met(study):
    chose = study.roles.select
    strata, grades = study.stratum_of(study.patients.scores[chose]), study.grades[chose]
    assert (strata[grades == 1] > 0).mean() >= 0.97
    assert (strata[grades == 0] < 2).mean() >= 0.97


@pytest.mark.parametrize("limits", [LIMITS, VALUES])
def test_low_scores_may_mean_illness(limits):
    """The mirrored cohort has the mirrored cut-offs and the same counts."""
    up = cohort(3)
    down = PatientScores(scores=-up.scores, labels=up.labels)
    one = fit_strata(up, **limits, **QUICK)
    other = fit_strata(down, **limits, direction="le", **QUICK)
    assert other.thresholds == pytest.approx(-one.thresholds)
    assert other.counts.tolist() == one.counts.tolist()
    assert one.thresholds[0] < one.thresholds[1]


def test_an_increasing_transform_changes_no_count():
    up = cohort(4)
    other = PatientScores(scores=np.exp(up.scores), labels=up.labels)
    one, two = (fit_strata(each, **VALUES, **QUICK) for each in (up, other))
    assert one.counts.tolist() == two.counts.tolist()
    assert one.describe().sides == two.describe().sides


def test_cut_offs_that_cross_are_one():
    limits = {"rule_out": "sensitivity:0.7", "rule_in": "specificity:0.7"}
    study = fit_strata(cohort(5), **limits, **QUICK)
    assert study.thresholds[0] == study.thresholds[1]
    document = study.describe()
    assert (document.between.patients, document.between.low) == (0, 0.0)
    assert [one.answer for one in document.sides] == ["yes", "yes"]
    assert study.warnings == []
    assert "one cut-off meets both limits, so nobody needs further tests." in " ".join(
        study.summary().split()
    )


def test_the_frozen_file_comes_back_and_knows_what_is_shown(study):
    rule = study.freeze()
    again = StrataRule.from_bytes(rule.to_bytes())
    assert again == rule
    assert again.certified_rates == again.asked_rates == {"sensitivity": 0.9, "specificity": 0.9}
    assert again.document.sides == study.describe().sides
    strict = fit_strata(cohort(0), **LIMITS, certify="sensitivity:0.99", **QUICK).freeze()
    assert strict.asked_rates == {"sensitivity": 0.99, "specificity": 0.97}
    assert "sensitivity" not in strict.certified_rates


@pytest.mark.parametrize(
    "change",
    [
        {"sides": None},
        {"between": None},
        {"strata": ["a", "b"], "thresholds": [0.0], "bootstrap_thresholds": [[0.0]]},
        {"sides": "exchanged"},
    ],
)
def test_a_file_whose_sides_do_not_fit_is_refused_by_both_readers(study, change, tmp_path):
    content = {**study.freeze().to_dict(), **change}
    if change == {"sides": "exchanged"}:
        content["sides"] = study.freeze().to_dict()["sides"][::-1]
    if "strata" in change:
        content["costs"] = [[0.0, 1.0], [1.0, 0.0]]
    content = {name: value for name, value in content.items() if value is not None}
    content["sha256"] = content_hash(content)
    path = tmp_path / "strata.json"
    path.write_bytes(frozen_bytes(content))
    with pytest.raises(BadRuleFile):
        StrataRule.load(path)
    with pytest.raises(rule_reader.Refused):
        rule_reader.load_rule(str(path))


def test_the_small_reader_reads_the_frozen_file(study, tmp_path):
    study.freeze().save(tmp_path / "strata.json")
    found = rule_reader.load_rule(str(tmp_path / "strata.json"))
    assert [one["rate"] for one in found["sides"]] == ["sensitivity", "specificity"]


def test_strata_by_costs_have_no_sides():
    study = fit_strata(cohort(0), costs=[[0, 0.25, 1], [1, 0.25, 0]], **QUICK)
    assert study.sides == ()
    assert not {"sides", "between"} & set(study.to_dict()) & set(study.freeze().to_dict())
    assert study.freeze().asked_rates == {}


@pytest.mark.parametrize("sequential", [False, True])
def test_an_audit_repeats_both_rates_and_the_share_between(study, sequential):
    rule, there = study.freeze(), cohort(7, 400)
    found = audit(rule, there, sequential=sequential).describe()
    strata, ill = rule.stratum_of(there.scores), there.labels
    out, into = found.sides
    assert (out.right, out.n_patients) == ((strata[ill == 1] > 0).sum(), ill.sum())
    assert (into.right, into.n_patients) == ((strata[ill == 0] < 2).sum(), 400 - ill.sum())
    assert found.between.patients == (strata == 1).sum()
    exact = two_sided(out.right, out.n_patients, 0.1)
    assert (out.lower == pytest.approx(exact[0])) != sequential
    assert [one.rate for one in found.certified_rates] == ["sensitivity", "specificity"]


def test_an_audit_finds_a_side_that_fails(study):
    """Ill patients score lower there, so many are ruled out."""
    found = audit(study.freeze(), cohort(8, 400, distance=0.5)).describe()
    assert found.sides[0].answer == "no"
    assert (found.verdict.decision, found.verdict.within_certificate) == ("do not use", "no")


def test_without_labels_the_share_between_is_known(study):
    found = audit(study.freeze(), cohort(9, 200).scores).describe()
    assert "sides" not in found.to_plain()
    assert found.between.patients == round(found.shares[1] * 200)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "give costs, what each stratum costs each grade; or rule_out and rule_in"),
        ({"rule_out": "npv:0.9"}, "rule_out needs rule_in too"),
        ({**LIMITS, "rule": "erm"}, "rule and rule_out both say how to choose; leave out rule"),
        ({**LIMITS, "costs": [[0, 1], [1, 0]]}, "costs must have two rows.*got 2 and 2"),
        ({**LIMITS, "certify": "npv:0.9"}, "certify must name sensitivity or specificity"),
        ({**LIMITS, "certify": "sensitivity:2"}, "must lie strictly between 0 and 1"),
        ({"costs": [[0, 1], [1, 0]], "certify": "npv:0.9"}, "certify needs rule_out and rule_in"),
    ],
)
def test_wrong_options_are_refused(options, said):
    with pytest.raises(BadOption, match=said):
        fit_strata(cohort(0), **options, **QUICK)


def test_a_limit_that_no_cut_reaches_is_refused():
    with pytest.raises(NoFeasibleCut, match=r"has ppv >= 0.99 .* the best at any cut is ppv 0\."):
        fit_strata(cohort(1, 200, distance=0.0), rule_out="npv:0.7", rule_in="ppv:0.99", **QUICK)


@pytest.mark.parametrize("sites", [None, ["A", "B"]])
def test_an_audit_has_one_limit_for_one_count(study, sites):
    there = cohort(5, 300)
    named = None if sites is None else np.repeat(sites, 150)
    there = PatientScores(scores=there.scores, labels=there.labels, sites=named)
    document = audit(study.freeze(), there).describe()
    held = {(one.rate, one.right, one.n_patients): one.lower for one in document.sides}
    for one in document.certified_rates or ():
        assert held[one.rate, one.right, one.n_patients] == one.lower
    page = page_of(document)
    table = next(one for one in page.sections if one.key == "boundaries").tables[0]
    limits = {row[2]: row[3] for row in table.rows}
    for side in document.sides:
        assert limits[f"{side.n_patients - side.right} of {side.n_patients}"] == "as above"
    share = 0.1 if sites is None else 0.05
    assert f"{100 * (1 - share):g} % confidence for both" in page.marks[0].text
