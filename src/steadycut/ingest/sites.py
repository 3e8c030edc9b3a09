"""The groups of rows, and the patients, of given sites."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from steadycut.core.checks import SHARED, shared_values, shown
from steadycut.core.labels import MOST_CLASSES
from steadycut.core.records import PatientScores
from steadycut.errors import BadOption, BadPatients, PatientOverlap, did_you_mean
from steadycut.ingest.column_names import list_names
from steadycut.ingest.request import Request
from steadycut.ingest.survey import Survey


def groups_at_sites(survey: Survey, request: Request) -> Survey:
    """Return the groups of the asked sites; all groups, if no sites are named.

    Raises
    ------
    BadOption
        If a site is not in the table.
    PatientOverlap
        If a patient of these sites also has rows at another site.
    """
    if request.site is None or not request.picks_sites:
        return survey
    column = survey.keys[request.site]
    sizes = survey.sizes(request.site, request.patient)
    known = [column.texts[code] for code in np.flatnonzero(sizes)]
    if request.sites is not None:
        check_sites(dict(zip(known, sizes[sizes > 0].tolist(), strict=True)), request.sites)
    elif not any(map(request.asks_for, known)):
        msg = f"every site in {request.site!r} was used to make the rule. Audit it on other sites."
        raise BadOption(msg)
    wanted = np.array([request.asks_for(text) for text in column.texts])[column.codes]
    here, elsewhere = (survey.keys[request.patient].take(rows) for rows in (wanted, ~wanted))
    refuse_overlap(len(set(here.texts) & set(elsewhere.texts)), request.site)
    return survey.take(wanted)


def at_sites(patients: PatientScores, names: str | Iterable[str]) -> PatientScores:
    """Return the patients of one or several sites.

    Parameters
    ----------
    patients
        Patients whose sites are known.
    names
        One or several sites; each must be the site of at least one patient.

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
    check_sites(Counter(patients.sites.tolist()), wanted)
    return patients.take(np.isin(patients.sites, wanted))


def check_sites(known: Mapping[str, int], wanted: Sequence[str]) -> None:
    """Refuse a site that does not occur, or an empty list of sites.

    ``known`` has the number of patients at each site.

    Examples
    --------
    >>> check_sites({"A": 20, "B": 30}, ["C"])
    Traceback (most recent call last):
        ...
    steadycut.errors.BadOption: a site must be one of 'A', 'B'; got C.
    """
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        few = len(known) <= MOST_CLASSES
        allowed = shared_values(known, MOST_CLASSES) if few else f"the {len(known)} in the table"
        shared = [name for name, count in known.items() if count >= SHARED]
        meant = did_you_mean(next(iter(unknown), None), shared)
        given = list_names([name if name.isprintable() else shown(name) for name in unknown])
        raise BadOption(f"a site must be one of {allowed}; got {given or 'none'}.{meant}")


def refuse_overlap(n_patients: int, site: str) -> None:
    """Refuse patients who are at several sites."""
    if n_patients:
        who = "1 patient is" if n_patients == 1 else f"{n_patients} patients are"
        raise PatientOverlap(
            f"a patient must be at one site; {who} at several in {site!r}. "
            "Make identifiers unique across sites, or remove these patients."
        )
