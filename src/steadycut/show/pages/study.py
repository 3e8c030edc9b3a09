"""The page of a study: one cut-off, why it was chosen and how far it can be trusted."""

from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.parts import DataPart
from steadycut.documents.study import StudyDocument
from steadycut.show import sentences as say
from steadycut.show.builders import held_files, listed, pictures, section
from steadycut.show.figures.certificate import CertificateDisplay
from steadycut.show.numbers import cut
from steadycut.show.page import Page, Section
from steadycut.show.sections.certificate import (
    certificate_section,
    certificate_status,
    rate_sentences,
)
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

WATERFALL = (
    "The certified risk, term by term. The dashed line is the risk of the better of two rules "
    "without any score: call nobody, or call everybody."
)
RATES = {"sensitivity": "sensitivity", "specificity": "specificity", "ppv": "PPV", "npv": "NPV"}


def study_page(study: StudyDocument, comparison: ComparisonDocument | None = None) -> Page:
    """Return the page of a study, with the comparison of rules if there is one."""
    certificate, costs = study.certificate, study.costs
    waterfall = pictures(study, {CertificateDisplay: WATERFALL})
    sections = (
        certificate_section(certificate, f"where {say.costs_in_words(costs)}", waterfall),
        operating_section(study),
        choice_section(study),
        stability_section(study),
        tipping_section(study),
        instances_section(study.instances) if study.instances else None,
        candidates_section(study),
        sites_section(study, study.sites) if study.sites else None,
        comparison_section(comparison) if comparison else None,
        methods_section(study),
        checklist_section(study),
        options_section(study),
    )
    return Page(
        title=f"A cut-off on {say.quoted(study.score)}",
        subtitle=say.roles_in_words(study.patients, certificate.honesty),
        status=certificate_status(certificate),
        headline=headline(study),
        facts=facts(study),
        next_step=say.next_step("rule.json"),
        warnings=tuple(study.stability.warnings),
        sections=tuple(filter(None, sections)),
        explorer=explorer_of(study, "used to check"),
        files=held_files(study, "study.json", study.frozen_rule),
    )


def headline(study: StudyDocument) -> tuple[str, ...]:
    """Return the sentences that are read in ten seconds; the first one is the rule."""
    certified = say.certified_sentence(study.certificate, study.costs)
    return (say.rule_sentence(study), certified, *rate_sentences(study))


def facts(study: StudyDocument) -> tuple[tuple[str, str], ...]:
    """Return the numbers to take away."""
    point, repeated = study.operating_point, study.threshold_interval.repeated_study
    rates = point.fixed_cut.characteristics
    shown = [
        (title, say.estimate_in_words(rates[name], point.confidence))
        for name, title in RATES.items()
        if name in rates
    ]
    moves = ""
    if repeated.low is not None and repeated.high is not None:
        between = f"{cut(repeated.low)} and {cut(repeated.high)}"
        moves = f"between {between} in a repeated study; "
    tested = say.tested_in_words(point, study.certificate.honesty)
    return (
        ("tested on", tested),
        *shown,
        ("stability", f"{moves}{say.reversed_in_words(study.stability.flip_rate)}"),
    )


def options_section(study: StudyDocument) -> Section:
    """Return everything that is needed to run the study again."""
    options, patients, found = study.options, study.patients, study.stability
    rows = [
        ("rule", study.rule),
        ("cost of a missed patient", f"{study.costs.cost_fn:g}"),
        ("cost of a false alarm", f"{study.costs.cost_fp:g}"),
        ("prevalence at which risk is taken", say.prevalence_in_words(study.target_prevalence)),
        ("direction", study.direction),
        ("choice among candidates", options.selector),
        ("strata of the bootstrap", options.stratify or "none"),
        ("grid", str(options.grid)),
        ("honesty", options.honesty),
        ("share of patients used to check", f"{options.certify_size:g}"),
        ("split stratified by label", str(options.stratified)),
        ("bound", f"{options.bound}, used: {study.certificate.bound}"),
        ("ensemble", options.ensemble),
        ("delta", f"{options.delta:g}"),
        ("bootstrap replicates", str(options.n_bootstrap)),
        ("centering of the radius", found.centering),
        ("form of the modulus", found.form),
        ("band of the modulus", found.band),
        ("seed", str(options.seed)),
        ("patients, ill", f"{patients.total}, {patients.positive}"),
        ("used to choose, ill", f"{patients.select}, {patients.select_positive}"),
        ("used to check, ill", f"{patients.certify}, {patients.certify_positive}"),
        *data_rows(study.data),
        ("schema", study.schema_),
    ]
    text = "The same patients, options and seed give the same study, to the last bit."
    table = listed("Everything that the numbers depend on", rows)
    return section("options", "Options and data", text, tables=(table,))


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
