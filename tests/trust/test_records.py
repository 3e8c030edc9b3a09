"""The generators of text files, in small."""

import numpy as np
import pytest

from benchmarks.trust import records


@pytest.mark.parametrize("name", records.NAMES)
def test_no_record_of_a_generated_file_is_lost(tmp_path, name):
    row = records.well_formed(name, 15, np.random.default_rng(0), tmp_path)
    assert (row.tried, row.failed) == (15, 0)


@pytest.mark.parametrize("some", [records.careless, records.sheets])
def test_careless_files_and_sheets(tmp_path, some):
    assert some(30, np.random.default_rng(1), tmp_path).failed == 0
