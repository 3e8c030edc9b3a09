"""The frozen rule: one plain JSON file that takes a cut-off to the next hospital.

The file is written in one canonical way and carries a SHA-256 over its own content, so that a
single changed byte is noticed. It holds no time, path, host, engine or worker count, and no
patient.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, FiniteFloat

from steadycut.core.bounds.modulus import dkw_band_width
from steadycut.core.checks import IntArray
from steadycut.core.ensemble import LARGEST_REFERENCE, WEIGHT_PARTS, Ensemble, Method
from steadycut.core.records import Costs, PatientScores, Recipe, policy_of
from steadycut.core.rounding import who_is_called
from steadycut.core.verdict import RateName
from steadycut.documents import parts
from steadycut.documents.frozen import CallFile, FrozenDocument, QuantilesPart, Reference, Rounded
from steadycut.documents.guards import Expected
from steadycut.documents.known_patients import Remembered
from steadycut.rule_reader import END_TEXTS, with_ends


class AllPatientsPart(QuantilesPart):
    """All patients of the first hospital by class: their number, and quantiles of the scores.

    They say where to cut at another prevalence. Without them the certifying patients do.
    """

    n_positive: parts.Count
    n_negative: parts.Count


class AdaptedPart(parts.Part):
    """How a rule was adapted at the next hospital.

    ``parent`` is the SHA-256 of the rule that came there. ``menu`` is that of the cut-offs which
    were fixed before any label was seen. ``pool`` counts unlabelled patients, ``labelled`` those
    who certify, ``choosing`` those whose labels only helped to choose. ``plan`` is the SHA-256 of
    the change-control plan that allowed it, ``attempt`` the number of the attempt.
    """

    parent: parts.Hash
    menu: parts.Hash
    pool: parts.Count
    labelled: parts.Count
    choosing: parts.Count
    sequential: bool
    prevalence: parts.Range | None
    plan: parts.Hash | None = None
    attempt: int | None = Field(default=None, ge=1, le=parts.LARGEST_COUNT)


class MethodPart(parts.Part):
    """One method of an ensemble: a score, its chain, its weight and what its ranks refer to.

    ``reference`` holds scores of the patients who chose, ascending: all of them, or evenly spaced
    order statistics where there are many. A score counts with twice its mid-rank among them.
    """

    score: str
    aggregation: list[parts.Step] = Field(min_length=1)
    weight: int = Field(ge=0, le=WEIGHT_PARTS)
    reference: list[FiniteFloat] = Field(min_length=1, max_length=LARGEST_REFERENCE)
    score_range: parts.Range


class EnsemblePart(parts.Part):
    """Methods averaged on the quantile scale; the threshold is on that scale, from 0 to 1."""

    kind: Literal["quantile", "gls"]
    methods: list[MethodPart] = Field(min_length=2)


class Provenance(parts.Part):
    """What the rule was made with; ``sites`` are hashes of names, to recognise a site."""

    versions: dict[str, str]
    seed: int
    options: parts.RuleOptions
    patients: parts.RoleCounts
    sites: list[str]
    data_sha256: str


class RuleDocument(FrozenDocument):
    """Everything in ``rule.json`` but the hash over it."""

    schema_: Literal["steadycut.rule/1"] = Field(alias="schema")
    threshold: parts.CutOff
    operating_value: FiniteFloat | None
    ensemble: EnsemblePart | None
    costs: parts.CostsPart
    target_prevalence: parts.Range | None
    rule: str
    bootstrap_thresholds: parts.CutOffs = Field(min_length=1)
    stability: parts.StabilityPart
    reference: Reference
    provenance: Provenance
    remembered_patients: Remembered | None = None
    certified_rates: list[parts.CertifiedRatePart] | None = None
    all_patients: AllPatientsPart | None = None
    adapted: AdaptedPart | None = None


class FrozenRule(CallFile[RuleDocument]):
    """A cut-off with everything that is needed to apply it, and to know how far to trust it.

    Examples
    --------
    >>> import numpy as np
    >>> from steadycut import PatientScores, fit
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 50)
    >>> rule = fit(PatientScores(scores=rng.normal(size=100) + 3 * labels, labels=labels)).freeze()
    >>> rule.decide_scores([-2.0, 5.0])
    array([0, 1], dtype=int8)
    """

    schema = "steadycut.rule/1"
    _model = RuleDocument

    def with_policy(self, unscored: str) -> "FrozenRule":
        """Return the rule, with its own hash, where patients without a score are called or left."""
        columns = self.document.columns.model_copy(update={"unscored": policy_of(unscored)})
        return FrozenRule(self.document.model_copy(update={"columns": columns}))

    def __repr__(self) -> str:
        sign = ">=" if self.direction == "ge" else "<="
        who = who_is_called(self.threshold, self.direction)
        call = f"calls {who}" if who else f"called if {sign} {self.threshold:.6g}"
        return f"FrozenRule({self.recipe.name}; {call})"

    @property
    def expected(self) -> Expected:
        """What the patients of the rule were like."""
        document, reference = self.document, self.document.reference
        known = [q for q in (reference.quantiles_positive, reference.quantiles_negative) if q]
        ensemble = self.ensemble
        return replace(
            super().expected,
            # Between the 5 % and the 95 % quantile of either class.
            usual=(min(q[5] for q in known), max(q[-6] for q in known)),
            instances=reference.instances_per_patient,
            sites=document.provenance.sites,
            remembered=document.remembered_patients,
            methods=[(one.recipe, one.score_range) for one in ensemble.methods] if ensemble else (),
        )

    @cached_property
    def threshold(self) -> float:
        """The frozen cut-off."""
        return self.document.threshold

    @property
    def cut_offs(self) -> tuple[float, ...]:
        """The frozen cut-off."""
        return (self.threshold,)

    @cached_property
    def reference(self) -> Reference:
        """What the file keeps of the patients who certified it."""
        return self.document.reference

    @cached_property
    def rounded(self) -> Rounded | None:
        """Why errors of the certifying patients may be counted too high, if they are."""
        made = self.document.provenance
        if made.patients.certify_unknown:
            return "unknown fate"
        return None if made.options.small_cells is None else "small cells"

    @cached_property
    def costs(self) -> Costs:
        """What the two errors cost."""
        return self.document.costs.as_costs(self.document.target_prevalence)

    @property
    def penalty(self) -> float:
        """G_boot with the band that the rule was made with."""
        return self.document.stability.penalty

    @cached_property
    def paper_penalty(self) -> float:
        """G_boot with the paper's DKW band, whichever band the rule was made with."""
        found, made = self.document.stability, self.document.provenance
        if found.band == "dkw":
            return found.penalty
        ill = made.patients.select_positive
        healthy = made.patients.select - ill
        delta = made.options.stability_delta
        return found.modulus + dkw_band_width(ill, healthy, self.costs, delta)

    @cached_property
    def certified_rates(self) -> Mapping[RateName, float]:
        """The rates that were shown to be at least what was asked for, each with its value."""
        rates = self.document.certified_rates or []
        return {one.rate: one.asked for one in rates if one.answer == "yes"}

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """Every score that must be made of a table: one, or one per method of the ensemble."""
        ensemble = self.ensemble
        return (self.recipe,) if ensemble is None else tuple(m.recipe for m in ensemble.methods)

    def combined(self, methods: Sequence[PatientScores]) -> PatientScores:
        """Return the patients with the score of the ensemble, if the rule has one."""
        ensemble = self.ensemble
        return methods[0] if ensemble is None else ensemble.combine(list(methods))

    @property
    def ensemble(self) -> Ensemble | None:
        """The methods and their weights; None for a rule of one method."""
        part = self.document.ensemble
        if part is None:
            return None
        methods = tuple(
            Method(
                recipe=self._recipe(one.score, one.aggregation),
                weight=one.weight,
                reference=np.array(one.reference),
                score_range=one.score_range,
            )
            for one in part.methods
        )
        return Ensemble(kind=part.kind, methods=methods)

    @cached_property
    def reference_counts(self) -> IntArray:
        """The certifying patients by class and decision."""
        return self.document.reference.confusion.counts

    def decide_scores(self, scores: ArrayLike) -> NDArray[np.int8]:
        """Return 1 for every patient score that is called, else 0."""
        return self.decide_patients(PatientScores(scores=scores)).astype(np.int8)

    def _cut_offs(self, patients: PatientScores) -> dict[str, NDArray[Any]]:
        return {"threshold": np.full(patients.n_patients, with_ends(END_TEXTS, self.threshold))}

    def _applied(self, patients: PatientScores) -> dict[str, object]:
        return {"threshold": self.threshold, **super()._applied(patients)}
