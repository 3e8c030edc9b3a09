"""Results as short plain text for a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from steadycut.report.numbers import cut, percent, risk


def study_text(study: Mapping[str, Any]) -> str:
    """Return what a fit found: cut-off, certificate, stability, candidates, warnings."""
    blocks = [
        headline(study),
        certificate_text(study["certificate"]),
        stability_text(study["stability"]),
        candidates_text(study["candidates"]),
        warnings_text(study["stability"]["warnings"]),
    ]
    return "\n\n".join(block for block in blocks if block)


def headline(study: Mapping[str, Any]) -> str:
    """Return the cut-off in one sentence, and who chose it."""
    sign = ">=" if study["direction"] == "ge" else "<="
    costs, patients = study["costs"], study["patients"]
    value = study["operating_value"]
    reached = (
        "no patient reaches it" if value is None else f"the first score called is {cut(value)}"
    )
    return "\n".join(
        [
            (
                f"Cut-off: call a patient when {chain_text(study)} {sign} {cut(study['threshold'])}"
                f" ({reached})"
            ),
            (
                f"  rule {study['rule']}, a miss costs {costs['cost_fn']:g} and a false alarm "
                f"{costs['cost_fp']:g}; {patients['select']} patients chose "
                f"({patients['select_positive']} positive), {patients['certify']} certify "
                f"({patients['certify_positive']} positive)"
            ),
        ]
    )


def chain_text(content: Mapping[str, Any]) -> str:
    """Return a chain of aggregators in words, such as ``mean over slide of max of score``."""
    steps = content["aggregation"]
    text = str(content["score"])
    for step, outer in zip(steps, [*steps[1:], None], strict=True):
        inside = f" in each {step['level']}" if outer else ""
        text = f"{step['how']} of {text}{inside}" if text else text
    return f"[{text}]"


def certificate_text(certificate: Mapping[str, Any]) -> str:
    """Return the certificate, term by term."""
    confidence = percent(1 - certificate["delta"])
    rows = [
        ("observed risk", risk(certificate["risk"])),
        ("+ generalisation", risk(certificate["generalization"])),
        ("= certified risk", risk(certificate["value"])),
        ("a rule without any score", risk(certificate["trivial_risk"])),
    ]
    title = (
        f"Certificate: {confidence} confidence, {certificate['bound']} bound, "
        f"{certificate['n_patients']} patients, honesty {certificate['honesty']}"
    )
    end = "  vacuous: no better than a rule without any score" if certificate["vacuous"] else ""
    return "\n".join(line for line in (title, aligned(rows), end) if line)


def stability_text(stability: Mapping[str, Any]) -> str:
    """Return how far the cut-off moves between resampled cohorts, and what that may cost."""
    rows = [
        ("radius = |bias| + quantile", cut(stability["radius"])),
        ("  bias", cut(stability["bias"])),
        ("  quantile", cut(stability["quantile"])),
        ("risk at stake within the radius", risk(stability["modulus"])),
        ("its upper band (penalty G_boot)", risk(stability["penalty"])),
        ("decisions that flip", percent(stability["flip_rate"])),
    ]
    return f"Stability: {stability['n_bootstrap']} bootstrap cohorts\n{aligned(rows)}"


def candidates_text(candidates: Sequence[Mapping[str, Any]]) -> str:
    """Return the candidates that Algorithm 1 chose from, if there were several."""
    if len(candidates) == 1:
        return ""
    head = ("", "candidate", "cut-off", "risk", "penalty", "objective J")
    rows = [
        (
            "*" if row["chosen"] else "",
            chain_text(row),
            cut(row["threshold"]),
            risk(row["risk"]),
            risk(row["penalty"]),
            risk(row["objective"]),
        )
        for row in candidates
    ]
    return "Candidates\n" + columns([head, *rows])


def comparison_text(comparison: Mapping[str, Any]) -> str:
    """Return the paper's table."""
    head = ("cut-off", "R_Q", "se", "validation", "se", "shift", "G_boot", "flips")
    names = comparison_names(comparison["rows"])
    rows = [
        (
            *name,
            cut(row["threshold"]),
            risk(row["risk_external"]),
            risk(row["risk_external_se"]),
            risk(row["risk_validation"]),
            risk(row["risk_validation_se"]),
            f"{row['shift']:+.3f}",
            risk(row["penalty"]),
            percent(row["flip_rate"]),
        )
        for name, row in zip(names[1:], comparison["rows"], strict=True)
    ]
    patients = comparison["patients"]
    title = (
        f"Comparison: chosen on {patients['internal']} internal patients, judged on "
        f"{patients['external']} external ones"
    )
    best = min(row["best_external"] for row in comparison["rows"])
    end = (
        f"  in hindsight the best cut there has risk {risk(best)}; a rule without any score "
        f"{risk(comparison['trivial_external'])}"
    )
    return "\n".join([title, columns([(*names[0], *head), *rows]), end])


def comparison_names(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Return the first columns: the rule and, where rules chose different ones, the candidate."""
    chains = [chain_text(row) for row in rows]
    if len(set(chains)) == 1:
        return [("rule",), *((row["rule"],) for row in rows)]
    both = ((row["rule"], chain) for row, chain in zip(rows, chains, strict=True))
    return [("rule", "candidate"), *both]


def audit_text(audit: Mapping[str, Any]) -> str:
    """Return what the frozen rule did at another hospital; the command says warnings itself."""
    calls = [
        ("patients", str(audit["n_patients"])),
        ("called", f"{percent(audit['call_rate'])} (was {percent(audit['call_rate_internal'])})"),
        ("decisions that flip", percent(audit["flip_rate"])),
        (
            "grey zone",
            (
                f"{audit['grey_zone']['patients']} patients flip in at least "
                f"{percent(audit['grey_zone']['at_least'])} of resampled studies"
            ),
        ),
    ]
    blocks = [f"Audit: {audit['verdict_text']}", aligned(calls)]
    if audit["labelled"]:
        blocks += [external_text(audit), shift_text(audit["shift"])]
    return "\n".join(blocks)


def external_text(audit: Mapping[str, Any]) -> str:
    """Return the risk at the other hospital and the bounds on it."""
    rows = [
        (
            "risk here (was there)",
            f"{risk(audit['risk_external'])} ({risk(audit['risk_internal'])})",
        ),
        ("direct bound on the risk here", risk(audit["bound_external"])),
        ("Base = certified + Shift", risk(audit["base"])),
        ("Base with the error of Shift", risk(audit["base_valid"])),
        ("Augmented = Base + penalty", risk(audit["augmented"])),
    ]
    return aligned(rows)


def shift_text(shift: Mapping[str, Any]) -> str:
    """Return where the change of risk comes from, signed and in absolute value."""
    head = ("where the change comes from", "signed", "|Shift|")
    names = {
        "prevalence": "prevalence",
        "shape_positive": "scores of positive patients",
        "shape_negative": "scores of negative patients",
        "total": "total",
    }
    rows = [(text, signed(shift["signed"][key]), risk(shift[key])) for key, text in names.items()]
    return columns([head, *rows])


def apply_text(applied: Mapping[str, Any]) -> str:
    """Return how many patients were called."""
    return (
        f"{applied['called']} of {applied['n_patients']} patients called "
        f"({percent(applied['call_rate'])}) at cut-off {cut(applied['threshold'])}; "
        f"flip-rate {percent(applied['flip_rate'])}"
    )


def warnings_text(warnings: Iterable[str]) -> str:
    """Return the warnings, one a line."""
    return "\n".join(f"Warning: {text}" for text in warnings)


def signed(value: float | None) -> str:
    """Return a change of risk with its sign."""
    return "not known" if value is None else f"{value:+.3f}"


def aligned(rows: Sequence[tuple[str, str]]) -> str:
    """Return name and value in two columns."""
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"  {name:<{width}}  {value}" for name, value in rows)


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return a table; the first text column to the left, numbers to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    left = [
        not any(cell[:1].isdigit() for cell in column[1:]) and i < 2  # noqa: PLR2004
        for i, column in enumerate(zip(*rows, strict=True))
    ]
    lines = [
        "  ".join(
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(row, widths, left, strict=True)
        )
        for row in rows
    ]
    return "\n".join(f"  {line}".rstrip() for line in lines)
