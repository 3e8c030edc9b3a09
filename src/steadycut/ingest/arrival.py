"""The order in which patients arrived, from a column that says when each row came in."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from steadycut.core.checks import IntArray
from steadycut.errors import BadTable, argument
from steadycut.ingest.request import Request
from steadycut.ingest.survey import Survey


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
