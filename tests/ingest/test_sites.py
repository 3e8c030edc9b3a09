"""Patients of given sites."""

import pytest

from steadycut.core.records import PatientScores
from steadycut.errors import BadOption, BadPatients
from steadycut.ingest import at_sites

COHORT = PatientScores(
    scores=[0.1, 0.2, 0.3], patients=["a", "b", "c"], sites=["A", "B", "C"], labels=[0, 1, 1]
)


def test_one_and_several():
    assert at_sites(COHORT, "B").patients.tolist() == ["b"]
    assert at_sites(COHORT, ("C", "A")).patients.tolist() == ["a", "c"]


@pytest.mark.parametrize(
    ("names", "got"), [("D", "D"), (["A", "D", "E"], "D, E"), ([], "none"), ("", "none")]
)
def test_unknown_sites_are_refused_with_the_known_ones(names, got):
    with pytest.raises(BadOption, match=f"a site must be one of A, B, C; got {got}."):
        at_sites(COHORT, names)


def test_sites_must_be_known():
    with pytest.raises(BadPatients, match="sites of these patients are not known"):
        at_sites(PatientScores(scores=[0.5]), "A")
