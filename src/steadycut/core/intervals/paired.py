"""Two rules on the same patients: the difference of their risks, its error, and a test of it."""

import numpy as np

from steadycut.core.bounds.anytime import upper_mean
from steadycut.core.bounds.binomial import upper_limit
from steadycut.core.checks import BoolArray, FloatArray, LabelArray
from steadycut.core.records import Costs


def paired_difference(
    labels: LabelArray, wrong: BoolArray, other: BoolArray, costs: Costs
) -> tuple[float, float]:
    """Return the risk of one rule minus that of another, and its paired standard error.

    Parameters
    ----------
    labels
        Label of each patient, shape (n,).
    wrong, other
        Which patients the first and the second rule decide wrongly, shape (n,). The rules may use
        different scores.
    costs
        At a target prevalence each rule counts at its own worse end.

    Notes
    -----
    This is the bootstrap standard error of the difference in the limit of many replicates. It is
    the standard deviation of the differences between a patient's two losses, divided by √n. At a
    target prevalence it is computed class by class. Patients whom both rules decide wrongly cancel
    out.

    Examples
    --------
    >>> labels = np.array([1, 1, 0, 0], dtype=np.int8)
    >>> one, other = np.array([True, False, True, False]), np.array([False, False, True, False])
    >>> difference, error = paired_difference(labels, one, other, Costs(cost_fn=2))
    >>> difference, round(error, 3)
    (0.5, 0.433)
    """
    if costs.target is None:
        price = np.where(labels == 1, costs.cost_fn, costs.cost_fp)
        return _sum_of_means([price * wrong - price * other])
    ends = [_worse_end(labels, rule, costs) for rule in (wrong, other)]
    parts = [
        ends[0][side] * wrong[labels == label] - ends[1][side] * other[labels == label]
        for side, label in enumerate((1, 0))
        if np.any(labels == label)
    ]
    return _sum_of_means(parts)


def _worse_end(labels: LabelArray, wrong: BoolArray, costs: Costs) -> tuple[float, float]:
    """Return the class weights at the end of the target range that is worse for the rule."""
    miss = wrong[labels == 1].mean() if np.any(labels == 1) else 0.0
    alarm = wrong[labels == 0].mean() if np.any(labels == 0) else 0.0
    return costs.worse_end(miss, alarm)


def _sum_of_means(parts: list[FloatArray]) -> tuple[float, float]:
    mean = sum(float(part.mean()) for part in parts)
    variance = sum(float(part.var()) / part.size for part in parts)
    return mean, float(np.sqrt(variance))


def is_cheaper(
    labels: LabelArray,
    wrong: BoolArray,
    other: BoolArray,
    costs: Costs,
    level: float,
    *,
    same_score: bool,
) -> bool:
    """Whether the first rule is shown to cost less than the other in patients like these.

    It is shown wrongly with probability at most ``level``. ``same_score`` says that both rules are
    cut-offs of the same score; the other arguments are those of `paired_difference`.

    Notes
    -----
    Only patients count whom one rule decides wrongly and the other one rightly. With equal costs,
    or with cut-offs of the same score, each of them saves or loses a fixed amount. The share of
    those who lose is then compared with its break-even value by an exact binomial limit; with equal
    costs this is the exact test of McNemar. Otherwise the limits of the mean are those of
    `steadycut.core.bounds.anytime`. At a target prevalence this is done in each class, and the rule
    must be cheaper at both ends.

    Examples
    --------
    >>> labels = np.repeat(np.array([1, 0], dtype=np.int8), 20)
    >>> one, other = np.arange(40) < 2, np.arange(40) % 3 == 0
    >>> is_cheaper(labels, one, other, Costs(), 0.1, same_score=False)
    True
    """
    if costs.target is not None:
        rises = [
            _highest_mean(1.0 * wrong[labels == label] - other[labels == label], level / 2)
            for label in (1, 0)
        ]
        return all(miss * rises[0] + alarm * rises[1] < 0 for miss, alarm in costs.class_weights)
    gains, losses = other & ~wrong, wrong & ~other
    if not costs.equal and not same_score:
        price = np.where(labels == 1, costs.cost_fn, costs.cost_fp) / costs.largest
        return _highest_mean(price * losses - price * gains, level) < 0
    if not gains.any():
        return False
    saved, lost = costs.cost_fn, costs.cost_fp
    if labels[gains][0] == 0:
        saved, lost = lost, saved
    n_lost, n_gained = int(losses.sum()), int(gains.sum())
    return upper_limit(n_lost, n_lost + n_gained, level) < saved / (saved + lost)


def _highest_mean(differences: FloatArray, level: float) -> float:
    """Return an upper limit of the mean of differences between -1 and 1; 1 without any."""
    values, counts = np.unique((1 + differences) / 2, return_counts=True)
    return 2 * upper_mean(values, counts, level) - 1
