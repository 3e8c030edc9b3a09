"""The audit of risk strata, or of cut-offs by covariate, as a page: numbers and sentences."""

from collections.abc import Sequence

from steadycut.documents.audit import BoundaryAudit, DecisionAudit, LabelledDecisionAudit
from steadycut.documents.kinds import SCHEMAS
from steadycut.documents.strata import RatePart
from steadycut.show.held_files import held_files
from steadycut.show.numbers import UNKNOWN, count, percent, risk, spread
from steadycut.show.page import Page, Section, Status, Table
from steadycut.show.pages import FOOTER, VERDICTS, verdict_sentence
from steadycut.show.sections.audit import points_table, shift_table
from steadycut.show.sections.study import data_rows
from steadycut.show.sentences import aggregation_in_words, quoted


def decision_page(audit: DecisionAudit) -> Page:
    """Return the page of the audit of any frozen file but a cut-off."""
    status: Status = VERDICTS[audit.verdict]
    labels = "with known labels" if audit.labelled else "without labels"
    sections = [decisions_section(audit)]
    if isinstance(audit, LabelledDecisionAudit):
        sections += [boundaries_section(audit.boundaries), *two_by_two_sections(audit)]
    return Page(
        title=f"An audit of {SCHEMAS[audit.frozen_schema].file_name} on {quoted(audit.score)}",
        subtitle=f"{count(audit.n_patients, 'patient')} of another hospital, {labels}",
        status=status,
        headline=headline(audit),
        facts=facts(audit),
        warnings=tuple(audit.warnings),
        sections=(*sections, bounds_section(audit), made_section(audit)),
        footer=FOOTER,
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
    before = [UNKNOWN] * len(audit.actions)
    if audit.shares_internal is not None:
        before = [percent(share) for share in audit.shares_internal]
    shares = zip(audit.actions, map(percent, audit.shares), before, strict=True)
    tables = [
        Table(
            caption="Share of the patients by decision",
            header=("decision", "here", "first hospital"),
            kinds="tnn",
            rows=tuple(shares),
        )
    ]
    if isinstance(audit, LabelledDecisionAudit):
        tables.append(matrix_table("Patients here", audit, audit.counts))
        if audit.counts_internal is not None:
            before_text = "Certifying patients, first hospital"
            tables.append(matrix_table(before_text, audit, audit.counts_internal))
    tables.append(matrix_table("Cost of each decision per patient", audit, audit.cost_matrix))
    return Section(key="decisions", title="Who gets which decision here", tables=tuple(tables))


def matrix_table(caption: str, audit: DecisionAudit, values: Sequence[Sequence[float]]) -> Table:
    """Return a table with a row for each grade and a column for each decision."""
    return Table(
        caption=caption,
        header=("true grade", *audit.actions),
        kinds="t" + "n" * len(audit.actions),
        rows=tuple(
            (grade, *(f"{value:g}" for value in row))
            for grade, row in zip(audit.grades, values, strict=True)
        ),
    )


def boundaries_section(boundaries: Sequence[BoundaryAudit]) -> Section:
    """Show both error rates between neighbouring decisions, here and before."""
    each = boundaries[0].delta
    text = (
        "Missed are patients whose grade belongs above a boundary and who are put below it; false "
        "alarms the other way round. All limits of one hospital hold together with "
        f"{percent(1 - 2 * len(boundaries) * each)} confidence: each is exact at "
        f"{percent(1 - each)}."
    )
    rows = tuple(
        (f"{row.below} | {row.above}", name, *rate_cells(here), *rate_cells(before))
        for row in boundaries
        for name, here, before in (
            ("missed", row.miss, row.miss_internal),
            ("false alarms", row.alarm, row.alarm_internal),
        )
    )
    return Section(
        key="boundaries",
        title="Errors between neighbouring decisions",
        texts=(text,),
        tables=(
            Table(
                caption="Error rates, with simultaneous limits",
                header=("boundary", "error", "here", "at most", "first hospital", "at most there"),
                kinds="ttnnnn",
                rows=rows,
            ),
        ),
    )


def rate_cells(rate: RatePart | None) -> tuple[str, str]:
    """Return how many errors there are, and the limit of their rate."""
    if rate is None:
        return UNKNOWN, UNKNOWN
    return f"{rate.errors} of {rate.n_patients}", percent(rate.limit)


def two_by_two_sections(audit: LabelledDecisionAudit) -> list[Section]:
    """Show what is known only for two grades and two decisions."""
    here, before = audit.operating_point, audit.operating_point_internal
    if here is None or before is None or audit.costs is None or audit.shift is None:
        return []
    return [
        Section(
            key="operating-point",
            title="What it does to patients here",
            tables=(points_table(here, before, audit.costs),),
        ),
        Section(
            key="shift", title="Where the change comes from", tables=(shift_table(audit.shift),)
        ),
    ]


def bounds_section(audit: DecisionAudit) -> Section:
    """Show the certificate of the file, and where there are labels the bound on the cost here."""
    certificate = audit.certificate
    rows = [
        ("observed before", risk(certificate.risk), f"{certificate.n_patients} patients"),
        ("certified before, at most", risk(certificate.value), certificate.bound),
    ]
    if isinstance(audit, LabelledDecisionAudit):
        observed = spread(audit.risk_external, audit.risk_external_se)
        rows += [
            ("observed here", observed, "\N{PLUS-MINUS SIGN} standard error"),
            ("here, at most", risk(audit.bound_external), f"{audit.bound}, for this limit alone"),
            ("here, at least", risk(audit.lower_external), "the lower limit, for itself alone"),
        ]
    return Section(
        key="bounds",
        title="How far it can be trusted here" if audit.labelled else "What was certified",
        texts=(f"Each limit holds with {percent(1 - audit.delta)} confidence.",),
        tables=(
            Table(
                caption="Mean cost per patient",
                header=("what", "value", "note"),
                kinds="tnt",
                rows=tuple(rows),
            ),
        ),
    )


def made_section(audit: DecisionAudit) -> Section:
    """Show how steady the decisions are, and what the patients came from."""
    grey = audit.grey_zone
    rows = (
        ("patients", str(audit.n_patients)),
        ("decisions that flip", percent(audit.flip_rate)),
        (f"flip in at least {percent(grey.at_least)} of resampled studies", str(grey.patients)),
        *data_rows(audit),
    )
    table = Table(caption="Decisions", header=("what", "value"), kinds="tn", rows=rows)
    return Section(key="calls", title="How steady the decisions are", tables=(table,))
