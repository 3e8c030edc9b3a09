"""Every line of docs/theory/stability.md, on a case worked by hand."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

import steadycut
from steadycut import PatientScores
from steadycut.core.bootstrap.draws import bootstrap_radius, draw_thresholds
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import clear_of_scores, cuts_of
from steadycut.core.ensemble import Method
from steadycut.core.intervals.auc import auc
from steadycut.core.records import Costs, Recipe
from steadycut.core.rules.registry import parse_rule
from steadycut.core.rules.stable import nearest_rank
from steadycut.core.rules.ties import middle_of_widest_flat
from steadycut.core.strata.draws import stratum_of

ULP = 2.0**-52


def chosen(scores, labels, rule="erm", grid="exact", **costs):
    """Return how many patients lie below the cut, and the threshold."""
    cuts = cuts_of(PatientScores(scores=scores, labels=labels), grid)
    found = draw_thresholds(cuts, parse_rule(rule), Costs(**costs), 1, np.random.default_rng(0))
    return found.rank, found.threshold


@pytest.mark.parametrize("direction", ["ge", "le"])
def test_a_score_at_the_cut_off_is_called(direction):
    labels = [1, 0, 0] if direction == "le" else [0, 0, 1]
    found = steadycut.certify([1.0, 2.0, 3.0], labels, 2.0, direction=direction)
    assert found.risk == pytest.approx(1 / 3)  # the healthy patient at 2 is an alarm
    assert stratum_of(np.array([2.0]), np.array([2.0, 3.0])).tolist() == [1]


def test_patients_with_one_score_are_never_parted():
    cuts = cuts_of(PatientScores(scores=[0.0, -0.0, 1.0], labels=[0, 1, 1]), "exact")
    assert cuts.cells.tolist() == [1, 1, 1, 0]


def test_of_tied_risks_the_widest_flat_then_the_middle_then_the_lower():
    ranks = np.arange(8)[None]
    one_wide = np.array([[1.0, 0, 1, 0, 0, 0, 0, 1]])  # ranks 3 to 6: 4 and 5 are as near
    assert middle_of_widest_flat(one_wide, ranks, 0.0).tolist() == [4]
    single = np.array([[0.0, 1, 0, 1, 0, 1, 0, 1]])  # four single cuts: 2 and 4 are in the middle
    assert middle_of_widest_flat(single, ranks, 0.0).tolist() == [2]


def test_risks_that_differ_by_rounding_alone_are_tied():
    """Three alarms at 0.1 cost as much as one miss at 0.3, though 3 * 0.1 > 0.3 here."""
    scores, labels = [1.0, 2.0, 3.0, 4.0], [1, 0, 0, 0]
    rank, _ = chosen(scores, labels, cost_fn=0.3, cost_fp=0.1)
    assert rank == 0  # two single cuts, call-everybody and call-nobody: the lower one


def test_of_tied_criteria_the_partner_decides():
    """Specificity 1 at two cuts; the lower one finds more."""
    rank, threshold = chosen([1.0, 2.0, 3.0], [0, 1, 1], rule="max-specificity")
    assert (rank, threshold) == (1, 1.5)


def test_where_in_the_gap():
    scores, labels = [0.0, 0.0, 4.0, 4.0], [0, 0, 1, 1]
    assert chosen(scores, labels)[1] == 2.0
    assert chosen(scores, labels, grid=5)[1] == 2.0  # 1, 2, 3 and 4 part them: the lower middle
    cuts = cuts_of(PatientScores(scores=scores, labels=labels), "exact")
    ends = cuts.place(np.array([0, 2]), np.array([0, 2]))
    assert ends.tolist() == [-np.inf, np.inf]
    assert cuts.on_scale(ends) == pytest.approx([-0.02, 4.02])


def test_between_neighbouring_numbers_the_upper_one_is_taken():
    assert chosen([1.0, 1.0 + ULP], [0, 1]) == (1, 1.0 + ULP)


def test_a_published_cut_off_steps_down_from_a_score():
    """By a millionth of the gap below, or of 1/200 of the range; the patient stays called."""
    wide = clear_of_scores(2.0, np.array([1.0, 2.0, 3.0]))
    assert 2.0 - wide == pytest.approx(1e-6 * 2 / 200, rel=1e-6)
    narrow = clear_of_scores(2.0, np.array([0.0, 1.999, 2.0]))
    assert 2.0 - narrow == pytest.approx(1e-6 * 0.001, rel=1e-6)


def test_of_two_cuts_as_near_to_the_mean_stable_takes_the_lower():
    assert nearest_rank(np.array([[0, 2]]), np.array([1.0 + 1e-12])).tolist() == [0]


def test_if_everybody_is_tied_stable_calls_everybody():
    """Both cuts are as near to the middle, so the lower one is taken."""
    assert chosen([0.5, 0.5], [0, 1], rule="stable")[0] == 0


def test_of_two_regions_as_good_the_lower_one():
    scores = np.repeat([0.0, 1.0, 2.0, 3.0], 30)
    assert chosen(scores, np.repeat([0, 1, 0, 1], 30), rule="stable")[0] == 30


def test_the_quantile_of_distances_is_one_of_them():
    found = bootstrap_radius(0.0, np.array([1.0, 1.0, 2.0, 2.0, 9.0]), 0.2)
    assert found.quantile == 2.0


def test_a_bootstrap_threshold_lies_midway_between_scores_that_were_drawn():
    scores, labels = [0.0, 1.0, 5.0], [0, 1, 1]
    cuts = cuts_of(PatientScores(scores=scores, labels=labels), "exact")
    draws = draw_thresholds(cuts, parse_rule("erm"), Costs(), 200, np.random.default_rng(0))
    # 0.5 and 2.5 part 0 from what was drawn above; the others call everybody or nobody.
    inside = {t for t in draws.thresholds.tolist() if 0 < t < 1 or 1 < t < 5}
    assert {0.5, 2.5} <= inside


def test_bias_and_radius_start_midway_in_the_gap():
    scores, labels = [0.0, 0.1, 0.2, 3.0, 3.1, 3.2], [0, 0, 0, 1, 1, 1]
    cohort = PatientScores(scores=scores, labels=labels)
    study = steadycut.fit(cohort, honesty="uniform", rule="erm", grid="exact", n_bootstrap=20)
    assert 2.9 < study.threshold < 3.0
    assert study.chosen.draws.threshold == pytest.approx(1.6)
    wanted = bootstrap_radius(1.6, study.bootstrap_thresholds, 0.1)
    assert study.to_dict()["stability"]["radius"] == pytest.approx(wanted.radius)


def test_top_k_takes_values_and_fraction_above_is_strict():
    rows = {"p": ["a"] * 4 + ["b"], "s": [0.5, 0.5, 0.5, 0.25, 1.0]}
    found = steadycut.aggregate(rows, patient="p", score="s", how=["top-k:2", "fraction-above:0.5"])
    assert found["top-k:2"].scores.tolist() == [0.5, 1.0]
    assert found["fraction-above:0.5"].scores.tolist() == [0.0, 1.0]


def test_of_tied_candidates_the_first():
    labels = [0, 0, 0, 1, 1, 1] * 4
    twins = {
        name: PatientScores(
            scores=[factor * (label + i % 3 / 10) for i, label in enumerate(labels)],
            labels=labels,
            recipe=Recipe(score=name),
        )
        for name, factor in (("second", 2.0), ("first", 1.0))
    }
    study = steadycut.fit(twins, n_bootstrap=5)
    assert study.chosen.recipe.score == "second"


def test_a_tie_counts_half_in_ranks_and_areas():
    assert auc(PatientScores(scores=[1.0, 1.0], labels=[0, 1])) == 0.5
    reference = np.array([1.0, 1.0, 2.0])
    method = Method(recipe=Recipe(), weight=1, reference=reference, score_range=(1.0, 2.0))
    assert method.doubled_ranks(np.array([1.0, 1.5, 2.0])).tolist() == [2, 4, 5]


def test_patients_of_one_moment_come_as_they_stand_in_python():
    labels = np.array([0, 1] * 20)
    study = steadycut.fit(PatientScores(scores=labels + np.arange(40) / 100, labels=labels))
    scores, moments = np.array([9.0, 0.0, 9.0]), [1, 1, 1]
    found = steadycut.monitor(study.freeze(), scores, [1, 1, 0], order=moments)
    assert found.risk.limits.mean == pytest.approx([0.0, 0.5, 2 / 3])


def test_single_precision_scores_are_taken_as_they_are(tmp_path):
    single = np.array([0.1, 0.2, 0.3], dtype=np.float32)
    names = ["a", "b", "c"]
    pq.write_table(pa.table({"p": names, "s": single}), tmp_path / "single.parquet")
    found = steadycut.aggregate(tmp_path / "single.parquet", patient="p", score="s", how="max")
    assert found.scores.tolist() == single.astype(np.float64).tolist()
    counts = confusion_at(PatientScores(scores=found.scores, labels=[1, 1, 1]), 0.1)
    assert counts.tp == 3  # 0.10000000149 reaches 0.1
