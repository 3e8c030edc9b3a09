"""What can be said at a hospital without labels, and what cannot.

The frozen rule's reference of P + the scores at Q -> prevalence, shape test, call rates, risk
range, change of scale. Every result except the call rate needs an assumption, and states it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.checks import MOST_REPLICATES, FloatArray, IntArray, check_count, check_scores
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs, check_some, sign_of
from steadycut.core.shift import label_shift
from steadycut.core.shift.label_shift import ShapeTest, shape_test
from steadycut.core.shift.rescale import (
    LEVELS,
    affine_change,
    mixture_quantiles,
    quantile_matched,
    straightest_prevalence,
)
from steadycut.documents import audit
from steadycut.documents.frozen import FrozenFile

N_BOOTSTRAP = 999
UNTESTED = audit.ShapeTestPart(statistic=None, p_value=None, n_bootstrap=0)

UNSCALED = audit.RescalingPart(
    **dict.fromkeys(("compatible", "needed", "factor", "offset", "prevalence", "p_value"))
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Home:
    """What a frozen rule knows of the hospital it was made at.

    ``counts``, ``bins`` and the quantiles are those of the certifying patients, who chose the
    cut-off among ``n_choices`` scores; 0 if others did.
    """

    bins: label_shift.RankBins
    counts: Confusion
    quantiles_positive: FloatArray
    quantiles_negative: FloatArray
    threshold: float
    direction: str
    costs: Costs
    delta: float
    seed: int
    n_choices: int


def home_of(rule: FrozenFile[Any]) -> Home | None:
    """Return what the rule file holds of P; None if it has no scores or no single cut-off."""
    document, reference, counts = rule.document, rule.reference, rule.reference_counts
    if reference is None or counts is None or rule.cut_off is None or rule.costs is None:
        return None
    return Home(
        bins=reference.rank_bins,
        counts=reference.scored if reference.unscored else Confusion.of_counts(counts),
        quantiles_positive=np.array(reference.quantiles_positive),
        quantiles_negative=np.array(reference.quantiles_negative),
        threshold=rule.cut_off,
        direction=rule.direction,
        costs=rule.costs,
        delta=document.certificate.delta,
        seed=document.provenance.seed,
        n_choices=rule.n_choices,
    )


def without_labels(
    home: Home, scores: ArrayLike, n_bootstrap: int = N_BOOTSTRAP
) -> audit.WithoutLabels:
    """Return what the scores of another hospital say about it without labels.

    Parameters
    ----------
    home
        What the frozen rule knows of P.
    scores
        Patient scores at Q, shape (n,).
    n_bootstrap
        Replicates of the shape test and of the approximate interval.

    Returns
    -------
    WithoutLabels

    Notes
    -----
    The same rule and scores give the same answer: the random numbers come from the rule's seed.

    Examples
    --------
    >>> import numpy as np
    >>> from steadycut import PatientScores, fit
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 200)
    >>> study = fit(PatientScores(scores=rng.normal(size=400) + 3 * labels, labels=labels))
    >>> home = home_of(study.freeze())
    >>> there = rng.normal(size=300) + 3 * np.repeat([0, 0, 1], 100)
    >>> said = without_labels(home, there)
    >>> 0.25 < said.prevalence_estimate.value < 0.42
    True
    >>> said.shape_test.p_value > 0.1
    True
    """
    values = check_scores(scores)
    check_count("n_bootstrap", n_bootstrap, at_most=MOST_REPLICATES)
    check_some("an audit needs", values.size)
    for_prevalence, for_shape, for_scale = np.random.default_rng(home.seed).spawn(3)
    counts = home.bins.count(values)
    prevalence = _prevalence(home, counts, for_prevalence, n_bootstrap)
    known = prevalence.identifiable
    shape = shape_test(home.bins, counts, for_shape, n_bootstrap) if known else None
    sign = sign_of(home.direction)
    matched = quantile_matched(sign * values, home.counts.call_rate)
    return audit.WithoutLabels.of(
        prevalence_estimate=prevalence,
        shape_test=shape or UNTESTED,
        call_rate=float((sign * values >= sign * home.threshold).mean()),
        call_rate_internal=home.counts.call_rate,
        call_rate_expected=_expected(home, prevalence.value)[1],
        risk_range=_risk(home, counts, prevalence),
        rescaling=_rescaling(home, values, shape, for_scale, n_bootstrap),
        quantile_matched=audit.MatchedCutPart(
            threshold=sign * matched.threshold, call_rate=matched.call_rate
        ),
    )


def _prevalence(
    home: Home, counts: IntArray, rng: np.random.Generator, n_bootstrap: int
) -> audit.PrevalencePart:
    bins, delta = home.bins, home.delta
    known = label_shift.classes_differ(bins, delta, rng)
    return audit.PrevalencePart(
        value=label_shift.estimate_prevalence(bins, counts) if known else None,
        interval=label_shift.valid_interval(bins, counts, delta, home.n_choices),
        interval_level=1 - delta,
        approximate_interval=(
            label_shift.bootstrap_interval(bins, counts, delta, rng, n_bootstrap) if known else None
        ),
        identifiable=known,
    )


def _risk(home: Home, counts: IntArray, prevalence: audit.PrevalencePart) -> audit.RiskRangePart:
    """Return the risk range: half of delta for the prevalence, half for the error rates."""
    wide = label_shift.valid_interval(home.bins, counts, home.delta / 2, home.n_choices)
    if prevalence.interval is None or wide is None:
        return audit.RiskRangePart(low=None, high=None, estimate=None, level=None)
    low, high = label_shift.risk_range(
        home.counts, home.costs, wide, home.delta / 2, home.n_choices
    )
    return audit.RiskRangePart(
        low=low, high=high, estimate=_expected(home, prevalence.value)[0], level=1 - home.delta
    )


def _expected(home: Home, prevalence: float | None) -> tuple[float | None, float | None]:
    """Return the risk and the call rate that the estimated prevalence explains."""
    miss, alarm, costs = home.counts.miss_rate, home.counts.alarm_rate, home.costs
    if prevalence is None or miss is None or alarm is None:
        return None, None
    risk = costs.cost_fn * prevalence * miss + costs.cost_fp * (1 - prevalence) * alarm
    return risk, prevalence * (1 - miss) + (1 - prevalence) * alarm


def _rescaling(
    home: Home,
    scores: FloatArray,
    shape: ShapeTest | None,
    rng: np.random.Generator,
    n_bootstrap: int,
) -> audit.RescalingPart:
    """Return the affine change of scale that comes nearest to explaining the scores here.

    P's own prevalence is tried first, then the one that makes the quantiles straightest. The
    change is ``needed`` if label shift alone does not explain the scores. It is ``compatible`` if
    the shape test does not reject with the change undone.
    """
    found = UNSCALED
    if shape is None:
        return found
    positive, negative = home.quantiles_positive, home.quantiles_negative
    here = np.quantile(scores, LEVELS, method="inverted_cdf")
    for prevalence in (home.counts.prevalence, straightest_prevalence(positive, negative, here)):
        change = affine_change(mixture_quantiles(positive, negative, prevalence, LEVELS), here)
        if change is None:
            continue
        test = shape_test(home.bins, home.bins.count(change.undo(scores)), rng, n_bootstrap)
        p_value = 1.0 if test is None else test.p_value
        needed, compatible = shape.p_value <= home.delta, p_value > home.delta
        found = audit.RescalingPart(
            factor=change.factor,
            offset=change.offset,
            prevalence=prevalence,
            p_value=p_value,
            needed=needed,
            compatible=compatible,
        )
        if compatible:
            break
    return found
