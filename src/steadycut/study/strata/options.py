"""Everything that a study of risk strata depends on besides the patients."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from steadycut.core.asked_rates import parse_rates
from steadycut.core.checks import check_count, shown
from steadycut.core.strata.certify import choose_loss_bound
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.rules import parse_strata_rule
from steadycut.core.strata.two_cuts import TwoCuts, two_cuts_text
from steadycut.core.verdict import RateName
from steadycut.errors import BadOption, argument
from steadycut.study.options import USUAL, GridOptions, Options, study_options

# The names of two and of three strata if none are given.
USUAL_NAMES = {2: ("low", "high"), 3: ("low", "intermediate", "high")}
# The same for two limits, and the costs: a further test costs a quarter of a wrong decision.
TWO_CUT_NAMES = ("rule out", "further tests", "rule in")
TWO_CUT_COSTS = ((0.0, 0.25, 1.0), (1.0, 0.25, 0.0))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StrataOptions:
    """Everything that a study of risk strata depends on besides the patients.

    ``shared`` are the options that a study of one cut-off has too.
    """

    shared: Options
    costs: CostMatrix
    strata: tuple[str, ...]
    grades: tuple[str, ...]
    rule: str
    bound: str
    certify: str | None

    def __post_init__(self) -> None:
        if isinstance(parse_strata_rule(self.rule), TwoCuts):
            _check_two_cuts(self.costs)
        elif self.certify is not None:
            msg = f"{argument('certify')} needs {argument('rule_out')} and {argument('rule_in')}."
            raise BadOption(msg)
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
    def delta(self) -> float:
        """Failure probability of each statement."""
        return self.shared.search.delta


class StrataFitOptions(GridOptions, total=False):
    """The options of `steadycut.fit_strata` by name, besides its costs and grades."""

    rule_out: str | None
    rule_in: str | None
    n_thresholds: int | None
    strata: Sequence[str] | None
    grade_names: Sequence[str] | None
    rule: str
    bound: str
    certify: str | None


def strata_options(
    costs: CostMatrix | None,
    *,
    rule: str = USUAL["rule"],
    bound: str = USUAL["bound"],
    certify: str | None = USUAL["certify"],
    rule_out: str | None = None,
    rule_in: str | None = None,
    n_thresholds: int | None = None,
    strata: Sequence[str] | None = None,
    grade_names: Sequence[str] | None = None,
    **options: Unpack[GridOptions],
) -> StrataOptions:
    """Return the options of `fit_strata`, checked, before any patient is looked at."""
    limits = two_cuts_text(rule_out, rule_in)
    if limits is not None and rule not in {USUAL["rule"], limits}:
        raise BadOption(
            f"{argument('rule')} and {argument('rule_out')} both say how to choose; leave out "
            f"{argument('rule')}."
        )
    rule = limits or rule
    two_cuts = isinstance(parse_strata_rule(rule), TwoCuts)
    costs = CostMatrix(TWO_CUT_COSTS) if costs is None and two_cuts else costs
    if costs is None:
        raise BadOption(
            f"give {argument('costs')}, what each stratum costs each grade; or "
            f"{argument('rule_out')} and {argument('rule_in')}, such as sensitivity:0.95 and "
            "specificity:0.95."
        )
    if n_thresholds is not None and check_count("n_thresholds", n_thresholds) != costs.n_boundaries:
        raise BadOption(
            f"{argument('n_thresholds')} must be one less than the columns of costs, "
            f"{costs.n_boundaries}; got {shown(n_thresholds)}."
        )
    numbered = tuple(f"stratum {k + 1}" for k in range(costs.n_strata))
    known = TWO_CUT_NAMES if two_cuts else USUAL_NAMES.get(costs.n_strata, numbered)
    return StrataOptions(
        shared=study_options(known=GridOptions.__annotations__, **options),
        costs=costs,
        rule=rule,
        bound=bound,
        certify=certify,
        strata=known if strata is None else tuple(map(str, strata)),
        grades=tuple(map(str, range(costs.n_grades) if grade_names is None else grade_names)),
    )


def _check_two_cuts(costs: CostMatrix) -> None:
    """Raise an error unless there are two grades and three strata."""
    if costs.values.shape != np.shape(TWO_CUT_COSTS):
        raise BadOption(
            f"{argument('costs')} must have two rows (healthy, ill) and three columns (rule out, "
            f"further tests, rule in) with {argument('rule_out')}; got {costs.n_grades} and "
            f"{costs.n_strata}."
        )


def _check_names(what: str, names: tuple[str, ...], wanted: int, side: str) -> None:
    given = ", ".join(map(shown, names))
    if len(names) != wanted:
        raise BadOption(
            f"{argument(what)} must have as many names as costs has {side}, {wanted}; got "
            f"{len(names)}: {given}."
        )
    if len(set(names)) < wanted or not all(name.strip() for name in names):
        msg = f"{argument(what)} must have names that differ and are not empty; got {given}."
        raise BadOption(msg)
