"""What the figures show, as plain numbers and arrays; matplotlib is not needed.

Every function takes a study, an audit, a monitor or a comparison, or what stands in
``study.json``, ``audit.json``, ``monitor.json`` or ``compare.json``, and returns the arguments of
the display of the same name.
"""

from steadycut.show.figures.data.certificate import (
    SPLITS,
    audit_certificate_data,
    certificate_data,
    shift_data,
)
from steadycut.show.figures.data.choice import (
    candidates_data,
    costs_data,
    risk_curve_data,
    sites_data,
)
from steadycut.show.figures.data.content import (
    audit_dict,
    comparison_dict,
    monitor_dict,
    risk_unit,
    study_dict,
    trivial_risk,
)
from steadycut.show.figures.data.monitor import monitor_data
from steadycut.show.figures.data.performance import (
    comparison_data,
    decision_curve_data,
    scores_data,
)
from steadycut.show.figures.data.stability import (
    count_in_bins,
    flips_data,
    modulus_data,
    threshold_draws_data,
)

__all__ = [
    "SPLITS",
    "audit_certificate_data",
    "audit_dict",
    "candidates_data",
    "certificate_data",
    "comparison_data",
    "comparison_dict",
    "costs_data",
    "count_in_bins",
    "decision_curve_data",
    "flips_data",
    "modulus_data",
    "monitor_data",
    "monitor_dict",
    "risk_curve_data",
    "risk_unit",
    "scores_data",
    "shift_data",
    "sites_data",
    "study_dict",
    "threshold_draws_data",
    "trivial_risk",
]
