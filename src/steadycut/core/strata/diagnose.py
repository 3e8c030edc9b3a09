"""Warnings about risk strata: empty strata, and boundaries that the data do not determine."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from steadycut.core.checks import IntArray
from steadycut.core.diagnose import FEW_PATIENTS, FLAT, few_warnings, spreads
from steadycut.core.rounding import percent
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
    members = np.diff([0, *draws.ranks, n_patients])
    low = np.zeros((len(draws.draw_ranks), 1))
    ends = np.hstack([low, draws.draw_ranks, low + n_patients])
    empty = (np.diff(ends, axis=1) <= 0).mean(axis=0)
    warnings: list[str] = []
    for name, count, share in zip(names, members.tolist(), empty.tolist(), strict=True):
        if name == may_be_thin:
            continue
        if count <= 0:
            warnings.append(Warned("empty stratum", f"no patient used to choose is in {name!r}."))
        elif share > OFTEN_EMPTY:
            often = f"empty in {percent(share, 0)} of the bootstrap cohorts"
            warnings.append(Warned("near-equal boundaries", f"{name!r} is {often}."))
        elif count < FEW_PATIENTS:
            only = f"patients used to choose in {name!r}: only {count:g}."
            warnings.append(Warned("thin stratum", only))
    return [*warnings, *_flat_boundaries(draws, n_patients, names)]


def _flat_boundaries(draws: StrataDraws, n_patients: int, names: Sequence[str]) -> list[str]:
    return [
        Warned.of("flat minimum")(
            f"the middle 80 % of the bootstrap boundaries between {below!r} and {above!r} spread "
            f"over {percent(spread, 0)} of the patients; the data do not settle it."
        )
        for spread, (below, above) in zip(
            spreads(draws.draw_ranks, n_patients), pairwise(names), strict=True
        )
        if spread > FLAT
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
    counts = np.bincount(grades, minlength=len(names)).tolist()
    named = {f"of grade {name!r}": count for name, count in zip(names, counts, strict=True)}
    return few_warnings(named, f"{role}; expect rough boundaries and wide limits")
