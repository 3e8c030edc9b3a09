"""The page of a plan: how many patients for which certificate."""

from steadycut.documents.plan import PlanDocument, PlannedPart, PoolingPart
from steadycut.show.builders import held_files, of_columns, section
from steadycut.show.numbers import count, percent, risk
from steadycut.show.page import Page, Status

NONE = "-"


def plan_page(plan: PlanDocument) -> Page:
    """Return the page of a plan."""
    rows = plan.rows
    columns = [
        ("bound", [row.bound for row in rows]),
        ("observed", [risk(row.risk) for row in rows]),
        ("to check", [certifying(row) for row in rows]),
        ("in all", [number(row.n_total) for row in rows]),
        ("misses", [number(row.misses) for row in rows]),
        ("alarms", [number(row.alarms) for row in rows]),
        ("certified", [NONE if row.value is None else risk(row.value) for row in rows]),
        ("not shown useful", [VACUOUS[row.vacuous] for row in rows]),
    ]
    table = of_columns("One row per bound; a study takes the first", columns)
    return Page(
        title="A plan",
        subtitle="how many patients for which certificate",
        status=Status(text=f"{percent(1 - plan.delta)} confidence", tone="open"),
        headline=(headline(plan), *([pooling_text(plan.pooling)] if plan.pooling else [])),
        facts=(),
        next_step=next_step(plan),
        warnings=(),
        sections=(
            section("plan", "Each bound", tables=(table,)),
            section("notes", "What this assumes", results=tuple(plan.notes)),
        ),
        files=held_files(plan, "plan.json"),
    )


VACUOUS = {None: NONE, True: "yes", False: "no"}


def headline(plan: PlanDocument) -> str:
    """Return the answer of the bound that a study would take."""
    best = plan.rows[0]
    if plan.width is None:
        return f"What {plan.patients} patients give: {given(plan)}."
    target = f"a risk of at most {risk(best.risk + plan.width)}"
    if best.n_certify is None:
        return (
            f"To certify {target} needs more than {best.most} patients used to check, with "
            f"{best.bound}, beyond which is not searched."
        )
    return (
        f"{best.n_total} patients, {best.n_certify} of them used to check, certify {target} if "
        f"{risk(best.risk)} is observed."
    )


def next_step(plan: PlanDocument) -> str:
    """Say what to do with the plan."""
    best = plan.rows[0]
    if best.n_total is None:
        return "Next: plan for a larger --width, or for a score that errs less."
    if plan.trivial_risk is not None and best.risk >= plan.trivial_risk:
        return (
            "Next: try another score or other costs. At this risk it is not better than calling "
            "everybody or nobody; more patients would only confirm this."
        )
    if best.vacuous:
        return (
            "Next: plan for more patients. This certificate would not show that the score is "
            "better than calling everybody or nobody."
        )
    keeps = " It keeps some of them to check the cut-off." if plan.honesty == "split" else ""
    return (
        f"Next: collect {best.n_total} consecutive patients with labels, then run steadycut fit "
        f"once.{keeps}"
    )


def given(plan: PlanDocument) -> str:
    """Say which risk a number of patients certifies, for each risk that may be observed."""
    rows = [row for row in plan.rows if row.bound == plan.rows[0].bound and row.value is not None]
    if not rows:
        return "more than are searched"
    parts = [f"{risk(row.value)} if {risk(row.risk)} is observed" for row in rows]
    return f"{rows[0].n_certify} used to check certify a risk of at most {', '.join(parts)}"


def certifying(row: PlannedPart) -> str:
    """Write how many patients must certify."""
    return f"> {row.most}" if row.n_certify is None else str(row.n_certify)


def number(found: int | None) -> str:
    """Write a number of patients, if it is known."""
    return NONE if found is None else str(found)


def pooling_text(pooling: PoolingPart) -> str:
    """Say why instances do not replace patients."""
    return (
        f"{pooling.instances} instances per patient do not replace patients: {pooling.n_certify} "
        f"patients used to check are still needed. Their {pooling.rows} rows are worth "
        f"{pooling.effective_rows:.0f} independent ones (design effect "
        f"{pooling.design_effect:.1f} at icc {pooling.icc:g}). Rows counted as patients would "
        f"claim a margin of {risk(pooling.claimed_generalization)} instead of "
        f"{risk(pooling.generalization)}, or {count(pooling.claimed_patients, 'patient')}: not "
        "valid."
    )
