"""How the cut-off of a study was chosen: risk curve, candidates, sites, other costs."""

from typing import TYPE_CHECKING, Any

from steadycut.errors import BadPatients
from steadycut.show.figures.data.content import (
    MOST_ROWS,
    array,
    chain_name,
    risk_unit,
    study_dict,
    trivial_risk,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steadycut.study.fit import Study


def risk_curve_data(study: "Study | Mapping[str, Any]") -> dict[str, Any]:
    """Return the risk of the choosing patients along the cut-off, and where the cut-offs are.

    ``trivial_risk`` is that of the better of two rules without a score, call nobody or call
    everybody, among the same patients, or at the target prevalence. ``rivals`` are what other
    rules choose: name, cut-off, risk.
    """
    content = study_dict(study)
    curve, costs, patients = content["curve"], content["costs"], content["patients"]
    trivial = trivial_risk(patients["select_positive"] / patients["select"], costs)
    if content["target_prevalence"] is not None:
        trivial = content["certificate"]["trivial_risk"]
    return {
        "thresholds": array(curve["thresholds"]),
        "risk": array(curve["risk"]),
        "standard_error": array(curve["standard_error"]),
        "threshold": float(content["threshold"]),
        "risk_at_threshold": float(content["risk"]),
        "trivial_risk": trivial,
        "rivals": [(one["rule"], one["threshold"], one["risk"]) for one in content["rivals"]],
        "direction": content["direction"],
        "score": content["score"],
        "unit": risk_unit(costs),
    }


def candidates_data(study: "Study | Mapping[str, Any]") -> dict[str, Any]:
    """Return the candidates by their smallest risk; of very many only the first, and the chosen."""
    content = study_dict(study)
    rows = sorted(content["candidates"], key=lambda row: row["smallest_risk"])
    if len(rows) == 1:
        msg = "a study of one candidate has none to compare; name several scores or aggregators."
        raise BadPatients(msg)
    several = len({row["score"] for row in rows}) > 1
    shown = [row for i, row in enumerate(rows) if i < MOST_ROWS - 1 or row["chosen"]]
    return {
        "names": [chain_name(row, with_score=several) for row in shown],
        "smallest_risk": array([row["smallest_risk"] for row in shown]),
        "risk": array([row["risk"] for row in shown]),
        "objective": array([row["objective"] for row in shown]),
        "chosen": next((i for i, row in enumerate(shown) if row["chosen"]), None),
        "n_left_out": len(rows) - len(shown),
        "unit": risk_unit(content["costs"]),
    }


def sites_data(study: "Study | Mapping[str, Any]") -> dict[str, Any]:
    """Return what each site would have chosen alone, by size; of very many only the largest.

    The cut-off of a site without both classes is NaN.
    """
    content = study_dict(study)
    if content["sites"] is None:
        msg = "a study of one site has no cut-offs by site to show; name a site column."
        raise BadPatients(msg)
    rows = sorted(content["sites"]["rows"], key=lambda row: -row["select"])
    return {
        "names": [f"{row['site']} ({row['select']})" for row in rows[:MOST_ROWS]],
        "thresholds": array([row["threshold"] for row in rows[:MOST_ROWS]]),
        "threshold": float(content["threshold"]),
        "radius": float(content["stability"]["radius"]),
        "n_left_out": len(rows[MOST_ROWS:]),
        "score": content["score"],
    }


def costs_data(study: "Study | Mapping[str, Any]") -> dict[str, Any]:
    """Return the cut-off and the risk of the certifying patients as the ratio of costs moves."""
    content = study_dict(study)
    curve, costs = content["cost_curve"], content["costs"]
    if curve is None:
        msg = "an ensemble has no cut-offs at other costs to show; fit it at those costs."
        raise BadPatients(msg)
    return {
        "ratios": array(curve["ratio"]),
        "thresholds": array(curve["threshold"]),
        "risk": array(curve["risk"]),
        "frozen_risk": array(curve["frozen_risk"]),
        "trivial_risk": array(curve["trivial_risk"]),
        "ratio": costs["cost_fn"] / costs["cost_fp"],
        "threshold": float(content["threshold"]),
        "total_cost": costs["cost_fn"] + costs["cost_fp"],
    }
