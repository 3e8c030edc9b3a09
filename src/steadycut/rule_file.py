"""The frozen rule: one plain JSON file that takes a cut-off to the next hospital.

The file is written in one canonical way and carries a SHA-256 over its own content, so that a
single changed byte is noticed. It holds no time, path, host, engine or worker count, and no
patient.
"""

import hashlib
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from steadycut._version import __version__
from steadycut.core.aggregate import aggregator_names, parse_aggregator
from steadycut.core.checks import FloatArray
from steadycut.core.confusion import Confusion
from steadycut.core.diagnose import flip_probability
from steadycut.core.ensemble import LARGEST_REFERENCE, Ensemble, Method
from steadycut.core.label_shift import RankBins, rank_bins
from steadycut.core.records import Costs, PatientScores, Recipe
from steadycut.curves import quantiles
from steadycut.ensemble import (
    check_same_patients,
    ensemble_content,
    made_by,
    readable_recipes,
)
from steadycut.errors import BadOption, BadRuleFile
from steadycut.files import write_atomically
from steadycut.frozen_json import content_hash, frozen_bytes, parse_frozen, read_frozen
from steadycut.summary import chain_summary, stability_summary

if TYPE_CHECKING:
    from steadycut.study import Study

SCHEMA = "steadycut.rule/1"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Step(_Part):
    """One step of the aggregation chain."""

    level: str
    how: str


class Columns(_Part):
    """The columns of the table that the rule was made from."""

    patient: str
    score: str
    label: str | None
    positive: str | None
    site: str | None
    levels: list[str]


class CostsPart(_Part):
    """What a missed patient and a false alarm cost."""

    cost_fn: FiniteFloat = Field(gt=0)
    cost_fp: FiniteFloat = Field(gt=0)


class CertificatePart(_Part):
    """The bound on the risk, and what it is made of."""

    risk: FiniteFloat
    bound: str
    generalization: FiniteFloat
    n_patients: int = Field(gt=0)
    delta: FiniteFloat = Field(gt=0, lt=1)
    value: FiniteFloat
    vacuous: bool
    trivial_risk: FiniteFloat
    honesty: Literal["split", "uniform"]
    n_candidates: int = Field(gt=0)

    @property
    def n_choices(self) -> int:
        """Among how many scores the certifying patients chose the cut-off; 0 if others did."""
        return self.n_candidates if self.honesty == "uniform" else 0


class StabilityPart(_Part):
    """How far the cut-off moves between resampled cohorts."""

    radius: FiniteFloat
    bias: FiniteFloat
    quantile: FiniteFloat
    modulus: FiniteFloat
    penalty: FiniteFloat
    flip_rate: FiniteFloat
    n_bootstrap: int
    centering: str
    form: str
    band: str
    warnings: list[str]


class InstancesPart(_Part):
    """How many instances the patients of the development site had."""

    smallest: int
    median: FiniteFloat
    largest: int


class BinsPart(_Part):
    """The certifying patients by class in bins of the score, with the edges between the bins."""

    edges: list[FiniteFloat]
    positive: list[int]
    negative: list[int]


class Reference(_Part):
    """What an audit needs of the patients who certified the rule."""

    tp: int = Field(ge=0)
    fn: int = Field(ge=0)
    fp: int = Field(ge=0)
    tn: int = Field(ge=0)
    quantiles_positive: list[FiniteFloat]
    quantiles_negative: list[FiniteFloat]
    bins: BinsPart
    instances_per_patient: InstancesPart | None

    @property
    def rank_bins(self) -> RankBins:
        """The certifying patients in bins of the score."""
        bins = self.bins
        return RankBins(
            edges=np.array(bins.edges),
            positive=np.array(bins.positive),
            negative=np.array(bins.negative),
        )

    @property
    def confusion(self) -> Confusion:
        """The confusion counts of the certifying patients."""
        return Confusion(tp=self.tp, fn=self.fn, fp=self.fp, tn=self.tn)


class MethodPart(_Part):
    """One method of an ensemble: a score, its chain, its weight and what its ranks refer to.

    ``reference`` holds scores of the patients who chose, ascending: all of them, or evenly spaced
    order statistics where there are many. A score counts with twice its mid-rank among them.
    """

    score: str
    aggregation: list[Step] = Field(min_length=1)
    weight: int = Field(ge=0)
    reference: list[FiniteFloat] = Field(min_length=1, max_length=LARGEST_REFERENCE)
    score_range: tuple[FiniteFloat, FiniteFloat]


class EnsemblePart(_Part):
    """Methods averaged on the quantile scale; the threshold is on that scale, from 0 to 1."""

    kind: Literal["quantile", "gls"]
    methods: list[MethodPart] = Field(min_length=2)

    @model_validator(mode="after")
    def _one_scale(self) -> "EnsemblePart":
        references = [one.reference for one in self.methods]
        if len({len(reference) for reference in references}) > 1:
            msg = "the references of all methods must be of one length"
            raise ValueError(msg)
        if any(reference != sorted(reference) for reference in references):
            msg = "a reference must be in ascending order"
            raise ValueError(msg)
        if not any(one.weight for one in self.methods):
            msg = "at least one weight must be positive"
            raise ValueError(msg)
        return self


class Provenance(_Part):
    """What the rule was made with; ``sites`` are hashes of names, to know a site again."""

    versions: dict[str, str]
    seed: int
    options: dict[str, str | int | float | bool]
    patients: dict[str, int]
    sites: list[str]
    data_sha256: str


class RuleDocument(_Part):
    """Everything in ``rule.json`` but the hash over it."""

    schema_: Literal["steadycut.rule/1"] = Field(alias="schema")
    threshold: FiniteFloat
    operating_value: FiniteFloat | None
    direction: Literal["ge", "le"]
    aggregation: list[Step] = Field(min_length=1)
    ensemble: EnsemblePart | None
    columns: Columns
    costs: CostsPart
    target_prevalence: tuple[FiniteFloat, FiniteFloat] | None
    rule: str
    score_range: tuple[FiniteFloat, FiniteFloat]
    bootstrap_thresholds: list[FiniteFloat] = Field(min_length=1)
    certificate: CertificatePart
    stability: StabilityPart
    reference: Reference
    provenance: Provenance


class FrozenRule:
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

    def __init__(self, document: RuleDocument) -> None:
        self.document = document

    def __repr__(self) -> str:
        sign = ">=" if self.direction == "ge" else "<="
        return f"FrozenRule({self.recipe.name}; called if {sign} {self.threshold:.6g})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrozenRule) and self.document == other.document

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    @classmethod
    def from_study(cls, study: "Study") -> "FrozenRule":
        """Freeze the cut-off of a study."""
        return cls(RuleDocument.model_validate(_content(study)))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "FrozenRule":
        """Read a rule file; refuse one that was changed since it was written."""
        return cls.from_bytes(read_frozen(path), str(path))

    @classmethod
    def from_bytes(cls, written: bytes, name: str = "rule.json") -> "FrozenRule":
        """Read the content of a rule file."""
        content = parse_frozen(written, name, SCHEMA)
        try:
            rule = cls(RuleDocument.model_validate(content))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the file"
            msg = f"{name} is not a rule of schema {SCHEMA}: {where}: {first['msg']}."
            raise BadRuleFile(msg) from None
        if rule.to_bytes() != written:
            msg = f"{name} was changed after it was written; use the original file."
            raise BadRuleFile(msg)
        return rule

    def to_bytes(self) -> bytes:
        """Return the file's bytes: the same rule gives the same bytes."""
        return frozen_bytes(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the file, its hash included."""
        content = self.document.model_dump(mode="json", by_alias=True)
        return {**content, "sha256": content_hash(content)}

    def save(self, path: str | PathLike[str]) -> None:
        """Write the rule; the file appears whole or not at all."""
        write_atomically(Path(path), self.to_bytes())

    @property
    def threshold(self) -> float:
        """The frozen cut-off."""
        return self.document.threshold

    @property
    def direction(self) -> str:
        """``"ge"`` or ``"le"``: which side of the cut-off is called."""
        return self.document.direction

    @property
    def costs(self) -> Costs:
        """What the two errors cost."""
        costs, target = self.document.costs, self.document.target_prevalence
        return Costs(cost_fn=costs.cost_fn, cost_fp=costs.cost_fp, target=target)

    @property
    def recipe(self) -> Recipe:
        """How the patient scores are made of a table; for an ensemble its methods say how."""
        return self._recipe(self.document.columns.score, self.document.aggregation)

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """Every score that must be made of a table: one, or one a method of the ensemble."""
        ensemble = self.ensemble
        return (self.recipe,) if ensemble is None else tuple(m.recipe for m in ensemble.methods)

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

    def _recipe(self, score: str, steps: list[Step]) -> Recipe:
        columns = self.document.columns
        return Recipe(
            patient=columns.patient,
            score=score,
            label=columns.label,
            positive=columns.positive,
            site=columns.site,
            levels=tuple((step.level, step.how) for step in steps[:-1]),
            how=steps[-1].how,
        )

    def patients_of(
        self, given: PatientScores | Mapping[Any, PatientScores] | Iterable[PatientScores]
    ) -> PatientScores:
        """Return the patients with the score that the cut-off is about.

        ``given`` is that already; or holds the same patients once for each method of the ensemble,
        told apart by their recipes, in any order and perhaps with others.
        """
        if isinstance(given, PatientScores):
            return given
        several = list(given.values() if isinstance(given, Mapping) else given)
        found = [made_by(recipe, several) for recipe in self.recipes]
        check_same_patients(found)
        ensemble = self.ensemble
        return found[0] if ensemble is None else ensemble.combine(found)

    def decide_scores(self, scores: Any) -> "np.ndarray[Any, np.dtype[np.int8]]":  # noqa: ANN401
        """Return 1 for every patient score that is called, else 0."""
        values = PatientScores(scores=scores).scores
        called = values >= self.threshold if self.direction == "ge" else values <= self.threshold
        return called.astype(np.int8)

    def flip_probability(self, scores: Any) -> FloatArray:  # noqa: ANN401
        """Return, for each patient score, how often a resampled study decides otherwise."""
        sign = 1.0 if self.direction == "ge" else -1.0
        values = sign * PatientScores(scores=scores).scores
        draws = sign * np.asarray(self.document.bootstrap_thresholds)
        return flip_probability(values, sign * self.threshold, draws)

    def decide(self, table: Any, missing: str = "refuse") -> dict[str, Any]:  # noqa: ANN401
        """Apply the rule to a table of instances, or to a path of one.

        Returns
        -------
        dict
            Arrays ``patient``, ``score``, ``decision`` and ``flip_probability``, one entry a
            patient, in the order of the patients' identifiers.
        """
        from steadycut.ingest import aggregate

        recipes = self.recipes
        several = aggregate(
            table,
            patient=recipes[0].patient,
            score=list(dict.fromkeys(recipe.score for recipe in recipes)),
            levels=recipes[0].levels,
            how=list(dict.fromkeys(recipe.how for recipe in recipes)),
            missing=missing,
        )
        return self.decisions(several)

    def decisions(
        self, given: PatientScores | Mapping[Any, PatientScores] | Iterable[PatientScores]
    ) -> dict[str, Any]:
        """Return score, decision and flip probability of each patient; see `patients_of`."""
        patients = self.patients_of(given)
        return {
            "patient": patients.patients,
            "score": patients.scores,
            "decision": self.decide_scores(patients.scores),
            "flip_probability": self.flip_probability(patients.scores),
        }


def site_hash(name: str) -> str:
    """Return what stands for a site in a rule file, which names no hospital."""
    return hashlib.sha256(name.encode()).hexdigest()


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``rule.json``."""
    schema = RuleDocument.model_json_schema(by_alias=True)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = SCHEMA
    schema["properties"]["sha256"] = {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$",
        "description": "SHA-256 of the canonical JSON of everything else",
    }
    schema["required"] = [*schema["required"], "sha256"]
    return schema


def _content(study: "Study") -> dict[str, Any]:
    options, search, chosen = study.options, study.options.search, study.chosen
    recipe, scores = chosen.recipe, study.patients.scores
    recipes = [recipe] if study.ensemble is None else readable_recipes(study.ensemble)
    for how in (how for one in recipes for _, how in one.chain):
        check_named(how)
    return {
        "schema": SCHEMA,
        "threshold": study.threshold,
        "operating_value": study.operating_value,
        "direction": options.direction,
        "aggregation": chain_summary(recipe),
        "ensemble": study.ensemble and ensemble_content(study.ensemble),
        "columns": {
            "patient": recipe.patient,
            "score": recipe.score,
            "label": recipe.label,
            "positive": recipe.positive,
            "site": recipe.site,
            "levels": [level for level, _ in recipes[0].levels],
        },
        "costs": {"cost_fn": search.costs.cost_fn, "cost_fp": search.costs.cost_fp},
        "target_prevalence": search.costs.target,
        "rule": search.rule,
        "score_range": (float(scores.min()), float(scores.max())),
        "bootstrap_thresholds": study.bootstrap_thresholds.tolist(),
        "certificate": study.certificate.to_dict(),
        "stability": stability_summary(study),
        "reference": _reference(study),
        "provenance": _provenance(study),
    }


def check_named(how: str) -> None:
    """Refuse an aggregator that the next hospital cannot look up by its name."""
    try:
        parse_aggregator(how)
    except BadOption:
        msg = (
            f"a rule whose aggregator is a Python function ({how!r}) cannot be frozen; use one of "
            f"{', '.join(aggregator_names())}."
        )
        raise BadRuleFile(msg) from None


def _reference(study: "Study") -> dict[str, Any]:
    counts, patients = study.counts, study.certify_patients
    return {
        "tp": counts.tp,
        "fn": counts.fn,
        "fp": counts.fp,
        "tn": counts.tn,
        "quantiles_positive": quantiles(patients.positive_scores),
        "quantiles_negative": quantiles(patients.negative_scores),
        "bins": _bins(patients),
        "instances_per_patient": instances_of(study.patients),
    }


def _bins(patients: PatientScores) -> dict[str, Any]:
    bins = rank_bins(patients.scores, patients.known_labels)
    return {
        "edges": bins.edges.tolist(),
        "positive": bins.positive.tolist(),
        "negative": bins.negative.tolist(),
    }


def instances_of(patients: PatientScores) -> dict[str, float] | None:
    """Return how many instances the patients have; None where that is not known."""
    if patients.n_instances is None:
        return None
    counts = patients.n_instances
    return {
        "smallest": int(counts.min()),
        "median": float(np.median(counts)),
        "largest": int(counts.max()),
    }


def _sites(patients: PatientScores) -> list[str]:
    names = set() if patients.sites is None else set(patients.sites.tolist())
    return sorted(map(site_hash, names))


def _provenance(study: "Study") -> dict[str, Any]:
    summary = study.to_dict()
    options = {key: value for key, value in summary["options"].items() if key != "seed"}
    return {
        "versions": {
            "steadycut": __version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
        "seed": study.options.seed,
        "options": options,
        "patients": summary["patients"],
        "sites": _sites(study.patients),
        "data_sha256": study.patients.fingerprint(),
    }
