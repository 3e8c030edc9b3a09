"""What a rule file keeps of its patients for a later audit: counts and quantiles."""

from collections.abc import Iterable

import numpy as np

from steadycut.core.asked_rates import CertifiedRate
from steadycut.core.checks import IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import PatientScores
from steadycut.core.shift.label_shift import bins_of
from steadycut.documents.parts import CertifiedRatePart, InstancesPart
from steadycut.documents.rule import Reference
from steadycut.study.curves import quantiles


def span_of(counts: IntArray | None) -> InstancesPart | None:
    """Return how many instances or units per patient there are; None where that is not known."""
    if counts is None:
        return None
    return InstancesPart(
        smallest=int(counts.min()), median=float(np.median(counts)), largest=int(counts.max())
    )


def reference_of(
    counts: Confusion, patients: PatientScores, n_instances: IntArray | None
) -> Reference:
    """Return what an audit needs of the patients who certify."""
    return Reference.of(
        counts,
        quantiles_positive=quantiles(patients.positive_scores),
        quantiles_negative=quantiles(patients.negative_scores),
        bins=bins_of(patients),
        instances_per_patient=span_of(n_instances),
    )


def rate_parts(rates: Iterable[CertifiedRate]) -> list[CertifiedRatePart] | None:
    """Return certified rates as a rule file holds them; None without any."""
    return [CertifiedRatePart.of(one) for one in rates] or None
