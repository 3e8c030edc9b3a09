"""adapt in Python: what it returns, what it refuses, and the rule that it freezes."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

import steadycut
from steadycut import PatientScores, adapt, audit, fit, monitor
from steadycut.adaptation.adapt import worklist
from steadycut.core.adapt.pool import HomeScores, Pool
from steadycut.core.adapt.refit import Model, Stated, refitted
from steadycut.core.verdict import DECISIONS
from steadycut.documents.rule import FrozenRule
from steadycut.errors import BadOption, BadPatients, DeploymentRefused, TooFewPatients
from steadycut.show.pages.kinds import page_of
from steadycut.show.render.terminal import terminal
from tests.said import said


def cohort(n, prevalence, seed, mark="p", shift=0.0, sign=1, labelled=True):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < prevalence).astype(int)
    scores = sign * (rng.normal(size=n) + 2 * labels + shift)
    return PatientScores(
        scores=scores,
        labels=labels if labelled else None,
        patients=[f"{mark}{i:04d}" for i in range(n)],
    )


HOME = cohort(400, 0.4, 0)
RULE = fit(HOME, n_bootstrap=50).freeze()
POOL = cohort(300, 0.1, 1, "q", labelled=False)
LABELLED = cohort(60, 0.1, 2, "l")
POOL_LABELS = cohort(300, 0.1, 1, "q").take(np.arange(0, 300, 10))


def test_without_labels_it_gives_a_cut_off_beside_the_frozen_one_and_no_certificate():
    found = adapt(RULE, POOL, prevalence=0.1)
    assert found.certificate is None
    assert found.threshold == found.rule.threshold > RULE.threshold
    assert found.rule.document.adapted.parent == RULE.document.sha256
    assert found.rule.certificate.vacuous
    assert found.rule.certificate.n_patients == 0
    document = found.describe()
    assert document.frozen_threshold == RULE.threshold
    assert [one.factor for one in document.wrong_odds] == pytest.approx([1 / 1.5, 1.5])
    low, high = (one.call_rate for one in document.wrong_odds)
    assert low < document.call_rate < high
    assert "nothing is certified" in said(document).verdict
    assert found.summary().endswith("and adapt again with labelled=patients.")
    assert found.warnings == ()


def test_a_wrong_prevalence_of_a_sharp_score_misses_hardly_more_than_the_frozen_cut_off():
    """Where the classes are far apart, a few more calls once asked for a huge move of the odds."""
    rng, labels = np.random.default_rng(1), np.repeat([0, 1], [128, 72])
    sharp = PatientScores(scores=rng.normal(size=200) + 5 * labels, labels=labels)
    rule = fit(sharp, n_bootstrap=20).freeze()
    ill = np.repeat([0, 1], [117, 33])
    scores = rng.normal(size=150) + 5 * ill + 0.5
    found = adapt(rule, PatientScores(scores=scores), prevalence=0.13)
    frozen, here = (
        ((scores < cut) & (ill == 1)).sum() for cut in (rule.threshold, found.threshold)
    )
    assert here <= frozen + 3


def test_the_lines_of_wrong_odds_are_cut_offs_of_the_menu():
    found = adapt(RULE, POOL, prevalence=0.1).describe()
    menu = [one.threshold for one in found.candidates]
    assert all(one.threshold in menu for one in found.wrong_odds)


def test_all_patients_count_for_the_share_called_where_all_have_labels():
    everyone = cohort(300, 0.3, 1, "q")
    found = adapt(RULE, everyone).describe()
    called = everyone.scores[:, None] >= [found.threshold, found.frozen_threshold]
    assert called.mean(axis=0).tolist() == pytest.approx([found.call_rate, found.frozen_call_rate])
    assert found.n_patients == 60


def test_where_all_have_labels_and_more_would_not_help_another_score_is_named():
    labels = np.tile([0, 1], 100)
    useless = PatientScores(scores=np.repeat(np.linspace(0, 3, 20), 10), labels=labels)
    step = said(adapt(RULE, useless)).next_step
    assert "another score" in step
    assert "label " not in step


def test_a_target_that_is_only_a_wish_is_called_one():
    rng, labels = np.random.default_rng(4), np.repeat([0, 1], [150, 150])
    worse = PatientScores(scores=rng.normal(size=300) + 1.5 * labels, labels=labels)
    document = adapt(RULE, worse).describe()
    assert document.labels.decision == "undecided"
    text = said(document).verdict
    assert "That is shown to be better than calling everybody or nobody. The target of" in text
    assert "only a wish" in text
    assert "audit the new rule.json on other patients" in said(document).next_step


def test_the_file_gives_the_same_cut_off_as_all_patients_to_about_one_rank_in_a_hundred():
    ill, well = HOME.positive_scores, HOME.negative_scores
    home = HomeScores(positive=ill, negative=well, n_positive=ill.size, n_negative=well.size)
    pool = Pool.of(POOL.scores)
    model = Model.of(home)
    for prevalence in (0.05, 0.1, 0.7):
        stated = Stated.of(model, model.counts(POOL.scores), (prevalence, prevalence))
        slow = refitted(model, RULE.costs.plain, stated.shift)
        fast = adapt(RULE, POOL, prevalence=prevalence).threshold
        assert abs(pool.rank_of(slow) - pool.rank_of(fast)) <= 0.015


def test_low_scores_that_mean_ill_give_the_mirrored_cut_off():
    mirrored = fit(cohort(400, 0.4, 0, sign=-1), direction="le", n_bootstrap=50).freeze()
    pool = PatientScores(scores=-POOL.scores, patients=POOL.patients)
    found = adapt(mirrored, pool, prevalence=0.1)
    same = adapt(RULE, POOL, prevalence=0.1)
    ranks = Pool.of(POOL.scores)
    assert ranks.rank_of(-found.threshold) == pytest.approx(ranks.rank_of(same.threshold), abs=0.02)
    assert found.rule.decide_scores([found.threshold])[0] == 1


def test_labels_certify_any_cut_off_of_the_menu():
    found = adapt(RULE, POOL, prevalence=(0.05, 0.2), labelled=LABELLED)
    certificate, document = found.certificate, found.describe()
    assert certificate.n_patients == 60
    assert certificate.honesty == "menu"
    assert certificate.n_candidates == len(found.situation.menu) == len(document.candidates) <= 10
    chosen = [one for one in document.candidates if one.chosen]
    assert [one.threshold for one in chosen] == [found.threshold]
    assert chosen[0].limit == certificate.value
    wrong = (LABELLED.scores >= found.threshold) != (LABELLED.labels == 1)
    assert certificate.risk == pytest.approx(wrong.mean())
    assert sum(one.weight for one in document.candidates) == pytest.approx(1)
    part = found.rule.document.adapted
    assert (part.labelled, part.pool, part.choosing) == (60, 300, 0)


def test_a_cut_off_that_reaches_the_target_goes_before_any_that_does_not():
    found = adapt(RULE, POOL, prevalence=0.1, labelled=LABELLED)
    smallest = min(one.limit for one in found.candidates)
    tight = adapt(RULE, POOL, prevalence=0.1, labelled=LABELLED, target=smallest)
    assert tight.describe().labels.decision == "certified"
    assert tight.certificate.value == smallest


def test_the_menu_does_not_depend_on_the_labels():
    swapped = PatientScores(
        scores=LABELLED.scores, labels=1 - LABELLED.labels, patients=LABELLED.patients
    )
    menus = [
        adapt(RULE, POOL, prevalence=0.1, labelled=one).describe().menu_sha256
        for one in (LABELLED, swapped)
    ]
    assert menus[0] == menus[1]
    assert adapt(RULE, POOL, prevalence=0.1).describe().menu_sha256 == menus[0]


def test_labels_one_at_a_time_stop_when_the_target_is_certified():
    order = np.random.default_rng(3).permutation(60)
    found = adapt(
        RULE, POOL, labelled=LABELLED, sequential=True, order=order, target=0.3, prevalence=0.1
    )
    document = found.describe()
    stop = document.labels.stopped_after
    assert document.labels.decision == "certified"
    assert 0 < stop < 60
    assert len(document.path.limit) == stop
    assert document.path.limit[-1] <= 0.3 < document.path.limit[-2]
    assert found.certificate.n_patients == stop
    first = np.argsort(order)[:stop]
    wrong = (LABELLED.scores[first] >= found.threshold) != (LABELLED.labels[first] == 1)
    assert found.certificate.risk == pytest.approx(wrong.mean())


def test_a_target_that_says_nothing_is_never_green():
    options = {"sequential": True, "order": range(60), "target": 0.5}
    found = adapt(RULE, POOL, prevalence=0.1, labelled=LABELLED, **options).describe()
    assert found.labels.decision == "certified"
    assert found.certificate.vacuous
    assert "not shown to be better than calling everybody or nobody" in said(found).verdict
    assert said(found).next_step.startswith("Next: label ")
    assert page_of(found).status.tone == "open"


def test_a_rule_that_errs_more_than_the_target_is_refuted():
    # Labels that have nothing to do with the scores: every cut-off errs in half of the patients.
    labels = np.random.default_rng(3).integers(0, 2, LABELLED.n_patients)
    noise = PatientScores(scores=LABELLED.scores, labels=labels)
    found = adapt(RULE, POOL, prevalence=0.1, labelled=noise, target=0.1)
    assert found.describe().labels.decision == "refuted"
    assert "do not use it here" in said(found).next_step


def test_a_default_target_that_is_missed_refutes_nothing():
    """Far more patients are ill than stated, and the rule pays although it misses that target."""
    many = cohort(300, 0.5, 11, "many")
    asked = {"prevalence": 0.05, "labelled": many}
    found = adapt(RULE, POOL, **asked)
    part, certificate = found.describe().labels, found.certificate
    assert part.target < part.confusion.risk(RULE.costs.plain) < certificate.value
    assert certificate.value < certificate.trivial_risk
    assert part.decision == "undecided"
    assert "only a wish" in said(found).verdict
    assert "audit the new rule.json on other patients" in said(found).next_step
    assert adapt(RULE, POOL, **asked, target=part.target).describe().labels.decision == "refuted"


def test_the_adapted_rule_is_a_rule_as_any_other(tmp_path):
    found = adapt(RULE, POOL, prevalence=0.1, labelled=LABELLED)
    path, table, out = tmp_path / "rule.json", tmp_path / "t.csv", tmp_path / "d.csv"
    found.rule.save(path)
    assert FrozenRule.load(path) == found.rule
    there = cohort(80, 0.1, 9, "z")
    audited = audit(found.rule, there).describe()
    assert audited.verdict.decision in DECISIONS
    assert monitor(found.rule, there, order=range(80)).describe().certificate == found.certificate
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["patient", "score"])
        rows.writerows(zip(there.patients, there.scores, strict=True))
    reader = [sys.executable, "-m", "steadycut.rule_reader", str(path), str(table)]
    subprocess.run([*reader, "--out", str(out)], check=True)
    decided = [int(row["decision"]) for row in csv.DictReader(out.read_text().splitlines())]
    assert decided == found.rule.decide_scores(there.scores).tolist()
    # Nobody who certified may judge it.
    with pytest.raises(DeploymentRefused, match="patients that the rule was made from"):
        audit(found.rule, LABELLED)


def test_no_patient_is_in_the_rule_or_in_the_document():
    found = adapt(RULE, POOL, prevalence=0.1, labelled=LABELLED)
    text = found.rule.to_bytes().decode() + json.dumps(found.to_dict()) + repr(found)
    assert "l0001" not in text
    assert "q0001" not in text


def test_an_adapted_rule_can_be_adapted_again():
    once = adapt(RULE, POOL, prevalence=0.1)
    twice = adapt(once.rule, cohort(200, 0.3, 5, "r", labelled=False), prevalence=0.3)
    assert twice.rule.document.adapted.parent == once.rule.document.sha256
    assert twice.threshold < once.threshold


def test_a_worklist_has_random_patients_and_patients_of_the_grey_zone():
    found = worklist(RULE, POOL, 30, prevalence=0.1)
    assert found.certify.size == found.choose.size == 15
    assert not set(found.certify) & set(found.choose)
    spread = POOL.scores[found.choose]
    assert spread.std() < POOL.scores.std()
    # In random order, so that the first of the list are a random sample too.
    assert (np.diff(found.certify) < 0).any()
    again = worklist(RULE, POOL, 30, prevalence=0.1)
    assert (again.certify == found.certify).all()


def test_labels_of_the_grey_zone_choose_but_never_certify():
    grey = cohort(40, 0.5, 8, "g")
    alone = adapt(RULE, POOL, prevalence=0.1, labelled=LABELLED)
    found = adapt(RULE, POOL, prevalence=0.1, labelled=LABELLED, choosing=grey)
    assert found.certificate.n_patients == alone.certificate.n_patients == 60
    assert found.rule.document.adapted.choosing == 40
    limits = {one.threshold: one.limit for one in alone.candidates}
    assert found.certificate.value == limits[found.threshold]


BAD = {
    "nothing": ({}, BadOption, "needs the prevalence here .* or labelled"),
    "zero": ({"prevalence": 0.0}, BadOption, "between 0 and 1"),
    "percent": ({"prevalence": 8}, BadOption, "For 8 % give 0.08"),
    "turned": ({"prevalence": (0.3, 0.1)}, BadOption, "lower end first"),
    "three": ({"prevalence": (0.1, 0.2, 0.3)}, BadOption, "one share, or a range of two"),
    "text": ({"prevalence": "0.1"}, BadOption, "one share, or a range of two"),
    "both": (
        {"labelled": LABELLED, "choosing": cohort(9, 0.5, 3, "g"), "sequential": True},
        BadOption,
        "leave one of them out",
    ),
    "in the menu": (
        {"labelled": cohort(300, 0.1, 1, "q")},
        BadPatients,
        "300 labelled patients are also among the patients who made the menu",
    ),
    "no order": ({"labelled": LABELLED, "sequential": True, "target": 0.2}, BadOption, "an order"),
    "target": ({"labelled": LABELLED, "target": -1.0}, BadOption, "target"),
    "nobody": (
        {"labelled": PatientScores(scores=np.empty(0), labels=np.empty(0, dtype=int))},
        TooFewPatients,
        "no patient",
    ),
}


@pytest.mark.parametrize(("options", "error", "text"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_line(options, error, text):
    with pytest.raises(error, match=text) as found:
        adapt(RULE, POOL, **options)
    assert "\n" not in str(found.value)


def test_a_small_pool_is_refused():
    with pytest.raises(
        TooFewPatients, match="at least 20 patients without labels, or 21 with; got 19"
    ):
        adapt(RULE, POOL.take(np.arange(19)), prevalence=0.1)


def test_labels_of_called_patients_only_are_refused():
    called = cohort(400, 0.2, 6, "c")
    called = called.take(called.scores >= RULE.threshold)
    with pytest.raises(BadPatients, match="labelled patients were called by the frozen cut-off"):
        adapt(RULE, POOL, labelled=called)


def test_labelled_patients_unlike_the_others_are_noticed():
    odd = cohort(60, 0.1, 7, "o", shift=1.0)
    with pytest.warns(steadycut.SteadycutWarning, match="do not look like random patients"):
        found = adapt(RULE, POOL, labelled=odd, prevalence=0.1)
    assert len(found.warnings) == 1


def test_scores_in_another_unit_are_refused_unless_forced():
    percent = PatientScores(scores=100 * POOL.scores + 500)
    with pytest.raises(DeploymentRefused, match="unit: the median score"):
        adapt(RULE, percent, prevalence=0.1)
    with pytest.warns(steadycut.SteadycutWarning):
        assert adapt(RULE, percent, prevalence=0.1, force=True).forced == ("unit",)
    small = PatientScores(scores=POOL.scores / 100 + 9)
    with pytest.raises(DeploymentRefused, match="unit: the median score"):
        adapt(RULE, small, prevalence=0.1)


def test_scores_that_only_moved_are_adapted_with_a_warning():
    moved = PatientScores(scores=POOL.scores + 5)
    with pytest.warns(steadycut.SteadycutWarning, match="unit: the median score"):
        found = adapt(RULE, moved, prevalence=0.1)
    assert found.forced == ()


def test_a_labelled_patient_of_the_first_hospital_is_refused():
    rule = fit(HOME, n_bootstrap=20).freeze(remember_patients=True)
    mixed = PatientScores(
        scores=np.append(LABELLED.scores, 1.0),
        labels=np.append(LABELLED.labels, 1),
        patients=[*LABELLED.patients.tolist(), "p0007"],
    )
    with pytest.raises(DeploymentRefused, match="remembers 1 of these 61 patients"):
        adapt(rule, POOL, labelled=mixed, prevalence=0.1)


def test_any_real_number_is_a_prevalence():
    same = adapt(RULE, POOL, prevalence=0.125).threshold
    assert adapt(RULE, POOL, prevalence=np.float32(0.125)).threshold == same
    assert adapt(RULE, POOL, prevalence=np.array([0.125, 0.125])).threshold == same


def test_a_patient_of_the_first_hospital_in_the_pool_is_refused():
    rule = fit(HOME, n_bootstrap=20).freeze(remember_patients=True)
    mixed = PatientScores(
        scores=np.append(POOL.scores, 1.0), patients=[*POOL.patients.tolist(), "p0007"]
    )
    with pytest.raises(DeploymentRefused, match="remembers 1 of these 301 patients"):
        adapt(rule, mixed, prevalence=0.1)


def test_only_a_rule_with_one_cut_off_can_be_adapted():
    strata = steadycut.fit_strata(HOME, costs=[[0, 0.5, 1], [4, 1, 0]], n_bootstrap=20).freeze()
    with pytest.raises(BadOption, match="rule with one cut-off"):
        adapt(strata, POOL, prevalence=0.1)


def test_small_cells_leave_out_the_scores_of_all_patients():
    rule = fit(HOME, n_bootstrap=20).freeze(small_cells=5)
    assert rule.document.all_patients is None
    assert adapt(rule, POOL, prevalence=0.1).threshold > rule.threshold


def test_the_page_has_the_answer_in_at_most_twelve_lines():
    for options in ({}, {"labelled": LABELLED}):
        found = adapt(RULE, POOL, prevalence=0.1, **options)
        page = page_of(found.describe())
        assert len(terminal(page).splitlines()) <= 12
        assert page.next_step.startswith("Next: ")
        (menu,) = (one for one in page.sections if one.title == "Cut-offs to choose from")
        assert any("any of them may be used" in text for text in menu.texts) == bool(options)


@pytest.mark.parametrize("labelled", [True, False])
def test_the_audit_of_a_rule_without_labels_says_that_nothing_is_certified(labelled):
    rule = adapt(RULE, POOL, prevalence=0.1).rule
    there = cohort(100, 0.1, 9, "z", labelled=labelled)
    page = page_of(audit(rule, there).describe())
    assert ("certified before", "nothing: it was adapted without labels") in page.facts
    said = " ".join(terminal(page, verbose=True).split())
    assert "certified before, at most" not in said
    assert "certified: at most" not in said
    assert "Already at the first hospital" not in said


def test_a_bad_audit_points_to_adapt():
    found = audit(RULE, cohort(300, 0.05, 9, "z", shift=2)).describe()
    assert found.verdict.decision in {"adapt", "do not use"}
    assert said(found).next_step.endswith("steadycut adapt rule.json TABLE --out DIR")


def test_no_labelled_patients_score_is_a_cut_off():
    found = adapt(RULE, POOL, labelled=cohort(120, 0.3, 11, "m"), force=True)
    shown = {one.threshold for one in found.describe().candidates}
    assert not shown & set(cohort(120, 0.3, 11, "m").scores.tolist())


def test_a_second_look_has_the_menu_of_the_first_or_is_refused_in_one_line():
    first = adapt(RULE, POOL, prevalence=0.1, labelled=LABELLED.take(np.arange(30)))
    later = {"labelled": LABELLED, "order": range(60), "sequential": True, "target": 0.3}
    for menu in (first, first.describe().menu_sha256):
        found = adapt(RULE, POOL, prevalence=0.1, menu=menu, **later)
        assert found.describe().menu_sha256 == first.describe().menu_sha256
    for other in ({"prevalence": 0.2}, {"prevalence": 0.1, "patients": POOL.take(np.arange(250))}):
        given = {"patients": POOL, **other}
        with pytest.raises(BadOption, match="not those of the first look") as caught:
            adapt(RULE, menu=first, **given, **later)
        assert "\n" not in str(caught.value)


def test_a_stated_prevalence_like_that_at_home_keeps_the_frozen_cut_off():
    there = cohort(300, 0.4, 4, "s", labelled=False)
    found = adapt(RULE, there, prevalence=(0.35, 0.45))
    assert (found.threshold, found.describe().pull) == (RULE.threshold, 0.0)


def test_an_ordinal_score_whose_highest_value_is_common_is_adapted():
    """Nobody is called where that is best; the lowest cut-off that calls nobody is infinite."""
    rng = np.random.default_rng(9)
    n = int(rng.integers(20, 80))
    labels = (rng.random(n) < 0.4).astype(int)
    labels[:2], labels[2:4] = 0, 1
    scores = np.where(rng.random(n) < 0.45 + 0.1 * labels, 3, rng.integers(0, 3, n)).astype(float)
    stated = float(rng.choice([0.02, 0.1, 0.2]))
    with pytest.warns(steadycut.SteadycutWarning):
        rule = fit(PatientScores(scores=scores, labels=labels), honesty="uniform", seed=9).freeze()
    pool = PatientScores(scores=rng.choice([0.0, 1, 2, 3], p=[0.3, 0.3, 0.25, 0.15], size=40))
    found = adapt(rule, pool, prevalence=stated, force=True)
    assert found.describe().threshold == np.inf
    assert not found.rule.decide_scores(pool.scores).any()


def test_the_patients_of_the_study_are_refused_without_their_labels_too():
    rng, labels = np.random.default_rng(0), np.repeat([0, 1], 100)
    scores = rng.normal(size=200) + 2 * labels
    rule = fit(PatientScores(scores=scores, labels=labels), n_bootstrap=10).freeze()
    some = PatientScores(scores=scores[1::2], labels=labels[1::2])
    text = "as many patients as made the rule, with the same smallest and largest score"
    for patients, more in ((scores, {}), (scores[::2], {"labelled": some})):
        with pytest.raises(DeploymentRefused, match=text) as caught:
            adapt(rule, PatientScores(scores=patients), prevalence=0.3, **more)
        assert "noticed only if the rule remembers its patients" in str(caught.value)
    with pytest.warns(steadycut.ForcedWarning):
        adapt(rule, PatientScores(scores=scores), prevalence=0.3, force=True)
    adapt(rule, PatientScores(scores=scores[:-1]), prevalence=0.3)


def test_patients_who_all_have_labels_are_divided_and_nobody_is_lost():
    there = cohort(150, 0.2, 21, "d", shift=0.7)
    found = adapt(RULE, there)
    part, document = found.rule.document.adapted, found.describe()
    assert (part.pool, part.labelled, part.choosing) == (30, 120, 30)
    assert document.labels.divided == "at random"
    assert (
        "30 of them, drawn at random, made the menu; the others certify." in said(document).verdict
    )
    assert page_of(document).subtitle == "30 patients for the menu, 120 to certify"
    # Other labels of the others do not change the menu.
    pool = set(np.round(found.situation.pool.scores, 12))
    certify = [score not in pool for score in np.round(there.scores, 12)]
    other = PatientScores(
        scores=there.scores,
        labels=np.where(certify, 1 - there.labels, there.labels),
        patients=there.patients,
    )
    assert adapt(RULE, other).describe().menu_sha256 == document.menu_sha256
    with pytest.raises(DeploymentRefused, match="patients that the rule was made from"):
        audit(found.rule, there)
    with pytest.raises(TooFewPatients, match="20 patients without labels, or 21 with; got 20"):
        adapt(RULE, there.take(np.arange(20)))
    with pytest.raises(DeploymentRefused, match="same patients"):
        adapt(RULE, HOME)


def test_the_first_patients_make_the_menu_where_labels_come_one_at_a_time():
    there = cohort(120, 0.2, 21, "d")
    order = dict(zip(there.patients, np.random.default_rng(0).permutation(120), strict=True))
    few = there.take([order[name] < 70 for name in there.patients])
    looks = [
        adapt(RULE, patients, order=order, sequential=True, target=0.3).describe()
        for patients in (few, there)
    ]
    assert looks[0].menu_sha256 == looks[1].menu_sha256
    assert looks[0].path == looks[1].path
    assert looks[1].labels.divided == "the first"
    assert looks[1].n_patients == 20


def test_those_who_adapt_a_rule_that_remembers_its_patients_are_remembered():
    key = b"a secret of the first hospital"
    for own in (None, key):
        parent = fit(HOME, n_bootstrap=20).freeze(remember_patients=True, key=own)
        found = adapt(parent, POOL, labelled=LABELLED, choosing=POOL_LABELS, key=own)
        for seen in (LABELLED, POOL_LABELS, HOME):
            with pytest.raises(DeploymentRefused, match="the rule remembers 3 of these 3 patients"):
                audit(found.rule, seen.take(np.arange(3)), key=own)
        assert audit(found.rule, cohort(50, 0.1, 31, "n"), key=own).forced == ()
        assert "l0001" not in found.rule.to_bytes().decode()


def test_patients_of_several_hospitals_are_refused():
    two = PatientScores(scores=POOL.scores, sites=np.repeat(["B", "C"], 150))
    with pytest.raises(BadPatients, match="of 2 sites, but a cut-off is adapted to one hospital"):
        adapt(RULE, two, prevalence=0.1)


def test_a_rule_that_was_adapted_with_labels_is_not_sent_back_to_adapt():
    bad = cohort(300, 0.05, 9, "z", shift=2)
    once = adapt(RULE, cohort(300, 0.05, 10, "y", shift=2)).rule
    assert audit(RULE, bad).describe().next_step.verb == "adapt"
    worse = PatientScores(scores=bad.scores, labels=1 - bad.labels)
    with pytest.warns(steadycut.SteadycutWarning):
        assert audit(once, worse).describe().next_step.verb == "fit"
    assert audit(adapt(RULE, POOL, prevalence=0.1).rule, bad).describe().next_step.verb == "adapt"
