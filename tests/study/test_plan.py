"""Plans of studies: what they take, what they refuse, and what they return."""

import dataclasses
import json

import numpy as np
import pytest

from steadycut import PatientScores, fit
from steadycut.core.bounds.concentration import allowed_bounds
from steadycut.core.records import Costs
from steadycut.errors import BadOption
from steadycut.study.plan import TYPICAL_RISKS, plan

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
    assert any("whichever is worse" in note for note in found.notes)


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
