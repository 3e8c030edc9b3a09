"""What a rerun found, as a page in Markdown that is also readable on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from paper.table import COLUMNS

OTHERS = ("accuracy_external", "modulus", "penalty", "flip_rate")
ORDER = {"holds": "held", "mixed": "mixed", "does not hold": "not held"}


def table_page(content: Mapping[str, Any], title: str = "The paper's tables, rerun") -> str:
    """Return the page of the paper's main and cost table."""
    patients, replicates = content["patients"], content["replicates"]
    return page(
        title,
        f"Chosen on {patients['internal']} internal patients, half of whom choose and half "
        f"validate; judged on {patients['external']} external ones. Calling everybody or nobody, "
        f"whichever costs less, has external risk {content['trivial_external']:.3f}.",
        markdown(main_rows(content["rows"])),
        gamma_text(content["gamma"]),
        "Cost table",
        markdown(cost_table_rows(content["cost_table"])),
        f"Over {replicates} replicates (mean, and how often below ERM's R_Q)",
        *passed_over_text(content["passed_over"]),
        markdown(replicate_rows(content["over_replicates"])),
        claims_text(content["claims"], replicates),
    )


def gamma_text(terms: Mapping[str, float]) -> str:
    """Return the paper's allowance for chance, term by term."""
    return (
        f"gamma at delta {terms['delta']:g}, for every method: {terms['positive']:.3f} (ill) + "
        f"{terms['negative']:.3f} (healthy) + {terms['prevalence']:.3f} (prevalence) = "
        f"{terms['total']:.3f}"
    )


def passed_over_text(number: int) -> list[str]:
    """Say how many splits gave no table."""
    if not number:
        return []
    lacking = "in them a role lacked a class, or a rule had no cut-off."
    return [f"Passed over: {number} other {'split' if number == 1 else 'splits'}; {lacking}"]


def page(title: str, *parts: str) -> str:
    """Return a page in Markdown."""
    return "\n\n".join([f"# {title}", *parts]) + "\n"


def tables_page(content: Mapping[str, Any]) -> str:
    """Return the pages of several data sets, each under its name, and what was skipped."""
    pages = [table_page(table, name) for name, table in content["tables"].items()]
    lost = [f"- {one['file']}: {one['reason']}" for one in content["skipped"]]
    return "\n".join([*pages, *(["# Skipped files", "", *lost, ""] if lost else [])])


def figure_page(
    content: Mapping[str, Any], title: str, shown: str, columns: Mapping[str, str]
) -> str:
    """Return the page of a figure; ``columns`` are the titles of the sensitivity table, by key."""
    assumed = [["not printed", "used here"], *map(list, content["parameters"]["assumed"].items())]
    return page(
        title,
        f"What the paper shows: {shown}",
        claims_text(content["claims"], content["replicates"]),
        markdown(assumed),
        f"One change at a time, {content['replicates']} replicates each",
        markdown(sensitivity_rows(content["sensitivity"], columns)),
    )


def sensitivity_rows(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]
) -> list[list[str]]:
    """Return the result of each change: means as numbers, shares as percentages."""
    cells = [
        [row["changed"], row["status"], *(mean_or_share(row[key]) for key in columns)]
        for row in rows
    ]
    return [["changed", "", *columns.values()], *cells]


def mean_or_share(value: Mapping[str, float] | float) -> str:
    """Return a mean over replicates, or a share of them.

    Examples
    --------
    >>> mean_or_share({"mean": 0.25}), mean_or_share(0.25)
    ('0.250', '25 %')
    """
    return f"{100 * value:.0f} %" if isinstance(value, float) else f"{value['mean']:.3f}"


def main_rows(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the paper's columns, and what was chosen."""
    names = ["R_Q", "Validation", "Shift", *(COLUMNS[name] for name in OTHERS)]
    cells = [["Method", "candidate", *names]]
    for row in rows:
        candidate = f"{row['score']}: {' > '.join(step['how'] for step in row['aggregation'])}"
        risks = [with_error(row, "risk_external"), with_error(row, "risk_validation")]
        others = [f"{row[name]:.3f}" for name in OTHERS]
        cells.append([row["name"], candidate, *risks, f"{row['shift']:+.3f}", *others])
    return cells


def cost_table_rows(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the external risk at each pair of costs, one row per method."""
    names = list(dict.fromkeys(row["name"] for row in rows))
    pairs = list(dict.fromkeys((row["cost_fn"], row["cost_fp"]) for row in rows))
    cells = {
        (row["name"], row["cost_fn"], row["cost_fp"]): with_error(row, "risk_external")
        for row in rows
    }
    head = ["Loss (miss, alarm)", *(f"({miss:g}, {alarm:g})" for miss, alarm in pairs)]
    return [head, *([name, *(cells[name, *pair] for pair in pairs)] for name in names)]


def replicate_rows(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the means over replicates, one row per method."""
    columns = {**COLUMNS, "to_erm": "R_Q to ERM"}
    shown = (*columns, "below_erm", "same_as_erm")
    cells = [[row["name"], *(mean_or_share(row[name]) for name in shown)] for row in rows]
    return [["Method", *columns.values(), "below ERM", "same"], *cells]


def claims_text(claims: Sequence[Mapping[str, Any]], replicates: int) -> str:
    """Return each statement of the paper with its verdict and what came out."""
    verdicts = [claim["verdict"] for claim in claims]
    counts = ", ".join(f"{verdicts.count(verdict)} {words}" for verdict, words in ORDER.items())
    lines = [
        f"- {claim['verdict']}{in_share(claim['share'])}. Paper: {claim['paper']} "
        f"Here: {claim['found']}"
        for claim in claims
    ]
    head = f"Of {len(claims)} statements of the paper, over {replicates} replicates: {counts}."
    return "\n".join([head, "", *lines])


def in_share(share: float | None) -> str:
    """Return in how many replicates a statement held."""
    return "" if share is None else f" (true in {100 * share:.0f} % of replicates)"


def with_error(row: Mapping[str, Any], name: str) -> str:
    """Return a number of a row with its standard error."""
    return f"{row[name]:.3f} ± {row[f'{name}_se']:.3f}"


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, its columns aligned for a terminal.

    Examples
    --------
    >>> print(markdown([["rule", "risk"], ["erm", "0.1"]]))
    | rule | risk |
    |------|------|
    | erm  | 0.1  |
    """
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])
