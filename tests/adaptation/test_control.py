"""A change-control plan: what it allows, a chain of ten versions, and what breaks it."""

from dataclasses import replace

import numpy as np
import pytest

from steadycut import PatientScores, fit
from steadycut.adaptation.chain import problems, replay
from steadycut.adaptation.control import change, change_plan
from steadycut.core.adapt.control import attempt_delta
from steadycut.documents.change_plan import ChangePlan, ChangeVersion, sealed_of
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, BadPatients, BadRuleFile
from steadycut.show.words.adaptation import link_text

SECRET = b"a secret of the hospital"


def cohort(n, seed, shift=0.0, name="p"):
    rng = np.random.default_rng(seed)
    ill = (rng.random(n) < 0.4).astype(int)
    names = [f"{name}{seed}-{i}" for i in range(n)]
    return PatientScores(scores=rng.normal(size=n) + 3 * ill + shift, labels=ill, patients=names)


@pytest.fixture(scope="module")
def rule():
    return fit(cohort(400, 0), n_bootstrap=20).freeze(remember_patients=True, key=SECRET)


@pytest.fixture(scope="module")
def plan(rule):
    return change_plan(
        rule,
        low=-2.0,
        high=5.0,
        most_labels=300,
        margin=0.05,
        order="day",
        target=0.2,
        triggers=["new scanner"],
    )


def attempt(plan, versions, rule, seed, shift=0.0, n=300, **given):
    pool = replace(cohort(100, seed, shift, "pool"), labels=None)
    labelled = cohort(300, seed + 1000, shift).take(np.arange(n))
    order = dict(zip(labelled.patients.tolist(), range(n), strict=True))
    given = {"trigger": "new scanner", "order": order, "key": SECRET, **given}
    return change(plan, versions, rule, pool, labelled, **given)


@pytest.fixture(scope="module")
def chain(plan, rule):
    """Ten attempts: scores move up and down, and every third time the test is worthless."""
    versions, rules, current = [], {}, rule
    for seed in range(1, 11):
        given = {}
        if seed % 3 == 0:
            noise = cohort(300, seed + 1000)
            rng = np.random.default_rng(seed)
            labelled = replace(noise, labels=rng.permutation(noise.labels))
            pool = replace(cohort(100, seed, 0.0, "pool"), labels=None)
            order = dict(zip(labelled.patients.tolist(), range(300), strict=True))
            given = {"trigger": "new scanner", "order": order, "key": SECRET}
            found = change(plan, versions, current, pool, labelled, **given)
        else:
            found = attempt(plan, versions, current, seed, shift=0.5 * (seed % 2))
        versions.append(found.version)
        if found.rule is not None:
            rules[found.version.number] = current = found.rule
    return versions, rules


def test_a_chain_of_ten_verifies_and_failed_attempts_spend_their_part(plan, chain):
    versions, rules = chain
    links = replay(plan, {f"{one.number}": one for one in versions}, rules)
    assert [link_text(one) for one in links if not one.holds] == []
    assert {one.outcome for one in versions} == {"accepted", "failed"}
    for number, one in enumerate(versions, start=1):
        assert one.attempt == number
        assert one.delta == attempt_delta(plan.modification_protocol.delta, number)
    failed = [one for one in versions if one.outcome == "failed"]
    assert len(failed) >= 3
    assert all(one.in_force == plan.original.rule and one.rule is None for one in failed)


def test_files_survive_writing_and_reading(plan, chain):
    assert sealed_of(ChangePlan, plan.to_bytes(), "plan") == plan
    for one in chain[0]:
        assert sealed_of(ChangeVersion, one.to_bytes(), "version") == one


def test_the_new_rule_names_plan_attempt_and_parent(plan, rule, chain):
    versions, rules = chain
    number, made = next(iter(rules.items()))
    adapted = made.document.adapted
    assert (adapted.plan, adapted.attempt) == (plan.sha256, versions[number - 1].attempt)
    assert adapted.parent == rule.document.sha256
    assert made.certificate.delta == versions[number - 1].delta / 2
    assert made.certificate.value <= 0.2


def changed(version, **update):
    return version.model_copy(update={**update, "sha256": None}).sealed()


def counted(version, **update):
    """A version whose chosen cut-off says something else."""
    tried = list(version.tried)
    tried[version.chosen] = tried[version.chosen].model_copy(update=update)
    return changed(version, tried=tried)


def turned(version, same_patients):
    """The counts of the chosen cut-off with one decision, or one label, turned."""
    cells = list(version.tried[version.chosen].cells)
    taken = next(i for i in range(8) if cells[i])
    cells[taken] -= 1
    cells[taken ^ (2 if same_patients else 4)] += 1
    return counted(version, cells=cells)


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda one: changed(one, attempt=one.attempt + 1), "not the next"),
        (lambda one: changed(one, delta=one.delta * 2), "delta"),
        (lambda one: changed(one, number=7), "number"),
        (lambda one: changed(one, plan="0" * 64), "another plan"),
        (lambda one: changed(one, parent="0" * 64), "version before"),
        (lambda one: changed(one, trigger="because"), "trigger"),
        (lambda one: changed(one, rule_before="0" * 64), "neither the original"),
        (lambda one: changed(one, labels=400), "labels"),
        (lambda one: changed(one, in_force="stop"), "in force"),
        (lambda one: changed(one, outcome="failed"), "outcome"),
        (lambda one: changed(one, rule="0" * 64, in_force="0" * 64), "another rule"),
        (lambda one: counted(one, threshold=6.0), "outside the range"),
        (lambda one: counted(one, limit=0.1), "other limits"),
        (lambda one: counted(one, weight=1.0), "weights"),
        (lambda one: turned(one, same_patients=True), "other limits"),
        (lambda one: turned(one, same_patients=False), "not of the same patients"),
    ],
)
def test_any_change_is_named(plan, chain, spoil, text):
    versions, rules = chain
    spoiled = [spoil(versions[0]), *versions[1:]]
    links = replay(plan, {str(i): one for i, one in enumerate(spoiled)}, rules)
    assert not links[0].holds
    assert text in link_text(links[0])
    # The next one no longer follows it.
    assert not links[1].holds


def test_cut_offs_that_are_swapped_with_kept_counts_are_noticed(plan, chain):
    version = chain[0][0]
    for place, one in enumerate(version.tried):
        if place == version.chosen or one.cells == version.tried[version.chosen].cells:
            continue
        cuts = {place: version.tried[version.chosen].threshold, version.chosen: one.threshold}
        tried = [
            tried.model_copy(update={"threshold": cuts.get(i, tried.threshold)})
            for i, tried in enumerate(version.tried)
        ]
        assert any(
            "order of these" in text for text in problems(plan, [], changed(version, tried=tried))
        )


def test_a_cut_off_on_the_wrong_side_of_the_original_is_noticed(plan, chain):
    version, original = chain[0][0], plan.original.threshold
    others = [one for one in version.tried if one.cells[1] + one.cells[2] + one.cells[5]]
    assert others
    for one in others:
        moved = one.model_copy(update={"threshold": 2 * original - one.threshold})
        found = list(problems(plan, [], changed(version, tried=[moved], chosen=0)))
        assert any("order of these" in text for text in found)


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda one: {"direction": "le"}, "direction"),
        (lambda one: {"costs": one.costs.model_copy(update={"cost_fn": 2.0})}, "other costs"),
        (
            lambda one: {"certificate": one.certificate.model_copy(update={"value": 0.01})},
            "another certificate",
        ),
        (
            lambda one: {"provenance": one.provenance.model_copy(update={"data_sha256": "0" * 64})},
            "other patients",
        ),
        (lambda one: {"adapted": one.adapted.model_copy(update={"pool": 7})}, "other numbers"),
    ],
)
def test_a_rule_that_claims_something_else_than_its_version_is_named(plan, chain, spoil, text):
    versions, rules = chain
    number, rule = next(iter(rules.items()))
    document = rule.document.model_copy(update={**spoil(rule.document), "sha256": None})
    forged = FrozenRule(document)
    own = {"rule": forged.document.sha256, "in_force": forged.document.sha256}
    version = changed(versions[number - 1], **own)
    found = list(problems(plan, versions[: number - 1], version, forged))
    assert len(found) == 1
    assert text in found[0]


def test_missing_and_spare_rule_files_are_named(plan, chain):
    versions, rules = chain
    first = next(iter(rules))
    links = replay(plan, {str(one.number): one for one in versions}, {})
    assert "rule_001.json was not given, so it was not checked" in link_text(links[first - 1])
    assert all(one.holds for one in links)
    links = replay(plan, {"1": versions[0]}, {9: rules[first]})
    assert (links[-1].name, links[-1].holds) == ("rule_009.json", False)


def test_a_version_left_out_is_noticed(plan, chain):
    versions, rules = chain
    links = replay(plan, {str(one.number): one for one in versions if one.number != 3}, rules)
    assert [one.holds for one in links[:3]] == [True, True, False]


def test_a_broken_chain_is_not_continued(plan, rule, chain):
    versions = [changed(chain[0][0], delta=0.5)]
    with pytest.raises(BadRuleFile, match="version 1 of the plan does not hold"):
        attempt(plan, versions, rule, 50)


def test_an_open_attempt_goes_on_with_the_same_number(plan, rule):
    first = attempt(plan, [], rule, 20, n=30).version
    assert (first.outcome, first.attempt, first.labels) == ("open", 1, 30)
    with pytest.raises(BadPatients, match="no label more"):
        attempt(plan, [first], rule, 20, n=30)
    second = attempt(plan, [first], rule, 20, n=300).version
    assert (second.outcome, second.attempt, second.number) == ("accepted", 1, 2)
    links = replay(plan, {"1": first, "2": second}, {})
    assert all(one.holds for one in links)
    other = attempt(plan, [first], rule, 21, n=300).version
    assert other.attempt == 2


def test_patients_of_an_earlier_attempt_are_refused(plan, rule, chain):
    first, made = chain[0][0], chain[1][1]
    with pytest.raises(BadPatients, match="attempt 1 are used again"):
        attempt(plan, [first], made, 1, shift=0.5)
    pool = replace(cohort(100, 70, 0.5, "pool"), labels=None)
    mixed = cohort(300, 1001, 0.5).take(np.arange(0, 300, 15))
    with pytest.raises(BadPatients, match="attempt 1 are used again"):
        change(
            plan,
            [first],
            made,
            pool,
            mixed,
            trigger="new scanner",
            order=np.arange(20.0),
            key=SECRET,
        )


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"trigger": "because"}, "must be one that the plan names"),
        ({"seed": 60}, "the plan is about another rule"),
    ],
)
def test_what_the_plan_does_not_name_is_refused(plan, rule, given, text):
    other = fit(cohort(400, 90), n_bootstrap=20).freeze()
    with pytest.raises(BadOption, match=text):
        attempt(plan, [], other if "seed" in given else rule, 60, trigger=given.get("trigger", ""))


def test_too_many_labels_are_refused(plan, rule):
    labelled = cohort(301, 80)
    with pytest.raises(BadOption, match="at most 300 labels"):
        change(plan, [], rule, cohort(50, 81), labelled, trigger="new scanner")


def test_every_cut_off_stays_in_the_range(rule):
    narrow = change_plan(
        rule,
        low=rule.threshold - 0.2,
        high=rule.threshold + 0.2,
        most_labels=200,
        margin=0.05,
        order="day",
        target=0.2,
        triggers=["new scanner"],
    )
    tried = attempt(narrow, [], rule, 30, n=200, shift=1.0).version.tried
    assert all(abs(one.threshold - rule.threshold) <= 0.2 for one in tried)
    assert sum(one.weight for one in tried) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"low": 4.0, "high": 5.0}, "must hold the cut-off of the rule"),
        ({"target": 1.0}, "target"),
        ({"margin": -0.1}, "margin"),
        ({"most_labels": 0}, "labels"),
        ({"triggers": []}, "trigger"),
        ({"otherwise": "hope"}, "otherwise"),
        ({"delta": 2.0}, "delta"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused(rule, given, text):
    sound = {"low": -2.0, "high": 5.0, "most_labels": 10, "margin": 0.1, "order": "day"}
    with pytest.raises(BadOption, match=text):
        change_plan(rule, **{**sound, **given})


def test_an_attempt_that_goes_on_loses_no_count(plan, chain):
    versions, _ = chain
    last = versions[0]
    first = changed(last, outcome="open", labels=last.labels - 1, chosen=None, rule=None)
    cells = [[20 * n for n in one.cells] for one in last.tried]
    tried = [
        one.model_copy(update={"cells": many}) for one, many in zip(last.tried, cells, strict=True)
    ]
    goes_on = changed(last, number=2, parent=first.sha256)
    assert not any("goes on otherwise" in text for text in problems(plan, [first], goes_on))
    forged = changed(first, tried=tried)
    assert any("goes on otherwise" in text for text in problems(plan, [forged], goes_on))
