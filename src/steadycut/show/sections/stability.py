"""How far a cut-off may move, and how much may change elsewhere."""

from steadycut.core.rounding import at_most
from steadycut.documents.study import StudyDocument, TippingSide
from steadycut.show.pages.page import Section, Table, explained, section
from steadycut.show.words.numbers import cut, percent, risk
from steadycut.show.words.sentences import studies_disagree


def stability_section(study: StudyDocument) -> Section:
    """Say how far the cut-off may move, and what that may cost."""
    whose = "the held-out patients" if study.test else "the patients used to check"
    text = (
        f"The patients used to choose were resampled {study.stability.n_bootstrap} times, and each "
        "time the whole rule was run again. The radius is a rule of thumb and not a guarantee; "
        "nothing in this section is part of the certificate. By pairs of resampled studies, "
        f"{studies_disagree(study)}. It averages {whose}; mostly means in 90 % of the pairs."
    )
    tables = [stability_table(study)]
    return section("stability", "How stable it is", text, of=study, tables=tables)


def stability_table(study: StudyDocument) -> Table:
    """Return every measure of stability with its explanation."""
    part = study.stability
    share = percent(1 - study.options.stability_delta)
    centred = "" if part.centering == "none" else ", once the bias is taken off"
    near = f"{share} of the resampled cut-offs are no further away than this{centred}"
    stretch = "in any stretch of scores as long as the radius"
    most = f"the most risk, among the patients used to choose, {stretch} ({part.form} form)"
    limit = f"an upper limit of the modulus for all such patients ({part.band} band)"
    flips = "how often a resampled cut-off decides otherwise about a patient used to check"
    rows = (
        ("radius", cut(part.radius), "how far the cut-off may be off: |bias| + quantile"),
        ("bias", cut(part.bias), "how far resampled cut-offs lie from the chosen one, on average"),
        ("quantile", cut(part.quantile), near),
        ("modulus", risk(part.modulus), most),
        ("penalty", risk(part.penalty), f"{limit}; it ranks candidates"),
        ("decisions that a resampled study reverses", percent(part.flip_rate), flips),
    )
    caption = f"Measures of stability, from {part.n_bootstrap} bootstrap cohorts"
    return explained(caption, rows, header=("measure", "value", "what it is"))


def tipping_section(study: StudyDocument) -> Section:
    """Say how much must change elsewhere before the certified risk is exceeded."""
    point, names = study.tipping_point, study.names
    parts = [part for part in (point.estimate, point.upper) if part is not None]
    header = ["observed rates", "upper limits of the rates"][-len(parts) :]
    changes = {
        "prevalence at which it is reached": [part.prevalence for part in parts],
        f"more of the {names.ill_patients} missed": [part.shape_positive for part in parts],
        f"more of the {names.healthy_patients} alarmed": [part.shape_negative for part in parts],
    }
    text = (
        f"How far one thing alone may change at another hospital before the risk there exceeds "
        f"{at_most(point.limit)}, from the error rates that were observed and from upper limits on "
        f"them that hold with {percent(1 - point.delta)} confidence."
    )
    table = Table(
        caption="The tipping point",
        header=("what changes alone", *header),
        kinds="t" + "n" * len(parts),
        rows=tuple((name, *map(tipping_cell, parts, ends)) for name, ends in changes.items()),
        note=f"The prevalence here was {percent(point.prevalence)}. No such: no change of this "
        "alone exceeds the limit. Already: the upper limits exceed it as they are.",
    )
    return section("tipping-point", "How much may change elsewhere", text, of=study, tables=[table])


def tipping_cell(part: TippingSide, change: float | None) -> str:
    """Return how far one thing may change."""
    if part.exceeded:
        return "already"
    return "no such" if change is None else percent(change)
