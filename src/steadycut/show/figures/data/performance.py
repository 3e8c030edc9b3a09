"""What the cut-off does to patients: scores by class, net benefit, the rules at two hospitals."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.errors import BadPatients
from steadycut.show.figures.data.content import (
    MOST_ROWS,
    array,
    comparison_dict,
    risk_unit,
    study_or_audit_dict,
)

# Threshold probabilities of a decision curve.
PROBABILITIES = np.arange(1, 100) / 100


def scores_data(result: Any) -> dict[str, Any]:
    """Return, by class, the share of patients who are called if the cut-off is at a score.

    ``curves`` has one entry a class and hospital: which class (``"positive"``, ``"negative"``, or
    ``"all"`` where labels are not known), where (``"internal"``: the patients who certified, or
    ``"external"``), the scores, and the shares to one percent.
    """
    content = study_or_audit_dict(result)
    places = {"internal": content.get("scores_internal", content["scores"])}
    if "scores_internal" in content:
        places["external"] = content["scores"]
    return {
        "curves": [
            (name, place, *called_shares(values, content["direction"]))
            for place, classes in places.items()
            for name, values in classes.items()
            if values
        ],
        "threshold": float(content["threshold"]),
        "direction": content["direction"],
        "score": content["score"],
    }


def called_shares(quantiles: Sequence[float], direction: str) -> tuple[FloatArray, FloatArray]:
    """Return the distinct quantiles, and the share that is called with the cut-off at each.

    Examples
    --------
    >>> scores, shares = called_shares([1.0, 1.0, 1.0, 2.0, 5.0], "ge")
    >>> scores.tolist(), shares.tolist()
    ([1.0, 2.0, 5.0], [1.0, 0.5, 0.25])
    """
    values = np.array(quantiles)
    steps = max(values.size - 1, 1)
    scores = np.unique(values)
    if direction == "le":
        return array(scores), array((np.searchsorted(values, scores, side="right") - 1) / steps)
    # At least k - 1 of 100 lie below the k-th quantile if it is above the one before.
    below = np.maximum(np.searchsorted(values, scores, side="left") - 1, 0)
    return array(scores), array(1 - below / steps)


def decision_curve_data(result: Any) -> dict[str, Any]:
    """Return net benefit by threshold probability: of the cut-off, of everybody, of the best cut.

    The best cut at each probability is known in hindsight only: no rule has its net benefit.
    Standard errors are those at the given prevalence.
    """
    content = study_or_audit_dict(result)
    part, costs = content.get("explorer"), content["costs"]
    if part is None:
        msg = "net benefit needs labelled patients of both classes; here are none of one."
        raise BadPatients(msg)
    frozen = part["frozen"]
    prevalence, weights = part["prevalence"], PROBABILITIES / (1 - PROBABILITIES)
    hits = 1 - np.array(part["missed"]) / part["n_positive"]
    alarms = np.array(part["alarms"]) / part["n_negative"]
    benefit = prevalence * hits[:, None] - (1 - prevalence) * alarms[:, None] * weights
    return {
        "probabilities": array(PROBABILITIES),
        "net_benefit": array(benefit[frozen]),
        "standard_error": array(_benefit_error(part, hits[frozen], alarms[frozen], weights)),
        "best": array(benefit.max(axis=0)),
        "everybody": array(prevalence - (1 - prevalence) * weights),
        "probability": costs["cost_fp"] / (costs["cost_fn"] + costs["cost_fp"]),
        "prevalence": float(prevalence),
    }


def _benefit_error(
    part: Mapping[str, Any], hit: float, alarm: float, weights: FloatArray
) -> FloatArray:
    gained = part["prevalence"] ** 2 * hit * (1 - hit) / part["n_positive"]
    lost = ((1 - part["prevalence"]) * weights) ** 2 * alarm * (1 - alarm) / part["n_negative"]
    return np.sqrt(gained + lost)


def comparison_data(comparison: Any) -> dict[str, Any]:
    """Return the risk of every rule where it was chosen and at the other hospital."""
    content = comparison_dict(comparison)
    rows = content["rows"][:MOST_ROWS]
    columns = (
        "risk_validation",
        "risk_validation_se",
        "risk_external",
        "risk_external_se",
        "best_external",
    )
    return {
        "names": [row["name"] for row in rows],
        **{name: array([row[name] for row in rows]) for name in columns},
        "trivial_external": float(content["trivial_external"]),
        "unit": risk_unit(content["costs"]),
    }
