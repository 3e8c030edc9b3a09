"""Fitted cut-offs by covariate: everything that was found, as plain data."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steadycut.core.certify import Certificate
from steadycut.core.checks import FloatArray
from steadycut.core.confusion import Confusion
from steadycut.core.covariate.cuts import CovariateCuts
from steadycut.core.covariate.one_cut_test import CovariateTest
from steadycut.core.covariate.rule import CutRule, Values
from steadycut.core.diagnose import class_warnings
from steadycut.core.records import PatientScores
from steadycut.core.split import Roles
from steadycut.documents.covariate import DifferencePart
from steadycut.study.options import Options

# If a smaller share of a group lies among the scores of the others, they are not comparable.
LEAST_OVERLAP = 0.5


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FittedByCovariate:
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
    difference: DifferencePart

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

    def decide(self, scores: FloatArray, covariate: Values) -> NDArray[np.int8]:
        """Return 1 for every patient who is called, else 0."""
        return self.rule.decide(np.asarray(scores, dtype=np.float64), covariate)

    @property
    def flip_rate(self) -> float:
        """Mean flip probability of the certifying patients."""
        who = self.roles.certify
        return float(
            self.rule.flip_probability(self.patients.scores[who], self.covariate[who]).mean()
        )

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
                    f"scores of group '{group}' hardly overlap with those of the others, as in "
                    "another unit; no patients with similar scores can be compared, so the test "
                    "and the weights say little. Bring them to one scale, or fit the group alone."
                )
        return found

    def _against_test(self) -> list[str]:
        """Say why cut-offs differ although the test does not show that one is not enough."""
        if self.test.p_value <= self.options.search.delta or not np.ptp(self.thresholds):
            return []
        text = (
            f"the test does not show that one cut-off is not enough (p = {self.test.p_value:.2g}), "
            "yet these cut-offs differ: the test uses the patients around the cut-off, the weights "
            "use all. Differences may be chance; to follow the test, freeze the one cut-off of fit."
        )
        return [text]


def is_apart(scores: FloatArray, others: FloatArray) -> bool:
    """Return whether most scores lie outside the range of the others."""
    if not scores.size or not others.size:
        return False
    inside = (scores >= others.min()) & (scores <= others.max())
    return bool(inside.mean() < LEAST_OVERLAP)
