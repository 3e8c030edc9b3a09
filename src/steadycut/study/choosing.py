"""Choose: patients who choose in, one candidate or an ensemble with its cut-off out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.checks import IntArray
from steadycut.core.ensemble import Ensemble, make_ensemble, try_ensemble
from steadycut.core.records import PatientScores
from steadycut.core.select import Candidate, Draw, best_candidate, try_candidate
from steadycut.errors import NoFeasibleCut
from steadycut.study.options import Options

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Choice:
    """What was chosen, among what.

    ``place`` is that of the chosen candidate among those given; None for an ensemble. ``tried`` are
    the candidates and, last, the ensemble. ``infeasible`` names the candidates that have no cut
    within the limits of the rule.
    """

    chosen: Candidate
    tried: tuple[Candidate, ...]
    place: int | None
    ensemble: Ensemble | None = None
    infeasible: tuple[str, ...] = ()

    def scores_of(self, candidates: Sequence[PatientScores]) -> PatientScores:
        """Return the patients of the candidates with the scores to which the cut-off belongs."""
        if self.ensemble is not None:
            return self.ensemble.combine(list(candidates))
        return candidates[self.place or 0]


def choose(
    candidates: Sequence[PatientScores],
    select: IntArray,
    options: Options,
    seed: np.random.SeedSequence,
    *,
    draw: Draw = draw_thresholds,
    within: IntArray | None = None,
    progress: Progress | None = None,
) -> Choice:
    """Choose a cut-off by the patients at ``select``; those of the others are not looked at.

    Patients without a score add the same cost at every cut-off: the others choose.
    ``draw`` resamples patients and runs the rule again. ``within`` are the groups of the patients,
    if they are resampled within groups.
    """
    has_score = np.isfinite(candidates[0].scores)
    select = select[has_score[select]]
    groups = None if within is None else within[select]
    select = (np.cumsum(has_score) - 1)[select]
    candidates = [scores.scored for scores in candidates]
    oriented = [scores.oriented(options.direction) for scores in candidates]
    tried: dict[int, Candidate] = {}
    refusals: dict[str, NoFeasibleCut] = {}
    for place, scores in enumerate(oriented):
        if progress:
            progress(f"bootstrap of {scores.recipe.name}", place, len(candidates))
        # Every candidate gets the same random numbers, whatever else is tried.
        rng = np.random.default_rng(seed)
        chosen_by = scores.take(select)
        try:
            tried[place] = try_candidate(
                chosen_by, scores, options.search, rng, options.publish, draw, groups
            )
        except NoFeasibleCut as error:
            refusals[scores.recipe.name] = error
    if refusals and (options.ensemble is not None or not tried):
        raise next(iter(refusals.values()))
    found = list(tried.values())
    if options.ensemble is not None:
        rng = np.random.default_rng(seed)
        return _average(candidates, oriented, select, found, options, options.ensemble, rng)
    chosen = best_candidate(found, options.search.costs, options.search.selector)
    place = next(place for place, one in tried.items() if one is chosen)
    return Choice(chosen=chosen, tried=tuple(found), place=place, infeasible=tuple(refusals))


def _average(
    candidates: Sequence[PatientScores],
    oriented: Sequence[PatientScores],
    select: IntArray,
    tried: list[Candidate],
    options: Options,
    kind: str,
    rng: np.random.Generator,
) -> Choice:
    """Average the cuts of all candidates on the quantile scale."""
    search, sign = options.search, options.sign
    chose = [scores.take(select) for scores in oriented]
    ensemble, cuts = make_ensemble(chose, oriented, kind, search, sign, rng)
    patients = ensemble.combine(list(candidates))
    selecting = patients.oriented(options.direction).take(select)
    chosen = try_ensemble(selecting, ensemble.threshold(cuts, sign), tried, search)
    return Choice(chosen=chosen, tried=(*tried, chosen), place=None, ensemble=ensemble)
