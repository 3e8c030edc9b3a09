"""Certificates hold where patients without a score are called, or left, and not where they go."""

import numpy as np
import pytest

from benchmarks.studies.unscored import DELTA, draw, study_broken

pytestmark = pytest.mark.validity


@pytest.mark.parametrize("missing", [(0.05, 0.3), (0.3, 0.05)])
def test_certificates_count_patients_without_a_score(missing):
    rng, costs = np.random.default_rng(1), (1.0, 1.0)
    studies = [study_broken(draw(400, missing, rng), missing, costs) for _ in range(200)]
    broken = {key: np.mean([found[key] for found in studies]) for key in studies[0]}
    most = DELTA + 2.5 * np.sqrt(DELTA * (1 - DELTA) / len(studies))
    assert max(broken["call, called"], broken["leave, left"], broken["drop, scored"]) <= most
    # Left out, more of the ill are missed, or more of the healthy are called, than certified.
    assert broken["drop, left" if missing[1] > missing[0] else "drop, called"] > 5 * DELTA
