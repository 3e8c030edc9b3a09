"""Survival at a horizon: what patients of unknown fate may change, and the log-rank cut."""

from steadycut.core.rounding import at_least, at_most
from steadycut.documents.parts import CostsPart, Range, SurvivalPart
from steadycut.show.pages.page import Section, explained, section
from steadycut.show.words import sentences as say
from steadycut.show.words.numbers import count, cut, percent, rate, risk

# Where an audit was made.
HERE = "here"
# Smaller p-values are not written out: the formula is an approximation.
LEAST_P = 0.0001


def survival_section(part: SurvivalPart, direction: str) -> Section:
    """Show the range of each rate, the weighted values, and the log-rank cut."""
    weighted, sure = part.weighted, percent(1 - part.weighted.delta)
    text = (
        f"A patient counts as ill if the event happened by {part.horizon:g}, and as healthy if "
        f"followed to {part.horizon:g} without it. {unknown_sentence(part)} Ranges go from "
        "every unknown fate an error to every one right. Weighted values are approximate: patients "
        "of known fate stand for those like them who were censored, which is right only if "
        "censoring has nothing to do with the score or the fate."
    )
    cost = " to ".join(map(risk, part.risk))
    about, exact = "weighted, approximate:", f"{sure} confidence, exact for any censoring"
    from_weights = f"{sure} confidence, from the weighted patients"
    rows = [
        ("sensitivity", between(part.sensitivity), f"{about} {rate(weighted.sensitivity)}"),
        ("specificity", between(part.specificity), f"{about} {rate(weighted.specificity)}"),
        ("average cost", cost, f"{about} {risk(weighted.risk)}"),
        ("lower limit of the cost", at_least(part.limits[0]), exact),
        ("upper limit of the cost", at_most(part.limits[1]), exact),
        ("approximate upper limit", at_most(weighted.limit), from_weights),
        ("PPV, weighted", rate(weighted.ppv), "approximate"),
        ("NPV, weighted", rate(weighted.npv), "approximate"),
        ("share with the event, weighted", percent(weighted.prevalence), "approximate"),
    ]
    return section(
        "survival",
        f"Survival at {part.horizon:g}",
        text,
        log_rank_sentence(part, direction),
        tables=[explained("What unknown fates may change", rows)],
    )


def unknown_sentence(part: SurvivalPart) -> str:
    """Say how many patients have an unknown fate."""
    if not part.unknown:
        return "The fate of every patient is known."
    return (
        f"{part.unknown} of {count(part.n_patients, 'patient')} were censored before, so their "
        f"fate is unknown (called: {part.unknown_called})."
    )


def outcome_texts(part: SurvivalPart | None, who: str) -> tuple[str, ...]:
    """Return the methods of survival, for a paper; nothing without a horizon."""
    if part is None:
        return ()
    columns = "" if part.time is None else f" (columns “{part.time}” and “{part.event}”)"
    text = (
        f"Outcome. The outcome was the event by {part.horizon:g}{columns}; patients were followed "
        f"to {part.horizon:g}, to the event or to censoring."
    )
    if not part.unknown:
        return (f"{text} Nobody was censored before.",)
    weighted, chose = part.weighted, ", also to choose the cut-off" if who != HERE else ""
    said = (
        f"{text} {part.unknown} of {count(part.n_patients, 'patient')} {who} were censored "
        "before. Each of them counts as an error in the results below, so that the upper limit "
        "holds for any censoring. Patients of known fate were weighted by the inverse "
        f"Kaplan-Meier probability of not being censored{chose}. With these weights sensitivity "
        f"was {rate(weighted.sensitivity)}, specificity {rate(weighted.specificity)}, and the risk "
        f"at most {at_most(weighted.limit)} (approximate)."
    )
    return (said,)


def errors_note(part: SurvivalPart | None) -> str:
    """Say how unknown fates count in a table of rates; nothing if all are known."""
    if part is None or not part.unknown:
        return ""
    return (
        f"In every count and rate of this section the {part.unknown} patients of unknown fate are "
        "errors. So the rates are the worst that are possible, and upper ends of their intervals "
        "may be too low. The AUC and the figures are of the patients of known fate."
    )


def log_rank_sentence(part: SurvivalPart, direction: str) -> str:
    """Name the cut that a log-rank test prefers; it is for comparison only."""
    cut_off = part.log_rank
    if cut_off is None:
        return ""
    p_value = f"{cut_off.p_value:.2g}" if cut_off.p_value >= LEAST_P else f"below {LEAST_P:.4f}"
    side = "above" if direction == "ge" else "up to"
    return (
        f"For comparison only: the log-rank test best separates patients {side} "
        f"{cut(cut_off.threshold)} among those used to choose (statistic {cut_off.statistic:.2f}, "
        f"p-value adjusted for the search {p_value}, as in R's maxstat). Such a "
        "p-value says that survival differs; it does not say how often the cut-off errs."
    )


def survival_facts(part: SurvivalPart | None, costs: CostsPart) -> tuple[tuple[str, str], ...]:
    """Return how many fates are unknown, with the approximate limit; nothing if all are known."""
    if part is None or not part.unknown:
        return ()
    weighted = part.weighted
    text = (
        f"{part.unknown} of {part.n_patients} patients, counted as errors above; sensitivity "
        f"{between(part.sensitivity)}, specificity {between(part.specificity)} by their fate; "
        f"weighted (approximate) {rate(weighted.sensitivity)} and {rate(weighted.specificity)}, "
        f"at most {say.limit_in_short(weighted.limit, costs)} (approximate)"
    )
    return (("unknown fate", text),)


def between(ends: Range | None) -> str:
    """Write a rate from its worst to its best value."""
    if ends is None:
        return rate(None)
    low, high = rate(ends[0]), rate(ends[1])
    return low if low == high else f"{low} to {high}"
