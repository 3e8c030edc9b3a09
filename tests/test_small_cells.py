"""A rule without small cells: the same decisions, a valid certificate, and no single patient."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut import FrozenRule, PatientScores, audit, fit
from steadycut.core.certify import certificate_of
from steadycut.core.concentration import BOUNDS
from steadycut.core.confusion import Confusion
from steadycut.core.records import Costs, Recipe
from steadycut.errors import BadOption, TooFewPatients
from steadycut.small_cells import coarse_counts, grouped_means, merged_bins
from tests.cli.commands import FIT, SITES, make_rows, run_command, write_rows

N = 5
COUNTS = st.integers(0, 60)


def cohort(seed=0, n=200):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    return PatientScores(
        scores=rng.normal(size=n) + 2 * labels,
        labels=labels,
        n_instances=rng.integers(3, 90, n),
        patients=[f"p{i}" for i in range(n)],
    )


STUDY = fit(cohort(), n_bootstrap=20)
EXACT, COARSE = STUDY.freeze(), STUDY.freeze(small_cells=N)


def test_decisions_stay_and_the_certificate_is_only_more_careful():
    scores = np.linspace(-4, 6, 101)
    assert COARSE.threshold == EXACT.threshold
    assert np.array_equal(COARSE.decide_scores(scores), EXACT.decide_scores(scores))
    assert COARSE.document.certificate.value >= EXACT.document.certificate.value
    assert COARSE.flip_probability(scores) == pytest.approx(EXACT.flip_probability(scores), abs=0.3)


def test_no_count_is_small_and_no_score_of_a_patient_is_in_the_file():
    reference = COARSE.document.reference
    cells = [reference.tp, reference.fn, reference.fp, reference.tn]
    assert all(n % N == 0 for n in cells)
    bins = reference.bins
    assert all(n == 0 or n >= N for n in (*bins.positive, *bins.negative))
    assert all(n % N == 0 for n in COARSE.document.provenance.patients.values())
    assert COARSE.document.operating_value is None
    own = set(STUDY.patients.scores.tolist())
    assert own & numbers_in(json.loads(EXACT.to_bytes()))
    assert not own & numbers_in(json.loads(COARSE.to_bytes()))


def numbers_in(content):
    if isinstance(content, dict):
        return set().union(*map(numbers_in, content.values()))
    if isinstance(content, list):
        return set().union(*map(numbers_in, content))
    return {content} if isinstance(content, float) else set()


def test_the_file_is_whole_says_how_it_was_made_and_can_be_audited(tmp_path):
    COARSE.save(tmp_path / "rule.json")
    loaded = FrozenRule.load(tmp_path / "rule.json")
    assert loaded.document.provenance.options["small_cells"] == N
    there = audit(loaded, cohort(1)).to_dict()
    assert there["verdict"] in {"holds", "cannot tell", "does not hold"}
    assert audit(loaded, cohort(1).scores).to_dict()["labelled"] is False


@given(COUNTS, COUNTS, COUNTS, COUNTS, st.integers(2, 10))
def test_counts_are_rounded_against_the_rule(tp, fn, fp, tn, least):
    found = coarse_counts(Confusion(tp=tp, fn=fn, fp=fp, tn=tn), least)
    assert found.fn - least < fn <= found.fn
    assert found.fp - least < fp <= found.fp
    assert found.tp <= tp < found.tp + least
    assert found.tn <= tn < found.tn + least


EXACT_BOUNDS = ("clopper-pearson", "buehler")


@pytest.mark.parametrize("bound", EXACT_BOUNDS)
def test_more_errors_and_fewer_correct_decisions_never_lower_an_exact_bound(bound):
    costs = Costs() if bound == "clopper-pearson" else Costs(cost_fn=3)
    rng = np.random.default_rng(0)
    for _ in range(30):
        tp, fn, fp, tn = rng.integers(N, 40, 4).tolist()
        exact = Confusion(tp=tp, fn=fn, fp=fp, tn=tn)
        before, after = (
            certificate_of(one, costs, 0.1, bound=bound).value
            for one in (exact, coarse_counts(exact, N))
        )
        assert after >= before - 1e-9
    assert bound in BOUNDS


@given(st.lists(st.floats(-5, 5), min_size=4, max_size=40), st.integers(2, 6))
def test_every_value_stands_for_enough_patients(scores, least):
    found = grouped_means(np.array(scores), least)
    sizes = [len(list(group)) for _, group in itertools.groupby(found.tolist())]
    assert min(sizes) >= min(least, len(scores))
    assert np.sum(found) == pytest.approx(np.sum(scores), abs=1e-9)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12),
    st.integers(2, 6),
)
def test_merged_bins_keep_all_patients_and_have_no_small_cell(cells, least):
    positive, negative = (list(column) for column in zip(*cells, strict=True))
    edges = list(range(len(cells) - 1))
    found = merged_bins({"edges": edges, "positive": positive, "negative": negative}, least)
    assert (sum(found["positive"]), sum(found["negative"])) == (sum(positive), sum(negative))
    assert set(found["edges"]) <= set(edges)
    assert len(found["edges"]) == max(len(found["positive"]) - 1, 0)
    small = [n for n in (*found["positive"], *found["negative"]) if 0 < n < least]
    assert not small or len(found["positive"]) == 1


def test_what_cannot_be_had_is_refused():
    with pytest.raises(TooFewPatients, match="at least 100 certifying patients of each class"):
        STUDY.freeze(small_cells=50)
    with pytest.raises(BadOption, match="small_cells must be a whole number of at least 2"):
        STUDY.freeze(small_cells=1)
    with pytest.raises(BadOption, match="needs a bound that is made of counts"):
        fit(cohort(), n_bootstrap=10, bound="betting").freeze(small_cells=N)
    other = replace(cohort(), recipe=Recipe(score="other"))
    both = fit([cohort(), other], n_bootstrap=10, ensemble="quantile")
    with pytest.raises(BadOption, match="cannot be had of an ensemble"):
        both.freeze(small_cells=N)


def test_scores_that_are_all_alike_need_no_step():
    tied = PatientScores(scores=np.ones(80), labels=np.arange(80) % 2)
    rule = fit(tied, n_bootstrap=10, rule="erm").freeze(small_cells=N)
    assert rule.document.score_range == (1.0, 1.0)


def test_the_command_writes_the_rule_alone(tmp_path, capsys):
    table = write_rows(tmp_path / "t.csv", make_rows(n_patients=120))
    arguments = ["fit", table, *FIT, *SITES, "--out", tmp_path / "s", "--small-cells"]
    ran = run_command(capsys, *arguments, "5")
    assert (ran.code, [path.name for path in (tmp_path / "s").iterdir()]) == (0, ["rule.json"])
    assert "fewer than 5 patients" in ran.out
    assert run_command(capsys, *arguments, "5", "--json").json["schema"] == "steadycut.rule/1"
    ran = run_command(capsys, *arguments, "500")
    assert (ran.code, ran.err.startswith("steadycut: ")) == (2, True)
