"""Whether one cut-off is enough: label against group within strata of like scores."""

from fractions import Fraction

from scipy.stats import chi2

from tests.slow_reference.ensembles import solve


def stratum_part(positive, negative):
    """Return observed minus expected positives of each group, and their covariance.

    ``positive`` and ``negative`` are the patients of each group. Given the margins the positives
    of the groups are hypergeometric: mean P n_g / N, covariance
    P (N - P) / (N - 1) (n_g [g = h] / N - n_g n_h / N²).
    """
    sizes = [a + b for a, b in zip(positive, negative, strict=True)]
    n, ill = sum(sizes), sum(positive)
    groups = range(len(sizes))
    if n < 2:
        return [Fraction(0) for _ in groups], [[Fraction(0)] * len(sizes) for _ in groups]
    difference = [positive[g] - Fraction(ill * sizes[g], n) for g in groups]
    factor = Fraction(ill * (n - ill), n - 1)
    spread = [
        [
            factor * (Fraction(sizes[g], n) * (g == h) - Fraction(sizes[g] * sizes[h], n * n))
            for h in groups
        ]
        for g in groups
    ]
    return difference, spread


def mantel_haenszel(strata):
    """Return the statistic Dᵀ V⁻¹ D and its degrees of freedom, sums over the strata.

    The sum over all groups is fixed, so that groups without any spread and the last of the others
    are left out.
    """
    parts = [stratum_part(*stratum) for stratum in strata]
    size = len(parts[0][0])
    difference = [sum(part[0][g] for part in parts) for g in range(size)]
    spread = [[sum(part[1][g][h] for part in parts) for h in range(size)] for g in range(size)]
    kept = [g for g in range(size) if spread[g][g] != 0][:-1]
    if not kept:
        return Fraction(0), 0
    try:
        solved = solve([[spread[g][h] for h in kept] for g in kept], [difference[g] for g in kept])
    except StopIteration:  # groups that never meet in a stratum
        return None
    return sum(difference[g] * x for g, x in zip(kept, solved, strict=True)), len(kept)


def p_value(statistic, df):
    return float(chi2.sf(float(statistic), df)) if df else 1.0


def weights(statistic, df, sizes):
    """Return k e / (1 + k e), k = max(T - median of chi-squared, 0) / df.

    e is the size of the group over (n - Σ n_g² / n) / (G - 1).
    """
    n, groups = sum(sizes), len(sizes)
    if df == 0:
        return [0.0] * groups
    k = max(float(statistic) - float(chi2.ppf(0.5, df)), 0.0) / df
    middle = (n - sum(size * size for size in sizes) / n) / (groups - 1)
    return [k * size / middle / (1 + k * size / middle) for size in sizes]
