"""How far the cut-off moves and what that costs: draws, modulus, flips."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.core.diagnose import flip_probability
from steadycut.show.figures.data.content import (
    AUDIT_SCHEMA,
    array,
    risk_unit,
    sign_of,
    study_dict,
    study_or_audit_dict,
)
from steadycut.study.explorer import GREY_ZONE

if TYPE_CHECKING:
    from steadycut.study.fit import Study

BINS = 30
# Warnings that the histogram of the draws shows.
NOTED = ("multi-modal", "flat")


def threshold_draws_data(study: "Study | Mapping[str, Any]") -> dict[str, Any]:
    """Return the bootstrap cut-offs, counted in bins, with the cut-off and its radius.

    ``note`` is the warning that their distribution has several modes, or is flat; empty if not.
    """
    content = study_dict(study)
    draws, stability = array(content["bootstrap_thresholds"]), content["stability"]
    counts, edges = count_in_bins(draws, float(stability["radius"]))
    notes = [text.partition(";")[0] for text in stability["warnings"] if text.startswith(NOTED)]
    return {
        "draws": draws,
        "counts": counts,
        "edges": edges,
        "threshold": float(content["threshold"]),
        "radius": float(stability["radius"]),
        "note": notes[0] if notes else "",
        "score": content["score"],
    }


def count_in_bins(draws: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
    """Count draws in equal bins; draws that are all the same get one bin as wide as the radius."""
    low, high = float(draws.min()), float(draws.max())
    bins = BINS
    # A span that floats cannot divide counts as no span.
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        half = max(radius, 0.01 * abs(low)) / 2 or 0.5
        low, high, bins = low - half, high + half, 1
    counts, edges = np.histogram(draws, bins=bins, range=(low, high))
    return array(counts), array(edges)


def modulus_data(study: "Study | Mapping[str, Any]") -> dict[str, Any]:
    """Return the modulus and its bands by the width of the window, and what the radius costs.

    ``multiscale`` is NaN at a target prevalence, where that band does not hold.
    """
    content = study_dict(study)
    curve, stability, costs = content["modulus_curve"], content["stability"], content["costs"]
    missing = [math.nan] * len(curve["widths"])
    return {
        "widths": array(curve["widths"]),
        "empirical": array(curve["empirical"]),
        "multiscale": array(curve["multiscale"] or missing),
        "dkw": array(curve["dkw"]),
        "radius": float(stability["radius"]),
        "modulus": float(stability["modulus"]),
        "penalty": float(stability["penalty"]),
        "largest_cost": float(max(costs.values())),
        "score": content["score"],
        "unit": risk_unit(costs),
    }


def flips_data(result: Any) -> dict[str, Any]:
    """Return the flip probability as a function of the score, and who is in the grey zone.

    The function is constant between the scores given and jumps at them. ``n_grey`` is None where
    it was not counted: no patient of a class certifies.
    """
    content = study_or_audit_dict(result)
    sign, threshold = sign_of(content), float(content["threshold"])
    draws = sign * np.array(content["bootstrap_thresholds"])
    inside = np.unique([*draws, sign * threshold])
    margin = 0.15 * (inside[-1] - inside[0]) or 0.01 * abs(threshold) or 0.5
    scores = np.array([inside[0] - margin, *inside, inside[-1] + margin])
    flips = flip_probability(scores, sign * threshold, draws)
    order = slice(None) if sign > 0 else slice(None, None, -1)
    n_grey, n_patients = _counts(content)
    return {
        "scores": array((sign * scores)[order]),
        "flips": array(flips[order]),
        "grey": array(np.sort(sign * grey_ends(scores, flips, sign * threshold))),
        "grey_at_least": GREY_ZONE,
        "n_grey": n_grey,
        "n_patients": n_patients,
        "threshold": threshold,
        "direction": content["direction"],
        "score": content["score"],
    }


def grey_ends(scores: FloatArray, flips: FloatArray, threshold: float) -> FloatArray:
    """Return between which scores at least `GREY_ZONE` of the resampled studies decide otherwise.

    ``flips`` holds from each score up to the next. Both ends are the threshold if none does.

    Examples
    --------
    >>> grey_ends(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 0.2, 0.1, 0.0]), 2.0)
    array([1., 3.])
    """
    # Rounded, because 1 - 0.9 is a little less than 0.1.
    grey = np.flatnonzero(flips.round(9) >= GREY_ZONE)
    return np.array([scores[grey[0]], scores[grey[-1] + 1]] if grey.size else [threshold] * 2)


def _counts(content: Mapping[str, Any]) -> tuple[int | None, int]:
    if content["schema"] == AUDIT_SCHEMA:
        return content["grey_zone"]["patients"], content["n_patients"]
    part, n_patients = content["explorer"], content["patients"]["certify"]
    if part is None:
        return None, n_patients
    return part["grey_positive"][part["frozen"]] + part["grey_negative"][part["frozen"]], n_patients
