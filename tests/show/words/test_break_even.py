"""At which costs a cut-off is useful, and what uneven stakes mean, in words."""

from dataclasses import replace

import numpy as np
import pytest

from steadycut import PatientScores, fit
from steadycut.show.words.break_even import break_even_facts


def study(seed=0, n=400, distance=1.5, prevalence=0.3, **options):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < prevalence).astype(int)
    cohort = PatientScores(scores=rng.normal(size=n) + distance * labels, labels=labels)
    return fit(cohort, n_bootstrap=5, **options).describe()


def facts(document):
    return dict(break_even_facts(document))


def with_part(document, **changes):
    return document.model_copy(update={"break_even": replace(document.break_even, **changes)})


def test_a_useful_score_says_between_which_costs():
    found = facts(with_part(study(), estimate=(2.101, 14.0), shown=(3.4, 8.0)))
    assert found == {
        "useful": "if a miss costs between 2.11 and 14.0 false alarms (here 1); shown: between "
        "3.40 and 8.00 (90 %, all ratios at once)"
    }


def test_without_confidence_in_any_ratio_it_says_so():
    found = facts(with_part(study(), estimate=(0.5, None), shown=None))["useful"]
    assert "more than 0.500 false alarms" in found
    assert found.endswith("shown: at none (90 %, all ratios at once)")


@pytest.mark.parametrize("options", [{"honesty": "uniform"}, {"target_prevalence": (0.1, 0.4)}])
def test_an_estimate_alone_claims_no_confidence(options):
    document = study(**options)
    assert document.break_even.shown is None
    assert "shown" not in facts(document)["useful"]


@pytest.mark.parametrize("options", [{"distance": -1.0, "rule": "youden"}, {"cost_fp": 1000.0}])
def test_a_cut_off_that_does_not_pay_says_that_no_costs_help_it(options):
    document = study(17, n=200, **options)
    assert document.break_even.estimate is None
    assert facts(document)["useful"] == (
        "at no costs with this cut-off (estimate); at others the rule may choose another one"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prevalence": 0.05}, "calling nobody is cheap already; only a sharp score saves more."),
        ({"cost_fn": 30.0}, "calling everybody is cheap already; only a sharp score saves more"),
        ({"cost_fp": 30.0}, "calling nobody is cheap already; only a sharp score saves more"),
    ],
)
def test_uneven_stakes_are_explained(options, words):
    document = study(**options)
    found = facts(document)["stakes"]
    assert words in found
    assert ("give its cost" in found) == ("prevalence" in options)
    point, costs = document.operating_point, document.costs
    ill = costs.cost_fn * point.prevalence
    stake = ill / (ill + costs.cost_fp * (1 - point.prevalence))
    assert document.break_even.stake == pytest.approx(stake)


def test_even_stakes_need_no_words():
    assert list(facts(study())) == ["useful"]


def test_older_files_say_nothing_of_it():
    assert break_even_facts(study().model_copy(update={"break_even": None})) == []


def test_it_stands_on_the_page_and_in_the_summary():
    rng = np.random.default_rng(0)
    labels = (rng.random(400) < 0.05).astype(int)
    made = fit(PatientScores(scores=rng.normal(size=400) + 2 * labels, labels=labels))
    assert "false alarms (here 1)" in made.summary()
    assert "give its cost" in made.summary()
