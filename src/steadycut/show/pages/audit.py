"""The page of an audit: what a frozen rule does to patients of another hospital."""

from steadycut.documents.audit import AuditBase, AuditDocument, LabelledAudit, RiskHere
from steadycut.documents.parts import Range
from steadycut.show.figures.certificate import CertificateDisplay
from steadycut.show.figures.decision_curve import DecisionCurveDisplay
from steadycut.show.figures.flips import FlipsDisplay
from steadycut.show.figures.scores import ScoresDisplay
from steadycut.show.figures.shift import ShiftDisplay
from steadycut.show.numbers import UNKNOWN, count, cut, exact, percent, risk
from steadycut.show.page import Page, Section, Status, Table, explained, held_files, pictures
from steadycut.show.pages.study import data_rows
from steadycut.show.sections.bounds import bounds_section, shift_section
from steadycut.show.sections.characteristics import DECISION_CURVE, here_section
from steadycut.show.sections.checklist import audit_checklist_section
from steadycut.show.sections.explorer import explorer_of
from steadycut.show.sections.methods import audit_methods_section
from steadycut.show.sections.stability import FLIPS
from steadycut.show.sentences import (
    costs_in_words,
    errors_sentence,
    limit_in_short,
    limit_sentence,
    observed_in_short,
    quoted,
    rule_sentence,
    score_in_words,
)

# Each verdict in short, and as the beginning of a sentence.
VERDICTS = {
    "holds": (Status(text="certificate holds", tone="good"), "The certificate holds here"),
    "does not hold": (
        Status(text="certificate does not hold", tone="bad"),
        "The certificate does not hold here",
    ),
    "cannot tell": (
        Status(text="cannot tell", tone="open"),
        "It cannot be told whether the certificate holds here",
    ),
}
WATERFALL = (
    "Certified risk and bounds, term by term. The dashed line is the risk of the better of two "
    "rules without any score."
)
CALLED = (
    "The share of each class that would be called, by cut-off, here and at the first hospital; "
    "what lies between the two at the frozen cut-off is the shift."
)
STEPS = "From the risk at the first hospital to the risk here, part by part."


def audit_page(audit: AuditDocument) -> Page:
    """Return the page of an audit of a cut-off."""
    return Page(
        title=f"An audit of the cut-off on {quoted(audit.score)}",
        subtitle=audit_subtitle(audit),
        status=VERDICTS[audit.verdict][0],
        headline=headline(audit),
        facts=facts(audit),
        warnings=tuple(audit.warnings),
        sections=(
            *(labelled_sections(audit) if isinstance(audit, LabelledAudit) else ()),
            bounds_section(audit, pictures(audit, {CertificateDisplay: WATERFALL})),
            label_free_section(audit),
            calls_section(audit),
            audit_methods_section(audit),
            audit_checklist_section(audit),
        ),
        explorer=explorer_of(audit, "here"),
        files=held_files(audit, "audit.json", audit.frozen_rule),
    )


def audit_subtitle(audit: AuditBase) -> str:
    """Say who the patients are."""
    labels = "with known labels" if audit.labelled else "without labels"
    return f"{count(audit.n_patients, 'patient')} of another hospital, {labels}"


def verdict_sentence(audit: AuditBase) -> str:
    """Return the verdict, and why, as a sentence about the certificate."""
    reason = audit.verdict_text.removeprefix(f"{audit.verdict}: ")
    return f"{VERDICTS[audit.verdict][1]}: {reason}"


def headline(audit: AuditDocument) -> tuple[str, ...]:
    """Return the sentences that are read in ten seconds; the first one is the verdict."""
    costs = audit.costs
    sentences = [verdict_sentence(audit)]
    if isinstance(audit, LabelledAudit):
        sentences += [
            errors_sentence(audit.operating_point, "here"),
            limit_sentence(audit.bound_external, costs, audit.delta, "here"),
        ]
    certified = limit_in_short(audit.certificate.value, costs)
    sentences.append(f"The rule: {rule_sentence(audit)} It was certified at {certified}.")
    if not costs.equal:
        sentences.append(f"Here {costs_in_words(costs)}.")
    return tuple(sentences)


def facts(audit: AuditDocument) -> tuple[tuple[str, str], ...]:
    """Return the numbers to take away."""
    costs = audit.costs
    certified = ("certified before, at most", limit_in_short(audit.certificate.value, costs))
    called = ("called positive", percent(audit.call_rate))
    if not isinstance(audit, RiskHere):
        return (certified, called, ("decisions that flip", percent(audit.flip_rate)))
    return (
        ("observed here", observed_in_short(audit.risk_external, costs)),
        ("here, at most", limit_in_short(audit.bound_external, costs)),
        certified,
        called,
    )


def labelled_sections(audit: LabelledAudit) -> tuple[Section, ...]:
    """Return what only labels can tell."""
    figures = pictures(audit, {ScoresDisplay: CALLED, DecisionCurveDisplay: DECISION_CURVE})
    here, before = audit.operating_point, audit.operating_point_internal
    return (
        here_section(here, before, audit.costs, figures),
        shift_section(audit, audit.shift, pictures(audit, {ShiftDisplay: STEPS})),
    )


def label_free_section(audit: AuditDocument) -> Section:
    """Say what the scores alone tell about this hospital; a terminal shows it without labels."""
    prevalence, shape, expected = audit.prevalence_estimate, audit.shape_test, audit.risk_range
    matched = audit.quantile_matched
    rows = (
        (
            "prevalence",
            percent(prevalence.value),
            f"estimated; {interval(prevalence.interval, prevalence.interval_level)}",
        ),
        (
            "shape test",
            UNKNOWN if shape.p_value is None else f"p = {shape.p_value:.3f}",
            "a small value says that scores within a class have moved",
        ),
        (
            "expected call rate",
            percent(audit.call_rate_expected),
            f"at that prevalence; {percent(audit.call_rate)} are called",
        ),
        (
            "expected risk",
            risk(expected.estimate),
            f"{risk(expected.low)} to {risk(expected.high)}, if {expected.assumes}",
        ),
        (
            "quantile-matched cut-off",
            cut(matched.threshold),
            (
                f"not used; it would call {percent(matched.call_rate)}, and assumes that "
                f"{matched.assumes}"
            ),
        ),
    )
    said = (audit.rescaling.text, *audit.statements)
    return Section(
        key="label-free",
        title="What the scores alone tell",
        results=() if audit.labelled else said,
        texts=said if audit.labelled else (),
        tables=(explained("Without labels", rows, short=() if audit.labelled else (0, 1, 2)),),
    )


def interval(ends: Range | None, level: float) -> str:
    """Write an interval of shares with its level."""
    if ends is None:
        return f"no prevalence explains the scores ({percent(level)})"
    return f"{percent(ends[0])} to {percent(ends[1])} with {percent(level)} confidence"


def calls_section(audit: AuditDocument) -> Section:
    """Say how many patients are called, and how many decisions are shaky."""
    grey = audit.grey_zone
    return Section(
        key="calls",
        title="Whom it calls",
        texts=(
            (
                f"A patient's score is {score_in_words(audit)}; the cut-off {cut(audit.threshold)} "
                f"was chosen by the rule {quoted(audit.rule)} at the first hospital. Of the "
                f"patients here {grey.patients} lie so close to it that their decision is shaky."
            ),
        ),
        pictures=pictures(audit, {FlipsDisplay: FLIPS}),
        tables=(
            explained(
                "Decisions",
                (
                    *shaky_rows(audit),
                    ("called positive here", percent(audit.call_rate), "of all patients here"),
                    (
                        "called positive before",
                        percent(audit.call_rate_internal),
                        "of the certifying patients of the first hospital",
                    ),
                ),
            ),
            Table(
                caption="The cut-off and the table",
                header=("what", "value"),
                kinds="tt",
                rows=(
                    ("cut-off", exact(audit.threshold)),
                    *data_rows(audit.data),
                ),
            ),
        ),
    )


def shaky_rows(audit: AuditBase) -> tuple[tuple[str, str, str], ...]:
    """Return how many patients there are, and whose decision is shaky."""
    grey = audit.grey_zone
    return (
        ("patients", str(audit.n_patients), "here"),
        (
            "decisions that flip",
            percent(audit.flip_rate),
            "how often a resampled study would decide otherwise about a patient here",
        ),
        (
            f"grey zone, flips of {percent(grey.at_least)} or more",
            f"{grey.patients} ({percent(grey.share)})",
            (
                f"patients whose decision flips in at least {percent(grey.at_least)} of the "
                "resampled studies"
            ),
        ),
    )
