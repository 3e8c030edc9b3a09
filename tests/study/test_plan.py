"""Plans of studies: what they take, what they refuse, and what they return."""

import dataclasses
import json

import numpy as np
import pytest

from steadycut import PatientScores, adapt, fit
from steadycut.core.bounds.concentration import allowed_bounds
from steadycut.core.planning.power import members_needed
from steadycut.core.records import Costs
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption
from steadycut.show.pages.plan import notes
from steadycut.study.plan import TYPICAL_RISKS, plan
from tests.said import said

UNEQUAL = Costs(cost_fn=3.0)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "neither"),
        ({"risk": 0.1}, "neither"),
        ({"risk": 0.1, "width": 0.1, "patients": 50}, "both"),
        ({"width": 0.1}, "needs the risk"),
        ({"risk": 1.0, "width": 0.1}, "risk must lie"),
        ({"risk": -0.1, "width": 0.1}, "risk must lie"),
        ({"risk": 0.1, "width": 0}, "width"),
        ({"patients": 1}, "patients must be a whole number of at least 2"),
        ({"patients": 50, "delta": 1.0}, "delta"),
        ({"patients": 50, "honesty": "none"}, "honesty"),
        ({"patients": 50, "certify_size": 1}, "certify_size"),
        ({"patients": 50, "prevalence": 0}, "prevalence"),
        ({"patients": 50, "cost_fn": 0}, "cost_fn"),
        ({"patients": 50, "instances": 10}, "belong together"),
        ({"patients": 50, "instances": 0, "icc": 0.1}, "instances"),
        ({"patients": 50, "instances": 10, "icc": 1.1}, "icc must lie"),
    ],
)
def test_plans_that_are_refused(options, text):
    with pytest.raises(BadOption, match=text):
        plan(**options)


def test_a_plan_for_a_number_of_patients_shows_typical_risks():
    found = plan(patients=92, cost_fn=2.0)
    first = [row for row in found.rows if row.bound == found.best.bound]
    assert [row.risk for row in first] == [2 * risk for risk in TYPICAL_RISKS]
    assert {(row.n_certify, row.n_total) for row in found.rows} == {(46, 92)}
    assert any("whichever is worse" in note for note in notes(found.describe()))


@pytest.mark.parametrize("honesty", ["split", "uniform"])
@pytest.mark.parametrize("costs", [Costs(), UNEQUAL])
def test_every_bound_that_holds_has_a_row_and_auto_is_first(honesty, costs):
    found = plan(patients=60, risk=0.1, honesty=honesty, cost_fn=costs.cost_fn)
    allowed = [name for name in allowed_bounds(costs, honesty) if name != "betting"]
    assert [row.bound for row in found.rows] == allowed


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(0)
    labels = np.tile([0, 1], 40)
    return fit(PatientScores(scores=rng.normal(size=80) + labels, labels=labels), n_bootstrap=10)


def test_a_pilot_gives_risk_costs_and_mixture(study):
    content = study.to_dict()
    content["operating_point"] |= {"tp": 18, "fn": 2, "fp": 6, "tn": 74, "sensitivity": 0.9}
    content["costs"] |= {"cost_fn": 3.0, "cost_fp": 1.0}
    found = plan(pilot=content, patients=200)
    assert found.best.risk == pytest.approx(0.12)
    assert (found.best.misses, found.best.alarms) == (2, 6)
    assert found.setting.prevalence == 0.2
    assert plan(pilot=content, patients=200, cost_fn=1.0).best.risk == pytest.approx(0.08)
    with pytest.raises(BadOption, match="leave one of them out"):
        plan(pilot=content, patients=200, risk=0.1)
    for broken in ({**content, "schema": "x"}, {**content, "operating_point": {}}, {}):
        with pytest.raises(BadOption, match="not a study of schema"):
            plan(pilot=broken, patients=200)


def test_a_study_is_a_pilot(study):
    found = plan(pilot=study, patients=80)
    assert found.best.value == pytest.approx(study.certificate.value)


def test_the_record_is_plain():
    content = plan(patients=20, risk=0.1, instances=3, icc=0.0).to_dict()
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert content["pooling"]["design_effect"] == 1


def test_the_record_of_a_bound_has_its_fields_by_name():
    found = plan(patients=200, risk=0.1, prevalence=0.3)
    rows = found.to_dict()["rows"]
    assert rows == [dataclasses.asdict(row) for row in found.rows]


@pytest.fixture(scope="module")
def rule():
    rng = np.random.default_rng(0)
    labels = np.tile([0, 1], 200)
    scores = rng.normal(size=400) + 2 * labels
    return fit(PatientScores(scores=scores, labels=labels), n_bootstrap=10).freeze()


def test_labels_for_the_next_hospital_are_those_that_the_core_counts(rule, tmp_path):
    found = plan(at_site=rule).at_site
    assert (found.risk, found.target) == (rule.certificate.risk, rule.certificate.value)
    menu, alone = plan(at_site=rule, risk=0.1, target=0.2).at_site.rows
    assert (menu.delta, alone.delta) == (pytest.approx(0.03), 0.1)
    assert alone.fixed == members_needed(0.1, 0.2, 0.1, 0.8) < menu.fixed
    rule.save(tmp_path / "rule.json")
    assert plan(at_site=tmp_path / "rule.json").to_dict() == plan(at_site=rule).to_dict()


def test_the_plan_for_a_stated_prevalence_agrees_with_adapt(rule):
    document = plan(at_site=rule, prevalence=0.1).describe()
    assert document.at_site.target == pytest.approx(0.1)
    # Patients about whom no two cut-offs of the menu decide alike.
    pool = np.random.default_rng(2).normal(size=200)
    step = said(adapt(rule, PatientScores(scores=pool), prevalence=0.1)).next_step
    assert f"label about {document.at_site.rows[0].fixed} random patients" in step
    assert "at_site" not in plan(patients=50).to_dict()


def test_unequal_costs_are_counted_in_units_of_the_larger_one(rule):
    document = rule.document
    changed = document.model_copy(
        update={"sha256": None, "costs": document.costs.model_copy(update={"cost_fn": 5.0})}
    )
    costly = plan(at_site=FrozenRule(changed), risk=0.5, target=1.0).at_site
    assert costly.rows == plan(at_site=rule, risk=0.1, target=0.2).at_site.rows


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"width": 0.1}, "leave the other options out"),
        ({"prevalence": 8}, "For 8 % give 0.08"),
        ({"target": 1.5}, "target must lie below the larger cost"),
        ({"target": -1}, "target"),
        ({"risk": 2}, "risk must lie"),
        ({"delta": 0}, "delta"),
    ],
)
def test_plans_for_the_next_hospital_that_are_refused(rule, options, text):
    with pytest.raises(BadOption, match=text):
        plan(at_site=rule, **options)


def test_a_target_needs_a_rule_and_a_rule_without_certificate_needs_numbers(rule):
    with pytest.raises(BadOption, match="target is for at_site"):
        plan(target=0.2, patients=50)
    pool = np.random.default_rng(1).normal(size=200)
    unlabelled = adapt(rule, PatientScores(scores=pool), prevalence=0.1).rule
    with pytest.raises(BadOption, match="say which cost to expect"):
        plan(at_site=unlabelled, target=0.2)
    with pytest.raises(BadOption, match="say what to certify"):
        plan(at_site=unlabelled, risk=0.1)
    with pytest.raises(BadOption, match="must be a frozen rule"):
        plan(at_site=3)


def test_the_reference_figures_have_80_and_90_percent_power():
    """(risk, width): with 80 and 90 % power, and without."""
    known = {
        (0.05, 0.05): (152, 210, 104),
        (0.10, 0.05): (229, 318, 132),
        (0.10, 0.10): (75, 98, 45),
        (0.20, 0.05): (348, 487, 167),
        (0.20, 0.10): (102, 135, 57),
    }
    for (risk, width), numbers in known.items():
        plans = [plan(risk=risk, width=width, power=power) for power in (0.8, 0.9)]
        assert (*(p.powered[0].n_certify for p in plans), plans[0].best.n_certify) == numbers
        assert plans[0].powered[0].n_total > plans[0].best.n_total


def test_patients_are_certified_less_with_power_than_if_the_risk_is_observed():
    found = plan(patients=200, risk=0.1)
    assert found.powered[0].value > found.best.value
    assert found.powered[0].n_total == 200
    assert "In 80 % of studies at most" in said(found).verdict


def test_a_pilot_is_averaged_over_what_it_leaves_open(study):
    wide, known = (
        plan(pilot=study, width=0.2),
        plan(risk=plan(pilot=study, width=0.2).best.risk, width=0.2),
    )
    assert wide.powered[0].n_certify > known.powered[0].n_certify
    assert "on average over what the pilot leaves open" in said(wide).verdict
    hopeless = plan(pilot=study, width=0.02)
    assert hopeless.powered[0].n_certify is None
    assert "No number of patients" in said(hopeless).verdict


def test_hospitals_that_are_all_within_a_target():
    found = plan(sites=4, risk=0.1, width=0.1).sites
    assert found.certify.patients == members_needed(0.1, 0.2, 0.05, 0.8**0.25)
    assert found.certify.patients_without_power < found.certify.patients < found.left_out.patients
    assert plan(sites=4).sites.certify.patients is None


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"sites": 4, "risk": 0.1}, "belong together"),
        ({"sites": 4, "patients": 10}, "leave the other options out"),
        ({"patients": 50, "power": 80}, "power must lie strictly between 0 and 1"),
    ],
)
def test_plans_with_power_that_are_refused(options, text):
    with pytest.raises(BadOption, match=text):
        plan(**options)
