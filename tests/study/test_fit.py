import json
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import steadycut
from steadycut.core.bounds.concentration import dkw
from steadycut.core.records import Costs, PatientScores, Recipe
from steadycut.core.split import split_patients
from steadycut.documents.parts import CertificatePart
from steadycut.errors import (
    BadOption,
    BadPatients,
    DataWarning,
    DeploymentRefused,
    SteadycutError,
    TooFewPatients,
)
from steadycut.rule_reader import ENDS, with_ends
from steadycut.study.fit import as_candidates
from steadycut.study.options import FitOptions, study_options
from steadycut.study.roles import deal_roles

N = 80


def make_cohort(seed=0, n=N, *, named=False, whole=False, recipe=None):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    scores = rng.normal(size=n) + 1.5 * labels
    return PatientScores(
        scores=np.round(scores) if whole else scores,
        labels=labels,
        patients=[f"p{i:03d}" for i in range(n)] if named else None,
        recipe=recipe,
    )


def two_candidates(seed=0):
    """A score with a signal, and noise about the same patients."""
    good = make_cohort(seed, recipe=Recipe(score="good"))
    noise = np.random.default_rng(seed + 100).normal(size=N)
    return good, PatientScores(scores=noise, labels=good.labels, recipe=Recipe(score="noise"))


def refusal(error, *arguments, **options):
    with pytest.raises(error) as caught:
        steadycut.fit(*(arguments or [make_cohort()]), **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "meant"), [("cost_FN", "cost_fn"), ("bootstrap", "n_bootstrap"), ("x", None)]
)
def test_an_unknown_option_is_named_with_the_one_that_was_meant(name, meant):
    asked = f" Did you mean {meant!r}?" if meant else ""
    assert refusal(TypeError, **{name: 3}) == f"there is no option {name!r}.{asked}"


@pytest.mark.parametrize("honesty", ["split", "uniform"])
def test_the_same_seed_gives_the_same_study_to_the_last_bit(honesty):
    one, other = (steadycut.fit(make_cohort(), honesty=honesty, seed=5) for _ in range(2))
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())


def test_another_seed_gives_other_draws():
    one, other = (steadycut.fit(make_cohort(), honesty="uniform", seed=seed) for seed in (1, 2))
    assert one.bootstrap_thresholds.tolist() != other.bootstrap_thresholds.tolist()


BOOT = {"delta_boot": 0.4}


def test_the_bootstrap_has_a_delta_of_its_own():
    cohort = make_cohort()
    plain, apart, both = (
        steadycut.fit(cohort, instability=apart, **delta)
        for apart, delta in ((None, {}), (BOOT, {}), (BOOT, {"delta": 0.4}))
    )
    assert apart.certificate == plain.certificate
    assert apart.chosen.radius == both.chosen.radius
    assert apart.chosen.radius.quantile < plain.chosen.radius.quantile
    assert apart.chosen.penalty == both.chosen.penalty < plain.chosen.penalty
    curves = [one.describe().modulus_curve for one in (apart, both)]
    assert curves[0] == curves[1]
    assert both.certificate.value < apart.certificate.value


def test_only_a_delta_of_the_bootstrap_that_was_set_is_written():
    plain, apart = (
        steadycut.fit(make_cohort(), instability=one) for one in ({}, {"delta_boot": 0.05})
    )
    assert "delta_boot" not in plain.to_dict()["options"]
    assert apart.to_dict()["options"]["delta_boot"] == 0.05
    frozen = [one.freeze().document.provenance.options for one in (plain, apart)]
    assert [one.delta_boot for one in frozen] == [None, 0.05]
    assert [one.stability_delta for one in frozen] == [0.1, 0.05]


def test_the_order_of_rows_with_identifiers_changes_nothing():
    cohort = make_cohort(named=True)
    order = np.random.default_rng(9).permutation(N)
    shuffled = PatientScores(
        scores=cohort.scores[order],
        labels=cohort.labels[order],
        patients=cohort.patients[order],
    )
    one, other = steadycut.fit(cohort), steadycut.fit(shuffled)
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())


def test_in_split_the_certificate_is_about_other_patients():
    study = steadycut.fit(make_cohort(), certify_size=0.25)
    assert not set(study.roles.select) & set(study.roles.certify)
    assert study.certify_patients.n_patients == study.certificate.n_patients == 20
    assert study.counts.n_patients == 20
    assert study.select_patients.n_patients == 60


def test_certifying_patients_have_no_part_in_the_choice():
    """Their scores and labels change; threshold and draws do not."""
    cohort = make_cohort()
    one = steadycut.fit(cohort)
    scores, labels = cohort.scores.copy(), cohort.labels.copy()
    scores[one.roles.certify] = 77.0 + np.arange(one.roles.certify.size)
    labels[one.roles.certify] = 1 - labels[one.roles.certify]
    other = steadycut.fit(PatientScores(scores=scores, labels=labels))
    assert other.threshold == one.threshold
    assert other.bootstrap_thresholds.tolist() == one.bootstrap_thresholds.tolist()
    assert other.certificate.risk != one.certificate.risk


def test_the_split_does_not_look_at_labels():
    cohort = make_cohort()
    labels = np.random.default_rng(1).permutation(cohort.labels)
    other = steadycut.fit(PatientScores(scores=cohort.scores, labels=labels))
    one = steadycut.fit(cohort)
    assert one.roles.certify.tolist() == other.roles.certify.tolist()
    seed = np.random.SeedSequence(0).spawn(2)[0]
    dealt = split_patients(N, 0.5, np.random.default_rng(seed))
    assert one.roles.certify.tolist() == dealt.certify.tolist()


def test_in_uniform_everybody_chooses_and_certifies():
    study = steadycut.fit(make_cohort(), honesty="uniform")
    assert study.certificate.n_patients == study.select_patients.n_patients == N
    assert study.certificate.bound == "scan"


@pytest.mark.parametrize("direction", ["ge", "le"])
def test_with_the_compression_bound_the_threshold_is_fixed_by_one_score(direction):
    """Just below the smallest score that is called; with dkw midway to the next one."""
    options = {"honesty": "uniform", "grid": "exact", "direction": direction, "rule": "erm"}
    study = steadycut.fit(make_cohort(), bound="compression", **options)
    other = steadycut.fit(make_cohort(), bound="dkw", **options)
    assert study.operating_value == other.operating_value
    assert (direction == "le") == np.isinf(study.threshold) == np.isinf(other.threshold)
    if direction == "ge":
        assert study.threshold == pytest.approx(study.operating_value, rel=1e-12)
        assert abs(other.threshold - other.operating_value) > 1e-6
    assert study.counts == other.counts


def test_uniform_honesty_pays_for_every_candidate():
    candidates = [*two_candidates(), make_cohort(0)]
    study = steadycut.fit(candidates, honesty="uniform", delta=0.15, bound="dkw")
    expected = dkw(study.counts, Costs(), 0.05)
    assert study.certificate.generalization == pytest.approx(expected, abs=1e-12)
    assert study.certificate.delta == 0.15


@pytest.mark.parametrize("several", [list, tuple, lambda pair: dict(enumerate(pair)), iter])
def test_the_better_of_two_candidates_is_chosen(several):
    good, noise = two_candidates()
    study = steadycut.fit(several((noise, good)))
    assert study.patients is good
    assert [row["chosen"] for row in study.to_dict()["candidates"]] == [False, True]
    assert study.to_dict()["score"] == "good"


def test_a_candidate_is_measured_the_same_whatever_else_is_tried():
    good, noise = two_candidates()
    alone, among = steadycut.fit(good), steadycut.fit([noise, good])
    assert alone.threshold == among.threshold
    assert alone.bootstrap_thresholds.tolist() == among.bootstrap_thresholds.tolist()


@pytest.mark.parametrize("rule", ["stable", "erm", "youden", "sensitivity:0.9", "specificity:0.9"])
@pytest.mark.parametrize("grid", [200, "exact"])
@pytest.mark.parametrize("honesty", ["split", "uniform"])
@pytest.mark.parametrize("direction", ["ge", "le"])
def test_the_threshold_equals_no_score_of_any_patient(rule, grid, honesty, direction):
    """Whole scores with many ties, patients used to check included."""
    for seed in range(5):
        cohort = make_cohort(seed, whole=True)
        options = {"rule": rule, "grid": grid, "honesty": honesty, "direction": direction}
        study = steadycut.fit(cohort, n_bootstrap=3, **options)
        assert study.threshold not in cohort.scores


def test_direction_le_calls_small_scores():
    cohort = make_cohort()
    mirrored = PatientScores(scores=-cohort.scores, labels=cohort.labels)
    one, other = steadycut.fit(cohort), steadycut.fit(mirrored, direction="le")
    assert other.threshold == -one.threshold
    assert other.operating_value == -one.operating_value
    assert other.operating_value < other.threshold
    assert other.flip_rate == one.flip_rate
    bias = one.to_dict()["stability"]["bias"]
    assert other.to_dict()["stability"]["bias"] == -bias


def test_nobody_called_has_no_operating_value():
    """A miss is so cheap that nobody is called where a healthy patient scores highest."""
    cohort = PatientScores(scores=np.arange(20.0), labels=[1] * 10 + [0] * 10)
    study = steadycut.fit(cohort, rule="erm", cost_fn=1e-6, honesty="uniform")
    assert study.operating_value is None
    assert study.to_dict()["operating_value"] is None


def test_the_flip_rate_is_the_mean_over_certifying_patients():
    study = steadycut.fit(make_cohort())
    scores = study.certify_patients.scores
    flips = [
        np.mean((score >= study.bootstrap_thresholds) != (score >= study.threshold))
        for score in scores
    ]
    assert study.flip_probability(scores) == pytest.approx(flips, abs=1e-12)
    assert study.flip_rate == pytest.approx(np.mean(flips), abs=1e-12)


def disagreement_of(study, patients):
    sign = study.options.sign
    calls = [sign * patients.scores >= sign * draw for draw in study.bootstrap_thresholds]
    return np.mean([np.mean(one != other) for one, other in combinations(calls, 2)])


def test_two_studies_disagree_about_patients_used_to_check_or_held_out():
    study = steadycut.fit(make_cohort(), n_bootstrap=30)
    wanted = disagreement_of(study, study.certify_patients)
    assert study.disagreement.mean == pytest.approx(wanted, abs=1e-12)
    held = steadycut.fit(make_cohort(), n_bootstrap=30, test_size=0.25)
    wanted = disagreement_of(held, held.held_out.patients)
    assert held.disagreement.mean == pytest.approx(wanted, abs=1e-12)
    assert held.describe().disagreement == held.disagreement
    assert "disagreement" not in held.freeze().to_dict()


def test_few_patients_of_a_class_are_warned_about():
    labels = np.repeat([0, 1], [60, 8])
    cohort = PatientScores(scores=np.arange(68.0), labels=labels)
    split = steadycut.fit(cohort, n_bootstrap=5).warnings
    assert [text for text in split if "ill patients used to choose" in text]
    assert [text for text in split if "ill patients used to check" in text]
    uniform = steadycut.fit(cohort, n_bootstrap=5, honesty="uniform").warnings
    assert not [text for text in uniform if "certify" in text.partition(";")[0]]


def test_progress_is_told_every_step():
    told = []
    steadycut.fit(list(two_candidates()), progress=lambda *step: told.append(step))
    assert told == [
        ("bootstrap of good: patient mean", 0, 2),
        ("bootstrap of noise: patient mean", 1, 2),
        ("certified", 2, 2),
    ]


# What is refused, and how.


def test_a_pointwise_bound_is_refused_in_uniform_honesty():
    told = refusal(BadOption, honesty="uniform", bound="hoeffding")
    assert told.startswith(
        "bound must be one of auto, scan, compression, dkw, paper with honesty 'uni"
    )
    assert told.endswith("got 'hoeffding'.")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"delta": 0}, "delta must lie strictly between 0 and 1; got 0."),
        ({"delta": 1.2}, "delta must lie strictly between 0 and 1; got 1.2."),
        ({"test_size": 1.5}, "test_size must be a share between 0 and 1, or a whole number of"),
        ({"test_size": 0}, "test_size must be a share between 0 and 1, or a whole number of"),
        ({"test_size": "0.2"}, "test_size must be a share between 0 and 1, or a whole number of"),
        (
            steadycut.paper_method(delta_boot=0),
            "delta_boot must lie strictly between 0 and 1",
        ),
        (
            {"rule": "best"},
            "rule must be one of stable, erm, youden, ",
        ),
        (
            {"grid": "fine"},
            "grid must be 'exact', 'even' or a whole number of at least 2; got 'fine'.",
        ),
        (
            {"rule": None},
            "rule must be one of stable, erm, youden, ",
        ),
        ({"grid": 1}, "grid must be a whole number of at least 2; got 1."),
        ({"direction": "up"}, "direction must be one of ge, le; got 'up'."),
        ({"honesty": "both"}, "honesty must be one of split, uniform; got 'both'."),
        ({"bound": "bayes"}, "bound must be one of auto, clopper-pearson, "),
        ({"certify_size": 1}, "certify_size must lie strictly between 0 and 1; got 1."),
        ({"certify": 0.9}, "certify must be a text such as 'sensitivity:0.90'; got 0.9."),
        ({"certify": "auc:0.9"}, "certify must name sensitivity or specificity, each with a value"),
        ({"n_bootstrap": 0}, "n_bootstrap must be a whole number of at least 2; got 0."),
        ({"cost_fn": 0}, "cost_fn must be a finite number above 0; got 0."),
        ({"cost_fp": -1}, "cost_fp must be a finite number above 0; got -1."),
        ({"seed": -1}, "seed must be a whole number of at least 0; got -1."),
        (
            steadycut.paper_method(centering="mean"),
            "centering must be one of none, bias",
        ),
        (steadycut.paper_method(form="wide"), "form must be one of pairwise, oscillation; got"),
        ({"instability": {"band": "thin"}}, "band must be one of multiscale, dkw; got 'thin'."),
    ],
)
def test_an_option_outside_what_is_allowed_is_refused_by_name(options, told):
    assert refusal(BadOption, **options).startswith(told)


def test_the_method_of_the_paper_is_algorithm_1_as_printed():
    search = steadycut.fit(make_cohort(), **steadycut.paper_method(), n_bootstrap=20).options.search
    assert (search.rule, search.grid, search.selector) == ("erm", 200, "objective")
    assert (search.centering, search.form, search.band) == ("none", "pairwise", "dkw")
    asked = steadycut.paper_method(rule="youden", centering="bias", form="oscillation", grid=50)
    other = steadycut.fit(make_cohort(), **asked, seed=3, n_bootstrap=20).options
    assert (other.search.rule, other.search.grid, other.seed) == ("youden", 50, 3)
    assert (other.search.centering, other.search.form) == ("bias", "oscillation")


@pytest.mark.parametrize("name", ["centering", "form", "band", "delta_boot"])
def test_an_option_of_the_paper_says_where_it_is(name):
    with pytest.raises(TypeError, match=rf"paper_method\({name}=\.\.\.\)"):
        steadycut.fit(make_cohort(), **{name: 0.1})


@pytest.mark.parametrize(
    ("labels", "counts"),
    [([1] * 6, "6 ill and 0 healthy"), ([0, 0, 0, 0, 0, 1], "1 ill and 5 healthy")],
)
def test_fewer_than_two_patients_of_a_class_are_refused(labels, counts):
    cohort = PatientScores(scores=np.arange(6.0), labels=labels)
    told = refusal(TooFewPatients, cohort)
    assert told.startswith(f"a cut-off needs at least 2 patients of each class; got {counts}.")


def test_patients_without_labels_are_refused():
    assert "have no labels" in refusal(BadPatients, PatientScores(scores=[1.0, 2.0]))


@pytest.mark.parametrize("given", [[], {}, [1.0, 2.0], "scores.csv"])
def test_what_holds_no_patients_is_refused(given):
    told = refusal(BadOption, given)
    assert told.startswith("patients must be PatientScores, or scores with their labels in y, ")
    assert type(given).__name__ in told


def test_candidates_with_other_labels_are_refused():
    good, _ = two_candidates()
    other = PatientScores(scores=good.scores, labels=1 - good.labels, recipe=Recipe(score="other"))
    told = refusal(BadPatients, [good, other])
    assert "'good: patient mean' and 'other: patient mean' differ" in told


def test_candidates_with_other_patients_are_refused():
    one = make_cohort(named=True)
    names = [f"q{i:03d}" for i in range(N)]
    other = PatientScores(scores=one.scores, labels=one.labels, patients=names)
    assert "must hold the same patients" in refusal(BadPatients, [one, other])


def test_candidates_with_fewer_patients_are_refused():
    one = make_cohort()
    other = one.take(np.arange(N - 1))
    assert "must hold the same patients" in refusal(BadPatients, [one, other])


def test_one_cohort_is_one_candidate():
    cohort = make_cohort()
    assert as_candidates(cohort) == [cohort]


# The dictionary that becomes study.json.

KEYS = {
    None: {
        *("threshold", "operating_value", "rule", "aggregation", "risk"),
        *("certificate", "stability", "candidates"),
    },
    "certificate": {
        *("risk", "bound", "generalization", "n_patients", "delta", "value", "vacuous"),
    },
    "stability": {
        *("radius", "bias", "quantile", "modulus", "penalty", "flip_rate", "warnings"),
    },
}


@pytest.mark.parametrize("part", KEYS)
def test_the_dictionary_has_the_promised_keys(part):
    content = steadycut.fit(make_cohort()).to_dict()
    assert KEYS[part] <= set(content if part is None else content[part])


@pytest.mark.parametrize("rule", ["stable", "erm", "specificity:0.99"])
@pytest.mark.parametrize("honesty", ["split", "uniform"])
@pytest.mark.parametrize("direction", ["ge", "le"])
def test_the_dictionary_is_strict_json(rule, honesty, direction):
    options = {"rule": rule, "honesty": honesty, "direction": direction}
    content = steadycut.fit(list(two_candidates()), **options).to_dict()
    text = json.dumps(content, allow_nan=False)
    assert json.loads(text) == content


def test_the_dictionary_is_strict_json_when_a_certifying_class_is_empty():
    """Two diseased patients, of whom none certifies: its sensitivity is null."""
    labels = np.repeat([0, 1], [18, 2])
    cohort = PatientScores(scores=np.arange(20.0), labels=labels)
    for seed in range(40):
        study = steadycut.fit(cohort, certify_size=0.2, n_bootstrap=5, seed=seed)
        if study.counts.n_positive == 0:
            break
    content = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert content["operating_point"]["sensitivity"] is None
    assert content["operating_point"]["specificity"] is not None


def test_the_dictionary_agrees_with_the_study():
    study = steadycut.fit(list(two_candidates()), cost_fn=3.0, delta=0.2)
    content = study.to_dict()
    assert content["threshold"] == study.threshold
    assert content["risk"] == study.chosen.risk
    assert content["certificate"] == CertificatePart.of(study.certificate).to_plain()
    assert content["stability"]["flip_rate"] == study.flip_rate
    assert content["stability"]["penalty"] == study.chosen.penalty
    draws = with_ends(ENDS, content["bootstrap_thresholds"])
    assert draws == study.bootstrap_thresholds.tolist()
    assert [row["score"] for row in content["candidates"]] == ["good", "noise"]
    point = content["operating_point"]
    certified = study.certify_patients
    called = certified.scores >= study.threshold
    assert point["tp"] == int(called[certified.labels == 1].sum())
    assert point["sensitivity"] == pytest.approx(called[certified.labels == 1].mean(), abs=1e-12)
    assert point["specificity"] == pytest.approx(
        1 - called[certified.labels == 0].mean(), abs=1e-12
    )
    assert content["patients"] == {
        "total": 80,
        "positive": int(study.patients.labels.sum()),
        "select": 40,
        "select_positive": int(study.select_patients.labels.sum()),
        "certify": 40,
        "certify_positive": int(certified.labels.sum()),
    }


@pytest.mark.parametrize("direction", ["ge", "le"])
def test_the_curve_is_the_risk_of_choosing_patients_with_its_error(direction):
    study = steadycut.fit(make_cohort(), cost_fn=3.0, direction=direction)
    curve = study.to_dict()["curve"]
    chose = study.select_patients
    assert curve["thresholds"] == sorted(curve["thresholds"])
    for threshold, risk, error in zip(*curve.values(), strict=True):
        sign = 1 if direction == "ge" else -1
        called = sign * chose.scores >= sign * threshold
        losses = np.where(chose.labels == 1, 3.0 * ~called, 1.0 * called)
        assert risk == pytest.approx(losses.mean(), abs=1e-12)
        assert error == pytest.approx(losses.std() / np.sqrt(losses.size), abs=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"seed": np.int64(3)},
        {"grid": np.int64(50)},
        {"n_bootstrap": np.int32(20)},
        {"delta": np.float32(0.1)},
        {"certify_size": np.float32(0.5)},
        {"cost_fn": np.float32(2.0)},
    ],
)
def test_options_given_as_numpy_numbers_are_plain_in_the_dictionary(options):
    json.dumps(steadycut.fit(make_cohort(), **options).to_dict(), allow_nan=False)


def test_no_patient_is_named_in_the_dictionary():
    cohort = make_cohort(named=True)
    assert "p0" not in json.dumps(steadycut.fit(cohort).to_dict())


def test_strata_keep_their_sizes_and_change_the_draws():
    cohort = make_cohort(named=True)
    plain = steadycut.fit(cohort, n_bootstrap=50)
    strata = {
        "label": "label",
        "array": cohort.labels,
        "mapping": dict(zip(cohort.patients, cohort.labels, strict=True)),
    }
    draws = {
        name: steadycut.fit(cohort, n_bootstrap=50, stratify=given).bootstrap_thresholds.tolist()
        for name, given in strata.items()
    }
    assert draws["label"] == draws["array"] == draws["mapping"]
    assert draws["label"] != plain.bootstrap_thresholds.tolist()


def test_strata_touch_neither_the_split_nor_the_cut_off():
    plain, strata = (steadycut.fit(make_cohort(), stratify=s) for s in (None, "label"))
    assert plain.roles.select.tolist() == strata.roles.select.tolist()
    assert plain.threshold == strata.threshold
    assert plain.to_dict()["options"]["stratify"] == "none"
    assert strata.to_dict()["options"]["stratify"] == "label"


def test_strata_that_cannot_be_had_are_refused():
    assert refusal(BadOption, stratify="age").startswith("stratify must be one of label, site")
    assert refusal(BadPatients, stratify="site").startswith("stratify='site' needs the site")
    assert refusal(BadPatients, stratify=[0, 1]).startswith(
        "stratify must have one entry per patient"
    )
    told = refusal(BadOption, two_candidates(), stratify="label", ensemble="quantile")
    assert told.startswith("an ensemble cannot be resampled within groups")


def test_a_selector_chooses_the_candidate_that_it_names():
    steady = make_cohort(1, recipe=Recipe(score="steady"))
    both = [steady, PatientScores(scores=steady.scores**3, labels=steady.labels)]
    for selector in ("objective", "risk", "no-bias"):
        study = steadycut.fit(both, selector=selector, n_bootstrap=30)
        value = {
            "objective": lambda one: one.smallest_risk + one.penalty,
            "risk": lambda one: one.smallest_risk,
            "no-bias": lambda one: one.smallest_risk + one.penalty,
        }[selector]
        assert value(study.chosen) == min(map(value, study.candidates))
        assert study.to_dict()["options"]["selector"] == selector


def test_costs_as_unequal_as_allowed_have_a_summary():
    """Squares of the costs enter the error of the curve; they may be more unequal than costs."""
    labels = np.array([0, 1] * 10)
    patients = PatientScores(scores=np.arange(20.0), labels=labels)
    found = steadycut.fit(patients, cost_fn=1e6, n_bootstrap=5).to_dict()["curve"]
    assert max(found["standard_error"]) > 0


def test_identifiers_that_look_alike_are_in_the_study_and_in_the_rule():
    labels = np.arange(60) % 2
    patients = [f"{'aA'[i % 2]}{i // 2}" for i in range(60)]
    scores = labels + np.linspace(0, 0.5, 60)
    cohort = PatientScores(scores=scores, labels=labels, patients=patients)
    study = steadycut.fit(cohort, n_bootstrap=10)
    (found,) = [text for text in study.warnings if text.startswith("identifiers: ")]
    assert "60 of 60 patients differ" in found
    assert found in study.freeze().document.stability.warnings
    named = replace(cohort, patients=[f"p{i}" for i in range(60)])
    assert not any("identifiers" in text for text in steadycut.fit(named, n_bootstrap=10).warnings)


@pytest.mark.parametrize("rule", ["erm", "stable"])
def test_a_rare_disease_moves_the_cut_up(rule):
    patients = make_cohort(1, 400)
    common = steadycut.fit(patients, rule=rule, target_prevalence=0.6).threshold
    rare = steadycut.fit(patients, rule=rule, target_prevalence=0.03).threshold
    assert rare > common


def test_a_single_prevalence_is_a_range_of_one():
    patients = make_cohort(1, 200)
    one = steadycut.fit(patients, target_prevalence=0.2).to_dict()
    other = steadycut.fit(patients, target_prevalence=(0.2, 0.2)).to_dict()
    assert one == other
    assert one["target_prevalence"] == [0.2, 0.2]
    assert one["certificate"]["bound"] == "class-wise"


def test_a_stratified_split_needs_a_target_prevalence():
    with pytest.raises(BadOption, match="needs a target_prevalence"):
        steadycut.fit(make_cohort(), stratified=True)


@pytest.mark.parametrize("bad", [0.0, 1.0, (0.3, 0.2), (0.1, 0.2, 0.3), "much", True])
def test_a_prevalence_outside_what_is_allowed_is_refused(bad):
    with pytest.raises(BadOption, match="target_prevalence must"):
        steadycut.fit(make_cohort(), target_prevalence=bad)


def test_one_wild_score_does_not_move_the_cut_off():
    rng = np.random.default_rng(573)
    labels = np.arange(573) % 3 == 0
    scores = rng.normal(0.5 + 0.25 * labels, 0.15)
    scores[7] = 1000.0
    patients = PatientScores(scores=scores, labels=labels.astype(int))
    study = steadycut.fit(patients)
    assert 0.5 < study.threshold < 0.8
    assert study.describe().operating_point.sensitivity > 0.5
    even = steadycut.fit(patients, grid="even")
    assert even.threshold > 2
    assert any("coarse grid" in line for line in even.warnings)
    assert even.describe().options.grid == 200


def split_of(scores, labels, names, **options):
    patients = PatientScores(scores=scores, labels=labels, patients=names)
    return deal_roles(patients, study_options(**options)).certify.tolist()


def test_where_identifiers_tell_the_class_the_split_is_not_known_from_the_class_sizes():
    """One seed knew one split for each number of ill patients: 0.76 held, of 0.80, at one size."""
    rng, labels = np.random.default_rng(0), np.repeat([0, 1], 20)
    telling = [f"{'ab'[label]}{place:02d}" for place, label in enumerate(labels)]
    scores = [rng.normal(size=40) for _ in range(6)]
    assert len({tuple(split_of(one, labels, telling)) for one in scores}) == 6
    first = split_of(scores[0], labels, telling)
    assert first == split_of(np.exp(scores[0]), labels, telling)
    assert first == split_of(-scores[0], labels, telling, direction="le")
    # Other identifiers give the split that they always gave, whatever the scores are.
    mixed = np.tile([0, 1], 20)
    assert len({tuple(split_of(one, mixed, telling)) for one in scores}) == 1


def split_off(cohort, study):
    """The patients of a study and those held out, by their identifiers."""
    held = np.isin(cohort.patients, study.held_out.patients.patients)
    return cohort.take(~held), cohort.take(held)


@pytest.mark.parametrize("size", [0.25, 20])
@pytest.mark.parametrize("options", [{}, {"honesty": "uniform"}, {"direction": "le"}])
def test_a_study_with_patients_held_out_is_that_of_the_others_alone(size, options):
    cohort = make_cohort(named=True)
    study = steadycut.fit(cohort, test_size=size, **options)
    rest, held = split_off(cohort, study)
    assert (rest.n_patients, held.n_patients) == (60, 20)
    alone = steadycut.fit(rest, **options).to_dict()
    found = study.to_dict()
    assert found["patients"].pop("test") == 20
    assert found["patients"].pop("test_positive") == held.n_positive
    assert found["options"].pop("test_size") == size
    tested = found.pop("test")
    # It is about the patients held out, where there are some.
    wanted = disagreement_of(study, held)
    assert found.pop("disagreement")["mean"] == pytest.approx(wanted, abs=1e-12)
    assert alone.pop("disagreement")
    assert found == alone
    called = (held.scores >= study.threshold) == (study.options.sign > 0)
    point = tested["operating_point"]
    assert [point[name] for name in ("tp", "fn", "fp", "tn")] == [
        int(np.sum((held.labels == label) & (called == call)))
        for label, call in ((1, True), (1, False), (0, True), (0, False))
    ]
    scores = held.oriented(study.options.direction).scores
    cut = study.options.sign * study.threshold
    assert tested["certificate"]["value"] == steadycut.certify(scores, held.labels, cut).value


def test_what_patients_held_out_are_like_changes_nothing_else():
    cohort = make_cohort(named=True)
    study = steadycut.fit(cohort, test_size=0.25)
    _, held = split_off(cohort, study)
    theirs = np.isin(cohort.patients, held.patients)
    others = replace(
        cohort,
        scores=np.where(theirs, cohort.scores + 0.001, cohort.scores),
        labels=np.where(theirs, 1 - cohort.labels, cohort.labels),
    )
    again = steadycut.fit(others, test_size=0.25)
    assert again.held_out.patients.patients.tolist() == held.patients.tolist()
    assert (again.threshold, again.certificate) == (study.threshold, study.certificate)
    assert again.bootstrap_thresholds.tolist() == study.bootstrap_thresholds.tolist()
    assert again.describe().test.certificate.risk > study.describe().test.certificate.risk
    assert again.fingerprint != study.fingerprint == cohort.fingerprint()


def test_not_everybody_can_be_held_out():
    told = refusal(TooFewPatients, test_size=N)
    assert told.startswith(f"test_size={N} holds out everybody; there are {N} patients.")


def test_patients_are_held_out_within_classes_where_the_split_is():
    cohort = make_cohort(named=True)
    study = steadycut.fit(cohort, test_size=0.25, stratified=True, target_prevalence=0.2)
    assert study.held_out.patients.n_positive == round(cohort.n_positive / 4)
    assert study.describe().test.certificate.bound == "class-wise"


@pytest.mark.parametrize("stratify", ["label", "site", "given"])
def test_strata_of_the_bootstrap_are_those_of_the_patients_who_stay(stratify):
    cohort = replace(make_cohort(named=True), sites=np.resize(["a", "b", "c"], N))
    given = cohort.sites if stratify == "given" else stratify
    study = steadycut.fit(cohort, test_size=0.25, stratify=given)
    rest, _ = split_off(cohort, study)
    alone = steadycut.fit(rest, stratify=rest.sites if stratify == "given" else stratify)
    assert study.bootstrap_thresholds.tolist() == alone.bootstrap_thresholds.tolist()


@pytest.mark.parametrize("ensemble", [None, "quantile"])
def test_patients_held_out_have_the_score_that_was_chosen(ensemble):
    study = steadycut.fit(list(two_candidates()), test_size=20, ensemble=ensemble)
    held = study.held_out
    assert held.patients.n_patients == 20
    assert held.everyone.n_patients == N
    assert held.patients.recipe == study.patients.recipe
    wanted = "good" if ensemble is None else study.patients.recipe.score
    assert held.everyone.recipe.score == wanted


def test_a_rule_with_patients_held_out_refuses_their_table_and_too_small_cells():
    cohort = make_cohort(named=True)
    study = steadycut.fit(cohort, test_size=0.25)
    frozen = study.freeze()
    assert frozen.document.provenance.data_sha256 == cohort.fingerprint()
    assert frozen.document.provenance.patients.test == 20
    with pytest.raises(DeploymentRefused, match="same patients"):
        steadycut.audit(frozen, cohort)
    with pytest.raises(TooFewPatients, match="choose, certify, test or are audited"):
        study.freeze(small_cells=9)


@pytest.mark.parametrize("base", [0.0, 1e14, 1e15, 4e15])
@pytest.mark.parametrize("direction", ["ge", "le"])
def test_large_whole_scores_get_the_specificity_that_was_asked_for(base, direction):
    labels = np.arange(400) % 2
    scores = base + np.random.default_rng(0).integers(0, 200, 400) + 50 * labels
    sign = 1 if direction == "ge" else -1
    cohort = PatientScores(scores=sign * scores, labels=labels)
    study = steadycut.fit(cohort, rule="specificity:0.95", honesty="uniform", direction=direction)
    called = sign * scores >= study.threshold if sign > 0 else sign * scores <= study.threshold
    assert 0.95 <= 1 - called[labels == 0].mean() < 0.97


def test_scores_that_differ_in_their_last_digits_only_are_told():
    labels = np.arange(40) % 2
    scores = 1e15 + np.random.default_rng(0).permutation(40) / 8
    cohort = PatientScores(scores=scores, labels=labels)
    with pytest.warns(DataWarning, match="close scores: .* patients are called whose scores"):
        steadycut.fit(cohort, rule="specificity:0.5", honesty="uniform")


def test_the_docstring_lists_every_option():
    listed = re.findall(r"^([a-z_, ]+) : ", str(steadycut.fit.__doc__), flags=re.MULTILINE)
    assert sorted(name for names in listed for name in names.split(", ")) == sorted(
        FitOptions.__annotations__
    )
    assert "{" not in str(steadycut.fit.__doc__)


@pytest.mark.parametrize("form", ["pandas", "polars", "dict", "path"])
def test_a_table_is_taken_with_the_names_of_its_columns(form, tmp_path):
    rng = np.random.default_rng(3)
    ill = rng.integers(0, 2, 60)
    frame = pd.DataFrame(
        {"id": [f"p{i:02}" for i in range(60)], "s": rng.normal(size=60) + 2 * ill}
    ).assign(y=np.where(ill, "MSI", "MSS"))
    rows = pd.concat([frame, frame])
    rows.to_csv(tmp_path / "rows.csv", index=False)
    forms = {"pandas": rows, "polars": pl.from_pandas(rows), "dict": rows.to_dict("list")}
    table = {**forms, "path": tmp_path / "rows.csv"}[form]
    study = steadycut.fit(
        table, patient="id", score="s", label="y", positive="MSI", rule="erm", n_bootstrap=5
    )
    cohort = PatientScores(frame["s"].to_numpy(), ill, patients=frame["id"].tolist())
    assert study.threshold == steadycut.fit(cohort, rule="erm", n_bootstrap=5).threshold
    assert study.patients.n_patients == 60


def test_columns_of_no_table_are_refused():
    with pytest.raises(SteadycutError, match="score is missing"):
        steadycut.fit([0.1, 0.9], [0, 1], patient="id")
    with pytest.raises(SteadycutError, match="a table must be a path"):
        steadycut.fit(np.array([0.1, 0.9]), [0, 1], score="s")


def clear_cohort(n=200):
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, n)
    return PatientScores(scores=rng.normal(size=n) + 3 * labels, labels=labels)


def test_a_cost_that_was_asked_for_is_shown_by_fewer_patients_than_a_limit():
    study = steadycut.fit(clear_cohort(100), honesty="uniform", certify_cost=0.12)
    assert study.certified_cost.answer == "yes"
    assert study.certificate.value > 0.12
    assert study.verdict.as_asked == "yes"
    low = steadycut.fit(clear_cohort(100), honesty="uniform", certify_cost=0.01)
    assert (low.certified_cost.answer, low.verdict.overall) == ("cannot tell", "open")
    assert low.describe().certified_cost.asked == 0.01


def test_in_split_a_cost_is_shown_by_the_certificate_and_shares_delta_with_rates():
    study = steadycut.fit(clear_cohort(), certify_cost=0.2, certify="sensitivity:0.7")
    assert study.certified_cost.delta == study.certified_rates[0].delta == 0.05
    assert study.certified_cost.answer == study.certified_rates[0].answer == "yes"
    alone = steadycut.fit(clear_cohort(), certify_cost=study.certificate.value)
    assert alone.certified_cost.answer == "yes"


@pytest.mark.parametrize("bad", [0, -1, 1, 2, "much"])
def test_a_cost_beyond_any_patient_is_refused(bad):
    with pytest.raises(BadOption, match="certify_cost must"):
        steadycut.fit(make_cohort(), certify_cost=bad)


def test_a_rate_that_was_asked_for_is_answered_exactly_where_all_patients_choose():
    study = steadycut.fit(clear_cohort(), honesty="uniform", certify="sensitivity:0.85")
    rate = study.certified_rates[0]
    assert rate.answer == "yes"
    assert rate.lower < 0.85
