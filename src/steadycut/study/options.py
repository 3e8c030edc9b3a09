"""What a study depends on besides the patients, checked before any patient is looked at."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypedDict, Unpack

from steadycut.core.asked_rates import parse_rates
from steadycut.core.bounds.concentration import choose_bound
from steadycut.core.checks import (
    check_choice,
    check_count,
    check_flag,
    check_fraction,
    check_positive,
    check_range,
    check_size,
    store,
)
from steadycut.core.cuts.grid import clear_of_scores, cut_just_below
from steadycut.core.ensemble import KINDS
from steadycut.core.records import Costs, Direction, check_direction, sign_of
from steadycut.core.rules.next_site import AtNextSite
from steadycut.core.rules.registry import Counted, Spaced
from steadycut.core.select import Publish, Search
from steadycut.core.split import HONESTIES
from steadycut.core.verdict import RateName
from steadycut.errors import BadOption, argument

# How the options call groups that are not a column of the patients.
GIVEN = "given"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything that a study depends on besides the patients.

    ``test_size`` is the share, or the number, of patients who are held out before anything else.
    ``sites_certify`` are the sites whose patients certify, where sites are not split.
    ``prevalence_there`` and ``cost_there`` are about the next hospital alone.
    """

    search: Search
    direction: Direction = "ge"
    honesty: str = "split"
    certify_size: float = 0.5
    stratified: bool = False
    bound: str = "auto"
    certify: str | None = None
    ensemble: str | None = None
    stratify: str | None = None
    seed: int = 0
    test_size: float | None = None
    sites_certify: tuple[str, ...] | None = None
    prevalence_there: tuple[float, float] | None = None
    cost_there: float | None = None

    def __post_init__(self) -> None:
        check_direction(self.direction)
        check_choice("honesty", self.honesty, HONESTIES)
        store(self, "certify_size", check_fraction("certify_size", self.certify_size))
        store(self, "seed", check_count("seed", self.seed, at_least=0))
        _ = self.bound_name, self.asked_rates
        check_flag("stratified", self.stratified)
        if self.test_size is not None:
            store(self, "test_size", check_size("test_size", self.test_size))
        self._check_next_site()
        if self.stratify is not None and self.ensemble is not None:
            msg = "an ensemble cannot be resampled within groups; leave out stratify or ensemble."
            raise BadOption(msg)
        if self.stratify is not None and isinstance(self.search.chooser, AtNextSite):
            msg = f"the rule {self.search.chooser} resamples within sites; leave out stratify."
            raise BadOption(msg)
        if self.stratified and self.search.costs.target is None:
            msg = (
                f"a split stratified by label needs a {argument('target_prevalence')}: pooled "
                "bounds do not hold after it, class-wise ones do."
            )
            raise BadOption(msg)
        if self.ensemble is not None:
            self._check_ensemble(self.ensemble)
            # Evenly spaced cuts depend on the scale of the scores; ranks must not.
            store(self, "search", replace(self.search, grid="exact"))

    def _check_next_site(self) -> None:
        there = _as_range("prevalence_there", self.prevalence_there)
        store(self, "prevalence_there", there)
        if self.cost_there is not None:
            store(self, "cost_there", check_positive("cost_there", self.cost_there))
            most = self.search.costs.largest
            if self.cost_there >= most:
                msg = (
                    f"{argument('cost_there')} must be below {most:g}, the largest cost of one "
                    f"patient; got {self.cost_there:g}."
                )
                raise BadOption(msg)
        if self.sites_certify is None:
            return
        store(self, "sites_certify", as_names(self.sites_certify))
        if self.honesty != "split" or self.stratified:
            other = argument("stratified") if self.stratified else "honesty 'uniform'"
            msg = f"{argument('sites_certify')} deals patients by site; leave out {other}."
            raise BadOption(msg)

    def _check_ensemble(self, kind: str) -> None:
        check_choice("ensemble", kind, tuple(KINDS))
        if isinstance(self.search.chooser, Spaced):
            msg = (
                f"the rule '{self.search.rule}' looks at distances between scores, an ensemble "
                "only at their order; choose another rule."
            )
            raise BadOption(msg)
        if self.honesty == "uniform":
            msg = (
                "an ensemble needs honesty 'split'; got 'uniform', whose bounds do not hold where "
                "the patients used to choose also make the scale."
            )
            raise BadOption(msg)

    @property
    def bound_name(self) -> str:
        """The bound that is used; ``auto`` is decided here, before any data are seen."""
        return choose_bound(self.bound, self.search.costs, self.honesty)

    @property
    def asked_rates(self) -> dict[RateName, float]:
        """The rates that are certified beside the risk, each with the value it should reach."""
        return parse_rates(self.certify)

    @property
    def publish(self) -> Publish:
        """How the chosen threshold is placed between the scores around it."""
        return cut_just_below if self.bound_name == "compression" else clear_of_scores

    @property
    def sign(self) -> float:
        """-1 where scores are negated before anything else."""
        return sign_of(self.direction)


class FitOptions(TypedDict, total=False):
    """The options of `steadycut.fit` by name; those left out keep their defaults."""

    rule: str | Counted
    cost_fn: float
    cost_fp: float
    target_prevalence: float | tuple[float, float] | None
    direction: str
    grid: int | str
    n_bootstrap: int
    delta: float
    delta_boot: float | None
    honesty: str
    certify_size: float
    stratified: bool
    bound: str
    certify: str | None
    ensemble: str | None
    centering: str
    form: str
    band: str
    selector: str
    seed: int
    test_size: float | None
    sites_certify: Sequence[str] | None
    prevalence_there: float | tuple[float, float] | None
    cost_there: float | None


def study_options(*, stratify: str | None = None, **given: Unpack[FitOptions]) -> Options:
    """Return the options of `fit`, checked, before any patient is looked at."""
    rest: dict[str, Any] = {**given, "stratify": stratify}
    prices = {name: rest.pop(name) for name in ("cost_fn", "cost_fp") if name in rest}
    costs = Costs(
        **prices, target=_as_range("target_prevalence", rest.pop("target_prevalence", None))
    )
    own = {one.name for one in fields(Options)}
    search = {name: rest.pop(name) for name in list(rest) if name not in own}
    return Options(search=Search(costs=costs, **search), **rest)


def _as_range(
    name: str, prevalence: float | tuple[float, float] | None
) -> tuple[float, float] | None:
    return None if prevalence is None else check_range(name, prevalence)


def as_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of sites, each once, in order; one name may be given as it is."""
    one = isinstance(names, str) or not isinstance(names, Iterable)
    given = [names] if one else names
    return tuple(sorted({str(name) for name in given}))
