"""A study, or an audit, as the ordered sections of a page: numbers and sentences, no markup.

Only the document of ``study.json``, ``compare.json`` or ``audit.json`` is read, so that a page can
be made again from these files alone.
"""

from steadycut.documents.audit import AuditBase, AuditDocument, LabelledAudit
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.parts import CertificatePart, CostsPart
from steadycut.documents.study import StudyDocument
from steadycut.show.held_files import held_files
from steadycut.show.numbers import count, cut, of_hundred, percent, risk
from steadycut.show.page import Page, Section, Status
from steadycut.show.sections.audit import (
    bounds_section,
    calls_section,
    here_section,
    label_free_section,
    shift_section,
)
from steadycut.show.sections.checklist import audit_checklist_section, checklist_section
from steadycut.show.sections.explorer import explorer_of
from steadycut.show.sections.methods import audit_methods_section, methods_section
from steadycut.show.sections.study import (
    candidates_section,
    certificate_section,
    choice_section,
    comparison_section,
    operating_section,
    options_section,
    sites_section,
    stability_section,
    tipping_section,
)
from steadycut.show.sentences import (
    costs_in_words,
    errors_sentence,
    limit_sentence,
    quoted,
    rule_sentence,
    vacuous_sentence,
)

FOOTER = (
    "steadycut. This page is complete in itself: it loads nothing, sends nothing and holds no "
    "patient identifier. It supports research and validation; it does not replace a clinical "
    "evaluation."
)
VERDICTS = {
    "holds": Status(text="certificate holds", tone="good"),
    "does not hold": Status(text="certificate does not hold", tone="bad"),
    "cannot tell": Status(text="cannot tell", tone="open"),
}


def study_page(document: StudyDocument, comparison: ComparisonDocument | None = None) -> Page:
    """Return the page of a study, with the comparison of rules if there is one."""
    sections = [
        certificate_section(document),
        operating_section(document),
        choice_section(document),
        stability_section(document),
        tipping_section(document),
        candidates_section(document),
    ]
    if document.sites is not None:
        sections.append(sites_section(document, document.sites))
    if comparison is not None:
        sections.append(comparison_section(comparison))
    sections += [methods_section(document), checklist_section(document), options_section(document)]
    return Page(
        title=f"A cut-off on {quoted(document.score)}",
        subtitle=study_subtitle(document),
        status=study_status(document.certificate),
        headline=study_headline(document),
        facts=study_facts(document),
        warnings=tuple(document.stability.warnings),
        sections=tuple(sections),
        footer=FOOTER,
        explorer=explorer_of(document, "who certify"),
        files=held_files(document, "study.json", document.frozen_rule),
    )


def study_subtitle(document: StudyDocument) -> str:
    """Say who chose and who certifies."""
    patients = document.patients
    if document.certificate.honesty == "split":
        roles = f"{patients.select} chose the cut-off, {patients.certify} others certify it"
    else:
        roles = "all of them chose the cut-off and certify it"
    return f"{count(patients.total, 'patient')}, {patients.positive} of them positive: {roles}"


def study_status(certificate: CertificatePart) -> Status:
    """Say whether the certificate proves anything."""
    if certificate.vacuous:
        return Status(text="vacuous certificate", tone="open")
    return Status(text="certified", tone="good")


def study_headline(document: StudyDocument) -> tuple[str, ...]:
    """Return the sentences that are read in ten seconds; the first one is the rule."""
    certificate, stability = document.certificate, document.stability
    sentences = [
        rule_sentence(document),
        limit_sentence(
            certificate.value, document.costs, certificate.delta, "at the first hospital"
        ),
    ]
    if certificate.vacuous:
        sentences.append(
            vacuous_sentence(document.costs, certificate, document.operating_point.prevalence)
        )
    sentences.append(
        "Had other patients of the same hospital chosen the cut-off, about "
        f"{percent(stability.flip_rate)} of the decisions would be different. For another "
        "hospital nothing is promised yet: audit the rule there."
    )
    return tuple(sentences)


def study_facts(document: StudyDocument) -> tuple[tuple[str, str], ...]:
    """Return the numbers to take away."""
    certificate, costs = document.certificate, document.costs
    return (
        ("cut-off", cut(document.threshold)),
        ("certified, at most", limit(certificate.value, costs)),
        ("observed", observed(certificate.risk, costs)),
        ("decisions that flip", percent(document.stability.flip_rate)),
    )


def audit_page(document: AuditDocument) -> Page:
    """Return the page of an audit."""
    sections: list[Section] = []
    if isinstance(document, LabelledAudit):
        sections += [here_section(document), shift_section(document)]
    sections += [bounds_section(document), label_free_section(document), calls_section(document)]
    sections += [audit_methods_section(document), audit_checklist_section(document)]
    return Page(
        title=f"An audit of the cut-off on {quoted(document.score)}",
        subtitle=f"{count(document.n_patients, 'patient')} of another hospital, "
        + ("with known labels" if document.labelled else "without labels"),
        status=VERDICTS[document.verdict],
        headline=audit_headline(document),
        facts=audit_facts(document),
        warnings=tuple(document.warnings),
        sections=tuple(sections),
        footer=FOOTER,
        explorer=explorer_of(document, "here"),
        files=held_files(document, "audit.json", document.frozen_rule),
    )


def audit_headline(document: AuditDocument) -> tuple[str, ...]:
    """Return the sentences that are read in ten seconds; the first one is the verdict."""
    certificate, costs = document.certificate, document.costs
    sentences = [verdict_sentence(document)]
    if isinstance(document, LabelledAudit):
        sentences += [
            errors_sentence(document.operating_point, "here"),
            limit_sentence(document.bound_external, costs, document.delta, "here"),
        ]
    certified = limit(certificate.value, costs)
    sentences.append(f"The rule: {rule_sentence(document)} It was certified at {certified}.")
    if not costs.equal:
        sentences.append(f"Here {costs_in_words(costs)}.")
    return tuple(sentences)


def verdict_sentence(document: AuditBase) -> str:
    """Return the verdict as a sentence about the certificate."""
    reason = document.verdict_text.removeprefix(f"{document.verdict}: ")
    subject = {
        "holds": "The certificate holds here",
        "does not hold": "The certificate does not hold here",
        "cannot tell": "It cannot be told whether the certificate holds here",
    }
    return f"{subject[document.verdict]}: {reason}"


def audit_facts(document: AuditDocument) -> tuple[tuple[str, str], ...]:
    """Return the numbers to take away."""
    costs = document.costs
    certified = ("certified before, at most", limit(document.certificate.value, costs))
    called = ("called positive", percent(document.call_rate))
    if not isinstance(document, LabelledAudit):
        return (certified, called, ("decisions that flip", percent(document.flip_rate)))
    return (
        ("observed here", observed(document.risk_external, costs)),
        ("here, at most", limit(document.bound_external, costs)),
        certified,
        called,
    )


def limit(value: float, costs: CostsPart) -> str:
    """Write an upper limit on a risk in a few words."""
    if costs.equal:
        return f"{of_hundred(value / costs.cost_fn)} wrong"
    return f"cost {risk(value)}"


def observed(value: float, costs: CostsPart) -> str:
    """Write an observed risk in a few words."""
    if costs.equal:
        return f"{percent(value / costs.cost_fn)} wrong"
    return f"cost {risk(value)}"
