"""The cost matrix and the grades of ``steadycut strata``, from options and tables."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from steadycut.core.checks import IntArray, shared_values
from steadycut.core.records import PatientScores
from steadycut.core.strata.costs import CostMatrix, grade_codes, is_number
from steadycut.documents.strata import MOST_GRADES
from steadycut.errors import BadOption, BadTable
from steadycut.ingest import PatientTable
from steadycut.io.files import read_small


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GivenCosts:
    """A cost matrix, and the names that its file gave to columns and rows."""

    matrix: CostMatrix
    strata: list[str] | None = None
    grades: list[str] | None = None


def read_costs(text: str) -> GivenCosts:
    """Return the costs of ``--costs``: rows separated by semicolons, or a CSV file.

    Examples
    --------
    >>> read_costs("0, 0.5, 1; 4, 1, 0").matrix.values
    array([[0. , 0.5, 1. ],
           [4. , 1. , 0. ]])
    """
    if not text.lower().endswith(".csv"):
        rows = [row.split(",") for row in text.split(";")]
        return GivenCosts(matrix=_matrix(rows, text))
    rows = _csv_rows(Path(text))
    if all(is_number(cell) for cell in rows[0]):
        return GivenCosts(matrix=_matrix(rows, text))
    # A first line of names comes with a first column of names.
    return GivenCosts(
        matrix=_matrix([row[1:] for row in rows[1:]], text),
        strata=[name.strip() for name in rows[0][1:]],
        grades=[row[0].strip() for row in rows[1:]],
    )


def _csv_rows(path: Path) -> list[list[str]]:
    try:
        text = io.StringIO(read_small(path).decode("utf-8-sig"), newline="")
        rows = [row for row in csv.reader(text) if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "it is not a CSV file in UTF-8"
        msg = f"--costs {path} cannot be read: {reason}."
        raise BadOption(msg) from None
    if not rows:
        msg = f"--costs {path} is empty; it must have a row for each grade."
        raise BadOption(msg)
    return rows


def _matrix(rows: Sequence[Sequence[str]], given: str) -> CostMatrix:
    if not all(is_number(cell) for row in rows for cell in row) or len(set(map(len, rows))) != 1:
        msg = (
            "--costs must hold numbers, a row for each grade and as many columns as strata, such "
            f"as '0,0.5,1;4,1,0', or be a CSV file of them; got {given!r}."
        )
        raise BadOption(msg)
    return CostMatrix([[float(cell) for cell in row] for row in rows])


def names_of(option: str, text: str | None, from_file: list[str] | None) -> list[str] | None:
    """Return the names in an option, or in the file of costs; both must agree."""
    if text is None:
        return from_file
    names = [name.strip() for name in text.split(",")]
    if from_file is not None and names != from_file:
        there = ",".join(from_file)
        msg = f"{option} must be the names in the file of --costs, {there}; got {text!r}."
        raise BadOption(msg)
    return names


def graded_patients(
    table: PatientTable, label: str, order: Sequence[str] | None
) -> tuple[PatientScores, IntArray]:
    """Return the patients of a table and their grades; without an order labels are 0 and 1."""
    (patients,) = table.patients.values()
    if order is None:
        return patients, patients.known_labels.astype(np.int64)
    grades = code_grades(patients.attributes[label].tolist(), label, order)
    return replace(patients, recipe=replace(patients.recipe, label=label)), grades


def code_grades(texts: Sequence[str], label: str, order: Sequence[str]) -> IntArray:
    """Return the place of each text in the order; numbers compare as numbers.

    Examples
    --------
    >>> code_grades(["mild", "none", "severe"], "grade", ["none", "mild", "severe"])
    array([1, 0, 2])
    """
    if len(set(grade_codes(order, order).tolist())) < len(order):
        msg = f"--order must name every value once, from low to high; got {','.join(order)}."
        raise BadOption(msg)
    codes = grade_codes(texts, order)
    others = Counter(text for text, code in zip(texts, codes.tolist(), strict=True) if code < 0)
    if others:
        shown = shared_values(others) if len(others) <= MOST_GRADES else "many others"
        msg = (
            f"labels in {label!r} must be among --order {','.join(order)}; {shown} "
            f"{'is' if len(others) == 1 else 'are'} there as well. Name all of them in order."
        )
        raise BadTable(msg)
    return codes
