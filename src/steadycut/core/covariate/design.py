"""How a covariate divides the patients: into groups, or along a number into overlapping windows.

Slices never overlap. A window is one slice or several neighbouring slices, and has its own cut. For
groups, slices and windows are the same. Along a number, a window holds about a quarter of the
patients. Between the middles of the windows the rank of the cut is interpolated linearly.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steadycut.core.checks import FloatArray, IntArray, TextArray, read_only
from steadycut.errors import BadPatients, argument

KINDS = ("groups", "smooth")
N_SLICES = 24
N_WINDOWS = 9
# Share of the patients in each window of a number.
WIDTH = 0.25
LEAST_VALUES = 8
MOST_GROUPS = 50


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Design:
    """The slices and windows of a covariate, and the functions of it that the test uses.

    ``windows`` has shape (windows, slices), with 1 where a window contains a slice. ``basis``,
    shape (slices, d), holds what the label may depend on: the groups, or a line and a parabola.
    ``names`` are the groups. ``anchors`` are the middles of the windows of a number.
    """

    kind: str
    windows: IntArray
    basis: FloatArray
    names: tuple[str, ...] = ()
    anchors: FloatArray | None = None

    @property
    def n_slices(self) -> int:
        """Number of slices."""
        return int(self.windows.shape[1])

    def at(self, ranks: FloatArray, covariate: TextArray | FloatArray) -> FloatArray:
        """Return the rank of the cut for each patient, from one rank per window."""
        if self.anchors is None:
            return np.asarray(ranks[self.codes(covariate)])
        return np.interp(np.asarray(covariate, dtype=np.float64), self.anchors, ranks)

    def codes(self, covariate: TextArray | FloatArray) -> IntArray:
        """Return the position of each patient's group among the names; all groups must be known."""
        place = {name: code for code, name in enumerate(self.names)}
        return np.array([place[name] for name in covariate.tolist()], dtype=np.int64)


def group_design(groups: Sequence[str] | TextArray) -> Design:
    """Return the design for groups. The names are sorted as texts.

    Examples
    --------
    >>> group_design(["m", "f", "m"]).names
    ('f', 'm')
    """
    names = tuple(sorted({str(name) for name in groups}))
    if not 2 <= len(names) <= MOST_GROUPS:  # noqa: PLR2004
        msg = (
            f"groups need a covariate with 2 to {MOST_GROUPS} values; got {len(names)}. Put values "
            f"together, or take {argument('kind', 'smooth')} for a number."
        )
        raise BadPatients(msg)
    if len(names) == len(groups):
        msg = "every patient has a value of the covariate of his own; put values together."
        raise BadPatients(msg)
    one = np.eye(len(names))
    return Design(kind="groups", windows=read_only(one.astype(np.int64)), basis=one, names=names)


def smooth_design(values: FloatArray) -> tuple[Design, IntArray]:
    """Return the design for a number, and the slice of each choosing patient.

    Slices hold about the same number of patients. Patients with the same value are in the same
    slice.
    """
    distinct, place, count = np.unique(values, return_inverse=True, return_counts=True)
    if distinct.size < LEAST_VALUES:
        msg = (
            f"a smooth cut-off needs a covariate with at least {LEAST_VALUES} values; got "
            f"{distinct.size}. Take {argument('kind', 'groups')}."
        )
        raise BadPatients(msg)
    middle = (np.cumsum(count) - count / 2) / values.size
    _, slice_of = np.unique((middle * N_SLICES).astype(np.int64), return_inverse=True)
    codes = slice_of[place]
    sizes = np.bincount(codes)
    position = (np.cumsum(sizes) - sizes / 2) / values.size
    centres = np.linspace(WIDTH / 2, 1 - WIDTH / 2, N_WINDOWS)
    distance = np.abs(position - centres[:, None])
    holds = (distance <= WIDTH / 2) | (distance == distance.min(axis=1, keepdims=True))
    windows = np.unique(holds.astype(np.int64), axis=0)[::-1]
    totals = np.bincount(codes, weights=values)
    anchors = (windows @ totals) / (windows @ sizes)
    order = np.argsort(anchors, kind="stable")
    design = Design(
        kind="smooth",
        windows=read_only(windows[order]),
        basis=np.stack([position, (position - 0.5) ** 2], axis=1),
        anchors=read_only(anchors[order]),
    )
    return design, codes
