"""What the scores alone tell about a hospital, and what they cannot tell, in sentences."""

from steadycut.documents.audit import RescalingPart, WithoutLabels

SAME_SHAPES = (
    "within each class the scores are distributed as where the rule was made (label shift)"
)
EQUAL_PREVALENCE = (
    "the prevalence is the same as where the rule was made, and the scores here are an increasing "
    "function of the scores there"
)
RISK_UNKNOWN = (
    "Without labels the risk here is not known. Prevalence and risk range assume that "
    f"{SAME_SHAPES}. The scores can refute this, but never prove it."
)
NOT_SEEN = (
    "A change of both classes that looks like another prevalence cannot be seen; nor can a change "
    "of units be told from other changes that move the scores so."
)


def statements(known: WithoutLabels, delta: float, n_choices: int) -> list[str]:
    """Say what cannot be known here; ``n_choices`` is that of the certificate of the rule."""
    prevalence, p_value = known.prevalence_estimate, known.shape_test.p_value
    said = {
        RISK_UNKNOWN: True,
        NOT_SEEN: True,
        "The prevalence is not identifiable: the patients who certified the rule do not show that "
        "the two classes differ in score.": not prevalence.identifiable,
        "Label shift is rejected: no prevalence explains the scores, so that within a class they "
        "have moved; no interval and no risk range can be given.": prevalence.interval is None,
        "The shape test is not run: it needs patients of both classes where the rule was made, and "
        "classes that are shown to differ in score. Without them it would reject too "
        "often.": p_value is None,
        f"The shape test rejects label shift (p = {p_value or 0.0:.3g}): do not rely on the "
        "prevalence, the expected call rate or the risk range.": p_value is not None
        and p_value <= delta,
        "The patients who give the error rates also chose the cut-off: estimated risk and call "
        "rate look too good; the intervals allow for that.": n_choices != 0,
    }
    return [text for text, holds in said.items() if holds]


def rescaling_text(part: RescalingPart) -> str:
    """Say whether another unit explains the scores."""
    if part.factor is None or part.offset is None:
        return (
            "An affine change of scale could not be tested: too little varies, or the classes are "
            "not shown to differ in score."
        )
    scale = f"factor {part.factor:.4g}, offset {part.offset:.4g}"
    caution = "a change of units cannot be told from other changes that move the scores so."
    if not part.needed:
        start = "No change of scale is needed to explain the scores; the nearest one has"
        return f"{start} {scale}; {caution}"
    if part.compatible:
        return f"The scores are compatible with an affine change of scale ({scale}); {caution}"
    return f"The scores are not compatible with an affine change of scale (nearest: {scale})."
