"""Slides, images and records that are named as patients."""

import numpy as np
import pytest

import steadycut
from steadycut.core.parts import names_a_part, why_parts
from steadycut.core.records import PatientScores, Recipe
from steadycut.errors import BadPatients, DataWarning

FIT = {"rule": "erm", "n_bootstrap": 2}


def cohort(names=None, labels=None, n=60, column="id", **more):
    """Patients whose labels come in pairs, as if each had two slides."""
    labels = np.arange(n) % 4 < 2 if labels is None else labels
    scores = np.random.default_rng(0).normal(size=n) + labels
    recipe = Recipe(patient=column)
    return PatientScores(scores=scores, labels=labels, patients=names, recipe=recipe, **more)


@pytest.mark.parametrize(
    ("column", "part"),
    [
        ("slide_id", True),
        ("Image", True),
        ("patient_slide", True),
        ("record_id", True),
        ("slide (patient)", False),
        ("medical_record_number", False),
        ("HealthRecord", False),
        ("case_id", False),
        ("id", False),
        ("patient", False),
    ],
)
def test_the_last_word_of_a_column_decides(column, part):
    assert names_a_part(column) == part
    assert bool(why_parts(cohort(column=column))) == part


PAIRS = {
    "tcga": [f"TCGA-{k // 2 % 5:02}-{k // 2:04}-01Z-00-DX{k % 2}" for k in range(60)],
    "letter": [f"S{k // 2:03}{'ab'[k % 2]}" for k in range(60)],
    "path": [f"/data/P{k // 2}/{k % 2}.svs" for k in range(60)],
    "point": [f"{100 + k // 2}.{k % 2}" for k in range(60)],
}


@pytest.mark.parametrize("way", PAIRS)
def test_shared_beginnings_with_agreeing_labels_are_refused_and_no_name_is_shown(way):
    patients = cohort(PAIRS[way], labels=[k // 2 % 2 for k in range(60)])
    with pytest.raises(BadPatients, match="60 identifiers of 'id' have 30 beginnings") as refused:
        steadycut.fit(patients, **FIT)
    assert "one_per_patient=True" in str(refused.value)
    assert not any(name in str(refused.value) for name in PAIRS[way])
    with pytest.warns(DataWarning, match="stated that each one is from another patient"):
        study = steadycut.fit(patients, one_per_patient=True, **FIT)
    assert any(text.startswith("one per patient: ") for text in study.describe().stability.warnings)


HONEST = {
    "numbers": ([f"{k:04}" for k in range(60)], None),
    "sites": ([f"{'ABC'[k % 3]}-{k:03}" for k in range(60)], None),
    "the label is in the name": (
        [f"{'hi'[k % 2]}-{k % 3}-{k}" for k in range(60)],
        np.arange(60) % 2,
    ),
    "pairs that differ": (PAIRS["letter"], np.arange(60) % 2),
    "few ill pairs": (PAIRS["letter"], (np.arange(60) < 8).astype(int)),
    "few pairs": ([f"P{min(k, 49) if k < 50 else k - 50}-{k}" for k in range(60)], None),
    "one slide each": ([f"P{k}-slide" for k in range(60)], None),
    "no names": (None, None),
}


@pytest.mark.parametrize("kind", HONEST)
def test_honest_identifiers_are_not_refused(kind):
    names, labels = HONEST[kind]
    assert why_parts(cohort(names, labels)) == ""


def test_what_chance_may_do_is_not_refused():
    names = [f"P{k // 2}-{k % 2}" for k in range(20)]
    assert why_parts(cohort(names, [k // 2 % 2 for k in range(20)], n=20)) == ""


def test_patients_without_labels_or_of_unknown_fate_are_looked_at_as_far_as_they_go():
    plain = PatientScores(scores=np.arange(60.0), patients=PAIRS["letter"])
    assert why_parts(plain) == ""
    fates = np.repeat(np.arange(45) % 3, 2)
    time, event = np.where(fates == 2, 1.0, 5.0), fates == 1
    names, scores = [f"S{k // 2:03}{'ab'[k % 2]}" for k in range(90)], np.arange(90.0)
    followed = PatientScores(scores=scores, time=time, event=event, horizon=5.0, patients=names)
    assert followed.n_unknown == 30
    assert why_parts(followed)


@pytest.mark.parametrize(
    "fit", [lambda p, **o: steadycut.fit_by_covariate(p, covariate="site", n_bootstrap=2, **o),
            lambda p, **o: steadycut.fit_strata(p, costs=[[0, 1], [1, 0]], n_bootstrap=2, **o)],
    ids=["covariate", "strata"],
)  # fmt: skip
def test_other_kinds_refuse_and_repeat_what_was_stated(fit):
    patients = cohort([f"{k:03}" for k in range(60)], column="slide_id", sites=["a", "b"] * 30)
    with pytest.raises(BadPatients, match="'slide_id' looks like a column of slides"):
        fit(patients)
    with pytest.warns(DataWarning, match="one per patient: 'slide_id' looks like"):
        fit(patients, one_per_patient=True)


def test_a_sheet_or_a_column_of_slides_says_that_rows_are_not_patients():
    rows = {"key": [f"{k:03}" for k in range(60)], "score": np.arange(60.0)}
    sheet = {
        "key": rows["key"],
        "patient": [str(k // 2) for k in range(60)],
        "ill": [k // 2 % 2 for k in range(60)],
    }
    asked = {"score": "score", "label": "ill"}
    with pytest.warns(DataWarning, match="joined by 'key'"):
        joined = steadycut.aggregate(rows, patient="key", sheet=sheet, **asked)
    match = "the sheet has 30 values of 'patient' for 60 of 'key'"
    with pytest.raises(BadPatients, match=match):
        steadycut.fit(joined, **FIT)
    table = {"Image": rows["key"], "score": rows["score"], "ill": np.arange(60) % 2}
    with pytest.warns(UserWarning, match="rows as patients"):
        alone = steadycut.aggregate(table, patient=None, **asked)
    with pytest.raises(BadPatients, match="rows count as patients, and there is a column 'Image'"):
        steadycut.fit(alone, **FIT)
