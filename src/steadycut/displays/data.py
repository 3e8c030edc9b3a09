"""What the figures show, as plain numbers and arrays.

Every function takes a study or an audit, or what stands in ``study.json`` or ``audit.json``, and
returns the arguments of the display of the same name.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray, check_choice
from steadycut.errors import BadOption, BadPatients

if TYPE_CHECKING:
    from steadycut.study import Study

STUDY_SCHEMA = "steadycut.study/1"
AUDIT_SCHEMA = "steadycut.audit/1"

BINS = 30

# The parts of a certificate and of a change of risk: key in the JSON, words in the figure.
CERTIFICATE_PARTS = {"risk": "observed risk", "generalization": "generalisation"}
SHIFT_PARTS = {
    "prevalence": "shift, prevalence",
    "shape_positive": "shift, positives",
    "shape_negative": "shift, negatives",
}
SPLITS = ("signed", "shapley")


def study_dict(study: "Study | Mapping[str, Any]") -> Mapping[str, Any]:
    """Return the content of ``study.json``."""
    return _plain(study, STUDY_SCHEMA, "a study")


def audit_dict(audit: Any) -> Mapping[str, Any]:
    """Return the content of ``audit.json``."""
    return _plain(audit, AUDIT_SCHEMA, "an audit")


def risk_curve_data(study: "Study | Mapping[str, Any]") -> dict[str, Any]:
    """Return the risk of the choosing patients along the cut-off, and where the cut-off is.

    ``trivial_risk`` is that of the better of two rules without a score, call nobody or call
    everybody, among the same patients.
    """
    content = study_dict(study)
    curve, costs, patients = content["curve"], content["costs"], content["patients"]
    positive = patients["select_positive"]
    negative = patients["select"] - positive
    nobody, everybody = costs["cost_fn"] * positive, costs["cost_fp"] * negative
    return {
        "thresholds": _array(curve["thresholds"]),
        "risk": _array(curve["risk"]),
        "standard_error": _array(curve["standard_error"]),
        "threshold": float(content["threshold"]),
        "risk_at_threshold": float(content["risk"]),
        "trivial_risk": min(nobody, everybody) / patients["select"],
        "direction": content["direction"],
        "score": content["score"],
        "unit": risk_unit(costs),
    }


def threshold_draws_data(study: "Study | Mapping[str, Any]") -> dict[str, Any]:
    """Return the bootstrap cut-offs, counted in bins, with the cut-off and its radius."""
    content = study_dict(study)
    draws = _array(content["bootstrap_thresholds"])
    threshold, radius = float(content["threshold"]), float(content["stability"]["radius"])
    counts, edges = count_in_bins(draws, radius)
    return {
        "draws": draws,
        "counts": counts,
        "edges": edges,
        "threshold": threshold,
        "radius": radius,
        "score": content["score"],
    }


def certificate_data(study: "Study | Mapping[str, Any]") -> dict[str, Any]:
    """Return the certificate of a study, term by term: one row."""
    content = study_dict(study)
    certificate = content["certificate"]
    return {
        "rows": ["certified risk"],
        "parts": list(CERTIFICATE_PARTS.values()),
        "widths": _array([[certificate[key] for key in CERTIFICATE_PARTS]]),
        "errors": _array([np.nan]),
        "trivial_risk": _array([certificate["trivial_risk"]]),
        "unit": risk_unit(content["costs"]),
    }


def audit_certificate_data(audit: Any) -> dict[str, Any]:
    """Return the certificate at P, its extension to Q (Base), the risk at Q and its direct bound.

    Without labels at Q only the first row is there. A shape part that is not known has width 0.
    """
    content = audit_dict(audit)
    certificate, costs = content["certificate"], content["costs"]
    parts = {**CERTIFICATE_PARTS, **SHIFT_PARTS}
    base = [certificate[key] for key in CERTIFICATE_PARTS]
    rows = [("certified at\nfirst hospital", [*base, 0, 0, 0], np.nan, certificate["trivial_risk"])]
    if content["labelled"]:
        trivial = trivial_risk(content["operating_point"]["prevalence"], costs)
        moved = [content["shift"][key] or 0 for key in SHIFT_PARTS]
        seen, bound = content["risk_external"], content["bound_external"]
        rows += [
            ("base: the same\nplus shift", [*base, *moved], np.nan, trivial),
            ("observed here", [seen, 0, 0, 0, 0], content["risk_external_se"], trivial),
            ("bound here", [seen, bound - seen, 0, 0, 0], np.nan, trivial),
        ]
    labels, widths, errors, trivials = zip(*rows, strict=True)
    used = [True] * 2 + [bool(content["labelled"])] * 3
    return {
        "rows": list(labels),
        "parts": [part for part, keep in zip(parts.values(), used, strict=True) if keep],
        "widths": _array(widths)[:, used],
        "errors": _array(errors),
        "trivial_risk": _array(trivials),
        "unit": risk_unit(costs),
    }


def shift_data(audit: Any, split: str = "signed") -> dict[str, Any]:
    """Return the parts of R_Q - R_P; NaN where a part is not known.

    ``split`` is ``"signed"``, the paper's order of insertion, or ``"shapley"``, the mean of both.
    """
    check_choice("split", split, SPLITS)
    content = audit_dict(audit)
    if not content["labelled"]:
        msg = "an audit without labels has no shift to show; audit patients with labels."
        raise BadPatients(msg)
    parts = [content["shift"][split][key] for key in SHIFT_PARTS]
    return {
        "risk_internal": float(content["risk_internal"]),
        "risk_external": float(content["risk_external"]),
        "parts": _array([np.nan if part is None else part for part in parts]),
        "unit": risk_unit(content["costs"]),
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
    return _array(counts), _array(edges)


def trivial_risk(prevalence: float, costs: Mapping[str, float]) -> float:
    """Return the risk of the better of two rules without a score: call nobody, or everybody."""
    return min(costs["cost_fn"] * prevalence, costs["cost_fp"] * (1 - prevalence))


def risk_unit(costs: Mapping[str, float]) -> str:
    """Say what a risk is: with both costs 1 it is a share of patients."""
    if costs["cost_fn"] == costs["cost_fp"] == 1:
        return "share of patients decided wrongly"
    return "average cost per patient"


def _plain(result: Any, schema: str, kind: str) -> Mapping[str, Any]:
    content = result if isinstance(result, Mapping) else result.to_dict()
    if content.get("schema") != schema:
        msg = f"{kind} has the schema {schema!r}; got {content.get('schema')!r}."
        raise BadOption(msg)
    return content


def _array(values: Any) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array
