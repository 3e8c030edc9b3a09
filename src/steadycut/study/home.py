"""The first hospital as a rule file keeps it, and what is stated about the next one."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from steadycut.core.adapt.pool import HomeScores
from steadycut.core.checks import is_real, refuse
from steadycut.documents import guards
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, argument

Stated = float | tuple[float, float] | None


def check_cut_off_rule(rule: object) -> FrozenRule:
    """Refuse anything but a rule with one cut-off and the scores that chose it."""
    guards.check_rule(rule)
    frozen = cast("FrozenRule", rule)
    if frozen.reference is not None:
        return frozen
    by = ", ".join(map(repr, frozen.attributes))
    why = f"has cut-offs that depend on {by}" if by else f"has {len(frozen.actions)} decisions"
    advice = "Audit it with labels of random patients here, or fit it again on patients from here."
    if frozen.cut_off is not None:
        why = "keeps no scores of its patients"
        advice = "Fit the same patients with fit, which gives the same cut-off and keeps them."
    msg = f"this needs a rule with one cut-off (rule.json); this {frozen.file_name} {why}. {advice}"
    raise BadOption(msg)


def check_prevalence(given: Stated) -> tuple[float, float] | None:
    """Return the stated range of prevalences; refuse a percentage."""
    if given is None:
        return None
    ends: Any = (given, given) if is_real(given) else given
    example = argument("prevalence", "0.08")
    if not (isinstance(ends, Sequence | np.ndarray) and len(ends) == 2 and all(map(is_real, ends))):  # noqa: PLR2004
        refuse("prevalence", "be one share, or a range of two", given)
    for end in ends:
        if 1 <= end < 100:  # noqa: PLR2004
            raise BadOption(
                f"{argument('prevalence')} must be a share between 0 and 1; got {end:g}. For "
                f"{end:g} % give {end / 100:g}."
            )
        if not 0 < end < 1:
            msg = f"{argument('prevalence')} must be between 0 and 1, such as {example}; got {end}."
            raise BadOption(msg)
    low, high = map(float, ends)
    if low > high:
        msg = f"{argument('prevalence')} must have the lower end first; got {low:g},{high:g}."
        raise BadOption(msg)
    return low, high


def home_scores(rule: FrozenRule) -> HomeScores:
    """Return what the file knows of all patients of the first hospital, oriented."""
    document = rule.document
    everyone, reference = document.all_patients, document.reference
    counts = reference.scored
    source: Any = reference if everyone is None else everyone
    ill, well = np.array(source.quantiles_positive), np.array(source.quantiles_negative)
    if not (ill.size and well.size):
        msg = "adapt needs the scores of both classes; the rule was certified without one of them."
        raise BadOption(msg)
    return HomeScores(
        positive=np.sort(rule.sign * ill),
        negative=np.sort(rule.sign * well),
        n_positive=counts.n_positive if everyone is None else everyone.n_positive,
        n_negative=counts.n_negative if everyone is None else everyone.n_negative,
    )
