"""The risk modulus: the largest change of risk that a threshold error of a given size can cause."""

import math

from steadycut.core.bounds.binomial import deviation
from steadycut.core.bounds.windows import Windows, label_windows
from steadycut.core.checks import FloatArray, IntArray, check_choice, check_fraction
from steadycut.core.cuts.risk_curve import worst_end
from steadycut.core.records import Costs, PatientScores

FORMS = ("pairwise", "oscillation")


def modulus(patients: PatientScores, epsilon: float, costs: Costs, form: str = "pairwise") -> float:
    """Return ω(ε), the largest cost-weighted share of patients in any window [u, u + ε).

    Parameters
    ----------
    patients
        Patients with labels.
    epsilon
        Size of the threshold error. ω(0) = 0.
    costs
        A positive patient has weight ``cost_fn`` / n, a negative one ``cost_fp`` / n. At a target
        prevalence each class has the weight that it has there.
    form
        ``"pairwise"`` is the paper's definition. The paper's "oscillation form" looks ε to each
        side, so it equals ω(2ε) and not ω(ε). ``"oscillation"`` gives that.

    Notes
    -----
    The result is exact: no window of length ε holds more than the best one that starts at a score.
    A score s' is in the window that starts at s if ``s' < s + ε`` in floating point. The patients
    at s are always in it, even if s + ε rounds to s.

    Examples
    --------
    >>> cohort = PatientScores(scores=[0.0, 0.1, 0.15, 0.9], labels=[0, 1, 0, 1])
    >>> modulus(cohort, 0.12, Costs(cost_fn=3))
    1.0
    """
    width = width_of(epsilon, form)
    return 0.0 if width <= 0 else largest_mass(label_windows(patients), width, costs)


def width_of(epsilon: float, form: str) -> float:
    """Return how long the windows are for a threshold error of a given size."""
    check_choice("form", form, FORMS)
    return 2 * epsilon if form == "oscillation" else epsilon


def largest_mass(windows: Windows, width: float, costs: Costs) -> float:
    """Return the cost-weighted share of patients in the heaviest window of this width."""
    n_negative, n_positive = windows.below[:, -1].tolist()

    def risk(counts: IntArray) -> FloatArray:
        return worst_end(counts[1] / max(n_positive, 1), counts[0] / max(n_negative, 1), costs)

    if costs.target is not None:
        return windows.largest(width, risk)
    return windows.heaviest(width, costs.by_class) / windows.n_patients


def dkw_band_width(n_positive: int, n_negative: int, costs: Costs, delta: float) -> float:
    """Return what the paper's band adds to the empirical modulus.

    It is 2 (cost_fn p e₁ + cost_fp (1-p) e₀) + max(cost) eₚ. Here e_y = √(log(6/δ) / (2 n_y)) comes
    from the two-sided DKW inequality in each class, and eₚ = √(log(6/δ) / (2n)) from Hoeffding's
    inequality for the prevalence, each at δ/3. p e₁ is written as √n₁ / n, so that an empty class
    is not a problem. At a target prevalence only the two classes are estimated, each at δ/2.
    """
    check_fraction("delta", delta)
    if costs.target is not None:
        errors = [deviation(max(n, 1), delta / 4) for n in (n_positive, n_negative)]
        return 2 * costs.worst_risk(*errors)
    n = n_positive + n_negative
    classes = costs.cost_fn * math.sqrt(n_positive) + costs.cost_fp * math.sqrt(n_negative)
    root = math.sqrt(math.log(6 / delta) / 2)
    return root * (2 * classes / n + costs.largest / math.sqrt(n))


def dkw_band(
    patients: PatientScores, epsilon: float, costs: Costs, delta: float, form: str = "pairwise"
) -> float:
    """Return an upper band on ω(ε). It holds for all ε at once with probability 1 - delta.

    It bounds the modulus at a given ε. It does not say that the threshold is off by at most ε.
    """
    added = dkw_band_width(patients.n_positive, patients.n_negative, costs, delta)
    return modulus(patients, epsilon, costs, form) + added
