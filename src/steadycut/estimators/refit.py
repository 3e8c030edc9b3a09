"""Bootstrap draws of the cut-off in which the scorer is fitted again."""

from contextlib import closing
from dataclasses import dataclass, field, replace

import numpy as np

from steadycut.core.bootstrap.draws import ThresholdDraws, draw_thresholds
from steadycut.core.checks import FloatArray, IntArray, read_only
from steadycut.core.cuts.grid import Cuts, cuts_of
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import Rule
from steadycut.core.select import Search
from steadycut.estimators.cross_fit import LEAST_FOLDS, Instances, Scorer
from steadycut.estimators.threads import one_thread
from steadycut.estimators.workers import run_tasks
from steadycut.io.checkpoint import Checkpoint
from steadycut.study.choosing import Progress

Replicate = tuple[float, int]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Refit:
    """What all bootstrap replicates need.

    ``patients`` are those who choose the cut-off.
    """

    scorer: Scorer
    instances: Instances
    patients: IntArray
    search: Search


@dataclass(slots=True, eq=False, kw_only=True)
class RefitDraws:
    """Draws of the whole procedure: resample patients, fit the scorer again, run the rule again.

    It takes the place of `steadycut.core.bootstrap.draws.draw_thresholds`. ``scores`` are the
    scores in the study itself of the patients who choose. After a call ``n_redrawn`` says how many
    resampled cohorts lacked a class and were drawn again. Replicates in the checkpoint are not run
    again.
    """

    refit: Refit
    scores: FloatArray
    seed: np.random.SeedSequence
    n_jobs: int | None
    progress: Progress | None = None
    checkpoint: Checkpoint | None = None
    n_redrawn: int = field(default=0, init=False)

    def __call__(
        self, cuts: Cuts, rule: Rule, costs: Costs, n_replicates: int, rng: np.random.Generator
    ) -> ThresholdDraws:
        """Choose a threshold along ``cuts``; then refit and choose again in every replicate."""
        chosen = draw_thresholds(cuts, rule, costs, 0, rng)
        # Every replicate has its own seed, so it does not matter which worker runs it.
        replicates = self._replicates(self.seed.spawn(n_replicates))
        thresholds = np.array([threshold for threshold, _ in replicates])
        self.n_redrawn = sum(redrawn for _, redrawn in replicates)
        ranks = np.searchsorted(np.sort(self.scores), thresholds, side="left")
        return replace(
            chosen, thresholds=read_only(thresholds), ranks=read_only(ranks.astype(np.float64))
        )

    def _replicates(self, seeds: list[np.random.SeedSequence]) -> list[Replicate]:
        numbers = range(len(seeds))
        done = {number: result for number in numbers if (result := self._load(number)) is not None}
        self._tell(len(done), len(seeds))
        missing = {number: seeds[number] for number in numbers if number not in done}
        with closing(run_tasks(replicate, self.refit, missing, self.n_jobs)) as results:
            for number, result in results:
                done[number] = result
                self._save(number, result)
                self._tell(len(done), len(seeds))
        return [done[number] for number in numbers]

    def _tell(self, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress("refits", done, total)

    def _load(self, number: int) -> Replicate | None:
        stored = None if self.checkpoint is None else self.checkpoint.load(step_name(number))
        return None if stored is None else (float(stored["threshold"]), int(stored["redrawn"]))

    def _save(self, number: int, result: Replicate) -> None:
        if self.checkpoint is not None:
            self.checkpoint.save(step_name(number), threshold=result[0], redrawn=result[1])


def step_name(number: int) -> str:
    """Return the name of a replicate in a checkpoint."""
    return f"replicate-{number:06d}"


def replicate(refit: Refit, seed: np.random.SeedSequence) -> Replicate:
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

    Each class needs two different patients (one, if it has only one): otherwise some training set
    would lack it. The second result is how many draws failed this.

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
        counts = np.bincount(labels[np.unique(drawn)], minlength=2)
        if np.all(counts >= wanted):
            return drawn, redrawn
        redrawn += 1
