"""The page of a study: one cut-off, why it was chosen and how far it can be trusted."""

from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.parts import DataPart
from steadycut.documents.study import StudyDocument
from steadycut.show.figures.certificate import CertificateDisplay
from steadycut.show.numbers import cut, percent
from steadycut.show.page import Page, Section, Table, held_files, pictures
from steadycut.show.sections.certificate import certificate_section, certificate_status
from steadycut.show.sections.characteristics import operating_section
from steadycut.show.sections.checklist import checklist_section
from steadycut.show.sections.choice import (
    candidates_section,
    choice_section,
    instances_section,
    sites_section,
)
from steadycut.show.sections.comparison import comparison_section
from steadycut.show.sections.explorer import explorer_of
from steadycut.show.sections.methods import methods_section
from steadycut.show.sections.stability import stability_section, tipping_section
from steadycut.show.sentences import (
    costs_in_words,
    limit_in_short,
    limit_sentence,
    observed_in_short,
    prevalence_in_words,
    quoted,
    roles_in_words,
    rule_sentence,
    vacuous_sentence,
)

WATERFALL = (
    "The certified risk, term by term. The dashed line is the risk of the better of two rules "
    "without any score: call nobody, or call everybody."
)


def study_page(study: StudyDocument, comparison: ComparisonDocument | None = None) -> Page:
    """Return the page of a study, with the comparison of rules if there is one."""
    certificate, costs = study.certificate, study.costs
    return Page(
        title=f"A cut-off on {quoted(study.score)}",
        subtitle=roles_in_words(study.patients, certificate.honesty),
        status=certificate_status(certificate),
        headline=headline(study),
        facts=(
            ("cut-off", cut(study.threshold)),
            ("certified, at most", limit_in_short(certificate.value, costs)),
            ("observed", observed_in_short(certificate.risk, costs)),
            ("decisions that flip", percent(study.stability.flip_rate)),
        ),
        warnings=tuple(study.stability.warnings),
        sections=(
            certificate_section(
                certificate,
                f"where {costs_in_words(costs)}",
                pictures(study, {CertificateDisplay: WATERFALL}),
            ),
            operating_section(study),
            choice_section(study),
            stability_section(study),
            tipping_section(study),
            *([instances_section(study.instances)] if study.instances else []),
            candidates_section(study),
            *([sites_section(study, study.sites)] if study.sites else []),
            *([comparison_section(comparison)] if comparison else []),
            methods_section(study),
            checklist_section(study),
            options_section(study),
        ),
        explorer=explorer_of(study, "who certify"),
        files=held_files(study, "study.json", study.frozen_rule),
    )


def headline(study: StudyDocument) -> tuple[str, ...]:
    """Return the sentences that are read in ten seconds; the first one is the rule."""
    certificate, costs = study.certificate, study.costs
    sentences = [
        rule_sentence(study),
        limit_sentence(certificate.value, costs, certificate.delta, "at the first hospital"),
    ]
    if certificate.vacuous:
        prevalence = study.operating_point.prevalence
        sentences.append(vacuous_sentence(costs, certificate, prevalence))
    sentences.append(
        "Had other patients of the same hospital chosen the cut-off, about "
        f"{percent(study.stability.flip_rate)} of the decisions would be different. For another "
        "hospital nothing is promised yet: audit the rule there."
    )
    return tuple(sentences)


def options_section(study: StudyDocument) -> Section:
    """Return everything that is needed to run the study again."""
    options, patients, found = study.options, study.patients, study.stability
    rows = [
        ("rule", study.rule),
        ("cost of a missed patient", f"{study.costs.cost_fn:g}"),
        ("cost of a false alarm", f"{study.costs.cost_fp:g}"),
        ("prevalence at which risk is taken", prevalence_in_words(study.target_prevalence)),
        ("direction", study.direction),
        ("choice among candidates", options.selector),
        ("strata of the bootstrap", options.stratify or "none"),
        ("grid", str(options.grid)),
        ("honesty", options.honesty),
        ("share of patients who certify", f"{options.certify_size:g}"),
        ("split stratified by label", str(options.stratified)),
        ("bound", f"{options.bound}, used: {study.certificate.bound}"),
        ("ensemble", options.ensemble),
        ("delta", f"{options.delta:g}"),
        ("bootstrap replicates", str(options.n_bootstrap)),
        ("centering of the radius", found.centering),
        ("form of the modulus", found.form),
        ("band of the modulus", found.band),
        ("seed", str(options.seed)),
        ("patients, positive", f"{patients.total}, {patients.positive}"),
        ("who chose, positive", f"{patients.select}, {patients.select_positive}"),
        ("who certify, positive", f"{patients.certify}, {patients.certify_positive}"),
        *data_rows(study.data),
        ("schema", study.schema_),
    ]
    return Section(
        key="options",
        title="Options and data",
        texts=("The same patients, options and seed give the same study, to the last bit.",),
        tables=(
            Table(
                caption="Everything that the numbers depend on",
                header=("option", "value"),
                kinds="tt",
                rows=tuple(rows),
            ),
        ),
    )


def data_rows(data: DataPart | None) -> list[tuple[str, str]]:
    """Return what is known of the table that the patients came from, if anything."""
    if data is None:
        return []
    rows = [
        ("rows read", str(data.rows)),
        ("rows dropped, without a score", str(data.dropped_rows)),
    ]
    if data.sha256 is not None:
        rows.append(("fingerprint of the patients", data.sha256))
    return rows
