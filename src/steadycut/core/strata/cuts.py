"""The cost of every boundary of the risk strata at every cut.

With thresholds t_1 <= ... <= t_K the mean cost is a constant plus one term per boundary,

    R(t) = sum over grades of C[grade, K] share(grade) + sum over k of g_k(t_k),
    g_k(t) = sum over grades of (C[grade, k-1] - C[grade, k]) Pr(grade, score < t),

so the boundaries depend on each other only through the order of the thresholds.
"""

from dataclasses import dataclass, fields

import numpy as np

from steadycut.core.checks import FloatArray, IntArray, read_only
from steadycut.core.cuts.grid import Cuts, cuts_of
from steadycut.core.records import PatientScores
from steadycut.core.strata.costs import CostMatrix


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoundaryCurves:
    """One cohort, or many replicates of it, as rows. Cuts run along the last axis.

    ``below``, shape (rows, grades, m + 1), are the numbers of patients of each grade below each
    cut, and ``ranks``, shape (rows, m + 1), those of all patients. ``risk``, shape (rows,
    boundaries, m + 1), is the mean of what the patients below a cut add to the cost if the boundary
    lies there. ``base``, shape (rows,), is the mean cost with everybody in the highest stratum.
    """

    below: IntArray
    ranks: IntArray
    risk: FloatArray
    base: FloatArray

    @property
    def n_patients(self) -> IntArray:
        """Number of patients of each cohort, shape (rows,)."""
        return self.ranks[:, -1]

    def row(self, row: int) -> "BoundaryCurves":
        """Return one of the cohorts."""
        kept = slice(row, row + 1)
        return BoundaryCurves(
            **{part.name: getattr(self, part.name)[kept] for part in fields(self)}
        )


def grade_cells(
    patients: PatientScores, grades: IntArray, n_grades: int, grid: int | str
) -> tuple[Cuts, IntArray]:
    """Return the cuts, and the number of patients of each grade between them, (grades, m)."""
    # The cuts depend on the scores alone, so any labels will do.
    cuts = cuts_of(PatientScores(scores=patients.scores, labels=grades > 0), grid)
    m = cuts.cells.size // 2
    cells = np.bincount(grades * m + cuts.bin_of(patients.scores), minlength=n_grades * m)
    return cuts, read_only(cells.reshape(n_grades, m))


def boundary_curves(cells: IntArray, costs: CostMatrix) -> BoundaryCurves:
    """Return the cost of every boundary at every cut, from cells of shape (rows, grades, m).

    Examples
    --------
    >>> costs = CostMatrix([[0, 1], [2, 0]])
    >>> curves = boundary_curves(np.array([[[2, 1], [0, 1]]]), costs)
    >>> curves.ranks, (curves.base[:, None] + curves.risk[:, 0])
    (array([[0, 2, 4]]), array([[0.75, 0.25, 0.5 ]]))
    """
    below = np.zeros((*cells.shape[:2], cells.shape[2] + 1), dtype=np.int64)
    np.cumsum(cells, axis=2, out=below[..., 1:])
    n = below[..., -1].sum(axis=1)
    shares = below[..., -1] / n[:, None]
    return BoundaryCurves(
        below=below,
        ranks=below.sum(axis=1),
        risk=np.einsum("gk,rgc->rkc", costs.steps, below) / n[:, None, None],
        base=shares @ costs.values[:, -1],
    )
