"""Exact sums over all ordered thresholds.

In the prior, the K thresholds are the even ones of 2K + 1 ordered uniform points on the quantile
scale. Their density is proportional to u_1 (u_2 - u_1) ... (1 - u_K), which avoids empty strata.
For one threshold it is Beta(2, 2). The points in between are summed out. A message runs from the
left and is integrated over one point after another. At every second point it is weighted by the
likelihood of that threshold. Another message runs from the right. In each cell around a cut, a
message is a polynomial in the position within the cell, with coefficients of at least 0. So nothing
cancels, and logarithms can represent every size. The prior is that of Green (Biometrika 1995) for
change points.
"""

import numpy as np
from scipy.special import betaln

from steadycut.core.checks import FloatArray


def ordered_marginals(log_likelihood: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the posterior mass of every cut for each of the ordered thresholds.

    Parameters
    ----------
    log_likelihood
        Of threshold k at cut j, shape (rows, K, cuts); -inf where it is impossible.
    edges
        Quantiles between which a threshold belongs to each cut, shape (rows, cuts + 1), ascending
        from 0 to 1.

    Returns
    -------
    ndarray of shape (rows, K, cuts)
        The cuts of each row sum to 1.

    Examples
    --------
    Without data, one threshold has the mass of Beta(2, 2).

    >>> edges = np.array([[0.0, 0.25, 0.75, 1.0]])
    >>> ordered_marginals(np.zeros((1, 1, 3)), edges).round(5)
    array([[[0.15625, 0.6875 , 0.15625]]])
    """
    with np.errstate(divide="ignore"):
        log_width = np.log(np.diff(edges, axis=1))
    from_left = _messages(log_likelihood, log_width)
    from_right = _messages(log_likelihood[:, ::-1, ::-1], log_width[:, ::-1])[::-1]
    pairs = zip(from_left, from_right, strict=True)
    inside = [_integral(left, right[:, ::-1]) for left, right in pairs]
    log_mass = np.stack(inside, axis=1) + log_likelihood + log_width[:, None, :]
    mass = np.exp(log_mass - log_mass.max(axis=2, keepdims=True))
    return np.asarray(mass / mass.sum(axis=2, keepdims=True))


def _messages(log_likelihood: FloatArray, log_width: FloatArray) -> list[FloatArray]:
    """Return the messages from the points on the left of each threshold.

    One array per threshold, shape (rows, cuts, coefficients), in logarithms.
    """
    message = _integrate(np.zeros((*log_width.shape, 1)), log_width)
    messages = [message]
    for k in range(log_likelihood.shape[1] - 1):
        weighted = message + log_likelihood[:, k, :, None]
        message = _integrate(_integrate(weighted, log_width), log_width)
        messages.append(message)
    return messages


def _integrate(polynomials: FloatArray, log_width: FloatArray) -> FloatArray:
    """Integrate from 0 to the position within each cell; the cells before give the constant."""
    powers = np.arange(1, polynomials.shape[2] + 1)
    raised = polynomials + log_width[:, :, None] - np.log(powers)
    through = np.logaddexp.accumulate(_log_sum(raised), axis=1)
    before = np.full((*log_width.shape, 1), -np.inf)
    before[:, 1:, 0] = through[:, :-1]
    return np.concatenate([before, raised], axis=2)


def _integral(left: FloatArray, right: FloatArray) -> FloatArray:
    """Integrate over a cell: a polynomial from its left end times one from its right end."""
    size = left.shape[2], right.shape[2]
    weights = betaln(*np.ogrid[1 : size[0] + 1, 1 : size[1] + 1])
    terms = left[..., :, None] + right[..., None, :] + weights
    return _log_sum(terms.reshape(*left.shape[:2], -1))


def _log_sum(logarithms: FloatArray) -> FloatArray:
    """Add numbers given as logarithms, along the last axis."""
    largest = logarithms.max(axis=2)
    finite = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        result: FloatArray = finite + np.log(np.exp(logarithms - finite[..., None]).sum(axis=2))
    return result
