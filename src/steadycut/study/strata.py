"""Ordered risk strata: patient scores in, frozen and certified boundaries out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bounds.windows import windows_of
from steadycut.core.certify import Certificate
from steadycut.core.checks import (
    MOST_REPLICATES,
    FloatArray,
    IntArray,
    as_array,
    check_choice,
    check_count,
    check_fraction,
    check_length,
    read_only,
    shown,
)
from steadycut.core.cuts.grid import check_grid, clear_of_scores
from steadycut.core.records import DIRECTIONS, PatientScores, check_patients
from steadycut.core.split import Roles
from steadycut.core.strata.certify import (
    BoundaryCertificate,
    certify_boundaries,
    certify_cost,
    choose_loss_bound,
)
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.cuts import BoundaryCurves, boundary_curves, grade_cells
from steadycut.core.strata.diagnose import cost_warnings, grade_warnings, strata_warnings
from steadycut.core.strata.draws import StrataDraws, draw_strata, stratum_flips, stratum_of
from steadycut.core.strata.modulus import (
    JointRadius,
    joint_band,
    joint_modulus,
    joint_radius,
    local_modulus,
)
from steadycut.core.strata.rules import parse_strata_rule, smallest_risk
from steadycut.errors import BadOption, BadPatients, TooFewPatients
from steadycut.study.fit import LEAST_PATIENTS, deal_roles, study_options

if TYPE_CHECKING:
    from steadycut.documents.strata import StrataRule

# The names that two and three strata have if nobody names them.
USUAL_NAMES = {2: ("low", "high"), 3: ("low", "intermediate", "high")}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StrataOptions:
    """Everything that a study of risk strata depends on besides the patients."""

    costs: CostMatrix
    strata: tuple[str, ...]
    grades: tuple[str, ...]
    rule: str = "stable"
    direction: str = "ge"
    grid: int | str = 200
    n_bootstrap: int = 200
    delta: float = 0.1
    certify_size: float = 0.5
    bound: str = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        parse_strata_rule(self.rule)
        check_choice("direction", self.direction, DIRECTIONS)
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
        return 1.0 if self.direction == "ge" else -1.0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StrataStudy:
    """Boundaries of risk strata, why they were chosen and how far they can be trusted.

    Everything public is in the units of the scores as they came. ``grades`` are the true grades of
    ``patients``; ``counts``, shape (grades, strata), are the certifying patients.
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

    @property
    def thresholds(self) -> FloatArray:
        """The frozen boundaries, from the lowest stratum up; with ``"le"`` they descend."""
        # Adding 0.0 turns negative zero into zero.
        return self.options.sign * self.draws.thresholds + 0.0

    @property
    def bootstrap_thresholds(self) -> FloatArray:
        """What the same rule chose in each bootstrap replicate, (replicates, boundaries)."""
        return self.options.sign * self.draws.draws + 0.0

    @property
    def objective(self) -> float:
        """The smallest mean cost of those who chose, plus the joint penalty."""
        return self.smallest_risk + self.penalty

    @property
    def certify_scores(self) -> FloatArray:
        """The scores of the patients who certify."""
        return self.patients.scores[self.roles.certify]

    @property
    def flip_rate(self) -> float:
        """Share of certifying patients and draws whose stratum changes."""
        return float(self.flip_probability(self.certify_scores).mean())

    @property
    def jump_rate(self) -> float:
        """Share of certifying patients and draws whose stratum changes by two or more."""
        return float(self.flip_probability(self.certify_scores, at_least=2).mean())

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before trusting the numbers."""
        options = self.options
        found = cost_warnings(options.costs, options.strata)
        found += strata_warnings(self.draws, self.roles.select.size, options.strata)
        for role, index in (("choose", self.roles.select), ("certify", self.roles.certify)):
            found += grade_warnings(role, self.grades[index], options.grades)
        return found

    def stratum_of(self, scores: ArrayLike) -> IntArray:
        """Return the stratum of each score, 0 for the lowest."""
        return stratum_of(self.options.sign * _scores(scores), self.draws.thresholds)

    def flip_probability(self, scores: ArrayLike, at_least: int = 1) -> FloatArray:
        """Return how often a resampled study would move each score by ``at_least`` strata."""
        values = self.options.sign * _scores(scores)
        return stratum_flips(values, self.draws.thresholds, self.draws.draws, at_least)

    def to_dict(self) -> dict[str, Any]:
        """Return the study as plain nested data, without any patient."""
        from steadycut.study.describe_strata import strata_summary

        return strata_summary(self)

    def freeze(self) -> "StrataRule":
        """Return the boundaries to take to the next hospital."""
        from steadycut.documents.strata import StrataRule

        return StrataRule.from_study(self)


def fit_strata(  # noqa: PLR0913
    patients: PatientScores,
    *,
    costs: ArrayLike,
    grades: ArrayLike | Mapping[Any, int] | None = None,
    n_thresholds: int | None = None,
    strata: Sequence[str] | None = None,
    grade_names: Sequence[str] | None = None,
    rule: str = "stable",
    direction: str = "ge",
    grid: int | str = 200,
    n_bootstrap: int = 200,
    delta: float = 0.1,
    certify_size: float = 0.5,
    bound: str = "auto",
    seed: int = 0,
) -> StrataStudy:
    """Choose, freeze and certify the boundaries of ordered risk strata, all of them at once.

    Parameters
    ----------
    patients
        Patient scores; their labels are the grades 0 and 1 unless ``grades`` are given.
    costs
        C[grade, stratum], shape (grades, strata), both ascending: what it costs to put a patient
        of a grade into a stratum.
    grades
        True grade of every patient, 0, 1, ..., in the order of ``patients.scores``; or a mapping
        from identifiers.
    n_thresholds
        How many boundaries; if given, it must be one less than there are columns of ``costs``.
    strata, grade_names
        Names, ascending. Default: low, intermediate, high for three strata; 0, 1, ... for grades.
    rule
        ``"stable"``, the joint posterior mean, or ``"erm"``, the smallest mean cost.
    direction
        ``"ge"``: high scores are high risk; ``"le"``: low ones are.
    grid, n_bootstrap, certify_size, seed
        As in `steadycut.fit`.
    delta
        Failure probability of each of the two statements, of the radius and of the band.
    bound
        On the mean cost: ``"auto"``, ``"clopper-pearson"`` (costs of two values), ``"betting"``,
        ``"bentkus"`` or ``"hoeffding"``.

    Returns
    -------
    StrataStudy

    Notes
    -----
    Some patients choose, the others certify. ``certificate`` bounds the mean cost and
    ``boundaries`` all error rates at once, each statement at ``delta``: both hold together with
    probability 1 - 2 delta at least. The stability figures promise nothing; they are a bootstrap.

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
    matrix = CostMatrix(costs)
    options = strata_options(
        matrix,
        n_thresholds=n_thresholds,
        strata=strata,
        grade_names=grade_names,
        rule=rule,
        direction=direction,
        grid=grid,
        n_bootstrap=n_bootstrap,
        delta=delta,
        certify_size=certify_size,
        bound=bound,
        seed=seed,
    )
    return run_strata(patients, read_grades(patients, grades, matrix.n_grades), options)


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
            f"n_thresholds must be one less than the columns of costs, {costs.n_boundaries}; got "
            f"{shown(n_thresholds)}."
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


def run_strata(patients: PatientScores, grades: IntArray, options: StrataOptions) -> StrataStudy:
    """Run the steps: deal the roles, choose, resample, certify."""
    check_every_grade(grades, options)
    # The same roles and random numbers as in a study of one cut-off with the same seed.
    marked = replace(patients, labels=(grades > 0).astype(np.int8))
    dealing = study_options(certify_size=options.certify_size, seed=options.seed)
    roles = deal_roles(marked, dealing)
    _, bootstrap_seed = np.random.SeedSequence(options.seed).spawn(2)
    oriented = patients.oriented(options.direction)
    draws, curves = _choose(
        oriented.take(roles.select),
        grades[roles.select],
        options,
        np.random.default_rng(bootstrap_seed),
    )
    return _certified(oriented, grades, options, roles, _published(draws, oriented.scores), curves)


def _choose(
    patients: PatientScores, grades: IntArray, options: StrataOptions, rng: np.random.Generator
) -> tuple[StrataDraws, BoundaryCurves]:
    costs = options.costs
    cuts, cells = grade_cells(patients, grades, costs.n_grades, options.grid)
    rule = parse_strata_rule(options.rule)
    draws = draw_strata(cuts, cells, rule, costs, options.n_bootstrap, rng)
    return draws, boundary_curves(cells[None], costs)


def _published(draws: StrataDraws, scores: FloatArray) -> StrataDraws:
    """Move boundaries off the scores that they equal; no patient changes stratum."""
    clear = [clear_of_scores(threshold, scores) for threshold in draws.thresholds.tolist()]
    return replace(draws, thresholds=read_only(np.array(clear)))


def _certified(
    oriented: PatientScores,
    grades: IntArray,
    options: StrataOptions,
    roles: Roles,
    draws: StrataDraws,
    curves: BoundaryCurves,
) -> StrataStudy:
    costs, delta = options.costs, options.delta
    thresholds = draws.thresholds
    chose, certify = roles.select, roles.certify
    strata = stratum_of(oriented.scores, thresholds)
    windows = windows_of(oriented.scores[chose], grades[chose], costs.n_grades)
    radius = joint_radius(thresholds, draws.draws, delta)
    counts = np.zeros(costs.values.shape, dtype=np.int64)
    np.add.at(counts, (grades[certify], strata[certify]), 1)
    return StrataStudy(
        options=options,
        patients=oriented.oriented(options.direction),
        grades=read_only(grades),
        roles=roles,
        draws=draws,
        risk=float(costs.of_patients(grades[chose], strata[chose]).mean()),
        smallest_risk=float(smallest_risk(curves)[0]),
        radius=radius,
        modulus=joint_modulus(windows, radius.radius, costs),
        local_modulus=local_modulus(windows, thresholds, radius.radius, costs),
        penalty=joint_band(windows, radius.radius, costs, delta),
        certificate=certify_cost(strata[certify], grades[certify], costs, delta, options.bound),
        boundaries=certify_boundaries(strata[certify], grades[certify], costs, delta),
        counts=read_only(counts),
    )


def read_grades(
    patients: PatientScores, grades: ArrayLike | Mapping[Any, int] | None, n_grades: int
) -> IntArray:
    """Return the grade of every patient, in the order of ``patients.scores``."""
    if isinstance(grades, Mapping):
        grades = _looked_up(patients, grades)
    found = patients.known_labels if grades is None else as_array("grades", grades)
    check_length("grades", np.atleast_1d(found), patients.n_patients)
    allowed = np.isin(found, np.arange(n_grades))
    if found.ndim != 1 or not allowed.all():
        msg = (
            f"grades must be whole numbers from 0 to {n_grades - 1}, one a patient, as many as "
            f"costs has rows; {np.count_nonzero(~allowed)} are not."
        )
        raise BadPatients(msg)
    return found.astype(np.int64)


def _looked_up(patients: PatientScores, grade_of: Mapping[Any, int]) -> list[int]:
    if patients.patients is None:
        msg = "a mapping of grades needs patients with identifiers; give one entry a patient."
        raise BadPatients(msg)
    known = {str(name): grade for name, grade in grade_of.items()}
    missing = sum(name not in known for name in patients.patients.tolist())
    if missing:
        msg = f"grades must name the grade of every patient; {missing} have none."
        raise BadPatients(msg)
    return [known[name] for name in patients.patients.tolist()]


def check_every_grade(grades: IntArray, options: StrataOptions) -> None:
    """Refuse fewer than two patients of a grade."""
    counts = np.bincount(grades, minlength=len(options.grades)).tolist()
    if min(counts) < LEAST_PATIENTS:
        have = ", ".join(f"{n} of {name!r}" for n, name in zip(counts, options.grades, strict=True))
        msg = (
            f"risk strata need at least {LEAST_PATIENTS} patients of each grade; got {have}. Check "
            "the label column and the order of its values, or join grades."
        )
        raise TooFewPatients(msg)


def _check_names(what: str, names: tuple[str, ...], wanted: int, side: str) -> None:
    given = ", ".join(map(shown, names))
    if len(names) != wanted:
        msg = (
            f"{what} must have as many names as costs has {side}, {wanted}; got {len(names)}: "
            f"{given}."
        )
        raise BadOption(msg)
    if len(set(names)) < wanted or not all(name.strip() for name in names):
        msg = f"{what} must have names that differ and are not empty; got {given}."
        raise BadOption(msg)


def _scores(scores: ArrayLike) -> FloatArray:
    return PatientScores(scores=scores).scores
