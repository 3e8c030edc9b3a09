"""The page of a study: one cut-off, why it was chosen and how far it can be trusted."""

from collections.abc import Sequence

from steadycut.core.bounds.binomial import rate_interval
from steadycut.core.class_names import of_them
from steadycut.core.rules.registry import most_called
from steadycut.documents.comparison import ComparisonDocument
from steadycut.documents.parts import CountsPart
from steadycut.documents.rule import RuleDocument
from steadycut.documents.study import OptionsPart, StudyDocument
from steadycut.show.pages.page import (
    Page,
    Section,
    Status,
    data_rows,
    listed,
    mark,
    pictures,
    section,
)
from steadycut.show.sections.certificate import (
    COST_OPEN,
    asked_sentence,
    certificate_section,
    certificate_status,
    rates_step,
    useful_mark,
)
from steadycut.show.sections.characteristics import (
    held_out_section,
    operating_section,
    score_section,
)
from steadycut.show.sections.checklist import checklist_section
from steadycut.show.sections.choice import candidates_section, choice_section, instances_section
from steadycut.show.sections.comparison import comparison_section
from steadycut.show.sections.explorer import explorer_of
from steadycut.show.sections.methods import methods_section
from steadycut.show.sections.next_site import next_site_facts, next_site_section
from steadycut.show.sections.stability import stability_section, tipping_section
from steadycut.show.sections.survival import survival_facts, survival_section
from steadycut.show.words import sentences as say
from steadycut.show.words.audit import interval_of
from steadycut.show.words.break_even import break_even_facts
from steadycut.show.words.next_step import Step
from steadycut.show.words.numbers import count, cut, percent, rate

# What options are called that somebody may give; others are called by their names.
FURTHER = {
    "test_size": "size of the held-out part",
    "sites_certify": "sites that check the cut-off",
    "prevalence_there": "prevalence at the next hospital",
    "cost_there": "average cost to keep at a hospital",
}
RATES = {"sensitivity": "ppv", "specificity": "npv"}


def study_page(study: StudyDocument, comparison: ComparisonDocument | None = None) -> Page:
    """Return the page of a study, with the comparison of rules if there is one."""
    certificate, costs, names = study.certificate, study.costs, study.names
    limit = certificate.value, certificate.bound
    sections = (
        certificate_section(certificate, f"where {say.costs_in_words(costs)}", study),
        survival_section(study.survival, study.direction) if study.survival else None,
        next_site_section(study),
        operating_section(study),
        score_section(study),
        held_out_section(study, study.test) if study.test else None,
        choice_section(study),
        stability_section(study),
        tipping_section(study),
        instances_section(study.instances) if study.instances else None,
        candidates_section(study),
        comparison_section(comparison) if comparison else None,
        methods_section(study),
        checklist_section(study),
        options_section(study),
    )
    return Page(
        title=f"A cut-off on {say.quoted(study.score)}",
        subtitle=say.roles_in_words(study.patients, names, certificate.honesty),
        status=certificate_status(certificate, study.verdict),
        headline=headline(study),
        marks=marks_of(study),
        facts=facts(study),
        pictures=pictures(study, "headline"),
        step=next_step(study),
        sections=tuple(filter(None, sections)),
        explorer=explorer_of(study.explorer, limit, names, "used to check"),
    )


def headline(study: StudyDocument) -> tuple[str, ...]:
    """Return the rule; of older files also what is certified, which is no mark there."""
    everyone = study.patients.total + (study.patients.test or 0)
    without = say.scored_sentences(everyone, study.data, study.unscored, study.names)
    rule = (say.rule_sentence(study), *without)
    if study.verdict is not None:
        return rule
    return (*rule, say.certified_sentence(study.certificate, study.costs))


def rule_in_words(document: RuleDocument, score: str) -> str:
    """Say what a frozen cut-off decides, with the score in words."""
    if document.ensemble is not None:
        score = f"the mean quantile of {count(len(document.ensemble.methods), 'method')}"
    return say.call_sentence(score, document)


def marks_of(study: StudyDocument) -> tuple[Status, ...]:
    """Return each answer with its mark."""
    verdict, certificate = study.verdict, study.certificate
    if verdict is None:
        return ()
    target = study.target_prevalence
    certified = say.certified_sentence(
        certificate, study.costs, verdict.useful, target, say.without_score(study)
    )
    marks = useful_mark(verdict, f"{say.ends_sentence(study)}{certified}")
    if verdict.as_asked is not None:
        said = f"As asked: {verdict.as_asked}. {asked_sentence(study)}"
        marks += (mark(said, verdict.as_asked),)
    return marks


def next_step(study: StudyDocument) -> Step:
    """Say what to do now, and how many patients that takes."""
    verdict = study.verdict
    if verdict is None or verdict.overall == "good":
        return say.audit_step("rule.json", several_sites=study.next_site is not None)
    rates_open = any(part.answer != "yes" for part in study.certified_rates or [])
    if verdict.useful != "no" and rates_open:
        return rates_step(study.certified_rates or [], study.direction, study.names)
    if verdict.useful == "yes":
        return COST_OPEN
    return say.study_step(study, verdict)


def facts(study: StudyDocument) -> tuple[tuple[str, str], ...]:
    """Return the numbers to take away."""
    repeated = study.threshold_interval.repeated_study
    moves, level = "", percent(study.threshold_interval.confidence)
    if repeated.low is not None and repeated.high is not None:
        between = f"{cut(repeated.low)} and {cut(repeated.high)}"
        moves = f"cut-off between {between} in a repeated study ({level}); "
    unknown = study.survival is not None and study.survival.unknown > 0
    worst = "unknown fates count as errors: " if unknown else ""
    return (
        *((name, worst + rates_in_words(study, name, value)) for name, value in RATES.items()),
        *cross_fitted_fact(study.cross_fitted),
        *((("held out", say.held_out_in_words(study.test, study.names)),) if study.test else ()),
        *break_even_facts(study),
        *capacity_fact(study),
        *survival_facts(study.survival, study.costs),
        *next_site_facts(study),
        ("stability", f"{moves}{say.studies_disagree(study)}"),
    )


def cross_fitted_fact(counts: CountsPart | None) -> tuple[tuple[str, str], ...]:
    """Return both rates at cut-offs that the other patients chose, where all patients choose."""
    if counts is None:
        return ()
    found, fair = counts.confusion.sensitivity, counts.confusion.specificity
    words = f"sensitivity {rate(found)}, specificity {rate(fair)}: {say.CROSS_FITTED}"
    return (("cross-fitted", words),)


def capacity_fact(study: StudyDocument) -> tuple[tuple[str, str], ...]:
    """Return how many of the patients used to check are called, if the rule limits this."""
    capacity, point = most_called(study.rule), study.operating_point
    if capacity is None:
        return ()
    called, n = point.tp + point.fp, point.confusion.n_patients
    certificate = study.certificate
    choices = certificate.n_candidates if certificate.honesty == "uniform" else 0
    low, high = rate_interval(called, n, 1 - point.confidence, choices)
    ends = f"{percent(low)} to {percent(high)}"
    words = f"{percent(called / n)} ({percent(point.confidence)} CI {ends})"
    return (("called", f"{words}; asked for: at most {percent(capacity)}"),)


def rates_in_words(study: StudyDocument, name: str, value: str) -> str:
    """Write a rate of a class with its counts, and the predictive value that goes with it."""
    point, names = study.operating_point, study.names
    right, n, who = point.tp, point.tp + point.fn, names.ill
    if name == "specificity":
        right, n, who = point.tn, point.tn + point.fp, names.healthy
    rates, level = point.fixed_cut.characteristics, point.confidence
    known = (f"{rate(rates[key].value)}{interval_of(rates[key], level)}" for key in (name, value))
    first, predictive = known
    return f"{first}, {right} of {n} {of_them(who)}; {value.upper()} {predictive}"


def options_section(study: StudyDocument) -> Section:
    """Return everything that is needed to run the study again."""
    options, patients, stability = study.options, study.patients, study.stability
    names = study.names
    ill = of_them(names.ill)
    rows = [
        ("rule", study.rule),
        ("cost of a missed patient", f"{study.costs.cost_fn:g}"),
        ("cost of a false alarm", f"{study.costs.cost_fp:g}"),
        ("prevalence at which risk is taken", say.prevalence_in_words(study.target_prevalence)),
        ("direction", f"{'high' if study.direction == 'ge' else 'low'} scores mean {names.ill}"),
        ("choice among candidates", options.selector),
        ("strata of the bootstrap", options.stratify or "none"),
        ("grid", str(options.grid)),
        ("honesty", options.honesty),
        ("share of patients used to check", f"{options.certify_size:g}"),
        ("split stratified by label", str(options.stratified)),
        ("bound", f"{options.bound}, used: {study.certificate.bound}"),
        ("ensemble", options.ensemble),
        ("delta", f"{options.delta:g}"),
        ("delta of the bootstrap", f"{options.stability_delta:g}"),
        ("bootstrap replicates", str(options.n_bootstrap)),
        ("centering of the radius", stability.centering),
        ("form of the modulus", stability.form),
        ("band of the modulus", stability.band),
        ("seed", str(options.seed)),
        *further_options(options),
        (f"patients, {ill}", f"{patients.total}, {patients.positive}"),
        (f"used to choose, {ill}", f"{patients.select}, {patients.select_positive}"),
        (f"used to check, {ill}", f"{patients.certify}, {patients.certify_positive}"),
        (f"held out, {ill}", f"{patients.test or 0}, {patients.test_positive or 0}"),
        *data_rows(study.data),
        ("schema", study.schema_),
    ]
    text = "The same patients, options and seed give the same study, to the last bit."
    table = listed("Everything that the numbers depend on", rows)
    return section("options", "Options and data", text, tables=(table,))


def further_options(options: OptionsPart) -> list[tuple[str, str]]:
    """Return the options that are only written where somebody gave them."""
    optional = [name for name, field in OptionsPart.model_fields.items() if not field.is_required()]
    given = [(name, getattr(options, name)) for name in optional if name != "delta_boot"]
    return [
        (FURTHER.get(name, name.replace("_", " ")), value_in_words(value))
        for name, value in given
        if value is not None
    ]


def value_in_words(value: float | str | Sequence[object]) -> str:
    """Return the value of an option: a number, a text, several names, or both ends of a range."""
    if isinstance(value, tuple):
        return " to ".join(dict.fromkeys(f"{end:g}" for end in value))
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else f"{value:g}"
