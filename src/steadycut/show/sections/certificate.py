"""The certificate: an upper limit on the risk, term by term, and lower limits of rates."""

import math
from collections.abc import Sequence

from steadycut.core.bounds.concentration import BOUNDS
from steadycut.core.class_names import ClassNames
from steadycut.core.rounding import at_most
from steadycut.core.verdict import MOST_PATIENTS
from steadycut.documents.parts import CertificatePart, CertifiedRatePart, Part
from steadycut.documents.study import (
    CertifiedCostPart,
    StudyDocument,
    StudyRatePart,
    StudyVerdictPart,
)
from steadycut.show.pages.page import Section, Status, Table, explained, mark, section
from steadycut.show.words import sentences as say
from steadycut.show.words.audit import HOLDS, limit_in_words
from steadycut.show.words.next_step import Sentence, Step
from steadycut.show.words.numbers import asked, count, percent, risk

WITHOUT_SCORE = (
    "whichever costs less among the same patients; a limit that is not below this does not show "
    "that the score helps"
)

VACUOUS = "Not shown to be better than calling everybody or nobody."
# The first answer that is not yes, in a few words: useful, as asked.
TEXTS = {
    (0, "no"): "not useful",
    (0, "cannot tell"): "not shown to be useful",
    (1, "no"): "not as asked",
    (1, "cannot tell"): "not shown to be as asked",
}
# What is done to patients who are decided rightly.
RIGHT = {"sensitivity": "found", "specificity": "not called"}

COST_OPEN = Step(
    verb="fit", sentence="Next: fit with more patients. These do not show a cost as low as asked."
)


def certificate_section(
    certificate: CertificatePart, costs: str, of: Part | None = None
) -> Section:
    """Say what is certified, term by term, where errors cost what ``costs`` says."""
    text = (
        f"The certificate is an upper limit on the risk. With {percent(1 - certificate.delta)} "
        f"confidence the true risk of patients like these is not above it, {costs}."
    )
    results, tables = (honesty_sentence(certificate),), (certificate_table(certificate),)
    title = "How far it can be trusted"
    return section("certificate", title, text, results=results, of=of, tables=tables)


def certificate_status(certificate: CertificatePart, verdict: StudyVerdictPart | None) -> Status:
    """Return the verdict in a few words; older files have only their certificate."""
    if verdict is not None:
        answers = verdict.useful, verdict.as_asked or "yes"
        texts = (TEXTS[name, answer] for name, answer in enumerate(answers) if answer != "yes")
        return Status(text=next(texts, "useful here"), tone=verdict.overall)
    if certificate.vacuous:
        return Status(text="not shown to be useful", tone="open")
    return Status(text="certified", tone="good")


def useful_mark(verdict: StudyVerdictPart | None, sentence: str) -> tuple[Status, ...]:
    """Return the answer with its mark, and what is certified."""
    if verdict is None:
        return ()
    return (mark(f"Useful here: {verdict.useful}. {sentence}", verdict.useful),)


def useful_step(
    name: str, certificate: CertificatePart, verdict: StudyVerdictPart | None, without: str
) -> Step:
    """Say what to do with a frozen file that was just made; ``without`` needs no score."""
    if verdict is None or verdict.useful == "yes":
        return say.audit_step(name)
    if verdict.useful == "no":
        return say.NOT_USEFUL
    if certificate.risk >= certificate.trivial_risk:
        return say.other_score_step(without)
    text = "Next: fit with more patients. These do not show that it is useful."
    return Step(verb="fit", sentence=text)


def judged(
    certificate: CertificatePart,
    verdict: StudyVerdictPart | None,
    sentence: str,
    file_name: str,
    without: str,
) -> tuple[Status, tuple[Status, ...], Step]:
    """Return the status, the marks and the next step of a page about a certificate."""
    step = useful_step(file_name, certificate, verdict, without)
    return certificate_status(certificate, verdict), useful_mark(verdict, sentence), step


def honesty_sentence(certificate: CertificatePart) -> str:
    """Say why choosing does not spoil the certificate."""
    if certificate.honesty == "split":
        return "The patients used to check it were not used to choose it."
    return (
        "The same patients were used to choose the cut-off and to check it, so the limit is one "
        "that holds at every cut-off, and for every candidate, at once."
    )


def certificate_table(certificate: CertificatePart, *, short: bool = True) -> Table:
    """Return the certificate, term by term."""
    bound = certificate.bound
    hidden = f": {BOUNDS[bound].words}" if bound in BOUNDS else ""
    chance = f"added because only this many patients were tested{hidden}"
    seen = "average cost per patient among those used to check"
    rows = (
        ("observed risk", risk(certificate.risk), seen),
        ("+ allowance for chance", risk(certificate.generalization), chance),
        ("= certified risk", at_most(certificate.value), "the sum: the upper limit"),
        ("calling everybody or nobody", risk(certificate.trivial_risk), WITHOUT_SCORE),
    )
    return explained(
        f"The certificate: {percent(1 - certificate.delta)} confidence, bound {bound}, "
        f"{count(certificate.n_patients, 'patient')}",
        rows,
        header=("term", "value", "what it is"),
        marked=2,
        note=VACUOUS if certificate.vacuous else "",
        short=(0, 1) if short else (),
    )


# Rates that somebody asked for ---------------------------------------------------------------


def rates_sentence(rates: Sequence[CertifiedRatePart], delta: float) -> str:
    """Say of each rate that was asked for whether it is shown.

    Examples
    --------
    >>> one = CertifiedRatePart(
    ...     rate="sensitivity", asked=0.9, right=38, n_patients=39, observed=38 / 39, lower=0.9038,
    ...     upper=0.9973, answer="yes"
    ... )
    >>> print(rates_sentence([one], 0.1))
    Sensitivity at least 0.90: shown (38 of 39 found; at least 0.903); 90 % confidence.
    """
    said = "; ".join(rate_in_words(part) for part in rates)
    together = " for both" if len(rates) > 1 else ""
    return f"{said[:1].upper()}{said[1:]}; {percent(1 - delta)} confidence{together}."


def rate_in_words(part: CertifiedRatePart) -> str:
    """Say whether a rate is shown to be at least what was asked for.

    The answer is exact. A limit at every cut-off at once may be lower, and says nothing more.
    """
    known = part.answer == "yes" and part.lower < part.asked
    limit = "" if known else f"; {limit_in_words(part)}"
    return (
        f"{part.rate} at least {asked(part.asked)}: {HOLDS[part.answer]} ({part.right} of "
        f"{part.n_patients} {RIGHT[part.rate]}{limit})"
    )


def cost_sentence(part: CertifiedCostPart | None) -> str:
    """Say whether the cost is shown to be at most what was asked; nothing if it was not asked.

    Examples
    --------
    >>> part = CertifiedCostPart(asked=0.3, observed=0.2, delta=0.1, answer="yes")
    >>> print(cost_sentence(part))
    Average cost at most 0.3: shown (observed 0.2; 90 % confidence).
    """
    if part is None:
        return ""
    sure = f"observed {risk(part.observed)}; {percent(1 - part.delta)} confidence"
    return f"Average cost at most {part.asked:g}: {HOLDS[part.answer]} ({sure})."


def asked_sentence(study: StudyDocument) -> str:
    """Say of the rates and of the cost that were asked for whether they are shown."""
    rates, cost = study.certified_rates or [], study.certified_cost
    shared = study.certificate.delta if cost is None else cost.delta * len(rates)
    said = rates_sentence(rates, shared) if rates else ""
    return " ".join(filter(None, (said, cost_sentence(cost))))


def rates_step(rates: Sequence[StudyRatePart], direction: str, names: ClassNames) -> Step:
    """Say what to do about rates that are not shown; the first thing that is needed."""
    open_ones = [part for part in rates if part.answer != "yes"]
    low = [part for part in open_ones if (part.observed or 0.0) <= part.asked]
    if len(low) > 1:
        text = "Next: find a better score. Both rates are too low, and no cut-off raises both."
        return Step(verb="fit", sentence=text)
    if not low:
        return Step(verb="fit", sentence=more_patients(open_ones[0], names))
    worse = " The other rate falls with it." if len(rates) > 1 else ""
    another = another_cut(low[0], direction, names)
    return Step(verb="fit", sentence=lambda spell: f"{another(spell)}{worse}")


def more_patients(part: StudyRatePart, names: ClassNames) -> str:
    """Say how many patients would show a rate that looks large enough."""
    who = _who(part, names)
    if part.patients_needed is None:
        return f"Next: take another cut-off; at this rate even {MOST_PATIENTS} {who} are too few."
    return (
        f"Next: check with about {part.patients_needed} {who} (here {part.n_patients}): they show "
        f"{asked(part.asked)} in four studies of five."
    )


def another_cut(part: StudyRatePart, direction: str, names: ClassNames) -> Sentence:
    """Say which cut-off to choose where the observed rate is too low."""
    least = asked(part.asked)
    side = "lower" if (part.rate == "sensitivity") == (direction == "ge") else "higher"
    start = f"Next: choose a {side} cut-off"
    if part.rate_needed is None:
        more = f", and check with at least {part.patients_needed} {_who(part, names)}."
        return lambda _: f"{start}{more}"
    rule = f"{part.rate}:{rule_value(part.rate_needed)}"
    return lambda spell: f"{start}: {spell.option('rule', rule)} to show at least {least}."


def _who(part: StudyRatePart, names: ClassNames) -> str:
    """Name the patients that a rate is about."""
    return names.ill_patients if part.rate == "sensitivity" else names.healthy_patients


def rule_value(rate: float) -> str:
    """Write a rate for the name of a rule, rounded up, below 1."""
    value = math.ceil(100 * rate) / 100
    return f"{value:.2f}" if value < 1 else f"{min(math.ceil(1000 * rate) / 1000, 0.999):.3f}"
