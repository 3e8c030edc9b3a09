"""Everything that a study of risk strata depends on besides the patients."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steadycut.core.checks import MOST_REPLICATES, check_count, check_fraction, shown
from steadycut.core.cuts.grid import check_grid
from steadycut.core.records import Direction, check_direction, sign_of
from steadycut.core.strata.certify import choose_loss_bound
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.rules import parse_strata_rule
from steadycut.errors import BadOption, argument

# The names of two and of three strata if none are given.
USUAL_NAMES = {2: ("low", "high"), 3: ("low", "intermediate", "high")}


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
    seed: int = 0

    def __post_init__(self) -> None:
        parse_strata_rule(self.rule)
        check_direction(self.direction)
        check_grid(self.grid)
        check_count("n_bootstrap", self.n_bootstrap, at_least=2, at_most=MOST_REPLICATES)
        check_fraction("delta", self.delta)
        check_fraction("certify_size", self.certify_size)
        choose_loss_bound(self.bound, self.costs)
        check_count("seed", self.seed, at_least=0)
        _check_names("strata", self.strata, self.costs.n_strata, "columns")
        _check_names("grades", self.grades, self.costs.n_grades, "rows")

    @property
    def sign(self) -> float:
        """-1 where scores are negated before anything else."""
        return sign_of(self.direction)


def strata_options(
    costs: CostMatrix,
    *,
    n_thresholds: int | None = None,
    strata: Sequence[str] | None = None,
    grade_names: Sequence[str] | None = None,
    **options: Any,  # noqa: ANN401
) -> StrataOptions:
    """Return the options of `fit_strata`, checked, before any patient is looked at."""
    if n_thresholds is not None and check_count("n_thresholds", n_thresholds) != costs.n_boundaries:
        msg = (
            f"{argument('n_thresholds')} must be one less than the columns of costs, "
            f"{costs.n_boundaries}; got {shown(n_thresholds)}."
        )
        raise BadOption(msg)
    numbered = tuple(f"stratum {k + 1}" for k in range(costs.n_strata))
    known = USUAL_NAMES.get(costs.n_strata, numbered)
    return StrataOptions(
        costs=costs,
        strata=known if strata is None else tuple(map(str, strata)),
        grades=tuple(map(str, range(costs.n_grades) if grade_names is None else grade_names)),
        **options,
    )


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
