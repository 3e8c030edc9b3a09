"""The cut-off of a rule, without its draws."""

from steadycut.core.cuts.grid import Cuts
from steadycut.core.cuts.risk_curve import count_errors
from steadycut.core.records import Costs
from steadycut.core.rules.registry import Rule, cuts_at_rank, on_cuts


def chosen_cut(cuts: Cuts, rule: Rule) -> float:
    """Return the threshold that a rule chooses at equal costs.

    Examples
    --------
    >>> from steadycut.core.cuts.grid import exact_cuts
    >>> from steadycut.core.records import PatientScores
    >>> from steadycut.core.rules.registry import ERM
    >>> chosen_cut(exact_cuts(PatientScores(scores=[1, 2, 4, 5], labels=[0, 0, 1, 1])), ERM)
    3.0
    """
    curve = count_errors(cuts.cells[None, :])
    rank = on_cuts(rule, cuts).on_curve(curve, Costs())
    return float(cuts.place(*cuts_at_rank(curve.ranks, rank))[0])
