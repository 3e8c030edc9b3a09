"""All versions of a change-control plan hold together; a reduced form of the study."""

import json

import pytest

from benchmarks.studies import change_control as study
from tests.validity.test_monitor import at_most

pytestmark = pytest.mark.validity

RUNS = [pytest.param(40, id="short"), pytest.param(1000, id="full", marks=pytest.mark.slow)]


@pytest.mark.parametrize("n_streams", RUNS)
@pytest.mark.parametrize("setting", [one for one in study.SETTINGS if one != study.FORGOTTEN])
def test_a_version_is_rarely_worse_than_promised(setting, n_streams):
    found = study.measure(setting, n_streams, seed=5)
    assert at_most(found["any_accepted_above_target"], study.DELTA, n_streams)
    assert at_most(found["any_accepted_above_margin"], study.DELTA, n_streams)
    if setting in study.CHANGES:
        assert found["accepted_per_stream"] > 0.5
    if setting == "no change":
        above = found["final_above_original_by_more_than_margin"]
        assert at_most(above, study.DELTA, n_streams)


def test_the_stored_result_keeps_the_promises():
    stored = json.loads(study.RESULT.read_text())
    settings = stored["settings"]
    assert set(settings) == set(study.SETTINGS)
    for setting, found in settings.items():
        assert found["streams"] == (5000 if setting in study.CHANGES else study.HARD_STREAMS)
        if setting != study.FORGOTTEN:
            assert found["any_accepted_above_target"] <= study.DELTA
            assert found["any_accepted_above_margin"] <= study.DELTA
    assert settings["no change"]["final_above_original_by_more_than_margin"] <= study.DELTA
    counted, forgotten = settings["at the target"], settings[study.FORGOTTEN]
    assert counted["any_accepted_above_target"] < forgotten["any_accepted_above_target"]
