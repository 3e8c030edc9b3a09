"""Label texts become 0 and 1."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from steadycut.core.checks import LabelArray, shared_values
from steadycut.core.class_names import ClassNames
from steadycut.errors import BadTable, argument
from steadycut.rule_reader import is_missing_mark

TRUTH = {"true": 1.0, "false": 0.0}
# More values than this are not class names: they may be measurements, or identify patients.
MOST_CLASSES = 20


def code_labels(
    texts: Sequence[str],
    column: str,
    positive: object = None,
    *,
    must_occur: bool = True,
    sizes: Sequence[int] = (),
) -> LabelArray:
    """Return 0 or 1 for each distinct label.

    Parameters
    ----------
    texts
        The distinct labels that occur in a table.
    column
        The column that holds them, for error messages.
    positive
        The label that counts as 1; any other one counts as 0. Numbers are compared as numbers:
        1 is the same as ``"1.0"``, and true is 1. If no label is written in this way, capital and
        small letters are the same. Without it labels must be 0 and 1.
    must_occur
        Whether ``positive`` must be among them. If not, all labels may be one other label.
    sizes
        How many patients have each label; errors name only those that several patients have.

    Examples
    --------
    >>> code_labels(["MSS", "MSI"], "status", positive="MSI")
    array([0, 1], dtype=int8)
    >>> code_labels(["0.0", "1"], "status")
    array([0, 1], dtype=int8)
    """
    counts = dict(zip(texts, sizes or [0] * len(texts), strict=True))
    _check_present(counts, column)
    values = [_meaning(text) for text in texts]
    if positive is None:
        _check_zero_one(counts, values, column)
        return np.array([value == 1 for value in values], dtype=np.int8)
    _check_classes(counts, values, column)
    wanted = _meaning(str(positive))
    alike = {value for value in values if str(value).casefold() == str(wanted).strip().casefold()}
    if wanted not in values and len(alike) == 1:
        wanted = alike.pop()
    coded = np.array([value == wanted for value in values], dtype=np.int8)
    # If there are two others, one of them is probably the positive one, written differently.
    if not coded.any() and (must_occur or len(set(values)) > 1):
        raise BadTable(
            f"no label in {column!r} is {str(positive)!r}; {_describe(counts)} there. "
            f"Name one of these: {argument('positive', 'VALUE')}."
        )
    return coded


def negative_name(texts: Sequence[str], positive: object) -> str | None:
    """Return the label that counts as 0, if both labels are names of classes.

    Examples
    --------
    >>> negative_name(["MSI", "MSS"], "MSI"), negative_name(["yes", "no"], "yes")
    ('MSS', None)
    """
    others = [text for text in texts if not same_label(text, str(positive))]
    names = ClassNames.of(str(positive), others[0]) if len(others) == 1 else ClassNames()
    return others[0] if names.given else None


def same_label(text: str, other: str) -> bool:
    """Whether two texts stand for the same label.

    Examples
    --------
    >>> same_label("1.0", "true"), same_label("MSI", "MSS")
    (True, False)
    """
    return _meaning(text) == _meaning(other)


def is_number(text: str) -> bool:
    """Return whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _meaning(text: str) -> float | str:
    """Return the number that a text stands for, or the text."""
    folded = text.strip().casefold()
    try:
        number = TRUTH[folded] if folded in TRUTH else float(folded.replace("_", "text"))
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def _check_present(counts: Mapping[str, int], column: str) -> None:
    """Refuse marks for a missing label: such a patient would count as negative."""
    marks = list(filter(is_missing_mark, counts))
    if marks:
        texts = ", ".join(sorted(map(repr, marks)))
        raise BadTable(
            f"every label in {column!r} must be a class; {texts} is there, which stands "
            f"for a missing label. Leave such cells empty; {argument('missing', 'drop')} then "
            "leaves out these patients."
        )


def _check_zero_one(counts: Mapping[str, int], values: Sequence[float | str], column: str) -> None:
    several = zip(counts.items(), values, strict=True)
    others = dict(text for text, value in several if value not in {0.0, 1.0})
    if others:
        _check_classes(counts, values, column)
        well = " as well" if len(others) < len(values) else ""
        raise BadTable(
            f"labels in {column!r} must be 0 or 1; {_describe(others)} there{well}. "
            f"Name the label that means ill: {argument('positive', 'VALUE')}."
        )


def _check_classes(counts: Mapping[str, int], values: Sequence[float | str], column: str) -> None:
    if len(set(values)) > 2:  # noqa: PLR2004
        raise BadTable(
            f"labels in {column!r} must be of two classes; {_describe(counts)} there. Name another "
            f"column with {argument('label', 'COL')}, or make one of two classes: merge some of "
            f"these, and name the class that means ill with {argument('positive', 'VALUE')}."
        )


def _describe(counts: Mapping[str, int]) -> str:
    if len(counts) > MOST_CLASSES:
        return f"{len(counts)} different values, too many to be classes, are"
    return f"{shared_values(counts)} {'is' if len(counts) == 1 else 'are'}"
