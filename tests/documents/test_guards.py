"""Guards speak when patients are unlike the rule's own, and are silent when they are alike."""

from dataclasses import replace

import numpy as np
import pytest

from steadycut import PatientScores, audit, fit, monitor
from steadycut.documents.guards import (
    check_aggregation,
    check_deployment,
    check_instances,
    check_levels,
    check_range,
    check_sites,
    check_unit,
    missing_level,
    pass_or_refuse,
    site_hash,
    texts_of,
)
from steadycut.documents.rule import RuleDocument
from steadycut.errors import DeploymentRefused, ForcedWarning


def cohort(seed, n_patients=200, n_instances=30, shift=0.0, factor=1.0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n_patients) % 2
    counts = None if n_instances is None else np.full(n_patients, n_instances)
    scores = factor * (rng.normal(size=n_patients) + 2 * labels + 5 + shift)
    return PatientScores(scores=scores, labels=labels, n_instances=counts)


def rule_of(patients):
    return fit(patients, n_bootstrap=10).freeze()


RULE = rule_of(cohort(0))


def patients(scores, n_instances=None, n_units=None):
    return PatientScores(scores=scores, n_instances=n_instances, n_units=n_units)


def texts(rule, patients):
    return [one.text for one in check_deployment(rule, patients)]


@pytest.mark.parametrize("seed", range(1, 11))
def test_silent_on_like_patients(seed):
    assert texts(RULE, cohort(seed)) == []


def test_silent_on_its_own_patients():
    assert texts(RULE, cohort(0)) == []


def test_another_range_is_noticed():
    found = texts(RULE, cohort(1, shift=2.5))
    assert any(text.startswith("score range: ") for text in found)
    low, high = RULE.document.score_range
    assert f"between {low:g} and {high:g}" in found[0]


def test_the_range_may_be_left_by_one_in_twenty():
    low, high = RULE.document.score_range
    inside = [low, high, *[6.0] * 36]
    assert check_range(RULE.expected, patients([*inside, low - 1, high + 1])) is None
    found = check_range(RULE.expected, patients([*inside, low - 1, high + 1, high + 1]))
    assert "7 % of the patients" in found.text


@pytest.mark.parametrize("factor", [0.01, 100.0, -1.0])
def test_another_unit_is_noticed(factor):
    found = texts(RULE, cohort(1, factor=factor))
    assert any(text.startswith("unit: the median score is ") for text in found)
    assert any("same unit" in text for text in found)


def test_the_unit_is_judged_by_the_median():
    reference = RULE.document.reference
    both = (reference.quantiles_positive, reference.quantiles_negative)
    low, high = min(q[5] for q in both), max(q[95] for q in both)
    assert check_unit(RULE.expected, patients([low, low, 1e6])) is None
    assert check_unit(RULE.expected, patients([-1e6, high, high])) is None
    below, above = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
    assert check_unit(RULE.expected, patients([below, below, 6.0]))
    assert check_unit(RULE.expected, patients([above, above, 6.0]))


def test_the_unit_is_judged_by_the_one_class_there_is():
    labels = np.r_[np.ones(2, dtype=int), np.zeros(38, dtype=int)]
    alone = PatientScores(scores=np.arange(40.0), labels=labels)
    rules = [fit(alone, n_bootstrap=10, rule="erm", seed=seed).freeze() for seed in range(12)]
    one_class = [rule for rule in rules if not rule.document.reference.quantiles_positive]
    assert one_class
    assert check_unit(one_class[0].expected, patients([20.0])) is None
    assert check_unit(one_class[0].expected, patients([2000.0]))


@pytest.mark.parametrize(("typical", "noticed"), [(9, True), (10, False), (90, False), (91, True)])
def test_another_number_of_instances_is_noticed(typical, noticed):
    found = check_instances(RULE.expected, patients([6.0], [typical]))
    assert (found is not None) == noticed
    if noticed:
        assert f"{typical} instances here (median); where the rule was made 30." in found.text


def test_instances_that_are_not_known_are_not_judged():
    assert check_instances(RULE.expected, patients([6.0])) is None
    assert (
        check_instances(rule_of(cohort(0, n_instances=None)).expected, patients([6.0], [1])) is None
    )


def test_each_warning_is_one_line_and_names_no_patient():
    strange = PatientScores(
        scores=[700.0, 800.0, 900.0], patients=["Zoe-1", "Zoe-2", "Zoe-3"], n_instances=[1, 1, 1]
    )
    found = texts(RULE, strange)
    assert [text.partition(":")[0] for text in found] == ["score range", "unit", "aggregation"]
    assert all("\n" not in text and "Zoe" not in text for text in found)


def test_a_site_where_the_rule_was_made_is_noticed():
    made = cohort(0)
    sites = np.repeat(["A", "B"], made.n_patients // 2)
    rule = rule_of(replace(made, sites=sites))
    assert rule.document.provenance.sites == sorted(map(site_hash, "AB"))
    again = check_sites(rule.expected, replace(made, sites=np.full(made.n_patients, "B")))
    # No name of the table is repeated, because warnings go into files.
    assert "made at 1 of the 1 sites here" in again.text
    assert "'B'" not in again.text
    assert check_sites(rule.expected, replace(made, sites=np.full(made.n_patients, "C"))) is None
    assert check_sites(rule.expected, made) is None


# What is refused ---------------------------------------------------------------------------


def span(smallest, median, largest):
    return {"smallest": smallest, "median": median, "largest": largest}


def rule_with(instances, units=None):
    """The rule, made from patients with other numbers of rows and units."""
    content = RULE.to_dict()
    del content["sha256"]
    content["reference"] = {**content["reference"], "instances_per_patient": instances}
    if units is not None:
        content["units_per_patient"] = units
        content["aggregation"] = [{"level": "slide", "how": "max"}, *content["aggregation"]]
    return type(RULE)(RuleDocument.model_validate(content))


@pytest.mark.parametrize(
    ("made", "here", "refused"),
    [
        (span(2, 30, 90), [1], True),
        (span(2, 30, 90), [1, 1, 2], False),
        (span(1, 30, 90), [1] * 9, False),
        (span(1, 30, 90), [1] * 10, True),
        (span(1, 1, 90), [1] * 50, False),
        (span(1, 1, 1), [1, 1, 1], False),
        (span(1, 1, 1), [1, 2, 2], True),
        (span(1, 1, 1), [1, 1, 2], False),
        (span(1, 1, 2), [2, 2, 2], False),
        (None, [1] * 50, False),
    ],
)
def test_a_table_that_is_aggregated_already_or_not_yet_is_refused(made, here, refused):
    found = check_aggregation(rule_with(made).expected, patients([6.0] * len(here), here))
    assert (found is not None and found.severity == "refuse") == refused


@pytest.mark.parametrize("n_patients", [9, 10, 40])
def test_chance_alone_hardly_ever_refuses(n_patients):
    """Half of the patients have one row: fewer than 1 in 1000 tables of such have no other."""
    rng = np.random.default_rng(0)
    tables = rng.integers(1, 3, (20_000, n_patients))
    expected = rule_with(span(1, 1.5, 2)).expected
    scores = np.full(n_patients, 6.0)
    alone = tables[tables.max(axis=1) == 1]
    refused = sum(check_aggregation(expected, patients(scores, row)) is not None for row in alone)
    assert refused / len(tables) < 0.001 + 3 * np.sqrt(0.001 / len(tables))


def test_a_constant_level_is_refused_and_a_level_that_never_mattered_is_not():
    here = patients([6.0] * 20, [30] * 20, [1] * 20)
    found = check_levels(rule_with(span(9, 30, 90), span(1, 2, 4)).expected, here)
    assert (found.name, found.severity) == ("missing level", "refuse")
    assert "one unit of 'slide'" in found.text
    assert "1 to 4 (median 2)" in found.text
    assert check_levels(rule_with(span(9, 30, 90), span(1, 1, 1)).expected, here) is None
    assert check_levels(rule_with(span(9, 30, 90)).expected, here) is None
    assert check_levels(rule_with(span(9, 30, 90), span(2, 2, 4)).expected, patients([6.0])) is None


def test_of_one_cause_one_check_speaks():
    """One row a patient is one slide a patient, and few instances, too."""
    rule = rule_with(span(9, 30, 90), span(2, 2, 4))
    found = check_deployment(rule, patients([6.0] * 20, [1] * 20, [1] * 20))
    assert [one.name for one in found] == ["aggregation"]


def test_a_column_that_is_no_level_is_not_one():
    request = rule_with(None, span(1, 2, 4)).request()
    assert missing_level(request, "score") is None
    assert missing_level(request, None) is None
    assert "no column 'slide'" in missing_level(request, "slide").text


STRANGE = patients([6.0] * 20, [1] * 20)


def test_a_refusal_is_raised_unless_it_is_forced():
    found = check_deployment(RULE, STRANGE)
    with pytest.raises(DeploymentRefused, match=r"^aggregation: every patient has one row; ") as e:
        pass_or_refuse(found, force=False)
    assert "force=True" in str(e.value)
    assert "recorded: --force." in e.value.spelled({"force": "--force"})
    assert texts_of(pass_or_refuse(found, force=True))[0].startswith("forced: aggregation: ")
    assert pass_or_refuse([], force=False) == []


@pytest.mark.parametrize("use", [audit, monitor])
def test_audit_and_monitor_refuse_and_record_what_is_forced(use):
    with pytest.raises(DeploymentRefused):
        use(RULE, STRANGE)
    content = use(RULE, STRANGE, force=True).to_dict()
    assert content["forced"] == ["aggregation"]
    assert [text for text in content["warnings"] if text.startswith("forced: aggregation: ")]
    like = cohort(1)
    assert use(RULE, like).to_dict() == use(RULE, like, force=True).to_dict()
    assert use(RULE, like).to_dict()["forced"] == []


def test_decisions_about_a_table_are_refused_and_warn_when_forced():
    table = {"patient": [f"p{i}" for i in range(20)], "score": [6.0] * 20}
    with pytest.raises(DeploymentRefused, match="aggregation"):
        RULE.decide(table)
    with pytest.warns(ForcedWarning, match="forced: aggregation"):
        decided = RULE.decide(table, force=True)
    assert decided["score"].tolist() == [6.0] * 20
