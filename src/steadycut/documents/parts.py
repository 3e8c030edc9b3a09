"""The parts that documents are made of, and what every part can do.

A part is a frozen record. It is built from keyword arguments, from the plain content of a file, or
with `Part.of` from any objects that have attributes of the same names. A field whose default is
None is written only where it has a value, so a new field changes no existing file.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Annotated, Any, Final, Literal, Self, TypeVar

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    GetCoreSchemaHandler,
    PlainSerializer,
    WithJsonSchema,
    model_serializer,
    model_validator,
)

from steadycut.core.class_names import ClassNames
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs, Unscored
from steadycut.core.survival import LogRankCut, Weighted
from steadycut.core.verdict import Answer, RateName
from steadycut.documents import canonical_json
from steadycut.errors import Warned
from steadycut.rule_reader import END_TEXTS, ENDS, with_ends


def _listed(values: Any) -> Any:  # noqa: ANN401
    """Return an array as a list, with None for NaN."""
    if not isinstance(values, np.ndarray):
        return values
    listed = values.tolist()
    if values.dtype.kind != "f" or not np.isnan(values).any():
        return listed
    return [None if math.isnan(value) else value for value in listed]


def _ascending(limits: tuple[float, float]) -> tuple[float, float]:
    if limits[0] > limits[1]:
        raise ValueError("the lower limit of a range must not be above the upper one")
    return limits


# A cut-off: a number, in files also a text of `ENDS`.
_SCHEMA = WithJsonSchema({"anyOf": [{"type": "number"}, {"enum": list(ENDS)}]})
# NaN is not at least -inf.
_Number = Annotated[float, Field(allow_inf_nan=True, ge=-math.inf), _SCHEMA]
_In = BeforeValidator(lambda value: with_ends(ENDS, _listed(value)))
_Out = PlainSerializer(lambda value: with_ends(END_TEXTS, value), when_used="json")
CutOff = Annotated[_Number, _In, _Out]
CutOffs = Annotated[list[_Number], _In, _Out]
CutOffRange = Annotated[tuple[_Number, _Number], AfterValidator(_ascending), _In, _Out]
Floats = Annotated[list[FiniteFloat], BeforeValidator(_listed)]
FloatsOrNone = Annotated[list[FiniteFloat | None], BeforeValidator(_listed)]
# Every whole number up to this is a float as well.
LARGEST_COUNT = 2**53
Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
Counts = Annotated[list[Count], BeforeValidator(_listed)]
Range = Annotated[tuple[FiniteFloat, FiniteFloat], AfterValidator(_ascending)]
Cost = Annotated[FiniteFloat, Field(ge=0)]
# A warning: files hold its text, which begins with its kind.
WarningText = Annotated[str, AfterValidator(Warned.read)]
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
MISSING: Final = object()


class _Exact:
    """Reads a record of core from a file only if the file has all of its fields and no others.

    pydantic alone fills in fields with a default, and before version 2.11 ignores unknown ones.
    """

    def __get_pydantic_core_schema__(self, kind: Any, handler: GetCoreSchemaHandler) -> Any:  # noqa: ANN401
        check = BeforeValidator(partial(_check_names, kind))
        return check.__get_pydantic_core_schema__(kind, handler)


def _check_names(kind: Any, content: Any) -> Any:  # noqa: ANN401
    if isinstance(content, Mapping):
        names = [field.name for field in fields(kind)]
        for name in names:
            must(name in content, f"{name} is missing")
        for name in content:
            must(name in names, f"{name} does not belong there")
    return content


Kind = TypeVar("Kind")
# A record of core, as a field of a document.
Record = Annotated[Kind, _Exact()]


def must(holds: object, text: str) -> None:
    """Refuse a part in which something does not hold; ``text`` says what must."""
    if not holds:
        raise ValueError(text)


def _taken(
    part: type["Part"], records: tuple[object, ...], given: Mapping[str, object]
) -> dict[str, object]:
    """Return the fields of a part: those given, and the others from the first record with each."""
    fields = dict(given)
    for name, field in part.model_fields.items():
        if name not in given and field.alias is None:
            values = (getattr(record, name, MISSING) for record in records)
            fields[name] = _listed(
                next((value for value in values if value is not MISSING), MISSING)
            )
            if fields[name] is MISSING:
                kinds = ", ".join(type(record).__name__ for record in records) or "a record"
                msg = f"{part.__name__}.{name} is neither given nor an attribute of {kinds}."
                raise TypeError(msg)
    return fields


class Part(BaseModel):
    """A part of a document: it never changes, and an unknown field is refused."""

    # Deferred: a command builds the validators of the documents that it uses, not of all.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, allow_inf_nan=False)

    @classmethod
    def of(cls, *records: object, **given: object) -> Self:
        """Return the part made of given fields, and of the attributes of records for the others.

        The first record with an attribute of the name of a field provides it, an array as a list.
        A field with an alias, such as the schema, is never taken from a record. Every other field
        must be given or be an attribute of a record, also where it has a default.

        Raises
        ------
        TypeError
            A field is neither given nor an attribute of a record.
        """
        return cls.model_validate(_taken(cls, records, given))

    @model_validator(mode="before")
    @classmethod
    def _from_record(cls, content: object) -> object:
        """Take a record for a part inside a part; what a file holds is checked by its fields."""
        known = type(content).__module__ == "builtins" or isinstance(content, Mapping | cls)
        return content if known else _taken(cls, (content,), {})

    def to_plain(self) -> dict[str, Any]:
        """Return the part as plain numbers, texts, lists and dictionaries."""
        return self.model_dump(mode="json", by_alias=True)

    @model_serializer(mode="wrap")
    def _without_empty_extras(
        self, write: Callable[[Self], dict[str, object]]
    ) -> dict[str, object]:
        content = write(self)
        for name, field in type(self).model_fields.items():
            key = field.alias or name
            if field.default is None and content.get(key, 0) is None:
                del content[key]
        return content


def schema(name: str) -> Any:  # noqa: ANN401
    """Declare the schema that files of a document name; it is written into them."""
    return Field(default=name, alias="schema")


class SealedPart(Part):
    """A file with the hash of its content in ``sha256``; without it, it is not sealed yet."""

    def sealed(self) -> Self:
        """Return the document with the hash of its content."""
        return self.model_copy(update={"sha256": canonical_json.content_hash(self.to_plain())})

    def to_bytes(self) -> bytes:
        """Return the file's bytes: the same content gives the same bytes."""
        return canonical_json.frozen_bytes(self.to_plain())


class Step(Part):
    """One step of the aggregation chain."""

    level: str
    how: str


class Columns(Part):
    """The columns of the table that the rule was made from.

    ``positive`` is the label that counts as 1, if labels are not 0 and 1. ``negative`` is the other
    one, if both are names of classes; older files do not have it. ``label_how`` is ``any`` if one
    positive row makes a patient positive; otherwise all rows of a patient have the same label. With
    a ``horizon``, ``time`` and ``event`` make the label, and ``positive`` is the value of an event.
    ``unscored`` says what is done to a patient without a score, if there may be any.
    """

    patient: str
    score: str
    label: str | None
    positive: str | None
    negative: str | None = None
    label_how: Literal["any"] | None = None
    site: str | None
    levels: list[str]
    time: str | None = None
    event: str | None = None
    horizon: FiniteFloat | None = Field(default=None, gt=0)
    unscored: Unscored | None = None


class NamedClasses(Part):
    """A document that speaks of patients of two classes, in the words of the label column.

    ``label_how`` is ``any`` if one positive row makes a patient positive.
    """

    class_names: Record[ClassNames] | None = None
    label_how: Literal["any"] | None = None

    @property
    def names(self) -> ClassNames:
        """What patients of either class are called; ill and healthy where nothing else is known."""
        part = self.class_names
        return ClassNames() if part is None else ClassNames.of(part.ill, part.healthy)


def names_part(names: ClassNames) -> ClassNames | None:
    """Return names as they are written; None for ill and healthy."""
    return names if names.given else None


class CostsPart(Part):
    """What a missed patient and a false alarm cost."""

    cost_fn: FiniteFloat = Field(gt=0)
    cost_fp: FiniteFloat = Field(gt=0)

    def as_costs(self, target: tuple[float, float] | None = None) -> Costs:
        """Return the costs as a record, for patients of a target prevalence if there is one."""
        return Costs(cost_fn=self.cost_fn, cost_fp=self.cost_fp, target=target)

    @property
    def equal(self) -> bool:
        """Whether both errors cost the same, so that a risk can be read as a share of patients."""
        return self.cost_fn == self.cost_fp

    def trivial_risk(self, prevalence: float) -> float:
        """Return the risk of calling nobody, or everybody, whichever is smaller."""
        return min(self.cost_fn * prevalence, self.cost_fp * (1 - prevalence))


class CertificatePart(Part):
    """The bound on the risk, and what it is made of."""

    risk: Cost
    bound: str
    generalization: FiniteFloat
    n_patients: Count
    delta: FiniteFloat = Field(gt=0, lt=1)
    value: Cost
    vacuous: bool
    trivial_risk: Cost
    honesty: Literal["split", "uniform", "menu"]
    n_candidates: int = Field(gt=0)

    @property
    def n_choices(self) -> int:
        """Among how many scores the certifying patients chose the cut-off; 0 if others chose it.

        It is minus their number if they chose among cut-offs that were fixed beforehand.
        """
        if self.honesty == "menu":
            return -self.n_candidates
        return self.n_candidates if self.honesty == "uniform" else 0


class CertifiedRatePart(Part):
    """A rate that was asked to be at least a value, and what the certifying patients show of it.

    ``right`` of ``n_patients`` of the class were decided rightly. The lower limits of all rates in
    a document hold together with the confidence of its certificate, and so do the upper limits.
    """

    rate: RateName
    asked: FiniteFloat = Field(gt=0, lt=1)
    right: Count
    n_patients: Count
    observed: FiniteFloat | None
    lower: FiniteFloat = Field(ge=0, le=1)
    upper: FiniteFloat = Field(ge=0, le=1)
    answer: Answer


class InstancesPart(Part):
    """How many instances per patient there were at the first hospital."""

    smallest: Count
    median: FiniteFloat
    largest: Count


class StabilityPart(Part):
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
    warnings: list[WarningText]


class RoleCounts(Part):
    """How many patients there are in each role and class.

    ``test`` patients were held out; they are not part of the ``total``. ``unknown`` patients were
    censored before the horizon, ``certify_unknown`` of them among those who certify.
    """

    total: Count
    positive: Count
    select: Count
    select_positive: Count
    certify: Count
    certify_positive: Count
    test: Count | None = None
    test_positive: Count | None = None
    unknown: Count | None = None
    certify_unknown: Count | None = None


class RuleOptions(Part):
    """The options that the numbers depend on, except the seed.

    ``delta_boot`` is known where it was set apart from ``delta``, ``test_size`` where patients were
    held out.
    """

    grid: int | str
    honesty: str
    certify_size: FiniteFloat
    stratified: bool
    bound: str
    ensemble: str
    delta: FiniteFloat
    n_bootstrap: int
    selector: str
    stratify: str
    small_cells: int | None = None
    delta_boot: FiniteFloat | None = None
    test_size: FiniteFloat | None = None

    @property
    def stability_delta(self) -> float:
        """The failure probability of the bootstrap radius and of the band of the modulus."""
        return self.delta if self.delta_boot is None else self.delta_boot


class CountsPart(Part):
    """The four counts of decisions against labels."""

    tp: Count
    fn: Count
    fp: Count
    tn: Count

    @property
    def confusion(self) -> Confusion:
        """The four counts as a record."""
        return Confusion(tp=self.tp, fn=self.fn, fp=self.fp, tn=self.tn)


class IntervalPart(Part):
    """The ends of an interval; an end without a limit is None, as are both if it is not known."""

    low: FiniteFloat | None
    high: FiniteFloat | None
    method: str
    known: bool


class EstimatePart(IntervalPart):
    """A characteristic among the patients, with its interval."""

    value: FiniteFloat | None


class FixedCutPart(Part):
    """Every characteristic if this cut-off is used."""

    meaning: str
    characteristics: dict[str, EstimatePart]


class RechosenCutPart(Part):
    """The intervals of characteristics if the whole study were repeated, cut-off included."""

    meaning: str
    characteristics: dict[str, IntervalPart]


class OperatingPointPart(CountsPart):
    """What a cut-off does to patients, with both kinds of intervals."""

    prevalence: FiniteFloat
    sensitivity: FiniteFloat | None
    specificity: FiniteFloat | None
    call_rate: FiniteFloat
    confidence: FiniteFloat
    target_prevalence: Range | None
    fixed_cut: FixedCutPart
    rechosen_cut: RechosenCutPart | None


class SurvivalPart(Part):
    """What is known at a horizon, where some patients were censored before.

    ``unknown`` of ``n_patients`` have an unknown fate. ``worst`` counts each of them as an error,
    ``best`` as a correct decision. Ranges go from the worst to the best value that is possible;
    ``risk`` goes from the lowest to the highest. ``limits`` are exact limits of the average cost:
    the lower one from ``best``, the upper one from ``worst``.
    """

    time: str | None = None
    event: str | None = None
    horizon: FiniteFloat
    n_patients: Count
    unknown: Count
    unknown_called: Count
    worst: CountsPart
    best: CountsPart
    risk: Range
    limits: Range
    sensitivity: Range | None
    specificity: Range | None
    weighted: Record[Weighted]
    log_rank: Record[LogRankCut] | None = None


class ScoresPart(Part):
    """Quantiles of the scores in steps of 1 %: by class, or of all patients without labels."""

    positive: Floats | None = None
    negative: Floats | None = None
    all: Floats | None = None


class MethodShare(Part):
    """One method of an ensemble and its share of the weight."""

    score: str
    aggregation: list[Step]
    weight: FiniteFloat
    threshold: CutOff | None = None
    quantile: FiniteFloat | None = None


class EnsembleShares(Part):
    """The methods of an ensemble."""

    kind: str
    methods: list[MethodShare]


class ExplorerPart(Part):
    """Counts and limits of error rates at each of a short list of cut-offs, ascending."""

    bound: str
    delta: FiniteFloat
    n_positive: int
    n_negative: int
    prevalence: FiniteFloat
    grey_at_least: FiniteFloat
    frozen: int
    thresholds: CutOffs
    missed: Counts
    alarms: Counts
    miss_limit: Floats
    alarm_limit: Floats
    grey_positive: Counts
    grey_negative: Counts


class UnscoredPart(Part):
    """What is done to patients without a score, and how many of all patients have none.

    ``positive`` of them are ill, where that is known.
    """

    policy: Unscored
    n_patients: Count
    positive: Count | None


class DataPart(Part):
    """How many rows the table had, and what was left out of it.

    ``dropped_patients`` have no score; ``dropped_positive`` of them are ill, where that is known.
    """

    rows: int
    dropped_rows: int
    dropped_patients: int
    dropped_positive: int | None = None
    dropped_incomplete_patients: int
    sha256: str | None = None


class DecisionsPart(Part):
    """What every frozen file decides about new patients.

    ``frozen_schema`` is the schema of that file. ``cost_matrix`` has a row for each grade and a
    column for each action; ``costs`` say the same where there are two of each. ``shares`` are the
    shares of the patients by action. ``target_prevalence`` is known where costs are meant at it,
    not at that of the patients.
    """

    frozen_schema: str
    direction: Literal["ge", "le"]
    certificate: CertificatePart
    n_patients: int
    labelled: bool = False
    delta: FiniteFloat
    attributes: list[str]
    grades: list[str]
    actions: list[str]
    cost_matrix: list[Floats]
    shares: Floats
    costs: CostsPart | None = None
    target_prevalence: Range | None = None


class NewPatientsPart(Part):
    """What is said of new patients: warnings, checks that were overruled, rows of the table."""

    warnings: list[WarningText]
    forced: list[str]
    data: DataPart | None = None
