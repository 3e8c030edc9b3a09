"""The verdict of an audit in sentences: the three answers, and what they say together."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from steadycut.core.rounding import at_least, at_most, of_hundred, of_hundred_at_most, percent
from steadycut.core.strata.certify import ErrorRate
from steadycut.core.verdict import OVERALL, QUESTIONS, Answer, Question, name_in_text, worst_answer
from steadycut.documents import audit as audits
from steadycut.documents.audit import AuditDocument
from steadycut.documents.next_step import GroupName
from steadycut.documents.parts import CertifiedRatePart, CostsPart

# The three answers as parts of a sentence.
SHORT = {
    "useful": "useful here",
    "as_before": "as good as before",
    "within_certificate": "within what was certified",
}
OPEN = "it is not yet known whether the cut-off can be trusted here"
UNANSWERED = "without labels nobody knows whether the cut-off can be trusted here"
NOT_SHOWN = "not shown to be better than calling everybody or nobody"
# How the answer about one certified rate is written.
HOLDS = {"yes": "shown", "no": "refuted", "cannot tell": "not shown"}
INCOMPARABLE = {
    "unknown fate": "Patients of unknown fate count as errors, so rates cannot be compared.",
    "small cells": "With small cells errors are rounded up, so rates cannot be compared.",
    "no counts": "The rule file does not hold the counts of the first hospital.",
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
            return f"{at_worst}wrong in {of_hundred(value / self.per_error)} patients"
        return f"{at_worst}an average cost of {value:.3g} per patient{self.where}"

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
    def without_score(self) -> str:
        """The decision that needs no score."""
        return "one decision for everybody" if self.costs is None else "calling everybody or nobody"


def money_of(audit: AuditDocument) -> Money:
    """Return how the mean cost of an audit is written."""
    survival = audit.survival
    worst = survival is not None and survival.unknown > 0
    return Money(costs=audit.costs, target=audit.target_prevalence is not None, worst=worst)


# The three answers -------------------------------------------------------------------------


def question_text(audit: AuditDocument, part: audits.QuestionPart) -> str:
    """Write a question with its answer, and the numbers behind it."""
    if audit.sampled is not None:
        text = SAMPLED[part.question](audit, part, audit.sampled)
    else:
        text = ANSWERS[part.question](audit, part)
    wider = ""
    if part.wider and isinstance(audit, audits.LabelledAudit):
        wider = f" Limits are wider because {len(audit.groups)} groups are judged too."
    return f"{capital(SHORT[part.question])}: {part.answer}. {text}{wider}"


def _confidence(audit: AuditDocument) -> str:
    return f"{percent(1 - audit.delta)} confidence"


def _sure(audit: AuditDocument, answer: Answer) -> str:
    """Say how sure an answer is."""
    return "" if answer == "cannot tell" else f" ({_confidence(audit)})"


def _useful(audit: AuditDocument, part: audits.QuestionPart) -> str:
    money, sure, target = money_of(audit), _sure(audit, part.answer), audit.target_prevalence
    if not part.cost_without_score or part.cost is None:
        return "All patients here are of one class, so it cannot be told."
    point = getattr(audit, "operating_point", None)
    if target is not None and audit.costs is not None and point is not None:
        return f"{capital(at_each_end(point.confusion, audit.costs.as_costs(target)))}{sure}."
    without = money.short_cost(part.cost_without_score)
    return f"{capital(money.cost(part.cost))}; {money.without_score}: {without}{sure}."


def at_each_end(counts: Confusion, costs: Costs) -> str:
    """Write the cost with and without the score, at each end of the target prevalence."""
    (end, cost, without), *others = counts.at_ends(costs)
    first = f"at a prevalence of {percent(end)} an average cost of {cost:.3g} (calling everybody "
    rest = (f"; at {percent(end)} {cost:.3g} ({without:.3g})" for end, cost, without in others)
    return f"{first}or nobody: {without:.3g}){''.join(rest)}"


def _as_before(audit: AuditDocument, part: audits.QuestionPart) -> str:
    if part.rates is None:
        return INCOMPARABLE[part.incomparable or "no counts"]
    rates = _rates_in_words(audit, part.rates)
    if part.answer == "yes":
        rates += f"; no error rate is {100 * audit.margin:g} of 100 higher"
    return f"{capital(rates)}{_sure(audit, part.answer)}."


def _rates_in_words(audit: AuditDocument, rates: Sequence[audits.RateChange]) -> str:
    """Say how often each kind of patient is decided rightly or wrongly, here and before."""
    if audit.costs is None:
        names = [
            f"{kind} at {below} | {above}"
            for below, above in pairwise(audit.actions)
            for kind in ("missed", "false alarms")
        ]
        pairs = zip(names, rates, strict=True)
        return "; ".join(f"{name} {both(rate.here, rate.before)}" for name, rate in pairs)
    missed, alarmed = rates
    classes = audit.names
    right = both(missed.here.opposite, missed.before.opposite, classes.ill_patients)
    return f"finds {right}, calls {both(alarmed.here, alarmed.before, classes.healthy_ones)}"


def both(here: ErrorRate, before: ErrorRate, who: str = "") -> str:
    """Write a rate here and before, as patients of a hundred and as counts."""
    if here.value is None:
        return f"none: there are no {who or 'such patients'} here"
    was = "unknown" if before.value is None else of_hundred(before.value).removesuffix(" of 100")
    text = f"{of_hundred(here.value)} {who}".strip()
    return f"{text} ({here.wrong} of {here.n_patients}; before {was})"


def _within(audit: AuditDocument, part: audits.QuestionPart) -> str:
    money, certificate = money_of(audit), audit.certificate
    reached = audit.certified_rates if isinstance(audit, audits.LabelledAudit) else None
    rates = "".join(map(_rate_in_words, reached or ()))
    if part.cost is None or not certificate.n_patients:
        return "The cut-off was adapted without labels, so nothing was certified."
    if part.answer == "cannot tell" and certificate.vacuous:
        return f"{_means_nothing(money, certificate.value)}{rates}."
    here = capital(money.cost(part.cost))
    if part.limit is not None:
        here += f", at most {money.limit(part.limit)}"
    promised = money.limit(certificate.value)
    return f"{here}{_sure(audit, part.answer)}; certified: at most {promised}{rates}."


def _means_nothing(money: Money, certified: float) -> str:
    return (
        f"The certified limit of {money.limit(certified)} was never shown to be better than "
        f"{money.without_score}, so to be within it means nothing"
    )


def _rate_in_words(rate: CertifiedRatePart) -> str:
    """Say whether a certified rate is reached here."""
    return (
        f"; {name_in_text(rate.rate)} at least {rate.asked:g}: {HOLDS[rate.answer]} "
        f"({rate.right} of {rate.n_patients}, {limit_in_words(rate)})"
    )


def limit_in_words(rate: CertifiedRatePart) -> str:
    """Write the lower limit of a rate; the upper one if the rate is refuted."""
    if rate.answer == "no":
        return f"at most {at_most(rate.upper)}"
    return f"at least {at_least(rate.lower)}"


ANSWERS = {"useful": _useful, "as_before": _as_before, "within_certificate": _within}


# By a labelling plan -----------------------------------------------------------------------


def _useful_by_plan(audit: AuditDocument, _: audits.QuestionPart, plan: audits.SampledPart) -> str:
    money, cost = money_of(audit), plan.cost
    if money.per_error is not None:
        text = f"Wrong in {_between(cost, 100 / money.per_error)} % of patients"
    else:
        text = f"Costs on average {_between(cost)} per patient{money.where}"
    without = plan.cost_without_score
    if without is not None:
        per_error = money.per_error
        about = f"{without:.3g}" if per_error is None else f"{100 * without / per_error:.3g} %"
        text += f"; {money.without_score}: about {about}"
    return f"{text} ({_confidence(audit)})."


def _as_before_by_plan(
    audit: AuditDocument, _: audits.QuestionPart, plan: audits.SampledPart
) -> str:
    were = " and ".join(f"{100 * rate:.3g} %" for rate in plan.rates_before)
    return (
        f"Miss rate {_between(plan.miss, 100)} %, false alarm rate {_between(plan.alarm, 100)} "
        f"%; before {were} ({_confidence(audit)})."
    )


def _within_by_plan(
    audit: AuditDocument, part: audits.QuestionPart, plan: audits.SampledPart
) -> str:
    """Compare the cost and certified rates with what was certified."""
    money, certificate = money_of(audit), audit.certificate
    rates = "".join(
        f"; {name_in_text(reached.rate)} at least {at_least(reached.lower)}, certified: at least "
        f"{reached.asked:g}"
        for reached in plan.certified_rates
    )
    if not certificate.n_patients:
        return "The cut-off was adapted without labels, so nothing was certified."
    if certificate.vacuous and part.answer == "cannot tell":
        return f"{_means_nothing(money, certificate.value)}{rates}."
    here, promised = money.limit(plan.cost.high), money.limit(certificate.value)
    text = f"Costs on average at most {here} per patient{money.where}"
    if money.per_error is not None:
        text = f"Wrong in at most {here} patients"
    return f"{text}; certified: at most {promised}{rates} ({_confidence(audit)})."


def _between(rate: audits.SampledRatePart, scale: float = 1.0) -> str:
    """Write both limits, rounded to the safe side."""
    return f"{at_least(scale * rate.low)} to {at_most(scale * rate.high)}"


SAMPLED = {
    "useful": _useful_by_plan,
    "as_before": _as_before_by_plan,
    "within_certificate": _within_by_plan,
}


# All of it ---------------------------------------------------------------------------------


def overall_text(audit: AuditDocument) -> str:
    """Return the verdict in one sentence: first what is shown, then what is not."""
    if not audit.questions:
        return UNANSWERED
    answers = {part.question: part.answer for part in audit.questions}
    fine = [SHORT[name] for name in QUESTIONS if answers.get(name) == "yes"]
    bad = [SHORT[name] for name in QUESTIONS if answers.get(name) == "no"]
    if audit.sampled is not None:
        return _overall_by_plan(fine, bad)
    if audit.verdict.overall == "open":
        return OPEN
    failing = (audit.failing if isinstance(audit, audits.LabelledAudit) else None) or []
    # One that fails alone is the worst, which the headline names; so are names that are too long.
    named = names_of(failing) if len(failing) > 1 else ""
    named = named if len(named) <= MOST_CHARACTERS else ""
    n_groups = len(audit.groups) if isinstance(audit, audits.LabelledAudit) else 0
    how_many = f"{len(failing)} of {n_groups} sites or groups"
    if OVERALL[worst_answer(list(answers.values()))] != "bad" and failing:
        fails = f"the cut-off fails in {how_many}"
        return f"{fails}: {named}" if named else fails
    holds = f"{listed(fine)}, but " if fine and bad else listed(fine)
    refused = f"not {' and not '.join(bad)}" if bad else ""
    fails = f"; it fails in {how_many}" if len(failing) > 1 else ""
    fails = f"; it fails for {named}" if named else fails
    return f"the cut-off is {holds}{refused}{fails}"


def _overall_by_plan(fine: Sequence[str], bad: Sequence[str]) -> str:
    if bad:
        return f"the cut-off is not {' and not '.join(bad)}"
    if not fine:
        return "the labels that were drawn do not yet say whether the cut-off can be trusted here"
    rest = "" if len(fine) == len(QUESTIONS) else "; the rest is not yet known"
    return f"the cut-off is {', '.join(fine)}{rest}"
