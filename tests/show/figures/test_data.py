import numpy as np
import pytest

from steadycut import PatientScores, audit, fit
from steadycut.core.intervals.calibration import calibration
from steadycut.documents.parts import CostsPart
from steadycut.errors import BadOption, BadPatients
from steadycut.show.figures import (
    CalibrationDisplay,
    ComparisonDisplay,
    DecisionCurveDisplay,
    FlipsDisplay,
    MonitorDisplay,
    PatientsDisplay,
    PeopleDisplay,
    RiskCurveDisplay,
    RocDisplay,
    ScoresDisplay,
    SitesDisplay,
    ThresholdDrawsDisplay,
    displays_of,
)
from steadycut.show.figures.decision_curve import PROBABILITIES
from steadycut.show.figures.elements import risk_unit
from steadycut.show.figures.patients import patients_of
from steadycut.show.figures.threshold_draws import count_in_bins
from steadycut.show.pages.kinds import page_of
from steadycut.study.curves import quantiles
from steadycut.study.explorer import GREY_ZONE
from tests.show.figures import samples

OBJECTS = {
    "study": samples._study,
    "sites": samples._several_sites,
    "audit": lambda: samples._audit(True, None, ()),
    "unlabelled": lambda: samples._audit(False, None, ()),
    "monitor": lambda: samples._monitor(True, 0.0),
    "comparison": samples._comparison,
}


@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_an_object_its_document_and_its_json_give_the_same_figures(make):
    made = make()
    first, *others = map(displays_of, (made, made.describe(), samples.as_json(made.to_dict())))
    for other in others:
        assert first.keys() == other.keys()
        for name, display in first.items():
            for field, value in vars(display).items():
                np.testing.assert_equal(vars(other[name])[field], value)


def test_the_risk_curve_is_that_of_the_study():
    study = samples.study()
    found = RiskCurveDisplay.from_study(study)
    assert found.study.to_plain() == study


def test_the_trivial_risk_of_the_curve_is_that_of_the_patients_who_chose():
    study = samples.study(cost_fn=5.0)
    study["patients"] |= {"select": 10, "select_positive": 1}
    assert RiskCurveDisplay.from_study(study).trivial_risk == 0.5
    study["patients"] |= {"select": 10, "select_positive": 9}
    assert RiskCurveDisplay.from_study(study).trivial_risk == pytest.approx(0.1)


def test_at_a_target_prevalence_the_trivial_risk_is_there():
    study = samples.study(target_prevalence=0.2)
    assert RiskCurveDisplay.from_study(study).trivial_risk == pytest.approx(0.2)


def test_rivals_lie_on_the_curve_of_the_choosing_patients():
    rivals = RiskCurveDisplay.from_study(samples.study()).study.rivals
    assert [rival.rule for rival in rivals] == ["erm", "youden"]
    smallest = min(row["smallest_risk"] for row in samples.study()["candidates"])
    assert rivals[0].risk == smallest


def test_two_basins_are_noted():
    assert "multi-modal" in ThresholdDrawsDisplay.from_study(samples.two_basins_study()).note
    assert ThresholdDrawsDisplay.from_study(samples.study()).note == ""


def test_every_draw_is_in_a_bin():
    study = samples.study()
    found = ThresholdDrawsDisplay.from_study(study)
    assert found.counts.sum() == len(study["bootstrap_thresholds"])
    assert found.edges.size == found.counts.size + 1


@pytest.mark.parametrize("value", [0.0, 0.5, -3.0, 1e9, 1e-9])
@pytest.mark.parametrize("radius", [0.0, 0.1])
def test_draws_that_are_all_the_same_have_one_bin(value, radius):
    counts, edges = count_in_bins(np.full(20, value), radius)
    assert counts.tolist() == [20]
    assert edges[0] < value < edges[1]


def test_other_content_is_refused():
    with pytest.raises(BadOption, match=r"steadycut\.study/1"):
        RiskCurveDisplay.from_study(samples.labelled_audit())


def test_a_risk_is_a_share_only_where_both_errors_cost_one():
    assert risk_unit(CostsPart(cost_fn=1, cost_fp=1)).startswith("share")
    assert risk_unit(CostsPart(cost_fn=2, cost_fp=2)).startswith("average cost")


@pytest.mark.parametrize("direction", ["ge", "le"])
@pytest.mark.parametrize("tied", [True, False])
def test_flips_are_those_of_the_study_between_their_jumps(direction, tied):
    study = samples._tied(direction) if tied else samples._study(direction=direction)
    found = FlipsDisplay.from_study(study)
    middles = (found.scores[1:] + found.scores[:-1]) / 2
    # From each score on, or up to it where low scores are called.
    held = found.flips[:-1] if direction == "ge" else found.flips[1:]
    np.testing.assert_array_equal(held, study.flip_probability(middles))
    np.testing.assert_array_equal(found.flips, study.flip_probability(found.scores))
    patients = study.certify_patients.scores
    grey = study.flip_probability(patients).round(9) >= GREY_ZONE
    low, high = found.grey
    # If draws call everybody or nobody, the zone has no end: the figure shows it to the edge.
    low = -np.inf if low == found.scores[0] else low
    high = np.inf if high == found.scores[-1] else high
    inside = (patients >= low) & (patients < high)
    if direction == "le":
        inside = (patients > low) & (patients <= high)
    np.testing.assert_array_equal(inside, grey)
    assert found.counted == (grey.sum(), grey.size)


def test_flips_of_an_audit_count_its_patients():
    audit = samples.unlabelled_audit()
    found = FlipsDisplay.from_audit(audit)
    assert found.counted == (audit["grey_zone"]["patients"], 90)


def test_without_a_class_to_certify_nobody_is_counted():
    study = samples.study()
    study["explorer"] = None
    assert FlipsDisplay.from_study(study).counted is None
    with pytest.raises(BadPatients, match="both classes"):
        DecisionCurveDisplay.from_study(study)


@pytest.mark.parametrize("direction", ["ge", "le"])
@pytest.mark.parametrize("n", [30, 160])
def test_shares_called_are_those_of_the_patients(direction, n):
    study = samples._tied(direction) if n == 30 else samples._study(direction=direction)
    found = ScoresDisplay.from_study(study)
    patients = study.certify_patients
    assert [(name, place) for name, place, _, _ in found.curves] == [
        ("positive", "internal"),
        ("negative", "internal"),
    ]
    for name, _, scores, shares in found.curves:
        own = patients.positive_scores if name == "positive" else patients.negative_scores
        for score, share in zip(scores, shares, strict=True):
            called = own >= score if direction == "ge" else own <= score
            assert share == pytest.approx(called.mean(), abs=0.01 + 1e-9)


def test_an_audit_has_curves_of_both_hospitals():
    places = [curve[:2] for curve in ScoresDisplay.from_audit(samples.labelled_audit()).curves]
    both = [
        (name, place) for place in ("internal", "external") for name in ("positive", "negative")
    ]
    assert places == both
    unlabelled = ScoresDisplay.from_audit(samples.unlabelled_audit()).curves
    assert unlabelled[-1][:2] == ("all", "external")
    one = ScoresDisplay.from_audit(samples.labelled_audit(only=1)).curves
    assert one[-1][:2] == ("positive", "external")


def test_hospitals_have_their_cost_and_the_next_one_its_limits():
    study = samples.sites_study()
    found, there = SitesDisplay.from_study(study), study["next_site"]
    rows = {row["site"]: row for row in there["rows"]}
    for row, name in zip(found.rows, found.names, strict=False):
        assert row.to_plain() == rows[name.rpartition(" (")[0]]
    assert list(found.limits.values()) == [there["worst"]["limit"], there["normal"]["limit"]]
    assert len(found.names) == len(found.rows) + 2
    there["rows"] *= 10
    assert SitesDisplay.from_study(study).n_left_out == 15
    there["normal"] = None
    assert len(SitesDisplay.from_study(study).limits) == 1
    with pytest.raises(BadPatients, match="one site"):
        SitesDisplay.from_study(samples.study())


@pytest.mark.parametrize("cost_fn", [1.0, 4.0])
def test_net_benefit_at_the_costs_is_that_of_the_operating_point(cost_fn):
    study = samples.study(cost_fn=cost_fn)
    found = DecisionCurveDisplay.from_study(study)
    assert found.probability == 1 / (1 + cost_fn)
    expected = study["operating_point"]["fixed_cut"]["characteristics"]["net_benefit"]
    here = np.isclose(PROBABILITIES, found.probability)
    assert found.net_benefit[here] == pytest.approx(expected["value"])


def test_no_cut_off_beats_the_best():
    for content in (samples.study(), samples.tied_study("le"), samples.labelled_audit()):
        found = DecisionCurveDisplay.from_content(content)
        assert np.all(found.net_benefit <= found.best + 1e-12)
        assert np.all(found.everybody <= found.best + 1e-12)
        assert np.all(found.best >= 0)
        assert np.all(found.standard_error >= 0)


def test_a_trace_keeps_its_ends_and_the_alarm():
    content = samples.monitored(moved=3.0)
    found = MonitorDisplay.from_monitor(content)
    assert content["first_alarm"] - 1 in found.kept
    assert found.kept.size <= 301
    assert found.kept[[0, -1]].tolist() == [0, 349]
    assert found.part.to_plain() == content["risk"]
    assert found.allowed == [content["certificate"]["value"]]


def test_without_labels_calls_are_watched():
    content = samples.monitored(labelled=False)
    found = MonitorDisplay.from_monitor(content)
    assert found.watch == "calls"
    low, high = (content["call_rate"][name] for name in ("internal_lower", "internal_upper"))
    assert found.allowed == [low, high]
    with pytest.raises(BadPatients, match="without labels"):
        MonitorDisplay.from_monitor(content, "risk")
    with pytest.raises(BadOption, match="watch"):
        MonitorDisplay.from_monitor(content, "both")


def test_rules_are_compared_as_in_the_table():
    content = samples.comparison()
    found = ComparisonDisplay.from_comparison(content)
    assert found.names == ["stable", "erm"]
    assert found.comparison.to_plain() == content


@pytest.mark.parametrize("n", [1, 2, 3, 7, 50, 99, 100])
def test_up_to_a_hundred_scores_are_found_again_in_their_quantiles(n):
    scores = np.sort(np.random.default_rng(n).normal(size=n).round(1))
    np.testing.assert_array_equal(patients_of(quantiles(scores), n), scores)


@pytest.mark.parametrize("n", [101, 555, 3000])
def test_more_scores_are_within_one_in_a_hundred(n):
    scores = np.arange(n) / n
    assert np.abs(patients_of(quantiles(scores), n) - scores).max() <= 0.01 + 1e-9


PICTURED = {
    "study": samples.study,
    "le": lambda: samples.study(direction="le"),
    "ties": samples.tied_study,
    "ties, le": lambda: samples.tied_study("le"),
    "many": samples.large_study,
    "audit": samples.labelled_audit,
    "one class": lambda: samples.labelled_audit(only=1),
}


@pytest.mark.parametrize("make", PICTURED.values(), ids=PICTURED)
def test_every_patient_is_on_the_right_side_of_the_picture(make):
    content = make()
    display, point = PatientsDisplay.from_content(content), content["operating_point"]
    counts = {group.word: group.bins.size for group in display.groups}
    assert list(counts.values()) == [point[key] for key in ("tp", "fn", "fp", "tn")]
    for group in display.groups:
        right = group.called == (content["direction"] == "ge")
        assert np.all(group.bins >= 0) if right else np.all(group.bins < 0)


def test_as_many_marks_are_drawn_as_there_are_patients():
    content = samples.study()
    point, cut = content["operating_point"], content["threshold"]
    lines = PatientsDisplay.from_study(content).plot().ax_.lines
    marks = [line.get_xydata() for line in lines if line.get_marker() != "None"]
    x, y = np.concatenate(marks).T
    sides = [np.sum((x > cut) & (y > 0)), np.sum((x < cut) & (y > 0))]
    sides += [np.sum((x > cut) & (y < 0)), np.sum((x < cut) & (y < 0))]
    assert sides == [point[key] for key in ("tp", "fn", "fp", "tn")]


def test_many_patients_are_bars_of_the_same_sum():
    content = samples.large_study()
    display = PatientsDisplay.from_study(content).plot()
    assert display.mark_size is None
    heights = np.array([bar.get_height() for bar in display.ax_.patches])
    point = content["operating_point"]
    assert heights[heights > 0].sum() == point["tp"] + point["fn"]
    assert -heights[heights < 0].sum() == point["fp"] + point["tn"]


def test_a_cut_off_that_calls_nobody_has_a_picture():
    content = samples.labelled_audit() | {"threshold": "inf"}
    n = content["operating_point"]
    n |= {"fn": n["tp"] + n["fn"], "tp": 0, "tn": n["tn"] + n["fp"], "fp": 0}
    PatientsDisplay.from_audit(content).plot()


def test_patients_of_unknown_class_have_no_picture():
    for kind in (PatientsDisplay, PeopleDisplay, RocDisplay):
        with pytest.raises(BadPatients):
            kind.from_audit(samples.unlabelled_audit())
    with pytest.raises(BadPatients, match="both classes"):
        RocDisplay.from_audit(samples.labelled_audit(only=1))


@pytest.mark.parametrize("least", [5, 12])
def test_small_cells_are_bars_of_as_many_patients(least):
    patients = samples.cohort(150, 9)
    there = audit(samples.frozen_rule(), patients.scores, patients.labels, small_cells=least)
    display = PatientsDisplay.from_audit(there)
    assert display.mark_size is None
    for group in display.groups:
        assert np.unique(group.bins, return_counts=True)[1].min(initial=least) >= least


@pytest.mark.parametrize("make", PICTURED.values(), ids=PICTURED)
def test_a_hundred_people_are_as_the_patients(make):
    display = PeopleDisplay.from_content(make())
    assert display.counts.sum() == 100
    assert np.abs(display.counts - 100 * display.seen / display.seen.sum()).max() < 1


def test_the_roc_curve_goes_through_the_cut_off():
    for content in (samples.study(), samples.study(direction="le"), samples.tied_study("le")):
        display = RocDisplay.from_study(content)
        _, x, y = display.curves[0]
        assert np.hypot(x - display.point[0], y - display.point[1]).min() < 1e-9
        assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
        area = content["operating_point"]["fixed_cut"]["characteristics"]["auc"]["value"]
        assert np.trapezoid(y, x) == pytest.approx(area, abs=1e-9)


def test_people_differ_without_colour():
    lines = PeopleDisplay.from_study(samples.study()).plot().ax_.lines
    named = [line for line in lines if not line.get_label().startswith("_")]
    symbols = [line for line in lines if isinstance(line.get_marker(), str)]
    _, missed, alarms, _ = named
    filled = [line.get_markerfacecolor() != "white" for line in named]
    assert filled == [True, True, False, False]
    for own, symbol in zip((missed, alarms), symbols, strict=True):
        np.testing.assert_array_equal(own.get_xdata(), symbol.get_xdata())


def test_calibration_is_that_of_the_patients():
    made = samples._probability()
    checked = made.certify_patients
    own = checked.positive_scores, checked.negative_scores
    display, exact = CalibrationDisplay.from_study(made), calibration(*own, 0.95)
    assert display.fitted == exact
    shares = [share for _, share, _ in display.groups]
    assert len(shares) == 10
    assert sum(12 * share for share in shares) == pytest.approx(checked.n_positive)
    assert all(low <= share <= high for _, share, (low, high) in display.groups)
    page = page_of(made.describe())
    section = next(section for section in page.sections if section.key == "score")
    assert f"slope {exact.slope:.2f} ({exact.slope_range[0]:.2f} to" in section.results[0]


def test_equal_scores_are_in_one_group_of_the_calibration():
    scores, labels = np.repeat([0.2, 0.5, 0.8], 40), np.tile([1, 0, 0, 0], 30)
    labels[80:] = 1 - labels[80:]
    study = fit(PatientScores(scores=scores, labels=labels), n_bootstrap=20, honesty="uniform")
    groups = CalibrationDisplay.from_study(study).groups
    assert [(round(mean, 9), share) for mean, share, _ in groups] == [
        (0.2, 0.25),
        (0.5, 0.25),
        (0.8, 0.75),
    ]


def test_scores_that_are_no_probabilities_have_no_calibration():
    with pytest.raises(BadPatients, match="0 to 1"):
        CalibrationDisplay.from_study(samples.study())
    with pytest.raises(BadPatients, match="high scores"):
        CalibrationDisplay.from_study(samples.study(direction="le"))
