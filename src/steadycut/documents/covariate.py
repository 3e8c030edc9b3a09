"""The frozen rule by covariate (``covariate.json``) and its study (``covariate-study.json``)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, FiniteFloat

from steadycut.core.checks import FloatArray, IntArray, check_choice, check_length, shared_values
from steadycut.core.covariate.design import CutScale, Design
from steadycut.core.covariate.rule import CutRule, Values, as_groups, as_numbers
from steadycut.core.records import Costs, PatientScores
from steadycut.documents import parts
from steadycut.documents.frozen import UNSEEN, CallFile, FrozenDocument
from steadycut.documents.study import AnyStudy
from steadycut.errors import BadOption, Warned, argument
from steadycut.rule_reader import END_TEXTS, with_ends

# No group has this name: an empty text stands for a missing value.
POOLED = ""
# More values than this are hardly groups: they may identify patients.
MOST_GROUPS = 20


class CutPart(parts.Part):
    """The cut-off of one group, or at one value of the covariate.

    ``own_threshold`` is what its patients would have chosen alone, ``weight`` how far they are
    followed. ``rank`` is the place of the cut on the scale.
    """

    at: str | FiniteFloat
    threshold: parts.CutOff
    own_threshold: parts.CutOff
    weight: FiniteFloat = Field(ge=0, le=1)
    rank: FiniteFloat
    certificate: parts.CertificatePart | None


class PooledCut(parts.Part):
    """The cut-off of all patients together."""

    threshold: parts.CutOff
    rank: FiniteFloat
    certificate: parts.CertificatePart


class PooledPart(PooledCut):
    """The cut-off of all patients together, and what resampled ones chose."""

    draws: list[FiniteFloat]


class ScalePart(parts.Part):
    """All cuts that may be taken: how many choosing patients lie below, and the threshold."""

    ranks: list[int] = Field(min_length=2)
    thresholds: parts.CutOffs


class EnoughPart(parts.Part):
    """Whether one cut-off is enough, asked of the choosing patients."""

    statistic: FiniteFloat
    df: int
    p_value: FiniteFloat
    n_patients: parts.Count


class DifferencePart(parts.Part):
    """Risk by covariate minus pooled risk on the certifying patients, and its upper limit."""

    risk: FiniteFloat
    standard_error: FiniteFloat
    upper: FiniteFloat
    delta: FiniteFloat


class ProvenancePart(parts.Part):
    """What the rule was made with."""

    versions: dict[str, str]
    seed: int
    rule: str
    patients: parts.RoleCounts
    data_sha256: str


class CovariatePart(parts.Part):
    """The cut-offs by covariate, as the frozen file and the study say it."""

    kind: Literal["groups", "smooth"]
    covariate: str
    covariate_range: parts.Range | None
    cuts: list[CutPart] = Field(min_length=1)
    pooled: PooledCut
    costs: parts.CostsPart
    difference: DifferencePart
    test: EnoughPart


class CovariateDocument(CovariatePart, FrozenDocument):
    """Everything in ``covariate.json`` but the hash over it.

    ``reference`` counts the certifying patients; files of older versions do not have it.
    """

    schema_: Literal["steadycut.covariate/1"] = Field(alias="schema")
    pooled: PooledPart
    scale: ScalePart
    draws: list[list[FiniteFloat]] = Field(min_length=1)
    provenance: ProvenancePart
    instances_per_patient: parts.InstancesPart | None = None
    reference: parts.CountsPart | None = None


class CovariateStudyDocument(CovariatePart, parts.NamedClasses, AnyStudy):
    """Everything in ``covariate-study.json``."""

    schema_: Literal["steadycut.covariate-study/1"] = parts.schema("steadycut.covariate-study/1")
    score_range: parts.Range
    seed: int
    flip_rate: FiniteFloat
    disagreement: FiniteFloat | None = None
    operating_point: parts.CountsPart
    patients: parts.RoleCounts
    warnings: list[str]


class CovariateRule(CallFile[CovariateDocument]):
    """Cut-offs by covariate with everything that is needed to apply them.

    Examples
    --------
    >>> from steadycut import PatientScores, fit_by_covariate
    >>> rng = np.random.default_rng(0)
    >>> labels, sex = np.tile([0, 1], 100), np.repeat(["f", "m"], 100)
    >>> cohort = PatientScores(scores=rng.normal(size=200) + 3 * labels, labels=labels)
    >>> rule = fit_by_covariate(cohort, covariate=sex, name="sex").freeze()
    >>> rule.decide_scores([-2.0, 5.0], ["f", "m"])
    array([0, 1], dtype=int8)
    """

    schema = "steadycut.covariate/1"
    _model = CovariateDocument

    def __repr__(self) -> str:
        """Return what the cut-offs depend on."""
        cuts, name = len(self.document.cuts), self.document.covariate
        return f"CovariateRule({self.recipe.name}; {cuts} cut-offs by {name!r})"

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that have a cut-off; none for a number."""
        return tuple(str(cut.at) for cut in self.document.cuts if self.document.kind == "groups")

    @property
    def cut_rule(self) -> CutRule:
        """The cuts themselves; among groups `POOLED` is called by the pooled cut-off."""
        document = self.document
        ranks = np.array([cut.rank for cut in document.cuts])
        draws = np.array(document.draws)
        if document.kind == "groups":
            ranks = np.append(ranks, document.pooled.rank)
            draws = np.column_stack([draws, document.pooled.draws])
        return CutRule(
            design=self._design(),
            scale=CutScale(
                ranks=np.array(document.scale.ranks),
                thresholds=self.sign * np.array(document.scale.thresholds),
            ),
            sign=self.sign,
            ranks=ranks,
            draws=draws,
        )

    def _design(self) -> Design:
        nothing, kind = np.zeros((0, 0)), self.document.kind
        design = Design(kind=kind, windows=nothing.astype(np.int64), basis=nothing)
        if kind == "groups":
            return replace(design, names=(*self.groups, POOLED))
        return replace(design, anchors=np.array([float(cut.at) for cut in self.document.cuts]))

    @property
    def costs(self) -> Costs:
        """What a miss and a false alarm cost."""
        return self.document.costs.as_costs()

    @property
    def attributes(self) -> tuple[str, ...]:
        """The covariate."""
        return (self.document.covariate,)

    @property
    def reference_counts(self) -> IntArray | None:
        """The certifying patients by class and decision; None in files of older versions."""
        reference = self.document.reference
        return None if reference is None else reference.confusion.counts

    def values(self, covariate: ArrayLike) -> Values:
        """Return the covariate of new patients, checked."""
        column, smooth = np.asarray(covariate), self.document.kind == "smooth"
        return as_numbers(column) if smooth else as_groups(column, self.groups)

    def with_covariate(self, patients: PatientScores, covariate: ArrayLike) -> PatientScores:
        """Return the patients with the covariate, one entry per patient, as an attribute."""
        values = self.values(covariate)
        check_length("covariate", values, patients.n_patients)
        attributes = {**patients.attributes, self.document.covariate: values.astype(np.str_)}
        return replace(patients, attributes=attributes)

    def _values_of(self, patients: PatientScores) -> Values:
        return self.values(patients.attributes[self.document.covariate])

    def unseen(self, values: Values) -> NDArray[np.bool_]:
        """Return who is of a group without a cut-off, or outside the range of the number."""
        if self.document.covariate_range is None:
            return ~np.isin(values, self.groups)
        low, high = self.document.covariate_range
        numbers = values.astype(np.float64)
        return (numbers < low) | (numbers > high)

    def check_unseen(self, unseen: str) -> None:
        """Check what to do with patients of a group without a cut-off."""
        check_choice("unseen", unseen, UNSEEN)

    def check_attributes(self, patients: PatientScores, unseen: str = "refuse") -> list[str]:
        """Refuse patients of a group without a cut-off, unless the pooled one decides.

        Warnings say for how many patients the pooled cut-off, or an end of the range, decides.
        """
        super().check_attributes(patients, unseen)
        values = self._values_of(patients)
        strange = self.unseen(values)
        if not strange.any():
            return []
        name, of = self.document.covariate, f"{strange.sum()} of {strange.size} patients"
        if self.document.covariate_range is not None:
            low, high = self.document.covariate_range
            outside = f"'{name}' outside {low:g} to {high:g}"
            return [Warned("covariate", f"{of} have {outside}; the nearer end decides.")]
        if unseen == "refuse":
            raise BadOption(
                f"{of} are of a group of '{name}' that the rule has not seen"
                f"{_examples(values[strange].tolist())}; it knows "
                f"{', '.join(self.groups)}. Leave them out, or take the pooled cut-off for them "
                f"with {argument('unseen', 'pooled')}."
            )
        return [
            Warned.of("covariate")(
                f"{of} are of a group of '{name}' without a cut-off; the pooled one decides."
            )
        ]

    def decide_scores(
        self, scores: ArrayLike, covariate: ArrayLike, unseen: str = "refuse"
    ) -> NDArray[np.int8]:
        """Return 1 for every patient who is called, else 0; see `decisions` for ``unseen``."""
        patients = self.with_covariate(PatientScores(scores=scores), covariate)
        self.check_attributes(patients, unseen)
        return self.decide_patients(patients).astype(np.int8)

    def decide_patients(self, patients: PatientScores) -> IntArray:
        """Return 1 for every patient who is called; the pooled cut-off decides unseen groups."""
        return self.cut_rule.decide(patients.scores, self._decided_by(patients)).astype(np.int64)

    def flip_probability_of(self, patients: PatientScores) -> FloatArray:
        """Return, for each patient, how often a resampled study decides otherwise."""
        return self.cut_rule.flip_probability(patients.scores, self._decided_by(patients))

    def _decided_by(self, patients: PatientScores) -> Values:
        values = self._values_of(patients)
        return np.where(self.unseen(values), POOLED, values) if self.groups else values

    def _cut_offs(self, patients: PatientScores) -> dict[str, NDArray[Any]]:
        thresholds = self.cut_rule.thresholds(self._decided_by(patients)).tolist()
        return {"threshold": np.array(with_ends(END_TEXTS, thresholds))}

    def _applied(self, patients: PatientScores) -> dict[str, object]:
        pooled = self.unseen(self._values_of(patients)) if self.groups else np.zeros(0)
        return {
            "thresholds": {str(cut.at): cut.threshold for cut in self.document.cuts},
            "covariate": self.document.covariate,
            "pooled": int(np.count_nonzero(pooled)),
            **super()._applied(patients),
        }


def _examples(groups: Sequence[str]) -> str:
    """Return some names of groups; none if there are so many that they may be patients."""
    counts = Counter(groups)
    return "" if len(counts) > MOST_GROUPS else f" ({shared_values(counts)})"
