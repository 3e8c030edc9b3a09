"""How often the limits of a survival study hold, where the truth is known."""

import pytest
from scipy import stats

from benchmarks.studies.survival.run import ANY, WEIGHTED, cell

pytestmark = pytest.mark.validity
STUDIES = [pytest.param(60, id="short"), pytest.param(1000, id="full", marks=pytest.mark.slow)]


def fewest(n_studies, share):
    """How many of the studies must hold, if the share is right; too few come once in 10,000."""
    return stats.binom.ppf(1e-4, n_studies, share) / n_studies


@pytest.mark.parametrize("n_studies", STUDIES)
@pytest.mark.parametrize("setting", ANY, ids=lambda one: one.name)
def test_the_exact_limit_holds_at_any_censoring(setting, n_studies):
    found = cell(setting, n_studies, seed=1)
    assert found["exact_holds"] >= fewest(n_studies, 0.90)
    assert found["exact_above"] >= found["all_known_above"]
    if not setting.censored:
        assert found["exact_is_all_known"] == 1.0


@pytest.mark.parametrize("n_studies", STUDIES)
@pytest.mark.parametrize("setting", WEIGHTED, ids=lambda one: one.name)
def test_the_weighted_limit_nearly_holds_at_independent_censoring(setting, n_studies):
    found = cell(setting, n_studies, seed=2)
    assert found["weighted_holds"] >= fewest(n_studies, 0.88)
    assert found["exact_holds"] >= fewest(n_studies, 0.90)
    assert found["weighted_above"] < found["exact_above"]
