"""What a frozen rule decided about the patients of a table: one line, or the top of a page."""

import math

from steadycut.documents.applied import AppliedDocument
from steadycut.documents.next_step import NextStep, Why
from steadycut.documents.parts import CertificatePart
from steadycut.show.pages.page import Page, Status
from steadycut.show.words.next_step import Step
from steadycut.show.words.numbers import count, cut, percent


def applied_text(applied: AppliedDocument) -> str:
    """Return how many patients got which decision."""
    patients, flips = count(applied.n_patients, "patient"), percent(applied.flip_rate)
    if applied.strata is not None:
        parts = ", ".join(f"{n} {name}" for name, n in applied.strata.items())
        return f"{patients}: {parts}; a resampled study would change {flips} of the strata."
    called = f"{applied.called} of {patients} called ({percent(applied.call_rate)})"
    return f"{called}{_cuts(applied)}; a resampled study would reverse {flips} of the decisions"


def applied_page(applied: AppliedDocument, step: Step | None = None) -> Page:
    """Return a page that says how many patients got which decision, and what to do next."""
    return Page(
        title="Decisions",
        subtitle=count(applied.n_patients, "patient"),
        status=Status(text="decided", tone="open"),
        headline=(applied_text(applied),),
        step=step,
    )


def next_step(
    certificate: CertificatePart, name: str, *, unlike: bool = False, survival: bool = False
) -> NextStep:
    """Return how to find out whether the decisions were right.

    ``unlike`` says that the scores are unlike those of the rule, as in another unit. With
    ``survival`` the rule names the columns of the follow-up.
    """
    if unlike:
        return NextStep(verb="check", why="decisions unlike")
    why: Why = "decisions not useful" if certificate.vacuous else "decisions"
    return NextStep(verb="audit", why=why, file_name=name, survival=survival or None)


def _cuts(applied: AppliedDocument) -> str:
    if applied.threshold is not None and math.isinf(applied.threshold):
        return f": the rule calls {'everybody' if applied.called else 'nobody'}"
    if applied.threshold is not None:
        return f" at cut-off {cut(applied.threshold)}"
    if applied.covariate is None:
        return ""
    name, n_pooled = applied.covariate, applied.pooled
    if n_pooled == applied.n_patients:
        return f" at the pooled cut-off (no patient is of a group of {name} with its own)"
    pooled = f", {count(n_pooled, 'patient')} at the pooled one" if n_pooled else ""
    return f" at cut-offs by {name}{pooled}"
