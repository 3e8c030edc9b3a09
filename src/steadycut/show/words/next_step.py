"""What to do next, in sentences that each surface spells in its own way.

A `Spelling` writes what to call and which option to give: as a command, as Python, or as the app
names it. The sentences of records are templates: a name in braces is a call, or a fact of the
record.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from shlex import quote

from steadycut.core.verdict import MOST_PATIENTS
from steadycut.documents.next_step import NextStep, Verb, Why
from steadycut.errors import as_flag, as_keyword
from steadycut.show.words.audit import NOT_SHOWN, capital, names_of
from steadycut.show.words.numbers import percent

# What a next step may name: as a command, and in Python. Names in braces are facts of the surface.
COMMANDS = {
    "monitor": "steadycut monitor {} {new} --order COL",
    "watch": "steadycut monitor",
    "audit": "steadycut audit {} {other} --out {audited}",
    "audit_labels": "steadycut audit {} {here} --out {audited}",
    "audit_sequential": "steadycut audit {} {here} --sequential --out {audited}",
    "adapt": "steadycut adapt {} {at} --out {adapted}",
    "adapt_labels": "steadycut adapt {} TABLE --label COL --out {adapted}",
    "adapt_same": "steadycut adapt {} {at} --out {adapted}",
    "adapt_list": "steadycut adapt {rule} {here} --labels {} --out {adapted}",
    "fit": "steadycut fit {fit} --out {study}",
    "fit_sites": "steadycut fit TABLE --site COL",
    "apply": "steadycut apply",
    "with_labels": "steadycut adapt {rule} {at} --label COL --out {adapted}",
    "sequential": "--sequential",
    "plan_sites": "steadycut plan --sites N",
    "sign": "steadycut sign {} --key KEY",
    "adapt_plan": "steadycut adapt RULE TABLE --plan {}",
}
# What is written where a surface does not know better. A folder that is known gets new ones.
FACTS = {
    "rule": "RULE",
    "here": "TABLE",
    "at": "TABLE",
    "other": "TABLE",
    "new": "TABLE",
    "fit": "TABLE --patient COL --score COL --label COL",
}
FOLDERS = ("audited", "adapted", "study")
CALLS = {
    "monitor": "steadycut.monitor(rule, patients, order=...)",
    "watch": "steadycut.monitor",
    "audit": "steadycut.audit(rule, table)",
    "audit_labels": "steadycut.audit(rule, table)",
    "audit_sequential": "steadycut.audit(rule, table, sequential=True)",
    "adapt": "steadycut.adapt",
    "adapt_labels": "steadycut.adapt(rule, patients, labelled=patients)",
    "adapt_same": "steadycut.adapt(rule, patients)",
    "adapt_list": "steadycut.adapt(rule, patients, labelled=patients)",
    "fit": "steadycut.fit",
    "fit_sites": "steadycut.fit(steadycut.aggregate(table, site='COL'))",
    "apply": "apply",
    "with_labels": "labelled=patients",
    "sequential": "sequential=True",
    "plan_sites": "steadycut.plan(sites=N)",
    "sign": "steadycut.documents.signature.sign({}, key)",
    "adapt_plan": "steadycut.adaptation.control.change(plan, versions, rule, pool, labelled)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """How a surface names what to do: each call, and an option, perhaps with its value.

    ``places`` are where frozen files are, by their usual names. ``facts`` name the rule and the
    patients at hand once more, for another command: all of them (here), those of one site (at),
    other and new patients, and the columns to choose a cut-off anew (fit). ``folder`` is where the
    next results go. ``space`` stands between the words of a call.
    """

    calls: Mapping[str, str]
    option: Callable[[str, str | None], str]
    between: str = ", "
    places: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None
    space: str = " "

    def call(self, name: str, *file_names: object, site: str = "NAME") -> str:
        """Write a call; ``file_names`` are the usual names, or places, of the files it takes.

        ``site`` is the one that it is about.
        """
        places = (quote(self.places.get(str(file), str(file))) for file in file_names)
        known = {**FACTS, **self.facts}
        known["at"] = known["at"].replace("NAME", quote(site))
        outs = {out: quote(f"{self.folder}/{out}") if self.folder else "DIR" for out in FOLDERS}
        return self.calls[name].format(*places, **known, **outs).replace(" ", self.space)

    def options(self, given: Mapping[str, str]) -> str:
        """Write several options with their values."""
        return self.between.join(self.option(name, value) for name, value in given.items())


# A command in a sentence, whose words are kept together; what stands before one that is left out.
NO_BREAK = "\N{NO-BREAK SPACE}"
CALL = re.compile(rf"steadycut[.{NO_BREAK}][^ \n]+")
LEFT_OUT = re.compile(rf"(?<!Next)(?:: \n?| with | \(){CALL.pattern}")
DONE = {
    "monitor": "watch it on the next patients",
    "audit": "audit it on patients of another hospital",
}
COMMAND_LINE = Spelling(calls=COMMANDS, option=as_flag, between=" ")
PYTHON = Spelling(calls=CALLS, option=as_keyword)
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

    def commands(self, spell: Spelling) -> list[str]:
        """Return the commands of the sentence."""
        text = self.spelled(replace(spell, space=NO_BREAK))
        calls = [call.rstrip(".,;:").replace(NO_BREAK, " ") for call in CALL.findall(text)]
        return [call[: -1 if call.count(")") > call.count("(") else None] for call in calls]

    def plain(self) -> str:
        """Return the sentence without commands; one after a colon is left out."""
        text = self.spelled(replace(COMMAND_LINE, space=NO_BREAK))
        text = LEFT_OUT.sub(lambda call: call[0][-1] if call[0][-1] in ".," else "", text)
        text = CALL.sub(lambda call: DONE.get(verb := call[0].split()[1], f"{verb} it"), text)
        return text if text.endswith(".") else f"{text}."


def step_of(record: NextStep) -> Step:
    """Return the step of a record, with its sentence."""

    def sentence(spell: Spelling) -> str:
        text, first = WORDS[record.why], FIRST[record.first]
        said = text if isinstance(text, str) else text(record)
        said = said.format_map(Facts(record, spell))
        return f"Next: {first}{capital(said) if first else said}"

    return Step(verb=record.verb, sentence=sentence)


class Facts(dict[str, str]):
    """What a name in braces stands for: a call as a surface spells it, or a fact of the record."""

    def __init__(self, step: NextStep, spell: Spelling) -> None:
        super().__init__()
        self.step, self.spell = step, spell

    def __missing__(self, name: str) -> str:
        """Return what a name stands for; only the names that a sentence has are asked for."""
        if name in MADE:
            return MADE[name](self.step).format_map(self)
        if name in self.spell.calls:
            groups = [group.value for group in self.step.groups or () if group.column == "site"]
            site = groups[0] if len(groups) == 1 else "NAME"
            return self.spell.call(name, self.step.file_name, site=site)
        return str(getattr(self.step, name))


def _local(step: NextStep) -> str:
    """Say how to get a rule for this hospital, or for several; a single cut-off can be adapted."""
    several = step.why == "groups fail" and len(step.groups or ()) > 1
    where = "each of them" if several else "this hospital"
    if step.local == "adapt":
        if several:
            return "adapt it to each of them with {adapt}, and certify it there with labels."
        return "adapt it to this hospital with these labels, and audit it on others: {adapt_same}"
    return (
        f"choose a cut-off for {where} with {{fit}} on its own labelled patients, then audit it on "
        "others."
    )


def _names(step: NextStep) -> str:
    return names_of(step.groups or []).replace("{", "{{").replace("}", "}}")


MADE: Mapping[str, Callable[[NextStep], str]] = {
    "local": _local,
    "names": _names,
    "percent": lambda step: percent(step.error),
}
AS_BEFORE = "that scores are made as before (scanner, software, units)"
FIRST = {None: "", "go on": "go on. ", "check scores": f"check {AS_BEFORE}. "}


# Sentences that depend on more than names -------------------------------------------------------


def _still_useful(step: NextStep) -> str:
    without = "one decision for everybody" if step.graded else "calling everybody or nobody"
    fails = "it fails for {names}: " if step.groups else ""
    return f"it is still better here than {without}, but {fails}{{local}}"


def _open(step: NextStep) -> str:
    which = " not" if any(needed.refutes for needed in step.labels or ()) else ""
    about = "".join(f"about {needed.more} " for needed in step.labels or ())
    looks = "" if step.error is None else " (this look adds its own {percent} chance of an error)"
    return (
        f"label {about}more patients, which would show that it is{which} useful. Audit all of them "
        f"as often as you like{looks}: {{audit_sequential}}"
    )


def _no_labels(step: NextStep) -> str:
    enough = (
        "."
        if step.n_patients is None
        else ": about {n_patients} show that it is useful, if it does here what it did before."
    )
    return f"label some patients, chosen without looking at their scores, and audit them{enough}"


def _watch_on(step: NextStep) -> str:
    needed = next(iter(step.labels or ()), None)
    which = "above" if needed is not None and needed.refutes else "within"
    return (
        f"at this rate about {1 if needed is None else needed.more} more patients show that the "
        f"risk is {which} what was certified."
    )


def _decisions(step: NextStep) -> str:
    call = "{audit}" if step.survival else "{audit_labels}"
    if step.why == "decisions":
        return f"when you have labels, see whether the decisions were right: {call}"
    return (
        "do not act on these decisions yet. The rule is not shown to be better than calling "
        f"everybody or nobody: {call}"
    )


def _adapted(step: NextStep) -> str:
    """Say how many random patients to label for an adapted cut-off, and what that would show."""
    useful = "show that the rule is better than calling everybody or nobody"
    shown = "reach the target" if step.goal == "target" else useful
    far = f"even {MOST_PATIENTS:,} labels would not {shown}."
    if step.verb == "fit":
        return f"try another score, other costs or another direction. At the errors seen {far}"
    if step.why == "adapted: no labels":
        less = "" if step.n_patients else f" At the errors expected {far}"
        here = f"about {step.n_patients or 30} random patients of this hospital"
        return f"label {here}, and adapt again with {{with_labels}}.{less}"
    more = f"about {step.n_patients} more random patients to {shown}."
    if step.n_patients is None:
        more = f"more random patients, but expect little: at the errors seen so far {far}"
    look_once = (
        " If you will look again when more labels come in, take them one at a time with "
        "{sequential} from the start: limits that are looked at again and again do not hold."
    )
    return f"label {more}{'' if step.looks_again else look_once}"


def _failed(step: NextStep) -> str:
    return f"{OTHERWISE[str(step.otherwise)]}. Another attempt needs a new trigger and patients."


# What is used while no change is accepted under a change-control plan.
OTHERWISE = {
    "original": "the original rule decides",
    "call-everybody": "everybody is called",
    "stop": "the rule decides about nobody",
}
WORDS: Mapping[Why, str | Callable[[NextStep], str]] = {
    "good": "{monitor}",
    "watch": "{monitor}",
    "groups fail": "do not use it for {names} as it is. For these patients {local}",
    "still useful": _still_useful,
    "costs or prevalence": (
        "the score works as before, but at the costs and the prevalence here calling everybody or "
        "nobody is better. Check the costs, then {local}"
    ),
    "unlike before": f"do not use it here as it is. Check first {AS_BEFORE}. Then {{local}}",
    "unknown fate": (
        "follow the patients to the horizon, and audit them again: {n_unknown} of {n_patients} "
        "were censored before it. The approximate limit in the section on survival shows what to "
        "expect."
    ),
    "one class": "label patients of the other class too; all patients here are of one class.",
    "one score": "check the column of scores: it is the same for everybody. Then audit again.",
    "open": _open,
    "undecidable": "more labels would not show whether it is useful at these rates: {local}",
    "own patients": "give patients of another hospital: {audit}",
    "no labels": _no_labels,
    "unit": (
        "check the unit (percent or share?) and the scorer: the scores are unlike those of the "
        "rule. Then audit again."
    ),
    "alarm": (
        f"do not rely on it until you know why. Check {AS_BEFORE}. Judge all labelled patients "
        "({audit_sequential}), then {local}"
    ),
    "certify more": (
        f"certify the rule with more patients. What was certified is {NOT_SHOWN}, so to be within "
        "it means little."
    ),
    "within already": "these patients already show that the risk is within what was certified.",
    "too close": ("the risk is so close to the certified one that no number of patients decides."),
    "watch on": _watch_on,
    "decisions": _decisions,
    "decisions not useful": _decisions,
    "decisions unlike": (
        "do not act on these decisions. The scores are unlike those of the rule: check the unit "
        "(percent or share?) and the scorer, then apply it again."
    ),
    "adapted: no labels": _adapted,
    "adapted: open": _adapted,
    "adapted: refuted": (
        "do not use it here. Ask why the score does worse; fit a cut-off on patients of this "
        "hospital, or use another score."
    ),
    "adapted: certified": "audit the new rule.json on other patients before you use it: {audit}",
    "change accepted": "use {file_name}, beside the plan, with {apply}, and watch it with {watch}.",
    "change open": (
        "label the next patients in their order, and run the same command again; it is still the "
        "same attempt."
    ),
    "change failed": _failed,
    "switch: same scores": (
        "check that the scores of the new version were given; all are the old ones."
    ),
    "switch: same": "use the rule with the new version, and watch it: {monitor}",
    "switch: open": "score more patients with both versions.",
    "switch: changed": (
        "do not use the rule with the new version as it is. Choose and certify a cut-off with "
        "patients scored by the new version, some with labels: {adapt_labels}. The matching "
        "cut-off has no certificate."
    ),
    "switch: fit": (
        "do not use the rule with the new version as it is. Fit it again on patients scored by the "
        "new version."
    ),
}
