"""Warnings about risk strata: empty strata, and boundaries that the data do not determine."""

from collections.abc import Sequence

import numpy as np

from steadycut.core.checks import IntArray
from steadycut.core.diagnose import FEW_PATIENTS, FLAT
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.draws import StrataDraws
from steadycut.errors import Warned

# A stratum that is empty in more than this share of the bootstrap cohorts gets a warning.
OFTEN_EMPTY = 0.10


def strata_warnings(
    draws: StrataDraws, n_patients: int, names: Sequence[str], may_be_thin: str | None = None
) -> list[str]:
    """Return warnings about strata that are empty or nearly so, and about unsettled boundaries.

    ``n_patients`` is the number of patients used to choose. The stratum ``may_be_thin`` is better
    empty.
    """
    thin = _thin_strata(draws, n_patients, names)
    kept = [text for name, text in thin if name != may_be_thin]
    return [*kept, *_flat_boundaries(draws, n_patients, names)]


def _thin_strata(
    draws: StrataDraws, n_patients: int, names: Sequence[str]
) -> list[tuple[str, str]]:
    """Return the name of each such stratum with the warning about it."""
    members = np.diff([0, *draws.ranks, n_patients])
    low = np.zeros((len(draws.draw_ranks), 1))
    ends = np.hstack([low, draws.draw_ranks, low + n_patients])
    empty = (np.diff(ends, axis=1) <= 0).mean(axis=0)
    warnings: list[tuple[str, str]] = []
    for name, count, share in zip(names, members.tolist(), empty.tolist(), strict=True):
        if count <= 0:
            warnings.append(
                (name, Warned("empty stratum", f"no patient used to choose is in {name!r}."))
            )
        elif share > OFTEN_EMPTY:
            often = f"empty in {share:.0%} of the bootstrap cohorts"
            warnings.append((name, Warned("near-equal boundaries", f"{name!r} is {often}.")))
        elif count < FEW_PATIENTS:
            only = f"patients used to choose in {name!r}: only {count:g}."
            warnings.append((name, Warned("thin stratum", only)))
    return warnings


def _flat_boundaries(draws: StrataDraws, n_patients: int, names: Sequence[str]) -> list[str]:
    low, high = np.quantile(draws.draw_ranks, [0.1, 0.9], axis=0) / n_patients
    return [
        Warned.of("flat minimum")(
            f"the middle 80 % of the bootstrap boundaries between {names[k]!r} and "
            f"{names[k + 1]!r} spread over {high[k] - low[k]:.0%} of the patients; the data do not "
            "settle it."
        )
        for k in range(low.size)
        if high[k] - low[k] > FLAT
    ]


def cost_warnings(costs: CostMatrix, names: Sequence[str]) -> list[str]:
    """Return a warning for each stratum that is never the cheapest."""
    probabilities = costs.probabilities
    if probabilities is None:
        return []
    return [
        Warned.of("costs")(
            f"{names[k + 1]!r} is never the cheapest stratum, whatever the probability of the "
            "higher grade; expect it to be empty."
        )
        for k in np.flatnonzero(np.diff(probabilities) <= 0).tolist()
    ]


def grade_warnings(role: str, grades: IntArray, names: Sequence[str]) -> list[str]:
    """Return a warning for each grade with few patients."""
    counts = np.bincount(grades, minlength=len(names))
    return [
        Warned.of("few patients")(
            f"{count} of grade {name!r} {role}; expect rough boundaries and wide limits "
            f"below {FEW_PATIENTS}."
        )
        for name, count in zip(names, counts.tolist(), strict=True)
        if count < FEW_PATIENTS
    ]
