"""The page of a comparison: every rule at two hospitals."""

from collections.abc import Sequence

from steadycut.documents.comparison import ComparedRule, ComparisonDocument
from steadycut.show.pages.page import Page, Status, Table, of_columns
from steadycut.show.sections.comparison import comparison_section, cut_offs
from steadycut.show.words.next_step import Sentence, Step
from steadycut.show.words.numbers import count, percent, rate, risk

# Further rules are for the page.
MOST_ROWS = 7


def comparison_page(comparison: ComparisonDocument) -> Page:
    """Return the page of a comparison of rules."""
    patients = comparison.patients
    best = min(comparison.rows, key=lambda row: row.risk_external)
    return Page(
        title="A comparison of rules",
        subtitle=f"chosen on {count(patients.internal, 'internal patient')}, judged on "
        f"{count(patients.external, 'external one')}",
        status=Status(text=count(len(comparison.rows), "rule"), tone="open"),
        headline=(headline(comparison), conclusion(comparison)),
        answer=answer_table(comparison.rows[:MOST_ROWS]),
        step=Step(verb="fit", sentence=what_next(comparison)),
        facts=(
            ("smallest risk there", f"{risk(best.risk_external)}, {best.name}"),
            ("calling everybody or nobody", risk(comparison.trivial_external)),
        ),
        sections=(comparison_section(comparison),),
    )


def headline(comparison: ComparisonDocument) -> str:
    """Say what the table shows, and what it costs to do without a score."""
    costs = comparison.costs
    where = (
        "" if costs.equal else f" (a miss costs {costs.cost_fn:g}, a false alarm {costs.cost_fp:g})"
    )
    text = f"Average cost per patient on {comparison.patients.external} others{where}"
    without = risk(comparison.trivial_external)
    if none_is_useful(comparison):
        return f"No rule here costs less than calling everybody or nobody ({without}). {text}."
    return f"{text}; calling everybody or nobody: {without}."


def none_is_useful(comparison: ComparisonDocument) -> bool:
    """Whether every rule costs at least as much as calling everybody or nobody."""
    return all(row.risk_external >= comparison.trivial_external for row in comparison.rows)


def conclusion(comparison: ComparisonDocument) -> str:
    """Say which rules cost less or more than the one that was fixed beforehand, beyond chance."""
    less, more, rest = (named(comparison, answer) for answer in ("less", "more", "cannot tell"))
    both = (("less", less), ("more", more))
    parts = [f"{names} cost{'' if ', ' in names else 's'} {kind}" for kind, names in both if names]
    if not parts:
        parts = ["no other rule differs from it" if rest else "no other rule was compared"]
    beyond = f" beyond chance ({percent(1 - comparison.delta)} confidence for all together)"
    return f"{comparison.fixed} was fixed beforehand: {'; '.join(parts)}{beyond}."


def what_next(comparison: ComparisonDocument) -> str | Sentence:
    """Say whether to keep the rule fixed beforehand; one picked here must be checked elsewhere."""
    if none_is_useful(comparison):
        return lambda spell: (
            "Next: do not use any of them there. Try another score or other costs, or choose a "
            f"cut-off with {spell.call('fit')} on labelled patients of that hospital."
        )
    fixed, without = comparison.rows[0], comparison.trivial_external
    less = [row for row in comparison.rows if row.against_fixed == "less"]
    better = [row for row in less if row.risk_external < without]
    if better:
        options = options_of(min(better, key=lambda row: row.risk_external))
        return lambda spell: (
            f"Next: do not switch because of this table. Fit with {spell.options(options)}, and "
            "audit it on patients not used here."
        )
    chance = "A rule that looks better here may do so by chance."
    if fixed.risk_external >= without:
        return (
            f"Next: do not use {fixed.name} there: it does not cost less than calling everybody "
            f"or nobody. {chance}"
        )
    return f"Next: keep {fixed.name}. {chance}"


def options_of(row: ComparedRule) -> dict[str, str]:
    """Return the options of fit that make a row; those of the paper differ in their selector."""
    return {"rule": row.rule} | ({} if row.name == row.rule else {"selector": row.selector})


def named(comparison: ComparisonDocument, answer: str) -> str:
    """Return the names of the rules with one answer."""
    return ", ".join(row.name for row in comparison.rows if row.against_fixed == answer)


def answer_table(rows: Sequence[ComparedRule]) -> Table:
    """Return what every rule does at the second hospital, and the first one at each of several."""
    lines = [
        (row.name, cell, row.risk_external, row.sensitivity_external, row.specificity_external)
        for row, cell in zip(rows, cut_offs(rows), strict=True)
    ]
    lines[1:1] = [
        (f"  {at.site} ({at.n_patients})", "", at.risk, at.sensitivity, at.specificity)
        for at in (rows[0].sites or [])[:MOST_ROWS]
    ]
    names, cuts, *numbers = zip(*lines, strict=True)
    written = zip(
        ("average cost", "sensitivity", "specificity"), (risk, rate, rate), numbers, strict=True
    )
    columns = [(name, list(map(write, values))) for name, write, values in written]
    caption = "Every rule at the second hospital"
    return of_columns(caption, [("rule", names), ("cut-off", cuts), *columns])
