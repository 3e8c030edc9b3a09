"""Fitted risk strata: the boundaries and everything found on the way, described and frozen."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from steadycut.core.asked_rates import CertifiedRate, certified_rates
from steadycut.core.bootstrap.draws import JointRadius
from steadycut.core.certify import Certificate
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.cuts.grid import operating_value
from steadycut.core.records import PatientScores
from steadycut.core.rounding import cut_text
from steadycut.core.split import Roles
from steadycut.core.strata.certify import BoundaryCertificate
from steadycut.core.strata.diagnose import cost_warnings, grade_warnings, strata_warnings
from steadycut.core.strata.draws import StrataDraws, stratum_flips, stratum_of
from steadycut.core.verdict import OVERALL, worst_answer
from steadycut.documents import strata as documents
from steadycut.documents.guards import graded_fingerprint
from steadycut.documents.shown import Shown, study_repr
from steadycut.documents.study import StudyVerdictPart
from steadycut.study.describe import steps_of
from steadycut.study.freeze import made_from, versions
from steadycut.study.reference import span_of
from steadycut.study.strata.options import StrataOptions
from steadycut.study.useful import verdict_of_counts

USUAL = (0.05, 0.95)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StrataStudy(Shown):
    """Boundaries of risk strata, why they were chosen and how far they can be trusted.

    Everything public is in the original units of the scores. ``grades`` are the true grades of
    ``patients``. ``counts``, shape (grades, strata), counts the certifying patients.
    """

    options: StrataOptions
    patients: PatientScores
    grades: IntArray
    roles: Roles
    draws: StrataDraws
    risk: float
    smallest_risk: float
    radius: JointRadius
    modulus: float
    local_modulus: float
    penalty: float
    certificate: Certificate
    boundaries: tuple[BoundaryCertificate, ...]
    counts: IntArray
    _lists: ClassVar = {"boundaries": "boundaries"}

    def __repr__(self) -> str:
        """Return the answer in three lines; no patient is shown."""
        return study_repr(
            self, f"boundaries at {', '.join(cut_text(cut, 4) for cut in self.thresholds.tolist())}"
        )

    @property
    def thresholds(self) -> FloatArray:
        """The frozen boundaries, from the lowest stratum up; with ``"le"`` they descend."""
        # Adding 0.0 turns negative zero into zero.
        return self.options.shared.sign * self.draws.thresholds + 0.0

    @property
    def bootstrap_thresholds(self) -> FloatArray:
        """The boundaries of each bootstrap replicate, shape (replicates, boundaries)."""
        return self.options.shared.sign * self.draws.draws + 0.0

    @property
    def sides(self) -> tuple[CertifiedRate, ...]:
        """What is certified of the two rates that were asked for, rule-out first; else nothing."""
        return certified_rates(self.counts, self.options.asked_rates, self.options.delta)

    @property
    def objective(self) -> float:
        """The smallest mean cost among the choosing patients, plus the joint penalty."""
        return self.smallest_risk + self.penalty

    @property
    def flip_rate(self) -> float:
        """Share of certifying patients and draws whose stratum changes."""
        return self._moved(at_least=1)

    @property
    def jump_rate(self) -> float:
        """Share of certifying patients and draws whose stratum changes by two or more."""
        return self._moved(at_least=2)

    def _moved(self, at_least: int) -> float:
        scores = self.patients.scores[self.roles.certify]
        return float(self.flip_probability(scores, at_least).mean())

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before trusting the numbers."""
        options = self.options
        found = cost_warnings(options.costs, options.strata)
        between = None if options.two_cuts is None else options.strata[1]
        found += strata_warnings(self.draws, self.roles.select.size, options.strata, between)
        for role, index in (("choose", self.roles.select), ("certify", self.roles.certify)):
            found += grade_warnings(role, self.grades[index], options.grades)
        return found

    def stratum_of(self, scores: ArrayLike) -> IntArray:
        """Return the stratum of each score, 0 for the lowest."""
        return stratum_of(self._oriented(scores), self.draws.thresholds)

    def flip_probability(self, scores: ArrayLike, at_least: int = 1) -> FloatArray:
        """Return how often a resampled study would move each score by ``at_least`` strata."""
        oriented = self._oriented(scores)
        return stratum_flips(oriented, self.draws.thresholds, self.draws.draws, at_least)

    def _oriented(self, scores: ArrayLike) -> FloatArray:
        return self.options.shared.sign * PatientScores(scores=scores).scores

    def describe(self) -> documents.StrataStudyDocument:
        """Return everything that was found, without any patient, as one typed record."""
        options, recipe = self.options, self.patients.recipe
        members = self.counts.sum(axis=0)
        return documents.StrataStudyDocument.of(
            *(options, options.shared, self, recipe),
            data=None,
            options=documents.StrataOptionsPart.of(options, options.shared, options.shared.search),
            operating_values=operating_values(self),
            aggregation=steps_of(recipe),
            costs=options.costs.values.tolist(),
            boundaries=boundary_parts(self),
            stability=stability_part(self),
            patients=role_counts(self),
            verdict=strata_verdict(self),
            sides=self.sides or None,
            between=documents.BetweenPart.of_counts(members, options.delta) if self.sides else None,
        )

    def freeze(self) -> documents.StrataRule:
        """Return the boundaries to take to the next hospital."""
        described, patients = self.describe(), self.patients
        usual = np.quantile(patients.scores, USUAL, method="inverted_cdf").tolist()
        data = graded_fingerprint(patients.fingerprint(), self.grades)
        made = documents.StrataProvenance.of(described, versions=versions(), data_sha256=data)
        return documents.StrataRule.of(
            *(described, self),
            usual_range=usual,
            instances_per_patient=span_of(patients.n_instances),
            provenance=made,
            **made_from(patients),
        )


def strata_verdict(study: StrataStudy) -> StudyVerdictPart:
    """Return whether the strata are useful and, of two limits, whether both rates are shown."""
    found = verdict_of_counts(study.counts, study.certificate, study.options.costs)
    if not study.sides:
        return found
    asked = worst_answer(one.answer for one in study.sides)
    return found.model_copy(update={"as_asked": asked, "overall": OVERALL[asked]})


def operating_values(study: StrataStudy) -> list[float | None]:
    """Return, for each boundary, the lowest-risk score of a choosing patient who is above it."""
    sign = study.options.shared.sign
    scores = sign * study.patients.scores[study.roles.select]
    found = [operating_value(one, scores) for one in study.draws.thresholds.tolist()]
    return [None if one is None else sign * one for one in found]


def boundary_parts(study: StrataStudy) -> list[documents.BoundaryPart]:
    """Return one part per boundary: the costs of its errors for each grade, and both limits."""
    options, steps = study.options, study.options.costs.steps
    probabilities = options.costs.probabilities
    return [
        documents.BoundaryPart.of(
            found,
            below=options.strata[k],
            above=options.strata[k + 1],
            threshold=float(study.thresholds[k]),
            miss_costs=_costs_of(options, steps[:, k]),
            alarm_costs=_costs_of(options, -steps[:, k]),
            probability=None if probabilities is None else float(probabilities[k]),
        )
        for k, found in enumerate(study.boundaries)
    ]


def _costs_of(options: StrataOptions, step: FloatArray) -> dict[str, float]:
    """Return the cost of the wrong side, for each grade for which this side is wrong."""
    found = zip(options.grades, step.tolist(), strict=True)
    return {grade: cost for grade, cost in found if cost > 0}


def stability_part(study: StrataStudy) -> documents.StrataStability:
    """Return how far the boundaries move between replicates, and what that may cost."""
    shared, radius = study.options.shared, study.radius
    bias = shared.sign * radius.bias + 0.0
    return documents.StrataStability.of(radius, study, shared.search, bias=bias.tolist())


def role_counts(study: StrataStudy) -> documents.StrataRoles:
    """Return how many patients there are in each role and grade."""
    select, certify = (
        np.bincount(study.grades[index], minlength=len(study.options.grades)).tolist()
        for index in (study.roles.select, study.roles.certify)
    )
    return documents.StrataRoles(total=study.patients.n_patients, select=select, certify=certify)
