"""Fitted risk strata: the boundaries and everything that was found on the way, as plain data."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from steadycut.core.asked_rates import CertifiedRate, certified_rates
from steadycut.core.certify import Certificate
from steadycut.core.checks import FloatArray, IntArray
from steadycut.core.records import PatientScores
from steadycut.core.split import Roles
from steadycut.core.strata.certify import BoundaryCertificate
from steadycut.core.strata.diagnose import cost_warnings, grade_warnings, strata_warnings
from steadycut.core.strata.draws import StrataDraws, stratum_flips, stratum_of
from steadycut.core.strata.modulus import JointRadius
from steadycut.study.strata.options import StrataOptions


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FittedStrata:
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

    @property
    def thresholds(self) -> FloatArray:
        """The frozen boundaries, from the lowest stratum up; with ``"le"`` they descend."""
        # Adding 0.0 turns negative zero into zero.
        return self.options.sign * self.draws.thresholds + 0.0

    @property
    def bootstrap_thresholds(self) -> FloatArray:
        """The boundaries of each bootstrap replicate, shape (replicates, boundaries)."""
        return self.options.sign * self.draws.draws + 0.0

    @property
    def sides(self) -> tuple[CertifiedRate, ...]:
        """What is certified of the two rates that were asked for, rule-out first; else nothing."""
        return certified_rates(self.counts, self.options.asked_rates, self.options.delta)

    @property
    def objective(self) -> float:
        """The smallest mean cost among the choosing patients, plus the joint penalty."""
        return self.smallest_risk + self.penalty

    @property
    def certify_scores(self) -> FloatArray:
        """The scores of the patients who certify."""
        return self.patients.scores[self.roles.certify]

    @property
    def flip_rate(self) -> float:
        """Share of certifying patients and draws whose stratum changes."""
        return float(self.flip_probability(self.certify_scores).mean())

    @property
    def jump_rate(self) -> float:
        """Share of certifying patients and draws whose stratum changes by two or more."""
        return float(self.flip_probability(self.certify_scores, at_least=2).mean())

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
        return stratum_of(
            self.options.sign * PatientScores(scores=scores).scores, self.draws.thresholds
        )

    def flip_probability(self, scores: ArrayLike, at_least: int = 1) -> FloatArray:
        """Return how often a resampled study would move each score by ``at_least`` strata."""
        values = self.options.sign * PatientScores(scores=scores).scores
        return stratum_flips(values, self.draws.thresholds, self.draws.draws, at_least)
