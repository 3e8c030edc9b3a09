"""A study, or an audit, as the ordered sections of a page: numbers and sentences, no markup.

Only the content of ``study.json``, ``compare.json`` or ``audit.json`` is read, so that a page can
be made again from these files alone.
"""

from collections.abc import Mapping
from typing import Any

from steadycut.documents.audit import AuditDocument
from steadycut.documents.reading import document_of
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
    costs_are_equal,
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


def study_page(study: Mapping[str, Any], comparison: Mapping[str, Any] | None = None) -> Page:
    """Return the page of a study, with the comparison of rules if there is one."""
    content = document_of(StudyDocument, study).to_plain()
    sections = [
        certificate_section(content),
        operating_section(content),
        choice_section(content),
        stability_section(content),
        tipping_section(content),
        candidates_section(content),
    ]
    if content["sites"] is not None:
        sections.append(sites_section(content))
    if comparison is not None:
        sections.append(comparison_section(comparison))
    sections += [methods_section(content), checklist_section(content), options_section(content)]
    return Page(
        title=f"A cut-off on {quoted(content['score'])}",
        subtitle=study_subtitle(content),
        status=study_status(content["certificate"]),
        headline=study_headline(content),
        facts=study_facts(content),
        warnings=tuple(content["stability"]["warnings"]),
        sections=tuple(sections),
        footer=FOOTER,
        explorer=explorer_of(content, "who certify"),
        files=held_files(content, "study.json"),
    )


def study_subtitle(content: Mapping[str, Any]) -> str:
    """Say who chose and who certifies."""
    patients = content["patients"]
    if content["certificate"]["honesty"] == "split":
        roles = f"{patients['select']} chose the cut-off, {patients['certify']} others certify it"
    else:
        roles = "all of them chose the cut-off and certify it"
    return (
        f"{count(patients['total'], 'patient')}, {patients['positive']} of them positive: {roles}"
    )


def study_status(certificate: Mapping[str, Any]) -> Status:
    """Say whether the certificate proves anything."""
    if certificate["vacuous"]:
        return Status(text="vacuous certificate", tone="open")
    return Status(text="certified", tone="good")


def study_headline(content: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sentences that are read in ten seconds; the first one is the rule."""
    certificate, stability = content["certificate"], content["stability"]
    sentences = [
        rule_sentence(content),
        limit_sentence(
            certificate["value"], content["costs"], certificate["delta"], "at the first hospital"
        ),
    ]
    if certificate["vacuous"]:
        sentences.append(vacuous_sentence(content, content["operating_point"]))
    sentences.append(
        "Had other patients of the same hospital chosen the cut-off, about "
        f"{percent(stability['flip_rate'])} of the decisions would be different. For another "
        "hospital nothing is promised yet: audit the rule there."
    )
    return tuple(sentences)


def study_facts(content: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the numbers to take away."""
    certificate, costs = content["certificate"], content["costs"]
    return (
        ("cut-off", cut(content["threshold"])),
        ("certified, at most", limit(certificate["value"], costs)),
        ("observed", observed(certificate["risk"], costs)),
        ("decisions that flip", percent(content["stability"]["flip_rate"])),
    )


def audit_page(audit: Mapping[str, Any]) -> Page:
    """Return the page of an audit."""
    content = document_of(AuditDocument, audit).to_plain()
    sections: list[Section] = []
    if content["labelled"]:
        sections += [here_section(content), shift_section(content)]
    sections += [bounds_section(content), label_free_section(content), calls_section(content)]
    sections += [audit_methods_section(content), audit_checklist_section(content)]
    return Page(
        title=f"An audit of the cut-off on {quoted(content['score'])}",
        subtitle=f"{count(content['n_patients'], 'patient')} of another hospital, "
        + ("with known labels" if content["labelled"] else "without labels"),
        status=VERDICTS[content["verdict"]],
        headline=audit_headline(content),
        facts=audit_facts(content),
        warnings=tuple(content["warnings"]),
        sections=tuple(sections),
        footer=FOOTER,
        explorer=explorer_of(content, "here"),
        files=held_files(content, "audit.json"),
    )


def audit_headline(content: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sentences that are read in ten seconds; the first one is the verdict."""
    certificate, costs = content["certificate"], content["costs"]
    sentences = [verdict_sentence(content)]
    if content["labelled"]:
        sentences += [
            errors_sentence(content["operating_point"], "here"),
            limit_sentence(content["bound_external"], costs, content["delta"], "here"),
        ]
    certified = limit(certificate["value"], costs)
    sentences.append(f"The rule: {rule_sentence(content)} It was certified at {certified}.")
    if not costs_are_equal(costs):
        sentences.append(f"Here {costs_in_words(costs)}.")
    return tuple(sentences)


def verdict_sentence(content: Mapping[str, Any]) -> str:
    """Return the verdict as a sentence about the certificate."""
    reason = content["verdict_text"].removeprefix(f"{content['verdict']}: ")
    subject = {
        "holds": "The certificate holds here",
        "does not hold": "The certificate does not hold here",
        "cannot tell": "It cannot be told whether the certificate holds here",
    }
    return f"{subject[content['verdict']]}: {reason}"


def audit_facts(content: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the numbers to take away."""
    costs = content["costs"]
    certified = ("certified before, at most", limit(content["certificate"]["value"], costs))
    called = ("called positive", percent(content["call_rate"]))
    if not content["labelled"]:
        return (certified, called, ("decisions that flip", percent(content["flip_rate"])))
    return (
        ("observed here", observed(content["risk_external"], costs)),
        ("here, at most", limit(content["bound_external"], costs)),
        certified,
        called,
    )


def limit(value: float, costs: Mapping[str, float]) -> str:
    """Write an upper limit on a risk in a few words."""
    if costs_are_equal(costs):
        return f"{of_hundred(value / costs['cost_fn'])} wrong"
    return f"cost {risk(value)}"


def observed(value: float, costs: Mapping[str, float]) -> str:
    """Write an observed risk in a few words."""
    if costs_are_equal(costs):
        return f"{percent(value / costs['cost_fn'])} wrong"
    return f"cost {risk(value)}"
