"""What a study depends on besides the patients, checked before any patient is looked at."""

import inspect
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypedDict, TypeVar, Unpack

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
    refuse,
    shown,
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
from steadycut.errors import BadOption, argument, no_such_name

Described = TypeVar("Described")
# In a docstring: the list of all options, or of those that are named.
LISTED = re.compile(r"\{options(?:: ([\w ]+))?\}")
# The names of an option in that list, and the first line of what follows.
HEAD = re.compile(r"^(?=\w)", re.MULTILINE)
# Bounds that hold for cuts just below a score, or fall back on one that does.
JUST_BELOW = ("scan", "compression")
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
    certify_cost: float | None = None
    ensemble: str | None = None
    stratify: str | None = None
    seed: int = 0
    test_size: float | None = None
    sites_certify: tuple[str, ...] | None = None
    prevalence_there: tuple[float, float] | None = None
    cost_there: float | None = None
    one_per_patient: bool = False

    def __post_init__(self) -> None:
        check_direction(self.direction)
        check_choice("honesty", self.honesty, HONESTIES)
        store(self, "certify_size", check_fraction("certify_size", self.certify_size))
        store(self, "seed", check_count("seed", self.seed, at_least=0, at_most=2**128))
        _ = self.bound_name, self.asked_rates
        check_flag("stratified", self.stratified)
        check_flag("one_per_patient", self.one_per_patient)
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
            raise BadOption(
                f"a split stratified by label needs a {argument('target_prevalence')}: pooled "
                "bounds do not hold after it, class-wise ones do."
            )
        if self.ensemble is not None:
            self._check_ensemble(self.ensemble)
            # Evenly spaced cuts depend on the scale of the scores; ranks must not.
            store(self, "search", replace(self.search, grid="exact"))

    def _check_cost(self, name: str) -> None:
        """Refuse an average cost that is not below the largest cost of one patient."""
        cost, most = getattr(self, name), self.search.costs.largest
        if cost is None:
            return
        store(self, name, check_positive(name, cost))
        if cost >= most:
            raise BadOption(
                f"{argument(name)} must be below {most:g}, the largest cost of one patient; "
                f"got {cost:g}."
            )

    def _check_next_site(self) -> None:
        store(self, "prevalence_there", _as_range("prevalence_there", self.prevalence_there))
        self._check_cost("cost_there")
        self._check_cost("certify_cost")
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
            raise BadOption(
                f"the rule '{self.search.rule}' looks at distances between scores, an ensemble "
                "only at their order; choose another rule."
            )
        if self.honesty == "uniform":
            raise BadOption(
                "an ensemble needs honesty 'split'; got 'uniform', whose bounds do not hold where "
                "the patients used to choose also make the scale."
            )

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
        return cut_just_below if self.bound_name in JUST_BELOW else clear_of_scores

    @property
    def sign(self) -> float:
        """-1 where scores are negated before anything else."""
        return sign_of(self.direction)


class Instability(TypedDict, total=False):
    """How the radius and the penalty of a cut-off are measured; `paper_method` describes it."""

    centering: str
    form: str
    band: str
    delta_boot: float | None


class StudyOptions(TypedDict, total=False):
    """The options that studies of every kind have."""

    direction: str
    n_bootstrap: int
    delta: float
    certify_size: float
    seed: int
    one_per_patient: bool


class GridOptions(StudyOptions, total=False):
    """These, and the cuts that are tried."""

    grid: int | str


class FitOptions(GridOptions, total=False):
    """The options of `steadycut.fit` by name; those left out keep their defaults (`USUAL`).

    `lists_options` puts this list, or some of it, into the docstrings of what takes the options:
    each is described here only.

    Parameters
    ----------
    rule : str or callable, default "stable"
        How a cut is chosen along the scores: ``stable``, ``erm``, ``youden``, ``ppv:0.9``,
        ``kappa@sensitivity:0.9`` and many more (``steadycut rules`` lists them); or a function
        ``(tp, fn, fp, tn) -> value``, which takes four arrays along the cuts and is maximised.
    cost_fn, cost_fp : float, default 1.0
        What a missed patient and a false alarm cost.
    target_prevalence : float or (float, float), default None
        Prevalence at which the risk is taken. Of a range (low, high) the worse end counts. None
        takes the prevalence of the patients at hand.
    direction : str, default "ge"
        ``"ge"`` calls patients with ``score >= threshold``, ``"le"`` those with
        ``score <= threshold``.
    grid : int or str, default "exact"
        The cuts that are tried. ``"exact"``: every cut between two neighbouring scores. A number:
        so many evenly spaced cuts over the observed range. ``"even"``: the paper's 200.
    n_bootstrap : int, default 200
        How often the patients are resampled and the whole rule is run again.
    delta : float, default 0.1
        Failure probability of the certificate, of the radius and of the penalty.
    honesty : str, default "split"
        ``"split"``: some patients choose, the others certify. ``"uniform"``: everybody does
        both, and only bounds that hold at all cuts at once are used.
    certify_size : float, default 0.5
        Share of the patients who certify, in ``split``.
    stratified : bool, default False
        Deal the classes evenly to both roles. This needs a target prevalence.
    bound : str, default "auto"
        Bound on the risk. ``auto`` depends on the costs and on the honesty.
    certify : str, default None
        Rates to certify beside the risk, such as ``"sensitivity:0.90"`` or
        ``"sensitivity:0.90,specificity:0.80"``: is the rate at least this value, with confidence
        1 - delta for all of them together? `Study.certified_rates` has the answers.
    certify_cost : float, default None
        An average cost per patient, fixed before the patients are seen: is the risk at most this?
        `Study.certified_cost` has the answer. Delta is shared with the rates of ``certify``.
    ensemble : str, default None
        Average all candidates on the quantile scale instead of choosing one: ``"quantile"`` with
        equal weights, ``"gls"`` with the weights of the smallest bootstrap variance. All exact cuts
        are then tried, whatever ``grid`` says.
    selector : str, default "risk"
        How one of several candidates is chosen: by the smallest ``"risk"``, which transfers best
        to other hospitals; by the ``"objective"`` J of Algorithm 1, or J without the bias in the
        radius (``"no-bias"``).
    sites_certify : sequence of str, default None
        Sites whose patients certify; those of all other sites choose. What is then said of the
        next hospital is exact for the published cut-off. None lets every site do both.
    prevalence_there : float or (float, float), default None
        Prevalence at the next hospital, or a range. `Study.next_site` then takes the cost there,
        from the miss rate and the alarm rate of each site.
    cost_there : float, default None
        An average cost per patient, fixed before the data were seen. `Study.next_site` says at
        which share of hospitals the cost is at most this.
    test_size : float or int, default None
        Patients to hold out before anything else, as a share of all patients or as a number. They
        neither choose nor certify. ``study.describe().test`` says what the frozen cut-off does to
        them. They are dealt as those who certify are, within classes if ``stratified``.
    seed : int, default 0
        Same patients, same options, same seed: same study, to the last bit.
    one_per_patient : bool, default False
        Identifiers that look like those of slides, images or records are refused. True states that
        each of them is from another patient; a warning repeats it.
    instability : dict, default None
        How radius and penalty are measured where they are the paper's: see `paper_method`.
    """

    rule: str | Counted
    cost_fn: float
    cost_fp: float
    target_prevalence: float | tuple[float, float] | None
    honesty: str
    stratified: bool
    bound: str
    certify: str | None
    certify_cost: float | None
    ensemble: str | None
    selector: str
    test_size: float | None
    sites_certify: Sequence[str] | None
    prevalence_there: float | tuple[float, float] | None
    cost_there: float | None
    instability: Instability | None


def paper_method(
    *,
    rule: str | Counted = "erm",
    selector: str = "objective",
    grid: int | str = "even",
    centering: str = "none",
    form: str = "pairwise",
    band: str = "dkw",
    delta_boot: float | None = None,
) -> FitOptions:
    """Return the options by which `fit` does what the paper prints, Algorithm 1.

    Parameters
    ----------
    rule, selector, grid
        As in `fit`: the smallest risk along 200 even cuts, and J over the candidates.
    centering
        Quantile of the radius: ``"none"`` (Algorithm 1) or ``"bias"`` (the paper's appendix).
    form
        Modulus: ``"pairwise"`` or ``"oscillation"``.
    band
        Upper band of the modulus, the penalty: the paper's ``"dkw"``, or ``"multiscale"``, which
        `fit` uses. At a target prevalence it is always ``"dkw"``.
    delta_boot
        Failure probability of the bootstrap radius and of the band (the paper's delta_boot). None
        takes ``delta`` (the paper's delta_val), as the paper does in its experiments.

    Returns
    -------
    dict
        Options of `fit`; others may stand beside them.

    Examples
    --------
    >>> import steadycut
    >>> scores, labels = [0.1, 0.3, 0.2, 0.8, 0.7, 0.9], [0, 0, 0, 1, 1, 1]
    >>> cohort = steadycut.PatientScores(scores=scores, labels=labels)
    >>> study = steadycut.fit(cohort, **steadycut.paper_method(centering="bias"), honesty="uniform")
    >>> study.options.search.centering, study.options.search.band
    ('bias', 'dkw')
    """
    measured: Instability = {
        "centering": centering,
        "form": form,
        "band": band,
        "delta_boot": delta_boot,
    }
    return {"rule": rule, "selector": selector, "grid": grid, "instability": measured}


# The default of every option; commands, functions and estimators take it from here.
_DEFAULTS = {one.name: one.default for kind in (Costs, Search, Options) for one in fields(kind)}
USUAL: dict[str, Any] = {name: _DEFAULTS.get(name) for name in FitOptions.__annotations__}


def lists_options(described: Described) -> Described:
    """Write the options, as `FitOptions` lists them, in the place of ``{options}``.

    ``{options: delta seed}`` lists some of them.
    """

    def listed(place: re.Match[str]) -> str:
        wanted = set((place[1] or "").split())
        return "".join(
            text for names, text in option_texts() if not wanted or wanted.intersection(names)
        ).rstrip()

    described.__doc__ = LISTED.sub(listed, inspect.cleandoc(described.__doc__ or ""))
    return described


def option_texts() -> list[tuple[list[str], str]]:
    """Return the names of the options that are described together, and the text."""
    listed = inspect.cleandoc(FitOptions.__doc__ or "").partition("----------\n")[2]
    texts = [text.rstrip() + "\n" for text in HEAD.split(listed) if text]
    return [(text.partition(" : ")[0].split(", "), text) for text in texts]


def study_options(
    *,
    stratify: str | None = None,
    known: Collection[str] = FitOptions.__annotations__,
    **given: Unpack[FitOptions],
) -> Options:
    """Return the options of `fit`, checked, before any patient is looked at.

    ``known`` has those that are allowed, where a kind of study does not have all of them.
    """
    for name in [name for name in given if name not in known]:
        if name in Instability.__annotations__:
            raise TypeError(
                f"there is no option {name!r}. It is the paper's: "
                f"fit(patients, **steadycut.paper_method({name}=...))."
            )
        raise no_such_name(name, ("y", *known))
    rest: dict[str, Any] = {**given, "stratify": stratify}
    paper = rest.pop("instability", None)
    if not isinstance(paper, Mapping | None):
        refuse("instability", "be a mapping, as in paper_method()", paper)
    rest |= paper or {}
    prices = {name: rest.pop(name) for name in ("cost_fn", "cost_fp") if name in rest}
    target = _as_range("target_prevalence", rest.pop("target_prevalence", None))
    costs = Costs(**prices, target=target)
    own = {one.name for one in fields(Options)}
    search = {name: rest.pop(name) for name in list(rest) if name not in own}
    return Options(search=Search(costs=costs, **search), **rest)


def _as_range(name: str, given: float | tuple[float, float] | None) -> tuple[float, float] | None:
    return None if given is None else check_range(name, given)


def as_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of sites, each once, in order; one name may be given as it is."""
    given = [names] if isinstance(names, str) or not isinstance(names, Iterable) else names
    return tuple(sorted({shown(name) if isinstance(name, int) else str(name) for name in given}))
