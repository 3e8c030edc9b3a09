"""The three answers of an audit in sentences, and what to do next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from steadycut.core.confusion import Confusion
from steadycut.core.plan import Setting, patients_for
from steadycut.core.records import Costs
from steadycut.core.rounding import at_least, at_most, of_hundred, of_hundred_at_most
from steadycut.core.strata.certify import ErrorRate
from steadycut.core.verdict import (
    QUESTIONS,
    Answer,
    Comparison,
    Question,
    Verdict,
    name_in_text,
    patients_needed,
    strict_level,
)
from steadycut.documents.audit import QuestionPart
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.rule import FrozenRule
from steadycut.study.judge import Asked, Group, LabelledPart, comparison_of
from steadycut.study.small_cells import rounded_at_home

# The three answers as parts of a sentence.
SHORT = {
    "useful": "useful here",
    "as_before": "as good as before",
    "within_certificate": "within what was certified",
}
TITLES = {name: text.capitalize() for name, text in SHORT.items()}
OPEN = "it is not yet known whether the cut-off can be trusted here"
# So many sites or groups that fail are named in a sentence, in so many characters.
MOST_NAMED, MOST_CHARACTERS = 5, 70
NOT_SHOWN = "not shown to be better than calling everybody or nobody"
# So many times the patients of the first hospital, to see whether they are too few.
MANY = 100
NO_THEN = " (the answer would be no)"
CHECK_SCORES = "Check that scores are made as before (scanner, software, units)."
LOCAL = (
    "choose a cut-off for this hospital with steadycut fit on its own labelled patients, then "
    "audit it on others."
)
ADAPT = "adapt it to this hospital with {}, and certify it there with labels."


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """How the mean cost and the classes of a frozen file are named.

    ``worst`` says that patients of unknown fate count as errors.
    """

    rule: FrozenFile[Any]
    worst: bool = False

    @property
    def confidence(self) -> str:
        """The confidence of every answer."""
        return f"{100 * (1 - self.rule.certificate.delta):g} % confidence"

    def shown(self, answer: Answer) -> str:
        """Return how sure an answer is."""
        return "" if answer == "cannot tell" else f" ({self.confidence})"

    @property
    def equal(self) -> bool:
        """Whether the mean cost is a share of wrong decisions."""
        costs = self.rule.costs
        return costs is not None and costs.equal and costs.target is None

    def cost(self, value: float) -> str:
        """Write a mean cost: as wrong decisions of 100, or as a number."""
        at_worst = "at worst " if self.worst else ""
        if self.equal and self.rule.costs is not None:
            return f"{at_worst}wrong in {of_hundred(value / self.rule.costs.cost_fn)} patients"
        return f"{at_worst}an average cost of {value:.3g} per patient{self.where}"

    def short_cost(self, value: float) -> str:
        """Write a mean cost after one that was written in full."""
        if self.equal and self.rule.costs is not None:
            return of_hundred(value / self.rule.costs.cost_fn)
        return f"{value:.3g}"

    def limit(self, value: float) -> str:
        """Write an upper limit of a mean cost; it is never rounded down."""
        if self.equal and self.rule.costs is not None:
            return of_hundred_at_most(value / self.rule.costs.cost_fn)
        return at_most(value)

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


def described(rule: FrozenFile[Any], part: LabelledPart) -> list[QuestionPart]:
    """Return each question with its answer, a sentence, and how many patients would answer it."""
    words, compared, verdict = Words(rule=rule, worst=part.censored), part.comparison, part.verdict
    wider = _wider(part, rule.certificate.delta)
    texts: dict[Question, str] = {
        "useful": _useful(words, compared, verdict.useful),
        "as_before": _as_before(words, compared, verdict.as_before),
        "within_certificate": _within(words, part),
    }
    delta = part.share * rule.certificate.delta
    sizes = {name: needed(compared, verdict, name, delta) for name in QUESTIONS}
    wide = {name: f"{texts[name]}{wider.get(name, '')}" for name in QUESTIONS}
    return question_parts(verdict, wide, sizes)


def question_parts(
    verdict: Verdict, texts: Mapping[Question, str], sizes: Mapping[Question, int | None]
) -> list[QuestionPart]:
    """Return the questions, each with its answer in words and how many patients answer it."""
    return [
        QuestionPart(
            question=name,
            answer=getattr(verdict, name),
            text=f"{TITLES[name]}: {getattr(verdict, name)}. {texts[name]}",
            patients_needed=sizes.get(name),
        )
        for name in QUESTIONS
    ]


def _wider(part: LabelledPart, delta: float) -> dict[Question, str]:
    """Say of which questions the answer differs only because groups have a share of delta."""
    if not part.groups:
        return {}
    alone = part.comparison.verdict(delta)
    text = f" Limits are wider because {len(part.groups)} groups are judged too."
    changed = [name for name in QUESTIONS if getattr(alone, name) != getattr(part.verdict, name)]
    return dict.fromkeys(changed, text)


def needed(compared: Comparison, verdict: Verdict, name: Question, delta: float) -> int | None:
    """Return how many patients an open question needs, looked at as often as one likes.

    None also where the answer would mean nothing: within a limit that was never shown to be useful.
    """
    if getattr(verdict, name) != "cannot tell" or not compared.cost_without_score:
        return None
    if name == "within_certificate" and compared.vacuous:
        return None
    return patients_needed(replace(compared, sequential=True), name, delta)


def _useful(words: Words, compared: Comparison, answer: Answer) -> str:
    if not compared.cost_without_score:
        return "All patients here are of one class, so it cannot be told."
    if words.where and words.rule.costs is not None:
        ends = at_each_end(compared.confusion, words.rule.costs)
        return f"{capital(ends)}{words.shown(answer)}."
    without = words.short_cost(compared.cost_without_score)
    observed = f"{words.cost(compared.observed_cost)}; {words.without_score}: {without}"
    return f"{capital(observed)}{words.shown(answer)}."


def at_each_end(counts: Confusion, costs: Costs) -> str:
    """Write the cost with and without the score, at each end of the target prevalence."""
    (end, cost, without), *others = counts.at_ends(costs)
    first = f"at a prevalence of {100 * end:g} % an average cost of {cost:.3g} (calling everybody "
    rest = (f"; at {100 * end:g} % {cost:.3g} ({without:.3g})" for end, cost, without in others)
    return f"{first}or nobody: {without:.3g}){''.join(rest)}"


def _as_before(words: Words, compared: Comparison, answer: Answer) -> str:
    if compared.before is None:
        home = rounded_at_home(words.rule)
        if (compared.rounded or home) and words.rule.recipe.horizon is not None:
            return "Patients of unknown fate count as errors, so rates cannot be compared."
        if compared.rounded or home:
            return "With small cells errors are rounded up, so rates cannot be compared."
        return "The rule file does not hold the counts of the first hospital."
    rates = rates_in_words(words.rule, compared.rates)
    if answer == "yes":
        rates += f"; no error rate is {100 * compared.margin:g} of 100 higher"
    return f"{capital(rates)}{words.shown(answer)}."


def rates_in_words(rule: FrozenFile[Any], rates: Sequence[tuple[ErrorRate, ErrorRate]]) -> str:
    """Say how often each kind of patient is decided rightly or wrongly, here and before."""
    if rule.costs is not None:
        (missed, missed_before), (alarmed, alarmed_before) = rates
        classes = rule.recipe.class_names
        found = both(missed.opposite, missed_before.opposite, classes.ill_patients)
        return f"finds {found}, calls {both(alarmed, alarmed_before, classes.healthy_ones)}"
    names = [
        f"{kind} at {below} | {above}"
        for below, above in pairwise(rule.actions)
        for kind in ("missed", "false alarms")
    ]
    return "; ".join(f"{name} {both(*pair)}" for name, pair in zip(names, rates, strict=True))


def both(here: ErrorRate, before: ErrorRate, who: str = "") -> str:
    """Write a rate here and before, as patients of a hundred and as counts."""
    if here.value is None:
        return f"none: there are no {who or 'such patients'} here"
    was = "unknown" if before.value is None else of_hundred(before.value).removesuffix(" of 100")
    text = f"{of_hundred(here.value)} {who}".strip()
    return f"{text} ({here.wrong} of {here.n_patients}; before {was})"


def _within(words: Words, part: LabelledPart) -> str:
    compared, answer = part.comparison, part.verdict.within_certificate
    promised = words.limit(compared.promised)
    rates = _rates(part, words.rule.certificate.delta)
    if not words.rule.certificate.n_patients:
        return "The cut-off was adapted without labels, so nothing was certified."
    if answer == "cannot tell" and compared.vacuous:
        return (
            f"The certified limit of {promised} was never shown to be better than "
            f"{words.without_score}, so to be within it means nothing{rates}."
        )
    observed = f"{capital(words.cost(compared.observed_cost))}"
    if answer == "yes":
        limit = words.limit(compared.highest_cost(part.share * words.rule.certificate.delta))
        observed += f", at most {limit}"
    return f"{observed}{words.shown(answer)}; certified: at most {promised}{rates}."


# How the answer about one certified rate is written.
HOLDS = {"yes": "shown", "no": "refuted", "cannot tell": "not shown"}


def _rates(part: LabelledPart, delta: float) -> str:
    """Say of each certified rate whether it is reached here."""
    parts, compared = [], part.comparison
    for name, answer in part.verdict.rates.items():
        right = compared.certified_errors[name].opposite
        low, high = compared.certified_limits(name, part.share * delta)
        limit = f"at most {at_most(high)}"
        if answer != "no":
            limit = f"at least {at_least(low)}"
        parts.append(
            f"; {name_in_text(name)} at least {compared.certified[name]:g}: {HOLDS[answer]} "
            f"({right.wrong} of {right.n_patients}, {limit})"
        )
    return "".join(parts)


def capital(text: str) -> str:
    """Return a text with a capital first letter."""
    return f"{text[:1].upper()}{text[1:]}"


def local(rule: FrozenFile[Any], n_places: int = 1) -> str:
    """Say how to get a rule for this hospital, or for several; a single cut-off can be adapted."""
    options = f" {rule.file_name} TABLE --prevalence P" if n_places == 1 else ""
    adapting = ADAPT.format(f"steadycut adapt{options}")
    text = adapting if isinstance(rule, FrozenRule) else LOCAL
    return text if n_places == 1 else text.replace("this hospital", "each of them")


# What now ----------------------------------------------------------------------------------


def overall_text(part: LabelledPart) -> str:
    """Return the verdict in one sentence: first what is shown, then what is not."""
    if part.overall == "open":
        return OPEN
    failing, verdict = part.failing, part.verdict
    # One that fails alone is the worst, which the headline names; so are names that are too long.
    named = names_of(failing) if len(failing) > 1 else ""
    named = named if len(named) <= MOST_CHARACTERS else ""
    how_many = f"{len(failing)} of {len(part.groups)} sites or groups"
    if verdict.overall != "bad" and failing:
        fails = f"the cut-off fails in {how_many}"
        return f"{fails}: {named}" if named else fails
    fine = [SHORT[name] for name in QUESTIONS if getattr(verdict, name) == "yes"]
    bad = [SHORT[name] for name in QUESTIONS if getattr(verdict, name) == "no"]
    shown = f"{_listed(fine)}, but " if fine and bad else _listed(fine)
    refused = f"not {' and not '.join(bad)}" if bad else ""
    fails = f"; it fails in {how_many}" if len(failing) > 1 else ""
    fails = f"; it fails for {named}" if named else fails
    return f"the cut-off is {shown}{refused}{fails}"


def _listed(names: Sequence[str]) -> str:
    *most, last = names or [""]
    return f"{', '.join(most)} and {last}" if most else last


def next_step(rule: FrozenFile[Any], part: LabelledPart, questions: Sequence[QuestionPart]) -> str:
    """Say what to do, and how much of it."""
    if part.overall == "good":
        return f"Next: use it, and watch it: steadycut monitor {rule.file_name} TABLE --order COL"
    if part.overall == "bad":
        return f"Next: {_after_bad(rule, part)}"
    if part.censored:
        unknown = part.patients.n_patients - part.patients.of_known_fate.n_patients
        return (
            f"Next: follow the patients to the horizon, and audit them again: {unknown} of "
            f"{part.patients.n_patients} were censored before it. The approximate limit in the "
            "section on survival shows what to expect."
        )
    if part.verdict.overall == "good" and part.doubtful is not None:
        return f"Next: {_in_group(rule, part, part.doubtful)}"
    if not part.comparison.cost_without_score:
        return "Next: label patients of the other class too; all patients here are of one class."
    return f"Next: {_label_more(rule, part, questions)}"


def label_some(rule: FrozenFile[Any], margin: float) -> str:
    """Say how many patients to label if the rule does here what it did before."""
    before, certificate = rule.reference_counts, rule.certificate
    start = "Next: label some patients, chosen without looking at their scores, and audit them once"
    if before is None or rounded_at_home(rule):
        return f"{start}."
    # The bounds for one look at many grades are slow; those for every look are not.
    asked = Asked(margin=margin, sequential=rule.costs is None)
    compared = replace(comparison_of(rule, asked, before), certified={})
    # To confirm that it is not useful, or within a limit that means nothing, is not worth labels.
    idle = {
        "useful": compared.observed_cost >= compared.cost_without_score,
        "within_certificate": compared.vacuous,
    }
    names = [name for name in QUESTIONS if not idle.get(name)]
    sizes = {name: patients_needed(compared, name, certificate.delta) for name in names}
    known = {name: size for name, size in sizes.items() if size is not None}
    if not known:
        return f"{start}{_first_audit(compared, certificate.delta)}."
    quoted = _quoted([SHORT[name] for name in known])
    answer = f" answer {quoted}" if len(known) < len(QUESTIONS) else ""
    return f"{start}: about {max(known.values())}{answer}, if it does here what it did before."


def _first_audit(compared: Comparison, delta: float) -> str:
    """Say how many patients show how often it is wrong, if that is as often as before."""
    if compared.costs is None:
        return ""
    before = compared.confusion
    wrong = (before.fn + before.fp) / before.n_patients
    size = patients_for("clopper-pearson", wrong, compared.margin, Setting(delta=delta)).n_certify
    within = f"{100 * compared.margin:g} of 100"
    return "" if size is None else f": about {size} show to within {within} how often it is wrong"


def _after_bad(rule: FrozenFile[Any], part: LabelledPart) -> str:
    verdict, failing = part.verdict, part.failing
    some = 0 < len(failing) < len(part.groups)
    if some or (failing and (verdict.overall != "bad" or failing[0].verdict.useful == "no")):
        text = local(rule, len(failing))
        return f"do not use it for {names_of(failing)} as it is. For these patients {text}"
    if verdict.useful == "yes":
        fails = f"it fails for {names_of(failing)}: " if failing else ""
        better = f"it is still better here than {Words(rule=rule).without_score}"
        return f"{better}, but {fails}{local(rule)}"
    if verdict.as_before == "yes":
        return (
            "the score works as before, but at the costs and the prevalence here calling everybody "
            f"or nobody is better. Check the costs, then {local(rule)}"
        )
    return (
        "do not use it here as it is. Check first that scores are made as before (scanner, "
        f"software, units). Then {local(rule)}"
    )


def _in_group(rule: FrozenFile[Any], part: LabelledPart, group: Group) -> str:
    """Say how to decide about a group in which what was observed is worse."""
    compared, name = group.comparison, name_of(group)
    level = (1 - part.share) * rule.certificate.delta / len(part.groups)
    sizes = [needed(compared, group.verdict, one, level) for one in QUESTIONS]
    if compared.cost_without_score and not any(sizes):
        return (
            f"decide about {name} by itself: what was observed there is worse, and more labels "
            f"would not decide it at these rates. For these patients {local(rule)}"
        )
    n = int(compared.here.sum())
    few = "1 patient is" if n == 1 else f"{n} patients are"
    return (
        f"label more patients of {name}, and audit with --sequential: what was observed there is "
        f"worse, but {few} too few to tell."
    )


def _label_more(
    rule: FrozenFile[Any], part: LabelledPart, questions: Sequence[QuestionPart]
) -> str:
    """Say how many more patients to label, and how to look again without a larger error.

    The limits of --sequential hold at all looks together. A look without them adds its own error.
    """
    n_patients, sequential = int(part.comparison.here.sum()), part.comparison.sequential
    open_ones = [one for one in questions if one.answer == "cannot tell"]
    sizes = {
        one.question: max(one.patients_needed - n_patients, 1)
        for one in open_ones
        if one.patients_needed is not None
    }
    never = [SHORT[one.question] for one in open_ones if one.patients_needed is None]
    fails = [one.question for one in open_ones if _would_fail(part, one, rule.certificate.delta)]
    if never and not fails:
        return _instead(rule, part, never, sizes)
    rest = f"; {_quoted(never)} would stay open" if never else ""
    listed = ", ".join(
        f'{size} more for "{SHORT[name]}"{NO_THEN if name in fails else ""}'
        for name, size in sizes.items()
    )
    again = "then audit all of them with --sequential, as often as you like"
    error = f"{100 * rule.certificate.delta:g} %"
    looks = "" if sequential else f" This look without it adds its own {error} chance of an error."
    return f"label more patients, {again}: about {listed}{rest}.{looks}"


def _would_fail(part: LabelledPart, one: QuestionPart, delta: float) -> bool:
    """Whether so many patients as an open question needs would answer it with no."""
    if one.patients_needed is None:
        return False
    many = replace(part.comparison, sequential=True).scaled_to(one.patients_needed)
    return getattr(many.verdict(strict_level(part.share * delta)), one.question) == "no"


def _instead(
    rule: FrozenFile[Any], part: LabelledPart, never: Sequence[str], sizes: Mapping[Question, int]
) -> str:
    """Say what to do if the verdict stays open, whatever is labelled."""
    start = f"more labels here would not decide this: at these rates {_quoted(never)} stay"
    text = f"{start}{'s' if len(never) == 1 else ''} open."
    if SHORT["as_before"] in never and _few_before(part, rule.certificate.delta):
        text += " Too few patients were used to check it before."
    if part.verdict.useful == "yes":
        watch = f"steadycut monitor {rule.file_name} TABLE --order COL"
        return f"{text} It is shown to be useful here: use it with care and watch it: {watch}"
    if "useful" in sizes:
        text += f' If "useful here" is enough for you, label about {sizes["useful"]} more.'
    return f"{text} Otherwise {local(rule)}" if sizes else f"{text} Instead {local(rule)}"


def _few_before(part: LabelledPart, delta: float) -> bool:
    """Whether "as good as before" would be answered if many more had been used to check before."""
    before = part.comparison.before
    if before is None:
        return False
    many = replace(part.comparison, before=MANY * before, sequential=True)
    return patients_needed(many, "as_before", part.share * delta) is not None


def _quoted(names: Sequence[str]) -> str:
    return _listed([f'"{name}"' for name in names])


def name_of(group: Group) -> str:
    """Write a site or subgroup."""
    return f"{group.column} {group.value!r}"


def names_of(groups: Sequence[Group]) -> str:
    """Write several sites or subgroups; a column is named again only if it changes.

    Only the first is named if the names are long.
    """
    names: list[str] = []
    column = ""
    for one in groups[:MOST_NAMED]:
        name = repr(one.value) if one.column == column else name_of(one)
        if names and sum(map(len, names)) + len(name) > MOST_CHARACTERS:
            break
        names.append(name)
        column = one.column
    more = len(groups) - len(names)
    return _listed([*names, *([f"{more} more"] if more else [])])
