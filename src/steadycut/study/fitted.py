"""A fitted study: a cut-off and everything that was found on the way to it, as plain data.

Of the next hospital, those hospitals speak that check a cut-off which others chose. Otherwise each
one is left out in turn: the others choose a cut-off, as the study did, and all patients of the
hospital show what it does there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadycut.core.asked_rates import CertifiedCost, CertifiedRate, certified_cost, certified_rates
from steadycut.core.bootstrap.draws import Disagreement
from steadycut.core.certify import Certificate
from steadycut.core.checks import FloatArray, IntArray, TextArray, shown_names
from steadycut.core.confusion import Confusion, confusion_at, is_called
from steadycut.core.cuts.grid import operating_value
from steadycut.core.diagnose import class_warnings, flip_probability, flip_rate, order_warnings
from steadycut.core.ensemble import Ensemble
from steadycut.core.frames import Columns
from steadycut.core.next_site import LEAST_SITES, NextSite, SiteResult, next_site
from steadycut.core.odd import odd_warnings
from steadycut.core.parts import stated_warnings
from steadycut.core.records import PatientScores
from steadycut.core.select import Candidate
from steadycut.core.sites import is_at, site_names, unit_warnings
from steadycut.core.split import Roles
from steadycut.core.survival import unknown_warnings
from steadycut.errors import SteadycutError, Warned
from steadycut.ingest.identifiers import alike_warnings
from steadycut.study.choosing import choose
from steadycut.study.options import Options


def results_at(patients: PatientScores, threshold: float) -> list[SiteResult]:
    """Return what one cut-off does at every hospital; none of them chose it."""
    names = site_names(patients)
    called = shown_names(patients.sites) if patients.sites is not None else {}
    return [
        SiteResult(
            site=called[name],
            threshold=threshold,
            counts=confusion_at(patients.take(is_at(patients, name)), threshold),
        )
        for name in names
    ]


def results_left_out(
    given: Sequence[PatientScores], options: Options, select: IntArray, published: PatientScores
) -> list[SiteResult]:
    """Return what the cut-off of all other hospitals does at each hospital.

    Empty where the others cannot choose, such as for lack of a class. ``published`` is the
    candidate to which the published cut-off belongs.
    """
    if not given:
        return []
    selects = np.zeros(given[0].n_patients, dtype=bool)
    selects[select] = True
    quick = without_bootstrap(options)
    _, seed = np.random.SeedSequence(options.seed).spawn(2)
    results, sites = [], given[0].sites
    called = {} if sites is None else shown_names(sites)
    for name in site_names(given[0]):
        out = is_at(given[0], name)
        others, choosing = [one.take(~out) for one in given], np.flatnonzero(selects[~out])
        if not choosing.size:
            return []
        try:
            choice = choose(others, choosing, quick, seed)
        except SteadycutError:
            return []
        there = choice.scores_of([one.take(out) for one in given]).oriented(options.direction)
        cut = choice.chosen.threshold
        same = choice.place is not None and given[choice.place] is published
        counts, own = confusion_at(there, cut), cut if same else None
        results.append(SiteResult(site=called[name], threshold=own, counts=counts))
    return results


def without_bootstrap(options: Options) -> Options:
    """Return the options without replicates, where they do not decide what is chosen."""
    search = options.search
    if search.selector != "risk" or options.ensemble == "gls":
        return options
    return replace(options, search=replace(search, n_bootstrap=2))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HeldOut:
    """Patients who neither choose nor certify: what the frozen cut-off does to them is shown only.

    ``patients`` are oriented: their high scores are called, and an unknown fate is the worst one.
    ``given`` are the same patients, and ``everyone`` all patients of the table, as given.
    """

    patients: PatientScores
    given: PatientScores
    everyone: PatientScores


# Without slots, so that what is asked for more than once is computed once.
@dataclass(frozen=True, eq=False, kw_only=True)
class FittedStudy:
    """A cut-off, why it was chosen and how far it can be trusted.

    ``patients`` are as given. ``chose`` are the patients who chose the cut-off and ``certified``
    those who certify it, both oriented: their high scores are called, in either direction.
    ``chosen`` and ``candidates`` are on that scale too; `turned` brings a value back to the units
    of the scores. For an ensemble, scores are mean quantiles between 0 and 1, and ``candidates``
    are its methods and, last, the ensemble. ``infeasible`` names the candidates that have no cut
    within the limits of the rule. ``held_out`` are not among the ``patients``. ``given`` are all
    candidates; none where the scorer has learned from these patients. Of patients who were censored
    before the horizon, those who chose are left out of ``chose``, as are patients without a score.
    Each of those who certify counts as an error in ``certified``.
    """

    options: Options
    patients: PatientScores
    roles: Roles
    chose: PatientScores
    certified: PatientScores
    chosen: Candidate
    candidates: tuple[Candidate, ...]
    certificate: Certificate
    counts: Confusion
    ensemble: Ensemble | None = None
    infeasible: tuple[str, ...] = ()
    held_out: HeldOut | None = None
    given: tuple[PatientScores, ...] = ()

    @property
    def n_candidates(self) -> int:
        """Among how many candidates the patients chose, those left out for a limit included."""
        return len(self.candidates) + len(self.infeasible)

    def turned(self, value: float) -> float:
        """Return a score or cut-off in the units of the scores as they came."""
        # Adding 0.0 turns negative zero into zero.
        return self.options.sign * value + 0.0

    @property
    def threshold(self) -> float:
        """The frozen cut-off: a patient whose score reaches it is called."""
        return self.turned(self.chosen.threshold)

    @cached_property
    def operating_value(self) -> float | None:
        """The outermost score of a choosing patient who is called; None if nobody is called."""
        value = operating_value(self.chosen.threshold, self.chose.scores)
        return None if value is None else self.turned(value)

    @cached_property
    def bootstrap_thresholds(self) -> FloatArray:
        """What the same rule chose in each bootstrap replicate, ascending."""
        return np.sort(self.options.sign * self.chosen.draws.thresholds)

    def scores_among(
        self, own: Sequence[PatientScores], others: Sequence[PatientScores]
    ) -> PatientScores:
        """Return the score that is decided on: ``own`` candidates, made for other patients."""
        if self.ensemble is not None:
            return self.ensemble.combine(others)
        return next(two for one, two in zip(own, others, strict=True) if one is self.patients)

    @property
    def n_choices(self) -> int:
        """Among how many scores the certifying patients chose themselves; 0 if others did."""
        return self.n_candidates if self.options.honesty == "uniform" else 0

    @property
    def certified_rates(self) -> tuple[CertifiedRate, ...]:
        """What the certifying patients show of the rates that were asked for."""
        return self.rates_of(self.counts)

    def rates_of(self, counts: Confusion) -> tuple[CertifiedRate, ...]:
        """Return what counts of the certifying patients show of these rates."""
        options = self.options
        rates, n_choices = options.asked_rates, self.n_choices
        found = certified_rates(counts.counts, rates, self._delta_each * len(rates), n_choices)
        return tuple(replace(one, rounded=self.has_unknown) for one in found)

    @property
    def _delta_each(self) -> float:
        """The share of delta for each rate, and for the cost, that was asked for."""
        asked = len(self.options.asked_rates) + (self.options.certify_cost is not None)
        return self.options.search.delta / max(asked, 1)

    @property
    def certified_cost(self) -> CertifiedCost | None:
        """Whether the cost is at most what was asked for; None if nothing was asked."""
        options = self.options
        if options.certify_cost is None:
            return None
        costs, asked = options.search.costs, options.certify_cost
        return certified_cost(self.certificate, self.counts, costs, asked, self._delta_each)

    @property
    def has_unknown(self) -> bool:
        """Whether some patients were censored before the horizon."""
        return self.patients.n_unknown > 0

    @cached_property
    def followed(self) -> PatientScores:
        """The patients who certify, oriented, with unknown fates where they were censored."""
        return self.patients.oriented(self.options.direction).take(self.roles.certify)

    @cached_property
    def next_site(self) -> NextSite | None:
        """What the hospitals say about the next one; None with fewer than two."""
        options, costs = self.options, self.options.search.costs
        split = options.sites_certify is not None
        if split:
            results = results_at(self.certified, self.chosen.threshold)
        else:
            results = results_left_out(self.given, options, self.roles.select, self.patients)
        if len(results) < LEAST_SITES:
            return None
        return next_site(
            results,
            replace(costs, target=options.prevalence_there or costs.target),
            level=1 - options.search.delta,
            split=split,
            cost_there=options.cost_there,
        )

    @cached_property
    def oriented_scores(self) -> FloatArray:
        """The scores of all patients who have one, such that high ones are called."""
        return self.patients.scored.oriented(self.options.direction).scores

    @property
    def selecting(self) -> PatientScores:
        """Those of known fate who chose, oriented; also the patients without a score."""
        everyone = self.patients.oriented(self.options.direction)
        return everyone.take(self.roles.select).of_known_fate

    @property
    def select_patients(self) -> PatientScores:
        """The patients who chose the cut-off."""
        return self.chose.oriented(self.options.direction)

    @cached_property
    def certify_patients(self) -> PatientScores:
        """The patients who certify it."""
        return self.certified.oriented(self.options.direction)

    @property
    def everyone(self) -> PatientScores:
        """All patients of the table, with those who were held out."""
        return self.patients if self.held_out is None else self.held_out.everyone

    @cached_property
    def fingerprint(self) -> str:
        """A SHA-256 of the patient-level table, with the patients who were held out."""
        return self.everyone.fingerprint()

    @cached_property
    def flip_rate(self) -> float:
        """Mean flip probability of the certifying patients."""
        draws = self.chosen.draws.thresholds
        return flip_rate(self.certified.scores, self.chosen.threshold, draws)

    @property
    def disagreement(self) -> Disagreement:
        """About whom two studies disagree: held-out patients if there are any, else who certify."""
        patients = self.held_out.patients if self.held_out else self.certified
        return Disagreement.of(patients.scores, self.chosen.draws.thresholds)

    @cached_property
    def warnings(self) -> list[str]:
        """What a reader should know before trusting the numbers."""
        chose, certified = self.chose, self.certified
        found = [*map(infeasible_warning, self.infeasible), *self.chosen.warnings]
        found += class_warnings("used to choose", chose)
        if self.options.honesty == "split":
            found += class_warnings("used to check", certified)
            found += order_warnings(self.patients.usable)
        has_target = self.options.search.costs.target is not None
        known = self.patients.usable.oriented(self.options.direction)
        found += odd_warnings(known, self.options.direction, has_target=has_target)
        found += unknown_warnings(self.followed)
        found += stated_warnings(self.patients, stated=self.options.one_per_patient)
        return [*found, *unit_warnings(self.patients.scored), *alike_warnings(self.patients)]

    def flip_probability(self, scores: FloatArray) -> FloatArray:
        """Return how often a resampled study would decide otherwise, for each score."""
        sign = self.options.sign
        draws = self.chosen.draws.thresholds
        return flip_probability(sign * np.asarray(scores), self.chosen.threshold, draws)


def patient_columns(study: FittedStudy) -> Columns:
    """Return one row per patient: what is known of them, their part in the study, the decision.

    The part is ``choose`` or ``certify``, both in a study where all do both, or ``test``.
    """
    parts = np.full(study.patients.n_patients, "choose, certify", dtype="<U15")
    if study.options.honesty == "split":
        parts[study.roles.select], parts[study.roles.certify] = "choose", "certify"
    several = [(study.patients, parts)]
    if study.held_out is not None:
        held = study.held_out.given
        several.append((held, np.full(held.n_patients, "test", dtype="<U15")))
    tables = [patients.columns() | _decided(study, patients, part) for patients, part in several]
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def _decided(
    study: FittedStudy, patients: PatientScores, part: TextArray
) -> dict[str, NDArray[Any]]:
    oriented = patients.oriented(study.options.direction).scores
    called = is_called(oriented, study.chosen.threshold)
    return {
        "part": part,
        "decision": called.astype(np.int8),
        "flip_probability": study.flip_probability(patients.scores),
    }


def infeasible_warning(name: str) -> str:
    """Say that a candidate was left out."""
    return Warned.of("limits")(
        f"no cut-off of '{name}' keeps the limits of the rule; it was left out."
    )
