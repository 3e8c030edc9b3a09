"""A modulus that was evaluated with noise, made monotone."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from steadycut.core.checks import FloatArray
from steadycut.errors import BadOption


def monotone_modulus(epsilons: ArrayLike, values: ArrayLike) -> FloatArray:
    """Return the nearest modulus that does not fall as ε grows (pool adjacent violators).

    Parameters
    ----------
    epsilons
        Sizes of the threshold error, shape (k,), in any order; of equal ones the values are
        averaged.
    values
        The modulus at each of them, as a simulation, a subsample or another program gave it.

    Returns
    -------
    ndarray of shape (k,)
        In the order of ``epsilons``.

    Notes
    -----
    The isotonic step of Algorithm 1. `steadycut.core.bounds.modulus.modulus` is exact and monotone
    already: this would not change it.

    Examples
    --------
    >>> monotone_modulus([0.1, 0.2, 0.3, 0.4], [0.1, 0.3, 0.2, 0.5])
    array([0.1 , 0.25, 0.25, 0.5 ])
    """
    size, modulus = np.asarray(epsilons, dtype=np.float64), np.asarray(values, dtype=np.float64)
    finite = np.isfinite(size).all() and np.isfinite(modulus).all()
    if size.ndim != 1 or size.shape != modulus.shape or not size.size or not finite:
        msg = (
            "epsilons and values must be finite numbers, as many of one as of the other; got "
            f"shapes {size.shape} and {modulus.shape}."
        )
        raise BadOption(msg)
    distinct, place = np.unique(size, return_inverse=True)
    weights = np.bincount(place, minlength=distinct.size)
    means = np.bincount(place, weights=modulus) / weights
    fitted: FloatArray = isotonic_regression(means, weights=weights).x
    return fitted[place]
