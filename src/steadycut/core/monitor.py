"""Patients one after another -> limits on their mean loss, and an alarm, valid at any time.

The method is a betting martingale. Take the hypothesis that the mean of values in [0, 1] is at most
m. Then value / m has mean at most 1. Of a stake, the share θ is put at risk:

    stake <- stake * (1 - θ + θ * value / m).

Under the hypothesis the expected stake never increases, whenever one stops and whatever one looked
at before. The total of all stakes is a test martingale. It ever reaches 1/δ with probability at
most δ (Ville's inequality). No bet looks ahead. Several constant shares θ are played side by side.
This is the same as betting their mean, weighted by what each has won so far.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bounds.anytime import largest_refuted
from steadycut.core.bounds.binomial import rate_interval
from steadycut.core.checks import FloatArray, check_fraction, read_only
from steadycut.core.confusion import Confusion
from steadycut.errors import BadPatients

# Shares that are put at risk side by side: few and large ones, so that an alarm comes early.
ALARM_BETS = read_only(np.geomspace(0.003, 0.9, 12))
# Larger totals are replaced by this number, because files cannot hold an infinite number.
LARGEST_TOTAL = 1e100
CHUNK = 4096


def evidence(values: ArrayLike, mean: float) -> FloatArray:
    """Return the test martingale against "no value has a mean above ``mean``", after each value.

    Parameters
    ----------
    values
        Numbers in [0, 1], shape (n,) or (streams, n). Their order must not depend on their values.
    mean
        The claimed mean, above 0.

    Returns
    -------
    FloatArray
        Same shape. If the claim is true, it ever reaches 1/δ with probability at most δ.

    Notes
    -----
    A share 1/(s(s+1)) of the initial stake of 1 is kept back until value s. A change after many
    good patients is then noticed too: stakes that were at risk from the start would be lost by
    then. The shares sum to 1 over all s, so the total is still a martingale.

    References
    ----------
    Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B 2024.
    Shafer, Testing by betting, JRSS A 2021.

    Examples
    --------
    Half of the stake is played on the first value. A value of 0 loses the share at risk.

    >>> by_hand = 0.5 + 0.5 * float(np.mean(1 - ALARM_BETS))
    >>> bool(np.isclose(evidence([0.0], mean=0.2)[0], by_hand))
    True
    """
    array = np.asarray(values, dtype=np.float64)
    places = np.arange(1, array.shape[-1] + 1)
    stakes = np.zeros((*array.shape[:-1], ALARM_BETS.size))
    # What every bet is multiplied by, and later what it is worth.
    bets = 1 + ALARM_BETS * (array[..., None] / mean - 1)
    for i, added in enumerate((1 / (places * (places + 1) * ALARM_BETS.size)).tolist()):
        stakes += added
        stakes *= bets[..., i, :]
        np.minimum(stakes, LARGEST_TOTAL, out=stakes)
        bets[..., i, :] = stakes
    return np.minimum(bets.sum(axis=-1) + 1 / (places + 1), LARGEST_TOTAL)


def first_crossing(martingale: FloatArray, delta: float) -> int | None:
    """Return after how many values the martingale reached 1/delta; None if it did not.

    Examples
    --------
    >>> first_crossing(np.array([0.8, 3.0, 12.0, 4.0]), delta=0.1)
    3
    """
    # Slightly below, so that a total of 10 reaches 1 / 0.1 in spite of rounding.
    reached = np.flatnonzero(martingale >= (1 - 1e-12) / delta)
    return int(reached[0]) + 1 if reached.size else None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Limits:
    """After each value: the mean so far, and limits of the true mean that hold at all times."""

    mean: FloatArray
    lower: FloatArray
    upper: FloatArray
    delta: float


def confidence_sequence(values: ArrayLike, delta: float, largest: float = 1.0) -> Limits:
    """Return limits of a mean that hold after every value at once, with probability 1 - delta.

    Parameters
    ----------
    values
        Numbers in [0, 1], shape (n,). They should have few different values: the work grows with
        their number.
    delta
        Failure probability, half of it on each side.

    Returns
    -------
    Limits

    Notes
    -----
    The lower limit after n values is the smallest mean against which bets from the start have not
    reached 2/δ. The total decreases as the claimed mean increases, so this is a single number. It
    is found from below. If the true mean changes over time, the lower limit is still below the
    largest mean, and the upper limit above the smallest mean.

    Examples
    --------
    >>> limits = confidence_sequence([0, 1] * 100, delta=0.1)
    >>> bool(limits.lower[-1] < 0.5 < limits.upper[-1]), float(limits.lower[0])
    (True, 0.0)
    """
    array, share = np.asarray(values, dtype=np.float64), check_fraction("delta", delta) / 2
    steps = np.arange(1, array.size + 1)
    return Limits(
        mean=read_only(largest * (np.cumsum(array) / steps)),
        lower=read_only(largest * _lower_limits(array, share)),
        upper=read_only(largest * (1 - _lower_limits(1 - array, share))),
        delta=delta,
    )


def _lower_limits(values: FloatArray, delta: float) -> FloatArray:
    distinct, codes = np.unique(values, return_inverse=True)
    counts = np.cumsum(codes[:, None] == np.arange(distinct.size), axis=0)
    parts = range(0, values.size, CHUNK)
    limits = [largest_refuted(counts[start : start + CHUNK], distinct, delta) for start in parts]
    return np.concatenate([np.zeros(0), *limits])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RiskWatch:
    """The losses of patients, compared with a certified risk.

    ``limits`` are in units of the risk. ``martingale`` is the evidence against the certificate.
    ``first_alarm`` is the number of patients after which it reached 1/delta. ``can_alarm`` is False
    if the certified value is not below the largest loss; no loss can then count against it.
    """

    limits: Limits
    certified: float
    martingale: FloatArray
    first_alarm: int | None
    can_alarm: bool


def watch_risk(losses: ArrayLike, certified: float, largest: float, delta: float) -> RiskWatch:
    """Watch whether the mean loss exceeds a certified value.

    Parameters
    ----------
    losses
        The cost of each decision, shape (n,), between 0 and ``largest``, in order of arrival.
    certified
        The claimed upper limit of the risk.
    largest
        The larger of the two costs.
    delta
        Probability of ever raising an alarm if the claim is true.

    Examples
    --------
    >>> watch = watch_risk([1.0] * 20, certified=0.3, largest=1.0, delta=0.1)
    >>> watch.first_alarm
    5
    """
    scaled = _in_unit("losses", np.asarray(losses, dtype=np.float64) / largest)
    check_fraction("delta", delta)
    martingale = evidence(scaled, certified / largest)
    return RiskWatch(
        limits=confidence_sequence(scaled, delta, largest),
        certified=certified,
        martingale=read_only(martingale),
        first_alarm=first_crossing(martingale, delta),
        can_alarm=certified < largest,
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CallWatch:
    """The share of called patients, compared with its interval at the first hospital.

    ``too_many`` and ``too_few`` are the martingales against "at most ``highest``" and "at least
    ``lowest``". An alarm is raised when one of them reaches 4/delta.
    """

    limits: Limits
    internal: float
    lowest: float
    highest: float
    too_many: FloatArray
    too_few: FloatArray
    first_alarm: int | None


def watch_calls(
    called: ArrayLike, reference: Confusion, delta: float, n_choices: int = 0
) -> CallWatch:
    """Watch whether the call rate leaves the interval that the certifying patients give it.

    Half of delta is used for that interval, half for the arriving patients. If the call rate is the
    same at both hospitals, an alarm is ever raised with probability at most delta. No labels are
    needed.

    Parameters
    ----------
    called
        0 or 1 for each patient, shape (n,), in order of arrival.
    reference
        The certifying patients.
    delta
        Probability of ever raising an alarm if the call rate has not changed.
    n_choices
        The number of scores among which the certifying patients chose the cut-off; 0 if others did.

    Examples
    --------
    >>> reference = Confusion(tp=20, fn=0, fp=0, tn=20)
    >>> watch_calls([1] * 40, reference, delta=0.1).first_alarm
    17
    """
    values = _in_unit("called", np.asarray(called, dtype=np.float64))
    share = check_fraction("delta", delta) / 2
    n_called = reference.tp + reference.fp
    lowest, highest = rate_interval(n_called, reference.n_patients, share, n_choices)
    too_many, too_few = evidence(values, highest), evidence(1 - values, 1 - lowest)
    alarms = [first_crossing(martingale, share / 2) for martingale in (too_many, too_few)]
    return CallWatch(
        limits=confidence_sequence(values, share),
        internal=reference.call_rate,
        lowest=lowest,
        highest=highest,
        too_many=read_only(too_many),
        too_few=read_only(too_few),
        first_alarm=min((alarm for alarm in alarms if alarm is not None), default=None),
    )


def _in_unit(name: str, values: FloatArray) -> FloatArray:
    if values.ndim != 1 or not np.all((values >= 0) & (values <= 1)):
        msg = f"{name} must be one number per patient, between 0 and the largest possible value."
        raise BadPatients(msg)
    return values
