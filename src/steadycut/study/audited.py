"""What an audit found, as plain data."""

from dataclasses import dataclass
from typing import Any, Literal

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.verdict import MARGIN
from steadycut.documents.audit import WithoutLabels
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.parts import ScoresPart, SurvivalPart
from steadycut.documents.rule import FrozenRule
from steadycut.study.adapt.sampled import Sampled
from steadycut.study.judge import ChangeOfRisk, LabelledPart


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Audited:
    """What a frozen file decided about the patients of another hospital.

    ``members`` counts the patients by action. ``scores`` are quantiles of their scores, by class
    where labels are known. ``unlabelled`` is None for files that do not hold the scores of the
    certifying patients. ``forced`` names the checks that refused these patients and were overruled.
    ``survival`` is known where labels were made from a follow-up.
    ``label_how`` is ``any`` if one positive row makes a patient positive.
    ``sampled`` is known where a labelling plan drew the patients with labels.
    """

    rule: FrozenFile[Any]
    n_patients: int
    members: IntArray
    flip_probability: FloatArray
    scores: ScoresPart
    warnings: tuple[str, ...]
    unlabelled: WithoutLabels | None
    labelled: LabelledPart | None
    forced: tuple[str, ...] = ()
    small_cells: int | None = None
    margin: float = MARGIN
    sequential: bool = False
    survival: SurvivalPart | None = None
    label_how: Literal["any"] | None = None
    sampled: Sampled | None = None

    @property
    def call_rate(self) -> float:
        """The share of patients with any action but the lowest."""
        return float(self.members[1:].sum() / self.n_patients)

    @property
    def flip_rate(self) -> float:
        """Mean flip probability of the patients."""
        return float(self.flip_probability.mean())

    @property
    def risk(self) -> float | None:
        """The average cost per patient that was seen here; None without labels."""
        return None if self.labelled is None else self.labelled.direct.risk

    @property
    def bound(self) -> float | None:
        """The upper limit of the average cost here; None without labels."""
        return None if self.labelled is None else self.labelled.direct.value

    @property
    def base(self) -> float | None:
        """The paper's (Base): R_val + gamma + Shift(t), as if Shift were known."""
        found = self._change
        if found is None:
            return None
        return found.internal.risk + sum(found.gamma) + found.shift.total

    @property
    def base_exact(self) -> float | None:
        """The same with the certified risk at P, whose allowance for chance is smaller."""
        found = self._change
        return None if found is None else found.internal.value + found.shift.total

    @property
    def base_valid(self) -> float | None:
        """A Base that holds at delta: R_P + Shift is never below R_Q, so add Q's own margin."""
        found = self._change
        if found is None or self.labelled is None:
            return None
        return found.internal.risk + found.shift.total + self.labelled.direct.generalization

    @property
    def augmented(self) -> float | None:
        """The paper's (Augmented): Base plus G_boot with the paper's band, never smaller."""
        if self.base is None or not isinstance(self.rule, FrozenRule):
            return None
        return self.base + self.rule.paper_penalty

    @property
    def augmented_exact(self) -> float | None:
        """Our Base plus the penalty of the rule, whose band may be another one than the paper's."""
        if self.base_exact is None or not isinstance(self.rule, FrozenRule):
            return None
        return self.base_exact + self.rule.document.stability.penalty

    @property
    def _change(self) -> ChangeOfRisk | None:
        return None if self.labelled is None else self.labelled.change
