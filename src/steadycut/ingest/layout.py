"""Where every row belongs, from a survey, and who arrived when. All checks of rows are here."""

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.aggregate.aggregators import nest
from steadycut.core.checks import LARGEST_SCORE, FloatArray, IntArray
from steadycut.core.labels import code_labels, negative_name
from steadycut.core.sites import check_number_of_sites
from steadycut.errors import BadPatients, BadTable, MissingColumn, MissingScores, argument
from steadycut.ingest.finish import count_leaves
from steadycut.ingest.identifiers import check_named
from steadycut.ingest.join import Unmatched, join
from steadycut.ingest.request import ANY, Request
from steadycut.ingest.sites import groups_at_sites, refuse_overlap
from steadycut.ingest.survey import ScoreFacts, Survey
from steadycut.ingest.table import MISSING_CODE, KeyColumn, number_of

# Only of texts like these the form is shown, as an example of what is not a score.
NUMBER_LIKE = re.compile(
    r"[-+]?(\d*,\d+(e[-+]?\d+)?|\d{1,3}[ ']\d{3}|\d{1,3}(\.\d{3},|,\d{3}\.)\d+)"
    r"|[<>]? ?\d*[.,]?\d+ ?%?",
    re.ASCII,
)
DIGITS = re.compile(r"\d+")
LOOKS = {
    "%": "a percentage",
    "<": "a limit of detection",
    ">": "a limit of detection",
    "'": "a separator of thousands",
    " ": "a separator of thousands",
    ",": "a decimal comma, or a separator of thousands",
    ".": "a decimal point, or a separator of thousands",
}
SIGNS = {".": "point", ",": "comma"}
# What the rows of a patient say about the label, the decisive answer last.
UNKNOWN, POSITIVE = 1, 2
MISSING_MARKS = frozenset({"-", "--", ".", "?", "#n/a", "n.a.", "nd", "missing", "unknown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """What was done about empty cells of a patient-level column: the label or an attribute.

    ``patients`` have nothing there in any row and were left out, with their ``rows``. ``filled``
    rows took the value of the same patient's other rows.
    """

    column: str
    patients: int
    rows: int
    filled: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What ``missing="drop"`` left out.

    ``rows`` lack a finite score, and ``patients`` have no other rows; ``positive`` of these are
    ill, where labels are known. ``gaps`` tells about each patient-level column that had empty
    cells. ``unmatched`` counts what had no partner in a sheet.
    """

    rows: int = 0
    patients: int = 0
    positive: int | None = None
    gaps: tuple[Gaps, ...] = ()
    unmatched: Unmatched | None = None

    @property
    def incomplete(self) -> int:
        """How many patients had no label, or no value of an attribute, in any row."""
        return sum(gap.patients for gap in self.gaps)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Layout:
    """Where rows belong: groups of the survey belong to leaves, and leaves to patients.

    ``leaf_of`` is the leaf of each group, by the engine's number of the group, and -1 where rows
    are left out. In the other groups the rows with finite scores count; ``sizes`` is their number
    in each leaf. Leaves are in the order of patients: ``first_leaf`` says where the leaves of each
    patient begin, and its last entry how many leaves there are. ``steps`` lead from leaves to
    patients, one per level. All of this is about patients with a score, whose names are
    ``patients``. Where others are kept, ``everyone`` has the names of all, and ``has_score`` says
    who has one. Labels, sites, ``attributes`` and ``order`` are those of all. ``negative`` is the
    label that counts as 0, if both labels are names of classes. With a horizon there are ``time``
    and ``event`` instead of labels. ``elsewhere`` are the sites that were not asked for.
    """

    leaf_of: IntArray
    sizes: IntArray
    first_leaf: IntArray
    steps: tuple[IntArray, ...]
    patients: NDArray[np.str_]
    everyone: NDArray[np.str_]
    has_score: NDArray[np.bool_]
    labels: NDArray[np.int8] | None
    negative: str | None
    sites: NDArray[np.str_] | None
    attributes: Mapping[str, NDArray[np.str_]]
    order: IntArray | None
    n_instances: IntArray
    n_rows: int
    dropped: Dropped
    time: FloatArray | None = None
    event: NDArray[np.int8] | None = None
    elsewhere: tuple[str, ...] = ()

    def leaves(self, patients: range) -> slice:
        """Return which leaves belong to consecutive patients."""
        return slice(int(self.first_leaf[patients.start]), int(self.first_leaf[patients.stop]))

    def steps_of(self, patients: range) -> tuple[IntArray, ...]:
        """Return the steps of consecutive patients, each numbered from 0."""
        taken, members = [], self.leaves(patients)
        for step in self.steps:
            parents = step[members]
            members = slice(int(parents[0]), int(parents[-1]) + 1)
            taken.append(parents - parents[0])
        return tuple(taken)

    def parts(self, rows_at_once: int, patients: range | None = None) -> list[range]:
        """Divide patients into parts of at most so many rows; a larger patient is one part."""
        whole = range(self.patients.size) if patients is None else patients
        parts, start, rows = [], whole.start, 0
        sizes = self.n_instances[whole.start : whole.stop].tolist()
        for patient, size in zip(whole, sizes, strict=True):
            if rows and rows + size > rows_at_once:
                parts.append(range(start, patient))
                start, rows = patient, 0
            rows += size
        return [*parts, range(start, whole.stop)]


def lay_out(survey: Survey, request: Request) -> Layout:
    """Check the rows of a table and say where each belongs.

    Parameters
    ----------
    survey
        What an engine found.
    request
        What is asked. Rows of other sites than the named ones are left out without any check.
        ``missing="drop"`` leaves out rows in which any of the asked scores is missing, NaN or
        infinite, so all score columns use the same rows. A patient who has no other rows is left
        out and counted. ``incomplete="drop"`` leaves out and counts patients who have no label, or
        no value of an attribute, in any row. A row without one takes the value of the patient's
        other rows. With ``label_how="any"`` one positive row decides, also a dropped one.
        Identifiers, sites and levels must be filled in every row, also in dropped ones.
    """
    joined, unmatched = join(survey, request.steps, request.missing)
    asked = _asked_groups(joined, request)
    check_named(asked, request)
    labelled = _any_positive(asked, request) if request.label_how == ANY else asked
    filled, gaps = _fill_gaps(labelled, request)
    _check_filled(filled, request.roles, _droppable(request))
    whose = filled.keys[request.patient].codes
    kept_out = ~np.isin(whose, whose[filled.n_usable > 0]) & (request.unscored != "refuse")
    _check_scores(filled, request, filled.take(~kept_out))
    labels = _patient_labels(filled, request, request.label)
    event, time = _patient_labels(filled, request, request.event), _times(filled, request)
    sites = None if request.site is None else _patient_values(filled, request, request.site)
    used = filled.n_usable > 0
    kept, patient_of = _in_order(filled.keys[request.patient], used)
    everyone, _ = _in_order(filled.keys[request.patient], used | kept_out)
    names = _texts(filled.keys[request.patient])
    left_out = np.setdiff1d(whose, everyone)
    levels = [filled.keys[column].codes[used] for column, _ in request.levels]
    leaf, *steps = nest(patient_of, levels)
    sizes = np.bincount(leaf, weights=filled.n_usable[used]).astype(np.int64)
    leaf_of = np.full(int(survey.group.max()) + 1, MISSING_CODE, dtype=np.int64)
    leaf_of[filled.group[used]] = leaf
    n_leaves = count_leaves(sizes.size, steps)
    usable = int(filled.n_usable.sum())
    return Layout(
        leaf_of=leaf_of,
        sizes=sizes,
        first_leaf=np.concatenate(([0], np.cumsum(n_leaves))),
        steps=tuple(steps),
        patients=names[kept],
        everyone=names[everyone],
        has_score=np.isin(everyone, kept),
        labels=None if labels is None else labels[everyone],
        negative=_negative_name(filled, request),
        sites=None if sites is None else sites[everyone],
        attributes={
            name: _patient_values(filled, request, name)[everyone] for name in request.attributes
        },
        order=arrival_places(filled, request, everyone),
        n_instances=np.bincount(patient_of, weights=filled.n_usable[used]).astype(np.int64),
        n_rows=asked.total + (unmatched.rows if unmatched else 0),
        dropped=Dropped(
            rows=filled.total - usable - int(filled.n_rows[kept_out].sum()),
            patients=left_out.size,
            positive=None if labels is None else int((labels[left_out] == 1).sum()),
            gaps=gaps,
            unmatched=unmatched,
        ),
        time=None if time is None else time[everyone],
        event=None if event is None else event[everyone],
        elsewhere=_elsewhere(joined, request),
    )


def _elsewhere(survey: Survey, request: Request) -> tuple[str, ...]:
    column = survey.keys.get(request.site or "") if request.picks_sites else None
    return tuple(name for name in column.texts if not request.asks_for(name)) if column else ()


def _asked_groups(survey: Survey, request: Request) -> Survey:
    """Return the groups of the asked sites; an empty site is refused, as it may be any site."""
    if not survey.n_rows.size:
        raise BadTable("the table has no rows; it must have at least one instance of one patient.")
    if request.site is None:
        return survey
    _check_filled(survey, [request.site])
    asked = groups_at_sites(survey, request)
    check_number_of_sites(_n_distinct(asked.keys[request.site].codes))
    return asked


def _in_order(column: KeyColumn, used: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """Return the codes of patients in the order of their texts, and the patient of each group.

    Tables are often sorted by patient, and then the rows of a part are next to each other.
    """
    kept, patient_of = np.unique(column.codes[used], return_inverse=True)
    order = np.array(sorted(range(kept.size), key=lambda i: column.texts[kept[i]]))
    return kept[order], np.argsort(order)[patient_of]


# Patient-level values --------------------------------------------------------------------


def _fill_gaps(survey: Survey, request: Request) -> tuple[Survey, tuple[Gaps, ...]]:
    """Leave out patients without a label or an attribute, and fill the empty rows of others."""
    several_gaps = []
    if request.incomplete == "drop":
        several = (request.label, request.time, request.event, *request.attributes)
        for name in filter(None, several):
            if survey.n_missing(name):
                survey, gaps = _fill(survey, request.patient, name)
                several_gaps.append(gaps)
    return survey, tuple(several_gaps)


def _fill(survey: Survey, patient_column: str, name: str) -> tuple[Survey, Gaps]:
    column, patient = survey.keys[name], survey.keys[patient_column]
    known = patient.codes >= 0
    of_patient = np.full(len(patient.texts), MISSING_CODE, dtype=np.int64)
    has = known & (column.codes >= 0)
    of_patient[patient.codes[has]] = column.codes[has]
    codes = np.where(known & ~has, of_patient[patient.codes], column.codes)
    left_out = known & (codes < 0)
    if left_out[known].all():
        msg = f"no patient has a value in {name!r}; at least one must have one."
        raise MissingColumn(msg, name)
    gaps = Gaps(
        column=name,
        patients=_n_distinct(patient.codes[left_out]),
        rows=int(survey.n_rows[left_out].sum()),
        filled=int(survey.n_rows[known & ~has & ~left_out].sum()),
    )
    keys = {**survey.keys, name: KeyColumn(codes=codes, texts=column.texts)}
    return replace(survey, keys=keys).take(~left_out), gaps


def _any_positive(survey: Survey, request: Request) -> Survey:
    """Give all rows of a patient one label: positive if any row is.

    Without a positive row, a row without a label makes the label of the patient unknown.
    """
    assert request.label is not None  # noqa: S101
    column, patient = survey.keys[request.label], survey.keys[request.patient]
    if not column.texts:
        return survey
    coded = _coded_labels(survey, request, request.label)
    of_row = np.where(column.codes < 0, UNKNOWN, coded[column.codes] * POSITIVE)
    # The last entry is for rows without a patient.
    of_patient = np.zeros(len(patient.texts) + 1, dtype=np.int64)
    np.maximum.at(of_patient, patient.codes, of_row)
    known = of_patient[patient.codes]
    _refuse_unknown(_n_distinct(patient.codes[known == UNKNOWN]), request)
    codes = np.where(known == UNKNOWN, MISSING_CODE, column.codes)
    codes[known == POSITIVE] = coded.argmax()
    keys = {**survey.keys, request.label: KeyColumn(codes=codes, texts=column.texts)}
    return replace(survey, keys=keys)


def _refuse_unknown(n_patients: int, request: Request) -> None:
    if not n_patients or request.incomplete == "drop":
        return
    who = "1 patient has" if n_patients == 1 else f"{n_patients} patients have"
    drop = f", or leave these patients out with {argument('missing', 'drop')}"
    raise BadTable(
        f"with {argument('label_how', ANY)} one positive row makes a patient positive; {who} none, "
        f"but rows without a label in {request.label!r}, so the label is unknown. Fill them in"
        f"{drop if _droppable(request) else ''}."
    )


def _patient_labels(survey: Survey, request: Request, name: str | None) -> NDArray[np.int8] | None:
    if name is None:
        return None
    coded = _coded_labels(survey, request, name)[survey.keys[name].codes]
    return _one_each(survey, request, name, coded).astype(np.int8)


def _times(survey: Survey, request: Request) -> FloatArray | None:
    """Return how long each patient was followed."""
    if request.time is None:
        return None
    texts = _patient_values(survey, request, request.time).tolist()
    numbers = [number_of(text, request.decimal) for text in texts]
    times = [math.nan if number is None else number for number in numbers]
    wrong = sum(not 0 <= time <= LARGEST_SCORE for time in times)
    if wrong:
        raise BadTable(
            f"times in {request.time!r} must be numbers of at least 0 with a decimal "
            f"{SIGNS[request.decimal]}, such as days or months; {wrong} of {len(times)} patients "
            "have something else. Correct them, or name another column."
        )
    return np.array(times, dtype=np.float64)


def _coded_labels(survey: Survey, request: Request, name: str) -> IntArray:
    """Return 0 or 1 for each text of the label column."""
    column, must_occur = survey.keys[name], request.positive_occurs
    occurring = np.unique(column.codes[column.codes >= 0])
    texts = [column.texts[code] for code in occurring]
    coded = np.zeros(len(column.texts), dtype=np.int64)
    sizes = survey.sizes(name, request.patient)[occurring].tolist()
    coded[occurring] = code_labels(
        texts, name, request.positive, must_occur=must_occur, sizes=sizes
    )
    return coded


def _negative_name(survey: Survey, request: Request) -> str | None:
    """Return the label that counts as 0, if both labels are names of classes."""
    if request.label is None or request.positive is None:
        return None
    column = survey.keys[request.label]
    texts = [column.texts[code] for code in np.unique(column.codes[column.codes >= 0])]
    return negative_name(texts, request.positive)


def _patient_values(survey: Survey, request: Request, name: str) -> NDArray[np.str_]:
    column = survey.keys[name]
    return _texts(column)[_one_each(survey, request, name, column.codes)]


def _one_each(survey: Survey, request: Request, name: str, codes: IntArray) -> IntArray:
    """Return one code per patient; refuse patients who have several in a column."""
    patient = survey.keys[request.patient]
    of_patient = np.zeros(len(patient.texts), dtype=np.int64)
    of_patient[patient.codes] = codes
    several = _n_distinct(patient.codes[of_patient[patient.codes] != codes])
    if name == request.site:
        refuse_overlap(several, name)
    if several:
        what = "label" if name == request.label else "value"
        who = "1 patient has" if several == 1 else f"{several} patients have"
        instances = f" If rows have separate labels, give {argument('label_how', ANY)}."
        raise BadPatients(
            f"a patient must have one {what}; {who} several in {name!r}. Correct these rows, or "
            f"name a patient-level column.{instances if name == request.label else ''}"
        )
    return of_patient


def _texts(column: KeyColumn) -> NDArray[np.str_]:
    return np.array(column.texts, dtype=np.str_)


def _n_distinct(codes: IntArray) -> int:
    return np.unique(codes).size


# Gaps ------------------------------------------------------------------------------------


def _droppable(request: Request) -> dict[str, str]:
    """Return what a patient may lack with ``missing="drop"``, by column; with an order nothing."""
    if request.order is not None:
        return {}
    several = (*request.attributes, request.time, request.event)
    values = {name: "value" for name in several if name is not None}
    return values if request.label is None else values | {request.label: "label"}


def _check_filled(
    survey: Survey, names: Iterable[str], droppable: Mapping[str, str] | None = None
) -> None:
    for name in names:
        n_missing = survey.n_missing(name)
        if n_missing:
            have = "has" if n_missing == 1 else "have"
            remove = "remove the rows"
            if droppable and name in droppable:
                lack = f"patients without any {droppable[name]}"
                remove = f"leave out {lack} with {argument('missing', 'drop')}"
            raise BadTable(
                f"column {name!r} must be filled in every row; {n_missing} of {survey.total} rows "
                f"{have} nothing there. Fill them in, or {remove}."
            )


def _check_scores(survey: Survey, request: Request, scored: Survey) -> None:
    """Refuse scores that are none; in the rows of ``scored`` also gaps, unless they are dropped."""
    patients = frozenset(survey.keys[request.patient].texts)
    for name in request.scores:
        _check_numbers(name, survey.scores[name], survey.total, patients, request.decimal)
    if request.missing == "refuse":
        finite = {name: int(facts.n_finite.sum()) for name, facts in scored.scores.items()}
        _refuse_gaps({name: scored.total - finite[name] for name in request.scores}, survey.total)
    if not survey.n_usable.any():
        listed = ", ".join(map(repr, request.scores))
        msg = f"no row has a usable score in {listed}; all {survey.total} rows lack one."
        raise MissingScores(msg)


def _check_numbers(
    name: str, facts: ScoreFacts, n_rows: int, patients: frozenset[str], decimal: str
) -> None:
    n_bad = int(facts.n_texts.sum())
    if n_bad:
        texts = frozenset[str]().union(*facts.texts.values())
        examples = sorted(text for text in texts - patients if may_be_shown(text))
        commas = [text for text in examples if "," in text and "." not in text]
        example = (commas or examples or [""])[0]
        such = f", such as {shape_of(example)!r}{_looks(example, decimal)}" if examples else ""
        advice = "Correct them, or name another column."
        if commas and decimal == ".":
            advice = (
                f"Add {argument('decimal', ',')} if it is a decimal comma. Otherwise correct them."
            )
        raise BadTable(
            f"scores in {name!r} must be numbers with a decimal {SIGNS[decimal]}; {n_bad} of "
            f"{n_rows} {'is' if n_bad == 1 else 'are'} other text{such}. {advice}"
        )
    if facts.largest.max(initial=0.0) > LARGEST_SCORE:
        msg = f"scores in {name!r} must not exceed {LARGEST_SCORE:g} in absolute value. Rescale."
        raise BadTable(msg)


def _looks(text: str, decimal: str) -> str:
    """Say what a number in another notation looks like."""
    hints = [looks for sign, looks in LOOKS.items() if sign in text.strip() and sign != decimal]
    return f", which looks like {hints[0]}" if hints else ""


def may_be_shown(text: str) -> bool:
    """Whether a text is a number in another notation, or a common mark for a missing number."""
    tidy = text.strip().casefold()
    return tidy in MISSING_MARKS or NUMBER_LIKE.fullmatch(tidy) is not None


def shape_of(text: str) -> str:
    """Return how a cell is written, with 9 for all digits that stand together.

    Examples
    --------
    >>> shape_of("12345678901%"), shape_of("-1,25e3"), shape_of("unknown")
    ('9%', '-9,9e9', 'unknown')
    """
    return DIGITS.sub("9", text.strip())


def _refuse_gaps(gaps: Mapping[str, int], n_rows: int) -> None:
    listed = [f"{count} of {n_rows} in {name!r}" for name, count in gaps.items() if count]
    if listed:
        are = "is" if sum(gaps.values()) == 1 else "are"
        raise MissingScores(
            f"every row must have a finite score; {', '.join(listed)} {are} missing, NaN or "
            f"infinite. Correct these rows, or leave them out with {argument('missing', 'drop')}."
        )


def arrival_places(survey: Survey, request: Request, kept: IntArray) -> IntArray | None:
    """Return the place of each patient in the order of arrival, from 0; ``kept`` are their codes.

    The earliest row of a patient counts. Patients of the same moment get an arbitrary order.
    Identifiers often tell the class, so a hash of the identifier decides.
    """
    order, patients = request.order, survey.keys[request.patient]
    if order is None:
        return None
    first = np.full(len(patients.texts), np.iinfo(np.int64).max)
    moments = _ranks(survey.keys[order].texts, order)[survey.keys[order].codes]
    np.minimum.at(first, patients.codes, moments)
    ranks = first[kept]
    if ranks.size > 1 and np.unique(ranks).size == 1:
        raise BadTable(
            f"column {order!r} is the same for every patient and tells no order. Name a column "
            "that says when each patient came."
        )
    names = [patients.texts[code] for code in kept.tolist()]
    hashes = [hashlib.sha256(name.encode()).hexdigest() for name in names]
    return np.argsort(np.lexsort((np.array(hashes), ranks)))


def _ranks(texts: Sequence[str], order: str) -> IntArray:
    """Return the rank of each text, as a number or as a date."""
    for read in (_numbers, _moments):
        moments = read(texts)
        if moments is not None:
            rank = {moment: i for i, moment in enumerate(sorted(set(moments)))}
            return np.array([rank[moment] for moment in moments], dtype=np.int64)
    raise BadTable(
        f"column {order!r} must hold finite numbers or ISO dates, such as 2025-03-31 or "
        "2025-03-31T14:05, of one kind and all with or all without a time zone; some rows hold "
        f"something else. Correct them, or name another column as {argument('order')}."
    )


def _numbers(texts: Sequence[str]) -> list[Any] | None:
    # Decimals keep every digit: a float cannot hold a time of 20 digits.
    try:
        numbers = [Decimal(text.strip()) for text in texts]
    except InvalidOperation:
        return None
    return numbers if all(number.is_finite() for number in numbers) else None


def _moments(texts: Sequence[str]) -> list[Any] | None:
    try:
        moments = [datetime.fromisoformat(text.strip()) for text in texts]
    except ValueError:
        return None
    zoned = [moment.tzinfo is not None for moment in moments]
    if any(zoned) != all(zoned):
        return None
    return [moment.astimezone(UTC) for moment in moments] if all(zoned) else moments
