"""What changes at the next hospital: parts, intervals, label shift, tipping points, rescaling."""

import random
from functools import partial

import numpy as np

from steadycut.core.shift import parts as product_shift
from steadycut.core.shift.label_shift import (
    cdf_at_edges,
    mixture_weight,
    nearest_mixture,
    rank_bins,
    risk_range,
    valid_interval,
)
from steadycut.core.shift.parts import shift_intervals
from steadycut.core.shift.rescale import affine_change, mixture_quantiles, quantile_matched
from steadycut.core.shift.tipping import tipping_point
from tests.slow_reference import label_shift, rescaling, risks, shift, tipping
from tests.slow_reference.compare_bounds import confusion_of, counts_for
from tests.slow_reference.compare_cuts import costs_of
from tests.slow_reference.differences import all_differ, differ

NAMES = ("prevalence", "shape_positive", "shape_negative")
SPLITS = {
    "signed_shift": (product_shift.signed_shift, shift.signed),
    "reversed": (
        partial(product_shift.signed_shift, order=product_shift.reversed_values),
        shift.signed_reversed,
    ),
    "shapley": (
        partial(product_shift.signed_shift, order=product_shift.shapley_values),
        shift.shapley,
    ),
    "absolute_shift": (product_shift.absolute_shift, shift.absolute),
}


def two_hospitals(cohort):
    """Return the counts at the cohort's cut, and others of a random second hospital."""
    rng = random.Random(-cohort.seed)  # noqa: S311
    there = [rng.randint(0, 8) + (i % 2) for i in range(4)]
    missing = rng.choice([None, None, slice(0, 2), slice(2, 4)])
    if missing is not None:
        there[missing] = [0, 0]
    return counts_for(cohort), tuple(there)


def parts(cohort):
    here, there = two_hospitals(cohort)
    known = shift.rates(here), shift.rates(there)
    p, q = shift.filled(*known), shift.filled(*reversed(known))
    plain = costs_of(cohort, None)
    costs = [risks.Fraction(cost) for cost in (cohort.cost_fn, cohort.cost_fp)]
    size = 1e-12 * float(max(costs))
    for name, (split, slow) in SPLITS.items():
        found = split(confusion_of(here), confusion_of(there), plain)
        wanted = slow(p, q, *costs)
        shown = [
            None if None in pair else part
            for part, pair in zip(wanted, zip(*known, strict=True), strict=True)
        ]
        got = [getattr(found, part) for part in NAMES]
        yield from all_differ(name, [*got, found.total], [*shown, sum(wanted)], 1e-9, size)
        change = risks.risk(there, *costs) - risks.risk(here, *costs)
        if name == "absolute_shift":
            yield from differ("Shift >= R_Q - R_P", found.total >= change - size, 1)
        else:
            yield from differ(f"sum of {name}", found.total, change, absolute=size)


def intervals_of_parts(cohort):
    here, there = two_hospitals(cohort)
    n_choices = cohort.seed % 3
    costs = cohort.cost_fn, cohort.cost_fp
    found = shift_intervals(
        confusion_of(here), confusion_of(there), costs_of(cohort, None), cohort.delta, n_choices
    )
    for name, split in (("signed", shift.signed), ("shapley", shapley_of_floats)):
        wanted = shift.extremes(
            here, there, lambda p, q, split=split: split(p, q, *costs), cohort.delta, n_choices
        )
        for part, ends in zip((*NAMES, "total"), wanted, strict=True):
            got = found[name].get(part)
            if got is not None:
                yield from all_differ(f"{name} {part}", got, ends, 1e-9, 1e-9 * max(costs))


def shapley_of_floats(p, q, cost_fn, cost_fp):
    """Return the mean of both orders, which the Shapley value is."""
    orders = shift.signed(p, q, cost_fn, cost_fp), shift.signed_reversed(p, q, cost_fn, cost_fp)
    return tuple((one + other) / 2 for one, other in zip(*orders, strict=True))


def bins_for(cohort):
    """Return the product's rank bins of the cohort, and patients of Q in them."""
    bins = rank_bins(cohort.scores, cohort.labels, n_bins=6)
    rng = random.Random(cohort.seed)  # noqa: S311
    return bins, [rng.randint(0, 9) + 1 for _ in range(bins.n_bins)]


def without_labels(cohort):
    bins, here = bins_for(cohort)
    ill, well = bins.positive.tolist(), bins.negative.tolist()
    counted = [sum(ill) + sum(well), len(cohort.labels)]
    yield from differ("patients in bins", *counted)
    edges = [sum(score < edge for score in cohort.scores) for edge in bins.edges]
    below = [sum(ill[: i + 1]) + sum(well[: i + 1]) for i in range(len(edges))]
    yield from all_differ("patients below the edges", below, edges)
    shares = cdf_at_edges(np.array(here))
    yield from all_differ("shares", shares, label_shift.below_edges(here), 1e-12)
    n_choices = cohort.seed % 3
    found = valid_interval(bins, np.array(here), cohort.delta, n_choices)
    wanted = label_shift.valid_interval(ill, well, here, cohort.delta, n_choices)
    yield from differ("some prevalence", found is not None, wanted is not None)
    if found is not None and wanted is not None:
        yield from all_differ("valid interval", found, wanted, 1e-9, 1e-9)


def mixtures(cohort):
    bins, here = bins_for(cohort)
    ill, well = bins.positive.tolist(), bins.negative.tolist()
    if bins.n_bins > 1:
        weight, distance = nearest_mixture(*map(np.array, (ill, well, here)))
        wanted = label_shift.nearest_mixture(ill, well, here)
        yield from differ("distance", distance, wanted[1], 1e-9, 1e-12)
        reached = label_shift.distance(float(weight), ill, well, here)
        yield from differ("at its weight", reached, wanted[1], 1e-9, 1e-9)
    f1, f0 = ([(k + 1) / (sum(c) + len(c)) for k in c] for c in (ill, well))
    got = float(np.ravel(mixture_weight(np.array([here]), np.array(f1), np.array(f0)))[0])
    wanted = label_shift.likeliest_weight(here, f1, f0)
    yield from differ("likeliest weight", got, wanted, absolute=1e-6)


def risk_without_labels(cohort):
    """The extremes over the prevalences and the limits of both rates, delta / 4 each."""
    counts = counts_for(cohort)
    tp, fn, fp, tn = counts
    ends = sorted(random.Random(cohort.seed).sample([0.0, 0.1, 0.4, 0.8, 1.0], 2))  # noqa: S311
    n_choices = cohort.seed % 3
    own = confusion_of(counts), costs_of(cohort, None)
    found = risk_range(*own, tuple(ends), cohort.delta, n_choices)
    miss = shift.rate_interval(fn, tp + fn, cohort.delta / 2, n_choices)
    alarm = shift.rate_interval(fp, fp + tn, cohort.delta / 2, n_choices)

    def at(p, i):
        return cohort.cost_fn * p * miss[i] + cohort.cost_fp * (1 - p) * alarm[i]

    wanted = min(at(p, 0) for p in ends), max(at(p, 1) for p in ends)
    yield from all_differ("risk range", found, wanted, 1e-9, 1e-12)


def tipping_points(cohort):
    counts = counts_for(cohort)
    tp, fn, fp, tn = counts
    rng = random.Random(cohort.seed)  # noqa: S311
    costs = cohort.cost_fn, cohort.cost_fp
    limit = rng.choice([0.05, 0.2, 0.5, 0.9]) * max(costs)
    candidates = cohort.seed % 3
    found = tipping_point(
        confusion_of(counts), costs_of(cohort, None), limit, cohort.delta,
        honesty="uniform" if candidates else "split", n_candidates=max(candidates, 1),
    )  # fmt: skip
    prevalence = (tp + fn) / sum(counts)
    rates = {"upper": tipping.upper_rates(counts, cohort.delta, candidates)}
    if tp + fn and fp + tn:
        rates["estimate"] = fn / (tp + fn), fp / (fp + tn)
    for name, own in rates.items():
        one = getattr(found, name)
        got = one.prevalence, one.shape_positive, one.shape_negative
        wanted = tipping.tipping(prevalence, *own, *costs, limit)
        # Where a little more or less room changes which answers there are, rounding decides.
        beside = [
            tipping.tipping(prevalence, *own, *costs, limit * f) for f in (1 - 1e-9, 1 + 1e-9)
        ]
        known = [[answer is None for answer in answers] for answers in (wanted, *beside)]
        if known[0] == known[1] == known[2]:
            yield from all_differ(f"tipping {name}", got, wanted, 1e-6, 1e-6)


def rescaled(cohort):
    rng = random.Random(cohort.seed)  # noqa: S311
    ill, well = (sorted(rng.gauss(0, 1) for _ in range(rng.randint(3, 6))) for _ in range(2))
    prevalence, levels = rng.choice([0.1, 0.5, 0.8]), [0.05, 0.3, 0.55, 0.95]
    got = mixture_quantiles(np.array(ill), np.array(well), prevalence, np.array(levels))
    wanted = [rescaling.mixture_quantile(ill, well, prevalence, level) for level in levels]
    yield from all_differ("mixture quantile", got, wanted)
    home, here = ill, sorted(3 * value + rng.gauss(0, 0.1) for value in ill)
    line = affine_change(np.array(home), np.array(here))
    yield from all_differ(
        "line", [line.factor, line.offset], rescaling.line(home, here), 1e-9, 1e-9
    )
    rate = rng.choice([0.0, 0.26, 0.5, 1.0])
    sign = 1 if cohort.direction == "ge" else -1
    oriented = [sign * score for score in cohort.scores]
    cut = quantile_matched(np.array(oriented), rate)
    calls = rescaling.matched_calls(oriented, rate)
    yield from differ("matched calls", cut.call_rate, calls / len(oriented), 1e-12)
    called = sum(score >= cut.threshold for score in oriented)
    yield from differ("calls of the matched cut", called, calls)
