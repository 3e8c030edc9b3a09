"""A study as plain nested data: the content of ``study.json``."""

from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.checks import FloatArray
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.left_cdf import count_below
from steadycut.core.cuts.risk_curve import risk_curve
from steadycut.core.records import PatientScores, Recipe
from steadycut.core.select import Candidate
from steadycut.core.shift.tipping import tipping_point
from steadycut.core.sites import SiteCut, cuts_by_site
from steadycut.study.criterion import criterion_summary
from steadycut.study.curves import class_quantiles, cost_curve, modulus_curve, rival_cuts
from steadycut.study.explorer import study_explorer
from steadycut.study.operating_point import CONFIDENCE, cut_summary, study_cut_interval, study_point

if TYPE_CHECKING:
    from steadycut.study.fit import Study

SCHEMA = "steadycut.study/1"
CURVE_POINTS = 201


def study_summary(study: "Study", confidence: float = CONFIDENCE) -> dict[str, Any]:
    """Return the study as plain numbers, texts and lists, without any patient.

    ``confidence`` is that of the intervals of the operating point and of the cut-off.
    """
    options, search, chosen = study.options, study.options.search, study.chosen
    return {
        "schema": SCHEMA,
        "threshold": study.threshold,
        "operating_value": study.operating_value,
        "direction": options.direction,
        "rule": search.rule,
        "score": chosen.recipe.score,
        "aggregation": chain_summary(chosen.recipe),
        "ensemble": ensemble_summary(study),
        "costs": {"cost_fn": search.costs.cost_fn, "cost_fp": search.costs.cost_fp},
        "target_prevalence": search.costs.target and list(search.costs.target),
        "risk": chosen.risk,
        "criterion": criterion_summary(study),
        "certificate": study.certificate.to_dict(),
        "threshold_interval": cut_summary(study_cut_interval(study, confidence), confidence),
        "operating_point": study_point(study, confidence).to_dict(),
        "stability": stability_summary(study),
        "tipping_point": tipping_summary(study),
        "candidates": [candidate_row(one, chosen, options.sign) for one in study.candidates],
        "sites": sites_summary(study),
        "curve": curve_summary(study),
        "rivals": rival_cuts(study),
        "modulus_curve": modulus_curve(study),
        "cost_curve": cost_curve(study),
        "scores": class_quantiles(study.certify_patients),
        "explorer": study_explorer(study),
        "bootstrap_thresholds": study.bootstrap_thresholds.tolist(),
        "patients": role_counts(study),
        "options": options_summary(study),
    }


def tipping_summary(study: "Study") -> dict[str, Any]:
    """Return how much must change at another hospital before the certified risk is exceeded."""
    certificate = study.certificate
    point = tipping_point(
        study.counts,
        study.options.search.costs.plain,
        certificate.value,
        certificate.delta,
        honesty=certificate.honesty,
        n_candidates=study.n_candidates,
    )
    return point.to_dict()


def sites_summary(study: "Study") -> dict[str, Any] | None:
    """Return what each internal site would have chosen alone; None with fewer than two sites.

    Certificates by site need patients who did not choose: there are none in ``uniform``.
    """
    options, search = study.options, study.options.search
    select, certify = (
        patients.oriented(options.direction)
        for patients in (study.select_patients, study.certify_patients)
    )
    found = cuts_by_site(
        select,
        certify,
        study.chosen.threshold,
        search.chooser,
        search.costs,
        grid=search.grid,
        delta=search.delta,
    )
    if not found:
        return None
    known = [one for one in found if one.threshold is not None]
    return {
        "rows": [site_row(one, options.sign, options.honesty) for one in found],
        "threshold_range": span([options.sign * (one.threshold or 0.0) for one in known]),
        "quantile_range": span([one.quantile or 0.0 for one in known]),
    }


def site_row(one: SiteCut, sign: float, honesty: str) -> dict[str, Any]:
    """Return one site: its own cut on the score and the quantile scale, and its certificate."""
    certificate = one.certificate if honesty == "split" else None
    return {
        "site": one.site,
        "select": one.n_select,
        "certify": one.n_certify,
        "threshold": None if one.threshold is None else sign * one.threshold + 0.0,
        "quantile": one.quantile,
        "certificate": None if certificate is None else certificate.to_dict(),
    }


def span(values: list[float]) -> list[float] | None:
    """Return the smallest and the largest value."""
    return [min(values), max(values)] if values else None


def stability_summary(study: "Study") -> dict[str, Any]:
    """Return how far the threshold may move, and what that may cost."""
    chosen, search = study.chosen, study.options.search
    return {
        "radius": chosen.radius.radius,
        "bias": study.options.sign * chosen.radius.bias,
        "quantile": chosen.radius.quantile,
        "modulus": chosen.modulus,
        "penalty": chosen.penalty,
        "flip_rate": study.flip_rate,
        "n_bootstrap": search.n_bootstrap,
        "centering": search.centering,
        "form": search.form,
        "band": search.band,
        "warnings": study.warnings,
    }


def candidate_row(candidate: Candidate, chosen: Candidate, sign: float) -> dict[str, Any]:
    """Return one row of the table that Algorithm 1 chose from."""
    return {
        "score": candidate.recipe.score,
        "aggregation": chain_summary(candidate.recipe),
        "threshold": sign * candidate.threshold,
        "risk": candidate.risk,
        "smallest_risk": candidate.smallest_risk,
        "radius": candidate.radius.radius,
        "modulus": candidate.modulus,
        "penalty": candidate.penalty,
        "objective": candidate.objective,
        "chosen": candidate is chosen,
    }


def chain_summary(recipe: Recipe) -> list[dict[str, str]]:
    """Return the chain of aggregators, innermost level first."""
    return [{"level": level, "how": how} for level, how in recipe.chain]


def ensemble_summary(study: "Study") -> dict[str, Any] | None:
    """Return the methods with their weights and cut-offs; None where one candidate was chosen.

    ``quantile`` is u_m, where the cut-off of the method lies among the patients who chose.
    """
    ensemble = study.ensemble
    if ensemble is None:
        return None
    rows = []
    # The last candidate is the ensemble itself.
    for method, candidate in zip(ensemble.methods, study.candidates[:-1], strict=True):
        threshold = study.options.sign * candidate.threshold
        rank = int(method.doubled_ranks(np.array([threshold]))[0])
        rows.append(
            {
                "score": method.recipe.score,
                "aggregation": chain_summary(method.recipe),
                "weight": method.weight / ensemble.total_weight,
                "threshold": threshold,
                "quantile": rank / (2 * method.reference.size),
            }
        )
    return {"kind": ensemble.kind, "methods": rows}


def curve_summary(study: "Study") -> dict[str, list[float]]:
    """Return the risk curve of the patients who chose, with its standard error."""
    patients = study.select_patients.oriented(study.options.direction)
    costs, sign = study.options.search.costs, study.options.sign
    thresholds = np.linspace(patients.scores.min(), patients.scores.max(), CURVE_POINTS)
    risk = risk_curve(patients, thresholds, costs)
    error = curve_error(patients, thresholds, study, risk)
    order = slice(None) if sign > 0 else slice(None, None, -1)
    return {
        "thresholds": (sign * thresholds)[order].tolist(),
        "risk": risk[order].tolist(),
        "standard_error": error[order].tolist(),
    }


def curve_error(
    patients: PatientScores, thresholds: FloatArray, study: "Study", risk: FloatArray
) -> FloatArray:
    """Return the bootstrap standard error of the risk at each threshold, in closed form."""
    costs = study.options.search.costs
    if costs.target is not None:
        counts = [confusion_at(patients, float(threshold)) for threshold in thresholds]
        return np.array([one.standard_error(costs) for one in counts])
    misses = count_below(patients.positive_scores, thresholds)
    alarms = patients.n_negative - count_below(patients.negative_scores, thresholds)
    squares = (costs.cost_fn**2 * misses + costs.cost_fp**2 * alarms) / patients.n_patients
    return np.sqrt(np.maximum(squares - risk**2, 0) / patients.n_patients)


def role_counts(study: "Study") -> dict[str, int]:
    """Return how many patients there are in each role and class."""
    chose, certified = study.select_patients, study.certify_patients
    return {
        "total": study.patients.n_patients,
        "positive": study.patients.n_positive,
        "select": chose.n_patients,
        "select_positive": chose.n_positive,
        "certify": certified.n_patients,
        "certify_positive": certified.n_positive,
    }


def options_summary(study: "Study") -> dict[str, Any]:
    """Return the options that the numbers depend on."""
    options, search = study.options, study.options.search
    return {
        "grid": search.grid,
        "honesty": options.honesty,
        "certify_size": options.certify_size,
        "stratified": options.stratified,
        "bound": options.bound,
        "ensemble": options.ensemble or "none",
        "delta": search.delta,
        "n_bootstrap": search.n_bootstrap,
        "selector": search.selector,
        "stratify": options.stratify or "none",
        "seed": options.seed,
    }
