"""One replicate of figure 2: two markers at two sites, and what every way chooses.

The paper prints nothing about the data. Here both markers are normal and independent given the
label, so every true risk is a sum of two normal distribution functions.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from paper.figure import BASE, draw_labels
from paper.pointwise import Pointwise
from steadycut.core.bounds.concentration import paper as paper_gap
from steadycut.core.checks import FloatArray
from steadycut.core.confusion import Confusion, confusion_at
from steadycut.core.cuts.grid import even_cuts
from steadycut.core.cuts.risk_curve import risk_curve
from steadycut.core.records import Costs, PatientScores, Recipe
from steadycut.core.rules.registry import chosen_cut
from steadycut.core.rules.stable import Stable
from steadycut.core.select import Candidate, Search, best_candidate, try_candidate
from steadycut.core.shift.parts import absolute_shift, signed_shift

COSTS = Costs()
DELTA, N_DRAWS = 0.10, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """Means and standard deviations of one marker at one site, (negative, positive)."""

    means: tuple[float, float]
    sds: tuple[float, float]

    def moved(self, shift: float) -> "Marker":
        """Return the marker with all scores moved."""
        low, high = self.means
        return Marker(means=(low + shift, high + shift), sds=self.sds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Everything about figure 2's data; nothing of it is printed.

    At Q marker 1 is higher by ``shift``. Marker 2 separates a little worse and changes less: at Q
    its positives are lower by ``fade``. ``cap_in`` is the unit of the movement cap of figure 1's
    penalty.
    """

    n_internal: int = 200
    n_external: int = 200
    prevalence_internal: float = 0.4
    prevalence_external: float = 0.3
    first: Marker = Marker(means=(0.0, 2.0), sds=(1.0, 1.0))
    second: Marker = Marker(means=(0.0, 2.0), sds=(1.0, 1.4))
    shift: float = 0.5
    fade: float = 0.2
    cap_in: str = "score"

    @property
    def internal(self) -> tuple[Marker, Marker]:
        """Both markers at P."""
        return self.first, self.second

    @property
    def external(self) -> tuple[Marker, Marker]:
        """Both markers at Q."""
        low, high = self.second.means
        faded = Marker(means=(low, high - self.fade), sds=self.second.sds)
        return self.first.moved(self.shift), faded


ASSUMED = {
    "everything about the data": "the paper prints nothing; the appendix has an empty heading",
    "patients": "200 at P, 200 at Q; prevalence 0.4 at P, 0.3 at Q",
    "marker 1": "normal; means 0 and 2, deviation 1; at Q all scores 0.5 higher",
    "marker 2": "normal; means 0 and 2, deviations 1 and 1.4; at Q positives 0.2 lower",
    "penalised threshold": "three readings: J over markers; figure 1's map along t; `stable`",
    "unit of the movement cap": "the score",
    "upper bound": "R + gamma (appendix) + G_boot (DKW band), delta 0.10, costs 1 and 1",
}
# One change at a time.
SETTINGS = {
    BASE: Setting(),
    "60 patients at P": Setting(n_internal=60),
    "1,000 patients at P": Setting(n_internal=1000),
    "prevalence 0.4 at both sites": Setting(prevalence_external=0.4),
    "no shift of scores": Setting(shift=0.0, fade=0.0),
    "marker 1 shifts by 1.0": Setting(shift=1.0),
    "marker 1 shifts by -0.5": Setting(shift=-0.5),
    "marker 2 shifts instead": Setting(shift=0.0, fade=1.0),
    "movement cap in units of the range": Setting(cap_in="range"),
    "marker 2 like marker 1 at P": Setting(second=Marker(means=(0.0, 2.0), sds=(1.0, 1.0))),
}


def draw_site(
    markers: tuple[Marker, Marker], n_patients: int, prevalence: float, rng: np.random.Generator
) -> list[PatientScores]:
    """Return the same patients with each marker; both classes occur."""
    labels = draw_labels(n_patients, prevalence, rng)
    return [
        PatientScores(
            scores=np.array(marker.means)[labels]
            + np.array(marker.sds)[labels] * rng.normal(size=n_patients),
            labels=labels,
            recipe=Recipe(score=f"marker {number}"),
        )
        for number, marker in enumerate(markers, start=1)
    ]


def draw_sites(
    setting: Setting, rng: np.random.Generator
) -> tuple[list[PatientScores], list[PatientScores]]:
    """Return the patients of P and of Q, with both markers."""
    here = draw_site(setting.internal, setting.n_internal, setting.prevalence_internal, rng)
    there = draw_site(setting.external, setting.n_external, setting.prevalence_external, rng)
    return here, there


def true_risk(marker: Marker, prevalence: float, thresholds: FloatArray) -> FloatArray:
    """Return R(t) with equal costs: Pr(positive and below t) + Pr(negative and not below t).

    Examples
    --------
    >>> marker = Marker(means=(0.0, 2.0), sds=(1.0, 1.0))
    >>> true_risk(marker, 0.5, np.array([-9.0, 1.0, 9.0])).round(3)
    array([0.5  , 0.159, 0.5  ])
    """
    below = [
        ndtr((thresholds - mean) / sd) for mean, sd in zip(marker.means, marker.sds, strict=True)
    ]
    return np.asarray(prevalence * below[1] + (1 - prevalence) * (1 - below[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A marker (0 or 1), its cut-off, and the true risk of both at Q."""

    marker: int
    threshold: float
    external: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outcome:
    """One replicate: what every way chose, and the bound of ERM's choice.

    ``parts`` are the terms of the decomposition at ERM's cut-off in absolute value, as in the
    paper. ``estimate`` is the risk observed at Q, ``identity`` the internal risk plus the signed
    parts.
    """

    chosen: dict[str, Chosen]
    erm: Candidate
    parts: dict[str, float]
    estimate: float
    identity: float
    bound: float
    covers_internal: bool
    trivial: float


def replicate(setting: Setting, rng: np.random.Generator) -> Outcome:
    """Choose in every way at P, and decompose the risk of ERM's choice at Q."""
    here, there = draw_sites(setting, rng)
    tried = [try_marker(one, rng) for one in here]
    chosen, erm = choose(setting, here, tried), best_candidate(tried, COSTS, "risk")
    marker = chosen["erm"].marker
    internal, external = (confusion_at(site[marker], erm.threshold) for site in (here, there))
    added = paper_gap(internal, COSTS, DELTA) + erm.penalty
    return Outcome(
        chosen=chosen,
        erm=erm,
        parts=decompose(internal, external, erm.penalty),
        estimate=external.risk(COSTS),
        identity=internal.risk(COSTS) + signed_shift(internal, external, COSTS).total,
        bound=erm.risk + added,
        covers_internal=covers(setting, here[marker], marker, added),
        trivial=internal.trivial_risk(COSTS),
    )


def try_marker(patients: PatientScores, rng: np.random.Generator) -> Candidate:
    """Return ERM's cut-off with its penalty."""
    search = Search(rule="erm", costs=COSTS, n_bootstrap=N_DRAWS, band="dkw", delta=DELTA)
    return try_candidate(patients, patients, search, rng)


def choose(
    setting: Setting, here: list[PatientScores], tried: list[Candidate]
) -> dict[str, Chosen]:
    """Return the marker and cut-off of every way, with its true risk at Q.

    Algorithm 1 chooses between the markers, the other ways along the marker of smallest risk.
    """
    first, ours = (
        tried.index(best_candidate(tried, COSTS, selector)) for selector in ("risk", "objective")
    )
    cuts, pointwise = even_cuts(here[first]), Pointwise(cap_in=setting.cap_in)
    return {
        "erm": at_q(setting, first, tried[first].threshold),
        "algorithm_1": at_q(setting, ours, tried[ours].threshold),
        "pointwise": at_q(setting, first, chosen_cut(cuts, pointwise, COSTS)),
        "stable": at_q(setting, first, chosen_cut(cuts, Stable(), COSTS)),
    }


def at_q(setting: Setting, marker: int, threshold: float) -> Chosen:
    """Return a choice with its true risk at Q."""
    truth = true_risk(setting.external[marker], setting.prevalence_external, np.array([threshold]))
    return Chosen(marker=marker, threshold=threshold, external=float(truth[0]))


def decompose(internal: Confusion, external: Confusion, penalty: float) -> dict[str, float]:
    """Return the paper's terms: risk at P, absolute shifts of prevalence and shapes, penalty."""
    shift = absolute_shift(internal, external, COSTS)
    return {
        "risk": internal.risk(COSTS),
        "prevalence": shift.prevalence,
        "shape_positive": shift.shape_positive or 0.0,
        "shape_negative": shift.shape_negative or 0.0,
        "penalty": penalty,
    }


def covers(setting: Setting, patients: PatientScores, marker: int, added: float) -> bool:
    """Whether the empirical risk and what is added to it reach the true risk at P at every cut."""
    thresholds = np.sort(patients.scores)
    truth = true_risk(setting.internal[marker], setting.prevalence_internal, thresholds)
    return bool(np.all(risk_curve(patients, thresholds, COSTS) + added >= truth))
