"""What a first scan of a table tells, for each group of rows with the same keys.

A survey is exact and small: it has one entry for each distinct combination of identifier, label,
site, levels, attributes and order. The checks of rows need no more, so all engines share them. The
simplest survey takes each row as a group of its own (`survey_rows`); `Survey.grouped` brings rows
with the same keys together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.ingest.table import KeyColumn, ScoreColumn, Table

# Sorting is slower than marking up to so many possible groups per row.
FEW_TIMES = 8
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

    def grouped(self, group_of: IntArray, n_groups: int) -> "ScoreFacts":
        """Return the facts of larger groups."""
        largest, texts = np.zeros(n_groups), dict[int, frozenset[str]]()
        np.maximum.at(largest, group_of, self.largest)
        for row, some in self.texts.items():
            group = int(group_of[row])
            texts[group] = texts.get(group, frozenset()) | some
        n_finite, n_texts = (_sums(x, group_of, n_groups) for x in (self.n_finite, self.n_texts))
        return ScoreFacts(n_finite=n_finite, largest=largest, n_texts=n_texts, texts=texts)


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

    def grouped(self) -> tuple["Survey", IntArray]:
        """Bring groups with the same keys together; return also where each of them went."""
        group_of, n_groups = number_groups(list(self.keys.values()))
        first = np.zeros(n_groups, dtype=np.int64)
        first[group_of[::-1]] = np.arange(group_of.size)[::-1]
        survey = Survey(
            keys={name: column.take(first) for name, column in self.keys.items()},
            n_rows=_sums(self.n_rows, group_of, n_groups),
            n_usable=_sums(self.n_usable, group_of, n_groups),
            scores={name: facts.grouped(group_of, n_groups) for name, facts in self.scores.items()},
            group=np.arange(n_groups),
        )
        return survey, group_of


def number_groups(columns: Sequence[KeyColumn]) -> tuple[IntArray, int]:
    """Return the group of each row and the number of groups: rows with the same keys are one.

    Examples
    --------
    >>> from steadycut.ingest.table import key_column
    >>> columns = [key_column(np.array(list(texts))) for texts in ("bab", "xyx")]
    >>> number_groups(columns)
    (array([0, 1, 0]), 2)
    """
    group_of, n_groups = np.zeros(columns[0].codes.size, dtype=np.int64), 1
    for column in columns:
        # A missing key has the code -1.
        group_of = group_of * (len(column.texts) + 1) + column.codes + 1
        n_groups *= len(column.texts) + 1
        if n_groups > FEW_TIMES * group_of.size:
            kept, group_of = np.unique(group_of, return_inverse=True)
            n_groups = kept.size
    used = np.zeros(n_groups, dtype=bool)
    used[group_of] = True
    return (np.cumsum(used) - 1)[group_of], int(used.sum())


def _sums(counts: IntArray, group_of: IntArray, n_groups: int) -> IntArray:
    return np.bincount(group_of, weights=counts, minlength=n_groups).astype(np.int64)


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
