"""Threshold draws in which the scorer is fitted again on the resampled patients."""

from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from steadycut.core.bootstrap import ThresholdDraws, draw_thresholds
from steadycut.core.checks import FloatArray, IntArray, read_only
from steadycut.core.cuts import Cuts, cuts_of
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules import Rule
from steadycut.core.select import Search
from steadycut.estimators.cross_fit import LEAST_FOLDS, Instances, Scorer
from steadycut.estimators.threads import one_thread


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Refit:
    """Everything that one bootstrap replicate needs; all of them share it.

    ``patients`` are those who choose the cut-off.
    """

    scorer: Scorer
    instances: Instances
    patients: IntArray
    search: Search


@dataclass(slots=True, eq=False, kw_only=True)
class RefitDraws:
    """Draws of the whole procedure: resample patients, fit the scorer again, run the rule again.

    Stands in for `steadycut.core.bootstrap.draw_thresholds`. ``scores`` are those that the
    choosing patients have in the study itself. ``n_redrawn`` counts, once it was called, the
    resampled cohorts that lacked a class and were drawn again.
    """

    refit: Refit
    scores: FloatArray
    seed: np.random.SeedSequence
    n_jobs: int | None
    n_redrawn: int = field(default=0, init=False)

    def __call__(
        self, cuts: Cuts, rule: Rule, costs: Costs, n_replicates: int, rng: np.random.Generator
    ) -> ThresholdDraws:
        """Choose a threshold along ``cuts``, then refit and choose again, again and again."""
        chosen = draw_thresholds(cuts, rule, costs, 0, rng)
        # A seed a replicate, made up front: which worker runs it makes no difference.
        seeds = self.seed.spawn(n_replicates)
        found = Parallel(n_jobs=self.n_jobs)(delayed(replicate)(self.refit, s) for s in seeds)
        thresholds = np.array([threshold for threshold, _ in found])
        self.n_redrawn = sum(redrawn for _, redrawn in found)
        ranks = np.searchsorted(np.sort(self.scores), thresholds, side="left")
        return replace(
            chosen,
            thresholds=read_only(thresholds),
            ranks=read_only(ranks.astype(np.float64)),
        )


def replicate(refit: Refit, seed: np.random.SeedSequence) -> tuple[float, int]:
    """Return the threshold of one replicate, and how many draws lacked a class before it."""
    rng = np.random.default_rng(seed)
    labels = refit.instances.labels
    drawn, redrawn = draw_patients(labels[refit.patients], rng)
    copies = refit.patients[drawn]
    with one_thread():
        scores = refit.scorer.cross_fit(refit.instances, copies, rng)
    search = refit.search
    cuts = cuts_of(PatientScores(scores=scores, labels=labels[copies]), search.grid)
    return draw_thresholds(cuts, search.chooser, search.costs, 0, rng).threshold, redrawn


def draw_patients(labels: IntArray, rng: np.random.Generator) -> tuple[IntArray, int]:
    """Draw as many patients as there are, with replacement, until folds can be made of them.

    Each class must come with two different patients, or with one where there is only one: else
    some training set would lack it. Also returned is how many draws did not have that.

    Examples
    --------
    >>> import numpy as np
    >>> drawn, redrawn = draw_patients(np.array([0, 0, 0, 1]), np.random.default_rng(3))
    >>> 3 in drawn, redrawn
    (True, 1)
    """
    wanted = np.minimum(np.bincount(labels, minlength=2), LEAST_FOLDS)
    redrawn = 0
    while True:
        drawn = rng.integers(labels.size, size=labels.size)
        found = np.bincount(labels[np.unique(drawn)], minlength=2)
        if np.all(found >= wanted):
            return drawn, redrawn
        redrawn += 1
