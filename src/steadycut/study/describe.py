"""Describe a fitted study as ``study.json`` says it, and freeze it for the next hospital."""

import numpy as np
import scipy

from steadycut._version import __version__
from steadycut.core.aggregate.aggregators import aggregator_names, parse_aggregator
from steadycut.core.break_even import break_even
from steadycut.core.certify import certificate_of
from steadycut.core.checks import FloatArray
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.risk_curve import count_below, left_cdf, risk_curve
from steadycut.core.ensemble import Ensemble
from steadycut.core.next_site import NextSite, SiteRow, comparison_at, sites_needed
from steadycut.core.records import UNKNOWN, PatientScores, Recipe
from steadycut.core.rules.registry import criteria_of
from steadycut.core.select import Candidate
from steadycut.core.shift.tipping import TippingPoint, tipping_point
from steadycut.core.split import Roles
from steadycut.core.survival import log_rank_cut
from steadycut.documents import parts, rule
from steadycut.documents import study as documents
from steadycut.documents.known_patients import remember
from steadycut.documents.parts import Columns, RuleOptions
from steadycut.errors import BadOption, BadRuleFile
from steadycut.ingest.request import site_hash
from steadycut.study.curves import class_quantiles, cost_curve, modulus_curve, quantiles, rival_cuts
from steadycut.study.explorer import study_explorer
from steadycut.study.fitted import FittedStudy, HeldOut
from steadycut.study.operating_point import (
    CONFIDENCE,
    cross_fitted,
    cut_intervals,
    point_at,
    point_part,
    study_point,
)
from steadycut.study.reference import rate_parts, reference_of, span_of, survival_part, unscored_of
from steadycut.study.small_cells import without_small_cells
from steadycut.study.useful import study_verdict

CURVE_POINTS = 201


def describe(study: FittedStudy, confidence: float = CONFIDENCE) -> documents.StudyDocument:
    """Return the study as numbers, texts and lists, without any patient.

    ``confidence`` is that of the intervals of the operating point and of the cut-off.
    """
    options, search, chosen = study.options, study.options.search, study.chosen
    counted = role_counts(study.patients, study.roles, study.held_out)
    delta = None if study.n_choices else search.delta
    return documents.StudyDocument.of(
        *(study, options, search, chosen, chosen.recipe),
        rule=str(search.rule),
        aggregation=steps_of(chosen.recipe),
        ensemble=ensemble_shares(study),
        target_prevalence=search.costs.target,
        criterion=criterion_values(study),
        certified_rates=[documents.StudyRatePart.of(rate) for rate in study.certified_rates]
        or None,
        cross_fitted=cross_fitted(study),
        verdict=study_verdict(study),
        break_even=break_even(study.counts, search.costs, delta),
        class_names=parts.names_part(chosen.recipe.class_names),
        threshold_interval=cut_intervals(study, confidence),
        operating_point=point_part(study_point(study, confidence)),
        stability=stability_part(study),
        tipping_point=tipping_of(study),
        candidates=[candidate_part(study, tried) for tried in study.candidates],
        next_site=next_site_part(study),
        curve=curve_part(study),
        rivals=rival_cuts(study),
        modulus_curve=modulus_curve(study),
        cost_curve=None if study.has_unknown else cost_curve(study),
        scores=class_quantiles(study.certify_patients.usable),
        explorer=study_explorer(study),
        patients=documents.StudyCounts.of(counted, sites=n_sites(study)),
        test=held_out_part(study, confidence),
        options=options_part(study),
        survival=study_survival(study),
        unscored=unscored_of(study.everyone),
        # Added by those who know the table and write the page.
        **dict.fromkeys(("instances", "data", "frozen_rule")),
    )


def study_survival(study: FittedStudy) -> parts.SurvivalPart | None:
    """Return what is known at the horizon of the patients who certify, and the log-rank cut."""
    patients, search = study.followed, study.options.search
    if patients.time is None:
        return None
    chose = study.patients.take(study.roles.select).scored
    assert chose.time is not None  # noqa: S101
    assert chose.event is not None  # noqa: S101
    return survival_part(
        patients,
        study.chosen.threshold,
        search.costs,
        search.delta,
        study.certificate.value,
        log_rank_cut(chose.scores, chose.time, chose.event),
    )


def tipping_of(study: FittedStudy) -> TippingPoint:
    """Return how much must change at another hospital before the certified risk is exceeded."""
    certificate = study.certificate
    return tipping_point(
        study.counts,
        study.options.search.costs.plain,
        certificate.value,
        certificate.delta,
        honesty=certificate.honesty,
        n_candidates=study.n_candidates,
    )


def next_site_part(study: FittedStudy) -> documents.NextSitePart | None:
    """Return what the hospitals say about the next one; None with fewer than two."""
    there = study.next_site
    if there is None:
        return None
    cuts = [row.threshold for row in there.rows if row.threshold is not None]
    same_score = len(cuts) == there.n_sites
    cuts.append(study.chosen.threshold)
    scores, ends = study.oriented_scores, (min(cuts), max(cuts))
    between = float(np.mean((scores >= ends[0]) & (scores < ends[1])))
    return documents.NextSitePart.of(
        there,
        prevalence=there.costs.target,
        threshold_range=tuple(sorted(map(study.turned, ends))) if same_score else None,
        between=between if same_score else None,
        sites_needed=sites_needed(there.level, split=there.split),
        rows=[site_part(study, there, row) for row in there.rows],
    )


def site_part(study: FittedStudy, there: NextSite, row: SiteRow) -> documents.SiteRowPart:
    """Return one hospital, with its cut-off on the score and the quantile scale."""
    compared, half = comparison_at(row.counts, there.costs), (1 - there.level) / 2
    cut = row.threshold
    return documents.SiteRowPart.of(
        row,
        threshold=None if cut is None else study.turned(cut),
        quantile=None if cut is None else float(left_cdf(study.chose.scores, cut)),
        interval=(compared.lowest_cost(half), compared.highest_cost(half)),
    )


def criterion_values(study: FittedStudy) -> list[documents.CriterionPart]:
    """Return what the rule made best: among those who chose, and among those who certify.

    The first is over-optimistic; in ``uniform`` there is no second.
    """
    search, threshold = study.options.search, study.chosen.threshold
    select, certify = (confusion_at(role, threshold) for role in (study.selecting, study.certified))
    honest = study.options.honesty == "split"
    return [
        documents.CriterionPart(
            name=criterion.name,
            select=criterion.value_at(select, search.costs),
            certify=criterion.value_at(certify, search.costs) if honest else None,
        )
        for criterion in criteria_of(search.chooser)
    ]


def stability_part(study: FittedStudy) -> parts.StabilityPart:
    """Return how far the threshold may move, and what that may cost."""
    chosen, bias = study.chosen, study.options.sign * study.chosen.radius.bias
    records = chosen.radius, study, chosen, study.options.search, chosen.draws
    return parts.StabilityPart.of(*records, bias=bias)


def candidate_part(study: FittedStudy, candidate: Candidate) -> documents.CandidatePart:
    """Return one score and aggregator that was tried."""
    return documents.CandidatePart.of(
        *(candidate, candidate.recipe),
        aggregation=steps_of(candidate.recipe),
        threshold=study.options.sign * candidate.threshold,
        radius=candidate.radius.radius,
        chosen=candidate is study.chosen,
    )


def steps_of(recipe: Recipe) -> list[parts.Step]:
    """Return the chain of aggregators, innermost level first."""
    return [parts.Step(level=level, how=how) for level, how in recipe.chain]


def ensemble_shares(study: FittedStudy) -> parts.EnsembleShares | None:
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
            parts.MethodShare.of(
                method.recipe,
                aggregation=steps_of(method.recipe),
                weight=method.weight / ensemble.total_weight,
                threshold=threshold,
                quantile=rank / (2 * method.reference.size),
            )
        )
    return parts.EnsembleShares(kind=ensemble.kind, methods=rows)


def curve_part(study: FittedStudy) -> documents.CurvePart:
    """Return the risk curve of the patients who chose, with its standard error."""
    patients, scores, sign = study.selecting, study.chose.scores, study.options.sign
    thresholds = np.linspace(scores.min(), scores.max(), CURVE_POINTS)
    risk = risk_curve(patients, thresholds, study.options.search.costs)
    error = curve_error(patients, thresholds, study, risk)
    order = slice(None) if sign > 0 else slice(None, None, -1)
    return documents.CurvePart(
        thresholds=(sign * thresholds)[order].tolist(),
        risk=risk[order].tolist(),
        standard_error=error[order].tolist(),
    )


def curve_error(
    patients: PatientScores, thresholds: FloatArray, study: FittedStudy, risk: FloatArray
) -> FloatArray:
    """Return the bootstrap standard error of the risk at each threshold, in closed form."""
    costs = study.options.search.costs
    if costs.target is not None:
        counts = [confusion_at(patients, float(threshold)) for threshold in thresholds]
        return np.array([errors.standard_error(costs) for errors in counts])
    misses = count_below(patients.positive_scores, thresholds)
    alarms = patients.n_negative - count_below(patients.negative_scores, thresholds)
    squares = (costs.cost_fn**2 * misses + costs.cost_fp**2 * alarms) / patients.n_patients
    return np.sqrt(np.maximum(squares - risk**2, 0) / patients.n_patients)


def held_out_part(study: FittedStudy, confidence: float) -> documents.HeldOutPart | None:
    """Return what the frozen cut-off does to patients who were held out; None without any."""
    if study.held_out is None:
        return None
    search, patients = study.options.search, study.held_out.patients
    point = point_at(patients, study.chosen.threshold, search.costs, confidence)
    return documents.HeldOutPart.of(
        certificate=certificate_of(point.counts, search.costs, search.delta),
        operating_point=point_part(point),
    )


def role_counts(
    patients: PatientScores, roles: Roles, test: HeldOut | None = None
) -> parts.RoleCounts:
    """Return how many patients there are in each role and class."""
    ill = patients.fates == 1
    unknown = None if not patients.n_unknown else patients.fates[roles.certify] == UNKNOWN
    return parts.RoleCounts(
        total=patients.n_patients,
        positive=int(ill.sum()),
        select=roles.select.size,
        select_positive=int(ill[roles.select].sum()),
        certify=roles.certify.size,
        certify_positive=int(ill[roles.certify].sum()),
        unknown=patients.n_unknown or None,
        certify_unknown=None if unknown is None else int(unknown.sum()),
        test=None if test is None else test.patients.n_patients,
        test_positive=None if test is None else test.patients.n_positive,
    )


def n_sites(study: FittedStudy) -> int | None:
    """Return at how many sites the patients are, if that is known."""
    sites = study.patients.sites
    return None if sites is None else np.unique(sites).size


def options_part(study: FittedStudy) -> documents.OptionsPart:
    """Return the options that the numbers depend on."""
    options, kind = study.options, study.options.ensemble or "none"
    within = options.stratify or "none"
    return documents.OptionsPart.of(
        options, options.search, ensemble=kind, stratify=within, small_cells=None
    )


def freeze(
    study: FittedStudy,
    *,
    remember_patients: bool = False,
    key: bytes | None = None,
    small_cells: int | None = None,
) -> rule.FrozenRule:
    """Return the rule to take to the next hospital; see `steadycut.Study.freeze`."""
    if small_cells is not None:
        study.patients.need_scores("small cells hold patients of similar scores")
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
            study.counts, study.certify_patients, study.patients.scored.n_instances
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
    recipes, scores = methods or (patients.recipe,), patients.scored.scores
    check_named(*recipes)
    return {
        "columns": Columns.of(patients.recipe, levels=list(dict(recipes[0].levels))),
        "score_range": (float(scores.min()), float(scores.max())),
        "units_per_patient": span_of(patients.scored.n_units),
        "sha256": None,
    }


def all_patients_of(study: FittedStudy) -> rule.AllPatientsPart | None:
    """Return quantiles of all patients; None where everybody certifies, as the reference has it."""
    if study.has_unknown or study.certify_patients.n_patients == study.patients.n_patients:
        return None
    patients = study.patients.scored
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
        rule.MethodPart.of(method, method.recipe, aggregation=steps_of(method.recipe))
        for method in ensemble.methods
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
