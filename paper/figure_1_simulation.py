"""One replicate of figure 1: a sharp subgroup in a flat one, at two sites, and three cut-offs.

The appendix prints means, deviations and noise. What it does not print is a field of `Setting`,
with the value that is used here.
"""

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from paper.figure import BASE, draw_labels
from paper.pointwise import (
    Pointwise,
    along_thresholds,
    instability_map,
    moving_average,
    tried_thresholds,
)
from steadycut.core.checks import FloatArray
from steadycut.core.cuts.grid import EvenCuts, even_cuts
from steadycut.core.cuts.risk_curve import TIE, Curve, count_errors, risk_at_cuts, risk_curve
from steadycut.core.records import Costs, PatientScores
from steadycut.core.rules.registry import ERM, chosen_cut, cuts_at_rank
from steadycut.core.rules.stable import Stable
from steadycut.core.rules.ties import middle_of_widest_flat

COSTS = Costs()
N_DRAWS, WINDOW = 200, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """Scores of one site. Pairs are (negative, positive), noise is (amplitude, centre, width)."""

    sharp_means: tuple[float, float]
    sharp_sds: tuple[float, float]
    flat_means: tuple[float, float]
    flat_sd: float
    noise: tuple[float, float, float]


# As printed.
INTERNAL = Mixture(
    sharp_means=(1.9, 2.1),
    sharp_sds=(0.15, 0.13),
    flat_means=(2.5, 4.5),
    flat_sd=1.0,
    noise=(2.0, 0.90, 0.28),
)
EXTERNAL = Mixture(
    sharp_means=(1.95, 2.05),
    sharp_sds=(0.16, 0.14),
    flat_means=(2.55, 4.35),
    flat_sd=1.05,
    noise=(1.8, 2.00, 0.32),
)
# Where the sharp subgroup lies at P: two standard deviations around its two means.
SHARP = (1.9 - 2 * 0.15, 2.1 + 2 * 0.13)

PRINTED = {"P": asdict(INTERNAL), "Q": asdict(EXTERNAL)}
ASSUMED = {
    "prevalence": "0.5 at both sites",
    "share of the sharp subgroup at Q": "0.12, as at P",
    "heteroskedastic noise": "normal, added to a score s with sd amplitude exp(-(s-c)^2/(2w^2))",
    "what follows the mixture": (
        "the patients; cells scatter around them with sd 1, and are averaged"
    ),
    "unit of the movement cap": "the score",
    "thresholds": "200, evenly spaced over the observed range",
    "bootstrap": "its limit of many replicates, in closed form",
}

Noise = Literal["added", "widened", "none"]
Unit = Literal["patients", "cells", "pooled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One way to read the paper's description.

    Parameters
    ----------
    sharp_share
        Share of the sharp subgroup at P, printed as 0.12.
    n_patients, n_cells, n_external
        Printed: 180 patients of 800 cells, 6,000 external scores.
    prevalence
        Prevalence at both sites, not printed.
    sharp_share_external
        Share of the sharp subgroup at Q, not printed.
    noise
        What the noise is. ``"added"``: a normal deviate with standard deviation
        h = amplitude · exp(-(s - centre)² / (2 width²)) is added to a score s. ``"widened"``: the
        distance to the mean is multiplied by 1 + h. ``"none"``: there is no noise.
    unit
        What follows the mixture. ``"patients"``: patients, with cells scattered around them; a
        patient's score is the mean of the cells. ``"cells"``: the cells of a patient, whose mean
        is the patient's score. ``"pooled"``: the cells, each counted as a patient.
    cell_sd
        Standard deviation of cells around their patient's score.
    cap_in
        Unit of the movement cap 0.90: the score, or the range of the thresholds.
    drawn
        Whether the map is made of 200 drawn replicates, or of their limit in closed form.
    """

    sharp_share: float = 0.12
    n_patients: int = 180
    n_cells: int = 800
    n_external: int = 6000
    prevalence: float = 0.5
    sharp_share_external: float = 0.12
    noise: Noise = "added"
    unit: Unit = "patients"
    cell_sd: float = 1.0
    cap_in: str = "score"
    drawn: bool = False


# One change at a time. The last ones change a printed value, the others what is not printed.
SETTINGS = {
    BASE: Setting(),
    "prevalence 0.3": Setting(prevalence=0.3),
    "prevalence 0.7": Setting(prevalence=0.7),
    "prevalence 0.8": Setting(prevalence=0.8),
    "no sharp subgroup at Q": Setting(sharp_share_external=0.0),
    "sharp share at Q 0.3": Setting(sharp_share_external=0.3),
    "noise widens deviations": Setting(noise="widened"),
    "no noise": Setting(noise="none"),
    "cap in units of the range": Setting(cap_in="range"),
    "200 bootstrap curves drawn": Setting(drawn=True),
    "the cells have the mixture, their mean decides": Setting(unit="cells"),
    "cells pooled as if they were patients": Setting(unit="pooled"),
    "800 patients (n_internal = 800)": Setting(n_patients=800),
    "sharp share at P and Q 0.5": Setting(sharp_share=0.5, sharp_share_external=0.5),
    "sharp share at P and Q 0.8": Setting(sharp_share=0.8, sharp_share_external=0.8),
}
STATUSES = dict.fromkeys(list(SETTINGS)[-2:], "changes a printed value")


def draw_internal(setting: Setting, rng: np.random.Generator) -> PatientScores:
    """Return the patients of P."""
    labels = draw_labels(setting.n_patients, setting.prevalence, rng)
    if setting.unit == "patients":
        own = draw_scores(INTERNAL, labels, setting.sharp_share, setting.noise, rng)
        # The mean of the cells is normal around the patient's score: no need to draw the cells.
        scores = own + rng.normal(0, setting.cell_sd / np.sqrt(setting.n_cells), own.size)
        return PatientScores(scores=scores, labels=labels)
    cells = np.repeat(labels, setting.n_cells)
    scores = draw_scores(INTERNAL, cells, setting.sharp_share, setting.noise, rng)
    if setting.unit == "pooled":
        return PatientScores(scores=scores, labels=cells)
    return PatientScores(scores=scores.reshape(-1, setting.n_cells).mean(axis=1), labels=labels)


def draw_external(setting: Setting, rng: np.random.Generator) -> PatientScores:
    """Return the patients of Q."""
    labels = draw_labels(setting.n_external, setting.prevalence, rng)
    scores = draw_scores(EXTERNAL, labels, setting.sharp_share_external, setting.noise, rng)
    return PatientScores(scores=scores, labels=labels)


def draw_scores(
    site: Mixture, labels: NDArray[np.int8], share: float, noise: Noise, rng: np.random.Generator
) -> FloatArray:
    """Return one score of the mixture for each label.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = draw_scores(INTERNAL, np.repeat([0, 1], 50_000), 1.0, "none", rng)
    >>> scores.reshape(2, -1).mean(axis=1).round(2), scores.reshape(2, -1).std(axis=1).round(2)
    (array([1.9, 2.1]), array([0.15, 0.13]))
    """
    sharp = rng.random(labels.size) < share
    means = np.where(sharp, np.array(site.sharp_means)[labels], np.array(site.flat_means)[labels])
    sds = np.where(sharp, np.array(site.sharp_sds)[labels], site.flat_sd)
    scores = means + sds * rng.normal(size=labels.size)
    amplitude, centre, width = site.noise
    height = amplitude * np.exp(-((scores - centre) ** 2) / (2 * width**2))
    extra = rng.normal(size=labels.size)
    if noise == "none":
        return scores
    return scores + height * (extra if noise == "added" else scores - means)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One replicate: three cut-offs, their risk at Q, and where the map is high.

    ``map_ratio`` is the mean of the instability map in the sharp region divided by its mean
    elsewhere. It is None if one of the two has no threshold, or the map is 0 elsewhere.
    """

    erm: float
    penalised: float
    stable: float
    external_erm: float
    external_penalised: float
    external_stable: float
    map_ratio: float | None


def replicate(setting: Setting, rng: np.random.Generator) -> Outcome:
    """Choose by ERM, by figure 1's penalty and by `stable` at P, and judge all three at Q."""
    here, there = draw_internal(setting, rng), draw_external(setting, rng)
    cuts = even_cuts(here)
    rule = Pointwise(window=WINDOW, cap_in=setting.cap_in).on_cuts(cuts)
    chosen = [
        chosen_cut(cuts, ERM, COSTS),
        penalised_by_draws(cuts, rule, rng) if setting.drawn else chosen_cut(cuts, rule, COSTS),
        chosen_cut(cuts, Stable(), COSTS),
    ]
    external = risk_curve(there, np.array(chosen), COSTS).tolist()
    ways = ("erm", "penalised", "stable")
    return Outcome(
        **dict(zip(ways, chosen, strict=True)),
        **{f"external_{way}": risk for way, risk in zip(ways, external, strict=True)},
        map_ratio=ratio_in_sharp(cuts.thresholds, own_map(cuts)),
    )


def at_thresholds(cuts: EvenCuts) -> Curve:
    """Return the errors at every threshold of the grid, shape (1, thresholds)."""
    return along_thresholds(count_errors(cuts.cells[None, :]), tried_thresholds(cuts))


def own_map(cuts: EvenCuts) -> FloatArray:
    """Return the instability map along the thresholds, in closed form."""
    return instability_map(at_thresholds(cuts), COSTS, WINDOW)[0]


def penalised_by_draws(cuts: EvenCuts, rule: Pointwise, rng: np.random.Generator) -> float:
    """Return the cut-off of the penalty with a map of drawn bootstrap curves, as printed."""
    n, curve, tried = cuts.n_patients, at_thresholds(cuts), tried_thresholds(cuts)
    drawn = count_errors(rng.multinomial(n, cuts.cells / n, size=N_DRAWS))
    risks = risk_at_cuts(drawn, COSTS)[:, tried.cut_of]
    bend = np.abs(np.diff(risks.mean(axis=0), 2))
    bend = np.pad(bend / bend.max(), 1, mode="edge")
    unstable = moving_average((risks.std(axis=0) * bend)[None, :], WINDOW)
    own = risk_at_cuts(curve, COSTS)
    objective = own + rule.weight(unstable, own)[:, None] * unstable
    objective[~rule.within_reach(curve, COSTS, tried.thresholds)] = np.inf
    rank = middle_of_widest_flat(objective, curve.ranks, TIE)
    everyone = count_errors(cuts.cells[None, :])
    return float(cuts.place(*cuts_at_rank(everyone.ranks, rank))[0])


def ratio_in_sharp(thresholds: FloatArray, values: FloatArray) -> float | None:
    """Return the mean of ``values`` in the sharp region divided by their mean elsewhere."""
    inside = (thresholds >= SHARP[0]) & (thresholds <= SHARP[1])
    if inside.all() or not inside.any() or not values[~inside].any():
        return None
    return float(values[inside].mean() / values[~inside].mean())


def in_sharp(threshold: float) -> bool:
    """Whether a cut-off lies in the sharp region."""
    return SHARP[0] <= threshold <= SHARP[1]
