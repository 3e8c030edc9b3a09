"""The words around the explorer; its numbers are computed in the page, by ``script.js``."""

from steadycut.core.class_names import ClassNames, of_them
from steadycut.core.rounding import at_most
from steadycut.documents.parts import ExplorerPart
from steadycut.show.pages.page import Explorer
from steadycut.show.words.numbers import count, percent

NUMBERS = (
    ("risk", "risk"),
    ("limit", "certified risk, at most"),
    ("trivial", "calling everybody or nobody"),
    ("sensitivity", "sensitivity"),
    ("specificity", "specificity"),
    ("ppv", "PPV"),
    ("npv", "NPV"),
    ("calls", "calls per 100 patients"),
    ("grey", "grey zone"),
)
VACUOUS = "This limit does not show that it is better than calling everybody or nobody."
EVERYWHERE = (
    "Valid: this limit holds at every cut-off at once, so the cut-off may be moved here as well."
)
AT_FROZEN = "Valid: this is the frozen cut-off, and these patients had no part in choosing it."
ELSEWHERE = (
    "Not a certificate: it would hold if this cut-off had been frozen beforehand. A cut-off that "
    "is picked here because its numbers look good is judged by the same patients who made it look "
    "good."
)


def explorer_of(
    data: ExplorerPart | None, limit: tuple[float, str], names: ClassNames, who: str
) -> Explorer | None:
    """Return the explorer of counts of the patients ``who``; None without counts.

    ``limit`` is that of the frozen cut-off, with the name of its bound.
    """
    if data is None:
        return None
    uniform = data.bound == "class-wise-dkw"
    return Explorer(
        texts=(counted_text(data, who, names), limits_text(data, *limit, names)),
        ill=of_them(names.ill),
        healthy=names.healthy_ones,
        numbers=NUMBERS,
        at_frozen=EVERYWHERE if uniform else AT_FROZEN,
        elsewhere=EVERYWHERE if uniform else ELSEWHERE,
        vacuous=VACUOUS,
        uniform=uniform,
    )


def counted_text(data: ExplorerPart, who: str, names: ClassNames) -> str:
    """Say what the numbers are computed from, and what they take for granted."""
    n, ill = data.n_positive + data.n_negative, of_them(names.ill)
    return (
        f"Every number is computed in this page, from counts of the {count(n, 'patient')} {who} "
        f"({data.n_positive} {ill}). Another prevalence is taken to change only how many "
        f"patients are {ill}, and not the scores of either class. Grey zone: patients about whom "
        f"at least {percent(data.grey_at_least)} of the resampled studies decide otherwise."
    )


def limits_text(data: ExplorerPart, value: float, bound: str, names: ClassNames) -> str:
    """Say what the certified risk of the explorer is, and how it differs from the study's."""
    text = (
        f"The certified risk is made of two upper limits, of the share of {names.ill_patients} who "
        f"are missed and of the share of {names.healthy_patients} who are called; each fails with "
        f"probability {data.delta / 2:g} at most. Neither depends on costs or prevalence: these "
        "may be moved freely, and the certificate still holds."
    )
    if bound != data.bound:
        text += (
            f" Where nothing is moved it differs from the {at_most(value)} of this page, which is "
            f"from the {bound} bound and holds only there. There the answer at the top counts."
        )
    return text
