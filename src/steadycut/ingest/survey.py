"""What a first scan of a table tells, for each group of rows with the same keys.

A survey is exact and small: it has one entry for each distinct combination of identifier, label,
site, levels, attributes and order. The checks of rows need no more, so all engines share them. The
simplest survey takes each row as a group of its own (`survey_rows`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.ingest.table import KeyColumn, ScoreColumn, Table

# What is counted of a score column in each group, and as what.
FACTS: Mapping[str, Any] = {"n_finite": np.int64, "largest": np.float64, "n_texts": np.int64}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreFacts:
    """What is known about a score column, by group.

    ``n_finite`` counts finite scores, and ``largest`` is the largest absolute value of them.
    ``n_texts`` counts cells that are not a number and do not stand for a missing one; ``texts``
    holds the distinct ones, for each group that has any.
    """

    n_finite: IntArray
    largest: FloatArray
    n_texts: IntArray
    texts: Mapping[int, frozenset[str]]

    def take(self, groups: NDArray[np.bool_]) -> "ScoreFacts":
        """Return the facts of some groups."""
        position = np.cumsum(groups) - 1
        texts = {int(position[g]): some for g, some in self.texts.items() if groups[g]}
        return ScoreFacts(texts=texts, **{name: getattr(self, name)[groups] for name in FACTS})


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Survey:
    """Keys, sizes and score facts of the groups of a table.

    ``keys`` has one entry per group in each column; two groups may have the same texts (7 and 7.0).
    ``n_usable`` counts rows in which every score is finite. ``group`` is the engine's own number
    of each group; it stays the same when other groups are left out.
    """

    keys: Mapping[str, KeyColumn]
    n_rows: IntArray
    n_usable: IntArray
    scores: Mapping[str, ScoreFacts]
    group: IntArray

    @property
    def total(self) -> int:
        """How many rows there are."""
        return int(self.n_rows.sum())

    def n_missing(self, column: str) -> int:
        """How many rows have nothing in a key column."""
        return int(self.n_rows[self.keys[column].codes < 0].sum())

    def sizes(self, column: str, patient: str) -> IntArray:
        """Return how many patients have each text of a key column."""
        counted = self.keys[column]
        pairs = np.unique([self.keys[patient].codes, counted.codes], axis=1)
        return np.bincount(pairs[1][pairs[1] >= 0], minlength=len(counted.texts))

    def take(self, groups: NDArray[np.bool_]) -> "Survey":
        """Return the survey of some groups."""
        return Survey(
            keys={name: column.take(groups) for name, column in self.keys.items()},
            n_rows=self.n_rows[groups],
            n_usable=self.n_usable[groups],
            scores={name: facts.take(groups) for name, facts in self.scores.items()},
            group=self.group[groups],
        )


def survey_of(
    keys: Mapping[str, KeyColumn],
    counts: Mapping[str, NDArray[Any]],
    texts: Mapping[str, Mapping[int, frozenset[str]]],
    group: IntArray,
) -> Survey:
    """Return the survey that an engine found out by a query.

    Parameters
    ----------
    keys
        The key columns.
    counts
        ``n_rows`` and ``n_usable``; for the i-th score ``n_finite{i}``, ``largest{i}`` and
        ``n_texts{i}``.
    texts
        For each score, in their order, the texts that are not numbers, by group.
    group
        The engine's own number of each group.
    """
    scores = {}
    for i, (name, examples) in enumerate(texts.items()):
        facts = {fact: counts[f"{fact}{i}"].astype(kind) for fact, kind in FACTS.items()}
        scores[name] = ScoreFacts(texts=examples, **facts)
    n_rows, n_usable = (counts[name].astype(np.int64) for name in ("n_rows", "n_usable"))
    return Survey(keys=keys, n_rows=n_rows, n_usable=n_usable, scores=scores, group=group)


def survey_rows(table: Table) -> Survey:
    """Return the survey of a table in memory, each row a group of its own.

    Examples
    --------
    >>> from steadycut.ingest.table import key_column, score_column
    >>> table = Table(
    ...     keys={"id": key_column(np.array(["a", "a"]))},
    ...     scores={"s": score_column(np.array([0.5, np.inf]))},
    ... )
    >>> survey_rows(table).n_usable
    array([1, 0])
    """
    facts = {name: _row_facts(column) for name, column in table.scores.items()}
    ones = np.ones(next(iter(table.keys.values())).codes.size, dtype=np.int64)
    return Survey(
        keys=table.keys,
        n_rows=ones,
        n_usable=np.minimum.reduce([ones, *(column.n_finite for column in facts.values())]),
        scores=facts,
        group=np.arange(ones.size),
    )


def _row_facts(column: ScoreColumn) -> ScoreFacts:
    finite = np.isfinite(column.values)
    n_texts = np.zeros(finite.size, dtype=np.int64)
    n_texts[list(column.unreadable)] = 1
    return ScoreFacts(
        n_finite=finite.astype(np.int64),
        largest=np.where(finite, np.abs(column.values), 0.0),
        n_texts=n_texts,
        texts={row: frozenset({text}) for row, text in column.unreadable.items()},
    )
