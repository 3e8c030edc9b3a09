"""The page of a frozen file: what it decides, what is certified, and whom it was made from."""

from typing import Any

from steadycut.core.rounding import at_most
from steadycut.documents.covariate import CovariateDocument
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.rule import FrozenRule, RuleDocument
from steadycut.documents.strata import StrataDocument
from steadycut.show.pages.covariate import rule_in_words
from steadycut.show.pages.page import Page
from steadycut.show.pages.strata import strata_in_words
from steadycut.show.sections.certificate import certificate_status, useful_mark, useful_step
from steadycut.show.sections.two_cuts import (
    side_marks,
    two_cuts_sentence,
    two_cuts_status,
    two_cuts_step,
)
from steadycut.show.words import sentences as say
from steadycut.show.words.numbers import count, percent, risk
from steadycut.study.useful import verdict_of_counts, verdict_of_rule


def rule_page(rule: FrozenFile[Any]) -> Page:
    """Return the page of a frozen file of any kind; it has no sections."""
    document, certificate = rule.document, rule.certificate
    verdict = None
    if isinstance(rule, FrozenRule):
        rounded = document.provenance.options.small_cells is not None
        verdict = verdict_of_rule(rule, rounded=rounded)
    elif rule.reference_counts is not None:
        counts, matrix = rule.reference_counts, rule.cost_matrix
        verdict = verdict_of_counts(counts, certificate, matrix, rule.costs)
    limit = f"at most {at_most(certificate.value)} ({percent(1 - certificate.delta)} confidence)"
    certified = f"The certified average cost per patient is {limit}."
    without = "a decision without the score"
    sides = document.sides or [] if isinstance(document, StrataDocument) else []
    return Page(
        title=f"A frozen rule on {say.quoted(document.columns.score)}",
        subtitle=f"made from {count(document.provenance.patients.total, 'patient')}",
        status=two_cuts_status(sides) if sides else certificate_status(certificate, verdict),
        headline=(in_words(rule),),
        marks=side_marks(sides, certificate.delta) or useful_mark(verdict, certified),
        facts=(
            ("certified cost", limit),
            ("without the score", risk(certificate.trivial_risk)),
            ("SHA-256", str(document.sha256)),
        ),
        step=two_cuts_step(sides, document.rule)
        if sides
        else useful_step(rule.file_name, certificate, verdict, without),
    )


def in_words(rule: FrozenFile[Any]) -> str:
    """Say what the rule decides."""
    document = rule.document
    score = say.aggregation_in_words(document.columns.score, document.aggregation)
    if isinstance(document, StrataDocument) and document.between is not None:
        return f"{two_cuts_sentence(document, document.between)} The score of a patient is {score}."
    if isinstance(document, StrataDocument):
        return strata_in_words(document, score)
    if isinstance(document, CovariateDocument):
        return rule_in_words(document, score)
    if not isinstance(document, RuleDocument):
        return f"The decision is {' or '.join(rule.actions)}. The score of a patient is {score}."
    if document.ensemble is not None:
        score = f"the mean quantile of {count(len(document.ensemble.methods), 'method')}"
    return say.call_sentence(score, document.direction, document.threshold)
