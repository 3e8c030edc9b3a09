"""The frozen records that the modules of core pass to each other."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadycut.core.checks import (
    BoolArray,
    FloatArray,
    IntArray,
    LabelArray,
    TextArray,
    as_array,
    check_choice,
    check_labels,
    check_length,
    check_positive,
    check_range,
    check_same_order,
    check_scores,
    read_only,
    refuse,
    refuse_masked,
    shown,
    store,
)
from steadycut.core.class_names import ClassNames
from steadycut.core.frames import Columns, Framed
from steadycut.core.labels import code_labels, negative_name
from steadycut.errors import (
    BadOption,
    BadPatients,
    PatientOverlap,
    TooFewPatients,
    Warned,
    argument,
    explains_calls,
    warn_each,
)

DIRECTIONS = ("ge", "le")
Direction = Literal["ge", "le"]
# What is done to a patient without a score.
Unscored = Literal["call", "leave"]
UNSCORED = ("refuse", "call", "leave")
T = TypeVar("T")
Held = Mapping[str, NDArray[Any] | None]
# Between two identifiers.
SEPARATOR = "\x1f"
LARGEST_COUNT = 2.0**63
# With a larger ratio of the costs the cheaper error could never change a choice.
MOST_UNEQUAL = 1e6
# Products of costs and rates stay within the range that every function takes.
MOST_COST = 1e50
COLUMNS = ("scores", "labels", "patients", "sites", "n_instances", "n_units", "time", "event")
# The label of a patient who was censored before the horizon.
UNKNOWN = -1
# Patients whose labels must agree too.
LABELLED = "patients and labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The cost of a missed patient, ``cost_fn`` (c₁₀), and of a false alarm, ``cost_fp`` (c₀₁).

    ``target`` is a range of prevalences (low, high). The risk is then taken at the end of the range
    where it is larger. None means the prevalence of the patients at hand.
    """

    cost_fn: float = 1.0
    cost_fp: float = 1.0
    target: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for name in ("cost_fn", "cost_fp"):
            store(self, name, check_positive(name, getattr(self, name), MOST_COST))
        if not are_allowed(self.cost_fn, self.cost_fp):
            raise BadOption(
                f"{argument('cost_fn')} and {argument('cost_fp')} must be within a factor of "
                f"{MOST_UNEQUAL:g}; got {self.cost_fn:g} and {self.cost_fp:g}. Beyond it the "
                "cheaper error counts for nothing."
            )
        if self.target is not None:
            store(self, "target", check_range("target_prevalence", self.target))

    @property
    def class_weights(self) -> tuple[tuple[float, float], ...]:
        """The cost per patient of missing all and of alarming all, at each end of the target."""
        ends = sorted(set(self.target or ()))
        return tuple((self.cost_fn * end, self.cost_fp * (1 - end)) for end in ends)

    def worst_risk(self, miss_rate: float, alarm_rate: float) -> float:
        """Return the risk at the end of the target range where it is larger.

        The risk is linear in the prevalence, so no prevalence between the ends is worse.
        """
        miss, alarm = self.worse_end(miss_rate, alarm_rate)
        return miss * miss_rate + alarm * alarm_rate

    def worse_end(self, miss_rate: float, alarm_rate: float) -> tuple[float, float]:
        """Return the class weights at the end of the target range where the risk is larger."""
        return max(self.class_weights, key=lambda end: end[0] * miss_rate + end[1] * alarm_rate)

    @property
    def by_class(self) -> FloatArray:
        """The cost of the error of each class: a false alarm, then a miss."""
        return np.array([self.cost_fp, self.cost_fn])

    @property
    def plain(self) -> "Costs":
        """The same costs at the prevalence of the patients at hand."""
        return Costs(cost_fn=self.cost_fn, cost_fp=self.cost_fp)

    @property
    def unit(self) -> "Costs":
        """The costs divided by the larger one, so that only their ratio counts.

        They are rounded to twelve digits. The last bit of a common factor then cannot break a tie.
        """
        return _unit(self)

    @property
    def largest(self) -> float:
        """The larger of the two costs."""
        return max(self.cost_fn, self.cost_fp)

    @property
    def equal(self) -> bool:
        """Whether both errors cost the same."""
        return self.cost_fn == self.cost_fp


def are_allowed(cost_fn: float, cost_fp: float) -> bool:
    """Return whether two positive costs are neither too large nor too unequal."""
    balanced = 1 / MOST_UNEQUAL <= cost_fn / cost_fp <= MOST_UNEQUAL
    return balanced and max(cost_fn, cost_fp) <= MOST_COST


@lru_cache
def _unit(costs: Costs) -> Costs:
    fn, fp = (float(f"{cost / costs.largest:.12g}") for cost in (costs.cost_fn, costs.cost_fp))
    return replace(costs, cost_fn=fn, cost_fp=fp)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How patient scores are made from a table: which columns, and which chain of aggregators.

    ``levels`` are pairs of a column and an aggregator, from the innermost level outwards. For
    example ``(("slide", "max"),)`` with ``how="mean"`` takes the largest row of each slide, and
    then the mean over the slides of each patient. ``positive`` is the label that counts as 1.
    ``negative`` is the other label, if both are names of classes. ``label_how`` is ``"any"`` where
    one positive row makes the patient positive, and None where all rows have the same label. With
    a ``horizon`` labels are made from the follow-up ``time`` and the ``event``. ``unscored`` says
    what is done to a patient without a score, and is None where there must be none.
    """

    patient: str = "patient"
    score: str = "score"
    label: str | None = None
    positive: str | None = None
    negative: str | None = None
    label_how: Literal["any"] | None = None
    site: str | None = None
    levels: tuple[tuple[str, str], ...] = ()
    how: str = "mean"
    time: str | None = None
    event: str | None = None
    horizon: float | None = None
    unscored: Unscored | None = None

    @property
    def chain(self) -> tuple[tuple[str, str], ...]:
        """All steps from rows to patients. The last step is named ``patient``."""
        return (*self.levels, ("patient", self.how))

    @property
    def class_names(self) -> ClassNames:
        """What patients of either class are called."""
        return ClassNames.of(self.positive, self.negative)

    @property
    def name(self) -> str:
        """The chain in one line, such as ``score: slide max, patient mean``."""
        return f"{self.score}: " + ", ".join(f"{level} {how}" for level, how in self.chain)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, init=False, repr=False)
class PatientScores(Framed):
    """One row per patient: the score and, where known, label, site and number of instances.

    ``n_units`` counts the units of the innermost level, such as slides, if there are levels.
    ``attributes`` holds further patient-level columns, such as sex or scanner, as texts by name.
    Labels are 0 and 1; with ``positive`` they may be any two values, of which this one counts as 1.

    With ``time``, ``event`` and ``horizon`` labels are made from the follow-up: 1 if the event
    happened by the horizon, 0 if the patient was followed to it without the event, and -1, unknown,
    if the patient was censored before.

    With ``unscored``, ``"call"`` or ``"leave"``, patients may have no score (NaN). Each of them is
    called, or not called, whatever the cut-off is. Once the scores are oriented, they have an
    infinite one.

    Patients with identifiers are sorted by identifier, so that no result depends on the order of
    the input. Patients without identifiers keep their order.

    Examples
    --------
    >>> cohort = PatientScores(scores=[0.9, 0.2, 0.4], labels=[1, 0, 0], patients=["c", "a", "b"])
    >>> cohort.scores
    array([0.2, 0.4, 0.9])
    >>> cohort.n_positive
    1
    >>> PatientScores(scores=[0.9, 0.2], labels=["MSI", "MSS"], positive="MSI").labels
    array([1, 0], dtype=int8)
    """

    scores: FloatArray
    labels: LabelArray | None = None
    patients: TextArray | None = None
    sites: TextArray | None = None
    n_instances: IntArray | None = None
    n_units: IntArray | None = None
    time: FloatArray | None = None
    event: LabelArray | None = None
    attributes: Mapping[str, TextArray] = field(default_factory=dict)
    recipe: Recipe = field(default_factory=Recipe)
    # A cache: what `once` has made of these patients.
    _made: dict[str, Any] = field(init=False)

    @explains_calls
    def __init__(  # noqa: PLR0913
        self,
        scores: ArrayLike,
        labels: ArrayLike | None = None,
        *,
        patients: Sequence[object] | TextArray | None = None,
        sites: Sequence[object] | TextArray | None = None,
        n_instances: ArrayLike | None = None,
        n_units: ArrayLike | None = None,
        time: ArrayLike | None = None,
        event: ArrayLike | None = None,
        horizon: float | None = None,
        attributes: Mapping[str, Sequence[object] | TextArray] | None = None,
        recipe: Recipe | None = None,
        positive: object = None,
        unscored: str | None = None,
    ) -> None:
        recipe = Recipe() if recipe is None else recipe
        if not isinstance(recipe, Recipe):
            refuse("recipe", "be a Recipe", recipe)
        if unscored is not None:
            recipe = replace(recipe, unscored=policy_of(unscored))
        checked = check_scores(scores, gaps=recipe.unscored is not None)
        n = checked.size
        given = {"labels": labels, "sites": sites, "patients": patients, "time": time}
        if positive is not None:
            labels, recipe = _coded(labels, positive, recipe)
        if horizon is not None:
            recipe = replace(recipe, horizon=check_positive("horizon", horizon))
        survival = any(value is not None for value in (time, event, horizon))
        followed = _follow_up(time, event, recipe.horizon, n) if survival else None
        if followed is not None and (labels is None or horizon is not None):
            labels = _fates(labels, *followed, cast("float", recipe.horizon))
        times, events = (None, None) if followed is None else followed
        names = None if patients is None else _texts("patients", patients, n)
        texts = _attributes({} if attributes is None else attributes, n)
        check_same_order({"scores": scores, "event": event, **given, **(attributes or {})}, names)
        order = _order_by_identifier(names)
        columns = {
            "scores": checked,
            "labels": None if labels is None else _checked_labels(labels, n, followed),
            "patients": names,
            "sites": None if sites is None else _texts("sites", sites, n),
            "n_instances": _whole_numbers("n_instances", n_instances, n),
            "n_units": _whole_numbers("n_units", n_units, n),
            "time": times,
            "event": events,
        }
        self._hold(columns, texts, recipe, order)
        if order is not None and np.any(np.diff(order) < 0):
            self.note_other_order()

    def _hold(self, columns: Held, texts: Held, recipe: Recipe, rows: NDArray[Any] | None) -> None:
        """Keep some rows of checked columns and attributes; all of them if ``rows`` is None."""

        def kept(column: NDArray[Any] | None) -> NDArray[Any] | None:
            return column if column is None or rows is None else read_only(column[rows])

        for name in COLUMNS:
            store(self, name, kept(columns[name]))
        store(self, "attributes", {name: kept(column) for name, column in texts.items()})
        store(self, "recipe", recipe)
        store(self, "_made", {})

    def note_other_order(self) -> None:
        """Remember that the patients came in another order than that of their identifiers."""
        self.once("other order", lambda: True)

    @property
    def n_patients(self) -> int:
        """Number of patients."""
        return self.scores.size

    @property
    def known_labels(self) -> LabelArray:
        """The labels. It is an error to ask for them if there are none."""
        if self.labels is None:
            raise BadPatients(f"these patients have no labels: give {argument('labels')}.")
        if self.n_unknown:
            raise BadPatients(
                f"{self.n_unknown} of {self.n_patients} patients were censored before the horizon, "
                "so their labels are unknown. Only fit and the audit of a cut-off can use them."
            )
        return self.labels

    @property
    def fates(self) -> LabelArray:
        """The labels, with `UNKNOWN` for patients who were censored before the horizon."""
        return self.known_labels if self.labels is None else self.labels

    @property
    def n_unscored(self) -> int:
        """Number of patients without a score."""
        return self.n_patients - self.scored.n_patients

    @property
    def scored(self) -> "PatientScores":
        """The patients with a score."""
        if self.recipe.unscored is None:
            return self
        return self.once("scored", lambda: self.take(np.isfinite(self.scores)))

    @property
    def without_score(self) -> "PatientScores":
        """The patients without a score."""
        return self.take(~np.isfinite(self.scores))

    @property
    def of_known_fate(self) -> "PatientScores":
        """The patients whose fate their follow-up shows; without a follow-up all of them."""
        if self.time is None:
            return self
        # Labels of patients of unknown fate may have been filled in.
        return self.once(
            "known fate", lambda: self.take(replace(self, labels=None).fates != UNKNOWN)
        )

    @property
    def usable(self) -> "PatientScores":
        """The patients with a score whose fate is known."""
        return self.of_known_fate.scored

    def need_scores(self, what: str) -> None:
        """Refuse patients without a score; ``what`` needs one of everybody, and says why."""
        if self.n_unscored:
            text = f"{self.n_unscored} of {self.n_patients} patients have no score"
            raise BadOption(f"{text}, and {what}. Leave them out, and say so.")

    def under(self, policy: Unscored | None) -> "PatientScores":
        """Return the patients with what is done to those without a score; refuse any without it."""
        if policy == self.recipe.unscored:
            return self
        if policy is None and self.n_unscored:
            raise BadPatients(
                f"{self.n_unscored} of {self.n_patients} patients have no score, and nothing says "
                "what is done to them. Leave them out, or fit the rule with "
                f"{argument('unscored', 'call|leave')}."
            )
        other = replace(self, recipe=replace(self.recipe, unscored=policy))
        # What was noted about their names stays.
        for name, note in self._made.items():
            if isinstance(note, str | bool):
                other.once(name, partial(type(note), note))
        return other

    @property
    def n_unknown(self) -> int:
        """Number of patients who were censored before the horizon."""
        if self.labels is None:
            return 0
        labels = self.labels
        return self.once("unknown", lambda: int(np.count_nonzero(labels == UNKNOWN)))

    @property
    def positive_scores(self) -> FloatArray:
        """Scores of the patients with label 1, ascending."""
        return self.once("positive scores", lambda: self._of_class(1))

    @property
    def negative_scores(self) -> FloatArray:
        """Scores of the patients with label 0, ascending."""
        return self.once("negative scores", lambda: self._of_class(0))

    def _of_class(self, label: int) -> FloatArray:
        return read_only(np.sort(self.scores[self.known_labels == label]))

    @property
    def joined_names(self) -> str:
        """All identifiers in one text, with `SEPARATOR` between them; empty if there are none."""
        if self.patients is None:
            return ""
        names = self.patients
        return self.once("joined names", lambda: SEPARATOR.join(names.tolist()))

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what ``make`` makes of these patients; under one name it is made only once."""
        if name not in self._made:
            self._made[name] = make()
        made: T = self._made[name]
        return made

    @property
    def n_positive(self) -> int:
        """Number of patients with label 1."""
        return int(np.count_nonzero(self.known_labels))

    @property
    def n_negative(self) -> int:
        """Number of patients with label 0."""
        return self.n_patients - self.n_positive

    def take(self, index: BoolArray | IntArray) -> "PatientScores":
        """Return the patients at ``index``; the same object if these are all, in their order."""
        rows = np.asarray(index)
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        if np.array_equal(rows, np.arange(self.n_patients)):
            return self
        taken = object.__new__(PatientScores)
        columns = {name: getattr(self, name) for name in COLUMNS}
        taken._hold(columns, self.attributes, self.recipe, rows)
        # They are checked already; in another order, or several times, they are checked again.
        in_order = self.patients is None or np.all(np.diff(rows) > 0)
        return taken if in_order else replace(taken)

    def __repr__(self) -> str:
        """Return the number of patients. No value of a single patient is shown."""
        labelled = ""
        if self.labels is not None:
            labelled = f", {np.count_nonzero(self.labels == 1)} positive"
            labelled += f", {self.n_unknown} unknown" if self.n_unknown else ""
        labelled += f", {self.n_unscored} without a score" if self.n_unscored else ""
        return f"PatientScores({self.n_patients} patients{labelled}; {self.recipe.name})"

    def _content(self) -> object:
        return self.recipe, super(PatientScores, self)._content()

    def _tables(self) -> Mapping[str, Callable[[], Columns]]:
        return {"patients": self.columns}

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all that is known of the patients, by the name of its column."""
        names = ("patients", "patient"), ("scores", "score"), ("labels", "label"), ("sites", "site")
        own = [*names, *((name, name) for name in ("n_instances", "n_units", "time", "event"))]
        known = {new: getattr(self, old) for old, new in own if getattr(self, old) is not None}
        return {**known, **{n: column for n, column in self.attributes.items() if n not in known}}

    def oriented(self, direction: str) -> "PatientScores":
        """Return the same patients with oriented scores: a high score is called.

        A patient without a score gets an infinite one: the highest if such patients are called.
        """
        sign, end = sign_of(direction), np.inf if self.recipe.unscored == "call" else -np.inf
        if sign > 0 and not self.n_unscored:
            return self
        scores = np.where(np.isnan(self.scores), end, sign * self.scores)
        return replace(self, scores=scores)

    def fingerprint(self) -> str:
        """Return a SHA-256 of the patient-level table: identifiers, scores, labels and sites."""
        digest = hashlib.sha256()
        labels = b"" if self.labels is None else _joined_labels(self.labels)
        sites = [] if self.sites is None else self.sites.tolist()
        for text in (self.joined_names.encode(), labels, SEPARATOR.join(sites).encode()):
            digest.update(text + b"\x1e")
        digest.update(self.scores.astype("<f8").tobytes())
        return digest.hexdigest()


def policy_of(unscored: str) -> Unscored | None:
    """Return what is done to patients without a score; None where they are refused."""
    check_choice("unscored", unscored, UNSCORED)
    return None if unscored == "refuse" else cast("Unscored", unscored)


def _coded(labels: ArrayLike | None, positive: object, recipe: Recipe) -> tuple[IntArray, Recipe]:
    """Return texts as 0 and 1, and the recipe with the names of both classes."""
    if labels is None:
        msg = f"{argument('positive')} says which label counts as 1, and there are no labels."
        raise BadPatients(msg)
    # Python writes no number of thousands of digits.
    positive = shown(positive) if isinstance(positive, int) else positive
    texts = ["nan" if one is None else str(one) for one in _listed("labels", cast("Any", labels))]
    sizes = Counter(texts)
    codes = code_labels(list(sizes), "labels", positive, sizes=list(sizes.values()))
    code = dict(zip(sizes, codes.tolist(), strict=True))
    named = replace(recipe, positive=str(positive), negative=negative_name(list(sizes), positive))
    return np.array([code[text] for text in texts]), named


def _follow_up(
    time: ArrayLike | None, event: ArrayLike | None, horizon: float | None, n_patients: int
) -> tuple[FloatArray, LabelArray]:
    """Return the checked follow-up."""
    if time is None or event is None or horizon is None:
        msg = "survival at a horizon needs all three: time, event and horizon; or give labels."
        raise BadPatients(msg)
    times, events = as_array("time", time), as_array("event", event)
    check_length("time", times, n_patients)
    check_length("event", events, n_patients)
    # NaN fails the comparison.
    if times.dtype.kind not in "iuf" or not np.all((times >= 0) & (times < np.inf)):
        msg = "time must be one finite number of at least 0 per patient: how long it was followed."
        raise BadPatients(msg)
    if not np.all((events == 0) | (events == 1)):
        msg = "event must be 1 (it happened) or 0 (the patient was censored) for every patient."
        raise BadPatients(msg)
    return read_only(times.astype(np.float64)), read_only(events.astype(np.int8))


def _fates(
    labels: ArrayLike | None, time: FloatArray, event: LabelArray, horizon: float
) -> IntArray:
    """Return 1 if the event happened by the horizon, 0 if followed to it, otherwise `UNKNOWN`."""
    if labels is not None:
        msg = "labels are made from time, event and horizon. Give these, or labels, but not both."
        raise BadPatients(msg)
    by_then = (event == 1) & (time <= horizon)
    return np.where(by_then, 1, np.where(time >= horizon, 0, UNKNOWN))


def _checked_labels(labels: ArrayLike, n_patients: int, followed: object | None) -> LabelArray:
    """Return labels of 0 and 1; with a follow-up some may be unknown."""
    if followed is None:
        return check_labels(labels, n_patients)
    checked = np.array(labels, dtype=np.int8)
    check_labels(np.where(checked == UNKNOWN, 0, checked), n_patients)
    return read_only(checked)


def _joined_labels(labels: LabelArray) -> bytes:
    """Return the labels in one text, with `SEPARATOR` between them, as bytes."""
    text = np.full((labels.size, 2), ord(SEPARATOR), dtype=np.uint8)
    text[:, 0] = ord("0") + labels
    return text.tobytes()[:-1]


def check_direction(direction: str) -> Direction:
    """Return ``direction``, if it is ``"ge"`` or ``"le"``."""
    check_choice("direction", direction, DIRECTIONS)
    return "ge" if direction == "ge" else "le"


def sign_of(direction: str) -> float:
    """Return 1 if high scores are called, else -1. Scores times this sign are oriented."""
    return 1.0 if check_direction(direction) == "ge" else -1.0


def check_patients(patients: object) -> None:
    """Raise an error unless ``patients`` is a `PatientScores`."""
    if not isinstance(patients, PatientScores):
        msg = f"patients must be PatientScores, such as aggregate() makes; got {shown(patients)}."
        raise BadPatients(msg)


def made_by(recipe: Recipe, several: Sequence[PatientScores]) -> PatientScores:
    """Return the one of several that was made as the recipe says."""
    for patients in several:
        check_patients(patients)
        if (patients.recipe.score, patients.recipe.chain) == (recipe.score, recipe.chain):
            return patients
    given = ", ".join(f"'{patients.recipe.name}'" for patients in several) or "nothing"
    msg = f"the rule needs '{recipe.name}' of every patient; got {given}. Aggregate it as well."
    raise BadPatients(msg)


def check_same_patients(
    several: Sequence[PatientScores], what: str = "methods", whom: str = "patients"
) -> None:
    """Refuse methods, or candidates, that are not about the same patients, or labels too."""
    first = several[0]
    for other in several[1:]:
        same = first.n_patients == other.n_patients
        if same and first.patients is not None and other.patients is not None:
            same = np.array_equal(first.patients, other.patients)
        if not same or (whom == LABELLED and not np.array_equal(first.fates, other.fates)):
            raise BadPatients(
                f"all {what} must hold the same {whom}; '{first.recipe.name}' and "
                f"'{other.recipe.name}' differ. Make them from one table."
            )


def check_some(needs: str, n_patients: int) -> None:
    """Refuse no patient at all; ``needs`` says what needs one, as in "an audit needs"."""
    if not n_patients:
        raise TooFewPatients(f"{needs} at least one patient; got none.")


def _attributes(
    given: Mapping[str, Sequence[object] | TextArray], n_patients: int
) -> dict[str, TextArray]:
    if not isinstance(given, Mapping):
        raise BadPatients(f"attributes must map names to one text per patient; got {shown(given)}.")
    return {str(name): _texts(str(name), values, n_patients) for name, values in given.items()}


def _texts(name: str, values: Sequence[object] | TextArray, n_patients: int) -> TextArray:
    refuse_masked(name, values)
    if isinstance(values, np.ndarray) and values.dtype.kind == "U":
        array = values.copy()
    else:
        array = np.array([str(value) for value in _listed(name, values)], dtype=np.str_)
    check_length(name, array, n_patients)
    return read_only(array)


def _listed(name: str, values: Iterable[object]) -> list[object]:
    try:
        return list(values)
    except TypeError:
        raise BadPatients(f"{name} must be one text per patient; got {shown(values)}.") from None


def _whole_numbers(name: str, values: ArrayLike | None, n_patients: int) -> IntArray | None:
    if values is None:
        return None
    given = as_array(name, values)
    check_length(name, given, n_patients)
    # NaN fails both comparisons.
    fits = given.dtype.kind in "iuf" and np.all((given >= 0) & (given < LARGEST_COUNT))
    if not fits or np.any(given % 1):
        raise BadPatients(f"{name} must be whole numbers of at least 0, one per patient.")
    return read_only(given.astype(np.int64))


def by_patient(
    name: str, patients: PatientScores, given: Mapping[Any, object] | ArrayLike
) -> NDArray[Any]:
    """Return one entry per patient, in the order of ``patients.scores``.

    ``given`` has this order, or is a mapping from identifiers, or a pandas Series whose index has
    them. Anything else cannot be checked: if the patients came in another order, a warning states
    the order.

    Examples
    --------
    >>> cohort = PatientScores(scores=[0.1, 0.4], patients=["a", "b"])
    >>> by_patient("sex", cohort, {"b": "m", "a": "f"})
    array(['f', 'm'], dtype='<U1')
    """
    if (keyed := _by_identifier(patients, given)) is not None:
        given = _looked_up(name, patients, keyed)
    elif patients.once("other order", lambda: False) and not _is_own(patients, given):
        text = Warned.of("order")(
            f"{name} is taken in the order of the identifiers (patients.patients), which is "
            "not the order in which the patients came. To be sure, give a mapping from identifiers "
            "or a pandas Series with the identifiers as index."
        )
        warn_each([text], stacklevel=3)
    column = as_array(name, given)
    if column.ndim != 1:
        msg = f"{argument(name)} must have one entry per patient; got shape {column.shape}."
        raise BadPatients(msg)
    check_length(name, column, patients.n_patients)
    return column


def _by_identifier(patients: PatientScores, given: Any) -> Mapping[Any, object] | None:  # noqa: ANN401
    """Return entries with identifiers as a mapping; None if they only have an order."""
    if isinstance(given, Mapping):
        return given
    if not hasattr(given, "iloc") or patients.patients is None:
        return None
    # Numbers from 0 are what pandas calls rows without a name.
    if type(given.index).__name__ == "RangeIndex" or not given.index.is_unique:
        return None
    known: dict[str, object] = dict(zip(map(str, given.index), given, strict=True))
    return known if set(patients.patients.tolist()) <= known.keys() else None


def _is_own(patients: PatientScores, given: object) -> bool:
    own = patients.labels, patients.sites, *patients.attributes.values()
    return any(given is column for column in own)


def _looked_up(name: str, patients: PatientScores, given: Mapping[Any, object]) -> list[Any]:
    if patients.patients is None:
        raise BadPatients(
            f"{argument(name)} can be a mapping only if the patients have identifiers; these have "
            "none. Give one entry per patient."
        )
    known = {str(patient): value for patient, value in given.items()}
    wanted = patients.patients.tolist()
    missing = sum(patient not in known for patient in wanted)
    if missing:
        msg = f"{argument(name)} needs an entry per patient; {missing} of {len(wanted)} have none."
        raise BadPatients(msg)
    return [known[patient] for patient in wanted]


def _order_by_identifier(patients: TextArray | None) -> IntArray | None:
    if patients is None:
        return None
    order = np.argsort(patients, kind="stable")
    ordered = patients[order]
    repeated = int(np.count_nonzero(ordered[1:] == ordered[:-1]))
    if repeated:
        msg = f"every patient must have one row; {repeated} rows repeat a patient. Aggregate first."
        raise PatientOverlap(msg)
    return order
