"""The frozen risk strata (``strata.json``) and their study (``strata-study.json``).

``strata.json`` takes ordered boundaries to the next hospital. It is written, hashed and read like
``rule.json``, and it does not hold any patient.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, FiniteFloat

from steadycut.core.bounds.binomial import two_sided
from steadycut.core.checks import IntArray, as_array, check_length, shared_values
from steadycut.core.labels import is_number
from steadycut.core.records import Costs, PatientScores
from steadycut.core.strata.costs import CostMatrix, check_grades, grade_codes
from steadycut.documents import parts
from steadycut.documents.frozen import FrozenDocument, FrozenFile
from steadycut.documents.study import AnyStudy, StudyRatePart
from steadycut.errors import BadPatients
from steadycut.rule_reader import END_TEXTS, with_ends

# With more different values a column hardly holds grades: they may identify patients.
MOST_GRADES = 20


class RatePart(parts.Part):
    """An error rate at a boundary and its limit."""

    errors: parts.Count
    n_patients: parts.Count
    rate: FiniteFloat | None
    limit: FiniteFloat


class BoundaryPart(parts.Part):
    """One boundary: what its two errors cost each grade, and what is certified of them."""

    below: str
    above: str
    threshold: parts.CutOff
    miss_costs: dict[str, FiniteFloat]
    alarm_costs: dict[str, FiniteFloat]
    probability: FiniteFloat | None
    miss: RatePart
    alarm: RatePart
    delta: FiniteFloat = Field(gt=0, lt=1)


class BetweenPart(parts.Part):
    """How many patients lie between two cut-offs, with exact limits of their share.

    Both limits hold together with confidence ``level``. They need no labels.
    """

    patients: parts.Count
    n_patients: parts.Count
    low: FiniteFloat = Field(ge=0, le=1)
    high: FiniteFloat = Field(ge=0, le=1)
    level: FiniteFloat = Field(gt=0, lt=1)

    @classmethod
    def of_counts(cls, members: Sequence[int] | IntArray, delta: float) -> "BetweenPart":
        """Return it from the number of patients in each of three strata."""
        between, n = int(members[1]), int(sum(members))
        low, high = two_sided(between, n, delta)
        return cls(patients=between, n_patients=n, low=low, high=high, level=1 - delta)


class StrataStability(parts.Part):
    """How far the boundaries move together between resampled cohorts."""

    bias: list[FiniteFloat]
    quantile: FiniteFloat
    radius: list[FiniteFloat]
    local_modulus: FiniteFloat
    modulus: FiniteFloat
    penalty: FiniteFloat
    smallest_risk: FiniteFloat
    objective: FiniteFloat
    flip_rate: FiniteFloat
    jump_rate: FiniteFloat
    n_bootstrap: int
    warnings: list[str]


class StrataOptionsPart(parts.Part):
    """The options that the numbers depend on."""

    grid: int | str
    certify_size: FiniteFloat
    bound: str
    delta: FiniteFloat
    n_bootstrap: int
    seed: int


class StrataRoles(parts.Part):
    """How many patients there are in all, and by grade in each role."""

    total: parts.Count
    select: parts.Counts
    certify: parts.Counts


class StrataProvenance(parts.Part):
    """What the strata were made with."""

    versions: dict[str, str]
    options: StrataOptionsPart
    patients: StrataRoles
    data_sha256: str


class StrataPart(parts.Part):
    """The strata, as the frozen file and the study say it.

    ``counts`` are the certifying patients by grade and stratum. ``sides`` has the rates that were
    asked for of two limits, rule-out first, and ``between`` the share of patients between the two
    cut-offs.
    """

    strata: list[str] = Field(min_length=2)
    grades: list[str] = Field(min_length=2)
    thresholds: parts.CutOffs = Field(min_length=1)
    operating_values: list[FiniteFloat | None]
    costs: list[list[FiniteFloat]]
    boundaries: list[BoundaryPart]
    counts: list[parts.Counts]
    stability: StrataStability
    sides: list[StudyRatePart] | None = Field(default=None, min_length=2, max_length=2)
    between: BetweenPart | None = None


class StrataDocument(StrataPart, FrozenDocument):
    """Everything in ``strata.json`` but the hash over it.

    ``usual_range`` holds the middle 90 % of the scores.
    """

    schema_: Literal["steadycut.strata/1"] = Field(alias="schema")
    rule: str
    usual_range: parts.Range
    instances_per_patient: parts.InstancesPart | None
    bootstrap_thresholds: list[parts.CutOffs] = Field(min_length=1)
    provenance: StrataProvenance


class StrataStudyDocument(StrataPart, AnyStudy):
    """Everything in ``strata-study.json``."""

    schema_: Literal["steadycut.strata-study/1"] = parts.schema("steadycut.strata-study/1")
    risk: FiniteFloat
    patients: StrataRoles
    options: StrataOptionsPart
    disagreement: FiniteFloat | None = None


class StrataRule(FrozenFile[StrataDocument]):
    """Ordered boundaries with everything that is needed to apply them.

    Examples
    --------
    >>> import numpy as np
    >>> from steadycut import PatientScores, fit_strata
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 100)
    >>> cohort = PatientScores(scores=rng.normal(size=200) + 3 * labels, labels=labels)
    >>> rule = fit_strata(cohort, costs=[[0, 0.2, 1], [4, 1, 0]]).freeze()
    >>> rule.decide_scores([-2.0, 5.0])
    array(['low', 'high'], dtype='<U12')
    """

    schema = "steadycut.strata/1"
    _model = StrataDocument
    _column = "stratum"

    def __repr__(self) -> str:
        """Return the strata with their boundaries."""
        document = self.document
        thresholds = with_ends(END_TEXTS, document.thresholds)
        return f"StrataRule(strata={document.strata}, thresholds={thresholds})"

    @property
    def strata(self) -> list[str]:
        """The names of the strata, ascending."""
        return self.document.strata

    @property
    def actions(self) -> tuple[str, ...]:
        """A patient is put into one of the strata."""
        return tuple(self.document.strata)

    @property
    def grades(self) -> tuple[str, ...]:
        """The names of the grades, ascending."""
        return tuple(self.document.grades)

    @property
    def grades_are_named(self) -> bool:
        """Whether a label column holds the names of grades; otherwise it says yes or no."""
        return self.document.columns.positive is None and self.grades != ("0", "1")

    @property
    def cost_matrix(self) -> CostMatrix:
        """What each stratum costs for a patient of each grade."""
        return CostMatrix(self.document.costs)

    @property
    def reference_counts(self) -> IntArray:
        """The certifying patients by grade and stratum."""
        return np.array(self.document.counts, dtype=np.int64)

    def grades_of(self, patients: PatientScores, y: ArrayLike | None = None) -> IntArray | None:
        """Return the grade of each patient, 0 for the lowest; None where it is not known.

        ``y`` holds whole numbers from 0, as for `steadycut.fit_strata`, or names of grades. Without
        it the attribute counts that the file calls the label, otherwise the labels of the patients.
        """
        if y is None:
            y = patients.attributes.get(self.document.columns.label or "", patients.labels)
        if y is None:
            return None
        given = np.atleast_1d(as_array("grades", y))
        if given.dtype.kind in "biuf":
            return check_grades(given, patients.n_patients, len(self.grades))
        check_length("grades", given, patients.n_patients)
        return self._named_grades([str(value) for value in given.tolist()])

    def _named_grades(self, texts: Sequence[str]) -> IntArray:
        names, places = self.grades, [str(place) for place in range(len(self.grades))]
        codes = grade_codes(texts, names)
        if (codes < 0).any() and not any(is_number(name) for name in names):
            # Then the numbers 0, 1, ... cannot be taken for names.
            numbered = grade_codes(texts, places)
            codes = codes if (numbered < 0).any() else numbered
        if (codes < 0).any():
            others = Counter(text for text, code in zip(texts, codes, strict=True) if code < 0)
            which = shared_values(others) if len(others) <= MOST_GRADES else "many values"
            raise BadPatients(
                f"every label must be one of the rule's grades, {', '.join(names)}; got {which}. "
                "Correct the label column, or name the right one."
            )
        return codes

    @property
    def sides(self) -> Sequence[StudyRatePart]:
        """What was shown of both rates of two limits."""
        return self.document.sides or []

    @property
    def costs(self) -> Costs | None:
        """What a miss and a false alarm cost, if there is one boundary between two grades."""
        return self.cost_matrix.of_one_cut_off

    @property
    def cut_offs(self) -> tuple[float, ...]:
        """The frozen boundaries, from the lowest stratum up."""
        return tuple(self.document.thresholds)

    @property
    def thresholds(self) -> list[float]:
        """The frozen boundaries, from the lowest stratum up."""
        return self.document.thresholds

    def stratum_of(self, scores: ArrayLike) -> IntArray:
        """Return the stratum of each patient score, 0 for the lowest."""
        return self.decide_patients(PatientScores(scores=scores))

    def decide_scores(self, scores: ArrayLike) -> NDArray[np.str_]:
        """Return the name of the stratum of each patient score."""
        return self._named(self.stratum_of(scores))

    def _named(self, actions: IntArray) -> NDArray[np.str_]:
        return np.array(self.strata, dtype=np.str_)[actions]

    def _cut_offs(self, patients: PatientScores) -> dict[str, NDArray[Any]]:
        text = "; ".join(map(str, with_ends(END_TEXTS, self.thresholds)))
        return {"thresholds": np.full(patients.n_patients, text, dtype=object)}

    def _applied(self, patients: PatientScores) -> dict[str, object]:
        actions = self.decide_patients(patients)
        members = np.bincount(actions, minlength=len(self.strata)).tolist()
        strata = dict(zip(self.strata, members, strict=True))
        return {"thresholds": self.thresholds, "strata": strata}
