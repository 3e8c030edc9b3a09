"""Results as short plain text for a terminal."""

from collections.abc import Iterable, Sequence

from steadycut.documents.audit import AuditBase, AuditDocument, LabelledAudit, ShiftPart
from steadycut.documents.comparison import (
    ComparedCosts,
    ComparedRisks,
    ComparedRule,
    ComparisonDocument,
)
from steadycut.documents.parts import (
    CertificatePart,
    ClustersPart,
    MethodShare,
    OperatingPointPart,
    StabilityPart,
    Step,
)
from steadycut.documents.study import CandidatePart, CriterionPart, SitesPart, StudyDocument
from steadycut.show.columns import aligned, columns, numbers, percents
from steadycut.show.numbers import change, count, cut, percent, risk
from steadycut.show.sections.audit import PARTS, parts_of
from steadycut.show.sections.characteristics import (
    FIXED,
    RECHOSEN,
    characteristic_names,
    cut_intervals,
    fixed_interval,
    prevalence_note,
    rechosen_interval,
    seen,
)
from steadycut.show.sentences import is_score_itself

Chained = CandidatePart | ComparedRisks | MethodShare
CUT_DIGITS = 4
SE_DIGITS = 2


def study_text(study: StudyDocument) -> str:
    """Return what a fit found, from cut-off to candidates; the command says warnings itself."""
    blocks = [
        headline(study),
        criterion_text(study.criterion),
        operating_text(study),
        certificate_text(study.certificate),
        stability_text(study.stability),
        instances_text(study.instances),
        candidates_text(study.candidates),
        sites_text(study.sites),
    ]
    return "\n\n".join(block for block in blocks if block)


def criterion_text(rows: Sequence[CriterionPart]) -> str:
    """Return what the rule made best, if it is not the risk: that stands in the certificate."""
    shown = [row for row in rows if row.name != "erm"]
    if not shown:
        return ""
    chose = ", ".join(f"{row.name} {risk(row.select)}" for row in shown)
    certify = ", ".join(risk(row.certify) for row in shown if row.certify is not None)
    rest = f"; {certify} among those who certify" if certify else ""
    return f"Criterion: {chose} among those who chose{rest}"


def headline(study: StudyDocument) -> str:
    """Return the cut-off in one sentence, and who chose it."""
    sign = ">=" if study.direction == "ge" else "<="
    costs, threshold = study.costs, cut(study.threshold)
    return (
        f"Cut-off: call a patient when {score_text(study)} {sign} {threshold}{reached_text(study)}"
        f"\n  rule {study.rule}, a miss costs {costs.cost_fn:g} and a false alarm "
        f"{costs.cost_fp:g}{target_text(study)}; {roles_text(study)}"
        f"\n{cut_intervals_text(study)}"
    )


def cut_intervals_text(study: StudyDocument) -> str:
    """Return the two intervals of the cut-off, each with what it is about."""
    confidence = percent(study.threshold_interval.confidence)
    population, again = cut_intervals(study.threshold_interval)
    return aligned(
        [
            (f"{confidence} interval, had the rule all patients of the population", population),
            (f"{confidence} interval, if another study of this size chose it", again),
        ]
    )


def operating_text(study: StudyDocument) -> str:
    """Return every characteristic with both intervals, each named for what it is about."""
    point = study.operating_point
    names = characteristic_names(point, study.costs)
    who = "certify" if study.certificate.honesty == "split" else "chose and certify"
    rows = [
        (name, seen(point, key), fixed_interval(point, key), rechosen_interval(point, key))
        for key, name in names.items()
    ]
    title = (
        f"Operating point: the patients who {who}; {percent(point.confidence)} intervals, each "
        "on its own"
    )
    notes = [f"  {note}" for note in (choosers_note(point), prevalence_note(point)) if note]
    return "\n".join([title, columns([("", "seen", FIXED, RECHOSEN), *rows]), *notes])


def choosers_note(point: OperatingPointPart) -> str:
    """Say that patients who chose the cut-off themselves have wider intervals, if they did."""
    methods = {one.method for one in point.fixed_cut.characteristics.values()}
    if "at all cuts" not in methods:
        return ""
    return f"{FIXED}: these patients chose it, so the intervals hold at every cut-off at once"


def sites_text(sites: SitesPart | None) -> str:
    """Return what each internal site would have chosen alone, if there are several."""
    if sites is None:
        return ""
    rows = sites.rows
    certified = [row.certificate for row in rows]
    cells = {
        "site": [row.site for row in rows],
        "chose": [str(row.select) for row in rows],
        "its own cut": [cut(row.threshold) for row in rows],
        "quantile": [percent(row.quantile) for row in rows],
        "certify": [str(row.certify) for row in rows],
        "risk of the common cut": [risk(one.risk if one else None) for one in certified],
        "certified": [risk(one.value if one else None) for one in certified],
    }
    title = "Sites: what each would have chosen alone; each certificate on its own"
    return title + "\n" + columns([list(cells), *zip(*cells.values(), strict=True)])


def reached_text(study: StudyDocument) -> str:
    """Return the first score that is called, if it is not written like the cut-off."""
    value = study.operating_value
    if value is None:
        return " (no patient reaches it)"
    same = cut(value) == cut(study.threshold)
    return "" if same else f" (the first score called is {cut(value)})"


def target_text(study: StudyDocument) -> str:
    """Return the prevalence at which risk counts, if it is not that of the patients."""
    if study.target_prevalence is None:
        return ""
    low, high = study.target_prevalence
    return f" at prevalence {percent(low)}" + ("" if low == high else f" to {percent(high)}")


def roles_text(study: StudyDocument) -> str:
    """Return who chose and who certifies."""
    n = study.patients
    if study.certificate.honesty == "uniform":
        both = "chose and certifies" if n.total == 1 else "chose and certify"
        return f"{count(n.total, 'patient')} {both} ({n.positive} positive)"
    verb = "certifies" if n.certify == 1 else "certify"
    return (
        f"{count(n.select, 'patient')} chose ({n.select_positive} positive), "
        f"{n.certify} {verb} ({n.certify_positive} positive)"
    )


def score_text(study: StudyDocument) -> str:
    """Return how the score of a patient is made."""
    if study.ensemble:
        return f"[{ensemble_text(study.ensemble.methods)}]"
    if is_score_itself(study.aggregation, study.patients.total, study.data):
        return study.score
    return chain_text(study.score, study.aggregation)


def chain_text(score: str, steps: Sequence[Step]) -> str:
    """Return a chain of aggregators in words, such as ``mean over slide of max of score``."""
    text = score
    for step, outer in zip(steps, [*steps[1:], None], strict=True):
        inside = f" in each {step.level}" if outer else ""
        text = f"{step.how} of {text}{inside}" if text else text
    return f"[{text}]"


def ensemble_text(methods: Sequence[MethodShare]) -> str:
    """Return the methods of an ensemble with their weights."""
    parts = [
        f"{percent(method.weight)} {method.score}: {short_chain(method)}" for method in methods
    ]
    return f"mean quantile of {', '.join(parts)}"


def short_chains(rows: Sequence[Chained]) -> list[str]:
    """Return each chain in short, such as ``max > mean``, with the score where scores differ."""
    several = len({row.score for row in rows}) > 1
    return [f"{row.score}: {short_chain(row)}" if several else short_chain(row) for row in rows]


def short_chain(row: Chained) -> str:
    """Return the aggregators from rows to patients, such as ``max > mean``."""
    return " > ".join(step.how for step in row.aggregation)


def certificate_text(certificate: CertificatePart) -> str:
    """Return the certificate, term by term."""
    confidence = percent(1 - certificate.delta)
    rows = [
        ("observed risk", risk(certificate.risk)),
        ("+ generalisation", risk(certificate.generalization)),
        ("= certified risk", risk(certificate.value)),
        ("a rule without any score", risk(certificate.trivial_risk)),
    ]
    title = (
        f"Certificate: {confidence} confidence, {certificate.bound} bound, "
        f"{count(certificate.n_patients, 'patient')}, honesty {certificate.honesty}"
    )
    end = "  vacuous: no better than a rule without any score" if certificate.vacuous else ""
    return "\n".join(line for line in (title, aligned(rows), end) if line)


def stability_text(stability: StabilityPart) -> str:
    """Return how far the cut-off moves between resampled cohorts, and what that may cost."""
    rows = [
        ("radius = |bias| + quantile", cut(stability.radius)),
        ("  bias", cut(stability.bias)),
        ("  quantile", cut(stability.quantile)),
        ("risk at stake within the radius", risk(stability.modulus)),
        ("its upper band (penalty G_boot)", risk(stability.penalty)),
        ("decisions that flip", percent(stability.flip_rate)),
    ]
    return f"Stability: {stability.n_bootstrap} bootstrap cohorts\n{aligned(rows)}"


def instances_text(instances: ClustersPart | None) -> str:
    """Return what the rows of the patients are worth, where patients have several."""
    if instances is None:
        return ""
    return (
        f"Instances: {instances.rows} rows of {count(instances.patients, 'patient')} are "
        f"worth {risk(instances.effective)} independent ones (design effect "
        f"{risk(instances.design_effect)} at a correlation of {risk(instances.icc)} within a "
        "patient)"
    )


def candidates_text(candidates: Sequence[CandidatePart]) -> str:
    """Return the candidates that Algorithm 1 chose from, if there were several."""
    if len(candidates) == 1:
        return ""
    head = ("", "candidate", "cut-off", "risk", "penalty", "objective J")
    rows = zip(
        ["*" if row.chosen else "" for row in candidates],
        short_chains(candidates),
        [cut(row.threshold) for row in candidates],
        [risk(row.risk) for row in candidates],
        [risk(row.penalty) for row in candidates],
        [risk(row.objective) for row in candidates],
        strict=True,
    )
    return "Candidates\n" + columns([head, *rows])


def cut_offs(rows: Sequence[ComparedRisks]) -> list[str]:
    """Return the cut-offs of a column, with the same decimals if they are in the same unit."""
    thresholds = [row.threshold for row in rows]
    if len({row.score for row in rows}) > 1:
        return [cut(threshold) for threshold in thresholds]
    return numbers(thresholds, CUT_DIGITS)


def comparison_text(comparison: ComparisonDocument) -> str:
    """Return the paper's tables: every rule, and our own rule at other costs."""
    rows, patients = comparison.rows, comparison.patients
    title = (
        f"Comparison: chosen on {count(patients.internal, 'internal patient')}, judged on "
        f"{count(patients.external, 'external one')}"
    )
    blocks = [title, comparison_table(rows), hindsight_text(comparison)]
    return "\n".join([*blocks, *cost_table_text(comparison.cost_table)])


def comparison_table(rows: Sequence[ComparedRule]) -> str:
    """Return one row a rule; the candidate is named where rules chose different ones."""
    paired = all(row.difference is not None for row in rows)
    cells = {
        "rule": [row.name for row in rows],
        **chosen_cells(rows),
        **risk_cells(rows),
        **(difference_cells(rows) if paired else {}),
        "G_boot": numbers([row.penalty for row in rows]),
        "flips": percents([row.flip_rate for row in rows]),
        "se   ": percents([row.flip_rate_se for row in rows]),
    }
    head = [name.strip() for name in cells]
    return columns([head, *zip(*cells.values(), strict=True)])


def chosen_cells(rows: Sequence[ComparedRisks]) -> dict[str, list[str]]:
    """Return the columns of what was chosen."""
    chains = short_chains(rows)
    several = {"candidate": chains} if len(set(chains)) > 1 else {}
    return {**several, "cut-off": cut_offs(rows)}


def risk_cells(rows: Sequence[ComparedRisks]) -> dict[str, list[str]]:
    """Return the columns of the risks at both hospitals; heads differ in blanks only."""
    return {
        "R_Q": numbers([row.risk_external for row in rows]),
        "se": numbers([row.risk_external_se for row in rows], SE_DIGITS),
        "R_val": numbers([row.risk_validation for row in rows]),
        "se ": numbers([row.risk_validation_se for row in rows], SE_DIGITS),
        "shift": numbers([row.shift for row in rows], signs=True),
    }


def difference_cells(rows: Sequence[ComparedRule]) -> dict[str, list[str]]:
    """Return the columns of R_Q minus that of erm on the same patients."""
    return {
        "to erm": numbers([row.difference for row in rows], signs=True),
        "se  ": numbers([row.difference_se for row in rows], SE_DIGITS),
    }


def cost_table_text(rows: Sequence[ComparedCosts]) -> list[str]:
    """Return what our own rule does at other costs, if that was asked."""
    if not rows:
        return []
    cells = {
        "miss:alarm": [f"{row.cost_fn:g}:{row.cost_fp:g}" for row in rows],
        **chosen_cells(rows),
        **risk_cells(rows),
        "without any score": numbers([row.trivial_external for row in rows]),
    }
    head = [name.strip() for name in cells]
    return [
        "Costs: stable, chosen and judged at each",
        columns([head, *zip(*cells.values(), strict=True)]),
    ]


def hindsight_text(comparison: ComparisonDocument) -> str:
    """Return the best that any cut could have done, and what no score at all does."""
    best = min(comparison.rows, key=lambda row: row.best_external)
    return (
        f"  in hindsight the best cut there, of {best.score} ({short_chain(best)}), has risk "
        f"{risk(best.best_external)}; a rule without any score "
        f"{risk(comparison.trivial_external)}"
    )


def audit_text(audit: AuditDocument) -> str:
    """Return what the frozen rule did at another hospital; the command says warnings itself."""
    grey = audit.grey_zone
    calls = [
        ("patients", str(audit.n_patients)),
        ("called", f"{percent(audit.call_rate)} (was {percent(audit.call_rate_internal)})"),
        ("decisions that flip", percent(audit.flip_rate)),
        (
            "grey zone",
            (
                f"{count(grey.patients, 'patient flips', 'patients flip')} in at least "
                f"{percent(grey.at_least)} of resampled studies"
            ),
        ),
    ]
    blocks = [f"Audit: {verdict_text(audit)}", aligned(calls)]
    if isinstance(audit, LabelledAudit):
        blocks += [external_text(audit), shift_text(audit.shift), points_text(audit)]
    return "\n".join(blocks)


def verdict_text(audit: AuditBase) -> str:
    """Return the verdict on the certificate, and why, as two sentences."""
    verdicts = {
        "holds": "the certificate holds",
        "does not hold": "the certificate does not hold",
        "cannot tell": "cannot tell whether the certificate holds",
    }
    reason = audit.verdict_text.removeprefix(f"{audit.verdict}: ")
    return f"{verdicts.get(audit.verdict, audit.verdict)}. {reason[:1].upper()}{reason[1:]}"


def external_text(audit: LabelledAudit) -> str:
    """Return the risk at the other hospital and the bounds on it."""
    largest = max(audit.costs.cost_fn, audit.costs.cost_fp)
    bounds = {
        "direct bound on the risk here": audit.bound_external,
        "Base = certified + Shift": audit.base,
        "valid: observed there + Shift + margin here": audit.base_valid,
        "Augmented = Base + penalty": audit.augmented,
    }
    here = f"{risk(audit.risk_external)} ({risk(audit.risk_internal)})"
    rows = [(name, bound_text(bound, largest)) for name, bound in bounds.items()]
    point = audit.operating_point
    nobody = audit.costs.cost_fn * point.prevalence
    everybody = audit.costs.cost_fp * (1 - point.prevalence)
    without = risk(min(nobody, everybody))
    if audit.vacuous:
        without += " (the direct bound is no better: vacuous)"
    return aligned(
        [
            ("risk here (was there)", here),
            ("a rule without any score here", without),
            *rows,
        ]
    )


def points_text(audit: LabelledAudit) -> str:
    """Return every characteristic here with its interval, and what it was at the first hospital."""
    here, before = audit.operating_point, audit.operating_point_internal
    names = characteristic_names(here, audit.costs)
    known = before.fixed_cut.characteristics
    rows = [
        (
            name,
            seen(here, key),
            fixed_interval(here, key),
            *((seen(before, key), fixed_interval(before, key)) if key in known else ("", "")),
        )
        for key, name in names.items()
    ]
    head = (
        f"{FIXED}, {percent(here.confidence)} intervals",
        *("here", "interval", "first hospital", "interval there"),
    )
    notes = [f"  {note}" for note in (prevalence_note(here),) if note]
    return "\n".join([columns([head, *rows]), *notes])


def bound_text(bound: float, largest: float) -> str:
    """Return a bound, and that it says nothing if every rule keeps it."""
    says = " (above the largest possible cost: says nothing)" if bound > largest else ""
    return f"{risk(bound)}{says}"


def shift_text(shift: ShiftPart) -> str:
    """Return where the change of risk comes from, signed and in absolute value."""
    head = ("where the change comes from", "signed", "|Shift|")
    parts = (map(change, parts_of(shift.signed)), map(risk, parts_of(shift)))
    rows = list(zip(PARTS, *parts, strict=True))
    return columns([head, *rows])


def warnings_text(warnings: Iterable[str]) -> str:
    """Return the warnings, one a line."""
    return "\n".join(f"Warning: {text}" for text in warnings)
