"""Two markers: the true risk against a count over very many patients."""

import numpy as np
import pytest

from paper.figure_2_simulation import Setting, draw_site, true_risk
from steadycut.core.cuts.risk_curve import risk_curve
from steadycut.core.records import Costs


@pytest.mark.parametrize("site", ["internal", "external"])
def test_the_true_risk_is_what_very_many_patients_have(site):
    setting, thresholds = Setting(), np.linspace(-2, 5, 15)
    markers, prevalence = getattr(setting, site), getattr(setting, f"prevalence_{site}")
    patients = draw_site(markers, 200_000, prevalence, np.random.default_rng(0))
    for marker, drawn in zip(markers, patients, strict=True):
        found = risk_curve(drawn, thresholds, Costs())
        assert found == pytest.approx(true_risk(marker, prevalence, thresholds), abs=0.005)


def test_both_markers_are_of_the_same_patients():
    first, second = draw_site(Setting().internal, 50, 0.4, np.random.default_rng(0))
    assert first.known_labels.tolist() == second.known_labels.tolist()
    assert [first.recipe.score, second.recipe.score] == ["marker 1", "marker 2"]
