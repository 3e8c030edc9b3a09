"""Ordered risk strata: patient scores in, frozen and certified boundaries out."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bootstrap.draws import joint_radius
from steadycut.core.bounds.modulus import windows_of
from steadycut.core.checks import IntArray, read_only
from steadycut.core.confusion import count_decisions
from steadycut.core.cuts.grid import Cuts, clear_of_scores
from steadycut.core.records import PatientScores, by_patient, check_patients
from steadycut.core.split import Roles
from steadycut.core.strata.certify import certify_boundaries, certify_cost
from steadycut.core.strata.costs import CostMatrix, check_grades
from steadycut.core.strata.cuts import boundary_curves, grade_cells
from steadycut.core.strata.draws import StrataDraws, draw_strata, stratum_of
from steadycut.core.strata.modulus import joint_band, joint_modulus, local_modulus
from steadycut.core.strata.rules import parse_strata_rule, smallest_risk
from steadycut.errors import TooFewPatients, explains_calls, warn_each
from steadycut.study.options import lists_options
from steadycut.study.roles import LEAST_PATIENTS, deal_roles
from steadycut.study.strata.fitted import StrataStudy
from steadycut.study.strata.options import StrataFitOptions, StrataOptions, strata_options


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
    n_thresholds
        Number of boundaries. If given, it must be one less than the columns of ``costs``.
    strata, grade_names
        Names, ascending. Default: low, intermediate, high for three strata (with two limits: rule
        out, further tests, rule in); 0, 1, ... for grades.
    rule
        ``"stable"``, the rule of one cut-off at each boundary, or ``"erm"``, the smallest cost.
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
    clear = [clear_of_scores(one, oriented.scores) for one in draws.thresholds.tolist()]
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
