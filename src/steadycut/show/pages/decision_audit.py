"""The page of an audit of risk strata, or of cut-offs by covariate."""

from collections.abc import Sequence

from steadycut.documents.audit import BoundaryAudit, DecisionAudit, LabelledDecisionAudit
from steadycut.documents.kinds import SCHEMAS
from steadycut.documents.strata import RatePart
from steadycut.show.numbers import UNKNOWN, percent, risk
from steadycut.show.page import Page, Section, Table, explained, held_files, of_columns
from steadycut.show.pages.audit import VERDICTS, audit_subtitle, shaky_rows, verdict_sentence
from steadycut.show.pages.study import data_rows
from steadycut.show.sections.bounds import bounds_section, shift_section
from steadycut.show.sections.characteristics import here_section
from steadycut.show.sentences import aggregation_in_words, quoted


def decision_audit_page(audit: DecisionAudit) -> Page:
    """Return the page of the audit of any frozen file but a cut-off."""
    return Page(
        title=f"An audit of {SCHEMAS[audit.frozen_schema].file_name} on {quoted(audit.score)}",
        subtitle=audit_subtitle(audit),
        status=VERDICTS[audit.verdict][0],
        headline=headline(audit),
        facts=facts(audit),
        warnings=tuple(audit.warnings),
        sections=(
            decisions_section(audit),
            *(labelled_sections(audit) if isinstance(audit, LabelledDecisionAudit) else ()),
            bounds_section(audit),
            steadiness_section(audit),
        ),
        files=held_files(audit, "audit.json", audit.frozen_rule),
    )


def headline(audit: DecisionAudit) -> tuple[str, ...]:
    """Return the sentences that are read in ten seconds; the first one is the verdict."""
    score = aggregation_in_words(audit.score, audit.aggregation)
    by = "".join(f" and {quoted(name)}" for name in audit.attributes)
    decided = f"Decided by {score}{by}: {', '.join(audit.actions)}."
    certified = f"The mean cost per patient was certified at {risk(audit.certificate.value)}."
    return (verdict_sentence(audit), f"{decided} {certified}")


def facts(audit: DecisionAudit) -> tuple[tuple[str, str], ...]:
    """Return the numbers to take away."""
    certified = ("certified before, at most", risk(audit.certificate.value))
    flips = ("decisions that flip", percent(audit.flip_rate))
    if not isinstance(audit, LabelledDecisionAudit):
        return (certified, flips)
    return (
        ("mean cost here", risk(audit.risk_external)),
        ("here, at most", risk(audit.bound_external)),
        certified,
        flips,
    )


def decisions_section(audit: DecisionAudit) -> Section:
    """Show how many patients get which decision, by true grade where it is known."""
    before: Sequence[float | None] = audit.shares_internal or [None] * len(audit.actions)
    tables = [
        of_columns(
            "Share of the patients by decision",
            [
                ("decision", audit.actions),
                ("here", list(map(percent, audit.shares))),
                ("first hospital", list(map(percent, before))),
            ],
        )
    ]
    if isinstance(audit, LabelledDecisionAudit):
        tables.append(matrix_table("Patients here", audit, audit.counts))
        if audit.counts_internal is not None:
            caption = "Certifying patients, first hospital"
            tables.append(matrix_table(caption, audit, audit.counts_internal))
    tables.append(matrix_table("Cost of each decision per patient", audit, audit.cost_matrix))
    return Section(key="decisions", title="Who gets which decision here", tables=tuple(tables))


def matrix_table(caption: str, audit: DecisionAudit, values: Sequence[Sequence[float]]) -> Table:
    """Return a table with a row for each grade and a column for each decision."""
    by_action = zip(audit.actions, zip(*values, strict=True), strict=True)
    cells = [(action, [f"{value:g}" for value in column]) for action, column in by_action]
    return of_columns(caption, [("true grade", audit.grades), *cells])


def labelled_sections(audit: LabelledDecisionAudit) -> list[Section]:
    """Return what only labels can tell; some of it only for two grades and two decisions."""
    here, before = audit.operating_point, audit.operating_point_internal
    sections = [boundaries_section(audit.boundaries)]
    if here is not None and before is not None and audit.costs is not None:
        sections.append(here_section(here, before, audit.costs))
    if audit.shift is not None:
        sections.append(shift_section(audit, audit.shift))
    return sections


def boundaries_section(boundaries: Sequence[BoundaryAudit]) -> Section:
    """Show both error rates between neighbouring decisions, here and before."""
    each = boundaries[0].delta
    rows = [
        (f"{row.below} | {row.above}", name, *rate_cells(here), *rate_cells(before))
        for row in boundaries
        for name, here, before in (
            ("missed", row.miss, row.miss_internal),
            ("false alarms", row.alarm, row.alarm_internal),
        )
    ]
    return Section(
        key="boundaries",
        title="Errors between neighbouring decisions",
        texts=(
            (
                "Missed are patients whose grade belongs above a boundary and who are put below "
                "it; false alarms the other way round. All limits of one hospital hold together "
                f"with {percent(1 - 2 * len(boundaries) * each)} confidence: each is exact at "
                f"{percent(1 - each)}."
            ),
        ),
        tables=(
            Table(
                caption="Error rates, with simultaneous limits",
                header=("boundary", "error", "here", "at most", "first hospital", "at most there"),
                kinds="ttnnnn",
                rows=tuple(rows),
                short=tuple(range(6)),
            ),
        ),
    )


def rate_cells(rate: RatePart | None) -> tuple[str, str]:
    """Return how many errors there are, and the limit of their rate."""
    if rate is None:
        return UNKNOWN, UNKNOWN
    return f"{rate.errors} of {rate.n_patients}", percent(rate.limit)


def steadiness_section(audit: DecisionAudit) -> Section:
    """Show how steady the decisions are, and what the patients came from."""
    made_of = data_rows(audit.data)
    table = Table(caption="The table", header=("what", "value"), kinds="tt", rows=tuple(made_of))
    return Section(
        key="calls",
        title="How steady the decisions are",
        tables=(explained("Decisions", shaky_rows(audit)), *([table] if made_of else [])),
    )
