"""Cut-offs by covariate: one per group, or a function of a number, pulled to the pooled one."""

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bounds.betting import betting_limit
from steadycut.core.certify import Certificate, certificate_of
from steadycut.core.checks import BoolArray, IntArray, LabelArray, check_choice, shown_groups
from steadycut.core.confusion import Confusion
from steadycut.core.covariate import design as designs
from steadycut.core.covariate.cuts import choose_by_covariate
from steadycut.core.covariate.one_cut_test import common_cut_test
from steadycut.core.covariate.rule import CutRule, Values, as_groups, as_numbers
from steadycut.core.intervals.paired import paired_difference
from steadycut.core.records import PatientScores, by_patient, check_patients
from steadycut.core.split import Roles
from steadycut.documents.covariate import DifferencePart
from steadycut.errors import BadOption, explains_calls, warn_each
from steadycut.study.covariate.fitted import CovariateStudy
from steadycut.study.options import USUAL, Options, StudyOptions, lists_options, study_options
from steadycut.study.roles import check_both_classes, deal_roles

RULES = ("stable", "erm")
OPTIONS = ("rule", "cost_fn", "cost_fp", *StudyOptions.__annotations__)

Covariate = str | Mapping[Any, object] | ArrayLike


@explains_calls
@lists_options
def fit_by_covariate(
    patients: PatientScores,
    *,
    covariate: Covariate,
    kind: str = "groups",
    name: str = "covariate",
    rule: str = USUAL["rule"],
    cost_fn: float = USUAL["cost_fn"],
    cost_fp: float = USUAL["cost_fp"],
    **options: Unpack[StudyOptions],
) -> CovariateStudy:
    """Choose, test and certify cut-offs that depend on a covariate.

    Parameters
    ----------
    patients
        Patient scores with labels.
    covariate
        One entry per patient in the order of ``patients.scores``, a mapping from identifiers, a
        pandas Series with them as index, or ``"site"``.
    kind
        ``"groups"``: one cut-off per group. ``"smooth"``: a continuous function of a number.
    name
        Name of the covariate, such as its column in a table.
    rule
        How a cut is chosen along the scores: ``stable`` or ``erm``. Only these two minimise risk,
        and the test and the weights are for such rules.
    {options: cost_fn direction n_bootstrap delta certify_size seed}

    Returns
    -------
    CovariateStudy

    Notes
    -----
    The certificate of the pooled cut-off, those of all groups together, and the limit of the
    difference each fail with probability at most ``delta``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sex, labels = rng.integers(0, 2, 800), rng.integers(0, 2, 800)
    >>> cohort = PatientScores(scores=rng.normal(size=800) + 2 * labels + 1.5 * sex, labels=labels)
    >>> study = fit_by_covariate(cohort, covariate=np.where(sex, "m", "f"))
    >>> study.positions, study.thresholds.round(1), study.test.p_value < 0.01
    (['f', 'm'], array([1.2, 2.6]), True)
    """
    check_choice("kind", kind, designs.KINDS)
    check_choice("rule", rule, RULES)
    settled = study_options(known=OPTIONS, rule=rule, cost_fn=cost_fn, cost_fp=cost_fp, **options)
    check_patients(patients)
    check_both_classes(patients)
    values = covariate_values(patients, covariate, kind)
    study = run_by_covariate(patients, values, name, kind, settled)
    warn_each(study.warnings, stacklevel=3)
    return study


def make_design(values: Values, roles: Roles, kind: str) -> tuple[designs.Design, IntArray]:
    """Return the design and the slice of each choosing patient."""
    if kind == "smooth":
        return designs.smooth_design(np.asarray(values[roles.select], dtype=np.float64))
    # The groups are those of all patients. They are known before any label is.
    design = designs.group_design(np.asarray(values, dtype=np.str_))
    return design, design.codes(values[roles.select])


def run_by_covariate(
    patients: PatientScores, values: Values, name: str, kind: str, options: Options
) -> CovariateStudy:
    """Run the steps: deal the roles, choose, test and certify."""
    roles, search = deal_roles(patients, options), options.search
    design, codes = make_design(values, roles, kind)
    oriented = patients.oriented(options.direction)
    slices = designs.slice_patients(
        oriented.take(roles.select), codes, design.n_slices, oriented.scores
    )
    _, seed = np.random.SeedSequence(options.seed).spawn(2)
    rng, n_draws = np.random.default_rng(seed), search.n_bootstrap
    cuts = choose_by_covariate(slices, design, search.chooser, search.costs, n_draws, rng)
    rule = CutRule(
        design=design, scale=slices.scale, sign=options.sign, ranks=cuts.ranks, draws=cuts.draws
    )
    costs, delta = search.costs, search.delta
    pooled = options.sign * float(slices.scale.at(np.array([cuts.pooled]))[0]) + 0.0
    who = roles.certify
    scores, labels, own = patients.scores[who], patients.known_labels[who], values[who]
    called = rule.decide(scores, own) == 1
    called_pooled = options.sign * scores >= options.sign * pooled
    counts = Confusion.of_calls(labels, called)
    return CovariateStudy(
        options=options,
        patients=patients,
        covariate=values,
        name=name,
        roles=roles,
        cuts=cuts,
        rule=rule,
        pooled_threshold=pooled,
        test=common_cut_test(slices.cells, design.basis, cuts.pooled),
        certificate=certificate_of(counts, costs, delta),
        counts=counts,
        pooled_certificate=certificate_of(Confusion.of_calls(labels, called_pooled), costs, delta),
        groups=_certify_groups(labels, called, own, design, options),
        difference=_difference(labels, called, called_pooled, options),
    )


def _certify_groups(
    labels: LabelArray, called: BoolArray, groups: Values, design: designs.Design, options: Options
) -> tuple[Certificate | None, ...]:
    share = options.search.delta / max(len(design.names), 1)
    inside = [groups == name for name in design.names]
    return tuple(
        certificate_of(Confusion.of_calls(labels[one], called[one]), options.search.costs, share)
        if one.any()
        else None
        for one in inside
    )


def _difference(
    labels: LabelArray, called: BoolArray, other: BoolArray, options: Options
) -> DifferencePart:
    costs, delta = options.search.costs, options.search.delta
    positive = labels == 1
    mean, error = paired_difference(labels, called != positive, other != positive, costs)
    price = np.where(positive, costs.cost_fn, costs.cost_fp) / costs.largest
    losses = price * ((called != positive).astype(float) - (other != positive))
    # These losses lie between -1 and 1. The betting bound needs losses between 0 and 1.
    limit = costs.largest * (2 * betting_limit((losses + 1) / 2, delta) - 1)
    return DifferencePart(risk=mean, standard_error=error, upper=limit, delta=delta)


def covariate_values(patients: PatientScores, covariate: Covariate, kind: str) -> Values:
    """Return the covariate of each patient: texts of groups, or finite numbers."""
    if isinstance(covariate, str):
        if covariate != "site" or patients.sites is None:
            raise BadOption(
                "covariate must be one entry per patient, a mapping from identifiers, or 'site' "
                f"where sites are known; got {covariate!r}."
            )
        covariate = patients.sites
    column = by_patient("covariate", patients, covariate)
    return as_numbers(column) if kind == "smooth" else shown_groups(as_groups(column))
