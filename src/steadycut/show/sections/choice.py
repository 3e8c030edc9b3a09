"""How a cut-off was chosen: the cut-off itself, the candidates, and what sites choose alone."""

from steadycut.documents.parts import ClustersPart
from steadycut.documents.study import CriterionPart, SitesPart, StudyDocument
from steadycut.show.figures.candidates import CandidatesDisplay
from steadycut.show.figures.risk_curve import RiskCurveDisplay
from steadycut.show.figures.sites import SitesDisplay
from steadycut.show.figures.threshold_draws import ThresholdDrawsDisplay
from steadycut.show.numbers import count, cut, exact, percent, risk
from steadycut.show.page import Section, Table, explained, of_columns, pictures
from steadycut.show.sections.characteristics import cut_interval_rows
from steadycut.show.sentences import (
    chain_in_short,
    costs_in_words,
    prevalence_in_words,
    quoted,
    score_in_words,
)

SELECTORS = {
    "risk": "The candidate with the smallest risk is chosen.",
    "objective": "The candidate with the smallest objective, risk plus penalty, is chosen.",
    "no-bias": "The candidate with the smallest objective is chosen, its radius without the bias.",
    "site-mean": "The candidate is chosen whose cut does best, on average, at sites left out.",
    "site-worst": "The candidate is chosen whose cut does best at the worst of the sites left out.",
}


def choice_section(study: StudyDocument) -> Section:
    """Say how the cut-off was chosen."""
    target = study.target_prevalence
    at = "" if target is None else f", at a prevalence of {prevalence_in_words(target)}"
    rows = (
        (
            "cut-off",
            cut(study.threshold),
            f"to the last digit {exact(study.threshold)}; it equals no observed score",
        ),
        first_score_row(study.operating_value),
        *cut_interval_rows(study.threshold_interval),
        ("risk", risk(study.risk), "of the patients who chose; too rosy, as they chose"),
        *(row for one in study.criterion for row in criterion_rows(one)),
    )
    return Section(
        key="choice",
        title="How it was chosen",
        texts=(
            (f"A patient's score is {score_in_words(study)}. The rule chose the cut-off along it."),
        ),
        pictures=pictures(
            study,
            {
                RiskCurveDisplay: "Risk of the patients who chose, at every cut-off, with one "
                "standard error to either side.",
                ThresholdDrawsDisplay: "Cut-offs that the same rule chose when these patients were "
                "resampled.",
            },
        ),
        tables=(
            explained(
                f"The cut-off that the rule {quoted(study.rule)} chose, where "
                f"{costs_in_words(study.costs)}{at}",
                rows,
            ),
        ),
    )


def first_score_row(value: float | None) -> tuple[str, str, str]:
    """Return the first score that is called, if a patient reaches the cut-off."""
    if value is None:
        return ("first score called", "no patient reaches it", "among the patients who chose")
    return (
        "first score called",
        cut(value),
        (
            f"to the last digit {exact(value)}: the outermost score of a choosing patient who is "
            "called, as other tools print it"
        ),
    )


def criterion_rows(criterion: CriterionPart) -> list[tuple[str, str, str]]:
    """Return what the rule made best; the risk, which erm makes smallest, is shown anyway."""
    if criterion.name == "erm":
        return []
    name = f"criterion {criterion.name}"
    rows = [(name, risk(criterion.select), "of the patients who chose, who made it best")]
    if criterion.certify is not None:
        name = f"{name}, certifying"
        rows.append((name, risk(criterion.certify), "of the patients who certify"))
    return rows


def instances_section(instances: ClustersPart) -> Section:
    """Say what the rows of the patients are worth, where patients have several."""
    return Section(
        key="instances",
        title="What the rows are worth",
        results=(
            (
                f"Instances: {instances.rows} rows of {count(instances.patients, 'patient')} are "
                f"worth {risk(instances.effective)} independent ones (design effect "
                f"{risk(instances.design_effect)} at a correlation of {risk(instances.icc)} within "
                "a patient)."
            ),
        ),
    )


def candidates_section(study: StudyDocument) -> Section:
    """Show every candidate and why one was chosen; a terminal shows several only."""
    several = len(study.candidates) > 1
    choice = SELECTORS[study.options.selector]
    if study.ensemble:
        choice = (
            "The ensemble in the last row averages the cut-offs of all others on the quantile "
            "scale; its own cut-off is a quantile."
        )
    return Section(
        key="candidates",
        title="What it was chosen from",
        texts=(f"{choice} All numbers are of the patients who chose.",),
        pictures=pictures(
            study,
            {
                CandidatesDisplay: "Every candidate: smallest risk, risk at its cut-off, and "
                "objective."
            },
        ),
        tables=(
            Table(
                caption="Candidates: scores and aggregators",
                header=(
                    *("candidate", "cut-off", "risk", "smallest risk", "radius", "modulus"),
                    *("penalty", "objective", ""),
                ),
                kinds="tnnnnnnnt",
                rows=tuple(
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
                    for row in study.candidates
                ),
                marked=next((i for i, row in enumerate(study.candidates) if row.chosen), None),
                short=(0, 1, 2, 6, 7, 8) if several else (),
            ),
        ),
    )


def sites_section(study: StudyDocument, sites: SitesPart) -> Section:
    """Show what each internal site would have chosen alone."""
    rows, certified = sites.rows, [row.certificate for row in sites.rows]
    columns = [
        ("site", [row.site for row in rows]),
        ("chose", [str(row.select) for row in rows]),
        ("its own cut", [cut(row.threshold) for row in rows]),
        ("quantile", [percent(row.quantile) for row in rows]),
        ("certify", [str(row.certify) for row in rows]),
        ("risk", ["" if one is None else risk(one.risk) for one in certified]),
        ("certified", ["" if one is None else risk(one.value) for one in certified]),
    ]
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
        pictures=pictures(
            study, {SitesDisplay: "The cut-off that each site would have chosen alone."}
        ),
        tables=(of_columns("Internal sites: what each would have chosen alone", columns),),
    )
