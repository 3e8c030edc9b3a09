"""Every criterion of R's OptimalCutpoints and cutpointr: their cut-offs, counts and values.

``criteria.json`` holds random tied cohorts and what R answers on them; ``criteria.R`` makes it, and
says how to call it. Where R is installed, its answers are made anew, and the packages' own data
sets are compared as well. Where R names several tied cut-offs, ours must be one of them.

Known differences, each with its own test below: OptimalCutpoints never calls nobody; its MaxNPVPPV
always stops with an error; its MinPvalue rounds p to 10 decimals; its MeanPrev takes the mean of
the distinct scores; its ObservedPrev looks at the smallest score alone.
"""

import json
import math
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.special import chdtrc

import steadycut
from steadycut.core import rates as of
from steadycut.core.cuts.grid import cuts_of
from steadycut.core.cuts.risk_curve import Curve
from steadycut.core.records import Costs
from steadycut.core.rules.criteria import CRITERIA, Counts, counts_along
from steadycut.core.rules.kernel_youden import smooth_below
from steadycut.core.rules.registry import parse_rule
from steadycut.errors import NoFeasibleCut

HERE = Path(__file__).parent
STORED = json.loads((HERE / "criteria.json").read_text(encoding="utf-8"))
COSTLY = {"cost_fn": 3.0, "cost_fp": 2.0}
RARE = {"target_prevalence": 0.1}


def value_of(name):
    """The value of our criterion at the counts, as R prints it."""
    return lambda counts, costs: float(CRITERIA[name].measure(counts, costs))


def squared(name):
    return lambda counts, costs: value_of(name)(counts, costs) ** 2


def generalised_youden(counts, costs):
    odds = (counts.fp + counts.tn) / (counts.tp + counts.fn)
    weight = odds * costs.cost_fp / costs.cost_fn
    return float(of.sensitivity(*counts) + weight * of.specificity(*counts) - 1)


def cost_ratio(counts, costs):
    """What OptimalCutpoints calls MCT is in units of the cost of an alarm."""
    return value_of("erm")(counts, costs) / costs.cost_fp


def slope(counts, costs):
    """OptimalCutpoints prints the slope of the ROC curve, which does not depend on the cut."""
    return (counts.fp + counts.tn) / (counts.tp + counts.fn) * costs.cost_fp / costs.cost_fn


# R's criterion: our rule, the options, and R's value from the counts at our cut.
OC = {
    "CB": ("erm", {"cost_fn": 2.0}, slope),
    "MCT": ("erm", COSTLY, cost_ratio),
    "MinValueSp": ("specificity:0.85", {}, None),
    "MinValueSe": ("sensitivity:0.85", {}, None),
    "ValueSp": ("specificity-near:0.85", {}, None),
    "ValueSe": ("sensitivity-near:0.85", {}, None),
    "MinValueSpSe": ("sensitivity:0.5@specificity:0.5", {}, None),
    "MinValueSpSe_maxSe": ("specificity:0.5@sensitivity:0.5", {}, None),
    "MaxSp": ("max-specificity", {}, None),
    "MaxSe": ("max-sensitivity", {}, None),
    "MaxSpSe": ("se-sp-least", {}, value_of("se-sp-least")),
    "MaxProdSpSe": ("se-sp-product", {}, value_of("se-sp-product")),
    "ROC01": ("roc01", {}, squared("roc01")),
    "SpEqualSe": ("se-sp-equal", {}, value_of("se-sp-equal")),
    "Youden": ("youden", {}, value_of("youden")),
    "Youden_generalised": ("erm", COSTLY, generalised_youden),
    "Youden_costs_benefits": ("youden", {}, value_of("youden")),
    "MaxEfficiency": ("accuracy", {}, value_of("accuracy")),
    "Minimax": ("minimax", {}, value_of("minimax")),
    "Minimax_maxSe": ("minimax", {}, value_of("minimax")),
    "MaxDOR": ("odds-ratio-half", {}, value_of("odds-ratio-half")),
    "MaxKappa": ("kappa", {}, value_of("kappa")),
    "MaxKappa_weighted": ("weighted-kappa", COSTLY, value_of("weighted-kappa")),
    "MinValueNPV": ("npv:0.6", {}, None),
    "MinValuePPV": ("ppv:0.6", {}, None),
    "ValueNPV": ("npv-near:0.85", {}, None),
    "ValuePPV": ("ppv-near:0.85", {}, None),
    "MinValueNPVPPV": ("ppv:0.5@npv:0.5", {}, None),
    "MinValueNPVPPV_maxPPV": ("npv:0.5@ppv:0.5", {}, None),
    "PROC01": ("proc01", {}, squared("proc01")),
    "NPVEqualPPV": ("ppv-npv-equal", {}, value_of("ppv-npv-equal")),
    "MaxSumNPVPPV": ("ppv-npv-sum", {}, value_of("ppv-npv-sum")),
    "MaxProdNPVPPV": ("ppv-npv-product", {}, value_of("ppv-npv-product")),
    "ValueDLR.Negative": ("nlr-near:0.5", {}, None),
    "ValueDLR.Positive": ("plr-near:2", {}, None),
    "PrevalenceMatching": ("prevalence-match", {}, value_of("prevalence-match")),
    "MaxKappa_at_0.1": ("kappa", RARE, value_of("kappa")),
    "ValuePPV_at_0.1": ("ppv-near:0.85", RARE, None),
    "MaxProdNPVPPV_at_0.1": ("ppv-npv-product", RARE, value_of("ppv-npv-product")),
    "MaxEfficiency_at_0.1": ("accuracy", RARE, value_of("accuracy")),
}
CP = {
    "accuracy": ("accuracy", {}, value_of("accuracy")),
    "youden": ("youden", {}, value_of("youden")),
    "sum_sens_spec": ("youden", {}, lambda *given: value_of("youden")(*given) + 1),
    "sum_ppv_npv": ("ppv-npv-sum", {}, value_of("ppv-npv-sum")),
    "prod_sens_spec": ("se-sp-product", {}, value_of("se-sp-product")),
    "prod_ppv_npv": ("ppv-npv-product", {}, value_of("ppv-npv-product")),
    "cohens_kappa": ("kappa", {}, value_of("kappa")),
    "abs_d_sens_spec": ("se-sp-equal", {}, value_of("se-sp-equal")),
    "roc01": ("roc01", {}, value_of("roc01")),
    "abs_d_ppv_npv": ("ppv-npv-equal", {}, value_of("ppv-npv-equal")),
    "p_chisquared": (
        "chi-squared",
        {},
        lambda counts, _: float(chdtrc(1, of.chi_squared(*counts))),
    ),
    "odds_ratio": ("odds-ratio", {}, value_of("odds-ratio")),
    # cutpointr's risk ratio is (TP / (TP + FN)) / (FP / (FP + TN)), a likelihood ratio.
    "risk_ratio": ("plr", {}, value_of("plr")),
    "plr": ("plr", {}, value_of("plr")),
    "nlr": ("nlr", {}, value_of("nlr")),
    "misclassification_cost": ("erm", COSTLY, lambda counts, _: 3 * counts.fn + 2 * counts.fp),
    "total_utility": (
        "erm",
        {"cost_fn": 3.0 + 2.0, "cost_fp": 2.0 + 1.0},
        lambda counts, _: 2 * counts.tp + counts.tn - 3 * counts.fn - 2 * counts.fp,
    ),
    "F1_score": ("f1", {}, value_of("f1")),
    "Jaccard": ("jaccard", {}, value_of("jaccard")),
    "ppv": ("ppv", {}, value_of("ppv")),
    "npv": ("npv", {}, value_of("npv")),
    "sens_constrain": ("specificity:0.7", {}, value_of("sensitivity")),
    "spec_constrain": ("sensitivity:0.7", {}, value_of("specificity")),
    "acc_constrain": ("accuracy@sensitivity:0.7", {}, value_of("accuracy")),
    "metric_constrain": ("f1@specificity:0.7", {}, value_of("f1")),
}
SAME = {f"OC.{name}": told for name, told in OC.items()} | {
    f"cp.{n}": told for n, told in CP.items()
}
OTHER = {
    *("OC.MaxNPVPPV", "OC.MinPvalue", "OC.MinPvalue_PALT5", "OC.MinPvalue_PALT10"),
    *("OC.ObservedPrev", "OC.MeanPrev", "cp.oc_youden_kernel"),
}


def cohort_of(counts):
    scores, labels = [], []
    for score, n_negative, n_positive in counts:
        scores += [score] * int(n_negative + n_positive)
        labels += [0] * int(n_negative) + [1] * int(n_positive)
    return steadycut.PatientScores(scores=scores, labels=labels)


def chosen(counts, rule, **options):
    """The smallest score that our rule calls, and the four counts there."""
    fixed = {"honesty": "uniform", "bound": "auto", "grid": "exact", "n_bootstrap": 2}
    study = steadycut.fit(cohort_of(counts), rule=rule, **fixed, **options)
    found = study.counts
    return study.operating_value, Counts(*map(float, (found.tp, found.fn, found.fp, found.tn)))


def at_prevalence(counts, prevalence):
    """The counts as they would be at another prevalence."""
    n, sick, well = sum(counts), counts.tp + counts.fn, counts.fp + counts.tn
    weights = [prevalence * n / sick] * 2 + [(1 - prevalence) * n / well] * 2
    return Counts(*(count * weight for count, weight in zip(counts, weights, strict=True)))


def compare(counts, key, told):
    """Our cut is one of R's, with its counts and its value; or calls nobody, which R's cannot."""
    rule, options, value = SAME[key]
    if not told["cuts"]:
        with pytest.raises(NoFeasibleCut):
            chosen(counts, rule, **options)
        return "same"
    cut, found = chosen(counts, rule, **options)
    costs = Costs(cost_fn=options.get("cost_fn", 1.0), cost_fp=options.get("cost_fp", 1.0))
    weighted = found
    if "target_prevalence" in options:
        weighted = at_prevalence(found, options["target_prevalence"])
    if cut is None and key.startswith("OC."):
        assert_better(counts, key, told["cuts"][0])
        return "nobody"
    if key == "OC.Minimax_maxSe":
        # Of tied cut-offs we take the one with most specificity, as R does unless told otherwise.
        assert value(found, costs) == told["value"]
        return "same"
    assert cut in told["cuts"], (rule, cut, told)
    place = told["cuts"].index(cut)
    assert (found.tp, found.fp) == (told["tp"][place], told["fp"][place])
    if value is not None:
        assert value(weighted, costs) == pytest.approx(told["value"], rel=1e-9, abs=2e-10)
    return "same"


def assert_better(counts, key, cut):
    """Calling nobody is better by the rule's own goal than the cut-off of OptimalCutpoints."""
    rule, options, _ = SAME[key]
    target = options.get("target_prevalence")
    costs = Costs(target=target and (target, target))
    called = [sum(row[i] for row in counts if row[0] >= cut) for i in (2, 1)]
    sick, well = (sum(row[i] for row in counts) for i in (2, 1))
    curve = Curve(
        misses=np.array([[0, sick - called[0], sick]]), alarms=np.array([[well, called[1], 0]])
    )
    _, there, nobody = parse_rule(rule).goals[0].merit(counts_along(curve, costs), costs)[0]
    assert nobody > there


def test_every_criterion_that_r_answers_is_compared():
    for answers in STORED["answers"].values():
        assert set(answers) == set(SAME) | OTHER


@pytest.mark.parametrize("name", STORED["answers"])
def test_random_tied_cohorts(name):
    found = [compare(STORED["counts"][name], key, STORED["answers"][name][key]) for key in SAME]
    assert found.count("same") >= 0.8 * len(found)


def test_optimal_cutpoints_never_calls_nobody():
    """Accuracy at a prevalence of 10 %: 0.9 without any call, 0.8838 at the cut-off of R."""
    told = STORED["answers"]["coarse"]["OC.MaxEfficiency_at_0.1"]
    assert (told["cuts"], round(told["value"], 4)) == ([3], 0.8838)
    assert chosen(STORED["counts"]["coarse"], "accuracy", **RARE)[0] is None


@pytest.mark.parametrize("name", STORED["answers"])
def test_max_npv_ppv_never_runs_in_r(name):
    """NPV is 0 / 0 at its smallest cut-off, and R's ``if`` stops there. Ours is its definition."""
    assert STORED["answers"][name]["OC.MaxNPVPPV"]["error"].startswith("missing value where TRUE")
    _, found = chosen(STORED["counts"][name], "ppv-npv-least")
    best = -math.inf
    for cut, _, _ in STORED["counts"][name]:
        called = [row for row in STORED["counts"][name] if row[0] >= cut]
        rest = [row for row in STORED["counts"][name] if row[0] < cut]
        if rest:
            sums = [
                sum(row[i] for row in part)
                for part, i in ((called, 2), (called, 1), (rest, 1), (rest, 2))
            ]
            best = max(best, min(sums[0] / (sums[0] + sums[1]), sums[2] / (sums[2] + sums[3])))
    assert min(of.ppv(*found), of.npv(*found)) == pytest.approx(best)


def yates_p(counts):
    """The p-value of R's chisq.test at every cut-off but the smallest."""
    from scipy.stats import chi2_contingency

    found = {}
    for cut, _, _ in counts[1:]:
        table = np.array(
            [
                [sum(row[i] for row in counts if (row[0] >= cut) == called) for i in (2, 1)]
                for called in (True, False)
            ]
        )
        found[cut] = chi2_contingency(table, correction=True).pvalue
    return found


@pytest.mark.parametrize("name", STORED["answers"])
def test_the_smallest_p_value(name):
    """R rounds p to 10 decimals: below 5e-11 all cut-offs tie, and it takes the smallest."""
    counts, told = STORED["counts"][name], STORED["answers"][name]["OC.MinPvalue"]
    p_values = yates_p(counts)
    rounded = {cut: round(p, 10) for cut, p in p_values.items()}
    tied = [cut for cut, p in rounded.items() if p == min(rounded.values())]
    assert told["cuts"][0] == tied[0]
    cut, _ = chosen(counts, "chi-squared-yates")
    assert p_values[cut] == min(p_values.values())
    if len(tied) == 1:
        assert [cut] == told["cuts"]


@pytest.mark.parametrize("name", STORED["answers"])
def test_the_mean_score(name):
    """R takes the mean of the distinct scores; without ties that is the mean of the patients."""
    counts, told = STORED["counts"][name], STORED["answers"][name]["OC.MeanPrev"]
    values = np.array([score for score, _, _ in counts])
    apart = np.abs(values - values.mean()).round(9)
    assert told["cuts"] == values[apart == apart.min()].tolist()
    cut, _ = chosen(counts, "mean-score")
    mean = cohort_of(counts).scores.mean()
    assert abs(cut - mean) == pytest.approx(np.abs(values - mean).min())
    if name == "untied":
        assert cut in told["cuts"]


@pytest.mark.parametrize("name", STORED["answers"])
def test_the_prevalence_as_a_score(name):
    counts = STORED["counts"][name]
    assert (
        chosen(counts, "prevalence-score")[0] in STORED["answers"][name]["OC.ObservedPrev"]["cuts"]
    )


@pytest.mark.parametrize("name", STORED["answers"])
def test_the_kernel_estimate_of_youden(name):
    """The smooth index at R's cut-off, which it finds by a search, is that of our best cut."""
    cohort = cohort_of(STORED["counts"][name])
    cuts = cuts_of(cohort, "exact")
    m = cuts.cells.size // 2
    index = smooth_below(cuts.values, cuts.cells[None, m:]) - smooth_below(
        cuts.values, cuts.cells[None, :m]
    )
    (told,) = STORED["answers"][name]["cp.oc_youden_kernel"]["cuts"]
    middles = (cuts.values[1:] + cuts.values[:-1]) / 2
    assert np.interp(told, middles, index[0, 1:-1]) > index.max() - 0.02


def run_r(argument):
    """Run criteria.R, or skip where it cannot run."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("R is not installed: no Rscript on the path")
    command = [rscript, HERE / "criteria.R", argument]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "there is no package called" in done.stderr:
        pytest.skip(f"R lacks a package: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# It compares R with R: nothing of ours is in it.
@pytest.mark.slow
def test_the_stored_answers_are_those_of_the_r_that_is_installed():
    found = run_r(HERE / "criteria.json")
    for name, answers in STORED["answers"].items():
        for key, told in answers.items():
            again = found["answers"][name][key]
            assert ("error" in again) == ("error" in told)
            if "error" not in told:
                assert again["cuts"] == pytest.approx(told["cuts"], abs=1e-4)
                assert [again.get(count) for count in ("tp", "fp")] == [
                    told.get(count) for count in ("tp", "fp")
                ]
            if told.get("value") is not None:
                assert again["value"] == pytest.approx(told["value"], rel=1e-9)


def test_the_packages_own_data_sets():
    """Suicide, prostate_nodal and elas; the data stay in the packages."""
    found = run_r("own")
    for name, answers in found["answers"].items():
        for key in SAME:
            compare(found["counts"][name], key, answers[key])
    # p is below 5e-11 at eight cut-offs: R takes the smallest, and prints others as its p-values.
    told = found["answers"]["suicide"]
    p_values = [told[f"OC.MinPvalue{kind}"]["value"] for kind in ("", "_PALT5", "_PALT10")]
    assert (told["OC.MinPvalue"]["cuts"], p_values) == ([1], [5, 3, 4])
    assert chosen(found["counts"]["suicide"], "chi-squared-yates")[0] == 6
    # The scores are 0 to 11; R takes them for probabilities, because the smallest is 0.
    assert told["OC.ObservedPrev"]["cuts"] == [0]
    assert chosen(found["counts"]["suicide"], "prevalence-score")[0] == 1


def test_the_guide_names_every_criterion_of_r_and_only_rules_that_exist():
    guide = (HERE.parents[1] / "docs" / "coming_from.md").read_text(encoding="utf-8")
    table = guide.partition("## Every criterion\n")[2]
    cells = [row.split("|")[1:-1] for row in table.splitlines() if row.startswith("| ")]
    in_r = " ".join(row[0] + row[2] for row in cells if len(row) == len(("OC", "here", "cp", "sk")))
    named = set(re.findall(r"`(?:method = )?([\w.]+)", in_r))
    assert {key.split(".", 1)[1].split("_max")[0] for key in STORED["answers"]["tied"]} <= {
        *named,
        *("Youden_generalised", "Youden_costs_benefits", "MaxKappa_weighted"),
        *(f"MinPvalue_{kind}" for kind in ("PALT5", "PALT10")),
        *(f"{name}_at_0.1" for name in ("MaxKappa", "ValuePPV", "MaxProdNPVPPV", "MaxEfficiency")),
    }
    here = " ".join(row[1] for row in cells if len(row) == len(("OC", "here", "cp", "sk")))
    for rule in re.findall(r"`([a-z][^` ]*)`", here):
        parse_rule(re.sub(r":[XY]", ":0.5", rule))
