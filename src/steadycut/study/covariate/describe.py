"""What is written about cut-offs by covariate: the study, and the frozen file."""

from steadycut.core.strata.costs import CostMatrix
from steadycut.documents.covariate import (
    SCHEMA,
    CovariateDocument,
    CovariateRule,
    CovariateStudyDocument,
    CutPart,
    PooledCut,
    PooledPart,
    ProvenancePart,
    ScalePart,
)
from steadycut.documents.parts import CertificatePart, Range, names_part
from steadycut.study.covariate.fitted import FittedByCovariate
from steadycut.study.describe import role_counts, steps_of
from steadycut.study.freeze import check_named, columns_of, versions
from steadycut.study.reference import span_of
from steadycut.study.useful import verdict_of_counts


def describe_by_covariate(study: FittedByCovariate) -> CovariateStudyDocument:
    """Return the study as numbers, texts and lists, without any patient."""
    options, recipe, scores = study.options, study.patients.recipe, study.patients.scores
    costs, counts = options.search.costs, study.counts.counts
    matrix = CostMatrix.of_errors(costs.cost_fn, costs.cost_fp)
    return CovariateStudyDocument.of(
        study,
        options,
        recipe,
        class_names=names_part(recipe.class_names),
        covariate=study.name,
        covariate_range=_range(study),
        cuts=cut_parts(study),
        pooled=PooledCut(
            threshold=study.pooled_threshold,
            rank=study.cuts.pooled,
            certificate=CertificatePart.of(study.pooled_certificate),
        ),
        aggregation=steps_of(recipe),
        costs=costs,
        score_range=(float(scores.min()), float(scores.max())),
        rule=str(options.search.rule),
        operating_point=study.counts,
        patients=role_counts(study.patients, study.roles),
        verdict=verdict_of_counts(counts, study.certificate, matrix, costs),
    )


def freeze_by_covariate(study: FittedByCovariate) -> CovariateRule:
    """Return the rule to take to the next hospital."""
    described, recipe, scale = describe_by_covariate(study), study.patients.recipe, study.rule.scale
    check_named(recipe)
    return CovariateRule(
        CovariateDocument.of(
            described,
            schema=SCHEMA,
            columns=columns_of(recipe),
            pooled=PooledPart.of(described.pooled, draws=study.cuts.pooled_draws.tolist()),
            scale=ScalePart(
                ranks=scale.ranks.tolist(),
                thresholds=(study.options.sign * scale.thresholds + 0.0).tolist(),
            ),
            draws=study.cuts.draws.tolist(),
            provenance=ProvenancePart.of(
                described, versions=versions(), data_sha256=study.patients.fingerprint()
            ),
            instances_per_patient=span_of(study.patients.n_instances),
            reference=described.operating_point,
            units_per_patient=span_of(study.patients.n_units),
        )
    )


def cut_parts(study: FittedByCovariate) -> list[CutPart]:
    """Return one part per group, or per value of the covariate, with its cut-off."""
    certificates = study.groups or (None,) * len(study.positions)
    columns = (
        study.positions,
        study.thresholds.tolist(),
        study.own_thresholds.tolist(),
        study.cuts.weights.tolist(),
        study.cuts.ranks.tolist(),
        [None if one is None else CertificatePart.of(one) for one in certificates],
    )
    rows = zip(*columns, strict=True)
    return [CutPart(**dict(zip(CutPart.model_fields, row, strict=True))) for row in rows]


def _range(study: FittedByCovariate) -> Range | None:
    if study.kind == "groups":
        return None
    chose = study.covariate[study.roles.select]
    return float(chose.min()), float(chose.max())
