"""Whether new patients can be what a rule was made for: what is noticed is said, and recorded."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.core.records import PatientScores
from steadycut.ensemble import method_warnings
from steadycut.freeze import site_hash

if TYPE_CHECKING:
    from steadycut.frozen_file import InstancesPart
    from steadycut.rule_file import FrozenRule

OUTSIDE_SHARE = 0.05
INSTANCE_FACTOR = 3.0


def deployment_warnings(
    rule: "FrozenRule", patients: PatientScores, several: Sequence[PatientScores] = ()
) -> list[str]:
    """Return one line for each way in which the patients are unlike the rule's own.

    ``several`` holds what an ensemble was made of, the same patients once for each method.
    """
    checks = (score_range_warning, unit_warning, instance_warning, site_warning)
    found = [text for check in checks if (text := check(rule, patients))]
    return [*found, *(method_warnings(rule.ensemble, several) if several else [])]


def score_range_warning(rule: "FrozenRule", patients: PatientScores) -> str | None:
    """Notice scores outside the range that the rule has seen."""
    return range_unlike(rule.document.score_range, patients.scores)


def range_unlike(score_range: tuple[float, float], scores: FloatArray) -> str | None:
    """Notice many scores outside a range."""
    low, high = score_range
    share = float(np.mean((scores < low) | (scores > high)))
    if share <= OUTSIDE_SHARE:
        return None
    return (
        f"score range: {share:.0%} of the patients have scores outside the rule's own range "
        f"{low:g} to {high:g}."
    )


def unit_warning(rule: "FrozenRule", patients: PatientScores) -> str | None:
    """Notice a typical score that hardly occurred where the rule was made, as in another unit."""
    reference = rule.document.reference
    known = [q for q in (reference.quantiles_positive, reference.quantiles_negative) if q]
    # Between the 5 % and the 95 % quantile of either class.
    usual = min(q[5] for q in known), max(q[-6] for q in known)
    return unit_unlike(usual, patients.scores)


def unit_unlike(usual: tuple[float, float], scores: FloatArray) -> str | None:
    """Notice a median score outside the range of most scores."""
    low, high = usual
    middle = float(np.median(scores))
    if low <= middle <= high:
        return None
    return (
        f"unit: the median score is {middle:g}; where the rule was made most scores lie between "
        f"{low:g} and {high:g}. Is it the same unit and the same scorer?"
    )


def instance_warning(rule: "FrozenRule", patients: PatientScores) -> str | None:
    """Notice another number of instances a patient, which moves a maximum or a quantile."""
    return instances_unlike(rule.document.reference.instances_per_patient, patients)


def instances_unlike(expected: "InstancesPart | None", patients: PatientScores) -> str | None:
    """Notice a median number of instances that is far from the expected one."""
    if expected is None or patients.n_instances is None:
        return None
    typical = float(np.median(patients.n_instances))
    if typical / INSTANCE_FACTOR <= expected.median <= typical * INSTANCE_FACTOR:
        return None
    return (
        f"instances: a patient has {typical:g} instances here (median), "
        f"{expected.median:g} where the rule was made."
    )


def site_warning(rule: "FrozenRule", patients: PatientScores) -> str | None:
    """Notice a site where the rule was made: its patients are no new ones."""
    here = [] if patients.sites is None else np.unique(patients.sites).tolist()
    again = [name for name in here if site_hash(name) in rule.document.provenance.sites]
    if not again:
        return None
    return (
        f"site: the rule was made at {', '.join(map(repr, again))}, and patients of that name are "
        "here again. Those who made the rule make it look better than it is; leave them out."
    )
