"""The paper's main table and its cost table, for patients of any two hospitals.

Every rule chooses at P, is frozen and is judged at Q. Replicates repeat this with other patients,
because one table says little about which rule is better.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from paper.claims import SCHEMA, Claim, share_of, spread_of
from paper.pointwise import Pointwise
from steadycut.core.bounds.concentration import paper_terms
from steadycut.core.records import LABELLED, PatientScores, check_same_patients
from steadycut.errors import BadPatients, NoFeasibleCut, TooFewPatients
from steadycut.ingest.patients import Progress
from steadycut.study.compare import COST_TABLE, Row, check_disjoint, judge
from steadycut.study.fit import make_study
from steadycut.study.options import paper_method

Hospitals = tuple[list[PatientScores], list[PatientScores]]
# One table: a row per method.
Rows = Sequence[Mapping[str, Any]]

# Row of the paper -> its rule along the cut-offs, and how it selects one of the candidates.
ERM, OURS, NO_PENALTY = "ERM", "Our method (Algorithm 1)", "Abl.: no penalty"
METHODS: dict[str, dict[str, Any]] = {
    ERM: {"rule": "erm", "selector": "risk"},
    "Youden J": {"rule": "youden", "selector": "risk"},
    "ROC@Sens>=0.95": {"rule": "sensitivity:0.95", "selector": "risk"},
    "ROC@Spec>=0.90": {"rule": "specificity:0.90", "selector": "risk"},
    OURS: {"rule": "erm", "selector": "objective"},
    NO_PENALTY: {"rule": "erm", "selector": "risk"},
    "Abl.: no bias": {"rule": "erm", "selector": "no-bias"},
    "Figure 1's penalty": {"rule": Pointwise(), "selector": "risk"},
    "steadycut: stable": {"rule": "stable", "selector": "risk"},
}
# Algorithm 1 as printed. The DKW band adds the same amount to every candidate.
PAPER = paper_method()
# The paper prints values of G_boot up to this one.
LARGEST_PENALTY = 0.09
# The columns that are averaged over replicates, and what the paper calls them.
COLUMNS = {
    "risk_external": "R_Q",
    "accuracy_external": "Accuracy",
    "risk_validation": "Validation",
    "shift": "Shift",
    "modulus": "modulus",
    "penalty": "G_boot",
    "flip_rate": "FR",
}


def judge_methods(hospitals: Hospitals, options: Mapping[str, Any]) -> list[Row]:
    """Return one row per method, at the costs of ``options``."""
    here, there = hospitals
    return [
        judge(name, make_study(here, **{**PAPER, **method, **options}), here, there)
        for name, method in METHODS.items()
    ]


def cost_rows(hospitals: Hospitals, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the paper's cost table: its own method, and ours, at three pairs of costs."""
    here, there = hospitals
    rows = []
    for name in (OURS, "steadycut: stable"):
        for cost_fn, cost_fp in COST_TABLE:
            costs = {**options, "cost_fn": cost_fn, "cost_fp": cost_fp}
            study = make_study(here, **{**PAPER, **METHODS[name], **costs})
            rows.append(
                {"name": name, **judge(name, study, here, there).describe_costs().to_plain()}
            )
    return rows


def table_result(
    first: Hospitals,
    others: Iterable[tuple[int, Hospitals | None]],
    n_replicates: int,
    options: Mapping[str, Any],
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the tables of ``first``, and how the methods compare over all replicates.

    ``others`` are the hospitals of each replicate, with the seed of its split; None if that seed
    gives none. ``first`` counts as a replicate only if it is repeated there. With few patients a
    role may lack a class, or a rule have no cut-off. Such a replicate is passed over and counted.
    """
    check_disjoint(*first)
    check_same_patients(first[1], "candidates", LABELLED)
    rows = judge_methods(first, options)
    reference = rows[0]
    seen: list[list[dict[str, Any]]] = []
    costs: list[list[dict[str, Any]]] = []
    passed_over = 0
    for seed, hospitals in others:
        if progress:
            progress("replicates", len(seen), n_replicates)
        settings = {**options, "seed": seed}
        try:
            judged = None if hospitals is None else judge_methods(hospitals, settings)
            at_costs = [] if hospitals is None else cost_rows(hospitals, settings)
        except (BadPatients, NoFeasibleCut):
            judged, at_costs = None, []
        if judged is None:
            passed_over += 1
            continue
        seen.append([row_content(row) for row in judged])
        costs.append(at_costs)
        if len(seen) == n_replicates:
            break
    if not seen and passed_over:
        msg = f"none of {passed_over} splits gave a table: give more patients of each class."
        raise TooFewPatients(msg)
    return {
        "schema": SCHEMA,
        "target": "table",
        "seed": options.get("seed", 0),
        "replicates": len(seen),
        "passed_over": passed_over,
        "patients": {"internal": first[0][0].n_patients, "external": first[1][0].n_patients},
        "candidates": len(first[0]),
        "trivial_external": reference.external.trivial_risk(reference.costs),
        "gamma": gamma_of(reference),
        "rows": [row_content(row, reference) for row in rows],
        "cost_table": cost_rows(first, options),
        "over_replicates": over_replicates(seen),
        "claims": [claim.to_dict() for claim in table_claims(seen, costs, len(first[0]))],
    }


def row_content(row: Row, reference: Row | None = None) -> dict[str, Any]:
    """Return a row, its accuracy at Q, and the absolute value of its shift."""
    content = row.describe(reference).to_plain()
    accuracy = 1 - float(row.wrong.mean())
    return {**content, "accuracy_external": accuracy, "gap": abs(content["shift"])}


def gamma_of(row: Row) -> dict[str, float]:
    """Return the paper's allowance for chance, term by term; it is the same in every row."""
    delta = row.study.certificate.delta
    terms = paper_terms(row.study.counts, row.costs, delta)
    return {**terms._asdict(), "total": sum(terms), "delta": delta}


def over_replicates(seen: Sequence[Rows]) -> list[dict[str, Any]]:
    """Return for each method the mean of every column, and how often it did better than ERM."""
    summary = []
    for place, name in enumerate(METHODS):
        rows = [table[place] for table in seen]
        to_erm = [
            row["risk_external"] - table[0]["risk_external"]
            for row, table in zip(rows, seen, strict=True)
        ]
        summary.append(
            {
                "name": name,
                **{column: spread_of([row[column] for row in rows]) for column in COLUMNS},
                "to_erm": spread_of(to_erm),
                "below_erm": share_of([gap < 0 for gap in to_erm]),
                "same_as_erm": share_of([gap == 0 for gap in to_erm]),
            }
        )
    return summary


def table_claims(seen: Sequence[Rows], costs: Sequence[Rows], n_candidates: int) -> list[Claim]:
    """Return what the paper concludes from its tables, and how often it came out here."""
    by_name = [dict(zip(METHODS, table, strict=True)) for table in seen]
    ours, erm, plain, no_bias = (
        [table[name] for table in by_name] for name in (OURS, ERM, NO_PENALTY, "Abl.: no bias")
    )
    equal, alarms = ([rows[place] for rows in costs] for place in (0, 1))
    alone = "" if n_candidates > 1 else " With one candidate Algorithm 1 is ERM: J adds a constant."
    return [
        lower_claim("Our method has a lower external risk than ERM.", ours, erm, after=alone),
        lower_claim("Our method has fewer decision flips than ERM.", ours, erm, "flip_rate"),
        lower_claim(
            "Our method has a shift R_Q - R_val closer to zero than ERM.", ours, erm, "gap"
        ),
        Claim(
            "G_boot is between 0.034 and 0.090.",
            f"Algorithm 1 with its printed DKW band: {mean_of('penalty', ours):.3f} on average, of "
            f"which the empirical modulus is {mean_of('modulus', ours):.3f} and the band the rest.",
            share_of([row["penalty"] <= LARGEST_PENALTY for row in ours]),
        ),
        Claim(
            "Without the penalty the external risk is above ERM's.",
            "Without the penalty Algorithm 1 is ERM over the same candidates. "
            + compared("risk_external", plain, erm),
            lower("risk_external", erm, plain),
        ),
        Claim(
            "Without the bias the external risk is above that of our method.",
            compared("risk_external", no_bias, ours),
            lower("risk_external", ours, no_bias),
        ),
        lower_claim(
            "The external risk at costs (1, 3) is below that at (1, 1).",
            alarms,
            equal,
            after=" At one cut the risk cannot fall when an error costs more. If it is lower, the "
            "cut for (1, 3) would have been better at (1, 1) too.",
        ),
    ]


def lower_claim(
    paper: str, one: Rows, two: Rows, column: str = "risk_external", after: str = ""
) -> Claim:
    """Return the statement that a column of ``one`` is below that of ``two``."""
    found = compared(column, one, two) + after
    return Claim(paper, found, lower(column, one, two))


def lower(column: str, one: Rows, two: Rows) -> float:
    """Return in which share of the replicates ``one`` is below ``two``."""
    return share_of([a[column] < b[column] for a, b in zip(one, two, strict=True)])


def compared(column: str, one: Rows, two: Rows) -> str:
    """Return two means and how often the first was lower, equal and higher."""
    pairs = list(zip(one, two, strict=True))
    below, same = lower(column, one, two), share_of([a[column] == b[column] for a, b in pairs])
    return (
        f"{mean_of(column, one):.3f} against {mean_of(column, two):.3f} on average; lower in "
        f"{100 * below:.0f} %, the same in {100 * same:.0f} %, higher in "
        f"{100 * (1 - below - same):.0f} % of the replicates."
    )


def mean_of(column: str, rows: Rows) -> float:
    """Return the mean of one column."""
    return spread_of([row[column] for row in rows])["mean"]
