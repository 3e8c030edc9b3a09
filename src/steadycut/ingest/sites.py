"""The patients of given sites."""

from collections.abc import Iterable

import numpy as np

from steadycut.core.records import PatientScores
from steadycut.errors import BadOption, BadPatients
from steadycut.ingest.columns import list_names


def at_sites(patients: PatientScores, names: str | Iterable[str]) -> PatientScores:
    """Return the patients of one or several sites.

    Parameters
    ----------
    patients
        Patients whose sites are known.
    names
        One site, or several; each must be the site of at least one patient.

    Examples
    --------
    >>> cohort = PatientScores(scores=[0.1, 0.2, 0.3], sites=["A", "B", "A"])
    >>> at_sites(cohort, "A").scores
    array([0.1, 0.3])
    """
    wanted = [names] if isinstance(names, str) else [str(name) for name in names]
    if patients.sites is None:
        msg = "the sites of these patients are not known. Name the column that holds them as site."
        raise BadPatients(msg)
    known = np.unique(patients.sites).tolist()
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        msg = f"a site must be one of {list_names(known)}; got {list_names(unknown) or 'none'}."
        raise BadOption(msg)
    return patients.take(np.isin(patients.sites, wanted))
