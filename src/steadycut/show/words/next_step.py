"""What to do next, in sentences that each surface spells in its own way.

A sentence takes a `Spelling`, which writes what to call and which option to give: as a command, as
Python, or as the app names it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from shlex import quote
from typing import Literal

from steadycut.documents.next_step import NextStep, Verb, Why
from steadycut.show.words.audit import NOT_SHOWN, SHORT, capital, names_of, quoted_names

# What a next step may name: a command, with what it is given.
Call = Literal[
    "monitor",
    "audit",
    "audit labels",
    "audit sequential",
    "draw",
    "adapt",
    "adapt prevalence",
    "adapt labels",
    "fit",
    "fit sites",
    "plan sites",
    "apply",
    "with labels",
    "sequential",
]
COMMANDS: Mapping[str, str] = {
    "monitor": "steadycut monitor {} TABLE --order COL",
    "audit": "steadycut audit {} TABLE --out DIR",
    "audit labels": "steadycut audit {} TABLE --label COL --out DIR",
    "audit sequential": "steadycut audit {} TABLE --sequential --out DIR",
    "draw": "steadycut audit {} TABLE --draw N",
    "adapt": "steadycut adapt",
    "adapt prevalence": "steadycut adapt {} TABLE --prevalence P",
    "adapt labels": "steadycut adapt {} TABLE --label COL",
    "fit": "steadycut fit",
    "fit sites": "steadycut fit TABLE --site COL",
    "plan sites": "steadycut plan --sites",
    "apply": "steadycut apply",
    "with labels": "--label COL",
    "sequential": "--sequential",
}
CALLS: Mapping[str, str] = {
    "monitor": "steadycut.monitor(rule, patients, order=...)",
    "audit": "steadycut.audit(rule, table)",
    "audit labels": "steadycut.audit(rule, table)",
    "audit sequential": "steadycut.audit(rule, table, sequential=True)",
    "draw": "steadycut.draw_labels(rule, patients, labels=N)",
    "adapt": "steadycut.adapt",
    "adapt prevalence": "steadycut.adapt(rule, patients, prevalence=P)",
    "adapt labels": "steadycut.adapt(rule, patients, labelled=patients)",
    "fit": "steadycut.fit",
    "fit sites": "steadycut.fit(steadycut.aggregate(table, site='COL'))",
    "plan sites": "steadycut.plan(sites=...)",
    "apply": "apply",
    "with labels": "labelled=patients",
    "sequential": "sequential=True",
}


def _as_flag(name: str, value: str | None = None) -> str:
    flag = f"--{name.replace('_', '-')}"
    return flag if value is None else f"{flag} {value}"


def _as_keyword(name: str, value: str | None = None) -> str:
    name = {"select": "selector"}.get(name, name)
    return name if value is None else f"{name}={value!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """How a surface names what to do: each call, and an option, perhaps with its value.

    ``places`` are where frozen files are, by their usual names.
    """

    calls: Mapping[str, str]
    option: Callable[[str, str | None], str]
    between: str = ", "
    places: Mapping[str, str] = field(default_factory=dict)

    def call(self, name: Call, file_name: str | None = None) -> str:
        """Write a call; ``file_name`` is the usual name of the frozen file that it takes."""
        place = self.places.get(str(file_name))
        return self.calls[name].format(str(file_name) if place is None else quote(place))

    def options(self, given: Mapping[str, str]) -> str:
        """Write several options with their values."""
        return self.between.join(self.option(name, value) for name, value in given.items())


COMMAND_LINE = Spelling(calls=COMMANDS, option=_as_flag, between=" ")
PYTHON = Spelling(calls=CALLS, option=_as_keyword)
# A sentence that a surface completes.
Sentence = Callable[[Spelling], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A next step: what to do, and the sentence that says it."""

    verb: Verb
    sentence: str | Sentence

    def spelled(self, spell: Spelling) -> str:
        """Return the sentence as a surface spells it."""
        return self.sentence if isinstance(self.sentence, str) else self.sentence(spell)


# An audit ----------------------------------------------------------------------------------

NO_THEN = " (the answer would be no)"
AS_BEFORE = "that scores are made as before (scanner, software, units)"


def _good(step: NextStep, spell: Spelling) -> str:
    return f"use it, and watch it: {spell.call('monitor', step.file_name)}"


def local(step: NextStep, spell: Spelling, n_places: int = 1) -> str:
    """Say how to get a rule for this hospital, or for several; a single cut-off can be adapted."""
    where = "this hospital" if n_places == 1 else "each of them"
    if step.local == "adapt":
        call = spell.call("adapt prevalence" if n_places == 1 else "adapt", step.file_name)
        return f"adapt it to {where} with {call}, and certify it there with labels."
    return (
        f"choose a cut-off for {where} with {spell.call('fit')} on its own labelled patients, then "
        "audit it on others."
    )


def _groups_fail(step: NextStep, spell: Spelling) -> str:
    groups = step.groups or []
    text = local(step, spell, len(groups))
    return f"do not use it for {names_of(groups)} as it is. For these patients {text}"


def _still_useful(step: NextStep, spell: Spelling) -> str:
    fails = f"it fails for {names_of(step.groups)}: " if step.groups else ""
    without = "one decision for everybody" if step.graded else "calling everybody or nobody"
    return f"it is still better here than {without}, but {fails}{local(step, spell)}"


def _costs(step: NextStep, spell: Spelling) -> str:
    return (
        "the score works as before, but at the costs and the prevalence here calling everybody "
        f"or nobody is better. Check the costs, then {local(step, spell)}"
    )


def _unlike(step: NextStep, spell: Spelling) -> str:
    return f"do not use it here as it is. Check first {AS_BEFORE}. Then {local(step, spell)}"


def _unknown_fate(step: NextStep, _: Spelling) -> str:
    return (
        f"follow the patients to the horizon, and audit them again: {step.n_unknown} of "
        f"{step.n_patients} were censored before it. The approximate limit in the section on "
        "survival shows what to expect."
    )


def _one_class(_: NextStep, __: Spelling) -> str:
    return "label patients of the other class too; all patients here are of one class."


def _group_undecidable(step: NextStep, spell: Spelling) -> str:
    return (
        f"decide about {names_of(step.groups or [])} by itself: what was observed there is worse, "
        "and more labels would not decide it at these rates. For these patients "
        f"{local(step, spell)}"
    )


def _group_open(step: NextStep, spell: Spelling) -> str:
    few = "1 patient is" if step.n_patients == 1 else f"{step.n_patients} patients are"
    return (
        f"label more patients of {names_of(step.groups or [])}, and audit with "
        f"{spell.call('sequential')}: what was observed there is worse, but {few} too few to "
        "tell."
    )


def _open(step: NextStep, spell: Spelling) -> str:
    rest = f"; {quoted_names(step.stays_open)} would stay open" if step.stays_open else ""
    labels = ", ".join(
        f'{one.more} more for "{SHORT[one.question]}"{NO_THEN if one.refutes else ""}'
        for one in step.labels or ()
    )
    looks = ""
    if step.error is not None:
        looks = f" This look without it adds its own {100 * step.error:g} % chance of an error."
    return (
        f"label more patients, then audit all of them with {spell.call('sequential')}, as "
        f"often as you like: about {labels}{rest}.{looks}"
    )


def _undecidable(step: NextStep, spell: Spelling) -> str:
    never, labels = step.stays_open or [], step.labels or []
    text = (
        f"more labels here would not decide this: at these rates {quoted_names(never)} "
        f"stay{'s' if len(never) == 1 else ''} open."
    )
    if step.few_before:
        text += " Too few patients were used to check it before."
    if step.verb == "monitor":
        watch = spell.call("monitor", step.file_name)
        return f"{text} It is shown to be useful here: use it with care and watch it: {watch}"
    for one in labels:
        if one.question == "useful":
            text += f' If "useful here" is enough for you, label about {one.more} more.'
    return f"{text} {'Otherwise' if labels else 'Instead'} {local(step, spell)}"


def _no_labels(step: NextStep, _: Spelling) -> str:
    start = "label some patients, chosen without looking at their scores, and audit them once"
    if step.n_patients is None:
        return f"{start}."
    if step.margin is not None:
        within = f"{100 * step.margin:g} of 100"
        return f"{start}: about {step.n_patients} show to within {within} how often it is wrong."
    answer = f" answer {quoted_names(step.answers)}" if step.answers else ""
    return f"{start}: about {step.n_patients}{answer}, if it does here what it did before."


def _unit(_: NextStep, __: Spelling) -> str:
    return (
        "check the unit (percent or share?) and the scorer: the scores are unlike those of the "
        "rule. Then audit again."
    )


# By a labelling plan -----------------------------------------------------------------------


def _bad_by_plan(step: NextStep, spell: Spelling) -> str:
    return f"do not use it here as it is: {spell.call('adapt prevalence', step.file_name)}"


def _hidden_stratum(step: NextStep, spell: Spelling) -> str:
    draw = spell.call("draw", step.file_name)
    return f"draw some patients of the stratum '{step.stratum}' too: {draw}"


def _open_by_plan(step: NextStep, spell: Spelling) -> str:
    draw, error = spell.call("draw", step.file_name), 100 * (step.error or 0.0)
    return (
        f"make a plan with more labels: {draw}. The same seed draws most of these patients again. "
        f"Each look has its own chance of {error:g} % of an error."
    )


# A watch -----------------------------------------------------------------------------------


def _alarm(step: NextStep, spell: Spelling) -> str:
    return (
        f"do not rely on it until you know why. Check {AS_BEFORE}. Judge all labelled patients "
        f"({spell.call('audit sequential', step.file_name)}), then {local(step, spell)}"
    )


def _certify(_: NextStep, __: Spelling) -> str:
    return (
        f"certify the rule with more patients. What was certified is {NOT_SHOWN}, so to be within "
        "it means little."
    )


def _shown(_: NextStep, __: Spelling) -> str:
    return "these patients already show that the risk is within what was certified."


def _too_close(_: NextStep, __: Spelling) -> str:
    return "the risk is so close to the certified one that no number of patients decides."


def _go_on(step: NextStep, _: Spelling) -> str:
    needed = next(iter(step.labels or ()), None)
    more, above = (1, False) if needed is None else (needed.more, needed.refutes)
    return (
        f"at this rate about {more} more patients show that the risk is "
        f"{'above' if above else 'within'} what was certified."
    )


# Decisions ---------------------------------------------------------------------------------


def _decisions(step: NextStep, spell: Spelling) -> str:
    call = spell.call("audit" if step.survival else "audit labels", step.file_name)
    if step.why == "decisions":
        return f"when you have labels, see whether the decisions were right: {call}"
    return (
        "do not act on these decisions yet. The rule is not shown to be better than calling "
        f"everybody or nobody: {call}"
    )


def _decisions_unlike(_: NextStep, __: Spelling) -> str:
    return (
        "do not act on these decisions. The scores are unlike those of the rule: check the unit "
        "(percent or share?) and the scorer, then apply it again."
    )


FIRST = {None: "", "go on": "go on. ", "check scores": f"check {AS_BEFORE}. "}
WORDS: Mapping[Why, Callable[[NextStep, Spelling], str]] = {
    "good": _good,
    "groups fail": _groups_fail,
    "still useful": _still_useful,
    "costs or prevalence": _costs,
    "unlike before": _unlike,
    "unknown fate": _unknown_fate,
    "one class": _one_class,
    "group undecidable": _group_undecidable,
    "group open": _group_open,
    "open": _open,
    "undecidable": _undecidable,
    "no labels": _no_labels,
    "unit": _unit,
    "bad by plan": _bad_by_plan,
    "hidden stratum": _hidden_stratum,
    "open by plan": _open_by_plan,
    "alarm": _alarm,
    "certify more": _certify,
    "within already": _shown,
    "too close": _too_close,
    "watch on": _go_on,
    "decisions": _decisions,
    "decisions not useful": _decisions,
    "decisions unlike": _decisions_unlike,
}


def step_of(record: NextStep) -> Step:
    """Return the step of a record, with its sentence."""

    def sentence(spell: Spelling) -> str:
        text, first = WORDS[record.why](record, spell), FIRST[record.first]
        return f"Next: {first}{capital(text) if first else text}"

    return Step(verb=record.verb, sentence=sentence)
