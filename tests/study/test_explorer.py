import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut import PatientScores, audit, fit
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.diagnose import flip_probability
from steadycut.core.records import Costs
from steadycut.rule_reader import ENDS, with_ends
from steadycut.study.explorer import GREY_ZONE, MOST_CUTS, explorer_part
from tests.show.figures import samples


def counts_at(part, i):
    missed, alarms = part["missed"][i], part["alarms"][i]
    return Confusion(
        tp=part["n_positive"] - missed, fn=missed, fp=alarms, tn=part["n_negative"] - alarms
    )


def certificate_at(part, i, costs):
    """The formula of the page."""
    ((weight, other),) = costs.class_weights
    return weight * part["miss_limit"][i] + other * part["alarm_limit"][i]


@st.composite
def cohorts(draw):
    n = draw(st.integers(2, 40))
    values = st.integers(0, 12) if draw(st.booleans()) else st.floats(-50, 50)
    scores = draw(st.lists(values, min_size=n, max_size=n))
    labels = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    return PatientScores(scores=np.array(scores, dtype=float), labels=labels)


@given(cohorts(), st.floats(-60, 60), st.lists(st.floats(-60, 60), min_size=1, max_size=30))
def test_every_count_is_that_of_the_patients_one_by_one(cohort, threshold, draws):
    draws = np.array(draws)
    part = explorer_part(cohort, threshold, draws, Costs(), delta=0.1).to_plain()
    cuts = with_ends(ENDS, part["thresholds"])
    assert cuts[part["frozen"]] == threshold
    decided = set()
    for i, cut in enumerate(cuts):
        found = confusion_at(cohort, cut)
        assert counts_at(part, i) == found
        flips = flip_probability(cohort.scores, cut, draws).round(9) >= GREY_ZONE
        assert part["grey_positive"][i] == np.count_nonzero(flips & (cohort.labels == 1))
        assert part["grey_negative"][i] == np.count_nonzero(flips & (cohort.labels == 0))
        decided.add((cohort.scores >= cut).tobytes())
    # No two cut-offs decide alike, and every decision that a cut-off can make is there.
    assert len(decided) == len(part["thresholds"]) == np.unique(cohort.scores).size + 1


@pytest.mark.parametrize("honesty", ["split", "uniform"])
@pytest.mark.parametrize("direction", ["ge", "le"])
def test_the_certificate_is_that_of_the_core(honesty, direction):
    sign = 1 if direction == "ge" else -1
    cohort = samples.cohort(120, 4)
    cohort = PatientScores(scores=sign * cohort.scores, labels=cohort.labels)
    study = fit(cohort, honesty=honesty, direction=direction, n_bootstrap=30)
    part = study.to_dict()["explorer"]
    cuts = with_ends(ENDS, part["thresholds"])
    assert cuts == sorted(cuts)
    assert cuts[part["frozen"]] == study.threshold
    assert counts_at(part, part["frozen"]) == study.counts
    for prevalence, cost_fn in [(0.05, 1.0), (0.3, 7.5), (0.9, 0.2)]:
        costs = Costs(cost_fn=cost_fn, target=(prevalence, prevalence))
        for i in range(0, len(part["missed"]), 7):
            core = certificate_of(counts_at(part, i), costs, 0.1, honesty=honesty)
            assert core.bound == part["bound"]
            assert certificate_at(part, i, costs) == pytest.approx(core.value, rel=1e-14)


def test_several_candidates_share_delta_where_the_same_patients_chose():
    several = [samples.cohort(80, 4), samples.cohort(80, 4, how="max")]
    study = fit(several, honesty="uniform", target_prevalence=(0.1, 0.3), n_bootstrap=20)
    part = study.to_dict()["explorer"]
    costs = Costs(target=(part["prevalence"], part["prevalence"]))
    assert part["prevalence"] in {0.1, 0.3}
    assert certificate_at(part, part["frozen"], costs) == pytest.approx(study.certificate.value)


def test_many_patients_are_few_cuts():
    part = fit(samples.cohort(3000, 2), n_bootstrap=20).to_dict()["explorer"]
    assert len(part["thresholds"]) in {MOST_CUTS, MOST_CUTS + 1}
    assert (part["missed"][0], part["alarms"][-1]) == (0, 0)


def test_an_audit_has_its_own_patients():
    found = samples.labelled_audit()
    part, point = found["explorer"], found["operating_point"]
    assert [point[key] for key in ("tp", "fn", "fp", "tn")] == [
        getattr(counts_at(part, part["frozen"]), key) for key in ("tp", "fn", "fp", "tn")
    ]
    grey = part["grey_positive"][part["frozen"]] + part["grey_negative"][part["frozen"]]
    assert grey == found["grey_zone"]["patients"]


def test_without_a_class_there_is_nothing_to_explore():
    assert "explorer" not in samples.labelled_audit(only=1)
    rule = fit(samples.cohort(60, 1), n_bootstrap=20).freeze()
    assert "explorer" not in audit(rule, [0.5, 2.0]).to_dict()
