"""A covariate of the patients of a table: sex, scanner, age, the same in every row of a patient."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.records import PatientScores
from steadycut.errors import BadOption, BadPatients, PatientOverlap
from steadycut.ingest.read import read_patients
from steadycut.ingest.request import make_request


def read_covariate(
    source: Any,
    patients: PatientScores,
    *,
    column: str,
    missing: str = "refuse",
    engine: str = "auto",
    memory: str | int | None = None,
) -> NDArray[np.str_]:
    """Return the covariate of each of the patients, as a text, in their order.

    Parameters
    ----------
    source
        The table from which the patients were made.
    patients
        Patients with identifiers.
    column
        Column of the covariate; it must be filled, with one value a patient.
    missing
        What was done with rows without a score when the patients were made.
    engine, memory
        How the rows are brought together; see `steadycut.ingest.read_patients`.

    Examples
    --------
    >>> table = {"patient": ["a", "a", "b"], "score": [1, 2, 3], "sex": ["f", "f", "m"]}
    >>> cohort = PatientScores(scores=[1.5, 3.0], patients=["a", "b"])
    >>> read_covariate(table, cohort, column="sex")
    array(['f', 'm'], dtype='<U1')
    """
    recipe = patients.recipe
    if column == recipe.label:
        msg = f"the covariate must not be the label; got {column!r} as both."
        raise BadOption(msg)
    # A site is a text that is the same in every row of a patient; so is a covariate.
    request = make_request(patient=recipe.patient, score=recipe.score, site=column, missing=missing)
    try:
        table = read_patients(request, source, engine=engine, memory=memory)
    except PatientOverlap:
        msg = (
            f"a covariate must have one value a patient; in {column!r} some patients have several. "
            "Mend them, or name a patient-level column."
        )
        raise BadPatients(msg) from None
    found = next(iter(table.patients.values()))
    assert found.patients is not None  # noqa: S101
    assert found.sites is not None  # noqa: S101
    assert patients.patients is not None  # noqa: S101
    return found.sites[np.searchsorted(found.patients, patients.patients)]
