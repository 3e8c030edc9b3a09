"""scikit-learn's own checks pass for both estimators, and could fail."""

import json
from pathlib import Path

import pytest

from tests.estimators.fresh_process import run_in_fresh_process
from tests.estimators.sklearn_checks import RIGHT, WRONG

SCRIPT = Path(__file__).resolve().parent / "sklearn_checks.py"


@pytest.fixture(scope="module")
def results():
    return json.loads(run_in_fresh_process(str(SCRIPT)))


@pytest.mark.parametrize("name", RIGHT)
def test_every_check_of_sklearn_passes(results, name):
    found = results["right"][name]
    assert [one for one in found if one[1] != "passed"] == []
    assert len(found) > 50
    # Skipped, and not in the list, where SCIPY_ARRAY_API is not set.
    assert "check_array_api_input" in " ".join(one[0] for one in found)


@pytest.mark.parametrize("name", WRONG)
def test_the_checks_of_sklearn_can_fail(results, name):
    assert results["wrong"][name]
