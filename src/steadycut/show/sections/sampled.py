"""Labels that a plan drew: who has one, what they show, and what nobody can know."""

from steadycut.core.rounding import (
    at_least,
    at_most,
    of_hundred_at_most,
    share_at_least,
    share_at_most,
)
from steadycut.documents import audit as audits
from steadycut.show.pages.page import Section, Status, Table, explained, of_columns, section
from steadycut.show.words.numbers import percent, risk


def in_short(rate: audits.SampledRatePart) -> str:
    """Write a rate with its limits."""
    ends = f"{share_at_least(rate.low)} to {share_at_most(rate.high)}"
    return ends if rate.value is None else f"{percent(rate.value)} ({ends})"


def sampled_section(part: audits.SampledPart) -> Section:
    """Show what the patients whom a labelling plan drew say."""
    sure = percent(part.level)
    text = (
        "A labelling plan drew the patients with labels, each with the probability of the stratum "
        "of the score. Estimates weigh each label by one over this probability. The upper limits "
        f"of both rates hold together with {sure} confidence, and so do the lower ones; those of "
        "the cost hold on their own. They are exact for independent patients."
    )
    ends = f"{at_least(part.cost.low)} to {at_most(part.cost.high)}"
    rows = (
        ("miss rate", in_short(part.miss), "share of ill patients who are not called"),
        ("false alarm rate", in_short(part.alarm), "share of healthy patients who are called"),
        ("average cost per patient", f"{risk(part.cost.value)} ({ends})", "as in the rule"),
    )
    tables = (explained("What the labels show", rows), strata_table(part))
    return section("sampled", "Labels drawn by a plan", text, tables=tables)


def labelled_in_words(audit: audits.AuditDocument) -> str:
    """Say which of the patients have labels."""
    part = audit.sampled
    if part is not None:
        return f"{sum(stratum.labelled for stratum in part.strata)} of them labelled by a plan"
    return "with known labels" if audit.labelled else "without labels"


def sampled_text(part: audits.SampledPart | None) -> str:
    """Return the methods and results of labels by a plan, for a paper; nothing without them."""
    if part is None:
        return ""
    strata = ", ".join(f"{stratum.name} {stratum.chance:g}" for stratum in part.strata)
    return (
        " The patients to label were drawn independently, with known probabilities in strata of "
        f"the score ({strata}). The miss rate was {in_short(part.miss)} and the false alarm rate "
        f"{in_short(part.alarm)}; both upper limits hold together with {percent(part.level)} "
        f"confidence. The average cost was at most {at_most(part.cost.high)}."
    )


def hidden_marks(audit: audits.AuditDocument) -> tuple[Status, ...]:
    """Say what patients of strata without labels may hide; nothing if there are none."""
    part = audit.sampled
    if part is None or part.hidden is None:
        return ()
    return (Status(text=hidden_sentence(part.hidden), tone="open"),)


def hidden_sentence(hidden: audits.HiddenPart) -> str:
    """Say what cannot be known, and up to where a statement holds."""
    names = " and ".join(f"'{item}'" for item in hidden.strata)
    start = (
        f"Nobody of the {hidden.patients} patients {names} has a label, so the miss rate cannot be "
        "known. Its upper limit counts all of them as ill."
    )
    if not hidden.most_ill:
        return start
    none, target = (of_hundred_at_most(item) for item in (hidden.miss_if_none, hidden.miss_target))
    return (
        f"{start} If none of them is ill, at most {none} ill patients are missed. At most {target} "
        f"are missed as long as at most {at_least(100 * hidden.most_ill)} % of the people in this "
        "range of scores are ill."
    )


def strata_table(part: audits.SampledPart) -> Table:
    """Return the strata with their probabilities and labels."""
    strata = part.strata
    columns = [
        ("stratum", [stratum.name for stratum in strata]),
        ("probability", [f"{stratum.chance:g}" for stratum in strata]),
        ("patients", [str(stratum.patients) for stratum in strata]),
        ("drawn", [str(stratum.drawn) for stratum in strata]),
        ("labelled", [str(stratum.labelled) for stratum in strata]),
        ("ill", [str(stratum.ill) for stratum in strata]),
    ]
    return of_columns("Strata of the score", columns, texts=1)
