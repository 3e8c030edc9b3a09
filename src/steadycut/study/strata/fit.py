"""Ordered risk strata: patient scores in, frozen and certified boundaries out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bootstrap.radius import joint_radius
from steadycut.core.bounds.windows import windows_of
from steadycut.core.checks import IntArray, read_only
from steadycut.core.confusion import count_decisions
from steadycut.core.cuts.grid import clear_of_scores
from steadycut.core.records import PatientScores, by_patient, check_patients
from steadycut.core.split import Roles
from steadycut.core.strata.certify import certify_boundaries, certify_cost
from steadycut.core.strata.costs import CostMatrix, check_grades
from steadycut.core.strata.cuts import boundary_curves, grade_cells
from steadycut.core.strata.draws import StrataDraws, draw_strata, stratum_of
from steadycut.core.strata.modulus import joint_band, joint_modulus, local_modulus
from steadycut.core.strata.rules import parse_strata_rule, smallest_risk
from steadycut.errors import TooFewPatients, warn_each
from steadycut.study.options import USUAL, StudyOptions, lists_options
from steadycut.study.roles import LEAST_PATIENTS, deal_roles
from steadycut.study.strata.fitted import StrataStudy
from steadycut.study.strata.options import StrataOptions, strata_options


@lists_options
def fit_strata(
    patients: PatientScores,
    *,
    costs: ArrayLike | None = None,
    rule_out: str | None = None,
    rule_in: str | None = None,
    grades: ArrayLike | Mapping[Any, int] | None = None,
    n_thresholds: int | None = None,
    strata: Sequence[str] | None = None,
    grade_names: Sequence[str] | None = None,
    rule: str = USUAL["rule"],
    grid: int | str = USUAL["grid"],
    bound: str = USUAL["bound"],
    certify: str | None = None,
    **options: Unpack[StudyOptions],
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
    n_thresholds
        Number of boundaries. If given, it must be one less than the columns of ``costs``.
    strata, grade_names
        Names, ascending. Default: low, intermediate, high for three strata (with two limits: rule
        out, further tests, rule in); 0, 1, ... for grades.
    rule
        ``"stable"``, the joint posterior mean, or ``"erm"``, the smallest mean cost.
    {options: direction grid n_bootstrap delta certify_size seed}
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
    settled = strata_options(
        None if costs is None else CostMatrix(costs),
        rule_out=rule_out,
        rule_in=rule_in,
        n_thresholds=n_thresholds,
        strata=strata,
        grade_names=grade_names,
        rule=rule,
        grid=grid,
        bound=bound,
        certify=certify,
        **options,
    )
    study = run_strata(patients, read_grades(patients, grades, settled.costs.n_grades), settled)
    warn_each(study.warnings, stacklevel=2)
    return study


def run_strata(patients: PatientScores, grades: IntArray, options: StrataOptions) -> StrataStudy:
    """Run the steps: deal the roles, choose, resample, certify."""
    check_every_grade(grades, options)
    # The same roles and random numbers as in a study of one cut-off with the same seed.
    marked = replace(patients, labels=(grades > 0).astype(np.int8))
    roles = deal_roles(marked, options.of_one_cut_off)
    _, seed = np.random.SeedSequence(options.seed).spawn(2)
    oriented, costs, chose = patients.oriented(options.direction), options.costs, roles.select
    cuts, cells = grade_cells(oriented.take(chose), grades[chose], costs.n_grades, options.grid)
    if options.two_cuts is not None:
        options.two_cuts.refuse_infeasible(cuts, f"'{oriented.recipe.name}'")
    rule, rng = parse_strata_rule(options.rule), np.random.default_rng(seed)
    draws = draw_strata(cuts, cells, rule, costs, options.n_bootstrap, rng)
    # Boundaries move off the scores that they equal; no patient changes stratum.
    clear = [clear_of_scores(one, oriented.scores) for one in draws.thresholds.tolist()]
    draws = replace(draws, thresholds=read_only(np.array(clear)))
    return _certified(oriented, grades, options, roles, cells, draws)


def _certified(
    oriented: PatientScores,
    grades: IntArray,
    options: StrataOptions,
    roles: Roles,
    cells: IntArray,
    draws: StrataDraws,
) -> StrataStudy:
    costs, delta = options.costs, options.delta
    thresholds = draws.thresholds
    chose, certify = roles.select, roles.certify
    strata = stratum_of(oriented.scores, thresholds)
    windows = windows_of(oriented.scores[chose], grades[chose], costs.n_grades)
    radius = joint_radius(thresholds, draws.draws, delta)
    counts = count_decisions(grades[certify], strata[certify], costs.values.shape)
    return StrataStudy(
        options=options,
        patients=oriented.oriented(options.direction),
        grades=read_only(grades),
        roles=roles,
        draws=draws,
        risk=float(costs.of_patients(grades[chose], strata[chose]).mean()),
        smallest_risk=float(smallest_risk(boundary_curves(cells[None], costs))[0]),
        radius=radius,
        modulus=joint_modulus(windows, radius.radius, costs),
        local_modulus=local_modulus(windows, thresholds, radius.radius, costs),
        penalty=joint_band(windows, radius.radius, costs, delta),
        certificate=certify_cost(strata[certify], grades[certify], costs, delta, options.bound),
        boundaries=certify_boundaries(counts, costs, delta),
        counts=read_only(counts),
    )


def read_grades(
    patients: PatientScores, grades: ArrayLike | Mapping[Any, int] | None, n_grades: int
) -> IntArray:
    """Return the grade of every patient, in the order of ``patients.scores``."""
    given = patients.known_labels if grades is None else grades
    return check_grades(by_patient("grades", patients, given), patients.n_patients, n_grades)


def check_every_grade(grades: IntArray, options: StrataOptions) -> None:
    """Raise an error if a grade has fewer than two patients."""
    counts = np.bincount(grades, minlength=len(options.grades)).tolist()
    if min(counts) < LEAST_PATIENTS:
        have = ", ".join(f"{n} of {name!r}" for n, name in zip(counts, options.grades, strict=True))
        msg = (
            f"risk strata need at least {LEAST_PATIENTS} patients of each grade; got {have}. Check "
            "the label column and the order of its values, or join grades."
        )
        raise TooFewPatients(msg)
