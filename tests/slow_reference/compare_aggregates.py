"""Aggregators, nested chains and the intraclass correlation."""

from math import ulp

import numpy as np

import steadycut
from steadycut.core.aggregate.aggregators import sort_segments
from steadycut.core.aggregate.clusters import cluster_sums, clusters_from
from tests.core.aggregate.chains import aggregate_chain
from tests.slow_reference import aggregators, clusters
from tests.slow_reference.differences import all_differ, differ

HOWS = (
    "mean",
    "median",
    "max",
    "min",
    "quantile:0.9",
    "quantile:0.25",
    "top-k:2",
    "fraction-above:0.3",
    "trimmed-mean:0.2",
)


def columns_of(cohort):
    patients, blocks, slides, scores = zip(*cohort.rows, strict=True)
    return np.array(patients), np.array(blocks), np.array(slides), np.array(scores)


def is_probability(cohort):
    return all(0 <= row[3] <= 1 for row in cohort.rows)


def single_aggregators(cohort):
    patients, _, _, scores = columns_of(cohort)
    groups = [[row[3] for row in cohort.rows if row[0] == i] for i in range(patients.max() + 1)]
    for how in (*HOWS, *(("noisy-or",) if is_probability(cohort) else ())):
        found, _ = aggregate_chain(patients, [], scores, [how])
        wanted = [aggregators.aggregate(how, group) for group in groups]
        # The product of noisy-or is rounded at every factor.
        rounding = 1e-13 if how == "noisy-or" else 0.0
        yield from all_differ(how, found, wanted, absolute=rounding)
    yield from near_the_truth(groups, patients, scores)


def near_the_truth(groups, patients, scores):
    """Two roundings instead of one: a mean is right to its last bit, a quantile to a few."""
    means, _ = aggregate_chain(patients, [], scores, ["mean"])
    for got, group in zip(means, groups, strict=True):
        truth = aggregators.true_mean(group)
        yield from differ("mean itself", got, truth, absolute=ulp(truth))
    quantiles, _ = aggregate_chain(patients, [], scores, ["quantile:0.9"])
    for got, group in zip(quantiles, groups, strict=True):
        truth = aggregators.true_quantile(group, 0.9)
        size = 4 * ulp(max(map(abs, group)))
        yield from differ("quantile itself", got, truth, absolute=size)


def nested_chains(cohort):
    patients, blocks, slides, scores = columns_of(cohort)
    hows = [HOWS[(cohort.seed // step) % len(HOWS)] for step in (1, 9, 81)]
    found, _ = aggregate_chain(patients, [slides, blocks], scores, hows)
    yield from all_differ("/".join(hows), found, aggregators.chain(cohort.rows, hows))


def tables(cohort):
    """The public way in, with labels, sites and levels as columns."""
    how = HOWS[cohort.seed % len(HOWS)]
    patients, blocks, slides, scores = columns_of(cohort)
    found = steadycut.aggregate(
        {
            "who": [f"p{i:03d}" for i in patients],
            "block": blocks,
            "slide": slides,
            "s": scores,
            "y": np.array(cohort.labels)[patients],
            "h": np.array(cohort.sites)[patients],
        },
        patient="who",
        score="s",
        label="y",
        site="h",
        levels=["slide:max", "block:median"],
        how=how,
        engine="memory",
    )
    wanted = aggregators.chain(cohort.rows, ["max", "median", how])
    yield from all_differ(f"table {how}", found.scores, wanted)
    yield from all_differ("labels", found.labels, cohort.labels)
    yield from differ("sites", list(found.sites) == cohort.sites, 1)


def intraclass(cohort):
    """Scores whose squares are numbers, and that differ in more than their last bits."""
    if cohort.kind in {"denormal", "last bits", "huge"}:
        return
    patients, _, _, scores = columns_of(cohort)
    found = clusters_from(
        cluster_sums(sort_segments(patients, scores)), np.array(cohort.labels, dtype=np.int8)
    )
    groups = [[row[3] for row in cohort.rows if row[0] == i] for i in range(len(cohort.labels))]
    wanted = clusters.intraclass(groups, cohort.labels)
    yield from differ("icc defined", found is not None, wanted is not None)
    if found is not None and wanted is not None:
        got = found.per_patient, found.icc, found.design_effect
        yield from all_differ("icc", got, wanted, relative=1e-9, absolute=1e-9)
