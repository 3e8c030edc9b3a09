"""The paper's rows: what must be equal is equal, and replicates are counted right."""

import numpy as np
import pytest

import steadycut
from paper.pages import table_page
from paper.table import ERM, METHODS, NO_PENALTY, OURS, compared, table_result
from steadycut.core.bounds.concentration import paper
from steadycut.core.records import Costs, PatientScores, Recipe
from steadycut.errors import PatientOverlap


def hospital(seed, n=60, names=("mean", "max"), prefix="p"):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    return [
        PatientScores(
            scores=labels + rng.normal(0, 0.8 + 0.2 * place, n),
            labels=labels,
            patients=[f"{prefix}{i}" for i in range(n)],
            recipe=Recipe(how=how),
        )
        for place, how in enumerate(names)
    ]


def run(n_replicates=3, names=("mean", "max")):
    both = hospital(0, names=names), hospital(1, names=names, prefix="q")
    replicates = [(seed, both) for seed in range(n_replicates)]
    return table_result(both, replicates, n_replicates, {"n_bootstrap": 20, "seed": 0})


def by_name(content):
    return {row["name"]: row for row in content["rows"]}


def test_every_row_of_the_paper_is_there():
    content = run()
    assert list(by_name(content)) == list(METHODS)
    assert [row["name"] for row in content["over_replicates"]] == list(METHODS)
    costs = [(row["cost_fn"], row["cost_fp"]) for row in content["cost_table"]]
    assert costs == [(1, 1), (1, 3), (3, 1)] * 2
    assert len(content["claims"]) == 7


def test_accuracy_and_every_term_of_gamma_are_there():
    content = run()
    for row, over in zip(content["rows"], content["over_replicates"], strict=True):
        # At equal costs of 1 the risk is the share of wrong decisions.
        assert row["accuracy_external"] == pytest.approx(1 - row["risk_external"])
        assert over["accuracy_external"]["mean"] == pytest.approx(1 - over["risk_external"]["mean"])
    terms = content["gamma"]
    both = hospital(0), hospital(1, prefix="q")
    study = steadycut.fit(both[0], **steadycut.paper_method(), n_bootstrap=20, seed=0)
    assert terms["total"] == pytest.approx(paper(study.counts, Costs(), 0.1))
    n, ill = study.counts.n_patients, study.counts.n_positive
    root = np.sqrt(np.log(60) / 2)
    assert terms["positive"] == pytest.approx(root * (ill / n) / np.sqrt(ill))
    assert terms["negative"] == pytest.approx(root * (1 - ill / n) / np.sqrt(n - ill))
    assert terms["prevalence"] == pytest.approx(2 * root / np.sqrt(n))
    page = table_page(content)
    assert "| R_Q   | Accuracy |" in page
    assert f"= {terms['total']:.3f}" in page


def test_without_penalty_algorithm_1_is_erm():
    content = run()
    rows, over = by_name(content), {row["name"]: row for row in content["over_replicates"]}
    assert rows[NO_PENALTY] | {"name": ERM} == rows[ERM]
    assert over[NO_PENALTY]["same_as_erm"] == 1


def test_with_one_candidate_algorithm_1_is_erm():
    content = run(names=("mean",))
    rows = by_name(content)
    assert rows[OURS]["threshold"] == rows[ERM]["threshold"]
    assert "With one candidate" in content["claims"][0]["found"]


def test_the_first_replicate_has_the_seed_of_the_table():
    content = run(n_replicates=1)
    for row, over in zip(content["rows"], content["over_replicates"], strict=True):
        assert over["risk_external"]["mean"] == row["risk_external"]
        assert over["penalty"]["mean"] == row["penalty"]


def test_lower_same_and_higher_are_counted():
    one, two = [{"x": v} for v in (1, 2, 3, 4)], [{"x": v} for v in (2, 2, 2, 2)]
    text = "2.500 against 2.000 on average; lower in 25 %, the same in 25 %, higher in 50 % of"
    assert compared("x", one, two).startswith(text)


def test_a_patient_at_both_hospitals_is_refused():
    both = hospital(0), hospital(1)
    with pytest.raises(PatientOverlap, match="60 of them appear at both"):
        table_result(both, [], 1, {})
