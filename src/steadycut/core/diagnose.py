"""How stable a cut-off is: flip probabilities, and warnings where it is not well defined."""

from collections.abc import Mapping

import numpy as np

from steadycut.core.bootstrap.draws import ThresholdDraws
from steadycut.core.checks import FloatArray
from steadycut.core.cuts.grid import Cuts, EvenCuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rounding import percent
from steadycut.core.rules.basins import barriers
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
    return stratum_flips(scores, np.array([threshold]), draws[:, None])


def flip_rate(scores: FloatArray, threshold: float, draws: FloatArray) -> float:
    """Return the mean flip probability: how often a resampled study decides differently."""
    return float(flip_probability(scores, threshold, draws).mean())


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
