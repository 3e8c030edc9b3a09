import dataclasses
import hashlib
import math
import struct
import warnings

import numpy as np
import pandas as pd
import pytest

from steadycut.core.records import (
    LABELLED,
    UNKNOWN,
    Costs,
    PatientScores,
    Recipe,
    by_patient,
    check_direction,
    check_patients,
    check_same_patients,
    check_some,
    made_by,
    sign_of,
)
from steadycut.errors import (
    BadOption,
    BadPatients,
    BadTable,
    DataWarning,
    MissingScores,
    PatientOverlap,
    TooFewPatients,
)

FULL = {
    "scores": [0.9, 0.2, 0.4],
    "labels": [1, 0, 0],
    "patients": ["c", "a", "b"],
    "sites": ["Q", "P", "P"],
    "n_instances": [30, 10, 20],
    "n_units": [3, 1, 2],
}
# An event before the horizon 5, a censored patient, and one who was followed beyond it.
FOLLOWED = {
    "scores": [0.9, 0.2, 0.4],
    "patients": ["c", "a", "b"],
    "time": [4, 3, 6],
    "event": [True, False, False],
    "horizon": 5,
    "attributes": {"sex": ["f", "m", "x"]},
}


def test_patients_are_put_in_the_order_of_their_identifiers():
    cohort = PatientScores(**FULL)
    assert cohort.patients.tolist() == ["a", "b", "c"]
    assert cohort.scores.tolist() == [0.2, 0.4, 0.9]
    assert cohort.labels.tolist() == [0, 0, 1]
    assert cohort.sites.tolist() == ["P", "P", "Q"]
    assert cohort.n_instances.tolist() == [10, 20, 30]
    assert cohort.n_units.tolist() == [1, 2, 3]


def test_patients_without_identifiers_keep_their_order():
    assert PatientScores(scores=[3.0, 1.0, 2.0]).scores.tolist() == [3.0, 1.0, 2.0]


def test_identifiers_are_texts():
    cohort = PatientScores(scores=[1.0, 2.0], patients=[10, 9])
    assert cohort.patients.tolist() == ["10", "9"]
    array = np.array(["y", "x"])
    assert PatientScores(scores=[1.0, 2.0], patients=array).patients.tolist() == ["x", "y"]
    assert array.flags.writeable


def test_a_repeated_patient_is_refused_without_being_named():
    with pytest.raises(PatientOverlap) as caught:
        PatientScores(scores=[1.0, 2.0, 3.0], patients=["secret", "b", "secret"])
    told = "every patient must have one row; 1 rows repeat a patient. Aggregate first."
    assert str(caught.value) == told


@pytest.mark.parametrize(
    "name", ["scores", "labels", "patients", "sites", "n_instances", "n_units"]
)
def test_every_array_is_read_only(name):
    for cohort in (PatientScores(**FULL), PatientScores(**{**FULL, "patients": None})):
        column = getattr(cohort, name)
        if column is not None:
            assert not column.flags.writeable


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_are_refused(bad):
    with pytest.raises(MissingScores, match="1 of 2 are missing, NaN or infinite"):
        PatientScores(scores=[1.0, bad], labels=[0, 1])


@pytest.mark.parametrize("bad", [2, -1, np.nan])
def test_labels_other_than_0_and_1_are_refused(bad):
    with pytest.raises(BadPatients, match="labels must be 0 or 1"):
        PatientScores(scores=[1.0, 2.0], labels=[0, bad])


@pytest.mark.parametrize("name", ["labels", "patients", "sites", "n_instances", "n_units"])
def test_a_column_of_another_length_is_refused(name):
    with pytest.raises(BadPatients, match=rf"{name} must have one entry per patient \(3\); got 2"):
        PatientScores(**{**FULL, name: FULL[name][:2]})


def test_classes_are_counted_and_parted():
    cohort = PatientScores(**FULL)
    assert (cohort.n_patients, cohort.n_positive, cohort.n_negative) == (3, 1, 2)
    assert cohort.positive_scores.tolist() == [0.9]
    assert cohort.negative_scores.tolist() == [0.2, 0.4]


def test_labels_that_are_needed_and_unknown_are_asked_for():
    with pytest.raises(BadPatients, match="these patients have no labels"):
        _ = PatientScores(scores=[1.0]).n_positive


def test_taken_patients_keep_all_that_is_known():
    cohort = PatientScores(**FULL, recipe=Recipe(how="max")).take(np.array([0, 2]))
    assert cohort.patients.tolist() == ["a", "c"]
    assert cohort.scores.tolist() == [0.2, 0.9]
    assert cohort.labels.tolist() == [0, 1]
    assert cohort.sites.tolist() == ["P", "Q"]
    assert cohort.n_instances.tolist() == [10, 30]
    assert cohort.n_units.tolist() == [1, 3]
    assert cohort.recipe.how == "max"


def test_taken_patients_of_scores_alone_are_scores_alone():
    cohort = PatientScores(scores=[1.0, 2.0, 3.0]).take(np.array([True, False, True]))
    assert cohort.scores.tolist() == [1.0, 3.0]
    assert cohort.labels is cohort.patients is cohort.sites is cohort.n_instances is None


def test_direction_le_negates_the_scores_and_nothing_else():
    cohort = PatientScores(**FULL)
    mirrored = cohort.oriented("le")
    assert mirrored.scores.tolist() == [-0.2, -0.4, -0.9]
    assert mirrored.labels.tolist() == cohort.labels.tolist()
    assert cohort.oriented("ge") is cohort


def test_an_unknown_direction_is_refused():
    with pytest.raises(BadOption, match=r"direction must be one of ge, le; got 'up'\."):
        PatientScores(scores=[1.0]).oriented("up")


def test_the_fingerprint_does_not_depend_on_the_order_of_rows():
    order = [2, 0, 1]
    shuffled = {name: [column[i] for i in order] for name, column in FULL.items()}
    assert PatientScores(**FULL).fingerprint() == PatientScores(**shuffled).fingerprint()


@pytest.mark.parametrize(
    "change",
    [
        {"scores": [0.9, 0.2, np.nextafter(0.4, 1.0)]},
        {"labels": [1, 1, 0]},
        {"patients": ["c", "a", "bb"]},
        {"sites": ["Q", "P", "Q"]},
        {"sites": None},
    ],
)
def test_the_fingerprint_changes_with_any_value(change):
    changed = PatientScores(**{**FULL, **change})
    assert changed.fingerprint() != PatientScores(**FULL).fingerprint()


def test_records_are_frozen():
    for record, name in [(PatientScores(**FULL), "scores"), (Costs(), "cost_fn")]:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, name, None)


def test_costs_know_the_dearer_error():
    assert Costs(cost_fn=3).largest == 3.0
    assert Costs(cost_fp=2).largest == 2.0
    assert Costs(cost_fn=2, cost_fp=2.0).equal
    assert not Costs(cost_fn=2).equal


@pytest.mark.parametrize("name", ["cost_fn", "cost_fp"])
def test_a_cost_that_is_none_is_refused_by_name(name):
    with pytest.raises(BadOption, match=rf"{name} must be a finite number above 0; got 0\."):
        Costs(**{name: 0})


def test_a_recipe_reads_from_rows_to_patients():
    recipe = Recipe(score="tumour", levels=(("tile", "max"), ("slide", "median")), how="mean")
    assert recipe.chain == (("tile", "max"), ("slide", "median"), ("patient", "mean"))
    assert recipe.name == "tumour: tile max, slide median, patient mean"


def test_patients_taken_out_of_order_are_put_back_in_order_and_checked():
    cohort = PatientScores(**FULL)
    assert cohort.take(np.array([2, 0])).patients.tolist() == ["a", "c"]
    followed = PatientScores(**FOLLOWED).take(np.array([2, 1]))
    assert (followed.fates.tolist(), followed.recipe.horizon) == ([0, 1], 5)
    with pytest.raises(PatientOverlap):
        cohort.take(np.array([0, 0]))
    unnamed = PatientScores(scores=[1.0, 2.0, 3.0]).take(np.array([2, 0, 0]))
    assert unnamed.scores.tolist() == [3.0, 1.0, 1.0]


def test_taken_patients_are_read_only_and_of_their_own():
    cohort = PatientScores(**FULL)
    taken = cohort.take(np.array([True, True, False]))
    assert not np.shares_memory(taken.scores, cohort.scores)
    with pytest.raises(ValueError, match="read-only"):
        taken.scores[0] = 0.0


def test_costs_in_units_of_the_dearer_error():
    costs = Costs(cost_fn=0.1 * 3, cost_fp=0.1, target=(0.1, 0.2)).unit
    assert (costs.cost_fn, costs.cost_fp, costs.target) == (1.0, 0.333333333333, (0.1, 0.2))
    assert Costs(cost_fn=1e-30, cost_fp=1e-24).unit.cost_fn == 1e-6


@pytest.mark.parametrize("costs", [(1.0, 1.1e6), (1e30, 1.0)])
def test_a_cost_beside_which_the_other_is_nothing_is_refused(costs):
    with pytest.raises(BadOption, match=r"must be within a factor of 1e\+06; got"):
        Costs(cost_fn=costs[0], cost_fp=costs[1])


@pytest.mark.parametrize("bad", [math.nan, -1, 1.5, 2.0**63, 10**30, 1j, "1", None, [1, 2]])
def test_numbers_of_instances_are_whole(bad):
    with pytest.raises(BadPatients, match=r"n_instances must (be whole|have one)"):
        PatientScores(scores=[1.0, 2.0], n_instances=[1, bad])


def test_one_number_is_no_column():
    with pytest.raises(BadPatients, match="n_instances must be one-dimensional"):
        PatientScores(scores=[1.0], n_instances=1)
    with pytest.raises(BadPatients, match="patients must be one text per patient; got 1"):
        PatientScores(scores=[1.0], patients=1)


def test_patients_are_told_by_their_number_only():
    told = repr(PatientScores(scores=[1.0, 2.0], labels=[0, 1], patients=["secret-1", "secret-2"]))
    assert told == "PatientScores(2 patients, 1 positive; score: patient mean)"
    assert repr(PatientScores(scores=[1.0])) == "PatientScores(1 patients; score: patient mean)"


def test_what_are_no_patients():
    check_patients(PatientScores(**FULL))
    with pytest.raises(BadPatients, match=r"patients must be PatientScores.*; got None"):
        check_patients(None)


def test_attributes_are_texts_by_name():
    cohort = PatientScores(scores=[2.0, 1.0], patients=["b", "a"], attributes={"sex": ["f", 1]})
    assert cohort.attributes["sex"].tolist() == ["1", "f"]
    with pytest.raises(BadPatients, match="attributes must map names to one text per patient"):
        PatientScores(scores=[1.0], attributes=["f"])


@pytest.mark.parametrize("cost", [1e-300, 1e-100, 1e-51, 1e51, 1e100, 1e300])
def test_costs_without_measure_are_refused_by_their_name(cost):
    with pytest.raises(BadOption, match=r"cost_fn must lie between 1e-50 and 1e\+50; got"):
        Costs(cost_fn=cost, cost_fp=cost)


def test_all_patients_in_their_order_are_the_same_object():
    everyone = PatientScores(scores=[1.0, 2.0, 3.0], labels=[0, 1, 1])
    assert everyone.take(np.array([0, 1, 2])) is everyone
    assert everyone.take(np.array([True, True, True])) is everyone
    assert everyone.take(np.array([2, 1, 0])).scores.tolist() == [3.0, 2.0, 1.0]
    assert everyone.take(np.array([0, 1])).n_patients == 2


def test_a_series_is_aligned_by_identifier():
    cohort = PatientScores(scores=[0.3, 0.1, 0.2], patients=["c", "a", "b"])
    series = pd.Series([1, 2, 3], index=["b", "c", "a"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert by_patient("y", cohort, series).tolist() == [3, 1, 2]
        assert by_patient("y", cohort, {"b": 1, "c": 2, "a": 3}).tolist() == [3, 1, 2]


@pytest.mark.parametrize("given", [[1, 2, 3], pd.Series([1, 2, 3])])
def test_the_order_of_an_array_is_stated_only_if_the_patients_came_in_another(given):
    moved = PatientScores(scores=[0.3, 0.1, 0.2], patients=["c", "a", "b"])
    with pytest.warns(DataWarning, match="y is taken in the order of the identifiers"):
        assert by_patient("y", moved, given).tolist() == [1, 2, 3]
    kept = PatientScores(scores=[0.1, 0.2, 0.3], patients=["a", "b", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_patient("y", kept, given)
        by_patient("y", PatientScores(scores=[0.1, 0.2, 0.3]), given)


# Costs at a target prevalence ----------------------------------------------------------------


def test_the_risk_at_a_target_is_the_largest_of_all_its_prevalences():
    costs = Costs(cost_fn=3, cost_fp=2, target=(0.2, 0.6))
    assert costs.class_weights == (
        (pytest.approx(0.6), pytest.approx(1.6)),
        (pytest.approx(1.8), pytest.approx(0.8)),
    )
    assert len(Costs(target=0.3).class_weights) == 1
    assert Costs().class_weights == ()
    for miss, alarm in [(0.1, 0.5), (0.5, 0.1), (0.0, 0.3), (0.3, 0.0), (0.3, 0.4)]:
        risks = [3 * p * miss + 2 * (1 - p) * alarm for p in np.linspace(0.2, 0.6, 41)]
        assert costs.worst_risk(miss, alarm) == pytest.approx(max(risks))
        end = costs.class_weights[int(risks[-1] > risks[0])]
        assert costs.worse_end(miss, alarm) == end
    assert costs.plain == Costs(cost_fn=3, cost_fp=2)


def test_costs_may_differ_by_a_factor_of_a_million():
    assert Costs(cost_fn=1e6).largest == Costs(cost_fp=1e6).largest == 1e6


# Follow-up -----------------------------------------------------------------------------------


def test_a_follow_up_is_kept_with_its_patients():
    cohort = PatientScores(**FOLLOWED)
    assert cohort.fates.tolist() == [UNKNOWN, 0, 1]
    assert cohort.time.tolist() == [3, 6, 4]
    assert cohort.event.tolist() == [0, 0, 1]
    assert (cohort.time.dtype, cohort.event.dtype) == (np.float64, np.int8)
    assert not cohort.time.flags.writeable
    assert not cohort.event.flags.writeable
    assert cohort.recipe.horizon == 5
    assert cohort.n_unknown == 1
    assert PatientScores(**FULL).n_unknown == PatientScores(scores=[1.0]).n_unknown == 0
    assert repr(cohort) == ("PatientScores(3 patients, 1 positive, 1 unknown; score: patient mean)")


def test_patients_of_known_fate_are_those_whose_follow_up_shows_it():
    cohort = PatientScores(**FOLLOWED)
    known = cohort.of_known_fate
    assert known.patients.tolist() == ["b", "c"]
    assert known.labels.tolist() == known.known_labels.tolist() == [0, 1]
    assert known.attributes["sex"].tolist() == ["x", "f"]
    # Labels that were filled in for the unknown ones do not count as known.
    filled = dataclasses.replace(cohort, labels=[1, 0, 1])
    assert filled.known_labels.tolist() == filled.fates.tolist() == [1, 0, 1]
    assert filled.labels.dtype == np.int8
    assert filled.of_known_fate.patients.tolist() == ["b", "c"]
    plain = PatientScores(**FULL)
    assert plain.of_known_fate is plain
    assert plain.fates.tolist() == plain.known_labels.tolist()
    with pytest.raises(BadPatients, match="these patients have no labels"):
        _ = PatientScores(scores=[1.0]).fates


def test_a_follow_up_may_end_at_once_and_just_at_the_horizon():
    cohort = PatientScores(scores=range(4), time=[0, 0, 5, 5], event=[0, 1, 0, 1], horizon=5)
    assert cohort.fates.tolist() == [UNKNOWN, 1, 0, 1]


@pytest.mark.parametrize("left_out", ["time", "event", "horizon"])
def test_a_follow_up_needs_time_event_and_horizon(left_out):
    given = {name: value for name, value in FOLLOWED.items() if name != left_out}
    with pytest.raises(BadPatients, match="needs all three"):
        PatientScores(**given)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"time": [1, 2, math.inf]}, "time must be one finite number"),
        ({"time": [1, 2, math.nan]}, "time must be one finite number"),
        ({"time": [1, 2, -1]}, "time must be one finite number"),
        ({"time": ["1", "2", "3"]}, "time must be one finite number"),
        ({"time": [1, 2]}, r"time must have one entry per patient \(3\); got 2"),
        ({"event": [1, 0]}, r"event must have one entry per patient \(3\); got 2"),
        ({"event": [1, 0, 2]}, "event must be 1"),
        ({"labels": [1, 0, 1]}, "not both"),
    ],
)
def test_a_follow_up_that_makes_no_sense_is_refused(change, text):
    with pytest.raises(BadPatients, match=text):
        PatientScores(**{**FOLLOWED, **change})


# Columns -------------------------------------------------------------------------------------


def test_all_that_is_known_has_a_column():
    columns = PatientScores(**FULL, attributes={"sex": "fmx", "score": "xyz"}).columns()
    assert {name: column.tolist() for name, column in columns.items()} == {
        "patient": ["a", "b", "c"],
        "score": [0.2, 0.4, 0.9],
        "label": [0, 0, 1],
        "site": ["P", "P", "Q"],
        "n_instances": [10, 20, 30],
        "n_units": [1, 2, 3],
        "sex": ["m", "x", "f"],
    }
    followed = PatientScores(**FOLLOWED)
    assert list(followed.columns()) == ["patient", "score", "label", "time", "event", "sex"]
    assert list(PatientScores(scores=[1.0]).columns()) == ["score"]
    frame = followed.to_frame("patients", library="pandas")
    assert frame["time"].tolist() == [3, 6, 4]


def test_attributes_go_where_their_patients_go():
    cohort = PatientScores(**FULL, attributes={"sex": ["f", "m", "x"]})
    assert cohort.attributes["sex"].tolist() == ["m", "x", "f"]
    for rows, wanted in ([0, 2], ["m", "f"]), ([2, 0], ["m", "f"]):
        assert cohort.take(np.array(rows)).attributes["sex"].tolist() == wanted
    unnamed = PatientScores(scores=[1.0, 2.0], attributes={"sex": ["f", "m"]})
    assert unnamed.attributes["sex"].tolist() == ["f", "m"]
    with pytest.raises(BadPatients, match=r"sex must have one entry per patient \(2\); got 1"):
        PatientScores(scores=[1.0, 2.0], attributes={"sex": ["f"]})


@pytest.mark.parametrize("name", ["labels", "n_instances", "n_units", "time", "event"])
def test_entries_of_different_lengths_are_refused_by_name(name):
    given = {**FULL, **(FOLLOWED if name in {"time", "event"} else {})}
    given.pop("labels")
    with pytest.raises(BadPatients, match=f"^{name} must have one plain entry per patient"):
        PatientScores(**{**given, name: [[1], [1, 2], [1]]})


def test_identifiers_are_texts_one_per_patient():
    numbers = PatientScores(scores=[1.0, 2.0], patients=np.array([10, 9]))
    assert numbers.patients.tolist() == ["10", "9"]
    assert PatientScores(scores=[], patients=[]).patients.dtype.kind == "U"
    with pytest.raises(BadPatients, match=r"^sites must be one-dimensional"):
        PatientScores(scores=[1.0, 2.0], sites=np.array([["P", "Q"], ["P", "Q"]]))


def test_no_instance_and_no_unit_are_numbers():
    cohort = PatientScores(scores=[1.0, 2.0], n_instances=[0, 3.0], n_units=np.uint8([0, 1]))
    assert cohort.n_instances.tolist() == [0, 3]
    assert cohort.n_instances.dtype == cohort.n_units.dtype == np.int64


def test_the_fingerprint_is_a_hash_of_plain_bytes():
    """Files keep it for years: names, labels and sites in order, then the scores as doubles."""
    text = b"a\x1fb\x1fc" + b"\x1e" + b"0\x1f0\x1f1" + b"\x1e" + b"P\x1fP\x1fQ" + b"\x1e"
    wanted = hashlib.sha256(text + struct.pack("<3d", 0.2, 0.4, 0.9)).hexdigest()
    assert PatientScores(**FULL).fingerprint() == wanted
    alone = hashlib.sha256(b"\x1e\x1e\x1e" + struct.pack("<d", 0.5)).hexdigest()
    assert PatientScores(scores=[0.5]).fingerprint() == alone


# Labels as texts -----------------------------------------------------------------------------


def test_labels_of_two_names_are_coded_and_their_names_are_kept():
    cohort = PatientScores(
        scores=[3.0, 1.0, 2.0],
        labels=["MSI", "MSS", "MSS"],
        positive="MSI",
        recipe=Recipe(score="tumour"),
    )
    assert cohort.labels.tolist() == [1, 0, 0]
    assert cohort.labels.dtype == np.int8
    recipe = cohort.recipe
    assert (recipe.positive, recipe.negative, recipe.score) == ("MSI", "MSS", "tumour")
    assert recipe.class_names.ill_patients == "MSI patients"
    numbers = PatientScores(scores=[1.0, 2.0], labels=[1, 2], positive=2)
    assert numbers.labels.tolist() == [0, 1]
    assert (numbers.recipe.positive, numbers.recipe.negative) == ("2", None)


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (["MSI", None], "every label in 'labels' must be a class; 'nan' is there"),
        (["MSI"] * 6 + ["a", "b"], "'MSI' and 2 values that are not shown are there"),
        (["MSS"] * 8, "no label in 'labels' is 'MSI'; 'MSS' is there"),
        (5, "labels must be one text per patient; got 5"),
        (None, "says which label counts as 1, and there are no labels"),
    ],
)
def test_labels_that_are_not_two_classes_are_refused(labels, text):
    n = len(labels) if isinstance(labels, list) else 2
    with pytest.raises((BadPatients, BadTable), match=text):
        PatientScores(scores=range(n), labels=labels, positive="MSI")


# One entry per patient -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"a": 1, "b": 2}, "y needs an entry per patient; 1 of 3 have none"),
        ([[1], [1, 2], [1]], "y must have one plain entry per patient"),
        ([[1], [2], [3]], r"y must have one entry per patient; got shape \(3, 1\)"),
        ([1, 2], r"y must have one entry per patient \(3\); got 2"),
    ],
)
def test_what_is_not_one_entry_per_patient_is_refused_by_name(given, text):
    cohort = PatientScores(scores=[0.1, 0.2, 0.3], patients=["a", "b", "c"])
    with pytest.raises(BadPatients, match=f"^{text}"):
        by_patient("y", cohort, given)


def test_a_mapping_needs_identifiers():
    with pytest.raises(BadPatients, match="y can be a mapping only if the patients have identi"):
        by_patient("y", PatientScores(scores=[0.1]), {"a": 1})


def test_rows_without_a_name_are_not_identifiers():
    """pandas numbers such rows from 0: they have an order, even where patients are numbers."""
    cohort = PatientScores(scores=[0.3, 0.1, 0.2], patients=["2", "0", "1"])
    with pytest.warns(DataWarning, match="y is taken in the order of the identifiers"):
        assert by_patient("y", cohort, pd.Series([5, 6, 7])).tolist() == [5, 6, 7]
    keyed = pd.Series([5, 6, 7], index=[2, 1, 0])
    assert by_patient("y", cohort, keyed).tolist() == [7, 6, 5]
    with pytest.warns(DataWarning, match="order"):
        by_patient("y", cohort, pd.Series([5, 6, 7], index=["0", "1", "1"]))
    with pytest.warns(DataWarning, match="order"):
        others = by_patient("y", cohort, pd.Series([5, 6, 7], index=["0", "1", "x"]))
    assert others.tolist() == [5, 6, 7]


def test_columns_of_the_patients_themselves_are_in_order():
    cohort = PatientScores(**FULL, attributes={"sex": ["f", "m", "x"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for own in (cohort.labels, cohort.sites, cohort.attributes["sex"]):
            assert by_patient("y", cohort, own) is own


def test_directions_have_a_sign():
    assert [check_direction(one) for one in ("ge", "le")] == ["ge", "le"]
    assert [sign_of(one) for one in ("ge", "le")] == [1, -1]


def test_nobody_is_too_few():
    check_some("an audit needs", 1)
    with pytest.raises(TooFewPatients, match="an audit needs at least one patient; got none"):
        check_some("an audit needs", 0)


@pytest.mark.parametrize("name", ["scores", "labels", "patients", "sites"])
def test_masked_entries_are_refused_not_read(name):
    columns = {"scores": [0.1, 0.9, 0.5], "labels": [0, 1, 1], "patients": [1, 2, 3]}
    columns["sites"] = ["a", "b", "a"]
    columns[name] = np.ma.masked_array(columns[name], mask=[True, False, False])
    with pytest.raises(BadPatients, match=f"{name} has masked entries"):
        PatientScores(**columns)


@pytest.mark.parametrize("name", ["labels", "sites", "age"])
def test_columns_of_pandas_in_another_order_are_refused(name):
    """By place, each patient would get the label of another one."""
    scores, other = pd.Series([0.1, 0.9, 0.5]), pd.Series([1, 0, 1], index=[2, 0, 1])
    columns = {"attributes": {"age": other}} if name == "age" else {name: other}
    with pytest.raises(BadPatients, match=f"{name} has its index in another order"):
        PatientScores(scores, **columns)
    named = {"scores": [0.1, 0.9, 0.5], "patients": ["c", "a", "b"]}
    other.index = ["a", "b", "c"]
    with pytest.raises(BadPatients, match=f"{name} has its index in another order"):
        PatientScores(**named, **columns)


def test_rows_that_pandas_numbers_may_have_numbers_as_patients():
    frame = pd.DataFrame({"id": [2, 0, 1], "score": [0.5, 0.1, 0.9], "ill": [0, 1, 0]})
    cohort = PatientScores(frame["score"], frame["ill"], patients=frame["id"])
    assert cohort.scores.tolist() == [0.1, 0.9, 0.5]
    assert cohort.labels.tolist() == [1, 0, 0]


@pytest.mark.parametrize("kind", ["M8[D]", "m8[s]"])
def test_dates_are_no_scores(kind):
    with pytest.raises(BadPatients, match="scores must be numbers"):
        PatientScores(np.arange(3).astype(kind))


def test_equal_patients_have_one_hash_and_are_one_key():
    cohort, same = (PatientScores(scores=[0.1, 0.9], labels=[0, 1]) for _ in range(2))
    assert cohort == same
    assert len({cohort, same}) == 1


def test_methods_about_other_patients_are_refused():
    first, own = PatientScores(**FULL), Recipe(score="own")
    for other in (
        PatientScores(**FULL | {"patients": ["c", "a", "x"]}, recipe=own),
        PatientScores(scores=[0.5, 0.6], recipe=own),
    ):
        for several in ([first, other], [first, first, other]):
            with pytest.raises(BadPatients) as caught:
                check_same_patients(several)
            assert str(caught.value) == (
                "all methods must hold the same patients; 'score: patient mean' and "
                "'own: patient mean' differ. Make them from one table."
            )


def test_only_where_labels_count_too_must_they_agree():
    """Patients without identifiers are compared by their number alone."""
    first, unnamed = PatientScores(**FULL), PatientScores(scores=[0.1, 0.2, 0.3], labels=[0, 0, 1])
    other = PatientScores(**FULL | {"labels": [1, 1, 0]})
    check_same_patients([first, other])
    check_same_patients([first, unnamed], "candidates", LABELLED)
    check_same_patients([unnamed, first], "candidates", LABELLED)
    with pytest.raises(
        BadPatients, match=r"^all candidates must hold the same patients and labels"
    ):
        check_same_patients([first, first, other], "candidates", LABELLED)


@pytest.mark.parametrize("name", ["labels", "sites", "patients", "time", "event"])
def test_a_column_with_its_index_in_another_order_is_named(name):
    columns = {
        "labels": [0, 1],
        "sites": ["a", "b"],
        "patients": ["p", "q"],
        "time": [1.0, 2.0],
        "event": [0, 1],
    }
    followed = {"time": [1, 2], "event": [0, 1], "horizon": 3} if name in {"time", "event"} else {}
    given = {name: pd.Series(columns[name], index=[1, 0])}
    with pytest.raises(BadPatients, match=f"^{name} has its index in another order"):
        PatientScores(scores=pd.Series([0.1, 0.9]), **followed | given)


def test_the_scores_that_a_recipe_makes_are_found_among_several():
    one, two = Recipe(score="a", how="max"), Recipe(score="a", how="mean")
    several = [PatientScores(scores=[0.5], recipe=recipe) for recipe in (one, two)]
    assert made_by(two, several) is several[1]
    needs = "the rule needs 'b: patient max' of every patient; got "
    for given, named in (
        (several, "'a: patient max', 'a: patient mean'"),
        ([], "nothing"),
    ):
        with pytest.raises(BadPatients) as caught:
            made_by(Recipe(score="b", how="max"), given)
        assert str(caught.value) == f"{needs}{named}. Aggregate it as well."
    with pytest.raises(BadPatients, match="patients must be PatientScores"):
        made_by(one, [None])


def test_a_label_of_thousands_of_digits_is_refused():
    with pytest.raises(BadTable, match="a number of thousands of digits"):
        PatientScores(scores=[0.1, 0.2], labels=[0, 1], positive=10**5000)


def test_the_costs_of_both_errors_stand_in_the_order_of_the_labels():
    assert Costs(cost_fn=3.0, cost_fp=2.0).by_class.tolist() == [2.0, 3.0]


def test_the_largest_cost_is_allowed():
    assert Costs(cost_fn=1e50, cost_fp=1e50).largest == 1e50
    assert Costs(cost_fn=1e50, cost_fp=1e44).cost_fp == 1e44


@pytest.mark.parametrize("bad", [-1.0, 2.0**63])
def test_no_number_of_instances_is_negative_or_too_large(bad):
    with pytest.raises(BadPatients, match="n_instances must be whole numbers of at least 0"):
        PatientScores(scores=[1.0], n_instances=[bad])
    largest = np.nextafter(2.0**63, 0)
    assert PatientScores(scores=[1.0], n_instances=[largest]).n_instances.tolist() == [int(largest)]


def test_a_column_in_the_order_of_the_identifiers_is_a_warning_of_its_kind():
    cohort = PatientScores(scores=[0.3, 0.1], patients=["b", "a"])
    with pytest.warns(DataWarning, match="^order: sex is taken in the order of the identifiers"):
        by_patient("sex", cohort, ["f", "m"])
