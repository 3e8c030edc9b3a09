"""The whole flow: patient scores in, a frozen and certified cut-off out."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from steadycut.core.bootstrap.draws import draw_thresholds
from steadycut.core.bootstrap.within_groups import Stratify, stratum_codes
from steadycut.core.bounds.concentration import choose_bound
from steadycut.core.certify import Certificate, certify_patients
from steadycut.core.checks import (
    FloatArray,
    IntArray,
    check_choice,
    check_count,
    check_flag,
    check_fraction,
    check_range,
    store,
)
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts.grid import clear_of_scores, cut_just_below, operating_value
from steadycut.core.diagnose import class_warnings, flip_probability, order_warnings
from steadycut.core.ensemble import KINDS, Ensemble, make_ensemble, try_ensemble
from steadycut.core.records import DIRECTIONS, Costs, PatientScores
from steadycut.core.rules.registry import Counted, Spaced
from steadycut.core.select import Candidate, Draw, Publish, Search, best_candidate, try_candidate
from steadycut.core.sites import unit_warnings
from steadycut.core.split import HONESTIES, Roles, everybody, split_classes, split_patients
from steadycut.errors import BadOption, BadPatients, NoFeasibleCut, TooFewPatients
from steadycut.ingest.identifiers import alike_warnings

if TYPE_CHECKING:
    from steadycut.core.intervals.threshold import CutInterval
    from steadycut.documents.rule import FrozenRule
    from steadycut.study.operating_point import OperatingPoint

Progress = Callable[[str, int, int], None]

# How the options call strata that are no column of the patients.
GIVEN = "given"
# Below this many patients of a class no cut-off is chosen at all.
LEAST_PATIENTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything that a study depends on besides the patients."""

    search: Search
    direction: str = "ge"
    honesty: str = "split"
    certify_size: float = 0.5
    stratified: bool = False
    bound: str = "auto"
    ensemble: str | None = None
    stratify: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("direction", self.direction, DIRECTIONS)
        check_choice("honesty", self.honesty, HONESTIES)
        store(self, "certify_size", check_fraction("certify_size", self.certify_size))
        store(self, "seed", check_count("seed", self.seed, at_least=0))
        _ = self.bound_name
        check_flag("stratified", self.stratified)
        check_stratify(self.stratify, self.ensemble)
        if self.stratified and self.search.costs.target is None:
            msg = (
                "a split stratified by label needs a target_prevalence: pooled bounds do not hold "
                "after it, class-wise ones do."
            )
            raise BadOption(msg)
        if self.ensemble is not None:
            self._check_ensemble(self.ensemble)
            # Evenly spaced cuts depend on the scale of the scores; ranks must not.
            store(self, "search", replace(self.search, grid="exact"))

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
                "the patients who choose also make the scale."
            )
            raise BadOption(msg)

    @property
    def bound_name(self) -> str:
        """The bound that is used; ``auto`` is settled here, before any data."""
        return choose_bound(self.bound, self.search.costs, self.honesty)

    @property
    def publish(self) -> Publish:
        """How the chosen threshold is placed between the scores around it."""
        return cut_just_below if self.bound_name == "compression" else clear_of_scores

    @property
    def sign(self) -> float:
        """-1 where scores are negated before anything else."""
        return 1.0 if self.direction == "ge" else -1.0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Study:
    """A cut-off, why it was chosen and how far it can be trusted.

    Everything public is in the units of the scores as they came, whatever the direction; for an
    ensemble, in mean quantiles between 0 and 1, and ``candidates`` are its methods and itself.
    ``infeasible`` names the candidates none of whose cuts keeps the limits of the rule.
    """

    options: Options
    patients: PatientScores
    roles: Roles
    chosen: Candidate
    candidates: tuple[Candidate, ...]
    certificate: Certificate
    counts: Confusion
    ensemble: Ensemble | None = None
    infeasible: tuple[str, ...] = ()

    @property
    def n_candidates(self) -> int:
        """Among how many candidates the patients chose, those left out for a limit included."""
        return len(self.candidates) + len(self.infeasible)

    @property
    def threshold(self) -> float:
        """The frozen cut-off: a patient whose score reaches it is called."""
        # Adding 0.0 turns negative zero into zero.
        return self.options.sign * self.chosen.threshold + 0.0

    @property
    def operating_value(self) -> float | None:
        """The outermost score of a choosing patient who is called; None if nobody is."""
        scores = self.select_patients.oriented(self.options.direction).scores
        value = operating_value(self.chosen.threshold, scores)
        return None if value is None else self.options.sign * value + 0.0

    @property
    def bootstrap_thresholds(self) -> FloatArray:
        """What the same rule chose in each bootstrap replicate, ascending."""
        return np.sort(self.options.sign * self.chosen.draws.thresholds)

    @property
    def select_patients(self) -> PatientScores:
        """The patients who chose the cut-off."""
        return self.patients.take(self.roles.select)

    @property
    def certify_patients(self) -> PatientScores:
        """The patients who certify it."""
        return self.patients.take(self.roles.certify)

    @property
    def flip_rate(self) -> float:
        """Mean flip probability of the certifying patients."""
        return float(self.flip_probability(self.certify_patients.scores).mean())

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before trusting the numbers."""
        chose, certified = self.select_patients, self.certify_patients
        found = [*map(infeasible_warning, self.infeasible), *self.chosen.warnings]
        found += class_warnings("choose", chose.n_positive, chose.n_negative)
        if self.options.honesty == "split":
            found += class_warnings("certify", certified.n_positive, certified.n_negative)
            found += order_warnings(self.patients)
        return [*found, *unit_warnings(self.patients), *alike_warnings(self.patients.patients)]

    def flip_probability(self, scores: FloatArray) -> FloatArray:
        """Return how often a resampled study would decide otherwise, for each score."""
        sign = self.options.sign
        draws = self.chosen.draws.thresholds
        return flip_probability(sign * np.asarray(scores), self.chosen.threshold, draws)

    def operating_point(self, confidence: float = 0.95) -> "OperatingPoint":
        """Return what the cut-off does to the certifying patients, with two kinds of intervals.

        ``fixed``: if this cut-off is used. ``rechosen``: if the whole study were repeated, cut-off
        included.
        """
        from steadycut.study.operating_point import study_point

        return study_point(self, confidence)

    def threshold_interval(self, confidence: float = 0.95) -> "CutInterval":
        """Return where the cut-off would lie with all patients, and in a repeated study."""
        from steadycut.study.operating_point import study_cut_interval

        return study_cut_interval(self, confidence)

    def to_dict(self, confidence: float = 0.95) -> dict[str, Any]:
        """Return the content of ``study.json``; ``confidence`` is that of its intervals."""
        from steadycut.study.describe import study_summary

        return study_summary(self, confidence)

    def freeze(
        self,
        *,
        remember_patients: bool = False,
        key: bytes | None = None,
        small_cells: int | None = None,
    ) -> "FrozenRule":
        """Return the rule to take to the next hospital.

        ``remember_patients`` puts salted hashes of the patients' identifiers into it, so that they
        are known again and refused; only with a secret ``key`` nobody else can try identifiers.
        ``small_cells`` lets no number in it stand for fewer than so many patients; the cut-off
        stays, the certificate gets a little larger.
        """
        from steadycut.documents.known_patients import remember
        from steadycut.documents.rule import FrozenRule

        known = remember(self.patients, self.options.seed, key) if remember_patients else None
        return FrozenRule.from_study(self, known, small_cells)


def fit(  # noqa: PLR0913
    patients: PatientScores | Mapping[Any, PatientScores] | Iterable[PatientScores],
    *,
    rule: str | Counted = "stable",
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    target_prevalence: float | tuple[float, float] | None = None,
    direction: str = "ge",
    grid: int | str = 200,
    n_bootstrap: int = 200,
    delta: float = 0.1,
    honesty: str = "split",
    certify_size: float = 0.5,
    stratified: bool = False,
    bound: str = "auto",
    ensemble: str | None = None,
    centering: str = "none",
    form: str = "pairwise",
    band: str = "multiscale",
    selector: str = "risk",
    stratify: Stratify | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Study:
    """Choose, freeze and certify one patient-level cut-off.

    Parameters
    ----------
    patients
        Patient scores with labels; or several candidates for the same patients (a mapping or a
        sequence: other score columns, other aggregators), of which Algorithm 1 chooses one.
    rule
        How a cut is chosen along the scores: ``stable``, ``erm``, ``youden``, ``ppv:0.9``,
        ``kappa@sensitivity:0.9`` and many more (``steadycut rules`` lists them); or a function
        ``(tp, fn, fp, tn) -> value``, which takes four arrays along the cuts and is maximised.
    cost_fn, cost_fp
        What a missed patient and a false alarm cost.
    target_prevalence
        Prevalence at which risk counts, or a range (low, high) of which the worse end does;
        default: that of the patients at hand.
    direction
        ``"ge"`` calls patients with ``score >= threshold``, ``"le"`` those with
        ``score <= threshold``.
    grid
        Number of evenly spaced cuts over the observed range, or ``"exact"``: every cut between
        two neighbouring scores.
    n_bootstrap
        How often the patients are resampled and the whole rule run again.
    delta
        Failure probability of the certificate, and of the bootstrap radius and modulus band.
    honesty
        ``"split"``: some patients choose, the others certify. ``"uniform"``: everybody does
        both, and only bounds that hold at all cuts at once are used.
    certify_size
        Share of the patients who certify, in ``split``.
    stratified
        Deal the classes evenly to both sides; only at a target prevalence.
    bound
        Bound on the generalisation term; ``auto`` is settled by costs and honesty.
    ensemble
        Average all candidates on the quantile scale instead of choosing one: ``"quantile"`` with
        equal weights, ``"gls"`` with those of the smallest bootstrap variance. Cuts are then
        the exact ones, whatever ``grid`` says.
    centering
        Quantile of the radius: ``"none"`` (Algorithm 1) or ``"bias"`` (the paper's appendix).
    form
        Modulus: ``"pairwise"`` or ``"oscillation"``.
    band
        Upper band of the modulus, the penalty: ``"multiscale"``, or the paper's ``"dkw"``, which
        is taken at a target prevalence.
    selector
        How one of several candidates is chosen: by the smallest ``"risk"``, which travels best;
        by the ``"objective"`` J of Algorithm 1, or J without the bias in the radius
        (``"no-bias"``); with several sites by the risk at each of the cut that the others choose,
        on average (``"site-mean"``) or where it is largest (``"site-worst"``).
    stratify
        Resample patients within strata, so that every bootstrap cohort has as many of each:
        ``"label"``, ``"site"`` or the name of one of ``patients.attributes``; one entry per
        patient in the order of ``patients.scores``; or a mapping from identifiers to strata.
    seed
        Same patients, same options, same seed: same study, to the last bit.
    progress
        Called with a text, the number of steps done and the number of steps.

    Returns
    -------
    Study

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(7)
    >>> labels = rng.integers(0, 2, 200)
    >>> cohort = PatientScores(scores=rng.normal(size=200) + 2 * labels, labels=labels)
    >>> study = fit(cohort, rule="erm")
    >>> bool(0 < study.threshold < 2), study.certificate.n_patients
    (True, 100)
    """
    options = study_options(
        rule=rule,
        cost_fn=cost_fn,
        cost_fp=cost_fp,
        target_prevalence=target_prevalence,
        direction=direction,
        grid=grid,
        n_bootstrap=n_bootstrap,
        delta=delta,
        honesty=honesty,
        certify_size=certify_size,
        stratified=stratified,
        bound=bound,
        ensemble=ensemble,
        centering=centering,
        form=form,
        band=band,
        selector=selector,
        stratify=stratify if stratify is None or isinstance(stratify, str) else GIVEN,
        seed=seed,
    )
    return run_study(as_candidates(patients), options, progress, strata=stratify)


def study_options(
    *,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    target_prevalence: float | tuple[float, float] | None = None,
    direction: str = "ge",
    honesty: str = "split",
    certify_size: float = 0.5,
    stratified: bool = False,
    bound: str = "auto",
    ensemble: str | None = None,
    stratify: str | None = None,
    seed: int = 0,
    **search: Any,  # noqa: ANN401
) -> Options:
    """Return the options of `fit`, checked, before any patient is looked at."""
    costs = Costs(cost_fn=cost_fn, cost_fp=cost_fp, target=_as_range(target_prevalence))
    return Options(
        search=Search(costs=costs, **search),
        direction=direction,
        honesty=honesty,
        certify_size=certify_size,
        stratified=stratified,
        bound=bound,
        ensemble=ensemble,
        stratify=stratify,
        seed=seed,
    )


def run_study(
    candidates: list[PatientScores],
    options: Options,
    progress: Progress | None = None,
    draw: Draw = draw_thresholds,
    strata: Stratify | None = None,
    roles: Roles | None = None,
) -> Study:
    """Run the steps of the flow, in order.

    ``draw`` resamples patients and runs the rule again; a scorer that learns brings its own.
    ``strata`` are those of the patients if ``options.stratify`` does not name a column of theirs.
    ``roles`` are given where they were dealt before there were scores.
    """
    check_same_patients(candidates)
    check_both_classes(candidates[0])
    check_several(candidates, options)
    _, bootstrap_seed = np.random.SeedSequence(options.seed).spawn(2)
    roles = roles or deal_roles(candidates[0], options)
    within = strata_of(candidates[0], options, strata)
    tried: list[Candidate] = []
    feasible: list[PatientScores] = []
    refusals: dict[str, NoFeasibleCut] = {}
    for done, scores in enumerate(candidates):
        if progress:
            progress(f"bootstrap of {scores.recipe.name}", done, len(candidates))
        oriented = scores.oriented(options.direction)
        # Every candidate gets the same random numbers, whatever else is tried.
        rng = np.random.default_rng(bootstrap_seed)
        chosen_by = oriented.take(roles.select)
        chosen_within = None if within is None else within[roles.select]
        try:
            found = try_candidate(
                chosen_by, oriented, options.search, rng, options.publish, draw, chosen_within
            )
        except NoFeasibleCut as error:
            refusals[scores.recipe.name] = error
        else:
            tried.append(found)
            feasible.append(scores)
    if refusals and (options.ensemble is not None or not tried):
        raise next(iter(refusals.values()))
    finish = choose_one if options.ensemble is None else average_all
    rng = np.random.default_rng(bootstrap_seed)
    study = finish(feasible, tried, options, roles, rng, tuple(refusals))
    if progress:
        progress("certified", len(candidates), len(candidates))
    return study


def choose_one(
    candidates: list[PatientScores],
    tried: list[Candidate],
    options: Options,
    roles: Roles,
    rng: np.random.Generator,
    infeasible: tuple[str, ...] = (),
) -> Study:
    """Let Algorithm 1 choose a candidate, and certify it."""
    del rng
    chosen = best_candidate(tried, options.search.costs, options.search.selector)
    patients = candidates[tried.index(chosen)]
    return certify_study(patients, chosen, tried, options, roles, infeasible)


def average_all(
    candidates: list[PatientScores],
    tried: list[Candidate],
    options: Options,
    roles: Roles,
    rng: np.random.Generator,
    infeasible: tuple[str, ...] = (),
) -> Study:
    """Average the cuts of all candidates on the quantile scale, and certify the ensemble."""
    del infeasible
    kind, search, sign = options.ensemble, options.search, options.sign
    assert kind is not None  # noqa: S101
    everyone = [scores.oriented(options.direction) for scores in candidates]
    chose = [scores.take(roles.select) for scores in everyone]
    ensemble, cuts = make_ensemble(chose, everyone, kind, search, sign, rng)
    patients = ensemble.combine(candidates)
    selecting = patients.take(roles.select).oriented(options.direction)
    chosen = try_ensemble(selecting, ensemble.threshold(cuts, sign), tried, search)
    study = certify_study(patients, chosen, [*tried, chosen], options, roles)
    return replace(study, ensemble=ensemble)


def certify_study(
    patients: PatientScores,
    chosen: Candidate,
    tried: list[Candidate],
    options: Options,
    roles: Roles,
    infeasible: tuple[str, ...] = (),
) -> Study:
    """Certify what was chosen, and put the study together.

    A candidate that was left out counts as well: the patients told that it should be.
    """
    certifying = patients.oriented(options.direction).take(roles.certify)
    certificate = certify_patients(
        certifying,
        chosen.threshold,
        options.search.costs,
        options.search.delta,
        bound=options.bound,
        honesty=options.honesty,
        n_candidates=len(tried) + len(infeasible),
    )
    return Study(
        options=options,
        patients=patients,
        roles=roles,
        chosen=chosen,
        candidates=tuple(tried),
        certificate=certificate,
        counts=confusion_at(certifying, chosen.threshold),
        infeasible=infeasible,
    )


def infeasible_warning(name: str) -> str:
    """Say that a candidate was left out."""
    return f"limits: no cut-off of '{name}' keeps the limits of the rule; it was left out."


def deal_roles(patients: PatientScores, options: Options) -> Roles:
    """Return who chooses and who certifies.

    Neither scores nor labels are looked at. The random numbers come from the seed and from the
    identifiers: from the seed alone the same positions would be dealt for every cohort of a size,
    and where identifiers tell the class (``case_1``, ``control_1``) that is as good as stratified.
    """
    if options.honesty == "uniform":
        return everybody(patients.n_patients)
    (seed,) = np.random.SeedSequence([options.seed, *digest_of_names(patients)]).spawn(1)
    rng = np.random.default_rng(seed)
    if options.stratified:
        return split_classes(patients.known_labels, options.certify_size, rng)
    return split_patients(patients.n_patients, options.certify_size, rng)


def digest_of_names(patients: PatientScores) -> bytes:
    """Return a digest of the identifiers; nothing where there are none."""
    if patients.patients is None:
        return b""
    return hashlib.sha256("\x1f".join(patients.patients.tolist()).encode()).digest()


def strata_of(
    patients: PatientScores, options: Options, strata: Stratify | None
) -> IntArray | None:
    """Return the stratum of each patient; None where patients are resampled all together."""
    if options.stratify is None:
        return None
    named = options.stratify if strata is None or options.stratify != GIVEN else strata
    return stratum_codes(patients, named)


def check_stratify(stratify: str | None, ensemble: str | None) -> None:
    """Refuse strata of an ensemble."""
    if stratify is not None and ensemble is not None:
        msg = "an ensemble cannot be resampled within strata; leave out stratify or ensemble."
        raise BadOption(msg)


def _as_range(prevalence: float | tuple[float, float] | None) -> tuple[float, float] | None:
    return None if prevalence is None else check_range("target_prevalence", prevalence)


def as_candidates(
    patients: PatientScores | Mapping[Any, PatientScores] | Iterable[PatientScores],
) -> list[PatientScores]:
    """Return the candidates as a list of at least one."""
    if isinstance(patients, PatientScores):
        return [patients]
    given = patients.values() if isinstance(patients, Mapping) else patients
    several = list(given) if isinstance(given, Iterable) else []
    if not several or not all(isinstance(one, PatientScores) for one in several):
        msg = (
            "patients must be PatientScores, or a mapping or sequence of them; got "
            f"{type(patients).__name__}. Build them with steadycut.aggregate or "
            "steadycut.PatientScores(scores=..., labels=...)."
        )
        raise BadOption(msg)
    return several


def check_same_patients(candidates: list[PatientScores]) -> None:
    """Refuse candidates that are not about the same patients with the same labels."""
    first = candidates[0]
    for other in candidates[1:]:
        same = np.array_equal(first.known_labels, other.known_labels)
        if first.patients is not None and other.patients is not None:
            same = same and np.array_equal(first.patients, other.patients)
        if not same:
            msg = (
                f"all candidates must hold the same patients and labels; '{first.recipe.name}' and "
                f"'{other.recipe.name}' differ. Make them from one table."
            )
            raise BadPatients(msg)


def check_several(candidates: list[PatientScores], options: Options) -> None:
    """Refuse an ensemble of one."""
    if options.ensemble is not None and len(candidates) == 1:
        msg = (
            f"an ensemble needs at least two methods; got one, '{candidates[0].recipe.name}'. Name "
            "several scores or several aggregators."
        )
        raise BadOption(msg)


def check_both_classes(patients: PatientScores) -> None:
    """Refuse fewer than two patients of a class."""
    counts = (patients.n_positive, patients.n_negative)
    if min(counts) < LEAST_PATIENTS:
        msg = (
            f"a cut-off needs at least {LEAST_PATIENTS} patients of each class; got {counts[0]} "
            f"positive and {counts[1]} negative. Check the label column and the positive value."
        )
        raise TooFewPatients(msg)
