"""The sections of a study's page."""

from collections.abc import Mapping, Sequence

from steadycut.documents.audit import AuditBase, LabelledAudit
from steadycut.documents.comparison import ComparedRule, ComparisonDocument
from steadycut.documents.parts import CertificatePart, CostsPart, OperatingPointPart
from steadycut.documents.study import SitesPart, StudyDocument, TippingSide
from steadycut.show.figures.candidates import CandidatesDisplay
from steadycut.show.figures.certificate import CertificateDisplay
from steadycut.show.figures.comparison import ComparisonDisplay
from steadycut.show.figures.costs import CostsDisplay
from steadycut.show.figures.decision_curve import DecisionCurveDisplay
from steadycut.show.figures.flips import FlipsDisplay
from steadycut.show.figures.modulus import ModulusDisplay
from steadycut.show.figures.risk_curve import RiskCurveDisplay
from steadycut.show.figures.scores import ScoresDisplay
from steadycut.show.figures.sites import SitesDisplay
from steadycut.show.figures.threshold_draws import ThresholdDrawsDisplay
from steadycut.show.numbers import change, cut, exact, percent, risk, spread
from steadycut.show.page import Picture, Section, Table
from steadycut.show.sections.characteristics import (
    FIXED,
    METHODS,
    RECHOSEN,
    characteristic_names,
    cut_intervals,
    fixed_interval,
    fixed_method,
    prevalence_note,
    rechosen_interval,
    seen,
)
from steadycut.show.sentences import (
    bound_in_words,
    chain_in_short,
    costs_in_words,
    errors_sentence,
    prevalence_in_words,
    quoted,
    score_in_words,
)

RISKS = (
    *("rule", "risk, second hospital", "risk, first hospital", "change", "best possible"),
    *("sensitivity", "specificity"),
)
CUTS = (
    *("rule", "candidate", "cut-off", "first score called"),
    *("penalty", "modulus", "flip-rate", "certificate"),
)


SELECTORS = {
    "risk": "The candidate with the smallest risk is chosen.",
    "objective": "The candidate with the smallest objective, risk plus penalty, is chosen.",
    "no-bias": "The candidate with the smallest objective is chosen, its radius without the bias.",
    "site-mean": "The candidate is chosen whose cut does best, on average, at sites left out.",
    "site-worst": "The candidate is chosen whose cut does best at the worst of the sites left out.",
}


def certificate_section(study: StudyDocument) -> Section:
    """Say what is certified, term by term."""
    certificate = study.certificate
    held = percent(1 - certificate.delta)
    return Section(
        key="certificate",
        title="How far it can be trusted",
        texts=(
            f"The certificate is an upper limit on the risk at this cut-off. With {held} "
            "confidence the true risk of patients like these is not above it. "
            + honesty_in_words(study),
        ),
        pictures=(
            Picture(
                figure=CertificateDisplay.try_from(study),
                name="certificate",
                caption="The certified risk, term by term. The dashed line is the risk of the "
                "better of two rules without any score: call nobody, or call everybody.",
            ),
        ),
        tables=(certificate_table(certificate, study.costs),),
    )


def honesty_in_words(study: StudyDocument) -> str:
    """Say why choosing does not spoil the certificate."""
    if study.certificate.honesty == "split":
        return "The patients who certify had no part in choosing the cut-off."
    return (
        "The same patients chose the cut-off and certify it, so the bound is one that holds at "
        "every cut-off, and for every candidate, at once."
    )


def certificate_table(certificate: CertificatePart, costs: CostsPart) -> Table:
    """Return the certificate, term by term."""
    rows = (
        ("observed risk", risk(certificate.risk), "mean cost of the certifying patients"),
        (
            "+ generalisation",
            risk(certificate.generalization),
            f"what so few patients may hide: {bound_in_words(certificate.bound)}",
        ),
        ("= certified risk", risk(certificate.value), "the sum: the upper limit"),
        (
            "without any score",
            risk(certificate.trivial_risk),
            (
                "call nobody, or call everybody, among the same patients; a certificate that is "
                "not below this is vacuous"
            ),
        ),
        ("patients", str(certificate.n_patients), "who certify"),
        (
            "delta",
            f"{certificate.delta:g}",
            "the probability with which the certificate may fail",
        ),
    )
    return Table(
        caption=f"The certificate, where {costs_in_words(costs)}",
        header=("term", "value", "what it is"),
        kinds="tnt",
        rows=rows,
        marked=2,
        note="Vacuous: no better than a rule without any score." if certificate.vacuous else "",
    )


def operating_section(study: StudyDocument) -> Section:
    """Say what the cut-off does to the patients who certify."""
    point, again = study.operating_point, study.operating_point.rechosen_cut
    return Section(
        key="operating-point",
        title="What it does to patients",
        texts=(
            errors_sentence(point, "who certify"),
            (
                f"Every characteristic has two intervals, with {percent(point.confidence)} "
                "confidence each on its own. They answer different questions."
            ),
            f"{point.fixed_cut.meaning}.".capitalize(),
            *([f"{again.meaning}.".capitalize()] if again else []),
        ),
        pictures=(
            Picture(
                figure=ScoresDisplay.try_from(study),
                name="scores",
                caption="The share of each class that would be called, by cut-off; where the "
                "frozen one stands, these are sensitivity and the share of false alarms.",
            ),
            decision_curve(study),
        ),
        tables=(
            characteristics_table(study),
            counts_table(point, "Patients who certify"),
            rates_table({"value": point}),
        ),
    )


def decision_curve(study: StudyDocument | LabelledAudit) -> Picture:
    """Return the place of the decision curve."""
    return Picture(
        figure=DecisionCurveDisplay.try_from(study),
        name="decision-curve",
        caption="Net benefit of the frozen cut-off, by the probability of disease above which one "
        "would want a call: of use where it is above calling everybody and calling nobody.",
    )


def characteristics_table(study: StudyDocument) -> Table:
    """Return every characteristic, with what it is if the cut stays and if it is chosen again."""
    point = study.operating_point
    return Table(
        caption="Characteristics with two kinds of intervals",
        header=("characteristic", "seen", FIXED, "how", RECHOSEN, "how"),
        kinds="tnntnt",
        rows=tuple(
            (
                name,
                seen(point, key),
                fixed_interval(point, key),
                fixed_method(point, key),
                rechosen_interval(point, key),
                "" if key == "auc" else METHODS["bootstrap"],
            )
            for key, name in characteristic_names(point, study.costs).items()
        ),
        note=characteristics_note(point),
    )


def characteristics_note(point: OperatingPointPart) -> str:
    """Explain the names of the characteristics, and say at which prevalence they are taken."""
    target = prevalence_note(point)
    return (
        "PPV, NPV: how many of those called are positive, of those not called negative. LR+, LR-: "
        "how much a call, or none, multiplies the odds of the disease. Net benefit: at the "
        f"probability above which the costs make a call worth it.{target and f' {target}.'}"
    )


def counts_table(point: OperatingPointPart, caption: str) -> Table:
    """Return the four counts of decisions."""
    tp, fn, fp, tn = point.tp, point.fn, point.fp, point.tn
    return Table(
        caption=caption,
        header=("", "called positive", "not called", "all"),
        kinds="tnnn",
        rows=(
            ("positive patients", str(tp), str(fn), str(tp + fn)),
            ("negative patients", str(fp), str(tn), str(fp + tn)),
            ("all", str(tp + fp), str(fn + tn), str(tp + fn + fp + tn)),
        ),
        note="Positive and not called: missed. Negative and called: a false alarm.",
    )


def rates_table(points: Mapping[str, OperatingPointPart]) -> Table:
    """Return who is ill and who is called, at one or several hospitals, a column each."""
    rates = {
        "prevalence (positive, of all)": [point.prevalence for point in points.values()],
        "call rate (called, of all)": [point.call_rate for point in points.values()],
    }
    return Table(
        caption="Shares",
        header=("share", *points),
        kinds="t" + "n" * len(points),
        rows=tuple((name, *map(percent, values)) for name, values in rates.items()),
    )


def choice_section(study: StudyDocument) -> Section:
    """Say how the cut-off was chosen."""
    rows = (
        ("cut-off", exact(study.threshold), "to the last digit; it equals no observed score"),
        (
            "first score called",
            exact(study.operating_value),
            (
                f"{cut(study.operating_value)} in short: the outermost score of a choosing "
                "patient who is called, as other tools print it"
            ),
        ),
        *cut_interval_rows(study),
        ("direction", direction_in_words(study.direction), "which side is called positive"),
        ("risk", risk(study.risk), "of the patients who chose; too rosy, as they chose"),
    )
    made = score_in_words(study)
    return Section(
        key="choice",
        title="How it was chosen",
        texts=(
            (
                f"A patient's score is {made}. The rule {quoted(study.rule)} chose the "
                f"cut-off along it, where {costs_in_words(study.costs)}."
            ),
        ),
        pictures=(
            Picture(
                figure=RiskCurveDisplay.try_from(study),
                name="risk-curve",
                caption="Risk of the patients who chose, at every cut-off, with one standard error "
                "to either side.",
            ),
            Picture(
                figure=ThresholdDrawsDisplay.try_from(study),
                name="threshold-draws",
                caption="Cut-offs that the same rule chose when these patients were resampled.",
            ),
        ),
        tables=(
            Table(
                caption="The frozen cut-off",
                header=("what", "value", "note"),
                kinds="tnt",
                rows=rows,
            ),
        ),
    )


def cut_interval_rows(study: StudyDocument) -> tuple[tuple[str, str, str], ...]:
    """Return the two intervals of the cut-off, each with what it is about."""
    found = study.threshold_interval
    name = f"{percent(found.confidence)} interval of the cut-off"
    meanings = (found.population.meaning, found.repeated_study.meaning)
    return tuple(
        (name, text, meaning) for text, meaning in zip(cut_intervals(found), meanings, strict=True)
    )


def direction_in_words(direction: str) -> str:
    """Say on which side of the cut-off patients are called."""
    return "at or above" if direction == "ge" else "at or below"


def stability_section(study: StudyDocument) -> Section:
    """Say how far the cut-off may move, and what that may cost."""
    text = (
        f"The patients who chose were resampled {study.stability.n_bootstrap} times, and "
        "each time the whole rule was run again. The radius is a rule of thumb and not a "
        "guarantee; nothing in this section is part of the certificate."
    )
    return Section(
        key="stability",
        title="How stable it is",
        texts=(text,),
        pictures=(
            Picture(
                figure=FlipsDisplay.try_from(study),
                name="flips",
                caption="How often a resampled study would decide otherwise about a patient, by "
                "the score; the grey zone is shaded.",
            ),
            Picture(
                figure=ModulusDisplay.try_from(study),
                name="modulus",
                caption="The most risk in any stretch of scores, by its length, with upper bands; "
                "the penalty is the band at the radius.",
            ),
        ),
        tables=(stability_table(study),),
    )


def stability_table(study: StudyDocument) -> Table:
    """Return every measure of stability with its explanation."""
    found = study.stability
    share = percent(1 - study.options.delta)
    centred = "" if found.centering == "none" else ", once the bias is taken off"
    rows = (
        ("radius", cut(found.radius), "how far the cut-off may be off: |bias| + quantile"),
        (
            "bias",
            cut(found.bias),
            "how far resampled cut-offs lie from the chosen one, on average",
        ),
        (
            "quantile",
            cut(found.quantile),
            f"{share} of the resampled cut-offs are no further away than this{centred}",
        ),
        (
            "modulus",
            risk(found.modulus),
            (
                "the most risk, among the patients who chose, in any stretch of scores as long as "
                f"the radius ({found.form} form)"
            ),
        ),
        (
            "penalty",
            risk(found.penalty),
            (
                f"an upper limit of the modulus for all such patients ({found.band} band); it "
                "ranks candidates"
            ),
        ),
        (
            "flip-rate",
            percent(found.flip_rate),
            "how often a resampled cut-off decides otherwise about a certifying patient",
        ),
    )
    return Table(
        caption="Measures of stability",
        header=("measure", "value", "what it is"),
        kinds="tnt",
        rows=rows,
    )


def tipping_section(study: StudyDocument) -> Section:
    """Say how much must change elsewhere before the certified risk is exceeded."""
    point = study.tipping_point
    parts = [part for part in (point.estimate, point.upper) if part is not None]
    header = ["observed rates", "upper limits of the rates"][-len(parts) :]
    changes = {
        "prevalence at which it is reached": [part.prevalence for part in parts],
        "more of the positive patients missed": [part.shape_positive for part in parts],
        "more of the negative patients alarmed": [part.shape_negative for part in parts],
    }
    rows = tuple((text, *map(tipping_cell, parts, values)) for text, values in changes.items())
    return Section(
        key="tipping-point",
        title="How much may change elsewhere",
        texts=(
            (
                f"How far one thing alone may change at another hospital before the risk there "
                f"exceeds {risk(point.limit)}, from the error rates that were observed and from "
                f"upper limits on them that hold with {percent(1 - point.delta)} confidence."
            ),
        ),
        pictures=(
            Picture(
                figure=CostsDisplay.try_from(study),
                name="costs",
                caption="What the rule would have chosen at other costs, and the risk of that, "
                "beside the risk of the frozen cut-off there.",
            ),
        ),
        tables=(
            Table(
                caption="The tipping point",
                header=("what changes alone", *header),
                kinds="t" + "n" * len(parts),
                rows=rows,
                note=f"The prevalence here was {percent(point.prevalence)}. No such: no change "
                "of this alone exceeds the limit. Already: the upper limits exceed it as they are.",
            ),
        ),
    )


def tipping_cell(part: TippingSide, change: float | None) -> str:
    """Return how far one thing may change."""
    if part.exceeded:
        return "already"
    return "no such" if change is None else percent(change)


def choice_in_words(study: StudyDocument) -> str:
    """Say how one of the candidates was chosen, or all of them averaged."""
    if not study.ensemble:
        return SELECTORS[study.options.selector]
    return (
        "The ensemble in the last row averages the cut-offs of all others on the quantile scale; "
        "its own cut-off is a quantile."
    )


def candidates_section(study: StudyDocument) -> Section:
    """Show every candidate and why one was chosen."""
    candidates = study.candidates
    rows = tuple(
        (
            f"{row.score}: {chain_in_short(row.aggregation)}",
            cut(row.threshold),
            risk(row.risk),
            risk(row.smallest_risk),
            cut(row.radius),
            risk(row.modulus),
            risk(row.penalty),
            risk(row.objective),
            "chosen" if row.chosen else "",
        )
        for row in candidates
    )
    header = ("candidate", "cut-off", "risk", "smallest risk", "radius", "modulus", "penalty")
    return Section(
        key="candidates",
        title="What it was chosen from",
        texts=(f"{choice_in_words(study)} All numbers are of the patients who chose.",),
        pictures=(
            Picture(
                figure=CandidatesDisplay.try_from(study),
                name="candidates",
                caption="Every candidate: smallest risk, risk at its cut-off, and objective.",
            ),
        ),
        tables=(
            Table(
                caption="Candidates: scores and aggregators",
                header=(*header, "objective", ""),
                kinds="tnnnnnnnt",
                rows=rows,
                marked=next((i for i, row in enumerate(candidates) if row.chosen), None),
            ),
        ),
    )


def sites_section(study: StudyDocument, sites: SitesPart) -> Section:
    """Show what each internal site would have chosen alone."""
    rows = tuple(
        (
            row.site,
            str(row.select),
            cut(row.threshold),
            percent(row.quantile),
            str(row.certify),
            "" if row.certificate is None else risk(row.certificate.risk),
            "" if row.certificate is None else risk(row.certificate.value),
        )
        for row in sites.rows
    )
    return Section(
        key="sites",
        title="Site by site",
        texts=(
            (
                "What each site would have chosen alone, on the scale of the score and as a share "
                "of all choosing patients below it; and how the common cut-off does there. Each "
                "certificate holds on its own, not all of them at once."
            ),
        ),
        pictures=(
            Picture(
                figure=SitesDisplay.try_from(study),
                name="sites",
                caption="The cut-off that each site would have chosen alone.",
            ),
        ),
        tables=(
            Table(
                caption="Internal sites",
                header=("site", "chose", "its own cut", "quantile", "certify", "risk", "certified"),
                kinds="tnnnnnn",
                rows=rows,
            ),
        ),
    )


def comparison_section(comparison: ComparisonDocument) -> Section:
    """Show what every rule does at the second hospital."""
    patients = comparison.patients
    return Section(
        key="comparison",
        title="What other rules would have done",
        texts=(
            f"Every rule chose its cut-off among {patients.internal} patients of the first "
            f"hospital and was judged on {patients.external} patients of the second, of whom "
            "it saw none. Where " + costs_in_words(comparison.costs) + ", calling nobody, or "
            f"everybody, has the risk {risk(comparison.trivial_external)} there.",
        ),
        pictures=(
            Picture(
                figure=ComparisonDisplay.try_from(comparison),
                name="comparison",
                caption="Risk of every rule at the first hospital and at the second, with standard "
                "errors.",
            ),
        ),
        tables=(risks_table(comparison.rows), cuts_table(comparison.rows)),
    )


def risks_table(compared: Sequence[ComparedRule]) -> Table:
    """Return the paper's table, with standard errors."""
    rows = tuple(
        (
            row.name,
            spread(row.risk_external, row.risk_external_se),
            spread(row.risk_validation, row.risk_validation_se),
            change(row.shift),
            risk(row.best_external),
            percent(row.sensitivity_external),
            percent(row.specificity_external),
        )
        for row in compared
    )
    return Table(
        caption="Rules compared: risk \N{PLUS-MINUS SIGN} standard error",
        header=RISKS,
        kinds="tnnnnnn",
        rows=rows,
        note="Risk at the first hospital: of the patients who certify. Best possible: the smallest "
        "risk that any cut-off of the same score has at the second hospital, known only "
        "afterwards. Sensitivity and specificity: at the second hospital.",
    )


def cuts_table(compared: Sequence[ComparedRule]) -> Table:
    """Return what every rule chose, and how stable it is."""
    rows = tuple(
        (
            row.name,
            f"{row.score}: {chain_in_short(row.aggregation)}",
            cut(row.threshold),
            cut(row.operating_value),
            risk(row.penalty),
            risk(row.modulus),
            percent(row.flip_rate),
            risk(row.certificate),
        )
        for row in compared
    )
    return Table(
        caption="What each rule chose",
        header=CUTS,
        kinds="ttnnnnnn",
        rows=rows,
        note="Flip-rate: of the patients of the second hospital.",
    )


def options_section(study: StudyDocument) -> Section:
    """Return everything that is needed to run the study again."""
    options, patients, found = study.options, study.patients, study.stability
    rows = [
        ("rule", str(study.rule)),
        ("cost of a missed patient", f"{study.costs.cost_fn:g}"),
        ("cost of a false alarm", f"{study.costs.cost_fp:g}"),
        ("prevalence at which risk is taken", prevalence_in_words(study.target_prevalence)),
        ("direction", str(study.direction)),
        ("choice among candidates", str(options.selector)),
        ("strata of the bootstrap", str(options.stratify or "none")),
        ("grid", str(options.grid)),
        ("honesty", str(options.honesty)),
        ("share of patients who certify", f"{options.certify_size:g}"),
        ("split stratified by label", str(options.stratified)),
        ("bound", f"{options.bound}, used: {study.certificate.bound}"),
        ("ensemble", options.ensemble),
        ("delta", f"{options.delta:g}"),
        ("bootstrap replicates", str(options.n_bootstrap)),
        ("centering of the radius", str(found.centering)),
        ("form of the modulus", str(found.form)),
        ("band of the modulus", str(found.band)),
        ("seed", str(options.seed)),
        ("patients, positive", f"{patients.total}, {patients.positive}"),
        ("who chose, positive", f"{patients.select}, {patients.select_positive}"),
        ("who certify, positive", f"{patients.certify}, {patients.certify_positive}"),
        *data_rows(study),
        ("schema", study.schema_),
    ]
    return Section(
        key="options",
        title="Options and data",
        texts=("The same patients, options and seed give the same study, to the last bit.",),
        tables=(
            Table(
                caption="Everything that the numbers depend on",
                header=("option", "value"),
                kinds="tt",
                rows=tuple(rows),
            ),
        ),
    )


def data_rows(study: StudyDocument | AuditBase) -> list[tuple[str, str]]:
    """Return what is known of the table that the patients came from, if anything."""
    if study.data is None:
        return []
    rows = [
        ("rows read", str(study.data.rows)),
        ("rows dropped, without a score", str(study.data.dropped_rows)),
    ]
    if study.data.sha256 is not None:
        rows.append(("fingerprint of the patients", study.data.sha256))
    return rows
