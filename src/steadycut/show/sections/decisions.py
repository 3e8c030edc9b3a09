"""Which decision patients get, and the errors between neighbouring decisions."""

from collections.abc import Container

from steadycut.core.rounding import UNKNOWN, share_at_most
from steadycut.documents.audit import AuditDocument, LabelledAudit
from steadycut.documents.strata import RatePart
from steadycut.show.pages.page import Section, Table, of_columns, of_matrix, section
from steadycut.show.words.numbers import percent


def decisions_section(audit: AuditDocument) -> Section:
    """Show how many patients get which decision, by true grade where it is known."""
    before = [percent(share) for share in audit.shares_internal or []]
    columns = [
        ("decision", audit.actions),
        ("here", list(map(percent, audit.shares))),
        ("first hospital", before or [UNKNOWN] * len(audit.actions)),
    ]
    tables = [of_columns("Share of the patients by decision", columns)]
    where = (("true grade", audit.grades), audit.actions)
    if isinstance(audit, LabelledAudit):
        tables.append(of_matrix("Patients here", *where, audit.counts))
        if audit.counts_internal is not None:
            caption = "Patients used to check, first hospital"
            tables.append(of_matrix(caption, *where, audit.counts_internal))
    tables.append(of_matrix("Cost of each decision per patient", *where, audit.cost_matrix))
    return section("decisions", "Who gets which decision here", tables=tables)


def boundaries_section(audit: LabelledAudit) -> Section:
    """Show both error rates between neighbouring decisions, here and before."""
    boundaries, each = audit.boundaries, audit.boundaries[0].delta
    above = {(side.n_patients - side.right, side.n_patients) for side in audit.sides or ()}
    rows = [
        (f"{row.below} | {row.above}", name, *rate_cells(here, above), *rate_cells(before))
        for row in boundaries
        for name, here, before in (
            ("missed", row.miss, row.miss_internal),
            ("false alarms", row.alarm, row.alarm_internal),
        )
    ]
    text = (
        "Missed are patients whose grade belongs above a boundary and who are put below it; false "
        "alarms the other way round. All limits of one hospital hold together with "
        f"{percent(1 - 2 * len(boundaries) * each)} confidence: each is exact at "
        f"{percent(1 - each)}."
    )
    if above:
        text += " As above: the limit of this count is shown for the rate that was asked for."
    table = Table(
        caption="Error rates, with simultaneous limits",
        header=("boundary", "error", "here", "at most", "first hospital", "at most there"),
        kinds="ttnnnn",
        rows=tuple(rows),
        short=tuple(range(6)),
    )
    return section("boundaries", "Errors between neighbouring decisions", text, tables=(table,))


def rate_cells(rate: RatePart | None, above: Container[tuple[int, int]] = ()) -> tuple[str, str]:
    """Return how many errors there are, and the limit of their rate, unless it is shown already."""
    if rate is None:
        return UNKNOWN, UNKNOWN
    again = (rate.errors, rate.n_patients) in above
    limit = "as above" if again else share_at_most(rate.limit)
    return f"{rate.errors} of {rate.n_patients}", limit
