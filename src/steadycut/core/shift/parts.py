"""What changes between two hospitals, at the operating point: R_Q - R_P, part by part."""

from dataclasses import dataclass

from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A change of risk as prevalence part, class-1 shape part and class-0 shape part.

    A shape part is None where one of the hospitals has no patient of that class; its rate is then
    taken to be the other's, so that the known parts still add up.
    """

    prevalence: float
    shape_positive: float | None
    shape_negative: float | None

    @property
    def total(self) -> float:
        """The sum of the parts that are known."""
        return self.prevalence + (self.shape_positive or 0.0) + (self.shape_negative or 0.0)

    def to_dict(self) -> dict[str, float | None]:
        """Return the parts and their total."""
        return {
            "prevalence": self.prevalence,
            "shape_positive": self.shape_positive,
            "shape_negative": self.shape_negative,
            "total": self.total,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rates:
    prevalence: float
    miss: float
    alarm: float
    positive_known: bool
    negative_known: bool


def signed_shift(internal: Confusion, external: Confusion, costs: Costs) -> Parts:
    """Split R_Q - R_P with Q's curves in the prevalence part and P's prevalence in the shapes.

    This is the paper's order of insertion. The parts sum to R_Q - R_P exactly.
    """
    p, q = _rates(internal, external), _rates(external, internal)
    return _parts(p, costs, curves=q, weight=p.prevalence, other=q)


def signed_shift_reversed(internal: Confusion, external: Confusion, costs: Costs) -> Parts:
    """Split R_Q - R_P with P's curves in the prevalence part and Q's prevalence in the shapes."""
    p, q = _rates(internal, external), _rates(external, internal)
    return _parts(p, costs, curves=p, weight=q.prevalence, other=q)


def shapley_shift(internal: Confusion, external: Confusion, costs: Costs) -> Parts:
    """Return the mean of both orders: the Shapley value of prevalence and the two shapes."""
    one = signed_shift(internal, external, costs)
    two = signed_shift_reversed(internal, external, costs)
    return Parts(
        prevalence=(one.prevalence + two.prevalence) / 2,
        shape_positive=_mean(one.shape_positive, two.shape_positive),
        shape_negative=_mean(one.shape_negative, two.shape_negative),
    )


def absolute_shift(internal: Confusion, external: Confusion, costs: Costs) -> Parts:
    """Return the paper's Shift(t), which is at least R_Q - R_P.

    (cost_fn + cost_fp) |Δπ| + cost_fn π_P |ΔF₁⁻(t)| + cost_fp (1 - π_P) |ΔF₀⁻(t)|.
    """
    signed = signed_shift(internal, external, costs)
    gap = abs(external.prevalence - internal.prevalence)
    return Parts(
        prevalence=(costs.cost_fn + costs.cost_fp) * gap,
        shape_positive=None if signed.shape_positive is None else abs(signed.shape_positive),
        shape_negative=None if signed.shape_negative is None else abs(signed.shape_negative),
    )


def _parts(p: _Rates, costs: Costs, *, curves: _Rates, weight: float, other: _Rates) -> Parts:
    slope = costs.cost_fn * curves.miss - costs.cost_fp * curves.alarm
    positive = costs.cost_fn * weight * (other.miss - p.miss)
    negative = costs.cost_fp * (1 - weight) * (other.alarm - p.alarm)
    return Parts(
        prevalence=(other.prevalence - p.prevalence) * slope,
        shape_positive=positive if p.positive_known and other.positive_known else None,
        shape_negative=negative if p.negative_known and other.negative_known else None,
    )


def _rates(counts: Confusion, fallback: Confusion) -> _Rates:
    # A class that is empty at one hospital takes the other's rate: its shape part is unknown and
    # counts as none, and the parts still sum to R_Q - R_P.
    return _Rates(
        prevalence=counts.prevalence,
        miss=_first_known(counts.miss_rate, fallback.miss_rate),
        alarm=_first_known(counts.alarm_rate, fallback.alarm_rate),
        positive_known=counts.miss_rate is not None,
        negative_known=counts.alarm_rate is not None,
    )


def _first_known(*values: float | None) -> float:
    return next((value for value in values if value is not None), 0.0)


def _mean(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else (one + two) / 2
