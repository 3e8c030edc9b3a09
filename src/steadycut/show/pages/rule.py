"""The page of a frozen file: what it decides, what is certified, and whom it was made from.

The study of a kind without a page of its own has nearly the same one.
"""

from importlib import import_module
from typing import Any

from steadycut import _kinds
from steadycut.core.rounding import at_most
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.kinds import class_of
from steadycut.documents.parts import CertificatePart
from steadycut.documents.study import AnyStudy
from steadycut.show.pages.page import Page
from steadycut.show.sections.certificate import certificate_section, judged
from steadycut.show.sections.two_cuts import judged_sides
from steadycut.show.words import sentences as say
from steadycut.show.words.numbers import count, percent, risk
from steadycut.study.useful import verdict_of_rule

WITHOUT = "a decision without the score"


def rule_page(rule: FrozenFile[Any]) -> Page:
    """Return the page of a frozen file of any kind; it has no sections."""
    document, certificate, sides = rule.document, rule.certificate, rule.sides
    verdict = verdict_of_rule(rule)
    limit = limit_of(certificate)
    certified = f"The certified average cost per patient is {limit}."
    two = judged_sides(document.sides, document.rule, certificate.delta) if sides else None
    status, marks, step = two or judged(certificate, verdict, certified, rule.file_name, WITHOUT)
    return Page(
        title=f"A frozen rule on {say.quoted(document.columns.score)}",
        subtitle=f"made from {count(document.provenance.patients.total, 'patient')}",
        status=status,
        headline=(in_words(rule),),
        marks=marks,
        step=step,
        facts=(
            ("certified cost", limit),
            ("without the score", risk(certificate.trivial_risk)),
            ("SHA-256", str(document.sha256)),
        ),
    )


def limit_of(certificate: CertificatePart) -> str:
    """Write the certified value with its confidence."""
    return f"at most {at_most(certificate.value)} ({percent(1 - certificate.delta)} confidence)"


def in_words(rule: FrozenFile[Any]) -> str:
    """Say what the rule decides, as the page of its kind does."""
    document = rule.document
    score = say.aggregation_in_words(document.columns.score, document.aggregation)
    page = next(kind.page for kind in _kinds.KINDS if kind.schema == rule.schema)
    if page is None:
        return f"The decision is {' or '.join(rule.actions)}. The score of a patient is {score}."
    text: str = import_module(f"steadycut.show.pages.{page}").rule_in_words(document, score)
    return text


def any_study_page(study: AnyStudy) -> Page:
    """Return the page of a study whose kind has none of its own."""
    kind = next(kind for kind in _kinds.KINDS if class_of(kind.study) is type(study))
    certificate = study.certificate
    certified = f"The certified average cost per patient is {limit_of(certificate)}."
    known = certificate, study.verdict, certified, kind.file_name, WITHOUT
    status, marks, step = judged(*known)
    return Page(
        title=f"A study of {say.quoted(study.score)}",
        subtitle=f"checked with {count(certificate.n_patients, 'patient')}",
        status=status,
        headline=(certified,),
        marks=marks,
        step=step,
        sections=(certificate_section(certificate, "where the risk is the average cost"),),
    )
