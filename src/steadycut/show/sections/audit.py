"""The sections of an audit's page."""

from steadycut.documents.audit import (
    AuditDocument,
    LabelledAudit,
    ShiftPart,
    ShiftParts,
    ShiftRanges,
)
from steadycut.documents.parts import CostsPart, OperatingPointPart, Range
from steadycut.show.figures.certificate import CertificateDisplay
from steadycut.show.figures.flips import FlipsDisplay
from steadycut.show.figures.scores import ScoresDisplay
from steadycut.show.figures.shift import ShiftDisplay
from steadycut.show.numbers import change, cut, exact, percent, risk, spread
from steadycut.show.page import Picture, Section, Table
from steadycut.show.sections.characteristics import (
    FIXED,
    characteristic_names,
    fixed_interval,
    fixed_method,
    seen,
)
from steadycut.show.sections.study import (
    characteristics_note,
    counts_table,
    data_rows,
    decision_curve,
    direction_in_words,
    rates_table,
)
from steadycut.show.sentences import bound_in_words, costs_in_words, quoted, score_in_words

PARTS = ("prevalence", "scores of positive patients", "scores of negative patients", "total")


def here_section(audit: LabelledAudit) -> Section:
    """Say what the frozen cut-off does here, next to what it did at the first hospital."""
    points = {"here": audit.operating_point}
    points["first hospital"] = audit.operating_point_internal
    return Section(
        key="operating-point",
        title="What it does to patients here",
        pictures=(
            Picture(
                figure=ScoresDisplay.try_from(audit),
                name="scores",
                caption="The share of each class that would be called, by cut-off, here and at the "
                "first hospital; what lies between the two at the frozen cut-off is the shift.",
            ),
            decision_curve(audit),
        ),
        tables=(
            points_table(audit.operating_point, audit.operating_point_internal, audit.costs),
            counts_table(audit.operating_point, "Patients here"),
            rates_table(points),
            counts_table(audit.operating_point_internal, "Certifying patients, first hospital"),
        ),
    )


def points_table(here: OperatingPointPart, before: OperatingPointPart, costs: CostsPart) -> Table:
    """Return every characteristic of this very cut-off, here and at the first hospital."""
    known = before.fixed_cut.characteristics
    return Table(
        caption=f"Characteristics {FIXED}, with {percent(here.confidence)} intervals",
        header=(
            "characteristic",
            "here",
            "interval here",
            "how",
            "first hospital",
            "interval there",
        ),
        kinds="tnntnn",
        rows=tuple(
            (
                name,
                seen(here, key),
                fixed_interval(here, key),
                fixed_method(here, key),
                *((seen(before, key), fixed_interval(before, key)) if key in known else ("", "")),
            )
            for key, name in characteristic_names(here, costs).items()
        ),
        note=characteristics_note(here),
    )


def shift_section(audit: LabelledAudit) -> Section:
    """Say where the change of risk comes from."""
    moved = audit.risk_external - audit.risk_internal
    unknown = None in parts_of(audit.shift)
    texts = [
        (
            f"The risk here is {spread(audit.risk_external, audit.risk_external_se)} "
            f"(\N{PLUS-MINUS SIGN} standard error); at the first hospital it was "
            f"{risk(audit.risk_internal)}. The change, {change(moved)}, is the sum of three "
            "parts: another share of positive patients, other scores of the positive patients, "
            "other scores of the negative ones."
        ),
    ]
    if unknown:
        texts.append(
            "A part is not known where one of the hospitals has no patient of that class; it "
            "counts as none in the total."
        )
    return Section(
        key="shift",
        title="Where the change comes from",
        texts=tuple(texts),
        pictures=(
            Picture(
                figure=ShiftDisplay.try_from(audit),
                name="shift",
                caption="From the risk at the first hospital to the risk here, part by part.",
            ),
        ),
        tables=(shift_table(audit.shift),),
    )


def shift_table(shift: ShiftPart) -> Table:
    """Return the parts of the change: signed, averaged over both orders, and absolute."""
    return Table(
        caption="The parts of the change of risk",
        header=("part", "signed", "interval", "Shapley value", "absolute (Shift)"),
        kinds="tnnnn",
        rows=tuple(
            zip(
                PARTS,
                map(change, parts_of(shift.signed)),
                interval_texts(shift.intervals.signed),
                map(change, parts_of(shift.shapley)),
                map(risk, parts_of(shift)),
                strict=True,
            )
        ),
        marked=len(PARTS) - 1,
        note="Signed: the scores change first, then the prevalence. Interval: of the signed part; "
        "all of them hold at once, with the sampling error of both hospitals. Shapley value: the "
        "mean of both orders. Absolute: the paper's Shift, never below the change itself.",
    )


def parts_of(shift: ShiftParts) -> tuple[float | None, ...]:
    """Return the parts of a change in the order of the table."""
    return (shift.prevalence, shift.shape_positive, shift.shape_negative, shift.total)


def interval_texts(shift: ShiftRanges) -> list[str]:
    """Write the interval of each part, in the order of the table."""
    ranges = (shift.prevalence, shift.shape_positive, shift.shape_negative, shift.total)
    return [" to ".join(map(change, ends)) for ends in ranges]


def bounds_section(audit: AuditDocument) -> Section:
    """Show the certificate of the rule, and where there are labels the bounds on the risk here."""
    certificate = audit.certificate
    held = percent(1 - audit.delta)
    if isinstance(audit, LabelledAudit):
        text = (
            f"Upper limits on the risk here. The direct bound is valid with {held} confidence and "
            "the tightest. Base is the paper's, as if the shift were known exactly; the valid base "
            "allows for its error. Augmented adds the instability penalty, and is never smaller."
        )
    else:
        text = (
            "Without labels only the certificate of the first hospital is known. Whether it "
            "carries over cannot be told from scores alone."
        )
    if isinstance(audit, LabelledAudit) and audit.vacuous:
        text += " The direct bound is vacuous: no better than a rule without any score here."
    if certificate.vacuous:
        text += (
            " The certificate was vacuous already at the first hospital: no better than a rule "
            "without any score."
        )
    return Section(
        key="bounds",
        title="How far it can be trusted here" if audit.labelled else "What was certified",
        texts=(text,),
        pictures=(
            Picture(
                figure=CertificateDisplay.try_from(audit),
                name="certificate",
                caption="Certified risk and bounds, term by term. The dashed line is the risk of "
                "the better of two rules without any score.",
            ),
        ),
        tables=(bounds_table(audit),),
    )


def bounds_table(audit: AuditDocument) -> Table:
    """Return every term and every bound."""
    certificate = audit.certificate
    rows = [
        ("observed risk", risk(certificate.risk), "at the first hospital"),
        (
            "+ generalisation",
            risk(certificate.generalization),
            f"{bound_in_words(certificate.bound)}, {certificate.n_patients} patients",
        ),
        ("= certified risk", risk(certificate.value), "at the first hospital"),
        ("without any score", risk(certificate.trivial_risk), "at the first hospital"),
    ]
    if isinstance(audit, LabelledAudit):
        shift = audit.shift
        rows += [
            ("+ shift", risk(shift.total), "the sum of the absolute parts of the change"),
            ("= base", risk(audit.base), "as if the shift were known"),
            (
                "valid base",
                risk(audit.base_valid),
                ("observed risk + shift + the margin here; never below the direct bound"),
            ),
            ("augmented", risk(audit.augmented), "base plus the instability penalty"),
            (
                "observed here",
                spread(audit.risk_external, audit.risk_external_se),
                "\N{PLUS-MINUS SIGN} standard error",
            ),
            (
                "without any score here",
                risk(audit.costs.trivial_risk(audit.operating_point.prevalence)),
                "call nobody, or call everybody, among the patients here",
            ),
            (
                "direct bound here",
                risk(audit.bound_external),
                f"{bound_in_words(audit.bound)}, {audit.n_patients} patients",
            ),
        ]
    return Table(
        caption=f"Terms and bounds, where {costs_in_words(audit.costs)}",
        header=("term", "value", "what it is"),
        kinds="tnt",
        rows=tuple(rows),
        marked=len(rows) - 1 if audit.labelled else 2,
    )


def label_free_section(audit: AuditDocument) -> Section:
    """Say what the scores alone tell about this hospital."""
    prevalence, shape = audit.prevalence_estimate, audit.shape_test
    matched = audit.quantile_matched
    rows = (
        (
            "prevalence",
            percent(prevalence.value),
            f"estimated; {interval(prevalence.interval, prevalence.interval_level)}",
        ),
        (
            "shape test",
            "not known" if shape.p_value is None else f"p = {shape.p_value:.3f}",
            "a small value says that scores within a class have moved",
        ),
        (
            "expected call rate",
            percent(audit.call_rate_expected),
            f"at that prevalence; {percent(audit.call_rate)} are called",
        ),
        (
            "expected risk",
            risk(audit.risk_range.estimate),
            (
                f"{risk(audit.risk_range.low)} to {risk(audit.risk_range.high)}, "
                f"if {audit.risk_range.assumes}"
            ),
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
    return Section(
        key="label-free",
        title="What the scores alone tell",
        texts=(audit.rescaling.text, *audit.statements),
        tables=(
            Table(
                caption="Without labels",
                header=("what", "value", "note"),
                kinds="tnt",
                rows=rows,
            ),
        ),
    )


def interval(ends: Range | None, level: float) -> str:
    """Write an interval of shares with its level."""
    if ends is None:
        return f"no prevalence explains the scores ({percent(level)})"
    return f"{percent(ends[0])} to {percent(ends[1])} with {percent(level)} confidence"


def calls_section(audit: AuditDocument) -> Section:
    """Say how many patients are called, and how many decisions are shaky."""
    grey = audit.grey_zone
    rows = (
        ("patients", str(audit.n_patients), "here"),
        ("called positive here", percent(audit.call_rate), "of all patients here"),
        (
            "called positive before",
            percent(audit.call_rate_internal),
            "of the certifying patients of the first hospital",
        ),
        (
            "flip-rate",
            percent(audit.flip_rate),
            "how often a resampled study would decide otherwise about a patient here",
        ),
        (
            "grey zone",
            f"{grey.patients} ({percent(grey.share)})",
            (
                f"patients whose decision flips in at least {percent(grey.at_least)} of the "
                "resampled studies"
            ),
        ),
        ("cut-off", exact(audit.threshold), direction_in_words(audit.direction)),
        *((value, text, "") for value, text in data_rows(audit)),
    )
    made = score_in_words(audit)
    text = (
        f"A patient's score is {made}; the cut-off {cut(audit.threshold)} was chosen by the "
        f"rule {quoted(audit.rule)} at the first hospital. Of the patients here "
        f"{grey.patients} lie so close to it that their decision is shaky."
    )
    return Section(
        key="calls",
        title="Whom it calls",
        texts=(text,),
        pictures=(
            Picture(
                figure=FlipsDisplay.try_from(audit),
                name="flips",
                caption="How often a resampled study would decide otherwise about a patient, by "
                "the score; the grey zone is shaded.",
            ),
        ),
        tables=(
            Table(
                caption="Decisions",
                header=("what", "value", "note"),
                kinds="tnt",
                rows=rows,
            ),
        ),
    )
