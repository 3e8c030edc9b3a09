import json
from dataclasses import replace

import numpy as np
import pytest

import steadycut
from steadycut.core.certify import certificate_of
from steadycut.core.records import PatientScores, Recipe
from steadycut.errors import BadOption, BadPatients, PatientOverlap
from tests.slow_reference import cuts, risks, stability, stable

RULES = ["stable", "erm", "logistic", "youden", "sensitivity:0.95", "specificity:0.90"]


def hospital(seed, prefix, *, shift=0.0, n=60, score="score"):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    return PatientScores(
        scores=rng.normal(size=n) + 1.5 * labels + shift,
        labels=labels,
        patients=[f"{prefix}{i:02d}" for i in range(n)],
        recipe=Recipe(score=score),
    )


P, Q = hospital(1, "p"), hospital(2, "q", shift=0.5)


def rows(**options):
    return steadycut.compare(P, Q, n_bootstrap=20, **options).to_dict()["rows"]


def test_every_rule_has_a_row_in_the_order_asked_for():
    assert [row["rule"] for row in rows()] == RULES
    assert [row["rule"] for row in rows(rules=["youden", "erm"])] == ["youden", "erm"]


def test_a_function_of_the_counts_has_a_row_by_its_name():
    def right(tp, fn, fp, tn):
        return tp + tn

    own, accuracy = rows(rules=[right, "accuracy"])
    assert own["name"] == own["rule"] == "python:right"
    assert own["threshold"] == accuracy["threshold"]


def test_a_row_is_the_study_of_its_rule_at_p():
    for row in rows(cost_fn=2.0, seed=4):
        study = steadycut.fit(P, rule=row["rule"], cost_fn=2.0, seed=4, n_bootstrap=20)
        assert row["threshold"] == study.threshold
        assert row["operating_value"] == study.operating_value
        assert row["penalty"] == study.chosen.penalty
        assert row["modulus"] == study.chosen.modulus
        assert row["certificate_alone"] == study.certificate.value
        assert row["risk_validation"] == study.certificate.risk


@pytest.mark.parametrize("options", [{}, {"cost_fn": 3.0}, {"honesty": "uniform"}])
def test_certificates_of_all_rows_together_divide_delta_by_their_number(options):
    """Of six certificates at delta each, the smallest held in 0.70 to 0.86 of studies, not 0.90."""
    for n_rows in (1, 2, 6):
        found = rows(rules=RULES[:n_rows], **options)
        assert len(found) == n_rows
        for row in found:
            study = steadycut.fit(P, rule=row["rule"], n_bootstrap=20, **options)
            alone = certificate_of(
                study.counts,
                study.options.search.costs,
                0.1 / n_rows,
                honesty=study.options.honesty,
            )
            assert row["certificate_together"] == alone.value
            assert row["certificate_alone"] <= row["certificate_together"]


def test_a_row_judges_the_frozen_threshold_at_q():
    scores, labels = Q.scores.tolist(), Q.labels.tolist()
    for row in rows(cost_fn=2.0):
        counts = risks.counts_at(scores, labels, row["threshold"])
        risk, (_, misses, alarms, _) = risks.risk(counts, 2.0, 1.0), counts
        assert row["risk_external"] == pytest.approx(risk, abs=1e-12)
        assert row["shift"] == pytest.approx(risk - row["risk_validation"], abs=1e-12)
        assert row["sensitivity_external"] == pytest.approx(1 - misses / sum(labels), abs=1e-12)
        healthy = len(labels) - sum(labels)
        assert row["specificity_external"] == pytest.approx(1 - alarms / healthy, abs=1e-12)
        losses = [2.0] * misses + [1.0] * alarms + [0.0] * (60 - misses - alarms)
        assert row["risk_external_se"] == pytest.approx(np.std(losses) / np.sqrt(60), abs=1e-12)


def test_the_yardstick_is_the_best_cut_at_q():
    scores, labels = Q.scores.tolist(), Q.labels.tolist()
    tried = cuts.exact_thresholds(scores)
    best = min(risks.risk_at(scores, labels, t, 2.0, 1.0) for t in tried)
    for row in rows(cost_fn=2.0):
        assert row["best_external"] == pytest.approx(best, abs=1e-12)
        assert row["risk_external"] >= best - 1e-12


def test_the_flip_rate_is_that_of_the_patients_at_q():
    for row in rows(rules=["erm", "stable"]):
        study = steadycut.fit(P, rule=row["rule"], n_bootstrap=20)
        draws = study.bootstrap_thresholds.tolist()
        flips = [stability.flip_probability(s, study.threshold, draws) for s in Q.scores.tolist()]
        assert row["flip_rate"] == pytest.approx(sum(flips) / len(flips), abs=1e-12)


def test_the_error_of_a_flip_rate_is_that_of_a_mean_over_patients():
    for row in rows(rules=["erm", "stable"]):
        study = steadycut.fit(P, rule=row["rule"], n_bootstrap=20)
        flips = study.flip_probability(Q.scores)
        assert row["flip_rate_se"] == pytest.approx(np.std(flips) / np.sqrt(60), abs=1e-12)


def test_rules_are_compared_with_the_minimiser_on_the_same_patients():
    found = rows(cost_fn=2.0)
    erm = next(row for row in found if row["rule"] == "erm")
    for row in found:
        losses = [
            stable.losses_at(Q.scores.tolist(), Q.labels.tolist(), one["threshold"], 2.0, 1.0)
            for one in (row, erm)
        ]
        expected = stable.excess(*losses)
        assert (row["difference"], row["difference_se"]) == pytest.approx(expected, abs=1e-12)
    assert (erm["difference"], erm["difference_se"]) == (0.0, 0.0)


def test_without_the_minimiser_there_is_nothing_to_compare_with():
    content = steadycut.compare(P, Q, rules=["stable"], n_bootstrap=5).to_dict()
    assert content["reference"] is None
    assert content["rows"][0]["difference"] is None


def test_the_shift_has_the_error_of_two_independent_cohorts():
    for row in rows():
        both = row["risk_external_se"] ** 2 + row["risk_validation_se"] ** 2
        assert row["shift_se"] == pytest.approx(np.sqrt(both), abs=1e-12)


def two_scores():
    """Two scores of the same patients, at both hospitals."""
    rng = np.random.default_rng(5)
    return [
        [
            PatientScores(
                scores=h.scores + spread * rng.normal(size=60),
                labels=h.labels,
                patients=h.patients,
                recipe=Recipe(score=name),
            )
            for name, spread in (("one", 0.0), ("two", 0.6))
        ]
        for h in (P, Q)
    ]


def test_several_candidates_bring_algorithm_1_and_its_two_ablations():
    here, there = two_scores()
    content = steadycut.compare(here, there, n_bootstrap=20).to_dict()
    assert [row["name"] for row in content["rows"]] == [
        *RULES,
        "Algorithm 1",
        "Abl.: no penalty",
        "Abl.: no bias",
    ]
    for row in content["rows"][-3:]:
        study = steadycut.fit(here, rule="erm", selector=row["selector"], n_bootstrap=20)
        assert row["rule"] == "erm"
        assert (row["score"], row["threshold"]) == (study.chosen.recipe.score, study.threshold)
        assert row["penalty"] == study.chosen.penalty
    assert [row["selector"] for row in content["rows"][-2:]] == ["risk", "no-bias"]


def test_rules_on_different_scores_are_paired_patient_by_patient():
    here, there = two_scores()
    table = steadycut.compare(here, there, n_bootstrap=20)
    by_name = {row["name"]: row for row in table.to_dict()["rows"]}
    score_of = {one.recipe.score: one.scores for one in there}

    def losses(row):
        called = score_of[row["score"]] >= row["threshold"]
        return (called != (Q.labels == 1)).astype(float)

    for row in by_name.values():
        change = losses(row) - losses(by_name["erm"])
        assert row["difference"] == pytest.approx(change.mean(), abs=1e-12)
        assert row["difference_se"] == pytest.approx(change.std() / np.sqrt(60), abs=1e-12)


def test_the_cost_table_is_our_rule_at_the_papers_costs_and_at_those_asked_for():
    content = steadycut.compare(P, Q, n_bootstrap=20, cost_fn=5.0, bound="hoeffding").to_dict()
    pairs = [(row["cost_fn"], row["cost_fp"]) for row in content["cost_table"]]
    assert pairs == [(1.0, 1.0), (1.0, 3.0), (3.0, 1.0), (5.0, 1.0)]
    for row in content["cost_table"]:
        costs = {"cost_fn": row["cost_fn"], "cost_fp": row["cost_fp"]}
        study = steadycut.fit(P, n_bootstrap=20, **costs)
        risk = risks.risk_at(Q.scores.tolist(), Q.labels.tolist(), study.threshold, *costs.values())
        assert row["threshold"] == study.threshold
        assert row["risk_external"] == pytest.approx(risk, abs=1e-12)


@pytest.mark.parametrize("options", [{"cost_table": False}, {"rules": ["erm"]}])
def test_the_cost_table_can_be_left_out(options):
    assert steadycut.compare(P, Q, n_bootstrap=5, **options).to_dict()["cost_table"] == []


def test_a_bound_for_equal_costs_does_not_stop_the_cost_table():
    table = steadycut.compare(P, Q, n_bootstrap=5, bound="clopper-pearson")
    assert len(table.costs) == 3


def test_an_ensemble_is_judged_on_the_ensemble_at_q():
    here, there = two_scores()
    table = steadycut.compare(here, there, n_bootstrap=20, ensemble="quantile", rules=["stable"])
    (row,) = table.rows
    combined = row.study.ensemble.combine(there)
    called = combined.scores >= row.study.threshold
    assert row.wrong.tolist() == (called != (Q.labels == 1)).tolist()
    every = steadycut.compare(here, there, n_bootstrap=5, ensemble="quantile", cost_table=False)
    names = [row.name for row in every.rows]
    assert names == [rule for rule in RULES if rule != "logistic"]


def test_direction_le_mirrors_the_table():
    mirrored = [
        PatientScores(scores=-h.scores, labels=h.labels, patients=h.patients) for h in (P, Q)
    ]
    table = steadycut.compare(*mirrored, direction="le", n_bootstrap=20)
    for one, other in zip(rows(), table.to_dict()["rows"], strict=True):
        assert other["threshold"] == -one["threshold"]
        assert other["risk_external"] == one["risk_external"]


def test_q_has_no_part_in_the_choice():
    other = steadycut.compare(P, hospital(7, "q", shift=-2.0), n_bootstrap=20).to_dict()["rows"]
    assert [row["threshold"] for row in other] == [row["threshold"] for row in rows()]


def test_the_chosen_candidate_is_judged_on_the_same_score_at_q():
    noise = [
        PatientScores(
            scores=np.random.default_rng(5).normal(size=60),
            labels=h.labels,
            patients=h.patients,
            recipe=Recipe(score="noise"),
        )
        for h in (P, Q)
    ]
    table = steadycut.compare([noise[0], P], [noise[1], Q], rules=["erm"], n_bootstrap=20)
    (row,) = table.to_dict()["rows"]
    assert row["score"] == "score"
    risk = risks.risk_at(Q.scores.tolist(), Q.labels.tolist(), row["threshold"], 1.0, 1.0)
    assert row["risk_external"] == pytest.approx(risk, abs=1e-12)


def test_the_same_seed_gives_the_same_table_as_strict_json():
    tables = [
        json.dumps(steadycut.compare(P, Q, n_bootstrap=20, seed=3).to_dict(), allow_nan=False)
        for _ in range(2)
    ]
    assert tables[0] == tables[1]


def test_a_class_that_q_lacks_has_no_rate():
    healthy = PatientScores(scores=Q.scores, labels=np.zeros(60, dtype=int), patients=Q.patients)
    table = steadycut.compare(P, healthy, rules=["erm"], n_bootstrap=20)
    content = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert content["rows"][0]["sensitivity_external"] is None
    assert content["trivial_external"] == 0.0


def test_the_table_says_how_many_patients_it_is_about():
    content = steadycut.compare(P, Q.take(np.arange(50)), rules=["erm"], n_bootstrap=5).to_dict()
    assert content["schema"] == "steadycut.compare/1"
    assert content["patients"] == {"internal": 60, "external": 50}
    positive = int(Q.labels[:50].sum())
    assert content["trivial_external"] == min(positive, 50 - positive) / 50


def test_progress_is_told_every_rule():
    told = []
    steadycut.compare(
        P, Q, rules=["erm", "youden"], n_bootstrap=5, progress=lambda *step: told.append(step)
    )
    assert told == [("erm", 0, 2), ("youden", 1, 2)]


def test_a_patient_at_both_hospitals_is_refused_without_being_named():
    names = [*Q.patients[:-2], "p00", "p01"]
    overlapping = PatientScores(scores=Q.scores, labels=Q.labels, patients=names)
    with pytest.raises(PatientOverlap) as caught:
        steadycut.compare(P, overlapping)
    assert "2 of them appear at both hospitals" in str(caught.value)
    assert "p00" not in str(caught.value)


def test_hospitals_without_identifiers_can_be_compared():
    nameless = [PatientScores(scores=h.scores, labels=h.labels) for h in (P, Q)]
    for here, there in [(P, nameless[1]), (nameless[0], Q), nameless]:
        assert len(steadycut.compare(here, there, n_bootstrap=5).rows) == len(RULES)


def test_hospitals_with_other_candidates_are_refused():
    with pytest.raises(BadPatients, match="both hospitals must have the same candidates"):
        steadycut.compare(P, hospital(2, "q", score="other"))
    with pytest.raises(BadPatients, match="both hospitals must have the same candidates"):
        steadycut.compare([P], [Q, Q])


def test_an_unknown_rule_is_refused():
    with pytest.raises(BadOption, match="rule must be one of"):
        steadycut.compare(P, Q, rules=["best"])


def test_labels_at_q_are_needed():
    with pytest.raises(BadPatients, match="these patients have no labels"):
        steadycut.compare(P, PatientScores(scores=Q.scores, patients=Q.patients))


def test_another_unit_at_q_is_said():
    there = PatientScores(scores=100 * Q.scores, labels=Q.labels)
    found = steadycut.compare(P, there, n_bootstrap=5, rules=["erm"]).to_dict()["warnings"]
    assert any(text.startswith("unit: ") for text in found)
    assert steadycut.compare(P, hospital(3, "r"), n_bootstrap=5, rules=["erm"]).warnings == ()


def test_an_aggregator_that_is_a_function_is_compared_without_guards():
    recipe = Recipe(how="my_function")
    here, there = (replace(one, recipe=recipe) for one in (P, Q))
    assert steadycut.compare(here, there, n_bootstrap=5, rules=["erm"]).warnings == ()


# What to conclude ----------------------------------------------------------------------------


def test_the_first_rule_is_the_one_that_was_fixed_and_others_are_compared_with_it():
    good, bad = hospital(3, "p", n=400), hospital(4, "q", n=400)
    found = steadycut.compare(good, bad, rules=["erm", "sensitivity:0.99", "youden"], n_bootstrap=5)
    content = found.to_dict()
    assert content["fixed"] == "erm"
    assert "against_fixed" not in content["rows"][0]
    assert [row["against_fixed"] for row in content["rows"][1:]] == ["more", "cannot tell"]
    turned = steadycut.compare(good, bad, rules=["sensitivity:0.99", "erm"], n_bootstrap=5)
    assert turned.to_dict()["rows"][1]["against_fixed"] == "less"


def test_a_comparison_of_one_rule_has_nothing_to_compare():
    assert steadycut.compare(P, Q, rules=["erm"], n_bootstrap=5).against_fixed() == [None]


def test_rates_to_certify_are_refused():
    with pytest.raises(BadOption, match="leave out certify"):
        steadycut.compare(P, Q, certify="sensitivity:0.9")
