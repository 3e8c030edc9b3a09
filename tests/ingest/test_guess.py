"""What columns are probably for."""

import pytest

from steadycut.ingest.column import Column
from steadycut.ingest.guess import guess_columns

FEW, MANY = ("A", "B"), tuple(f"v{i}" for i in range(30))
NUMBERS = ("0.5", "0.25", "0.75")


def columns(**values):
    return [Column(name=name, values=frozenset(some)) for name, some in values.items()]


def names(found, several):
    return {
        role: None if at is None else several[at].name
        for role, at in [
            ("patient", found.patient),
            ("score", next(iter(found.scores), None)),
            ("label", found.label),
            ("site", found.site),
        ]
    }


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (
            {
                "hospital": FEW,
                "patient": MANY,
                "tile": ("1", "2", "3"),
                "score": NUMBERS,
                "tumour": "01",
            },
            {"patient": "patient", "score": "score", "label": "tumour", "site": "hospital"},
        ),
        (
            {"SubjectID": MANY, "y": "01", "model_prob": NUMBERS},
            {"patient": "SubjectID", "score": "model_prob", "label": "y", "site": None},
        ),
        # A score that has "tumour" in its name is no label; a column of 0 and 1 is.
        (
            {"id": MANY, "tumour_score": NUMBERS, "msi": "01"},
            {"patient": "id", "score": "tumour_score", "label": "msi", "site": None},
        ),
        # The whole name counts more than a part of one.
        (
            {"patient_age": MANY, "patient": MANY, "x": NUMBERS},
            {"patient": "patient", "score": "x", "label": None, "site": None},
        ),
        ({"a": MANY, "b": FEW}, {"patient": None, "score": None, "label": None, "site": None}),
    ],
)
def test_roles_by_name_and_content(given, wanted):
    several = columns(**given)
    assert names(guess_columns(several), several) == wanted


@pytest.mark.parametrize(
    ("labels", "positive"),
    [("01", ""), (("True", "false"), ""), (("neg", "Positive"), "Positive"), (("MSI", "MSS"), "")],
)
def test_the_positive_label(labels, positive):
    assert guess_columns(columns(label=labels)).positive == positive


def test_nothing_comes_of_nothing():
    assert guess_columns([]).patient is None
