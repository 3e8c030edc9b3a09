"""Everything that a study of risk strata depends on besides the patients."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steadycut.core.asked_rates import parse_rates
from steadycut.core.checks import check_count, shown
from steadycut.core.records import Direction, sign_of
from steadycut.core.strata.certify import choose_loss_bound
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.rules import parse_strata_rule
from steadycut.core.strata.two_cuts import TwoCuts, two_cuts_text
from steadycut.core.verdict import RateName
from steadycut.errors import BadOption, argument
from steadycut.study.options import Options, study_options

# The names of two and of three strata if none are given.
USUAL_NAMES = {2: ("low", "high"), 3: ("low", "intermediate", "high")}
# The same for two limits, and the costs: a further test costs a quarter of a wrong decision.
TWO_CUT_NAMES = ("rule out", "further tests", "rule in")
TWO_CUT_COSTS = ((0.0, 0.25, 1.0), (1.0, 0.25, 0.0))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StrataOptions:
    """Everything that a study of risk strata depends on besides the patients."""

    costs: CostMatrix
    strata: tuple[str, ...]
    grades: tuple[str, ...]
    rule: str = "stable"
    direction: Direction = "ge"
    grid: int | str = "exact"
    n_bootstrap: int = 200
    delta: float = 0.1
    certify_size: float = 0.5
    bound: str = "auto"
    certify: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(parse_strata_rule(self.rule), TwoCuts):
            _check_two_cuts(self.costs)
        elif self.certify is not None:
            msg = f"{argument('certify')} needs {argument('rule_out')} and {argument('rule_in')}."
            raise BadOption(msg)
        _ = self.of_one_cut_off
        choose_loss_bound(self.bound, self.costs)
        _ = self.asked_rates
        _check_names("strata", self.strata, self.costs.n_strata, "columns")
        _check_names("grades", self.grades, self.costs.n_grades, "rows")

    @property
    def two_cuts(self) -> TwoCuts | None:
        """The two limits by which patients are ruled out and ruled in; None for other rules."""
        rule = parse_strata_rule(self.rule)
        return rule if isinstance(rule, TwoCuts) else None

    @property
    def asked_rates(self) -> dict[RateName, float]:
        """The rates to certify, that of the lower cut-off first; none without two limits."""
        limits = {} if self.two_cuts is None else self.two_cuts.asked
        return limits | parse_rates(self.certify, list(limits))

    @property
    def of_one_cut_off(self) -> Options:
        """What a study of one cut-off depends on too, checked."""
        shared = ("direction", "grid", "n_bootstrap", "delta", "certify_size", "seed")
        given: Any = {name: getattr(self, name) for name in shared}
        return study_options(**given)

    @property
    def sign(self) -> float:
        """-1 where scores are negated before anything else."""
        return sign_of(self.direction)


def strata_options(
    costs: CostMatrix | None,
    *,
    rule: str = "stable",
    rule_out: str | None = None,
    rule_in: str | None = None,
    n_thresholds: int | None = None,
    strata: Sequence[str] | None = None,
    grade_names: Sequence[str] | None = None,
    **options: Any,  # noqa: ANN401
) -> StrataOptions:
    """Return the options of `fit_strata`, checked, before any patient is looked at."""
    limits = two_cuts_text(rule_out, rule_in)
    if limits is not None and rule not in {"stable", limits}:
        msg = (
            f"{argument('rule')} and {argument('rule_out')} both say how to choose; leave out "
            f"{argument('rule')}."
        )
        raise BadOption(msg)
    rule = limits or rule
    two_cuts = isinstance(parse_strata_rule(rule), TwoCuts)
    costs = CostMatrix(TWO_CUT_COSTS) if costs is None and two_cuts else costs
    if costs is None:
        msg = (
            f"give {argument('costs')}, what each stratum costs each grade; or "
            f"{argument('rule_out')} and {argument('rule_in')}, such as sensitivity:0.95 and "
            "specificity:0.95."
        )
        raise BadOption(msg)
    if n_thresholds is not None and check_count("n_thresholds", n_thresholds) != costs.n_boundaries:
        msg = (
            f"{argument('n_thresholds')} must be one less than the columns of costs, "
            f"{costs.n_boundaries}; got {shown(n_thresholds)}."
        )
        raise BadOption(msg)
    numbered = tuple(f"stratum {k + 1}" for k in range(costs.n_strata))
    known = TWO_CUT_NAMES if two_cuts else USUAL_NAMES.get(costs.n_strata, numbered)
    return StrataOptions(
        costs=costs,
        rule=rule,
        strata=known if strata is None else tuple(map(str, strata)),
        grades=tuple(map(str, range(costs.n_grades) if grade_names is None else grade_names)),
        **options,
    )


def _check_two_cuts(costs: CostMatrix) -> None:
    """Raise an error unless there are two grades and three strata."""
    if costs.values.shape != np.shape(TWO_CUT_COSTS):
        msg = (
            f"{argument('costs')} must have two rows (healthy, ill) and three columns (rule out, "
            f"further tests, rule in) with {argument('rule_out')}; got {costs.n_grades} and "
            f"{costs.n_strata}."
        )
        raise BadOption(msg)


def _check_names(what: str, names: tuple[str, ...], wanted: int, side: str) -> None:
    given = ", ".join(map(shown, names))
    if len(names) != wanted:
        msg = (
            f"{argument(what)} must have as many names as costs has {side}, {wanted}; got "
            f"{len(names)}: {given}."
        )
        raise BadOption(msg)
    if len(set(names)) < wanted or not all(name.strip() for name in names):
        msg = f"{argument(what)} must have names that differ and are not empty; got {given}."
        raise BadOption(msg)
