"""The certificate of an ensemble, measured where the truth is known to three digits."""

import numpy as np
import pytest

import steadycut
from steadycut.core.records import PatientScores, Recipe

pytestmark = pytest.mark.validity

DELTA = 0.2
SETTINGS = [pytest.param(150, id="short"), pytest.param(1500, id="full", marks=pytest.mark.slow)]


def draw(n, rng):
    """Three methods that share a signal; the second is tied, the third is noise."""
    labels = (rng.random(n) < 0.4).astype(int)
    latent = 0.6 * rng.normal(size=n) + labels
    columns = [latent + 0.8 * rng.normal(size=n), np.round(2 * latent), rng.normal(size=n)]
    return [
        PatientScores(scores=column, labels=labels, recipe=Recipe(score=f"m{i}"))
        for i, column in enumerate(columns)
    ]


@pytest.mark.parametrize("n_studies", SETTINGS)
@pytest.mark.parametrize(("kind", "costs"), [("quantile", (1.0, 1.0)), ("gls", (3.0, 1.0))])
def test_the_certified_value_holds_as_often_as_promised(kind, costs, n_studies):
    rng = np.random.default_rng(11)
    population = draw(20_000, rng)
    labels = population[0].labels
    held = []
    for seed in range(n_studies):
        options = {"cost_fn": costs[0], "cost_fp": costs[1], "delta": DELTA, "seed": seed}
        study = steadycut.fit(draw(80, rng), ensemble=kind, n_bootstrap=20, **options)
        called = study.ensemble.combine(population).scores >= study.threshold
        loss = costs[0] * ((labels == 1) & ~called) + costs[1] * ((labels == 0) & called)
        held.append(loss.mean() <= study.certificate.value)
    error = np.sqrt(DELTA * (1 - DELTA) / n_studies)
    assert np.mean(held) >= 1 - DELTA - 4 * error
