"""What is written about fitted risk strata: the study, and the frozen file."""

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.core.verdict import OVERALL, worst_answer
from steadycut.documents.guards import graded_fingerprint
from steadycut.documents.strata import (
    SCHEMA,
    BetweenPart,
    BoundaryPart,
    StrataDocument,
    StrataProvenance,
    StrataRoles,
    StrataRule,
    StrataStability,
    StrataStudyDocument,
)
from steadycut.documents.study import StudyRatePart, StudyVerdictPart
from steadycut.study.describe import steps_of
from steadycut.study.freeze import check_named, columns_of, versions
from steadycut.study.reference import span_of
from steadycut.study.strata.fitted import FittedStrata
from steadycut.study.strata.options import StrataOptions
from steadycut.study.useful import verdict_of_counts

USUAL = (0.05, 0.95)


def describe_strata(study: FittedStrata) -> StrataStudyDocument:
    """Return the study as numbers, texts and lists, without any patient."""
    options, recipe = study.options, study.patients.recipe
    sides = [StudyRatePart.of(one) for one in study.sides]
    members = study.counts.sum(axis=0)
    return StrataStudyDocument.of(
        options,
        study,
        recipe,
        thresholds=study.thresholds.tolist(),
        operating_values=operating_values(study),
        aggregation=steps_of(recipe),
        costs=options.costs.values.tolist(),
        boundaries=boundary_parts(study),
        counts=study.counts.tolist(),
        stability=stability_part(study),
        patients=role_counts(study),
        verdict=strata_verdict(study),
        sides=sides or None,
        between=BetweenPart.of_counts(members, options.delta) if sides else None,
    )


def strata_verdict(study: FittedStrata) -> StudyVerdictPart:
    """Return whether the strata are useful and, of two limits, whether both rates are shown."""
    found = verdict_of_counts(study.counts, study.certificate, study.options.costs)
    if not study.sides:
        return found
    asked = worst_answer(one.answer for one in study.sides)
    return found.model_copy(update={"as_asked": asked, "overall": OVERALL[asked]})


def freeze_strata(study: FittedStrata) -> StrataRule:
    """Return the boundaries to take to the next hospital."""
    described, recipe, scores = describe_strata(study), study.patients.recipe, study.patients.scores
    check_named(recipe)
    low, high = np.quantile(scores, USUAL, method="inverted_cdf").tolist()
    return StrataRule(
        StrataDocument.of(
            described,
            schema=SCHEMA,
            columns=columns_of(recipe),
            score_range=(float(scores.min()), float(scores.max())),
            usual_range=(low, high),
            instances_per_patient=span_of(study.patients.n_instances),
            bootstrap_thresholds=study.bootstrap_thresholds.tolist(),
            provenance=StrataProvenance.of(
                described,
                versions=versions(),
                data_sha256=graded_fingerprint(study.patients.fingerprint(), study.grades),
            ),
            units_per_patient=span_of(study.patients.n_units),
        )
    )


def operating_values(study: FittedStrata) -> list[float | None]:
    """Return, for each boundary, the lowest-risk score of a choosing patient who is above it."""
    sign = study.options.sign
    scores = sign * study.patients.scores[study.roles.select]
    found = []
    for threshold in study.draws.thresholds:
        above = scores[scores >= threshold]
        found.append(sign * float(above.min()) if above.size else None)
    return found


def boundary_parts(study: FittedStrata) -> list[BoundaryPart]:
    """Return one part per boundary: the costs of its errors for each grade, and both limits."""
    options, steps = study.options, study.options.costs.steps
    probabilities = options.costs.probabilities
    return [
        BoundaryPart.of(
            found,
            below=options.strata[k],
            above=options.strata[k + 1],
            threshold=float(study.thresholds[k]),
            miss_costs=_costs_of(options, steps[:, k]),
            alarm_costs=_costs_of(options, -steps[:, k]),
            probability=None if probabilities is None else float(probabilities[k]),
        )
        for k, found in enumerate(study.boundaries)
    ]


def _costs_of(options: StrataOptions, step: FloatArray) -> dict[str, float]:
    """Return the cost of the wrong side, for each grade for which this side is wrong."""
    found = zip(options.grades, step.tolist(), strict=True)
    return {grade: cost for grade, cost in found if cost > 0}


def stability_part(study: FittedStrata) -> StrataStability:
    """Return how far the boundaries move between replicates, and what that may cost."""
    options, radius = study.options, study.radius
    return StrataStability.of(
        study,
        options,
        bias=(options.sign * radius.bias + 0.0).tolist(),
        quantile=radius.quantile,
        radius=radius.radius.tolist(),
    )


def role_counts(study: FittedStrata) -> StrataRoles:
    """Return how many patients there are in each role and grade."""
    select, certify = (
        np.bincount(study.grades[index], minlength=len(study.options.grades)).tolist()
        for index in (study.roles.select, study.roles.certify)
    )
    return StrataRoles(total=study.patients.n_patients, select=select, certify=certify)
