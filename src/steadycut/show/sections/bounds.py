"""The risk at another hospital: the bounds on it, and where its change comes from."""

from typing import Any

from steadycut.core.class_names import ClassNames
from steadycut.core.rounding import at_least, at_most
from steadycut.documents import audit as audits
from steadycut.show.pages.page import Section, Table, explained, section
from steadycut.show.sections.certificate import certificate_table
from steadycut.show.words.numbers import change, count, percent, risk, spread
from steadycut.show.words.sentences import bound_in_words, costs_in_words, quoted

VACUOUS = "The limit here does not show that the score is better than calling everybody or nobody."
ADAPTED = "The cut-off was adapted without labels, so nothing was certified before."
VACUOUS_BEFORE = (
    "Already at the first hospital the certificate did not show that the score is better than "
    "calling everybody or nobody."
)
UNKNOWN_PART = (
    "A part is not known where one of the hospitals has no patient of that class; it counts as "
    "none in the total."
)
TERMS = ("term", "value", "what it is")
Row = tuple[str, str, str]


def shift_section(audit: audits.LabelledAudit, shift: audits.ShiftPart) -> Section:
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
    tables = (shift_table(shift, names), *distances_tables(shift, names))
    return section("shift", "Where the change comes from", *texts, of=audit, tables=tables)


def shift_table(shift: audits.ShiftPart, names: ClassNames) -> Table:
    """Return the parts of the change: signed, averaged over both orders, and absolute."""
    scores = [f"scores of {who}" for who in (names.ill_patients, names.healthy_patients)]
    parts = ("prevalence", *scores, "total")
    columns = (
        parts,
        map(change, parts_of(shift.signed)),
        (" to ".join(map(change, ends)) for ends in parts_of(shift.intervals.signed)),
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


def distances_tables(shift: audits.ShiftPart, names: ClassNames) -> tuple[Table, ...]:
    """Return the global distances between the hospitals, where they are known."""
    apart = shift.distances
    if apart is None:
        return ()
    largest = "the largest difference between the shares of scores below any one cut-off"
    rows = (
        ("total variation", risk(apart.total_variation), f"of the shares of {names.ill_patients}"),
        (f"Kolmogorov, {names.ill_patients}", risk(apart.kolmogorov_positive), largest),
        (f"Kolmogorov, {names.healthy_patients}", risk(apart.kolmogorov_negative), "the same"),
        ("limit of Shift", risk(apart.limit), "made of these distances; never below Shift"),
        ("Shift", risk(shift.total), "at the frozen cut-off only"),
    )
    caption = "How far apart the hospitals are, at all cut-offs together"
    return (explained(caption, rows, header=("distance", "value", "what it is")),)


def parts_of(shift: audits.ShiftParts | audits.ShiftRanges) -> tuple[Any, ...]:
    """Return the parts of a change, or their intervals, in the order of the table."""
    return (shift.prevalence, shift.shape_positive, shift.shape_negative, shift.total)


def bounds_section(audit: audits.AuditDocument) -> Section:
    """Show the certificate of the rule, and where there are labels the bounds on the risk here."""
    title, results = "What was certified", vacuous_sentences(audit)
    tables = [certificate_table(audit.certificate, short=False)]
    if isinstance(audit, audits.LabelledAudit):
        title = "How far it can be trusted here"
        tables.insert(0, bounds_table(audit))
    text = explanation(audit)
    return section("bounds", title, text, results=results, of=audit, tables=tables)


def explanation(audit: audits.AuditDocument) -> str:
    """Say what the bounds are."""
    if not isinstance(audit, audits.LabelledAudit):
        return (
            "Without labels only the certificate of the first hospital is known. Whether it "
            "carries over cannot be told from scores alone."
        )
    held = f"The direct bound on the risk here is valid with {percent(1 - audit.delta)} confidence"
    if not isinstance(audit, audits.LabelledCutOffAudit):
        return f"{held}."
    return (
        f"Upper limits on the risk here. {held}, and the tightest. Base and Augmented are the "
        "paper's, with its allowance for chance and its penalty, as if the shift were known "
        "exactly. The valid base allows for the error of the shift."
    )


def vacuous_sentences(audit: audits.AuditDocument) -> list[str]:
    """Say which limits prove nothing, if any do."""
    sentences = []
    if isinstance(audit, audits.LabelledAudit) and audit.vacuous:
        sentences.append(VACUOUS)
    if not audit.certificate.n_patients:
        sentences.append(ADAPTED)
    elif audit.certificate.vacuous:
        sentences.append(VACUOUS_BEFORE)
    if isinstance(audit, audits.LabelledCutOffAudit):
        largest = max(audit.costs.cost_fn, audit.costs.cost_fp)
        bounds = {
            "direct bound": audit.bound_external,
            "base": audit.base,
            "valid base": audit.base_valid,
            "augmented": audit.augmented,
            "certified risk + shift": audit.base_exact,
            "with the penalty": audit.augmented_exact,
        }
        above = [name for name, bound in bounds.items() if bound and bound > largest]
        sentences += [
            f"{quoted(name)} is above the largest possible cost, so it says nothing."
            for name in above
        ]
    return sentences


def bounds_table(audit: audits.LabelledAudit) -> Table:
    """Return every bound on the risk here, and what it is made of."""
    bound, patients = bound_in_words(audit.bound), count(audit.n_patients, "patient")
    seen = spread(audit.risk_external, audit.risk_external_se)
    rows: list[Row] = [
        ("certified risk", at_most(audit.certificate.value), "at the first hospital"),
        *(paper_rows(audit) if isinstance(audit, audits.LabelledCutOffAudit) else ()),
        ("observed before", risk(audit.risk_internal), "at the first hospital"),
        ("observed here", seen, "\N{PLUS-MINUS SIGN} standard error"),
        ("direct bound here", at_most(audit.bound_external), f"{bound}, {patients}"),
    ]
    if not isinstance(audit, audits.LabelledCutOffAudit):
        alone = "the lower limit, for itself alone"
        rows.append(("at least", at_least(audit.lower_external), alone))
    where = "" if audit.costs is None else f", where {costs_in_words(audit.costs)}"
    return explained(f"The risk here{where}", rows, header=TERMS)


def paper_rows(audit: audits.LabelledCutOffAudit) -> list[Row]:
    """Return the bounds made of the change of risk: with our certificate, and the paper's."""
    valid = "observed risk + shift + the margin here; never below the direct bound"
    trivial = audit.costs.trivial_risk(audit.operating_point.prevalence)
    everybody = "call nobody, or call everybody, among the patients here"
    penalty = "the same plus the penalty of the rule"
    return [
        ("+ shift", risk(audit.shift.total), "the sum of the absolute parts of the change"),
        ("= certified risk + shift", at_most(audit.base_exact), "as if the shift were known"),
        ("with the penalty", at_most(audit.augmented_exact), penalty),
        ("valid base", at_most(audit.base_valid), valid),
        ("the paper's allowance", risk(audit.gamma.total), gamma_text(audit)),
        ("base", at_most(audit.base), "the paper's: observed before + its allowance + shift"),
        ("+ the paper's penalty", risk(audit.g_boot), "G_boot, with the DKW band"),
        ("augmented", at_most(audit.augmented), "the paper's: base + its penalty, never smaller"),
        ("calling everybody or nobody here", risk(trivial), everybody),
    ]


def gamma_text(audit: audits.LabelledCutOffAudit) -> str:
    """Say what the paper's allowance for chance is made of."""
    gamma, names = audit.gamma, audit.names
    return (
        f"{risk(gamma.positive)} for {names.ill_patients}, {risk(gamma.negative)} for "
        f"{names.healthy_patients}, {risk(gamma.prevalence)} for the prevalence"
    )
