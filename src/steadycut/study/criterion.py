"""The value of the criterion that a rule made best, in both roles."""

import numpy as np

from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts.grid import Cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.rates import p_chi_squared
from steadycut.core.rules.maximal_p_value import miller_siegmund
from steadycut.core.rules.registry import criteria_of
from steadycut.documents.study import CriterionPart
from steadycut.study.fitted import FittedStudy


def criterion_values(study: FittedStudy) -> list[CriterionPart]:
    """Return what the rule made best: among those who chose, and among those who certify.

    The first is over-optimistic; in ``uniform`` there is no second. A p-value of the cut that was
    searched for is corrected for the search among those who chose.
    """
    search, threshold = study.options.search, study.chosen.threshold
    select, certify = (confusion_at(role, threshold) for role in (study.chose, study.certified))
    honest = study.options.honesty == "split"
    rows = [
        CriterionPart(
            name=one.name,
            select=one.value_at(select, search.costs),
            certify=one.value_at(certify, search.costs) if honest else None,
        )
        for one in criteria_of(search.chooser)
    ]
    if str(search.rule).startswith("chi-squared"):
        corrected = corrected_p_value(p_of(select), study.chosen.cuts)
        rows.append(
            CriterionPart(
                name="p-value", select=corrected, certify=p_of(certify) if honest else None
            )
        )
    return rows


def p_of(counts: Confusion) -> float | None:
    """Return the chi-squared p-value of a table; None where a row or column is empty."""
    value = float(p_chi_squared(counts.tp, counts.fn, counts.fp, counts.tn))
    return value if np.isfinite(value) else None


def corrected_p_value(p_value: float | None, cuts: Cuts) -> float | None:
    """Return the p-value of the best of all cuts between two patients, after Miller-Siegmund."""
    below = count_errors(cuts.cells[None, :]).ranks[0] / cuts.n_patients
    if p_value is None or not 0 < p_value < 1 or below.size < 4:  # noqa: PLR2004
        return p_value
    return miller_siegmund(p_value, float(below[1]), float(below[-2]))
