"""The three answers of an audit in sentences, and what to do next."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steadycut.core.verdict import (
    MOST_PATIENTS,
    QUESTIONS,
    Answer,
    Comparison,
    ErrorRate,
    Question,
    Verdict,
    patients_needed,
)
from steadycut.documents.audit import QuestionPart
from steadycut.documents.frozen import FrozenFile
from steadycut.study.judge import Group, LabelledPart

TITLES = {
    "useful": "Useful here",
    "as_before": "As good as before",
    "within_certificate": "Within what was certified",
}
OVERALL = {
    "good": "the cut-off does here what it did before",
    "open": "it is not yet known whether the cut-off can be trusted here",
    "bad": "the cut-off does not do here what was promised",
}
LOCAL = (
    "choose a cut-off for this hospital: `steadycut fit` on its own labelled patients, then an "
    "audit on others."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """How the mean cost and the classes of a frozen file are named."""

    rule: FrozenFile[Any]

    @property
    def confidence(self) -> str:
        """The confidence of every answer."""
        return f"{100 * (1 - self.rule.certificate.delta):g} % confidence"

    @property
    def equal(self) -> bool:
        """Whether the mean cost is a share of wrong decisions."""
        costs = self.rule.costs
        return costs is not None and costs.equal and costs.target is None

    def cost(self, value: float) -> str:
        """Write a mean cost: as wrong decisions of 100, or as a number."""
        if self.equal and self.rule.costs is not None:
            return f"wrong in {of_hundred(value / self.rule.costs.cost_fn)} patients"
        return f"an average cost of {value:.3g} per patient{self.where}"

    def short_cost(self, value: float) -> str:
        """Write a mean cost after one that was written in full."""
        if self.equal and self.rule.costs is not None:
            return of_hundred(value / self.rule.costs.cost_fn)
        return f"{value:.3g}"

    @property
    def where(self) -> str:
        """At which prevalence costs are meant, if not that of the patients."""
        costs = self.rule.costs
        return "" if costs is None or costs.target is None else " at the target prevalence"

    @property
    def without_score(self) -> str:
        """The decision that needs no score."""
        if self.rule.costs is None:
            return "one decision for everybody"
        return "calling everybody or nobody"


def of_hundred(share: float) -> str:
    """Write a share as patients of a hundred.

    Examples
    --------
    >>> of_hundred(0.174), of_hundred(0.004), of_hundred(0)
    ('17 of 100', 'fewer than 1 of 100', '0 of 100')
    """
    return "fewer than 1 of 100" if 0 < share < 0.005 else f"{100 * share:.0f} of 100"  # noqa: PLR2004


def described(rule: FrozenFile[Any], part: LabelledPart) -> list[QuestionPart]:
    """Return each question with its answer, a sentence, and how many patients would answer it."""
    words, compared, verdict = Words(rule=rule), part.comparison, part.verdict
    texts: dict[Question, str] = {
        "useful": _useful(words, compared, verdict.useful),
        "as_before": _as_before(words, compared, verdict.as_before),
        "within_certificate": _within(words, compared, verdict.within_certificate),
    }
    return [
        QuestionPart(
            question=name,
            answer=getattr(verdict, name),
            text=f"{TITLES[name]}: {getattr(verdict, name)}. {texts[name]}",
            patients_needed=needed(compared, verdict, name, rule.certificate.delta),
        )
        for name in QUESTIONS
    ]


def needed(compared: Comparison, verdict: Verdict, name: Question, delta: float) -> int | None:
    """Return how many patients an open question needs, looked at as often as one likes."""
    if getattr(verdict, name) != "cannot tell":
        return None
    return patients_needed(replace(compared, sequential=True), name, delta)


def _useful(words: Words, compared: Comparison, answer: Answer) -> str:
    cost, without = compared.observed_cost, words.short_cost(compared.cost_without_score)
    observed = f"{words.cost(cost)}; with {words.without_score} {without}"
    if answer == "yes":
        return f"It is better than {words.without_score} ({words.confidence}): {observed}."
    if answer == "no":
        return f"It is worse than {words.without_score} ({words.confidence}): {observed}."
    return f"Too few patients to say whether it beats {words.without_score}: {observed}."


def _as_before(words: Words, compared: Comparison, answer: Answer) -> str:
    if compared.before is None:
        return "The rule file does not hold the counts of the first hospital."
    rates = rates_in_words(words.rule, compared.rates)
    if answer == "yes":
        most = f"{100 * compared.margin:g} of 100"
        return f"{rates} No error rate is more than {most} higher ({words.confidence})."
    if answer == "no":
        return f"{rates} That is worse ({words.confidence})."
    return f"{rates} Too few patients, here or before, to say whether that is worse."


def rates_in_words(rule: FrozenFile[Any], rates: Sequence[tuple[ErrorRate, ErrorRate]]) -> str:
    """Say how often each kind of patient is decided rightly or wrongly, here and before."""
    if rule.costs is not None:
        (missed, missed_before), (alarmed, alarmed_before) = rates
        found = both(missed.opposite, missed_before.opposite, "ill patients")
        called = both(alarmed, alarmed_before, "healthy ones")
        return f"It finds {found} and calls {called}."
    names = [
        f"{kind} at {below} | {above}"
        for below, above in zip(rule.actions, rule.actions[1:], strict=False)
        for kind in ("missed", "false alarms")
    ]
    parts = [f"{name} {both(*pair, '')}" for name, pair in zip(names, rates, strict=True)]
    return f"{'; '.join(parts).capitalize()}."


def both(here: ErrorRate, before: ErrorRate, who: str) -> str:
    """Write a rate here and before, as patients of a hundred and as counts."""
    if here.value is None:
        return f"none of 0 {who}".strip()
    was = "before unknown" if before.value is None else f"before {of_hundred(before.value)}"
    text = f"{of_hundred(here.value)} {who}".strip()
    return f"{text} ({here.wrong} of {here.n_patients}; {was})"


def _within(words: Words, compared: Comparison, answer: Answer) -> str:
    delta, promised = words.rule.certificate.delta, words.short_cost(compared.promised)
    if answer == "yes":
        limit = words.cost(compared.highest_cost(delta))
        return f"At most {limit} ({words.confidence}); certified was at most {promised}."
    observed = words.cost(compared.observed_cost)
    if answer == "no":
        return f"It is above the certified {promised} ({words.confidence}): {observed}."
    if compared.vacuous:
        return (
            f"The certificate, at most {promised}, was never shown to be better than "
            f"{words.without_score}. It promises nothing that could hold here."
        )
    return f"Too few patients to say: {observed}; certified was at most {promised}."


# What now ----------------------------------------------------------------------------------


def next_step(part: LabelledPart, questions: Sequence[QuestionPart]) -> str:
    """Say what to do, and how much of it."""
    if part.overall == "good":
        return "Next: use it, and watch it with `steadycut monitor`."
    if part.overall == "bad":
        return f"Next: {_after_bad(part)}"
    if part.verdict.overall == "good" and part.worst is not None:
        n = int(part.worst.comparison.here.sum())
        return (
            f"Next: label more patients of {name_of(part.worst)}: what was observed there is "
            f"worse, but {n} are too few to tell."
        )
    return f"Next: {_label_more(questions, part.external.n_patients)}"


def label_some(rule: FrozenFile[Any]) -> str:
    """Say how many patients to label if the rule does here what it did before."""
    before, certificate = rule.reference_counts, rule.certificate
    start = "Next: label some patients, chosen without looking at their scores, and audit again"
    if before is None or not before.sum():
        return f"{start}."
    compared = Comparison(
        here=np.maximum(before, 0),
        before=before,
        matrix=rule.cost_matrix,
        costs=rule.costs,
        promised=certificate.value,
        vacuous=certificate.vacuous,
        n_choices=certificate.n_choices,
    )
    sizes = [patients_needed(compared, name, certificate.delta) for name in QUESTIONS]
    known = [size for size in sizes if size is not None]
    return (
        f"{start}: about {max(known)}, if it does here what it did before."
        if known
        else start + "."
    )


def _after_bad(part: LabelledPart) -> str:
    if part.verdict.overall != "bad" and part.worst is not None:
        return f"do not use it for {name_of(part.worst)} as it is; for these patients {LOCAL}"
    if part.verdict.useful == "yes":
        return f"it is still better here than no score, but not what was promised; {LOCAL}"
    return (
        "do not use it here as it is. Check first that scores are made as before (scanner, "
        f"software, units); then {LOCAL}"
    )


def _label_more(questions: Sequence[QuestionPart], n_patients: int) -> str:
    open_ones = [one for one in questions if one.answer == "cannot tell"]
    sizes = [one.patients_needed for one in open_ones]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        lacking = next(one for one in open_ones if one.patients_needed is None)
        title = TITLES[lacking.question].lower()
        return (
            f'"{title}" stays open at these rates even with {MOST_PATIENTS} patients here. Decide '
            f"from the other answers, or {LOCAL}"
        )
    more = max(max(known) - n_patients, 1)
    return (
        f"label about {more} more patients ({max(known)} in all), and look again with "
        "`audit --sequential`. Its limits hold however often you look; those of a plain audit hold "
        "for one look."
    )


def name_of(group: Group) -> str:
    """Write a site or subgroup."""
    return f"{group.column} {group.value!r}"
