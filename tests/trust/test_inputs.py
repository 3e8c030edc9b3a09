"""Scores of any size are an answer or one line."""

import numpy as np

from benchmarks.trust import inputs


def test_scores_of_every_size(tmp_path):
    row = inputs.extreme_scores(6, np.random.default_rng(0), tmp_path)
    assert (row.tried, row.failed) == (42, 0)
