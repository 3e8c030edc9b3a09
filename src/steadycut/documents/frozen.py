"""What all frozen files share: how they are written, read, refused and applied.

A frozen file is a decision: it maps the score and the attributes of a patient to an action, and a
matrix says what each action costs for each true grade. The plain cut-off is the case of two grades
and two actions. A kind of file consists of a document (what stands in the file) and a `FrozenFile`
(what one does with it); `steadycut.documents.kinds` lists all of them.

A document may grow: a new field has the default None and is written only where it was given, so a
file of an older version keeps its bytes, its hash and its meaning.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, FiniteFloat, ValidationError

from steadycut._kinds import file_name_of
from steadycut._version import __version__
from steadycut.core.checks import FloatArray, IntArray, check_choice, check_labels, refuse
from steadycut.core.confusion import Confusion
from steadycut.core.records import (
    Costs,
    PatientScores,
    Recipe,
    check_same_patients,
    made_by,
    sign_of,
)
from steadycut.core.shift.label_shift import RankBins
from steadycut.core.strata.costs import CostMatrix
from steadycut.core.strata.draws import stratum_flips, stratum_of
from steadycut.core.verdict import RateName
from steadycut.documents import canonical_json, guards, parts
from steadycut.documents.applied import AppliedDocument, Decisions
from steadycut.documents.shown import Shown
from steadycut.errors import (
    BadOption,
    BadPatients,
    BadRuleFile,
    MissingColumn,
    SteadycutError,
    Warned,
    argument,
    warn_each,
)
from steadycut.ingest import Request, make_request, read_patients
from steadycut.ingest.read import alike_lines, dropped_lines, note_order
from steadycut.ingest.request import SAME
from steadycut.io.files import write_atomically
from steadycut.rule_reader import fits_together

UNSEEN = ("refuse", "pooled")
# Patients of unknown fate count as errors; or patients of a class were put into groups.
Rounded = Literal["unknown fate", "small cells"]

# Names of columns in the rule and in a table: a mapping, or texts such as "slide=block".
ColumnNames = Mapping[str, str] | str | Iterable[str]
# Patients with the score of the rule, or the same patients once for each method of an ensemble.
GivenPatients = PatientScores | Mapping[Any, PatientScores] | Iterable[PatientScores]


class BinsPart(parts.Part):
    """The certifying patients by class in bins of the score, with the edges between the bins."""

    edges: parts.Floats
    positive: parts.Counts
    negative: parts.Counts


class QuantilesPart(parts.Part):
    """Scores of both classes in steps of 1 %; none of a class without patients."""

    quantiles_positive: list[FiniteFloat]
    quantiles_negative: list[FiniteFloat]


class Reference(parts.CountsPart, QuantilesPart):
    """What an audit needs of the patients who certified the rule.

    ``unscored`` counts those of them who have no score.
    """

    bins: BinsPart
    instances_per_patient: parts.InstancesPart | None
    unscored: parts.CountsPart | None = None

    @property
    def scored(self) -> Confusion:
        """The patients with a score, by class and decision."""
        if self.unscored is None:
            return self.confusion
        return Confusion.of_counts(self.confusion.counts - self.unscored.confusion.counts)

    @property
    def rank_bins(self) -> RankBins:
        """The certifying patients in bins of the score."""
        return RankBins(**dict(self.bins))


class FrozenDocument(parts.SealedPart):
    """What every frozen file says: how patient scores are made of a table, and what is certified.

    ``units_per_patient`` counts units of the innermost level, where there are levels. ``sha256`` is
    the hash of everything else; a document without it is not frozen yet.
    """

    direction: Literal["ge", "le"]
    aggregation: list[parts.Step] = Field(min_length=1)
    columns: parts.Columns
    score_range: parts.Range
    certificate: parts.CertificatePart
    units_per_patient: parts.InstancesPart | None = None
    sha256: parts.Hash | None = None


Document = TypeVar("Document", bound=FrozenDocument)


class FrozenFile(Shown, ABC, Generic[Document]):
    """A frozen decision with its canonical bytes.

    A kind of file names its schema and model, and the column that decisions are written to.
    It provides `cost_matrix`, `reference_counts` and its `cut_offs`, or `decide_patients` and
    `flip_probability_of`, and adds to `expected`. Everything else works for every kind.

    ``direction`` is ``"ge"`` where high scores are called, ``"le"`` where low ones are. Scores
    times ``sign`` are such that high ones are called. ``certificate`` is the bound on the mean
    cost, and what it is made of; its patients chose the cut-off among ``n_choices`` scores, 0 if
    others chose it.
    """

    schema: ClassVar[str]
    _model: ClassVar[type[FrozenDocument]]
    _column: ClassVar[str] = "decision"

    def __init__(self, document: Document) -> None:
        self.document = document if document.sha256 else document.sealed()
        self._bytes = self.document.to_bytes()
        self.file_name = file_name_of(self.schema)
        self.direction: str = document.direction
        self.sign: float = sign_of(document.direction)
        self.certificate: parts.CertificatePart = document.certificate
        self.n_choices: int = document.certificate.n_choices

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    @classmethod
    def document_of(cls, content: object) -> Document:
        """Return the plain content of a file as a document."""
        model: Any = cls._model
        return model.model_validate(content)

    @classmethod
    def of(cls, *records: object, **given: object) -> Self:
        """Freeze a file that is made of records and of given fields, as `Part.of` takes them."""
        model: Any = cls._model
        return cls(model.of(*records, schema=cls.schema, **given))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a file; refuse one that was changed since it was written."""
        return cls.from_bytes(canonical_json.read_frozen(path), str(path))

    @classmethod
    def from_bytes(cls, written: bytes, name: str | None = None) -> Self:
        """Read the content of a file; refusals call it ``name``."""
        name = file_name_of(cls.schema) if name is None else name
        content = canonical_json.parse_frozen(written, name, cls.schema)
        try:
            rule = cls(cls.document_of(content))
        except ValidationError as error:
            raise BadRuleFile(_refusal(error, content, name, cls.schema)) from None
        if not fits_together(content):
            msg = f"{name} is not a rule of schema {cls.schema}: its fields do not fit each other."
            raise BadRuleFile(msg)
        if rule.to_bytes() != written:
            raise BadRuleFile(f"{name} was changed after it was written; use the original file.")
        return rule

    def describe(self) -> Document:
        """Return what the file says, as one typed record."""
        return self.document

    def to_bytes(self) -> bytes:
        """Return the file's bytes: the same rule gives the same bytes."""
        canonical_json.check_size(self._bytes, self.file_name)
        return self._bytes

    def save(self, path: str | PathLike[str]) -> None:
        """Write the rule; the file appears whole or not at all."""
        write_atomically(Path(path), self.to_bytes())

    @cached_property
    def recipe(self) -> Recipe:
        """How the patient scores are made of a table."""
        return self._recipe(self.document.columns.score, self.document.aggregation)

    def _recipe(self, score: str, steps: list[parts.Step]) -> Recipe:
        levels = tuple((step.level, step.how) for step in steps[:-1])
        columns = {**dict(self.document.columns), "score": score, "levels": levels}
        return Recipe(**columns, how=steps[-1].how)

    # What a kind provides ---------------------------------------------------------------------

    @property
    @abstractmethod
    def actions(self) -> tuple[str, ...]:
        """The names of the actions, from the lowest."""

    @property
    @abstractmethod
    def grades(self) -> tuple[str, ...]:
        """The names of the true grades, from the lowest."""

    @property
    @abstractmethod
    def cost_matrix(self) -> CostMatrix:
        """What each action costs for a patient of each grade, shape (grades, actions)."""

    @property
    @abstractmethod
    def reference_counts(self) -> IntArray | None:
        """The certifying patients by grade and action; None if an older file does not hold them."""

    @abstractmethod
    def _cut_offs(self, patients: PatientScores) -> dict[str, NDArray[Any]]:
        """Return the column with the cut-off of each patient, by its name."""

    @abstractmethod
    def grades_of(self, patients: PatientScores, y: ArrayLike | None = None) -> IntArray | None:
        """Return the true grade of each patient, from ``y`` or from the patients themselves."""

    # What a kind may change -------------------------------------------------------------------

    def decide_patients(self, patients: PatientScores) -> IntArray:
        """Return the action for each patient, 0 for the lowest: as many cut-offs as are reached."""
        scores = patients.oriented(self.direction).scores
        actions = stratum_of(scores, self.sign * np.array(self.cut_offs))
        return np.where(np.isneginf(scores), 0, actions)

    def flip_probability_of(self, patients: PatientScores) -> FloatArray:
        """Return, for each patient, how often a resampled study takes another action."""
        flips = np.zeros(patients.n_patients)
        flips[np.isfinite(patients.scores)] = self.flip_probability(patients.scored.scores)
        return flips

    def flip_probability(self, scores: ArrayLike) -> FloatArray:
        """Return, for each patient score, how often a resampled study takes another action."""
        document: Any = self.document
        draws = np.reshape(document.bootstrap_thresholds, (-1, len(self.cut_offs)))
        cut_offs = self.sign * np.array(self.cut_offs)
        return stratum_flips(self._oriented(scores), cut_offs, self.sign * draws)

    def _oriented(self, scores: ArrayLike) -> FloatArray:
        return self.sign * PatientScores(scores=scores).scores

    @property
    def costs(self) -> Costs | None:
        """What a miss and a false alarm cost, if there are two grades and two actions."""
        return None

    @property
    def cut_offs(self) -> tuple[float, ...]:
        """The cut-offs on the score, if they are the same for every patient; else none."""
        return ()

    @cached_property
    def cut_off(self) -> float | None:
        """The one cut-off on the score by which patients are called; None if that is not so."""
        return self.cut_offs[0] if self.costs is not None and len(self.cut_offs) == 1 else None

    @property
    def reference(self) -> Reference | None:
        """The scores of the certifying patients by class; None if the file does not keep them."""
        return None

    @property
    def rounded(self) -> Rounded | None:
        """Why errors of the certifying patients may be counted too high, if they are."""
        return None

    @property
    def penalty(self) -> float | None:
        """What the stability of the cut-off adds to a bound; None if the file does not say so."""
        return None

    @property
    def paper_penalty(self) -> float | None:
        """The same with the paper's band."""
        return None

    @property
    def sides(self) -> Sequence[parts.CertifiedRatePart]:
        """What was shown of the two rates by which patients are ruled out and in; else nothing."""
        return ()

    @property
    def asked_rates(self) -> Mapping[RateName, float]:
        """The rates of the two sides, shown or not, each with the value that was asked for."""
        return {side.rate: side.asked for side in self.sides}

    @property
    def certified_rates(self) -> Mapping[RateName, float]:
        """The rates that were shown to be at least a value, each with its value."""
        return {side.rate: side.asked for side in self.sides if side.answer == "yes"}

    @property
    def attributes(self) -> tuple[str, ...]:
        """The patient-level columns that the decision needs besides the score."""
        return ()

    @property
    def grades_are_named(self) -> bool:
        """Whether a label column holds the names of grades; otherwise it says yes or no."""
        return False

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """Every score that must be made of a table: one, or one per method of an ensemble."""
        return (self.recipe,)

    def combined(self, methods: Sequence[PatientScores]) -> PatientScores:
        """Return the patients with the score that is decided on, from one cohort per recipe."""
        return methods[0]

    @property
    def expected(self) -> guards.Expected:
        """What the patients of the study were like, as far as a kind of file says so."""
        document: Any = self.document
        return guards.Expected(
            recipe=self.recipe,
            score_range=document.score_range,
            usual=getattr(document, "usual_range", None),
            instances=getattr(document, "instances_per_patient", None),
            units=document.units_per_patient,
            data_sha256=getattr(document.provenance, "data_sha256", None),
        )

    def check_unseen(self, unseen: str) -> None:
        """Check what to do with patients whose attributes the rule has not seen."""
        check_choice("unseen", unseen, UNSEEN)
        if unseen != "refuse":
            msg = f"{argument('unseen', 'pooled')} is for a covariate.json; leave it out here."
            raise BadOption(msg)

    def check_attributes(self, patients: PatientScores, unseen: str = "refuse") -> list[str]:
        """Refuse patients whose attributes the rule cannot use; return warnings about others."""
        self.check_unseen(unseen)
        for name in self.attributes:
            if name not in patients.attributes:
                raise BadPatients(
                    f"the rule needs {name!r} of every patient; these patients do not have it. "
                    f"Give it in their attributes: attributes={{{name!r}: ...}}."
                )
        return []

    def _named(self, actions: IntArray) -> NDArray[Any]:
        """Return actions as they are written to the column of decisions."""
        return actions.astype(np.int8)

    def _applied(self, patients: PatientScores) -> dict[str, object]:
        """Return what is said of the actions of a table, besides how often they flip."""
        called = self.decide_patients(patients) > 0
        return {"called": int(called.sum()), "call_rate": float(called.mean())}

    # What works for every kind ----------------------------------------------------------------

    def patients_of(self, given: GivenPatients) -> PatientScores:
        """Return the patients with the score that is decided on.

        ``given`` is that already; or it holds the same patients once for each recipe, in any
        order and perhaps with others.
        """
        if isinstance(given, PatientScores):
            return given.under(self.recipe.unscored)
        several = _listed(given)
        methods = [made_by(recipe, several).under(recipe.unscored) for recipe in self.recipes]
        check_same_patients(methods)
        return self.combined(methods)

    def request(
        self,
        *,
        label: str | None = None,
        site: str | None = None,
        sites: Sequence[str] | None = None,
        missing: str = "refuse",
        attributes: Sequence[str] = (),
        others: bool = False,
        positive: object = None,
        label_how: str | None = None,
        patient: str | None = None,
        score: str | None = None,
        columns: ColumnNames = (),
        survival: bool = False,
    ) -> Request:
        """Return what the rule asks of a table; its positive label need not occur there.

        ``attributes`` are further patient-level columns to read. With ``others`` only sites are
        read that the rule was not made on. ``positive`` is the label that counts as positive, where
        it is not that of the rule, and ``label_how`` likewise. ``patient``, ``score`` and
        ``columns`` say what columns are called in the table, where that is not their name in the
        rule; ``columns`` has the names in the rule and in the table, such as ``{"slide": "block"}``
        or ``"slide=block"``. With ``survival`` the time and the event that the rule names are read.
        """
        recipes = self.recipes
        first = recipes[0]
        named = (label,) if label is not None and self.grades_are_named else ()
        if positive is not None and (named or label is None):
            raise BadOption(
                f"{argument('positive')} needs {argument('label')}, and a rule with two "
                "classes. Leave it out."
            )
        column = None if named else label
        there = self._names_there(patient, score, columns)
        own = [there[name] for name in self.attributes]
        followed = survival and first.horizon is not None and label is None
        if positive is None and (column is not None or followed):
            positive = first.positive
        request = make_request(
            patient=there[first.patient],
            score=list(dict.fromkeys(there[recipe.score] for recipe in recipes)),
            label=column,
            positive=positive,
            time=there[str(first.time)] if followed else None,
            event=there[str(first.event)] if followed else None,
            horizon=first.horizon if followed else None,
            label_how=label_how or (first.label_how if column else None) or SAME,
            site=site,
            sites=sites,
            positive_occurs=False,
            levels=[(there[level], how) for level, how in first.levels],
            unscored=first.unscored or "refuse",
            how=list(dict.fromkeys(recipe.how for recipe in recipes)),
            attributes=dict.fromkeys([*own, *named, *attributes]),
            missing=missing,
            names=tuple((new, old) for old, new in there.items()),
        )
        return replace(request, other_than=tuple(self._own_sites(site))) if others else request

    def _names_there(
        self, patient: str | None, score: str | None, columns: ColumnNames
    ) -> dict[str, str]:
        """Return the name in a table of every column that the rule needs."""
        recipes, given = self.recipes, column_names(columns)
        scores = list(dict.fromkeys(recipe.score for recipe in recipes))
        needed = [recipes[0].patient, *scores, *dict(recipes[0].levels), *self.attributes]
        needed += [name for name in (recipes[0].time, recipes[0].event) if name is not None]
        unknown = [name for name in given if name not in needed]
        if unknown:
            listed = ", ".join(needed)
            refuse("columns", f"name columns of the rule, which are {listed}", unknown[0])
        if score is not None and len(scores) > 1:
            raise BadOption(
                f"the rule needs {len(scores)} columns of scores, {', '.join(scores)}; name each "
                f"with {argument('columns', f'{scores[0]}=COL')}."
            )
        shorter = {recipes[0].patient: patient, scores[0]: score}
        given |= {name: there for name, there in shorter.items() if there is not None}
        return {name: given.get(name, name) for name in needed}

    def _own_sites(self, site: str | None) -> Sequence[str]:
        """Return the hashes of the sites that the rule was made on."""
        if site is None:
            msg = f"{argument('external', 'others')} needs {argument('site')}, the column of sites."
            raise BadOption(msg)
        if not self.expected.sites:
            raise BadOption(
                f"{argument('external', 'others')} needs a rule that knows its sites; this one was "
                "made without. Name the sites to judge on."
            )
        return self.expected.sites

    def aggregate(
        self,
        table: Any,  # noqa: ANN401
        *,
        label: str | None = None,
        site: str | None = None,
        positive: object = None,
        label_how: str | None = None,
        attributes: Sequence[str] = (),
        missing: str = "refuse",
        patient: str | None = None,
        score: str | None = None,
        columns: ColumnNames = (),
    ) -> PatientScores | Mapping[tuple[str, str], PatientScores]:
        """Make patient scores of a table as the rule does: its columns, its chain of aggregators.

        The columns of labels and of sites are those that the rule names, if the table has them;
        ``label`` and ``site`` name others. All arguments are as in `request`.

        Returns
        -------
        PatientScores
            For an ensemble a mapping of them, one for each method.
        """
        taken = {patient, score, *column_names(columns).values()}
        own = {"label": self.document.columns.label, "site": self.document.columns.site}
        given = {"label": label, "site": site}
        wanted = {
            name: column or (None if own[name] in taken else own[name])
            for name, column in given.items()
        }
        survival = self.recipe.horizon is not None
        while True:
            asked = self.request(
                survival=survival,
                label=wanted["label"],
                site=wanted["site"],
                positive=positive,
                label_how=label_how if wanted["label"] else None,
                attributes=attributes,
                missing=missing,
                patient=patient,
                score=score,
                columns=columns,
            )
            try:
                read = read_patients(asked, table)
                break
            except MissingColumn as error:
                if survival and error.column in {asked.time, asked.event}:
                    survival = False
                    continue
                gone = [name for name in own if wanted[name] == error.column and not given[name]]
                if not gone:
                    raise
                wanted[gone[0]] = None
        note_order(read, table, asked.patient)
        lines = [*dropped_lines(read), *alike_lines(read)]
        lines += none_positive(next(iter(read.patients.values())))
        warn_each(lines, stacklevel=2)
        return read.patients if len(self.recipes) > 1 else self.patients_of(read.patients)

    def patients_in(
        self,
        table: Any,  # noqa: ANN401
        attributes: Sequence[str] = (),
    ) -> PatientScores | Mapping[tuple[str, str], PatientScores]:
        """Make patient scores of a table; errors say that `aggregate` takes their arguments."""
        try:
            return self.aggregate(table, attributes=attributes)
        except SteadycutError as error:
            if error.arguments:
                advice = (
                    " Such arguments belong to rule.aggregate(table, ...); give its result instead "
                    "of the table."
                )
                error.message += advice
                error.args = (error.spelled(),)
            raise

    def decide(
        self,
        table: Any,  # noqa: ANN401
        missing: str = "refuse",
        unseen: str = "refuse",
        *,
        force: bool = False,
        key: bytes | None = None,
        patient: str | None = None,
        score: str | None = None,
        columns: ColumnNames = (),
    ) -> Decisions:
        """Apply the rule to a table of instances, or to the path of one.

        Patients that the rule was not made for are refused
        (`steadycut.documents.guards.check_deployment`); ``force`` makes that a warning. ``key`` is
        the one of a rule that remembers its patients. ``patient``, ``score`` and ``columns`` are
        as in `request`.

        Returns
        -------
        Decisions
            A dictionary of arrays with one entry per patient, in the order of the patients'
            identifiers; see `decisions`. ``to_frame()`` returns it as a data frame.
        """
        self.check_unseen(unseen)
        asked = self.request(missing=missing, patient=patient, score=score, columns=columns)
        read = read_patients(asked, table)
        warn_each([*dropped_lines(read), *alike_lines(read)], stacklevel=2)
        several = list(read.patients.values())
        patients = self.patients_of(several)
        findings = guards.check_deployment(self, patients, several, key=key)
        guards.warn_of_forced(guards.pass_or_refuse(findings, force=force))
        return self.decisions(several, unseen)

    def decisions(self, given: GivenPatients, unseen: str = "refuse") -> Decisions:
        """Return score, decision and flip probability of each patient; see `patients_of`.

        Patients of a group that a rule by covariate has not seen are refused, or decided by the
        pooled cut-off with ``unseen="pooled"``. Outside the range of a number the nearer end
        decides.

        Returns
        -------
        Decisions
            Arrays ``patient``, ``score``, ``decision`` (``stratum`` for risk strata),
            ``flip_probability``, ``threshold`` (``thresholds``, as one text, for risk strata),
            ``outside_range`` (1 if the score is outside the range that the rule knows; for an
            ensemble given by its methods, also the score of one of them) and ``rule_sha256``.
        """
        several = [] if isinstance(given, PatientScores) else _listed(given)
        patients = self.patients_of(several or given)
        self.check_attributes(patients, unseen)
        outside = guards.outside_range(self.expected, patients, several)
        return Decisions(
            {
                "patient": patients.patients,
                "score": patients.scores,
                self._column: self._named(self.decide_patients(patients)),
                "flip_probability": self.flip_probability_of(patients),
                **self._cut_offs(patients),
                "outside_range": outside.astype(np.int8),
                "rule_sha256": np.full(patients.n_patients, self.document.sha256, dtype=object),
            }
        )

    def applied(self, patients: PatientScores, decisions: Decisions) -> AppliedDocument:
        """Return what the decisions about the patients of a table come to."""
        flips = float(decisions["flip_probability"].mean())
        known = {"n_patients": patients.n_patients, "flip_rate": flips, **self._applied(patients)}
        return AppliedDocument.model_validate(known)


def none_positive(patients: PatientScores) -> list[str]:
    """Warn if the label that counts as positive does not occur."""
    positive = patients.recipe.positive
    if patients.labels is None or positive is None or np.any(patients.labels == 1):
        return []
    return [Warned("labels", f"none is {positive!r}, so every patient counts as healthy.")]


def is_table(given: object) -> bool:
    """Whether something is a table of instances or the path of one, and not patient scores."""
    if isinstance(given, PatientScores):
        return False
    if isinstance(given, Mapping):
        return not all(isinstance(entry, PatientScores) for entry in given.values())
    if isinstance(given, np.ndarray):
        return given.dtype.names is not None
    marks = ("columns", "column_names", "collect_schema", "obs", "scanner")
    return isinstance(given, str | PathLike) or any(hasattr(given, mark) for mark in marks)


def column_names(given: ColumnNames) -> dict[str, str]:
    """Return the names in a table by the names in the rule.

    Examples
    --------
    >>> column_names("slide=block"), column_names(["slide=block", "sex=gender"])
    ({'slide': 'block'}, {'slide': 'block', 'sex': 'gender'})
    """
    if isinstance(given, Mapping):
        return dict(given)
    names = {}
    for text in (given,) if isinstance(given, str) else given:
        name, equals, column = text.partition("=")
        if not (name and equals and column):
            written = "be written NAME=COL, the name in the rule and the name in the table"
            refuse("columns", written, text)
        names[name] = column
    return names


def _listed(given: Mapping[Any, PatientScores] | Iterable[PatientScores]) -> list[PatientScores]:
    return list(given.values() if isinstance(given, Mapping) else given)


class CallFile(FrozenFile[Document]):
    """A frozen decision to call a patient or not, where a patient has the disease or not."""

    actions = ("not called", "called")
    grades = ("negative", "positive")

    @property
    @abstractmethod
    def costs(self) -> Costs:
        """What a miss and a false alarm cost."""

    @cached_property
    def cost_matrix(self) -> CostMatrix:
        """The costs as a matrix: a correct decision costs nothing."""
        return CostMatrix.of_errors(self.costs.cost_fn, self.costs.cost_fp)

    def grades_of(self, patients: PatientScores, y: ArrayLike | None = None) -> IntArray | None:
        """Return the labels, 0 or 1; None where they are not known."""
        if y is not None:
            return check_labels(y, patients.n_patients).astype(np.int64)
        return None if patients.labels is None else patients.known_labels.astype(np.int64)


def _refusal(error: ValidationError, content: dict[str, object], name: str, schema: str) -> str:
    """Say what is wrong; a field that is not known could change decisions, so it comes first."""
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    first = next((wrong for wrong in errors if wrong["type"] == "extra_forbidden"), errors[0])
    where = canonical_json.shown(".".join(map(str, first["loc"])) or "the file")
    if first["type"] != "extra_forbidden":
        return f"{name} is not a rule of schema {schema}: {where}: {first['msg']}."
    unknown = f"{name} has the field {where}, which steadycut {__version__} does not know"
    return f"{unknown}: {canonical_json.newer_version(content)}"
