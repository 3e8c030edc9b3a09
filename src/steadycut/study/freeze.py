"""What a study puts into its frozen file: plain numbers, texts and lists, and no patient."""

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from steadycut._version import __version__
from steadycut.core.aggregate.aggregators import aggregator_names, parse_aggregator
from steadycut.core.checks import IntArray
from steadycut.core.confusion import Confusion
from steadycut.core.records import PatientScores, Recipe
from steadycut.core.shift.label_shift import rank_bins
from steadycut.documents.ensemble import ensemble_content, readable_recipes
from steadycut.documents.known_patients import Remembered
from steadycut.errors import BadOption, BadRuleFile
from steadycut.study.curves import quantiles
from steadycut.study.describe import chain_summary, stability_summary

if TYPE_CHECKING:
    from steadycut.study.fit import Study


def check_named(*recipes: Recipe) -> None:
    """Refuse aggregators that the next hospital cannot look up by their names."""
    for how in (how for recipe in recipes for _, how in recipe.chain):
        try:
            parse_aggregator(how)
        except BadOption:
            msg = (
                f"a rule whose aggregator is a Python function ({how!r}) cannot be frozen; use one "
                f"of {', '.join(aggregator_names())}."
            )
            raise BadRuleFile(msg) from None


def columns_of(recipe: Recipe, leveled: Recipe | None = None) -> dict[str, Any]:
    """Return the columns of a recipe; the levels of another where the recipe has none itself."""
    return {
        "patient": recipe.patient,
        "score": recipe.score,
        "label": recipe.label,
        "positive": recipe.positive,
        "site": recipe.site,
        "levels": [level for level, _ in (leveled or recipe).levels],
    }


def versions() -> dict[str, str]:
    """Return what the file was made with."""
    return {"steadycut": __version__, "numpy": np.__version__, "scipy": scipy.__version__}


def instances_of(patients: PatientScores) -> dict[str, float] | None:
    """Return how many instances the patients have; None where that is not known."""
    return _span(patients.n_instances)


def units_of(patients: PatientScores) -> dict[str, Any]:
    """Return how many units of the innermost level patients have, as a field if that is known."""
    units = _span(patients.n_units)
    return {} if units is None else {"units_per_patient": units}


def _span(counts: IntArray | None) -> dict[str, float] | None:
    if counts is None:
        return None
    return {
        "smallest": int(counts.min()),
        "median": float(np.median(counts)),
        "largest": int(counts.max()),
    }


def site_hash(name: str) -> str:
    """Return what stands for a site in a rule file, which names no hospital."""
    return hashlib.sha256(name.encode()).hexdigest()


def rule_content(study: "Study", remembered: Remembered | None = None) -> dict[str, Any]:
    """Return everything in ``rule.json`` but its schema and the hash."""
    options, search, chosen = study.options, study.options.search, study.chosen
    recipe, scores = chosen.recipe, study.patients.scores
    recipes = [recipe] if study.ensemble is None else readable_recipes(study.ensemble)
    check_named(*recipes)
    return {
        "threshold": study.threshold,
        "operating_value": study.operating_value,
        "direction": options.direction,
        "aggregation": chain_summary(recipe),
        "ensemble": study.ensemble and ensemble_content(study.ensemble),
        "columns": columns_of(recipe, recipes[0]),
        "costs": {"cost_fn": search.costs.cost_fn, "cost_fp": search.costs.cost_fp},
        "target_prevalence": search.costs.target,
        "rule": search.rule,
        "score_range": (float(scores.min()), float(scores.max())),
        "bootstrap_thresholds": study.bootstrap_thresholds.tolist(),
        "certificate": study.certificate.to_dict(),
        "stability": stability_summary(study),
        "reference": {
            **reference_of(study.counts, study.certify_patients),
            "instances_per_patient": instances_of(study.patients),
        },
        "provenance": _provenance(study),
        **units_of(study.patients),
        **({} if remembered is None else {"remembered_patients": remembered.to_dict()}),
    }


def reference_of(counts: Confusion, patients: PatientScores) -> dict[str, Any]:
    """Return what an audit needs of the patients who certify."""
    return {
        "tp": counts.tp,
        "fn": counts.fn,
        "fp": counts.fp,
        "tn": counts.tn,
        "quantiles_positive": quantiles(patients.positive_scores),
        "quantiles_negative": quantiles(patients.negative_scores),
        "bins": _bins(patients),
    }


def _bins(patients: PatientScores) -> dict[str, Any]:
    bins = rank_bins(patients.scores, patients.known_labels)
    return {
        "edges": bins.edges.tolist(),
        "positive": bins.positive.tolist(),
        "negative": bins.negative.tolist(),
    }


def _sites(patients: PatientScores) -> list[str]:
    names = set() if patients.sites is None else set(patients.sites.tolist())
    return sorted(map(site_hash, names))


def _provenance(study: "Study") -> dict[str, Any]:
    summary = study.to_dict()
    options = {key: value for key, value in summary["options"].items() if key != "seed"}
    return {
        "versions": versions(),
        "seed": study.options.seed,
        "options": options,
        "patients": summary["patients"],
        "sites": _sites(study.patients),
        "data_sha256": study.patients.fingerprint(),
    }
