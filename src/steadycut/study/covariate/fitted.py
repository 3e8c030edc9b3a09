"""Fitted cut-offs by covariate: everything that was found, described and frozen."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steadycut.core.certify import Certificate
from steadycut.core.checks import FloatArray, LabelArray
from steadycut.core.confusion import Confusion
from steadycut.core.covariate.cuts import CovariateCuts
from steadycut.core.covariate.one_cut_test import CovariateTest
from steadycut.core.covariate.rule import CutRule, Values
from steadycut.core.diagnose import class_warnings
from steadycut.core.records import PatientScores
from steadycut.core.split import Roles
from steadycut.core.strata.costs import CostMatrix
from steadycut.documents import covariate as documents
from steadycut.documents.parts import CertificatePart, Range, names_part
from steadycut.documents.shown import Shown, study_repr
from steadycut.errors import Warned
from steadycut.study.describe import role_counts, steps_of
from steadycut.study.freeze import made_from, versions
from steadycut.study.options import Options
from steadycut.study.reference import span_of
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
        who = self.roles.certify
        flips = self.rule.flip_probability(self.patients.scores[who], self.covariate[who])
        return float(flips.mean())

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before trusting the numbers."""
        found = self._against_test()
        chose = self.patients.take(self.roles.select)
        groups = self.covariate[self.roles.select]
        for group in self.rule.design.names:
            inside = groups == group
            found += class_warnings(f"of group '{group}' used to choose", chose.take(inside))
            if is_apart(chose.scores[inside], chose.scores[~inside]):
                found.append(
                    Warned(
                        "",
                        f"scores of group '{group}' hardly overlap with those of the others, as in "
                        "another unit; no patients with similar scores can be compared, so the "
                        "test and the weights say little. Bring them to one scale, or fit the "
                        "group alone.",
                    )
                )
        return found

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
        [None if one is None else CertificatePart.of(one) for one in certificates],
    )
    names = documents.CutPart.model_fields
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return [documents.CutPart.model_validate(row) for row in rows]
