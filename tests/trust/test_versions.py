"""Nothing that was kept of a file is used for another version of it."""

import numpy as np

from benchmarks.trust import versions


def test_a_resumed_fit_never_mixes_two_tables(tmp_path):
    row = versions.tables(4, np.random.default_rng(0), tmp_path)
    assert (row.tried, row.failures) == (4, {"mixed": 0, "lost": 0})


def test_a_slide_is_known_by_all_its_bytes(tmp_path):
    row = versions.slides(12, np.random.default_rng(0), tmp_path)
    assert (row.tried, row.failures) == (12, {"mixed": 0, "lost": 0})
