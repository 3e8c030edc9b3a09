"""Risk strata as a page: numbers and sentences, no markup."""

from steadycut.documents.strata_study import StrataStudyDocument
from steadycut.show.held_files import held_files
from steadycut.show.html import render_page
from steadycut.show.numbers import count, cut, percent, risk
from steadycut.show.page import Page, Section, Status, Table
from steadycut.show.pages import FOOTER
from steadycut.show.sentences import aggregation_in_words, quoted


def render_strata(study: StrataStudyDocument) -> str:
    """Return the page of a study of risk strata as HTML: one self-contained file."""
    return render_page(strata_page(study))


def strata_page(study: StrataStudyDocument) -> Page:
    """Return the page of a study of risk strata."""
    certificate, stability = study.certificate, study.stability
    vacuous = certificate.vacuous
    status = ("vacuous certificate", "open") if vacuous else ("certified", "good")
    chose, certify = map(sum, (study.patients.select, study.patients.certify))
    return Page(
        title=f"Risk strata on {quoted(study.score)}",
        subtitle=f"{count(study.patients.total, 'patient')}: {chose} chose the boundaries, "
        f"{certify} others certify them",
        status=Status(text=status[0], tone=status[1]),
        headline=headline(study),
        facts=(
            ("certified mean cost, at most", risk(certificate.value)),
            ("observed", risk(certificate.risk)),
            ("strata that change", percent(stability.flip_rate)),
        ),
        warnings=tuple(stability.warnings),
        sections=(
            strata_section(study),
            boundaries_section(study),
            stability_section(study),
            options_section(study),
        ),
        footer=FOOTER,
        files=held_files(study, "strata-study.json"),
    )


def headline(study: StrataStudyDocument) -> tuple[str, ...]:
    """Return the sentences that are read in ten seconds; the first ones are the strata."""
    certificate = study.certificate
    score = aggregation_in_words(study.score, study.aggregation)
    held, bound = percent(1 - certificate.delta), certificate.bound
    limit = f"at most {risk(certificate.value)} (bound: {bound})"
    sentences = [
        f"The score of a patient is {score}. {'; '.join(strata_lines(study))}.",
        f"With {held} confidence the mean cost of patients like these is {limit}.",
    ]
    if certificate.vacuous:
        without = risk(certificate.trivial_risk)
        sentences.append(f"That proves nothing: one stratum for everybody costs {without}.")
    flips = percent(study.stability.flip_rate)
    sentences.append(
        f"Had other patients of the same hospital chosen the boundaries, about {flips} of the "
        "strata would be different. For another hospital nothing is promised."
    )
    return tuple(sentences)


def strata_lines(study: StrataStudyDocument) -> list[str]:
    """Return each stratum with its range of scores, such as ``low: below 0.5``."""
    cuts = [cut(threshold) for threshold in study.thresholds]
    at_least = study.direction == "ge"
    beyond, reached = ("below", "at least") if at_least else ("above", "at most")
    lines = []
    for k, name in enumerate(study.strata):
        parts = [] if k == 0 else [f"{reached} {cuts[k - 1]}"]
        parts += [] if k == len(cuts) else [f"{beyond} {cuts[k]}"]
        lines.append(f"{name}: {' and '.join(parts)}")
    return lines


def strata_section(study: StrataStudyDocument) -> Section:
    """Show who is where, and what that costs."""
    header = ("grade", *study.strata)
    patients = tuple(
        (grade, *map(str, row)) for grade, row in zip(study.grades, study.counts, strict=True)
    )
    costs = tuple(
        (grade, *(f"{cost:g}" for cost in row))
        for grade, row in zip(study.grades, study.costs, strict=True)
    )
    kinds = "t" + "n" * len(study.strata)
    return Section(
        key="strata",
        title="Who is in which stratum",
        tables=(
            Table(
                caption="Certifying patients by true grade and stratum.",
                header=header,
                kinds=kinds,
                rows=patients,
            ),
            Table(
                caption="What each stratum costs a patient of each grade.",
                header=header,
                kinds=kinds,
                rows=costs,
            ),
        ),
    )


def boundaries_section(study: StrataStudyDocument) -> Section:
    """Show both error rates of every boundary with their limits."""
    rows = study.boundaries
    share = rows[0].delta
    held = percent(1 - 2 * len(rows) * share)
    header = ("boundary", "at", "missed", "at most", "false alarms", "at most")
    cells = tuple(
        (
            f"{row.below} | {row.above}",
            cut(row.threshold),
            f"{row.miss.errors} of {row.miss.n_patients}",
            percent(row.miss.limit),
            f"{row.alarm.errors} of {row.alarm.n_patients}",
            percent(row.alarm.limit),
        )
        for row in rows
    )
    text = (
        "Missed are patients whose grade belongs above a boundary and who are put below it; "
        f"false alarms the other way round. All limits hold at once with {held} confidence: each "
        f"is exact at {percent(1 - share)}. The limit on the mean cost is a statement of its own, "
        f"with {percent(1 - study.certificate.delta)} confidence."
    )
    return Section(
        key="boundaries",
        title="What is certified at each boundary",
        texts=(text,),
        tables=(
            Table(
                caption="Error rates at the boundaries.", header=header, kinds="tnnnnn", rows=cells
            ),
        ),
    )


def stability_section(study: StrataStudyDocument) -> Section:
    """Show how far the boundaries move together."""
    stability = study.stability
    rows = (
        ("radius of each boundary", ", ".join(map(cut, stability.radius))),
        ("cost at stake within the radii", risk(stability.local_modulus)),
        ("anywhere on the scale", risk(stability.modulus)),
        ("its upper band, the joint penalty", risk(stability.penalty)),
        ("strata that change", percent(stability.flip_rate)),
        ("by two or more", percent(stability.jump_rate)),
    )
    text = (
        f"In {stability.n_bootstrap} bootstrap cohorts all boundaries were chosen again, "
        "together. These figures describe; they promise nothing."
    )
    return Section(
        key="stability",
        title="How steady the boundaries are",
        texts=(text,),
        tables=(
            Table(
                caption="All boundaries at once.", header=("what", "value"), kinds="tn", rows=rows
            ),
        ),
    )


def options_section(study: StrataStudyDocument) -> Section:
    """Show with which options the study can be made again."""
    options = {"rule": study.rule, "direction": study.direction, **study.options.to_plain()}
    rows = tuple((name.replace("_", " "), str(value)) for name, value in options.items())
    table = Table(caption="Options.", header=("option", "value"), kinds="tt", rows=rows)
    return Section(key="options", title="How it was made", tables=(table,))
