"""Every rule at two hospitals: where it chose, and where it is judged."""

from collections.abc import Sequence

from steadycut.core.rounding import at_most
from steadycut.documents.comparison import (
    ComparedCosts,
    ComparedRisks,
    ComparedRule,
    ComparedSite,
    ComparisonDocument,
)
from steadycut.show.pages.page import Column, Section, Table, of_columns, section
from steadycut.show.words.numbers import count, cut, numbers, percents, rate, risk
from steadycut.show.words.sentences import chain_in_short, costs_in_words

CUT_DIGITS = 4
SE_DIGITS = 2
SYMBOLS = (
    "R_Q: risk at the second hospital. R_val: risk of the patients used to check of the first. se: "
    "standard error of what stands before it. shift: R_Q - R_val."
)

ALONE = (
    "Certified, if fixed beforehand: holds for one rule that was named before this table was seen, "
    "the first one. Certified, if picked here: holds for all rules together, so also for the one "
    "with the smallest value."
)


def comparison_section(comparison: ComparisonDocument) -> Section:
    """Show what every rule does at the second hospital."""
    patients, rows = comparison.patients, comparison.rows
    best = min(rows, key=lambda row: row.best_external)
    tables = [rules_table(rows), details_table(rows)]
    if rows[0].sites:
        tables.insert(0, sites_table(rows, rows[0].sites))
    if comparison.cost_table:
        tables.append(costs_table(comparison.cost_table))
    judged = (
        f"Every rule got {count(patients.internal, 'patient')} of the first hospital, to choose "
        "its cut-off and to check it. It was judged on "
        f"{count(patients.external, 'patient')} of the second, of whom it saw none."
    )
    hindsight = (
        f"In hindsight the best cut-off there, of {candidate(best)}, has risk "
        f"{risk(best.best_external)}; calling nobody, or everybody, has risk "
        f"{risk(comparison.trivial_external)}, where {costs_in_words(comparison.costs)}."
    )
    title, results = "What other rules would have done", (judged, hindsight)
    return section("comparison", title, results=results, of=comparison, tables=tables)


def rules_table(rows: Sequence[ComparedRule]) -> Table:
    """Return one row per rule; the candidate is named where rules chose different ones."""
    chosen = chosen_columns(rows)
    paired = all(row.difference is not None for row in rows)
    return of_columns(
        "Rules compared",
        [
            ("rule", [row.name for row in rows]),
            *chosen,
            *risk_columns(rows),
            *(difference_columns(rows) if paired else ()),
            ("G_boot", numbers([row.penalty for row in rows])),
            ("reversed", percents([row.flip_rate for row in rows])),
            ("se", percents([row.flip_rate_se for row in rows])),
        ],
        texts=len(chosen),
        note=f"{SYMBOLS} to erm: R_Q minus that of erm on the same patients. G_boot: the penalty, "
        "an upper limit of the risk at stake where the cut-off may move. reversed: decisions "
        "at the second hospital that a resampled study would change.",
    )


def details_table(rows: Sequence[ComparedRule]) -> Table:
    """Return more about what every rule chose, for a page."""
    return of_columns(
        "What each rule chose",
        [
            ("rule", [row.name for row in rows]),
            ("candidate", [candidate(row) for row in rows]),
            ("first score called", [cut(row.operating_value) for row in rows]),
            ("modulus", [risk(row.modulus) for row in rows]),
            ("certified, if fixed beforehand", [at_most(row.certificate_alone) for row in rows]),
            ("certified, if picked here", [risk(row.certificate_together) for row in rows]),
            ("best possible", [risk(row.best_external) for row in rows]),
            ("sensitivity", [rate(row.sensitivity_external) for row in rows]),
            ("specificity", [rate(row.specificity_external) for row in rows]),
        ],
        texts=2,
        short=False,
        note="Best possible: the smallest risk that any cut-off of the same score has at the "
        f"second hospital, known only afterwards. Sensitivity and specificity: there too. {ALONE}",
    )


def sites_table(rows: Sequence[ComparedRule], sites: Sequence[ComparedSite]) -> Table:
    """Return the average cost of every rule at every site, one row per site."""
    each = [(row.name, numbers([at.risk for at in row.sites or []])) for row in rows]
    columns = [
        ("site", [at.site for at in sites]),
        ("patients", [str(at.n_patients) for at in sites]),
        ("everybody or nobody", numbers([at.trivial for at in sites])),
        *each,
    ]
    return of_columns("Average cost at every site", columns)


def costs_table(rows: Sequence[ComparedCosts]) -> Table:
    """Return what the rule `stable` does at other costs."""
    chosen = chosen_columns(rows)
    return of_columns(
        "Other costs: the rule stable, chosen and judged at each",
        [
            ("miss:alarm", [f"{row.cost_fn:g}:{row.cost_fp:g}" for row in rows]),
            *chosen,
            *risk_columns(rows),
            ("everybody or nobody", numbers([row.trivial_external for row in rows])),
        ],
        texts=len(chosen),
        note=SYMBOLS,
    )


def chosen_columns(rows: Sequence[ComparedRisks]) -> list[Column]:
    """Return the cut-offs, after the candidates where these differ."""
    names = [candidate(row) for row in rows]
    several = [("candidate", names)] if len(set(names)) > 1 else []
    return [*several, ("cut-off", cut_offs(rows))]


def cut_offs(rows: Sequence[ComparedRisks]) -> list[str]:
    """Return the cut-offs of a column, with the same decimals if they are in the same unit."""
    thresholds = [row.threshold for row in rows]
    if len({row.score for row in rows}) > 1:
        return [cut(threshold) for threshold in thresholds]
    return numbers(thresholds, CUT_DIGITS)


def risk_columns(rows: Sequence[ComparedRisks]) -> list[Column]:
    """Return the risks at both hospitals, each with its standard error."""
    return [
        ("R_Q", numbers([row.risk_external for row in rows])),
        ("se", numbers([row.risk_external_se for row in rows], SE_DIGITS)),
        ("R_val", numbers([row.risk_validation for row in rows])),
        ("se", numbers([row.risk_validation_se for row in rows], SE_DIGITS)),
        ("shift", numbers([row.shift for row in rows], signs=True)),
    ]


def difference_columns(rows: Sequence[ComparedRule]) -> list[Column]:
    """Return R_Q minus that of erm on the same patients."""
    return [
        ("to erm", numbers([row.difference for row in rows], signs=True)),
        ("se", numbers([row.difference_se for row in rows], SE_DIGITS)),
    ]


def candidate(row: ComparedRisks) -> str:
    """Name what a rule chose: the score, and how it is aggregated."""
    return f"{row.score}: {chain_in_short(row.aggregation)}"
