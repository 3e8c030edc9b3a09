"""What a first look at a table tells, group by group of rows with the same keys.

A survey is exact and small: it has one entry for each distinct combination of identifier, label,
site and levels. Every check of rows needs no more, so that all engines share the checks; an
engine without a better idea takes each row as a group of its own (`survey_rows`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from steadycut.core.checks import FloatArray, IntArray
from steadycut.ingest.raw import KeyColumn, RawTable, ScoreColumn


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreFacts:
    """A score column, by group: finite scores, the largest of them in size, and texts.

    ``n_texts`` counts cells that are no number and do not stand for a missing one; ``texts`` holds
    the distinct ones of each group that has any.
    """

    n_finite: IntArray
    largest: FloatArray
    n_texts: IntArray
    texts: Mapping[int, frozenset[str]]

    def take(self, groups: NDArray[np.bool_]) -> "ScoreFacts":
        """Return the facts of some groups."""
        position = np.cumsum(groups) - 1
        return ScoreFacts(
            n_finite=self.n_finite[groups],
            largest=self.largest[groups],
            n_texts=self.n_texts[groups],
            texts={int(position[g]): texts for g, texts in self.texts.items() if groups[g]},
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Survey:
    """Keys, sizes and score facts of the groups of a table.

    ``keys`` has one entry a group in each column; two groups may have the same texts (7 and 7.0).
    ``n_usable`` counts rows in which every score is finite. ``group`` is the engine's own number
    of each group, which stays when groups are left out.
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

    def with_keys(self, keys: Mapping[str, KeyColumn]) -> "Survey":
        """Return the same survey with other key columns."""
        return replace(self, keys=keys)

    def take(self, groups: NDArray[np.bool_]) -> "Survey":
        """Return the survey of some groups."""
        return Survey(
            keys={name: column.take(groups) for name, column in self.keys.items()},
            n_rows=self.n_rows[groups],
            n_usable=self.n_usable[groups],
            scores={name: facts.take(groups) for name, facts in self.scores.items()},
            group=self.group[groups],
        )


def survey_rows(raw: RawTable) -> Survey:
    """Return the survey of a table in memory, each row a group of its own.

    Examples
    --------
    >>> from steadycut.ingest.raw import key_column, score_column
    >>> raw = RawTable(
    ...     keys={"id": key_column(np.array(["a", "a"]))},
    ...     scores={"s": score_column(np.array([0.5, np.inf]))},
    ... )
    >>> survey_rows(raw).n_usable
    array([1, 0])
    """
    facts = {name: _row_facts(column) for name, column in raw.scores.items()}
    n_rows = next(iter(raw.keys.values())).codes.size
    finite = [column.n_finite for column in facts.values()]
    return Survey(
        keys=raw.keys,
        n_rows=np.ones(n_rows, dtype=np.int64),
        n_usable=np.minimum.reduce(finite) if finite else np.ones(n_rows, dtype=np.int64),
        scores=facts,
        group=np.arange(n_rows),
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
