"""How stable a cut-off is: flip probabilities, and warnings where it is not well defined.

A risk curve may have separate basins: minima with a stretch of clearly higher risk between them.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from steadycut.core.bootstrap.draws import ThresholdDraws
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.grid import Cuts, EvenCuts
from steadycut.core.cuts.risk_curve import TIE, Curve, cost_of, count_errors, risk_at_cuts
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rounding import percent
from steadycut.core.strata.draws import stratum_flips
from steadycut.errors import ADVISED, Warned, warned_if

# At least this share of the draws beyond a barrier counts as a second basin.
SECOND_BASIN = 0.10
# A barrier is a risk at least this many standard errors above the smallest risk.
BARRIER = 2.5
# The minimum is flat if the middle 80 % of the draws span more than this share of the patients.
FLAT = 0.25
FEW_PATIENTS = 10
# A grid is coarse if more than this share of the patients lies between two cuts.
COARSE = 0.05


def flip_probability(scores: FloatArray, threshold: float, draws: FloatArray) -> FloatArray:
    """Return, for each score, the share of draws that decide differently from the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> flip_probability(np.array([0.2, 0.5, 0.9]), 0.5, np.array([0.1, 0.4, 0.6, 0.7]))
    array([0.25, 0.5 , 0.  ])
    """
    # No draw decides otherwise about who has no score, and therefore an infinite one.
    certain = np.where(np.isinf(scores), np.inf, scores)
    return stratum_flips(certain, np.array([threshold]), draws[:, None])


def flip_rate(scores: FloatArray, threshold: float, draws: FloatArray) -> float:
    """Return the mean flip probability: how often a resampled study decides differently."""
    return float(np.sort(flip_probability(scores, threshold, draws)).mean())


def stability_warnings(cuts: Cuts, draws: ThresholdDraws, costs: Costs) -> list[str]:
    """Return warnings if the bootstrap thresholds do not have one clear location."""
    share, widest = basin_share(cuts, draws, costs), largest_gap(cuts)
    (spread,) = spreads(draws.ranks[:, None], cuts.n_patients)
    second = Warned.of("multi-modal minimum")(
        f"{percent(share, 0)} of the bootstrap cut-offs lie beyond a stretch of clearly "
        "higher risk, in a second basin; the radius mixes the two."
    )
    flat = Warned.of("flat minimum")(
        f"the middle 80 % of the bootstrap cut-offs spread over {percent(spread, 0)} of the "
        "patients; the data do not settle the cut-off."
    )
    coarse = Warned.of("coarse grid")(
        f"{percent(widest, 0)} of the patients lie between two neighbouring cuts, though their "
        f"scores differ; use the exact cuts ({ADVISED['grid', 'exact']})."
    )
    noticed = {second: share >= SECOND_BASIN, flat: spread > FLAT, coarse: widest > COARSE}
    return [text for text, seen in noticed.items() if seen]


def spreads(ranks: FloatArray, n_patients: int) -> list[float]:
    """Return over which share of the patients the middle 80 % of the draws of each cut spread."""
    low, high = np.quantile(ranks, [0.1, 0.9], axis=0) / n_patients
    return (high - low).tolist()


def largest_gap(cuts: Cuts) -> float:
    """Return the largest share of patients between two cuts whose scores are not all equal."""
    if not isinstance(cuts, EvenCuts):
        return 0.0
    m = cuts.cells.size // 2
    return float((cuts.cells[:m] + cuts.cells[m:])[cuts.mixed].max(initial=0)) / cuts.n_patients


def basin_share(cuts: Cuts, draws: ThresholdDraws, costs: Costs) -> float:
    """Return the share of draws that a barrier of clearly higher risk separates from the others.

    A barrier is a cut whose risk is more than `BARRIER` paired standard errors above the smallest
    risk on its left, and above the smallest risk on its right. The smaller side of the barrier
    counts. The result is 0 if there is no barrier.
    """
    curve = count_errors(cuts.cells[None, :])
    barrier = curve.ranks[barriers(curve, costs, BARRIER)]
    if not barrier.size:
        return 0.0
    ordered = np.sort(draws.ranks)
    below = np.searchsorted(ordered, barrier, side="left") / ordered.size
    above = (ordered.size - np.searchsorted(ordered, barrier, side="right")) / ordered.size
    return float(np.minimum(below, above).max())


def class_warnings(name: str, patients: PatientScores) -> list[str]:
    """Return a warning for each class with few patients; ``name`` says what they are used for."""
    names = patients.recipe.class_names
    counts = {names.ill_patients: patients.n_positive, names.healthy_patients: patients.n_negative}
    return few_warnings(counts, f"{name}; expect a rough cut-off and a wide certificate")


def few_warnings(counts: Mapping[str, int], expect: str) -> list[str]:
    """Return a warning for each kind of patients of whom there are few."""
    return [
        Warned("few patients", f"{count} {kind} {expect} below {FEW_PATIENTS}.")
        for kind, count in counts.items()
        if count < FEW_PATIENTS
    ]


def order_warnings(patients: PatientScores) -> list[str]:
    """Warn about patients without identifiers who are sorted by their labels.

    Such patients are split by position. If they are sorted by label, the split fixes the number of
    patients of each class in both parts, like a split stratified by label.
    """
    if patients.patients is not None:
        return []
    msg = (
        "the patients have no identifiers and stand in the order of their labels, so that the "
        "split is not independent of these; shuffle them, or give identifiers."
    )
    is_sorted = np.count_nonzero(np.diff(patients.known_labels)) == 1
    return warned_if(is_sorted, "sorted by label", msg)


def excess_risk(
    curve: Curve, costs: Costs, row: IntArray | int, cut: IntArray, reference: IntArray | int
) -> tuple[FloatArray, FloatArray]:
    """Return the risk at ``cut`` minus the risk at ``reference``, and its paired standard error.

    Both are cuts of row ``row`` of ``curve``.

    The loss of a patient differs between two cuts only if the patient lies between them. The
    difference is then ``cost_fn`` or ``cost_fp``. So the bootstrap variance of the mean difference
    has a closed form: (mean of the squared differences - squared mean difference) / n.
    """
    if costs.target is not None:
        return _excess_at_target(curve, costs, row, cut, reference)
    n = curve.n_patients[row, 0]
    misses = curve.misses[row, cut] - curve.misses[row, reference]
    alarms = curve.alarms[row, cut] - curve.alarms[row, reference]
    excess = cost_of(misses, alarms, costs.cost_fn, costs.cost_fp) / n
    square = cost_of(np.abs(misses), np.abs(alarms), costs.cost_fn**2, costs.cost_fp**2) / n
    square -= excess**2
    np.maximum(square, 0, out=square)
    square /= n
    return excess, np.sqrt(square, out=square)


def _excess_at_target(
    curve: Curve, costs: Costs, row: IntArray | int, cut: IntArray, reference: IntArray | int
) -> tuple[FloatArray, FloatArray]:
    """Return the same at the worse end of a target range; the classes are resampled apart."""
    risk = risk_at_cuts(curve, costs)
    excess = risk[row, cut] - risk[row, reference]
    positive = np.maximum(curve.n_positive[row, 0], 1)
    negative = np.maximum(curve.n_negative[row, 0], 1)
    miss = np.abs(curve.misses[row, cut] - curve.misses[row, reference]) / positive
    alarm = np.abs(curve.alarms[row, cut] - curve.alarms[row, reference]) / negative
    variances = [
        weight**2 * miss * (1 - miss) / positive + other**2 * alarm * (1 - alarm) / negative
        for weight, other in costs.class_weights
    ]
    return excess, np.sqrt(np.maximum(variances[0], variances[-1]))


def barriers(curve: Curve, costs: Costs, height: float) -> NDArray[np.bool_]:
    """Return which cuts are barriers between minima of their row, shape (rows, cuts).

    A barrier is a cut whose risk is more than ``height`` paired standard errors above the smallest
    risk on its left, and above the smallest risk on its right. If several cuts have the smallest
    risk, the nearest one is compared.
    """
    risk, tie = risk_at_cuts(curve, costs), TIE * costs.largest
    rows, every = np.ogrid[: risk.shape[0], : risk.shape[1]]
    excess, error = excess_risk(curve, costs, rows, every, lowest_on_either_side(risk, tie))
    return np.asarray((excess > height * error + tie).all(axis=0))


def lowest_on_either_side(risk: FloatArray, tie: float) -> IntArray:
    """Return the cut of smallest risk up to each cut, and from each cut on, (2, rows, cuts).

    If several cuts are within ``tie`` of the smallest risk, the nearest one is returned.
    """
    from_right = _lowest_so_far(risk[:, ::-1], tie)[:, ::-1]
    return np.stack([_lowest_so_far(risk, tie), risk.shape[1] - 1 - from_right])


def _lowest_so_far(risk: FloatArray, tie: float) -> IntArray:
    """Return, for each cut, which cut up to it has the smallest risk; of several the last one."""
    is_low = risk <= np.minimum.accumulate(risk, axis=1) + tie
    return np.maximum.accumulate(np.arange(risk.shape[1]) * is_low, axis=1)
