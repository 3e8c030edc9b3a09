"""The page of an audit: what a frozen file does to patients of another hospital."""

from collections.abc import Iterator

from steadycut._kinds import file_name_of
from steadycut.core.rounding import UNKNOWN, at_most
from steadycut.documents.audit import AuditDocument, CutOffAudit, LabelledAudit, LabelledCutOffAudit
from steadycut.documents.parts import Range
from steadycut.show.pages.page import (
    Explorer,
    Page,
    Section,
    data_rows,
    explained,
    listed,
    pictures,
    section,
)
from steadycut.show.sections import verdict
from steadycut.show.sections.bounds import bounds_section, shift_section
from steadycut.show.sections.characteristics import here_section, score_section
from steadycut.show.sections.checklist import audit_checklist_section
from steadycut.show.sections.decisions import boundaries_section, decisions_section
from steadycut.show.sections.explorer import explorer_of
from steadycut.show.sections.methods import audit_methods_section
from steadycut.show.sections.survival import survival_facts, survival_section
from steadycut.show.sections.two_cuts import between_in_words, side_marks, sides_section
from steadycut.show.words import sentences as say
from steadycut.show.words.audit import labelled_in_words, overall_text
from steadycut.show.words.numbers import count, cut, exact, percent, risk
from steadycut.show.words.unlabelled import (
    EQUAL_PREVALENCE,
    SAME_SHAPES,
    rescaling_text,
    statements,
)

Fact = tuple[str, str]


def audit_page(audit: AuditDocument) -> Page:
    """Return the page of an audit."""
    name, known = file_name_of(audit.frozen_schema), decision_facts(audit)
    if isinstance(audit, CutOffAudit):
        name, known = "the cut-off", facts(audit)
    who = f"{count(audit.n_patients, 'patient')} of another hospital"
    sides = side_marks(getattr(audit, "sides", None) or [], delta_of_all(audit))
    return Page(
        title=f"An audit of {name} on {say.quoted(audit.score)}",
        subtitle=f"External validation: {who}, {labelled_in_words(audit)}",
        status=verdict.STATUS[audit.verdict.decision],
        headline=(
            overall_text(audit),
            *say.scored_sentences(audit.n_patients, audit.data, audit.unscored, audit.names),
        ),
        answer=verdict.decision_table(audit),
        marks=(*sides, *verdict.marks_of(audit)),
        facts=known,
        facts_in_short=not audit.labelled,
        pictures=pictures(audit, "headline"),
        sections=tuple(sections_of(audit)),
        explorer=explorer_here(audit) if isinstance(audit, LabelledCutOffAudit) else None,
    )


def sections_of(audit: AuditDocument) -> Iterator[Section]:
    """Yield all sections; some are about one cut-off, others about several decisions."""
    if not isinstance(audit, CutOffAudit):
        yield decisions_section(audit)
    if isinstance(audit, LabelledAudit):
        yield from labelled_sections(audit)
    yield bounds_section(audit)
    if not isinstance(audit, CutOffAudit):
        yield steadiness_section(audit)
        return
    yield label_free_section(audit)
    yield calls_section(audit)
    yield audit_methods_section(audit)
    yield audit_checklist_section(audit)


def explorer_here(audit: LabelledCutOffAudit) -> Explorer | None:
    """Return the explorer of the patients here."""
    return explorer_of(audit.explorer, (audit.bound_external, audit.bound), audit.names, "here")


def facts(audit: CutOffAudit) -> tuple[Fact, ...]:
    """Return the numbers to take away."""
    costs = audit.costs
    limit = say.limit_in_short(audit.certificate.value, costs)
    certified = ("certified before, at most", limit)
    if not audit.certificate.n_patients:
        certified = ("certified before", "nothing: it was adapted without labels")
    called = ("called", verdict.called_in_words(audit))
    unknown = survival_facts(audit.survival, costs)
    return (("cut-off (decision threshold)", cut(audit.threshold)), certified, called, *unknown)


def decision_facts(audit: AuditDocument) -> tuple[Fact, ...]:
    """Return the numbers to take away."""
    certified = ("certified before, at most", at_most(audit.certificate.value))
    flips = ("decisions that a resampled study reverses", percent(audit.flip_rate))
    if audit.between is None:
        return certified, flips
    return ("between the cut-offs", between_in_words(audit.between)), certified, flips


def labelled_sections(audit: LabelledAudit) -> Iterator[Section]:
    """Yield what is known with labels only."""
    here, before, costs = audit.operating_point, audit.operating_point_internal, audit.costs
    if audit.sides is not None:
        yield sides_section(audit.sides, audit.between, delta_of_all(audit))
    yield from verdict.groups_section(audit)
    yield from verdict.answers_section(audit)
    if audit.survival is not None:
        yield survival_section(audit.survival, audit.direction)
    if not isinstance(audit, CutOffAudit):
        yield boundaries_section(audit)
    if here is not None and before is not None and costs is not None:
        yield here_section(audit, here, before, costs)
    if isinstance(audit, LabelledCutOffAudit):
        yield score_section(audit)
    if audit.shift is not None:
        yield shift_section(audit, audit.shift)


def label_free_section(audit: CutOffAudit) -> Section:
    """Say what the scores alone tell about this hospital; a terminal shows it without labels."""
    prevalence, shape, expected = audit.prevalence_estimate, audit.shape_test, audit.risk_range
    matched, level = audit.quantile_matched, prevalence.interval_level
    p_value = UNKNOWN if shape.p_value is None else f"p = {shape.p_value:.3f}"
    said_call_rate = f"at that prevalence; {percent(audit.call_rate)} are called"
    reach = f"{risk(expected.low)} to {risk(expected.high)}, if {SAME_SHAPES}"
    share = percent(matched.call_rate)
    calls = f"not used; it would call {share}, and assumes that {EQUAL_PREVALENCE}"
    rows = (
        ("prevalence", percent(prevalence.value), f"estimated; {ends(prevalence.interval, level)}"),
        ("shape test", p_value, "a small value says that scores within a class have moved"),
        ("expected call rate", percent(audit.call_rate_expected), said_call_rate),
        ("expected risk", risk(expected.estimate), reach),
        ("quantile-matched cut-off", cut(matched.threshold), calls),
    )
    unknown = statements(audit, audit.delta, audit.certificate.n_choices)
    # What cannot be known without labels is known with them.
    said = (rescaling_text(audit.rescaling), *(() if audit.labelled else unknown))
    texts, results, short = (said, (), ()) if audit.labelled else ((), said, (0, 1, 2))
    table = explained("Without labels", rows, short=short)
    title = "What the scores alone tell"
    return section("label-free", title, *texts, results=results, tables=(table,))


def ends(interval: Range | None, level: float) -> str:
    """Write an interval of shares with its level."""
    if interval is None:
        return f"no prevalence explains the scores ({percent(level)})"
    return f"{percent(interval[0])} to {percent(interval[1])} with {percent(level)} confidence"


def calls_section(audit: CutOffAudit) -> Section:
    """Say how many patients are called, and how many decisions are shaky."""
    costs = audit.costs
    certified = say.limit_in_short(audit.certificate.value, costs)
    text = (
        f"{say.rule_sentence(audit)} The rule {say.quoted(audit.rule)} chose it at the first "
        f"hospital, where it was certified at {certified}; {say.costs_in_words(costs)}. Of the "
        f"patients here {audit.grey_zone.patients} lie so close to it that their decision is shaky."
    )
    first = "of the patients used to check of the first hospital"
    rows = (
        *shaky_rows(audit),
        ("called here", percent(audit.call_rate), verdict.called_in_words(audit)),
        ("called before", percent(audit.call_rate_internal), first),
    )
    made_of = [("cut-off", exact(audit.threshold)), *data_rows(audit.data)]
    tables = (
        explained("Decisions", rows),
        listed("The cut-off and the table", made_of, header=("what", "value")),
    )
    return section("calls", "Whom it calls", text, of=audit, tables=tables)


def shaky_rows(audit: AuditDocument) -> tuple[tuple[str, str, str], ...]:
    """Return how many patients there are, and whose decision is shaky."""
    grey, share = audit.grey_zone, percent(audit.grey_zone.at_least)
    flips = "how often a resampled study would decide otherwise about a patient here"
    whose = f"patients whose decision is reversed in at least {share} of the resampled studies"
    shaky = f"{grey.patients} ({percent(grey.share)})"
    return (
        ("patients", str(audit.n_patients), "here"),
        ("decisions that a resampled study reverses", percent(audit.flip_rate), flips),
        (f"grey zone, reversed in {share} or more", shaky, whose),
    )


def delta_of_all(audit: AuditDocument) -> float:
    """Return the error probability of the answers about all patients; groups take half of it."""
    return audit.delta / 2 if isinstance(audit, LabelledAudit) and audit.groups else audit.delta


def steadiness_section(audit: AuditDocument) -> Section:
    """Show how steady the decisions are, and what the patients came from."""
    made_of = data_rows(audit.data)
    table = listed("The table", made_of, header=("what", "value")) if made_of else None
    tables = (explained("Decisions", shaky_rows(audit)), table)
    return section("calls", "How steady the decisions are", tables=tables)
