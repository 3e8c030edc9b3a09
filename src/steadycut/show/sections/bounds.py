"""The risk at another hospital: the bounds on it, and where its change comes from."""

from steadycut.core.class_names import ClassNames
from steadycut.documents.audit import (
    AuditDocument,
    DecisionAudit,
    LabelledAudit,
    LabelledDecisionAudit,
    RiskHere,
    ShiftPart,
    ShiftParts,
    ShiftRanges,
)
from steadycut.show.builders import explained, section
from steadycut.show.numbers import change, count, percent, risk, spread
from steadycut.show.page import Picture, Section, Table
from steadycut.show.sections.certificate import certificate_table
from steadycut.show.sentences import bound_in_words, costs_in_words

VACUOUS = "The limit here does not show that the score is better than calling everybody or nobody."
VACUOUS_BEFORE = (
    "Already at the first hospital the certificate did not show that the score is better than "
    "calling everybody or nobody."
)
UNKNOWN_PART = (
    "A part is not known where one of the hospitals has no patient of that class; it counts as "
    "none in the total."
)
TERMS = ("term", "value", "what it is")
AnyAudit = AuditDocument | DecisionAudit
AnyLabelled = LabelledAudit | LabelledDecisionAudit
Row = tuple[str, str, str]


def shift_section(
    audit: AnyLabelled, shift: ShiftPart, figures: tuple[Picture, ...] = ()
) -> Section:
    """Say where the change of risk comes from."""
    names = audit.names
    text = (
        f"The risk here is {spread(audit.risk_external, audit.risk_external_se)} "
        f"(\N{PLUS-MINUS SIGN} standard error); at the first hospital it was "
        f"{risk(audit.risk_internal)}. The change, "
        f"{change(audit.risk_external - audit.risk_internal)}, is the sum of three parts: "
        f"another share of {names.ill_patients}, other scores of the {names.ill_patients}, other "
        f"scores of the {names.healthy_ones}."
    )
    texts = (text, UNKNOWN_PART if None in parts_of(shift) else "")
    tables = (shift_table(shift, names),)
    return section("shift", "Where the change comes from", *texts, figures=figures, tables=tables)


def shift_table(shift: ShiftPart, names: ClassNames) -> Table:
    """Return the parts of the change: signed, averaged over both orders, and absolute."""
    parts = (
        "prevalence",
        f"scores of {names.ill_patients}",
        f"scores of {names.healthy_patients}",
        "total",
    )
    columns = (
        parts,
        map(change, parts_of(shift.signed)),
        interval_texts(shift.intervals.signed),
        map(change, parts_of(shift.shapley)),
        map(risk, parts_of(shift)),
    )
    return Table(
        caption="Where the change of risk comes from",
        header=("part", "signed", "interval", "Shapley value", "absolute (Shift)"),
        kinds="tnnnn",
        rows=tuple(zip(*columns, strict=True)),
        marked=len(parts) - 1,
        note="Signed: the scores change first, then the prevalence. Interval: of the signed part; "
        "all of them hold at once, with the sampling error of both hospitals. Shapley value: the "
        "mean of both orders. Absolute: the paper's Shift, never below the change itself.",
        short=(0, 1, 4),
    )


def parts_of(shift: ShiftParts) -> tuple[float | None, ...]:
    """Return the parts of a change in the order of the table."""
    return (shift.prevalence, shift.shape_positive, shift.shape_negative, shift.total)


def interval_texts(shift: ShiftRanges) -> list[str]:
    """Write the interval of each part, in the order of the table."""
    ranges = (shift.prevalence, shift.shape_positive, shift.shape_negative, shift.total)
    return [" to ".join(map(change, ends)) for ends in ranges]


def bounds_section(audit: AnyAudit, figures: tuple[Picture, ...] = ()) -> Section:
    """Show the certificate of the rule, and where there are labels the bounds on the risk here."""
    title, results = "What was certified", vacuous_sentences(audit)
    tables = [certificate_table(audit.certificate, short=False)]
    if isinstance(audit, AnyLabelled):
        title = "How far it can be trusted here"
        tables.insert(0, bounds_table(audit))
    text = explanation(audit)
    return section("bounds", title, text, results=results, figures=figures, tables=tables)


def explanation(audit: AnyAudit) -> str:
    """Say what the bounds are."""
    if not isinstance(audit, RiskHere):
        return (
            "Without labels only the certificate of the first hospital is known. Whether it "
            "carries over cannot be told from scores alone."
        )
    held = f"The direct bound on the risk here is valid with {percent(1 - audit.delta)} confidence"
    if not isinstance(audit, LabelledAudit):
        return f"{held}."
    return (
        f"Upper limits on the risk here. {held}, and the tightest. Base is the paper's, as if the "
        "shift were known exactly; the valid base allows for its error. Augmented adds the "
        "instability penalty, and is never smaller."
    )


def vacuous_sentences(audit: AnyAudit) -> list[str]:
    """Say which limits prove nothing, if any do."""
    found = []
    if isinstance(audit, RiskHere) and audit.vacuous:
        found.append(VACUOUS)
    if audit.certificate.vacuous:
        found.append(VACUOUS_BEFORE)
    if isinstance(audit, LabelledAudit):
        largest = max(audit.costs.cost_fn, audit.costs.cost_fp)
        bounds = {
            "direct bound": audit.bound_external,
            "base": audit.base,
            "valid base": audit.base_valid,
            "augmented": audit.augmented,
        }
        above = [name for name, bound in bounds.items() if bound > largest]
        found += [f"Above the largest possible cost, so says nothing: {name}." for name in above]
    return found


def bounds_table(audit: AnyLabelled) -> Table:
    """Return every bound on the risk here, and what it is made of."""
    bound, patients = bound_in_words(audit.bound), count(audit.n_patients, "patient")
    seen = spread(audit.risk_external, audit.risk_external_se)
    rows: list[Row] = [
        ("certified risk", risk(audit.certificate.value), "at the first hospital"),
        *(paper_rows(audit) if isinstance(audit, LabelledAudit) else ()),
        ("observed before", risk(audit.risk_internal), "at the first hospital"),
        ("observed here", seen, "\N{PLUS-MINUS SIGN} standard error"),
        ("direct bound here", risk(audit.bound_external), f"{bound}, {patients}"),
    ]
    if isinstance(audit, LabelledDecisionAudit):
        rows.append(("at least", risk(audit.lower_external), "the lower limit, for itself alone"))
    where = "" if audit.costs is None else f", where {costs_in_words(audit.costs)}"
    return explained(f"The risk here{where}", rows, header=TERMS)


def paper_rows(audit: LabelledAudit) -> list[Row]:
    """Return the paper's bounds: the certificate plus the change of risk."""
    valid = "observed risk + shift + the margin here; never below the direct bound"
    trivial = audit.costs.trivial_risk(audit.operating_point.prevalence)
    everybody = "call nobody, or call everybody, among the patients here"
    return [
        ("+ shift", risk(audit.shift.total), "the sum of the absolute parts of the change"),
        ("= base", risk(audit.base), "as if the shift were known"),
        ("valid base", risk(audit.base_valid), valid),
        ("augmented", risk(audit.augmented), "base plus the instability penalty"),
        ("calling everybody or nobody here", risk(trivial), everybody),
    ]
