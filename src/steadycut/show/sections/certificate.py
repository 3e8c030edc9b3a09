"""The certificate: an upper limit on the risk, term by term, and lower limits of rates."""

import math

from steadycut.core.bounds.concentration import BOUNDS
from steadycut.core.verdict import MOST_PATIENTS
from steadycut.documents.parts import CertificatePart, CertifiedRatePart
from steadycut.documents.rule import RuleDocument
from steadycut.documents.study import StudyDocument, StudyRatePart
from steadycut.show.builders import explained, section
from steadycut.show.numbers import count, percent, risk
from steadycut.show.page import Picture, Section, Status, Table

WITHOUT_SCORE = (
    "one decision for everybody, among the same patients; a limit that is not below this does not "
    "show that the score helps"
)


# Of each rate: its patients, what is done to those who are decided rightly.
RIGHT = {"sensitivity": ("ill", "found"), "specificity": ("healthy", "not called")}
ANSWERS = {"yes": "shown", "no": "refuted", "cannot tell": "not shown"}


def certificate_section(
    certificate: CertificatePart, costs: str, figures: tuple[Picture, ...] = ()
) -> Section:
    """Say what is certified, term by term, where errors cost what ``costs`` says."""
    text = (
        "The certificate is an upper limit on the risk. With "
        f"{percent(1 - certificate.delta)} confidence the true risk of patients like these is not "
        f"above it, {costs}."
    )
    results, tables = (honesty_sentence(certificate),), (certificate_table(certificate),)
    title = "How far it can be trusted"
    return section("certificate", title, text, results=results, figures=figures, tables=tables)


def certificate_status(certificate: CertificatePart) -> Status:
    """Say whether the certificate proves anything."""
    if certificate.vacuous:
        return Status(text="not shown to be useful", tone="open")
    return Status(text="certified", tone="good")


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
    rows = (
        (
            "observed risk",
            risk(certificate.risk),
            "average cost per patient among those used to check",
        ),
        ("+ allowance for chance", risk(certificate.generalization), chance),
        ("= certified risk", risk(certificate.value), "the sum: the upper limit"),
        ("without any score", risk(certificate.trivial_risk), WITHOUT_SCORE),
    )
    return explained(
        f"The certificate: {percent(1 - certificate.delta)} confidence, bound {bound}, "
        f"{count(certificate.n_patients, 'patient')}",
        rows,
        header=("term", "value", "what it is"),
        marked=2,
        note="Not shown to be better than calling everybody or nobody."
        if certificate.vacuous
        else "",
        short=(0, 1) if short else (),
    )


# Rates that somebody asked for ---------------------------------------------------------------


def rate_sentences(document: StudyDocument | RuleDocument) -> tuple[str, ...]:
    """Say of each rate that was asked for whether it is shown, and what to do if it is not."""
    rates, delta = document.certified_rates or [], document.certificate.delta
    said = [rate_sentence(one, delta, several=len(rates) > 1) for one in rates]
    return (*said, *next_steps(document)) if isinstance(document, StudyDocument) else tuple(said)


def rate_sentence(one: CertifiedRatePart, delta: float, *, several: bool = False) -> str:
    """Say whether a rate is shown to be at least what was asked for.

    Examples
    --------
    >>> one = CertifiedRatePart(
    ...     rate="sensitivity", asked=0.9, right=38, n_patients=39, observed=38 / 39, lower=0.9038,
    ...     upper=0.9973, answer="yes"
    ... )
    >>> print(rate_sentence(one, 0.1))
    Sensitivity at least 0.90: shown (38 of 39 found; at least 0.903 with 90 % confidence).
    """
    side, limit = (
        ("at least", _floor(one.lower)) if one.answer != "no" else ("at most", _ceiling(one.upper))
    )
    together = ", both together" if several else ""
    return (
        f"{one.rate.capitalize()} at least {_asked(one)}: {ANSWERS[one.answer]} ({one.right} of "
        f"{one.n_patients} {RIGHT[one.rate][1]}; {side} {limit:.3f} with "
        f"{percent(1 - delta)} confidence{together})."
    )


def next_steps(study: StudyDocument) -> tuple[str, ...]:
    """Say what to do about rates that are not shown."""
    open_ones = [one for one in study.certified_rates or [] if one.answer != "yes"]
    low = [one for one in open_ones if (one.observed or 0.0) <= one.asked]
    steps = [more_patients(one) for one in open_ones if one not in low]
    if len(low) > 1:
        return ("Both rates are too low: no other cut-off raises both. It takes a better score.",)
    worse = " The other rate falls with it." if len(study.certified_rates or []) > 1 else ""
    return (*steps, *(another_cut(one, study.direction) + worse for one in low))


def more_patients(one: StudyRatePart) -> str:
    """Say how many patients would show a rate that looks large enough."""
    who = f"{RIGHT[one.rate][0]} patients"
    if one.patients_needed is None:
        return f"Next: take another cut-off; at this rate even {MOST_PATIENTS} {who} are too few."
    return (
        f"Next: check with more patients. At this rate about {one.patients_needed} {who} show "
        f"{_asked(one)} in four studies of five; here are {one.n_patients}."
    )


def another_cut(one: StudyRatePart, direction: str) -> str:
    """Say which cut-off to choose where the observed rate is too low."""
    (who, right), asked = RIGHT[one.rate], _asked(one)
    side = "lower" if (one.rate == "sensitivity") == (direction == "ge") else "higher"
    start = f"Next: choose a {side} cut-off, for a {one.rate} above {asked}"
    if one.rate_needed is None:
        return (
            f"{start}, and check with more patients: at least {one.patients_needed} {who} ones, "
            f"even if all are {right}."
        )
    return (
        f"{start}: `--rule {one.rate}:{_rule_value(one.rate_needed)}`. With {one.n_patients} {who} "
        f"patients a true {one.rate} of that size shows {asked} in four studies of five."
    )


def _asked(one: CertifiedRatePart) -> str:
    """Write a value as it was asked for, with at least two decimals."""
    return max(f"{one.asked:.2f}", f"{one.asked:g}", key=len)


def _rule_value(rate: float) -> str:
    """Write a rate for the name of a rule, rounded up, below 1."""
    value = math.ceil(100 * rate) / 100
    return f"{value:.2f}" if value < 1 else f"{min(_ceiling(rate), 0.999):.3f}"


def _floor(value: float) -> float:
    return math.floor(1000 * value) / 1000


def _ceiling(value: float) -> float:
    return math.ceil(1000 * value) / 1000
