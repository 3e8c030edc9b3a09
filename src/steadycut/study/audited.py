"""What an audit found, as plain data."""

from dataclasses import dataclass
from typing import Any

from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.verdict import MARGIN
from steadycut.documents.frozen import FrozenFile
from steadycut.documents.parts import ScoresPart
from steadycut.documents.rule import FrozenRule
from steadycut.study.judge import LabelledPart
from steadycut.study.unlabelled import UnlabelledPart


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Audited:
    """What a frozen file decided about the patients of another hospital.

    ``members`` counts the patients by action. ``scores`` are quantiles of their scores, by class
    where labels are known. ``unlabelled`` is None for files that do not hold the scores of the
    certifying patients. ``forced`` names the checks that refused these patients and were overruled.
    """

    rule: FrozenFile[Any]
    n_patients: int
    members: IntArray
    flip_probability: FloatArray
    scores: ScoresPart
    warnings: tuple[str, ...]
    unlabelled: UnlabelledPart | None
    labelled: LabelledPart | None
    forced: tuple[str, ...] = ()
    small_cells: int | None = None
    margin: float = MARGIN
    sequential: bool = False

    @property
    def call_rate(self) -> float:
        """The share of patients with any action but the lowest."""
        return float(self.members[1:].sum() / self.n_patients)

    @property
    def flip_rate(self) -> float:
        """Mean flip probability of the patients."""
        return float(self.flip_probability.mean())

    @property
    def base(self) -> float | None:
        """The paper's (Base): R_val + gamma + Shift(t), as if Shift were known."""
        if self.labelled is None or self.labelled.change is None:
            return None
        change = self.labelled.change
        return change.internal.risk + sum(change.gamma) + change.shift.total

    @property
    def base_exact(self) -> float | None:
        """The same with the certified risk at P, whose allowance for chance is smaller."""
        if self.labelled is None or self.labelled.change is None:
            return None
        return self.labelled.change.internal.value + self.labelled.change.shift.total

    @property
    def base_valid(self) -> float | None:
        """A Base that holds at delta: R_P + Shift is never below R_Q, so add Q's own margin."""
        if self.labelled is None or self.labelled.change is None:
            return None
        observed = self.labelled.change.internal.risk + self.labelled.change.shift.total
        return observed + self.labelled.direct.generalization

    @property
    def augmented(self) -> float | None:
        """The paper's (Augmented): Base plus G_boot with the paper's band, never smaller."""
        base = self.base
        if base is None or not isinstance(self.rule, FrozenRule):
            return None
        return base + self.rule.paper_penalty

    @property
    def augmented_exact(self) -> float | None:
        """Our Base plus the penalty of the rule, whose band may be another one than the paper's."""
        base = self.base_exact
        if base is None or not isinstance(self.rule, FrozenRule):
            return None
        return base + self.rule.document.stability.penalty
