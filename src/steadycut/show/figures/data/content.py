"""The content of the JSON files, from the objects or the files, and what all figures say of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.errors import BadOption

if TYPE_CHECKING:
    from steadycut.study.fit import Study

STUDY_SCHEMA = "steadycut.study/1"
AUDIT_SCHEMA = "steadycut.audit/1"
MONITOR_SCHEMA = "steadycut.monitor/1"
COMPARISON_SCHEMA = "steadycut.compare/1"
# More rows than this make no figure; the rest is in the tables.
MOST_ROWS = 25


def study_dict(study: "Study | Mapping[str, Any]") -> Mapping[str, Any]:
    """Return the content of ``study.json``."""
    return content_of(study, "a study", STUDY_SCHEMA)


def audit_dict(audit: Any) -> Mapping[str, Any]:
    """Return the content of ``audit.json``."""
    return content_of(audit, "an audit", AUDIT_SCHEMA)


def study_or_audit_dict(result: Any) -> Mapping[str, Any]:
    """Return the content of ``study.json`` or ``audit.json``."""
    return content_of(result, "a study or an audit", STUDY_SCHEMA, AUDIT_SCHEMA)


def monitor_dict(monitor: Any) -> Mapping[str, Any]:
    """Return the content of ``monitor.json``."""
    return content_of(monitor, "a monitor", MONITOR_SCHEMA)


def comparison_dict(comparison: Any) -> Mapping[str, Any]:
    """Return the content of ``compare.json``."""
    return content_of(comparison, "a comparison", COMPARISON_SCHEMA)


def content_of(result: Any, kind: str, *schemas: str) -> Mapping[str, Any]:
    """Return the content, if it has one of these schemas."""
    content = result if isinstance(result, Mapping) else result.to_dict()
    if content.get("schema") not in schemas:
        allowed = " or ".join(repr(schema) for schema in schemas)
        msg = f"{kind} has the schema {allowed}; got {content.get('schema')!r}."
        raise BadOption(msg)
    return content


def sign_of(content: Mapping[str, Any]) -> float:
    """Return -1 where low scores are called."""
    return 1.0 if content["direction"] == "ge" else -1.0


def trivial_risk(prevalence: float, costs: Mapping[str, float]) -> float:
    """Return the risk of the better of two rules without a score: call nobody, or everybody."""
    return min(costs["cost_fn"] * prevalence, costs["cost_fp"] * (1 - prevalence))


def risk_unit(costs: Mapping[str, float]) -> str:
    """Say what a risk is: with both costs 1 it is a share of patients."""
    if costs["cost_fn"] == costs["cost_fp"] == 1:
        return "share of patients decided wrongly"
    return "average cost per patient"


def chain_name(row: Mapping[str, Any], *, with_score: bool) -> str:
    """Return how a score is aggregated, as in ``tumour: slide max, patient mean``."""
    chain = ", ".join(f"{step['level']} {step['how']}" for step in row["aggregation"])
    return f"{row['score']}: {chain}" if with_score else chain


def array(values: Any) -> FloatArray:
    """Return numbers that cannot be written; NaN for None."""
    found = np.array(values, dtype=np.float64)
    found.flags.writeable = False
    return found
