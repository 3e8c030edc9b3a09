"""Freeze a fitted study: the rule file that goes to the next hospital, without any patient."""

import numpy as np
import scipy

from steadycut._version import __version__
from steadycut.core.aggregate.aggregators import aggregator_names, parse_aggregator
from steadycut.core.ensemble import Ensemble
from steadycut.core.records import PatientScores, Recipe
from steadycut.documents import rule
from steadycut.documents.known_patients import remember
from steadycut.documents.parts import Columns, RuleOptions
from steadycut.errors import BadOption, BadRuleFile
from steadycut.ingest.request import site_hash
from steadycut.study.curves import quantiles
from steadycut.study.describe import options_part, role_counts, stability_part, steps_of
from steadycut.study.fitted import FittedStudy
from steadycut.study.reference import rate_parts, reference_of, span_of
from steadycut.study.small_cells import without_small_cells


def freeze(
    study: FittedStudy,
    *,
    remember_patients: bool = False,
    key: bytes | None = None,
    small_cells: int | None = None,
) -> rule.FrozenRule:
    """Return the rule to take to the next hospital; see `steadycut.Study.freeze`."""
    document = rule_document(study)
    if remember_patients:
        known = remember(study.patients, study.options.seed, key)
        document = document.model_copy(update={"remembered_patients": known})
    if small_cells is not None:
        document = without_small_cells(document, study, small_cells)
    return rule.FrozenRule(document)


def rule_document(study: FittedStudy) -> rule.RuleDocument:
    """Return everything in ``rule.json`` but the hash."""
    options, search, chosen = study.options, study.options.search, study.chosen
    methods = [] if study.ensemble is None else study.ensemble.readable_recipes()
    return rule.RuleDocument.of(
        *(study, options, search),
        schema=rule.FrozenRule.schema,
        aggregation=steps_of(chosen.recipe),
        ensemble=None if study.ensemble is None else ensemble_part(study.ensemble),
        target_prevalence=search.costs.target,
        rule=str(search.rule),
        certified_rates=rate_parts(study.certified_rates),
        stability=stability_part(study),
        reference=reference_of(
            study.counts, study.certify_patients.of_known_fate, study.patients.n_instances
        ),
        provenance=provenance_of(study),
        all_patients=all_patients_of(study),
        **made_from(study.patients, *methods),
        **dict.fromkeys(("remembered_patients", "adapted")),
    )


def made_from(patients: PatientScores, *methods: Recipe) -> dict[str, object]:
    """Return what every frozen file says of the patients that it was made from.

    The ``methods`` of an ensemble have the levels, which their mean does not have.
    """
    recipes, scores = methods or (patients.recipe,), patients.scores
    check_named(*recipes)
    return {
        "columns": Columns.of(patients.recipe, levels=list(dict(recipes[0].levels))),
        "score_range": (float(scores.min()), float(scores.max())),
        "units_per_patient": span_of(patients.n_units),
        "sha256": None,
    }


def all_patients_of(study: FittedStudy) -> rule.AllPatientsPart | None:
    """Return quantiles of all patients; None where everybody certifies, as the reference has it."""
    if study.has_unknown or study.certify_patients.n_patients == study.patients.n_patients:
        return None
    patients = study.patients
    return rule.AllPatientsPart.of(
        patients,
        quantiles_positive=quantiles(patients.positive_scores),
        quantiles_negative=quantiles(patients.negative_scores),
    )


def check_named(*recipes: Recipe) -> None:
    """Refuse aggregators that the next hospital cannot look up by their names."""
    for how in (how for recipe in recipes for _, how in recipe.chain):
        try:
            parse_aggregator(how)
        except BadOption:
            raise BadRuleFile(
                f"a rule whose aggregator is a Python function ({how!r}) cannot be frozen; use one "
                f"of {', '.join(aggregator_names())}."
            ) from None


def ensemble_part(ensemble: Ensemble) -> rule.EnsemblePart:
    """Return what a rule file holds of an ensemble."""
    methods = [
        rule.MethodPart.of(one, one.recipe, aggregation=steps_of(one.recipe))
        for one in ensemble.methods
    ]
    return rule.EnsemblePart.of(ensemble, methods=methods)


def versions() -> dict[str, str]:
    """Return what the file was made with, in the order of the file."""
    return {"numpy": np.__version__, "scipy": scipy.__version__, "steadycut": __version__}


def provenance_of(study: FittedStudy) -> rule.Provenance:
    """Return what the rule was made with and from."""
    sites = study.patients.sites
    names = set() if sites is None else set(sites.tolist())
    options = options_part(study).model_dump(include=set(RuleOptions.model_fields))
    return rule.Provenance(
        versions=versions(),
        seed=study.options.seed,
        options=RuleOptions(**options),
        patients=role_counts(study.patients, study.roles, study.held_out),
        sites=sorted(map(site_hash, names)),
        data_sha256=study.fingerprint,
    )
