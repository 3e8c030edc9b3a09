"""Curves of a study for its figures: other rules, the modulus, other costs, the scores."""

from contextlib import suppress
from dataclasses import replace

import numpy as np

from steadycut.core.bounds.modulus import dkw_band_width, label_windows, largest_mass, width_of
from steadycut.core.bounds.multiscale import largest_limit, weight_layers
from steadycut.core.checks import FloatArray
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.risk_curve import Curve, count_errors
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.next_site import AtNextSite
from steadycut.core.rules.registry import Rule, chosen_cut, parse_rule
from steadycut.documents.parts import ScoresPart
from steadycut.documents.study import CostCurvePart, ModulusCurvePart, RivalPart
from steadycut.errors import BadOption
from steadycut.study.fitted import FittedStudy

QUANTILE_LEVELS = 101
RIVALS = ("erm", "youden")
# So many widths are looked at, fewer where there are many patients: each one sweeps over them.
MODULUS_WIDTHS = (5, 41)
PATIENTS_SWEPT = 2_000_000
# From a tenth to ten times the ratio of the costs, eight steps either way.
COST_FACTORS = 10 ** np.linspace(-1, 1, 17)


def rival_cuts(study: FittedStudy) -> list[RivalPart]:
    """Return what other rules choose on the same patients, with the risk among these.

    An ensemble has none: its cut-off is a mean of cut-offs of its methods.
    """
    if study.ensemble is not None:
        return []
    costs, rows, curve = study.options.search.costs, [], errors_of_choosers(study)
    for name in RIVALS:
        if name != study.options.search.rule:
            cut = choose_again(study, curve, parse_rule(name), costs)
            risk = confusion_at(study.selecting, cut).risk(costs)
            rows.append(RivalPart(rule=name, threshold=study.turned(cut), risk=risk))
    return rows


def modulus_curve(study: FittedStudy) -> ModulusCurvePart:
    """Return the modulus of the choosing patients and its two bands, by the width of the window.

    The multiscale band is None at a target prevalence, where it does not hold.
    """
    patients, search = study.chose, study.options.search
    windows, n = label_windows(patients), patients.n_patients
    span = float(windows.values[-1] - windows.values[0])
    n_widths = int(np.clip(PATIENTS_SWEPT // n, *MODULUS_WIDTHS))
    widths = np.linspace(0, max(2 * study.chosen.radius.radius, span / 4), n_widths)
    costs, delta = search.costs, search.stability_delta
    counted = [width_of(width, search.form) for width in widths[1:]]
    empirical = np.array([0.0, *(largest_mass(windows, width, costs) for width in counted)])
    added = dkw_band_width(patients.n_positive, patients.n_negative, costs, delta)
    narrow, layers = None, weight_layers(costs.by_class)
    if costs.target is None:
        narrow = [0.0, *(largest_limit(windows, width, layers, delta) for width in counted)]
    return ModulusCurvePart(
        widths=widths.tolist(),
        empirical=empirical.tolist(),
        multiscale=narrow,
        dkw=(empirical + added).tolist(),
    )


def cost_curve(study: FittedStudy) -> CostCurvePart | None:
    """Return what the rule chooses, and its risk, as one error gets more expensive.

    ``ratio`` is ``cost_fn / cost_fp``; the sum of both costs stays. ``risk`` is that of the cut-off
    chosen at these costs, ``frozen_risk`` that of the frozen one, ``trivial_risk`` that of calling
    nobody, or everybody. None for an ensemble, and for a rule that looks at sites, not at costs.
    """
    if study.ensemble is not None or isinstance(study.options.search.chooser, AtNextSite):
        return None
    curve = errors_of_choosers(study)
    rows = [_at_costs(study, curve, costs) for costs in cost_pairs(study.options.search.costs)]
    return CostCurvePart(**{name: [row[name] for row in rows] for name in rows[0]})


def cost_pairs(costs: Costs) -> list[Costs]:
    """Return pairs of costs with the same sum and other ratios; the pair itself in the middle.

    Pairs more unequal than costs may be are left out.

    Examples
    --------
    >>> pairs = cost_pairs(Costs(cost_fn=2, cost_fp=2))
    >>> pairs[8].cost_fn, round(pairs[0].cost_fn / pairs[0].cost_fp, 9)
    (2.0, 0.1)
    """
    total, ratio = costs.cost_fn + costs.cost_fp, costs.cost_fn / costs.cost_fp
    pairs = []
    for factor in COST_FACTORS.tolist():
        cost_fp = costs.cost_fp if factor == 1 else total / (1 + factor * ratio)
        cost_fn = costs.cost_fn if factor == 1 else factor * ratio * cost_fp
        with suppress(BadOption):
            pairs.append(replace(costs, cost_fn=cost_fn, cost_fp=cost_fp))
    return pairs


def _at_costs(study: FittedStudy, curve: Curve, costs: Costs) -> dict[str, float]:
    patients = study.certified
    cut = choose_again(study, curve, study.options.search.chooser, costs)
    frozen = confusion_at(patients, study.chosen.threshold)
    return {
        "ratio": costs.cost_fn / costs.cost_fp,
        "threshold": study.turned(cut),
        "risk": confusion_at(patients, cut).risk(costs),
        "frozen_risk": frozen.risk(costs),
        "trivial_risk": frozen.trivial_risk(costs),
    }


def errors_of_choosers(study: FittedStudy) -> Curve:
    """Return the errors at every cut of the patients who chose."""
    return count_errors(study.chosen.cuts.cells[None, :])


def choose_again(study: FittedStudy, curve: Curve, rule: Rule, costs: Costs) -> float:
    """Return the cut that a rule chooses at some costs on the patients who chose, oriented."""
    cut = chosen_cut(study.chosen.cuts, rule, costs, curve)
    return study.options.publish(cut, study.oriented_scores)


def class_quantiles(patients: PatientScores) -> ScoresPart:
    """Return quantiles of the scores of each class; of all patients where labels are not known."""
    if patients.labels is None:
        return ScoresPart(all=quantiles(patients.scores))
    return ScoresPart(
        positive=quantiles(patients.positive_scores), negative=quantiles(patients.negative_scores)
    )


def quantiles(scores: FloatArray) -> list[float]:
    """Return, for k = 0 to 100, the smallest score that at least k of 100 do not exceed.

    Examples
    --------
    >>> found = quantiles(np.array([3.0, 1.0]))
    >>> found[0], found[50], found[51], found[100]
    (1.0, 1.0, 3.0, 3.0)
    """
    if not scores.size:
        return []
    # In whole numbers: 0.35 * 20 > 7.
    steps = QUANTILE_LEVELS - 1
    ranks = [max(-(-k * scores.size // steps), 1) for k in range(QUANTILE_LEVELS)]
    found: list[float] = np.sort(scores)[np.array(ranks) - 1].tolist()
    return found
