"""How often a ratio of costs is said to be useful where it is not, with the truth known."""

import numpy as np
import pytest

from steadycut.core.break_even import break_even
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs
from tests.validity.test_monitor import at_most

pytestmark = pytest.mark.validity

DELTA = 0.1
STUDIES = [pytest.param(400, id="short"), pytest.param(20_000, id="full", marks=pytest.mark.slow)]
CELLS = ("tp", "fn", "fp", "tn")
# Prevalence, miss rate, alarm rate; the last one is a score of no use.
POPULATIONS = [
    (0.1, 0.2, 0.05),
    (0.3, 0.1, 0.1),
    (0.5, 0.3, 0.2),
    (0.02, 0.5, 0.01),
    (0.3, 0.6, 0.4),
]


def counts_of(cells):
    return Confusion(**dict(zip(CELLS, cells, strict=True)))


@pytest.mark.parametrize("n_studies", STUDIES)
@pytest.mark.parametrize("n", [30, 100, 400])
@pytest.mark.parametrize("population", POPULATIONS)
def test_the_shown_ratios_are_wrong_in_at_most_delta_of_studies(population, n, n_studies):
    """Wrong: one ratio between the shown ends is not useful in the population."""
    prevalence, miss, alarm = population
    shares = [prevalence * (1 - miss), prevalence * miss]
    shares += [(1 - prevalence) * alarm, (1 - prevalence) * (1 - alarm)]
    low, high = break_even(counts_of(shares), Costs()).estimate or (np.inf, 0.0)
    rng, wrong = np.random.default_rng(3), 0
    for drawn in rng.multinomial(n, shares, size=n_studies).tolist():
        shown = break_even(counts_of(drawn), Costs(), DELTA).shown
        wrong += shown is not None and (shown[0] < low or (shown[1] or np.inf) > high)
    assert at_most(wrong / n_studies, DELTA, n_studies)
