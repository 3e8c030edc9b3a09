"""Split the patients into those who choose the cut-off and those who certify it."""

from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import IntArray, LabelArray, check_fraction, read_only
from steadycut.errors import TooFewPatients

HONESTIES = ("split", "uniform")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Roles:
    """Positions of the patients who choose the cut-off and of those who certify it.

    With ``split`` honesty each patient has exactly one role. With ``uniform`` honesty every patient
    has both roles.
    """

    select: IntArray
    certify: IntArray


def split_patients(n_patients: int, certify_size: float, rng: np.random.Generator) -> Roles:
    """Assign each patient at random to choosing or to certifying.

    The assignment ignores the labels. A split stratified by label would give both parts the class
    ratio to which the cut-off adapts. Exact pooled bounds would then hold less often than stated.

    Examples
    --------
    >>> import numpy as np
    >>> roles = split_patients(6, 0.5, np.random.default_rng(0))
    >>> sorted([*roles.select, *roles.certify]) == list(range(6))
    True
    """
    check_fraction("certify_size", certify_size)
    if n_patients < 2:  # noqa: PLR2004
        raise TooFewPatients(f"a split needs at least 2 patients; got {n_patients}.")
    n_certify = n_certifying(n_patients, certify_size)
    order = rng.permutation(n_patients)
    return _sorted_roles(order[n_certify:], order[:n_certify])


def _sorted_roles(select: IntArray, certify: IntArray) -> Roles:
    return Roles(select=read_only(np.sort(select)), certify=read_only(np.sort(certify)))


def n_certifying(n_patients: int, certify_size: float) -> int:
    """Return how many of the patients certify: at least one, but not all."""
    return min(max(round(n_patients * certify_size), 1), n_patients - 1)


def split_classes(labels: LabelArray, certify_size: float, rng: np.random.Generator) -> Roles:
    """Split each class on its own, so that both parts have the same share of it.

    After this split only bounds on the miss rate and on the alarm rate hold, given the class sizes.
    """
    parts = [np.flatnonzero(labels == label) for label in (0, 1)]
    dealt = [split_patients(part.size, certify_size, rng) for part in parts]
    roles = zip(parts, dealt, strict=True)
    select, certify = zip(
        *((part[role.select], part[role.certify]) for part, role in roles), strict=True
    )
    return _sorted_roles(np.concatenate(select), np.concatenate(certify))


def everybody(n_patients: int) -> Roles:
    """Let every patient choose and certify. Then only bounds that hold at all cuts are valid."""
    both = read_only(np.arange(n_patients))
    return Roles(select=both, certify=both)
