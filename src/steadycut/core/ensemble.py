"""Several methods averaged on the quantile scale, in whole numbers.

A method is one way to make patient scores. Every score is replaced by its mid-rank among the
choosing patients. A strictly increasing transform of a method therefore changes nothing, even with
ties. Ranks are doubled and weights are whole numbers. Sums and cuts are then whole numbers too, and
a threshold halfway between two of them never equals a score.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steadycut.core.bootstrap.draws import ThresholdDraws
from steadycut.core.bootstrap.resampling import BATCH
from steadycut.core.checks import FloatArray, IntArray, read_only
from steadycut.core.cuts.grid import exact_cuts
from steadycut.core.cuts.risk_curve import TIE, count_errors
from steadycut.core.records import PatientScores, Recipe
from steadycut.core.rules.registry import choose
from steadycut.core.select import Candidate, Search, measure_candidate
from steadycut.errors import BadRuleFile, warned_if

SCORE = "ensemble"
HOW = "quantile-ensemble"
# A larger reference is thinned to this many order statistics.
LARGEST_REFERENCE = 2001
# GLS weights are multiples of 1 / WEIGHT_PARTS.
WEIGHT_PARTS = 10_000
# This share of the mean variance is added to every variance. Methods that cannot be distinguished
# then share their weight evenly.
RIDGE = 1e-9
DECIMALS = 6

Weigh = Callable[[IntArray], IntArray]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Method:
    """One method of an ensemble.

    ``reference`` holds the scores of the choosing patients, ascending, in their original units.
    ``score_range`` is the smallest and the largest score of all patients of the study.
    """

    recipe: Recipe
    weight: int
    reference: FloatArray
    score_range: tuple[float, float]

    def doubled_ranks(self, scores: FloatArray) -> IntArray:
        """Return twice the mid-rank of each score: the number below plus the number not above."""
        below = np.searchsorted(self.reference, scores, side="left")
        return below + np.searchsorted(self.reference, scores, side="right")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Ensemble:
    """At least two methods with whole weights, whose references have the same size."""

    kind: str
    methods: tuple[Method, ...]

    @property
    def total_weight(self) -> int:
        """The sum of the weights."""
        return sum(method.weight for method in self.methods)

    @property
    def steps(self) -> int:
        """The number of steps in which the ensemble score goes from 0 to 1."""
        return 2 * self.methods[0].reference.size * self.total_weight

    def readable_recipes(self) -> list[Recipe]:
        """Return the recipes of the methods, if one reading of a table can make them all."""
        recipes = [method.recipe for method in self.methods]
        first, names = recipes[0], [recipe.name for recipe in recipes]
        for place, recipe in enumerate(recipes):
            if names[place] in names[:place]:
                raise BadRuleFile(
                    f"an ensemble with two methods called '{names[place]}' cannot be frozen; give "
                    "each score or aggregator its own name."
                )
            if (recipe.patient, recipe.levels) != (first.patient, first.levels):
                raise BadRuleFile(
                    f"an ensemble of methods with different levels cannot be frozen; '{names[0]}' "
                    f"and '{names[place]}' differ. Aggregate all of them with the same levels."
                )
        return recipes

    @property
    def recipe(self) -> Recipe:
        """The columns of the table. The methods hold the scores and chains."""
        return replace(self.methods[0].recipe, score=SCORE, levels=(), how=HOW)

    def combine(self, several: Sequence[PatientScores]) -> PatientScores:
        """Return the ensemble score of each patient: Σ w_m F_m(S_m), between 0 and 1.

        ``several`` holds the same patients once per method, in the order of the methods.

        Examples
        --------
        >>> method = Method(
        ...     recipe=Recipe(), weight=1, reference=np.array([1.0, 2.0]), score_range=(1.0, 2.0)
        ... )
        >>> both = Ensemble(kind="quantile", methods=(method, method))
        >>> one, other = PatientScores(scores=[1.0, 1.5]), PatientScores(scores=[9.0, 2.0])
        >>> both.combine([one, other]).scores
        array([0.625, 0.625])
        """
        total = np.zeros(several[0].n_patients, dtype=np.int64)
        for method, patients in zip(self.methods, several, strict=True):
            total += method.weight * method.doubled_ranks(patients.scores)
        # NaN where a patient has no score.
        mean = np.where(np.isnan(several[0].scores), np.nan, total / self.steps)
        return replace(several[0], scores=mean, recipe=self.recipe)

    def threshold(self, cut: IntArray, sign: float) -> FloatArray:
        """Return the threshold half a step below whole cuts, in oriented units.

        ``cut`` is Σ w_m times twice the rank of a method's cut, also in oriented units. If ``sign``
        is -1, ranks are counted from the top. The threshold is infinite if all methods call
        everybody, or all call nobody.
        """
        whole = cut - self.steps * (sign < 0)
        inside = (2 * whole - 1) / (2 * self.steps)
        return np.where(cut == 0, -np.inf, np.where(cut == self.steps, np.inf, inside))


def thin(ordered: FloatArray, most: int = LARGEST_REFERENCE) -> FloatArray:
    """Return at most ``most`` of the sorted scores, evenly spaced in rank, including both ends.

    Examples
    --------
    >>> thin(np.arange(7.0), most=4)
    array([0., 2., 4., 6.])
    """
    if ordered.size <= most:
        return ordered
    return ordered[np.arange(most) * (ordered.size - 1) // (most - 1)]


def equal_weights(cuts: IntArray) -> IntArray:
    """Return weight 1 for every method."""
    return np.ones(cuts.shape[0], dtype=np.int64)


def gls_weights(cuts: IntArray) -> IntArray:
    """Return the weights w >= 0 for which the bootstrap variance of Σ w_m u_m is smallest.

    Parameters
    ----------
    cuts
        Twice the rank of each method's cut in each replicate, shape (methods, replicates).

    Returns
    -------
    ndarray of shape (methods,)
        Whole numbers whose sum is `WEIGHT_PARTS`.

    Notes
    -----
    Without the constraint these are the generalised least squares weights Σ⁻¹1 / 1ᵀΣ⁻¹1. With it,
    the minimum of wᵀΣw + (1ᵀw - 1)² over w >= 0 is a multiple of the wanted weights: for w = s v
    with 1ᵀv = 1, its minimum over s is q / (1 + q) with q = vᵀΣv. Methods that cannot be
    distinguished share their weight. If no cut ever moves, all weights are equal.

    Examples
    --------
    >>> gls_weights(np.array([[8, 12, 8, 12], [9, 9, 11, 11]]))
    array([2000, 8000])
    """
    # scipy.optimize would double the time that `import steadycut` takes.
    from scipy.optimize import nnls

    m, n_replicates = cuts.shape
    total = cuts.sum(axis=1)
    # Whole numbers, so that the order of the sums does not matter.
    covariance = n_replicates * (cuts @ cuts.T) - np.outer(total, total)
    scale = np.trace(covariance) / m
    if scale == 0:
        return whole_weights(np.full(m, 1 / m))
    root = np.linalg.cholesky(covariance / scale + RIDGE * np.eye(m)).T
    solution, _ = nnls(np.vstack([root, np.ones(m)]), np.append(np.zeros(m), 1.0))
    return whole_weights(solution / solution.sum())


def whole_weights(weights: FloatArray, total: int = WEIGHT_PARTS) -> IntArray:
    """Round weights that sum to 1 to whole parts of a total, by largest remainder.

    Examples
    --------
    >>> whole_weights(np.array([0.5, 0.255, 0.245]), 100)
    array([50, 26, 24])
    """
    parts = (weights * total).round(DECIMALS)
    whole = np.floor(parts).astype(np.int64)
    short = total - int(whole.sum())
    whole[np.argsort(whole - parts, kind="stable")[:short]] += 1
    return whole


KINDS: dict[str, Weigh] = {"quantile": equal_weights, "gls": gls_weights}


def make_ensemble(
    chose: Sequence[PatientScores],
    everyone: Sequence[PatientScores],
    kind: str,
    search: Search,
    sign: float,
    rng: np.random.Generator,
) -> tuple[Ensemble, IntArray]:
    """Average the cuts of several methods on the quantile scale.

    Parameters
    ----------
    chose
        The choosing patients once per method, in oriented units.
    everyone
        All patients of the study, likewise. Only the range of their scores is used.
    kind
        ``"quantile"`` (equal weights) or ``"gls"``.
    search
        The rule that chooses the cut of each method, the costs, and the number of replicates.
    sign
        -1 if the scores were negated to orient them.
    rng
        Source of randomness.

    Returns
    -------
    Ensemble
        In the original units of the scores.
    ndarray of shape (1 + replicates,)
        Σ w_m times twice the rank of the cut of each method, in oriented units. First for the
        patients themselves, then for every replicate.

    Notes
    -----
    A replicate draws the same patients for all methods and runs the rule again on each method. Its
    cuts are placed among the scores of all choosing patients, so that all draws have the same
    scale. The weights are those of the original patients in every replicate.
    """
    references = [thin(np.sort(patients.scores)) for patients in chose]
    cuts = draw_cuts(chose, references, search, rng)
    weights = KINDS[kind](cuts[:, 1:])
    methods = tuple(
        Method(
            recipe=patients.recipe,
            weight=int(weight),
            reference=read_only(np.sort(sign * reference)),
            score_range=(float(values.min()), float(values.max())),
        )
        for patients, weight, reference, values in zip(
            chose, weights, references, (sign * each.scores for each in everyone), strict=True
        )
    )
    return Ensemble(kind=kind, methods=methods), weights @ cuts


def draw_cuts(
    chose: Sequence[PatientScores],
    references: Sequence[FloatArray],
    search: Search,
    rng: np.random.Generator,
) -> IntArray:
    """Return twice the reference rank of each method's cut, shape (methods, 1 + replicates).

    The first column is for the patients themselves. Each other column draws them with replacement,
    the same patients for all methods.
    """
    choosers = [_chooser(who, ref, search) for who, ref in zip(chose, references, strict=True)]
    batches = _drawn_patients(chose[0].n_patients, search.n_bootstrap, rng)
    chosen = [[chooser(drawn) for chooser in choosers] for drawn in batches]
    return np.concatenate([np.stack(batch) for batch in chosen], axis=1)


def try_ensemble(
    patients: PatientScores, thresholds: FloatArray, methods: Sequence[Candidate], search: Search
) -> Candidate:
    """Return the ensemble as a candidate beside its methods.

    ``patients`` are the choosing patients. Their scores and the ``thresholds`` (the chosen one,
    then the draws) are on the scale of the ensemble, and oriented.
    """
    below = np.searchsorted(np.sort(patients.scores), thresholds)
    draws = ThresholdDraws(
        threshold=float(thresholds[0]),
        rank=int(below[0]),
        thresholds=read_only(thresholds[1:]),
        ranks=read_only(below[1:].astype(float)),
    )
    candidate = measure_candidate(patients, exact_cuts(patients), draws, draws.threshold, search)
    warnings = (*candidate.warnings, *risk_warnings(candidate.risk, methods, search))
    return replace(candidate, warnings=warnings)


def risk_warnings(risk: float, methods: Sequence[Candidate], search: Search) -> list[str]:
    """Return a warning if one method alone has a smaller risk among the choosing patients."""
    best = min(methods, key=lambda candidate: candidate.risk)
    msg = (
        f"its risk among the patients used to choose, {risk:.3f}, is above that of "
        f"'{best.recipe.name}' alone, {best.risk:.3f}."
    )
    return warned_if(risk > best.risk + TIE * search.costs.largest, "ensemble", msg)


def _chooser(
    patients: PatientScores, reference: FloatArray, search: Search
) -> Callable[[IntArray], IntArray]:
    """Return a function from rows of drawn patients to twice the reference rank of their cut."""
    cuts = exact_cuts(patients)
    width = cuts.cells.size
    negative = patients.known_labels == 0
    cell = np.searchsorted(cuts.values, patients.scores) + negative * (width // 2)
    below = np.append(np.searchsorted(reference, cuts.values), reference.size)

    def chosen(drawn: IntArray) -> IntArray:
        rows = len(drawn)
        place = cell[drawn] + width * np.arange(rows)[:, None]
        cells = np.bincount(place.ravel(), minlength=rows * width).reshape(rows, width)
        first, last = choose(count_errors(cells), search.chooser, search.costs)
        return below[first] + below[last]

    return chosen


def _drawn_patients(n: int, n_replicates: int, rng: np.random.Generator) -> Iterator[IntArray]:
    yield np.arange(n)[None, :]
    # The batch size does not change which random numbers are drawn.
    step = max(1, BATCH // (2 * n))
    for start in range(0, n_replicates, step):
        yield rng.integers(0, n, size=(min(step, n_replicates - start), n))
