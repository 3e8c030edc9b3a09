"""Risk strata as short plain text for a terminal."""

from collections.abc import Sequence

from steadycut.documents.strata import BoundaryPart
from steadycut.documents.strata_study import StrataStudyDocument
from steadycut.show.columns import aligned, columns, numbers
from steadycut.show.numbers import count, cut, percent, risk
from steadycut.show.sections.strata import strata_lines
from steadycut.show.terminal import certificate_text, warnings_text


def strata_text(study: StrataStudyDocument) -> str:
    """Return what was found: strata, certificates, stability, warnings."""
    blocks = [
        headline(study),
        counts_text(study),
        certificate_text(study.certificate),
        boundaries_text(study.boundaries),
        stability_text(study),
        warnings_text(study.stability.warnings),
    ]
    return "\n\n".join(block for block in blocks if block)


def headline(study: StrataStudyDocument) -> str:
    """Return one line a stratum, and who chose."""
    lines = [f"  {line}" for line in strata_lines(study)]
    chose, certify = map(sum, (study.patients.select, study.patients.certify))
    return "\n".join(
        [
            f"Strata on {study.score}",
            *lines,
            f"  rule {study.rule}; {count(chose, 'patient')} chose, {certify} certify",
        ]
    )


def counts_text(study: StrataStudyDocument) -> str:
    """Return the certifying patients by grade and stratum."""
    rows = [[grade, *map(str, row)] for grade, row in zip(study.grades, study.counts, strict=True)]
    return "Certifying patients by grade and stratum\n" + columns([["grade", *study.strata], *rows])


def boundaries_text(boundaries: Sequence[BoundaryPart]) -> str:
    """Return both error rates of every boundary with their limits."""
    together = 2 * sum(row.delta for row in boundaries)
    rates: dict[str, list[float | None]] = {
        "missed": [row.miss.rate for row in boundaries],
        "at most": [row.miss.limit for row in boundaries],
        "alarms": [row.alarm.rate for row in boundaries],
        "at most ": [row.alarm.limit for row in boundaries],
    }
    cells = {
        "boundary": [f"{row.below} | {row.above}" for row in boundaries],
        "at": [cut(row.threshold) for row in boundaries],
        **{name: list(map(percent, values)) for name, values in rates.items()},
    }
    head = [name.strip() for name in cells]
    title = f"Boundaries: all limits at once with {percent(1 - together)} confidence"
    return title + "\n" + columns([head, *zip(*cells.values(), strict=True)])


def stability_text(study: StrataStudyDocument) -> str:
    """Return how far the boundaries move together, and what that may cost."""
    stability = study.stability
    rows = [
        ("radius of each boundary", ", ".join(numbers(stability.radius, 4))),
        ("cost at stake within the radii", risk(stability.local_modulus)),
        ("anywhere on the scale", risk(stability.modulus)),
        ("its upper band (joint penalty)", risk(stability.penalty)),
        ("strata that change", percent(stability.flip_rate)),
        ("by two or more", percent(stability.jump_rate)),
    ]
    return f"Stability: {stability.n_bootstrap} bootstrap cohorts\n{aligned(rows)}"
