"""Identifiers that stand for nobody, and identifiers that may be one patient."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from steadycut.core.records import SEPARATOR, PatientScores
from steadycut.errors import BadTable, Warned, warned_if
from steadycut.ingest.request import ROW, Request
from steadycut.ingest.survey import Survey
from steadycut.ingest.table import KeyColumn
from steadycut.rule_reader import MARKS, is_missing_mark

# Spaces, and characters without width that are copied along from a page or a form.
UNSEEN = [code for code in range(0x3001) if chr(code).isspace()]
UNSEEN += [0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF]
LONGEST_MARK = max(map(len, MARKS))
# What a spreadsheet makes of a whole number with more than eleven digits.
SHORTENED = re.compile(rf"(?<![^{SEPARATOR}])[1-9](?:\.[0-9]+)?E\+[1-9][0-9](?![^{SEPARATOR}])")
WITHOUT = dict.fromkeys(code for code in UNSEEN if chr(code) != SEPARATOR)


def check_named(survey: Survey, request: Request) -> None:
    """Refuse marks for a missing value as identifiers: many patients would become one.

    Columns that patients follow from are identifiers too. Marks are also refused in sites, levels
    and attributes, where "none" may be a name.
    """
    named = [request.patient, *(step.key for step in request.steps)]
    levels = [column for column, _ in request.levels]
    for column in filter(None, [*named, request.site, *levels, *request.attributes]):
        is_mark = partial(is_missing_mark, patient=column in named)
        mark = next(filter(is_mark, _perhaps_marks(survey.keys[column])), None)
        if mark is not None:
            raise BadTable(
                f"column {column!r} must be filled in every row; {mark!r} is there, which "
                "stands for a missing value. Fill in these rows, remove them, or write another "
                "name if it is one."
            )


def _perhaps_marks(column: KeyColumn) -> list[str]:
    """Return the texts that may be marks; a million identifiers are not looked at one by one."""
    joined = "".join(column.texts)
    plain = joined.isascii() and joined.isprintable() and " " not in joined
    used = [column.texts[code] for code in np.unique(column.codes[column.codes >= 0]).tolist()]
    return [text for text in used if not plain or len(text) <= LONGEST_MARK]


def count_alike(identifiers: Sequence[str] | NDArray[np.str_], joined: str | None = None) -> int:
    """Return how many distinct identifiers differ from another one only in the way of writing.

    That is in case, white space, zeros before a number or after its point, or Unicode form.
    ``joined`` is all of them with `SEPARATOR` between them, if the caller has it.

    Examples
    --------
    >>> count_alike(["a1", "A1 ", "007", "7.0", "70"])
    4
    """
    joined = SEPARATOR.join(identifiers) if joined is None else joined
    plain = _plain(joined)
    if plain == joined and "." not in plain and SEPARATOR + "0" not in SEPARATOR + plain:
        return 0
    forms = plain.split(SEPARATOR)
    if len(forms) != len(identifiers):
        forms = [_plain(form) for form in identifiers]
    forms = [_unpadded(form) if form[:1] == "0" or "." in form else form for form in forms]
    if len(set(forms)) == len(forms):
        return 0
    return sum(count for count in Counter(forms).values() if count > 1)


def _plain(text: str) -> str:
    """Return identifiers in one spelling; many in one text, since there may be a million."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return text.casefold().translate(WITHOUT)


def _unpadded(form: str) -> str:
    """Return a whole number without leading zeros and without zeros after its point."""
    whole, _, rest = form.partition(".")
    return (whole.lstrip("0") or "0") if whole.isdigit() and not rest.strip("0") else form


def alike_warnings(patients: PatientScores) -> list[str]:
    """Warn if some patients may be there twice; an empty list if not."""
    if patients.recipe.patient == ROW:
        msg = (
            f"no column of patients was named, so each of the {patients.n_patients} rows counts as "
            "one. If a patient has several rows, the result looks far too good: name the column."
        )
        return [Warned("rows as patients", msg)]
    names = patients.patients
    count = 0 if names is None else count_alike(names, patients.joined_names)
    msg = (
        f"those of {count} of {patients.n_patients} patients differ from another one only by case, "
        "white space, zeros or the form of letters. They count as different patients. If they are "
        "the same patients, write their identifiers in the same way."
    )
    alike = warned_if(count, "identifiers", msg)
    shortened = len(SHORTENED.findall(patients.joined_names))
    msg = (
        f"{shortened} of {patients.n_patients} identifiers look like 9.99999E+11, as spreadsheets "
        "shorten long numbers, so different patients may have become one. Take them from the "
        "original table, as text."
    )
    return [*alike, *warned_if(shortened, "shortened identifiers", msg)]
