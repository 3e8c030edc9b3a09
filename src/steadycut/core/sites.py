"""The sites of patients: which there are, who is where, and whether their scores are alike."""

import numpy as np

from steadycut.core.checks import BoolArray
from steadycut.core.records import PatientScores
from steadycut.errors import BadPatients, Warned, argument

# With fewer patients the median says little about a site.
FEWEST = 5
# Every site is looked at by itself. A column with more values does not name hospitals.
MOST_SITES = 1000


def site_names(patients: PatientScores) -> list[str]:
    """Return the names of the sites, or an empty list if there are fewer than two."""
    if patients.sites is None:
        return []
    names = [str(name) for name in np.unique(patients.sites)]
    check_number_of_sites(len(names))
    return names if len(names) > 1 else []


def check_number_of_sites(n_sites: int) -> None:
    """Refuse more sites than can be looked at one by one.

    Examples
    --------
    >>> check_number_of_sites(100_000)
    Traceback (most recent call last):
        ...
    steadycut.errors.BadPatients: there must be at most 1000 sites; got 100000 different values.
    Name the column of hospitals as site, or leave it out.
    """
    if n_sites > MOST_SITES:
        raise BadPatients(
            f"there must be at most {MOST_SITES} sites; got {n_sites} different values. Name the "
            f"column of hospitals as {argument('site')}, or leave it out."
        )


def is_at(patients: PatientScores, name: str) -> BoolArray:
    """Return which patients are at a site."""
    return np.array(patients.sites == name, dtype=bool)


def unit_warnings(patients: PatientScores) -> list[str]:
    """Warn about sites whose median score is rare at the other sites, as if in another unit.

    Labels are not used. A different mix of patients alone does not trigger the warning.
    """
    warnings: list[str] = []
    for name in site_names(patients):
        here = is_at(patients, name)
        middle = float(np.median(patients.scores[here]))
        low, high = np.quantile(patients.scores[~here], [0.05, 0.95])
        enough = FEWEST <= np.count_nonzero(here) <= here.size - FEWEST
        if enough and not low <= middle <= high:
            warnings.append(
                Warned.of("unit")(
                    f"at site {name!r} the median score is {middle:g}; at the others most lie "
                    f"between {low:g} and {high:g}. Is it the same unit and the same scorer?"
                )
            )
    return warnings
