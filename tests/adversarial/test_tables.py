"""Tables of hostile cells, in every format: as a plain reading says, or refused in one line."""

import math

import numpy as np
import pytest

from benchmarks.trust.hostile.cells import IDENTIFIERS, LABELS, MARKS, SCORES
from benchmarks.trust.hostile.tables import FORMS, draw_rows, judge
from benchmarks.trust.hostile.watch import ANSWER, REFUSED
from benchmarks.trust.inputs import typed_columns
from steadycut import aggregate, certify

FEW = 8
GOOD = [["q", "0", "0.5"], ["r", "1", "0.25"]]
IN_MEMORY = ("dict of lists", "polars", "pyarrow")


@pytest.mark.parametrize("form", FORMS)
def test_random_tables(form, tmp_path):
    rng = np.random.default_rng(0)
    for _ in range(FEW):
        rows = draw_rows(rng)
        kind, found = judge(rows, FORMS[form](rows, tmp_path))
        assert kind in {ANSWER, REFUSED}, (rows, found)


@pytest.mark.parametrize("form", IN_MEMORY)
@pytest.mark.parametrize("column", [0, 1, 2])
def test_every_hostile_cell(form, column, tmp_path):
    for cell in (IDENTIFIERS, LABELS, SCORES)[column]:
        row = ["p", "1", "0.5"]
        row[column] = cell
        kind, found = judge([row, *GOOD], FORMS[form]([row, *GOOD], tmp_path))
        assert kind in {ANSWER, REFUSED}, (cell, found)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_every_hostile_identifier_is_its_own_patient_in_a_file(engine, tmp_path):
    """All at once: what differs in any sign is another patient."""
    names = [name for name in IDENTIFIERS if name.strip() and name.isprintable()]
    names = [name for name in names if name.casefold() not in MARKS]
    rows = [[name, str(i % 2), str(i)] for i, name in enumerate(names)]
    for form in ("CSV", "Parquet"):
        kind, found = judge(rows, FORMS[form](rows, tmp_path), engine=engine)
        assert kind == ANSWER, found
        assert len(found) == len(names)


def test_columns_of_numbers(tmp_path):
    row = typed_columns(40, np.random.default_rng(0), tmp_path)
    assert row.failed == 0


def test_a_float32_score_at_the_cut_off_is_decided_by_its_own_value():
    """0.1 as float32 is a little more than 0.1: it is called at 0.1, and not at its successor."""
    found = aggregate({"p": ["a"], "s": np.array([0.1], np.float32)}, patient="p", score="s")
    exact = float(np.float32(0.1))
    assert found.scores.tolist() == [exact]
    assert exact > 0.1
    assert certify(found.scores, [1], threshold=exact).risk == 0
    assert certify(found.scores, [1], threshold=np.nextafter(exact, 1)).risk == 1


@pytest.mark.slow
def test_a_patient_of_ten_million_instances():
    n = 10_000_000
    scores = np.arange(n + 1) / n
    found = aggregate({"p": np.zeros(n + 1, np.int8), "s": scores}, patient="p", score="s")
    assert found.scores.tolist() == [math.fsum(scores) / (n + 1)]
