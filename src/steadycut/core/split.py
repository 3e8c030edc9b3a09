"""Patients who choose the cut-off, and patients who certify it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import IntArray, check_fraction, read_only
from steadycut.errors import TooFewPatients

HONESTIES = ("split", "uniform")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Roles:
    """Positions of the patients who choose (``select``) and of those who certify.

    In ``split`` they are disjoint and together everybody; in ``uniform`` both are everybody.
    """

    select: IntArray
    certify: IntArray
    honesty: str


def split_patients(n_patients: int, certify_size: float, rng: np.random.Generator) -> Roles:
    """Deal patients at random into those who choose and those who certify.

    The deal does not look at labels. A split stratified by label would make both parts share the
    class ratio that the cut-off adapts to, and exact pooled bounds then cover less than they say.

    Examples
    --------
    >>> import numpy as np
    >>> roles = split_patients(6, 0.5, np.random.default_rng(0))
    >>> sorted([*roles.select, *roles.certify]) == list(range(6))
    True
    """
    check_fraction("certify_size", certify_size)
    if n_patients < 2:  # noqa: PLR2004
        msg = f"a split needs at least 2 patients; got {n_patients}."
        raise TooFewPatients(msg)
    n_certify = n_certifying(n_patients, certify_size)
    order = rng.permutation(n_patients)
    return Roles(
        select=read_only(np.sort(order[n_certify:])),
        certify=read_only(np.sort(order[:n_certify])),
        honesty="split",
    )


def n_certifying(n_patients: int, certify_size: float) -> int:
    """Return how many of the patients certify: at least one, and not all of them."""
    return min(max(round(n_patients * certify_size), 1), n_patients - 1)


def split_classes(labels: NDArray[np.int8], certify_size: float, rng: np.random.Generator) -> Roles:
    """Deal each class apart, so that both sides have the same share of it.

    Only bounds on the miss rate and the alarm rate, given the class counts, hold after this.
    """
    parts = [np.flatnonzero(labels == label) for label in (0, 1)]
    dealt = [split_patients(part.size, certify_size, rng) for part in parts]
    roles = zip(parts, dealt, strict=True)
    select, certify = zip(
        *((part[one.select], part[one.certify]) for part, one in roles), strict=True
    )
    return Roles(
        select=read_only(np.sort(np.concatenate(select))),
        certify=read_only(np.sort(np.concatenate(certify))),
        honesty="split",
    )


def everybody(n_patients: int) -> Roles:
    """Let every patient choose and certify: only bounds uniform over all cuts hold then."""
    both = read_only(np.arange(n_patients))
    return Roles(select=both, certify=both, honesty="uniform")
