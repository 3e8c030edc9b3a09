"""Chains of aggregators on plain arrays, as the engines apply them part by part."""

import numpy as np

from steadycut.core.aggregate.aggregators import nest, parse_aggregator, sort_segments


def aggregate_chain(patients, levels, values, chain):
    """Return one score per patient, and the number of rows of each patient.

    ``levels`` are the codes of each row in each level, innermost first. ``chain`` has one
    aggregator per level, and one over the patient.
    """
    *inner, last = [parse_aggregator(how) for how in chain]
    *steps, whose = nest(patients, levels)
    for groups, aggregator in zip(steps, inner, strict=True):
        values = aggregator(sort_segments(groups, values))
    return last(sort_segments(whose, values)), np.bincount(patients)
