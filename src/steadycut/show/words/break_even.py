"""At which costs a cut-off is useful, and what uneven stakes mean, in sentences."""

from steadycut.core.break_even import BreakEven, Ratios
from steadycut.core.rounding import at_least, at_most, of_hundred, percent
from steadycut.documents.study import StudyDocument

# With a stake of the ill outside of this, one of the decisions without a score is cheap.
LOW, HIGH = 0.2, 0.8
# Equal costs at a smaller prevalence are seldom what somebody means.
RARE = 0.1


def break_even_facts(study: StudyDocument) -> list[tuple[str, str]]:
    """Say at which costs the cut-off is useful, and what uneven stakes mean; each with its name."""
    if (known := study.break_even) is None:
        return []
    facts = [("useful", useful_in_words(study, known))]
    if LOW <= known.stake <= HIGH:
        return facts
    rare = ". Both errors cost the same here: if a miss is worse, give its cost"
    ill = f"{study.names.ill_patients} carry {of_hundred(known.stake)} parts of what is at stake"
    cheap = f"calling {'nobody' if known.stake < LOW else 'everybody'} is cheap already"
    more = rare if study.costs.equal and known.stake < RARE else ""
    return [*facts, ("stakes", f"{ill}, so {cheap}; only a sharp score saves more{more}")]


def useful_in_words(study: StudyDocument, known: BreakEven) -> str:
    """Say at which costs a cut-off is useful, also if it is not useful at those of the study."""
    if known.estimate is None:
        return "at no costs with this cut-off (estimate); at others the rule may choose another one"
    here = f"here {study.costs.cost_fn / study.costs.cost_fp:.3g}"
    text = f"if a miss costs {ratios_in_words(known.estimate)} false alarms ({here})"
    if study.certificate.honesty != "split" or study.target_prevalence is not None:
        return text
    sure = percent(1 - study.certificate.delta)
    proven = "at none" if known.shown is None else ratios_in_words(known.shown)
    return f"{text}; shown: {proven} ({sure}, all ratios at once)"


def ratios_in_words(ratios: Ratios) -> str:
    """Write between which ratios of costs a cut-off is useful, rounded to the safe side.

    Examples
    --------
    >>> [ratios_in_words(ends) for ends in ((0.5, 12.0), (2.1, None), (0, 14.0), (0, None))]
    ['between 0.500 and 12.0', 'more than 2.10', 'less than 14.0', 'any number of']
    """
    low, high = ratios
    if high is None:
        return f"more than {at_most(low)}" if low else "any number of"
    return f"between {at_most(low)} and {at_least(high)}" if low else f"less than {at_least(high)}"
