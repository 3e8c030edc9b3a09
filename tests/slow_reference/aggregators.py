"""Every aggregator in rational arithmetic, rounded where its definition rounds; chains."""

from fractions import Fraction
from math import prod


def mean(scores):
    """Return the sum, rounded once, divided by the number, rounded once."""
    return float(sum(map(Fraction, scores))) / len(scores)


def true_mean(scores):
    """Return the mean itself, rounded once at the very end."""
    return float(sum(map(Fraction, scores)) / len(scores))


def median(scores):
    """Return the middle score, or the mean of the two middle ones."""
    ordered = sorted(scores)
    middle = [ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]]
    return float(sum(map(Fraction, middle)) / 2)


def quantile(scores, level):
    """Return a + (b - a) w below one half, b - (b - a)(1 - w) from there on.

    a and b are the neighbours of the place (n - 1) level among the ordered scores, w its part
    between them. Every step is rounded, as numpy does.
    """
    ordered = sorted(scores)
    place = (len(ordered) - 1) * level
    low = int(place)
    weight = place - low
    a, b = ordered[low], ordered[min(low + 1, len(ordered) - 1)]
    return a + (b - a) * weight if weight < 0.5 else b - (b - a) * (1 - weight)


def true_quantile(scores, level):
    """Return the same without any rounding but the last one."""
    ordered = sorted(map(Fraction, scores))
    place = (len(ordered) - 1) * Fraction(str(level))
    low = int(place)
    a, b = ordered[low], ordered[min(low + 1, len(ordered) - 1)]
    return float(a + (b - a) * (place - low))


def top_k(scores, k):
    """Return the mean of the k largest scores; of all, if there are fewer."""
    return mean(sorted(scores, reverse=True)[:k])


def fraction_above(scores, cut):
    """Return the share of the scores that lie strictly above the cut."""
    return sum(score > cut for score in scores) / len(scores)


def noisy_or(scores):
    """Return 1 - prod(1 - p), rounded once."""
    return float(1 - prod(1 - Fraction(p) for p in scores))


def trimmed_mean(scores, share):
    """Return the mean without int(share n) scores at either end."""
    left_out = int(share * len(scores))
    return mean(sorted(scores)[left_out : len(scores) - left_out])


def aggregate(how, scores):
    """Return what the aggregator of this name makes of the scores."""
    name, _, number = how.partition(":")
    plain = {"mean": mean, "median": median, "max": max, "min": min, "noisy-or": noisy_or}
    if name in plain:
        return plain[name](scores)
    if name == "top-k":
        return top_k(scores, int(number))
    with_number = {
        "quantile": quantile,
        "fraction-above": fraction_above,
        "trimmed-mean": trimmed_mean,
    }
    return with_number[name](scores, float(number))


def chain(rows, hows):
    """Return one score a patient: rows to slides, slides to blocks, blocks to patients.

    ``rows`` are tuples of patient, block, slide and score; ``hows`` three aggregators, innermost
    first. Slides of one number in two blocks are two slides.
    """
    members = [(row[:3], row[3]) for row in rows]
    for depth, how in zip((3, 2, 1), hows, strict=True):
        groups = {}
        for key, score in members:
            groups.setdefault(key[:depth], []).append(score)
        members = [
            (key[: depth - 1] or key, aggregate(how, group)) for key, group in groups.items()
        ]
    return [score for _, score in sorted(members)]
