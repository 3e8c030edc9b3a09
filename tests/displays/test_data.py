import numpy as np
import pytest

from steadycut.displays import data
from steadycut.errors import BadOption, BadPatients
from tests.displays import samples


def test_a_study_and_its_json_give_the_same():
    one, other = data.risk_curve_data(samples._study()), data.risk_curve_data(samples.study())
    assert one.keys() == other.keys()
    for key, value in one.items():
        np.testing.assert_array_equal(value, other[key])


def test_the_risk_curve_is_that_of_the_study():
    study = samples.study()
    found = data.risk_curve_data(study)
    assert found["thresholds"].tolist() == study["curve"]["thresholds"]
    assert found["risk"].tolist() == study["curve"]["risk"]
    assert found["standard_error"].tolist() == study["curve"]["standard_error"]
    assert found["threshold"] == study["threshold"]
    assert found["risk_at_threshold"] == study["risk"]


def test_the_trivial_risk_of_the_curve_is_that_of_the_patients_who_chose():
    study = samples.study(cost_fn=5.0)
    study["patients"] |= {"select": 10, "select_positive": 1}
    assert data.risk_curve_data(study)["trivial_risk"] == 0.5
    study["patients"] |= {"select": 10, "select_positive": 9}
    assert data.risk_curve_data(study)["trivial_risk"] == pytest.approx(0.1)


def test_every_draw_is_in_a_bin():
    study = samples.study()
    found = data.threshold_draws_data(study)
    assert found["draws"].tolist() == study["bootstrap_thresholds"]
    assert found["counts"].sum() == len(study["bootstrap_thresholds"])
    assert found["edges"].size == found["counts"].size + 1
    assert found["radius"] == study["stability"]["radius"]


@pytest.mark.parametrize("value", [0.0, 0.5, -3.0, 1e9, 1e-9])
@pytest.mark.parametrize("radius", [0.0, 0.1])
def test_draws_that_are_all_the_same_have_one_bin(value, radius):
    counts, edges = data.count_in_bins(np.full(20, value), radius)
    assert counts.tolist() == [20]
    assert edges[0] < value < edges[1]


def test_the_terms_of_a_certificate_add_up():
    study = samples.study()
    found = data.certificate_data(study)
    assert found["widths"].tolist() == [
        [study["certificate"]["risk"], study["certificate"]["generalization"]]
    ]
    assert found["widths"].sum() == study["certificate"]["value"]
    assert found["trivial_risk"].tolist() == [study["certificate"]["trivial_risk"]]


def test_the_bounds_of_an_audit_add_up():
    audit = samples.labelled_audit()
    found = data.audit_certificate_data(audit)
    names = ("certificate", "base", "risk_external", "bound_external")
    totals = [audit[name] for name in names]
    totals[0] = totals[0]["value"]
    np.testing.assert_allclose(found["widths"].sum(axis=1), totals, rtol=1e-12)
    assert found["errors"][2] == audit["risk_external_se"]
    assert found["widths"].shape == (len(found["rows"]), len(found["parts"]))


def test_an_audit_without_labels_shows_the_certificate_alone():
    found = data.audit_certificate_data(samples.unlabelled_audit())
    assert found["widths"].shape == (1, 2)
    with pytest.raises(BadPatients, match="without labels"):
        data.shift_data(samples.unlabelled_audit())


@pytest.mark.parametrize("split", data.SPLITS)
def test_the_parts_of_the_shift_lead_from_p_to_q(split):
    audit = samples.labelled_audit()
    found = data.shift_data(audit, split)
    end = found["risk_internal"] + found["parts"].sum()
    assert end == pytest.approx(audit["risk_external"], rel=1e-12)


def test_a_part_that_is_not_known_is_nan():
    found = data.shift_data(samples.labelled_audit(only=1))
    assert np.isnan(found["parts"]).tolist() == [False, False, True]


def test_other_content_is_refused():
    with pytest.raises(BadOption, match=r"steadycut\.study/1"):
        data.risk_curve_data(samples.labelled_audit())
    with pytest.raises(BadOption, match="split"):
        data.shift_data(samples.labelled_audit(), "both")


def test_arrays_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        data.risk_curve_data(samples.study())["risk"][0] = 1


def test_a_risk_is_a_share_only_where_both_errors_cost_one():
    assert data.risk_unit({"cost_fn": 1, "cost_fp": 1}).startswith("share")
    assert data.risk_unit({"cost_fn": 2, "cost_fp": 2}).startswith("average cost")
