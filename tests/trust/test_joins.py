"""Rows find their own patient in a second table or in a name, and nothing that is read is lost."""

import numpy as np

from benchmarks.trust import joins

NONE = dict.fromkeys(joins.WAYS, 0)


def test_no_patients_are_merged_by_strange_names(tmp_path):
    row = joins.sheets(80, np.random.default_rng(0), tmp_path)
    assert (row.tried, row.failures) == (80, NONE)


def test_no_files_of_one_name_become_one_patient(tmp_path):
    row = joins.files(16, np.random.default_rng(0), tmp_path)
    assert (row.tried, row.failures) == (16, NONE)


def test_nothing_that_is_read_is_overwritten(tmp_path):
    row = joins.places(tmp_path)
    assert row.tried > 100
    assert row.failures == {"overwritten": 0, "tracebacks": 0}
