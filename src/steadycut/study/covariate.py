"""Cut-offs by covariate: one per group, or a function of a number, pulled to the pooled one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.bounds.betting import betting_limit
from steadycut.core.certify import Certificate, certificate_of
from steadycut.core.checks import (
    BoolArray,
    FloatArray,
    IntArray,
    LabelArray,
    check_choice,
    shown_groups,
)
from steadycut.core.confusion import Confusion
from steadycut.core.covariate import design as designs
from steadycut.core.covariate.cuts import CovariateCuts, choose_by_covariate
from steadycut.core.covariate.one_cut_test import CovariateTest, common_cut_test
from steadycut.core.covariate.rule import CutRule, Values, as_groups, as_numbers
from steadycut.core.diagnose import class_warnings
from steadycut.core.intervals.paired import paired_difference
from steadycut.core.parts import check_one_per_patient, stated_warnings
from steadycut.core.records import PatientScores, by_patient, check_patients
from steadycut.core.split import Roles
from steadycut.core.strata.costs import CostMatrix
from steadycut.documents import covariate as documents
from steadycut.documents.covariate import DifferencePart
from steadycut.documents.parts import CertificatePart, Range, names_part
from steadycut.documents.shown import Shown, study_repr
from steadycut.errors import BadOption, Warned, explains_calls, warn_each
from steadycut.study.describe import made_from, role_counts, steps_of, versions
from steadycut.study.options import USUAL, Options, StudyOptions, lists_options, study_options
from steadycut.study.reference import span_of
from steadycut.study.roles import check_both_classes, deal_roles
from steadycut.study.useful import verdict_of_counts

# If a smaller share of a group lies among the scores of the others, they are not comparable.
LEAST_OVERLAP = 0.5


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CovariateStudy(Shown):
    """Cut-offs by covariate with their certificates, and the pooled cut-off for comparison.

    ``test`` tests on the choosing patients whether one cut-off is enough. ``groups`` holds a
    certificate for each group, at delta / number of groups, so that all of them hold at once. It
    is None for a group without certifying patients. For a number ``groups`` is empty.
    """

    options: Options
    patients: PatientScores
    covariate: Values
    name: str
    roles: Roles
    cuts: CovariateCuts
    rule: CutRule
    pooled_threshold: float
    test: CovariateTest
    certificate: Certificate
    counts: Confusion
    pooled_certificate: Certificate
    groups: tuple[Certificate | None, ...]
    difference: documents.DifferencePart
    _lists: ClassVar = {"cuts": "cuts"}

    def __repr__(self) -> str:
        """Return the answer in three lines; no patient is shown."""
        return study_repr(self, f"{len(self.thresholds)} cut-offs by {self.name!r}")

    @property
    def kind(self) -> str:
        """``"groups"`` or ``"smooth"``."""
        return self.rule.design.kind

    @property
    def positions(self) -> list[str] | list[float]:
        """The groups, or the values of the covariate between which the cut-off is interpolated."""
        anchors = self.rule.design.anchors
        return list(self.rule.design.names) if anchors is None else anchors.tolist()

    @property
    def thresholds(self) -> FloatArray:
        """The cut-off at each position."""
        return self._placed(self.cuts.ranks)

    @property
    def own_thresholds(self) -> FloatArray:
        """The cut-off that each group or window would have chosen alone."""
        return self._placed(self.cuts.own)

    def _placed(self, ranks: FloatArray) -> FloatArray:
        return self.options.sign * self.rule.scale.at(ranks) + 0.0

    def decide(self, scores: FloatArray, covariate: Values) -> LabelArray:
        """Return 1 for every patient who is called, else 0."""
        return self.rule.decide(np.asarray(scores, dtype=np.float64), covariate)

    @property
    def flip_rate(self) -> float:
        """Mean flip probability of the certifying patients."""
        return float(self._flips.mean())

    @property
    def _flips(self) -> FloatArray:
        who = self.roles.certify
        return self.rule.flip_probability(self.patients.scores[who], self.covariate[who])

    @property
    def disagreement(self) -> float:
        """Mean share of certifying patients about whom two draws decide differently."""
        flips, n_draws = self._flips, len(self.rule.draws)
        return float(2 * (flips * (1 - flips)).mean() * n_draws / (n_draws - 1))

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before trusting the numbers."""
        warnings = self._against_test()
        chose = self.patients.take(self.roles.select)
        groups = self.covariate[self.roles.select]
        for group in self.rule.design.names:
            inside = groups == group
            warnings += class_warnings(f"of group '{group}' used to choose", chose.take(inside))
            if is_apart(chose.scores[inside], chose.scores[~inside]):
                warnings.append(
                    Warned(
                        "",
                        f"scores of group '{group}' hardly overlap with those of the others, as in "
                        "another unit; no patients with similar scores can be compared, so the "
                        "test and the weights say little. Bring them to one scale, or fit the "
                        "group alone.",
                    )
                )
        return [*warnings, *stated_warnings(self.patients, stated=self.options.one_per_patient)]

    def _against_test(self) -> list[str]:
        """Say why cut-offs differ although the test does not show that one is not enough."""
        if self.test.p_value <= self.options.search.delta or np.unique(self.thresholds).size == 1:
            return []
        text = Warned(
            "",
            f"the test does not show that one cut-off is not enough (p = {self.test.p_value:.2g}), "
            "yet these cut-offs differ: the test uses the patients around the cut-off, the weights "
            "use all. Differences may be chance; to follow the test, freeze the one cut-off of "
            "fit.",
        )
        return [text]

    @property
    def _range(self) -> Range | None:
        chose = self.covariate[self.roles.select]
        return None if self.kind == "groups" else (float(chose.min()), float(chose.max()))

    def describe(self) -> documents.CovariateStudyDocument:
        """Return everything that was found, without any patient, as one typed record."""
        options, recipe, scores = self.options, self.patients.recipe, self.patients.scores
        costs = options.search.costs
        matrix = CostMatrix.of_errors(costs.cost_fn, costs.cost_fp)
        return documents.CovariateStudyDocument.of(
            *(self, options, recipe),
            data=None,
            class_names=names_part(recipe.class_names),
            covariate=self.name,
            covariate_range=self._range,
            cuts=cut_parts(self),
            pooled=documents.PooledCut(
                threshold=self.pooled_threshold,
                rank=self.cuts.pooled,
                certificate=CertificatePart.of(self.pooled_certificate),
            ),
            aggregation=steps_of(recipe),
            costs=costs,
            score_range=(float(scores.min()), float(scores.max())),
            rule=str(options.search.rule),
            operating_point=self.counts,
            patients=role_counts(self.patients, self.roles),
            verdict=verdict_of_counts(self.counts.counts, self.certificate, matrix),
        )

    def freeze(self) -> documents.CovariateRule:
        """Return the rule to take to the next hospital."""
        described, scale = self.describe(), self.rule.scale
        thresholds = (self.options.sign * scale.thresholds + 0.0).tolist()
        data = self.patients.fingerprint()
        made = documents.ProvenancePart.of(described, versions=versions(), data_sha256=data)
        return documents.CovariateRule.of(
            *(described, self.cuts),
            pooled=documents.PooledPart.of(described.pooled, draws=self.cuts.pooled_draws.tolist()),
            scale=documents.ScalePart.of(scale, thresholds=thresholds),
            provenance=made,
            instances_per_patient=span_of(self.patients.n_instances),
            reference=described.operating_point,
            **made_from(self.patients),
        )


def is_apart(scores: FloatArray, others: FloatArray) -> bool:
    """Return whether most scores lie outside the range of the others."""
    if not scores.size or not others.size:
        return False
    inside = (scores >= others.min()) & (scores <= others.max())
    return bool(inside.mean() < LEAST_OVERLAP)


def cut_parts(study: CovariateStudy) -> list[documents.CutPart]:
    """Return one part per group, or per value of the covariate, with its cut-off."""
    certificates = study.groups or (None,) * len(study.positions)
    columns = (
        study.positions,
        study.thresholds.tolist(),
        study.own_thresholds.tolist(),
        study.cuts.weights.tolist(),
        study.cuts.ranks.tolist(),
        [None if own is None else CertificatePart.of(own) for own in certificates],
    )
    names = documents.CutPart.model_fields
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return [documents.CutPart.model_validate(row) for row in rows]


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
    {options: cost_fn direction n_bootstrap delta certify_size seed one_per_patient}

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
    patients.need_scores("cut-offs by covariate have no policy for them")
    check_both_classes(patients)
    check_one_per_patient(patients, stated=settled.one_per_patient)
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
        certificate_of(Confusion.of_calls(labels[own], called[own]), options.search.costs, share)
        if own.any()
        else None
        for own in inside
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
