"""Characteristics of a test from its four counts: sensitivity, predictive values, kappa and others.

Every function takes ``tp, fn, fp, tn``: numbers, or arrays of the same shape. The result is NaN
where the characteristic is not defined, and infinite where only the denominator is 0. The counts
need not be whole numbers: they may be weighted to another prevalence.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.checks import FloatArray

Characteristic = Callable[[ArrayLike, ArrayLike, ArrayLike, ArrayLike], FloatArray]


def ratio(above: ArrayLike, below: ArrayLike) -> FloatArray:
    """Return ``above / below``: NaN for 0 / 0, infinite where only ``below`` is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.true_divide(above, below)


def sensitivity(tp: ArrayLike, fn: ArrayLike, _fp: ArrayLike, _tn: ArrayLike) -> FloatArray:
    """Return TP / (TP + FN), the share of diseased patients who are called.

    Examples
    --------
    >>> float(sensitivity(8, 2, 5, 15))
    0.8
    """
    return ratio(tp, np.add(tp, fn))


def specificity(_tp: ArrayLike, _fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return TN / (FP + TN), the share of healthy patients who are not called."""
    return ratio(tn, np.add(fp, tn))


def ppv(tp: ArrayLike, _fn: ArrayLike, fp: ArrayLike, _tn: ArrayLike) -> FloatArray:
    """Return TP / (TP + FP), the share of called patients who are diseased."""
    return ratio(tp, np.add(tp, fp))


def npv(_tp: ArrayLike, fn: ArrayLike, _fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return TN / (FN + TN), the share of patients not called who are healthy."""
    return ratio(tn, np.add(fn, tn))


def plr(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return sensitivity / (1 - specificity), the likelihood ratio of a positive call."""
    # Products of whole counts avoid the rounding of 1 - specificity.
    return ratio(np.multiply(tp, np.add(fp, tn)), np.multiply(fp, np.add(tp, fn)))


def nlr(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return (1 - sensitivity) / specificity, the likelihood ratio of a negative call."""
    return ratio(np.multiply(fn, np.add(fp, tn)), np.multiply(tn, np.add(tp, fn)))


def odds_ratio(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return TP TN / (FP FN), the diagnostic odds ratio."""
    return ratio(np.multiply(tp, tn), np.multiply(fp, fn))


def risk_ratio(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return PPV / (1 - NPV): the risk of disease if called, relative to the risk if not."""
    return ratio(np.multiply(tp, np.add(fn, tn)), np.multiply(fn, np.add(tp, fp)))


def accuracy(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return (TP + TN) / n, the share of correct decisions."""
    return ratio(np.add(tp, tn), total(tp, fn, fp, tn))


def youden(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return J = sensitivity + specificity - 1."""
    return sensitivity(tp, fn, fp, tn) + specificity(tp, fn, fp, tn) - 1


def kappa(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return Cohen's kappa between decision and disease.

    2 (TP TN - FN FP) / ((TP + FP)(FP + TN) + (TP + FN)(FN + TN)).
    """
    return weighted_kappa(0.5)(tp, fn, fp, tn)


def weighted_kappa(weight: float) -> Characteristic:
    """Return Kraemer's weighted kappa: misses have weight ``weight``, alarms 1 - ``weight``.

    (TP TN - FN FP) / (r P (1 - Q) + (1 - r) (1 - P) Q), where r is the weight and, in counts, P are
    the diseased and Q the called patients. The weight 1/2 gives Cohen's kappa.

    Examples
    --------
    >>> round(float(weighted_kappa(0.5)(8, 2, 5, 15)), 4)
    0.5116
    """

    def of_counts(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        agreement = np.multiply(tp, tn) - np.multiply(fn, fp)
        misses = np.multiply(np.add(tp, fn), np.add(fn, tn))
        alarms = np.multiply(np.add(fp, tn), np.add(tp, fp))
        return ratio(agreement, weight * misses + (1 - weight) * alarms)

    return of_counts


def f1(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, _tn: ArrayLike) -> FloatArray:
    """Return 2 TP / (2 TP + FP + FN), the harmonic mean of sensitivity and PPV."""
    return ratio(np.multiply(2, tp), np.multiply(2, tp) + np.add(fp, fn))


def jaccard(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, _tn: ArrayLike) -> FloatArray:
    """Return TP / (TP + FP + FN), the overlap between called and diseased patients."""
    return ratio(tp, np.add(tp, fp) + np.asarray(fn))


def mcc(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return the Matthews correlation (phi) between decision and disease."""
    agreement = np.multiply(tp, tn) - np.multiply(fn, fp)
    calls = np.multiply(np.add(tp, fp), np.add(fn, tn)).astype(float)
    return ratio(agreement, np.sqrt(calls * np.add(tp, fn) * np.add(fp, tn)))


def call_rate(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return (TP + FP) / n, the share of patients who are called."""
    return ratio(np.add(tp, fp), total(tp, fn, fp, tn))


def prevalence(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return (TP + FN) / n, the share of patients who are diseased."""
    return ratio(np.add(tp, fn), total(tp, fn, fp, tn))


def net_benefit(probability: float) -> Characteristic:
    """Return the net benefit (TP - FP p / (1 - p)) / n at the threshold probability ``p``.

    An alarm costs p / (1 - p) of what calling a diseased patient gains (Vickers and Elkin 2006).

    Examples
    --------
    >>> float(net_benefit(0.2)(8, 2, 4, 16))
    0.23333333333333334
    """
    odds = probability / (1 - probability)

    def of_counts(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        return ratio(np.asarray(tp) - odds * np.asarray(fp), total(tp, fn, fp, tn))

    return of_counts


def chi_squared(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return Pearson's chi-squared statistic of the 2 x 2 table without correction: n phi²."""
    return mcc(tp, fn, fp, tn) ** 2 * total(tp, fn, fp, tn)


def total(tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
    """Return n = TP + FN + FP + TN."""
    return np.add(np.add(tp, fn), np.add(fp, tn)).astype(float)
