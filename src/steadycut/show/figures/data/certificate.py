"""What was observed, what is added to it, and what is certified, term by term."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import check_choice
from steadycut.errors import BadPatients
from steadycut.show.figures.data.content import (
    array,
    audit_dict,
    risk_unit,
    study_dict,
    trivial_risk,
)

if TYPE_CHECKING:
    from steadycut.study.fit import Study

# What a bar of the waterfall is.
OBSERVED, ADDED, BOUND = "observed", "added", "bound"
# The parts of a change of risk: key in the JSON, words in the figure.
SHIFT_PARTS = {
    "prevalence": "shift, prevalence",
    "shape_positive": "shift, positives",
    "shape_negative": "shift, negatives",
}
SPLITS = ("signed", "shapley")

Bar = tuple[str, str, float]


def certificate_data(study: "Study | Mapping[str, Any]") -> dict[str, Any]:
    """Return the certificate of a study, term by term."""
    content = study_dict(study)
    bars = _certified(content["certificate"])
    return _waterfall(bars, content["certificate"]["trivial_risk"], content["costs"])


def audit_certificate_data(audit: Any) -> dict[str, Any]:
    """Return the way from the certificate at P to (Base) and (Augmented), and the bounds at Q.

    Without labels at Q only the certificate is there. A shape part that is not known has width 0.
    At a target prevalence all of it is at the patients' own, as the paper's bounds are.
    """
    content = audit_dict(audit)
    certificate, costs = content["certificate"], content["costs"]
    if not content["labelled"]:
        return _waterfall(_certified(certificate), certificate["trivial_risk"], costs)
    seen, bound, before = (
        content[name] for name in ("risk_external", "bound_external", "risk_internal")
    )
    certified = content["base"] - content["shift"]["total"]
    bars = [
        ("observed, first hospital", OBSERVED, before),
        ("generalisation", ADDED, certified - before),
        ("certified, first hospital", BOUND, certified),
        *((words, ADDED, content["shift"][key] or 0) for key, words in SHIFT_PARTS.items()),
        ("Base", BOUND, content["base"]),
        ("instability penalty", ADDED, content["augmented"] - content["base"]),
        ("Augmented", BOUND, content["augmented"]),
        ("observed here", OBSERVED, seen),
        ("generalisation here", ADDED, bound - seen),
        ("direct bound here", BOUND, bound),
        ("Base that holds", BOUND, content["base_valid"]),
    ]
    trivial = trivial_risk(content["operating_point"]["prevalence"], costs)
    return _waterfall(bars, trivial, costs, {"observed here": content["risk_external_se"]})


def shift_data(audit: Any, split: str = "signed") -> dict[str, Any]:
    """Return the parts of R_Q - R_P with their intervals; NaN where a part is not known.

    ``split`` is ``"signed"``, the paper's order of insertion, or ``"shapley"``, the mean of both.
    """
    check_choice("split", split, SPLITS)
    content = audit_dict(audit)
    if not content["labelled"]:
        msg = "an audit without labels has no shift to show; audit patients with labels."
        raise BadPatients(msg)
    shift = content["shift"]
    parts = [shift[split][key] for key in SHIFT_PARTS]
    return {
        "risk_internal": float(content["risk_internal"]),
        "risk_external": float(content["risk_external"]),
        "parts": array(parts),
        "intervals": array([shift["intervals"][split][key] for key in SHIFT_PARTS]),
        "total_interval": array(shift["intervals"][split]["total"]),
        "confidence": 1 - content["delta"],
        "unit": risk_unit(content["costs"]),
    }


def _certified(certificate: Mapping[str, Any]) -> list[Bar]:
    return [
        ("observed", OBSERVED, certificate["risk"]),
        ("generalisation", ADDED, certificate["generalization"]),
        ("certified", BOUND, certificate["value"]),
    ]


def _waterfall(
    bars: list[Bar],
    trivial: float,
    costs: Mapping[str, float],
    errors: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    starts, level = [], 0.0
    for _, kind, width in bars:
        starts.append(level if kind == ADDED else 0.0)
        level = starts[-1] + width
    names, kinds, widths = zip(*bars, strict=True)
    return {
        "names": list(names),
        "kinds": list(kinds),
        "starts": array(starts),
        "widths": array(widths),
        "errors": array([(errors or {}).get(name, np.nan) for name in names]),
        "trivial_risk": float(trivial),
        "unit": risk_unit(costs),
    }
