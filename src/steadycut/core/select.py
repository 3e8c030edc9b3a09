"""Choose one of several candidates: by its risk, or by risk plus penalty (Algorithm 1)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from steadycut.core.bootstrap.draws import (
    CENTERINGS,
    Radius,
    ThresholdDraws,
    bootstrap_radius,
    draw_thresholds,
    draw_weighted,
)
from steadycut.core.bootstrap.within_groups import group_cells, group_codes
from steadycut.core.bounds.modulus import FORMS, dkw_band, modulus
from steadycut.core.bounds.multiscale import multiscale_band
from steadycut.core.checks import (
    MOST_REPLICATES,
    FloatArray,
    IntArray,
    check_choice,
    check_count,
    check_delta,
    check_fraction,
    store,
)
from steadycut.core.confusion import confusion_at
from steadycut.core.cuts.grid import Cuts, check_grid, clear_of_scores, cuts_of
from steadycut.core.cuts.risk_curve import TIE, count_errors, risk_at_cuts
from steadycut.core.diagnose import stability_warnings
from steadycut.core.records import UNKNOWN, Costs, PatientScores, Recipe
from steadycut.core.rounding import percent
from steadycut.core.rules.best_criterion import Best, name_of
from steadycut.core.rules.next_site import AtNextSite
from steadycut.core.rules.registry import Counted, Rule, parse_rule
from steadycut.core.survival import weighted_at, weights_of
from steadycut.errors import Warned, warned_if

Publish = Callable[[float, FloatArray], float]
# The signature of `draw_thresholds`. A scorer that is refitted in every replicate has its own.
Draw = Callable[[Cuts, Rule, Costs, int, np.random.Generator], ThresholdDraws]
BANDS = {"multiscale": multiscale_band, "dkw": dkw_band}


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How a cut-off is searched for, and how its instability is measured.

    ``rule`` is the name of the rule, ``grid`` says which cuts are tried. If the rule is a
    function of the counts, ``function`` holds it and ``rule`` holds its name. ``centering`` belongs
    to the radius, ``form`` to the modulus and ``band`` to its upper band. ``delta_boot`` is the
    failure probability of radius and band; None takes ``delta``, that of the certificate.

    ``selector`` says how one of several candidates is chosen:

    - ``risk``: by the smallest risk;
    - ``objective``: by J of Algorithm 1; ``no-bias``: the same without the bias in the radius.
    """

    rule: str | Counted = "stable"
    costs: Costs
    grid: int | str = "exact"
    n_bootstrap: int = 200
    delta: float = 0.1
    centering: str = "none"
    form: str = "pairwise"
    band: str = "multiscale"
    selector: str = "risk"
    function: Counted | None = None
    delta_boot: float | None = None

    def __post_init__(self) -> None:
        if callable(self.rule):
            store(self, "function", self.rule)
            store(self, "rule", name_of(self.rule))
        _ = self.chooser
        store(self, "grid", check_grid(self.grid))
        n = check_count("n_bootstrap", self.n_bootstrap, at_least=2, at_most=MOST_REPLICATES)
        store(self, "n_bootstrap", n)
        store(self, "delta", check_delta(self.delta))
        if self.delta_boot is not None:
            store(self, "delta_boot", check_fraction("delta_boot", self.delta_boot))
        check_choice("centering", self.centering, CENTERINGS)
        check_choice("form", self.form, FORMS)
        check_choice("band", self.band, BANDS)
        check_choice("selector", self.selector, SELECTORS)
        if self.costs.target is not None:
            # The multiscale band does not hold for reweighted classes.
            store(self, "band", "dkw")

    @property
    def chooser(self) -> Rule:
        """The rule itself."""
        return parse_rule(self.function or self.rule)

    @property
    def stability_delta(self) -> float:
        """The failure probability of the bootstrap radius and of the band of the modulus."""
        return self.delta if self.delta_boot is None else self.delta_boot


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Candidate:
    """One way to make patient scores, with the threshold that the rule chose on them.

    ``risk`` is the risk at the threshold among the choosing patients, ``smallest_risk`` the
    smallest risk at any cut. ``modulus`` is ω(radius), and ``penalty`` (G_boot) is its upper band.
    """

    recipe: Recipe
    cuts: Cuts
    draws: ThresholdDraws
    threshold: float
    risk: float
    smallest_risk: float
    radius: Radius
    modulus: float
    penalty: float
    warnings: tuple[str, ...]

    @property
    def objective(self) -> float:
        """J = smallest risk + penalty."""
        return self.smallest_risk + self.penalty


SELECTORS: dict[str, Callable[[Candidate], float]] = {
    "objective": lambda candidate: candidate.objective,
    "risk": lambda candidate: candidate.smallest_risk,
    "no-bias": lambda candidate: candidate.objective,
}


def try_candidate(
    patients: PatientScores,
    everyone: PatientScores,
    search: Search,
    rng: np.random.Generator,
    publish: Publish = clear_of_scores,
    draw: Draw = draw_thresholds,
    groups: IntArray | None = None,
) -> Candidate:
    """Choose a threshold on ``patients`` and measure how stable it is.

    ``everyone`` are all patients of the study; their labels are not used. ``publish`` moves the
    chosen threshold within its gap, so that it equals none of their scores. ``draw`` chooses the
    threshold and runs the rule again on resampled patients. With ``groups``, the group of each of
    the ``patients``, they are resampled within groups. If some were censored before the horizon,
    those of known fate choose, by their weights.
    """
    certain = patients.of_known_fate if patients.n_unknown else patients
    cuts = cuts_of(certain, search.grid)
    settings = cuts, search.chooser, search.costs, search.n_bootstrap, rng
    if not patients.n_unknown:
        draws = _resampling(patients, cuts, search, draw, groups)(*settings)
        threshold = publish(draws.threshold, everyone.scores)
        candidate = measure_candidate(patients, cuts, draws, threshold, search)
    else:
        weights = weights_of(patients)[patients.fates != UNKNOWN]
        cell_of = cuts.cell_of(certain)
        draws = draw_weighted(*settings, cell_of, weights)
        threshold = publish(draws.threshold, everyone.scores)
        curve = count_errors(np.bincount(cell_of, weights, cuts.cells.size))
        # Radius, modulus and penalty are those of the same patients without weights.
        candidate = replace(
            measure_candidate(certain, cuts, draws, threshold, search),
            risk=weighted_at(patients, threshold, search.costs, search.delta).risk,
            smallest_risk=float(risk_at_cuts(curve, search.costs).min()),
        )
    return replace(
        candidate,
        warnings=(
            *candidate.warnings,
            *limit_warnings(search.chooser, draws),
            *close_warnings(draws.threshold, threshold, everyone.scores),
        ),
    )


def with_unscored(candidate: Candidate, patients: PatientScores, search: Search) -> Candidate:
    """Return a candidate with the cost of those of the choosing patients who have no score.

    It is the same at every cut-off. Radius, modulus and penalty stay those of the others.
    """
    if not patients.n_unscored:
        return candidate
    without = confusion_at(patients.without_score, 0.0)
    share, cost = without.n_patients / patients.n_patients, without.risk(search.costs)
    risk, least = (
        (1 - share) * risk + share * cost for risk in (candidate.risk, candidate.smallest_risk)
    )
    return replace(candidate, risk=risk, smallest_risk=least)


def _resampling(
    patients: PatientScores, cuts: Cuts, search: Search, draw: Draw, groups: IntArray | None
) -> Draw:
    """Return how to draw thresholds; refuse a rule that these patients cannot keep."""
    # With one class alone a limit cannot be checked. The nearest cut is taken, as in a bootstrap
    # cohort, and a warning says that there are few patients.
    if isinstance(search.chooser, Best) and patients.n_positive and patients.n_negative:
        search.chooser.refuse_infeasible(cuts, search.costs, f"'{patients.recipe.name}'")
    if isinstance(search.chooser, AtNextSite):
        search.chooser.check_sites(patients)
        groups = group_codes(patients, "site")
    if groups is None:
        return draw
    return partial(draw_thresholds, groups=group_cells(cuts, patients, groups))


def measure_candidate(
    patients: PatientScores, cuts: Cuts, draws: ThresholdDraws, threshold: float, search: Search
) -> Candidate:
    """Return a chosen threshold with its risk and its instability among the ``patients``."""
    radius = radius_of(cuts, draws, search)
    at_stake = (patients, radius.radius, search.costs)
    return Candidate(
        recipe=patients.recipe,
        cuts=cuts,
        draws=draws,
        threshold=threshold,
        risk=confusion_at(patients, threshold).risk(search.costs),
        smallest_risk=float(risk_at_cuts(count_errors(cuts.cells), search.costs).min()),
        radius=radius,
        modulus=modulus(*at_stake, search.form),
        penalty=BANDS[search.band](*at_stake, search.stability_delta, search.form),
        warnings=tuple(stability_warnings(cuts, draws, search.costs)),
    )


def limit_warnings(rule: Rule, draws: ThresholdDraws) -> list[str]:
    """Return a warning if some bootstrap cohorts cannot meet the limits of the rule."""
    if not draws.n_infeasible or not isinstance(rule, Best):
        return []
    share = draws.n_infeasible / draws.thresholds.size
    text = Warned.of("limits")(
        f"{percent(share)} of the bootstrap cohorts have no cut-off with {rule.wanted}; there "
        "the nearest one was taken."
    )
    return [text]


def close_warnings(chosen: float, published: float, scores: FloatArray) -> list[str]:
    """Return a warning if the published threshold calls patients that the chosen one does not.

    Examples
    --------
    >>> close_warnings(0.3, 0.2, np.array([0.1, 0.25, 0.4]))[0][:57]
    'close scores: 1 patient is called whose score is not told'
    """
    more = int(np.count_nonzero((scores >= published) & (scores < chosen)))
    who = (
        "1 patient is called whose score is"
        if more == 1
        else f"{more} patients are called whose scores are"
    )
    msg = (
        f"{who} not told apart from the cut-off: they differ in the last digits that a computer "
        "keeps. If these digits matter, subtract the same number from all scores."
    )
    return warned_if(more, "close scores", msg)


def radius_of(cuts: Cuts, draws: ThresholdDraws, search: Search) -> Radius:
    """Return the bootstrap radius. With the selector ``no-bias`` it is the quantile alone.

    Call-everybody and call-nobody count as cuts just beyond the scores.
    """
    places = cuts.on_scale(np.append(draws.threshold, draws.thresholds))
    found = bootstrap_radius(float(places[0]), places[1:], search.stability_delta, search.centering)
    if search.selector != "no-bias":
        return found
    return replace(found, radius=float(np.nextafter(found.quantile, np.inf)))


def best_candidate(
    candidates: Sequence[Candidate], costs: Costs, selector: str = "objective"
) -> Candidate:
    """Return the candidate with the smallest value of the selector.

    Ties are broken by the smaller risk, then by the order of the candidates.
    """
    tie = TIE * costs.largest
    value = SELECTORS[selector]
    smallest = min(map(value, candidates))
    tied = [candidate for candidate in candidates if value(candidate) <= smallest + tie]
    return min(tied, key=lambda candidate: candidate.smallest_risk)
