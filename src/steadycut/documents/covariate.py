"""The frozen rule by covariate: ``covariate.json``, written and checked like a rule file."""

from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
from pydantic import Field, FiniteFloat, model_validator

from steadycut.core.checks import check_choice, shown
from steadycut.core.covariate.design import Design
from steadycut.core.covariate.rule import CutRule, Values, as_groups, as_numbers
from steadycut.core.covariate.slices import CutScale
from steadycut.core.records import PatientScores
from steadycut.documents.frozen import FrozenDocument, FrozenFile
from steadycut.documents.guards import Expected, check_deployment, pass_or_refuse, warn_of_forced
from steadycut.documents.parts import (
    CertificatePart,
    CostsPart,
    InstancesPart,
    Part,
    Range,
    RoleCounts,
)
from steadycut.errors import BadOption, BadPatients
from steadycut.ingest import aggregate

SCHEMA: Final = "steadycut.covariate/1"
UNSEEN = ("refuse", "pooled")
# No group is called so: an empty text is a missing one.
POOLED = ""
# More values than that are hardly groups.
MOST_GROUPS = 20
MOST_SHOWN = 5


class CutPart(Part):
    """The cut-off of one group, or at one value of the covariate.

    ``own_threshold`` is what its patients would have chosen alone, ``weight`` how far they are
    followed. ``rank`` is the place of the cut on the scale.
    """

    at: str | FiniteFloat
    threshold: FiniteFloat
    own_threshold: FiniteFloat
    weight: FiniteFloat = Field(ge=0, le=1)
    rank: FiniteFloat
    certificate: CertificatePart | None


class PooledPart(Part):
    """The cut-off of all patients together, and what resampled ones chose."""

    threshold: FiniteFloat
    rank: FiniteFloat
    draws: list[FiniteFloat]
    certificate: CertificatePart


class ScalePart(Part):
    """All cuts that may be taken: how many choosing patients lie below, and the threshold."""

    ranks: list[int] = Field(min_length=2)
    thresholds: list[FiniteFloat]

    @model_validator(mode="after")
    def _of_one_length(self) -> "ScalePart":
        if len(self.ranks) != len(self.thresholds) or self.ranks != sorted(set(self.ranks)):
            msg = "ranks must ascend, with one threshold each"
            raise ValueError(msg)
        return self


class EnoughPart(Part):
    """Whether one cut-off is enough, asked of the choosing patients."""

    statistic: FiniteFloat
    df: int
    p_value: FiniteFloat
    n_patients: int


class DifferencePart(Part):
    """Risk by covariate minus pooled risk on the certifying patients, and its upper limit."""

    risk: FiniteFloat
    standard_error: FiniteFloat
    upper: FiniteFloat
    delta: FiniteFloat


class ProvenancePart(Part):
    """What the rule was made with."""

    versions: dict[str, str]
    seed: int
    rule: str
    patients: RoleCounts
    data_sha256: str


class CovariateDocument(FrozenDocument):
    """Everything in ``covariate.json`` but the hash over it."""

    schema_: Literal["steadycut.covariate/1"] = Field(alias="schema")
    kind: Literal["groups", "smooth"]
    covariate: str
    covariate_range: Range | None
    cuts: list[CutPart] = Field(min_length=1)
    pooled: PooledPart
    costs: CostsPart
    score_range: Range
    scale: ScalePart
    draws: list[list[FiniteFloat]] = Field(min_length=1)
    certificate: CertificatePart
    difference: DifferencePart
    test: EnoughPart
    provenance: ProvenancePart
    instances_per_patient: InstancesPart | None = None

    @model_validator(mode="after")
    def _of_one_kind(self) -> "CovariateDocument":
        kinds = {type(cut.at) for cut in self.cuts}
        if kinds != {str if self.kind == "groups" else float}:
            msg = "every cut must be at a text for groups, at a number for a smooth rule"
            raise ValueError(msg)
        widths = {len(draw) for draw in self.draws}
        if widths != {len(self.cuts)} or len(self.pooled.draws) != len(self.draws):
            msg = "every draw must have one rank a cut, and one of the pooled cut"
            raise ValueError(msg)
        return self


class CovariateRule(FrozenFile[CovariateDocument]):
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

    _schema = SCHEMA
    _model = CovariateDocument
    _file = "covariate.json"

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
        nothing = np.zeros((0, 0))
        windows = nothing.astype(np.int64)
        if self.document.kind == "groups":
            names = (*self.groups, POOLED)
            return Design(kind="groups", windows=windows, basis=nothing, names=names)
        anchors = np.array([float(cut.at) for cut in self.document.cuts])
        return Design(kind="smooth", windows=windows, basis=nothing, anchors=anchors)

    def values(self, covariate: Any) -> Values:  # noqa: ANN401
        """Return the covariate of new patients, checked."""
        column = np.asarray(covariate)
        smooth = self.document.kind == "smooth"
        return as_numbers(column) if smooth else as_groups(column, self.groups)

    def unseen(self, covariate: Values) -> "np.ndarray[Any, np.dtype[np.bool_]]":
        """Return who is of a group without a cut-off, or outside the range of the number."""
        if self.document.covariate_range is None:
            return ~np.isin(covariate, self.groups)
        low, high = self.document.covariate_range
        values = covariate.astype(np.float64)
        return (values < low) | (values > high)

    def n_pooled(self, covariate: Any) -> int:  # noqa: ANN401
        """Return how many patients are of a group without a cut-off, so that the pooled decides."""
        return int(np.count_nonzero(self.unseen(self.values(covariate)))) if self.groups else 0

    @property
    def expected(self) -> Expected:
        """What the patients of the rule were like."""
        document = self.document
        return Expected(
            recipe=self.recipe,
            score_range=document.score_range,
            instances=document.instances_per_patient,
            units=document.units_per_patient,
        )

    def warnings(self, covariate: Any) -> list[str]:  # noqa: ANN401
        """Say how many patients have a covariate that the rule has not seen."""
        found: list[str] = []
        n_unseen = int(np.count_nonzero(self.unseen(self.values(covariate))))
        name, of = self.document.covariate, f"{n_unseen} of {np.asarray(covariate).size} patients"
        if n_unseen and self.document.covariate_range is None:
            what = f"are of a group of '{name}' without a cut-off; the pooled one decides."
            found.append(f"covariate: {of} {what}")
        elif n_unseen:
            low, high = self.document.covariate_range or (0.0, 0.0)
            what = f"have '{name}' outside {low:g} to {high:g}; the nearer end decides."
            found.append(f"covariate: {of} {what}")
        return found

    def decide_scores(self, scores: Any, covariate: Any, unseen: str = "refuse") -> Any:  # noqa: ANN401
        """Return 1 for every patient who is called, else 0; see `decisions` for ``unseen``."""
        return self.decisions(PatientScores(scores=scores), covariate, unseen)["decision"]

    def decisions(
        self,
        patients: PatientScores,
        covariate: Any,  # noqa: ANN401
        unseen: str = "refuse",
    ) -> dict[str, Any]:
        """Return score, decision and flip probability of each patient.

        A patient of a group that the rule has not seen is refused, or with ``unseen="pooled"``
        decided by the pooled cut-off. Outside the range of a number the nearer end decides.
        """
        check_choice("unseen", unseen, UNSEEN)
        values, scores = self.values(covariate), patients.scores
        if values.size != scores.size:
            msg = f"covariate must have one entry a patient ({scores.size}); got {values.size}."
            raise BadPatients(msg)
        if self.document.kind == "groups":
            strange = self.unseen(values)
            if strange.any() and unseen == "refuse":
                raise BadOption(self._refusal(values[strange].tolist(), values.size))
            values = np.where(strange, POOLED, values)
        rule = self.cut_rule
        return {
            "patient": patients.patients,
            "score": scores,
            "decision": rule.decide(scores, values),
            "flip_probability": rule.flip_probability(scores, values),
        }

    def _refusal(self, unseen: Sequence[str], size: int) -> str:
        return (
            f"{len(unseen)} of {size} patients are of a group of '{self.document.covariate}' that "
            f"the rule has not seen{_examples(unseen)}; it knows {', '.join(self.groups)}. Leave "
            "them out, or take the pooled cut-off for them with unseen='pooled' (--unseen pooled)."
        )

    def decide(
        self,
        table: Any,  # noqa: ANN401
        missing: str = "refuse",
        unseen: str = "refuse",
        *,
        force: bool = False,
    ) -> dict[str, Any]:
        """Apply the rule to a table of instances, or to a path of one; see `decisions`.

        Patients that it was not made for are refused
        (`steadycut.documents.guards.check_deployment`); ``force`` makes that a warning.
        """
        recipe, column = self.recipe, self.document.covariate
        patients = aggregate(
            table,
            patient=recipe.patient,
            score=recipe.score,
            levels=recipe.levels,
            how=recipe.how,
            attributes=column,
            missing=missing,
        )
        warn_of_forced(pass_or_refuse(check_deployment(self, patients), force=force))
        return self.decisions(patients, patients.attributes[column], unseen)


def _examples(groups: Sequence[str]) -> str:
    """Return some names of groups; none if there are so many that they may be patients."""
    names = sorted(set(groups))
    if len(names) > MOST_GROUPS:
        return ""
    more = ", ..." if len(names) > MOST_SHOWN else ""
    return f" ({', '.join(map(shown, names[:MOST_SHOWN]))}{more})"
