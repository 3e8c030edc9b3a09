"""A rule without small cells: the same decisions, a valid certificate, and no single patient."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadycut import FrozenRule, PatientScores, audit, fit
from steadycut.core.certify import certificate_of
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.records import Costs, Recipe, sign_of
from steadycut.core.verdict import DECISIONS
from steadycut.errors import BadOption, TooFewPatients
from steadycut.study.small_cells import bins_of_cells, cells_of, grouped_patients, step_of
from tests.cli.commands import FIT, SITES, make_rows, run_command, write_rows

N = 5


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
    bins = reference.bins
    assert all(n == 0 or n >= N for n in (*cells, *bins.positive, *bins.negative))
    assert all(n >= N for n in COARSE.document.provenance.patients.to_plain().values())
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
    assert loaded.document.provenance.options.small_cells == N
    there = audit(loaded, cohort(1)).to_dict()
    assert there["verdict"]["decision"] in DECISIONS
    assert audit(loaded, cohort(1).scores).to_dict()["labelled"] is False


CLASSES = st.lists(st.floats(-5, 5).map(lambda x: round(x, 2)), min_size=8, max_size=30)


@given(CLASSES, CLASSES, st.floats(-4, 4), st.integers(2, 4), st.sampled_from(["ge", "le"]))
def test_groups_are_large_and_errors_never_fewer(positive, negative, cut, least, direction):
    scores, labels = [*positive, *negative], [1] * len(positive) + [0] * len(negative)
    cohort = PatientScores(scores=scores, labels=labels)
    grouped = grouped_patients(cohort, cut, sign_of(direction), least)
    for label in (0, 1):
        shared = Counter(grouped.scores[grouped.labels == label].tolist())
        assert min(shared.values()) >= least
    sign = 1 if direction == "ge" else -1
    before, after = (confusion_at(one.oriented(direction), sign * cut) for one in (cohort, grouped))
    assert after.fn >= before.fn
    assert after.fp >= before.fp
    assert after.n_patients == before.n_patients
    cells = (after.tp, after.fn, after.fp, after.tn)
    assert all(n == 0 or n >= least for n in cells)
    for label, more in ((1, after.fn - before.fn), (0, after.fp - before.fp)):
        cells = cells_of(cohort, label, least, step_of(cohort.scores))
        sizes = np.bincount(cells.number(cohort.scores[cohort.labels == label]))
        assert more <= sizes.max()


@given(st.integers(0, 60), st.integers(3, 7), st.integers(2, 4), st.sampled_from(["ge", "le"]))
def test_errors_at_ties_are_never_fewer(tenths, copies, least, direction):
    cut = tenths / 10
    scores = [*[cut] * copies, *[cut + 1] * copies, *[cut - 1] * copies]
    labels = np.repeat([0, 1], len(scores))
    cohort = PatientScores(scores=[*scores, *scores], labels=labels)
    before = confusion_at(cohort.oriented(direction), cut if direction == "ge" else -cut)
    grouped = grouped_patients(cohort, cut, sign_of(direction), least)
    after = confusion_at(grouped.oriented(direction), cut if direction == "ge" else -cut)
    assert after.fn >= before.fn
    assert after.fp >= before.fp


@given(CLASSES, CLASSES, st.integers(2, 6))
def test_cells_for_a_larger_number_are_unions_and_know_no_cut_off(positive, negative, most):
    """So differences between results for several numbers are whole cells."""
    cohort = PatientScores(
        scores=[*positive, *negative], labels=[1] * len(positive) + [0] * len(negative)
    )
    step = step_of(cohort.scores)
    for label, own in ((1, positive), (0, negative)):
        before = None
        for least in range(2, most + 1):
            cells = cells_of(cohort, label, least, step)
            sizes = np.bincount(cells.number(own), minlength=cells.ends.size)
            assert sizes.min() >= min(least, len(own))
            assert sizes.size == cells.ends.size
            assert before is None or set(cells.ends.tolist()) <= before
            before = set(cells.ends.tolist())


@given(CLASSES, CLASSES, st.integers(2, 4))
def test_bins_divide_no_cell(positive, negative, least):
    cohort = PatientScores(
        scores=[*positive, *negative], labels=[1] * len(positive) + [0] * len(negative)
    )
    bins = bins_of_cells(cohort, least, step_of(cohort.scores))
    assert sum(bins.positive) == len(positive)
    assert sum(bins.negative) == len(negative)
    assert all(n == 0 or n >= least for n in (*bins.positive, *bins.negative))
    assert all(sum(both) for both in zip(bins.positive, bins.negative, strict=True))


def test_groups_worked_by_hand():
    cohort = PatientScores(scores=[1, 2, 3, 6, 4, 7, 8, 9, 10], labels=[0, 0, 0, 0, 1, 1, 1, 1, 1])
    grouped = grouped_patients(cohort, 5.0, 1.0, 2, step=1.0)
    below = np.nextafter(5.0, 0)
    # Cells of the healthy: up to 2, 3 to 6. Of the ill, from above: down to 9, 8 and 7 with 4 left.
    assert grouped.scores.tolist() == [2.5, 2.5, 5.0, 5.0, below, below, below, 9.5, 9.5]


def test_where_nobody_of_a_class_is_beyond_the_cut_off_nobody_is_wrong():
    cohort = PatientScores(scores=[1, 2, 3, 4, 6, 7, 8, 9], labels=[0, 0, 0, 0, 1, 1, 1, 1])
    grouped = grouped_patients(cohort, 5.0, 1.0, 2, step=1.0)
    assert confusion_at(grouped, 5.0) == Confusion(tp=4, fn=0, fp=0, tn=4)


@pytest.mark.parametrize("bound", ["clopper-pearson", "buehler", "hoeffding", "dkw", "bentkus"])
def test_more_errors_never_lower_a_bound(bound):
    costs = Costs() if bound == "clopper-pearson" else Costs(cost_fn=3)
    rng = np.random.default_rng(0)
    for _ in range(20):
        tp, fn, fp, tn = rng.integers(N, 40, 4).tolist()
        more = Confusion(tp=tp - N, fn=fn + N, fp=fp, tn=tn)
        values = [
            certificate_of(one, costs, 0.1, bound=bound).value
            for one in (Confusion(tp=tp, fn=fn, fp=fp, tn=tn), more)
        ]
        assert values[1] >= values[0] - 1e-9


def test_an_audit_of_groups_shows_no_single_patient():
    there = cohort(1)
    exact, coarse = audit(EXACT, there), audit(COARSE, there, small_cells=N)
    assert coarse.labelled.direct.value >= exact.labelled.direct.value
    content = coarse.to_dict()
    assert content["small_cells"] == N
    assert "groups of at least 5" in content["warnings"][0]
    point = content["operating_point"]
    assert all(point[name] == 0 or point[name] >= N for name in ("tp", "fn", "fp", "tn"))
    explorer = content["explorer"]
    for name in ("missed", "alarms"):
        steps = np.abs(np.diff(explorer[name]))
        assert all(step == 0 or step >= N for step in steps.tolist())
    assert not set(there.scores.tolist()) & numbers_in(content)
    assert "small_cells" not in exact.to_dict()


def test_what_an_audit_notices_is_told_without_numbers():
    strange = replace(cohort(1), scores=1000 * cohort(1).scores)
    told = audit(COARSE, strange, small_cells=N).warnings
    assert "unit: noticed; the numbers are left out." in told
    assert [text for text in told if any(c.isdigit() for c in text)] == [told[0]]


def test_an_audit_says_that_the_errors_of_the_rule_were_rounded():
    there, said = cohort(1), "the errors where the rule was made are rounded up"
    for rule, small_cells, warned in [(EXACT, N, False), (COARSE, N, True), (COARSE, None, True)]:
        told = audit(rule, there, small_cells=small_cells).warnings
        assert any(said in text for text in told) == warned
    assert not any(said in text for text in audit(COARSE, there.scores).warnings)


def test_what_cannot_be_had_is_refused():
    with pytest.raises(TooFewPatients, match="at least 100 patients of each class"):
        STUDY.freeze(small_cells=50)
    with pytest.raises(BadOption, match="small_cells must be a whole number of at least 2"):
        STUDY.freeze(small_cells=1)
    with pytest.raises(BadOption, match="needs a bound that is made of counts"):
        fit(cohort(), n_bootstrap=10, bound="betting").freeze(small_cells=N)
    other = replace(cohort(), recipe=Recipe(score="other"))
    both = fit([cohort(), other], n_bootstrap=10, ensemble="quantile")
    with pytest.raises(BadOption, match="does not work for an ensemble"):
        both.freeze(small_cells=N)
    with pytest.raises(BadOption, match="needs labels: an audit without them compares single"):
        audit(COARSE, cohort(1).scores, small_cells=N)


def test_the_command_writes_the_rule_alone(tmp_path, capsys):
    table = write_rows(tmp_path / "t.csv", make_rows(n_patients=120))
    arguments = ["fit", table, *FIT, *SITES, "--out", tmp_path / "s", "--small-cells"]
    ran = run_command(capsys, *arguments, "5")
    assert (ran.code, [path.name for path in (tmp_path / "s").iterdir()]) == (0, ["rule.json"])
    assert "fewer than 5 patients" in ran.out
    assert run_command(capsys, *arguments, "5", "--json").json["schema"] == "steadycut.rule/1"
    for command in (arguments, ["audit", tmp_path / "s" / "rule.json", table, *arguments[-3:]]):
        early = run_command(capsys, command[0], *command[1:], "1")
        assert "--small-cells must be a whole number of at least 2; got 1" in early.err
    ran = run_command(capsys, *arguments, "500")
    assert (ran.code, ran.err.startswith("steadycut: ")) == (2, True)


def test_the_command_says_the_chain_as_without_the_option(tmp_path, capsys):
    table = write_rows(tmp_path / "t.csv", make_rows(n_patients=120))
    fit_it = ["fit", table, *FIT, "--level", "slide:max", "--aggregate", "quantile:0.9", "--out"]
    plain = run_command(capsys, *fit_it, tmp_path / "plain").said
    coarse = run_command(capsys, *fit_it, tmp_path / "coarse", "--small-cells", "5").said
    score = 'the 0.9 quantile of the largest value of "score" in each "slide"'
    said = f": call a patient when {score} is "
    assert said in plain
    assert said in coarse.partition(".")[0] + coarse[:200]


@pytest.mark.parametrize("names", [["study.json", "report.html"], ["report.html"]])
def test_exact_files_of_another_run_are_not_left_beside_the_rule(tmp_path, capsys, names):
    for name in names:
        (tmp_path / name).write_text("x", encoding="utf-8")
    ran = run_command(capsys, "fit", "no.csv", *FIT, "--out", tmp_path, "--small-cells", "5")
    assert (ran.code, ran.err.count("\n"), " and ".join(names) in ran.err) == (2, 1, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_the_help_of_an_audit_does_not_speak_of_rule_json_alone(capsys):
    shown = run_command(capsys, "audit", "--help").out
    assert "--small-cells" in shown
    assert "fit then" not in shown
