"""The decision of an audit in sentences, and the numbers behind it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.core.rounding import at_least, at_most, of_hundred, of_hundred_at_most, percent
from steadycut.core.verdict import Decision, Question, name_in_text
from steadycut.documents.audit import AuditDocument, LabelledAudit
from steadycut.documents.next_step import GroupName
from steadycut.documents.parts import CertifiedRatePart, CostsPart, EstimatePart
from steadycut.show.words.numbers import rate

# The three answers as parts of a sentence.
SHORT = {
    "useful": "useful here",
    "as_before": "as good as before",
    "within_certificate": "within what was certified",
}
NOT_SHOWN = "not shown to be better than calling everybody or nobody"
# How the answer about one certified rate is written.
HOLDS = {"yes": "shown", "no": "refuted", "cannot tell": "not shown"}
INCOMPARABLE = {
    "unknown fate": "patients of unknown fate count as errors, so costs cannot be compared",
    "small cells": "with small cells errors are rounded up, so costs cannot be compared",
    "no counts": "the rule file does not hold the counts of the first hospital",
}
MOVED = {1: ", shown to be higher here", 0: "", -1: ", shown to be lower here"}
NOT_JUDGED = {
    "unit": "the scores are unlike those of the rule: another unit or another scorer?",
    "one class": "all patients with a label are of one class",
    "one score": "every patient here has the same score",
    "own patients": "these patients took part in making the rule",
    "no score": "the rule ignores the score: it makes one decision for everybody",
}
# So many sites or groups that fail are named in a sentence, in so many characters.
MOST_NAMED, MOST_CHARACTERS = 5, 70


def capital(text: str) -> str:
    """Return a text with a capital first letter."""
    return f"{text[:1].upper()}{text[1:]}"


def listed(names: Sequence[str]) -> str:
    """Write names one after the other, with "and" before the last one."""
    *most, last = names or [""]
    return f"{', '.join(most)} and {last}" if most else last


def quoted_names(questions: Sequence[Question]) -> str:
    """Write questions in quotation marks."""
    return listed([f'"{SHORT[name]}"' for name in questions])


def name_of(group: GroupName) -> str:
    """Write a site or subgroup."""
    return f"{group.column} {group.value!r}"


def names_of(groups: Sequence[GroupName]) -> str:
    """Write several sites or subgroups; a column is named again only if it changes.

    Only the first is named if the names are long.
    """
    names: list[str] = []
    column = ""
    for group in groups[:MOST_NAMED]:
        name = repr(group.value) if group.column == column else name_of(group)
        if names and sum(map(len, names)) + len(name) > MOST_CHARACTERS:
            break
        names.append(name)
        column = group.column
    more = len(groups) - len(names)
    return listed([*names, *([f"{more} more"] if more else [])])


# The mean cost -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """How a mean cost is written.

    ``costs`` is None for more than two grades. ``target`` says that costs are meant at a target
    prevalence, ``worst`` that patients of unknown fate count as errors.
    """

    costs: CostsPart | None
    target: bool = False
    worst: bool = False

    @property
    def per_error(self) -> float | None:
        """The cost of an error, if the mean cost is a share of wrong decisions."""
        if self.costs is None or not self.costs.equal or self.target:
            return None
        return self.costs.cost_fn

    def cost(self, value: float) -> str:
        """Write a mean cost: as wrong decisions of 100, or as a number."""
        at_worst = "at worst " if self.worst else ""
        if self.per_error is not None:
            return f"{at_worst}{of_hundred(value / self.per_error)} wrong"
        return f"{at_worst}{value:.3g} per patient on average{self.where}"

    def short_cost(self, value: float) -> str:
        """Write a mean cost after one that was written in full."""
        return f"{value:.3g}" if self.per_error is None else of_hundred(value / self.per_error)

    def limit(self, value: float) -> str:
        """Write an upper limit of a mean cost; it is never rounded down."""
        if self.per_error is None:
            return at_most(value)
        return of_hundred_at_most(value / self.per_error)

    @property
    def where(self) -> str:
        """At which prevalence costs are meant, if not that of the patients."""
        return " at the target prevalence" if self.target else ""

    @property
    def unit(self) -> str:
        """In what the cost is counted."""
        return f"per patient{self.where}" if self.per_error is None else "per 100"

    def signed(self, value: float) -> str:
        """Write a change of the cost with its sign, in the unit."""
        if self.per_error is None:
            return f"{value:+.3g}"
        return f"{round(100 * value / self.per_error):+d}".replace("+0", "0")

    def without_score(self, audit: AuditDocument) -> str:
        """Name the cheaper one of the decisions that need no score."""
        if not isinstance(audit, LabelledAudit) or self.costs is None or self.target:
            return "one decision for everybody" if self.costs is None else "treat-all or treat-none"
        (healthy, ill), costs = map(sum, audit.counts), self.costs
        return "treat-none" if ill * costs.cost_fn <= healthy * costs.cost_fp else "treat-all"


def money_of(audit: AuditDocument) -> Money:
    """Return how the mean cost of an audit is written."""
    survival = audit.survival
    worst = survival is not None and survival.unknown > 0
    return Money(costs=audit.costs, target=audit.target_prevalence is not None, worst=worst)


# The decision ------------------------------------------------------------------------------


def where(audit: AuditDocument) -> str:
    """Say which hospital was audited, and how many patients it has."""
    sites = audit.sites or []
    place = f" at {sites[0]}" if len(sites) == 1 else f" at {len(sites)} hospitals" if sites else ""
    patients = f"{audit.n_patients} patient{'' if audit.n_patients == 1 else 's'}"
    if isinstance(audit, LabelledAudit) and len(audit.counts) == len(("healthy", "ill")):
        who = audit.names.ill_patients.removesuffix(" patients")
        patients += f", {sum(audit.counts[1])} {who}"
    return f"{place} ({patients})"


def at_first(audit: AuditDocument) -> str:
    """Say where the rule was made: at a hospital that the table names, or before."""
    return "before" if audit.first_site is None else f"at {audit.first_site}"


def overall_text(audit: AuditDocument) -> str:
    """Return the decision, where, and why, in one sentence."""
    return f"{audit.verdict.decision.upper()}{where(audit)}: {_in_short(audit)}."


def _in_short(audit: AuditDocument) -> str:
    """Say in a few words what the decision is made of."""
    verdict, money, was = audit.verdict, money_of(audit), at_first(audit)
    if verdict.reason is not None:
        return NOT_JUDGED[verdict.reason]
    if not audit.questions:
        return "without labels it is not known whether the rule is useful here"
    useful = "useful here" if verdict.useful == "yes" else "not yet shown to be useful here"
    failing = (audit.failing if isinstance(audit, LabelledAudit) else None) or []
    texts: dict[Decision, str] = {
        "use": f"useful here, {'better than' if _is_better(audit) else 'and as good as'} {was}",
        "use and watch": f"useful here; not shown to be worse than {was}",
        "label more": useful,
        "do not use": f"{money.without_score(audit)} costs less here",
    }
    text = texts.get(verdict.decision)
    if text is None:
        lost = [name_in_text(one.rate) for one in _certified(audit) if one.answer == "no"]
        worse = [f"costs more than {was}"] if verdict.as_before == "no" else []
        worse += [f"{listed(lost)} below what was certified"] if lost else []
        text = f"{useful}{f', but {listed(worse)}' if worse else ''}"
    return f"{text}; it fails for {names_of(failing)}" if failing else text


def _certified(audit: AuditDocument) -> Sequence[CertifiedRatePart]:
    return (audit.certified_rates if isinstance(audit, LabelledAudit) else None) or []


def _is_better(audit: AuditDocument) -> bool:
    change = audit.verdict.change
    return change is not None and change.high < 0


def labelled_in_words(audit: AuditDocument) -> str:
    """Say whether the patients have labels."""
    return "with known labels" if audit.labelled else "without labels"


def rows_of(audit: AuditDocument) -> Iterator[tuple[str, str]]:
    """Yield the names and the values of the numbers behind the decision."""
    if not isinstance(audit, LabelledAudit):
        return
    money, change = money_of(audit), audit.verdict.change
    yield "Cost", _cost_here(audit, money)
    if change is not None:
        ends = f"{money.signed(change.low)} to {money.signed(change.high)}, {percent(change.level)}"
        yield (
            f"Against {at_first(audit).removeprefix('at ')}",
            f"{money.signed(change.value)} {money.unit} ({ends})",
        )
    yield from _rate_rows(audit)
    if audit.groups and not (audit.failing and len(audit.groups) > MOST_NAMED):
        groups = [f"{group.value} {group.verdict.decision}" for group in audit.groups[:MOST_NAMED]]
        more = len(audit.groups) - len(groups)
        yield "Groups", "; ".join([*groups, *([f"{more} more"] if more else [])])
    if why := why_of(audit):
        yield "Why", why


def _cost_here(audit: LabelledAudit, money: Money) -> str:
    here = money.cost(audit.risk_external)
    target = audit.target_prevalence
    point = audit.operating_point
    if target is not None and audit.costs is not None and point is not None:
        here = at_each_end(point.confusion, audit.costs.as_costs(target))
    else:
        limit = money.limit(audit.bound_external).removesuffix(" of 100")
        here += f", at most {limit} ({percent(1 - audit.delta)})"
        without = next(part.cost_without_score for part in audit.questions)
        if without is not None:
            cost = money.short_cost(without).removesuffix(" of 100")
            here += f"; {money.without_score(audit)} {cost}"
    return here


def _rate_rows(audit: LabelledAudit) -> Iterator[tuple[str, str]]:
    """Yield sensitivity, specificity and AUC, here and before, or every error rate."""
    rates = next((part.rates for part in audit.questions if part.rates), None) or []
    here, before = audit.operating_point, audit.operating_point_internal
    if here is None or before is None:
        return
    moved, then = [-part.moved for part in rates] or [0, 0], at_first(audit)
    known = (here.sensitivity, before.sensitivity), (here.specificity, before.specificity)
    names, who, n = ("sensitivity", "specificity"), audit.names, here.confusion
    right = f"{n.tp} of {n.n_positive} {who.ill}", f"{n.tn} of {n.n_negative} {who.healthy}"
    for name, (now, was), people, change in zip(names, known, right, moved, strict=True):
        ends = interval_of(here.fixed_cut.characteristics[name], here.confidence)
        yield capital(name), f"{rate(now)}{ends}, {people}; {then} {rate(was)}{MOVED[change]}"
    area = here.fixed_cut.characteristics["auc"]
    if area.value is not None:
        rest = "" if audit.auc_internal is None else f"; {then} about {audit.auc_internal:.2f}"
        yield "AUC", f"{area.value:.2f}{interval_of(area, here.confidence)}{rest}"


def interval_of(part: EstimatePart, level: float) -> str:
    """Write the interval of a rate with its level, if it has one."""
    if part.low is None or part.high is None:
        return ""
    return f" ({rate(part.low)} to {rate(part.high)}, {percent(level)})"


def why_of(audit: LabelledAudit) -> str:
    """Say why the decision is not a better one; an empty text where the first line says it."""
    decision, money = audit.verdict.decision, money_of(audit)
    most = f"at most {100 * audit.margin:g} % of the cost of {money.without_score(audit)}"
    sure = f"{percent(1 - audit.delta)} confidence"
    if decision == "use" and not _is_better(audit):
        return f"it costs more than {at_first(audit)} by {most} ({sure})"
    if decision == "label more":
        return f"it is not shown with {sure} that treat-all and treat-none cost more"
    return _why_watch(audit, most) if decision == "use and watch" else ""


def _why_watch(audit: LabelledAudit, most: str) -> str:
    """Say why it is not shown to be as good as before."""
    lost = [name_in_text(one.rate) for one in _certified(audit) if one.answer != "yes"]
    apart = next(part.incomparable for part in audit.questions if part.question == "as_before")
    few, was = sum(map(sum, audit.counts_internal or [])), at_first(audit)
    text = f"{audit.n_patients} patients do not show that it costs more than {was} by {most}"
    if few < audit.n_patients:
        text = f"only {few} patients were used to check it {was}"
    if audit.verdict.as_before == "yes" and audit.worst_group is not None:
        text = f"what was seen at {name_of(audit.worst_group)} is worse"
    if audit.verdict.as_before == "yes" and lost:
        text = f"{listed(lost)} as certified: not shown here"
    return text if apart is None else INCOMPARABLE[apart]


def at_each_end(counts: Confusion, costs: Costs) -> str:
    """Write the cost with and without the score, at each end of the target prevalence."""
    (end, cost, without), *others = counts.at_ends(costs)
    first = f"at a prevalence of {percent(end)} an average cost of {cost:.3g} (calling everybody "
    rest = (f"; at {percent(end)} {cost:.3g} ({without:.3g})" for end, cost, without in others)
    return f"{first}or nobody: {without:.3g}){''.join(rest)}"


def limit_in_words(rate: CertifiedRatePart) -> str:
    """Write the lower limit of a rate; the upper one if the rate is refuted."""
    if rate.answer == "no":
        return f"at most {at_most(rate.upper)}"
    return f"at least {at_least(rate.lower)}"


def certified_in_words(rate: CertifiedRatePart) -> str:
    """Say whether a certified rate is reached here."""
    return (
        f"{capital(name_in_text(rate.rate))} at least {rate.asked:g}: {HOLDS[rate.answer]} "
        f"({rate.right} of {rate.n_patients}, {limit_in_words(rate)})"
    )
