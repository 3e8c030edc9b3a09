"""Guess what each column is for. The user confirms it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steadycut.core.parts import PATIENT, names_a_part, words
from steadycut.ingest.column import NUMBERS, TEXT, Column

SCORE = ("score", "prob", "probability", "prediction", "pred", "logit", "risk", "marker", "value")
LABEL = (
    *("label", "tumour", "tumor", "cancer", "target", "outcome", "truth", "diagnosis", "disease"),
    *("malignant", "status", "class", "event", "y"),
)
SITE = ("hospital", "site", "centre", "center", "institution", "clinic", "institute")
ORDER = ("date", "time", "timestamp", "day", "arrival", "arrived", "admission", "visit", "order")
POSITIVE = frozenset({"positive", "pos", "yes", "case", "tumour", "tumor", "cancer", "malignant"})
ZERO_ONE = frozenset({"0", "1", "0.0", "1.0", "true", "false"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """Positions of columns; None, or an empty tuple, where there is no good guess."""

    patient: int | None
    scores: tuple[int, ...]
    label: int | None
    site: int | None
    order: int | None
    positive: str


def guess_columns(columns: Sequence[Column]) -> Guess:
    """Guess the role of each column from its name and its values.

    Examples
    --------
    >>> id_ = Column(name="Patient ID", values=frozenset({"a", "b"}))
    >>> score = Column(name="s", values=frozenset({"0.5", "0.25", "0.75"}))
    >>> guess_columns([id_, score])
    Guess(patient=0, scores=(1,), label=None, site=None, order=None, positive='')
    """
    patient = _by_name(columns, PATIENT, lambda _: True)
    if patient is None:
        patient = _by_name(columns, ("id",), lambda column: not names_a_part(column.name))
    label = _by_name(columns, LABEL, _has_two_values)
    if label is None:
        label = next((at for at, column in enumerate(columns) if _is_zero_one(column)), None)
    score = _by_name(columns, SCORE, _is_score)
    if score is None:
        fractions = (at for at, column in enumerate(columns) if column.kind == NUMBERS)
        score = next((at for at in fractions if at not in {patient, label}), None)
    return Guess(
        patient=patient,
        scores=() if score is None else (score,),
        label=label,
        site=_by_name(columns, SITE, lambda column: column.kind == TEXT),
        order=_by_name(columns, ORDER, lambda column: "birth" not in words(column.name)),
        positive="" if label is None else _positive(columns[label]),
    )


def guess_decimal(columns: Sequence[Column]) -> str:
    """Return the decimal sign of the numbers: a comma if some have one, and none has a point.

    Examples
    --------
    >>> guess_decimal([Column(name="s", values=frozenset({"0,5", "1"}))])
    ','
    """
    texts = [value for column in columns if column.numbers for value in column.values]
    return "," if any("," in text for text in texts) and "." not in "".join(texts) else "."


def _by_name(
    columns: Sequence[Column], wanted: Sequence[str], fits: Callable[[Column], bool]
) -> int | None:
    """Return the best column with a wanted word; earlier words and whole names are better."""
    places = [
        (len(words(column.name)) > 1, wanted.index(word), at)
        for at, column in enumerate(columns)
        for word in words(column.name)
        if word in wanted and fits(column)
    ]
    return min(places)[2] if places else None


def _is_score(column: Column) -> bool:
    return column.kind != TEXT and not _has_two_values(column)


def _has_two_values(column: Column) -> bool:
    return len(column.values) == 2  # noqa: PLR2004


def _is_zero_one(column: Column) -> bool:
    return _has_two_values(column) and _folded(column) <= ZERO_ONE


def _positive(label: Column) -> str:
    """Return the label that is probably the positive one; empty for 0 and 1."""
    if _folded(label) <= ZERO_ONE:
        return ""
    return next((text for text in sorted(label.values) if text.strip().casefold() in POSITIVE), "")


def _folded(column: Column) -> frozenset[str]:
    return frozenset(value.strip().casefold() for value in column.values)
