"""What the scores of a hospital tell without labels, as short plain text."""

from steadycut.documents.audit import AuditDocument, PrevalencePart
from steadycut.show.columns import aligned
from steadycut.show.numbers import cut, percent, risk


def label_free_text(audit: AuditDocument) -> str:
    """Return prevalence, shape test, expected risk and the cut-off that is not used."""
    prevalence, shape = audit.prevalence_estimate, audit.shape_test
    expected, matched = audit.risk_range, audit.quantile_matched
    p_value = "not known" if shape.p_value is None else f"p = {shape.p_value:.3f}"
    rows = [
        ("prevalence, if shapes are as before", prevalence_text(prevalence)),
        ("shape test (small p: they are not)", p_value),
        ("risk, if shapes are as before", range_text(expected.low, expected.high)),
        (
            "quantile-matched cut-off, not used",
            f"{cut(matched.threshold)}, calls {percent(matched.call_rate)}",
        ),
    ]
    said = [audit.rescaling.text, *audit.statements]
    return "\n".join(["Without labels", aligned(rows), *(f"  {text}" for text in said)])


def range_text(low: float | None, high: float | None) -> str:
    """Return a range of risks, if there is one."""
    return "not known" if low is None or high is None else f"{risk(low)} to {risk(high)}"


def prevalence_text(prevalence: PrevalencePart) -> str:
    """Return the estimate with its valid interval."""
    if prevalence.interval is None:
        return "no prevalence explains the scores"
    low, high = (percent(end) for end in prevalence.interval)
    return f"{percent(prevalence.value)} (valid interval {low} to {high})"
