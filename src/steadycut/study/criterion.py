"""What the rule of a study made best, among the patients who chose and those who certify."""

from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts.grid import Cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.rates import p_chi_squared
from steadycut.core.rules.maximal_p_value import miller_siegmund
from steadycut.core.rules.registry import criteria_of

if TYPE_CHECKING:
    from steadycut.study.fit import Study


def criterion_summary(study: "Study") -> list[dict[str, Any]]:
    """Return what the rule made best: among those who chose, and among those who certify.

    The first flatters itself; in ``uniform`` there is no second. A p-value of the cut that was
    searched for is corrected for the search among those who chose.
    """
    search, threshold = study.options.search, study.chosen.threshold
    roles = [study.select_patients, study.certify_patients]
    select, certify = (
        confusion_at(patients.oriented(study.options.direction), threshold) for patients in roles
    )
    honest = study.options.honesty == "split"
    rows: list[dict[str, Any]] = [
        {
            "name": one.name,
            "select": one.value_at(select, search.costs),
            "certify": one.value_at(certify, search.costs) if honest else None,
        }
        for one in criteria_of(search.chooser)
    ]
    if str(search.rule).startswith("chi-squared"):
        corrected = corrected_p_value(p_of(select), study.chosen.cuts)
        rows.append(
            {"name": "p-value", "select": corrected, "certify": p_of(certify) if honest else None}
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
