"""A study of risk strata as plain nested data: what the command shows and the report reads."""

from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.study.describe import chain_summary

if TYPE_CHECKING:
    from steadycut.study.strata import StrataOptions, StrataStudy

SCHEMA = "steadycut.strata-study/1"


def strata_summary(study: "StrataStudy") -> dict[str, Any]:
    """Return the study as plain numbers, texts and lists, without any patient."""
    options, recipe = study.options, study.patients.recipe
    return {
        "schema": SCHEMA,
        "strata": list(options.strata),
        "grades": list(options.grades),
        "thresholds": study.thresholds.tolist(),
        "operating_values": operating_values(study),
        "direction": options.direction,
        "rule": options.rule,
        "score": recipe.score,
        "aggregation": chain_summary(recipe),
        "costs": options.costs.values.tolist(),
        "risk": study.risk,
        "certificate": study.certificate.to_dict(),
        "boundaries": boundary_rows(study),
        "counts": study.counts.tolist(),
        "stability": strata_stability(study),
        "patients": strata_counts(study),
        "options": strata_option_values(options),
    }


def operating_values(study: "StrataStudy") -> list[float | None]:
    """Return, for each boundary, the outermost score of a choosing patient who is above it."""
    sign = study.options.sign
    scores = sign * study.patients.scores[study.roles.select]
    found = []
    for threshold in study.draws.thresholds:
        above = scores[scores >= threshold]
        found.append(sign * float(above.min()) if above.size else None)
    return found


def boundary_rows(study: "StrataStudy") -> list[dict[str, Any]]:
    """Return one row a boundary: which grades belong where, what errors cost, both limits."""
    options, rows = study.options, []
    probabilities = options.costs.probabilities
    for k, found in enumerate(study.boundaries):
        step = options.costs.steps[:, k]
        rows.append(
            {
                "below": options.strata[k],
                "above": options.strata[k + 1],
                "threshold": float(study.thresholds[k]),
                "miss_costs": _costs_of(options, step),
                "alarm_costs": _costs_of(options, -step),
                "probability": None if probabilities is None else float(probabilities[k]),
                "miss": found.miss.to_dict(),
                "alarm": found.alarm.to_dict(),
                "delta": found.delta,
            }
        )
    return rows


def _costs_of(options: "StrataOptions", step: FloatArray) -> dict[str, float]:
    """Return what the wrong side costs each grade that has one."""
    found = zip(options.grades, step.tolist(), strict=True)
    return {grade: cost for grade, cost in found if cost > 0}


def strata_stability(study: "StrataStudy") -> dict[str, Any]:
    """Return how far the boundaries move together, and what that may cost."""
    sign, radius = study.options.sign, study.radius
    return {
        "bias": (sign * radius.bias + 0.0).tolist(),
        "quantile": radius.quantile,
        "radius": radius.radius.tolist(),
        "local_modulus": study.local_modulus,
        "modulus": study.modulus,
        "penalty": study.penalty,
        "smallest_risk": study.smallest_risk,
        "objective": study.objective,
        "flip_rate": study.flip_rate,
        "jump_rate": study.jump_rate,
        "n_bootstrap": study.options.n_bootstrap,
        "warnings": study.warnings,
    }


def strata_counts(study: "StrataStudy") -> dict[str, Any]:
    """Return how many patients there are in each role and grade."""
    n_grades = len(study.options.grades)
    counts = {
        name: np.bincount(study.grades[index], minlength=n_grades).tolist()
        for name, index in (("select", study.roles.select), ("certify", study.roles.certify))
    }
    return {"total": study.patients.n_patients, **counts}


def strata_option_values(options: "StrataOptions") -> dict[str, Any]:
    """Return the options that the numbers depend on."""
    return {
        "grid": options.grid,
        "certify_size": options.certify_size,
        "bound": options.bound,
        "delta": options.delta,
        "n_bootstrap": options.n_bootstrap,
        "seed": options.seed,
    }
