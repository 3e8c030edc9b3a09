"""Rows with the same keys become one group, by numbers or by sorting."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut.ingest import survey
from steadycut.ingest.survey import number_groups, survey_rows
from steadycut.ingest.table import Table, key_column, score_column

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", None]),
        st.sampled_from(["x", "y", "z", None]),
        st.sampled_from(["0.5", "-2", "inf", "NA", "high", "low"]),
    ),
    min_size=1,
    max_size=12,
)


def table_of(rows):
    patients, levels, scores = (
        np.array([*column, None], dtype=object)[:-1] for column in zip(*rows, strict=True)
    )
    return Table(
        keys={"patient": key_column(patients), "level": key_column(levels)},
        scores={"score": score_column(scores)},
    )


@given(ROWS)
def test_groups_have_the_facts_of_their_rows(rows):
    grouped, group_of = survey_rows(table_of(rows)).grouped()
    facts = grouped.scores["score"]
    keys = [
        tuple(column.texts[code] if code >= 0 else None for code in column.codes.tolist())
        for column in grouped.keys.values()
    ]
    names = list(zip(*keys, strict=True))
    assert [names[group] for group in group_of] == [row[:2] for row in rows]
    assert dict(zip(names, grouped.n_rows.tolist(), strict=True)) == Counter(r[:2] for r in rows)
    for group, name in enumerate(names):
        cells = [row[2] for row in rows if row[:2] == name]
        finite = [abs(float(cell)) for cell in cells if cell in {"0.5", "-2"}]
        assert grouped.n_usable[group] == facts.n_finite[group] == len(finite)
        assert facts.largest[group] == max(finite, default=0)
        texts = [cell for cell in cells if cell in {"high", "low"}]
        assert facts.n_texts[group] == len(texts)
        assert facts.texts.get(group, frozenset()) == frozenset(texts)


@given(ROWS)
def test_sorting_finds_the_same_groups(rows):
    columns = list(table_of(rows).keys.values())
    expected, n_groups = number_groups(columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(survey, "FEW_TIMES", 0)
        group_of, n_sorted = number_groups(columns)
    assert n_sorted == n_groups
    assert group_of.tolist() == expected.tolist()
