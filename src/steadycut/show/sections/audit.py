"""The sections of an audit's page."""

from collections.abc import Mapping
from typing import Any

from steadycut.documents.parts import CostsPart
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

Content = Mapping[str, Any]

PARTS = {
    "prevalence": "prevalence",
    "shape_positive": "scores of positive patients",
    "shape_negative": "scores of negative patients",
    "total": "total",
}


def here_section(content: Content) -> Section:
    """Say what the frozen cut-off does here, next to what it did at the first hospital."""
    points = {"here": content["operating_point"]}
    points["first hospital"] = content["operating_point_internal"]
    return Section(
        key="operating-point",
        title="What it does to patients here",
        pictures=(
            Picture(
                figure=ScoresDisplay.try_from(content),
                name="scores",
                caption="The share of each class that would be called, by cut-off, here and at the "
                "first hospital; what lies between the two at the frozen cut-off is the shift.",
            ),
            decision_curve(content),
        ),
        tables=(
            points_table(content),
            counts_table(content["operating_point"], "Patients here"),
            rates_table(points),
            counts_table(
                content["operating_point_internal"], "Certifying patients, first hospital"
            ),
        ),
    )


def points_table(content: Content) -> Table:
    """Return every characteristic of this very cut-off, here and at the first hospital."""
    here, before = content["operating_point"], content["operating_point_internal"]
    known = before["fixed_cut"]["characteristics"]
    return Table(
        caption=f"Characteristics {FIXED}, with {percent(here['confidence'])} intervals",
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
            for key, name in characteristic_names(here, content["costs"]).items()
        ),
        note=characteristics_note(here),
    )


def shift_section(content: Content) -> Section:
    """Say where the change of risk comes from."""
    moved = content["risk_external"] - content["risk_internal"]
    unknown = None in (content["shift"][key] for key in PARTS)
    texts = [
        (
            f"The risk here is {spread(content['risk_external'], content['risk_external_se'])} "
            f"(\N{PLUS-MINUS SIGN} standard error); at the first hospital it was "
            f"{risk(content['risk_internal'])}. The change, {change(moved)}, is the sum of three "
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
                figure=ShiftDisplay.try_from(content),
                name="shift",
                caption="From the risk at the first hospital to the risk here, part by part.",
            ),
        ),
        tables=(shift_table(content["shift"]),),
    )


def shift_table(shift: Content) -> Table:
    """Return the parts of the change: signed, averaged over both orders, and absolute."""
    return Table(
        caption="The parts of the change of risk",
        header=("part", "signed", "interval", "Shapley value", "absolute (Shift)"),
        kinds="tnnnn",
        rows=tuple(
            (
                text,
                change(shift["signed"][key]),
                interval_of(shift, key),
                change(shift["shapley"][key]),
                risk(shift[key]),
            )
            for key, text in PARTS.items()
        ),
        marked=len(PARTS) - 1,
        note="Signed: the scores change first, then the prevalence. Interval: of the signed part; "
        "all of them hold at once, with the sampling error of both hospitals. Shapley value: the "
        "mean of both orders. Absolute: the paper's Shift, never below the change itself.",
    )


def interval_of(shift: Content, key: str) -> str:
    """Write the interval of a signed part."""
    return " to ".join(change(end) for end in shift["intervals"]["signed"][key])


def bounds_section(content: Content) -> Section:
    """Show the certificate of the rule, and where there are labels the bounds on the risk here."""
    certificate = content["certificate"]
    held = percent(1 - content["delta"])
    if content["labelled"]:
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
    if content.get("vacuous"):
        text += " The direct bound is vacuous: no better than a rule without any score here."
    if certificate["vacuous"]:
        text += (
            " The certificate was vacuous already at the first hospital: no better than a rule "
            "without any score."
        )
    return Section(
        key="bounds",
        title="How far it can be trusted here" if content["labelled"] else "What was certified",
        texts=(text,),
        pictures=(
            Picture(
                figure=CertificateDisplay.try_from(content),
                name="certificate",
                caption="Certified risk and bounds, term by term. The dashed line is the risk of "
                "the better of two rules without any score.",
            ),
        ),
        tables=(bounds_table(content),),
    )


def bounds_table(content: Content) -> Table:
    """Return every term and every bound."""
    certificate = content["certificate"]
    rows = [
        ("observed risk", risk(certificate["risk"]), "at the first hospital"),
        (
            "+ generalisation",
            risk(certificate["generalization"]),
            f"{bound_in_words(certificate['bound'])}, {certificate['n_patients']} patients",
        ),
        ("= certified risk", risk(certificate["value"]), "at the first hospital"),
        ("without any score", risk(certificate["trivial_risk"]), "at the first hospital"),
    ]
    if content["labelled"]:
        shift = content["shift"]
        rows += [
            ("+ shift", risk(shift["total"]), "the sum of the absolute parts of the change"),
            ("= base", risk(content["base"]), "as if the shift were known"),
            (
                "valid base",
                risk(content["base_valid"]),
                ("observed risk + shift + the margin here; never below the direct bound"),
            ),
            ("augmented", risk(content["augmented"]), "base plus the instability penalty"),
            (
                "observed here",
                spread(content["risk_external"], content["risk_external_se"]),
                "\N{PLUS-MINUS SIGN} standard error",
            ),
            (
                "without any score here",
                risk(
                    CostsPart(**content["costs"]).trivial_risk(
                        content["operating_point"]["prevalence"]
                    )
                ),
                "call nobody, or call everybody, among the patients here",
            ),
            (
                "direct bound here",
                risk(content["bound_external"]),
                f"{bound_in_words(content['bound'])}, {content['n_patients']} patients",
            ),
        ]
    return Table(
        caption=f"Terms and bounds, where {costs_in_words(content['costs'])}",
        header=("term", "value", "what it is"),
        kinds="tnt",
        rows=tuple(rows),
        marked=len(rows) - 1 if content["labelled"] else 2,
    )


def label_free_section(content: Content) -> Section:
    """Say what the scores alone tell about this hospital."""
    prevalence, shape = content["prevalence_estimate"], content["shape_test"]
    matched = content["quantile_matched"]
    rows = (
        (
            "prevalence",
            percent(prevalence["value"]),
            f"estimated; {interval(prevalence['interval'], prevalence['interval_level'])}",
        ),
        (
            "shape test",
            "not known" if shape["p_value"] is None else f"p = {shape['p_value']:.3f}",
            "a small value says that scores within a class have moved",
        ),
        (
            "expected call rate",
            percent(content["call_rate_expected"]),
            f"at that prevalence; {percent(content['call_rate'])} are called",
        ),
        (
            "expected risk",
            risk(content["risk_range"]["estimate"]),
            (
                f"{risk(content['risk_range']['low'])} to {risk(content['risk_range']['high'])}, "
                f"if {content['risk_range']['assumes']}"
            ),
        ),
        (
            "quantile-matched cut-off",
            cut(matched["threshold"]),
            (
                f"not used; it would call {percent(matched['call_rate'])}, and assumes that "
                f"{matched['assumes']}"
            ),
        ),
    )
    return Section(
        key="label-free",
        title="What the scores alone tell",
        texts=(content["rescaling"]["text"], *content["statements"]),
        tables=(
            Table(
                caption="Without labels",
                header=("what", "value", "note"),
                kinds="tnt",
                rows=rows,
            ),
        ),
    )


def interval(ends: list[float] | None, level: float) -> str:
    """Write an interval of shares with its level."""
    if ends is None:
        return f"no prevalence explains the scores ({percent(level)})"
    return f"{percent(ends[0])} to {percent(ends[1])} with {percent(level)} confidence"


def calls_section(content: Content) -> Section:
    """Say how many patients are called, and how many decisions are shaky."""
    grey = content["grey_zone"]
    rows = (
        ("patients", str(content["n_patients"]), "here"),
        ("called positive here", percent(content["call_rate"]), "of all patients here"),
        (
            "called positive before",
            percent(content["call_rate_internal"]),
            "of the certifying patients of the first hospital",
        ),
        (
            "flip-rate",
            percent(content["flip_rate"]),
            "how often a resampled study would decide otherwise about a patient here",
        ),
        (
            "grey zone",
            f"{grey['patients']} ({percent(grey['share'])})",
            (
                f"patients whose decision flips in at least {percent(grey['at_least'])} of the "
                "resampled studies"
            ),
        ),
        ("cut-off", exact(content["threshold"]), direction_in_words(content["direction"])),
        *((value, text, "") for value, text in data_rows(content)),
    )
    made = score_in_words(content)
    text = (
        f"A patient's score is {made}; the cut-off {cut(content['threshold'])} was chosen by the "
        f"rule {quoted(content['rule'])} at the first hospital. Of the patients here "
        f"{grey['patients']} lie so close to it that their decision is shaky."
    )
    return Section(
        key="calls",
        title="Whom it calls",
        texts=(text,),
        pictures=(
            Picture(
                figure=FlipsDisplay.try_from(content),
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
