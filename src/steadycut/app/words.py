"""The words of the app: what each field is called, what it means, and what its values mean.

A command has options with names such as ``--cost-fn``. A page shows none of them, not even in an
error: `in_words` puts the titles of the fields in their place.
"""

import re
from collections.abc import Callable

from steadycut.app.works import WORKS
from steadycut.show.words.next_step import Spelling

# The title of the field of each option.
TITLES = {
    "direction": "Which scores mean ill",
    "cost_fn": "Cost of a missed patient",
    "cost_fp": "Cost of a false alarm",
    "internal": "Sites to choose on",
    "external": "Sites to judge on",
    "sites_certify": "Sites that only check the cut-off",
    "prevalence_there": "Share of ill patients at the next hospital",
    "cost_there": "Average cost that you would accept at a hospital",
    "sites": "Number of hospitals",
    "time": "Survival: how long each patient was followed",
    "event": "Survival: whether the event happened",
    "horizon": "Survival: horizon",
    "rule": "How the cut-off is chosen",
    "rule_other": "Another way to choose, by its name",
    "honesty": "Who chooses and who checks",
    "target_prevalence": "Share of ill patients where it is used",
    "select": "How one of several scores is chosen",
    "ensemble": "Average of all scores",
    "bootstrap": "Number of repeated samples",
    "grid": "Number of cut-offs that are tried",
    "seed": "Start of the random numbers",
    "stratify": "Keep groups apart in repeated samples",
    "delta": "Risk of a wrong promise or alarm",
    "test_size": "Patients to hold out",
    "stratified": "Divide ill and healthy patients evenly",
    "bound": "How the promise is computed",
    "certify": "What else to promise",
    "remember_patients": "Remember the patients",
    "label_how": "Labels of the rows of a patient",
    "missing": "Missing scores and labels",
    "decimal": "Decimal sign of scores",
    "memory": "Memory that rows may take",
    "confidence": "Confidence of intervals",
    "unseen": "Patients of a group that the rule has not seen",
    "force": "Continue if the rule refuses these patients",
    "group": "Judge groups by themselves, too",
    "margin": "How much worse still counts as before",
    "sequential": "Limits that hold at every look",
    "order": "When a row came in",
    "pilot": "A study made here",
    "risk": "Expected cost per patient",
    "width": "How far the promise may lie above it",
    "patients": "Number of patients",
    "prevalence": "Share of ill patients",
    "target": "Average cost to promise",
    "instances": "Rows per patient",
    "icc": "How alike the rows of a patient are",
    "certify_size": "Share of patients used to check",
    # These have their own place in the form.
    "patient": "Patient",
    "score": "Scores",
    "label": "Label",
    "positive": "Label that means ill",
    "site": "Site",
    "level": "Inner level",
    "aggregate": "One number per patient",
}
# The text below a field, where there is one.
HINTS = {
    "cost_fn": (
        "Only the ratio of both costs matters for the choice: 5 and 1 mean that a missed patient "
        "is five times as bad as a false alarm."
    ),
    "internal": "None: all sites.",
    "external": "None: all that may be used.",
    "sites_certify": "All other sites choose it. Empty: every site does both.",
    "prevalence_there": (
        "A number such as 0.1, or two as 0.05,0.2. Empty: as at the hospitals in the table."
    ),
    "cost_there": (
        "Decide it before you look. The report says at which share of hospitals it is kept."
    ),
    "sites": "Instead of all else: what so many hospitals can promise about the next one.",
    "time": "Instead of a label. Needs the event and the horizon too.",
    "event": "1 if it did, 0 if the patient was only followed so far.",
    "horizon": "Who has the event by then? In the unit of the time, such as 5 for 5 years.",
    "rule_other": (
        "For example sensitivity:0.85, f-beta:2 or youden@sensitivity:0.9. It replaces the choice "
        "above."
    ),
    "target_prevalence": (
        "A number such as 0.1, or two as 0.05,0.2: then the worse one counts. Empty: as in the "
        "table."
    ),
    "ensemble": "Instead of choosing one of them.",
    "bootstrap": "More samples take longer and vary less.",
    "grid": "exact: all of them. even: 200 at even distances. Or a number.",
    "seed": "The same number gives the same result.",
    "stratify": "Such as labels, sites or scanners.",
    "delta": "0.1: it is wrong in at most 10 of 100 studies (90 % confidence).",
    "test_size": "A share such as 0.2, or a number. They only show what the finished cut-off does.",
    "stratified": (
        "Between choosing and checking. Needs the share of ill patients where it is used."
    ),
    "bound": "Leave it as it is unless you know these names.",
    "certify": "For example sensitivity:0.90 or sensitivity:0.90,specificity:0.80.",
    "remember_patients": (
        "As salted hashes in the rule: later it can refuse patients it was made from."
    ),
    "decimal": "As the scores are written in the table.",
    "memory": "For example 4GiB. Empty: 2GiB.",
    "confidence": "0.95: 95 % confidence intervals.",
    "force": "The result then says that it was forced.",
    "group": "Such as sex, age band or scanner.",
    "margin": "0.1: an error rate may be higher by 10 of 100 patients.",
    "sequential": "Tick this if you look again and again while labels come in.",
    "order": "Numbers or dates such as 2026-01-31.",
    "pilot": "Its errors stand for the expected cost. None: give the cost.",
    "risk": "For example 0.1: wrong in 10 of 100 patients.",
    "width": "For example 0.05. Leave it empty if the number of patients is given.",
    "patients": "All of them, both for choosing and for checking.",
    "prevalence": "As a share such as 0.08, or in percent with its sign: 8 %. Empty: not known.",
    "target": (
        "Per patient, set before labels are seen. For example 0.2: wrong in at most 20 of 100. "
        "Empty: less than calling everybody or nobody, or what the rule promised."
    ),
    "instances": "Such as tiles or slides.",
    "icc": "From 0 (not at all) to 1 (the same).",
    "patient": "Identifies patients. None: each row is one patient.",
    "label": "Without labels less can be said.",
    "positive": "Leave it empty if labels are 0 and 1, or as in the rule.",
    "site": "The hospital, if there are several.",
}
# The text below a field that must be filled in, where it is another one.
NEEDED = {"internal": "At least one.", "external": "At least one other.", "site": "The hospital."}
# The text below a field that has no default in this form, where it has one in others.
WITHOUT_DEFAULT = dict.fromkeys(("cost_fn", "cost_fp"), "Empty: 1, or as in the study made here.")
WITHOUT_DEFAULT |= {"label_how": "Empty: as in the rule."}
RULES = {
    "stable": "low cost, and steady if the study is repeated",
    "erm": "lowest cost among these patients",
    "youden": "largest sum of sensitivity and specificity",
    "sensitivity:0.8": "sensitivity at least 0.80, then the best specificity",
    "sensitivity:0.9": "sensitivity at least 0.90, then the best specificity",
    "sensitivity:0.95": "sensitivity at least 0.95, then the best specificity",
    "specificity:0.8": "specificity at least 0.80, then the best sensitivity",
    "specificity:0.9": "specificity at least 0.90, then the best sensitivity",
    "specificity:0.95": "specificity at least 0.95, then the best sensitivity",
    "ppv:0.9": "positive predictive value at least 0.90",
    "npv:0.95": "negative predictive value at least 0.95",
    "se-sp-equal": "sensitivity and specificity as equal as possible",
    "roc01": "nearest to the corner of the ROC curve",
    "f1": "largest F1 score",
    "mcc": "largest Matthews correlation",
    "kappa": "largest kappa of decision and disease",
    "accuracy": "most correct decisions, whatever the errors cost",
    "prevalence-match": "as many patients called as are ill",
}
# Ways to choose that are only compared.
COMPARED = {"pointwise": "low cost, with a penalty for unsteady decisions"}
# What the values of an option mean, by its name.
VALUES = {
    "direction": {"ge": "high scores mean ill", "le": "low scores mean ill"},
    "honesty": {
        "split": "some patients choose the cut-off, the others check it",
        "uniform": "all patients do both (a wider allowance for chance)",
    },
    "label_how": {"same": "all are the same", "any": "one row labelled ill decides"},
    "decimal": {".": "a point, as in 0.5", ",": "a comma, as in 0,5"},
    "missing": {"refuse": "refuse the table", "drop": "leave out and count"},
    "unseen": {"refuse": "refuse the table", "pooled": "use the cut-off for all groups"},
    "select": {
        "risk": "lowest cost",
        "objective": "lowest cost plus what an unstable cut-off may cost",
        "no-bias": "the same, without the part for bias",
    },
    "ensemble": {"quantile": "with equal weights", "gls": "with weights by their correlation"},
    "bound": {"auto": "the tightest way that fits"},
    "rule": RULES,
}
# What a sentence recommends, and how the app says it.
RECOMMENDED: dict[re.Pattern[str], str | Callable[[re.Match[str]], str]] = {
    re.compile(r"the limits of `?audit --sequential`?"): "“Limits that hold at every look”",
    re.compile(r"`?(?:steadycut )?audit --sequential`?"): (
        f"“{WORKS['audit'].title}” and its “Limits that hold at every look”"
    ),
    re.compile(r"steadycut audit \S+ TABLE --sequential(?: --out DIR)?"): (
        f"“{WORKS['audit'].title}” with “Limits that hold at every look”"
    ),
    # A command to type, with the places of its arguments.
    re.compile(r"`?steadycut (\w+)(?: \S+ TABLE(?: --[a-z-]+ [A-Z]+)*)?`?"): (
        lambda found: _work(found[1])
    ),
    re.compile(r", in Python [^)]*"): "",
    re.compile(r" See '[^']*--help'\."): "",
    re.compile(r"Missing option ('--[a-z-]+')\."): r"\1 must be filled in; it is empty.",
}
FIRST_AUDIT = (
    f"Next: check it on patients of another hospital, with “{WORKS['audit'].title}” below."
)
OPTION = re.compile(
    r"'?--(?P<name>[a-z][a-z-]*)'?(?: (?P<value>[A-Z]{2,}\b|[a-z]+(?::\d\.\d+)?|,(?= )))?"
)


# What a next step names, in the words of the app.
EVERY_LOOK = "“Limits that hold at every look”"
CALLS = {
    **{command: f"“{work.title}”" for command, work in WORKS.items()},
    **dict.fromkeys(("audit_labels", "draw"), f"“{WORKS['audit'].title}”"),
    **dict.fromkeys(("adapt_prevalence", "adapt_labels"), f"“{WORKS['adapt'].title}”"),
    "watch": f"“{WORKS['monitor'].title}”",
    "audit_sequential": f"“{WORKS['audit'].title}” with {EVERY_LOOK}",
    "fit_sites": f"“{WORKS['fit'].title}” with “{TITLES['site']}”",
    "with_labels": f"“{TITLES['label']}”",
    "sequential": EVERY_LOOK,
}


def title_of(name: str) -> str:
    """Return what the field of an option is called."""
    return TITLES.get(name) or name.replace("_", " ").capitalize()


def value_in_words(name: str, value: str) -> str:
    """Return what a value of an option means."""
    return VALUES.get(name, {}).get(re.sub(r"(\.\d+?)0+$", r"\1", value), value)


def rule_in_words(name: str) -> str:
    """Return the name of a rule with what it does.

    Examples
    --------
    >>> rule_in_words("specificity:0.90")
    'specificity:0.90 (specificity at least 0.90, then the best sensitivity)'
    """
    meaning = COMPARED.get(name, value_in_words("rule", name))
    return name if meaning == name else f"{name} ({meaning})"


def in_words(text: str) -> str:
    """Return a text of a command as the app says it: with titles of fields instead of options.

    Examples
    --------
    >>> print(in_words("leave them out with --missing drop."))
    leave them out with “Missing scores and labels”: leave out and count.
    >>> print(in_words("Invalid value for '--cost-fn': it must be a number."))
    Invalid value for “Cost of a missed patient”: it must be a number.
    >>> print(in_words("--internal north needs --site COL, the column that holds the sites."))
    “Sites to choose on” north needs “Site”, the column that holds the sites.
    >>> print(in_words("Next: use it and watch it: steadycut monitor rule.json TABLE --order COL"))
    Next: use it and watch it: “Watch in use”
    """
    for pattern, here in RECOMMENDED.items():
        text = pattern.sub(here, text)
    return OPTION.sub(_field, text)


def _work(command: str) -> str:
    return f"“{WORKS[command].title}”" if command in WORKS else f"steadycut {command}"


def _field(found: re.Match[str]) -> str:
    name, value = found["name"].replace("-", "_"), found["value"] or ""
    title = f"“{title_of(name)}”"
    if (meaning := value_in_words(name, value)) != value:
        return f"{title}: {meaning}"
    return title if value.isupper() or not value else f"{title} {value}"


def _option(name: str, value: str | None) -> str:
    title = f"“{title_of(name)}”"
    return title if value is None else f"{title}: {value_in_words(name, value)}"


APP = Spelling(calls=CALLS, option=_option)
