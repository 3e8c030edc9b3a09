"""The certificate: an upper limit on the risk, term by term."""

from steadycut.core.bounds.concentration import BOUNDS
from steadycut.documents.parts import CertificatePart
from steadycut.show.builders import explained, section
from steadycut.show.numbers import count, percent, risk
from steadycut.show.page import Picture, Section, Status, Table

WITHOUT_SCORE = (
    "one decision for everybody, among the same patients; a limit that is not below this does not "
    "show that the score helps"
)


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
