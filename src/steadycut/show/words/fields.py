"""The words of the app: what each field is called, what it means, and what its values mean.

A command has options with names such as ``--cost-fn``. A page shows none of them, not even in an
error: `in_words` spells an option by the title of its field.
"""

import re

from steadycut.errors import ADVISED, spelled

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
    "selector": "How one of several scores is chosen",
    "ensemble": "Average of all scores",
    "bootstrap": "Number of repeated samples",
    "grid": "Number of cut-offs that are tried",
    "seed": "Start of the random numbers",
    "one_per_patient": "Each slide, image or record is of another patient",
    "stratify": "Keep groups apart in repeated samples",
    "delta": "Risk of a wrong promise or alarm",
    "test_size": "Patients to hold out",
    "stratified": "Divide ill and healthy patients evenly",
    "bound": "How the promise is computed",
    "certify": "What else to promise",
    "certify_cost": "Average cost to promise",
    "remember_patients": "Remember the patients",
    "label_how": "Labels of the rows of a patient",
    "missing": "Missing scores and labels",
    "unscored": "Patients without a score",
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
    "risk": "Share of wrong decisions to expect",
    "power": "How sure to be of reaching it",
    "width": "How far the promise may lie above it",
    "patients": "Number of patients",
    "prevalence": "Share of ill patients",
    "worklist": "Patients to label next",
    "target": "Average cost to promise",
    "instances": "Rows per patient",
    "icc": "How alike the rows of a patient are",
    "certify_size": "Share of patients used to check",
    # These have their own place in the form.
    "score": "Scores",
    "positive": "Label that means ill",
    "level": "Inner level",
    "aggregate": "One number per patient",
    "no_label": "Label: none",
}
# The text below a field, where that is not the help of its option.
HINTS = {
    "cost_fn": (
        "Only the ratio of both costs matters for the choice: 5 and 1 mean that a missed patient "
        "is five times as bad as a false alarm."
    ),
    "external": "None: all that may be used.",
    "prevalence_there": (
        "A number such as 0.1, or two as 0.05,0.2. Empty: as at the hospitals in the table."
    ),
    "sites": "Instead of all else: what so many hospitals can promise about the next one.",
    "time": "Instead of a label. Needs the event and the horizon too.",
    "horizon": "Who has the event by then? In the unit of the time, such as 5 for 5 years.",
    "rule_other": (
        "For example sensitivity:0.85, f-beta:2 or youden@sensitivity:0.9. It replaces the choice "
        "above."
    ),
    "target_prevalence": (
        "A number such as 0.1, or two as 0.05,0.2: then the worse one counts. Empty: as in the "
        "table."
    ),
    "bootstrap": "More samples take longer and vary less.",
    "grid": "exact: all of them. even: 200 at even distances. Or a number.",
    "seed": "The same number gives the same result.",
    "delta": "0.1: it is wrong in at most 10 of 100 studies (90 % confidence).",
    "stratified": (
        "Between choosing and checking. Needs the share of ill patients where it is used."
    ),
    "bound": "Leave it as it is unless you know these names.",
    "confidence": "0.95: 95 % confidence intervals.",
    "order": "Numbers or dates such as 2026-01-31.",
    "pilot": "The test is then expected to be wrong as often as there.",
    "risk": "From earlier patients: 10 % if it was wrong in 10 of 100. Or an average cost, as 0.1.",
    "width": "5 %: for a test wrong in 10 of 100, a promise of at most 15. Or give the next field.",
    "power": "80 %: in 80 of 100 such studies the promise is at least this good.",
    "patients": "Instead of the field above. Some choose the cut-off, the others check it.",
    "prevalence": "As a share such as 0.08, or in percent with its sign: 8 %. Empty: not known.",
    "worklist": "A number such as 60 makes a list to download and fill in, and nothing else.",
    "target": (
        "Per patient, set before labels are seen. For example 0.2: wrong in at most 20 of 100. "
        "Empty: less than calling everybody or nobody, or what the rule promised."
    ),
    "instances": "Such as tiles or slides.",
    "icc": "From 0 (not at all) to 1 (the same).",
    "label": "Without labels less can be said.",
    "site": "The hospital, if there are several.",
}
# The text below a field that must be filled in, where it is another one.
NEEDED = {"internal": "At least one.", "external": "At least one other.", "site": "The hospital."}
# The text below a field that has no default in this form, where it has one in others.
WITHOUT_DEFAULT = dict.fromkeys(("cost_fn", "cost_fp"), "Empty: 1, or as in the study made here.")
RULES = {
    "stable": "low cost, and steady if the study is repeated",
    "erm": "lowest cost among these patients",
    "logistic": "logistic regression on the score, cut where calling starts to pay",
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
    "unscored": {"refuse": "refuse the table", "call": "call them", "leave": "do not call them"},
    "unseen": {"refuse": "refuse the table", "pooled": "use the cut-off for all groups"},
    "selector": {
        "risk": "lowest cost",
        "objective": "lowest cost plus what an unstable cut-off may cost",
        "no-bias": "the same, without the part for bias",
    },
    "ensemble": {"quantile": "with equal weights", "gls": "with weights by their correlation"},
    "bound": {"auto": "the tightest way that fits"},
    "rule": RULES,
}


# What separates columns, in words.
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def reading_in_words(separators: str, decimal: str = ".") -> str:
    """Say how text files are read, and where to change it."""
    signs = " or ".join(SEPARATORS.get(sign, repr(sign)) for sign in separators)
    columns = f"Columns are separated by {signs}. " if signs else ""
    if decimal == ".":
        return columns.rstrip()
    return (
        f"{columns}Numbers seem to have a decimal comma: 0,5 is read as one half. If that is "
        f"wrong, change “{title_of('decimal')}” under “More options”."
    )


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
    meaning = value_in_words("rule", name)
    return name if meaning == name else f"{name} ({meaning})"


def in_words(text: str) -> str:
    """Return a line of a command as the app says it: with titles of fields instead of options.

    A command that the app has started marks the options in its errors, and leaves it to the app to
    spell them.

    Examples
    --------
    >>> from steadycut.errors import argument
    >>> print(in_words(f"leave them out with {argument('missing', 'drop')}."))
    leave them out with “Missing scores and labels”: leave out and count.
    >>> print(in_words(f"{argument('internal')} north needs {argument('site', 'COL')}."))
    “Sites to choose on” north needs “Site”.
    >>> print(in_words(f"coarse grid: use the exact cuts ({ADVISED['grid', 'exact']})."))
    coarse grid: use the exact cuts (“Number of cut-offs that are tried”: exact).
    """
    for option, both in ADVISED.items():
        text = text.replace(both, option_in_words(*option))
    return spelled(text, option_in_words)


def option_in_words(name: str, value: str | None) -> str:
    """Write an option by its title; a word in capitals stands for a value that the user knows."""
    title, plain = f"“{title_of(name)}”", (value or "").strip("'")
    if plain in {"", "True"} or plain.isupper():
        return title
    return f"{title}: {value_in_words(name, plain)}"
