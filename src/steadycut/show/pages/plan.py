"""The page of a plan: how many patients for which certificate."""

from steadycut.core.planning.certificates import PlannedCertificate, Pooling
from steadycut.core.rounding import at_most
from steadycut.documents.plan import PlanDocument, SitePlanPart, SitesPlanPart
from steadycut.show.pages.page import Page, Section, Status, of_columns, section
from steadycut.show.words.next_step import Step
from steadycut.show.words.numbers import count, percent, risk, whole_percent

NONE = "-"


def plan_page(plan: PlanDocument) -> Page:
    """Return the page of a plan."""
    if plan.at_site is not None:
        return site_page(plan, plan.at_site)
    if plan.sites is not None:
        return sites_page(plan, plan.sites)
    rows, powered = plan.rows, plan.powered or []
    columns = [
        ("bound", [row.bound for row in rows]),
        ("observed", [risk(row.risk) for row in rows]),
        ("to check", [certifying(row) for row in rows]),
        ("in all", [number(row.n_total) for row in rows]),
        ("misses", [number(row.misses) for row in rows]),
        ("alarms", [number(row.alarms) for row in rows]),
        ("certified", [NONE if row.value is None else at_most(row.value) for row in rows]),
        ("not shown useful", [VACUOUS[row.vacuous] for row in rows]),
    ]
    table = of_columns("Without power: if the expected risk is observed", columns)
    answer = (headline(plan), *([pooling_text(plan.pooling)] if plan.pooling else []))
    about = "how many patients for which certificate"
    step = next_step(plan, powered[0].n_total if plan.width is not None else None)
    return page_with(plan, about, answer, step, section("plan", "Each bound", tables=(table,)))


def page_with(
    plan: PlanDocument, about: str, answer: tuple[str, ...], step: Step, rows: Section
) -> Page:
    """Return the page of any plan: what it is about, its answer, what to do, and its table."""
    return Page(
        title="A plan",
        subtitle=about,
        status=Status(text=f"{percent(1 - plan.delta)} confidence", tone="open"),
        headline=answer,
        step=step,
        sections=(rows, section("notes", "What this assumes", results=notes(plan))),
    )


SITE_NOTES = (
    "labels are of random or consecutive patients of the next hospital.",
    "the chosen cut-off has the expected cost there, and is the likeliest of the menu.",
    "all errors have the larger cost; with unequal costs fewer labels may be enough.",
)
SITES_NOTES = (
    "the next hospital is to these hospitals as they are to each other.",
    "the cost that is promised depends on the patients of each hospital; these numbers do not.",
    "shares are approximate where each hospital is left out in turn.",
)
WORST_MIX = "all errors misses or all alarms, as far as possible, whichever is worse: none assumed."


def notes(plan: PlanDocument) -> tuple[str, ...]:
    """Say what the numbers assume."""
    if plan.at_site is not None or plan.sites is not None:
        return SITES_NOTES if plan.at_site is None else SITE_NOTES
    mixed = "errors are mixed as among the pilot's patients." if plan.from_pilot else WORST_MIX
    pilot = "the pilot's risk is an estimate: the next cohort may show another one."
    return (*(() if plan.costs.equal else (mixed,)), *((pilot,) if plan.from_pilot else ()))


def site_page(plan: PlanDocument, site: SitePlanPart) -> Page:
    """Return the page of a plan for the next hospital."""
    rows, power = site.rows, percent(site.power)
    columns = [
        ("which cut-off", [row.cuts for row in rows]),
        ("all at once", [number(row.fixed) for row in rows]),
        ("without power", [number(row.without_power) for row in rows]),
    ]
    text = f"Labels that certify the target; all at once: enough {power} of the time"
    table = of_columns(text, columns, short=False)
    return page_with(
        plan,
        "how many labels for the next hospital",
        (site_headline(site),),
        site_next_step(site),
        section("plan", "Labels", tables=(table,)),
    )


def sites_page(plan: PlanDocument, sites: SitesPlanPart) -> Page:
    """Return the page of what hospitals can promise about the next one."""
    both = (sites.certify, sites.left_out)
    rows = [
        ("the limit of the worst hospital holds at the next one", [way.worst for way in both]),
        ("share of hospitals, if all of these pass", [way.share_all for way in both]),
        ("share of hospitals, if all but one pass", [way.share_all_but_one for way in both]),
        ("largest X of the rule sensitivity:X@next-site", [sites.mean_rate] * 2),
    ]
    texts = [(name, [whole_percent(value) for value in values]) for name, values in rows]
    if sites.target is not None:
        wanted = f"patients per hospital for {risk(sites.target)}, {percent(plan.power or 0)} power"
        texts.append((wanted, [number(way.patients) for way in both]))
        texts.append(
            ("the same without power", [number(way.patients_without_power) for way in both])
        )
    columns = [
        ("at least", [name for name, _ in texts]),
        ("others chose", [values[0] for _, values in texts]),
        ("each left out in turn", [values[1] for _, values in texts]),
    ]
    return page_with(
        plan,
        "how many hospitals for which promise about the next one",
        (sites_headline(sites),),
        Step(
            verb="fit",
            sentence=lambda spell: (
                "Next: collect patients with labels at several hospitals, and run "
                f"{spell.call('fit_sites')}. {spell.option('sites_certify', None)} names those "
                "that only check what others chose."
            ),
        ),
        section("plan", "Hospitals", tables=(of_columns("What they promise", columns),)),
    )


def sites_headline(sites: SitesPlanPart) -> str:
    """Say what so many hospitals promise, and how many a promise at the level takes."""
    certify, left_out = sites.certify, sites.left_out
    takes = f"{percent(sites.level)} takes {number(certify.needed)} hospitals that check"
    if left_out.needed is not None:
        takes += f", or {left_out.needed} that do both"
    return (
        f"{sites.n_sites} hospitals promise that the limit of the worst one holds at the next, "
        f"with probability {whole_percent(certify.worst)} if others chose the cut-off, "
        f"{whole_percent(left_out.worst)} if each is left out in turn. {takes}."
    )


def site_headline(site: SitePlanPart) -> str:
    """Say how many labels certify the target."""
    target = f"an average cost of at most {risk(site.target)}"
    expected = f"if it is {risk(site.risk)} there"
    best = site.rows[0]
    if best.fixed is None:
        return f"{target[:1].upper()}{target[1:]} cannot be certified {expected}."
    power = percent(site.power)
    return (
        f"{best.fixed} random labels certify {target}, {expected} ({power} power). Taken one at a "
        f"time, about as many are enough half of the time, and up to twice as many {power} of it."
    )


def site_next_step(site: SitePlanPart) -> Step:
    """Say how to get the labels."""
    size = site.rows[0].fixed
    if size is None:
        return larger("target", "ask why the cost is so high there")
    return Step(
        verb="adapt",
        sentence=lambda spell: (
            f"Next: label {size} random patients, and run {spell.call('adapt_labels', 'RULE')}; or "
            f"label one at a time, with {spell.call('sequential')}."
        ),
    )


def larger(name: str, otherwise: str) -> Step:
    """Say that an option of the plan must be larger."""
    return Step(
        verb="plan",
        sentence=lambda spell: (
            f"Next: plan for a larger {spell.option(name, None)}, or {otherwise}."
        ),
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
        f"{with_power(plan, target)} Without power: {best.n_total} patients ({best.n_certify} to "
        f"check) are enough if {risk(best.risk)} is observed."
    )


def with_power(plan: PlanDocument, target: str) -> str:
    """Say how many patients certify a target in most studies."""
    powered, often = (plan.powered or plan.rows)[0], percent(plan.power or 0)
    known = f"if the true risk is {risk(powered.risk)}"
    meant = "on average over what the pilot leaves open" if plan.from_pilot else known
    who = f"{powered.n_total} patients, {powered.n_certify} of them used to check, certify"
    who = "No number of patients certifies" if powered.n_certify is None else who
    return f"{who} {target} in {often} of studies, {meant}."


def next_step(plan: PlanDocument, powered: int | None) -> Step:
    """Say what to do with the plan."""
    best = plan.rows[0]
    total = best.n_total if plan.width is None else powered
    if total is None:
        return larger("width", "for a score that errs less")
    if plan.trivial_risk is not None and best.risk >= plan.trivial_risk:
        text = (
            "Next: try another score or other costs. At this risk it is not better than calling "
            "everybody or nobody; more patients would only confirm this."
        )
        return Step(verb="fit", sentence=text)
    if best.vacuous:
        text = (
            "Next: plan for more patients. This certificate would not show that the score is "
            "better than calling everybody or nobody."
        )
        return Step(verb="plan", sentence=text)
    keeps = " It keeps some of them to check the cut-off." if plan.honesty == "split" else ""
    start = f"Next: collect {total} consecutive patients with labels, then run"
    return Step(verb="fit", sentence=lambda spell: f"{start} {spell.call('fit')} once.{keeps}")


def given(plan: PlanDocument) -> str:
    """Say which risk a number of patients certifies, for each risk that may be observed."""
    rows = [row for row in plan.rows if row.bound == plan.rows[0].bound and row.value is not None]
    if not rows:
        return "more than are searched"
    parts = [f"{at_most(row.value)} if {risk(row.risk)} is observed" for row in rows]
    text = f"{rows[0].n_certify} used to check certify a risk of at most {', '.join(parts)}"
    sure = [row for row in plan.powered or () if row.value is not None]
    often = [f"{at_most(row.value)} if the true risk is {risk(row.risk)}" for row in sure]
    return (
        f"{text}. In {percent(plan.power or 0)} of studies at most {', '.join(often)}"
        if sure
        else text
    )


def certifying(row: PlannedCertificate) -> str:
    """Write how many patients must certify."""
    return f"> {row.most}" if row.n_certify is None else str(row.n_certify)


def number(value: int | None) -> str:
    """Write a number of patients, if it is known."""
    return NONE if value is None else str(value)


def pooling_text(pooling: Pooling) -> str:
    """Say why instances do not replace patients."""
    return (
        f"{pooling.instances} instances per patient do not replace patients: {pooling.n_certify} "
        f"patients used to check are still needed. Their {pooling.rows} rows are worth "
        f"{pooling.effective_rows:.0f} independent ones (design effect {pooling.design_effect:.1f} "
        f"at icc {pooling.icc:g}). Rows counted as patients would claim a margin of "
        f"{risk(pooling.claimed_generalization)} instead of {risk(pooling.generalization)}, or "
        f"{count(pooling.claimed_patients, 'patient')}: not valid."
    )
