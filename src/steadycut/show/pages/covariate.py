"""The page of cut-offs by covariate: one per group, or along a number."""

from steadycut.core.rounding import at_most
from steadycut.documents.covariate import CovariateDocument, CovariateStudyDocument
from steadycut.documents.parts import CertificatePart
from steadycut.show.pages.page import Page, Section, Table, of_columns, section
from steadycut.show.sections.certificate import certificate_section, judged
from steadycut.show.words import sentences as say
from steadycut.show.words.numbers import count, cut, numbers, percent, percents, risk

# More cut-offs than this are for the page.
MOST_ROWS = 8
WITHOUT = "calling everybody or nobody"


def covariate_page(study: CovariateStudyDocument) -> Page:
    """Return the page of a study of cut-offs by covariate."""
    certificate, costs, pooled = study.certificate, study.costs, study.pooled
    by = "group of" if study.kind == "groups" else "value of"
    known = certificate, study.verdict, certified_sentence(study), "covariate.json", WITHOUT
    status, marks, step = judged(*known)
    return Page(
        title=f"Cut-offs by {by} {say.quoted(study.covariate)}",
        subtitle=say.roles_in_words(study.patients, study.names),
        status=status,
        headline=headline(study),
        marks=marks,
        step=step,
        facts=(
            ("one cut-off for all", cut(pooled.threshold)),
            ("certified for it, at most", say.limit_in_short(pooled.certificate.value, costs)),
            ("stability", say.disagree_in_words(study.disagreement)),
        ),
        answer=answer_table(study) if len(study.cuts) <= MOST_ROWS else None,
        sections=(
            cuts_section(study),
            test_section(study),
            risk_section(study),
            certificate_section(certificate, f"where {say.costs_in_words(costs)}"),
        ),
    )


def headline(study: CovariateStudyDocument) -> tuple[str, ...]:
    """Return the sentences that are read in ten seconds; the first one is the rule."""
    rule = rule_in_words(study, say.aggregation_in_words(study.score, study.aggregation))
    rules = (rule, *say.scored_sentences(study.patients.total, study.data, names=study.names))
    return rules if study.verdict else (*rules, certified_sentence(study))


def rule_in_words(document: CovariateStudyDocument | CovariateDocument, score: str) -> str:
    """Say when a patient is called, with the score in words."""
    side = "at least" if document.direction == "ge" else "at most"
    name = say.quoted(document.covariate)
    return f"Call a patient when {score} is {side} the cut-off for the patient's {name}."


def certified_sentence(study: CovariateStudyDocument) -> str:
    """Say what is certified."""
    useful = None if study.verdict is None else study.verdict.useful
    return say.certified_sentence(study.certificate, study.costs, useful)


def names_of(study: CovariateStudyDocument) -> list[str]:
    """Return the group or the value that each cut-off is for."""
    return [row.at if isinstance(row.at, str) else f"{row.at:.4g}" for row in study.cuts]


def answer_table(study: CovariateStudyDocument) -> Table:
    """Return the cut-offs, beside the one for all patients."""
    rows = study.cuts
    columns = [
        (study.covariate, names_of(study)),
        ("cut-off", [cut(row.threshold) for row in rows]),
        ("one cut-off for all", [cut(study.pooled.threshold)] * len(rows)),
    ]
    return of_columns("The frozen cut-offs", columns)


def cuts_section(study: CovariateStudyDocument) -> Section:
    """Show every cut-off, beside the pooled one and what its own patients would choose."""
    rows, groups = study.cuts, study.kind == "groups"
    columns = [
        (study.covariate, names_of(study)),
        ("cut-off", [cut(row.threshold) for row in rows]),
        ("pooled", [cut(study.pooled.threshold)] * len(rows)),
        ("alone", [cut(row.own_threshold) for row in rows]),
        ("weight of alone", percents([row.weight for row in rows])),
    ]
    if groups:
        certified = [row.certificate for row in rows]
        columns += [
            ("risk", [risk(None if part is None else part.risk) for part in certified]),
            ("certified", [at_most(None if part is None else part.value) for part in certified]),
        ]
    between = "" if groups else "In between on a line (in ranks), beyond the ends constant."
    text = (
        "Each cut-off lies between the pooled one, of all patients together, and what its own "
        "patients would have chosen alone; the weight says how far these are followed."
    )
    table = of_columns("The frozen cut-offs", columns)
    return section("cuts", "The cut-offs", text, results=(between,), tables=(table,))


def test_section(study: CovariateStudyDocument) -> Section:
    """Say whether one cut-off is enough for everybody."""
    test, name = study.test, say.quoted(study.covariate)
    result = (
        f"Is one cut-off enough? p = {test.p_value:.2g}. Among {count(test.n_patients, 'patient')} "
        f"around the pooled cut-off, those with similar scores differ in disease by {name}. If the "
        f"same cut-off is best at every {name}, so large a difference comes by chance in "
        f"{percent(test.p_value)} of studies. Asked of the patients used to choose only."
    )
    return section("test", "Is one cut-off enough?", results=(result,))


def risk_section(study: CovariateStudyDocument) -> Section:
    """Show the risk by covariate and of the pooled cut-off, and their difference."""
    own, pooled, gap = study.certificate, study.pooled.certificate, study.difference
    held = percent(1 - own.delta)
    proven = "it has less risk" if gap.upper < 0 else "less risk is not proven"
    risks, values = numbers([own.risk, pooled.risk]), numbers([own.value, pooled.value])
    spread = f"{gap.risk:+.3f} \N{PLUS-MINUS SIGN} {gap.standard_error:.3f}"
    table = Table(
        caption=f"Risk on {count(own.n_patients, 'patient')} who did not choose; each line holds "
        f"with {held} on its own",
        header=("cut-offs", "risk", "certified, at most", "what that says"),
        kinds="tnnt",
        rows=(
            ("by covariate", risks[0], values[0], usefulness(own)),
            ("pooled cut-off", risks[1], values[1], usefulness(pooled)),
            ("difference", spread, f"{gap.upper:+.3f}", proven),
        ),
        short=(0, 1, 2, 3),
    )
    return section("risk", "What the covariate is worth", tables=(table,))


def usefulness(certificate: CertificatePart) -> str:
    """Say whether a certificate is better than no score."""
    return "no better than no score" if certificate.vacuous else "better than no score"
