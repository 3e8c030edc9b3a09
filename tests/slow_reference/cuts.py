"""The cuts that are tried, which of several best ones is taken, and where the threshold is put."""

from fractions import Fraction
from math import inf, nextafter

# Values closer than this, as a part of the dearer cost, are as good.
TIE = Fraction(1, 10**12)


def distinct(scores):
    """Return the distinct scores in order; 0.0 and -0.0 are one."""
    return sorted(set(scores))


def cuts_along(scores):
    """Return how many patients lie below every cut between two neighbouring distinct scores.

    The first cut calls everybody, the last one nobody.
    """
    return [sum(score < value for score in scores) for value in distinct(scores)] + [len(scores)]


def runs(members):
    """Return the stretches of neighbouring whole numbers, in order."""
    stretches = []
    for member in members:
        if stretches and member == stretches[-1][-1] + 1:
            stretches[-1].append(member)
        else:
            stretches.append([member])
    return stretches


def middle_of_widest_flat(values, ranks, tie):
    """Return the rank of the cut that is taken among those with the smallest value.

    Values within ``tie`` of the smallest are as small; None marks a cut that is not allowed. Of
    the stretches of neighbouring best cuts the one that spans most patients is taken; of several
    the middle one, the lower of two; in it the cut nearest to the middle of its patients, the
    lower of two as near.
    """
    smallest = min(value for value in values if value is not None)
    best = [i for i, v in enumerate(values) if v is not None and v <= smallest + tie]
    stretches = runs(best)
    width = max(ranks[run[-1]] - ranks[run[0]] for run in stretches)
    widest = [run for run in stretches if ranks[run[-1]] - ranks[run[0]] == width]
    run = widest[(len(widest) - 1) // 2]
    middle = Fraction(ranks[run[0]] + ranks[run[-1]], 2)
    return min((ranks[i] for i in run), key=lambda rank: (abs(rank - middle), rank))


def rank_of(scores, threshold):
    """Return how many scores lie below the threshold."""
    return sum(score < threshold for score in scores)


def even_thresholds(scores, n):
    """Return n evenly spaced thresholds from the smallest to the largest score."""
    low, high = min(scores), max(scores)
    step = (high - low) / (n - 1)
    if step == 0:  # it rounds to nothing
        return [low + i / (n - 1) * (high - low) for i in range(n - 1)] + [high]
    return [low + i * step for i in range(n - 1)] + [high]


def margin_of(scores):
    """Return how far call-everybody and call-nobody lie outside: 1/200 of the range.

    Scores that are all alike take 1/200 of the score, and of 1 at least.
    """
    spread = max(scores) - min(scores)
    return spread / 200 if spread > 0 else max(abs(scores[0]), 1.0) / 200


def midway(drawn, rank):
    """Return the threshold midway between the scores around a cut of the exact cuts.

    ``drawn`` are the scores of the cohort that chose, such as a bootstrap cohort of ``scores``;
    ``rank`` of them lie below the cut. Call-everybody and call-nobody have no number: they are
    infinite, whoever comes.
    """
    ordered = sorted(drawn)
    if rank in (0, len(ordered)):
        return inf if rank else -inf
    return float((Fraction(ordered[rank - 1]) + Fraction(ordered[rank])) / 2)


def on_scale(scores, threshold):
    """Return where a threshold lies for distances: a margin outside if it is infinite."""
    if threshold == -inf:
        return min(scores) - margin_of(scores)
    return max(scores) + margin_of(scores) if threshold == inf else threshold


def exact_thresholds(scores):
    """Return the threshold of every exact cut of the scores."""
    return [midway(scores, rank) for rank in cuts_along(scores)]


def with_rank(thresholds, scores, rank):
    """Return the thresholds with so many of the scores below."""
    return [threshold for threshold in thresholds if rank_of(scores, threshold) == rank]


def grid_of(scores, n_grid):
    """Return the thresholds of the grid and, last, one that calls nobody."""
    above = max(max(scores) + margin_of(scores), nextafter(max(scores), inf))
    return [*sorted(set(even_thresholds(scores, n_grid))), above]


def middle_of_gap(scores, drawn, rank, n_grid):
    """Return the middle one (the lower of two) of the grid's thresholds around a cut.

    The grid is that of ``scores``; its thresholds with ``rank`` of the ``drawn`` below count.
    """
    if rank in (0, len(drawn)):
        return inf if rank else -inf
    inside = with_rank(grid_of(scores, n_grid), drawn, rank)
    return inside[(len(inside) - 1) // 2]


def operating_value(scores, threshold):
    """Return the smallest score that is called; None if nobody is."""
    return min((score for score in scores if score >= threshold), default=None)
