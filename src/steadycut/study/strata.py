"""Ordered risk strata: patient scores in, described, frozen and certified boundaries out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.asked_rates import CertifiedRate, certified_rates, parse_rates
from steadycut.core.bootstrap.draws import JointRadius, joint_radius
from steadycut.core.bounds.modulus import windows_of
from steadycut.core.certify import Certificate
from steadycut.core.checks import FloatArray, IntArray, read_only, shown
from steadycut.core.confusion import count_decisions
from steadycut.core.cuts.grid import Cuts, clear_of_scores, operating_value
from steadycut.core.parts import check_one_per_patient, stated_warnings
from steadycut.core.records import PatientScores, by_patient, check_patients
from steadycut.core.rounding import cut_text
from steadycut.core.split import Roles
from steadycut.core.strata.certify import (
    BoundaryCertificate,
    certify_boundaries,
    certify_cost,
    choose_loss_bound,
)
from steadycut.core.strata.costs import CostMatrix, check_grades
from steadycut.core.strata.cuts import boundary_curves, grade_cells
from steadycut.core.strata.diagnose import cost_warnings, grade_warnings, strata_warnings
from steadycut.core.strata.draws import StrataDraws, draw_strata, stratum_flips, stratum_of
from steadycut.core.strata.modulus import joint_band, joint_modulus, local_modulus
from steadycut.core.strata.rules import parse_strata_rule, smallest_risk
from steadycut.core.strata.two_cuts import TwoCuts, two_cuts_text
from steadycut.core.verdict import OVERALL, RateName, worst_answer
from steadycut.documents import strata as documents
from steadycut.documents.guards import graded_fingerprint
from steadycut.documents.shown import Shown, study_repr
from steadycut.documents.study import StudyVerdictPart
from steadycut.errors import BadOption, TooFewPatients, argument, explains_calls, warn_each
from steadycut.study.describe import made_from, steps_of, versions
from steadycut.study.options import USUAL, GridOptions, Options, lists_options, study_options
from steadycut.study.reference import span_of
from steadycut.study.roles import LEAST_PATIENTS, deal_roles
from steadycut.study.useful import verdict_of_counts

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


MIDDLE = (0.05, 0.95)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StrataStudy(Shown):
    """Boundaries of risk strata, why they were chosen and how far they can be trusted.

    Everything public is in the original units of the scores. ``grades`` are the true grades of
    ``patients``. ``counts``, shape (grades, strata), counts the certifying patients.
    """

    options: StrataOptions
    patients: PatientScores
    grades: IntArray
    roles: Roles
    draws: StrataDraws
    risk: float
    smallest_risk: float
    radius: JointRadius
    modulus: float
    local_modulus: float
    penalty: float
    certificate: Certificate
    boundaries: tuple[BoundaryCertificate, ...]
    counts: IntArray
    _lists: ClassVar = {"boundaries": "boundaries"}

    def __repr__(self) -> str:
        """Return the answer in three lines; no patient is shown."""
        return study_repr(
            self, f"boundaries at {', '.join(cut_text(cut, 4) for cut in self.thresholds.tolist())}"
        )

    @property
    def thresholds(self) -> FloatArray:
        """The frozen boundaries, from the lowest stratum up; with ``"le"`` they descend."""
        # Adding 0.0 turns negative zero into zero.
        return self.options.shared.sign * self.draws.thresholds + 0.0

    @property
    def bootstrap_thresholds(self) -> FloatArray:
        """The boundaries of each bootstrap replicate, shape (replicates, boundaries)."""
        return self.options.shared.sign * self.draws.draws + 0.0

    @property
    def sides(self) -> tuple[CertifiedRate, ...]:
        """What is certified of the two rates that were asked for, rule-out first; else nothing."""
        return certified_rates(self.counts, self.options.asked_rates, self.options.delta)

    @property
    def objective(self) -> float:
        """The smallest mean cost among the choosing patients, plus the joint penalty."""
        return self.smallest_risk + self.penalty

    @property
    def flip_rate(self) -> float:
        """Share of certifying patients and draws whose stratum changes."""
        return self._moved(at_least=1)

    @property
    def disagreement(self) -> float:
        """Mean share of certifying patients whom two draws put into different strata."""
        return self.draws.disagreement(self._oriented(self.patients.scores[self.roles.certify]))

    @property
    def jump_rate(self) -> float:
        """Share of certifying patients and draws whose stratum changes by two or more."""
        return self._moved(at_least=2)

    def _moved(self, at_least: int) -> float:
        scores = self.patients.scores[self.roles.certify]
        return float(self.flip_probability(scores, at_least).mean())

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before trusting the numbers."""
        options = self.options
        warnings = cost_warnings(options.costs, options.strata)
        between = None if options.two_cuts is None else options.strata[1]
        warnings += strata_warnings(self.draws, self.roles.select.size, options.strata, between)
        for role, index in (("choose", self.roles.select), ("certify", self.roles.certify)):
            warnings += grade_warnings(role, self.grades[index], options.grades)
        return [*warnings, *stated_warnings(self.patients, stated=options.shared.one_per_patient)]

    def stratum_of(self, scores: ArrayLike) -> IntArray:
        """Return the stratum of each score, 0 for the lowest."""
        return stratum_of(self._oriented(scores), self.draws.thresholds)

    def flip_probability(self, scores: ArrayLike, at_least: int = 1) -> FloatArray:
        """Return how often a resampled study would move each score by ``at_least`` strata."""
        oriented = self._oriented(scores)
        return stratum_flips(oriented, self.draws.thresholds, self.draws.draws, at_least)

    def _oriented(self, scores: ArrayLike) -> FloatArray:
        return self.options.shared.sign * PatientScores(scores=scores).scores

    def describe(self) -> documents.StrataStudyDocument:
        """Return everything that was found, without any patient, as one typed record."""
        options, recipe = self.options, self.patients.recipe
        members = self.counts.sum(axis=0)
        return documents.StrataStudyDocument.of(
            *(options, options.shared, self, recipe),
            data=None,
            options=documents.StrataOptionsPart.of(options, options.shared, options.shared.search),
            operating_values=operating_values(self),
            aggregation=steps_of(recipe),
            costs=options.costs.values.tolist(),
            boundaries=boundary_parts(self),
            stability=stability_part(self),
            patients=role_counts(self),
            verdict=strata_verdict(self),
            sides=self.sides or None,
            between=documents.BetweenPart.of_counts(members, options.delta) if self.sides else None,
        )

    def freeze(self) -> documents.StrataRule:
        """Return the boundaries to take to the next hospital."""
        described, patients = self.describe(), self.patients
        usual = np.quantile(patients.scores, MIDDLE, method="inverted_cdf").tolist()
        data = graded_fingerprint(patients.fingerprint(), self.grades)
        made = documents.StrataProvenance.of(described, versions=versions(), data_sha256=data)
        return documents.StrataRule.of(
            *(described, self),
            usual_range=usual,
            instances_per_patient=span_of(patients.n_instances),
            provenance=made,
            **made_from(patients),
        )


def strata_verdict(study: StrataStudy) -> StudyVerdictPart:
    """Return whether the strata are useful and, of two limits, whether both rates are shown."""
    verdict = verdict_of_counts(study.counts, study.certificate, study.options.costs)
    if not study.sides:
        return verdict
    asked = worst_answer(side.answer for side in study.sides)
    return verdict.model_copy(update={"as_asked": asked, "overall": OVERALL[asked]})


def operating_values(study: StrataStudy) -> list[float | None]:
    """Return, for each boundary, the lowest-risk score of a choosing patient who is above it."""
    sign = study.options.shared.sign
    scores = sign * study.patients.scores[study.roles.select]
    values = [operating_value(cut, scores) for cut in study.draws.thresholds.tolist()]
    return [None if value is None else sign * value for value in values]


def boundary_parts(study: StrataStudy) -> list[documents.BoundaryPart]:
    """Return one part per boundary: the costs of its errors for each grade, and both limits."""
    options, steps = study.options, study.options.costs.steps
    probabilities = options.costs.probabilities
    return [
        documents.BoundaryPart.of(
            boundary,
            below=options.strata[k],
            above=options.strata[k + 1],
            threshold=float(study.thresholds[k]),
            miss_costs=_costs_of(options, steps[:, k]),
            alarm_costs=_costs_of(options, -steps[:, k]),
            probability=None if probabilities is None else float(probabilities[k]),
        )
        for k, boundary in enumerate(study.boundaries)
    ]


def _costs_of(options: StrataOptions, step: FloatArray) -> dict[str, float]:
    """Return the cost of the wrong side, for each grade for which this side is wrong."""
    costs = zip(options.grades, step.tolist(), strict=True)
    return {grade: cost for grade, cost in costs if cost > 0}


def stability_part(study: StrataStudy) -> documents.StrataStability:
    """Return how far the boundaries move between replicates, and what that may cost."""
    shared, radius = study.options.shared, study.radius
    bias = shared.sign * radius.bias + 0.0
    return documents.StrataStability.of(radius, study, shared.search, bias=bias.tolist())


def role_counts(study: StrataStudy) -> documents.StrataRoles:
    """Return how many patients there are in each role and grade."""
    select, certify = (
        np.bincount(study.grades[index], minlength=len(study.options.grades)).tolist()
        for index in (study.roles.select, study.roles.certify)
    )
    return documents.StrataRoles(total=study.patients.n_patients, select=select, certify=certify)


@explains_calls
@lists_options
def fit_strata(
    patients: PatientScores,
    *,
    costs: ArrayLike | None = None,
    grades: ArrayLike | Mapping[Any, int] | None = None,
    **options: Unpack[StrataFitOptions],
) -> StrataStudy:
    """Choose, freeze and certify the boundaries of ordered risk strata, all of them at once.

    Parameters
    ----------
    patients
        Patient scores; their labels are the grades 0 and 1 unless ``grades`` are given.
    costs
        C[grade, stratum], shape (grades, strata), both ascending: the cost of putting a patient
        of this grade into this stratum. May be left out with ``rule_out`` and ``rule_in``: then a
        further test costs a quarter of a wrong decision.
    rule_out, rule_in
        Two limits instead of ``rule``, such as ``"sensitivity:0.95"`` (or ``"npv:0.98"``) and
        ``"specificity:0.95"`` (or ``"ppv:0.9"``). As many healthy patients as possible are ruled
        out, and as many ill ones as possible ruled in. For two grades and three strata.
    grades
        True grade of every patient, 0, 1, ..., in the order of ``patients.scores``; or a mapping
        from identifiers, or a pandas Series with them as index.
    strata, grade_names
        Names, ascending. Default: low, intermediate, high for three strata (with two limits: rule
        out, further tests, rule in); 0, 1, ... for grades.
    rule
        ``"stable"``, the rule of one cut-off at each boundary, or ``"erm"``, the smallest cost.
    {options: direction grid n_bootstrap delta certify_size seed one_per_patient}
    bound
        On the mean cost: ``"auto"``, ``"clopper-pearson"`` (costs of two values), ``"betting"``,
        ``"bentkus"`` or ``"hoeffding"``.
    certify
        Rates to certify with two limits, such as ``"sensitivity:0.9,specificity:0.9"``. Default:
        the limits themselves. Choose by stricter limits than you certify; otherwise about half of
        all studies cannot show them.

    Returns
    -------
    StrataStudy

    Notes
    -----
    Some patients choose, the others certify. ``certificate`` is a bound on the mean cost.
    ``boundaries`` holds limits of all error rates at once. Each statement fails with probability
    at most ``delta``, so both hold together with probability at least 1 - 2 delta. With two limits,
    ``sides`` says of each of the two rates whether it is shown. Their lower limits hold together
    with probability at least 1 - delta, and so do their upper limits. The stability figures come
    from a bootstrap and have no guarantee.

    Examples
    --------
    >>> rng = np.random.default_rng(3)
    >>> grades = rng.integers(0, 3, 300)
    >>> cohort = PatientScores(scores=rng.normal(size=300) + 2 * grades)
    >>> study = fit_strata(cohort, costs=[[0, 1, 2], [1, 0, 1], [2, 1, 0]], grades=grades)
    >>> low, high = study.thresholds
    >>> bool(0.5 < low < 1.5 < 2.5 < high < 3.5), study.certificate.n_patients
    (True, 150)
    """
    check_patients(patients)
    patients.need_scores("risk strata have no policy for them")
    settled = strata_options(None if costs is None else CostMatrix(costs), **options)
    given = by_patient("grades", patients, patients.known_labels if grades is None else grades)
    coded = check_grades(given, patients.n_patients, settled.costs.n_grades)
    study = run_strata(patients, coded, settled)
    warn_each(study.warnings, stacklevel=3)
    return study


def run_strata(patients: PatientScores, grades: IntArray, options: StrataOptions) -> StrataStudy:
    """Run the steps: deal the roles, choose, resample, certify."""
    check_every_grade(grades, options)
    # The same roles and random numbers as in a study of one cut-off with the same seed.
    marked = replace(patients, labels=(grades > 0).astype(np.int8))
    shared, costs = options.shared, options.costs
    for known in (patients, marked):
        check_one_per_patient(known, stated=shared.one_per_patient)
    roles = deal_roles(marked, shared)
    _, seed = np.random.SeedSequence(shared.seed).spawn(2)
    oriented, chose = patients.oriented(shared.direction), roles.select
    grid, n_bootstrap = shared.search.grid, shared.search.n_bootstrap
    cuts, cells = grade_cells(oriented.take(chose), grades[chose], costs.n_grades, grid)
    if options.two_cuts is not None:
        options.two_cuts.refuse_infeasible(cuts, f"'{oriented.recipe.name}'")
    rule, rng = parse_strata_rule(options.rule), np.random.default_rng(seed)
    draws = draw_strata(cuts, cells, rule, costs, n_bootstrap, rng)
    # Boundaries move off the scores that they equal; no patient changes stratum.
    clear = [clear_of_scores(cut, oriented.scores) for cut in draws.thresholds.tolist()]
    draws = replace(draws, thresholds=read_only(np.array(clear)))
    return _certified(oriented, grades, options, roles, cuts, cells, draws)


def _certified(
    oriented: PatientScores,
    grades: IntArray,
    options: StrataOptions,
    roles: Roles,
    cuts: Cuts,
    cells: IntArray,
    draws: StrataDraws,
) -> StrataStudy:
    costs, delta = options.costs, options.delta
    thresholds = draws.thresholds
    chose, certify = roles.select, roles.certify
    strata = stratum_of(oriented.scores, thresholds)
    windows = windows_of(oriented.scores[chose], grades[chose], costs.n_grades)
    # Distances are taken where a boundary without a number is drawn: just beyond the scores.
    places = cuts.on_scale(thresholds)
    radius = joint_radius(places, cuts.on_scale(draws.draws), delta)
    counts = count_decisions(grades[certify], strata[certify], costs.values.shape)
    return StrataStudy(
        options=options,
        patients=oriented.oriented(options.shared.direction),
        grades=read_only(grades),
        roles=roles,
        draws=draws,
        risk=float(costs.of_patients(grades[chose], strata[chose]).mean()),
        smallest_risk=float(smallest_risk(boundary_curves(cells[None], costs))[0]),
        radius=radius,
        modulus=joint_modulus(windows, radius.radius, costs),
        local_modulus=local_modulus(windows, places, radius.radius, costs),
        penalty=joint_band(windows, radius.radius, costs, delta),
        certificate=certify_cost(strata[certify], grades[certify], costs, delta, options.bound),
        boundaries=certify_boundaries(counts, costs, delta),
        counts=read_only(counts),
    )


def check_every_grade(grades: IntArray, options: StrataOptions) -> None:
    """Raise an error if a grade has fewer than two patients."""
    counts = np.bincount(grades, minlength=len(options.grades)).tolist()
    if min(counts) < LEAST_PATIENTS:
        have = ", ".join(f"{n} of {name!r}" for n, name in zip(counts, options.grades, strict=True))
        raise TooFewPatients(
            f"risk strata need at least {LEAST_PATIENTS} patients of each grade; got {have}. Check "
            "the label column and the order of its values, or join grades."
        )
