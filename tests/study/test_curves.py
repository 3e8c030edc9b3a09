import numpy as np
import pytest

from steadycut import PatientScores, audit, fit
from steadycut.core.records import Costs
from steadycut.core.select import BANDS
from steadycut.rule_reader import ENDS, with_ends
from steadycut.study.curves import QUANTILE_LEVELS, class_quantiles, cost_pairs, quantiles
from tests.show.figures import samples


@pytest.mark.parametrize("direction", ["ge", "le"])
@pytest.mark.parametrize("rule", ["stable", "erm", "mean-score", "sensitivity:0.9"])
def test_at_its_own_costs_the_rule_chooses_its_own_cut(rule, direction):
    study = samples.study(rule=rule, direction=direction)
    curve, middle = study["cost_curve"], len(study["cost_curve"]["ratio"]) // 2
    assert curve["ratio"][middle] == 1
    assert curve["threshold"][middle] == study["threshold"]
    assert curve["risk"][middle] == curve["frozen_risk"][middle] == study["certificate"]["risk"]
    assert curve["trivial_risk"][middle] == study["certificate"]["trivial_risk"]


@pytest.mark.parametrize(("direction", "down"), [("ge", True), ("le", False)])
def test_the_dearer_a_miss_the_more_are_called(direction, down):
    written = samples.study(rule="erm", direction=direction)["cost_curve"]["threshold"]
    cuts = with_ends(ENDS, written)
    assert cuts == sorted(cuts, reverse=down)
    assert len(set(cuts)) > 1


def test_a_fit_at_those_costs_is_the_curve():
    cohort, rng = samples.cohort(120, 4), {"n_bootstrap": 5}
    study = fit(cohort, **rng)
    for costs, cut in zip(
        cost_pairs(Costs()), study.to_dict()["cost_curve"]["threshold"], strict=True
    ):
        there = fit(cohort, cost_fn=costs.cost_fn, cost_fp=costs.cost_fp, **rng)
        assert there.threshold == cut


def test_rivals_are_what_the_other_rules_choose():
    cohort = samples.cohort(90, 2, ties=True)
    rivals = fit(cohort, n_bootstrap=5, direction="le").to_dict()["rivals"]
    for row in rivals:
        alone = fit(cohort, rule=row["rule"], n_bootstrap=5, direction="le")
        assert with_ends(ENDS, row["threshold"]) == alone.threshold
        assert row["risk"] == alone.chosen.risk
    assert [row["rule"] for row in rivals] == ["erm", "youden"]
    assert [row["rule"] for row in samples.study(rule="erm")["rivals"]] == ["youden"]


@pytest.mark.parametrize("band", ["multiscale", "dkw"])
def test_the_modulus_and_its_bands_are_those_of_the_radius(band):
    cohort, measured = samples.cohort(80, 3, ties=True), {"band": band}
    study = fit(cohort, instability=measured, n_bootstrap=20, cost_fn=3.0)
    curve = study.to_dict()["modulus_curve"]
    search, patients = study.options.search, study.select_patients
    for width, value, top in zip(curve["widths"], curve["empirical"], curve[band], strict=True):
        held = [
            np.where(patients.labels == 1, 3.0, 1.0)[
                (patients.scores >= start) & (patients.scores < start + width)
            ].sum()
            for start in patients.scores
        ]
        assert value == pytest.approx(max(held) / patients.n_patients)
        assert top == pytest.approx(BANDS[band](patients, width, search.costs, search.delta))
    assert curve["widths"][-1] >= 2 * study.chosen.radius.radius


def test_at_a_target_prevalence_there_is_no_multiscale_band():
    curve = samples.study(target_prevalence=0.2)["modulus_curve"]
    assert curve["multiscale"] is None
    assert len(curve["dkw"]) == len(curve["widths"])


def test_an_ensemble_has_neither_rivals_nor_other_costs():
    study = samples.study(ensemble="quantile")
    assert study["rivals"] == []
    assert study["cost_curve"] is None


def test_quantiles_are_order_statistics():
    scores = np.random.default_rng(0).permutation(np.repeat(np.arange(30.0), 2))
    found = quantiles(scores)
    assert len(found) == QUANTILE_LEVELS
    for k, value in enumerate(found):
        enough = [s for s in np.unique(scores) if 100 * np.sum(scores <= s) >= k * scores.size]
        assert value == enough[0]
    assert class_quantiles(PatientScores(scores=[1.0, 2.0], labels=[0, 0])).positive == []


def test_an_audit_has_the_scores_of_both_hospitals():
    study = samples._study()
    rule, there = study.freeze(), samples.cohort(90, 5)
    content = audit(rule, there).to_dict()
    assert content["scores"] == class_quantiles(there).to_plain()
    assert content["scores_internal"] == study.to_dict()["scores"]
    assert list(audit(rule, there.scores).to_dict()["scores"]) == ["all"]
